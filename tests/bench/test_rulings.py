"""The tests that claims are ruled on by."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from wolfspider.bench.experiment import Rows, Ruling
from wolfspider.bench.rulings import all_of, beside, few, greater, one_sided, p_text, page, within


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


def test_a_trend_is_told_with_its_means_and_its_change() -> None:
    lines = [[3.0 + case, 2.0 + case, 1.0 + case] for case in range(5)]
    falling, rising = page(lines, falling=True), page(lines)
    assert falling.ruling().holds and rising.ruling().holds is False
    assert falling.p == pytest.approx(6.0**-5)  # one order of three in each of five cases
    assert (
        "n = 5" in falling.statistic and "means 5, 4, 3, last less first -2, 95% interval -2 to -2" in falling.statistic
    )


@given(st.lists(st.lists(st.integers(-9, 9), min_size=4, max_size=4), min_size=3, max_size=6))
def test_what_rises_falls_when_it_is_turned_round(cases: list[list[int]]) -> None:
    rising, falling = page(cases), page([case[::-1] for case in cases], falling=True)
    assert (rising.p, rising.agrees) == (falling.p, falling.agrees)


def test_too_few_cases_are_told_with_what_they_are() -> None:
    assert few(range(5)) is None
    assert few(range(2), "grounds", fewest=3) == Ruling(
        None, sentence="2 grounds are too few; the test needs 3 or more."
    )


def test_an_interval_lies_within_its_range_or_not() -> None:
    values = [0.45, 0.5, 0.55, 0.48, 0.52]
    assert within(values, (0.4, 0.6)).holds and within(values, (0.51, 0.6)).holds is False
    assert within(values, (0.4, 0.6), "mean share").statistic == (
        "n = 5, mean share 0.500, 95% interval 0.470 to 0.530; 0.4 to 0.6 is wanted"
    )


YES, NO, OPEN = Ruling(True, "t = 3"), Ruling(False, "t = 0"), Ruling(None, sentence="Too few.")


def test_all_parts_must_hold_and_be_testable() -> None:
    assert all_of({"one": YES, "two": NO}) == Ruling(False, "one: holds (t = 3); two: does not hold (t = 0)")
    assert all_of({"one": YES}).holds and all_of({"one": NO, "two": OPEN}) == OPEN


def by_way(rows: Rows, way: str) -> Ruling:
    return {"yes": YES, "no": NO, "open": OPEN}[way]


def test_what_other_ways_find_stands_beside_the_ruling() -> None:
    test = beside(by_way, "yes", {"by truth": "no", "with few": "open"})
    told = "Beside it: by truth it does not hold (t = 0); with few it is not testable (Too few.)."
    assert test([]) == Ruling(True, "t = 3", told)
    assert beside(by_way, "yes", {"with few": "open"}, untestable=False)([]) == YES
    assert beside(by_way, "open", {"by truth": "no"})([]) == OPEN


def test_words_before_a_statistic_leave_the_ruling_as_it_is() -> None:
    assert YES.after("in percent, ") == Ruling(True, "in percent, t = 3")
    assert YES.after("", "Why.").sentence == "Why." and OPEN.after("in percent, ") == OPEN
