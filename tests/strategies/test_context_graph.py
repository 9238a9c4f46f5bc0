"""The two crawlers with a context graph: layers on a web written by hand, the order that follows, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from wolfspider.bench.run.cell import Cell, measure
from wolfspider.core import codec
from wolfspider.core.events import Event, Landed, Noted
from wolfspider.core.model import Failure, Fetch, Link, Page, Verdict
from wolfspider.core.params import build
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Task, Topic
from wolfspider.drivers.simulated import Recollection, simulate
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.graphs.graph import Graph
from wolfspider.policy.browsing import Browsing
from wolfspider.policy.judges import make_judge
from wolfspider.policy.link_shelf import Shelf
from wolfspider.strategies.context_graph import ContextGraph, Graphed, RelevancyContextGraph
from wolfspider.testing import strategy_conformance as conformance
from wolfspider.testing.sketch import Sketch, Trial, configured
from wolfspider.web.worlds.backlinks import Backlinks
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.world import World

BOTH = pytest.mark.parametrize("kind", [ContextGraph, RelevancyContextGraph])
TOPIC = Topic(("spider",), "")
WORDS = {
    "start": "welcome home door index",
    "portal": "university faculty science campus",
    "shelf": "zoology animals list catalogue",
    "target": "spider silk web hunter",
    "car": "car road wheel engine",
}


class Written(World):
    """A web given as {name: (kind of words, names it links to)}; every page has a host of its own."""

    name, start = "written", 0.0

    def __init__(self, pages: Mapping[str, tuple[str, str]]) -> None:
        self.pages = {name: (kind, targets.split()) for name, (kind, targets) in pages.items()}

    def at(self, name: str) -> str:
        return address(name)

    def named(self, url: str) -> str:
        return url.split("/")[2].removesuffix(".test")

    def look(self, url: str, now: float) -> Fetch:
        name = self.named(url)
        if name not in self.pages:
            return Fetch(url, url, 404, failure=Failure("status", "404"), seconds=1.0, at=now)
        kind, targets = self.pages[name]
        made = tuple(Link(self.at(target), rank=rank) for rank, target in enumerate(targets))
        page = Page(url, url, name, tuple(f"{WORDS[kind]} ".split() * 5), made, digest=name, at=now)
        return Fetch(url, url, 200, seconds=1.0, at=now, page=page)

    def owns(self, host: str) -> bool:
        return True

    def graph(self, now: float) -> Graph:
        number = {name: place for place, name in enumerate(self.pages)}
        edges = [(number[a], number[b]) for a, (_, targets) in self.pages.items() for b in targets if b in number]
        return Graph.from_edges([self.at(name) for name in number], [a for a, _ in edges], [b for _, b in edges])

    def tasks(self) -> Mapping[str, Task]:
        return {}

    def digest(self) -> str:
        return repr(self.pages)


def address(name: str) -> str:
    return f"http://{name}.test/"


# From the start a portal leads to a shelf, and that to targets; another shelf and other portals are waiting unseen.
LAYERED = Written(
    {
        "start": ("start", "portal1 car1"),
        "portal1": ("portal", "shelf1 car2"),
        "shelf1": ("shelf", "target1 target2"),
        "target1": ("target", ""),
        "target2": ("target", ""),
        "car1": ("car", "car3 shelf2"),
        "car2": ("car", "car1"),
        "car3": ("car", "portal2"),
        "portal2": ("portal", "shelf2 car4"),
        "shelf2": ("shelf", "target3"),
        "car4": ("car", "car5"),
        "target3": ("target", ""),
        "car5": ("car", "car4"),
    }
)


class Trip:
    """One crawl of a written web from its start."""

    def __init__(self, kind: type[Graphed], world: Written = LAYERED, service: bool = True, **settings: Any) -> None:
        self.pages, self.train = settings.pop("pages", 100), settings.pop("train", "charged")
        self.world, self.visited, self.notes = world, list[tuple[str, str]](), list[Noted]()
        self.strategy = kind(TOPIC, build(kind.Params, settings), generator(1), Shelf())
        self.sources = {"backlinks": Backlinks(world, 0.0)} if service else {}
        self.act: Callable[[Crawl, Landed], None] = lambda crawl, event: None

    def run(self) -> Trip:
        self.crawl = Crawl(
            self.strategy,
            lambda topic: make_judge("keywords", topic),
            Recollection(self.world),
            Limits(self.pages),
            sources=self.sources,
            train=self.train,
        )
        self.crawl.listen(self._hear)
        self.crawl.begin([Link(address("start"))], 0.0)
        self.result = simulate(self.crawl, self.world)
        return self

    def _hear(self, event: Event) -> None:
        if isinstance(event, Noted):
            self.notes.append(event)
        if isinstance(event, Landed):
            visit = event.outcome.visit
            self.visited.append((visit.agent, visit.link.url.replace("http://", "").replace(".test/", "")))
            self.act(self.crawl, event)

    def of(self, agent: str) -> list[str]:
        return [name for who, name in self.visited if who == agent]

    def layers(self) -> list[set[str]]:
        return [{url.split("/")[2].removesuffix(".test") for url in layer} for layer in self.strategy.layers]


@BOTH
def test_layers_are_the_pages_that_link_to_the_one_before(kind: type[Graphed]) -> None:
    trip = Trip(kind, targets=1, layers=3).run()
    (target,) = {name for name in trip.of("train") if name.startswith("backlinks:target")}
    one = "shelf2" if target.endswith("3") else "shelf1"
    first, second, third = trip.layers()
    assert first == {one}
    assert second == ({"portal2", "car1"} if one == "shelf2" else {"portal1"})
    assert third == ({"car3", "car2", "start"} if one == "shelf2" else {"start"})
    (note,) = trip.notes
    assert note.kind == "trained" and note.data["layers"] == [len(first), len(second), len(third)]
    assert trip.strategy.report()["back-links"] == "asked for"


@BOTH
def test_no_more_is_asked_than_fills_a_layer(kind: type[Graphed]) -> None:
    shelves = " ".join(f"shelf{n}" for n in range(40))
    targets = " ".join(f"target{n}" for n in range(8))
    web = {"start": ("start", targets)} | {f"shelf{n}": ("shelf", targets) for n in range(40)}
    web |= {f"target{n}": ("target", "") for n in range(8)} | {"portal": ("portal", shelves)}
    trip = Trip(kind, Written(web), targets=8, layers=2, per_layer=10).run()
    questions = [name for name in trip.of("train") if name.startswith("backlinks:target")]
    assert len(questions) == 5, "each answer names a fifth of the layer"
    assert [len(layer) for layer in trip.layers()] == [10, 1]
    assert len(trip.of("train")) == len(set(trip.of("train"))), "nothing is asked or read twice"


@BOTH
def test_a_layer_that_few_answers_make_takes_all_they_name(kind: type[Graphed]) -> None:
    web = {"start": ("start", "target")} | {f"shelf{n}": ("shelf", "target") for n in range(30)}
    trip = Trip(kind, Written(web | {"target": ("target", "")}), targets=1, layers=1, per_layer=20).run()
    assert [len(layer) for layer in trip.layers()] == [20]


@BOTH
def test_without_a_service_the_browsed_pages_are_read_backwards(kind: type[Graphed]) -> None:
    trip = Trip(kind, service=False, targets=9, browse=60).run()
    assert trip.layers()[0] == {"shelf1", "shelf2"} and trip.layers()[1] == {"portal1", "portal2", "car1"}
    assert trip.notes[0].data["back-links"] == trip.strategy.report()["back-links"] == "read from the browsed pages"
    assert trip.result.downloads == len(LAYERED.pages), "questions that nobody answers cost nothing"


# Targets are near the start, and cars for a long way behind them.
WIDE = Written(
    {"start": ("start", "shelf1 car0"), "shelf1": ("shelf", "target1 target2")}
    | {"target1": ("target", ""), "target2": ("target", ""), "portal": ("portal", "shelf1")}
    | {f"car{n}": ("car", f"car{2 * n + 1} car{2 * n + 2}") for n in range(200)}
)


@BOTH
@pytest.mark.parametrize("service", [True, False])
def test_browsing_goes_on_until_there_are_pages_to_tell_the_layers_from(kind: type[Graphed], service: bool) -> None:
    trip = Trip(kind, WIDE, service, targets=1, pages=300).run()
    (note,) = trip.notes
    assert note.data["general"] == len(trip.strategy._general())
    assert 30 <= note.data["general"] < 34, "and those that were out when it was enough"
    assert trip.strategy.report()["browsed"] < 60 and "shelf1" in trip.layers()[0]
    assert set(trip.of("")) >= WIDE.pages.keys() - {"portal"}, "the crawl goes on to the end"


@BOTH
@pytest.mark.parametrize("service", [True, False])
def test_no_more_is_browsed_than_may_be(kind: type[Graphed], service: bool) -> None:
    trip = Trip(kind, WIDE, service, targets=1, general=100, browse=40, pages=300).run()
    assert trip.strategy.trained and trip.strategy.browsing.asked == 40
    assert Trip(kind, service=service, targets=1).run().strategy.trained, "a web may have no more pages"


@BOTH
def test_a_target_that_is_found_late_leaves_its_layer(kind: type[Graphed]) -> None:
    web = {"start": ("start", "target1"), "target1": ("target", "target2"), "target2": ("target", "target1")}
    trip = Trip(kind, Written(web), targets=1, layers=1).run()
    assert len(trip.strategy.browsing.targets) == 2 and trip.layers() == [{"start"}]


@BOTH
def test_it_tells_people_nothing_before_it_begins(kind: type[Graphed]) -> None:
    assert kind(TOPIC, kind.Params(), generator(1), Shelf()).report() == {}


@BOTH
def test_a_graph_that_was_not_finished_is_begun_anew(kind: type[Graphed]) -> None:
    first = Trip(kind, targets=1, layers=2)
    halves = list[Any]()

    def keep(crawl: Crawl, event: Landed) -> None:
        if crawl.strategy.report()["phase"] == "reading" and len(first.strategy.layers) == 2:
            halves.append(codec.store(crawl.strategy.learned()))

    first.act = keep
    first.run()
    second = Trip(kind, targets=1, layers=2)
    second.strategy.inherit(codec.load(*halves[0]))
    second.run()
    assert second.strategy.trained and second.layers() == first.layers()


def test_links_of_near_layers_come_before_those_of_far_ones() -> None:
    strategy = Trip(ContextGraph, targets=2, layers=2).run().strategy
    for name, kind in (("far", "portal"), ("near", "shelf"), ("here", "target")):
        page = Page("", address(name), words=tuple(WORDS[kind].split()), links=(Link(address(f"from-{name}")),))
        strategy._push(page, Verdict(0.0, False))
    found = [strategy.frontier.find(address(f"from-{name}")) for name in ("here", "near", "far")]
    assert [item.extra["layer"] for item in found if item] == [0, 1, 2]
    scores = [item.score for item in found if item]
    assert scores == sorted(scores, reverse=True)
    assert strategy.explain(address("from-near"))["parts"]["posterior"] > 0.3


def test_a_page_that_is_like_no_layer_is_last() -> None:
    trip = Trip(ContextGraph, targets=2, layers=2, threshold=1.0).run()
    strategy = trip.strategy
    strategy._push(Page("", "", words=("bread",), links=(Link(address("bakery")),)), Verdict(1.0, True))
    found = strategy.frontier.find(address("bakery"))
    assert found and found.extra["layer"] == "other" and -3 <= found.score < -2


def test_relevancy_counts_the_page_and_the_anchor() -> None:
    trip = Trip(RelevancyContextGraph, targets=2, layers=2, anchor=0.3).run()
    strategy = trip.strategy
    links = (Link(address("plain"), "here"), Link(address("telling"), "silk"))
    page = Page("", "", words=("spider", "silk", "bread", "salt"), links=links)
    strategy._push(page, Verdict(0.0, False))
    plain, telling = (strategy.frontier.find(link.url) for link in links)
    model = strategy._model
    expected = (model.words["spider"] + model.words["silk"]) / 4
    assert plain and plain.score == pytest.approx(expected) and plain.extra == {"expected": plain.score}
    assert telling and telling.score == pytest.approx(expected + 0.3 * model.words["silk"])


@BOTH
def test_training_is_charged_or_free(kind: type[Graphed]) -> None:
    charged, free = Trip(kind, targets=1).run(), Trip(kind, targets=1, train="free").run()
    assert charged.of("train") == free.of("train")
    outside = len(charged.of("train"))
    assert free.crawl.flights.training == outside and free.result.downloads == len(free.of(""))
    assert charged.crawl.flights.training <= outside, "a page that was browsed is in a layer for nothing"
    assert charged.result.downloads < len(charged.visited)


@BOTH
def test_without_targets_it_crawls_by_the_judge_and_is_trained_when_there_are(kind: type[Graphed]) -> None:
    trip = Trip(kind, browse=0, targets=2, layers=1).run()
    assert trip.visited[0] == ("", "start")
    assert trip.strategy.trained and trip.layers()[0] <= {"shelf1", "shelf2"}
    assert set(trip.of("")) == set(LAYERED.pages), "the crawl goes on to the end"
    assert not Trip(kind, browse=0, targets=50).run().strategy.trained


@BOTH
def test_a_label_makes_a_target(kind: type[Graphed]) -> None:
    trip = Trip(kind, browse=0, targets=50, layers=1)

    def label(crawl: Crawl, event: Landed) -> None:
        if event.outcome.page and event.outcome.page.title == "car3":
            crawl.label(event.outcome.page, True)

    trip.act = label
    trip.run()
    assert trip.strategy.trained and address("car3") in trip.strategy.browsing.targets
    assert "car1" in trip.layers()[0]


@BOTH
def test_another_run_starts_from_the_graph(kind: type[Graphed]) -> None:
    first = Trip(kind, targets=1, layers=2).run()
    learned = codec.load(*codec.store(first.strategy.learned()))
    second = Trip(kind, targets=1, layers=2)
    second.strategy.inherit(learned)
    second.run()
    assert second.of("train") == [] and second.layers() == first.layers() and second.strategy._model is not None
    other = kind(Topic(("bread",)), kind.Params(), generator(1), Shelf())
    other.inherit(learned)
    other.begin([], 0.0)
    assert not other.trained, "the graph of another topic is of no use"


@BOTH
def test_it_starts_from_what_a_person_browsed(kind: type[Graphed]) -> None:
    browsed = Browsing()
    for name in ("target2", "shelf1", "car1"):
        page = LAYERED.look(address(name), 0.0).page
        assert page is not None
        browsed.mark(page, name == "target2")
    trip = Trip(kind, service=False)
    trip.strategy.inherit({"browsing": browsed})
    trip.run()
    assert trip.strategy.trained and trip.layers() == [{"shelf1"}]
    assert trip.strategy.report()["general"] == 1


@BOTH
def test_on_a_computed_web_it_finds_far_more_than_breadth_first(kind: type[Graphed]) -> None:
    """Of the topic on which breadth-first has least luck; training is free."""
    world = Synthetic.parse("synthetic:pages=3000,topics=16,mischief=0")
    topic, task = list(world.tasks().items())[-1]

    def found(strategy: str, **settings: str) -> int:
        cell = Cell("", world.name, topic, strategy, 0, 200, "classifier", world.start, train="free", settings=settings)
        measured = measure(cell, task, world)
        assert measured.error is None and measured.downloads == 200
        assert (measured.training > 0) == (strategy != "breadth-first")
        return measured.found[-1][1]

    assert found(kind.name, browse="60", per_layer="20") > 1.5 * found("breadth-first")


class OnOneHost(Written):
    """A written web whose pages are all on one host."""

    def at(self, name: str) -> str:
        return f"http://one.test/{name}"

    def named(self, url: str) -> str:
        return url.rsplit("/", 1)[-1]


@BOTH
def test_a_host_that_became_ready_during_the_training_is_visited_after_it(kind: type[Graphed]) -> None:
    """It trains in the middle of the crawl, while the only host rests."""
    names = [f"target{number}" for number in range(40)]
    pages = {name: ("target", " ".join(names[number + 1 : number + 4])) for number, name in enumerate(names)}
    world = OnOneHost({"start": ("start", "target0 target1 target2 target3"), **pages})
    task = Task(TOPIC, (world.at("start"),), frozenset())
    told = {"browse": "0", "targets": "3"}
    cell = Cell("", world.name, "", kind.name, 0, 30, "keywords", 0.0, told, slots=16, delay=1.0)
    measured = measure(cell, task, world)
    assert measured.error is None and measured.downloads == 30 and measured.training > 0


class Served(Trial):
    """A trial with a service for back-links, which those of all strategies are without."""

    def build(self) -> Crawl:
        crawl = super().build()
        crawl.sources = {"backlinks": Backlinks(Linked(self.world), self.start)}
        return crawl


class Linked(Written):
    """A sketch with its links known."""

    def __init__(self, sketch: Sketch) -> None:
        self.look = sketch.look  # type: ignore[method-assign]
        self.urls = [sketch.address(number) for number in range(sketch.pages)]

    def graph(self, now: float) -> Graph:
        number = {url: place for place, url in enumerate(self.urls)}
        pages = {url: self.look(url, now).page for url in self.urls}
        edges = [
            (number[url], number[link.url])
            for url, page in pages.items()
            if page
            for link in page.links
            if link.url in number
        ]
        return Graph.from_edges(self.urls, [a for a, _ in edges], [b for _, b in edges])


CHECKS = (
    "both_drivers_give_the_same_log",
    "budget_is_exact",
    "goes_on_from_a_snapshot",
    "memory_is_bounded",
    "obeys_people",
)
SMALL = {"browse": 30, "targets": 3, "general": 12, "layers": 2, "per_layer": 5}


@BOTH
@pytest.mark.parametrize("check", CHECKS)
def test_it_keeps_to_the_contract_where_back_links_are_answered(
    kind: type[Graphed], check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conformance, "Trial", Served)
    conformance.STRATEGY_CHECKS[check](configured(kind, SMALL))


@BOTH
def test_the_trials_above_go_through_the_whole_training(kind: type[Graphed]) -> None:
    phases = set[str]()

    def watch(crawl: Crawl, event: Event) -> None:
        if isinstance(event, Landed):
            phases.add(crawl.strategy.report()["phase"])

    crawl = Served(configured(kind, SMALL), Sketch(), slots=1).run(watch)
    assert phases == {"browsing", "asking", "reading", "widening", "crawling"}
    assert len(crawl.strategy.report()["layers"]) == 2
