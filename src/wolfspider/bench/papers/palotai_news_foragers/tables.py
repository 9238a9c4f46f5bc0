"""The numbers and figures of Palotai, Mandusitz and Lorincz, ours beside theirs. One run stands for all in figures of a
single fleet: the first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from wolfspider.bench.draw import foraging_figures as drawn
from wolfspider.bench.draw.svg import Figure
from wolfspider.bench.experiment import Both, Row, Rows, Table, Value
from wolfspider.bench.measure.describe import Degrees, degree_figure
from wolfspider.bench.measure.folds import DAY
from wolfspider.bench.measure.territory import EQUAL_MOVES
from wolfspider.bench.papers.palotai_news_foragers.claims import (
    FEW,
    MANY,
    WEEKS,
    lag,
    main_runs,
    slope,
    starts_by_day,
    week_ratio,
    windows,
)
from wolfspider.bench.papers.palotai_news_foragers.contrasts import (
    DIVIDING,
    FACTORS,
    KEPT,
    SAME,
    at_minimum,
    daily_territory,
    extinction,
    harvest,
    mean_lag,
    territory,
)
from wolfspider.bench.stats import spread
from wolfspider.core.model import Sent
from wolfspider.graphs.degrees import Exponents
from wolfspider.policy.reinforcer import Reinforcer, Terms

PAPER_DAYS = 14
BOUNDARY = "0.6-0.7"
Read = Callable[[Row], float]


def tables(rows: Rows) -> list[Table]:
    return [
        _numbers(rows),
        _steps(rows),
        _degrees(rows),
        _scores(rows),
        _lags(rows),
        _shares(rows),
        _sweep(rows),
        _trapped(rows),
        _division(rows),
    ]


def mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None and math.isfinite(value)]
    return float(np.mean(known)) if known else None


def _line(name: str, runs: Rows, read: Read, paper: float | str | None) -> tuple[Value, ...]:
    values = [read(row) for row in runs]
    return name, Both(mean(values), paper), spread([value for value in values if math.isfinite(value)])


def _numbers(rows: Rows) -> Table:
    runs = main_runs(rows)
    lines = [
        *_totals(runs),
        _line("foragers at the start", runs, lambda row: row["population"]["first"], 2),
        _line("foragers at the end", runs, lambda row: row["population"]["last"], 22),
        _line("new URLs a day", runs, _new_a_day, 1200),
        _line("lowest score", runs, lambda row: row["population"]["lowest_score"], 60),
        _line("highest score", runs, lambda row: row["population"]["highest_score"], 200),
        _line("boundary, 2-4 foragers", runs, lambda row: _window_mean(row, FEW), BOUNDARY),
        _line("boundary, 15 foragers and more", runs, lambda row: _window_mean(row, MANY), BOUNDARY),
        _line("slope, incoming links", runs, lambda row: slope(row["linked"]["into"]), -2.0),
        _line("slope, outgoing links", runs, lambda row: slope(row["linked"]["out_of"]), -2.0),
        ("profit of the step in Fig. 1", Both(profit_of_figure_1(), 98), 0.0),
    ]
    note = (
        f"Means of {len(runs)} runs. The paper's are one run of two weeks, on a site that publishes more (see what was "
        "scaled down)."
    )
    return Table("The numbers in the text", ("", "value", "± between runs"), lines, note)


def _totals(runs: Rows) -> list[tuple[Value, ...]]:
    def total(name: str) -> Read:
        return lambda row: row["tally"][name]

    return [
        _line("downloaded", runs, total("downloaded"), 1_090_074),
        _line("sent", runs, total("sent"), 94_226),
        _line("rewarded", runs, total("relevant"), 7_423),
        _line("sent/downloaded", runs, lambda row: row["tally"]["sent"] / row["tally"]["downloaded"], 0.0864),
        _line("rewarded/sent", runs, total("sent_efficiency"), 0.0788),
        _line("rewarded/downloaded", runs, total("download_efficiency"), 0.00681),
    ]


def _steps(rows: Rows) -> Table:
    """Where a step takes more downloads, a fleet takes fewer of them in the same time."""
    lines: list[tuple[Value, ...]] = []
    for kind in dict.fromkeys((row["kind"], row.get("site", "")) for row in rows):
        mine = [row for row in rows if (row["kind"], row.get("site", "")) == kind]
        paces, slices, paths, hundreds = (mean([read(row) for row in mine]) for read in STEPPED)
        paper = (Both(paces, 3.15), Both(slices, 51), paths, Both(hundreds, 350))
        lines.append((" ".join(kind).strip(), len(mine), *paper))
    head = ("runs", "number", "downloads per step", "steps per slice", "paths per forager", "seconds for 100 steps")
    note = "A path has at most 100 steps, and one under way at the end is not counted. The paper says 350 s for a path."
    return Table("Steps, slices and paths", head, lines, note)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


STEPPED: tuple[Read, ...] = (
    lambda row: _ratio(row["tally"]["downloaded"], row["territory"]["moves"]),
    lambda row: _ratio(row["territory"]["moves"], row["territory"]["slices"]),
    lambda row: _ratio(row["territory"]["paths"], len(row["population"]["births"])),
    lambda row: _ratio(row["days"] * DAY, row["territory"]["moves"] / 100),
)


def _new_a_day(row: Row) -> float:
    """Addresses discovered after the first day, for each day."""
    later = [(hours, seen) for hours, seen, _ in row["starts"]["curve"] if hours >= 24]
    if len(later) < 2:
        return math.nan
    (first, before), (last, after) = later[0], later[-1]
    return float((after - before) / (last - first) * 24)


def _window_mean(row: Row, sizes: Sequence[int]) -> float:
    found = windows(row, sizes, "boundary")
    return float(np.mean(found)) if found else math.nan


def profit_of_figure_1() -> float:
    """Two documents are sent, E, which the reinforcing agent has, and F, which is novel."""
    agent = Reinforcer(Terms(pays="new+fresh"))
    known, novel = (Sent(visit, "a", f"http://n/{visit}", "", 0.0, None) for visit in (1, 2))
    agent.submit(known, 0.0)
    return sum(credit.value for sent in (known, novel) for credit in agent.submit(sent, 0.0))


def _degrees(rows: Rows) -> Table:
    lines: list[tuple[Value, ...]] = []
    for row, (side, name) in product(main_runs(rows), (("into", "incoming"), ("out_of", "outgoing"))):
        found = row["linked"][side]["exponents"]
        raw: Value = Both(found["raw"], "2.0 ± 0.3")
        lines.append(
            (row["case"] + 1, name, raw, found["binned"], found["mle"], found["low"], found["high"], found["kmin"])
        )
    head = ("run", "links", "γ, raw fit", "γ, binned fit", "γ, likelihood", "95% from", "to", "from k =")
    return Table(
        "Exponents of the links that were looked at", head, lines, "A slope is -γ. The paper's is the raw fit."
    )


def conserved(row: Row) -> tuple[float, float]:
    """The mean score at the end by the totals, as if every forager had 200 when it multiplied, and the one there is."""
    tally, people = row["tally"], row["population"]
    ours = (100 * people["first"] + tally["relevant"] - 0.05 * tally["sent"]) / max(people["last"], 1)
    last = [line[-1] for line in people["heat"] if line and line[-1] is not None]
    return ours, mean(last) or math.nan


def _scores(rows: Rows) -> Table:
    lines: list[tuple[Value, ...]] = []
    for row in main_runs(rows):
        ours, there = conserved(row)
        people = row["population"]
        lines.append((row["case"] + 1, people["last"], len(people["deaths"]), Both(ours, 132.35), there))
    note = (
        "(100 · foragers at the start + rewarded - 0.05 · sent) / foragers at the end, which is what the paper's "
        "totals give too, against the mean score there is. The first is higher by what foragers had above 200 when "
        "they multiplied; the dead take theirs with them."
    )
    head = ("run", "foragers at the end", "deaths", "mean score by the totals", "mean score at the end")
    return Table("Are scores conserved?", head, lines, note)


def _lags(rows: Rows) -> Table:
    runs = main_runs(rows)
    last = max((int(row["days"]) for row in runs), default=0)
    lines: list[tuple[Value, ...]] = []
    for day in range(last):
        known = [found for row in runs for found in row["lags"]["published"] if found["day"] == day]
        means = [mean([found[name] for found in known]) for name in ("documents", "mean", "median", "within_1h")]
        lines.append((day + 1, *means, mean([found["within_6h"] for found in known])))
    head = ("published on day", "documents found", "mean hours", "median", "within 1 h", "within 6 h")
    note = "Means over the runs. Day 1 is a Monday. What was published on the last day may still be found later."
    return Table("From publication to finding", head, lines, note)


def _shares(rows: Rows) -> Table:
    lines: list[tuple[Value, ...]] = []
    for row in main_runs(rows):
        weeks = [week_ratio(row, of, week) for of, week in product(("sent", "downloads"), WEEKS)]
        days = starts_by_day(row)
        starts = [mean([days[day] for day in week if day < len(days)]) for week in WEEKS]
        ratios = [value if math.isfinite(value) else None for value in weeks]
        lines.append((row["case"] + 1, *ratios, *starts))
    head = (
        "run",
        "rewarded/sent, week 1",
        "week 2",
        "rewarded/downloaded, week 1",
        "week 2",
        "new starts a day, week 1",
    )
    return Table("The first week and the second", (*head, "in week 2"), lines, "Tuesday to Sunday of each week.")


def _sweep(rows: Rows) -> Table:
    lines: list[tuple[Value, ...]] = []
    for factor in FACTORS:
        mine = [row for row in rows if row["kind"] == "sweep" and row["factor"] == factor]
        figures = [mean([figure(row) for row in mine]) for figure in SWEPT]
        ends = mean([row["population"]["last"] for row in mine])
        lines.append((factor, len(mine), *figures, ends, mean([row["tally"]["sent_efficiency"] for row in mine])))
    head = ("m", "seeds", f"URLs of a forager in {EQUAL_MOVES} moves", "in a day", "distinct URLs to steps of a day")
    note = (
        "The cost of a document sent is m in the profit (the reward is 100) and 0.05 m in the score (a reward is 1). "
        "Foragers share the time: in a smaller fleet each takes more steps in a day, which alone widens what it visits "
        "in a day. So the claim is ruled on by equal moves."
    )
    more = ("deaths for each birth", "fleets of one at the end", "foragers at the end", "rewarded/sent")
    return Table("A larger cost", (*head, *more), lines, note)


def _distinct(row: Row) -> float:
    return float(row["territory"]["distinct_of_moves_a_day"] or math.nan)


def _at_minimum(row: Row) -> float:
    return float(at_minimum(row))


SWEPT = (territory, daily_territory, _distinct, extinction, _at_minimum)


def _trapped(rows: Rows) -> Table:
    whole = [row for row in rows if row["kind"] == "sweep" and row["factor"] == 1]
    cut = [row for row in rows if row["kind"] == "trapped"]
    names = ("returned", "distinct", "distinct_a_day")
    lines: list[tuple[Value, ...]] = []
    for entries, mine in ((100, whole), (1, cut)):
        figures = [mean([row["territory"][name] for row in mine]) for name in names]
        rewarded = mean([1000 * row["tally"]["download_efficiency"] for row in mine])
        lines.append((entries, len(mine), *figures, rewarded))
    head = ("entries in a weblog", "seeds", "steps to URLs of the last paths", "distinct URLs to steps")
    return Table("A weblog of one entry", (*head, "URLs of a forager in a day", "rewarded per 1,000 downloads"), lines)


def _division(rows: Rows) -> Table:
    lines: list[tuple[Value, ...]] = []
    for site, name in product(("poor", "rich", "recorded"), (DIVIDING, KEPT, SAME)):
        mine = [row for row in rows if row["kind"] == "division" and row["site"] == site and row["name"] == name]
        if mine:
            figures = [mean([figure(row) for row in mine]) for figure in (harvest, mean_lag)]
            rest = [mean([row[part][key] for row in mine]) for part, key in _DIVISION]
            lines.append((site, name, len(mine), *figures, *rest))
    head = ("site", "fleet", "runs", "rewarded per 1,000 downloads after a day", "mean lag, h", "rewarded/sent")
    note = (
        "All fleets begin with eight foragers and the same starting points. Pages without a date, as lists of articles "
        "are, count as fresh when first seen, so the first day, which pays for what was there before, is left out of "
        "the rewarded. A lag is of articles with a date that were published since the fleet began. The recorded site "
        "is the news corpus, where few have one."
    )
    more = ("URLs of one forager only", "foragers at the end")
    return Table("Dividing the space, where news is scarce and where it is not", (*head, *more), lines, note)


_DIVISION = (("tally", "sent_efficiency"), ("division", "boundary"), ("population", "last"))


# Figures


def figures(rows: Rows) -> list[Figure]:
    runs = main_runs(rows)
    if not runs:
        return []
    first = runs[0]
    part = first["division"]
    return [
        *_degree_figures(first),
        *(_titled(drawn.efficiency({"run 1": first["tally"]}, of), "Fig. 3a") for of in ("sent", "downloads")),
        _titled(drawn.found_and_published(first["tally"]), "beside Fig. 3a"),
        _titled(drawn.scores(first["population"]), "Fig. 3b"),
        drawn.fleet_size({f"run {row['case'] + 1}": row["population"] for row in runs}),
        _titled(drawn.division(part, days=3), "Fig. 4a, first three days"),
        _titled(drawn.division(part), "Fig. 4b"),
        _titled(drawn.decisions(part), "Fig. 4c"),
        *_pace_figures(rows),
        _titled(drawn.new_starts(first["starts"]), "Fig. 5"),
        drawn.discovered({f"run {row['case'] + 1}": row["starts"] for row in runs}),
        *([_titled(drawn.land(land), "Fig. 6")] if (land := first["territory"]["land"]) else []),
        _lag_figure(runs),
        *_sweep_figures(rows),
    ]


def _titled(figure: Figure, name: str) -> Figure:
    figure.title = f"{figure.title} ({name})"
    return figure


def _degree_figures(row: Row) -> list[Figure]:
    sides = (("into", "Incoming", "links to a page"), ("out_of", "Outgoing", "links on a page"))
    return [
        degree_figure(f"{name} links that were looked at (Fig. 2)", label, _degrees_of(row["linked"][side]))
        for side, name, label in sides
    ]


def _degrees_of(part: dict[str, Any]) -> Degrees:
    known: dict[str, Any] = {key: math.nan if value is None else value for key, value in part["exponents"].items()}
    return Degrees(Exponents(**known), tuple(part["values"]), tuple(part["counts"]))


def _pace_figures(rows: Rows) -> list[Figure]:
    paces = [row for row in rows if row["kind"] == "pace"]
    return [_titled(drawn.division(row["division"]), "at the paper's rates") for row in paces[:1]]


def _lag_figure(runs: Rows) -> Figure:
    figure = Figure("From publication to finding", "day of the publication", "mean hours")
    for row in runs:
        days = range(int(row["days"]) - 1)
        figure.line([day + 1 for day in days], [lag(row, [day]) for day in days], f"run {row['case'] + 1}")
    return figure


def _sweep_figures(rows: Rows) -> list[Figure]:
    drawn_ = []
    for title, label, read in (
        ("Territory and cost", f"URLs of a forager in {EQUAL_MOVES} moves", territory),
        ("Extinction and cost", "deaths for each birth", extinction),
    ):
        figure = Figure(title, "m, the factor of the cost", label, x_log=True)
        mine = [row for row in rows if row["kind"] == "sweep"]
        mine = [row for row in mine if math.isfinite(read(row))]
        columns = [[read(row) for row in mine if row["factor"] == factor] for factor in FACTORS]
        if all(columns):
            figure.points([row["factor"] for row in mine], [read(row) for row in mine], "each fleet", size=3.0)
            drawn_.append(figure.line(FACTORS, [float(np.mean(column)) for column in columns], "mean"))
    return drawn_
