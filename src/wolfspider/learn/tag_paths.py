"""Clusters of tag paths, the arms of a bandit: links that stand in like places of their pages.

A tag path (`html/body/div.nav/ul/li/a`) is the counts of its pairs of neighbouring tags, with a mark before the first
and behind the last. Pairs are numbered as they come and folded into 2^m bins by multiplicative hashing; pairs that fall
into one bin count their mean. A path joins the cluster whose mean is nearest by the cosine, if that is near enough, and
else founds a new one. When there are too many clusters it joins the nearest in any case.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from wolfspider.core.codec import helper
from wolfspider.learn.link_words import Floats, Ints

FACTOR = 766_245_317
BITS, WORD_BITS = 12, 15  # m and w of the hash: 2^12 bins
MOST_PAIRS = 1 << WORD_BITS  # numbers beyond it fall onto the same bins again
MOST_ARMS = 500
MOST_TAGS = 60  # of a path: the last ones


def folded_bin(number: int) -> int:
    """h(x) = floor((x a mod 2^w) / 2^(w - m))"""
    return (number * FACTOR % (1 << WORD_BITS)) >> (WORD_BITS - BITS)


def upper_bounds(means: Floats, tries: Floats, time: int, alpha: float) -> Floats:
    """AUER (Auer, Cesa-Bianchi and Fischer 2002): mean + alpha sqrt(ln t / (n + 1e-6))"""
    return np.asarray(means + alpha * np.sqrt(math.log(max(time, 1)) / (tries + 1e-6)), np.float64)


def squared(rows: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", rows, rows), np.float64)


@helper
class TagPathArms:
    def __init__(self) -> None:
        self._pairs: dict[str, int] = {}
        self._centres: Floats = np.zeros((8, 1 << BITS))  # sums; the direction is that of the mean
        self._squares: Floats = np.zeros(8)  # of the length of each centre
        self.sizes: Floats = np.zeros(0)  # paths of each arm
        self.tries: Floats = np.zeros(0)
        self.sums: Floats = np.zeros(0)  # rewards

    def __len__(self) -> int:
        return len(self.sizes)

    def vector(self, path: str) -> tuple[Ints, Floats]:
        """The bins of a path and their values."""
        tags = path.split("/")[-MOST_TAGS:]
        folded: dict[int, list[int]] = {}
        for pair, count in Counter(pairwise(["[SOS]", *tags, "[EOS]"])).items():
            folded.setdefault(folded_bin(self._number(" ".join(pair))), []).append(count)
        bins = np.fromiter(folded, np.int64, len(folded))
        return bins, np.array([sum(counts) / len(counts) for counts in folded.values()])

    def _number(self, pair: str) -> int:
        if pair not in self._pairs and len(self._pairs) >= MOST_PAIRS:
            return 0
        return self._pairs.setdefault(pair, len(self._pairs))

    def join(self, path: str, likeness: float, links: int = 1) -> int:
        """The arm of a path that so many links have."""
        bins, values = self.vector(path)
        arm, near = self._nearest(bins, values)
        if arm < 0 or (near < likeness and len(self) < MOST_ARMS):
            arm = self._found()
        self._centres[arm, bins] += links * values
        self._squares[arm : arm + 1] = squared(self._centres[arm : arm + 1])
        self.sizes[arm] += links
        return arm

    def _nearest(self, bins: Ints, values: Floats) -> tuple[int, float]:
        if not len(self):
            return -1, 0.0
        centres = self._centres[: len(self)]
        common = np.einsum("ij,j->i", centres[:, bins], values)
        sizes = np.sqrt(self._squares[: len(self)]) * math.sqrt(float(np.einsum("i,i->", values, values)))
        near = common / sizes
        arm = int(np.argmax(near))
        return arm, float(near[arm])

    def _found(self) -> int:
        if len(self) == len(self._centres):
            self._grow()
        self.sizes, self.tries, self.sums = (np.append(column, 0.0) for column in (self.sizes, self.tries, self.sums))
        return len(self) - 1

    def _grow(self) -> None:
        self._centres = np.concatenate((self._centres, np.zeros_like(self._centres)))
        self._squares = np.concatenate((self._squares, np.zeros_like(self._squares)))

    def bounds(self, alpha: float) -> Floats:
        """What each arm may pay at best."""
        return upper_bounds(self.sums / np.maximum(self.tries, 1.0), self.tries, int(self.tries.sum()), alpha)

    def state(self) -> dict[str, Any]:
        arms, bins = np.nonzero(self._centres[: len(self)])
        counted = {"arms": arms.astype(np.uint32), "bins": bins.astype(np.uint32), "values": self._centres[arms, bins]}
        return {"pairs": list(self._pairs), **counted, "sizes": self.sizes, "tries": self.tries, "sums": self.sums}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> TagPathArms:
        made = cls()
        made._pairs = {pair: number for number, pair in enumerate(state["pairs"])}
        made.sizes, made.tries, made.sums = state["sizes"], state["tries"], state["sums"]
        while len(made) > len(made._centres):
            made._grow()
        made._centres[state["arms"], state["bins"]] = state["values"]
        made._squares = squared(made._centres)
        return made
