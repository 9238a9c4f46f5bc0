"""The tests that claims are ruled on by."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from wolfspider.bench.rulings import greater, one_sided, p_text


@pytest.mark.parametrize("shift", [-0.5, 0.0, 0.3, 1.0])
def test_the_one_sided_p_is_that_of_scipy(shift: float) -> None:
    values = np.random.default_rng(1).normal(shift, 1, 20)
    assert one_sided(values) == pytest.approx(wilcoxon(values, alternative="greater").pvalue, abs=0.02)


def test_a_clear_difference_holds_and_its_opposite_does_not() -> None:
    values = [0.1, 0.2, 0.15, 0.3, 0.05, 0.12]
    ruling = greater(values)
    assert ruling.holds
    assert "n = 6, p = 0.016" in ruling.statistic and "6 won, 0 lost" in ruling.statistic
    assert greater([-value for value in values]).holds is False


def test_no_difference_does_not_hold() -> None:
    assert greater([0.0] * 8).holds is False


def test_too_few_pairs_are_not_testable() -> None:
    assert greater([1.0] * 4).holds is None
    assert greater([1.0] * 5).holds


@settings(max_examples=30)
@given(st.lists(st.integers(-50, 50), min_size=5, max_size=8))
def test_a_claim_and_its_opposite_never_both_hold(values: list[int]) -> None:
    assert not (greater(values).holds and greater([-value for value in values]).holds)


def test_a_large_mean_by_one_case_is_not_enough() -> None:
    assert greater([-0.1, -0.2, -0.1, -0.3, -0.1, -0.2, 100.0]).holds is False


def test_p_for_people() -> None:
    assert [p_text(p) for p in (0.5, 0.0312, 0.00001)] == ["p = 0.5", "p = 0.031", "p < 0.0001"]
