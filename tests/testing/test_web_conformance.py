"""Every web keeps to the contract, and every rule of it can fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest

from wolfspider.bench.run.cell import Cell, new_crawl
from wolfspider.core.events import Event, Landed
from wolfspider.core.model import Fetch, Link, Page, host_of
from wolfspider.core.topic import Task
from wolfspider.drivers.simulated import simulate
from wolfspider.graphs.graph import Graph
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.testing.demands import Violation
from wolfspider.testing.web_conformance import WORLD_CHECKS
from wolfspider.web.worlds.synthetic import Synthetic, write
from wolfspider.web.worlds.world import World, open_web

WORLDS = ("synthetic", "synthetic hard", "synthetic news", "recorded")


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, World]:
    folder = tmp_path_factory.mktemp("web")
    write(Synthetic.parse("synthetic:pages=1000,seed=5"), folder / "web")
    news = Synthetic.parse("synthetic:pages=1000,seed=3,news=1")
    news.start = news.end  # most of what is relevant there is still to come when a crawl begins
    worlds = {
        "synthetic": open_web("synthetic:pages=2000,seed=3"),
        "synthetic hard": open_web("synthetic:pages=2000,seed=4,hard=1,mischief=0"),
        "synthetic news": news,
        "recorded": open_web(str(folder / "web"), folder / "cache"),
    }
    for world in worlds.values():
        world.graph = cache(world.graph)  # type: ignore[method-assign]  # every rule asks for it
    return worlds


@pytest.mark.parametrize("rule", WORLD_CHECKS)
@pytest.mark.parametrize("name", WORLDS)
def test_every_world_conforms(worlds: dict[str, World], name: str, rule: str) -> None:
    WORLD_CHECKS[rule](worlds[name])


class Twisted(World):
    """A web with one thing wrong."""

    def __init__(self, world: World, wrong: str) -> None:
        self.world, self.wrong = world, wrong
        self.name, self.start, self.digest, self.looks = world.name, world.start, world.digest, 0

    def look(self, url: str, now: float) -> Fetch:
        self.looks += 1
        if self.wrong == "looks_are_pure":
            return replace(self.world.look(url, now), seconds=float(self.looks))
        if self.wrong == "answers_carry_their_question":
            return replace(self.world.look(url, now), url="http://other.test/")
        if self.wrong == "unknown_is_not_found" and "no-such" in url:
            return Fetch(url, url, 200, {"content-type": "text/html"}, b"<p>Welcome", seconds=0.1, at=now)
        if self.wrong == "schemes_answer_alike" and url.startswith("https:"):
            return Fetch(url, url, 404, seconds=0.1, at=now)
        return self.world.look(url, now)

    def owns(self, host: str) -> bool:
        return self.wrong != "graph_is_of_pages" and self.world.owns(host)

    def graph(self, now: float) -> Graph:
        graph = self.world.graph(now)
        return Graph.from_edges(graph.urls, [], []) if self.wrong == "links_are_in_the_graph" else graph

    def tasks(self) -> Mapping[str, Task]:
        tasks = self.world.tasks()
        if self.wrong != "tasks_can_be_done":
            return tasks
        return {name: replace(task, seeds=("http://nowhere.test/",)) for name, task in tasks.items()}


@pytest.mark.parametrize("rule", WORLD_CHECKS)
def test_every_rule_can_fail(worlds: dict[str, World], rule: str) -> None:
    with pytest.raises(Violation):
        WORLD_CHECKS[rule](Twisted(worlds["recorded"], rule))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, World]:
    """A synthetic web and its copy: one without failures that pass, which a copy does not have."""
    folder = tmp_path_factory.mktemp("copy")
    computed = Synthetic.parse("synthetic:pages=1000,seed=5,mischief=0")
    write(computed, folder / "web")
    return computed, open_web(str(folder / "web"), folder / "cache")


def test_a_web_written_out_has_the_tasks_and_hosts_of_the_one_it_was_written_from(written: tuple[World, World]) -> None:
    computed, recorded = written
    assert recorded.tasks() == computed.tasks()
    assert all(recorded.owns(host_of(url)) for url in computed.graph(computed.start).urls)


@pytest.mark.parametrize("strategy", ["breadth-first", "shark"])
def test_a_web_written_out_is_crawled_as_the_one_it_was_written_from(
    written: tuple[World, World], strategy: str
) -> None:
    """Their answers take different times, which with one visit out at a time is no reason to go elsewhere."""
    for topic in list(written[0].tasks())[:2]:
        there, copied = (landings(world, topic, strategy) for world in written)
        assert len(there) == len({url for url, *_ in there}) == 150
        assert copied == there


def landings(world: World, topic: str, strategy: str) -> list[tuple[str, bool, float]]:
    """Address, whether there was a page, and its score, of each landing in order."""
    task = world.tasks()[topic]
    cell = Cell("web", "web", topic, strategy, repeat=0, pages=150, judge=DEFAULT_JUDGE, start=world.start)
    crawl = new_crawl(cell, task, world, world)
    found: list[tuple[str, bool, float]] = []

    def note(event: Event) -> None:
        if isinstance(event, Landed):
            verdict = event.outcome.verdict
            score = verdict.score if verdict else 0.0
            found.append((event.outcome.visit.link.url, isinstance(event.outcome.result, Page), score))

    crawl.listen(note)
    crawl.begin([Link(url) for url in task.seeds], now=world.start)
    simulate(crawl, world, start=world.start)
    return found
