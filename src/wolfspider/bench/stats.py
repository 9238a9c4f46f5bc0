"""Is one strategy better than another, or was it luck? Paired by web and topic, repeats averaged.

Two strategies are compared on the same work, so only the differences count: Wilcoxon's signed-rank test on them, which
asks nothing of their distribution, with Holm's correction over all pairs of strategies, and a bootstrap interval of the
mean difference, which says how large it is. Pairs without a difference say nothing about its sign and are left out of
the test, as Wilcoxon did; they stay in the interval.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.bench import Row
from wolfspider.bench.groups import Figure, aligned, grouped, values
from wolfspider.bench.measure.bounds import curve

EXACT = 50  # differences up to which the test counts all signs
EXACT_TIED = 13  # likewise where some are equal
RESAMPLES = 9_999
DIGITS = 12  # differences that agree so far are equal: the rest is rounding

WORK = itemgetter("web", "topic")  # of a row: strategies are compared on the same work
Work = tuple[str, str]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`first` minus `second`, over the work both did."""

    first: str
    second: str
    pairs: int
    wins: int  # of the first
    losses: int
    difference: float  # the mean
    low: float  # its 95 % interval
    high: float
    p: float
    adjusted: float  # p after Holm; below 0.05 the difference is hardly luck


@dataclass(frozen=True, slots=True)
class StrategySummary:
    """A figure of one strategy over all its work: mean, and standard deviation between topics."""

    strategy: str
    mean: float
    deviation: float


def recall_at(share: float) -> Callable[[Row], float | None]:
    """The figure: what of the reachable relevant pages is found after this share of the budget."""

    def figure(row: Row) -> float | None:
        spent = max(1, round(share * row["pages"]))
        return float(curve(row["found"], row["pages"])[spent - 1] / row["reachable"]) if row["reachable"] else None

    return figure


def by_work(rows: Iterable[Row], value: Figure = "auc_ratio") -> dict[str, dict[Work, float]]:
    """strategy -> (web, topic) -> the mean over its repeats; rows that failed or lack the figure are left out."""
    return {
        strategy: {
            work: math.fsum(figures) / len(figures)
            for work, repeats in grouped(own, WORK).items()
            if (figures := values([row for row in repeats if row["error"] is None], value))
        }
        for strategy, own in grouped(rows, itemgetter("strategy")).items()
    }


def summaries(rows: Iterable[Row], value: Figure = "auc_ratio") -> list[StrategySummary]:
    """One for each strategy that has the figure, best first."""
    found = [
        StrategySummary(strategy, float(np.mean([*works.values()])), spread([*works.values()]))
        for strategy, works in by_work(rows, value).items()
        if works
    ]
    return sorted(found, key=lambda summary: -summary.mean)


