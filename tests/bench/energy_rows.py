"""Rows as the cells of `energy_population` write them, made by hand so that all of the paper's claims hold on them."""

from __future__ import annotations

from typing import Any

from wolfspider.bench.experiment import Row
from wolfspider.bench.papers.energy_population.cells import (
    BUFFER,
    CORPUS,
    CORRECTED,
    DEADLY,
    EXACT,
    EXHAUSTED,
    FIG_4,
    FIGURES,
    FREE,
    HIGH,
    LEARNING,
    LOW,
    MATCHED,
    MIDDLE,
    NARROW,
    ON_CORPORA,
    PLAIN,
    PRINTED,
    RATES,
    TWENTIETH,
    UNBOUND,
    WIDE,
)
from wolfspider.bench.papers.energy_population.page_meter import CURVES, POINTS

BUDGET = 1000
STEP = BUDGET // POINTS
# Crawler: population at the first step and at the last, precision at the end.
CRAWLERS = {
    LOW: (180.0, 0.0, 0.30),
    MIDDLE: (220.0, 300.0, 0.30),
    HIGH: (300.0, 4000.0, 0.30),
    MATCHED: (220.0, 300.0, 0.30),
    WIDE: (210.0, 320.0, 0.32),
    FIG_4: (220.0, 330.0, 0.35),
    NARROW: (230.0, 300.0, 0.33),
    FREE: (300.0, 900.0, 0.34),
    BUFFER: (240.0, 250.0, 0.34),
    EXACT: (210.0, 250.0, 0.33),
    UNBOUND: (300.0, 950.0, 0.33),
    LEARNING: (240.0, 250.0, 0.36),
}


def base(study: str, run: int, crawler: str, revisit: float) -> Row:
    where = {"study": study, "web": "synthetic:pages=40000", "run": run, "place": run, "starts": 1 + run % 3}
    return {**where, "budget": BUDGET, "crawler": crawler, "revisit": revisit, "topic": f"topic {run}", "relevant": 900}


def curve(run: int, first: float, last: float, steps: int) -> list[float]:
    return [first + (last - first) * step / (POINTS - 1) + run * 0.1 for step in range(steps)]


def made(study: str, run: int, crawler: str, revisit: float, population: list[float], precision: list[float]) -> Row:
    steps = len(population)
    gone = population[-1] == 0
    row = {**base(study, run, crawler, revisit), "gain": 8.0, "reason": "done" if gone else "budget"}
    ends = {"at": [STEP * (step + 1) for step in range(steps)], "downloads": STEP * steps, "population": population}
    small = {
        "smallest": int(min(population)),
        "largest": int(max(population)),
        "extinct": STEP * steps if gone else None,
    }
    truth = [0.9 * share for share in precision]
    late = {"last_precision": precision[-1], "last_truth": truth[-1], "teleported": 3, "restarted": 1}
    fared: dict[str, Any] = {"low_visits": 100, "low_deaths": 20 + run, "high_visits": 10, "clones": 98 + run}
    figures = {
        "border": 0.07,
        "mean_relevance": 0.05,
        "rewarded": 0.1,
        "above": 0.05 + run / 10_000,
        "drift": 0.01,
        **fared,
    }
    curves = {name: [0.5 * step for step in range(steps)] for name in CURVES}
    return {**row, **ends, **small, "precision": precision, "truth": truth, **late, **figures, **curves}


def figure(run: int, crawler: str, revisit: float) -> Row:
    """Precision rises in all of them; the buffer lags behind, by ever less."""
    first, last, end = CRAWLERS[crawler]
    population = curve(run, first, last, POINTS)
    if crawler == LOW:
        population = [*curve(run, first, 20.0, POINTS // 2), 0.0]
    precision = [end * (0.5 + 0.5 * step / POINTS) + run / 1000 for step in range(len(population))]
    if crawler in (BUFFER, LEARNING):
        precision = [share - (0.02 + run / 1000) * (1 - step / POINTS) for step, share in enumerate(precision)]
    return made(FIGURES, run, crawler, revisit, population, precision)


def exhausted(run: int, revisit: float) -> Row:
    """Everything relevant is found in the first half."""
    population = [240.0 + run] * (POINTS // 2) + [52.0 + run] * (POINTS // 2)
    found = [min(step + 1, POINTS // 2) for step in range(POINTS)]
    precision = [0.8 * count / (step + 1) for step, count in enumerate(found)]
    return made(EXHAUSTED, run, BUFFER, revisit, population, precision)


def rates(run: int, crawler: str, fixed: bool) -> Row:
    row = {**made(RATES, run, crawler, PRINTED, curve(run, 200, 300, POINTS), [0.3] * POINTS), "fixed": fixed}
    if fixed:
        return {**row, "low_deaths": 0, "rewarded": 1.0, "above": 0.9}
    return {**row, "low_deaths": 99} if crawler == DEADLY else row


def corpus(run: int, crawler: str, name: str) -> Row:
    return {**figure(run, crawler, PRINTED), "study": CORPUS, "web": f"/corpora/{name}", "web_name": name}


def made_rows(runs: int = 8, recorded: bool = True) -> list[Row]:
    rows: list[Row] = []
    for run in range(runs):
        rows += [figure(run, crawler, PRINTED) for crawler in CRAWLERS]
        rows += [figure(run, crawler, CORRECTED) for crawler in CRAWLERS if crawler in PLAIN and run < 5]
        rows += [exhausted(run, revisit) for revisit in (PRINTED, CORRECTED)]
        rows += [rates(run, crawler, fixed) for crawler in (DEADLY, TWENTIETH) for fixed in (False, True)]
        rows += [corpus(run, crawler, "wiki") for crawler in ON_CORPORA if recorded]
        rows += [corpus(run, crawler, "docs") for crawler in ON_CORPORA if recorded and 5 <= run < 7]
    return rows
