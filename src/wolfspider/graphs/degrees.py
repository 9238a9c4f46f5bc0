"""Three estimates of the exponent of a degree distribution P(k) ~ k^-gamma, because they disagree.

    raw      least squares of ln P(k) on ln k over every k >= 1 that occurs. Papers plot this one; the noisy tail bends
             it, because single pages at single degrees weigh as much there as the thousands at the head
    binned   the same on logarithmic bins, count divided by width: the tail counts once per bin
    mle      gamma = 1 + n / sum ln(k_i / (kmin - 1/2)) over k_i >= kmin, the maximum likelihood estimate; kmin is where
             the tail fits best (smallest Kolmogorov-Smirnov distance), its spread comes from the bootstrap

All three are given as positive gamma. Quote the third; the others are for comparison with published figures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wolfspider.graphs.graph import Ints

Floats = NDArray[np.float64]

BIN_RATIO = 1.5
CANDIDATES = 60  # of kmin, dense among the small degrees
LEAST_TAIL = 50  # degrees at kmin and above; a fit to fewer says little


@dataclass(frozen=True, slots=True)
class Exponents:
    raw: float
    binned: float
    mle: float
    kmin: int  # where the tail of the third estimate begins
    tail: int  # degrees in that tail
    distance: float  # Kolmogorov-Smirnov, between the tail and its fit
    low: float  # 95 % interval of the third estimate, kmin given, by the bootstrap
    high: float
    mean: float
    largest: int
    zeros: int  # nodes without any link: in no estimate


def exponents(degrees: ArrayLike, rng: np.random.Generator, resamples: int = 200) -> Exponents:
    """All three estimates; nan where there is nothing to fit."""
    every = np.asarray(degrees, dtype=np.int64)
    values, counts = distribution(every)
    gamma, kmin, distance = best_tail(values, counts)
    low, high = _bootstrap(values, counts, kmin, rng, resamples)
    return Exponents(
        raw=raw_exponent(values, counts),
        binned=binned_exponent(values, counts),
        mle=gamma,
        kmin=kmin,
        tail=int(counts[values >= kmin].sum()),
        distance=distance,
        low=low,
        high=high,
        mean=float(every.mean()) if every.size else 0.0,
        largest=int(every.max(initial=0)),
        zeros=int(np.count_nonzero(every <= 0)),
    )


def distribution(degrees: ArrayLike) -> tuple[Ints, Ints]:
    """The degrees of at least one that occur, and how often each does."""
    every = np.asarray(degrees, dtype=np.int64)
    values, counts = np.unique(every[every >= 1], return_counts=True)
    return values, counts.astype(np.int64)


def raw_exponent(values: Ints, counts: Ints) -> float:
    return _slope(values.astype(np.float64), counts.astype(np.float64))


def binned_exponent(values: Ints, counts: Ints, ratio: float = BIN_RATIO) -> float:
    return _slope(*log_bins(values, counts, ratio))


def log_bins(values: Ints, counts: Ints, ratio: float = BIN_RATIO) -> tuple[Floats, Floats]:
    """Geometric middle and density (count per degree) of the bins that are not empty."""
    if not values.size:
        return np.empty(0), np.empty(0)
    steps = int(np.ceil(np.log(values[-1] + 1) / np.log(ratio))) + 1
    edges = np.unique(np.floor(ratio ** np.arange(steps + 1)).astype(np.int64))
    sums = np.histogram(values, bins=edges, weights=counts.astype(np.float64))[0]
    middles = np.sqrt(edges[:-1] * (edges[1:] - 1.0))  # of the whole numbers in the bin: its last is one below the edge
    full = sums > 0
    return middles[full], (sums / np.diff(edges))[full]


def best_tail(values: Ints, counts: Ints) -> tuple[float, int, float]:
    """(gamma, kmin, distance) for the kmin whose tail is nearest to its fit."""
    starts = _candidates(values, counts)
    if not starts.size:
        return float("nan"), 1, float("nan")
    sizes = counts[::-1].cumsum()[::-1][starts].astype(np.float64)
    logs = np.log(values)
    sums = (counts * logs)[::-1].cumsum()[::-1][starts] - sizes * np.log(values[starts] - 0.5)
    gammas = 1 + sizes / sums
    distances = [_distance(values[start:], counts[start:], gamma) for start, gamma in zip(starts, gammas, strict=True)]
    best = int(np.argmin(distances))
    return float(gammas[best]), int(values[starts[best]]), distances[best]


def _candidates(values: Ints, counts: Ints) -> Ints:
    """Indices in `values` where a tail may begin: the tail has enough degrees, and more than one distinct degree."""
    tails = counts[::-1].cumsum()[::-1]
    last = int(np.count_nonzero(tails >= min(LEAST_TAIL, int(counts.sum()))))
    last = max(1, min(last, values.size - 1))
    if not values.size:
        return np.empty(0, dtype=np.int64)
    return np.unique(np.geomspace(1, last, CANDIDATES).round().astype(np.int64)) - 1


def _distance(values: Ints, counts: Ints, gamma: float) -> float:
    """Largest gap between the tail's distribution and the fit, taken as continuous between half degrees."""
    seen = np.cumsum(counts) / counts.sum()
    fitted = 1 - ((values + 0.5) / (values[0] - 0.5)) ** (1 - gamma)
    return float(np.abs(seen - fitted).max())


def _slope(xs: Floats, ys: Floats) -> float:
    """Minus the slope of ln y on ln x."""
    if xs.size < 2:
        return float("nan")
    across = np.log(xs) - np.log(xs).mean()
    return float(-(across * np.log(ys)).sum() / (across**2).sum())


def _bootstrap(values: Ints, counts: Ints, kmin: int, rng: np.random.Generator, resamples: int) -> tuple[float, float]:
    """The 95 % interval of gamma for the tail from kmin on. kmin itself is kept: resamples contain many duplicates and
    would choose it systematically too high."""
    values, counts = values[values >= kmin], counts[values >= kmin]
    total = int(counts.sum())
    if not total or resamples < 1:
        return float("nan"), float("nan")
    drawn = rng.multinomial(total, counts / total, size=resamples)
    gammas = 1 + total / (drawn @ np.log(values / (kmin - 0.5)))
    low, high = np.quantile(gammas, [0.025, 0.975])
    return float(low), float(high)
