from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import f_oneway, rankdata, ttest_1samp, ttest_ind
from scipy.stats import wilcoxon as reference

from wolfspider.bench.stats import (
    against,
    anova,
    by_work,
    compare,
    holm,
    interval,
    interval_of,
    mean_text,
    paired,
    recall_at,
    shares_near_best,
    shares_under,
    summaries,
    welch,
    wilcoxon,
)


def row(strategy: str, topic: str, value: float | None, repeat: int = 0, error: str | None = None) -> dict[str, Any]:
    return {
        "web": "w",
        "topic": topic,
        "strategy": strategy,
        "repeat": repeat,
        "auc_ratio": value,
        "error": error,
    }


def by_counting(differences: list[float]) -> float:
    """The exact two-sided p: the share of all signs whose rank sum is as far from the middle."""
    left = [d for d in differences if d]
    if not left:
        return 1.0
    ranks = rankdata(np.abs(left))
    middle = ranks.sum() / 2
    seen = abs(sum(rank for rank, d in zip(ranks, left, strict=True) if d > 0) - middle)
    sums = [sum(r for r, sign in zip(ranks, signs, strict=True) if sign) for signs in product((0, 1), repeat=len(left))]
    return sum(abs(s - middle) >= seen - 1e-9 for s in sums) / len(sums)


def test_small_samples_without_ties_are_tested_exactly() -> None:
    differences = np.array([0.1, 0.25, -0.05, 0.3, 0.4, 0.15, -0.02, 0.22])
    assert wilcoxon(differences) == pytest.approx(reference(differences, method="exact").pvalue)
    assert wilcoxon(differences) == pytest.approx(by_counting(differences.tolist()))


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_ties_and_zeros_are_counted_exactly_too(differences: list[int]) -> None:
    """Against an enumeration of all signs. Ties are the rule where strategies find the same pages."""
    assert wilcoxon(np.array(differences, dtype=float)) == pytest.approx(by_counting(differences))


def test_large_samples_are_approximated() -> None:
    differences = np.random.default_rng(1).normal(0.1, 1, 80)
    assert wilcoxon(differences) == pytest.approx(reference(differences, method="asymptotic").pvalue)


def sample(mean: float, deviation: float, size: int = 10) -> list[float]:
    """Values that have exactly this mean and standard deviation."""
    raw = np.random.default_rng(4).normal(size=size)
    return (mean + deviation * (raw - raw.mean()) / raw.std(ddof=1)).tolist()


PRINTED = {"BPM": (0.1380, 0.0115), "LJM": (0.0992, 0.0142), "HW": (0.1096, 0.0333), "LAFC": (0.1724, 0.0053)}


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        ("BPM", "LJM", 3.36e-6),
        ("BPM", "HW", 2.68e-2),
        ("BPM", "LAFC", 1.23e-6),
        ("LJM", "HW", 0.381),
        ("LJM", "LAFC", 5.68e-9),
        ("HW", "LAFC", 1.91e-4),
    ],
)
def test_welch_finds_what_a_table_of_ten_crawls_each_prints(first: str, second: str, p: float) -> None:
    """Means and deviations of table 4 of Akbari Torkestani (2012); the specification has the p-values."""
    one, other = sample(*PRINTED[first]), sample(*PRINTED[second])
    found = welch(one, other)
    assert found.p == pytest.approx(p, rel=2e-3)
    assert found.difference == pytest.approx(PRINTED[first][0] - PRINTED[second][0])
    assert found.low < found.difference < found.high
    assert (found.low > 0 or found.high < 0) == (p < 0.05)
    assert welch(other, one).p == pytest.approx(found.p)


@given(st.lists(st.integers(-9, 9), min_size=3, max_size=9), st.lists(st.integers(-9, 9), min_size=3, max_size=9))
def test_welch_is_that_of_scipy(one: list[int], other: list[int]) -> None:
    assume(len(set(one)) > 1 and len(set(other)) > 1)
    found, expected = welch(one, other), ttest_ind(one, other, equal_var=False)
    assert found.p == pytest.approx(expected.pvalue)
    assert found[1:3] == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_one_sample_may_be_without_variance() -> None:
    assert 0 < welch([0.99] * 10, [0.3, 0.4, 0.5]).p < 0.05


