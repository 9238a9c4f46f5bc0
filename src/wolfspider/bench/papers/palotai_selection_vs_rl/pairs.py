"""Fleets in pairs: the figures of their rows, tests on pairs, and what broken variants are made of.

Fleets are paired by recording and repeat. `same` asks whether two figures are about the same: not whether no difference
was seen, but whether the 95% interval of the mean relative difference (Student's t) lies within `MARGIN`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from wolfspider.bench.experiment import Row, Rows, Ruling
from wolfspider.bench.measure.foraging import shares
from wolfspider.bench.papers.palotai_selection_vs_rl.cells import known
from wolfspider.bench.rulings import greater
from wolfspider.bench.stats import Floats

MARGIN = 0.10  # relative; what is nearer is about the same
FEWEST = 5  # pairs
CLUSTERED, REWIRED, SHUFFLED, ORDER = "clustered", "rewired", "shuffled", "order"
ORDERS = ("fixed", "alternating", "random")

Pair = tuple[int, int]  # web and repeat
Figure = Callable[[Row], float]


# The figures of a row


def tallied(name: str) -> Figure:
    return lambda row: known(row["tally"][name])


def fresh(row: Row) -> float:
    return known(row["freshness"]["freshness"])


def age(row: Row) -> float:
    return known(row["freshness"]["age_hours"])


EFFICIENCY = tallied("download_efficiency")
SENT = tallied("sent_efficiency")
FOUND = tallied("relative_found_url")
RELEVANT = tallied("relevant")
UNDATED = tallied("undated")


def curve(row: Row) -> list[float]:
    """Rewarded documents to downloads in each window; without the last, which is hardly begun."""
    series = row["tally"]["series"]
    return shares(series["relevant"], series["downloads"])[:-1]


def by_pair(rows: Rows, study: str, kind: str, figure: Figure) -> dict[Pair, float]:
    mine = [row for row in rows if row["study"] == study and row["type"] == kind]
    return {(row["web_seed"], row["repeat"]): figure(row) for row in mine}


def paired(rows: Rows, study: str, kinds: tuple[str, str], figure: Figure) -> tuple[Floats, Floats]:
    """The figures of two kinds of fleets, pair by pair."""
    one, other = (by_pair(rows, study, kind, figure) for kind in kinds)
    common = [pair for pair in one if math.isfinite(one[pair] + other.get(pair, math.nan))]
    first, second = ([float(own[pair]) for pair in common] for own in (one, other))
    return np.array(first), np.array(second)


def excess(rows: Rows, study: str, kinds: tuple[str, str], figure: Figure) -> Floats:
    one, other = paired(rows, study, kinds, figure)
    return one - other


def relative(rows: Rows, study: str, kinds: tuple[str, str], figure: Figure) -> Floats:
    """By how much the first is above the second, as a share of the mean of both."""
    one, other = paired(rows, study, kinds, figure)
    middle = (one + other) / 2
    return np.divide(one - other, middle, out=np.zeros_like(one), where=middle != 0)


# Rulings


def more(differences: Floats, unit: str = "") -> Ruling:
    ruling = greater(differences.tolist())
    return ruling if ruling.holds is None else Ruling(ruling.holds, f"{unit}{ruling.statistic}")


def same(differences: Floats, margin: float = MARGIN) -> Ruling:
    """Are relative differences within the margin? Two one-sided t-tests at 2.5% each: the interval says it all."""
    if differences.size < FEWEST:
        return Ruling(None, sentence=f"{differences.size} pairs are too few; the test needs {FEWEST} or more.")
    low, high = student(differences)
    statistic = (
        f"two one-sided t-tests on the relative difference: n = {differences.size}, mean {differences.mean():+.1%}, "
        f"95% interval {low:+.1%} to {high:+.1%}, which must lie within ±{margin:.0%}"
    )
    return Ruling(-margin < low and high < margin, statistic)


def student(values: Floats) -> tuple[float, float]:
    """The 95% interval of the mean."""
    from scipy.stats import t

    reach = float(t.ppf(0.975, values.size - 1) * values.std(ddof=1) / math.sqrt(values.size))
    return float(values.mean()) - reach, float(values.mean()) + reach


# What broken variants are made of


def turned(study: str, figure: str, least: str, most: str, part: str = "tally") -> Callable[[Rows], list[Row]]:
    """Of each pair `most` gets the larger figure and `least` the smaller one."""

    def rows_of(rows: Rows) -> list[Row]:
        one, other = (by_pair(rows, study, kind, lambda row: known(row[part][figure])) for kind in (least, most))
        return [put(row, part, figure, _end(row, one, other, row["type"] == most), study) for row in rows]

    return rows_of


def _end(row: Row, one: Mapping[Pair, float], other: Mapping[Pair, float], larger: bool) -> float:
    pair = row.get("web_seed", 0), row.get("repeat", 0)
    ends = one.get(pair, 0.0), other.get(pair, 0.0)
    return max(ends) if larger else min(ends)


def put(row: Row, part: str, figure: str, value: float, study: str) -> Row:
    return {**row, part: {**row[part], figure: value}} if row["study"] == study else row


def scaled_of(study: str, kind: str, like: str, factor: float) -> Callable[[Rows], list[Row]]:
    """The download efficiency of one kind is so many times that of another."""

    def rows_of(rows: Rows) -> list[Row]:
        base = by_pair(rows, study, like, EFFICIENCY)
        return [
            put(row, "tally", "download_efficiency", factor * base[row["web_seed"], row["repeat"]], study)
            if row["study"] == study and row["type"] == kind
            else row
            for row in rows
        ]

    return rows_of


def with_relevant(row: Row, relevant: Sequence[float]) -> Row:
    tally = row["tally"]
    return {**row, "tally": {**tally, "series": {**tally["series"], "relevant": relevant}}}
