"""The figures of `akbari_lafc`: precision by downloads (Figs. 2-7), relevant documents by time (Fig. 8), and what the
network learns from crawl to crawl."""

from __future__ import annotations

from itertools import cycle

import numpy as np

from wolfspider.bench.draw.svg import PALETTE, Figure
from wolfspider.bench.experiment import Row, Rows
from wolfspider.bench.groups import average, where
from wolfspider.bench.papers.akbari_lafc.grounds import (
    again_by_web,
    at_tenths,
    compared,
    crawls,
    kept,
    topics,
)
from wolfspider.bench.papers.akbari_lafc.report import EPOCHS
from wolfspider.bench.papers.akbari_lafc.scales import FOUR, LAFC, LAFC_R
from wolfspider.bench.papers.akbari_lafc.tally import TENTHS
from wolfspider.bench.tabulate import mean_curves

COLOURS = dict(zip(FOUR, PALETTE, strict=False))
DASHED = {LAFC_R: PALETTE[0], "CG": PALETTE[4], "best-first": PALETTE[5], "breadth-first": PALETTE[6]}  # ours
DRAWN_STEPS = 60  # of time, where curves of crawls that took different times are averaged


def figures(rows: Rows) -> list[Figure]:
    drawn = [*precisions(rows), any_time(rows), epoch_figure(rows), *(learned(rows, field) for field in LEARNED)]
    return [figure for figure in drawn if figure.marks]


# Figs. 2 to 7


def precisions(rows: Rows) -> list[Figure]:
    if not compared(rows)[LAFC]:
        return []
    each = [
        _curves(where(rows, place=place), f"{row['topic']} (Fig. {number})")
        for number, (place, row) in enumerate(topics(rows).items(), 2)
    ]
    return [*each, _curves(rows, "averaged over all topics (Fig. 7)")]


def _curves(rows: Rows, title: str) -> Figure:
    """Precision at each tenth of the budget: the four of the paper, and dashed those that are ours."""
    colours = {**COLOURS, **DASHED}
    groups = {crawler: [*crawls(rows, crawler).values()] for crawler in colours}
    budget = next((row["budget"] for own in groups.values() for row in own), 0)
    return mean_curves(
        Figure(f"Precision: {title}", "downloads", "precision"),
        [budget * tenth / TENTHS for tenth in range(1, TENTHS + 1)],
        groups,
        at_tenths,
        colours.values(),
        dashed=[*DASHED],
    )


# Fig. 8


def any_time(rows: Rows) -> Figure:
    found = compared(rows)
    times = np.linspace(0, max((row["minutes"] for own in found.values() for row in own), default=0.0), DRAWN_STEPS + 1)

    def found_by(row: Row) -> list[float]:
        """Nothing at first; all that was found, once the crawl has ended."""
        minutes, documents = zip((0.0, 0.0), *row["anytime"], strict=True)
        return [float(count) for count in np.interp(times, minutes, documents)]

    figure = Figure("Relevant documents found in time (Fig. 8)", "minutes", "relevant documents, mean of all grounds")
    return mean_curves(figure, times, found if times[-1] else {}, found_by, COLOURS.values())


# What the network learns


def epoch_figure(rows: Rows) -> Figure:
    """A colour for each web; dashed by the web's truth."""
    webs = again_by_web(rows)
    last = min((len(row["epochs"]["precision"]) for own in webs.values() for row in own), default=0)
    title, labels = "What keeping automata gives", ("crawl with the same automata", "precision")
    figure = Figure(title, *labels, x_log=True, x_range=(1, max(last, 2)))
    shown = [crawl for crawl in EPOCHS if crawl <= last]
    for colour, (web, own) in zip(cycle(PALETTE), webs.items(), strict=False):
        for rule, label in (("precision", "by the paper's rule"), ("truth", "by the web's truth")):
            means = np.mean([row["epochs"][rule][:last] for row in own], axis=0)
            figure.line(range(1, last + 1), means, f"{web}, {label}", dashed=rule == "truth", colour=colour)
            figure.points(shown, [means[crawl - 1] for crawl in shown], colour=colour, size=4.0)
    return figure


LEARNED = {
    "share": (
        "Automata that prefer one link with a chance above 0.95",
        "of those rewarded in crawl 1",
    ),
    "share_raw": ("The same in the whole network, with plain chances above 0.95", "of all rewarded by then"),
    "best": ("Automata whose most likely link is the best known one", "of those rewarded in crawl 1"),
}


def learned(rows: Rows, field: str) -> Figure:
    """By crawls, a colour for each rate; dashed where thresholds sink from crawl to crawl. Chances are those among the
    links that an automaton has chosen from, but for the whole network, where they are plain. Where no network has the
    figure, nothing is drawn."""
    mine, (title, label) = kept(rows), LEARNED[field]
    last = max((row["crawl"][-1] for row in mine), default=0)
    figure = Figure(title, "crawls", label, x_log=True, x_range=(1, max(last, 2)), y_range=(0.0, 1.0))
    for number, rate in enumerate(sorted({row["rate"] for row in mine})):
        for sinks in (False, True):
            own = [row for row in where(mine, rate=rate) if (row["decay"] != 1.0) == sinks]
            means = [average(column) for column in zip(*(row[field] for row in own), strict=True)]
            if own:
                name = f"rate {rate:g}{', thresholds sink' if sinks else ''}"
                drawn = [float("nan") if mean is None else mean for mean in means]
                figure.line(own[0]["crawl"], drawn, name, dashed=sinks, colour=PALETTE[number])
    return figure
