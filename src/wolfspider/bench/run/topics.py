"""The topics of a bench: checked against the web they are for, each with what any crawler could find there.

The bounds of a topic are computed once for a web, a task and a budget, and kept in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import numpy as np

from wolfspider.bench.measure.bounds import auc, bounds, curve
from wolfspider.bench.measure.metrics import key
from wolfspider.bench.run.result_cache import ResultCache, digest_of
from wolfspider.bench.run.source import source_of
from wolfspider.core.errors import BadInput, Problem, closest, no_such
from wolfspider.core.topic import Task, load_tasks
from wolfspider.graphs.graph import Graph, Ints
from wolfspider.web.page.page_cache import folder
from wolfspider.web.page.urls import canonical
from wolfspider.web.worlds.world import World

Tell = Callable[[str], None]
HALVES = ("choose", "report")  # of the topics of a web: those at even places (0, 2, ...), and those at odd ones
Steps = list[list[int]]  # pairs of downloads and relevant pages so far, one for each rise, as in a row's `found`


def silent(sentence: str) -> None:
    """Tell nobody."""


def tasks_of(
    world: World,
    path: Path | None,
    names: Sequence[str],
    start: float,
    tell: Tell = silent,
    half: str | None = None,
) -> Mapping[str, Task]:
    """The topics that come with a web, or those of a file; if names or a half are given, only these."""
    tasks = world.tasks() if path is None else _from_file(path)
    if not tasks:
        raise BadInput(f"The web {world.name} comes without topics: name a file of them by --topics FILE.")
    for name in names:
        if name not in tasks:
            raise Problem(f"There is no topic {name!r} in {path or world.name}.{closest(name, tasks)}")
    wanted = in_half(tasks, half)
    chosen = {name: task for name, task in wanted.items() if not names or name in names}
    if not chosen:
        raise Problem(
            f"None of these topics of {path or world.name} is in the half {half!r}: {', '.join(names or tasks)}."
        )
    for name, task in chosen.items():
        _check_seeds(world, name, task, start, tell)
    return chosen


def in_half(tasks: Mapping[str, Task], half: str | None) -> dict[str, Task]:
    """The topics to choose settings on, or those to report on, by their places in the whole list; None: all."""
    if half is not None and half not in HALVES:
        raise no_such("--half", half, HALVES)
    return {
        name: task for place, (name, task) in enumerate(tasks.items()) if half in (None, HALVES[place % len(HALVES)])
    }


def _from_file(path: Path) -> dict[str, Task]:
    return {
        name: Task(task.topic, _addresses(name, task.seeds), frozenset(_addresses(name, sorted(task.relevant))))
        for name, task in load_tasks(path).items()
    }


def _addresses(topic: str, urls: Sequence[str]) -> tuple[str, ...]:
    """In one spelling, and each page once, however its scheme is written."""
    addresses: dict[str, str] = {}
    for url in urls:
        whole = canonical(url)
        if whole is None:
            raise BadInput(f"Topic {topic!r}: {url[:200]!r} is no http or https address.")
        addresses.setdefault(key(whole), whole)
    return tuple(addresses.values())


def _check_seeds(world: World, name: str, task: Task, start: float, tell: Tell) -> None:
    missing = [seed for seed in task.seeds if world.look(seed, start).status == 404]
    if len(missing) == len(task.seeds):
        when = f"{datetime.fromtimestamp(start, UTC):%Y-%m-%d %H:%M} UTC"
        there = ", ".join(missing[:3])
        raise BadInput(f"Topic {name!r}: none of its seeds is in the web {world.name} at {when}: {there}.")
    for seed in missing:
        tell(f"Topic {name!r}: its seed {seed} is not in the web {world.name}; asking for it costs a download.")


@dataclass(frozen=True, slots=True)
class TopicBounds:
    """What any crawler could find on a topic. Without curves where the web is too large to be looked through."""

    relevant: int
    reachable: int | None = None
    upper: Steps | None = None
    greedy: Steps | None = None

    def upper_auc(self, pages: int) -> float | None:
        return None if self.upper is None else auc(curve(self.upper, pages))

    def greedy_auc(self, pages: int) -> float | None:
        return None if self.greedy is None else auc(curve(self.greedy, pages))


def bounds_cache(cache: Path | None = None) -> ResultCache:
    """In the cache folder of the user, unless one is named."""
    return ResultCache((cache or folder()) / "bounds")


@dataclass(frozen=True, slots=True)
class Assignment:
    """A topic of a web, which strategies are measured on, and what any crawler could find there."""

    web: str
    web_name: str
    digest: str
    start: float
    task: Task
    bounds: TopicBounds


class WebBounds:
    """The bounds of the topics of one web, from its link skeleton as it is when the bench begins."""

    def __init__(self, world: World, start: float, pages: int, cache: ResultCache, tell: Tell = silent) -> None:
        self._world, self._start, self._pages, self._cache, self._tell = world, start, pages, cache, tell

    def of(self, task: Task) -> TopicBounds:
        """From the cache, or computed."""
        if not self._world.has_skeleton:
            return TopicBounds(len(task.relevant))
        wanted = [task.seeds, sorted(task.relevant), self._start, self._pages]
        name = digest_of([self._world.digest(), wanted, source_of(__name__)])
        cached = self._cache.get(name)
        if cached is not None:
            return TopicBounds(**cached)
        computed = bounds(self._graph, self._spelled(task), self._pages)
        known = TopicBounds(len(task.relevant), computed.reachable, steps(computed.upper), steps(computed.greedy))
        try:
            self._cache.put(name, asdict(known))
        except BadInput as problem:
            self._tell(str(problem))
        return known

    @cached_property
    def _graph(self) -> Graph:
        self._tell(f"{self._world.name}: reading its links, for what any crawler could find.")
        return self._world.graph(self._start)

    def _spelled(self, task: Task) -> Task:
        """The task with the addresses that the graph has: redirects of seeds followed, schemes as they are there."""
        landed = (self._world.look(seed, self._start).final_url for seed in task.seeds)
        seeds = tuple(self._spelling.get(key(url), url) for url in landed)
        relevant = frozenset(self._spelling.get(key(url), url) for url in task.relevant)
        return replace(task, seeds=seeds, relevant=relevant)

    @cached_property
    def _spelling(self) -> dict[str, str]:
        return {key(url): url for url in self._graph.urls}


def steps(values: Ints) -> Steps:
    """A curve by its rises alone."""
    rises = np.flatnonzero(np.diff(values, prepend=0)).tolist()
    return [[rise + 1, int(values[rise])] for rise in rises]
