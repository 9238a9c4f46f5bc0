"""What words say of a page before it is seen: learned from the words of pages, and from those of links that were taken.

Words are known by a hash, so that a word of a link takes four bytes and the tables have a fixed size. `pages` has the
log-odds of a word to stand on a page that paid, `links` those of a link with the word to lead to one. Both are worked
out anew when asked (`learn`), not with every page.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import helper
from wolfspider.core.text import key_of
from wolfspider.learn.each_once import each_once

SIZE = 1 << 18
_CACHED = 200_000  # words whose number is remembered
_MOST = 3.0  # log-odds, either way
_PAGES, _LINKS = 5.0, 0.5  # how much evidence is needed before words count

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


def slowly_looked_up(known: dict[str, int], words: Collection[str], missing: Callable[[str], int]) -> Ids:
    """What word_lists.pyx does where it was compiled: what is known of each word."""
    return np.array([missing(word) if (found := known.get(word)) is None else found for word in words], np.int64)


def slowly_looked_up_at(known: dict[str, int], words: Sequence[str], places: Ids, missing: Callable[[str], int]) -> Ids:
    """Likewise, for the words at these places of a list; 0 for places where it has none."""
    there = (places >= 0) & (places < len(words))
    found = np.zeros(places.shape, np.int64)
    found[there] = slowly_looked_up(known, [words[place] for place in places[there].tolist()], missing)
    return found


try:
    from wolfspider.core.word_lists import looked_up, looked_up_at
except ImportError:
    looked_up, looked_up_at = slowly_looked_up, slowly_looked_up_at


@helper
class WordOdds:
    def __init__(self) -> None:
        self.totals = np.zeros(4)  # pages that paid and others, links that paid and others
        self._sums = np.zeros((4, SIZE), np.float32)
        self.pages: Floats = np.zeros(SIZE)
        self.links: Floats = np.zeros(SIZE)
        self._met = [np.zeros(0, np.int64), np.zeros(0, np.int64)]  # places of the words of pages, and of links
        self._places: dict[str, int] = {}  # of words met lately

    def ids(self, words: Collection[str]) -> Ids:
        """A number from 1 on for each word; 0 stands for no word."""
        self._forget()
        return looked_up(self._places, words, self._place)

    def ids_at(self, words: Sequence[str], places: Ids) -> Ids:
        """The numbers of the words at these places of a list; 0 where it has none."""
        self._forget()
        return looked_up_at(self._places, words, places, self._place)

    def _forget(self) -> None:
        if len(self._places) > _CACHED:
            self._places.clear()

    def _place(self, word: str) -> int:
        self._places[word] = place = 1 + key_of(word) % (SIZE - 1)
        return place

    def add_page(self, ids: Ids, reward: float) -> None:
        """A page by its distinct words, and what it paid."""
        self._add(0, ids, reward)

    def add_link(self, ids: Ids, reward: float) -> None:
        """A link that was taken, by its distinct words, and what its page paid."""
        self._add(2, ids, reward)

    def _add(self, first: int, ids: Ids, reward: float) -> None:
        places = each_once(ids)
        paid, other = self._sums[first].take(places), self._sums[first + 1].take(places)
        new = places[(paid + other == 0) & (places > 0)]
        if len(new):
            self._met[first // 2] = np.concatenate((self._met[first // 2], new))
        for side, sums, share in ((first, paid, reward), (first + 1, other, 1 - reward)):
            self._sums[side, places] = sums + share
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

    def is_sound(self) -> bool:
        """Are these tables as large as they should be, and all figures numbers? They may come from a file."""
        shapes = (self.totals, (4,)), (self._sums, (4, SIZE)), (self.pages, (SIZE,)), (self.links, (SIZE,))
        are_tables = all(isinstance(table, np.ndarray) and table.dtype.kind == "f" for table, _ in shapes)
        return are_tables and all(table.shape == shape and bool(np.isfinite(table).all()) for table, shape in shapes)

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
