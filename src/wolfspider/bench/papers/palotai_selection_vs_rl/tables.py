"""The tables and figures of `palotai_selection_vs_rl`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from wolfspider.bench.draw import foraging_figures
from wolfspider.bench.draw.svg import Figure as Drawing
from wolfspider.bench.experiment import Both, Row, Rows, Table, Value
from wolfspider.bench.measure.describe import PAPER, Degrees, degree_figure
from wolfspider.bench.papers.palotai_selection_vs_rl.cells import WEBS, known
from wolfspider.bench.papers.palotai_selection_vs_rl.claims import graphs
from wolfspider.bench.papers.palotai_selection_vs_rl.pairs import (
    CLUSTERED,
    EFFICIENCY,
    FOUND,
    ORDER,
    ORDERS,
    RELEVANT,
    REWIRED,
    SENT,
    UNDATED,
    Figure,
    age,
    fresh,
    relative,
    tallied,
)
from wolfspider.bench.stats import interval
from wolfspider.graphs.degrees import Exponents

CORPUS = "corpus"
CONTROLS = {
    "diverse": "RL with diverse weights: children draw their own",
    "common": "WL with common weights: one vector for all",
    "content": "a page with new content is a new document",
}
SLICE, STEP = 180.0, 3.5  # seconds, in the paper: a path of 100 steps took 350 s
PAPER_DOWNLOADS = 33_600  # a day, the mean of both kinds of fleets
DOWNLOAD = 86_400 / PAPER_DOWNLOADS  # seconds, in the paper
STEPS, MOST, PAPER_DAYS = 100, 16, 18
DRAWN = 3  # runs of each kind in a figure


def percent(figure: Figure) -> Figure:
    return lambda row: 100 * figure(row)


def undated(row: Row) -> float:
    return 100 * UNDATED(row) / RELEVANT(row) if RELEVANT(row) else math.nan


# Name, figure, and the paper's mean and deviation of RL and of WL.
UNPRINTED = (None, None, None, None)
Printed = tuple[float, float, float, float] | tuple[None, None, None, None]
LINES: tuple[tuple[str, Figure, Printed], ...] = (
    ("downloaded", tallied("downloaded"), (540636, 9840, 669673, 9580)),
    ("sent", tallied("sent"), (9747, 98, 6345, 385)),
    ("relevant", RELEVANT, (2419, 45, 3107, 60)),
    ("found URLs", tallied("seen"), (31092, 1050, 33116, 3370)),
    ("download efficiency, %", percent(EFFICIENCY), (0.45, 0.01, 0.46, 0.01)),
    ("sent efficiency", SENT, (0.248, 0.003, 0.49, 0.031)),
    ("relative found URL, %", percent(FOUND), (5.8, 0.1, 5.0, 0.6)),
    ("freshness", fresh, (0.7, 0.006, 0.74, 0.011)),
    ("age, hours", age, (1.79, 0.04, 1.56, 0.08)),
    ("rewards for undated pages, %", undated, UNPRINTED),
    ("URLs downloaded", tallied("fetched"), UNPRINTED),
    ("URLs downloaded to downloads, %", percent(tallied("relative_fetched_url")), UNPRINTED),
)
RECALLED = (
    "The table is lost in the text of the paper that we have; its numbers are recalled from the public version: a "
    "target, and no evidence. ± is the standard deviation between runs on the same web."
)
BRIEF = (4, 5, 6, 7, 8)  # of LINES: the ratios


def tables(rows: Rows) -> list[Table]:
    corpus = [_plain_table(rows, CORPUS, "On the recorded news sites")] if chosen(rows, CORPUS) else []
    return [
        _paper_table(rows),
        _plain_table(rows, REWIRED, "On the rewired web"),
        *corpus,
        _pace_table(rows),
        _graph_table(rows),
        _exponent_table(rows),
        _controls(rows),
        _orders(rows),
    ]


def chosen(rows: Rows, study: str, kind: str | None = None) -> list[Row]:
    return [row for row in rows if row["study"] == study and kind in (None, row["type"])]


def average(rows: Rows, figure: Figure) -> float | None:
    values = [value for row in rows if math.isfinite(value := figure(row))]
    return float(np.mean(values)) if values else None


def within(rows: Rows, figure: Figure) -> float | None:
    """The standard deviation between runs on the same web, taken together over webs; None where a web has one run."""
    groups: dict[Any, list[float]] = {}
    for row in rows:
        groups.setdefault(row["web_seed"], []).append(figure(row))
    freedom = sum(len(own) - 1 for own in groups.values())
    squares = sum(float(((np.array(own) - np.mean(own)) ** 2).sum()) for own in groups.values())
    return math.sqrt(squares / freedom) if freedom and math.isfinite(squares) else None


def _paper_table(rows: Rows) -> Table:
    found = {kind: chosen(rows, CLUSTERED, kind) for kind in ("RL", "WL")}
    lines: list[tuple[Value, ...]] = []
    for name, figure, printed in LINES:
        ours = [value for own in found.values() for value in (average(own, figure), within(own, figure))]
        lines.append((name, *map(Both, ours, printed)))
    title = f"The paper's table: {len(found['WL'])} fleets of each kind"
    return Table(title, ("figure", "RL", "± RL", "WL", "± WL"), lines, RECALLED)


def _plain_table(rows: Rows, study: str, title: str) -> Table:
    found = {kind: chosen(rows, study, kind) for kind in ("RL", "WL")}
    lines: list[tuple[Value, ...]] = []
    for name, figure, _ in LINES:
        ours = [value for own in found.values() for value in (average(own, figure), within(own, figure))]
        lines.append((name, *ours, *_gain(rows, study, figure)))
    head = ("figure", "RL", "± RL", "WL", "± WL", "RL to WL, %", "95% from", "to")
    note = "RL to WL is the mean difference of the pairs, as a share of the mean of both, with its bootstrap interval."
    return Table(f"{title}: {len(found['WL'])} fleets of each kind", head, lines, note)


def _gain(rows: Rows, study: str, figure: Figure) -> tuple[Value, ...]:
    gains = 100 * relative(rows, study, ("RL", "WL"), figure)
    return (float(gains.mean()), *interval(gains)) if gains.size else (None, None, None)


# Name, figure, and the paper's.
PACE: tuple[tuple[str, Figure, float], ...] = (
    ("downloads in a slice", lambda row: row["downloads"] / row["population"]["slices"], SLICE / DOWNLOAD),
    ("steps in a slice", lambda row: row["population"]["moves"] / row["population"]["slices"], SLICE / STEP),
    ("downloads for a step", lambda row: row["downloads"] / row["population"]["moves"], STEP / DOWNLOAD),
    ("steps of a path", lambda row: row["population"]["moves"] / row["population"]["paths"], STEPS),
    ("paths of a fleet in a day", lambda row: row["population"]["paths"] / row["days"], 86_400 / STEP / STEPS),
    ("foragers ever born", lambda row: float(len(row["population"]["births"])), MOST),
    (
        "paths of a forager",
        lambda row: row["population"]["paths"] / len(row["population"]["births"]),
        PAPER_DAYS * 86_400 / STEP / STEPS / MOST,
    ),
)


def _pace_table(rows: Rows) -> Table:
    """Fleets that never finished a slice, or never went a step, have no such shares."""
    counts = ("moves", "paths", "slices", "births")
    moved = [row for row in chosen(rows, CLUSTERED) if all(row["population"][name] for name in counts)]
    kinds = [chosen(moved, CLUSTERED, kind) for kind in ("RL", "WL")]
    lines: list[tuple[Value, ...]] = [
        (name, *(Both(average(own, figure), paper) for own in kinds)) for name, figure, paper in PACE
    ]
    note = (
        "The paper's are not printed as such: they follow from slices of 180 s, 350 s for a path of 100 steps, "
        f"{PAPER_DOWNLOADS:,} downloads a day and 18 days, as if 16 foragers were there from the start and none died."
    )
    return Table("Steps and paths", ("figure", "RL", "WL"), lines, note)


def _graph_table(rows: Rows) -> Table:
    parts: tuple[tuple[str, tuple[str, str], tuple[float, float] | None], ...] = (
        ("links", ("links", ""), None),
        ("clustering", ("clustering", "paired"), PAPER["clustering"]),
        ("clustering, 0 for lone pages", ("clustering", "all"), None),
        ("mean distance", ("directed", "mean"), PAPER["mean distance"]),
        ("share of pairs joined", ("directed", "reachable"), None),
        ("90% effective diameter", ("directed", "effective"), None),
        ("largest distance seen", ("directed", "largest"), None),
        ("mean distance, undirected", ("undirected", "mean"), None),
        ("share of pairs joined, undirected", ("undirected", "reachable"), None),
    )
    lines: list[tuple[Value, ...]] = [("pages", average(graphs(rows), lambda row: float(row["pages"])), None, None)]
    for name, path, paper in parts:
        ours = [average(graphs(rows), _shape(web, path)) for web in WEBS]
        printed = (paper[0], None, paper[1]) if paper else None
        lines.append((name, *(map(Both, ours, printed) if printed else ours)))
    note = (
        "Means over the recordings, at their end. The foragers see the web rewired in time: no link shows a page "
        "before it was there. The paper permutes the ends of all links, as in the last column. What it calls the "
        "diameter is the mean distance; whom a path joins differs between webs, so the share of pairs joined belongs "
        "to each mean."
    )
    return Table("The links", ("figure", "recorded", "rewired in time", "ends shuffled"), lines, note)


def _shape(web: str, path: tuple[str, str]) -> Figure:
    def figure(row: Row) -> float:
        part = row[web][path[0]]
        return known(part[path[1]] if path[1] else part)

    return figure


def _exponent_table(rows: Rows) -> Table:
    lines: list[tuple[Value, ...]] = []
    for row in graphs(rows):
        for name, way in (("in", "into"), ("out", "out_of")):
            for web in WEBS[:2]:
                fits = row[web][way]["exponents"]
                exponents = [fits[field] for field in ("raw", "binned", "mle", "low", "high")]
                lines.append((row["web_seed"], name, web, *exponents, fits["kmin"], fits["tail"]))
    head = ("web", "degree", "links", "raw fit", "binned fit", "likelihood", "95% from", "to", "from k", "pages in it")
    note = (
        "P(k) ~ k^-γ by three estimates of γ. The paper's exponents are lost; the public version is recalled to have "
        "1.3 (out) and 2.57 (in), and the companion paper says 2.0 ± 0.3 for both, all from a straight line in a plot."
    )
    return Table("Exponents of the degrees", head, lines, note)


def _controls(rows: Rows) -> Table:
    lines: list[tuple[Value, ...]] = []
    for study, says in CONTROLS.items():
        for kind in dict.fromkeys(row["type"] for row in chosen(rows, study)):
            own = chosen(rows, study, kind)
            pairs = {(row["web_seed"], row["repeat"]) for row in own}
            plain = [row for row in chosen(rows, CLUSTERED, kind) if (row["web_seed"], row["repeat"]) in pairs]
            lines += [_brief(f"{kind}: {says}", own), _brief(f"{kind}: the same runs without it", plain)]
    note = (
        "RL and WL differ in more than where they adapt: RL foragers are clones, WL foragers have own weights each. "
        "Novelty by URL is what all claims are ruled with; by URL and content, a front page earns at every change."
    )
    return Table("Controls", ("fleet", "fleets", *(LINES[place][0] for place in BRIEF)), lines, note)


def _brief(name: str, rows: Rows) -> tuple[Value, ...]:
    return (name, len(rows), *(average(rows, LINES[place][1]) for place in BRIEF))


def _orders(rows: Rows) -> Table:
    lines = [_brief(order, chosen(rows, ORDER, order)) for order in ORDERS]
    note = "8 WLRL and 8 WL foragers from the start: first all of a kind, the kinds in turn, or drawn anew each round."
    return Table("Orders of the foragers", ("order", "fleets", *(LINES[place][0] for place in BRIEF)), lines, note)


# Figures


def figures(rows: Rows) -> list[Drawing]:
    return [
        *_degrees(rows),
        _efficiency(rows, CLUSTERED, "Download efficiency"),
        _titled(foraging_figures.freshness(_parts(rows, CLUSTERED, "freshness")), "Freshness of what was found"),
        _titled(foraging_figures.age(_parts(rows, CLUSTERED, "freshness")), "Age of what was found"),
        _titled(foraging_figures.fleet_size(_parts(rows, CLUSTERED, "population")), "Size of the fleet"),
        _efficiency(rows, REWIRED, "Download efficiency on the rewired web"),
    ]


def _efficiency(rows: Rows, study: str, title: str) -> Drawing:
    """Without the last window, which is hardly begun."""
    tallies = _parts(rows, study, "tally")
    whole = {
        name: {**tally, "series": {of: counts[:-1] for of, counts in tally["series"].items()}}
        for name, tally in tallies.items()
    }
    return _titled(foraging_figures.efficiency(whole), title)


def _titled(figure: Drawing, title: str) -> Drawing:
    figure.title = title
    return figure


def _parts(rows: Rows, study: str, part: str) -> dict[str, Mapping[str, Any]]:
    """Of the first few runs of each kind, by name."""
    runs = {kind: chosen(rows, study, kind)[:DRAWN] for kind in ("WL", "RL")}
    return {f"{kind} {place}": row[part] for kind, own in runs.items() for place, row in enumerate(own, 1)}


def _degrees(rows: Rows) -> list[Drawing]:
    found = graphs(rows)
    ways = (("Links into a page", "links to a page", "into"), ("Links out of a page", "links on a page", "out_of"))
    return [degree_figure(title, label, _read(found[0]["clustered"][way])) for title, label, way in ways if found]


def _read(part: Mapping[str, Any]) -> Degrees:
    fits: dict[str, Any] = {name: known(value) for name, value in part["exponents"].items()}
    return Degrees(Exponents(**fits), tuple(part["values"]), tuple(part["counts"]))
