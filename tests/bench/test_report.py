from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from wolfspider.bench.draw.dots import dot_plot
from wolfspider.bench.draw.report import command, load, markdown_table, on_the_way, topics_table, write_report
from wolfspider.bench.run.runner import Bench, run
from wolfspider.core.errors import BadInput


def row(strategy: str, topic: str, ratio: float | None, repeat: int = 0, **more: Any) -> dict[str, Any]:
    found = [[1, 1], [5, 1 + repeat], [10, 3]]
    return {
        "web": "w",
        "topic": topic,
        "strategy": strategy,
        "judge": "keywords",
        "train": "charged",
        "repeat": repeat,
        "pages": 10,
        "downloads": 10,
        "training": 0,
        "relevant": 5,
        "reachable": 4,
        "found": found,
        "harvest_rate": 0.3,
        "recall": 0.75,
        "auc": 2.0,
        "oracle_auc": 3.0,
        "greedy_auc": 2.5,
        "auc_ratio": ratio,
        "hosts": 1,
        "virtual_seconds": 7.0,
        "seconds": 0.1,
        "pages_per_second": 100.0,
        "peak_rss_mb": 50.0,
        "error": None,
    } | more


ROWS = [
    row("slow", "x", 0.2),
    row("slow", "x", 0.4, 1),
    row("slow", "y", 0.1),
    row("slow", "y", 0.1, 1),
    row("good", "x", 0.8),
    row("good", "x", 0.8, 1),
    row("good", "y", 0.6),
    row("good", "y", 0.6, 1),
]
BOUNDS = [{"web": "w", "topic": topic, "upper": [[1, 1], [2, 4]], "greedy": [[2, 1], [3, 4]]} for topic in ("x", "y")]


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_the_overview_ranks_strategies() -> None:
    head, _, first, second = cells(markdown_table(ROWS))
    assert head == ["strategy", "auc_ratio", "harvest", "recall", "downloads", "hosts", "virtual s", "pages/s", "MB"]
    assert first == ["good", "0.700 ± 0.141", "0.300", "0.750", "10", "1.0", "7", "100", "50"]
    assert second[:2] == ["slow", "0.200 ± 0.141"]


def test_topics_have_their_means_and_spreads() -> None:
    _, _, good, slow, mean = cells(topics_table(ROWS))
    assert good == ["good", "0.700", "0.800 ± 0.000", "0.600 ± 0.000"]
    assert slow == ["slow", "0.200", "0.300 ± 0.141", "0.100 ± 0.000"]
    assert mean == ["mean", "0.450", "0.550", "0.350"]


def test_recall_is_told_on_the_way() -> None:
    head, _, good, _ = cells(on_the_way(ROWS))
    assert head == ["strategy", "10%", "25%", "50%", "100%"]
    assert good == ["good", "0.250", "0.250", "0.375", "0.750"]


def test_a_report_has_tables_figures_and_what_was_run(tmp_path: Path) -> None:
    about = {"seed": 7, "settings": {"good": {"depth": "3"}}, "webs": {"w": "d1ge57"}, "version": "1.2"}
    path = write_report(ROWS, tmp_path / "report", BOUNDS, about)
    text = path.read_text()
    assert "--web w --strategy slow --strategy good --pages 10 --repeats 2" in text
    assert "--seed 7 --set good.depth=3" in text and "d1ge57" in text and "wolfspider 1.2" in text
    shown = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert shown == ["overview.svg", "w-x.svg", "w-y.svg"]
    for name in shown:
        ElementTree.parse(tmp_path / "report" / name)
    drawn = (tmp_path / "report" / "w-x.svg").read_text()
    assert all(label in drawn for label in ("upper bound", "greedy oracle", "slow", "good", "relevant pages"))
    assert drawn.count('fill-opacity="0.16"') == 2, "a band for each strategy whose repeats differ"
    assert "| good |  | +0.500 (0.500) |" in text
    assert "| slow | 2 | +0.500 | +0.500 to +0.500 | 2 | 0 | 0.5000 | 0.5000 |" in text


def test_the_report_says_who_drew_no_lots(tmp_path: Path) -> None:
    rows = [row("steady", "x", 0.5, 0, found=[[1, 1]]), row("steady", "x", 0.5, 1, found=[[1, 1]])]
    text = write_report([*rows, *ROWS], tmp_path).read_text()
    assert "every repeat the same: steady." in text
    once = write_report(rows[:1], tmp_path / "once").read_text()
    assert "every repeat" not in once and "There is nothing to compare" in once


def test_equal_rows_give_equal_bytes(tmp_path: Path) -> None:
    texts = [write_report(ROWS, tmp_path / str(number), BOUNDS).read_bytes() for number in range(2)]
    assert texts[0] == texts[1]


def test_failures_and_missing_bounds_are_shown(tmp_path: Path) -> None:
    failed = {"error": "Oh: a | bar\nand <b>", "auc": None, "auc_ratio": None, "recall": None, "harvest_rate": None}
    rows = [row("good", "x", None, oracle_auc=None), row("bad", "x", None, **failed)]
    text = write_report(rows, tmp_path).read_text()
    assert "| strategy | auc |" in text and "| good | 2.000 ± 0.000 |" in text
    assert "| bad | – |" in text
    assert r"Oh: a \| bar and \<b\>" in text


def test_names_of_files_are_harmless_and_distinct(tmp_path: Path) -> None:
    rows = [row("s", topic, 0.5, web=web) for web in ("../../etc", "etc") for topic in ("A/b", "a b")]
    write_report(rows, tmp_path / "in")
    names = sorted(path.name for path in (tmp_path / "in").iterdir())
    assert names == ["etc-a-b-2.svg", "etc-a-b-3.svg", "etc-a-b-4.svg", "etc-a-b.svg", "overview.svg", "report.md"]
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_dot_plot_puts_values_in_their_places() -> None:
    svg = dot_plot("<Title>", "ratio", [("a & b", {"w": 0.5, "v": 1.0}), ("none", {})])
    root = ElementTree.fromstring(svg)
    circles = [element for element in root.iter() if element.tag.endswith("circle")]
    axis = {float(c.attrib["cx"]) for c in circles[2:]}
    assert axis == {190 + (760 - 190 - 28) / 2, 760 - 28}
    assert "&lt;Title&gt;" in svg and "a &amp; b" in svg


def test_from_a_bench_to_its_report(tiny: str, tmp_path: Path) -> None:
    run(Bench((tiny,), ("breadth-first", "random"), pages=8, repeats=2, jobs=1), tmp_path / "out.json")
    data = load(tmp_path / "out.json")
    text = write_report(data["rows"], tmp_path / "report", data["bounds"], data["about"]).read_text()
    assert command(data["rows"], data["about"]) in text
    assert "every repeat the same: breadth-first." in text


@pytest.mark.parametrize("content", ["", "[]", '{"rows": 1}', "\x00"])
def test_what_is_no_result_is_told(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(BadInput):
        load(path)
    with pytest.raises(BadInput, match="no rows"):
        write_report([], tmp_path)
