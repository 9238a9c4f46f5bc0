"""What a person's labels say of a probability: is it too high or too low on this web, and too sure or not sure enough?

How many pages are relevant differs between webs, and nothing but labels tells it. So the log-odds x of a page become

    x + shift + slope x,        shift ~ N(0, 1), slope ~ N(0, 1/2)

with the values that fit the labels best (Platt's scaling). Without labels both are 0, and a few labels change little.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

SHIFT, SLOPE = 1.0, 0.5  # standard deviations: how much is expected before there are labels
MOST = 500  # labels that are kept, the last ones
STEPS = 20  # of Newton's method
FARTHEST = 20.0  # log-odds


class Calibration:
    def __init__(self) -> None:
        self._labels: deque[tuple[float, bool]] = deque(maxlen=MOST)
        self._fitted = (0.0, 0.0)

    def probability(self, odds: float) -> float:
        """Of log-odds."""
        shift, slope = self._fitted
        return 1 / (1 + math.exp(-_bounded(odds + shift + slope * odds)))

    def learn(self, odds: float, label: bool) -> None:
        self._labels.append((_bounded(odds), label))
        self._fit()

    def _fit(self) -> None:
        odds, labels = np.array(self._labels, np.float64).reshape(-1, 2).T
        features = np.stack([np.ones_like(odds), odds])
        trust = np.array([SHIFT, SLOPE]) ** -2.0
        fitted = np.zeros(2)
        for _ in range(STEPS):
            sure = 1 / (1 + np.exp(-np.clip(odds + fitted @ features, -FARTHEST, FARTHEST)))
            gradient = features @ (sure - labels) + trust * fitted
            fitted = fitted - np.linalg.solve((features * (sure * (1 - sure))) @ features.T + np.diag(trust), gradient)
        self._fitted = (float(fitted[0]), max(float(fitted[1]), -1.0))  # a higher score is never less probable

    def state(self) -> dict[str, Any]:
        return {"odds": [odds for odds, _ in self._labels], "labels": [label for _, label in self._labels]}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._labels.clear()
        self._labels.extend(zip(map(float, state["odds"]), map(bool, state["labels"]), strict=True))
        self._fit()


def _bounded(odds: float) -> float:
    return min(max(odds, -FARTHEST), FARTHEST)
