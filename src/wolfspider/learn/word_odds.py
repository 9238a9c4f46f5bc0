"""What words say of a page before it is seen: learned from the words of pages, and from those of links that were taken.

Words are known by a hash, so that a word of a link takes four bytes and the tables have a fixed size. `pages` has the
log-odds of a word to stand on a page that paid, `links` those of a link with the word to lead to one. Both are worked
out anew when asked (`learn`), not with every page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import helper
from wolfspider.core.text import key_of

SIZE = 1 << 18
_CACHED = 200_000  # words whose number is remembered
_MOST = 3.0  # log-odds, either way
_PAGES, _LINKS = 5.0, 0.5  # how much evidence is needed before words count

Ids = NDArray[np.int32]
Floats = NDArray[np.float64]


class _Places(dict[str, int]):
    """The place of each word, worked out when it is asked for the first time."""

    def __missing__(self, word: str) -> int:
        self[word] = place = 1 + key_of(word) % (SIZE - 1)
        return place


@helper
class WordOdds:
    def __init__(self) -> None:
        self.totals = np.zeros(4)  # pages that paid and others, links that paid and others
        self._sums = np.zeros((4, SIZE), np.float32)
        self.pages: Floats = np.zeros(SIZE)
        self.links: Floats = np.zeros(SIZE)
        self._met = [np.zeros(0, np.int64), np.zeros(0, np.int64)]  # places of the words of pages, and of links
        self._places = _Places()

    def ids(self, words: Iterable[str]) -> list[int]:
        """A number from 1 on for each word; 0 stands for no word."""
        if len(self._places) > _CACHED:
            self._places.clear()
        return list(map(self._places.__getitem__, words))

    def add_page(self, ids: Sequence[int], reward: float) -> None:
        """A page by its distinct words, and what it paid."""
        self._add(0, ids, reward)

    def add_link(self, ids: Sequence[int], reward: float) -> None:
        """A link that was taken, by its distinct words, and what its page paid."""
        self._add(2, ids, reward)

    def _add(self, first: int, ids: Sequence[int], reward: float) -> None:
        places = np.unique(np.asarray(ids, np.int64))
        new = places[(self._sums[first, places] + self._sums[first + 1, places] == 0) & (places > 0)]
        if len(new):
            self._met[first // 2] = np.concatenate((self._met[first // 2], new))
        for side, share in ((first, reward), (first + 1, 1 - reward)):
            sums = self._sums[side]
            sums[places] += share
            self.totals[side] += share

    def learn(self) -> None:
        self._work_out(self.pages, 0, _PAGES, np.log1p(self.totals[:2].sum()))
        self._work_out(self.links, 2, _LINKS, 0.0)

    def _work_out(self, known: Floats, first: int, trust: float, rarity: float) -> None:
        """The odds of all words that were met; what was met once stays met."""
        met = self._met[first // 2]
        paid, other = self._sums[first : first + 2, met].astype(np.float64)
        total_paid, total_other = self.totals[first : first + 2]
        usual = (paid + other + 0.2) / (total_paid + total_other + 1)
        odds = np.log((paid + trust * usual) / (total_paid + trust))
        odds -= np.log((other + trust * usual) / (total_other + trust))
        if rarity:  # a word that stands everywhere says little
            odds *= np.minimum(1.0, (rarity - np.log1p(paid + other) + 1) / 4)
        known[met] = np.clip(odds, -_MOST, _MOST)

    def state(self) -> dict[str, Any]:
        known = np.flatnonzero(self._sums.any(axis=0) | (self.pages != 0) | (self.links != 0))
        figures = {"sums": self._sums[:, known], "pages": self.pages[known], "links": self.links[known]}
        return {"totals": self.totals, "known": known.astype(np.int32), **figures}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Self:
        made, known = cls(), state["known"]
        made.totals = state["totals"]
        made._sums[:, known] = state["sums"]
        made.pages[known], made.links[known] = state["pages"], state["links"]
        made._met = [found[found > 0] for found in map(np.flatnonzero, made._sums.reshape(2, 2, SIZE).sum(axis=1))]
        return made
