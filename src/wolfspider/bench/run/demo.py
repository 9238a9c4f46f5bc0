"""The main job on the built-in web: a topic, two addresses to start from, a budget. No network, nothing to configure.

The web is computed, so the relevant pages are known, and all figures count these. The crawl itself knows keywords,
description and starting addresses, as always, and relies on its judge. At the end it is compared with a plain
breadth-first crawl of the same budget, and with what any crawler could have found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from wolfspider.bench.measure.bounds import bounds, landed
from wolfspider.bench.measure.metrics import Best, Harvest, RelevantPages
from wolfspider.bench.run.cell import Cell, new_crawl
from wolfspider.core.errors import Problem
from wolfspider.core.events import Event, Landed
from wolfspider.core.model import Route
from wolfspider.core.topic import Task
from wolfspider.drivers.simulated import simulate
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.strategies import DEFAULT_STRATEGY, strategy_named
from wolfspider.web.worlds.world import World, open_web

WEB_PAGES = 50_000
WINDOW = 100  # downloads of which the recent harvest rate is taken
PLAIN = "breadth-first"  # what a crawler does that knows nothing of topics


class Line(NamedTuple):
    """One crawl of the comparison."""

    strategy: str
    found: int
    downloads: int
    possible: int  # no crawler finds more with this budget

    @property
    def rate(self) -> float:
        return self.found / max(self.downloads, 1)

    @property
    def share(self) -> float:
        return self.found / max(self.possible, 1)


class DemoCrawl:
    """One crawl that can be looked at while it runs."""

    def __init__(self, world: World, task: Task, strategy: str, pages: int, seed: int) -> None:
        cell = Cell(world.name, world.name, task.topic.name, strategy, 0, pages, DEFAULT_JUDGE, world.start, seed=seed)
        self.strategy, self.pages = strategy, pages
        self.found, self.harvest, self.best = RelevantPages(task.relevant), Harvest(), Best()
        self._world, self._task = world, task
        self._crawl = new_crawl(cell, task, world, world)
        for fold in (self.found, self.harvest, self.best):
            self._crawl.listen(fold)

    @property
    def downloads(self) -> int:
        return self.harvest.downloads

    @property
    def rate(self) -> float:
        return len(self.found) / max(self.downloads, 1)

    @property
    def recent(self) -> float:
        """The harvest rate of the newest downloads alone."""
        before = next((count for at, count in reversed(self.found.curve) if at <= self.downloads - WINDOW), 0)
        return (len(self.found) - before) / max(min(self.downloads, WINDOW), 1)

    @property
    def sure(self) -> int:
        """Pages that its judge calls relevant."""
        return self.harvest.relevant

    @property
    def waiting(self) -> int:
        """Links it knows of and has not followed."""
        return int(self._crawl.strategy.report().get("frontier", 0))

    def run(self, look: Callable[[DemoCrawl], object]) -> None:
        """Run it to its end; `look` is called after every download."""

        def landed(event: Event) -> None:
            if isinstance(event, Landed) and event.how == Route.OUT:
                look(self)

        self._crawl.listen(landed)
        simulate(self._crawl, self._world, start=self._world.start, seeds=self._task.seeds)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of the demo."""

    pages: int  # downloads
    seed: int = 1  # another seed, another web
    strategy: str = DEFAULT_STRATEGY

    def __post_init__(self) -> None:
        strategy_named(self.strategy)
        if self.pages < 1:
            raise Problem(f"--pages must be at least 1, not {self.pages}.")

    @property
    def rival(self) -> str:
        return PLAIN if self.strategy != PLAIN else DEFAULT_STRATEGY


class Demo:
    """The hunt, the rival's crawl after it, and what came of both."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.size = plan, WEB_PAGES
        self.world = open_web(f"synthetic:pages={WEB_PAGES},seed={plan.seed},words=english")
        self.task = next(iter(self.world.tasks().values()))
        self.hunt = self._hunt(plan.strategy)

    def _hunt(self, strategy: str) -> DemoCrawl:
        return DemoCrawl(self.world, self.task, strategy, self.plan.pages, self.plan.seed)

    def run(self, look: Callable[[DemoCrawl], object]) -> list[Line]:
        """Both crawls with this budget, the hunt first."""
        rival = self._hunt(self.plan.rival)
        self.hunt.run(look)
        rival.run(look)
        graph = self.world.graph(self.world.start)
        task = landed(self.task, self.world, self.world.start, graph.index())
        possible = int(bounds(graph, task, self.plan.pages).upper[-1])
        return [Line(crawl.strategy, len(crawl.found), crawl.downloads, possible) for crawl in (self.hunt, rival)]


def verdict(lines: list[Line]) -> str:
    """What the comparison comes to, in a sentence."""
    ours, theirs = lines
    if not theirs.found:
        return f"{ours.strategy} found {ours.found:,} pages, {theirs.strategy} none."
    times = ours.found / theirs.found
    if 0.95 < times < 1.05:
        return f"{ours.strategy} found about as many pages as {theirs.strategy}."
    return f"{ours.strategy} found {times:.1f} times as many pages as {theirs.strategy}."


def next_steps(plan: Plan, program: str) -> list[tuple[str, str]]:
    """Commands of this program to try next, each with what it does."""
    return [
        (f"{program} demo --seed {plan.seed + 1}", "another web, another topic"),
        (f"{program} strategies", "the other ways to hunt; name one by --strategy"),
        (f"{program} bench --quick", "all of them on the same work"),
    ]