def spread(values: Sequence[float]) -> float:
    """The standard deviation of a sample; 0 of a single value."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def compare(rows: Iterable[Row], value: Figure = "auc_ratio", seed: int = 0) -> list[Comparison]:
    """Every pair of strategies that shares work, the better one first."""
    works = by_work(rows, value)
    raw = [
        _compared(first, second, works, seed)
        for first, second in combinations(works, 2)
        if works[first].keys() & works[second].keys()
    ]
    adjusted = holm([comparison.p for comparison in raw])
    return [replace(comparison, adjusted=p) for comparison, p in zip(raw, adjusted, strict=True)]


def against(rows: Iterable[Row], first: str, value: Figure = "auc_ratio", seed: int = 0) -> list[Comparison]:
    """One strategy minus each of the others that shares work with it, the nearest first. Holm's correction is over
    these comparisons alone: what is asked is whether one strategy is ahead of the others."""
    works = by_work(rows, value)
    ours = works.get(first, {})
    raw = [
        _comparison(first, second, _differences(first, second, works), seed)
        for second, theirs in works.items()
        if second != first and ours.keys() & theirs.keys()
    ]
    adjusted = holm([comparison.p for comparison in raw])
    found = [replace(comparison, adjusted=p) for comparison, p in zip(raw, adjusted, strict=True)]
    return sorted(found, key=lambda comparison: comparison.difference)


def _compared(first: str, second: str, works: Mapping[str, Mapping[Work, float]], seed: int) -> Comparison:
    differences = _differences(first, second, works)
    if differences.mean() < 0:
        first, second, differences = second, first, -differences
    return _comparison(first, second, differences, seed)


def _differences(first: str, second: str, works: Mapping[str, Mapping[Work, float]]) -> Floats:
    ours, theirs = aligned({first: works[first], second: works[second]}).values()
    differences: Floats = np.subtract(ours, theirs).round(DIGITS)
    return differences


def _comparison(first: str, second: str, differences: Floats, seed: int) -> Comparison:
    low, high = interval(differences, seed)
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    mean, p = float(differences.mean()), wilcoxon(differences)
    return Comparison(first, second, differences.size, wins, losses, mean, low, high, p, p)


def shares_under(rows: Iterable[Row], limit: float, value: Figure = "auc_ratio") -> dict[str, float]:
    """Of each strategy the share of its crawls, not of its topics, that stay under a limit: how often it goes wrong."""
    return {
        strategy: sum(figure < limit for figure in figures) / len(figures)
        for strategy, own in grouped(rows, itemgetter("strategy")).items()
        if (figures := values([row for row in own if row["error"] is None], value))
    }


def shares_near_best(rows: Iterable[Row], share: float, value: Figure = "auc_ratio") -> dict[str, float]:
    """Of each strategy the share of its work on which it has at least `share` of what the best strategy has there."""
    works = by_work(rows, value)
    best: dict[Work, float] = {}
    for own in works.values():
        best |= {work: max(figure, best.get(work, figure)) for work, figure in own.items()}
    return {
        strategy: sum(figure >= share * best[work] for work, figure in own.items()) / len(own)
        for strategy, own in works.items()
        if own
    }


def wilcoxon(differences: Floats) -> float:
    """The two-sided p of the signed-rank test; 1 where nothing differs."""
    from scipy.stats import wilcoxon as signed_rank

    left = differences[differences != 0]
    if not left.size:
        return 1.0
    tied = np.unique(np.abs(left)).size < left.size
    if tied and left.size <= EXACT_TIED:
        return _over_all_signs(left)
    method: Any = "exact" if left.size <= EXACT and not tied else "asymptotic"
    return min(1.0, float(signed_rank(left, method=method).pvalue))


def _over_all_signs(differences: Floats) -> float:
    """The exact two-sided p, ties or not: how many of all signs give a rank sum as far out, counted sum by sum."""
    from scipy.stats import rankdata

    ranks = (2 * rankdata(np.abs(differences))).astype(np.int64)  # ranks of equal ones are halves
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in ranks:
        ways[rank:] += ways[:-rank].copy()
    found = int(ranks[differences > 0].sum())
    tails = float(ways[: found + 1].sum()), float(ways[found:].sum())
    return min(1.0, 2 * min(tails) / float(2 ** len(differences)))


class Welch(NamedTuple):
    """Of two samples that are not paired: the first mean less the second, its 95 % interval, and the two-sided p."""

    difference: float
    low: float
    high: float
    p: float


def welch(first: Sequence[float], second: Sequence[float]) -> Welch:
    """The t-test that does not take variances for equal. Samples that do not vary differ surely or not at all."""
    from scipy.stats import ttest_ind

    samples = [np.asarray(values, dtype=np.float64).round(DIGITS) for values in (first, second)]
    difference = float(samples[0].mean() - samples[1].mean())
    if not any(map(np.ptp, samples)):
        return Welch(difference, difference, difference, float(difference == 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # scipy's on the sample that does not vary, if one does not
        test = ttest_ind(*samples, equal_var=False)
    low, high = test.confidence_interval()
    return Welch(difference, float(low), float(high), float(test.pvalue))


class Anova(NamedTuple):
    """One-way analysis of variance: between the groups and within them, with degrees of freedom and sums of squares."""

    between: int  # degrees of freedom
    within: int
    factor: float  # sums of squares
    error: float
    f: float | None  # None where nothing varies within the groups
    p: float

    @property
    def pooled(self) -> float:
        """The standard deviation that the groups share, as far as it goes."""
        return math.sqrt(self.error / self.within)


def anova(*groups: Sequence[float]) -> Anova:
    """Have groups of values the same mean? It knows nothing of pairs. One group needs two values."""
    from scipy.stats import f as distribution

    values = [np.asarray(group, dtype=np.float64).round(DIGITS) for group in groups]
    whole = np.concatenate(values)
    between, within = len(values) - 1, whole.size - len(values)
    factor = float(sum(group.size * (group.mean() - whole.mean()) ** 2 for group in values))
    error = float(sum(((group - group.mean()) ** 2).sum() for group in values if np.ptp(group)))
    if error == 0:
        return Anova(between, within, factor, 0.0, None, float(len({group[0] for group in values}) == 1))
    ratio = (factor / between) / (error / within)
    return Anova(between, within, factor, error, ratio, float(distribution.sf(ratio, between, within)))


class Paired(NamedTuple):
    """Student's t-test of paired differences: their mean, the interval asked for, t, and the two-sided p."""

    mean: float
    low: float
    high: float
    t: float | None  # None where differences do not vary
    p: float


