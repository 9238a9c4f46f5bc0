"""A tree of categories, made by layers of self-organising maps.

T. Kohonen, The self-organizing map, Proceedings of the IEEE 78 (1990) 1464-1480; in layers: H. Chen, C. Schuffels and
R. Orwig, Internet categorization and search: a self-organizing approach, J. Visual Communication and Image
Representation 7 (1996) 88-102.

Documents are drawn at random. The node of a square map that is nearest to the document, the winner, moves towards it,
and so do the nodes around the winner, the nearer the more. The step size and the neighbourhood shrink with time. In the
end neighbouring nodes are alike: each is labelled by the term with its largest weight, and neighbours with the same
label are a region. Documents belong to the region of their nearest node. A region of more than a hundred documents
becomes a map of its own.

The cost of a step grows with the terms of the document, not with those of the map. All other weights of a node are only
multiplied by a number; that number is kept beside the node, and multiplied in now and then. The squared length of a
node is kept, too, and updated from its old value, so that the distances to all nodes need the terms of the document
alone. None of this is an approximation.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from wolfspider.learn.corpus import Corpus, commonest
from wolfspider.learn.pddp import unit_rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Progress = Callable[[int, int], object]

SIDE = 10  # nodes of a map, to each side
LAYERS = 4
CROWD = 100  # documents; a region with more becomes a map of its own
TERMS = 1_000  # of a map: those on most of its documents
STEPS = 10  # for each document
RATES = (0.5, 0.02)  # how far the winner moves, in the beginning and in the end
RADII = (0.5, 0.07)  # what is near, over the side of the map
SMALL = 0.01  # the largest weight before anything is learned
TOLD = 5  # terms kept of a region

_PATIENCE = 256  # steps until what is kept beside the nodes is multiplied in; 2 ** -256 is far from the smallest float
_ROWS = 1_000  # documents compared with all nodes at a time


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A category: its name is its heaviest term, followed by the next ones if another region has the same name."""

    name: str
    terms: tuple[str, ...]  # what it weighs most, largest first
    documents: Ints  # by number, those of the regions below it among them
    below: tuple[Region, ...] = ()  # largest first; documents without any of their terms are in none of them

    def walk(self) -> Iterator[Region]:
        yield self
        for region in self.below:
            yield from region.walk()


def grow(corpus: Corpus, stop: Container[str], rng: np.random.Generator, progress: Progress) -> Region:
    """The tree of categories of all documents; its root has no name."""
    useful = corpus.only(np.array([at for at, word in enumerate(corpus.words) if _tells(word, stop)], np.int64))
    everything = np.arange(corpus.counts.shape[0])
    steps = _Steps(progress)
    return Region("", (), everything, _layer(useful, everything, 1, rng, steps))


def _tells(word: str, stop: Container[str]) -> bool:
    """Neither a stop word, nor a number, nor a single letter; a single Chinese character is a word."""
    return word not in stop and not word.isdecimal() and (len(word) > 1 or ord(word[0]) > 0x2E7F)


class _Steps:
    """How many steps were made, and how many are known to come."""

    def __init__(self, progress: Progress) -> None:
        self.done, self.known, self._progress = 0, 0, progress

    def made(self, count: int) -> None:
        self.done += count
        self._progress(self.done, self.known)


def _layer(corpus: Corpus, documents: Ints, layer: int, rng: np.random.Generator, steps: _Steps) -> tuple[Region, ...]:
    """The regions of these documents, with all regions below them; none if the documents cannot be told apart."""
    mine = commonest(Corpus(corpus.words, corpus.counts[documents]), TERMS)
    rows = weighed(mine.counts)
    filled = np.flatnonzero(np.diff(rows.indptr))
    if not filled.size:
        return ()
    side = side_for(filled.size, layer)
    steps.known += STEPS * filled.size
    weights = train(rows[filled], side, rng, steps.made)
    region_of = regions(weights.argmax(axis=1), side)
    home = region_of[winners(rows[filled], weights)]
    numbers, sizes = np.unique(home, return_counts=True)
    if numbers.size < 2:
        return ()
    order = numbers[np.argsort(-sizes, kind="stable")]
    terms = [_heaviest(weights[region_of == number], mine.words) for number in order]
    members = [documents[filled[home == number]] for number in order]
    crowd = CROWD if layer < LAYERS else math.inf
    return tuple(
        Region(name, told, inside, _layer(corpus, inside, layer + 1, rng, steps) if inside.size > crowd else ())
        for name, told, inside in zip(named(terms), terms, members, strict=True)
    )


