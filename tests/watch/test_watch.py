"""A watch of a newspaper, live: what is new is told once, whatever happens, and what is not new is not."""

from __future__ import annotations

import asyncio
import json
import threading
import tracemalloc
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree

import pytest
from tests.watch.papers import FAST, FRONT, HOUR, MINUTE, NOON, Article, Paper, going_on, watching

from wolfspider.app.hunt import Hunt
from wolfspider.core.model import Link, Page
from wolfspider.store.repair.examination import examine
from wolfspider.store.view import RunView, StoredPage, utc
from wolfspider.terminal.explanation import explain
from wolfspider.terminal.explanation import lines as explained
from wolfspider.watch import watching as watching_module
from wolfspider.watch.appearing import Appearing
from wolfspider.watch.book import opened
from wolfspider.watch.outputs import FEED, TAIL
from wolfspider.watch.why import why
from wolfspider.web.page import dates
from wolfspider.web.server.serve import serve

ATOM = "{http://www.w3.org/2005/Atom}"


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / TAIL).read_text(encoding="utf-8").splitlines()]


def test_what_is_new_is_told_and_what_is_old_is_not(tmp_path: Path) -> None:
    paper = Paper()
    paper.articles = {
        "old": Article("Of last week.", NOON - 100 * HOUR),
        "recent": Article("Of this morning.", NOON - 2 * HOUR),
        "undated": Article("Nobody knows when."),
        "2027/01/15": Article("The list of a day."),
    }

    async def main() -> None:
        async with watching(paper, tmp_path / "run") as under_way:
            await under_way.until(lambda: under_way.told() == ["recent"])
            await under_way.looks()
            paper.articles["fresh"] = Article("Just now.", under_way.now())
            await under_way.until(lambda: "fresh" in under_way.told())
            paper.articles["appeared"] = Article("It says no date, and was not there before.")
            await under_way.until(lambda: "appeared" in under_way.told())
            stamp = under_way.now()
            paper.articles["stamped"] = Article("Its server knows.", modified=stamp)
            await under_way.until(lambda: "stamped" in under_way.told())
            await under_way.looks()
            assert under_way.told() == ["recent", "fresh", "appeared", "stamped"]
            by = {report.url.removeprefix(FRONT): report.data for report in under_way.reports}
            assert [by[name]["dated_by"] for name in under_way.told()] == ["page", "page", "list", "last-modified"]
            assert [by[name]["from_before"] for name in under_way.told()] == [True, False, False, False]
            assert 0 <= by["fresh"]["late"] < 2 * HOUR and by["fresh"]["source"] == FRONT

    asyncio.run(main())
    assert [line["url"].removeprefix(FRONT) for line in lines(tmp_path / "run")] == [
        "recent",
        "fresh",
        "appeared",
        "stamped",
    ]
    feed = ElementTree.parse(tmp_path / "run" / FEED).getroot()
    links = [entry.find(f"{ATOM}link").attrib["href"] for entry in feed.iter(f"{ATOM}entry")]  # type: ignore[union-attr]
    assert links == [FRONT + name for name in ("stamped", "appeared", "fresh", "recent")]
    reasons = {name: why(tmp_path / "run", FRONT + name) for name in ("old", "undated", "fresh", "nowhere")}
    told = {name: reason["sentence"] for name, reason in reasons.items() if reason}
    assert "more than 24 hours before" in told["old"] and "no date" in told["undated"]
    assert "you were told" in told["fresh"] and "never met" in told["nowhere"]


def test_a_topic_keeps_what_is_about_something_else_back_and_explain_says_so(tmp_path: Path) -> None:
    paper = Paper()
    floods = "Floods and dams: water rises over the dams, and floods reach the town. " * 20
    cakes = "A recipe for cakes with butter and sugar, for all who bake. " * 20
    paper.articles = {"floods": Article(floods, NOON - HOUR), "cakes": Article(cakes, NOON - HOUR)}

    async def main() -> None:
        given = {"topic": "floods, dams", "judge": "coverage"}
        async with watching(paper, tmp_path / "run", **given) as under_way:
            await under_way.until(lambda: under_way.told())
            await under_way.looks(3)
            assert under_way.told() == ["floods"]

    asyncio.run(main())
    reason = why(tmp_path / "run", FRONT + "cakes")
    assert reason is not None and "not relevant" in reason["sentence"] and reason["reports"] == []


