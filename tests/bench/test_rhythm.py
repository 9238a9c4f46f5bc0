from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.bench.measure.folds import DAY, HOUR
from wolfspider.bench.measure.rhythm import deviation, mean_hour, peaks, rhythm

FLAT = [1.0] * 40
SHARP = [1.0] * 40
SHARP[10] = SHARP[20] = SHARP[30] = 9.0
BROAD = list(1 + 2 * np.exp(-(((np.arange(40) - 20) / 6) ** 2)))


def test_more_higher_and_sharper_peaks_are_told_from_few_low_and_broad_ones() -> None:
    least = deviation([SHARP, BROAD])
    sharp, broad = peaks(SHARP, least), peaks(BROAD, least)
    assert (sharp.count, broad.count) == (3, 1)
    assert sharp.height == pytest.approx(9 / (40 + 24) * 40) and sharp.height > broad.height
    assert sharp.sharpness == pytest.approx(sharp.height / 3.0)  # a spike is one window wide at half its height
    assert sharp.sharpness > 3 * broad.sharpness


def test_a_flat_curve_has_no_peak_and_small_unrest_is_none() -> None:
    assert peaks(FLAT, deviation([FLAT])).count == 0
    unrest = [1.0 + 0.01 * (number % 2) for number in range(40)]
    assert peaks(unrest, deviation([unrest, SHARP])).count == 0
    assert peaks([], 1.0).count == 0 and math.isnan(peaks([None], 1.0).height)


def test_gaps_are_bridged() -> None:
    assert peaks([None, *SHARP[:15], None, *SHARP[16:]], deviation([SHARP])).count == 3


@given(
    st.floats(0, 23.99), st.floats(0.05, 0.9), st.floats(-0.02, 0.02), st.sampled_from([0.0, 5 * HOUR, 3 * DAY + 7.0])
)
def test_the_wave_of_a_day_is_found_beside_a_trend(hour: float, amplitude: float, slope: float, start: float) -> None:
    times = start + (np.arange(112) + 0.5) * 3 * HOUR
    wave = 1 + amplitude * np.cos(2 * np.pi * (times / HOUR - hour) / 24)
    curve = wave + slope * (times - times.mean()) / DAY
    curve[5] = np.nan
    found = rhythm(list(curve), start)
    assert abs((found.hour - hour + 12) % 24 - 12) < 1e-6
    assert found.amplitude == pytest.approx(amplitude, rel=0.05) and found.explained == pytest.approx(1.0)


def test_where_there_is_no_rhythm_little_is_explained_and_short_curves_tell_nothing() -> None:
    noise = np.random.default_rng(1).normal(10, 1, 112)
    assert rhythm(list(noise), 0.0).explained < 0.1
    assert math.isnan(rhythm([1.0, 2.0], 0.0).hour) and math.isnan(rhythm([0.0] * 50, 0.0).hour)
    assert math.isnan(rhythm(FLAT, 0.0).explained)


def test_hours_are_averaged_on_the_clock() -> None:
    assert mean_hour([23.0, 1.0]) == pytest.approx(0.0, abs=1e-9) or mean_hour([23.0, 1.0]) == pytest.approx(24.0)
    assert mean_hour([3.0, math.nan, 5.0]) == pytest.approx(4.0)
    assert math.isnan(mean_hour([0.0, 12.0])) and math.isnan(mean_hour([]))
