"""Tables and figures of rows made by hand, and what the page says was scaled down."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bench.chen_rows import made_rows

from wolfspider.bench.experiment import Both, Form, Table
from wolfspider.bench.papers.chen_intelligent_spider import EXPERIMENT, scaled
from wolfspider.bench.papers.chen_intelligent_spider.cells import BEST_FIRST, GENETIC, JUDGED, UNLEAPING
from wolfspider.bench.papers.chen_intelligent_spider.report import (
    figures,
    is_own,
    is_strictly_own,
    on_topic,
    share,
    tables,
    with_interval,
)

ROWS = made_rows()


def table(title: str) -> Table:
    return next(each for each in tables(ROWS) if each.title.startswith(title))


def line(found: Table, *begins: str) -> dict[str, object]:
    own = next(each for each in found.lines if each[: len(begins)] == begins)
    return dict(zip(found.columns, own, strict=True))


def test_without_rows_there_is_nothing_to_show() -> None:
    assert tables([]) == [] and figures([]) == []


def test_the_analysis_of_variance_stands_beside_that_of_the_paper() -> None:
    factor = line(table("Analysis"), "factor")
    assert factor["DF"] == Both(1, 1) and isinstance(factor["P"], Both) and factor["P"].paper == "0.857"
    error = line(table("Analysis"), "error")
    assert error["DF"] == Both(98, 78) and error["F"] == Both(None, None)
    levels = table("Levels")
    assert line(levels, GENETIC)["N"] == Both(50, 40)
    mean = line(levels, BEST_FIRST)["mean"]
    assert isinstance(mean, Both) and mean.ours == "0.08500" and mean.paper == "0.08519"


def test_fitness_is_told_on_all_webs_and_on_each_kind() -> None:
    fitness = table("Fitness")
    assert [line(fitness, GENETIC, place)["cases"] for place in ("all", "computed", "recorded")] == [50, 40, 10]
    assert line(fitness, JUDGED, "all")["own fitness"] is None
    assert line(fitness, GENETIC, "all")["ended by"] == "done 50"


def test_times_are_compared_with_those_of_best_first() -> None:
    assert line(table("What a search"), BEST_FIRST)["times best-first"] == 1.0
    assert float(str(line(table("What a search"), GENETIC)["times best-first"])) > 1.5


def test_origins_add_up() -> None:
    found = line(table("Where outputs"), GENETIC, "all")
    assert found["by leap"] == Both(0.5, 0.5) and found["outputs"] == 500
    assert line(table("Where outputs"), UNLEAPING, "all")["by leap"] == Both(0.0, None)


def test_topics_are_counted_with_and_without_what_came_by_leaps() -> None:
    found = line(table("Outputs that carry"), "all", GENETIC)
    assert found["outputs: carry the topic"] == 5.0 and found["own finds: carry the topic"] == 2.0
    assert found["own finds, not in the index: carry the topic"] == 2.0
    assert found["own finds: share"] == "0.400 [0.400, 0.400]"
    assert line(table("Outputs that carry"), "wiki", JUDGED)["cases"] == 10


def test_own_finds_by_hand() -> None:
    outputs = [
        {"origin": "leap", "listed": True, "topic": True},
        {"origin": "local", "listed": True, "topic": True},
        {"origin": "elsewhere", "listed": False, "topic": False},
    ]
    row = {"outputs": outputs}
    assert [on_topic(row, counts) for counts in (lambda output: True, is_own, is_strictly_own)] == [2, 1, 0]
    assert share(row, is_own) == 0.5 and share(row, is_strictly_own) == 0.0 and share({"outputs": []}, is_own) is None


def test_few_links_are_told_by_web_and_by_number_of_links() -> None:
    found = line(table("Few links"), "all", BEST_FIRST)
    assert found["fewer than ten"] == 32 and found["cases"] == 50
    assert [own[0] for own in table("Few links, by").lines] == [2, 4, 6]


def test_a_mean_has_an_interval_where_there_are_cases_enough() -> None:
    assert with_interval([0.5, 0.5]) == "0.500" and with_interval([]) is None
    assert with_interval([0.5] * 5, 4) == "0.5000 [0.5000, 0.5000]"


def test_figures_are_drawn() -> None:
    drawn = figures(ROWS)
    assert [sum(bool(mark.label) for mark in figure.marks) for figure in drawn] == [4, 6, 4]
    assert [sum(mark.kind == "band" for mark in figure.marks) for figure in drawn] == [4, 6, 4]
    assert all("<svg" in figure.svg() for figure in drawn)
    assert list(drawn[0].marks[1].xs) == [1, 2, 3]


@pytest.mark.parametrize("quick", [True, False])
def test_what_differs_from_the_paper_is_said(quick: bool, tmp_path: Path) -> None:
    told = " ".join(scaled(Form(quick)))
    assert "no corpus is at hand" in told and "one page in 3" in told and "3,000 downloads" in told
    (tmp_path / ("docs-small" if quick else "docs")).mkdir()
    assert "on docs" in " ".join(scaled(Form(quick, tmp_path)))
    assert EXPERIMENT.scaled is scaled
