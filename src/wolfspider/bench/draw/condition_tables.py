"""A bench under several conditions: one table of all, and a report for each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wolfspider.bench import Row
from wolfspider.bench.draw.report import command, measure_of, ranked, text_table, write_report
from wolfspider.bench.groups import grouped
from wolfspider.bench.run.result_cache import write_whole
from wolfspider.bench.stats import by_work

by_condition = itemgetter("condition")


class Side(NamedTuple):
    """What one strategy did under one condition: its mean on all topics, and on those of each web."""

    mean: float | None
    webs: tuple[float | None, ...]
    minutes: float | None  # of virtual time


class SideBySide(NamedTuple):
    measure: str
    webs: tuple[str, ...]
    conditions: tuple[str, ...]
    lines: dict[str, tuple[Side, ...]]  # by strategy, best first under the first condition


def side_by_side(rows: Sequence[Row]) -> SideBySide:
    """Every strategy under every condition."""
    parts = grouped(rows, by_condition)
    webs = tuple(dict.fromkeys(row["web"] for row in rows))
    measure = measure_of(rows)
    works = {name: (by_work(own, measure), by_work(own, "virtual_seconds")) for name, own in parts.items()}

    def side(strategy: str, condition: str) -> Side:
        figures, seconds = (table.get(strategy, {}) for table in works[condition])
        own = tuple(_mean([figures[work] for work in figures if work[0] == web]) for web in webs)
        return Side(_mean([*figures.values()]), own, _mean([value / 60 for value in seconds.values()]))

    names = [rank.name for rank in ranked(next(iter(parts.values())))]
    lines = {name: tuple(side(name, condition) for condition in parts) for name in names}
    return SideBySide(measure, webs, tuple(parts), lines)


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def table(rows: Sequence[Row]) -> str:
    """As Markdown: for each condition the mean over all topics, over those of each web, and the minutes."""
    found = side_by_side(rows)
    heads = [
        f"{condition}{': ' * bool(what)}{what}" for condition in found.conditions for what in ("", *found.webs, "min")
    ]
    body = [[name, *(text for side in sides for text in _texts(side))] for name, sides in found.lines.items()]
    return text_table(["strategy", *heads], body)


def _texts(side: Side) -> list[str]:
    return [*map(_figure, (side.mean, *side.webs)), "–" if side.minutes is None else f"{side.minutes:,.1f}"]


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def write_reports(
    rows: Sequence[Row], folder: Path, bounds: Sequence[Row] = (), about: Mapping[str, Any] | None = None
) -> Path:
    """Write the report of a bench. Under several conditions each has a report in a folder of its own, and report.md
    shows them side by side."""
    parts = grouped(rows, lambda row: row.get("condition", ""))  # those of earlier versions have none
    if len(parts) < 2:
        return write_report(rows, folder, bounds, about)
    told = about or {}
    for name, own in parts.items():
        write_report(own, folder / name, bounds, {**told, "conditions": [name]})
    path = folder / "report.md"
    write_whole(path, "\n".join(_overview(rows, told, list(parts))) + "\n")
    return path


def _overview(rows: Sequence[Row], about: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    return [
        "# Bench under several conditions\n",
        f"    {command(rows, about)}\n",
        f"Mean {measure_of(rows)} of all topics, and of those of each web; `min`: a crawl's minutes of virtual time.\n",
        table(rows),
        "\nThe whole report of each condition:\n",
        *(f"- [{name}]({name}/report.md)" for name in names),
    ]
