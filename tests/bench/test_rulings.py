"""The tests that claims are ruled on by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from wolfspider.bench.experiment import Estimate, Rows, Ruling
from wolfspider.bench.rulings import (
    all_of,
    answer,
    beside,
    equivalent,
    few,
    greater,
    most,
    one_sided,
    ordered,
    p_text,
    page,
    within,
)
from wolfspider.bench.stats import interval


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
    assert greater([-0.1, -0.2, -0.1, -0.3, -0.1, -0.2, 100.0]).undecided


def test_the_contrary_needs_as_much_as_the_claim() -> None:
    """Of five, one won and four lost: the interval lies below zero, but so it may by chance."""
    values = [-1.0, -1.1, -0.9, -1.2, 0.1]
    assert interval(np.array(values))[1] < 0 and greater(values).undecided
    assert greater([*values[:4], -0.1]).holds is False
    assert greater([*values[:4], 0.0]).holds is False  # no case is won


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
    short = few(range(2), "grounds", fewest=3)
    assert short == Ruling(None, "n = 2", "2 grounds are too few; the test needs 3 or more.", undecided=True)
    none = few((), "grounds")
    assert none is not None and none.word == "not testable"


def test_an_interval_lies_within_its_range_or_not() -> None:
    values = [0.45, 0.5, 0.55, 0.48, 0.52]
    assert within(values, (0.4, 0.6)).holds and within(values, (0.51, 0.6)).undecided
    assert within(values, (0.54, 0.6)).holds is False
    assert within(values, (0.4, 0.6), "mean share").statistic == (
        "n = 5, mean share 0.500, 95% interval 0.470 to 0.530; 0.4 to 0.6 is wanted"
    )


YES, NO, OPEN = Ruling(True, "t = 3"), Ruling(False, "t = 0"), Ruling(None, sentence="Too few.")


MAYBE = Ruling(None, "t = 1", undecided=True)


def test_all_parts_must_hold_and_be_testable() -> None:
    both = all_of({"one": YES, "two": NO})
    assert both.holds is False and both.statistic == "one: holds (t = 3); two: does not hold (t = 0)"
    assert [(name, part) for name, part in both.lines()] == [("one", YES), ("two", NO)]
    assert all_of({"one": YES}).holds and all_of({"one": NO, "two": OPEN}) == OPEN


def test_one_part_that_fails_decides_and_one_that_is_undecided_leaves_all_undecided() -> None:
    assert all_of({"one": YES, "two": MAYBE}).word == "undecided"
    assert all_of({"one": NO, "two": MAYBE}).word == "does not hold"
    nested = all_of({"all": all_of({"one": YES, "two": MAYBE}), "three": YES})
    assert [name for name, _ in nested.lines()] == ["all, one", "all, two", "three"]


def by_way(rows: Rows, way: str) -> Ruling:
    return {"yes": YES, "no": NO, "open": OPEN}[way]


def test_what_other_ways_find_stands_beside_the_ruling() -> None:
    test = beside(by_way, "yes", {"by truth": "no", "with few": "open"})
    assert test([]) == replace(YES, others=(("by truth", NO), ("with few", OPEN)))
    assert beside(by_way, "yes", {"with few": "open"}, untestable=False)([]) == YES
    assert beside(by_way, "open", {"by truth": "no"})([]) == OPEN


def test_words_before_a_statistic_leave_the_ruling_as_it_is() -> None:
    assert YES.after("in percent, ") == Ruling(True, "in percent, t = 3")
    assert YES.after("", "Why.").sentence == "Why." and OPEN.after("in percent, ") == OPEN


# The one rule of all tests

NUMBERS = st.floats(-100, 100)


def measured(low: float, high: float, wanted: tuple[float, float]) -> Estimate:
    low, high = sorted((low, high))
    return Estimate((low + high) / 2, low, high, wanted)


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_what_clears_its_bar_holds_whatever_the_interval(low: float, high: float, one: float, two: float) -> None:
    found = answer(True, measured(low, high, (min(one, two), max(one, two))), "n = 9")
    assert found.word == "holds"


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_undecided_is_what_admits_both_answers(low: float, high: float, one: float, two: float) -> None:
    """Not so where no value of the interval is wanted, and only then."""
    wanted = (min(one, two), max(one, two))
    found = answer(False, measured(low, high, wanted), "n = 9")
    low, high = sorted((low, high))
    middle = max(low, wanted[0]) < min(high, wanted[1]) or wanted[0] < low < wanted[1]
    assert found.word == ("undecided" if middle else "does not hold")


@settings(max_examples=40)
@given(st.lists(st.integers(-50, 50), min_size=5, max_size=9), st.integers(1, 40))
def test_a_larger_difference_never_makes_the_answer_worse(values: list[int], more: int) -> None:
    rank = {"does not hold": 0, "undecided": 1, "holds": 2}
    assert rank[greater([value + more for value in values]).word] >= rank[greater(values).word]


@settings(max_examples=40)
@given(st.lists(st.integers(-50, 50), min_size=5, max_size=9))
def test_a_claim_and_its_opposite_are_never_both_refused_unless_nothing_differs(values: list[int]) -> None:
    answers = [greater(values).holds, greater([-value for value in values]).holds]
    assert answers != [False, False] or sum(values) == 0


@pytest.mark.parametrize(("count", "word"), [(5, "holds"), (3, "holds"), (2, "undecided"), (0, "undecided")])
def test_with_five_runs_even_none_does_not_exclude_that_most_would(count: int, word: str) -> None:
    """Of five, none or all are seen once in 32 times by a coin; the two-sided interval of none reaches 52%."""
    assert most(count, 5).word == word
    assert most(0, 6).word == "does not hold" and most(0, 20).word == "does not hold"


def test_an_equivalence_is_shown_excluded_or_left_open() -> None:
    assert equivalent([0.01, -0.01, 0.02, 0.0, -0.02], 0.1).holds
    assert equivalent([0.5, 0.52, 0.49, 0.51, 0.5], 0.1).holds is False
    assert equivalent([0.5, -0.5, 0.1, 0.0, -0.2], 0.1).undecided
    assert equivalent([0.0] * 3, 0.1).undecided


def test_means_out_of_order_are_refused_only_if_surely_so() -> None:
    assert ordered({"a": [3, 4, 5, 3, 4], "b": [2, 3, 4, 2, 3]}).holds
    assert ordered({"a": [2, 3, 4, 2, 3], "b": [3, 4, 5, 3, 4]}).holds is False
    assert ordered({"a": [2, 9, 4, 2, 3], "b": [3, 4, 9, 3, 4]}).undecided


def test_fewer_than_five_cases_show_neither_a_range_nor_that_there_is_no_trend() -> None:
    assert within([0.5, 0.5], (0.6, 0.7)).undecided and within([0.65, 0.65], (0.6, 0.7)).undecided
    assert within([0.5] * 5, (0.6, 0.7)).holds is False
    assert page([[3, 2, 1]] * 2).ruling().undecided
    assert page([[3, 2, 1]] * 5).ruling().holds is False