def test_a_document_that_changed_is_told_with_both_copies_and_the_difference(tmp_path: Path) -> None:
    paper = Paper()
    first = "The first paragraph stays as it is.\nThe mayor denies everything.\nRead 17 times."
    paper.articles = {"story": Article(first, NOON - HOUR)}

    async def main() -> None:
        options = {"set": ["again=true"]}
        async with watching(paper, tmp_path / "run", **options) as under_way:
            await under_way.until(lambda: under_way.told() == ["story"])
            paper.articles["story"] = Article(first.replace("17", "18"), NOON - HOUR)
            await under_way.looks(3, "/story")
            assert not under_way.told("changed")
            paper.articles["story"] = Article(first.replace("denies everything", "admits it all"), NOON - HOUR)
            await under_way.until(lambda: under_way.told("changed"))
            await under_way.looks(3, "/story")
            assert under_way.told("changed") == ["story"] and under_way.told() == ["story"]

    asyncio.run(main())
    change = lines(tmp_path / "run")[-1]
    assert change["added"] == ["The mayor admits it all."] and change["removed"] == ["The mayor denies everything."]
    assert "denies everything" in change["old"]["text"] and "admits it all" in change["new"]["text"]
    assert change["old"]["digest"] != change["new"]["digest"]


def test_a_document_that_changes_again_and_again_is_told_of_after_a_rest_with_all_that_changed(tmp_path: Path) -> None:
    paper = Paper()
    paper.articles = {"story": Article("The first paragraph stays.", NOON - HOUR)}

    def goes_on(part: str) -> None:
        story = paper.articles["story"]
        paper.articles["story"] = Article(f"{story.text}\nPart {part} of a long story follows here.", NOON - HOUR)

    async def main() -> None:
        async with watching(paper, tmp_path / "run", set=["again=true"]) as under_way:
            await under_way.until(lambda: under_way.told() == ["story"])
            goes_on("one")
            await under_way.until(lambda: under_way.told("changed"))
            for part in ("two", "three", "four"):
                goes_on(part)
                await under_way.looks(2, "/story")
            await under_way.until(lambda: len(under_way.told("changed")) == 2)
            assert under_way.reports[-1].at - under_way.reports[-2].at >= HOUR
            await under_way.looks(3, "/story")
            assert len(under_way.told("changed")) == 2

    asyncio.run(main())
    parts = [line["added"] for line in lines(tmp_path / "run") if line["kind"] == "changed"]
    named = [[part.split()[1] for part in added] for added in parts]
    assert named == [["one"], ["two", "three", "four"]]


