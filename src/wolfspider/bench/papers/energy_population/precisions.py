"""Claims 3 and 6: the precision of the sigmoid against that of the original model, and with the buffer against that
without it; 8 and 10 are the same on recorded webs.

3   Of a run the sigmoid with G = 8 and the original model with C over the sigmoid's mean relevance for its rate are
    compared, as far as both went, if their mean populations differ by not more than three times. The sigmoid's
    precision so far must be higher at the end.
6   At tenths of the downloads that both made, precision so far without the buffer less that with it: the mean must be
    above 0 and not more than a fifth of the precision without; by Page's test it must fall; and the last mean must not
    be more than half of the largest, which must be above 0. Whether that surely is not so is told by an interval, from
    a bootstrap over runs, of how far it is met: of half of the largest less the last, or of the largest if that is
    less. Runs where one ended before half of the budget are left out.
"""

from __future__ import annotations

import math

import numpy as np

from wolfspider.bench.experiment import Estimate, Row, Rows, Ruling
from wolfspider.bench.papers.energy_population.cells import BUFFER, FIG_4, FREE, MATCHED
from wolfspider.bench.papers.energy_population.crawls_by_run import (
    POPULATION,
    PRECISION,
    TENTHS,
    CrawlsCompared,
    case_of,
    ratio,
    runs_of,
    shared,
    swapped,
    together,
)
from wolfspider.bench.papers.energy_population.page_meter import POINTS
from wolfspider.bench.rulings import ABOVE, all_of, answer, few, greater, page
from wolfspider.bench.stats import DIGITS, Floats, interval, interval_of
from wolfspider.bench.variants import Variant, changed

SIMILAR = 3.0  # populations, the larger to the smaller
LITTLE, CLOSED = 0.2, 0.5


# The sigmoid and the original model


def more_precise(rows: Rows, way: CrawlsCompared) -> Ruling:
    cases = together(rows, (FIG_4, MATCHED), way)
    alike = [case for case in cases if ratio(*case) <= SIMILAR]
    if short := few(alike, f"of {len(cases)} runs have similar populations and"):
        return short
    ends = [[row[way.precision][shared(*case) - 1] for row in case] for case in alike]
    ruling = greater([one - other for one, other in ends])
    means, ratios = np.mean(ends, axis=0), [ratio(*case) for case in alike]
    told = f"precision of the sigmoid {means[0]:.3f}, of the original {means[1]:.3f}; larger population to the smaller "
    left_out = (
        f"{len(cases) - len(alike)} runs with other populations were left out." if len(alike) < len(cases) else ""
    )
    return ruling.after(f"{told}{np.mean(ratios):.2f} in the mean; ", left_out)


def original_more_precise(way: CrawlsCompared) -> Variant:
    """In each run the two crawls are swapped where the sigmoid's is the more precise."""

    def variant(rows: Rows) -> list[Row]:
        cases = [(case, shared(*case) - 1) for case in together(rows, (FIG_4, MATCHED), way)]
        wrong = [case for case, last in cases if case[0]["precision"][last] > case[1]["precision"][last]]
        return swapped(rows, wrong, (*POPULATION, *PRECISION))

    return variant


# With and without the buffer


def gaps(rows: Rows, way: CrawlsCompared) -> tuple[list[list[float]], float]:
    """Precision without the buffer less that with it, at tenths of what both downloaded, run by run; and the mean
    precision without the buffer."""
    cases = [case for case in together(rows, (FREE, BUFFER), way) if 2 * shared(*case) >= POINTS]
    steps = [[math.ceil(shared(*case) * tenth / TENTHS) - 1 for tenth in range(1, TENTHS + 1)] for case in cases]
    curves = [
        [[row[way.precision][step] for step in own] for row in case] for case, own in zip(cases, steps, strict=True)
    ]
    whole = float(np.mean([free for free, _ in curves])) if curves else 0.0
    return [[one - other for one, other in zip(*pair, strict=True)] for pair in curves], whole


def a_little_lower(rows: Rows, way: CrawlsCompared) -> Ruling:
    lines, whole = gaps(rows, way)
    if short := few(lines, "pairs of runs that last for half of the budget"):
        return short
    by_tenth = np.mean(lines, axis=0)
    mean, largest, last = float(by_tenth.mean()), float(by_tenth.max()), float(by_tenth[-1])
    by_run = np.mean(lines, axis=1)
    low, high = interval(by_run)
    little = answer(
        0 < mean <= LITTLE * whole,
        Estimate(mean, low, high, (0.0, LITTLE * whole)),
        f"n = {len(lines)}, {mean:+.4f} in the mean, 95% interval {low:+.4f} to {high:+.4f}, of {whole:.3f}",
    )
    met, (least, most_met) = float(closing(by_tenth[None])[0]), interval_of(np.array(lines).round(DIGITS), closing)
    closed = answer(
        largest > 0 and last <= CLOSED * largest,
        Estimate(met, least, most_met, ABOVE),
        f"n = {len(lines)}, {last:+.4f} in the last tenth, {largest:+.4f} at most; met by {met:+.4f}, 95% interval "
        f"{least:+.4f} to {most_met:+.4f}",
    )
    return all_of(
        {
            "lower": greater([float(np.mean(line)) for line in lines]),
            "by a fifth or less": little,
            "Page's test for a fall of the difference": page(lines, falling=True).ruling(),
            "half of the difference or more is closed": closed,
        }
    )


def closing(means: Floats) -> Floats:
    """How far it is met that there is a difference and half of it closes: above 0 where it is. A line has the mean
    differences at tenths."""
    largest = means.max(axis=1)
    met: Floats = np.minimum(largest, CLOSED * largest - means[:, -1])
    return met


def gap_widens(way: CrawlsCompared) -> Variant:
    """Of what is found without the buffer the same share of ever more is missing."""

    def variant(rows: Rows) -> list[Row]:
        free = runs_of(rows, FREE, way)

        def widened(row: Row) -> Row:
            if (case := case_of(way)(row)) not in free:
                return {}
            source = free[case]
            lower = [share * (1 - 0.1 * (step + 1) / POINTS) for step, share in enumerate(source["precision"])]
            return {"at": source["at"], "precision": lower, "population": source["population"]}

        return changed(widened, study=way.study, crawler=BUFFER, revisit=way.revisit)(rows)

    return variant
