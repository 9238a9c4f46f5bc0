"""A watch with the strategies that poll: looks, feeds and items are told, it goes on after a stop, and looks as often
as the person wants."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from tests.watch.papers import FAST, FRONT, HOUR, MINUTE, NOON, Article, Paper, going_on, watching

from wolfspider.store.folder import about_run
from wolfspider.terminal.explanation import explain, lines
from wolfspider.web.server.serve import serve


@pytest.mark.parametrize("strategy", ["newshound", "poll"])
def test_it_tells_what_lists_and_feeds_show_and_goes_on(tmp_path: Path, strategy: str) -> None:
    paper, run = Paper(), tmp_path / "run"
    paper.articles = {"first": Article("It was first.", NOON - MINUTE), "old": Article("Old.", NOON - 100 * HOUR)}
    paper.hidden, paper.feed = {"fed"}, ["first"]
    given = {"strategy": strategy, "per_hour": 3000, "window": 12.0}

    async def main() -> None:
        async with watching(paper, run, **given) as under_way:
            await under_way.until(lambda: under_way.told() == ["first"])
            await under_way.looks()
            paper.articles["undated"] = Article("It says no date, and was not there before.")
            await under_way.until(lambda: "undated" in under_way.told())
            paper.articles["fed"] = Article("In the feed alone.", under_way.now())
            paper.feed.append("fed")
            await under_way.until(lambda: "fed" in under_way.told())
            by = {report.url.removeprefix(FRONT): report.data for report in under_way.reports}
            assert by["fed"]["source"] == f"feed:{FRONT}feed.xml" and by["undated"]["dated_by"] == "list"
        later = NOON + 100 * HOUR
        paper.articles["meanwhile"] = Article("It was published while nobody looked.", later - MINUTE)
        async with serve(paper, manner=replace(FAST, start=later)) as server, going_on(server, run, **given) as again:
            await again.until(lambda: again.told())
            await again.looks()
            assert again.told() == ["meanwhile"]

    asyncio.run(main())


@pytest.mark.parametrize(("given", "looks"), [({}, 3000.0), ({"set": ["per_hour=2000"]}, 2000.0)])
def test_how_often_it_looks_is_what_the_person_wants(tmp_path: Path, given: dict[str, object], looks: float) -> None:
    paper = Paper()
    paper.articles = {"first": Article("It was first.", NOON - MINUTE)}

    async def main() -> None:
        settings = {"strategy": "newshound", "per_hour": 3000, "window": 12.0, **given}
        async with watching(paper, tmp_path / "run", **settings) as under_way:
            await under_way.until(lambda: under_way.told())

    asyncio.run(main())
    params = about_run(tmp_path / "run")["params"]
    assert float(params["per_hour"]) == looks and float(params["window"]) == 12 * HOUR


def test_by_default_new_documents_are_looked_at_again_and_changes_are_told(tmp_path: Path) -> None:
    paper = Paper()
    paper.articles = {
        "story": Article("The mayor denies it all.", NOON - MINUTE),
        "old": Article("The mayor was born.", NOON - 100 * HOUR),
    }

    async def main() -> None:
        async with watching(paper, tmp_path / "run", strategy=None, per_hour=3000) as under_way:
            await under_way.until(lambda: under_way.told() == ["story"])
            paper.articles["story"] = Article("The mayor admits everything now.", NOON - MINUTE)
            paper.articles["old"] = Article("The mayor was never born, they say.", NOON - 100 * HOUR)
            await under_way.until(lambda: under_way.told("changed") == ["story"])
            found, changed = (report.at for report in under_way.reports)
            assert changed - found >= HOUR
            await under_way.until(lambda: len([one for one in under_way.server.log if one.path == "/story"]) >= 2)
            assert len([one for one in under_way.server.log if one.path == "/old"]) == 1, "It is not new."

    asyncio.run(main())
    told = list(lines(explain(tmp_path / "run", f"{FRONT}story")))
    assert "  found on   no page: it was looked at again" in told
    assert "  found on   no page: a starting point" not in told
    about = about_run(tmp_path / "run")
    assert about["settings"]["strategy"] == "newshound" and about["params"]["second_looks"] == "4"
