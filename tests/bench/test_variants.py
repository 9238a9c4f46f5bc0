"""Broken variants of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from wolfspider.bench.experiment import Row, Rows
from wolfspider.bench.groups import where
from wolfspider.bench.variants import chained, changed, dealt, put, taken


def test_a_value_is_put_into_a_part_of_a_copy() -> None:
    row = {"tally": {"sent": 1, "seen": 2}}
    assert put(row, "tally.sent", 9) == {"tally": {"sent": 9, "seen": 2}}
    assert put(row, "kind", "new") == {**row, "kind": "new"} and row == {"tally": {"sent": 1, "seen": 2}}


def test_only_the_wanted_rows_are_changed() -> None:
    rows = [{"kind": "easy", "x": 1}, {"kind": "hard", "x": 2}]
    broken = changed(lambda row: {"x": -row["x"]}, kind="hard")(rows)
    assert broken == [rows[0], {"kind": "hard", "x": -2}] and broken[0] is rows[0]


def test_rows_may_take_fields_from_each_other() -> None:
    one, other, third = {"a": {"x": 1}, "y": 1}, {"a": {"x": 2}, "y": 2}, {"a": {"x": 3}, "y": 3}
    swapped = taken(["a.x"], [(one, other), (other, one)], [one, other, third])
    assert swapped == [{"a": {"x": 2}, "y": 1}, {"a": {"x": 1}, "y": 2}, third]


def by_web(rows: Rows) -> Iterable[list[Row]]:
    return (where(rows, web=web) for web in range(3))


ROWS = st.lists(st.fixed_dictionaries({"web": st.integers(0, 3), "x": st.integers(-5, 5)}), max_size=12)


@given(ROWS)
def test_dealing_keeps_the_values_of_each_hand_and_puts_the_largest_first(rows: list[Row]) -> None:
    broken = dealt(["x"], "x", by_web)(rows)
    assert Counter((row["web"], row["x"]) for row in broken) == Counter((row["web"], row["x"]) for row in rows)
    for hand in by_web(broken):
        assert [row["x"] for row in hand] == sorted((row["x"] for row in hand), reverse=True)
    assert where(broken, web=3) == where(rows, web=3)


def test_variants_follow_one_another() -> None:
    rows = [{"x": 1}, {"x": 2}]
    twice, less = changed(lambda row: {"x": 2 * row["x"]}), changed(lambda row: {"x": row["x"] - 1}, x=4)
    assert chained(twice, less)(rows) == [{"x": 2}, {"x": 3}] and chained()(rows) == rows
