"""The balance of energies: the sigmoid, the threshold at a rank, and the exact one."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.learn.balance import STEEPEST, WARM, Relevances, Threshold, energy, exact, rank, slope, threshold_at

TWENTY = [round(0.05 * number, 2) for number in range(1, 21)]
MANY = st.lists(st.floats(0, 1), min_size=1, max_size=80)
COSTS = st.floats(0.01, 5)
GAINS = st.floats(0.1, 40)


def seen(relevances: list[float]) -> Relevances:
    made = Relevances()
    for relevance in relevances:
        made.add(relevance)
    return made


def drifts(relevances: list[float], threshold: Threshold, cost: float, gain: float) -> float:
    return float(np.mean([energy(one, threshold, cost, gain) for one in relevances]))


def test_the_golden_vector() -> None:
    threshold = seen(TWENTY).estimate(1.0, 4.0)
    assert rank(20, 1.0, 4.0) == 16
    assert threshold.relevance == pytest.approx(0.80) and threshold.slope == pytest.approx(40)
    assert energy(0.8, threshold, 1.0, 4.0) == pytest.approx(1.5)
    assert energy(1.0, threshold, 1.0, 4.0) == pytest.approx(3.998323, abs=1e-6)
    assert energy(0.5, threshold, 1.0, 4.0) == pytest.approx(-0.999969, abs=1e-6)


def test_the_sigmoid_switches_at_r_minus_the_threshold() -> None:
    """3.6 a. With r + R, as printed, a page of no relevance would gain as soon as R is above 0."""
    threshold = Threshold(0.5, 40.0)
    assert energy(0.0, threshold, 0.5, 10.0) == pytest.approx(-0.5, abs=1e-6)
    assert energy(1.0, threshold, 0.5, 10.0) == pytest.approx(10.0, abs=1e-6)
    assert energy(0.5, threshold, 0.5, 10.0) == pytest.approx((10.0 - 0.5) / 2)


def test_one_page_in_twenty_one_is_above_the_threshold_with_the_papers_example() -> None:
    """3.6 b. The two printed errors cancel: n* = n / (C / G + 1) is right, the ratio G / C is not."""
    relevances = [number / 2100 for number in range(2100)]
    threshold = seen(relevances).estimate(0.5, 10.0)
    above = sum(one > threshold.relevance for one in relevances) / len(relevances)
    assert above == pytest.approx(1 / 21, abs=1e-3)
    printed = Threshold(relevances[2100 // 21], threshold.slope)  # P(r > R) / P(r <= R) = G / C
    assert drifts(relevances, printed, 0.5, 10.0) > 9
    assert abs(drifts(relevances, threshold, 0.5, 10.0)) < 0.2


def test_the_slope_is_for_the_nearer_extreme() -> None:
    """3.6 c. The printed test compares 1 / relevance with relevance."""
    assert slope(0.8, 0.05, 1.0) == pytest.approx(8 / 0.2)
    assert slope(0.2, 0.1, 1.0) == pytest.approx(8 / 0.1)


@pytest.mark.parametrize(("relevance", "least", "most"), [(0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (0.3, 0.3, 0.3)])
def test_at_an_extreme_the_slope_is_finite(relevance: float, least: float, most: float) -> None:
    """3.6 c. R = r_min or r_max would make it infinite."""
    assert slope(relevance, least, most) == STEEPEST


def test_the_sum_has_a_term_for_each_page() -> None:
    """3.6 d. n terms: one page alone is balanced by giving nothing."""
    threshold = exact(np.array([0.4]), 0.5, 10.0)
    assert energy(0.4, threshold, 0.5, 10.0) == pytest.approx(0, abs=1e-6)


def test_the_estimate_drifts_upwards_and_the_exact_threshold_does_not() -> None:
    """3.6 e."""
    rng = random.Random(1)
    relevances = [rng.betavariate(0.6, 6) for _ in range(3000)]
    known = seen(relevances)
    for cost, gain in ((0.2, 4.0), (0.5, 10.0), (0.5, 30.0)):
        assert drifts(relevances, known.estimate(cost, gain), cost, gain) > 0.02
        assert drifts(relevances, known.exact(cost, gain), cost, gain) == pytest.approx(0, abs=1e-6)


def test_where_most_pages_have_nothing_of_the_topic_these_cost() -> None:
    """The threshold is then the least relevance of all, and half of G and C would be paid for nothing."""
    known = seen([0.0] * 99 + [0.4])
    threshold = known.estimate(0.5, 10.0)
    assert energy(0.0, threshold, 0.5, 10.0) == pytest.approx(-0.5, abs=0.01)
    assert energy(0.4, threshold, 0.5, 10.0) == pytest.approx(10.0)
    assert threshold_at(0.3, 0.3, 0.9).relevance > 0.3


def test_the_first_pages_are_parted_in_the_middle() -> None:
    known = seen(TWENTY[: WARM - 1])
    assert known.estimate(0.5, 10.0).relevance == known.exact(0.5, 10.0).relevance == pytest.approx(0.5)
    known.add(1.0)
    assert known.estimate(0.5, 10.0).relevance == pytest.approx(0.95)


@given(MANY, st.lists(st.tuples(COSTS, GAINS), min_size=1, max_size=5))
def test_the_estimate_is_the_relevance_at_its_rank_however_cost_and_gain_move(
    relevances: list[float], moved: list[tuple[float, float]]
) -> None:
    known = Relevances()
    for number, relevance in enumerate(relevances):
        known.add(relevance)
        cost, gain = moved[number % len(moved)]
        place = rank(number + 1, cost, gain) if number + 1 >= WARM else rank(number + 1, 1.0, 1.0)
        wanted = sorted(relevances[: number + 1])[place - 1]
        assert known.estimate(cost, gain).relevance == pytest.approx(wanted, abs=1e-5)


@given(MANY, COSTS, GAINS)
def test_energies_stay_between_cost_and_gain(relevances: list[float], cost: float, gain: float) -> None:
    known = seen(relevances)
    for threshold in (known.estimate(cost, gain), known.exact(cost, gain)):
        assert math.isfinite(threshold.relevance) and 0 < threshold.slope <= STEEPEST
        for relevance in relevances:
            assert -cost - 1e-9 <= energy(relevance, threshold, cost, gain) <= gain + 1e-9


@given(st.lists(st.floats(0, 1), min_size=WARM, max_size=200), COSTS, GAINS)
def test_the_exact_threshold_balances_any_relevances(relevances: list[float], cost: float, gain: float) -> None:
    threshold = exact(np.array(relevances), cost, gain)
    assert abs(drifts(relevances, threshold, cost, gain)) < 1e-3 * (cost + gain)


@given(MANY, COSTS, GAINS)
def test_stored_and_read_back_it_goes_on_the_same(relevances: list[float], cost: float, gain: float) -> None:
    known = seen(relevances)
    known.estimate(cost, gain)
    known.exact(cost, gain)
    again = codec.load(*codec.store(known))
    assert codec.store(again) == codec.store(known)
    for one in (known, again):
        one.add(0.5)
    assert again.estimate(cost, gain) == known.estimate(cost, gain)
    assert again.exact(cost, gain) == known.exact(cost, gain)


def test_what_is_more_relevant_never_gets_less() -> None:
    threshold = seen(TWENTY).estimate(0.5, 10.0)
    energies = [energy(one, threshold, 0.5, 10.0) for one in TWENTY]
    assert energies == sorted(energies)
