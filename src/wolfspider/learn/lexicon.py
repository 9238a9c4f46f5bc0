"""A numbered vocabulary with figures for each word: what learners of words count in.

Words are numbered as they come, so that a page becomes an array of numbers and what is known of its words is one look
into each column. The column `df` is there always: in how many pages a word stands. When there are more words than the
limit, those met on one page only are forgotten, then the rarer half: memory is bounded, common words keep theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

LIMIT = 500_000

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


class Numbering(dict[str, int]):
    """Gives a word that it is asked for the first time the next number."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


class Lexicon:
    def __init__(self, *columns: str, limit: int = LIMIT) -> None:
        self.pages = 0
        self.limit = limit
        self._number = Numbering()
        self._columns: dict[str, Floats] = {name: np.zeros(1024) for name in ("df", *columns)}

    def __len__(self) -> int:
        return len(self._number)

    def column(self, name: str) -> Floats:
        """To read and to write; stale after the next `numbers`, which may make room."""
        return self._columns[name]

    def numbers(self, words: Collection[str]) -> Ids:
        """The numbers of distinct words, in their order; new ones are added."""
        if len(self._number) + len(words) > self.limit:
            self._forget()
        ids = np.fromiter(map(self._number.__getitem__, words), np.int64, len(words))
        self._grow()
        return ids

    def frequencies(self, words: Collection[str]) -> Floats:
        """On how many pages each of the words was; 0 for one that is not here."""
        df, number = self._columns["df"], self._number
        return np.array([df[number[word]] if word in number else 0.0 for word in words])

    def add(self, ids: Ids) -> None:
        """One more page with these words, each counted once."""
        self.pages += 1
        self._columns["df"][ids] += 1

    def idf(self, ids: Ids) -> Floats:
        found: Floats = np.log((1 + self.pages) / (1 + self._columns["df"][ids])) + 1
        return found

    def _grow(self) -> None:
        room = len(self._columns["df"])
        if len(self._number) > room:
            more = max(len(self._number), 2 * room) - room
            self._columns = {name: np.append(column, np.zeros(more)) for name, column in self._columns.items()}

    def _forget(self) -> None:
        df = self._columns["df"][: len(self._number)]
        keep = df > 1
        if keep.sum() > self.limit // 2:
            keep = df > np.median(df)
        words = list(self._number)
        self._number = Numbering((words[old], new) for new, old in enumerate(np.flatnonzero(keep)))
        self._columns = {name: column[: len(keep)][keep] for name, column in self._columns.items()}
        self._grow()

    def state(self) -> dict[str, Any]:
        columns = {name: column[: len(self)].copy() for name, column in self._columns.items()}
        return {"pages": self.pages, "words": "\n".join(self._number), **columns}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.pages = int(state["pages"])
        words = state["words"].split("\n") if state["words"] else []
        self._number = Numbering((word, place) for place, word in enumerate(words))
        self._columns = {name: np.array(state[name], np.float64) for name in self._columns}
