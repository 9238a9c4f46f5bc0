"""The tables and figures of best-first against breadth-first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wolfspider.bench.draw.svg import SOFT, Figure
from wolfspider.bench.experiment import Rows, Table
from wolfspider.bench.groups import where
from wolfspider.bench.measure.bounds import curve
from wolfspider.bench.papers.best_first_against_breadth_first.cells import BEST, BREADTH, EASY, HARD, KINDS
from wolfspider.bench.papers.best_first_against_breadth_first.claims import SIDES, advantages, ratios
from wolfspider.bench.stats import interval, spread
from wolfspider.bench.tabulate import Column, figures_of, group_table, tables_of


def figures_table(rows: Rows) -> Table:
    return group_table(
        "What each crawler found",
        ("webs", "crawler"),
        {side: where(rows, kind=side[0], strategy=side[1]) for side in SIDES},
        Column("crawls", len),
        Column("auc_ratio", "auc_ratio"),
        Column("± between topics", lambda own: spread([row["auc_ratio"] for row in own])),
        Column("harvest rate", "harvest_rate"),
        Column("recall", "recall"),
        note="auc_ratio is the area under the curve of relevant pages against downloads, divided by that of the upper "
        "bound, which no crawler can pass. The other figures are means at the end of the budget.",
    )


def advantage_table(rows: Rows) -> Table:
    lines = [
        (kind, own.size, float(own.mean()), *interval(own), int((own > 0).sum()), int((own < 0).sum()))
        for kind, own in advantages(rows).items()
    ]
    head = ("webs", "pairs", "advantage", "95% from", "to", "wins", "losses")
    return Table("The advantage of best-first in auc_ratio", head, lines)


def shares_found(kind: str) -> Callable[[Rows], Figure]:
    def draw(rows: Rows) -> Figure:
        figure = Figure(f"Relevant pages found on {kind} webs", "downloads", "share of those reachable")
        for name in (BEST, BREADTH):
            own = where(rows, kind=kind, strategy=name)
            shares = np.array([curve(row["found"], row["pages"]) / row["reachable"] for row in own])
            downloads = np.arange(1, shares.shape[1] + 1)
            middle, error = shares.mean(axis=0), shares.std(axis=0) / np.sqrt(len(own))
            figure.line(downloads, middle, name).band(downloads, middle - error, middle + error)
        return figure

    return draw


def pairs(rows: Rows) -> Figure:
    figure = Figure("Each point is one topic of one web", "auc_ratio of breadth-first", "auc_ratio of best-first")
    found = ratios(rows)
    for kind in KINDS:
        figure.points(found[kind, BREADTH], found[kind, BEST], f"{kind} webs", size=4.5)
    return figure.line([0, 1], [0, 1], "equally good", dashed=True, colour=SOFT)


tables = tables_of(figures_table, advantage_table)
figures = figures_of(shares_found(EASY), shares_found(HARD), pairs)
