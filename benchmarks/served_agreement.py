"""Does a web that is crawled over HTTP agree with the simulation of it? In virtual time, so it takes a minute.

    python benchmarks/served_agreement.py DIR/docs --topic computer-algebra --topic java-platform

One slot without rests: both logs are compared line by line; the first difference is shown, if there is one.
16 slots and a second of rest: relevant pages found and auc, from several starts (the seeds of the topic, then the
seeds and one page more that they link to), simulated and over HTTP. Over HTTP a host's robots.txt is asked for before
its first page, with a rest between both, which a simulation has not: so there are two crawls over HTTP, one that asks
on the way and one that has read them all before. The simulation agrees with the second if the mean over HTTP lies in
the range of the simulations; from how many starts both are even the same crawl, visit by visit, is printed, too. The
first says what asking on the way costs. Exit code 1 if they do not agree.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice, zip_longest
from statistics import fmean
from typing import NamedTuple

from wolfspider.bench.conditions import CONDITIONS, Condition
from wolfspider.bench.draw.report import text_table
from wolfspider.bench.measure.bounds import auc, curve
from wolfspider.bench.measure.metrics import RelevantPages
from wolfspider.bench.run.cell import Cell, new_crawl
from wolfspider.bench.run.topics import tasks_of
from wolfspider.core.events import Event, Landed, Went
from wolfspider.core.limits import NO_HURRY
from wolfspider.core.model import Page
from wolfspider.core.topic import Task
from wolfspider.drivers.simulated import simulate
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.strategies import DEFAULT_STRATEGY
from wolfspider.testing.over_http import Timed, crawl_over_http, one_of_each_host, timeless
from wolfspider.web.http.polite import Manners
from wolfspider.web.http.robots import Robots
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import World, open_web

SAMPLE = 100_000
BEFORE, SHOWN = 100, 400  # characters of lines that differ


class Crawled(NamedTuple):
    log: list[Event]
    found: int
    auc: float


def cell_of(world: World, task: Task, condition: Condition, strategy: str, pages: int, hurry: float) -> Cell:
    return Cell(
        *(world.name, world.name, task.topic.name, strategy, 0, pages, DEFAULT_JUDGE, world.start),
        slots=condition.slots,
        delay=condition.delay,
        hurry=hurry,
        obey_robots=True,
    )


def crawled(world: World, task: Task, cell: Cell, http: bool, known: list[str]) -> Crawled:
    """`known`: addresses of hosts whose robots.txt was read before."""
    log: list[Event] = []
    found = RelevantPages(task.relevant)
    looks = Timed(world)
    crawl = new_crawl(cell, task, world, looks)
    crawl.listen(log.append)
    crawl.listen(found)
    if http:
        manners = Manners(delay=cell.rest, factor=2.0 if cell.rest else 0.0, per_address=0, patience=3600.0)
        crawl_over_http(crawl, world, task.seeds, manners=manners, known=known)
    else:
        robots = Robots(world.record)
        simulate(crawl, looks, start=world.start, seeds=task.seeds, allow=robots.allowed, pause=robots.delay)
    area = auc(curve(found.curve, cell.pages)) if found.curve else 0.0
    return Crawled(log, len(found), area)


def starts(world: World, task: Task, count: int) -> list[Task]:
    """The task, and the same from one page more."""
    pages = (parse(world.look(seed, world.start)) for seed in task.seeds)
    links = sorted({link.url for page in pages if isinstance(page, Page) for link in page.links})
    there = [url for url in links if world.look(url, world.start).status == 200]
    drawn = random.Random(0).sample(there, min(count - 1, len(there)))
    return [task, *(replace(task, seeds=(*task.seeds, url)) for url in drawn)]


def same_log(world: World, task: Task, strategy: str, pages: int) -> bool:
    cell = cell_of(world, task, CONDITIONS["serial"], strategy, pages, NO_HURRY)
    known = one_of_each_host(world.sample(SAMPLE))
    ours, theirs = (timeless(crawled(world, task, cell, http, known).log) for http in (False, True))
    print(f"{task.topic.name}: one slot, {len(ours):,} lines simulated, {len(theirs):,} over HTTP, ", end="")
    if ours == theirs:
        print("all the same")
        return True
    pairs = enumerate(zip_longest(ours, theirs, fillvalue="(over)"))
    line, sides = next((line, sides) for line, sides in pairs if sides[0] != sides[1])
    print(f"different from line {line:,} on")
    same = next(at for at, letters in enumerate(zip_longest(*sides)) if letters[0] != letters[1])
    at = max(0, same - BEFORE)
    for name, text in zip(("simulated", "over HTTP"), sides, strict=True):
        print(f"  {name}: {text[:40]} ... {text[at : at + SHOWN]}")
    return False


def visits(log: Iterable[Event]) -> list[tuple[str, str]]:
    """What went out and what came back, in order."""
    return [
        ("out", event.visit.link.url) if isinstance(event, Went) else ("back", event.outcome.visit.link.url)
        for event in log
        if isinstance(event, Went | Landed)
    ]


def within_the_spread(world: World, task: Task, strategy: str, pages: int, count: int, hurry: float) -> bool:
    known = one_of_each_host(world.sample(SAMPLE))
    ways: dict[str, tuple[bool, list[str]]] = {
        "simulated": (False, []),
        "over HTTP, each robots.txt read before": (True, known),
        "over HTTP, asked for on the way": (True, []),
    }
    results: dict[str, list[Crawled]] = {way: [] for way in ways}
    for start in starts(world, task, count):
        cell = cell_of(world, start, CONDITIONS["live-like"], strategy, pages, hurry)
        for way, (http, read) in ways.items():
            results[way].append(crawled(world, start, cell, http, read))
    body = [[way, *(f"{each.auc:.1f} / {each.found}" for each in own)] for way, own in results.items()]
    print(f"\n{task.topic.name}: 16 slots, 1 s of rest; auc / found from each start\n")
    print(text_table(["", *(f"start {number}" for number in range(1, len(body[0])))], body))
    simulated, served, _ = results.values()
    same = sum(visits(ours.log) == visits(theirs.log) for ours, theirs in zip(simulated, served, strict=True))
    ours, ready, asking = ([each.auc for each in own] for own in results.values())
    agrees = min(ours) <= fmean(ready) <= max(ours)
    print(
        f"\nmean auc simulated {fmean(ours):.1f} ({min(ours):.1f} to {max(ours):.1f}), over HTTP {fmean(ready):.1f}: "
        f"{'within' if agrees else 'outside'} the spread; asked for on the way {fmean(asking):.1f}; "
        f"simulated and over HTTP the same visits in the same order from {same} of {len(served)} starts\n"
    )
    return agrees


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", help="a folder of WARC with a topics.json, or synthetic:KEY=VALUE,...")
    parser.add_argument("--topic", action="append", help="[default: the first two of the half to report on]")
    parser.add_argument("--strategy", default=DEFAULT_STRATEGY)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--hurry", type=float, default=NO_HURRY, help="at 16 slots; 1000000: no link gives way")
    options = parser.parse_args()
    world = open_web(options.web)
    tasks = tasks_of(world, None, options.topic or (), world.start, half=None if options.topic else "report")
    chosen = list(tasks.values()) if options.topic else list(islice(tasks.values(), 2))
    same = [same_log(world, task, options.strategy, options.pages) for task in chosen]
    given = (options.strategy, options.pages, options.starts, options.hurry)
    agree = [within_the_spread(world, task, *given) for task in chosen]
    print(f"same_logs={sum(same)}/{len(same)} within_spread={sum(agree)}/{len(agree)}")
    return int(not all(same + agree))


if __name__ == "__main__":
    sys.exit(main())
