"""The news of a watch for the browser: from the book that the watch keeps, read beside it."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest

from wolfspider.core.randomness import generator
from wolfspider.core.topic import Topic
from wolfspider.dashboard import live_feed
from wolfspider.dashboard.desk import Missing, RunDesk
from wolfspider.dashboard.live_feed import Feeds, Glance, Happened
from wolfspider.dashboard.news import news
from wolfspider.store.folder import Places, describe
from wolfspider.store.view import utc
from wolfspider.strategies import strategy_named
from wolfspider.watch.book import Book, Report


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A watch with a book; of its run, only what the strategy reports is asked, and that is told here."""
    run = tmp_path / "news"
    run.mkdir()
    monkeypatch.setattr("wolfspider.dashboard.news.report_of", lambda desk, run: (1.0, {"busy hours": [1.0] * 48}))
    return run


def test_news_are_told_by_site_forager_and_hour_with_those_who_went_quiet(watched: Path) -> None:
    now = time.time()
    book = Book(watched)
    with book.writing():
        for number, (host, agent, late) in enumerate((("a", "one", 60), ("a", "two", 120), ("b", "one", 600))):
            published = utc(now - 3600 - late)
            data = {"title": f"<b>News {number}</b>", "published": published, "late": late, "agent": agent}
            book.report(Report.named("new", now - 3600, f"http://{host}.test/{number}", data))
        old = {"title": "Old", "published": utc(now - 9e5), "late": 5, "from_before": True}
        book.report(Report.named("new", now - 9e5, "http://b.test/old", old))
        book.report(Report.named("alert", now, "http://c.test/", {"alarm": "silent", "sentence": "c.test is silent."}))
        for host, told, silent in (("a.test", 2, 0), ("c.test", 9, 1)):
            book.execute("INSERT INTO sites VALUES (?, ?, ?, ?, 7, ?)", host, now - 1e6, now - 1e5, told, silent)
    told = news(RunDesk(watched.parent), watched, {"limit": 2})  # while its owner has it open
    book.close()
    assert [report["kind"] for report in told["reports"]] == ["alert", "new"]
    assert told["counts"] == {"new": 4, "alert": 1} and told["today"] == 3
    assert told["by_site"] == {"a.test": 2, "b.test": 1} and told["by_forager"] == {"one": 2, "two": 1}
    assert told["late"] == {"median": 120, "most": 600, "of": 3}
    every = news(RunDesk(watched.parent), watched, {})["reports"]
    assert [report["timed"] for report in every] == [False, False, True, True, True]  # as many as there are lates
    assert sum(told["hours"]) == 4 and len(told["learned_hours"] or ()) == 48
    assert [(site["host"], site["silent"]) for site in told["sites"]] == [("c.test", True), ("a.test", False)]


def test_a_run_that_is_no_watch_has_none_and_a_watch_that_has_only_begun_none_yet(watched: Path) -> None:
    desk = RunDesk(watched.parent)
    describe(Places.of(watched), {"settings": {}})
    with pytest.raises(Missing, match="watch"):
        news(desk, watched, {})
    describe(Places.of(watched), {"settings": {"watch": True}})
    told = news(desk, watched, {})
    assert (told["reports"], told["today"], told["by_site"]) == ([], 0, {})


def test_strategies_that_learn_hours_report_them() -> None:
    strategy = strategy_named("poll").new(Topic(("floods",)), generator(1), {})
    strategy.begin([], 0.0)
    assert len(strategy.report()["busy hours"]) == 48


def test_a_reader_who_does_not_keep_up_loses_the_oldest_and_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter(range(10**9))

    def look(glance: Glance) -> list[Happened]:
        return [("page", {"number": next(looks)}) for _ in range(50)]

    monkeypatch.setattr(Glance, "look", look)

    async def scene() -> None:
        feeds = Feeds(RunDesk(tmp_path.parent), every=0.001)
        slow, quick = feeds.follow(tmp_path), feeds.follow(tmp_path)
        assert b"hello" in await anext(slow)
        seen = [await anext(quick) for _ in range(1000)]
        assert len(seen) == 1000  # though nobody reads the other
        late = [json.loads((await anext(slow)).decode().partition("data: ")[2])["number"] for _ in range(20)]
        assert late == sorted(late) and late[0] > 100  # what was oldest is gone
        assert feeds.readers == 2
        await slow.aclose()  # type: ignore[attr-defined]
        await quick.aclose()  # type: ignore[attr-defined]
        assert feeds.readers == 0 and not feeds._looking

    asyncio.run(scene())
    assert live_feed._WAITING < 100
