"""A numbered vocabulary with figures for each word, in which learners keep their counts.

Words are numbered as they come, so that a page becomes an array of numbers and the figures of its words are one lookup.
The number of pages with the word is always among them. When there are more words than the limit, those met on only one
page are forgotten, or the rarer half: memory is bounded, and common words keep their figures.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

LIMIT = 500_000

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


def slowly_numbered(known: dict[str, int], words: Collection[str]) -> Ids:
    """What word_lists.pyx does where it was compiled: a word that has no number yet gets the next."""
    return np.fromiter([known.setdefault(word, len(known)) for word in words], np.int64, len(words))


def slowly_added(figures: NDArray[np.floating], rows: Ids, amounts: Sequence[float]) -> None:
    """Likewise: an amount for each column is added to these rows, each named once."""
    figures[rows] += np.array(amounts)


try:
    from wolfspider.core.word_lists import add_amounts as add_amounts
    from wolfspider.core.word_lists import numbered as numbered
except ImportError:
    add_amounts, numbered = slowly_added, slowly_numbered


class Lexicon:
    def __init__(self, sums: int = 0, limit: int = LIMIT) -> None:
        """`sums`: how many sums are kept for each word, besides the number of its pages."""
        self.pages = 0
        self.limit = limit
        self._number: dict[str, int] = {}
        self._figures = np.zeros((1024, 1 + sums))  # a row for each word: one lookup finds all its figures

    def __len__(self) -> int:
        return len(self._number)

    def numbers(self, words: Collection[str]) -> Ids:
        """The numbers of distinct words, in their order, valid until the next call; new words are added."""
        if len(self._number) + len(words) > self.limit:
            self._forget()
        found = numbered(self._number, words)
        self._grow()
        return found

    def add(self, ids: Ids, *amounts: float) -> None:
        """One more page with these words, each counted once, and an amount for each sum."""
        self.pages += 1
        add_amounts(self._figures, ids, (1.0, *amounts))

    def sums(self, ids: Ids) -> Floats:
        """One row for each sum, one column for each word."""
        found: Floats = self._figures.take(ids, axis=0).T[1:]
        return found

    def idf(self, ids: Ids) -> Floats:
        found: Floats = np.log((1 + self.pages) / (1 + self._figures[ids, 0])) + 1
        return found

    def frequencies(self, words: Collection[str]) -> Floats:
        """On how many pages each of the words was; 0 for an unknown one."""
        number, figures = self._number, self._figures
        return np.array([figures[number[word], 0] if word in number else 0.0 for word in words])

    def _grow(self) -> None:
        room = len(self._figures)
        if len(self._number) > room:
            more = max(len(self._number), 2 * room) - room
            self._figures = np.concatenate([self._figures, np.zeros((more, self._figures.shape[1]))])

    def _forget(self) -> None:
        figures = self._figures[: len(self)]
        pages = figures[:, 0]
        keep = pages > 1
        if keep.sum() > self.limit // 2:
            keep = pages > np.median(pages)
        words = list(self._number)
        self._number = {words[old]: new for new, old in enumerate(np.flatnonzero(keep))}
        self._figures = figures[keep]

    def state(self) -> dict[str, Any]:
        return {"pages": self.pages, "words": "\n".join(self._number), "figures": self._figures[: len(self)].copy()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.pages = int(state["pages"])
        words = state["words"].split("\n") if state["words"] else []
        self._number = {word: place for place, word in enumerate(words)}
        self._figures = np.array(state["figures"], np.float64).reshape(len(words), self._figures.shape[1])
