"""How often things were tried and what came of it: a host, the links of one list on a page.

A thing has a slot by the hash of its name, so that the table has a fixed size. With few trials the mean leans to what
was expected before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from wolfspider.core.codec import helper
from wolfspider.core.text import key_of
from wolfspider.learn.link_words import Floats, Ints

SLOTS = 1 << 18


def slot_of(name: str) -> int:
    return key_of(name) % SLOTS


@helper
class Tallies:
    def __init__(self) -> None:
        self._counts: Floats = np.zeros(SLOTS)
        self._sums: Floats = np.zeros(SLOTS)

    def add(self, slot: int, value: float) -> None:
        self._counts[slot] += 1
        self._sums[slot] += value

    def counts(self, slots: Ints) -> Floats:
        return self._counts[slots]

    def means(self, slots: Ints, expected: Floats | float, trust: float) -> Floats:
        """As if each had been tried `trust` times before, with what was expected."""
        return np.asarray((self._sums[slots] + trust * expected) / (self._counts[slots] + trust), np.float64)

    def state(self) -> dict[str, Any]:
        used = np.flatnonzero(self._counts)
        return {"slots": used.astype(np.uint32), "counts": self._counts[used], "sums": self._sums[used]}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Tallies:
        made = cls()
        slots = np.asarray(state["slots"], np.int64) % SLOTS
        made._counts[slots], made._sums[slots] = state["counts"], state["sums"]
        return made
