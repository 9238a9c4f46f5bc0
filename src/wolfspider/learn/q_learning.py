"""Double Q-learning with a small net and a memory of what happened (van Hasselt, Guez and Silver 2016).

`QNet` is one hidden layer of rectified units and a linear output, trained by Adam. `StepMemory` keeps the last steps:
what was chosen, what it paid, and some of the choices that came next. `lesson` trains a net on a sample: the choice
that the net itself finds best next is valued by an older copy of it, which keeps values from running away.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from wolfspider.core.codec import StoredFields, helper
from wolfspider.learn.link_words import Floats, Ints

DECAY, SQUARE_DECAY, TINY = 0.9, 0.999, 1e-8  # of Adam


@helper
class QNet(StoredFields):
    def __init__(self, inner: Floats, outer: Floats) -> None:
        self.inner, self.outer = inner, outer  # hidden x (inputs + 1), hidden + 1: the last is the bias
        self.moments = [np.zeros_like(part) for part in (inner, outer, inner, outer)]  # means, then squares
        self.steps = 0

    @classmethod
    def drawn(cls, inputs: int, hidden: int, rng: random.Random) -> QNet:
        spread = (2.0 / inputs) ** 0.5
        inner = np.array([[*(rng.gauss(0, spread) for _ in range(inputs)), 0.0] for _ in range(hidden)])
        return cls(inner, np.zeros(hidden + 1))

    def copied(self) -> QNet:
        return QNet(self.inner.copy(), self.outer.copy())

    def of(self, rows: Floats) -> Floats:
        """A value for each row; einsum runs in one thread: the same on every machine."""
        return np.asarray(np.einsum("ih,h->i", self._hidden(rows), self.outer[:-1]) + self.outer[-1], np.float64)

    def _hidden(self, rows: Floats) -> Floats:
        sums: Floats = np.einsum("ij,hj->ih", rows, self.inner[:, :-1]) + self.inner[:, -1]
        return np.maximum(sums, 0.0)

    def teach(self, rows: Floats, wanted: Floats, rate: float) -> None:
        """One step of Adam down the gradient of half the mean squared error."""
        hidden = self._hidden(rows)
        error = (np.einsum("ih,h->i", hidden, self.outer[:-1]) + self.outer[-1] - wanted) / len(rows)
        back = error[:, None] * self.outer[:-1] * (hidden > 0)
        inner = np.concatenate((np.einsum("ih,ij->hj", back, rows), back.sum(axis=0)[:, None]), axis=1)
        outer = np.append(np.einsum("i,ih->h", error, hidden), error.sum())
        self.steps += 1
        for place, (weights, slope) in enumerate(((self.inner, inner), (self.outer, outer))):
            mean, square = self.moments[place], self.moments[place + 2]
            mean += (1 - DECAY) * (slope - mean)
            square += (1 - SQUARE_DECAY) * (slope * slope - square)
            up, down = mean / (1 - DECAY**self.steps), square / (1 - SQUARE_DECAY**self.steps)
            weights -= rate * up / (np.sqrt(down) + TINY)


@helper
class StepMemory:
    """The last `most` steps, each with at most `choices` of the choices that came next."""

    def __init__(self, inputs: int, most: int = 4096, choices: int = 8) -> None:
        self.taken: Floats = np.zeros((most, inputs))
        self.paid: Floats = np.zeros(most)
        self.next: Floats = np.zeros((most, choices, inputs))
        self.count: Ints = np.zeros(most, np.int64)  # choices that came next
        self.seen = 0

    def __len__(self) -> int:
        return min(self.seen, len(self.paid))

    def add(self, taken: Floats, paid: float) -> None:
        place = self.seen % len(self.paid)
        self.taken[place], self.paid[place], self.count[place] = taken, paid, 0
        self.seen += 1

    def follow(self, rows: Floats) -> None:
        """The choices that came after the step added last: some of them, evenly spread."""
        place, most = (self.seen - 1) % len(self.paid), self.next.shape[1]
        chosen = rows[np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.int64)]
        self.next[place, : len(chosen)], self.count[place] = chosen, len(chosen)

    def lesson(self, net: QNet, older: QNet, size: int, discount: float, rate: float, rng: random.Random) -> None:
        places = np.array([rng.randrange(len(self)) for _ in range(size)])
        wanted = self.paid[places].copy()
        ahead, counts = self.next[places], self.count[places]
        flat = ahead.reshape(-1, ahead.shape[2])
        there = np.arange(ahead.shape[1]) < counts[:, None]
        best = np.where(there, net.of(flat).reshape(there.shape), -np.inf).argmax(axis=1)
        values = older.of(ahead[np.arange(size), best])
        wanted += np.where(counts > 0, discount * values, 0.0)
        net.teach(self.taken[places], wanted, rate)

    def state(self) -> dict[str, Any]:
        kept = {name: getattr(self, name)[: len(self)] for name in ("taken", "paid", "next", "count")}
        return {**kept, "seen": self.seen, "most": len(self.paid)}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> StepMemory:
        _, choices, inputs = np.asarray(state["next"]).shape
        made = cls(inputs, state["most"], choices)
        for name in ("taken", "paid", "next", "count"):
            kept = np.asarray(state[name])
            getattr(made, name)[: len(kept)] = kept
        made.seen = state["seen"]
        return made
