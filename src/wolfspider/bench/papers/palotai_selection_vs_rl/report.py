"""The tables and figures of `palotai_selection_vs_rl`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from wolfspider.bench.draw import foraging_figures as drawn
from wolfspider.bench.draw.svg import Figure as Drawing
from wolfspider.bench.experiment import Both, Row, Rows, Table, Value
from wolfspider.bench.groups import Figure, mean, reader, values, where
from wolfspider.bench.measure.describe import PAPER
from wolfspider.bench.papers.palotai_selection_vs_rl.cells import (
    BOTH,
    CLUSTERED,
    CORPUS,
    DOWNLOAD,
    GATHERED,
    GATHERED_SHUFFLED,
    ORDER,
    ORDERS,
    PAPER_DOWNLOADS,
    REWIRED,
    RL,
    SLICE,
    STEP,
    WEBS,
    WL,
)
from wolfspider.bench.papers.palotai_selection_vs_rl.claims import pooled
from wolfspider.bench.papers.palotai_selection_vs_rl.fleet_pairs import (
    AGE,
    EFFICIENCY,
    FOUND,
    FRESHNESS,
    PAIR,
    RELEVANT,
    SENT,
    relative,
)
from wolfspider.bench.papers.palotai_selection_vs_rl.link_claims import graphs
from wolfspider.bench.stats import interval

KINDS = (RL, WL, BOTH)
CONTROLS = {
    "diverse": "RL with diverse weights: children draw their own",
    "common": "WL with common weights: one vector for all",
    "content": "a page with new content is a new document",
}
STEPS, MOST, PAPER_DAYS = 100, 16, 18


def percent(figure: str) -> Figure:
    read = reader(figure)
    return lambda row: None if read(row) is None else 100 * read(row)


def undated(row: Row) -> float | None:
    tally = row["tally"]
    return 100 * tally["undated"] / tally["relevant"] if tally["relevant"] else None


# Name, figure, and the paper's mean and deviation of RL and of WL.
UNPRINTED = (None, None, None, None)
Printed = tuple[float, float, float, float] | tuple[None, None, None, None]
LINES: tuple[tuple[str, Figure, Printed], ...] = (
    ("downloaded", "tally.downloaded", (540636, 9840, 669673, 9580)),
    ("sent", "tally.sent", (9747, 98, 6345, 385)),
    ("relevant", RELEVANT, (2419, 45, 3107, 60)),
    ("found URLs", "tally.seen", (31092, 1050, 33116, 3370)),
    ("download efficiency, %", percent(EFFICIENCY), (0.45, 0.01, 0.46, 0.01)),
    ("sent efficiency", SENT, (0.248, 0.003, 0.49, 0.031)),
    ("relative found URL, %", percent(FOUND), (5.8, 0.1, 5.0, 0.6)),
    ("freshness", FRESHNESS, (0.7, 0.006, 0.74, 0.011)),
    ("age, hours", AGE, (1.79, 0.04, 1.56, 0.08)),
    ("rewards for undated pages, %", undated, UNPRINTED),
    ("URLs downloaded", "tally.fetched", UNPRINTED),
    ("URLs downloaded to downloads, %", percent("tally.relative_fetched_url"), UNPRINTED),
)
RECALLED = (
    "The table is lost in the text of the paper that we have; its numbers are recalled from the public version: a "
    "target, and no evidence. ± is the standard deviation between runs on the same web. WLRL foragers do both (claim "
    "12); the paper has none of them."
)
RATIOS = LINES[4:9]


def within(rows: Rows, figure: Figure) -> float | None:
    """The standard deviation between runs on the same web, taken together over webs; None where a web has one run."""
    squares, freedom = pooled(rows, figure)
    return math.sqrt(squares / freedom) if freedom and len(values(rows, figure)) == len(rows) else None


def by_type(rows: Rows, study: str, figure: Figure, kinds: Sequence[str] = (RL, WL)) -> list[float | None]:
    """Mean and deviation of each type."""
    fleets = (where(rows, study=study, type=kind) for kind in kinds)
    return [value for own in fleets for value in (mean(own, figure), within(own, figure))]


def paper_table(rows: Rows) -> Table:
    lines: list[tuple[Value, ...]] = [
        (name, *map(Both, by_type(rows, CLUSTERED, figure), printed), *by_type(rows, CLUSTERED, figure, [BOTH]))
        for name, figure, printed in LINES
    ]
    title = f"The paper's table: {len(where(rows, study=CLUSTERED, type=WL))} fleets of each kind"
    return Table(title, ("figure", "RL", "± RL", "WL", "± WL", "WLRL", "± WLRL"), lines, RECALLED)


def plain_table(study: str, title: str, rows: Rows) -> Table:
    def gain(figure: Figure) -> tuple[Value, ...]:
        gains = 100 * relative(rows, study, (RL, WL), figure)
        return (float(gains.mean()), *interval(gains)) if gains.size else (None, None, None)

    lines = [(name, *by_type(rows, study, figure), *gain(figure)) for name, figure, _ in LINES]
    head = ("figure", "RL", "± RL", "WL", "± WL", "RL to WL, %", "95% from", "to")
    note = "RL to WL is the mean difference of the pairs, as a share of the mean of both, with its bootstrap interval."
    return Table(f"{title}: {len(where(rows, study=study, type=WL))} fleets of each kind", head, lines, note)


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


def pace_table(rows: Rows) -> Table:
    """Fleets that never finished a slice, or never went a step, have no such shares."""
    counts = ("moves", "paths", "slices", "births")
    moved = [row for row in where(rows, study=CLUSTERED) if all(row["population"][name] for name in counts)]
    fleets = [where(moved, type=kind) for kind in KINDS]
    lines: list[tuple[Value, ...]] = [
        (name, *(Both(mean(own, figure), paper) for own in fleets)) for name, figure, paper in PACE
    ]
    note = (
        "The paper's are not printed as such: they follow from slices of 180 s, 350 s for a path of 100 steps, "
        f"{PAPER_DOWNLOADS:,} downloads a day and 18 days, as if 16 foragers were there from the start and none died."
    )
    return Table("Steps and paths", ("figure", *KINDS), lines, note)


# Name, figure, and the paper's of the recorded web and of the shuffled one.
SHAPE: tuple[tuple[str, str, tuple[float, float] | None], ...] = (
    ("links", "links", None),
    ("clustering along links", "clustering.along", PAPER["clustering"]),
    ("clustering", "clustering.all", PAPER["clustering"]),
    ("clustering without lone pages", "clustering.paired", None),
    ("mean distance", "directed.mean", None),
    ("share of pairs joined", "directed.reachable", None),
    ("90% effective diameter", "directed.effective", None),
    ("largest distance seen", "directed.largest", None),
    ("mean distance, undirected", "undirected.mean", PAPER["mean distance"]),
    ("share of pairs joined, undirected", "undirected.reachable", None),
)


def graph_table(rows: Rows) -> Table:
    webs = (GATHERED, GATHERED_SHUFFLED, *WEBS)
    counts = [mean(graphs(rows), "contents"), None, mean(graphs(rows), "pages"), None, None]
    lines: list[tuple[Value, ...]] = [("pages", *counts)]
    for name, figure, paper in SHAPE:
        ours = [mean(graphs(rows), f"{web}.{figure}") for web in webs]
        lines.append((name, *(map(Both, ours[:2], paper) if paper else ours[:2]), *ours[2:]))
    note = (
        "Means over the recordings, at their end. Gathered are pages as the paper kept them: one that has changed is "
        "another, and it has the links that were looked at when a forager first stepped on it; the paper permutes the "
        "ends of these. The others are addresses with all links of their newest pages; the foragers see them rewired "
        "in time: no link shows a page before it was there. The paper does not say whether its clustering follows the "
        "direction of links. What it calls the diameter is a mean distance; whom a path joins differs between webs, so "
        "the share of pairs joined belongs to each mean."
    )
    head = ("figure", "gathered", "gathered, ends shuffled", "recorded", "rewired in time", "ends shuffled")
    return Table("The links", head, lines, note)


def exponent_table(rows: Rows) -> Table:
    fields = ("raw", "binned", "mle", "low", "high", "kmin", "tail")
    lines = [
        (row["web_seed"], name, web, *(row[web][way]["exponents"][field] for field in fields))
        for row, (name, way), web in product(graphs(rows), (("in", "into"), ("out", "out_of")), (GATHERED, *WEBS[:2]))
    ]
    head = ("web", "degree", "links", "raw fit", "binned fit", "likelihood", "95% from", "to", "from k", "pages in it")
    note = (
        "P(k) ~ k^-γ by three estimates of γ. Claim 1 is ruled on the gathered pages. The paper's exponents are lost; "
        "the public version is recalled to have 1.3 (out) and 2.57 (in), and the companion paper says 2.0 ± 0.3 for "
        "both, all from a straight line in a plot."
    )
    return Table("Exponents of the degrees", head, lines, note)


def control_table(rows: Rows) -> Table:
    lines: list[tuple[Value, ...]] = []
    for (study, says), kind in product(CONTROLS.items(), (WL, RL)):
        if own := where(rows, study=study, type=kind):
            pairs = {PAIR(row) for row in own}
            plain = [row for row in where(rows, study=CLUSTERED, type=kind) if PAIR(row) in pairs]
            lines += [_brief(f"{kind}: {says}", own), _brief(f"{kind}: the same runs without it", plain)]
    note = (
        "RL and WL differ in more than where they adapt: RL foragers are clones, WL foragers have own weights each. "
        "Novelty by URL is what all claims are ruled with; by URL and content, a front page earns at every change."
    )
    return Table("Controls", ("fleet", "fleets", *(name for name, _, _ in RATIOS)), lines, note)


def _brief(name: str, rows: Rows) -> tuple[Value, ...]:
    return (name, len(rows), *(mean(rows, figure) for _, figure, _ in RATIOS))


def order_table(rows: Rows) -> Table:
    lines = [_brief(order, where(rows, study=ORDER, type=order)) for order in ORDERS]
    note = "8 WLRL and 8 WL foragers from the start: first all of a kind, the kinds in turn, or drawn anew each round."
    return Table("Orders of the foragers", ("order", "fleets", *(name for name, _, _ in RATIOS)), lines, note)


def tables(rows: Rows) -> list[Table]:
    corpus = [plain_table(CORPUS, "On the recorded news sites", rows)] if where(rows, study=CORPUS) else []
    first = [paper_table(rows), plain_table(REWIRED, "On the rewired web", rows), *corpus]
    return [*first, *(make(rows) for make in (pace_table, graph_table, exponent_table, control_table, order_table))]


def figures(rows: Rows) -> list[Drawing]:
    links = ("Links into a page that was gathered (Fig. 1)", "Links out of a page that was gathered (Fig. 1)")
    return [
        *(drawing for row in graphs(rows)[:1] for drawing in drawn.degrees(row[GATHERED], links)),
        efficiency(rows, CLUSTERED, "Download efficiency"),
        drawn.freshness(parts(rows, CLUSTERED, "freshness")),
        drawn.age(parts(rows, CLUSTERED, "freshness")),
        drawn.fleet_size(parts(rows, CLUSTERED, "population")),
        efficiency(rows, REWIRED, "Download efficiency on the rewired web"),
    ]


def efficiency(rows: Rows, study: str, title: str) -> Drawing:
    """Without the last window, which is hardly begun."""
    whole = {
        name: [{**tally, "series": {of: counts[:-1] for of, counts in tally["series"].items()}} for tally in tallies]
        for name, tallies in parts(rows, study, "tally").items()
    }
    return drawn.efficiency(whole, title=title)


def parts(rows: Rows, study: str, part: str) -> dict[str, list[Mapping[str, Any]]]:
    """The part of all runs of each type that is there."""
    runs = {kind: where(rows, study=study, type=kind) for kind in KINDS}
    return {f"{kind}, {len(own)} fleets": [row[part] for row in own] for kind, own in runs.items() if own}
