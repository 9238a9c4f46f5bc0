"""Agents that live on relevance: what a page gives, who multiplies, who dies, and what keeps their number in hand."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from wolfspider.bench.measure.population import Energies
from wolfspider.core import codec
from wolfspider.core.errors import Problem
from wolfspider.core.events import Event, Noted, SetParam, SetTopic, Went
from wolfspider.core.model import Failure, Fetch, Link, Page, Verdict
from wolfspider.core.params import build
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Topic
from wolfspider.drivers.driver import Result
from wolfspider.drivers.simulated import Recollection, Simulation, simulate
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.learn.documents import DEAD, MOST_LINKS
from wolfspider.policy.judges.judge import Unlearning
from wolfspider.policy.link_shelf import Shelf
from wolfspider.strategies.energy import Energy
from wolfspider.strategies.energy.herd import Agent, Herd, brood
from wolfspider.strategies.energy.knowledge import EnergyParams, Relevance, nearness, surroundings
from wolfspider.testing.sketch import Sketch, Trial, configured

TOPIC = Topic(("spider silk",), "Spiders and silk")
Names = Sequence[str]


class Web:
    """Pages by name: how relevant they are, and what they link to."""

    def __init__(self, pages: Mapping[str, tuple[float, Names]]) -> None:
        self.pages = pages

    def look(self, url: str, now: float) -> Fetch:
        name = url.removeprefix("http://a.test/")
        if name not in self.pages:
            return Fetch(url, url, 404, failure=Failure("status", "404"), seconds=1.0, at=now)
        score, names = self.pages[name]
        links = tuple(Link(f"http://a.test/{one}", one, rank=rank) for rank, one in enumerate(names))
        page = Page(url, url, str(score), ("spider", "silk"), links, digest=name, at=now)
        return Fetch(url, url, 200, seconds=1.0, at=now, page=page)


class Told(Unlearning):
    """A judge that believes what a page says of itself."""

    def score(self, page: Page) -> Verdict:
        return Verdict(float(page.title), float(page.title) >= 0.5)


class Crawled:
    """A crawl of a small web, with what became of it."""

    strategy: Energy
    result: Result

    def __init__(
        self, web: Web, pages: int = 50, learned: Any = None, seeds: Names = ("seed",), seed: int = 1, **settings: Any
    ) -> None:
        settings = {"relevance": "judge", "agents": 1, "least": 0, "remnants": 0.0, **settings}
        self.strategy = Energy(TOPIC, build(EnergyParams, settings), generator(seed), Shelf())
        if learned is not None:
            self.strategy.inherit(learned)
        self.log: list[Event] = []
        self.fold = Energies()
        crawl = Crawl(self.strategy, Told, Recollection(web), Limits(pages))
        crawl.listen(self.log.append)
        crawl.listen(self.fold)
        crawl.begin([Link(f"http://a.test/{name}") for name in seeds], 0.0)
        self.result = simulate(crawl, web, start=0.0)

    def order(self) -> list[str]:
        return [event.visit.link.url.removeprefix("http://a.test/") for event in self.log if isinstance(event, Went)]

    def noted(self, kind: str) -> list[Mapping[str, Any]]:
        return [event.data for event in self.log if isinstance(event, Noted) and event.kind == kind]

    def energies(self) -> list[float]:
        herd = self.strategy.herd
        return sorted(herd[name].energy for name in herd)


def chain(*scores: float) -> Web:
    """seed -> 0 -> 1 -> ... with these relevances; nothing behind the last."""
    names = [str(number) for number in range(len(scores))]
    pages = {name: (score, [str(number + 1)]) for number, (name, score) in enumerate(zip(names, scores, strict=True))}
    return Web({"seed": (0.0, ["0"]), **pages})


# The models


def test_originally_a_page_gives_rho_times_its_relevance_and_takes_the_cost() -> None:
    crawled = Crawled(chain(0.25), pages=2, model="original", gain=2.0, cost=0.4)
    assert crawled.energies() == [pytest.approx((1 + 2 * 0.25 - 0.4) / 2)] * 2


def test_by_the_sigmoid_a_page_gives_between_cost_and_gain() -> None:
    """3.6 a: (r - R). What is far below the threshold costs C, what is far above it gives G. With (r + R) the
    first of these pages would give as much as the other."""
    low, high = (Crawled(chain(score), pages=2, model="sigmoid", gain=3.0) for score in (0.0, 1.0))
    rest = 3.5 / (1 + math.exp(8))  # what is left to C and to G where the curve counts as flat
    assert low.energies() == [pytest.approx(1 - 0.5 + rest)]
    assert sum(high.energies()) == pytest.approx(1 + 3.0, abs=rest)


def test_the_threshold_is_that_of_all_pages_the_new_one_among_them() -> None:
    crawled = Crawled(chain(0.2, 0.4, 0.6), model="sigmoid", cost=0.01)
    assert crawled.strategy.limit[0] == pytest.approx(0.2)  # the median of 0, 0.2, 0.4, 0.6, by rank
    assert crawled.strategy.limit[1] == pytest.approx(8 / 0.2)


def test_exact_balance_is_a_setting() -> None:
    def drift(threshold: str) -> float:
        kind = configured(Energy, {"model": "sigmoid", "agents": 30, "threshold": threshold, "revisit": 0.0})
        crawl = Trial(kind, Sketch(2000), pages=400, slots=1, delay=0.0).run()
        herd = crawl.strategy.herd  # type: ignore[attr-defined]
        return float(herd.energy)

    assert drift("exact") < drift("estimate")


# Corrections of 3.6


@pytest.mark.parametrize(("energy", "count"), [(2.5, 3), (2.0, 2), (1.0, 1), (0.5, 1), (-1.0, 1), (1.0001, 2)])
def test_an_energy_above_one_is_shared_by_as_many_as_its_ceiling(energy: float, count: int) -> None:
    """3.6 f, and the golden vector: 2.5 -> 3 agents of 0.8333, 2 -> 2 agents of 1, 1 -> no clone."""
    assert brood(energy, 100) == count
    assert energy / count <= 1
    assert brood(energy, 0) == 1


def test_multiplying_creates_no_energy() -> None:
    """3.6 f: floor(E) clones of E / ceil(E) besides the parent would make 3 of 2."""
    crawled = Crawled(chain(1.0), pages=2, model="original", gain=1.5, cost=0.5)
    assert crawled.energies() == [1.0, 1.0]
    assert [data["energy"] for data in crawled.noted("birth")] == [1.0, 1.0]


def test_a_page_without_energy_left_costs_so_that_nobody_lives_on_what_is_known() -> None:
    """3.6 g."""
    web = Web({"seed": (0.5, ["a"]), "a": (0.5, ["seed"])})
    crawled = Crawled(web, model="sigmoid", cost=0.4)
    assert crawled.fold.extinct == 2 and crawled.result.reason == "done"
    assert crawled.strategy.moves <= 4
    printed = Crawled(web, model="sigmoid", cost=0.4, revisit=0.0)
    assert printed.fold.deaths == 0 and printed.result.reason == "done" and printed.strategy.moves > 50


# The buffer


def test_with_too_many_agents_a_page_keeps_its_energy() -> None:
    crawled = Crawled(chain(0.0, 1.0), pages=3, agents=2, most=1, cost=0.1)
    base = crawled.strategy.base
    assert all(energy < 1 for energy in crawled.energies())
    assert base.remnants.total == pytest.approx(10.0, abs=0.1)
    assert min(base.energies) < 0  # what the seed and the first page would have cost


def test_what_a_page_kept_is_there_for_who_comes_when_they_are_few() -> None:
    crawled = Crawled(chain(0.0, 1.0), agents=2, most=1, cost=0.6, remnants=1.0)
    assert crawled.fold.deaths and crawled.fold.clones  # the first of them died before the other could harvest


def test_who_would_die_while_they_are_few_is_put_where_energy_is_left() -> None:
    web = Web({"plain": (0.0, []), "good": (1.0, ["bad"]), "bad": (0.0, [])})
    crawled = Crawled(web, least=1, most=3, cost=1.1, seeds=("plain", "good"))
    assert crawled.noted("teleport")[0] == {"agent": "agent-0", "to": "http://a.test/good", "restart": False}
    assert crawled.fold.clones >= 8  # what it found there


def test_where_no_energy_is_left_a_new_life_begins_along_a_link_never_followed() -> None:
    names = [f"bad{number}" for number in range(12)]
    web = Web({"seed": (0.0, names), **{name: (0.0, []) for name in names}})
    crawled = Crawled(web, agents=1, least=1, cost=1.1)
    assert sorted(crawled.order()) == sorted(["seed", *names])
    assert all(data["restart"] for data in crawled.noted("teleport")) and crawled.fold.deaths == 0
    assert crawled.result.reason == "done"


def test_the_last_agent_is_spared_too() -> None:
    """By the letter (fewer than LB) the only agent of LB = 1 would die."""
    crawled = Crawled(chain(*[0.0] * 6), least=1, cost=2.0)
    assert crawled.fold.deaths == 0 and len(crawled.order()) == 8  # the last one is not there


def test_agents_walk_to_remnants_now_and_then() -> None:
    web = Web({"plain": (0.0, []), "good": (1.0, ["a"]), "a": (0.0, ["b"]), "b": (0.0, ["a"])})
    never, always = (Crawled(web, remnants=chance, seeds=("plain", "good")) for chance in (0.0, 1.0))
    assert never.strategy.base.remnants.total > 9 and never.fold.clones == 0  # no link leads back there
    assert always.strategy.base.remnants.total == 0 and always.fold.clones > 8


class Rising:
    """Page after page more relevant than all before: there is always more energy than agents."""

    def look(self, url: str, now: float) -> Fetch:
        number = int(url.removeprefix("http://a.test/"))
        links = tuple(Link(f"http://a.test/{number + step}") for step in range(1, 9))
        page = Page(url, url, str(number / 10_000), ("spider",), links, digest=url, at=now)
        return Fetch(url, url, 200, seconds=1.0, at=now, page=page)


Counts = list[float]


def moved(web: Any, settings: Mapping[str, Any], name: str, value: float) -> tuple[Counts, Counts]:
    """Populations before a parameter is moved after 450 of 900 downloads, and some time after it."""
    given = {"relevance": "judge", "agents": 15, "least": 5, "gain": 5.0, **settings}
    strategy = Energy(TOPIC, build(EnergyParams, given), generator(1), Shelf())
    crawl = Crawl(strategy, Told, Recollection(web), Limits(900))
    crawl.listen(fold := Energies())
    crawl.begin([Link("http://a.test/0")], 0.0)
    Simulation(crawl, web, start=0.0, commands=[(450.0, SetParam(name, value))]).run()
    population = dict(zip(fold.at, fold.columns["population"], strict=True))
    early = [count for at, count in population.items() if 200 < at <= 450]
    return early, [count for at, count in population.items() if at > 700]


@pytest.mark.parametrize(("before", "after"), [(60, 15), (15, 60)])
def test_when_a_person_moves_the_upper_bound_the_population_follows(before: int, after: int) -> None:
    early, late = moved(Rising(), {"most": before}, "most", after)
    for bound, counts in ((before, early), (after, late)):
        assert len(counts) >= 7 and bound - 6 <= min(counts) and max(counts) <= bound + 5


class Even(Rising):
    """All pages are as relevant as this."""

    def __init__(self, score: float) -> None:
        self.score = score

    def look(self, url: str, now: float) -> Fetch:
        fetch = super().look(url, now)
        return replace(fetch, page=replace(fetch.page, title=str(self.score))) if fetch.page else fetch


def test_when_a_person_moves_the_lower_bound_the_population_follows() -> None:
    early, late = moved(Even(0.0), {"most": 60, "least": 30, "agents": 40}, "least", 8)
    assert len(early) >= 7 and set(early) == {30} and len(late) >= 7 and set(late) == {8}


@pytest.mark.parametrize(("before", "after"), [(5.0, 0.1), (0.1, 5.0)])
def test_when_a_person_moves_the_gain_the_population_follows(before: float, after: float) -> None:
    early, late = moved(Rising(), {"most": 60, "cost": 0.2, "gain": before}, "gain", after)
    many, few = (early, late) if before > after else (late, early)
    assert len(few) >= 7 and min(many) >= 50 and max(few) <= 10


def test_when_a_person_moves_the_cost_the_population_follows() -> None:
    """By the original model: what a page gives is 1 - C. (The sigmoid's threshold would make up for it.)"""
    early, late = moved(Even(0.2), {"model": "original", "cost": 0.9, "revisit": 0.0}, "cost", 1.15)
    assert early == sorted(early) and early[-1] > early[0] + 10
    assert late == sorted(late, reverse=True) and late[-1] < late[0] - 10


def test_a_lower_bound_above_the_upper_one_counts_as_that() -> None:
    crawled = Crawled(chain(*[0.0] * 8), agents=4, least=100, most=2, cost=0.7)
    assert crawled.fold.smallest == 2 and crawled.result.reason == "done"


def test_more_agents_join_when_a_person_raises_their_number() -> None:
    kind = configured(Energy, {"agents": 3, "least": 1, "most": 40})
    fold = Energies()
    commands = [(1_000_005.0, SetParam("agents", 13)), (1_000_006.0, SetParam("agents", 5))]
    Trial(kind, Sketch(), pages=60, commands=commands).run(lambda crawl, event: fold(event))
    assert fold.births - fold.clones == 13


# Ends


def test_extinction_ends_the_crawl() -> None:
    web = chain(*[0.0] * 30)
    crawled = Crawled(web, model="original", gain=1.0, cost=0.4, agents=3)
    assert crawled.result.reason == "done" and crawled.fold.alive == 0
    assert crawled.fold.extinct == crawled.result.downloads < 8


def test_a_web_that_is_known_through_ends_the_crawl_with_everybody_alive() -> None:
    web = Web({"seed": (1.0, ["a"]), "a": (1.0, ["seed"])})
    crawled = Crawled(web, agents=5, least=3, most=9)
    assert crawled.result.reason == "done" and crawled.fold.alive >= 3
    assert sorted(crawled.order()) == ["a", "seed"]


def test_dead_starting_points_end_it_and_cost_nobody_anything() -> None:
    crawled = Crawled(Web({}), agents=5, least=3, seeds=("x", "y"))
    assert crawled.result.reason == "done" and sorted(crawled.order()) == ["x", "y"]
    assert crawled.energies() == [1.0] * 5


def test_a_failed_visit_costs_and_the_agent_stays() -> None:
    crawled = Crawled(Web({"seed": (0.5, ["gone"])}), pages=2, model="sigmoid", cost=0.25)
    assert crawled.order() == ["seed", "gone"] and crawled.energies() == [0.75]
    base, addresses = crawled.strategy.base, crawled.strategy.addresses
    gone = addresses.find("http://a.test/gone")
    assert gone is not None and base.status[gone] == DEAD


def test_from_a_page_without_links_the_way_leads_to_a_starting_point() -> None:
    web = Web({"seed": (0.5, ["end"]), "end": (0.5, []), "other": (0.5, ["last"]), "last": (0.5, [])})
    crawled = Crawled(web, model="sigmoid", cost=0.01, seeds=("seed", "other"))
    assert set(crawled.order()) == {"seed", "other", "end", "last"}


def test_who_goes_to_a_starting_point_finds_one_that_is_there_and_each_dead_one_is_looked_at_once() -> None:
    web = Web({"seed": (0.5, ["end"]), "end": (0.5, [])})
    dead = [f"gone{number}" for number in range(30)]
    crawled = Crawled(web, model="sigmoid", cost=0.01, revisit=0.0, agents=40, seeds=(*dead, "seed", "seed", *dead))
    strategy = crawled.strategy
    assert {strategy._root() for _ in range(200)} == {strategy.addresses.find("http://a.test/seed")}
    assert len(strategy.standing) == 1 and len(strategy.roots) == 31


# Visits


def test_a_known_document_needs_no_visit_and_who_wants_the_same_page_waits_for_it() -> None:
    names = [str(number) for number in range(6)]
    web = Web({"seed": (0.5, names), **{name: (0.5, ["seed", *names]) for name in names}})
    crawled = Crawled(web, agents=50, least=40, most=60)
    assert Counter(crawled.order()) == dict.fromkeys(["seed", *names], 1)
    assert crawled.strategy.moves > 0


def test_a_links_context_is_its_anchor_and_the_element_around_it_or_a_window() -> None:
    words = tuple(f"w{number}" for number in range(300))
    page = Page("http://a.test/", "http://a.test/", words=words)
    near = Link("http://a.test/1", "An anchor", 50, (45, 60))
    assert surroundings(page, near) == ("an", "anchor", *words[45:60])
    for block in ((0, 0), (0, 300), (45, 50)):
        assert surroundings(page, near._replace(block=block)) == words[30:72]


def test_on_a_page_without_the_topics_words_only_anchors_count() -> None:
    strategy = Energy(TOPIC, EnergyParams(), generator(1), Shelf())
    page = Page("http://a.test/", "http://a.test/", words=("car",) * 40)
    links = [Link("http://a.test/1", "spider silk", 0, (0, 20)), Link("http://a.test/2", "road", 9, (0, 20))]
    near = nearness(page, links, strategy._similarity, anything=False)
    assert near[0] > 0.5 and near[1] == 0


def test_memory_for_a_document_is_bounded() -> None:
    names = [str(number) for number in range(MOST_LINKS + 500)]
    crawled = Crawled(Web({"seed": (0.5, [*names, *names, "seed"])}), pages=1)
    base = crawled.strategy.base
    assert len(base.links) == len(base.near) == MOST_LINKS
    assert base.links.itemsize + base.near.itemsize == 5
    assert crawled.strategy.keeps() == MOST_LINKS + 1


# Relevance


def test_relevance_is_a_cosine_and_rare_terms_of_an_earlier_run_weigh_more() -> None:
    topic = Topic(("spider", "silk"))
    page = Page("http://a.test/", "http://a.test/", words=("spider", "silk", "car", "road"))
    even = Relevance(topic, {})
    assert even.idf is None and even.of(page, even.found(page)) == pytest.approx(2 / math.sqrt(2 * 4))
    known = Relevance(topic, {"pages": 99, "on": {"spider": 9, "silk": 99}})
    assert known.idf == [pytest.approx(math.log(10) + 1), pytest.approx(1.0)]
    spiders = Page("http://a.test/1", "http://a.test/1", words=("spider", "car"))
    silk = Page("http://a.test/2", "http://a.test/2", words=("silk", "car"))
    assert even.of(spiders, even.found(spiders)) == pytest.approx(even.of(silk, even.found(silk)))
    assert known.of(spiders, known.found(spiders)) > 2 * known.of(silk, known.found(silk))
    nothing = Page("http://a.test/3", "http://a.test/3", words=("car",))
    assert known.of(nothing, known.found(nothing)) == 0


def test_relevance_is_never_above_one() -> None:
    known = Relevance(Topic(("spider",)), {"pages": 99, "on": {}})
    page = Page("http://a.test/", "http://a.test/", words=("spider",) * 9)
    assert known.of(page, known.found(page)) == pytest.approx(1.0)


# What is kept


def test_documents_of_an_earlier_run_need_no_download() -> None:
    web = Web({"seed": (0.5, ["a", "b"]), "a": (0.5, ["c"]), "b": (0.5, ["c"]), "c": (0.5, [])})
    first = Crawled(web, pages=3, least=1)
    learned = codec.load(*codec.store(first.strategy.learned()))
    second = Crawled(web, learned=learned, least=1)
    assert set(first.order()) | set(second.order()) == {"seed", "a", "b", "c"}
    assert not set(first.order()) & set(second.order())
    assert len(second.strategy.base) == 4 and len(second.strategy.relevances) == 4
    assert second.strategy.background == {"pages": 3, "on": {"spider silk": 3, "spiders": 0, "silk": 3}}
    assert second.strategy.learned()["background"] == {"pages": 4, "on": {"spider silk": 4, "spiders": 0, "silk": 4}}


def test_what_failed_in_an_earlier_run_is_tried_again() -> None:
    first = Crawled(Web({"seed": (0.5, ["gone"])}), least=1)
    second = Crawled(Web({"seed": (0.5, ["gone"]), "gone": (0.5, [])}), learned=first.strategy.learned(), least=1)
    assert second.order() == ["gone"]


def test_documents_weighed_for_something_else_are_refused() -> None:
    learned = Crawled(chain(0.5)).strategy.learned()
    other = Energy(Topic(("cars",)), EnergyParams(), generator(1), Shelf())
    with pytest.raises(Problem, match="same topic"):
        other.inherit(learned)


def test_agents_are_stored_as_they_are() -> None:
    herd = Herd()
    for _ in range(3):
        herd.join(2, 0.5)
    herd.leave("agent-1")
    herd["agent-2"].forced, herd["agent-2"].heading = True, 7
    again = codec.load(*codec.store(herd))
    assert [*again] == ["agent-0", "agent-2"] and again.energy == herd.energy and again.born == 3
    told: Agent = again["agent-2"]
    assert (told.at, told.energy, told.heading, told.forced) == (2, 0.5, 7, True)


def test_the_sum_of_energies_is_kept_right() -> None:
    for variant in Energy.variants:
        herd = Trial(configured(Energy, variant), Sketch(), pages=100).run().strategy.herd  # type: ignore[attr-defined]
        assert herd.energy == pytest.approx(math.fsum(herd[name].energy for name in herd), abs=1e-6)


# People


def test_a_label_up_puts_energy_on_a_page_and_a_label_down_takes_it() -> None:
    strategy = Crawled(chain(0.5), pages=2).strategy
    page = Page("http://a.test/0", "http://a.test/0")
    strategy.judged(page, Verdict(1.0, True))
    assert strategy.base.remnants.total >= strategy.params.gain
    strategy.judged(page, Verdict(0.0, False))
    assert strategy.base.energies[1] == 0
    strategy.judged(Page("http://b.test/", "http://b.test/"), Verdict(1.0, True))  # not known: nothing happens


def test_when_something_else_is_wanted_old_energies_and_relevances_are_forgotten() -> None:
    kind = configured(Energy, {"agents": 20, "most": 10, "least": 5})
    crawl = Trial(kind, Sketch(), pages=60, commands=[(1_000_006.0, SetTopic(("car",), "Cars"))]).run()
    strategy = crawl.strategy
    assert isinstance(strategy, Energy)
    assert 0 < len(strategy.relevances) < len(strategy.base)
    assert set(strategy.met) == {"car", "cars"}


def test_it_can_say_why() -> None:
    crawled = Crawled(chain(0.5, 0.5), pages=2, model="sigmoid")
    told = crawled.strategy.explain("http://a.test/0")
    assert told["relevance"] == pytest.approx(0.5) and list(told["similarity"]) == ["http://a.test/seed"]
    assert "energy" not in crawled.strategy.explain("http://a.test/1")
    assert crawled.strategy.explain("http://a.test/nowhere") == {}


# Many


@pytest.mark.slow
def test_the_population_stays_within_its_bounds_whatever_the_parameters() -> None:
    """In 100 random settings: never above UB by more than one brood, never below LB, and so never extinct."""
    rng = random.Random(6)
    for case in range(100):
        least = rng.randrange(1, 12)
        most = least + rng.randrange(30)
        gain = rng.choice([0.5, 2.0, 5.0, 10.0, 30.0])
        settings = {
            "least": least,
            "most": most,
            "agents": rng.randint(least, most),
            "gain": gain,
            "cost": rng.choice([0.05, 0.2, 0.5, 1.0, 2.5]),
            "remnants": rng.choice([0.0, 0.1, 0.6]),
            "revisit": rng.choice([0.0, 0.5, 1.0, 3.0]),
            "beta": rng.choice([0.0, 5.0, 50.0]),
            "threshold": rng.choice(["estimate", "exact"]),
        }
        fold = Energies()
        trial = Trial(configured(Energy, settings), Sketch(200), pages=120, slots=rng.randint(1, 4), seed=case)
        trial.run(lambda crawl, event, fold=fold: fold(event))  # type: ignore[misc]
        assert least <= fold.smallest and fold.largest <= most + math.ceil(gain), settings
        assert fold.alive and trial.result.reason in ("done", "budget"), settings


def test_a_thousand_agents_are_polite_and_nobody_is_passed_over() -> None:
    kind = configured(Energy, {"agents": 1000, "most": 1200, "least": 800})
    trial = Trial(kind, Sketch(5000), pages=300, slots=50, delay=1.0)
    trial.run()
    assert trial.result.reason == "budget"
    visitors = Counter(event.visit.agent for event in trial.log if isinstance(event, Went))
    assert max(visitors.values()) <= 2


# Learning


GOLD = Web({"seed": (0.0, ["golden"]), "golden": (0.25, ["leaden"]), "leaden": (0.0, [])})


def test_the_energy_that_a_page_gives_moves_the_weights_of_the_words_that_led_there() -> None:
    """It gives 2 x 0.25 - 0.4 = 0.1, and both that are left afterwards have learned of it; the clone inherits."""
    crawled = Crawled(GOLD, pages=2, model="original", gain=2.0, cost=0.4, learning=0.5)
    assert [*crawled.strategy.lessons.values()] == [{"golden": pytest.approx(0.05)}] * 2
    assert crawled.strategy.lessons.keys() == {*crawled.strategy.herd}


def test_who_dies_takes_its_lessons_along_and_nobody_learns_unless_told_to() -> None:
    dead = Crawled(GOLD, model="original", gain=1.0, cost=2.0, learning=0.5)
    assert dead.fold.deaths and dead.strategy.lessons == {}
    plain = Crawled(GOLD, pages=2, model="original", gain=2.0, cost=0.4)
    assert plain.strategy.lessons == {}


def test_what_was_learned_makes_a_link_more_or_less_likely_within_bounds() -> None:
    crawled = Crawled(GOLD, pages=2, model="original", gain=2.0, cost=0.4)
    golden = crawled.strategy.addresses.find("http://a.test/golden")
    assert golden is not None
    assert crawled.strategy._lift({"golden": 1.0, "leaden": -9.0}, golden) == pytest.approx(math.e)
    assert crawled.strategy._lift({"golden": 90.0}, golden) == pytest.approx(math.exp(3))
    assert crawled.strategy._lift({}, golden) == 1.0


def test_an_agent_follows_what_it_has_learned() -> None:
    names = [f"golden{number}" for number in range(20)] + [f"leaden{number}" for number in range(20)]
    pages = {name: (1.0 if "gold" in name else 0.0, []) for name in names}
    web = Web({"seed": (0.0, names), **pages})
    crawled = Crawled(web, pages=2, model="original", gain=2.0, cost=0.4)
    base, strategy = crawled.strategy.base, crawled.strategy
    seed = base.known(strategy.addresses.find("http://a.test/seed") or 0)
    lesson = {f"golden{number}": 3.0 for number in range(20)}
    drawn = [base.follow(seed, random.Random(n), 5.0, lambda link: strategy._lift(lesson, link)) for n in range(200)]
    gold = [strategy.addresses.record(link).link.anchor.startswith("golden") for link in drawn if link is not None]
    assert sum(gold) > 170  # 20 to 1 for each of them
