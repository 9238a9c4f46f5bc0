"""The tables and figures of `energy_population`. Only the captions of the paper's own figures are at hand, so the only
numbers of theirs beside ours are those of section III.A."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import itemgetter

import numpy as np

from wolfspider.bench.draw.svg import PALETTE, Figure
from wolfspider.bench.experiment import Row, Rows, Table, Value
from wolfspider.bench.groups import grouped, where
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
    LEARNING,
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
from wolfspider.bench.papers.energy_population.crawls_by_run import (
    AS_PRINTED,
    CrawlsCompared,
    got_anywhere,
    mean_population,
    runs_of,
    together,
)
from wolfspider.bench.papers.energy_population.page_meter import POINTS
from wolfspider.bench.rulings import FEWEST
from wolfspider.bench.stats import DIGITS, interval
from wolfspider.bench.tabulate import Column, counts_of, figures_of, group_table, mean_line, mean_of, tables_of

VISITS = {"free, as printed": PRINTED, "costs C": CORRECTED}
MODELS = {LOW: 0, MIDDLE: 0, HIGH: 0, FREE: 1, BUFFER: 2}  # and the colour of each
SHOWN = (*ORIGINALS, MATCHED, *SIGMOIDS, EXACT, FREE, BUFFER, LEARNING, UNBOUND)


def crawls(rows: Rows, crawler: str, revisit: float = PRINTED, study: str = FIGURES) -> list[Row]:
    return [*runs_of(rows, crawler, CrawlsCompared(revisit), study).values()]


# Tables


POPULATIONS = (
    Column("gain", "gain", digits=1),
    Column("mean population", mean_of(mean_population, 1)),
    Column("smallest", lambda own: min(row["smallest"] for row in own)),
    Column("largest", lambda own: max(row["largest"] for row in own)),
    Column("extinct", lambda own: sum(row["extinct"] is not None for row in own)),
    Column("downloads", "downloads", digits=0),
    Column("precision", mean_of(lambda row: row["precision"][-1], 4)),
    Column("in the last tenth", "last_precision", digits=4),
    Column("by truth", mean_of(lambda row: row["truth"][-1], 4)),
    Column("in the last tenth, by truth", "last_truth", digits=4),
    Column("ended by", counts_of("reason")),
)


def population_table(rows: Rows) -> Table:
    return group_table(
        "Populations and precision",
        ("crawler", "second visits"),
        {(crawler, name): crawls(rows, crawler, VISITS[name]) for crawler in SHOWN for name in VISITS},
        Column("runs", len),
        *POPULATIONS,
        note="Means over runs, but for the smallest and largest population of all runs. An extinct one counts as 0. "
        "A run that gets no further than its starting points is left out, here and in the claims.",
    )


def corpus_table(rows: Rows) -> Table:
    return group_table(
        "Recorded webs",
        ("web", "crawler"),
        grouped(filter(got_anywhere, where(rows, study=CORPUS)), itemgetter("web_name", "crawler")),
        Column("topics", len),
        *POPULATIONS,
        note="Up to a quarter of their pages, from three relevant pages. Claims 8, 9 and 10 are ruled on these crawls.",
    )


ENERGIES = {
    "in agents": "in_agents",
    "on pages": "on_pages",
    "births": "births",
    "deaths": "deaths",
    "teleports": "teleports",
    "moves on known pages": "moves",
    "R": "threshold",
    "lambda": "slope",
}


def energy_table(rows: Rows) -> Table:
    """As they stand at the end, but for what a page gave."""

    def rounded_end(field: str) -> Callable[[Rows], float]:
        return lambda own: float(f"{np.mean([row[field][-1] for row in own]):.4g}")

    return group_table(
        "Energy at the end",
        ("crawler",),
        {crawler: crawls(rows, crawler) for crawler in SHOWN},
        Column("runs", len),
        Column("energy of a new page", "drift", digits=4),
        Column("share of pages that give", "rewarded", digits=4),
        *(Column(name, rounded_end(field)) for name, field in ENERGIES.items()),
        note="Second visits free. The energy of a new page is that at the R of its time. The exact balance is one of "
        "all pages so far at one R, so that this mean need not be 0 there, either.",
    )


def page_table(rows: Rows) -> Table:
    def total(name: str) -> Callable[[Rows], int]:
        return lambda own: sum(row[name] for row in own)

    def share(part: str, whole: str, digits: int) -> Callable[[Rows], float | None]:
        return lambda own: round(total(part)(own) / total(whole)(own), digits) if total(whole)(own) else None

    return group_table(
        "Single pages (section III.A)",
        ("crawler",),
        {crawler: crawls(rows, crawler, study=RATES) for crawler in (DEADLY, TWENTIETH)},
        Column("runs", len),
        Column("visits far below R", total("low_visits")),
        Column("died of it", share("low_deaths", "low_visits", 4), {DEADLY: 1.0}),
        Column("visits far above R", total("high_visits")),
        Column("clones made", share("clones", "high_visits", 2), {DEADLY: 10, TWENTIETH: 10}),
        Column("pages above R", "above", {TWENTIETH: 0.05}, digits=4),
        Column("pages that give", "rewarded", digits=4),
        note="First visits, all runs together; shares of pages are means over runs.",
    )


def exhausted_table(rows: Rows) -> Table:
    def found(row: Row) -> int:
        return round(float(row["truth"][-1] * row["at"][-1]))

    lines = [
        (name, row["run"] + 1, row["topic"], row["relevant"], found(row), row["population"][0], row["population"][-1])
        for name, revisit in VISITS.items()
        for row in crawls(rows, BUFFER, revisit, EXHAUSTED)
    ]
    columns = ("second visits", "run", "topic", "relevant pages", "found", "population at first", "at the end")
    return Table("Topics that are exhausted", columns, lines)


LEARNED: Mapping[str, Callable[[Row], float]] = {
    "precision": lambda row: row["precision"][-1],
    "precision in the last tenth": itemgetter("last_precision"),
    "precision by truth": lambda row: row["truth"][-1],
    "precision by truth in the last tenth": itemgetter("last_truth"),
    "mean population": mean_population,
}


def learning_table(rows: Rows) -> Table:
    """What learning inside agents changes, run by run."""
    pairs = together(rows, (BUFFER, LEARNING), AS_PRINTED)
    lines = [(name, *_changes([tuple(map(figure, pair)) for pair in pairs])) for name, figure in LEARNED.items()]
    head = ("figure", "runs", BUFFER, LEARNING, "learning less not", "95% from", "to", "runs with more")
    note = (
        "Algorithm 1 lets agents learn, if one likes: weights of words that are moved by the energy that a page gave. "
        "Both crawlers of a run have the same web, topic, starting points and draws. The interval is that of the mean "
        "difference, from a bootstrap over runs; with fewer than five runs there is none."
    )
    return Table("Learning inside agents", head, lines if pairs else [], note)


def _changes(pairs: Sequence[tuple[float, ...]]) -> tuple[Value, ...]:
    """How many there are, both means, the mean difference with its interval, and how many have more."""
    values = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    changes = (values[:, 1] - values[:, 0]).round(DIGITS)
    ends = interval(changes) if len(pairs) >= FEWEST else (None, None)
    numbers = (*values.mean(axis=0), changes.mean(), *ends) if pairs else (None,) * 5
    return (
        len(pairs),
        *(None if each is None else round(float(each), 4) for each in numbers),
        int((changes > 0).sum()),
    )


tables = tables_of(population_table, energy_table, learning_table, page_table, exhausted_table, corpus_table)


# Figures, of crawls as printed, which the paper's figures mean


def populations(
    rows: Rows,
    title: str,
    crawlers: Sequence[str],
    study: str = FIGURES,
    y_log: bool = False,
    bounds: bool = False,
) -> Figure:
    """Means over runs and their 95% intervals. A crawl whose agents died counts as 0, which a logarithmic axis leaves
    out."""
    figure = Figure(title, "downloads", "agents", y_log=y_log)
    for crawler, colour in zip(crawlers, PALETTE, strict=False):
        _populations(figure, crawls(rows, crawler, study=study), crawler, colour)
    longest = max((row["at"][-1] for row in where(rows, study=study) if got_anywhere(row)), default=0)
    for name, bound in {"UB": UB, "LB": LB}.items() if bounds and figure.marks else ():
        figure.line([0, longest], [bound, bound], f"{name} = {bound}", dashed=True, colour=PALETTE[6])
    return figure


def three_models(rows: Rows) -> Figure:
    """Side by side."""
    figure = Figure("Population of the three models", "downloads", "agents", y_log=True)
    for crawler, colour in MODELS.items():
        _populations(figure, crawls(rows, crawler), crawler, PALETTE[colour], crawler in (LOW, HIGH))
    return figure


def _populations(figure: Figure, own: Sequence[Row], crawler: str, colour: str, dashed: bool = False) -> None:
    alive = [{_downloads(row, step): _alive(row, step) for step in range(POINTS)} for row in own]
    mean_line(figure, alive, crawler, colour, dashed)


def _downloads(row: Row, step: int) -> float:
    return float(row["budget"] * (step + 1) / POINTS)


def _alive(row: Row, step: int) -> float | None:
    """The population at a step: 0 where everybody died before it, None where the crawl ended before it."""
    if step < len(row["population"]):
        return float(row["population"][step])
    return 0.0 if row["extinct"] is not None else None


def curves(rows: Rows, title: str, crawlers: Sequence[str], name: str, label: str) -> Figure:
    """Means over the runs that are not over yet, and their 95% intervals."""
    figure = Figure(title, "downloads", label)
    for crawler, colour in zip(crawlers, PALETTE, strict=False):
        own = [{_downloads(row, step): y for step, y in enumerate(row[name])} for row in crawls(rows, crawler)]
        mean_line(figure, own, crawler, colour)
    return figure


SO_FAR = "precision so far"
drawings = figures_of(
    three_models,
    partial(populations, title="Population, original model (Fig. 2)", crawlers=ORIGINALS, y_log=True),
    partial(populations, title="Population, sigmoid (Fig. 3)", crawlers=SIGMOIDS),
    partial(populations, title="Population with and without the buffer (Fig. 5)", crawlers=(FREE, BUFFER), bounds=True),
    partial(
        populations, title="Population when the topic is exhausted", crawlers=(BUFFER,), study=EXHAUSTED, bounds=True
    ),
    partial(
        curves,
        title="Precision at similar populations (Fig. 4)",
        crawlers=(MATCHED, FIG_4),
        name="precision",
        label=SO_FAR,
    ),
    partial(
        curves,
        title="Precision with and without the buffer (Fig. 6)",
        crawlers=(FREE, BUFFER),
        name="precision",
        label=SO_FAR,
    ),
    partial(
        curves,
        title="Precision where agents learn",
        crawlers=(BUFFER, LEARNING),
        name="precision",
        label=SO_FAR,
    ),
    partial(curves, title="Energy left on pages", crawlers=(BUFFER, UNBOUND), name="on_pages", label="energy"),
    partial(curves, title="The threshold R", crawlers=(*SIGMOIDS, FREE), name="threshold", label="relevance"),
)