def test_samples_without_variance_differ_surely_or_not_at_all() -> None:
    assert welch([0.5, 0.5], [0.5, 0.5, 0.5]) == (0.0, 0.0, 0.0, 1.0)
    assert welch([0.5, 0.5], [0.25, 0.25]) == (0.25, 0.25, 0.25, 0.0)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_never_lowers_and_keeps_the_order(ps: list[float]) -> None:
    adjusted = holm(ps)
    assert all(p <= a <= 1 for p, a in zip(ps, adjusted, strict=True))
    ordered = [adjusted[i] for i in np.argsort(ps, kind="stable")]
    assert ordered == sorted(ordered)


def test_the_interval_holds_the_mean_and_repeats_itself() -> None:
    differences = np.array([0.1, 0.2, 0.0, 0.3, 0.1, -0.1, 0.25])
    low, high = interval(differences, seed=3)
    assert differences.min() <= low < differences.mean() < high <= differences.max()
    assert interval(differences, seed=3) == (low, high)
    assert interval(np.array([0.5, 0.5])) == (0.5, 0.5)


def test_repeats_are_averaged_and_failures_left_out() -> None:
    rows = [
        row("a", "x", 0.2, 0),
        row("a", "x", 0.4, 1),
        row("a", "y", None, 0),
        row("a", "z", 0.9, 0, error="failed"),
        row("b", "x", None, 0, error="failed"),
    ]
    assert by_work(rows) == {"a": {("w", "x"): pytest.approx(0.3)}, "b": {}}
    (only,) = summaries(rows)
    assert (only.strategy, only.mean, only.deviation) == ("a", pytest.approx(0.3), 0.0)


def test_strategies_are_compared_on_the_work_they_share() -> None:
    rows = [row("a", f"t{i}", 0.1 * i) for i in range(6)]
    rows += [row("b", f"t{i}", 0.1 * i + 0.01 * (i + 1)) for i in range(5)]
    rows += [row("c", f"t{i}", 0.1 * i) for i in range(6)]
    better, equal, other = compare(rows)
    assert (better.first, better.second, better.pairs, better.wins, better.losses) == ("b", "a", 5, 5, 0)
    assert better.difference == pytest.approx(0.03)
    assert better.p == pytest.approx(1 / 16)  # the best that five pairs can show
    assert better.adjusted == pytest.approx(3 / 16)
    assert (equal.wins, equal.losses, equal.p, equal.low, equal.high) == (0, 0, 1.0, 0.0, 0.0)
    assert (other.first, other.second) == ("b", "c")


def test_one_strategy_has_nothing_to_be_compared_with() -> None:
    assert compare([row("a", "x", 0.5)]) == []
    assert compare([row("a", "x", 0.5), row("b", "y", 0.5)]) == []


def test_any_figure_of_a_row_can_be_compared() -> None:
    rows = [row("a", "x", 0.5) | {"found": [[1, 1], [3, 2], [10, 2]], "pages": 10, "reachable": 4}]
    shares = {share: by_work(rows, recall_at(share))["a"]["w", "x"] for share in (0.01, 0.2, 0.3, 1.0)}
    assert shares == {0.01: 0.25, 0.2: 0.25, 0.3: 0.5, 1.0: 0.5}
    assert by_work([rows[0] | {"reachable": None}], recall_at(0.5)) == {"a": {}}


def test_anova_finds_what_the_intelligent_spider_printed() -> None:
    """Means and deviations of Fig. 2 of Chen et al. (1997), 40 cases each."""
    found = anova(sample(0.08705, 0.04176, 40), sample(0.08519, 0.04996, 40))
    assert (found.between, found.within) == (1, 78)
    assert found.factor == pytest.approx(0.00007, abs=5e-6) and found.error == pytest.approx(0.16535, abs=5e-5)
    assert found.f == pytest.approx(0.0326, abs=1e-4) and found.p == pytest.approx(0.857, abs=5e-4)
    assert found.pooled == pytest.approx(0.04604, abs=5e-6)


