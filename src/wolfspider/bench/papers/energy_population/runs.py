"""The rows of `energy_population`, run by run: which crawls belong together, what is read from them, and what broken
variants are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from wolfspider.bench.experiment import Row, Rows, Ruling
from wolfspider.bench.papers.energy_population.cells import FIGURES, PRINTED
from wolfspider.bench.papers.energy_population.page_meter import POINTS
from wolfspider.bench.rulings import FEWEST


class Way(NamedTuple):
    """Which crawls, and what is relevant."""

    revisit: float = PRINTED
    precision: str = "precision"


AS_PRINTED = Way()


def runs_of(rows: Rows, crawler: str, way: Way = AS_PRINTED, study: str = FIGURES) -> dict[int, Row]:
    mine = (row for row in rows if row["study"] == study and row["crawler"] == crawler and not row.get("fixed"))
    return {row["run"]: row for row in mine if row["revisit"] == way.revisit and row["at"]}


def together(rows: Rows, crawlers: Sequence[str], way: Way) -> list[tuple[Row, ...]]:
    """The crawls of these crawlers, run by run, where all are there."""
    each = [runs_of(rows, crawler, way) for crawler in crawlers]
    return [tuple(own[run] for own in each) for run in sorted(set(each[0]).intersection(*each[1:]))]


def few(cases: Sequence[object], what: str = "runs") -> Ruling | None:
    if len(cases) >= FEWEST:
        return None
    return Ruling(None, sentence=f"{len(cases)} {what} are too few; the test needs {FEWEST} or more.")


def mean_population(row: Row) -> float:
    """Over the budget, if everybody died; else as far as the crawl went."""
    seen = list(row["population"])
    gone = POINTS - len(seen) if row["extinct"] is not None else 0
    return float(np.mean(seen + [0.0] * gone))


def shared(one: Row, other: Row) -> int:
    """Steps that both made."""
    return min(len(one["at"]), len(other["at"]))


def ratio(one: Row, other: Row) -> float:
    steps = shared(one, other)
    means = sorted(1 + float(np.mean(row["population"][:steps])) for row in (one, other))
    return means[1] / means[0]


# What broken variants are made of

POPULATION = ("at", "population", "extinct", "smallest", "largest", "downloads")
PRECISION = ("precision", "truth")


def replaced(rows: Rows, sources: Mapping[str, str], fields: Sequence[str]) -> list[Row]:
    """Crawlers get these fields of others, run by run."""

    def place(row: Row) -> tuple[int, float]:
        return row["run"], row["revisit"]

    mine = [row for row in rows if row["study"] == FIGURES]
    known = {(row["crawler"], *place(row)): row for row in mine}

    def from_other(row: Row) -> Row:
        source = known.get((sources.get(row["crawler"], ""), *place(row))) if row["study"] == FIGURES else None
        return {**row, **{name: source[name] for name in fields}} if source else row

    return [from_other(row) for row in rows]


def swapped(rows: Rows, pairs: Sequence[tuple[Row, ...]], fields: Sequence[str]) -> list[Row]:
    """The two of each pair get these fields of each other."""
    partner = {id(row): other for one, two in pairs for row, other in ((one, two), (two, one))}
    return [{**row, **{name: partner[id(row)][name] for name in fields}} if id(row) in partner else row for row in rows]
