"""What does it bring that links give way to better ones, and what does it cost? Simulated crawls at several settings of
--hurry, and at several numbers of slots and lengths of rests.

    python benchmarks/waiting.py WEB... [--half report] [--topics 4] [--figure waiting.svg] [--grid]
    python benchmarks/waiting.py WEB... --half choose --cycles 2 --cycles 5 --cycles 10

Two tables in Markdown: for each setting of the dial the mean auc_ratio of each strategy and the virtual seconds of a
crawl; with --grid, for slots and rests the mean of all strategies, as a share of what they find with one slot and
without rests. With --cycles there is one table instead: for how many cycles a link gives way. The figure shows relevant
pages found against virtual time. Webs are averaged as they are given: a synthetic web counts as much as a recorded one.
Finished crawls are kept in build/: the same command, interrupted, goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import numpy as np

from wolfspider.bench import Row
from wolfspider.bench.draw.report import text_table
from wolfspider.bench.draw.svg import Figure
from wolfspider.bench.measure.bounds import auc, curve
from wolfspider.bench.measure.metrics import RelevantPages
from wolfspider.bench.run.cell import Cell, new_crawl, opened
from wolfspider.bench.run.pool import run_cells
from wolfspider.bench.run.result_cache import ResultCache, digest_of
from wolfspider.bench.run.runner import cell_key
from wolfspider.bench.run.topics import Assignment, WebBounds, bounds_cache, tasks_of
from wolfspider.core.events import Event
from wolfspider.core.limits import AT_ONCE
from wolfspider.core.params import DEFAULT_JUDGE
from wolfspider.drivers.simulated import simulate
from wolfspider.policy import room, thrift

STRATEGIES = ("shark", "best-first", "fish")
DIAL = (0.0, 60.0, 120.0, 300.0, AT_ONCE)
DRAWN = (0.0, 60.0, 300.0, AT_ONCE)
SLOTS, RESTS = (4, 16, 64), (0.2, 1.0, 5.0)
LIVE_LIKE = (16, 1.0)
KEPT = Path("build/waiting.cells")


class Setting(NamedTuple):
    web: str
    topic: str
    strategy: str
    slots: int
    delay: float
    hurry: float
    pages: int
    judge: str
    cycles: float = thrift.CYCLES


class Crawled(NamedTuple):
    auc_ratio: float
    seconds: float  # of virtual time
    finds: list[float]  # when each relevant page was found, in seconds since the beginning


def crawled(setting: Setting) -> Row:
    """The fields of `Crawled`."""
    on, cell = planned(setting)
    world, start = opened(setting.web, None), on.start
    room.CYCLES = setting.cycles  # type: ignore[attr-defined]
    crawl = new_crawl(cell, on.task, world, world)
    found, finds = RelevantPages(on.task.relevant), list[float]()

    def hear(event: Event) -> None:
        found(event)
        finds.extend([event.at - start] * (len(found) - len(finds)))

    crawl.listen(hear)
    result = simulate(crawl, world, start=start, seeds=on.task.seeds)
    ratio = auc(curve(found.curve, setting.pages)) / (on.bounds.upper_auc(setting.pages) or 1.0)
    return Crawled(ratio, result.at - start, finds)._asdict()


def planned(setting: Setting) -> tuple[Assignment, Cell]:
    world = opened(setting.web, None)
    task, start = world.tasks()[setting.topic], world.start
    limits = {"slots": setting.slots, "delay": setting.delay, "hurry": setting.hurry}
    about = (setting.web, world.name, setting.topic, setting.strategy, 0, setting.pages, setting.judge, start)
    bounds = _bounds(setting.web, setting.pages).of(task)
    cell = Cell(*about, **limits)  # type: ignore[arg-type]
    return Assignment(setting.web, world.name, world.digest(), start, task, bounds), cell


@lru_cache(maxsize=2)
def _bounds(web: str, pages: int) -> WebBounds:
    world = opened(web, None)
    return WebBounds(world, world.start, pages, bounds_cache())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="+", metavar="WEB", help="recorded webs, or synthetic:...")
    parser.add_argument("--half", choices=("choose", "report"), help="of the topics of each recorded web")
    parser.add_argument("--topics", type=int, default=99, help="of each web, the first ones")
    parser.add_argument("--strategy", action="append", help="instead of shark, best-first and fish; repeatable")
    parser.add_argument("--judge", default=DEFAULT_JUDGE)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--cycles", type=float, action="append", help="a table of these alone; repeatable")
    parser.add_argument("--grid", action="store_true", help="also other slots and rests")
    parser.add_argument("--figure", type=Path, help="write the figure there, as SVG")
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    strategies = asked.strategy or STRATEGIES
    conditions = [(1, 0.0, AT_ONCE), *((*LIVE_LIKE, hurry) for hurry in DIAL)]
    if asked.grid:
        conditions += [(slots, rest, hurry) for slots in SLOTS for rest in RESTS for hurry in (0.0, AT_ONCE)]
    if asked.cycles:
        conditions = [(*LIVE_LIKE, 0.0)]
    settings = [
        Setting(web, topic, strategy, *condition, asked.pages, asked.judge, cycles)
        for web in asked.webs
        for topic in _topics(web, asked.half, asked.topics)
        for strategy in strategies
        for condition in dict.fromkeys(conditions)
        for cycles in asked.cycles or [thrift.CYCLES]
    ]
    done = dict(_all(settings, asked.jobs))
    if asked.cycles:
        print(cycles_table(done, strategies, asked.cycles))
        return
    print(dial_table(done, strategies))
    if asked.grid:
        print("\n" + grid_table(done))
    if asked.figure:
        asked.figure.write_text(figure(done, asked.pages).svg())


def _topics(web: str, half: str | None, most: int) -> list[str]:
    world = opened(web, None)
    return list(tasks_of(world, None, (), world.start, half=None if web.startswith("synthetic") else half))[:most]


def _all(settings: Sequence[Setting], jobs: int) -> Iterable[tuple[Setting, Crawled]]:
    keys = [digest_of([cell_key(*planned(setting)), setting.cycles]) for setting in settings]
    with closing(run_cells(crawled, [(one,) for one in settings], keys, ResultCache(KEPT), jobs)) as results:
        for done, (number, row) in enumerate(results, 1):
            print(f"\r{done} of {len(settings)} crawls", end="", file=sys.stderr, flush=True)
            yield settings[number], Crawled(**row)
    print(file=sys.stderr)


def dial_table(done: dict[Setting, Crawled], strategies: Sequence[str]) -> str:
    """Settings of the dial against strategies."""
    rows: dict[tuple[int, float, float], dict[str, list[Crawled]]] = defaultdict(lambda: defaultdict(list))
    for setting, result in done.items():
        rows[setting[3:6]][setting.strategy].append(result)
    body = []
    for condition in ((1, 0.0, AT_ONCE), *((*LIVE_LIKE, hurry) for hurry in DIAL)):
        found = rows[condition]
        every = [one for each in found.values() for one in each]
        body.append([_named(condition), *(_told(found[name]) for name in strategies), _told(every)])
    return text_table(["slots, rest, --hurry", *strategies, "all"], body)


def cycles_table(done: dict[Setting, Crawled], strategies: Sequence[str], cycles: Sequence[float]) -> str:
    """How long a link gives way against strategies."""
    body = []
    for each in cycles:
        found = {
            name: [one for setting, one in done.items() if (setting.cycles, setting.strategy) == (each, name)]
            for name in strategies
        }
        every = [one for own in found.values() for one in own]
        body.append([f"{each:g}", *(_told(found[name]) for name in strategies), _told(every)])
    return text_table(["cycles", *strategies, "all"], body)


def grid_table(done: dict[Setting, Crawled]) -> str:
    """Slots and rests: without giving way, and with it, as a share of one slot without rests."""
    found: dict[tuple[int, float, float], list[Crawled]] = defaultdict(list)
    for setting, result in done.items():
        found[setting[3:6]].append(result)
    serial = mean(one.auc_ratio for one in found[1, 0.0, AT_ONCE])
    body = [
        [f"{slots}, {rest:g} s", *(_share(found[slots, rest, hurry], serial) for hurry in (AT_ONCE, 0.0))]
        for slots in SLOTS
        for rest in RESTS
    ]
    return text_table(["slots, rest", "no link gives way", "links give way"], body)


def figure(done: dict[Setting, Crawled], pages: int) -> Figure:
    """Relevant pages against time, the mean of all crawls with the same setting of the dial."""
    drawn = Figure(
        f"What {pages} downloads find, 16 slots, 1 s of rest", "virtual time, s", "relevant pages", x_log=True
    )
    for hurry in DRAWN:
        crawls = [one for setting, one in done.items() if setting[3:6] == (*LIVE_LIKE, hurry)]
        times = np.geomspace(1, max(one.seconds for one in crawls), 200)
        found = np.mean([np.searchsorted(one.finds, times, side="right") for one in crawls], axis=0)
        drawn.line(times, found, f"--hurry {_hurry(hurry)}")
    return drawn


def _named(condition: tuple[int, float, float]) -> str:
    slots, rest, hurry = condition
    return "1, none" if slots == 1 else f"{slots}, {rest:g} s, {_hurry(hurry)}"


def _hurry(hurry: float) -> str:
    return f"{hurry:,.0f}"


def _told(crawls: Sequence[Crawled]) -> str:
    return f"{mean(one.auc_ratio for one in crawls):.3f} / {mean(one.seconds for one in crawls):,.0f} s"


def _share(crawls: Sequence[Crawled], serial: float) -> str:
    ratio = mean(one.auc_ratio for one in crawls)
    return f"{ratio / serial:.2f} ({ratio:.3f}) / {mean(one.seconds for one in crawls):,.0f} s"


if __name__ == "__main__":
    main()
