"""What a crawl gains by what another one has learned, as `--learned-from` hands it on.

    python benchmarks/learned_from.py DIR/wiki DIR/docs --elsewhere TUNING --half report --pages 1000

Every topic of the half is crawled three times: without anything learned; with what a crawl for another topic of the
same web has learned (the topic before it in the list, which is in the other half); and with what a crawl for the same
keywords has learned on the web ELSEWHERE, from the starting points of that web's first topic. What strategy and judge
have learned passes through the codec, as it does between runs. Printed are the figures of every topic, and for both
kinds of learning the mean difference with its 95 % bootstrap interval.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from arena_cells import ratio

from wolfspider.bench.measure.metrics import RelevantPages
from wolfspider.bench.run.cell import Cell, new_crawl
from wolfspider.bench.run.topics import HALVES, TopicBounds, WebBounds, bounds_cache, tasks_of
from wolfspider.bench.stats import interval
from wolfspider.core import codec
from wolfspider.core.topic import Task
from wolfspider.drivers.simulated import simulate
from wolfspider.engine.crawl import Crawl
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.strategies import DEFAULT_STRATEGY, strategy_named
from wolfspider.web.worlds.world import World, open_web

Learned = Mapping[str, Any]
KINDS = ("another topic, same web", "same topic, another web")


@dataclass(frozen=True, slots=True)
class Ground:
    """A web with its topics, and how it is crawled."""

    web: str
    world: World
    tasks: Mapping[str, Task]
    strategy: str
    pages: int

    def crawl(self, name: str, task: Task, learned: Learned | None) -> tuple[Crawl, RelevantPages]:
        start = self.world.start
        cell = Cell(self.web, self.world.name, name, self.strategy, 0, self.pages, DEFAULT_JUDGE, start)
        crawl = new_crawl(cell, task, self.world, self.world)
        if learned is not None:
            crawl.strategy.inherit(learned["strategy"])
            crawl.judge.inherit(learned["judge"])
        found = RelevantPages(task.relevant)
        crawl.listen(found)
        simulate(crawl, self.world, start=start, seeds=task.seeds)
        return crawl, found

    def lesson(self, name: str, task: Task) -> Learned:
        """What a crawl has learned in the end, as another run would read it."""
        crawl, _ = self.crawl(name, task, None)
        learned: Learned = codec.unpack(
            *codec.pack({"strategy": crawl.strategy.learned(), "judge": crawl.judge.learned()})
        )
        return learned


def measured(ground: Ground, elsewhere: Ground, half: str) -> Iterator[tuple[str, list[float]]]:
    """Of each topic of the half the figure without anything learned, and that of each kind of learning."""
    names = list(ground.tasks)
    bounds = WebBounds(ground.world, ground.world.start, ground.pages, bounds_cache())
    there = next(iter(elsewhere.tasks.values())).seeds
    for place in range(HALVES.index(half), len(names), len(HALVES)):
        name, before = names[place], names[place - 1]
        task = ground.tasks[name]
        lessons = (
            None,
            ground.lesson(before, ground.tasks[before]),
            elsewhere.lesson(name, Task(task.topic, there, frozenset())),
        )
        yield name, [figure(ground, name, task, lesson, bounds.of(task)) for lesson in lessons]


def figure(ground: Ground, name: str, task: Task, learned: Learned | None, bounds: TopicBounds) -> float:
    _, found = ground.crawl(name, task, learned)
    return ratio(found.curve, bounds, ground.pages) or 0.0


def told(rows: Sequence[Sequence[float]]) -> Iterator[str]:
    plain = [row[0] for row in rows]
    yield f"without anything learned: {fmean(plain):.3f} on {len(rows)} topics"
    for column, kind in enumerate(KINDS, 1):
        differences = [row[column] - row[0] for row in rows]
        low, high = interval(np.array(differences))
        yield f"{kind}: {fmean(row[column] for row in rows):.3f}, {fmean(differences):+.3f} ({low:+.3f} to {high:+.3f})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="+", help="folders of WARC with a topics.json, or synthetic:...")
    parser.add_argument("--elsewhere", required=True, help="another web")
    parser.add_argument("--half", choices=HALVES, default="report")
    parser.add_argument("--strategy", default=DEFAULT_STRATEGY)
    parser.add_argument("--pages", type=int, default=1000)
    options = parser.parse_args()
    strategy_named(options.strategy)

    def ground(web: str) -> Ground:
        world = open_web(web)
        return Ground(web, world, tasks_of(world, None, (), world.start), options.strategy, options.pages)

    elsewhere, rows = ground(options.elsewhere), []
    for web in options.webs:
        here = ground(web)
        for name, figures in measured(here, elsewhere, options.half):
            print(f"{here.world.name} {name}: {' '.join(f'{each:.3f}' for each in figures)}", flush=True)
            rows.append(figures)
    print("\n".join(told(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
