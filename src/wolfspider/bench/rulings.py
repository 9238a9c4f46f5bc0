"""Tests that claims are ruled on by. Each gives a Ruling that says which test it was, on how many cases, and how large
the difference is: a small p alone says nothing about that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from wolfspider.bench.experiment import Ruling
from wolfspider.bench.stats import DIGITS, Floats, interval, wilcoxon

SURE = 0.05
FEWEST = 5  # pairs; with fewer, even if all agree, the one-sided p is above 0.05


def greater(differences: Sequence[float], sure: float = SURE, digits: int = 3) -> Ruling:
    """Are paired differences above zero? Wilcoxon's signed-rank test, one-sided, with the bootstrap interval of the
    mean, told with as many digits as these numbers need. It holds if chance is unlikely and the mean agrees."""
    if len(differences) < FEWEST:
        return Ruling(None, sentence=f"{len(differences)} pairs are too few; the test needs {FEWEST} or more.")
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


def p_text(p: float) -> str:
    return f"p = {p:.2g}" if p >= 1e-4 else "p < 0.0001"


def all_of(rulings: Mapping[str, Ruling]) -> Ruling:
    """A claim that says several things holds if each of them does."""
    if any(ruling.holds is None for ruling in rulings.values()):
        return next(ruling for ruling in rulings.values() if ruling.holds is None)
    told = "; ".join(f"{name}: {ruling.word} ({ruling.statistic})" for name, ruling in rulings.items())
    return Ruling(all(ruling.holds for ruling in rulings.values()), told)
