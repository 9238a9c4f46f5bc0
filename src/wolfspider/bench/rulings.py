"""Tests that rule on claims. A ruling says which test it was, on how many cases, and how large the difference is: a
small p alone says nothing about that.

    answer        holds, does not hold or undecided: the one rule for all tests
    greater       are paired differences above zero? (Wilcoxon)
    page          do the columns of cases rise, or fall, from the first to the last? (Page)
    within        does the interval of a mean lie in a range?
    equivalent    is a paired difference smaller than a margin? (two one-sided t-tests)
    most          is something so in more than half of the cases counted?
    ordered       are means in the order that is claimed?
    few           too few cases for any test
    all_of        a claim of several parts
    beside        the same rule in other ways, told beside the ruling

The rule was written before the rows that are ruled on now. A claim holds where its test clears its bar, which is a p
below 0.05 on the right side or an interval inside the wanted range. It does not hold where no value of the 95%
interval is one that the claim allows; paired differences must have a p below 0.05 on the other side as well, or be
above zero in no case, because the interval of few differences is too narrow. Otherwise the rows admit both answers, and
it is undecided; so it is where there are cases, but too few for any other answer. A claim of several parts does not
hold if one of them does not, and is undecided if none fails and one is undecided.

Where a paper says no more than that means are in an order, that something is so in most cases, or that a mean is about
so large, the bar is that it is so here (`most`, `ordered`, and tests of papers that say so): chance is not excluded
then. The interval still decides between "does not hold" and "undecided".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from wolfspider.bench.experiment import Estimate, Rows, Ruling
from wolfspider.bench.stats import DIGITS, Floats, interval, paired, trend, wilcoxon

SURE = 0.05
FEWEST = 5  # pairs; with fewer, even if all agree, the one-sided p is above 0.05: that of five is 0.031
ABOVE, BELOW = (0.0, math.inf), (-math.inf, 0.0)  # where a difference is wanted

W = TypeVar("W")


def answer(holds: bool, measured: Estimate, statistic: str, sentence: str = "", refuted: bool = True) -> Ruling:
    """The ruling by the rule above. `holds` says whether the bar is cleared, `refuted` whether the test says the
    opposite, where it can say that. The borders of what is wanted are not wanted themselves: no difference is none
    above zero."""
    outside = measured.high <= measured.wanted[0] or measured.low >= measured.wanted[1]
    undecided = not holds and not (outside and refuted)
    return Ruling(None if undecided else bool(holds), statistic, sentence, undecided, measured)


def few(cases: Sized, what: str = "pairs", fewest: int = FEWEST) -> Ruling | None:
    """Undecided, where there are cases but too few, and not testable, where there is none; None where there are
    enough."""
    if len(cases) >= fewest:
        return None
    sentence = f"{len(cases)} {what} are too few; the test needs {fewest} or more."
    return Ruling(None, f"n = {len(cases)}" if len(cases) else "", sentence, undecided=len(cases) > 0)


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
    refuted = one_sided(-values) < sure or not wins
    return answer(p < sure and mean > 0, Estimate(mean, low, high, ABOVE), statistic, refuted=refuted)


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
    measured: Estimate  # the change from the first to the last
    cases: int

    def ruling(self, p: float | None = None) -> Ruling:
        """By its own p, or by one that was corrected for many tests. Of few cases the interval of the change says
        nothing, so that they cannot show that there is no trend."""
        found = answer(self.agrees and (self.p if p is None else p) < SURE, self.measured, self.statistic)
        return found if found.holds or self.cases >= FEWEST else replace(found, holds=None, undecided=True)


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
    measured = Estimate(float(changes.mean()), low, high, BELOW if falling else ABOVE)
    agrees = bool((means[-1] < means[0]) if falling else (means[-1] > means[0]))
    return Trend(p, agrees, statistic, measured, len(values))


def within(values: Sequence[float], wanted: tuple[float, float], name: str = "mean") -> Ruling:
    """Does the 95% interval of the mean lie in the wanted range? Fewer than five values have none."""
    if short := few(values, "values"):
        return short
    low, high = interval(np.array(values))
    mean = float(np.mean(values))
    found = f"n = {len(values)}, {name} {mean:.3f}, 95% interval {low:.3f} to {high:.3f}"
    inside = wanted[0] <= low and high <= wanted[1]
    return answer(inside, Estimate(mean, low, high, wanted), f"{found}; {wanted[0]:.3g} to {wanted[1]:.3g} is wanted")


def equivalent(differences: Sequence[float], margin: float, share: float = 0.95, form: str = "+.4f") -> Ruling:
    """Are paired differences smaller than a margin? Two one-sided t-tests, which an interval tells: it is not enough
    that no difference was seen."""
    if short := few(differences):
        return short
    test = paired(differences, share)
    statistic = (
        f"two one-sided t-tests: n = {len(differences)}, mean {test.mean:{form}}, {share:.0%} interval "
        f"{test.low:{form}} to {test.high:{form}}, within ±{format(margin, form).lstrip('+')} is wanted"
    )
    inside = -margin < test.low and test.high < margin
    return answer(inside, Estimate(test.mean, test.low, test.high, (-margin, margin)), statistic)


def most(count: int, cases: int, what: str = "cases") -> Ruling:
    """Is it so in more than half of the cases? The interval of the share is the exact one of Clopper and Pearson."""
    from scipy.stats import binomtest

    low, high = binomtest(count, cases).proportion_ci()
    share = count / cases
    statistic = f"{count} of {cases} {what}, 95% interval {low:.0%} to {high:.0%}; more than half is wanted"
    return answer(2 * count > cases, Estimate(share, float(low), float(high), (0.5, math.inf)), statistic)


def ordered(columns: Mapping[str, Sequence[float]], digits: int = 4) -> Ruling:
    """Are the means in this order, the largest first? It holds if they are. It does not if two neighbours are surely
    the other way round, by the interval of their paired differences."""
    means = {name: float(np.mean(own)) for name, own in columns.items()}
    told = ", ".join(f"{name} {mean:.{digits}g}" for name, mean in means.items())
    found = []
    for first, second in pairwise(columns):
        differences = np.subtract(columns[first], columns[second]).round(DIGITS)
        low, high = interval(differences)
        found.append(answer(bool(differences.mean() > 0), Estimate(float(differences.mean()), low, high, ABOVE), told))
    worst = min(found, key=lambda each: each.measured.mean if each.measured else 0.0)
    joined = all_of({str(place): each for place, each in enumerate(found)})
    return Ruling(joined.holds, told, undecided=joined.undecided, measured=worst.measured)


def p_text(p: float) -> str:
    return f"p = {p:.2g}" if p >= 1e-4 else "p < 0.0001"


def all_of(rulings: Mapping[str, Ruling]) -> Ruling:
    """A claim that says several things holds if each of them does, and does not hold if one of them does not. One that
    cannot be tested at all leaves the whole untested."""
    if any(not ruling.testable for ruling in rulings.values()):
        return next(ruling for ruling in rulings.values() if not ruling.testable)
    told = "; ".join(f"{name}: {ruling.word} ({ruling.statistic})" for name, ruling in rulings.items())
    answers = {ruling.holds for ruling in rulings.values()}
    undecided = False not in answers and None in answers
    sentences = dict.fromkeys(ruling.sentence for ruling in rulings.values() if ruling.sentence)
    holds = None if undecided else False not in answers
    return Ruling(holds, told, " ".join(sentences), undecided, parts=tuple(rulings.items()))


def brief(ruling: Ruling) -> str:
    """The ruling in a sentence about it: the word, and the statistic or why there is none."""
    return f"{'is ' if ruling.holds is None else ''}{ruling.word} ({ruling.statistic or ruling.sentence})"


def beside(
    rule: Callable[[Rows, W], Ruling],
    way: W,
    others: Mapping[str, W],
    untestable: bool = True,
) -> Callable[[Rows], Ruling]:
    """A test that rules in one way, and tells beside it what the same rule finds in other ways; untestable ones may be
    left out."""

    def test(rows: Rows) -> Ruling:
        ruling = rule(rows, way)
        if not ruling.testable:
            return ruling
        found = {name: rule(rows, other) for name, other in others.items()}
        told = tuple((name, other) for name, other in found.items() if untestable or other.testable)
        return replace(ruling, others=ruling.others + told)

    return test
