"""Tables and figures are made from rows of both forms, and their numbers are right."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from tests.bench.energy_rows import made_rows

from wolfspider.bench.experiment import Both, Form, Rows, Table
from wolfspider.bench.papers.energy_population import EXPERIMENT
from wolfspider.bench.papers.energy_population.cells import BUFFER, DEADLY, FREE, HIGH, LOW, MIDDLE, TWENTIETH
from wolfspider.bench.papers.energy_population.crawls_by_run import AS_PRINTED, runs_of, together
from wolfspider.bench.papers.energy_population.report import drawings, tables

ROWS = made_rows()


def titled(words: str, rows: Rows = ROWS) -> Table:
    (found,) = [table for table in tables(rows) if words in table.title]
    return found


def test_every_table_is_made() -> None:
    assert len(tables(ROWS)) == 6
    assert "Recorded webs" not in [table.title for table in tables(made_rows(5, recorded=False))]


def test_figures_2_to_6_are_made_and_are_xml() -> None:
    made = drawings(ROWS)
    titles = " ".join(figure.title for figure in made)
    assert all(f"(Fig. {number})" in titles for number in range(2, 7))
    for figure in made:
        ElementTree.fromstring(figure.svg())


@pytest.mark.parametrize(("title", "lines"), [("(Fig. 2)", 3), ("(Fig. 3)", 3), ("(Fig. 5)", 4), ("exhausted", 3)])
def test_populations_are_means_with_their_interval(title: str, lines: int) -> None:
    (figure,) = [figure for figure in drawings(ROWS) if title in figure.title]
    assert [mark.kind for mark in figure.marks].count("line") == lines
    crawlers = [mark for mark in figure.marks if mark.kind == "line" and "B = " not in mark.label]
    assert [mark.colour for mark in figure.marks if mark.kind == "band"] == [mark.colour for mark in crawlers]


def test_a_run_whose_starting_points_lead_nowhere_is_left_out() -> None:
    nowhere = [row | {"downloads": row["starts"], "at": row["at"][:1]} if row["run"] == 2 else row for row in ROWS]
    assert {line[2] for line in titled("Populations", nowhere).lines if line[1] == "free, as printed"} == {7}
    assert {case[0]["run"] for case in together(nowhere, (FREE, BUFFER), AS_PRINTED)} == {*range(8)} - {2}
    assert not runs_of([row | {"downloads": 1, "starts": 1} for row in ROWS], BUFFER)


def test_what_learning_changes_is_paired_by_run() -> None:
    lines = {line[0]: line[1:] for line in titled("Learning inside").lines}
    runs, without, learning, change, low, high, more = lines["precision"]
    assert (runs, more) == (8, 8)
    assert all(isinstance(number, float) for number in (without, learning, change, low, high))
    assert learning - without == pytest.approx(change, abs=1e-4) and 0 < low <= change <= high
    assert lines["mean population"][3] == 0 and lines["mean population"][6] == 0
    few = {line[0]: line[1:] for line in titled("Learning inside", made_rows(4)).lines}
    assert few["precision"][0] == 4 and few["precision"][4:6] == (None, None)


def test_the_three_models_stand_side_by_side() -> None:
    (figure,) = [figure for figure in drawings(ROWS) if "three models" in figure.title]
    drawn = {mark.label: mark for mark in figure.marks if mark.kind == "line"}
    assert list(drawn) == [LOW, MIDDLE, HIGH, FREE, BUFFER]
    assert len({mark.colour for mark in figure.marks}) == 3
    assert drawn[LOW].xs[-1] < drawn[MIDDLE].xs[-1] == 1000  # nobody is left, and 0 is not drawn
    assert drawn[BUFFER].ys[-1] == pytest.approx(250 + 0.35)
    assert len(figure.svg()) < 25_000


def test_without_rows_there_is_nothing_to_show() -> None:
    assert tables([]) == [] and drawings([]) == []


def test_populations_by_hand() -> None:
    lines = {line[:2]: line for line in titled("Populations").lines}
    low = lines[LOW, "free, as printed"]
    assert low[2] == 8 and low[5] == 0 and low[7] == 8 and low[-1] == "done 8"
    kept = lines[BUFFER, "costs C"]
    assert kept[2] == 5 and kept[7] == 0 and kept[8] == 1000 and kept[-1] == "budget 5"


def test_what_the_paper_says_of_single_pages_stands_beside_ours() -> None:
    lines = {line[0]: line for line in titled("Single pages").lines}
    assert lines[DEADLY][3] == Both(0.99, 1.0)
    assert lines[TWENTIETH][5] == Both(pytest.approx(10.15), 10)
    assert lines[TWENTIETH][6] == Both(pytest.approx(0.0503, abs=1e-3), 0.05)


@pytest.mark.parametrize("quick", [True, False])
def test_what_was_scaled_is_said(quick: bool) -> None:
    told = " ".join(EXPERIMENT.scaled(Form(quick)))
    assert ("instead of 25,000" in told) is quick
    assert ("takes the full form" if quick else "no corpus is at hand") in told
    assert "original model that was changed" in told
