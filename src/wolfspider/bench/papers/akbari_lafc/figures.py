"""The figures of `akbari_lafc`: precision by downloads (Figs. 2-7), relevant documents by time (Fig. 8), and what the
network learns from crawl to crawl."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import numpy as np

from wolfspider.bench.draw.svg import PALETTE, Figure
from wolfspider.bench.experiment import Row, Rows
from wolfspider.bench.papers.akbari_lafc.grounds import (
    COMPARE,
    FOUR,
    TENTHS,
    again_by_web,
    at_tenths,
    compared,
    crawls,
    kept,
    topics,
)
from wolfspider.bench.papers.akbari_lafc.tables import EPOCHS
from wolfspider.bench.stats import Floats

COLOURS = dict(zip(FOUR, PALETTE, strict=False))
BESIDE = {"LAFC-R": PALETTE[0], "CG": PALETTE[4], "best-first": PALETTE[5], "breadth-first": PALETTE[6]}
STEPS = 60  # of time, where curves of crawls that took different times are averaged


def figures(rows: Rows) -> list[Figure]:
    learned = [figure for field in LEARNED for figure in _learned(rows, field)]
    return [*_precision(rows), *_any_time(rows), *_epochs(rows), *learned]


# Figs. 2 to 7


def _precision(rows: Rows) -> list[Figure]:
    if not compared(rows)[FOUR[0]]:
        return []
    names = {str(row["place"]): str(row["topic"]) for row in rows if row["study"] == COMPARE}
    each = [
        _curves([row for row in rows if str(row.get("place")) == place], f"{names[place]} (Fig. {number})")
        for number, place in enumerate(topics(rows), 2)
    ]
    return [*each, _curves(rows, "averaged over all topics (Fig. 7)")]


def _curves(rows: Rows, title: str) -> Figure:
    """Precision at each tenth of the budget: the four of the paper, and dashed those that are ours."""
    figure = Figure(f"Precision: {title}", "downloads", "precision")
    for crawler, colour in (*COLOURS.items(), *BESIDE.items()):
        own = [*crawls(rows, crawler).values()]
        if own:
            downloads = [own[0]["budget"] * tenth / TENTHS for tenth in range(1, TENTHS + 1)]
            means = np.mean([at_tenths(row) for row in own], axis=0)
            figure.line(downloads, means, crawler, dashed=crawler in BESIDE, colour=colour)
    return figure


# Fig. 8


def _any_time(rows: Rows) -> list[Figure]:
    found = compared(rows)
    longest = max((row["minutes"] for own in found.values() for row in own), default=0.0)
    if not longest:
        return []
    figure = Figure("Relevant documents found in time (Fig. 8)", "minutes", "relevant documents, mean of all grounds")
    times = np.linspace(0, longest, STEPS + 1)
    for crawler, own in found.items():
        figure.line(times, np.mean([_found_by(row, times) for row in own], axis=0), crawler, colour=COLOURS[crawler])
    return [figure]


def _found_by(row: Row, times: Floats) -> Floats:
    """Nothing at first; all that was found, once the crawl has ended."""
    minutes, found = zip((0.0, 0.0), *row["anytime"], strict=True)
    curve: Floats = np.interp(times, minutes, found)
    return curve


# What the network learns


def _epochs(rows: Rows) -> list[Figure]:
    """A colour for each web; dashed by the web's truth."""
    webs = again_by_web(rows)
    if not webs:
        return []
    last = min(len(row["epochs"]["precision"]) for own in webs.values() for row in own)
    figure = Figure(
        "What keeping automata gives",
        "crawl with the same automata",
        "precision",
        x_log=True,
        x_range=(1, max(last, 2)),
    )
    known = [crawl for crawl in EPOCHS if crawl <= last]
    for colour, (web, own) in zip(cycle(PALETTE), webs.items(), strict=False):
        for rule, label in (("precision", "by the paper's rule"), ("truth", "by the web's truth")):
            means = np.mean([row["epochs"][rule][:last] for row in own], axis=0)
            figure.line(range(1, last + 1), means, f"{web}, {label}", dashed=rule == "truth", colour=colour)
            figure.points(known, [means[crawl - 1] for crawl in known], colour=colour, size=4.0)
    return [figure]


LEARNED = {
    "share": (
        "Automata that prefer one link with a chance above 0.95",
        "of those rewarded in crawl 1",
    ),
    "share_raw": ("The same in the whole network, with plain chances above 0.95", "of all rewarded by then"),
    "best": ("Automata whose most likely link is the best known one", "of those rewarded in crawl 1"),
}


def _learned(rows: Rows, field: str) -> list[Figure]:
    """By crawls, a colour for each rate; dashed where thresholds sink from crawl to crawl. Chances are those among the
    links that an automaton has chosen from, but for the whole network, where they are plain."""
    mine = kept(rows)
    if not mine:
        return []
    title, label = LEARNED[field]
    last = max(row["crawl"][-1] for row in mine)
    figure = Figure(title, "crawls", label, x_log=True, x_range=(1, max(last, 2)), y_range=(0.0, 1.0))
    for number, rate in enumerate(sorted({row["rate"] for row in mine})):
        for sinks in (False, True):
            own = [row for row in mine if row["rate"] == rate and (row["decay"] != 1.0) == sinks]
            if own:
                name = f"rate {rate:g}{', thresholds sink' if sinks else ''}"
                figure.line(own[0]["crawl"], _means(own, field), name, dashed=sinks, colour=PALETTE[number])
    return [figure]


def _means(rows: Sequence[Row], field: str) -> list[float]:
    """Crawl by crawl; not a number, and so not drawn, where no network has it."""
    columns = zip(*(row[field] for row in rows), strict=True)
    known = [[value for value in column if value is not None] for column in columns]
    return [float(np.mean(column)) if column else float("nan") for column in known]
