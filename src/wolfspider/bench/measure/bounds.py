"""How good could any crawler be? Two curves of relevant pages against downloads, from the link skeleton alone.

A crawler that holds a relevant page has downloaded a whole path to it. So the price of page v is d(v), the least number
of off-topic pages on any path from the seeds to it, an off-topic seed included.

The upper bound. Let x be the largest d among the relevant pages a crawler holds after B downloads. At least x of the
downloads were off-topic, so it holds at most B - x relevant pages, and only pages with d <= x:

    UB(B) = max over x of min(B - x, number of relevant pages with d <= x)

No crawler does better, and hardly any can do as well: the bound lets one path of x pages lead everywhere at once.

The greedy oracle. It knows all labels and all links and takes relevant pages as long as one is linked from what it
holds. Then it looks at the groups of relevant pages still missing that hang together by links, and walks to the group
with the best s / (s + d), s its size and d the off-topic pages on the way. Its curve is that of a real crawl: the best
possible curve lies between the two (to find it is a Steiner problem, NP-hard).

Seeds cost a download like any page. One that is not in the graph buys nothing, so neither curve pays for it; a crawler
that asks for it does.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from wolfspider.core.topic import Task
from wolfspider.graphs.graph import Graph, Ints, distinct
from wolfspider.web.worlds.world import World

FAR = np.iinfo(np.int32).max  # no path leads there

Distances = NDArray[np.int32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    relevant: int  # pages that carry the label, whether in the graph or not
    reachable: int  # of them, those that links reach from the seeds
    upper: Ints  # after 1, 2, ... downloads: no crawler holds more relevant pages
    greedy: Ints  # what the oracle holds
    tunnels: dict[int, int]  # reachable relevant pages by the off-topic pages on the way


def bounds(graph: Graph, task: Task, pages: int) -> Bounds:
    """Both curves over a budget of `pages` downloads."""
    index = graph.index()
    seeds = nodes(index, task.seeds)
    relevant = np.zeros(graph.n, dtype=bool)
    relevant[nodes(index, task.relevant)] = True
    distance = off_topic_distance(graph, seeds, relevant)
    levels, counts = np.unique(distance[reachable(distance, relevant)], return_counts=True)
    return Bounds(
        relevant=len(task.relevant),
        reachable=int(counts.sum()),
        upper=upper_bound(distance, relevant, pages),
        greedy=greedy_oracle(graph, seeds, relevant, pages),
        tunnels=dict(zip(levels.tolist(), counts.tolist(), strict=True)),
    )


def landed(task: Task, world: World, now: float, known: Container[str]) -> Task:
    """The task with its redirects followed: the graph knows pages by the address where they are found in the end."""

    def final(url: str) -> str:
        return url if url in known else world.look(url, now).final_url

    return replace(task, seeds=tuple(map(final, task.seeds)), relevant=frozenset(map(final, task.relevant)))


def nodes(index: dict[str, int], urls: Iterable[str]) -> Ints:
    """Those addresses that are in the graph, in ascending order."""
    return np.array(sorted({index[url] for url in urls if url in index}), dtype=np.int64)


def off_topic_distance(graph: Graph, seeds: Ints, relevant: Mask) -> Distances:
    """For each node the least number of off-topic pages on a path from the seeds, itself included; FAR if none."""
    return _Map(graph, seeds, relevant).distance


def reachable(distance: Distances, relevant: Mask) -> Mask:
    return relevant & (distance < FAR)


def upper_bound(distance: Distances, relevant: Mask, budget: int) -> Ints:
    """UB(1) ... UB(budget)."""
    downloads = np.arange(1, budget + 1)
    best = np.zeros(budget, dtype=np.int64)
    levels, counts = np.unique(distance[reachable(distance, relevant)], return_counts=True)
    for off_topic, within in zip(levels.tolist(), np.cumsum(counts).tolist(), strict=True):
        if off_topic >= budget:
            break
        np.maximum(best, np.minimum(downloads - off_topic, within), out=best)
    return best


def greedy_oracle(graph: Graph, seeds: Ints, relevant: Mask, budget: int) -> Ints:
    """Relevant pages held after 1 ... budget downloads."""
    map_ = _Map(graph, seeds, relevant)
    groups = _Groups(graph, relevant)
    gains = [1] * map_.held  # of each download: 1 for a relevant page, 0 for one on the way
    while len(gains) < budget and (goal := groups.best(map_.distance)) is not None:
        for page in map_.way(goal):
            gains += [0] + [1] * map_.take(page)
    return hold(np.cumsum(np.array(gains, dtype=np.int64)), budget)


def hold(curve: Ints, budget: int) -> Ints:
    """A curve cut at the budget; if it ends early its last value holds to the end."""
    last = int(curve[-1]) if curve.size else 0
    return np.concatenate([curve[:budget], np.full(max(budget - curve.size, 0), last, dtype=np.int64)])


def curve(found: Sequence[Sequence[int]], pages: int) -> Ints:
    """A row's `found`, pairs of downloads and relevant pages so far, as the number held after 1 ... pages downloads."""
    held = np.zeros(pages + 1, dtype=np.int64)
    for downloads, relevant in found:
        if downloads <= pages:
            held[downloads] = max(held[downloads], relevant)
    return np.maximum.accumulate(held)[1:]


