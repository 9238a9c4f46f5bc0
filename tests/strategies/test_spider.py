"""The Intelligent Spider's searches, each rule on a web that is small enough to compute by hand."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest

from wolfspider.core import events
from wolfspider.core.model import Failure, Fetch, Link, Page
from wolfspider.core.params import chosen
from wolfspider.core.topic import Topic
from wolfspider.drivers.driver import Result
from wolfspider.drivers.simulated import Recollection, simulate
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.policy.judges import make_judge
from wolfspider.policy.link_shelf import Shelf
from wolfspider.strategies import strategy_named
from wolfspider.strategies.spider import generations
from wolfspider.strategies.spider.generations import SpiderSearch

GOOD, BAD = "wolf spider hunts silk", "car road wheel motor"
NAMES = ("spider-best-first", "spider-genetic", "spider-annealing", "spider-hybrid")
Web = Mapping[str, tuple[str, Sequence[str]]]  # by name: words, and names that it links to


def address(name: str) -> str:
    return f"http://{name}/" if "." in name else f"http://home.test/{name}"


def page(web: Web, name: str) -> Page:
    words, links = web[name]
    url = address(name)
    return Page(url, url, f"title of {name}", tuple(words.split()), tuple(Link(address(link)) for link in links))


class Small:
    """A web by names."""

    def __init__(self, web: Web, slow: Sequence[str] = ()) -> None:
        self.pages = {address(name): page(web, name) for name in web}
        self.slow = {*map(address, slow)}

    def look(self, url: str, now: float) -> Fetch:
        if url not in self.pages:
            return Fetch(url, url, 404, failure=Failure("status", "404"), seconds=0.1, at=now)
        return Fetch(url, url, 200, seconds=60.0 if url in self.slow else 3.0, at=now, page=self.pages[url])


class Category:
    """Pages of a category, in the order of their rank."""

    network = False

    def __init__(self, *names: str) -> None:
        self.names, self.asked = names, list[str]()

    def look(self, url: str, now: float) -> Page | Failure:
        self.asked.append(url)
        return Page(url, url, "category", links=tuple(Link(address(name)) for name in self.names), type="", at=now)


class Search:
    """One search over a small web, and what came of it."""

    def __init__(
        self,
        name: str,
        web: Web,
        liked: Sequence[str] = ("start",),
        category: Category | None = None,
        slow: Sequence[str] = (),
        commands: Sequence[tuple[float, events.Command]] = (),
        pages: int = 1000,
        keywords: tuple[str, ...] = (),
        seeds: Sequence[str] = (),
        **settings: Any,
    ) -> None:
        kind = strategy_named(name)
        topic = Topic(keywords, "", tuple(page(web, like) for like in liked))
        strategy = kind(topic, chosen(kind.Params, {"letter": True} | settings), random.Random(1), Shelf())
        assert isinstance(strategy, SpiderSearch)
        self.world, self.strategy = Small(web, slow), strategy
        self.crawl = Crawl(
            strategy,
            judge_of=lambda topic: make_judge("keywords", Topic(("wolf",))),
            memory=Recollection(self.world),
            limits=Limits(pages),
            sources={"leap": category} if category else {},
        )
        self.notes: list[Mapping[str, Any]] = []
        self.went: list[tuple[str, str]] = []
        self.crawl.listen(self._hear)
        self.crawl.begin([Link(address(seed)) for seed in (*liked, *seeds)], now=1_000.0)
        self.result: Result = simulate(self.crawl, self.world, start=1_000.0, commands=commands)

    def _hear(self, event: events.Event) -> None:
        if isinstance(event, events.Noted):
            self.notes.append(event.data)
        elif isinstance(event, events.Went):
            self.went.append((event.visit.link.url.removeprefix("http://home.test/"), event.how))

    @property
    def outputs(self) -> list[str]:
        return [result["url"].removeprefix("http://home.test/") for result in self.strategy.results()]

    def out(self) -> list[str]:
        return [name for name, how in self.went if how == "out"]


CHAIN: Web = {
    "start": (GOOD, ["a", "b", "c"]),
    "a": (BAD, ["a1"]),
    "b": (f"{GOOD} web", ["b1", "b2"]),
    "c": (f"{BAD} horn", ["c1"]),
    "a1": (GOOD, []),
    "b1": (f"{GOOD} loom", ["b3"]),
    "b2": (BAD, []),
    "b3": ("silk loom thread weave", []),
    "c1": (GOOD, []),
}


def test_best_first_takes_the_best_page_and_looks_at_its_links_next() -> None:
    search = Search("spider-best-first", CHAIN, outputs=3)
    assert [*search.strategy.chosen] == [*map(address, ("b", "b1", "b3"))]
    assert search.out() == ["a", "b", "c", "b1", "b2", "b3"]  # the start is liked: it is here
    assert search.result.reason == "done"


def test_best_first_fetches_nothing_below_the_last_output() -> None:
    search = Search("spider-best-first", CHAIN, outputs=1)
    assert search.outputs == ["b"] and search.out() == ["a", "b", "c"]


def test_best_first_returns_fewer_outputs_where_links_end() -> None:
    search = Search("spider-best-first", {"start": (GOOD, ["a"]), "a": (GOOD, ["start"])}, outputs=5)
    assert search.outputs == ["a"] and search.result.reason == "done"


@pytest.mark.parametrize("name", NAMES)
def test_what_a_person_knows_is_no_output(name: str) -> None:
    web = {**CHAIN, "b": (GOOD, ["start", "other"]), "other": (GOOD, ["start"])}
    search = Search(name, web, seeds=["other"], outputs=8)
    assert not {"start", "other"} & {*search.outputs}
    assert search.out().count("other") == 1


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_those_of_the_paper_at_the_end_of_a_generation(name: str) -> None:
    """Half of Tanimoto's of the terms, half of Jaccard's of the links: 'twin' says and links as the start does."""
    web: Web = {"start": (GOOD, ["twin", "x"]), "twin": (GOOD, ["twin", "x"]), "x": (BAD, [])}
    search = Search(name, web, outputs=2)
    best = search.strategy.results()[0]
    assert best["url"] == address("twin")
    assert best["score"] == best["terms"] == best["links_score"] == 1.0
    assert {"wolf", "spider"} & {*best["words"]} or "wolf spider" in best["words"]
    assert best["fetch_score"] == pytest.approx(0.9)  # 3 of 30 seconds


def test_fitness_is_the_mean_of_the_outputs() -> None:
    search = Search("spider-genetic", CHAIN, outputs=4)
    scores = [result["score"] for result in search.strategy.results()]
    assert search.notes[-1]["fitness"] == pytest.approx(sum(scores) / len(scores), abs=1e-4)
    assert scores == sorted(scores, reverse=True)


def test_a_label_up_takes_the_place_of_what_was_made_up() -> None:
    labels = [(1_001.0, events.Label(address("c"), True)), (1_002.0, events.Label(address("c"), True))]
    made_up = Search("spider-best-first", CHAIN, liked=(), seeds=["start"], keywords=("wolf",), commands=labels)
    assert len(made_up.strategy.likeness.inputs) == 1 and made_up.strategy.liked == {address("c")}


# Crossover and mutation

FAMILY: Web = {
    "start": (GOOD, ["one", "two", "three"]),
    "one": (BAD, ["two", "three"]),  # two links in common with its parent
    "two": (GOOD, ["three"]),  # one
    "three": (f"{GOOD} loom", ["elsewhere"]),  # none
    "elsewhere": (BAD, []),
    "far": (f"{GOOD} leg", ["farther"]),
    "farther": (GOOD, []),
    "gone": (BAD, []),
}


def test_crossover_takes_those_that_link_most_where_the_parents_do() -> None:
    search = Search("spider-genetic", FAMILY, outputs=2, crossover=0.5, mutation=0.0, generations=1)
    assert {*search.outputs} == {"one", "two"}  # though three says more of what is wanted


def test_links_count_as_often_as_their_page_was_chosen() -> None:
    search = Search("spider-genetic", FAMILY, outputs=2, generations=1)
    spider: Any = search.strategy
    spider.times = {address("one"): 3}
    spider.generation, spider.heredity = 1, []
    spider._bear(search.world.pages[address("one")], 3)
    spider._meet()
    assert spider.lineage[1].tolist() == [3, 3]


def test_mutants_are_the_next_pages_of_the_category_and_mend_a_lack_of_children() -> None:
    category = Category("far", "gone", "farther")
    search = Search("spider-genetic", FAMILY, category=category, outputs=1, mutation=0.5, generations=1)
    assert search.out() == ["one", "two", "three", "far"]  # one child of three, one mutant
    alone: Web = {**FAMILY, "start": (GOOD, [])}
    filled = Search("spider-genetic", alone, category=category, outputs=1, mutation=0.5, generations=1)
    assert filled.out() == ["far", "gone"]  # no child, so two mutants


def test_a_mutant_that_cannot_be_had_is_made_up_for() -> None:
    search = Search(
        "spider-genetic", FAMILY, category=Category("missing", "far"), outputs=1, mutation=0.5, generations=1
    )
    assert search.out() == ["one", "two", "three", "missing", "far"]


def test_leaps_to_pages_that_are_gone_have_an_end() -> None:
    category = Category(*(f"missing{number}" for number in range(500)))
    search = Search("spider-genetic", FAMILY, category=category, outputs=1, mutation=0.5, generations=1)
    assert len(search.out()) == 3 + 3 * 2  # children, and three times the population


def test_a_source_that_fails_is_asked_again_in_the_next_generation() -> None:
    class Late(Category):
        def look(self, url: str, now: float) -> Page | Failure:
            self.asked.append(url)
            return Failure("source", "not now") if len(self.asked) == 1 else super().look(url, now)

    category = Late("far")
    search = Search("spider-genetic", FAMILY, category=category, outputs=2, improvement=0.0, generations=4)
    assert len({*category.asked}) == 1 and "far" in search.out()
    never = Category()
    never.look = lambda url, now: never.asked.append(url) or Failure("source", "never")  # type: ignore
    Search("spider-genetic", FAMILY, category=never, outputs=2, improvement=0.0, generations=9)
    assert len(never.asked) == generations.PATIENCE


def test_where_a_page_came_from_is_not_forgotten_with_its_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generations, "ROOM", 1)
    web: Web = {**FAMILY, "one": (BAD, ["two", "three", "far"])}
    search = Search("spider-genetic", web, category=Category("far"), outputs=8, improvement=0.0, generations=6)
    origins = {result["url"]: result["origin"] for result in search.strategy.results()}
    assert origins[address("far")] == "leap"


def test_the_category_is_asked_once_by_the_topics_keywords() -> None:
    category = Category("far", "gone", "farther")
    Search("spider-genetic", FAMILY, category=category, outputs=2, keywords=("wolf spiders", "silk"))
    assert category.asked == ["leap:wolf spiders silk"]


def test_without_keywords_the_words_of_liked_pages_are_asked_for() -> None:
    category = Category("far")
    Search("spider-genetic", FAMILY, category=category, outputs=2)
    assert {*category.asked[0].removeprefix("leap:").split()} == {*GOOD.split()}
    alone: Web = {
        "start": ("loom silk silk silk " + " ".join(f"w{number}" for number in range(50)), []),
        "far": (BAD, []),
    }
    Search("spider-genetic", alone, category=(category := Category("far")), outputs=2)
    assert category.asked[0].startswith("leap:silk ")  # nothing is rare yet: the most frequent word first


def test_without_a_category_it_goes_on_by_links() -> None:
    search = Search("spider-genetic", FAMILY, outputs=2)
    assert search.result.reason == "done" and len(search.outputs) == 2
    assert [how for name, how in search.went if name.startswith("leap:")] == ["excluded"]


def test_best_first_and_annealing_never_leap() -> None:
    for name in ("spider-best-first", "spider-annealing"):
        category = Category("far")
        Search(name, FAMILY, category=category)
        assert category.asked == []


def test_the_hybrid_leaps() -> None:
    search = Search("spider-hybrid", FAMILY, category=Category("far", "farther"), outputs=2)
    assert "far" in search.out()


def test_origins_are_told_apart() -> None:
    web: Web = {**FAMILY, "start": (GOOD, ["one", "abroad.test"]), "abroad.test": (GOOD, [])}
    search = Search("spider-genetic", web, category=Category("far"), outputs=5)
    origins = {result["url"]: result["origin"] for result in search.strategy.results()}
    assert origins[address("one")] == "local"
    assert origins[address("abroad.test")] == "elsewhere"
    assert origins[address("far")] == "leap"
    assert search.strategy.leaped == 1


def test_the_elite_keeps_the_best_ever() -> None:
    """Once b is known it stays, whatever later generations bring; and its place is the first."""
    search = Search("spider-genetic", CHAIN, outputs=2, improvement=0.0, generations=6)
    firsts = [note["results"][0]["url"] for note in search.notes]
    assert firsts[0] == address("b") and address("b") in [*search.strategy.chosen]
    assert {*search.outputs} == {"b", "b1"}
    assert search.notes[-1]["generation"] == 6


def test_it_stops_when_total_fitness_hardly_grows() -> None:
    patient = Search("spider-genetic", CHAIN, outputs=2, improvement=0.0, generations=7)
    quick = Search("spider-genetic", CHAIN, outputs=2, improvement=1.0, generations=7)
    assert len(patient.notes) == 7 and len(quick.notes) < 7


def test_the_roulette_draws_parents_by_their_fitness() -> None:
    search = Search("spider-genetic", CHAIN, outputs=2)
    spider: Any = search.strategy
    spider.params.improvement, spider.params.generations = 0.0, 10_000
    spider.generation = 2
    drawn: Counter[str] = Counter()
    for _ in range(400):
        spider.phase = "children"
        drawn.update(spider._breed())
    scores = {url: sum(score) / 2 for url, score in spider.scores.items()}
    total = sum(scores.values())
    assert sum(drawn.values()) == 400 * 4
    for url, score in scores.items():
        share, spread = score / total, math.sqrt(score / total * (1 - score / total) / 1600)
        assert drawn[url] / 1600 == pytest.approx(share, abs=5 * spread + 1e-9)


def test_where_nothing_is_fit_the_wheel_is_even() -> None:
    web: Web = {"start": (GOOD, ["x", "y"]), "x": (BAD, ["z"]), "y": (BAD, ["z"])}
    search = Search("spider-genetic", web, outputs=2, generations=3)
    assert search.result.reason == "done" and len(search.notes) == 3
    spider: Any = search.strategy
    spider.params.generations, spider.phase = 10_000, "children"
    drawn: Counter[str] = Counter()
    for _ in range(400):
        drawn.update(spider._breed())
    assert {url: drawn[url] / 1600 for url in drawn} == pytest.approx(dict.fromkeys(drawn, 0.5), abs=0.07)


# What is the default, and not in the paper


def test_children_by_score_are_those_most_like_the_inputs() -> None:
    """One has both of its links in common with its parent, two one of them and all words."""
    half = {"outputs": 1, "crossover": 0.5, "mutation": 0.0, "generations": 1}
    assert Search("spider-genetic", FAMILY, **half).outputs == ["one"]
    search = Search("spider-genetic", FAMILY, **half, children="score")
    scores = search.strategy._scores(search.strategy.known)
    assert search.outputs == ["two"] and address("two") == max(scores, key=lambda url: scores[url].total)


def test_where_there_is_nowhere_to_leap_children_make_the_whole_population() -> None:
    few = Search("spider-genetic", FAMILY, outputs=2, generations=1)
    assert len(few.strategy.chosen) == 2
    whole = Search("spider-genetic", FAMILY, outputs=2, generations=1, no_leaps="children")
    assert {*whole.strategy.chosen} == {address(name) for name in ("one", "two", "three")}
    leaping = Search(
        "spider-genetic", FAMILY, category=Category("far", "farther"), outputs=1, generations=1, no_leaps="children"
    )
    assert leaping.out() == ["one", "two", "three", "far"], "where one may leap, the shares are as they were"


@pytest.mark.parametrize(("barren", "reason"), [(0, "circling"), (20, "done")])
def test_a_genetic_search_that_has_seen_the_whole_web_is_done(barren: int, reason: str) -> None:
    endless = {"improvement": 0.0, "generations": 10_000}
    search = Search("spider-genetic", FAMILY, outputs=2, pages=10, barren=barren, **endless)
    assert search.result.reason == reason
    assert {*search.out()} == {"one", "two", "three", "elsewhere"}


def test_best_first_goes_on_after_its_outputs_and_brings_back_the_best_of_all() -> None:
    ended = Search("spider-best-first", CHAIN, outputs=1)
    assert ended.outputs == ["b"] and ended.strategy.generation == 1
    search = Search("spider-best-first", CHAIN, outputs=1, ends="budget")
    assert len(search.outputs) == 1 and search.strategy.generation > 1
    assert {name for name, _ in search.went} == {*CHAIN} - {"start"}, "until no link is left"
    totals = [sum(score) for score in search.strategy.scores.values()]
    assert len(totals) > 1 and totals == sorted(totals, reverse=True)


# Annealing


def test_annealing_cools_and_ends_when_it_is_cold_or_still() -> None:
    ring: Web = {"start": (GOOD, ["a"]), "a": (GOOD, ["b", "a"]), "b": (BAD, ["a", "b"])}
    search = Search("spider-annealing", ring, outputs=1, still=0.0, cooling=0.5)
    temperatures = [note["temperature"] for note in search.notes]
    assert temperatures == pytest.approx([0.05 * 0.5**count for count in range(1, len(temperatures) + 1)])
    assert temperatures[-1] < 0.001 <= temperatures[-2]
    still = Search("spider-annealing", {"start": (GOOD, ["a"]), "a": (GOOD, ["a"])}, outputs=2)
    assert len(still.notes) == 3  # the first set, and twice no change


def test_annealing_accepts_what_is_better_and_what_is_worse_by_chance() -> None:
    spider: Any = Search("spider-annealing", CHAIN, outputs=2).strategy
    spider.temperature = 0.05
    assert all(spider._accepts(0.001, 0.2) for _ in range(100))
    taken = sum(spider._accepts(-0.05, 0.2) for _ in range(2000)) / 2000
    assert taken == pytest.approx(math.exp(-1), abs=0.06)
    spider.params.scale = "fitness"  # the same temperature is a share of 0.2 now
    taken = sum(spider._accepts(-0.01, 0.2) for _ in range(2000)) / 2000
    assert taken == pytest.approx(math.exp(-1), abs=0.06)
    assert not any(spider._accepts(-0.01, 0.0) for _ in range(100))
    spider.temperature = 1e-9
    assert not any(spider._accepts(-0.05, 0.2) for _ in range(100))


def test_annealing_moves_on_to_the_neighbours_of_its_set() -> None:
    """While it is hot every set is taken: what the start links to, then what those do; where links end it ends."""
    search = Search("spider-annealing", CHAIN, outputs=4, hot=100.0, still=0.0)
    met = [{result["url"].rsplit("/", 1)[-1] for result in note["results"]} for note in search.notes]
    assert met[:2] == [{"a", "b", "c"}, {"a1", "b1", "b2", "c1"}]
    assert search.outputs == ["b3"]


# People


def test_numbers_of_outputs_may_move_while_it_runs() -> None:
    more = Search("spider-best-first", CHAIN, outputs=1, commands=[(1_001.0, events.SetParam("outputs", 3))])
    assert len(more.outputs) == 3
    fewer = Search("spider-genetic", CHAIN, outputs=5, commands=[(1_001.0, events.SetParam("outputs", 1))])
    assert len(fewer.outputs) == 1 and fewer.strategy.size == 2  # type: ignore[attr-defined]


def test_rates_may_move_while_it_runs() -> None:
    category = Category("far")
    never = [(1_001.0, events.SetParam("mutation", 0.0))]
    Search("spider-genetic", FAMILY, category=category, outputs=2, commands=never)
    assert category.asked == []


def test_the_time_that_a_page_may_take_is_a_deadline_and_moves() -> None:
    patient = Search("spider-best-first", CHAIN, slow=["b"], outputs=1, fetch_time=100.0)
    assert patient.outputs == ["b"]
    assert patient.strategy.results()[0]["fetch_score"] == pytest.approx(0.4)
    hasty = Search("spider-best-first", CHAIN, slow=["b"], outputs=1)
    assert hasty.outputs == ["a"]
    moved = Search(
        "spider-best-first",
        CHAIN,
        slow=["b"],
        outputs=1,
        commands=[(1_000.0, events.SetParam("fetch_time", 100.0))],
    )
    assert moved.outputs == ["b"]


def test_a_label_up_is_one_more_liked_page_and_a_label_down_is_no_output() -> None:
    label = [(1_001.0, events.Label(address("c"), True))]
    liked = Search("spider-best-first", CHAIN, outputs=1, commands=label)
    assert liked.outputs == ["c"] and len(liked.strategy.likeness.inputs) == 2
    unwanted = Search("spider-best-first", CHAIN, outputs=2, commands=[(1_001.0, events.Label(address("b"), False))])
    assert "b" not in unwanted.outputs


def test_what_is_excluded_is_dropped_from_the_results() -> None:
    shut = [(1_050.0, events.Exclude("home.test/b1"))]
    search = Search("spider-best-first", CHAIN, outputs=3, slow=["b3"], fetch_time=100.0, commands=shut)
    assert "b1" not in search.outputs


def test_a_starting_point_added_late_has_its_links_looked_at() -> None:
    web: Web = {**CHAIN, "late": (BAD, ["pearl"]), "pearl": (GOOD, [])}
    seeds = [(1_001.0, events.AddSeeds((address("late"),)))]
    search = Search("spider-genetic", web, outputs=4, commands=seeds)
    assert "pearl" in search.outputs and "late" not in search.outputs


def test_another_topic_asks_the_category_again() -> None:
    category = Category("far", "gone", "farther")
    turned = [(1_011.0, events.SetTopic(("cars",), ""))]
    search = Search(
        "spider-genetic", FAMILY, category=category, outputs=2, keywords=("wolf",), commands=turned, improvement=0.0
    )
    assert category.asked[-1] == "leap:cars" and search.result.reason == "done"


def test_a_crawl_that_ends_early_still_has_the_best_of_what_it_fetched() -> None:
    for name in NAMES:
        search = Search(name, CHAIN, outputs=2, pages=2)
        assert search.result.reason == "budget"
        assert search.outputs == ["b", "a"]
        assert not search.strategy.summary(1_010.0)["final"]


def test_notes_tell_each_generation() -> None:
    search = Search("spider-best-first", CHAIN, outputs=3)
    assert [note["generation"] for note in search.notes] == [1, 2, 3]
    assert [note["final"] for note in search.notes] == [False, False, True]
    assert [note["fetched"] for note in search.notes] == [3, 5, 6]
    assert all(one["seconds"] < other["seconds"] for one, other in pairwise(search.notes))
    told = search.notes[-1]["results"][0]
    assert told["title"].startswith("title of") and told["origin"] == "local" and told["generation"] >= 1


def test_without_liked_pages_the_input_is_made_up_of_what_was_asked_for() -> None:
    search = Search("spider-best-first", CHAIN, liked=(), seeds=["start"], keywords=("wolf spider", "silk"), outputs=1)
    assert search.outputs == ["b"] and search.strategy.results()[0]["links_score"] == 0.0


def test_terms_are_kept_of_a_bounded_number_of_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    from wolfspider.strategies.spider import searches

    monkeypatch.setattr(generations, "ROOM", 2)
    monkeypatch.setattr(searches, "ROOM", 2)
    for name in NAMES:
        search = Search(name, CHAIN, outputs=2)
        assert len(search.strategy.known) <= 5
        assert len(search.outputs) == 2


def test_explains_results_and_links() -> None:
    strategy = Search("spider-best-first", CHAIN, outputs=2).strategy
    assert strategy.explain(address("b"))["score"] > 0
    assert strategy.explain(address("a"))["origin"] == "local"
    assert strategy.explain("http://nowhere.test/") == {}
