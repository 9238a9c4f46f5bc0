"""A bench under several conditions, side by side."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from wolfspider.bench import Row
from wolfspider.bench.conditions import name_of
from wolfspider.bench.draw.condition_tables import table, write_reports
from wolfspider.bench.run.runner import Bench, run
from wolfspider.terminal import printing


@pytest.fixture
def rows(tiny: str) -> list[Row]:
    conditions = ("serial", "live-like")
    return run(Bench((tiny,), ("breadth-first", "fish"), pages=10, jobs=1, conditions=conditions)).rows


def test_each_strategy_is_a_line_with_every_condition_and_its_time(rows: list[Row]) -> None:
    head, _, *lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table(rows).splitlines()]
    assert head == [
        *("strategy", "serial", "serial: tiny", "serial: min"),
        *("live-like", "live-like: tiny", "live-like: min"),
    ]
    assert {line[0] for line in lines} == {"breadth-first", "fish"}
    by_hand = {
        row["strategy"]: [f"{row['auc_ratio']:.3f}"] * 2 + [f"{row['virtual_seconds'] / 60:.1f}"] for row in rows[:2]
    }
    assert {line[0]: line[1:4] for line in lines} == by_hand


def test_a_report_has_a_table_of_both_and_a_report_of_each(rows: list[Row], tmp_path: Path) -> None:
    path = write_reports(rows, tmp_path, about={"conditions": ["serial", "live-like"]})
    text = path.read_text()
    assert table(rows) in text and "--condition serial --condition live-like" in text
    for name in ("serial", "live-like"):
        assert f"({name}/report.md)" in text
        alone = (tmp_path / name / "report.md").read_text()
        assert f"--condition {name}\n" in alone and alone.count("--condition") == 1


def test_a_report_of_one_condition_is_in_one_place(rows: list[Row], tmp_path: Path) -> None:
    assert "## Overview" in write_reports(rows[:2], tmp_path).read_text()
    before = [{name: value for name, value in row.items() if name != "condition"} for row in rows[:2]]
    assert "## Overview" in write_reports(before, tmp_path / "earlier").read_text()


def test_the_printed_tables_name_their_condition(rows: list[Row]) -> None:
    shown = io.StringIO()
    printing.bench(Console(file=shown, width=120), rows)
    assert "tiny, serial: mean auc_ratio" in shown.getvalue() and "tiny, live-like: mean" in shown.getvalue()
    assert "All webs: mean auc_ratio, and minutes of virtual time" in shown.getvalue()


def test_a_condition_without_a_name_is_told_by_its_figures() -> None:
    assert (name_of(1, 2.0), name_of(16, 0.5)) == ("1 slot, 2 s of rest", "16 slots, 0.5 s of rest")
