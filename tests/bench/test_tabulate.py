"""Tables and figures of the usual shapes."""

from __future__ import annotations

from wolfspider.bench.draw.svg import Figure
from wolfspider.bench.experiment import Both, Row
from wolfspider.bench.tabulate import (
    Column,
    counts_of,
    figures_of,
    group_table,
    mean_curves,
    mean_line,
    mean_of,
    tables_of,
    text_of,
)

ROWS: list[Row] = [{"x": 1.0, "curve": [1, 2]}, {"x": 2.0, "curve": [3, 4]}, {"x": None, "curve": [5, 6]}]


def test_a_line_for_each_group_that_has_rows() -> None:
    groups = {("a", "free"): ROWS, ("b", "free"): []}
    table = group_table("T", ("crawler", "training"), groups, Column("crawls", len), Column("x", "x"), note="Why.")
    assert (table.columns, table.lines) == (("crawler", "training", "crawls", "x"), [("a", "free", 3, 1.5)])
    assert table.note == "Why."
    table = group_table("T", ("crawler",), {"a": ROWS, "b": []}, Column("crawls", len), Column("x", "x"), empty=True)
    assert table.lines == [("a", 3, 1.5), ("b", 0, None)]


def test_the_papers_number_stands_beside_ours() -> None:
    column = Column("x", "x", printed={"a": 7.0}, digits=0)
    table = group_table("T", ("crawler",), {"a": ROWS, "b": ROWS[:1]}, column)
    assert table.lines == [("a", Both(2.0, 7.0)), ("b", Both(1.0, None))]


def test_what_is_empty_is_left_out() -> None:
    tables = tables_of(
        lambda rows: group_table("T", ("crawler",), {"a": rows}),
        lambda rows: group_table("U", ("crawler",), {"a": ROWS}),
    )
    assert [table.title for table in tables([])] == ["U"]
    figures = figures_of(lambda rows: Figure("F", "x", "y"), lambda rows: Figure("G", "x", "y").line([1], [1]))
    assert [figure.title for figure in figures([])] == ["G"]


def test_a_curve_of_means_for_each_group_that_has_rows() -> None:
    groups = {"all": ROWS, "none": [], "first": ROWS[:1]}
    figure = mean_curves(
        Figure("F", "x", "y"), [1, 2], groups, lambda row: row["curve"], ["red", "blue", "green"], ["first"]
    )
    lines = [(mark.label, list(mark.ys), bool(mark.dash)) for mark in figure.marks if mark.kind == "line"]
    assert lines == [("all", [3.0, 4.0], False), ("first", [1.0, 2.0], True)]
    bands = [mark for mark in figure.marks if mark.kind == "band"]  # a single row has no interval
    assert [mark.colour for mark in bands] == ["red"] and (bands[0].ys < bands[0].highs).all()
    assert [mark.colour for mark in figure.marks if mark.kind == "line"] == ["red", "green"]


def test_a_line_of_means_has_an_interval_where_there_are_enough_runs() -> None:
    runs: list[dict[float, float | None]] = [{0.0: 1.0 + run, 0.1 + 0.2: 5.0} for run in range(5)]
    runs[0][0.9] = 7.0
    runs[1][0.9] = None
    figure = mean_line(Figure("F", "x", "y"), [*runs[:4], {0.0: 5.0, 0.3: 6.0, 0.9: float("nan")}], "all", "red", True)
    line, band = figure.marks
    assert (line.label, line.colour, bool(line.dash)) == ("all", "red", True)
    assert list(line.xs) == [0.0, 0.3, 0.9] and list(line.ys) == [3.0, 5.2, 7.0]
    assert list(band.xs) == [0.0, 0.3] and band.colour == "red" and (band.ys < line.ys[:2]).all()
    assert [mark.kind for mark in mean_line(Figure("F", "x", "y"), runs[:4]).marks] == ["line"]
    assert mean_line(Figure("F", "x", "y"), []).marks == []


def test_columns_of_means_and_counts() -> None:
    assert mean_of(lambda row: row["curve"][0] / 2, digits=1)(ROWS) == 1.5
    assert text_of("x")(ROWS) == "1.5000" and text_of("x", 2)(ROWS) == "1.50" and text_of("x")([]) is None
    assert counts_of("x")([{"x": "done"}, {"x": "budget"}, {"x": "done"}]) == "budget 1, done 2"