def side_for(documents: int, layer: int) -> int:
    """The first map has its full size; a map below it has ten documents to a node, or each would be a region."""
    return SIDE if layer == 1 else max(2, min(SIDE, math.isqrt(documents // 10)))


def weighed(counts: Any) -> Any:
    """tf-idf, tf damped, in rows of unit length; a term on all documents weighs nothing, and is not there."""
    rows = sparse.csr_array(counts, dtype=np.float64, copy=True)
    pages = np.bincount(rows.indices, minlength=rows.shape[1])
    rows.data = (1 + np.log(rows.data)) * np.log(rows.shape[0] / pages[rows.indices])
    rows.eliminate_zeros()
    return unit_rows(rows)


def train(rows: Any, side: int, rng: np.random.Generator, made: Callable[[int], object] = lambda steps: None) -> Floats:
    """The weights of a map: a row for each node, row by row of the map. `made` is told of steps as they are made."""
    count, terms = rows.shape
    nodes = _Nodes(rng.random((terms, side * side)) * SMALL)
    total = STEPS * count
    row, column = np.divmod(np.arange(side * side, dtype=np.float64), side)
    apart = np.square(np.subtract.outer(row, row)) + np.square(np.subtract.outer(column, column))  # of any two nodes
    squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    ends, columns, values = rows.indptr, rows.indices, rows.data
    for step, document in enumerate(rng.integers(count, size=total).tolist()):
        share = step / max(1, total - 1)
        radius = side * (RADII[0] + share * (RADII[1] - RADII[0]))
        rate = RATES[0] + share * (RATES[1] - RATES[0])
        here = slice(ends[document], ends[document + 1])
        nodes.pull(columns[here], values[here], squares[document], rate, apart, -0.5 / (radius * radius))
        if step % _PATIENCE == _PATIENCE - 1:
            nodes.settle()
            made(_PATIENCE)
    made(total % _PATIENCE)
    nodes.settle()
    return np.ascontiguousarray(nodes.scaled.T)


class _Nodes:
    """All nodes of a map. A node's weights are its column of `scaled`, times its scale."""

    def __init__(self, weights: Floats) -> None:
        self.scaled = weights  # a row for each term, so that those of a document are near each other in memory
        self.scales = np.ones(weights.shape[1])
        self._mine, self._moves = np.empty_like(weights), np.empty_like(weights)  # buffers: new arrays cost more
        self.settle()

    def settle(self) -> None:
        """Multiply the scales into the weights, and compute the lengths again."""
        self.scaled *= self.scales
        self.scales = np.ones(self.scaled.shape[1])
        self.squares = np.square(self.scaled).sum(axis=0)

    def pull(self, columns: Any, values: Floats, square: float, rate: float, apart: Floats, sharpness: float) -> None:
        """The node nearest to a document, and those around it, move towards it: m + g (x - m) = (1 - g) m + g x."""
        mine = self.scaled.take(columns, axis=0, out=self._mine[: values.size], mode="clip")
        dots = np.einsum("i,ij->j", values, mine) * self.scales
        winner = (self.squares - 2 * dots).argmin()
        gains = rate * np.exp(apart[winner] * sharpness)
        kept = 1 - gains
        self.squares = kept * (kept * self.squares + 2 * gains * dots) + gains * gains * square
        self.scales *= kept
        mine += np.einsum("i,j->ij", values, gains / self.scales, out=self._moves[: values.size])
        self.scaled[columns] = mine


def winners(rows: Any, weights: Floats) -> Ints:
    """For each document the node nearest to it; the first of several."""
    half_squares = np.square(weights).sum(axis=1) / 2
    turned = weights.T
    found = [
        (np.asarray(rows[first : first + _ROWS] @ turned) - half_squares).argmax(axis=1)
        for first in range(0, rows.shape[0], _ROWS)
    ]
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def regions(labels: Ints, side: int) -> Ints:
    """For each node the number of its region: nodes side by side that have the same label."""
    grid = labels.reshape(side, side)
    numbers = np.arange(side * side).reshape(side, side)
    beside, above = grid[:, 1:] == grid[:, :-1], grid[1:] == grid[:-1]
    tails = np.concatenate([numbers[:, :-1][beside], numbers[:-1][above]])
    heads = np.concatenate([numbers[:, 1:][beside], numbers[1:][above]])
    edges = sparse.coo_array((np.ones(tails.size), (tails, heads)), shape=(side * side, side * side))
    return np.asarray(csgraph.connected_components(edges, directed=False)[1], np.int64)


def _heaviest(weights: Floats, words: tuple[str, ...]) -> tuple[str, ...]:
    """The label that all these nodes share, then their heaviest terms in sum."""
    label = int(weights[0].argmax())
    others = np.argsort(-weights.sum(axis=0), kind="stable")[: TOLD + 1].tolist()
    return tuple(words[at] for at in dict.fromkeys([label, *others]))[:TOLD]


def named(terms: list[tuple[str, ...]]) -> list[str]:
    """A name for each region, no two alike: its first term, more where that is taken, a number in the end."""
    often = Counter(told[0] for told in terms)
    names: dict[str, None] = {}
    for told in terms:
        longer = (" ".join(told[:length]) for length in range(1 if often[told[0]] == 1 else 2, len(told) + 1))
        numbered = (f"{told[0]} {number}" for number in range(2, len(terms) + 2))
        names[next(name for name in (*longer, *numbered) if name not in names)] = None
    return list(names)