def test_pages_are_read_again_beside_the_crawl_not_in_its_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a copy again may take long: the loop of the crawl is free meanwhile."""
    threads = set[str]()
    shown = Appearing._shown

    def slow(self: Appearing, row: StoredPage) -> Any:
        threads.add(threading.current_thread().name)
        return shown(self, row)

    monkeypatch.setattr(Appearing, "_shown", slow)
    paper = Paper()

    async def main() -> None:
        async with watching(paper, tmp_path / "run") as under_way:
            await under_way.looks()
            paper.articles["appeared"] = Article("It says no date, and was not there before.")
            await under_way.until(lambda: under_way.told() == ["appeared"])

    asyncio.run(main())
    assert threads and "MainThread" not in threads


def test_what_is_remembered_of_lists_is_bounded_by_their_links(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[int]()

    def parsed(row: StoredPage) -> Page:
        read.append(row.number)
        return cast(Page, SimpleNamespace(links=[Link(f"{FRONT}{row.number}/{'x' * 500}/{n}") for n in range(1000)]))

    appearing = Appearing(parsed)
    monkeypatch.setattr("wolfspider.watch.appearing.MOST_LINKS", 20_000)
    tracemalloc.start()
    try:
        for number in range(100):
            assert len(appearing._shown(cast(StoredPage, SimpleNamespace(number=number)))) == 1000
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 1_000_000, "20 copies, with eight bytes for each link"
    appearing._shown(cast(StoredPage, SimpleNamespace(number=99)))
    appearing._shown(cast(StoredPage, SimpleNamespace(number=0)))
    assert read == [*range(100), 0]


@pytest.mark.parametrize("asleep", [0.0, 3 * 24 * HOUR])
def test_a_watch_that_was_stopped_goes_on_and_tells_nothing_twice(tmp_path: Path, asleep: float) -> None:
    """Also if it slept for days."""
    paper = Paper()
    paper.articles = {"first": Article("It was first.", NOON - MINUTE)}

    async def main() -> None:
        async with watching(paper, tmp_path / "run") as under_way:
            await under_way.until(lambda: under_way.told() == ["first"])
        with (tmp_path / "run" / TAIL).open("a") as file:
            file.write('{"number": 2, "torn')
        later = NOON + 10 * HOUR + asleep
        paper.articles["meanwhile"] = Article("It was published while nobody looked.", later - MINUTE)
        from dataclasses import replace

        async with (
            serve(paper, manner=replace(FAST, start=later)) as server,
            going_on(server, tmp_path / "run") as under_way,
        ):
            await under_way.until(lambda: under_way.told())
            await under_way.looks()
            assert under_way.told() == ["meanwhile"]

    asyncio.run(main())
    assert [line["url"] for line in lines(tmp_path / "run")] == [FRONT + "first", FRONT + "meanwhile"]
    assert [line["number"] for line in lines(tmp_path / "run")] == [1, 2]


def test_a_date_that_was_read_stays_where_the_library_that_read_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = Paper()
    paper.articles = {"words": Article("A date in words.", head='<meta name="date" content="15 Ιανουαρίου 2027">')}
    monkeypatch.setattr(dates, "date_in_words", lambda text, language: NOON - HOUR)

    async def main() -> None:
        async with serve(paper, manner=FAST) as server:
            async with going_on(server, tmp_path / "run") as under_way:
                await under_way.until(lambda: under_way.told() == ["words"])
            monkeypatch.setattr(dates, "date_in_words", lambda text, language: None)
            async with going_on(server, tmp_path / "run") as under_way:
                paper.articles["later"] = Article("It has a date of its own.", under_way.now())
                await under_way.until(lambda: under_way.told() == ["later"])

    asyncio.run(main())
    page = RunView(tmp_path / "run").page(FRONT + "words")
    assert page is not None and page.published == NOON - HOUR


def test_looks_that_bring_nothing_new_cost_little(tmp_path: Path) -> None:
    """A page that is as it was is not sent again (304), and no copy of it is kept."""
    paper = Paper()
    paper.articles = {"one": Article("Only one.", NOON - MINUTE)}

    async def main() -> None:
        async with watching(paper, tmp_path / "run") as under_way:
            await under_way.until(lambda: under_way.told())
            await under_way.looks(5)
            statuses = [one.status for one in under_way.server.log if one.path == "/"]
            assert statuses[:2] == [200, 200] and set(statuses[2:]) == {304}, (
                "Its head is read for feeds, and then the page."
            )

    asyncio.run(main())
    view = RunView(tmp_path / "run")
    assert len(view.rows("SELECT seq FROM pages")) == 2


def test_a_session_that_is_over_leaves_nothing_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One ends whenever the log is folded, day by day for months."""
    crawls = list[weakref.ref[Hunt]]()

    class Noted(Hunt):
        def __init__(self, *given: Any, **more: Any) -> None:
            super().__init__(*given, **more)
            crawls.append(weakref.ref(self))

    monkeypatch.setattr(watching_module, "Hunt", Noted)
    paper = Paper()
    paper.articles = {"first": Article("It was first.", NOON - MINUTE)}

    async def main() -> None:
        async with watching(paper, tmp_path / "run", fold=0.2) as under_way:
            await under_way.until(lambda: len(crawls) >= 4)

    asyncio.run(main())
    assert len([crawl for crawl in crawls[:-1] if crawl() is not None]) == 0


def test_a_page_without_a_date_was_published_when_its_feed_says(tmp_path: Path) -> None:
    paper = Paper()
    paper.articles = {name: Article("It says no date.") for name in ("fed", "stale", "unsaid")}
    paper.hidden, paper.feed = {*paper.articles}, [*paper.articles]
    paper.feed_dates = {"fed": NOON - HOUR, "stale": NOON - 60 * HOUR}

    async def main() -> None:
        async with watching(paper, tmp_path / "run") as under_way:
            await under_way.until(lambda: under_way.told() == ["fed"])
            await under_way.looks(2, "/feed.xml")
            assert under_way.told() == ["fed"]
            assert under_way.reports[0].data["dated_by"] == "feed"
            assert under_way.reports[0].data["published"] == utc(NOON - HOUR)

    asyncio.run(main())
    told = {name: why(tmp_path / "run", FRONT + name) for name in ("stale", "unsaid")}
    assert {name: reason["state"] for name, reason in told.items() if reason} == {"stale": "old", "unsaid": "undated"}


