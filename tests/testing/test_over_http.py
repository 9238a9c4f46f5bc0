"""A served web crawled over HTTP, in a time of its own, gives the log of the simulation of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wolfspider.bench.run.cell import Cell, new_crawl
from wolfspider.core.events import Event, Landed, Went
from wolfspider.core.limits import NO_HURRY
from wolfspider.core.topic import Task
from wolfspider.drivers.simulated import simulate
from wolfspider.testing.over_http import Timed, crawl_over_http, one_of_each_host, timeless
from wolfspider.web.http.polite import Manners
from wolfspider.web.http.robots import Robots
from wolfspider.web.worlds.synthetic import Synthetic, write
from wolfspider.web.worlds.world import World, open_web

UNHURRIED = Manners(delay=0.0, factor=0.0, per_address=0)
RESTED = Manners(delay=1.0, factor=0.0, per_address=0, patience=3600.0)


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


def over_http(world: World, task: Task, cell: Cell, manners: Manners = UNHURRIED) -> list[Event]:
    log: list[Event] = []
    crawl = new_crawl(cell, task, world, world)
    crawl.listen(log.append)
    known = one_of_each_host(world.sample(1000))
    crawl_over_http(crawl, world, task.seeds, manners=manners, known=known)
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


def test_at_many_slots_and_with_rests_a_served_web_is_crawled_as_its_simulation_is(world: World) -> None:
    """At the same times: a redirect is a request, for which its host rests first. (While it waits for that, a visit
    over HTTP gives its slot away; so there are slots for all here.)"""
    topic, task = next(iter(world.tasks().items()))
    cell = replace(cell_of(world, topic, "shark"), slots=64, delay=1.0, hurry=NO_HURRY)
    ours, theirs = simulated(world, task, cell), over_http(world, task, cell, RESTED)
    landed = [event for event in theirs if isinstance(event, Landed) and event.outcome.page]
    assert any(event.outcome.page.final_url != event.outcome.page.url for event in landed), "some are redirected"
    assert moves(theirs) == moves(ours)


def moves(log: list[Event]) -> list[tuple[str, str, float]]:
    """What went out and what came back, and when after the beginning: one of the two begins later."""
    return [
        (type(event).__name__, visit.link.url, round(event.at - log[0].at, 3))
        for event in log
        if isinstance(event, Went | Landed)
        for visit in [event.visit if isinstance(event, Went) else event.outcome.visit]
    ]
