"""The example experiment, on webs so small that it takes seconds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wolfspider.bench.experiment import Form, Reproduction, Setting
from wolfspider.bench.papers.best_first_against_breadth_first import EXPERIMENT
from wolfspider.bench.papers.best_first_against_breadth_first.cells import settings
from wolfspider.bench.papers.best_first_against_breadth_first.claims import advantages
from wolfspider.bench.run.crawls import crawl
from wolfspider.bench.run.reproduce import reproduce
from wolfspider.core.errors import Problem


def tiny(form: Form) -> list[Setting]:
    return [
        {**setting, "web": f"synthetic:pages=1000,topics=8,hard={int(setting['kind'] == 'hard')}", "pages": 40}
        for setting in settings(Form(quick=True))
        if setting["web_seed"] == 1
    ]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WOLFSPIDER_CACHE", str(tmp_path_factory.mktemp("cache")))
        return reproduce(replace(EXPERIMENT, settings=tiny), tmp_path_factory.mktemp("out"), Form(quick=True), jobs=1)


def test_both_crawlers_did_the_same_work(done: Reproduction) -> None:
    assert len(done.rows) == 20
    assert {row["downloads"] for row in done.rows} == {40}
    assert {kind: len(gains) for kind, gains in advantages(done.rows).items()} == {"easy": 5, "hard": 5}


def test_every_claim_is_ruled_on_and_every_test_can_fail(done: Reproduction) -> None:
    assert all(found.ruling.testable for found in done.findings)
    assert done.sound


def test_its_tables_and_figures_are_made_from_rows(done: Reproduction) -> None:
    assert [len(table.lines) for table in done.tables] == [4, 2]
    assert len(done.figures) == 3
    for row in done.tables[0].lines:
        assert isinstance(row[3], float) and 0 <= row[3] <= 1


def test_the_same_setting_gives_the_same_row(done: Reproduction) -> None:
    again = {**tiny(Form())[0], **crawl(tiny(Form())[0])}
    changing = ("seconds", "pages_per_second", "peak_rss_mb")
    assert {**again, **dict.fromkeys(changing)} == {**done.rows[0], **dict.fromkeys(changing)}


def test_an_unknown_topic_is_told() -> None:
    with pytest.raises(Problem, match="no topic 'shoes'"):
        crawl({"web": "synthetic:pages=1000,topics=8", "topic": "shoes", "strategy": "best-first", "pages": 5})
