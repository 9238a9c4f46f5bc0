"""The shape of a curve over time: its peaks, and its daily rhythm.

    peak        a local maximum whose prominence is more than `least`. For curves that are compared, `least` is their
                `deviation`: one standard deviation of all their values together, so that no curve is measured by its
                own unrest.
    height      of a peak, over the mean of its curve.
    sharpness   height to width, the width in hours at half the prominence.
    rhythm      the wave of 24 hours that fits best, together with a straight line for the long run: the hour of its
                maximum, and its amplitude over the mean of the curve.

Values that are not numbers (of windows without a download) are left out of fits, and bridged by a straight line in the
search for peaks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wolfspider.bench.measure.folds import DAY, HOUR, WINDOW, mean

Floats = NDArray[np.float64]
Curve = Sequence[float | None]
FEWEST = 5  # points that a mean, a slope and a wave can be fitted to, with one to spare


@dataclass(frozen=True, slots=True)
class Peaks:
    count: int
    height: float  # the mean; not a number without peaks
    sharpness: float  # the mean, per hour


@dataclass(frozen=True, slots=True)
class DailyRhythm:
    hour: float  # of the maximum, in [0, 24), GMT
    amplitude: float  # over the mean of the curve
    explained: float  # share of the variance about the straight line


def deviation(curves: Iterable[Curve]) -> float:
    """The standard deviation of the values of all curves together."""
    values = np.concatenate([np.empty(0), *(_floats(curve) for curve in curves)])
    finite = values[np.isfinite(values)]
    return float(finite.std()) if finite.size else math.nan


def peaks(curve: Curve, least: float, window: float = WINDOW) -> Peaks:
    """Of a curve with one value for each window (in seconds). `least` is the smallest prominence."""
    from scipy.signal import find_peaks, peak_widths

    values = _floats(curve)
    finite = np.flatnonzero(np.isfinite(values))
    values = np.interp(np.arange(values.size), finite, values[finite]) if finite.size else np.empty(0)
    middle = float(values.mean()) if values.size else 0.0
    if middle <= 0 or not math.isfinite(least):
        return Peaks(0, math.nan, math.nan)
    places, _ = find_peaks(values, prominence=max(least, 1e-12 * middle))
    heights = values[places] / middle
    widths = peak_widths(values, places, rel_height=0.5)[0] * window / HOUR
    return Peaks(int(places.size), mean(heights), mean(heights / widths))


def rhythm(curve: Curve, start: float, window: float = WINDOW) -> DailyRhythm:
    """`start` is the time of the first window's beginning, in seconds since 1970."""
    values = _floats(curve)
    times = start + (np.arange(values.size) + 0.5) * window
    finite = np.isfinite(values)
    values, times = values[finite], times[finite]
    middle = float(values.mean()) if values.size else 0.0
    if values.size < FEWEST or middle == 0:
        return DailyRhythm(math.nan, math.nan, math.nan)
    line = np.column_stack([np.ones(values.size), (times - times[0]) / DAY])
    angles = 2 * np.pi * (times % DAY) / DAY
    wave = np.column_stack([line, np.cos(angles), np.sin(angles)])
    _, _, along, across = np.linalg.lstsq(wave, values, rcond=None)[0]
    before, after = _unexplained(line, values), _unexplained(wave, values)
    explained = 1 - after / before if before > 1e-20 * float(values @ values) else math.nan
    hour = math.atan2(across, along) / (2 * math.pi) * 24 % 24
    return DailyRhythm(hour, math.hypot(along, across) / middle, explained)


def _unexplained(design: Floats, values: Floats) -> float:
    rest = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return float(rest @ rest)


def mean_hour(hours: Iterable[float]) -> float:
    """The mean on the clock: that of 23 and 1 is 0. Not a number where the hours cancel out."""
    angles = np.array([hour for hour in hours if math.isfinite(hour)]) * 2 * np.pi / 24
    along, across = np.cos(angles).sum(), np.sin(angles).sum()
    if math.hypot(along, across) < 1e-9:
        return math.nan
    return float(math.atan2(across, along) / (2 * math.pi) * 24 % 24)


def _floats(curve: Curve) -> Floats:
    return np.array([math.nan if value is None else value for value in curve], dtype=np.float64)
