"""Topical locality: how much likelier than chance a page links to pages of its own topic.

Nodes carry a label; a label below zero means none, and such nodes are left out. With `only` given, the measures are
taken from nodes of that label alone: how likely is it that a relevant page links to a relevant one?
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wolfspider.graphs.graph import Graph, Ints
from wolfspider.graphs.smallworld import as_matrix, levels

FARTHEST = 12  # distances beyond say nothing about topics
TUNNELS = 5  # this many off-topic pages and more are one class


@dataclass(frozen=True, slots=True)
class Locality:
    chance: float  # P(same label) of two nodes drawn at random
    linked: float  # P(same | a link joins them)
    together: float  # P(same | linked from one page): a link drawn at random and another of its page
    by_distance: tuple[float, ...]  # P(same | distance 1, 2, ...), along the links


def locality(graph: Graph, labels: Ints, sources: Ints, only: int | None = None) -> Locality:
    """All four measures; distances are taken from those of `sources` that have a label (that label, with `only`)."""
    source, target = labels[graph.sources()], labels[graph.targets]
    counted = _asks(source, only) & (target >= 0)
    return Locality(
        chance=_chance(labels, only),
        linked=_share(int(np.count_nonzero(source[counted] == target[counted])), int(np.count_nonzero(counted))),
        together=_together(graph, labels, only),
        by_distance=_by_distance(graph, labels, sources[_asks(labels[sources], only)]),
    )


def tunnelling(distance: NDArray[np.int32], relevant: NDArray[np.bool_], far: int) -> dict[str, float]:
    """Shares of the relevant pages by how many off-topic pages lie on the way to them: 0, 1, ... 5+, or never
    (`far`)."""
    tunnels = distance[relevant]
    classes = np.where(tunnels >= far, TUNNELS + 1, np.minimum(tunnels, TUNNELS))
    shares = np.bincount(classes, minlength=TUNNELS + 2) / max(tunnels.size, 1)
    names = [*(str(d) for d in range(TUNNELS)), f"{TUNNELS}+", "never"]
    return dict(zip(names, shares.tolist(), strict=True))


def _asks(labels: Ints, only: int | None) -> NDArray[np.bool_]:
    asks: NDArray[np.bool_] = labels >= 0 if only is None else labels == only
    return asks


def _chance(labels: Ints, only: int | None) -> float:
    labelled = labels[labels >= 0]
    shares = np.bincount(labelled) / max(labelled.size, 1)
    if only is None:
        return float((shares**2).sum())
    return float(shares[only]) if only < shares.size else 0.0


def _together(graph: Graph, labels: Ints, only: int | None) -> float:
    label = labels[graph.targets]
    tails = graph.sources()[label >= 0].astype(np.int64)
    width = int(labels.max(initial=0)) + 1
    keys, alike = np.unique(tails * width + label[label >= 0], return_counts=True)
    links = np.bincount(tails, minlength=graph.n)[keys // width]
    counted = (links >= 2) & _asks(keys % width, only)
    alike, links = alike[counted], links[counted]
    return _share(float((alike * (alike - 1) / (links - 1)).sum()), float(alike.sum()))


def _by_distance(graph: Graph, labels: Ints, sources: Ints) -> tuple[float, ...]:
    matrix = as_matrix(graph)
    same, seen = np.zeros(FARTHEST + 1), np.zeros(FARTHEST + 1)
    for source in sources.tolist():
        order, sizes = levels(matrix, source)
        sizes = sizes[: FARTHEST + 1]
        found = labels[order[: sizes.sum()]]
        distance = np.repeat(np.arange(sizes.size), sizes)
        seen += np.bincount(distance[found >= 0], minlength=FARTHEST + 1)
        same += np.bincount(distance[found == labels[source]], minlength=FARTHEST + 1)
    last = int(np.max(np.flatnonzero(seen), initial=0))
    return tuple(_share(s, n) for s, n in zip(same[1 : last + 1].tolist(), seen[1 : last + 1].tolist(), strict=True))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
