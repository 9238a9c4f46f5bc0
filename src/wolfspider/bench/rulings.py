"""Tests that rule on claims. A ruling says which test it was, on how many cases, and how large the difference is: a
small p alone says nothing about that.

    greater       are paired differences above zero? (Wilcoxon)
    page          do the columns of cases rise, or fall, from the first to the last? (Page)
    within        does the interval of a mean lie in a range?
    few           too few cases for any test
    all_of        a claim of several parts
    beside        the same rule in other ways, told in the sentence
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from wolfspider.bench.experiment import Rows, Ruling
from wolfspider.bench.stats import DIGITS, Floats, interval, trend, wilcoxon

SURE = 0.05
FEWEST = 5  # pairs; with fewer, even if all agree, the one-sided p is above 0.05

W = TypeVar("W")


def few(cases: Sized, what: str = "pairs", fewest: int = FEWEST) -> Ruling | None:
    """Not testable, where there are too few cases; None where there are enough."""
    if len(cases) >= fewest:
        return None
    return Ruling(None, sentence=f"{len(cases)} {what} are too few; the test needs {fewest} or more.")


def greater(differences: Sequence[float], sure: float = SURE, digits: int = 3) -> Ruling:
    """Are paired differences above zero? Wilcoxon's signed-rank test, one-sided, with the bootstrap interval of the
    mean, told with as many digits as these numbers need. It holds if chance is unlikely and the mean agrees."""
    if short := few(differences):
        return short
    values: Floats = np.asarray(differences, dtype=np.float64).round(DIGITS)
    p, mean = one_sided(values), float(values.mean())
    low, high = interval(values)
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    statistic = (
        f"Wilcoxon's signed-rank test, one-sided: n = {values.size}, {p_text(p)}; mean difference {mean:+.{digits}f}, "
        f"95% interval {low:+.{digits}f} to {high:+.{digits}f}; {wins} won, {losses} lost"
    )
    return Ruling(p < sure and mean > 0, statistic)


def one_sided(differences: Floats) -> float:
    """The p of the signed-rank test against `greater`, from the two-sided one: its distribution is symmetric."""
    left = differences[differences != 0]
    if not left.size:
        return 1.0
    from scipy.stats import rankdata

    towards = float((np.sign(left) * rankdata(np.abs(left))).sum())
    half = wilcoxon(differences) / 2
    return half if towards > 0 else 1 - half


class Trend(NamedTuple):
    """What Page's test finds."""

    p: float
    agrees: bool  # does the last mean lie on the right side of the first?
    statistic: str

    def ruling(self) -> Ruling:
        return Ruling(self.agrees and self.p < SURE, self.statistic)


def page(cases: Sequence[Sequence[float]], falling: bool = False) -> Trend:
    """Page's test, one-sided: do the columns rise, or fall, from the first to the last? A line is a case."""
    values = np.array(cases, dtype=np.float64).round(DIGITS)
    p = trend((values[:, ::-1] if falling else values).tolist())
    means, changes = values.mean(axis=0), values[:, -1] - values[:, 0]
    low, high = interval(changes)
    statistic = (
        f"n = {len(values)}, {p_text(p)}, means {', '.join(f'{mean:.3g}' for mean in means)}, last less first "
        f"{changes.mean():+.3g}, 95% interval {low:+.3g} to {high:+.3g}"
    )
    return Trend(p, bool((means[-1] < means[0]) if falling else (means[-1] > means[0])), statistic)


def within(values: Sequence[float], wanted: tuple[float, float], name: str = "mean") -> Ruling:
    """Does the 95% interval of the mean lie in the wanted range?"""
    low, high = interval(np.array(values))
    found = f"n = {len(values)}, {name} {np.mean(values):.3f}, 95% interval {low:.3f} to {high:.3f}"
    return Ruling(wanted[0] <= low and high <= wanted[1], f"{found}; {wanted[0]:.3g} to {wanted[1]:.3g} is wanted")


def p_text(p: float) -> str:
    return f"p = {p:.2g}" if p >= 1e-4 else "p < 0.0001"


def all_of(rulings: Mapping[str, Ruling]) -> Ruling:
    """A claim that says several things holds if each of them does."""
    if any(ruling.holds is None for ruling in rulings.values()):
        return next(ruling for ruling in rulings.values() if ruling.holds is None)
    told = "; ".join(f"{name}: {ruling.word} ({ruling.statistic})" for name, ruling in rulings.items())
    return Ruling(all(ruling.holds for ruling in rulings.values()), told)


def brief(ruling: Ruling) -> str:
    """The ruling in a sentence about it: the word, and the statistic or why there is none."""
    return f"{'is ' if ruling.holds is None else ''}{ruling.word} ({ruling.statistic or ruling.sentence})"


def beside(
    rule: Callable[[Rows, W], Ruling],
    way: W,
    others: Mapping[str, W],
    untestable: bool = True,
) -> Callable[[Rows], Ruling]:
    """A test that rules in one way, and whose sentence says what the same rule finds in other ways; untestable ones
    may be left out."""

    def test(rows: Rows) -> Ruling:
        ruling = rule(rows, way)
        if ruling.holds is None:
            return ruling
        found = {name: rule(rows, other) for name, other in others.items()}
        told = [f"{name} it {brief(other)}" for name, other in found.items() if untestable or other.holds is not None]
        sentences = [ruling.sentence, *([f"Beside it: {'; '.join(told)}."] if told else [])]
        return replace(ruling, sentence=" ".join(filter(None, sentences)))

    return test