def paired(differences: Sequence[float], share: float = 0.95) -> Paired:
    """Differences that do not vary are surely there or not at all. Two or more."""
    from scipy.stats import ttest_1samp

    values: Floats = np.asarray(differences, dtype=np.float64).round(DIGITS)
    mean = float(values.mean())
    if not np.ptp(values):
        return Paired(mean, mean, mean, None, float(mean == 0))
    test = ttest_1samp(values, 0)
    low, high = test.confidence_interval(share)
    return Paired(mean, float(low), float(high), float(test.statistic), float(test.pvalue))


def trend(lines: Sequence[Sequence[float]]) -> float:
    """The p of Page's test: do the columns rise from the first to the last? A line for each case."""
    from scipy.stats import page_trend_test

    return float(page_trend_test(np.array(lines)).pvalue)


def holm(ps: Sequence[float]) -> list[float]:
    """Each p times the number of hypotheses not yet rejected, smallest first, and never below the one before."""
    order = np.argsort(ps, kind="stable")
    factors = len(ps) - np.arange(len(ps))
    steps = np.minimum(1.0, np.maximum.accumulate(np.asarray(ps, dtype=np.float64)[order] * factors))
    adjusted = np.empty(len(ps))
    adjusted[order] = steps
    return [float(p) for p in adjusted]


def mean_text(numbers: Sequence[float], digits: int = 3) -> str:
    """The mean with its 95% bootstrap interval: 0.512 [0.493, 0.530]."""
    low, high = interval(np.asarray(numbers, dtype=np.float64))
    return f"{np.mean(numbers):.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def interval(differences: Floats, seed: int = 0, share: float = 0.95) -> tuple[float, float]:
    """The bootstrap interval of the mean: percentiles of the means of samples drawn with replacement."""
    return interval_of(differences, lambda means: means, seed, share)


def interval_of(
    cases: NDArray[Any], figure: Callable[[NDArray[Any]], Floats], seed: int = 0, share: float = 0.95
) -> tuple[float, float]:
    """Likewise of a figure of the means. A case may be a number or a line of numbers; `figure` takes the means of all
    samples, one below the other, and gives a number for each."""
    draws = _draws(seed, len(cases))
    low, high = np.quantile(figure(cases[draws].mean(axis=1)), [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)


@lru_cache(maxsize=8)
def _draws(seed: int, size: int) -> NDArray[np.int64]:
    """The samples of so many cases: the same ones each time, so they are kept."""
    return np.random.default_rng(seed).integers(0, size, (RESAMPLES, size))
