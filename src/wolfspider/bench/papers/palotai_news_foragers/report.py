"""The numbers and figures of Palotai, Mandusitz and Lorincz, ours beside theirs. Curves are means of runs with their
intervals; in figures of a single fleet the first run stands for all."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from wolfspider.bench.draw import foraging_figures as drawn
from wolfspider.bench.draw.svg import Figure as Drawing
from wolfspider.bench.experiment import Both, Row, Rows, Table, Value
from wolfspider.bench.groups import Figure, average, grouped, mean, values, where
from wolfspider.bench.measure.folds import DAY, ratio
from wolfspider.bench.measure.territory import EQUAL_MOVES
from wolfspider.bench.papers.palotai_news_foragers.cells import FACTORS, FLEETS
from wolfspider.bench.papers.palotai_news_foragers.claims import (
    FEW,
    MANY,
    SIDES,
    WEEKS,
    lag,
    main_runs,
    slope,
    starts_by_day,
    week_ratio,
    windows,
)
from wolfspider.bench.papers.palotai_news_foragers.contrasts import (
    TERRITORY,
    daily_territory,
    extinction,
    harvest,
    one_left,
)
from wolfspider.bench.stats import spread
from wolfspider.bench.tabulate import Column, group_table, mean_line, mean_of
from wolfspider.core.model import Sent
from wolfspider.policy.reinforcer import Reinforcer, Terms

# The numbers in the text


def new_a_day(row: Row) -> float:
    """Addresses discovered after the first day, for each day."""
    later = [(hours, seen) for hours, seen, _ in row["starts"]["curve"] if hours >= 24]
    if len(later) < 2:
        return math.nan
    (first, before), (last, after) = later[0], later[-1]
    return float((after - before) / (last - first) * 24)


def window_mean(sizes: Sequence[int]) -> Callable[[Row], float]:
    """The mean boundary of the windows in which so many foragers live."""
    return lambda row: average(windows(row, sizes, "boundary")) or math.nan


def profit_of_figure_1() -> float:
    """Two documents are sent, E, which the reinforcing agent has, and F, which is novel."""
    agent = Reinforcer(Terms(pays="new+fresh"))
    known, novel = (Sent(visit, "a", f"http://n/{visit}", "", 0.0, None) for visit in (1, 2))
    agent.submit(known, 0.0)
    return sum(credit.value for sent in (known, novel) for credit in agent.submit(sent, 0.0))


# Name, figure, and the paper's.
NUMBERS: tuple[tuple[str, Figure, float | str], ...] = (
    ("downloaded", "tally.downloaded", 1_090_074),
    ("sent", "tally.sent", 94_226),
    ("rewarded", "tally.relevant", 7_423),
    ("sent/downloaded", lambda row: row["tally"]["sent"] / row["tally"]["downloaded"], 0.0864),
    ("rewarded/sent", "tally.sent_efficiency", 0.0788),
    ("rewarded/downloaded", "tally.download_efficiency", 0.00681),
    ("foragers at the start", "population.first", 2),
    ("foragers at the end", "population.last", 22),
    ("new URLs a day", new_a_day, 1200),
    ("lowest score", "population.lowest_score", 60),
    ("highest score", "population.highest_score", 200),
    ("boundary, 2-4 foragers", window_mean(FEW), "0.6-0.7"),
    ("boundary, 15 foragers and more", window_mean(MANY), "0.6-0.7"),
    ("slope, incoming links", lambda row: slope(row["linked"]["into"]), -2.0),
    ("slope, outgoing links", lambda row: slope(row["linked"]["out_of"]), -2.0),
)


def number_table(rows: Rows) -> Table:
    runs = main_runs(rows)
    lines: list[tuple[Value, ...]] = [
        (name, Both(mean(runs, figure), paper), spread(values(runs, figure))) for name, figure, paper in NUMBERS
    ]
    lines.append(("profit of the step in Fig. 1", Both(profit_of_figure_1(), 98), 0.0))
    note = (
        f"Means of {len(runs)} runs. The paper's are one run of two weeks, on a site that publishes more (see what was "
        "scaled down)."
    )
    return Table("The numbers in the text", ("", "value", "± between runs"), lines, note)


# Tables of groups of runs


def step_table(rows: Rows) -> Table:
    """Where a step takes more downloads, a fleet takes fewer of them in the same time."""
    groups = grouped(rows, lambda row: f"{row['kind']} {row.get('site', '')}".strip())

    def column(name: str, figure: Callable[[Row], float], paper: float | None = None) -> Column:
        return Column(name, mean_of(figure), dict.fromkeys(groups, paper) if paper else None)

    return group_table(
        "Steps, slices and paths",
        ("runs",),
        groups,
        Column("number", len),
        column("downloads per step", lambda row: ratio(row["tally"]["downloaded"], row["territory"]["moves"]), 3.15),
        column("steps per slice", lambda row: ratio(row["territory"]["moves"], row["territory"]["slices"]), 51),
        column("paths per forager", lambda row: ratio(row["territory"]["paths"], len(row["population"]["births"]))),
        column("seconds for 100 steps", lambda row: ratio(row["days"] * DAY, row["territory"]["moves"] / 100), 350),
        note="A path has at most 100 steps, and one under way at the end is not counted. The paper says 350 s for a "
        "path.",
    )


def degree_table(rows: Rows) -> Table:
    fields = ("binned", "mle", "low", "high", "kmin")
    lines: list[tuple[Value, ...]] = []
    for row, (side, name) in product(main_runs(rows), SIDES.items()):
        fits = row["linked"][side]["exponents"]
        lines.append((row["case"] + 1, name, Both(fits["raw"], "2.0 ± 0.3"), *(fits[field] for field in fields)))
    head = ("run", "links", "γ, raw fit", "γ, binned fit", "γ, likelihood", "95% from", "to", "from k =")
    note = "A slope is -γ. The paper's is the raw fit."
    return Table("Exponents of the links that were looked at", head, lines, note)


def conserved(row: Row) -> tuple[float, float]:
    """The mean score at the end by the totals, as if every forager had 200 when it multiplied, and the one there is."""
    tally, people = row["tally"], row["population"]
    by_totals = (100 * people["first"] + tally["relevant"] - 0.05 * tally["sent"]) / max(people["last"], 1)
    return by_totals, average(line[-1] for line in people["heat"] if line) or math.nan


def score_table(rows: Rows) -> Table:
    lines: list[tuple[Value, ...]] = []
    for row in main_runs(rows):
        by_totals, there = conserved(row)
        people = row["population"]
        lines.append((row["case"] + 1, people["last"], len(people["deaths"]), Both(by_totals, 132.35), there))
    note = (
        "(100 · foragers at the start + rewarded - 0.05 · sent) / foragers at the end, which is what the paper's "
        "totals give too, against the mean score there is. The first is higher by what foragers had above 200 when "
        "they multiplied; the dead take theirs with them."
    )
    head = ("run", "foragers at the end", "deaths", "mean score by the totals", "mean score at the end")
    return Table("Are scores conserved?", head, lines, note)


def lag_table(rows: Rows) -> Table:
    runs = main_runs(rows)
    published = [entry for row in runs for entry in row["lags"]["published"]]
    last = max((int(row["days"]) for row in runs), default=0)
    return group_table(
        "From publication to finding",
        ("published on day",),
        {day + 1: where(published, day=day) for day in range(last)},
        Column("documents found", "documents"),
        Column("mean hours", "mean"),
        Column("median", "median"),
        Column("within 1 h", "within_1h"),
        Column("within 6 h", "within_6h"),
        note="Means over the runs. Day 1 is a Monday. What was published on the last day may still be found later.",
        empty=True,
    )


def week_table(rows: Rows) -> Table:
    lines: list[tuple[Value, ...]] = []
    for row in main_runs(rows):
        ratios = [average([week_ratio(row, of, week)]) for of, week in product(("sent", "downloads"), WEEKS)]
        days = starts_by_day(row)
        starts = [average(days[day] for day in week if day < len(days)) for week in WEEKS]
        lines.append((row["case"] + 1, *ratios, *starts))
    head = ("run", "rewarded/sent, week 1", "week 2", "rewarded/downloaded, week 1", "week 2")
    more = ("new starts a day, week 1", "in week 2")
    return Table("The first week and the second", (*head, *more), lines, "Tuesday to Sunday of each week.")


def sweep_table(rows: Rows) -> Table:
    return group_table(
        "A larger cost",
        ("m",),
        {factor: where(rows, kind="sweep", factor=factor) for factor in FACTORS},
        Column("seeds", len),
        Column(f"URLs of a forager in {EQUAL_MOVES} moves", TERRITORY),
        Column("in a day", mean_of(daily_territory)),
        Column("distinct URLs to steps of a day", "territory.distinct_of_moves_a_day"),
        Column("deaths for each birth", mean_of(extinction)),
        Column("fleets of one at the end", mean_of(one_left)),
        Column("foragers at the end", "population.last"),
        Column("rewarded/sent", "tally.sent_efficiency"),
        note="The cost of a document sent is m in the profit (the reward is 100) and 0.05 m in the score (a reward is "
        "1). Foragers share the time: in a smaller fleet each takes more steps in a day, which alone widens what it "
        "visits in a day. So the claim is ruled on by equal moves.",
        empty=True,
    )


def trapped_table(rows: Rows) -> Table:
    return group_table(
        "A weblog of one entry",
        ("entries in a weblog",),
        {100: where(rows, kind="sweep", factor=1), 1: where(rows, kind="trapped")},
        Column("seeds", len),
        Column("steps to URLs of the last paths", "territory.returned"),
        Column("distinct URLs to steps", "territory.distinct"),
        Column("URLs of a forager in a day", "territory.distinct_a_day"),
        Column(
            "rewarded per 1,000 downloads",
            mean_of(lambda row: 1000 * row["tally"]["download_efficiency"]),
        ),
        empty=True,
    )


def division_table(rows: Rows) -> Table:
    sites = product(("poor", "rich", "recorded"), FLEETS)
    return group_table(
        "Dividing the space, where news is scarce and where it is not",
        ("site", "fleet"),
        {(site, name): where(rows, kind="division", site=site, name=name) for site, name in sites},
        Column("runs", len),
        Column("rewarded per 1,000 downloads after a day", mean_of(harvest)),
        Column("mean lag, h", mean_of(lag)),
        Column("rewarded/sent", "tally.sent_efficiency"),
        Column("URLs of one forager only", "division.boundary"),
        Column("foragers at the end", "population.last"),
        note="All fleets begin with eight foragers and the same starting points. Pages without a date, as lists of "
        "articles are, count as fresh when first seen, so the first day, which pays for what was there before, is left "
        "out of the rewarded. A lag is of articles with a date that were published since the fleet began. The recorded "
        "site is the news corpus, where few have one.",
    )


TABLES = (
    *(number_table, step_table, degree_table, score_table, lag_table, week_table),
    *(sweep_table, trapped_table, division_table),
)


def tables(rows: Rows) -> list[Table]:
    return [table(rows) for table in TABLES]


# Figures


def figures(rows: Rows) -> list[Drawing]:
    runs = main_runs(rows)
    if not runs:
        return []
    first = runs[0]
    part = first["division"]
    links = [f"{name.capitalize()} links that were looked at (Fig. 2)" for name in SIDES.values()]
    return [
        *drawn.degrees(first["linked"], links),
        *(titled(drawn.efficiency(together(runs, "tally"), of), "Fig. 3a") for of in ("sent", "downloads")),
        titled(drawn.found_and_published(first["tally"]), "beside Fig. 3a, run 1"),
        titled(drawn.scores(first["population"]), "Fig. 3b"),
        drawn.fleet_size(together(runs, "population")),
        titled(drawn.division(part, days=3), "Fig. 4a, first three days"),
        titled(drawn.division(part), "Fig. 4b"),
        titled(drawn.decisions(part), "Fig. 4c"),
        *(titled(drawn.division(row["division"]), "at the paper's rates") for row in where(rows, kind="pace")[:1]),
        titled(drawn.new_starts(first["starts"]), "Fig. 5"),
        drawn.discovered(together(runs, "starts")),
        *([titled(drawn.land(land), "Fig. 6")] if (land := first["territory"]["land"]) else []),
        lag_figure(runs),
        *sweep_figure(rows, "Territory and cost", f"URLs of a forager in {EQUAL_MOVES} moves", TERRITORY),
        *sweep_figure(rows, "Extinction and cost", "deaths for each birth", extinction),
    ]


def titled(figure: Drawing, name: str) -> Drawing:
    figure.title = f"{figure.title} ({name})"
    return figure


def together(runs: Rows, part: str) -> dict[str, list[Any]]:
    """Under one name, as one curve is drawn of them."""
    return {mean_name(runs): [row[part] for row in runs]}


def mean_name(runs: Rows) -> str:
    return f"mean of {len(runs)} runs"


def lag_figure(runs: Rows) -> Drawing:
    figure = Drawing("From publication to finding", "day of the publication", "mean hours")
    days = [{float(day + 1): lag(row, [day]) for day in range(int(row["days"]) - 1)} for row in runs]
    return mean_line(figure, days, mean_name(runs))


def sweep_figure(rows: Rows, title: str, label: str, figure: Figure) -> list[Drawing]:
    """Nothing, where a factor has no fleet with the figure."""
    fleets = [row for row in where(rows, kind="sweep") if values([row], figure)]
    columns = [values(where(fleets, factor=factor), figure) for factor in FACTORS]
    if not all(columns):
        return []
    drawing = Drawing(title, "m, the factor of the cost", label, x_log=True)
    drawing.points([row["factor"] for row in fleets], values(fleets, figure), "each fleet", size=3.0)
    cases = [{row["factor"]: value} for row in fleets for value in values([row], figure)]
    return [mean_line(drawing, cases, "mean")]
