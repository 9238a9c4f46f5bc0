"""Rows picked, grouped and paired."""

from __future__ import annotations

import math
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.bench.experiment import Row
from wolfspider.bench.groups import (
    aligned,
    average,
    figures_at,
    grouped,
    indexed,
    keyed,
    mean,
    reader,
    values,
    where,
)

ROWS: list[Row] = [
    {"web": 1, "crawler": "a", "tally": {"sent": 3}, "share": 0.5},
    {"web": 1, "crawler": "b", "tally": {"sent": 5}, "share": None},
    {"web": 2, "crawler": "a", "tally": {"sent": 7}, "share": math.nan},
]
SIDES = st.dictionaries(st.integers(0, 9), st.integers())


def test_rows_are_picked_by_all_values_at_once() -> None:
    assert where(ROWS, crawler="a", web=2) == ROWS[2:]
    assert where(ROWS) == ROWS and where(ROWS, unknown=1) == []


@given(st.lists(st.fixed_dictionaries({"web": st.integers(0, 3), "number": st.integers()})))
def test_groups_hold_every_row_once_and_in_order(rows: list[Row]) -> None:
    groups = grouped(rows, itemgetter("web"))
    assert list(groups) == list(dict.fromkeys(row["web"] for row in rows))
    assert all(own == where(rows, web=web) for web, own in groups.items())


def test_an_index_has_the_last_row_of_a_key() -> None:
    assert indexed(ROWS, itemgetter("crawler")) == {"a": ROWS[2], "b": ROWS[1]}


@given(st.lists(SIDES, min_size=1, max_size=4))
def test_what_stands_at_the_same_place_has_the_same_key(sides: list[dict[int, int]]) -> None:
    keyed = [{key: (key, value) for key, value in side.items()} for side in sides]
    cases = list(zip(*aligned(dict(enumerate(keyed))).values(), strict=True))
    assert all(len({key for key, _ in case}) == 1 for case in cases)
    assert [case[0][0] for case in cases] == [key for key in sides[0] if all(key in side for side in sides)]


def test_lists_of_a_row_give_their_value_at_a_place() -> None:
    row = {"values": [1, 2], "share": [0.5, None], "short": [1], "web": "w"}
    assert figures_at(row, 1) == {"values": 2, "share": None, "short": None, "web": "w"}


def test_a_figure_is_a_path_or_a_function() -> None:
    assert [reader("tally.sent")(row) for row in ROWS] == [3, 5, 7]
    assert reader(lambda row: row["web"] / 2)(ROWS[2]) == 1.0


def test_rows_without_a_figure_do_not_count() -> None:
    assert values(ROWS, "share") == [0.5] and mean(ROWS, "share") == 0.5
    assert mean(ROWS, "tally.sent") == 5.0 and mean([], "share") is None
    assert average([None, math.nan, math.inf]) is None
    assert average([1.0, 2.0, 2.0], digits=2) == pytest.approx(1.67)


def test_a_figure_is_keyed_where_a_row_has_it() -> None:
    assert keyed(ROWS, itemgetter("web", "crawler"), "share") == {(1, "a"): 0.5}
    assert keyed(ROWS, itemgetter("crawler"), "tally.sent") == {"a": 7, "b": 5}
