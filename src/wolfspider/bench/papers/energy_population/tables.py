"""The tables and figures of `energy_population`. Of the paper's own figures only the captions are at hand, so that no
printed number of theirs stands beside ours but those of section III.A."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from wolfspider.bench.draw.svg import PALETTE, Figure
from wolfspider.bench.experiment import Both, Row, Rows, Table, Value
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
    LB,
    LOW,
    MATCHED,
    MIDDLE,
    ORIGINALS,
    PRINTED,
    RATES,
    SIGMOIDS,
    TWENTIETH,
    UB,
    UNBOUND,
)
from wolfspider.bench.papers.energy_population.page_meter import POINTS
from wolfspider.bench.papers.energy_population.runs import Way, mean_population, runs_of

WAYS = {"free, as printed": PRINTED, "costs C": CORRECTED}
MODELS = {LOW: 0, MIDDLE: 0, HIGH: 0, FREE: 1, BUFFER: 2}  # and the colour of each
SHOWN = (*ORIGINALS, MATCHED, *SIGMOIDS, EXACT, FREE, BUFFER, UNBOUND)


def tables(rows: Rows) -> list[Table]:
    made = [_populations(rows), _energies(rows), _pages(rows), _exhausted(rows), _corpora(rows)]
    return [table for table in made if table.lines]


def figures(rows: Rows) -> list[Figure]:
    """Only of crawls as printed, where the paper's figures are meant."""
    populations = [
        _three_models(rows),
        _population(rows, "Population, original model (Fig. 2)", ORIGINALS, y_log=True),
        _population(rows, "Population, sigmoid (Fig. 3)", SIGMOIDS),
        _population(rows, "Population with and without the buffer (Fig. 5)", (FREE, BUFFER), bounds=True),
        _population(rows, "Population when the topic is exhausted", (BUFFER,), study=EXHAUSTED, bounds=True),
    ]
    precisions = [
        _mean_curves(
            rows, "Precision at similar populations (Fig. 4)", (MATCHED, FIG_4), "precision", "precision so far"
        ),
        _mean_curves(
            rows, "Precision with and without the buffer (Fig. 6)", (FREE, BUFFER), "precision", "precision so far"
        ),
    ]
    inside = [
        _mean_curves(rows, "Energy left on pages", (BUFFER, UNBOUND), "on_pages", "energy"),
        _mean_curves(rows, "The threshold R", (*SIGMOIDS, FREE), "threshold", "relevance"),
    ]
    return [figure for figure in (*populations, *precisions, *inside) if figure.marks]


# Tables


def _populations(rows: Rows) -> Table:
    columns = ("crawler", "second visits", "runs", "gain", "mean population", "smallest", "largest", "extinct")
    more = ("downloads", "precision", "in the last tenth", "by truth", "in the last tenth, by truth", "ended by")
    lines = [
        (crawler, name, *_population_line(own), *_precision_line(own))
        for crawler in SHOWN
        for name, revisit in WAYS.items()
        if (own := [*runs_of(rows, crawler, Way(revisit)).values()])
    ]
    note = "Means over runs, but for the smallest and largest population of all runs. Who is extinct counts as 0."
    return Table("Populations and precision", (*columns, *more), lines, note)


def _population_line(own: Sequence[Row]) -> tuple[Value, ...]:
    extreme = min(row["smallest"] for row in own), max(row["largest"] for row in own)
    means = _mean(own, "gain", 1), round(float(np.mean([mean_population(row) for row in own])), 1)
    return len(own), *means, *extreme, sum(row["extinct"] is not None for row in own)


def _precision_line(own: Sequence[Row]) -> tuple[Value, ...]:
    ends = [round(float(np.mean([row[name][-1] for row in own])), 4) for name in ("precision", "truth")]
    reasons = Counter(str(row["reason"]) for row in own)
    ended = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
    late = _mean(own, "last_precision"), _mean(own, "last_truth")
    return _mean(own, "downloads", 0), ends[0], late[0], ends[1], late[1], ended


def _mean(own: Sequence[Row], name: str, digits: int = 4) -> float | None:
    known = [row[name] for row in own if row[name] is not None]
    return round(float(np.mean(known)), digits) if known else None


ENERGIES = {"in agents": "in_agents", "on pages": "on_pages", "births": "births", "deaths": "deaths"}
THRESHOLDS = {"teleports": "teleports", "moves on known pages": "moves", "R": "threshold", "lambda": "slope"}


def _energies(rows: Rows) -> Table:
    """As they stand at the end, but for what a page gave."""
    ends: Mapping[str, str] = {**ENERGIES, **THRESHOLDS}
    lines = [
        (crawler, len(own), _mean(own, "drift"), _mean(own, "rewarded"), *(_end(own, name) for name in ends.values()))
        for crawler in SHOWN
        if (own := [*runs_of(rows, crawler).values()])
    ]
    columns = ("crawler", "runs", "energy of a new page", "share of pages that give", *ends)
    note = (
        "Second visits free. The energy of a new page is that at the R of its time. The exact balance is one of all "
        "pages so far at one R, so that this mean need not be 0 there, either."
    )
    return Table("Energy at the end", columns, lines, note)