def auc(values: ArrayLike) -> float:
    """The mean of relevant-found over downloads 1 ... pages."""
    array = np.asarray(values, dtype=np.float64)
    return float(array.mean()) if array.size else 0.0


class _Map:
    """Off-topic distances from what the oracle holds, kept true while it takes pages.

    Distances only ever fall, and by whole numbers, so that a crawl of thousands of steps costs little more than one
    search of the graph. What lies at distance 0 is held: relevant pages are taken as soon as a held page links to them.
    """

    def __init__(self, graph: Graph, seeds: Ints, relevant: Mask) -> None:
        self.graph = graph
        self.wanted = np.flatnonzero(relevant)
        self.price = (~relevant).astype(np.int32)
        self.distance: Distances = np.full(graph.n, FAR, dtype=np.int32)
        self.before = np.full(graph.n, -1, dtype=np.int64)  # the page before it on a cheapest path
        self.distance[seeds] = self.price[seeds]
        self._settle(seeds)

    @property
    def held(self) -> int:
        return int(np.count_nonzero(self.distance[self.wanted] == 0))

    def way(self, goal: int) -> list[int]:
        """The off-topic pages to download, in order, until the goal is linked from a page that is held."""
        found = []
        node = goal
        while node >= 0 and self.distance[node] > 0:
            if self.price[node]:
                found.append(node)
            node = int(self.before[node])
        return found[::-1]

    def take(self, page: int) -> int:
        """Download an off-topic page; returns how many relevant pages are taken with it."""
        had = self.held
        self.price[page] = self.distance[page] = 0
        self._settle(np.array([page], dtype=np.int64))
        return self.held - had

    def _settle(self, changed: Ints) -> None:
        """Pass lower distances on along the links, nearest pages first."""
        waiting: dict[int, list[Ints]] = {}
        _put(waiting, self.distance, changed)
        while waiting:
            level = min(waiting)
            fringe = distinct(np.concatenate(waiting.pop(level)))
            fringe = fringe[self.distance[fringe] == level]
            places, heads = self.graph.spread(fringe)
            better = level + self.price[heads] < self.distance[heads]
            lower = heads[better].astype(np.int64)
            self.distance[lower] = level + self.price[lower]
            self.before[lower] = fringe[places[better]]
            _put(waiting, self.distance, lower)


def _put(waiting: dict[int, list[Ints]], distance: Distances, nodes: Ints) -> None:
    for level in np.unique(distance[nodes]).tolist():
        waiting.setdefault(level, []).append(nodes[distance[nodes] == level])


class _Groups:
    """Relevant pages not yet held, grouped by the links among them."""

    def __init__(self, graph: Graph, relevant: Mask) -> None:
        self.members = np.flatnonzero(relevant)
        number = np.full(graph.n, -1, dtype=np.int64)
        number[self.members] = np.arange(self.members.size)
        places, heads = graph.spread(self.members)
        inside = relevant[heads]
        self.tails, self.heads = places[inside], number[heads[inside]]

    def best(self, distance: Distances) -> int | None:
        """The nearest page of the group with the largest share of relevant pages on the way to it and in it."""
        far = distance[self.members]
        missing = (far > 0) & (far < FAR)
        if not missing.any():
            return None
        group = self._labels(missing)[missing]
        size = np.bincount(group)
        near = np.full(size.size, FAR, dtype=np.int64)
        np.minimum.at(near, group, far[missing])
        share = np.where(size > 0, size / (size + near), -1.0)
        chosen = int(np.lexsort((near, -share))[0])
        inside = self.members[missing][group == chosen]
        return int(inside[np.argmin(distance[inside])])

    def _labels(self, missing: Mask) -> Ints:
        keep = missing[self.tails] & missing[self.heads]
        self.tails, self.heads = self.tails[keep], self.heads[keep]  # what is held stays held
        shape = (self.members.size, self.members.size)
        links = csr_array((np.ones(self.tails.size, dtype=np.int8), (self.tails, self.heads)), shape=shape)
        labels: Ints = connected_components(links, directed=False)[1].astype(np.int64)
        return labels
