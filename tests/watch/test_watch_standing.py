"""How a watch stands, as `wolfspider status` and the first screen of the dashboard say it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from tests.watch.papers import FRONT, HOUR, NOON, Article, Paper, watching

from wolfspider.app.settings import Settings, choose
from wolfspider.cli.watches import DEFAULTS
from wolfspider.dashboard.desk import RunDesk
from wolfspider.dashboard.overview import run_state
from wolfspider.terminal.explanation import explain
from wolfspider.terminal.explanation import lines as explained_lines
from wolfspider.terminal.standing import lines
from wolfspider.terminal.watch_standing import of_watch
from wolfspider.watch.book import Book, Report, opened
from wolfspider.watch.watching import settings_for


def test_a_watch_says_what_it_told_and_nothing_of_a_budget_or_of_labels(tmp_path: Path) -> None:
    run, paper = tmp_path / "run", Paper()
    paper.articles = {"recent": Article("Of this morning.", NOON - 2 * HOUR)}
    said: list[list[str]] = []

    async def main() -> None:
        async with watching(paper, run) as under_way:
            await under_way.until(lambda: under_way.told() == ["recent"])
            await under_way.looks(3)
            said.append(lines(run, time.time()))
            advice = run_state(RunDesk(tmp_path), run)["advice"]
            assert not [each for each in advice if "ten pages" in each["text"]]  # a judge that takes all learns nothing

    asyncio.run(main())
    said.append(lines(run, time.time()))
    for each in said:
        assert not [line for line in each if "1,000,000,000" in line or "days left" in line], each
        assert [line for line in each if line.startswith("Told so far: 1 new page, 0 changes, 0 alarms; the last at ")]
    with opened(run) as book, book.writing():
        book.execute("INSERT INTO outbox (number, state) VALUES (1, 'given up')")
    explained = explained_lines(explain(run, f"{FRONT}recent"))
    report = next(line for line in explained if line.startswith("  report 1: new, "))
    assert report.endswith(", given up for the webhook")


def test_why_a_watch_looked_at_a_page_is_told_in_sentences(tmp_path: Path) -> None:
    run, paper = tmp_path / "run", Paper()
    paper.articles = {"recent": Article("Of this morning.", NOON - 2 * HOUR), "undated": Article("Nobody knows.")}

    async def main() -> None:
        given = {"strategy": "newshound", "per_hour": 3600, "delay": 0.1}
        async with watching(paper, run, **given) as under_way:
            await under_way.until(lambda: under_way.told() == ["recent"])
            await under_way.looks(3)
            paper.articles["later"] = Article("Just now.", under_way.now())
            await under_way.until(lambda: "later" in under_way.told())
            await under_way.looks(2, "/later")

    asyncio.run(main())
    names = ("", "later", "undated")
    front, later, undated = ("\n".join(explained_lines(explain(run, FRONT + name))) for name in names)
    assert "It is an address that you watch: news are looked for on it, it is none itself." in front
    assert "  why        what is new on it was wanted: it was the turn of this list" in front
    assert "  why        its link was new there at 2027-01-15T" in later and "it was not there" in later
    assert "is looked at again to see whether it changed, for the first time" in later
    assert "  report 2: new, 2027-01-15T" in later and " after it was published" in later
    assert "its link stood there when that page was first looked at, 2027-01-15T" in undated
    for said in (front, later, undated):
        assert not [line for line in said.splitlines() if line.startswith("  worth ")]


def test_what_the_webhook_has_not_taken_is_told(tmp_path: Path) -> None:
    assert of_watch(tmp_path) == []
    book = Book(tmp_path)
    book.sends = True
    with book.writing():
        for number in range(4):
            book.report(Report.named("changed", NOON, f"http://paper.test/{number}", {}))
        book.execute("UPDATE outbox SET problem = 'status 503'")
        book.execute("UPDATE outbox SET state = 'given up' WHERE number = 1")
        book.execute("DELETE FROM reports WHERE number = 2")
    book.close()
    assert of_watch(tmp_path) == [
        "Told so far: 0 new pages, 3 changes, 0 alarms, and 1 earlier; the last at 2027-01-15T12:00:00Z.",
        f"All of it is in {tmp_path / 'news.jsonl'}.",
        "3 reports for the webhook wait (status 503).",
        "1 report for the webhook was given up (status 503).",
    ]
    (tmp_path / "watch.db").write_bytes(b"no book" * 1000)
    (told,) = of_watch(tmp_path)
    assert told.startswith("What the watch has told cannot be read: ")


def test_a_watch_of_addresses_that_nobody_has_says_so(tmp_path: Path) -> None:
    async def main() -> None:
        async with watching(Paper(), tmp_path / "run", urls=["http://paper.test/mistyped"], strategy=None) as under_way:
            await under_way.until(lambda: [each for each in under_way.remarks if "goes on in" in each])
            (said,) = [each for each in under_way.remarks if "goes on in" in each]
            assert said.startswith("Nothing could be downloaded so far (") and "404" in said
            assert (
                "http://paper.test/mistyped could not be had (404 Not Found). It is tried again." in under_way.remarks
            )
            assert "are the addresses right? The watch goes on in " in said

    asyncio.run(main())


def test_a_watch_of_a_host_that_nobody_has_says_so_at_once(tmp_path: Path) -> None:
    async def main() -> None:
        urls = ["http://127.0.0.1:9/"]
        given = {"urls": urls, "strategy": None, "via": None, "allow_private": True, "contact": "a@b.test"}
        async with watching(Paper(), tmp_path / "run", **given) as under_way:
            await under_way.until(lambda: under_way.remarks)
            said = "Nothing has come from 127.0.0.1:9 yet, and it is asked again: are addresses and connection right?"
            assert under_way.remarks == [said] and not under_way.reports

    asyncio.run(main())


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "There is no watch in "),
        (("http://paper.test/",), "Who crawls?"),
        (("http://paper.test/", "--contact", "a@b.test", "--quiet-hours", "25:00-26:00"), "A day has 24 hours"),
    ],
)
def test_what_cannot_be_watched_is_not_said_to_be_watched(
    tmp_path: Path, run: Callable[..., tuple[int, str, str]], words: tuple[str, ...], problem: str
) -> None:
    code, _, said = run("watch", *words, "--out", str(tmp_path / "run"))
    assert code == 2
    assert problem in said and "Watching" not in said and not (tmp_path / "run").exists()


def test_the_help_of_watch_names_the_defaults_of_a_watch() -> None:
    made = settings_for(choose({"urls": ["http://paper.test/"]}, environment=False))
    crawl = Settings()
    same = {name for name in DEFAULTS if getattr(made, name) == getattr(crawl, name)}
    others = {one.name for one in fields(Settings) if getattr(made, one.name) != getattr(crawl, one.name)}
    assert not same and others - {"urls", "watch"} == set(DEFAULTS)
    assert made.strategy == DEFAULTS["strategy"] and made.traps == DEFAULTS["traps"]
    assert made.max_wait == 30 * 86_400 and made.judge in DEFAULTS["judge"]
