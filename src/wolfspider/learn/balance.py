"""The energy balance: how much energy a page gives an agent or takes from it, so that the sum over all pages is about
0.

These are the equations of section III.A of the paper on energy-regulated populations (strategies/energy).

    f(r) = (G + C) / (1 + exp(-lambda (r - R))) - C        from -C, far below the threshold R, to G, far above it

With a steep curve a page pays either -C or G, and the expectation is 0 where P(r > R) / P(r <= R) = C / G: R is the
relevance at rank n* = n / (C / G + 1) of the n pages seen, in ascending order. The slope is such that the curve is
saturated (lambda |r - R| = 8) at the nearer of the two extremes. `exact` seeks the R at which the sum of f itself is 0.
"""

from __future__ import annotations

import heapq
import math
from array import array
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import helper

SATURATED = 8.0
NARROWEST = 1e-6  # the least distance for which a slope is computed, as a share of the range of relevances
STEEPEST = 1e6
WARM = 20  # pages; before that, R is the median
GROWN = 1.02  # growth of the number of pages after which the exact threshold is computed again
SAMPLE = 50_000  # relevances that it is computed from
HALVINGS = 60

Floats = NDArray[np.float64]


class Threshold(NamedTuple):
    relevance: float  # R
    slope: float  # lambda


def energy(relevance: float, threshold: Threshold, cost: float, gain: float) -> float:
    """f(r, R), with (r - R); as printed, with (r + R), it would have no threshold."""
    point = threshold.slope * (relevance - threshold.relevance)
    share = 1 / (1 + math.exp(-point)) if point > -700 else 0.0
    return (gain + cost) * share - cost


def rank(pages: int, cost: float, gain: float) -> int:
    """n*, from 1 on."""
    return min(pages, max(1, math.floor(pages / (cost / gain + 1) + 0.5)))


def slope(relevance: float, least: float, most: float) -> float:
    """lambda = 8 / min(R - r_min, r_max - R), as far as that is finite."""
    half = max(min(relevance - least, most - relevance), NARROWEST * (most - least))
    return min(SATURATED / half, STEEPEST) if half > 0 else STEEPEST


def threshold_at(relevance: float, least: float, most: float) -> Threshold:
    """The threshold for this R. If R is the least relevance of all, as on webs where most pages have nothing of the
    topic, it is raised so far that these pages cost C: they are not above the threshold."""
    steep = slope(relevance, least, most)
    return Threshold(max(relevance, least + SATURATED / STEEPEST) if relevance <= least else relevance, steep)


def exact(relevances: Floats, cost: float, gain: float) -> Threshold:
    """The R at which the energies of these pages sum to 0, by bisection: the sum falls as R rises."""
    least, most = float(relevances.min()), float(relevances.max())
    margin = 100 / STEEPEST
    low, high = least - margin, most + margin
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        points = np.clip(slope(middle, least, most) * (relevances - middle), -700, 700)
        if float(((gain + cost) / (1 + np.exp(-points)) - cost).sum()) > 0:
            low = middle
        else:
            high = middle
    return Threshold(high, slope(high, least, most))


@helper
class Relevances:
    """The relevances of all pages seen, divided at R; adding one takes O(log n)."""

    def __init__(self) -> None:
        self._low: list[float] = []  # negative, as a heap: the largest of those up to R comes first
        self._high: list[float] = []  # a heap of the others
        self._least, self._most = math.inf, -math.inf
        self._sought: tuple[float, float, int, Threshold] | None = None  # exact: cost, gain, pages, what was found

    def __len__(self) -> int:
        return len(self._low) + len(self._high)

    def add(self, relevance: float) -> None:
        self._least, self._most = min(self._least, relevance), max(self._most, relevance)
        if self._low and relevance <= -self._low[0]:
            heapq.heappush(self._low, -relevance)
        else:
            heapq.heappush(self._high, relevance)

    def estimate(self, cost: float, gain: float) -> Threshold:
        """The paper's R, at rank n*; the median of the first pages."""
        place = rank(len(self), cost, gain) if len(self) >= WARM else rank(len(self), 1.0, 1.0)
        while len(self._low) < place:
            heapq.heappush(self._low, -heapq.heappop(self._high))
        while len(self._low) > place:
            heapq.heappush(self._high, -heapq.heappop(self._low))
        return threshold_at(-self._low[0], self._least, self._most)

    def exact(self, cost: float, gain: float) -> Threshold:
        """The R of the exact balance, computed again whenever there are 2 % more pages: O(1) for each page,
        amortised."""
        if len(self) < WARM:
            return self.estimate(cost, gain)
        known = self._sought
        if known is None or known[:2] != (cost, gain) or len(self) >= GROWN * known[2]:
            relevances = np.concatenate([-np.array(self._low), np.array(self._high)])
            sample = relevances[:: -(-len(relevances) // SAMPLE)]
            known = self._sought = (cost, gain, len(self), exact(sample, cost, gain))
        return known[3]

    def state(self) -> dict[str, Any]:
        bounds = [self._least, self._most] if len(self) else []
        sought = None if self._sought is None else [*self._sought[:3], list(self._sought[3])]
        return {"low": array("d", self._low), "high": array("d", self._high), "bounds": bounds, "sought": sought}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Relevances:
        made = cls()
        made._low, made._high = list(state["low"]), list(state["high"])
        if state["bounds"]:
            made._least, made._most = state["bounds"]
        if state["sought"]:
            cost, gain, pages, found = state["sought"]
            made._sought = (cost, gain, pages, Threshold(*found))
        return made
