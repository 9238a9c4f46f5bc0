"""Tables and figures of the usual shapes: a line for each group of rows, a curve for each group.

    group_table("What training costs", ("crawler", "training"), {("LJM", "free"): rows, ...},
                Column("crawls", len), Column("precision", "precision", {("LJM", "free"): 0.0992}), note="...")

A column has a figure of its group: a field, or a path of fields, for the mean over the rows that have it, or a function
of the rows. With `printed`, the paper's number stands beside it, where the paper has one for the line.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wolfspider.bench.draw.svg import Figure
from wolfspider.bench.experiment import Both, Row, Rows, Table, Value
from wolfspider.bench.groups import Figure as RowFigure
from wolfspider.bench.groups import mean
from wolfspider.bench.rulings import FEWEST
from wolfspider.bench.stats import interval

Label = Value | tuple[Value, ...]  # of a line: the value in its first column, or in its first columns


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of groups of rows, under its name, with the paper's number for each label that it prints one for."""

    name: str
    figure: str | Callable[[Rows], Any]
    printed: Mapping[Any, float | str | None] | None = None
    digits: int | None = None  # that a mean is rounded to

    def value(self, label: Label, rows: Rows) -> Value:
        ours = mean(rows, self.figure, self.digits) if isinstance(self.figure, str) else self.figure(rows)
        return ours if self.printed is None else Both(ours, self.printed.get(label))


def mean_of(figure: RowFigure, digits: int | None = None) -> Callable[[Rows], float | None]:
    """For a column: the mean of what is computed from each row."""
    return lambda rows: mean(rows, figure, digits)


def text_of(figure: RowFigure, digits: int = 4) -> Callable[[Rows], str | None]:
    """For a column: a mean with more digits than a table gives to numbers."""
    return lambda rows: None if (found := mean(rows, figure)) is None else f"{found:.{digits}f}"


def counts_of(field: str) -> Callable[[Rows], str]:
    """For a column: how often each value of a field occurs, as "budget 12, done 3"."""
    return lambda rows: ", ".join(
        f"{value} {count}" for value, count in sorted(Counter(row[field] for row in rows).items())
    )


def group_table(
    title: str, heads: Sequence[str], groups: Mapping[Any, Rows], *figures: Column, note: str = "", empty: bool = False
) -> Table:
    """A line for each group that has rows, or for `empty` ones too: its label under `heads`, then its figures."""
    lines = [
        (*(label if isinstance(label, tuple) else (label,)), *(column.value(label, rows) for column in figures))
        for label, rows in groups.items()
        if rows or empty
    ]
    return Table(title, (*heads, *(column.name for column in figures)), lines, note)


def tables_of(*makers: Callable[[Rows], Table]) -> Callable[[Rows], list[Table]]:
    """The tables of an experiment; those without lines are left out."""
    return lambda rows: [table for make in makers if (table := make(rows)).lines]


def figures_of(*makers: Callable[[Rows], Figure]) -> Callable[[Rows], list[Figure]]:
    """The figures of an experiment; those that show nothing are left out."""
    return lambda rows: [figure for make in makers if (figure := make(rows)).marks]


def mean_curves(
    figure: Figure,
    xs: ArrayLike,
    groups: Mapping[str, Rows],
    read: Callable[[Row], Sequence[float]],
    colours: Iterable[str] = (),
    dashed: Sequence[str] = (),
) -> Figure:
    """A line for each group that has rows: at each x, the mean of what `read` reads from them, and its 95% interval."""
    colour_of = dict(zip(groups, colours, strict=False))
    for name, rows in groups.items():
        if rows:
            curves = np.array([read(row) for row in rows], dtype=np.float64)
            figure.line(xs, curves.mean(axis=0), name, name in dashed, colour_of.get(name))
            if len(rows) > 1:
                lows, highs = zip(*(interval(column) for column in curves.T), strict=True)
                figure.band(xs, lows, highs)
    return figure


def mean_line(
    figure: Figure,
    runs: Iterable[Mapping[float, float | None]],
    label: str = "",
    colour: str | None = None,
    dashed: bool = False,
) -> Figure:
    """A line through the means of runs, each of which is y by x and may lack some of them. With the 95% interval where
    there are enough runs for one that deserves the name."""
    columns: defaultdict[float, list[float]] = defaultdict(list)
    for run in runs:
        for x, y in run.items():
            if y is not None and math.isfinite(y):
                columns[round(x, 6)].append(y)
    xs = sorted(columns)
    if xs:
        figure.line(xs, [float(np.mean(columns[x])) for x in xs], label, dashed, colour)
    if enough := [x for x in xs if len(columns[x]) >= FEWEST]:
        lows, highs = zip(*(interval(np.array(columns[x])) for x in enough), strict=True)
        figure.band(enough, lows, highs)
    return figure
