"""Small-world measures of a web: clustering and distances, also of the same web with its links shuffled.

Clustering is measured on the undirected simple graph: of the pairs of neighbours of a node, the share that is linked.
Nodes with fewer than two neighbours have no pairs; the mean is given without them and with them counted as 0. Graphs of
up to 100,000 nodes are measured exactly, larger ones at 3,000 random nodes and at most 300 neighbours of each. Along
links it is the share of the ordered pairs of pages that a page links to in which the first links to the second; that is
always exact.

Distances are measured by breadth-first search from random sources, over the pairs that a path joins; the share of such
pairs is given too. "Diameter" in older papers often means the mean; here the mean, the 90 % effective diameter and the
largest distance seen are three numbers.

Shuffling permutes the ends of all links at random. Each node keeps its numbers of incoming and outgoing links, so that
the exponents stay and clustering vanishes: the web is still scale-free, but no small world. A link that would duplicate
another or point back to its own page trades ends with random links, at most 100 times, and is dropped if that fails.

Where links have times, as in a recorded crawl, they trade ends in many rounds of pairs, and only if both links then
show an address that was known at their time. Nothing is dropped: a pair that cannot trade stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from wolfspider.graphs.graph import Graph, Ints

EXACT_NODES = 100_000
SAMPLED_NODES = 3_000
SAMPLED_NEIGHBOURS = 300
TRIES = 100
SWAPS = 10  # that each edge takes part in on average, where time counts
ROUNDS = 300  # at most
SATURATED = 0.002  # share of pairs that trade, below which nothing more is to be had
BLOCK = 2_000_000  # array entries handled at once: bounds the memory, not the result


@dataclass(frozen=True, slots=True)
class Clustering:
    paired: float  # mean over nodes with two neighbours or more
    all: float  # the same with 0 for the others
    nodes: int  # measured
    exact: bool


@dataclass(frozen=True, slots=True)
class Distances:
    mean: float  # over ordered pairs that a path joins
    reachable: float  # share of ordered pairs that one does
    effective: float  # 90 % of the joined pairs are at most this far apart, interpolated
    largest: int  # seen
    counts: tuple[int, ...]  # pairs at distance 1, 2, ...
    sources: int


def clustering(graph: Graph, rng: np.random.Generator) -> Clustering:
    both = graph.undirected()
    exact = graph.n <= EXACT_NODES
    chosen = np.arange(graph.n) if exact else np.sort(rng.choice(graph.n, SAMPLED_NODES, replace=False))
    paired = chosen[both.out_degrees()[chosen] >= 2]
    local = local_clustering(both, paired, None if exact else SAMPLED_NEIGHBOURS, rng)
    total = float(local.sum())
    return Clustering(
        paired=total / paired.size if paired.size else 0.0,
        all=total / chosen.size if chosen.size else 0.0,
        nodes=int(chosen.size),
        exact=exact,
    )


def directed_clustering(graph: Graph) -> float:
    """The mean over all nodes, along the direction of links; 0 for a node that links to fewer than two."""
    links = as_matrix(graph)
    linked = np.asarray((links @ links).multiply(links).sum(axis=1), dtype=np.float64).ravel()
    degrees = graph.out_degrees()
    return float((linked / np.maximum(degrees * (degrees - 1), 1)).sum() / max(graph.n, 1))


def local_clustering(both: Graph, nodes: Ints, most: int | None, rng: np.random.Generator) -> NDArray[np.float64]:
    """Of an undirected graph, at nodes with two neighbours or more; at most `most` neighbours of each, drawn."""
    upward = _upward(both)
    steps = upward.out_degrees()
    work = np.concatenate([[0], np.cumsum(steps[both.targets])])  # edges to look at, by place in `targets`
    result = np.zeros(nodes.size)
    first = 0
    for last in _blocks(work[both.starts[nodes + 1]] - work[both.starts[nodes]], both.n):
        result[first:last] = _linked_shares(both, upward, nodes[first:last], most, rng)
        first = last
    return result


def _upward(both: Graph) -> Graph:
    """Each undirected edge once, directed towards the node of higher degree, so that no node, not even a hub, has many
    outgoing edges."""
    tails = both.sources()
    rank = np.empty(both.n, dtype=np.int64)
    rank[np.argsort(both.out_degrees(), kind="stable")] = np.arange(both.n)
    up = rank[tails] < rank[both.targets]
    return Graph.from_edges(both.urls, tails[up], both.targets[up])


def _blocks(work: Ints, n: int) -> list[int]:
    """Where to cut the nodes into runs, so that the work of a run fits into a block, and so do its marks: a row of n
    for each node."""
    ends = []
    done = rows = 0
    for place, load in enumerate(work.tolist()):
        if rows and (done + load > BLOCK or (rows + 1) * n > 2 * BLOCK):
            ends.append(place)
            done = rows = 0
        done, rows = done + load, rows + 1
    return [*ends, work.size] if work.size else []


def _linked_shares(
    both: Graph, upward: Graph, nodes: Ints, most: int | None, rng: np.random.Generator
) -> NDArray[np.float64]:
    rows, neighbours = both.spread(nodes)
    if most is not None:
        rows, neighbours = _draw(rows, neighbours, most, rng)
    near = np.zeros(nodes.size * both.n, dtype=bool)  # a row of n for each node, laid end to end
    near[rows * both.n + neighbours] = True
    places, ends = upward.spread(neighbours)
    linked = near.take((rows * both.n)[places] + ends)
    found = np.bincount(rows[places[linked]], minlength=nodes.size)
    sizes = np.bincount(rows, minlength=nodes.size)
    shares: NDArray[np.float64] = found / (sizes * (sizes - 1) / 2)
    return shares


def _draw(
    rows: Ints, neighbours: NDArray[np.int32], most: int, rng: np.random.Generator
) -> tuple[Ints, NDArray[np.int32]]:
    """At most so many of each row, at random."""
    order = np.lexsort((rng.random(rows.size), rows))
    rows, neighbours = rows[order], neighbours[order]
    place = np.arange(rows.size) - np.searchsorted(rows, rows)
    return rows[place < most], neighbours[place < most]


def distances(graph: Graph, sources: Ints) -> Distances:
    """From these sources along the links. Sources are drawn by the caller, see `draw_sources`."""
    matrix = as_matrix(graph)
    totals = np.zeros(graph.n + 1, dtype=np.int64)
    for source in sources.tolist():
        sizes = levels(matrix, source)[1]
        totals[: sizes.size] += sizes
    counts = np.trim_zeros(totals[1:], "b")
    joined = int(counts.sum())
    pairs = max(len(sources) * (graph.n - 1), 1)
    steps = np.arange(1, counts.size + 1)
    return Distances(
        mean=float((counts * steps).sum() / joined) if joined else float("nan"),
        reachable=joined / pairs,
        effective=_effective(counts),
        largest=int(counts.size),
        counts=tuple(counts.tolist()),
        sources=len(sources),
    )


def draw_sources(n: int, count: int, rng: np.random.Generator) -> Ints:
    return np.sort(rng.choice(n, min(count, n), replace=False)).astype(np.int64)


def as_matrix(graph: Graph) -> csr_array:
    """For scipy, which searches in C; it wants floating-point weights and would copy others at each search."""
    return csr_array((np.ones(graph.m), graph.targets, graph.starts.astype(np.int32)), shape=(graph.n, graph.n))


def levels(matrix: csr_array, source: int) -> tuple[Ints, Ints]:
    """The nodes reached, nearest first, and how many there are at distance 0, 1, 2, ..."""
    order, before = breadth_first_order(matrix, source, directed=True, return_predecessors=True)
    place = np.empty(matrix.shape[0], dtype=np.int64)
    place[order] = np.arange(order.size)
    parents = place[before[order[1:]]]  # ascending, as the search works through a queue
    starts = [0, 1]
    while starts[-1] < order.size:
        starts.append(1 + int(np.searchsorted(parents, starts[-1])))
    return order, np.diff(starts)


def _effective(counts: Ints, share: float = 0.9) -> float:
    if not counts.size:
        return float("nan")
    joined = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
    return float(np.interp(share, joined, np.arange(joined.size)))


def rewire(graph: Graph, rng: np.random.Generator) -> Graph:
    """A graph with the same degrees and other neighbours. Links that could not be placed are missing: compare `m`."""
    tails = graph.sources().astype(np.int64)
    heads = rng.permutation(graph.targets).astype(np.int64)
    bad = _unclean(tails, heads, graph.n)
    known = np.sort(tails * graph.n + heads)
    for _ in range(TRIES):
        if not bad.size:
            break
        bad, added = _trade(tails, heads, bad, known, graph.n, rng)
        known = np.sort(np.concatenate([known, added]), kind="stable") if added.size else known
    return Graph.from_edges(graph.urls, tails, heads)


def rewire_in_time(
    tails: Ints,
    heads: Ints,
    shown: NDArray[np.float64],
    known: NDArray[np.float64],
    rng: np.random.Generator,
) -> Ints:
    """The heads of these distinct edges, permuted. `shown` is when each edge is first seen, `known` when each node is:
    no edge shows a node before it is known (of those that did not before). In- and out-degrees stay exactly; no
    self-loop and no double edge arises."""
    heads, m = heads.copy(), heads.size
    n = known.size
    order = np.argsort(shown, kind="stable")
    swaps, dry = 0, 0
    for turn in range(ROUNDS):
        if 2 * swaps >= SWAPS * m or dry >= 2 * len(_REACHES):
            break
        one, other = _pairs(order, _REACHES[turn % len(_REACHES)], rng)
        fine = _may_trade(tails, heads, shown, known, one, other, n)
        one, other = one[fine], other[fine]
        heads[one], heads[other] = heads[other], heads[one]
        swaps += one.size
        dry = 0 if one.size > SATURATED * m / 2 else dry + 1
    return heads


_REACHES = (1.0, 0.1, 0.01, 0.001)  # how far apart in time edges may be that are paired, as a share of all edges


def _pairs(order: Ints, reach: float, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """All edges in pairs: at random, or with one shown at about the same time, which may trade more often."""
    m = order.size
    mixed = rng.permutation(m) if reach >= 1 else np.argsort(np.arange(m) + rng.random(m) * max(reach * m, 4.0))
    half = m // 2
    return (order[mixed[0::2][:half]], order[mixed[1::2][:half]])


def _may_trade(
    tails: Ints,
    heads: Ints,
    shown: NDArray[np.float64],
    known: NDArray[np.float64],
    one: Ints,
    other: Ints,
    n: int,
) -> NDArray[np.bool_]:
    """Which of these disjoint pairs may all trade ends at once."""
    first, second = tails[one] * n + heads[other], tails[other] * n + heads[one]
    fine: NDArray[np.bool_] = (tails[one] != heads[other]) & (tails[other] != heads[one])
    fine &= heads[one] != heads[other]
    fine &= (known[heads[other]] <= shown[one]) & (known[heads[one]] <= shown[other])
    there = np.sort(tails * n + heads)
    fine[fine] = ~_contains(there, first[fine]) & ~_contains(there, second[fine])
    chosen = np.flatnonzero(fine)
    alone = _alone(np.concatenate([first[chosen], second[chosen]])).reshape(2, -1).all(axis=0)
    fine[chosen] = alone
    return fine


def _unclean(tails: Ints, heads: Ints, n: int) -> Ints:
    """Edges that are self-loops, or double one that comes before them."""
    keys = tails * n + heads
    order = np.argsort(keys, kind="stable")
    double = np.zeros(keys.size, dtype=bool)
    double[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    return np.flatnonzero(double | (tails == heads))


def _trade(tails: Ints, heads: Ints, bad: Ints, known: Ints, n: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Let each bad edge trade ends with a random one if both become clean. Returns the edges that stay bad, and the
    keys of the new ones.

    `known` holds every edge that is or was in the graph: an edge that is gone is not made again, which costs nothing.
    """
    partners = rng.integers(0, tails.size, bad.size)
    first = tails[bad] * n + heads[partners]
    second = tails[partners] * n + heads[bad]
    fine = (tails[bad] != heads[partners]) & (tails[partners] != heads[bad])
    fine &= ~_contains(known, first) & ~_contains(known, second)
    first_use = np.unique(partners, return_index=True)[1]  # each partner trades once
    fine &= ~np.isin(partners, bad) & np.isin(np.arange(partners.size), first_use)
    both = np.concatenate([first, second])
    fine &= _alone(np.where(np.concatenate([fine, fine]), both, -1 - np.arange(both.size))).reshape(2, -1).all(axis=0)
    chosen, others = bad[fine], partners[fine]
    heads[chosen], heads[others] = heads[others], heads[chosen]
    return bad[~fine], np.concatenate([first[fine], second[fine]])


def _contains(ordered: Ints, keys: Ints) -> NDArray[np.bool_]:
    places = np.minimum(np.searchsorted(ordered, keys), ordered.size - 1)
    found: NDArray[np.bool_] = ordered[places] == keys
    return found


def _alone(values: Ints) -> NDArray[np.bool_]:
    """True where a value occurs nowhere else."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    alone: NDArray[np.bool_] = counts[inverse] == 1
    return alone


def small_world_index(clustered: float, path: float, clustered_rewired: float, path_rewired: float) -> float:
    """(C / C rewired) / (L / L rewired): well above 1 in a small world; nan where a part is missing."""
    if not (clustered_rewired > 0 and path > 0 and path_rewired > 0):
        return float("nan")
    return (clustered / clustered_rewired) / (path / path_rewired)
