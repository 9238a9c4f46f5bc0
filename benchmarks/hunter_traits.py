"""What the hunter has learned when a crawl ends: the traits of links that move scores most, by hand and as learned.

    python benchmarks/hunter_traits.py DIR/wiki DIR/docs --half report --pages 1000

A trait moves scores by its weight times the standard deviation of the trait among the links that were taken. Printed,
as means over topics, are these moves (in log-odds of the value) by the weights set by hand and by those learned, and on
how many topics the learned weight is above the one set by hand.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.bench.run.cell import Cell, new_crawl
from wolfspider.bench.run.topics import HALVES, tasks_of
from wolfspider.drivers.simulated import simulate
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.strategies import strategy_named
from wolfspider.strategies.hunter.hunter import Hunter
from wolfspider.strategies.hunter.traits import PRIOR, TRAITS
from wolfspider.web.worlds.world import open_web


class Weights(NamedTuple):
    """Of one crawl: how much each trait differs among the links taken, and what it weighs in the end."""

    spread: NDArray[np.float64]
    value: NDArray[np.float64]


def learned(web: str, half: str | None, pages: int) -> Iterator[Weights]:
    world = open_web(web)
    for name, task in tasks_of(world, None, (), world.start, half=half).items():
        cell = Cell(web, world.name, name, Hunter.name, 0, pages, DEFAULT_JUDGE, world.start)
        crawl = new_crawl(cell, task, world, world)
        simulate(crawl, world, start=world.start, seeds=task.seeds)
        hunter = crawl.strategy
        assert isinstance(hunter, Hunter)
        yield Weights(hunter.examples["traits"].astype(np.float64).std(axis=0), hunter.value)


def table(crawls: list[Weights], most: int) -> Iterator[str]:
    spread = np.array([each.spread for each in crawls])
    value = np.array([each.value for each in crawls])
    by_hand, now = (spread * PRIOR).mean(axis=0), (spread * value).mean(axis=0)
    yield "| trait | by hand | learned | topics on which it rose |"
    yield "|---|---:|---:|---:|"
    for at in np.argsort(-np.abs(now), kind="stable")[:most].tolist():
        rose = int((value[:, at] > PRIOR[at]).sum())
        yield f"| {TRAITS[at].words} | {by_hand[at]:+.2f} | {now[at]:+.2f} | {rose} of {len(crawls)} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="+", help="folders of WARC with a topics.json, or synthetic:...")
    parser.add_argument("--half", choices=HALVES, default=None)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--most", type=int, default=12, help="traits that are printed [12]")
    options = parser.parse_args()
    strategy_named(Hunter.name)
    for web in options.webs:
        print(web)
        print("\n".join(table(list(learned(web, options.half, options.pages)), options.most)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
