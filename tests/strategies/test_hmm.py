"""LJM and BPM: a user browses, a chain is learned from it, and the crawl follows what the chain expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from wolfspider.bench.run.cell import Cell, measure
from wolfspider.core import codec
from wolfspider.core.events import AddSeeds, Command, Event, Label, Landed, SetParam, SetTopic
from wolfspider.core.model import Failure, Fetch, Link, Page
from wolfspider.core.params import build
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import Recollection, simulate
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.policy.judges import make_judge
from wolfspider.policy.link_shelf import Shelf
from wolfspider.strategies.hmm import Bpm, Guide, Ljm, even
from wolfspider.web.worlds.world import open_web

TOPIC = Topic(("spider silk",), "Spiders and silk")
GOOD, GATE, WALL = "spider silk spins", "gate opens wide open", "wall stone stands grey"
SITE = "http://a.test/"

Pages = Mapping[str, tuple[str, Sequence[tuple[str, str]]]]  # name -> text, and links with their anchors


class Web:
    def __init__(self, pages: Pages) -> None:
        self.pages = pages

    def look(self, url: str, now: float) -> Fetch:
        name = url.removeprefix(SITE)
        if name not in self.pages:
            return Fetch(url, url, 404, failure=Failure("status", "404"), seconds=1.0, at=now)
        text, shown = self.pages[name]
        links = tuple(Link(SITE + target, anchor, rank=rank) for rank, (target, anchor) in enumerate(shown))
        page = Page(url, url, name, (*text.split(), name), links, digest=name, at=now)
        return Fetch(url, url, 200, seconds=1.0, at=now, page=page)


def rooms(count: int) -> dict[str, tuple[str, Sequence[tuple[str, str]]]]:
    """A house whose gates lead to good pages and whose walls lead to others; of neither the judge thinks anything."""
    doors = [(f"{kind}{number}", "") for number in range(count) for kind in ("wall", "gate")]
    pages: dict[str, tuple[str, Sequence[tuple[str, str]]]] = {"seed": ("entry hall floor", doors)}
    for number in range(count):
        pages |= {f"gate{number}": (GATE, [(f"good{number}", "")]), f"good{number}": (GOOD, [("seed", "")])}
        pages |= {f"wall{number}": (WALL, [(f"junk{number}", "")]), f"junk{number}": (WALL, [("seed", "")])}
    return pages


class Crawled:
    """One crawl, what landed in it, and how it stands."""

    def __init__(
        self,
        kind: type[Ljm],
        pages: Pages,
        budget: int = 500,
        learned: Mapping[str, Any] | None = None,
        train: str = "charged",
        commands: Sequence[tuple[float, Command]] = (),
        **settings: Any,
    ) -> None:
        web = Web(pages)
        self.strategy = kind(TOPIC, build(kind.Params, settings), generator(1), Shelf())
        if learned is not None:
            self.strategy.inherit(learned)
        self.training: list[str] = []
        self.order: list[str] = []
        judge = lambda topic: make_judge("keywords", topic)  # noqa: E731
        self.crawl = Crawl(self.strategy, judge, Recollection(web), Limits(budget), train=train)
        self.crawl.listen(self._hear)
        self.crawl.begin([Link(SITE + "seed")], 0.0)
        self.reason = simulate(self.crawl, web, start=0.0, commands=commands).reason

    def _hear(self, event: Event) -> None:
        if isinstance(event, Landed):
            visit = event.outcome.visit
            (self.training if visit.agent == "train" else self.order).append(visit.link.url.removeprefix(SITE))


def test_what_is_behind_pages_that_lead_to_targets_comes_first() -> None:
    """All links of the hall are worth the same; that of a gate is worth more, and is followed at once."""
    done = Crawled(Ljm, rooms(40), training=60)
    order = done.order
    assert len(done.training) == 60 and len(set(order)) == len(order) == 161
    assert [order.index(f"good{number}") - order.index(f"gate{number}") for number in range(40)] == [1] * 40


def test_the_chain_tells_pages_that_lead_to_targets_from_those_that_do_not() -> None:
    guide = Crawled(Ljm, rooms(40), training=60).strategy.guide
    assert guide is not None
    gate, wall = (
        guide.chain.follow(guide.chain.start, guide.sign(Page("", "", words=tuple(text.split())), 5))
        for text in (GATE, WALL)
    )
    assert gate.argmax() == 1 and wall.argmax() > 1
    assert guide.chain.predict(gate)[0] > 0.5 > guide.chain.predict(wall)[0]


def test_by_two_keys_the_likeliest_state_comes_first() -> None:
    strategy = Crawled(Ljm, rooms(10), training=30, order="two-key").strategy
    strategy.guide = None
    assert strategy._worth((0.5, 0.3, 0.1, 0.1, 0.0)) == 0.5
    assert strategy._worth((0.3, 0.4, 0.1, 0.1, 0.1)) == pytest.approx(0.4 - 1)
    assert strategy._worth((0.3, 0.4, 0.1, 0.1, 0.1)) > strategy._worth((0.0, 0.0, 1.0, 0.0, 0.0))


def halls(count: int) -> dict[str, tuple[str, Sequence[tuple[str, str]]]]:
    """One page with links of both kinds, told apart by their anchors alone, and words that only targets have."""
    shown = [(f"{kind}{number}", text) for number in range(count) for kind, text in (("junk", WALL), ("good", GOOD))]
    pages: dict[str, tuple[str, Sequence[tuple[str, str]]]] = {"seed": ("entry hall floor", shown)}
    return pages | {name: (text, [("seed", "back")]) for name, text in shown}


def test_an_anchor_like_the_targets_makes_a_link_better_than_its_neighbours() -> None:
    order = Crawled(Bpm, halls(40), training=30).order
    assert {name[:4] for name in order[1:41]} == {"good"} and {name[:4] for name in order[41:]} == {"junk"}
    order = Crawled(Ljm, halls(40), training=30).order
    assert [name[:4] for name in order[1:5]] == ["junk", "good", "junk", "good"]  # all the same: as they come


def test_ties_of_one_page_can_be_broken_by_the_anchors_alone() -> None:
    order = Crawled(Ljm, halls(40), training=30, ties="centroid").order
    assert {name[:4] for name in order[1:41]} == {"good"} and {name[:4] for name in order[41:]} == {"junk"}


def test_likeness_is_the_cosine_of_anchor_and_page_with_the_mean_of_the_targets() -> None:
    strategy = Crawled(Bpm, rooms(40), training=60).strategy
    guide = strategy.guide
    assert guide is not None
    page = Page("", "", words=tuple(GATE.split()))
    points, near = guide.mixed(page, [GOOD, WALL, "", "unheard"], 0.5)
    texts = guide.space.weighed([page_words(GATE), page_words(GOOD)])
    rows = np.zeros((2, len(guide.space.words)))
    rows[texts.text, texts.word] = texts.weight
    mixed = (rows[0] + rows[1]) / 2
    assert near[0] == pytest.approx(mixed @ guide.targets / np.linalg.norm(mixed) / np.linalg.norm(guide.targets))
    assert near[0] > 0.5 > near[1] and near[2] == near[3] and (near <= 1).all()
    assert points[2] == pytest.approx(guide.space.fold([page_words(GATE)])[0] / 2)


def page_words(text: str) -> dict[str, int]:
    return dict.fromkeys(text.split(), 1)


@pytest.mark.parametrize("kind", [Ljm, Bpm])
def test_training_is_charged_or_counted_apart(kind: type[Ljm]) -> None:
    charged = Crawled(kind, rooms(40), budget=100, training=30)
    assert charged.crawl.spent == 100 and len(charged.training) == 30
    assert len(set(charged.training) | set(charged.order)) == 100  # what users saw is held, and costs nothing again
    free = Crawled(kind, rooms(40), budget=100, train="free", training=30)
    assert free.crawl.spent == 100 and free.crawl.flights.training == len(free.training) == 30
    assert len(set(free.order)) == len(free.order) == 100


@pytest.mark.parametrize("kind", [Ljm, Bpm])
def test_without_a_target_it_is_best_first_until_there_is_one(kind: type[Ljm]) -> None:
    """The users never come to the good pages; the crawl does, and learns from the first of them."""
    pages = {"seed": ("entry", [(f"wall{number}", "") for number in range(30)])}
    pages |= {f"wall{number}": (WALL, [(f"wall{number + 30}", "")]) for number in range(60)}
    pages["wall80"] = (WALL, [("good", "")])
    pages |= {f"wall{number}": (WALL, [(f"wall{number + 10}", "")]) for number in range(60, 80)}
    pages |= {f"wall{number}": (WALL, []) for number in range(81, 90)}
    pages["good"] = (GOOD, [("more", "")])
    pages["more"] = (GOOD, [])
    done = Crawled(kind, pages, training=10)
    assert done.reason == "done" and done.order.index("more") == done.order.index("good") + 1
    assert SITE + "good" in done.strategy.browsing.targets and done.strategy.guide is not None


def test_a_persons_label_makes_a_target_and_the_model_anew() -> None:
    """The judge likes no page of this web."""
    pages = {name: (text.replace(GOOD, "moth wings dusk"), links) for name, (text, links) in rooms(40).items()}
    unhelped = Crawled(Ljm, pages, training=60)
    assert unhelped.strategy.guide is None and unhelped.strategy.report()["phase"] == "crawling without a model"
    seen = [name for name in unhelped.training if name.startswith("good")][:4]
    commands = [(61.0 + number, Label(SITE + name, True)) for number, name in enumerate(seen)]
    helped = Crawled(Ljm, pages, training=60, commands=commands)
    assert sorted(helped.strategy.browsing.targets) == sorted(SITE + name for name in seen)
    assert helped.strategy.guide is not None
    first = [name[:4] for name in helped.order[50:70]]
    assert first.count("junk") == 0


def test_a_label_may_take_a_target_away() -> None:
    done = Crawled(Ljm, rooms(20), training=60)
    liked = len(done.strategy.browsing.targets)
    name = next(url for url in done.strategy.browsing.targets)
    again = Crawled(Ljm, rooms(20), training=60, commands=[(61.0, Label(name, False))])
    assert len(again.strategy.browsing.targets) == liked - 1


@pytest.mark.parametrize("kind", [Ljm, Bpm])
def test_a_later_run_starts_with_what_was_browsed(kind: type[Ljm]) -> None:
    first = Crawled(kind, rooms(40), budget=80, training=60)
    learned = codec.load(*codec.store(first.strategy.learned()))
    later = Crawled(kind, rooms(40), learned=learned)
    assert later.training == [] and len(later.order) == 161
    assert len(later.strategy.browsing.pages) == len(first.strategy.browsing.pages)
    again = Crawled(kind, rooms(40), learned={"browsing": type(first.strategy.browsing)()}, training=30)
    assert len(again.training) == 30  # nothing was liked there


def test_after_a_change_of_topic_the_next_pages_are_learned_from() -> None:
    done = Crawled(Ljm, rooms(40), training=30, commands=[(40.0, SetTopic(("wall stone",), "Walls"))])
    strategy = done.strategy
    assert done.reason == "done" and len(done.training) == 30 and len(strategy.browsing.pages) == 30
    assert strategy.guide is not None
    assert {url.removeprefix(SITE)[:4] for url in strategy.browsing.targets} == {"wall", "junk"}


def test_starting_points_that_a_person_adds_are_crawled() -> None:
    pages = rooms(20) | {"lone": (GOOD, [])}
    done = Crawled(Ljm, pages, training=30, commands=[(10.0, AddSeeds((SITE + "lone",)))])
    assert "lone" in done.order


def test_a_live_order_scores_what_waits_again() -> None:
    moved = Crawled(Ljm, rooms(40), budget=100, training=30, commands=[(40.0, SetParam("order", "two-key"))])
    scores = [item.score for item in moved.strategy.frontier.items()]
    assert scores and min(scores) < 0


def test_what_is_told_are_the_expected_states() -> None:
    strategy = Crawled(Bpm, rooms(40), budget=100, training=60).strategy
    item = next(strategy.frontier.items())
    told = strategy.explain(item.link.url)
    assert sum(told[f"T{state}"] for state in range(5)) == pytest.approx(1) and 0 <= told["likeness"] <= 1
    assert told["score"] == pytest.approx((told["T0"] + told["likeness"]) / 2, abs=1e-6)
    assert strategy.explain(SITE + "nowhere") == {}
    report = strategy.report()
    assert report["phase"] == "crawling" and report["targets"] > 0 and report["clusters"] >= 3


def test_the_judges_word_is_a_belief() -> None:
    assert sum(even(0.3)) == pytest.approx(1) and even(1.0) == (1.0, 0.0, 0.0, 0.0, 0.0)


def test_a_guide_is_stored_and_read_back() -> None:
    guide = Crawled(Bpm, rooms(20), training=60).strategy.guide
    again = codec.load(*codec.store(guide))
    page = Page("", "", words=tuple(GATE.split()))
    assert isinstance(again, Guide) and again.sign(page, 5) == guide.sign(page, 5) and again.clusters == guide.clusters
    assert again.mixed(page, [GOOD], 0.5)[1].tolist() == guide.mixed(page, [GOOD], 0.5)[1].tolist()


@pytest.mark.slow
def test_on_a_computed_web_more_is_found_than_by_chance() -> None:
    web = open_web("synthetic:pages=3000,topics=16,mischief=0", None)
    topic, task = next(iter(web.tasks().items()))
    letter = {"letter": "true"}  # a longer training than by default, which is free here
    found = {
        name: measure(
            Cell(web.name, web.name, topic, name, 0, 300, "classifier", web.start, given, train="free"), task, web
        )
        for name, given in {"random": {}, "ljm": letter, "bpm": letter}.items()
    }
    by_chance = found["random"].found[-1][1]
    assert found["ljm"].found[-1][1] > 1.2 * by_chance and found["bpm"].found[-1][1] > 1.2 * by_chance
