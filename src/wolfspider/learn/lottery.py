"""Weighted random draws of an index, where weights change all the time: O(log n) for a draw or a change.

    lottery = Lottery([1.0, 0.0, 3.0])
    lottery[1] = 2.0
    lottery.draw(rng)                  # 2 half of the time; None if nothing has a weight

Weights are the leaves of a binary tree whose nodes hold the sums of the two below them. A change computes the sums on
its way up again, instead of adding a difference as a Fenwick tree does. So rounding errors do not accumulate: an index
of weight 0 is never drawn, and the tree depends on the weights alone and not on their history.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterable
from typing import Any

from wolfspider.core.codec import helper


@helper
class Lottery:
    def __init__(self, weights: Iterable[float] = ()) -> None:
        self._build(array("d", weights))

    def _build(self, weights: array[float]) -> None:
        """With room for at least one more. Node n is above 2n and 2n + 1; the leaves are the second half."""
        room = 1 << len(weights).bit_length()
        self._size = len(weights)
        self._sums = array("d", bytes(8 * room)) + weights + array("d", bytes(8 * (room - len(weights))))
        for node in range(room - 1, 0, -1):
            self._sums[node] = self._sums[2 * node] + self._sums[2 * node + 1]

    def __len__(self) -> int:
        return self._size

    @property
    def total(self) -> float:
        return self._sums[1]

    def __getitem__(self, index: int) -> float:
        return self._sums[self._leaf(index)]

    def __setitem__(self, index: int, weight: float) -> None:
        if not 0 <= weight < float("inf"):
            raise ValueError(f"a weight is a number from 0 up, not {weight}")
        node = self._leaf(index)
        self._sums[node] = weight
        while node > 1:
            node //= 2
            self._sums[node] = self._sums[2 * node] + self._sums[2 * node + 1]

    def append(self, weight: float) -> None:
        if 2 * self._size == len(self._sums):
            self._build(self._weights())
        self._size += 1
        self[self._size - 1] = weight

    def draw(self, rng: random.Random) -> int | None:
        """One number is drawn, unless there is nothing to draw."""
        if not self.total > 0:
            return None
        point, node, leaves = rng.random() * self.total, 1, len(self._sums) // 2
        while node < leaves:
            left, right = self._sums[2 * node], self._sums[2 * node + 1]
            if point < left or not right > 0:
                node = 2 * node
            else:
                point, node = point - left, 2 * node + 1
        return node - leaves

    def clear(self) -> None:
        """All weights are 0 from now on."""
        self._sums = array("d", bytes(8 * len(self._sums)))

    def _leaf(self, index: int) -> int:
        if not 0 <= index < self._size:
            raise IndexError(index)
        return len(self._sums) // 2 + index

    def _weights(self) -> array[float]:
        leaves = len(self._sums) // 2
        return self._sums[leaves : leaves + self._size]

    def state(self) -> dict[str, Any]:
        return {"weights": self._weights()}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Lottery:
        return cls(state["weights"])