def test_feeds_and_sitemaps_that_a_site_names_are_watched_too(tmp_path: Path) -> None:
    """They are found by themselves: what only they have is told, and what has not changed is not sent again."""
    paper = Paper()
    paper.articles = {"first": Article("It was first.", NOON - MINUTE), "fed": Article("In the feed.", NOON - MINUTE)}
    paper.hidden, paper.feed, paper.newsmap = {"fed", "mapped"}, ["fed"], ["first"]

    async def main() -> None:
        async with watching(paper, tmp_path / "run") as under_way:
            await under_way.until(lambda: set(under_way.told()) == {"first", "fed"})
            await under_way.looks(3, "/feed.xml")
            paper.articles["mapped"] = Article("In the sitemap alone.", under_way.now())
            paper.newsmap.append("mapped")
            await under_way.until(lambda: "mapped" in under_way.told())
            by = {report.url.removeprefix(FRONT): report.data["source"] for report in under_way.reports}
            assert by["fed"] == f"feed:{FRONT}feed.xml" and by["mapped"] == f"sitemap:{FRONT}news-map.xml"
            statuses = [one.status for one in under_way.server.log if one.path == "/feed.xml"]
            assert statuses[0] == 200 and set(statuses[1:]) == {304}
            assert not [one for one in under_way.server.log if one.path == "/all.xml"]

    asyncio.run(main())
    assert_resumes(paper, tmp_path / "run")
    assert not examine(tmp_path / "run")
    found = explain(tmp_path / "run", f"feed:{FRONT}feed.xml")
    assert found["state"] == "answered" and found["visits"] and "list of what is new" in found["watch"]["sentence"]
    assert "allowed" in found["robots"] and found["host"]["name"] == "paper.test" and list(explained(found))
    found = explain(tmp_path / "run", f"{FRONT}feed.xml")
    assert f"Ask for feed:{FRONT}feed.xml" in found["watch"]["sentence"]


def assert_resumes(paper: Paper, folder: Path) -> None:
    """What feeds brought is in the journal: the run goes on."""

    async def main() -> None:
        async with watching(paper, folder) as under_way:
            await under_way.looks()
            assert not under_way.told()

    asyncio.run(main())


def test_alarms_when_a_list_shows_nothing_any_more(tmp_path: Path) -> None:
    paper = Paper()
    paper.articles = {f"story-{number}": Article(f"Story {number}.", NOON - MINUTE) for number in range(12)}

    async def main() -> None:
        async with watching(paper, tmp_path / "run") as under_way:
            await under_way.until(lambda: len(under_way.told()) == 12)
            await under_way.looks()
            paper.front = "<title>front</title><p>Our new site needs JavaScript, and shows you nothing at all.</p>"
            await under_way.until(lambda: under_way.told("alert"))
            await under_way.looks(5)
            assert under_way.told("alert") == [""]
            assert "redesigned" in under_way.reports[-1].data["sentence"]

    asyncio.run(main())
    assert lines(tmp_path / "run")[-1]["alarm"] == "list"


def test_an_alarm_when_a_site_that_had_news_has_none_for_a_day(tmp_path: Path) -> None:
    """It is told once, and again only after there was news in between."""
    paper = Paper()
    paper.articles = {f"story-{number}": Article(f"Story {number}.", NOON - number * MINUTE) for number in range(6)}
    from dataclasses import replace

    async def main() -> None:
        manner = replace(FAST, speed=60_000.0)
        given = {"window": 10_000.0, "set": ["rest=1200"], "delay": 60.0}
        async with watching(paper, tmp_path / "run", manner, **given) as under_way:
            await under_way.until(lambda: under_way.told("alert"))
            assert len(under_way.told()) == 6
            alarm = under_way.reports[-1]
            assert alarm.at >= NOON + 24 * HOUR and alarm.data["alarm"] == "silent"
            assert alarm.data["sentence"].startswith("paper.test had 6 news, but published none in the last ")
            await under_way.looks(30)
            assert len(under_way.told("alert")) == 1
            paper.articles["again"] = Article("It has news again.", under_way.now())
            await under_way.until(lambda: len(under_way.told("alert")) == 2)
            assert under_way.told()[-1] == "again"
            assert (
                under_way.reports[-1]
                .data["sentence"]
                .startswith("paper.test had 7 news, but published none in the last ")
            )

    asyncio.run(main())
    assert [line["kind"] for line in lines(tmp_path / "run")] == ["new"] * 6 + ["alert", "new", "alert"]


def test_the_log_is_folded_while_the_watch_goes_on_and_nothing_is_lost(tmp_path: Path) -> None:
    paper = Paper()
    paper.articles = {"first": Article("It was first.", NOON - MINUTE)}
    from dataclasses import replace

    async def main() -> int:
        manner = replace(FAST, speed=60_000.0)
        given = {"fold": 24.0, "set": ["rest=600"], "delay": 60.0}
        async with watching(paper, tmp_path / "run", manner, **given) as under_way:
            await under_way.until(lambda: sum("folded" in remark for remark in under_way.remarks) >= 2)
            paper.articles["later"] = Article("It came later.", under_way.now())
            await under_way.until(lambda: "later" in under_way.told())
            await under_way.looks(30)
            return len([one for one in under_way.server.log if one.path == "/"])

    looks = asyncio.run(main())
    view = RunView(tmp_path / "run")
    (kept,) = view.rows("SELECT COUNT(*) FROM landings WHERE url = ?", FRONT)[0]
    assert kept < looks and view.summary().downloads >= looks - 1
    assert examine(tmp_path / "run") == []
    with opened(tmp_path / "run") as book:
        assert book.counts() == {"new": 2}
