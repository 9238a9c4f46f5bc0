"""PDDP: principal direction divisive partitioning.

D. Boley, Principal Direction Divisive Partitioning, Data Mining and Knowledge Discovery 2 (1998) 325-344.

Documents are rows of unit length. The cluster with the largest scatter is cut in two, across the direction in which its
documents differ most, until there are as many clusters as wanted. That direction is the leading singular vector of the
documents less their centroid; the difference is dense and never formed. Nothing is random: the same documents give the
same tree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STEPS = 30  # of Lanczos' iteration
LEAST_SCATTER = 1e-9  # documents nearer to each other than this are the same


@dataclass(frozen=True, slots=True, eq=False)
class Cluster:
    """Documents that belong together, by number."""

    members: Ints
    centroid: Floats
    scatter: float  # the sum of squared distances from the centroid


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Where a cluster is cut: documents at most `edge` along the direction go left, the others right."""

    direction: Floats
    origin: float  # where the centroid lies on it
    edge: float  # from there; 0 but where that leaves a side empty
    left: int  # numbers of clusters
    right: int

    def along(self, documents: Any) -> Floats:
        return np.asarray(documents @ self.direction, np.float64) - self.origin


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """All clusters, the first of which holds all documents, and by number the cuts of those that were cut."""

    clusters: tuple[Cluster, ...]
    cuts: dict[int, Cut]

    @property
    def leaves(self) -> tuple[int, ...]:
        return tuple(number for number in range(len(self.clusters)) if number not in self.cuts)

    def labels(self) -> Ints:
        """For each document the index of its leaf among the leaves."""
        found = np.zeros(self.clusters[0].members.size, np.int64)
        for place, leaf in enumerate(self.leaves):
            found[self.clusters[leaf].members] = place
        return found


def grow(documents: Any, k: int = 50) -> Tree:
    """A tree with at most k leaves; fewer if the documents do not differ."""
    rows = sparse.csr_array(documents, dtype=np.float64)
    clusters = [_cluster(rows, np.arange(rows.shape[0]))]
    cuts: dict[int, Cut] = {}
    whole: set[int] = set()  # what cannot be cut
    leaves = {0}
    while len(leaves) < k:
        most = max(leaves - whole, key=lambda number: (clusters[number].scatter, -number), default=None)
        if most is None:
            break
        parts = _parted(rows, clusters[most], len(clusters))
        if parts is None:
            whole.add(most)
            continue
        cuts[most] = parts[0]
        leaves = leaves - {most} | {parts[0].left, parts[0].right}
        clusters += parts[1:]
    return Tree(tuple(clusters), cuts)


def unit_rows(counts: Any) -> Any:
    """Rows scaled to length 1; an empty one stays empty."""
    rows = sparse.csr_array(counts, dtype=np.float64)
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return sparse.csr_array(sparse.diags_array(1 / np.where(lengths > 0, lengths, 1.0)) @ rows)


def _cluster(rows: Any, members: Ints) -> Cluster:
    mine = rows[members]
    centroid = np.asarray(mine.sum(axis=0), np.float64).ravel() / max(members.size, 1)
    scatter = float(np.square(mine.data).sum() - members.size * _dot(centroid, centroid))
    return Cluster(members, centroid, max(scatter, 0.0))


def _parted(rows: Any, cluster: Cluster, number: int) -> tuple[Cut, Cluster, Cluster] | None:
    """The cut of a cluster and its halves, which get this number and the next; None if its documents do not differ."""
    if cluster.members.size < 2 or cluster.scatter <= LEAST_SCATTER:
        return None
    mine = rows[cluster.members]
    direction = principal_direction(mine, cluster.centroid)
    cut = Cut(direction, _dot(cluster.centroid, direction), 0.0, number, number + 1)
    along = cut.along(mine)
    if not 0 < np.count_nonzero(along > 0) < along.size:
        cut = Cut(direction, cut.origin, float(np.sort(along)[(along.size - 1) // 2]), number, number + 1)
    right = along > cut.edge
    if not 0 < np.count_nonzero(right) < along.size:
        return None
    return cut, _cluster(rows, cluster.members[~right]), _cluster(rows, cluster.members[right])


def principal_direction(rows: Any, centroid: Floats) -> Floats:
    """The unit vector along which these rows differ most; its largest component is positive. Lanczos' iteration on the
    products of the rows less their centroid with each other."""
    turned = rows.T.tocsr()

    def spread(vector: Floats) -> Floats:  # from rows to words
        return np.asarray(turned @ vector - centroid * vector.sum(), np.float64)

    def gathered(vector: Floats) -> Floats:  # from words to rows
        return np.asarray(rows @ vector - _dot(centroid, vector), np.float64)

    start = np.sin(np.arange(1.0, rows.shape[0] + 1))
    basis, diagonal, beside = _lanczos(lambda vector: gathered(spread(vector)), start)
    matrix = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    direction = spread(basis.T @ np.linalg.eigh(matrix)[1][:, -1])
    direction /= math.sqrt(_dot(direction, direction)) or 1.0
    return -direction if direction[np.abs(direction).argmax()] < 0 else direction


def _lanczos(operator: Any, start: Floats) -> tuple[Floats, Floats, Floats]:
    """An orthonormal basis in which the symmetric operator is tridiagonal, its diagonal, and its off-diagonal."""
    basis = np.zeros((min(STEPS, start.size), start.size))
    diagonal: list[float] = []
    beside: list[float] = []
    vector = start / math.sqrt(_dot(start, start))
    for step in range(len(basis)):
        basis[step] = vector
        image = operator(vector)
        diagonal.append(_dot(image, vector))
        for _ in range(2):  # a single orthogonalisation leaves too much of the earlier vectors
            image = image - basis[: step + 1].T @ (basis[: step + 1] @ image)
        length = math.sqrt(_dot(image, image))
        if length <= 1e-12 * max(map(abs, diagonal)) or step + 1 == len(basis):
            break
        beside.append(length)
        vector = image / length
    return basis[: len(diagonal)], np.array(diagonal), np.array(beside[: len(diagonal) - 1])


def _dot(x: Floats, y: Floats) -> float:
    """In one thread: the same on every machine, and faster where cores are shared."""
    return float((x * y).sum())
