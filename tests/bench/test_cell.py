"""What holds for a cell on any web: drawn at random, crawled by several strategies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wolfspider.bench.run.cell import Cell, Measured, measure, new_crawl
from wolfspider.bench.run.crawls import row_of
from wolfspider.bench.run.result_cache import ResultCache
from wolfspider.bench.run.topics import Assignment, WebBounds
from wolfspider.core.model import Failure, Fetch, Link, Outcome, Page, Visit
from wolfspider.core.topic import Task, Topic
from wolfspider.graphs.graph import Graph
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import REGISTRY
from wolfspider.strategies.breadth_first import BreadthFirst
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.world import World

NOW = 1_000_000.0


def url(node: int) -> str:
    return f"http://{'ab'[node % 2]}.test/{node}"


class Drawn(World):
    """A web of numbered pages, parsed already; nodes above `pages` are dead links."""

    name = "drawn"
    start = NOW

    def __init__(self, pages: int, edges: set[tuple[int, int]], moved: dict[int, int]) -> None:
        self.pages, self.edges, self.moved = pages, sorted(edges), moved

    def look(self, asked: str, now: float) -> Fetch:
        node = int(asked.rpartition("/")[2])
        node = self.moved.get(node, node)
        if node >= self.pages:
            return Fetch(asked, asked, 404, failure=Failure("status", "404"), seconds=0.1, at=now)
        links = tuple(Link(url(head)) for tail, head in self.edges if tail == node)
        words = ("spider", "hunts") if node % 3 else ("ferry", "leaves")
        page = Page(asked, url(node), words=words, links=links, digest=str(node), at=now)
        return Fetch(asked, url(node), 200, seconds=0.1 + node / 100, at=now, page=page)

    def owns(self, host: str) -> bool:
        return host in ("a.test", "b.test")

    def graph(self, now: float) -> Graph:
        edges = [(tail, self.moved.get(head, head)) for tail, head in self.edges if tail < self.pages]
        edges = [(tail, head) for tail, head in edges if head < self.pages]
        return Graph.from_edges([url(i) for i in range(self.pages)], [a for a, _ in edges], [b for _, b in edges])

    def tasks(self) -> Mapping[str, Task]:
        return {}

    def digest(self) -> str:
        return repr((self.pages, self.edges, self.moved))


@st.composite
def webs(draw: st.DrawFn) -> tuple[Drawn, Task]:
    pages = draw(st.integers(2, 12))
    node = st.integers(0, pages + 1)
    moved = draw(st.dictionaries(st.integers(pages, pages + 1), st.integers(0, pages - 1), max_size=2))
    world = Drawn(pages, draw(st.sets(st.tuples(node, node), max_size=40)), moved)
    seeds = draw(st.lists(node, min_size=1, max_size=2, unique=True))
    relevant = draw(st.sets(st.integers(0, pages - 1), max_size=8))
    return world, Task(Topic(("spider",)), tuple(map(url, seeds)), frozenset(map(url, relevant)))


def cell_of(strategy: str, pages: int, slots: int, **more: object) -> Cell:
    return Cell("drawn", "drawn", "topic", strategy, 0, pages, "keywords", NOW, slots=slots, **more)  # type: ignore[arg-type]


strategies = st.sampled_from(["breadth-first", "random", "best-first", "shark"])


@given(webs(), strategies, st.integers(1, 20), st.integers(1, 3))
@settings(max_examples=150)
def test_no_crawl_beats_the_bound(drawn: tuple[Drawn, Task], strategy: str, pages: int, slots: int) -> None:
    world, task = drawn
    cell = cell_of(strategy, pages, slots)
    measured = measure(cell, task, world)
    bounds = WebBounds(world, NOW, pages, ResultCache(None)).of(task)
    row = row_of(cell, Assignment("drawn", "drawn", "", NOW, task, bounds), measured)
    assert row["error"] is None
    assert row["downloads"] <= pages
    downloads, found = ([pair[place] for pair in row["found"]] for place in (0, 1))
    assert downloads == sorted(downloads) and found == sorted(found)
    assert downloads[-1:] == [row["downloads"]] * bool(row["downloads"])
    assert row["auc"] <= row["oracle_auc"] + 1e-9
    assert row["greedy_auc"] <= row["oracle_auc"] + 1e-9
    assert row["auc_ratio"] is None or 0 <= row["auc_ratio"] <= 1 + 1e-9
    assert row["recall"] is None or 0 <= row["recall"] <= 1
    assert (row["auc_ratio"] is None) == (row["oracle_auc"] == 0)


def figures(measured: Measured) -> tuple[object, ...]:
    return measured.downloads, measured.found, measured.hosts, measured.reason, measured.error


@given(webs(), strategies, st.integers(1, 3))
def test_a_cell_gives_the_same_again(drawn: tuple[Drawn, Task], strategy: str, slots: int) -> None:
    world, task = drawn
    cell = cell_of(strategy, 10, slots)
    assert figures(measure(cell, task, world)) == figures(measure(cell, task, world))


def test_latency_is_what_every_answer_takes() -> None:
    """Two visits out at once: page 59 is slow, what page 2 leads to comes first, unless all are equally slow."""
    world = Drawn(60, {(0, 2), (0, 59), (2, 4)}, {})
    task = Task(Topic(("spider",)), (url(0),), frozenset([url(59)]))
    assert measure(cell_of("breadth-first", 10, 2), task, world).found == [[4, 1]]
    assert measure(cell_of("breadth-first", 10, 2, latency=0.5), task, world).found == [[3, 1], [4, 1]]


class Asking(BreadthFirst):
    """In training it asks who links to page 2, and visits the first of them."""

    name = "asking"

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        super().begin(seeds, now)
        self.wanted = [Link(f"backlinks:{url(2)}")]

    def propose(self, room: Room, now: float) -> list[Visit]:
        while self.wanted and room.take(self.wanted[0]):
            return [self.visit(self.wanted.pop(0), agent="train")]
        return super().propose(room, now)

    def observe(self, outcome: Outcome) -> None:
        if outcome.visit.link.host == "backlinks":
            assert outcome.page is not None and outcome.verdict is None
            self.wanted = list(outcome.page.links[:1])
        elif outcome.visit.agent != "train":
            super().observe(outcome)


@pytest.fixture
def asking(monkeypatch: pytest.MonkeyPatch) -> tuple[Drawn, Task]:
    monkeypatch.setitem(REGISTRY, "asking", Asking)
    world = Drawn(5, {(0, 1), (3, 2), (4, 2), (1, 4)}, {})
    return world, Task(Topic(("spider",)), (url(0),), frozenset([url(2), url(3)]))


def test_back_links_are_a_download_and_no_page_found(asking: tuple[Drawn, Task]) -> None:
    world, task = asking
    measured = measure(cell_of("asking", 10, 1), task, world)
    assert measured.error is None
    assert (measured.downloads, measured.training) == (6, 2)  # back-links, 3; then 0, 1, 4, 2
    assert measured.found == [[2, 1], [6, 2]], "page 3 as training, page 2 by its link, not by its back-links"


def test_free_training_is_counted_apart_and_finds_nothing(asking: tuple[Drawn, Task]) -> None:
    world, task = asking
    measured = measure(cell_of("asking", 10, 1, train="free"), task, world)
    assert measured.error is None
    assert (measured.downloads, measured.training, measured.found) == (4, 2, [[4, 1]])


def test_a_web_too_large_to_be_looked_through_has_no_back_links() -> None:
    task = Task(Topic(("spider",)), (url(0),), frozenset())
    for pages, sources in ((200_000, ["backlinks"]), (200_001, [])):
        world = Synthetic.parse(f"synthetic:pages={pages}")
        assert list(new_crawl(cell_of("breadth-first", 1, 1), task, world, world).sources) == sources
