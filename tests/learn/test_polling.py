"""Polling: every rule against its closed form, and the estimators against rates that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.learn import poll_rates
from wolfspider.learn.change_rates import likely_rates, regular_rate
from wolfspider.learn.week_profile import HOUR, WeekProfile

RULES = [
    poll_rates.even,
    poll_rates.proportional,
    poll_rates.freshest,
    poll_rates.newest,
    poll_rates.most_requested,
    poll_rates.harmonic,
]
ROWS = st.lists(st.tuples(st.floats(0.01, 50), st.floats(0.1, 10)), min_size=1, max_size=30)


def _columns(rows):
    return np.array([rate for rate, _ in rows]), np.array([weight for _, weight in rows])


@given(ROWS, st.floats(0.1, 100))
def test_looks_add_up_to_the_budget(rows, budget):
    rates, weights = _columns(rows)
    for rule in RULES:
        looks = rule(rates, weights, budget)
        assert (looks >= 0).all() and looks.sum() == pytest.approx(budget), rule.__name__


@given(ROWS, st.floats(0.1, 100))
def test_what_the_last_look_brings_is_the_same_wherever_there_are_looks(rows, budget):
    rates, weights = _columns(rows)
    brings = {
        poll_rates.freshest: lambda f, x: weights / rates * (1 - (1 + x) * np.exp(-x)),
        poll_rates.newest: lambda f, x: weights * (1 - (1 + x) * np.exp(-x)),
        poll_rates.most_requested: lambda f, x: weights * rates / (f + rates) ** 2,
        poll_rates.harmonic: lambda f, x: weights * rates / (f * (f + rates)),
    }
    for rule, last in brings.items():
        looks = rule(rates, weights, budget)
        there = looks > budget * 1e-6
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            prices = last(looks, rates / looks)[there]
        assert prices == pytest.approx(prices[0], rel=1e-3), rule.__name__


def test_golden_vectors():
    rates, ones = np.array([1.0, 4.0]), np.ones(2)
    assert poll_rates.most_requested(rates, ones, 10.0) == pytest.approx([4, 6])
    assert poll_rates.harmonic(rates, ones, 11.165151) == pytest.approx([4, 7.165151], abs=1e-5)
    assert poll_rates.index(np.array([2.0]), np.array([3.0]), 6.0)[0] == pytest.approx(1.082448, abs=1e-6)
    assert regular_rate(10, 6, 1.0) == pytest.approx(0.479573, abs=1e-6)


def test_pages_that_change_too_fast_are_given_up_for_freshness_but_not_by_the_harmonic_rule():
    rates, ones = np.array([0.1, 1.0, 1000.0]), np.ones(3)
    assert poll_rates.freshest(rates, ones, 2.0)[2] == 0
    assert poll_rates.harmonic(rates, ones, 2.0)[2] > 0


@pytest.mark.parametrize("rate", [0.2, 1.0, 3.0])
def test_likely_rates_find_the_rate_of_changes_that_looks_saw_only_as_yes_or_no(rate):
    chance = np.random.default_rng(7)
    gaps = chance.exponential(1.0, (1, 2_000))
    changed = chance.random(gaps.shape) < 1 - np.exp(-rate * gaps)
    assert likely_rates(gaps, changed)[0] == pytest.approx(rate, rel=0.15)


def test_a_profile_learns_busy_hours_and_keeps_the_length_of_a_week():
    profile = WeekProfile()
    monday = 4 * 24 * HOUR  # 5 January 1970
    for day in range(28):
        for hour in range(24):
            since = monday + (day * 24 + hour) * HOUR
            profile.learn(since, since + HOUR, 9 if hour == 20 and day % 7 < 5 else 1, 1.0)
    busy = profile.busy()
    assert busy[20] == max(busy) and busy[20] > 2 * busy[8]
    assert busy[24 + 20] < busy[20]  # at weekends nothing happens at that hour
    assert profile.between(monday, monday + 7 * 24 * HOUR) == pytest.approx(7 * 24)
    evening = monday + 20 * HOUR
    assert profile.between(evening, evening + HOUR) == pytest.approx(busy[20])


@given(st.floats(0, 4e9), st.floats(0, 1e6), st.floats(0, 1e6))
def test_hours_add_up(start, first, second):
    profile = WeekProfile()
    profile.learn(0.0, 3 * HOUR, 5, 1.0)
    whole = profile.between(start, start + first + second)
    assert whole == pytest.approx(
        profile.between(start, start + first) + profile.between(start + first, start + first + second), abs=1e-3
    )
    assert math.isfinite(whole) and whole >= -1e-6
