"""Latent semantic indexing (Deerwester et al. 1990), with clustering and nearest neighbours in its space.

Texts become points in a space of few dimensions, in which texts with related words are near each other.

    space = Space.of(bags, rank=100)                    # from some hundred bags of words
    points = space.fold(bags)                           # a row for each; any other texts too
    groups = clustered(points, rng)                     # k-means, as many clusters as pay for themselves
    Neighbours(points, groups).labels(others, k=5)      # which group each of the others is of

A text is the vector of (1 + ln f) ln((1 + n) / (1 + df)) over the words that tell texts apart, scaled to length one;
its point is that vector times the leading right singular vectors of the texts that the space was made from. The signs
of these vectors are fixed, and random numbers come from the given generator: the same texts and the same seed give the
same numbers.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import StoredFields, helper

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Bag = Mapping[str, int]

RANK = 100
VOCABULARY = 5_000
LEAST_TEXTS = 2  # a word of fewer connects nothing
ROUNDS = 50  # of k-means
LEAST_PART = 1e-6  # of the largest singular value: smaller ones are rounding noise


class Weighed(NamedTuple):
    """Texts as rows of a sparse matrix, one entry after another: which text, which word, what weight."""

    text: Ints
    word: Ints
    weight: Floats


@helper
class Space:
    """`words` with the weight of each (`rarity`), and a row of `basis` for each of them."""

    def __init__(self, words: Sequence[str], rarity: Any, basis: Any) -> None:
        self.words = list(words)
        self.rarity = np.asarray(rarity, np.float32)
        self.basis = np.ascontiguousarray(basis, np.float32)  # in one order: sums are rounded alike when it is restored
        self._row = {word: row for row, word in enumerate(self.words)}

    @classmethod
    def of(cls, bags: Sequence[Bag], rank: int = RANK, vocabulary: int = VOCABULARY) -> Space:
        """The space of these texts, with at most so many dimensions and words."""
        found = Counter(word for bag in bags for word in bag)
        words = _telling(found, len(bags), vocabulary)
        rarity = [_rarity(len(bags), found[word]) for word in words]
        plain = cls(words, rarity, np.zeros((len(words), 0)))
        return cls(words, rarity, _right_vectors(plain.weighed(bags), (len(bags), len(words)), rank))

    @property
    def rank(self) -> int:
        return int(self.basis.shape[1])

    def weighed(self, bags: Sequence[Bag]) -> Weighed:
        """The weights of the known words of each text, scaled to length one."""
        row_of = self._row
        known = [[word for word in bag if word in row_of] for bag in bags]
        text = np.repeat(np.arange(len(bags)), [len(words) for words in known])
        word = np.array([row_of[word] for words in known for word in words], np.int64)
        times = np.array([bag[word] for bag, words in zip(bags, known, strict=True) for word in words], np.float64)
        weight = (1 + np.log(times)) * self.rarity[word]
        lengths = np.sqrt(np.bincount(text, weight * weight, len(bags)))
        return Weighed(text, word, np.asarray(weight / lengths[text], np.float32))

    def fold(self, bags: Sequence[Bag]) -> Floats:
        """The point of each text; that of a text without a known word is the origin."""
        return self.points(self.weighed(bags), len(bags))

    def points(self, texts: Weighed, count: int) -> Floats:
        """The same for texts whose words are weighed already."""
        points = np.zeros((count, self.rank), np.float32)
        if len(texts.text) and self.rank:
            there, first = np.unique(texts.text, return_index=True)
            points[there] = np.add.reduceat(texts.weight[:, np.newaxis] * self.basis[texts.word], first, axis=0)
        return points

    def state(self) -> dict[str, Any]:
        return {"words": self.words, "rarity": self.rarity, "basis": self.basis}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Space:
        return cls(**state)


def _rarity(texts: int, having: int) -> float:
    return math.log((1 + texts) / (1 + having))


def _telling(found: Mapping[str, int], texts: int, most: int) -> list[str]:
    """Words in several texts and not in all, those first that tell texts apart best: neither rare nor everywhere."""
    weight = {word: having * _rarity(texts, having) for word, having in found.items() if LEAST_TEXTS <= having < texts}
    return sorted(weight, key=lambda word: (-weight[word], word))[:most]


def _right_vectors(texts: Weighed, shape: tuple[int, int], rank: int) -> NDArray[np.float64]:
    """The leading right singular vectors of these rows, as columns. There are fewer texts than words, so they are
    computed from the products of the texts with each other."""
    from scipy import sparse  # not needed to use a space, and slow to load

    if not len(texts.text):
        return np.zeros((shape[1], 0))
    matrix = sparse.csr_array((texts.weight.astype(np.float64), (texts.text, texts.word)), shape=shape)
    squares, left = np.linalg.eigh((matrix @ matrix.T).toarray())
    order = np.argsort(-squares, kind="stable")[:rank]
    order = order[squares[order] > LEAST_PART**2 * squares.max()]
    right = np.asarray(matrix.T @ left[:, order]) / np.sqrt(squares[order])
    signs = np.sign(right[np.abs(right).argmax(axis=0), np.arange(len(order))])
    return np.asarray(right * signs, np.float64)


def unit_rows(points: Any) -> Floats:
    """The same directions with length one; the origin stays where it is."""
    rows = np.asarray(points, np.float32)
    lengths = np.sqrt(np.square(rows).sum(axis=-1, keepdims=True))
    return np.asarray(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0))


@helper
class Neighbours(StoredFields):
    """Texts whose groups are known; another text belongs to the group of most of its nearest neighbours."""

    def __init__(self, points: Any, groups: Any) -> None:
        self.points, self.groups = unit_rows(points), np.asarray(groups, np.int64)

    def labels(self, points: Any, k: int) -> list[int | None]:
        """The group of each point: that of most of its k nearest neighbours by angle; ties go to the nearer ones. The
        origin has none."""
        rows = unit_rows(np.atleast_2d(points))
        if not len(self.groups):
            return [None] * len(rows)
        near = np.einsum("ir,jr->ij", rows, self.points)
        most = min(k, len(self.groups))
        chosen = np.argpartition(near, -most, axis=1)[:, -most:]
        voted = self._voted(chosen, np.take_along_axis(near, chosen, axis=1))
        return [group if row.any() else None for group, row in zip(voted, rows, strict=True)]

    def _voted(self, chosen: Ints, near: NDArray[Any]) -> list[int]:
        """Each neighbour has one vote, and less than half a vote altogether goes by how near they are."""
        count, groups = len(chosen), int(self.groups.max()) + 1
        place = np.arange(count)[:, np.newaxis] * groups + self.groups[chosen]
        votes = np.bincount(place.ravel(), (1 + near / (2 * chosen.shape[1] + 1)).ravel(), count * groups)
        best: list[int] = votes.reshape(count, groups).argmax(axis=1).tolist()
        return best


def clustered(points: Any, rng: random.Random, least: int = 5, most: int = 10) -> Ints:
    """The number of the cluster of each point, counted from 0. Bayes' information criterion chooses how many clusters
    there are, between the bounds and at most one for each point."""
    rows = np.asarray(points, np.float64)
    best, found = -math.inf, np.zeros(len(rows), np.int64)
    for count in range(min(least, len(rows)), min(most, len(rows)) + 1):
        if count:
            groups, scatter = k_means(rows, count, rng)
            worth = information(groups, scatter, rows.shape[1])
            if worth > best:
                best, found = worth, groups
    return np.unique(found, return_inverse=True)[1].astype(np.int64)  # a cluster may have lost all its points


def k_means(points: Any, count: int, rng: random.Random) -> tuple[Ints, float]:
    """The clusters of Lloyd's iteration from random centres far from each other (k-means++), and the remaining sum of
    squared distances."""
    rows = np.asarray(points, np.float64)
    centres = _spread(rows, count, rng)
    groups = _squares(rows, centres).argmin(axis=1)
    for _ in range(ROUNDS):
        sums = np.zeros_like(centres)
        np.add.at(sums, groups, rows)
        sizes = np.bincount(groups, minlength=count)[:, np.newaxis]
        centres = np.where(sizes > 0, sums / np.maximum(sizes, 1), centres)  # an empty cluster stays where it was
        moved = _squares(rows, centres).argmin(axis=1)
        if (moved == groups).all():
            break
        groups = moved
    return groups.astype(np.int64), float(np.square(rows - centres[groups]).sum())


def _spread(rows: NDArray[np.float64], count: int, rng: random.Random) -> NDArray[np.float64]:
    chosen = [rng.randrange(len(rows))]
    left = _squares(rows, rows[chosen]).ravel()
    while len(chosen) < count:
        sums = np.cumsum(left)
        at = int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))
        chosen.append(min(at, len(rows) - 1))
        left = np.minimum(left, _squares(rows, rows[chosen[-1:]]).ravel())
    return rows[chosen]


def _squares(rows: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared distances of all rows from all centres."""
    return np.stack([np.square(rows - centre).sum(axis=1) for centre in centres], axis=1)


def information(groups: Ints, scatter: float, width: int) -> float:
    """Bayes' information criterion for round clusters of equal width: the log-likelihood of the points, less the cost
    of the parameters."""
    texts = len(groups)
    sizes = np.unique(groups, return_counts=True)[1]
    free = max((texts - len(sizes)) * width, 1)
    variance = max(scatter / free, 1e-12)
    likelihood = float((sizes * np.log(sizes / texts)).sum())
    likelihood -= texts * width / 2 * math.log(2 * math.pi * variance) + free / 2
    return likelihood - len(sizes) * (width + 1) / 2 * math.log(texts)
