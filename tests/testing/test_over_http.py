"""A served web crawled over HTTP, in a time of its own, gives the log of the simulation of it."""

from __future__ import annotations

import pytest

from wolfspider.bench.run.cell import Cell, new_crawl
from wolfspider.core.events import Event, Landed
from wolfspider.core.topic import Task
from wolfspider.drivers.simulated import simulate
from wolfspider.testing.over_http import Timed, crawl_over_http, one_of_each_host, timeless
from wolfspider.web.http.polite import Manners
from wolfspider.web.http.robots import Robots
from wolfspider.web.worlds.synthetic import Synthetic, write
from wolfspider.web.worlds.world import World, open_web

UNHURRIED = Manners(delay=0.0, factor=0.0, per_address=0)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """With dead links, redirects, traps, and documents that are no HTML."""
    folder = tmp_path_factory.mktemp("web")
    write(Synthetic.parse("synthetic:pages=1000"), folder)
    return open_web(str(folder), tmp_path_factory.mktemp("cache"))


def cell_of(world: World, topic: str, strategy: str) -> Cell:
    return Cell(world.name, world.name, topic, strategy, 0, 60, "classifier", world.start, obey_robots=True, delay=0.0)


def simulated(world: World, task: Task, cell: Cell) -> list[Event]:
    log: list[Event] = []
    looks, robots = Timed(world), Robots(world.record)
    crawl = new_crawl(cell, task, world, looks)
    crawl.listen(log.append)
    simulate(crawl, looks, start=world.start, seeds=task.seeds, allow=robots.allowed, pause=robots.delay)
    return log


def over_http(world: World, task: Task, cell: Cell) -> list[Event]:
    log: list[Event] = []
    crawl = new_crawl(cell, task, world, world)
    crawl.listen(log.append)
    known = one_of_each_host(world.sample(1000))
    crawl_over_http(crawl, world, task.seeds, manners=UNHURRIED, known=known)
    return log


@pytest.mark.parametrize("strategy", ["shark", "breadth-first"])
def test_at_one_slot_a_served_web_gives_the_log_of_its_simulation(world: World, strategy: str) -> None:
    topic, task = next(iter(world.tasks().items()))
    cell = cell_of(world, topic, strategy)
    ours, theirs = simulated(world, task, cell), over_http(world, task, cell)
    pages = [event.outcome.page for event in theirs if isinstance(event, Landed)]
    assert len(pages) >= cell.pages
    assert any(page.final_url != page.url for page in pages if page), "some are redirected"
    assert timeless(theirs) == timeless(ours)
