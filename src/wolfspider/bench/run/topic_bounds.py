"""The bounds of a topic, in the form they are kept and drawn in: computed once for a web, a task and a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property

import numpy as np

from wolfspider.bench.measure.bounds import auc, bounds, curve
from wolfspider.bench.measure.metrics import key
from wolfspider.bench.run.kept import Kept, digest_of
from wolfspider.bench.run.source import source_of
from wolfspider.core.errors import BadInput
from wolfspider.core.topic import Task
from wolfspider.graphs.graph import Graph, Ints
from wolfspider.web.worlds.world import World

Steps = list[list[int]]  # pairs of downloads and relevant pages so far, one for each rise, as in a row's `found`


@dataclass(frozen=True, slots=True)
class Limit:
    """What any crawler could find. Without curves where the web is too large to be looked through."""

    relevant: int
    reachable: int | None = None
    upper: Steps | None = None
    greedy: Steps | None = None

    def upper_auc(self, pages: int) -> float | None:
        return None if self.upper is None else auc(curve(self.upper, pages))

    def greedy_auc(self, pages: int) -> float | None:
        return None if self.greedy is None else auc(curve(self.greedy, pages))


class Limits:
    """The limits of the topics of one web, from its link skeleton as it is when the bench begins."""

    def __init__(self, world: World, start: float, pages: int, kept: Kept, tell: Callable[[str], None]) -> None:
        self._world, self._start, self._pages, self._kept, self._tell = world, start, pages, kept, tell

    def of(self, task: Task) -> Limit:
        """Kept from before, or computed."""
        if not self._world.has_skeleton:
            return Limit(len(task.relevant))
        wanted = [task.seeds, sorted(task.relevant), self._start, self._pages]
        name = digest_of([self._world.digest(), wanted, source_of(__name__)])
        known = self._kept.get(name)
        if known is not None:
            return Limit(**known)
        limit = self._computed(task)
        try:
            self._kept.put(name, asdict(limit))
        except BadInput as problem:
            self._tell(str(problem))
        return limit

    def _computed(self, task: Task) -> Limit:
        found = bounds(self._graph, self._spelled(task), self._pages)
        return Limit(len(task.relevant), found.reachable, steps(found.upper), steps(found.greedy))

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
    return [[place + 1, int(values[place])] for place in rises]
