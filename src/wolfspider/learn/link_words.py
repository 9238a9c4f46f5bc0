"""What the words of a link say, as a short list of bins: its anchor, its address, and the words around it.

A word falls into one of BINS bins by its hash, so that tables over words have a fixed size and nothing needs to be
forgotten. `apart` keeps the three fields apart: a word in the address is then another one than the same word in the
anchor. `Bags` is many such lists, one behind another, whose sums are one operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import helper
from wolfspider.core.model import Page
from wolfspider.core.text import key_of, word_keys, words_of

BINS = 1 << 16
MOST_WORDS = 30  # of an anchor, and of an address
_FIELDS = (0, 0x9E3779B9, 0x85EBCA6B)  # added to the hashes of anchor, address and context to keep them apart

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def bin_of(text: str) -> int:
    """Of something that is no word of a link: a host, a place in a page."""
    return key_of(text) % BINS


def link_bins(page: Page, reach: int, apart: bool = False) -> list[list[int]]:
    """For each link of a page its bins, each once: anchor, address, and `reach` words on either side."""
    links = page.links
    anchors, addresses, around = _FIELDS if apart else (0, 0, 0)
    anchor, anchor_at = _bins([link.anchor for link in links], anchors)
    address, address_at = _bins([path_of(link.url) for link in links], addresses)
    near = _in_bins(word_keys(page.words), around) if reach else []
    found = []
    for place, link in enumerate(links):
        first, last = anchor_at[place], anchor_at[place + 1]
        own = anchor[first : min(last, first + MOST_WORDS)]
        path = address[address_at[place] : min(address_at[place + 1], address_at[place] + MOST_WORDS)]
        end = link.at + last - first
        context = near[max(0, link.at - reach) : link.at], near[end : end + reach]
        found.append(list(dict.fromkeys(chain(own, path, *context))))
    return found


def path_of(url: str) -> str:
    """An address without scheme and host; underscores part words here."""
    return url.split("/", 3)[-1].replace("_", " ") if url.count("/") > 2 else ""


def _bins(texts: Sequence[str], field: int) -> tuple[list[int], list[int]]:
    found, before = words_of(texts) if texts else ([], [0])
    return _in_bins(word_keys(found), field), before


def _in_bins(keys: NDArray[np.uint64], field: int) -> list[int]:
    bins: list[int] = ((keys + np.uint64(field)) % np.uint64(BINS)).tolist()
    return bins


def summed(owners: Ints, values: Floats, count: int) -> Floats:
    """For each of `count` owners the sum of its values, added in their order."""
    return np.asarray(np.bincount(owners, values, minlength=count), np.float64)


@dataclass(frozen=True, slots=True)
class Bags:
    """Lists of bins, one behind another."""

    bins: Ints
    starts: Ints  # where each begins, and where the last one ends

    @classmethod
    def of(cls, lists: Iterable[Sequence[int]]) -> Bags:
        kept = list(lists)
        starts = np.fromiter(accumulate(map(len, kept), initial=0), np.int64, len(kept) + 1)
        return cls(np.fromiter(chain.from_iterable(kept), np.int64, int(starts[-1])), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts)

    @property
    def owners(self) -> Ints:
        """For each bin the list it is of."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def sums(self, values: Floats) -> Floats:
        """For each list the sum of the values of its bins."""
        return summed(self.owners, values[self.bins], len(self))

    def lists(self) -> list[list[int]]:
        return [self.bins[first:last].tolist() for first, last in pairwise(self.starts.tolist())]


@helper
class BinWeights:
    """A weight for each bin, most of them 0."""

    def __init__(self, weights: Floats | None = None, bias: float = 0.0) -> None:
        self._weights: Floats = np.zeros(BINS) if weights is None else weights
        self._listed: list[float] = self._weights.tolist()  # quicker one by one
        self.bias = bias

    def sum(self, bins: Iterable[int]) -> float:
        """The bias and the weights of these bins, added in their order: the same on every machine."""
        return sum(map(self._listed.__getitem__, bins), self.bias)

    def state(self) -> dict[str, Any]:
        bins = np.flatnonzero(self._weights)
        return {"bins": bins.astype(np.uint32), "weights": self._weights[bins], "bias": self.bias}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> BinWeights:
        weights = np.zeros(BINS)
        weights[np.asarray(state["bins"], np.int64) % BINS] = state["weights"]
        return cls(weights, float(state["bias"]))
