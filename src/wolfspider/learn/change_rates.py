"""How often a source changes, from looks at it: by how much was new each time, or by whether anything was.

Of two looks far apart only one can say that there was a change, however many there were; the estimators by changes
allow for that.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_STEPS = 60  # of a bisection
_LOWEST, _HIGHEST = 1e-6, 1e4  # changes an hour


def regular_rate(looks: int, unchanged: int, interval: float) -> float:
    """Changes per unit of time, from looks at equal intervals: the estimator of Cho and Garcia-Molina with little bias,
    which is finite even if every look found a change."""
    return -math.log((unchanged + 0.5) / (looks + 0.5)) / interval


def likely_rates(gaps: Floats, changed: NDArray[np.bool_], shape: float = 0.5, hours: float = 6.0) -> Floats:
    """The most likely changes an hour of each source, from looks after the gaps of its row (hours; nan where there was
    no look) that found a change or did not. Before any look it is thought to change `shape` times in `hours`."""
    there = ~np.isnan(gaps)
    waited = np.where(there & ~changed, gaps, 0.0).sum(axis=1)
    hits = np.where(there & changed, np.maximum(gaps, 1e-9), np.nan)
    low, high = np.full(len(gaps), _LOWEST), np.full(len(gaps), _HIGHEST)
    for _ in range(_STEPS):
        rates = np.sqrt(low * high)
        with np.errstate(over="ignore"):
            found = np.nansum(hits / np.expm1(rates[:, None] * hits), axis=1)
        rises = found + (shape - 1) / rates - hours - waited > 0
        low, high = np.where(rises, rates, low), np.where(rises, high, rates)
    return np.asarray(np.sqrt(low * high))


def fading(hours: float, half_life: float) -> float:
    """What is left of an old count after so many hours."""
    return float(0.5 ** (hours / half_life))


def drawn_rates(counts: Floats, hours: Floats, seed: int) -> Floats:
    """Rates that may be the true ones, given so many items in so many hours: drawn from what is believed of them."""
    generator: Any = np.random.Generator(np.random.PCG64(seed))
    return np.asarray(generator.gamma(np.maximum(counts, 1e-3)) / np.maximum(hours, 1e-9))
