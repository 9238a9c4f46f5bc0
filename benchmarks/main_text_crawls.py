"""What a crawl finds whose judge reads the main text of pages alone, beside one whose judge reads all of them.

    python benchmarks/main_text_crawls.py FOLDER ... [--half choose] [--topics 3] [--pages 500] [--strategy hunter]

Recorded webs, one visit at a time, as in a bench. For each topic: the relevant pages that are found with the whole text
and with the main text, and the mean of that number over the downloads of the crawl. Needs the extra `text`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NamedTuple

from wolfspider.bench.measure.main_text_only import main_text_only
from wolfspider.bench.measure.metrics import RelevantPages
from wolfspider.bench.run.cell import Cell, inside, new_strategy, terms
from wolfspider.bench.run.topics import HALVES, tasks_of
from wolfspider.core.events import Event, Landed
from wolfspider.core.limits import NO_HURRY, Limits
from wolfspider.core.model import Page, Verdict
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Task
from wolfspider.drivers.simulated import simulate, simulated_crawl
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.policy.judges.context_judge import InContext
from wolfspider.policy.reinforcer import Reinforcer
from wolfspider.strategies import DEFAULT_STRATEGY
from wolfspider.web.worlds.world import World, open_web


class Found(NamedTuple):
    pages: int  # relevant ones
    mean: float  # of the number found, over the downloads


def reads(shown: Callable[[Page], Page]) -> type[InContext]:
    class Reader(InContext):
        """The default judge, which is shown pages in this way."""

        def score(self, page: Page) -> Verdict:
            return super().score(shown(page))

    return Reader


def crawled(cell: Cell, task: Task, world: World, main: bool) -> Found:
    crawl = simulated_crawl(
        new_strategy(cell, task.topic),
        reads(main_text_only(world)) if main else InContext,
        world,
        Limits(cell.pages, hurry=NO_HURRY),
        reinforcer=Reinforcer(terms(cell, world)),
        scope=Scope(within=inside(world)),
    )
    found, total = RelevantPages(task.relevant), 0

    def hear(event: Event) -> None:
        nonlocal total
        found(event)
        if isinstance(event, Landed):
            total += len(found) * event.outcome.downloads

    crawl.listen(hear)
    simulate(crawl, world, start=cell.start, seeds=task.seeds)
    return Found(len(found), total / max(1, crawl.spent))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="+")
    parser.add_argument("--half", choices=HALVES, default="choose")
    parser.add_argument("--topics", type=int, default=None, help="at most so many of each web")
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--strategy", default=DEFAULT_STRATEGY)
    options = parser.parse_args()
    print("| web, topic | relevant pages, whole text | main text | mean, whole text | main text |")
    print("|---|---|---|---|---|")
    sums = [0.0] * 4
    for web in options.webs:
        world = open_web(web)
        tasks = list(tasks_of(world, None, (), world.start, half=options.half).items())[: options.topics]
        for topic, task in tasks:
            cell = Cell(
                web, world.name, topic, options.strategy, 0, options.pages, DEFAULT_JUDGE, world.start, hurry=NO_HURRY
            )
            whole, short = (crawled(cell, task, world, main) for main in (False, True))
            row = (whole.pages, short.pages, whole.mean, short.mean)
            sums = [one + more for one, more in zip(sums, row, strict=True)]
            print(f"| {world.name}, {topic} | {row[0]} | {row[1]} | {row[2]:.1f} | {row[3]:.1f} |", flush=True)
    print(f"| all | {sums[0]:.0f} | {sums[1]:.0f} | {sums[2]:.1f} | {sums[3]:.1f} |")


if __name__ == "__main__":
    main()
