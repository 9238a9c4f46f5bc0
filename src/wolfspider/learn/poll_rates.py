"""How often to look at each of many sources: published answers, each in closed form but for one price.

Source i changes `rates[i]` times an hour, at random moments, and is worth `weights[i]`. Altogether there are `budget`
looks an hour. Every rule below gives looks an hour for each source, and they add up to the budget. All but the first
two have a price: what the last look at each source brings is the same everywhere. The price is found by bisection.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_STEPS = 100  # of a bisection: each halves the distance, so these are more than floats can tell apart
_SMALLEST = 1e-12  # changes an hour; a source that never changes would divide by zero


def even(rates: Floats, weights: Floats, budget: float) -> Floats:
    """Every source as often as any other."""
    return np.full(len(rates), budget / max(1, len(rates)))


def proportional(rates: Floats, weights: Floats, budget: float) -> Floats:
    """As often as it changes."""
    total = float(rates.sum())
    return budget * rates / total if total > 0 else even(rates, weights, budget)


def freshest(rates: Floats, weights: Floats, budget: float) -> Floats:
    """Cho and Garcia-Molina 2003: copies are up to date for as much of the time as possible. Sources that change too
    fast are given up."""

    def looks(price: float) -> Floats:
        return _looks(rates, price * rates / weights)

    return _priced(looks, float((weights / rates).max()), budget)


def newest(rates: Floats, weights: Floats, budget: float) -> Floats:
    """As many looks as possible find anything new."""

    def looks(price: float) -> Floats:
        return _looks(rates, price / weights)

    return _priced(looks, float(weights.max()), budget)


def most_requested(rates: Floats, weights: Floats, budget: float) -> Floats:
    """Azar et al. 2018: as many as possible of the requests that arrive at random find a copy that is up to date; looks
    are random, too."""

    def looks(price: float) -> Floats:
        return np.maximum(0.0, np.sqrt(weights * rates / price) - rates)

    return _priced(looks, float((weights / rates).max()), budget)


def harmonic(rates: Floats, weights: Floats, budget: float) -> Floats:
    """LambdaCrawl (Kolobov et al. 2019): the penalty of a stale copy grows with the number of changes that were missed,
    so that no source is given up."""

    def looks(price: float) -> Floats:
        return np.asarray((np.sqrt(rates**2 + 4 * weights * rates / price) - rates) / 2)

    dearest = 4 * float((weights * rates).sum()) * len(rates) / budget**2 + float((weights / rates).max())
    return _priced(looks, dearest, budget)


def index(rates: Floats, gaps: Floats, fades: float) -> Floats:
    """What a look is worth now, `gaps` hours after the last one, where an item is worth exp(-age / fades) when it is
    found: all that is new, less what it costs to have looked now and not later. The look with the highest is next."""
    aged = gaps / fades
    return np.asarray(rates * fades * (1 - (1 + aged) * np.exp(-aged)))


def known(rates: Floats) -> Floats:
    """Rates that the rules can divide by."""
    return np.maximum(rates, _SMALLEST)


def _looks(rates: Floats, shares: Floats) -> Floats:
    """rates / x, where 1 - (1 + x) exp(-x) is the share; none where the share is 1 or more."""
    from scipy.special import lambertw  # slow to load, and no crawl but a watch needs it

    kept = shares < 1
    gaps = -lambertw((shares[kept] - 1) / np.e, k=-1).real - 1  # changes between two looks
    looks = np.zeros(len(rates))
    looks[kept] = rates[kept] / np.maximum(gaps, _SMALLEST)
    return looks


def _priced(looks: Callable[[float], Floats], dearest: float, budget: float) -> Floats:
    """Looks at the price at which they add up to the budget. The higher the price, the fewer they are."""
    low, high = dearest * 1e-15, dearest
    for _ in range(_STEPS):
        price = float(np.sqrt(low * high))
        low, high = (price, high) if looks(price).sum() > budget else (low, price)
    more, fewer = looks(low), looks(high)
    if float(more.sum()) <= budget:  # even at the lowest price there are too few: nothing ever changes here
        return np.asarray(more + (budget - more.sum()) / len(more))
    # Near the price at which a source is given up, its looks fall at once, for all that floats can tell.
    share = (budget - fewer.sum()) / (more.sum() - fewer.sum())
    return np.asarray(fewer + share * (more - fewer))
