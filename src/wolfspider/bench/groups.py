"""Rows picked, grouped and paired: what the tests, tables and figures of a paper read.

    where(rows, study="compare", crawler="LAFC")       the rows with these values
    grouped(rows, itemgetter("topic"))                 lists of rows by topic
    indexed(rows, itemgetter("web", "topic"))          one row by web and topic
    keyed(rows, itemgetter("topic"), "precision")      a figure by topic, of the rows that have it
    aligned({"LAFC": ..., "BPM": ...})                 of each, what stands under the keys that all have
    mean(rows, "tally.sent")                           over the rows that have the figure

A figure is a field of a row, a path of fields with dots between them, or a function of a row. A row does not have a
figure that is None or not a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from wolfspider.bench.experiment import Row, Rows

K = TypeVar("K", bound=Hashable)
N = TypeVar("N", bound=Hashable)
V = TypeVar("V")

Figure = str | Callable[[Row], float | None]


def matches(row: Row, wanted: Mapping[str, Any]) -> bool:
    """Has the row all of these values?"""
    return all(row.get(field) == value for field, value in wanted.items())


def where(rows: Rows, **wanted: Any) -> list[Row]:
    """The rows that have these values, in their order."""
    return [row for row in rows if matches(row, wanted)]


def grouped(rows: Iterable[Row], key: Callable[[Row], K]) -> dict[K, list[Row]]:
    """Rows by key; keys in the order in which they first occur, rows in theirs."""
    groups: dict[K, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def indexed(rows: Iterable[Row], key: Callable[[Row], K]) -> dict[K, Row]:
    """One row by key: the last that has it."""
    return {key(row): row for row in rows}


def aligned(sides: Mapping[N, Mapping[K, V]]) -> dict[N, list[V]]:
    """Of every side the values whose keys all sides have, in the order of the first: what stands at the same place is
    a case."""
    first, *others = sides.values()
    common = [key for key in first if all(key in other for other in others)]
    return {name: [side[key] for key in common] for name, side in sides.items()}


def figures_at(row: Row, place: int) -> Row:
    """The row with a single value in place of each list: that at this place of it, None where the list is shorter."""
    return {
        name: (value[place] if place < len(value) else None) if isinstance(value, list) else value
        for name, value in row.items()
    }


def reader(figure: Figure) -> Callable[[Row], Any]:
    """The function that reads a figure from a row."""
    if not isinstance(figure, str):
        return figure
    path = figure.split(".")
    return lambda row: reduce(lambda part, field: part[field], path, row)


def values(rows: Iterable[Row], figure: Figure) -> list[float]:
    """The figure of every row that has it."""
    read = reader(figure)
    return [value for row in rows if (value := read(row)) is not None and math.isfinite(value)]


def keyed(rows: Iterable[Row], key: Callable[[Row], K], figure: Figure) -> dict[K, float]:
    """The figure of every row that has it, by key."""
    return {key(row): value for row in rows for value in values([row], figure)}


def average(numbers: Iterable[float | None], digits: int | None = None) -> float | None:
    """The mean of what is a number, rounded if asked for; None where there is none."""
    known = [number for number in numbers if number is not None and math.isfinite(number)]
    mean = float(np.mean(known)) if known else None
    return mean if mean is None or digits is None else round(mean, digits)


def mean(rows: Iterable[Row], figure: Figure, digits: int | None = None) -> float | None:
    """The mean over the rows that have the figure; None where none has it."""
    return average(values(rows, figure), digits)
