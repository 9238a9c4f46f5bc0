"""Tables of numbers that grow: what a strategy knows of its links, a row each, in columns that numpy computes with.

A million links as objects take gigabytes and seconds; as columns they take a few bytes for each figure, and a score for
all of them is one expression. Tables are stored with the strategy that holds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wolfspider.core.codec import helper
from wolfspider.learn.each_once import each_once

Column = NDArray[Any]
Rows = NDArray[np.int64]

NUMBER = "number"
_FIRST = 256  # rows there is room for at the beginning


@helper
class Columns:
    """Rows of figures: `table["depth"][rows]` reads and writes them.

    table = Columns(depth="f4", host="i4")
    first = table.add(3)                      # rows first, first + 1 and first + 2, all zero
    """

    def __init__(self, **kinds: str) -> None:
        """The columns by name, each with its numpy type; "4i4" has four integers in each row."""
        self._length = 0
        self._columns: dict[str, Column] = {name: np.zeros(_FIRST, kind) for name, kind in kinds.items()}

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, name: str) -> Column:
        """The rows that are there, to be read and written; valid until rows are added."""
        return self._columns[name][: self._length]

    @property
    def names(self) -> Iterable[str]:
        return self._columns.keys()

    def add(self, count: int, **values: ArrayLike) -> int:
        """So many more rows; the number of the first one. Columns that are not named are zero."""
        first, self._length = self._length, self._length + count
        for name, old in self._columns.items():
            if len(old) < self._length:
                self._columns[name] = np.zeros((max(self._length, 2 * len(old)), *old.shape[1:]), old.dtype)
                self._columns[name][:first] = old[:first]
        for name, given in values.items():
            self._columns[name][first : self._length] = given
        return first

    def keep(self, rows: ArrayLike) -> None:
        """Only these rows stay, in this order, and memory is given back."""
        kept = np.asarray(rows, np.int64)
        self._columns = {name: self[name][kept] for name in self._columns}
        self._length = len(next(iter(self._columns.values()), ()))

    def state(self) -> dict[str, Any]:
        return {name: self[name] for name in self._columns}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Self:
        made = cls()
        made._columns = dict(state)
        made._length = len(next(iter(state.values()), ()))
        return made


@helper
class NumberedColumns(Columns):
    """A table whose rows are known by the numbers that a Frontier gives to its links: rising, with gaps where a link is
    gone."""

    def __init__(self, **kinds: str) -> None:
        super().__init__(**({NUMBER: "i8"} | kinds))

    def rows(self, numbers: ArrayLike) -> Rows:
        """The row of each number; -1 for one that has none."""
        wanted, known = np.asarray(numbers, np.int64), self[NUMBER]
        rows: Rows = np.searchsorted(known, wanted)
        there = rows < len(known)
        there[there] = known[rows[there]] == wanted[there]
        return np.where(there, rows, -1)

    def row(self, number: int) -> int:
        """The row of one number; -1 if it has none."""
        known = self[NUMBER]
        row = int(known.searchsorted(number))
        return row if row < len(known) and known[row] == number else -1

    def enter(self, numbers: ArrayLike) -> Rows:
        """The row of each number, a new one for a number that has none; new numbers are above all others. -1 stays."""
        wanted = np.asarray(numbers, np.int64)
        new = each_once(wanted[wanted > (self[NUMBER][-1] if len(self) else -1)])
        self.add(len(new), **{NUMBER: new})
        return self.rows(wanted)

    def keep_numbers(self, numbers: ArrayLike) -> Rows:
        """Only the rows of these numbers stay; returns which rows they were."""
        rows = self.rows(np.sort(np.asarray(numbers, np.int64)))
        rows = rows[rows >= 0]
        self.keep(rows)
        return rows