def _end(own: Sequence[Row], name: str) -> float:
    return float(f"{np.mean([row[name][-1] for row in own]):.4g}")


def _pages(rows: Rows) -> Table:
    columns = ("crawler", "runs", "visits far below R", "died of it", "visits far above R", "clones made")
    own = {crawler: [*runs_of(rows, crawler, study=RATES).values()] for crawler in (DEADLY, TWENTIETH)}
    lines = [_page_line(crawler, mine) for crawler, mine in own.items() if mine]
    note = "First visits, all runs together; shares of pages are means over runs."
    return Table("Single pages (section III.A)", (*columns, "pages above R", "pages that give"), lines, note)


def _page_line(crawler: str, own: Sequence[Row]) -> tuple[Value, ...]:
    low, died, high, clones = (
        sum(row[name] for row in own) for name in ("low_visits", "low_deaths", "high_visits", "clones")
    )
    killed = Both(round(died / low, 4) if low else None, 1.0 if crawler == DEADLY else None)
    cloned = Both(round(clones / high, 2) if high else None, 10)
    above = Both(_mean(own, "above"), 0.05 if crawler == TWENTIETH else None)
    return crawler, len(own), low, killed, high, cloned, above, _mean(own, "rewarded")


def _exhausted(rows: Rows) -> Table:
    lines = [
        (name, row["run"] + 1, row["topic"], row["relevant"], _found(row), row["population"][0], row["population"][-1])
        for name, revisit in WAYS.items()
        for row in runs_of(rows, BUFFER, Way(revisit), EXHAUSTED).values()
    ]
    columns = ("second visits", "run", "topic", "relevant pages", "found", "population at first", "at the end")
    return Table("Topics that are exhausted", columns, lines)


def _found(row: Row) -> int:
    return round(float(row["truth"][-1] * row["at"][-1]))


def _corpora(rows: Rows) -> Table:
    mine = [row for row in rows if row["study"] == CORPUS and row["at"]]
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in mine:
        groups.setdefault((row["web_name"], row["crawler"]), []).append(row)
    lines = [(*name, *_population_line(own), *_precision_line(own)) for name, own in groups.items()]
    columns = ("web", "crawler", "topics", "gain", "mean population", "smallest", "largest", "extinct")
    more = ("downloads", "precision", "in the last tenth", "by truth", "in the last tenth, by truth", "ended by")
    return Table(
        "Recorded webs", (*columns, *more), lines, "Up to a quarter of their pages. No claim is ruled on these."
    )


# Figures


def _population(
    rows: Rows,
    title: str,
    crawlers: Sequence[str],
    study: str = FIGURES,
    y_log: bool = False,
    bounds: bool = False,
) -> Figure:
    """A line for each run, in the colour of its crawler."""
    figure = Figure(title, "downloads", "agents", y_log=y_log)
    for crawler, colour in zip(crawlers, PALETTE, strict=False):
        for place, row in enumerate(runs_of(rows, crawler, study=study).values()):
            figure.line(row["at"], row["population"], "" if place else crawler, colour=colour)
    longest = max((row["at"][-1] for row in rows if row["study"] == study and row["at"]), default=0)
    if bounds and figure.marks:
        for name, bound in (("UB", UB), ("LB", LB)):
            figure.line([0, longest], [bound, bound], f"{name} = {bound}", dashed=True, colour=PALETTE[6])
    return figure


def _three_models(rows: Rows) -> Figure:
    """Side by side, as means over runs; who is extinct counts as 0, which a logarithmic axis has no place for."""
    figure = Figure("Population of the three models", "downloads", "agents", y_log=True)
    for crawler, colour in MODELS.items():
        own = [*runs_of(rows, crawler).values()]
        means = [float(np.mean(known)) for place in range(POINTS) if (known := _alive(own, place))]
        downloads = [own[0]["budget"] * (place + 1) / POINTS for place in range(len(means))]
        if means:
            figure.line(downloads, means, crawler, dashed=crawler in (LOW, HIGH), colour=PALETTE[colour])
    return figure


def _alive(own: Sequence[Row], place: int) -> list[float]:
    """How many there are at a step, in each run that went so far or where nobody is left."""
    return [
        row["population"][place] if place < len(row["population"]) else 0.0
        for row in own
        if place < len(row["population"]) or row["extinct"] is not None
    ]


def _mean_curves(rows: Rows, title: str, crawlers: Sequence[str], name: str, label: str) -> Figure:
    """Means over the runs that are not over yet, and from the smallest to the largest."""
    figure = Figure(title, "downloads", label)
    for crawler, colour in zip(crawlers, PALETTE, strict=False):
        own = [*runs_of(rows, crawler).values()]
        step = own[0]["budget"] / POINTS if own else 0.0
        columns = [[row[name][place] for row in own if place < len(row[name])] for place in range(POINTS)]
        known = [column for column in columns if column]
        if known:
            downloads = [step * (place + 1) for place in range(len(known))]
            figure.line(downloads, [float(np.mean(column)) for column in known], crawler, colour=colour)
            figure.band(downloads, [*map(min, known)], [*map(max, known)], colour=colour)
    return figure
