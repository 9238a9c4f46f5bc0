"""The quality of judges for people: tables in Markdown, and a plot of how far their probabilities can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path

from wolfspider.bench import Row
from wolfspider.bench.draw.report import markdown_lines
from wolfspider.bench.draw.svg import SOFT, Figure
from wolfspider.bench.groups import grouped, indexed
from wolfspider.bench.measure.judge_quality import calibration, means
from wolfspider.bench.run.result_cache import write_whole

SHOWN = {"average_precision": "AP mean", "precision": "precision", "recall": "recall", "f1": "f1", "brier": "Brier"}
FEWEST = 20  # pages of a tenth that say something


def markdown(rows: Sequence[Row]) -> str:
    """Two tables for each order: the judges, best first; and the average precision of each on every topic."""
    parts = (
        f"Order: {order}\n\n{markdown_lines(_summary(own))}\n\n{markdown_lines(_by_topic(own))}\n"
        for order, own in grouped(rows, itemgetter("order")).items()
    )
    return "\n".join(parts)


def _summary(rows: Sequence[Row]) -> Iterator[list[str]]:
    found = means(rows)
    ranked = sorted(found, key=lambda judge: -found[judge]["all"]["average_precision"])
    webs = [web for web in found[ranked[0]] if web != "all"]
    yield ["judge", *(f"AP {web}" for web in webs), *SHOWN.values(), "ECE"]
    yield ["---"] * (len(webs) + len(SHOWN) + 2)
    for judge in ranked:
        whole = found[judge]["all"]
        values = [*(found[judge][web]["average_precision"] for web in webs), *(whole[name] for name in (*SHOWN, "ece"))]
        yield [f"`{judge}`", *(f"{value:.3f}" for value in values)]


def _by_topic(rows: Sequence[Row]) -> Iterator[list[str]]:
    judges = list(dict.fromkeys(row["judge"] for row in rows))
    yield ["web", "topic", "relevant", *(f"`{judge}`" for judge in judges)]
    yield ["---"] * (len(judges) + 3)
    for (web, topic), own in grouped(rows, itemgetter("web", "topic")).items():
        scores = indexed(own, itemgetter("judge"))
        precisions = [f"{scores[judge]['average_precision']:.3f}" for judge in judges]
        yield [web, topic, f"{own[0]['relevant']} of {own[0]['pages']}", *precisions]


def write_plots(rows: Sequence[Row], folder: Path) -> list[Path]:
    """A plot for each order: of the pages with a probability of about p, which share is relevant?"""
    written = []
    for order, own in grouped(rows, itemgetter("order")).items():
        path = folder / f"reliability-{order}.svg"
        write_whole(path, reliability(own, f"Probability and truth, pages in {order} order"))
        written.append(path)
    return written


def reliability(rows: Sequence[Row], title: str) -> str:
    axes = ("probability that the judge gives", "share of these pages that is relevant")
    figure = Figure(title, *axes, x_range=(0.0, 1.0), y_range=(0.0, 1.0))
    figure.line([0, 1], [0, 1], "as it should be", dashed=True, colour=SOFT)
    for judge, own in grouped(rows, itemgetter("judge")).items():
        pages, relevant, sure = (bins := calibration(own))[bins[:, 0] >= FEWEST].T
        figure.line(sure / pages, relevant / pages, judge)
    return figure.svg()
