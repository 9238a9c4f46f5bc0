from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.graphs.degrees import (
    best_tail,
    binned_exponent,
    distribution,
    exponents,
    log_bins,
    raw_exponent,
)


def zipf(gamma: float, kmin: int, size: int, seed: int = 1) -> np.ndarray:
    """Whole numbers from a power law: the rounded continuous one, for which the estimate is made."""
    u = np.random.default_rng(seed).random(size)
    return np.floor((kmin - 0.5) * u ** (-1 / (gamma - 1)) + 0.5).astype(np.int64)


def test_golden_vector_17() -> None:
    gamma, kmin, _ = best_tail(*distribution([1, 2, 4]))
    assert (gamma, kmin) == (pytest.approx(1.721348, abs=1e-6), 1)


def test_an_exact_power_law_is_found_by_least_squares() -> None:
    values = np.array([1, 2, 4, 8, 16])
    counts = (4096 / values.astype(float) ** 2).astype(np.int64)
    assert raw_exponent(values, counts) == pytest.approx(2)


def test_bins_hold_every_degree_once() -> None:
    values, counts = distribution(zipf(2.2, 1, 20_000))
    middles, densities = log_bins(values, counts, 2.0)
    widths = 2.0 ** np.floor(np.log2(middles))
    assert (densities * widths).sum() == counts.sum()


@pytest.mark.parametrize("gamma", [2.1, 2.7])
def test_the_exponent_and_its_interval_are_recovered(gamma: float) -> None:
    found = exponents(zipf(gamma, 3, 20_000), np.random.default_rng(0), resamples=40)
    assert found.mle == pytest.approx(gamma, abs=0.08)
    assert found.low <= gamma + 0.02 and found.high >= gamma - 0.02 and found.low < found.mle < found.high
    assert found.kmin >= 3 and found.zeros == 0


def test_raw_fit_is_bent_by_the_tail_and_bins_are_less_so() -> None:
    values, counts = distribution(zipf(2.5, 1, 50_000))
    assert abs(binned_exponent(values, counts) - 2.5) < abs(raw_exponent(values, counts) - 2.5)


def test_kmin_is_found_behind_a_head_that_is_no_power_law() -> None:
    head = np.random.default_rng(2).integers(1, 20, 20_000)
    gamma, kmin, _ = best_tail(*distribution(np.concatenate([head, zipf(2.5, 20, 20_000)])))
    assert 15 <= kmin <= 40 and gamma == pytest.approx(2.5, abs=0.15)


def test_nothing_to_fit_is_no_number() -> None:
    for degrees in ([], [0, 0], [3, 3, 3]):
        found = exponents(degrees, np.random.default_rng(0), resamples=5)
        assert math.isnan(found.raw) and math.isnan(found.binned)
    assert math.isnan(exponents([], np.random.default_rng(0)).mle)


@given(st.lists(st.integers(0, 500), max_size=60), st.integers(0, 5))
def test_any_degrees_are_measured_the_same_twice(degrees: list[int], seed: int) -> None:
    first, second = (exponents(degrees, np.random.default_rng(seed), resamples=5) for _ in range(2))
    assert repr(first) == repr(second)
    assert math.isnan(first.mle) or (first.mle > 1 and first.kmin in degrees)
