"""The bounds of a topic, in the form they are kept and drawn in: computed once for a web, a task and a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import numpy as np

from wolfspider.bench.bounds import auc, bounds, curve
from wolfspider.bench.kept import Kept, digest_of, source_of_bounds
from wolfspider.bench.metrics import key
from wolfspider.errors import BadInput
from wolfspider.learn.graph import Graph, Ints
from wolfspider.topic import Task
from wolfspider.web.world import World

LARGEST = 200_000  # pages of a computed web whose links are still looked through

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


def limit_of(world: World, task: Task, start: float, pages: int, kept: Kept, tell: Callable[[str], None]) -> Limit:
    """Kept from before, or computed from the link skeleton as it is when the bench begins."""
    if getattr(getattr(world, "params", None), "pages", 0) > LARGEST:
        return Limit(len(task.relevant))
    name = digest_of([world.digest(), task.seeds, sorted(task.relevant), start, pages, source_of_bounds()])
    known = kept.get(name)
    if known is not None:
        return Limit(**known)
    tell(f"{world.name}: computing what any crawler could find of {task.topic.name!r}.")
    limit = _computed(world, task, start, pages)
    try:
        kept.put(name, asdict(limit))
    except BadInput as problem:
        tell(str(problem))
    return limit


def _computed(world: World, task: Task, start: float, pages: int) -> Limit:
    graph = world.graph(start)
    found = bounds(graph, _in_terms_of(graph, world, task, start), pages)
    return Limit(len(task.relevant), found.reachable, steps(found.upper), steps(found.greedy))


def _in_terms_of(graph: Graph, world: World, task: Task, start: float) -> Task:
    """The task with the addresses that the graph has: redirects of seeds followed, schemes as they are there."""
    spelled = {key(url): url for url in graph.urls}
    landed = (world.look(seed, start).final_url for seed in task.seeds)
    seeds = tuple(spelled.get(key(url), url) for url in landed)
    return replace(task, seeds=seeds, relevant=frozenset(spelled.get(key(url), url) for url in task.relevant))


def steps(values: Ints) -> Steps:
    """A curve by its rises alone."""
    rises = np.flatnonzero(np.diff(values, prepend=0)).tolist()
    return [[place + 1, int(values[place])] for place in rises]
