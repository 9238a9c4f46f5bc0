"""How often things were tried and what came of it: a host, the links of one list on a page.

A thing has a slot by the hash of its name, so that the table has a fixed size. With few trials the mean leans to what
was expected before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

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

    def add(self, slot: int, value: float, memory: float = math.inf) -> None:
        """`memory`: as if only about so many trials were remembered, the last ones best."""
        kept = min(1.0, (memory - 1) / max(1.0, self._counts[slot]))
        self._counts[slot] = self._counts[slot] * kept + 1
        self._sums[slot] = self._sums[slot] * kept + value

    def counts(self, slots: Ints) -> Floats:
        return self._counts[slots]

    def mixed(self, slots: Ints) -> NDArray[np.bool_]:
        """Of trials that fail (0) or succeed (1): where there were both."""
        return np.asarray((self._sums[slots] > 0) & (self._sums[slots] < self._counts[slots]))

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