@given(st.lists(st.lists(st.integers(-50, 50), min_size=2, max_size=8), min_size=2, max_size=4))
def test_anova_is_that_of_the_library(groups: list[list[int]]) -> None:
    assume(any(len(set(group)) > 1 for group in groups))
    found, expected = anova(*groups), f_oneway(*groups)
    assume(expected.statistic >= 0)  # equal means are a rounding below 0 to it at times
    assert found.f == pytest.approx(expected.statistic, abs=1e-9) and found.p == pytest.approx(expected.pvalue)


def test_groups_that_do_not_vary_differ_surely_or_not_at_all() -> None:
    assert anova([1.0, 1.0], [1.0, 1.0]).p == 1.0 and anova([1.0, 1.0], [2.0, 2.0]).p == 0.0
    assert anova([1.0, 1.0], [2.0, 2.0]).f is None


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=20), st.sampled_from([0.9, 0.95]))
def test_the_paired_test_is_that_of_the_library(differences: list[int], share: float) -> None:
    assume(len(set(differences)) > 1)
    found, expected = paired(differences, share), ttest_1samp(differences, 0.0)
    low, high = expected.confidence_interval(share)
    assert found.t == pytest.approx(expected.statistic) and found.p == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_differences_that_do_not_vary_are_sure() -> None:
    assert paired([0.1, 0.1, 0.1]) == (pytest.approx(0.1), pytest.approx(0.1), pytest.approx(0.1), None, 0.0)
    assert paired([0.0, 0.0]).p == 1.0


def test_a_mean_is_told_with_its_interval() -> None:
    assert mean_text([0.5, 0.5, 0.5]) == "0.500 [0.500, 0.500]"


def test_one_strategy_against_the_others_is_corrected_over_these_comparisons_alone() -> None:
    """Six pairs that all differ the same way have p = 2 / 2^6, the smallest there is; two comparisons double it."""
    topics = "abcdef"
    rows = [
        row(strategy, topic, value + place / 100)
        for strategy, value in (("a", 0.5), ("b", 0.4), ("c", 0.1))
        for place, topic in enumerate(topics)
    ]
    for number, own in enumerate(rows):
        own["auc_ratio"] += number**2 / 10_000  # no two differences alike
    found = against(rows, "b")
    assert [(each.second, each.wins, each.losses) for each in found] == [("a", 0, 6), ("c", 6, 0)]
    assert found[0].difference < 0 < found[1].difference
    assert [each.p for each in found] == pytest.approx([2 / 64] * 2)
    assert [each.adjusted for each in found] == pytest.approx([4 / 64] * 2)
    assert against(rows, "nobody") == []


def test_shares_under_counts_crawls_and_shares_near_best_count_work() -> None:
    rows = [
        row("a", "x", 0.2, repeat=0),
        row("a", "x", 0.4, repeat=1),
        row("a", "y", 0.3),
        row("a", "z", None, error="it broke"),
        row("b", "x", 0.4),
        row("b", "y", 0.2),
    ]
    assert shares_under(rows, 0.3) == {"a": pytest.approx(1 / 3), "b": 0.5}
    assert shares_near_best(rows, 0.75) == {"a": 1.0, "b": 0.5}  # on y, .2 is less than .75 of .3
    assert shares_near_best(rows, 0.8) == {"a": 0.5, "b": 0.5}


def test_the_interval_of_a_figure_is_that_of_its_samples() -> None:
    numbers = np.array([0.1, 0.4, 0.2, 0.7, 0.3])
    assert interval_of(numbers, lambda means: 2 * means) == pytest.approx([2 * end for end in interval(numbers)])
    lines = np.array([[1.0, 3.0], [3.0, 1.0]] * 4)
    low, high = interval_of(lines, lambda means: means.max(axis=1) - means.min(axis=1))
    assert low == 0 and 0 < high < 2
