"""What a watch tells of pages that are there twice, that came while it was stopped, or that are watched themselves."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from tests.watch.papers import FAST, FRONT, HOUR, NOON, Article, Paper, going_on, watching

from wolfspider.core.model import Fetch
from wolfspider.store.view import utc
from wolfspider.watch.alerts import Alerts
from wolfspider.watch.book import Book, Report, opened
from wolfspider.watch.standstills import Standstill, Standstills
from wolfspider.watch.webhook import Hook, put_by
from wolfspider.watch.why import why
from wolfspider.web.server.serve import serve

DAY = 24 * HOUR


class Doubled(Paper):
    """Has every article at a second address, with a slash at the end."""

    def look(self, url: str, now: float) -> Fetch:
        return super().look(url if url == FRONT else url.rstrip("/"), now)


def test_a_page_at_two_addresses_is_told_once_and_explain_says_so(tmp_path: Path) -> None:
    paper = Doubled()
    paper.articles = {"one": Article("Alike, and short.", NOON - HOUR), "two": Article("Another one.", NOON - HOUR)}
    paper.front = "<title>front</title>" + "".join(f"<a href='/{name}'>it</a>" for name in ("one", "one/", "two"))

    async def main() -> None:
        async with watching(paper, tmp_path / "run") as under_way:
            await under_way.until(lambda: len(under_way.told()) == 2)
            await under_way.looks(3)
            assert sorted(name.rstrip("/") for name in under_way.told()) == ["one", "two"]
            (told,) = (name for name in under_way.told() if name.startswith("one"))
            other = {"one": "one/", "one/": "one"}[told]
            reason = why(tmp_path / "run", FRONT + other)
            assert reason is not None and reason["state"] == "twin" and f"address ({FRONT}{told})" in reason["sentence"]

    asyncio.run(main())


def test_a_front_page_that_has_a_date_is_no_news_itself(tmp_path: Path) -> None:
    paper = Paper()
    paper.articles = {"story": Article("A story.", NOON - HOUR)}
    date = f"<meta property='article:published_time' content='{utc(NOON)}'>"
    paper.front = f"<head><title>front</title>{date}</head><a href='/story'>story</a>"

    async def main() -> None:
        async with watching(paper, tmp_path / "run") as under_way:
            await under_way.until(lambda: under_way.told())
            await under_way.looks(3)
            assert under_way.told() == ["story"]

    asyncio.run(main())
    reason = why(tmp_path / "run", FRONT)
    assert reason is not None and "address that you watch" in reason["sentence"]


def test_what_was_published_during_a_long_stop_is_told_after_it(tmp_path: Path) -> None:
    paper = Paper()
    paper.articles = {"first": Article("Before the stop.", NOON)}
    manner = replace(FAST, speed=60_000.0)

    async def main() -> None:
        async with serve(paper, manner=manner) as server:
            async with going_on(server, tmp_path / "run") as under_way:
                await under_way.until(lambda: under_way.told() == ["first"])
            stopped = server.web_time().now
            paper.articles["meanwhile"] = Article("While nobody looked.", stopped + HOUR)
            paper.articles["long ago"] = Article("Long before.", stopped - 30 * DAY)
            await asyncio.sleep(2 * DAY / manner.speed)
            async with going_on(server, tmp_path / "run") as under_way:
                await under_way.until(lambda: under_way.told())
                await under_way.looks(3)
                assert under_way.told() == ["meanwhile"]

    asyncio.run(main())


def test_a_weekend_without_the_watch_matters_more_than_the_night_after_it(tmp_path: Path) -> None:
    book = Book(tmp_path)
    standstills = Standstills(book)
    stood = [standstills.landed(hour * HOUR, DAY) for hour in (0, 0.5, 20, 21, 60, 62, 64, 72, 73)]
    assert stood == [False, False, True, False, True, False, False, True, False]
    standstills.keep()
    for each in (standstills, Standstills(book)):
        assert each._longest == Standstill(0.5 * HOUR, 60 * HOUR)  # the hour in between was too short to count
        assert each.covers(HOUR, HOUR, 80 * HOUR, DAY) and not each.covers(HOUR, HOUR, 85 * HOUR, DAY)
        assert not each.covers(61 * HOUR, 61 * HOUR, 80 * HOUR, DAY)
        assert each.covers(-DAY, -23 * HOUR, 80 * HOUR, DAY) and not each.covers(-2 * DAY, -2 * DAY, 80 * HOUR, DAY)
        assert each.stands(80 * HOUR) and not each.stands(75 * HOUR)
    standstills.landed(90 * HOUR, DAY)  # by now the weekend is over for good
    assert standstills._longest == Standstill(73 * HOUR, 90 * HOUR)
    book.close()


def test_a_weekly_is_not_silent_between_its_issues(tmp_path: Path) -> None:
    book = Book(tmp_path)
    alerts, standstills = Alerts(book), Standstills(book)
    for week in range(2):
        for number in range(10):
            alerts.told(f"http://weekly.test/{week}/{number}", "", week * 7 * DAY + number * 60, standstills)
    book.execute("UPDATE sites SET looks = 100")
    assert not list(alerts.silent(14 * DAY)) and not list(alerts.silent(17 * DAY))
    alerts.stood_still()
    assert not list(alerts.silent(18 * DAY))  # somebody must have looked again
    book.execute("UPDATE sites SET looks = 100")
    (alarm,) = alerts.silent(18 * DAY)
    assert alarm.data["sentence"] == "weekly.test had 20 news, but published none in the last 264 hours."
    book.close()


def test_the_window_of_now_is_the_one_that_explain_names(tmp_path: Path) -> None:
    paper = Paper()
    paper.articles = {"old": Article("Of last week.", NOON - 100 * HOUR), "new": Article("New.", NOON - HOUR)}

    async def main() -> None:
        async with serve(paper, manner=FAST) as server:
            for window in (24.0, 48.0):
                async with going_on(server, tmp_path / "run", window=window) as under_way:
                    await under_way.looks()

    asyncio.run(main())
    reason = why(tmp_path / "run", FRONT + "old")
    assert reason is not None and "more than 48 hours before" in reason["sentence"]


def test_marks_that_steer_a_terminal_do_not_come_into_reports(tmp_path: Path) -> None:
    paper = Paper()
    evil = "\x9b31m red \u202e gnp.exe &#27;]0;pwned&#7; "
    paper.articles = {"evil": Article("x", NOON - HOUR, head=f"<meta name='description' content='{evil}'>")}

    async def main() -> None:
        async with watching(paper, tmp_path / "run") as under_way:
            await under_way.until(lambda: under_way.told())
            said = under_way.reports[0].data["description"]
            assert "red" in said and "pwned" in said
            assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(said)

    asyncio.run(main())


def test_reports_wait_for_a_webhook_that_was_left_away_until_there_is_none_any_more(tmp_path: Path) -> None:
    def started(url: str | None) -> str:
        with opened(tmp_path) as book:
            said = put_by(book, None if url is None else Hook(url))
            book.report(Report.named("new", 1.0, f"http://a.test/{number()}", {}))
        return said

    def number() -> int:
        with opened(tmp_path) as book:
            return int(book.rows("SELECT COUNT(*) FROM reports")[0][0])

    def waiting() -> int:
        with opened(tmp_path) as book:
            return int(book.rows("SELECT COUNT(*) FROM outbox")[0][0])

    assert started(None) == "" and waiting() == 0
    assert started("http://hook.test/") == "" and waiting() == 1
    assert started("").startswith("1 report waits for the webhook") and waiting() == 2
    assert started(None).startswith("2 reports wait for the webhook") and waiting() == 3
    assert started("http://hook.test/") == "" and waiting() == 4
    assert started("none") == "" and waiting() == 0
    assert started(None) == "" and waiting() == 0
