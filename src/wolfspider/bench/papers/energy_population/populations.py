"""Claims 1 and 2: how the population depends on the parameters of the original model and of the sigmoid.

1   The gain rate is one tuned until the population neither dies out nor reaches ten times its first number, a quarter
    of that, or four times as much. In most runs the population must die out with the second, reach ten times its first
    number with the last, and do neither with the first, which fails only where tuning found none; and by Page's test
    mean population must rise with the rate.
2   The spread of a run is the largest mean population less the smallest, as logarithms to base 10 of 1 more than each;
    of the original model over the three gain rates, of the sigmoid over three pairs of C and G. An extinct population
    counts as 0 for the rest of the budget. The original's must be larger, and the sigmoid's not more than half of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from wolfspider.bench.experiment import Estimate, Row, Rows, Ruling
from wolfspider.bench.papers.energy_population.cells import EXPLODES, ORIGINALS, SIGMOIDS
from wolfspider.bench.papers.energy_population.crawls_by_run import (
    AS_PRINTED,
    POPULATION,
    CrawlsCompared,
    mean_population,
    swapped,
    together,
)
from wolfspider.bench.rulings import ABOVE, all_of, answer, few, greater, most, page
from wolfspider.bench.stats import interval

FAR_LESS = 0.5  # of the other spread


def fate(row: Row) -> str:
    if row["largest"] >= EXPLODES:
        return "explodes"
    return "dies" if row["extinct"] is not None else "usable"


def three_fates(rows: Rows, way: CrawlsCompared) -> Ruling:
    cases = together(rows, ORIGINALS, way)
    if short := few(cases, "runs"):
        return short
    wanted = dict(zip(ORIGINALS, ("dies", "usable", "explodes"), strict=True))
    counts = [sum(fate(case[place]) == want for case in cases) for place, want in enumerate(wanted.values())]
    fates = {
        f"{name} {want}": most(count, len(cases), "runs")
        for (name, want), count in zip(wanted.items(), counts, strict=True)
    }
    rises = page([[mean_population(row) for row in case] for case in cases]).ruling()
    return all_of({**fates, "mean population rises with the rate, Page's test": rises})


def spread(case: Sequence[Row]) -> float:
    logs = [math.log10(1 + mean_population(row)) for row in case]
    return max(logs) - min(logs)


def far_less_varied(rows: Rows, way: CrawlsCompared) -> Ruling:
    cases = together(rows, (*ORIGINALS, *SIGMOIDS), way)
    if short := few(cases, "runs"):
        return short
    original, sigmoid = [spread(case[:3]) for case in cases], [spread(case[3:]) for case in cases]
    larger = greater([one - other for one, other in zip(original, sigmoid, strict=True)])
    means = float(np.mean(original)), float(np.mean(sigmoid))
    saved = np.array([FAR_LESS * one - other for one, other in zip(original, sigmoid, strict=True)])
    far = answer(
        means[1] <= FAR_LESS * means[0],
        Estimate(float(saved.mean()), *interval(saved), ABOVE),
        f"spread of the original {means[0]:.3f}, of the sigmoid {means[1]:.3f}, of which half or less is wanted",
    )
    many = sum(fate(row) == "explodes" for case in cases for row in case[3:])
    told = f"By the measure of claim 1 the sigmoid explodes in {many} of its {3 * len(cases)} crawls."
    return all_of({"original less sigmoid": larger, "far less": far}).after("", told)


def wider_to_the_sigmoid(rows: Rows) -> list[Row]:
    """In each run the crawls of both models are swapped where the original's vary more."""
    cases = together(rows, (*ORIGINALS, *SIGMOIDS), AS_PRINTED)
    wider = [case for case in cases if spread(case[:3]) > spread(case[3:])]
    return swapped(rows, [pair for case in wider for pair in zip(case[:3], case[3:], strict=True)], POPULATION)
