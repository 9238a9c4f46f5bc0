"""Broken variants of rows: worlds in which a claim is false, made from the true rows. Each combinator gives a function
of rows for `BrokenVariant`; rows that it does not concern stay the same objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from wolfspider.bench.experiment import Row, Rows
from wolfspider.bench.groups import Figure, matches, reader

Variant = Callable[[Rows], list[Row]]


def put(row: Row, path: str, value: Any) -> Row:
    """A copy of the row with this value in a field; `path` may lead into parts, with dots."""
    field, _, rest = path.partition(".")
    return {**row, field: put(row[field], rest, value) if rest else value}


def changed(change: Callable[[Row], Mapping[str, Any]], **wanted: Any) -> Variant:
    """Rows with the wanted values get the fields that `change` makes of them."""
    return lambda rows: [{**row, **change(row)} if matches(row, wanted) else row for row in rows]


def chained(*variants: Variant) -> Variant:
    """One variant after the other."""
    return lambda rows: reduce(lambda made, variant: variant(made), variants, list(rows))


def taken(fields: Sequence[str], sources: Iterable[tuple[Row, Row]], rows: Rows) -> list[Row]:
    """The first row of each pair takes these fields (paths) from the second, as it was before."""
    source_of = {id(row): source for row, source in sources}

    def take(row: Row, source: Row) -> Row:
        return reduce(lambda made, path: put(made, path, reader(path)(source)), fields, row)

    return [take(row, source_of[id(row)]) if id(row) in source_of else row for row in rows]


def dealt(fields: Sequence[str], figure: Figure, hands: Callable[[Rows], Iterable[Sequence[Row]]]) -> Variant:
    """The fields are dealt out anew within each hand of rows: its first row gets those of the row with the largest
    figure, and so on down to the last, which gets those of the smallest."""

    def deal(rows: Rows) -> list[Row]:
        pairs = [
            pair
            for hand in hands(rows)
            for pair in zip(hand, sorted(hand, key=reader(figure), reverse=True), strict=True)
        ]
        return taken(fields, pairs, rows)

    return deal
