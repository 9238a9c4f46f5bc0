"""Asked again, a server may say that our copy still holds; whatever dates and tags it gives, they are harmless."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.live.hunting import Told, assert_whole, beside, go_on, hunt

import faults
from faults import Call, Faulty, document
from wolfspider.core.model import Page
from wolfspider.store.view import RunView

STRATEGY = str(Path(__file__).with_name("revisiting.py"))


async def revisited(server: Faulty, folder: Path, *urls: str) -> Told:
    """By a judge that goes by the words of a page alone, so that the same page gets the same verdict."""
    return await hunt(server.port, *urls, pages=20, strategy=STRATEGY, judge="coverage", out=folder)


def test_a_304_lands_as_the_page_that_is_held_and_costs_a_download(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> Told:
        told = await revisited(server, tmp_path / "run", "http://a.test/etag")
        first, second = [asked for asked in server.log if asked.path == "/etag"]
        assert first.header("if-none-match") is None
        assert second.header("if-none-match") == '"one"' and second.header("if-modified-since")
        return told

    told = beside(talk)
    first, second = (event.outcome for event in told.landed)
    assert isinstance(first.result, Page) and isinstance(second.result, Page)
    assert (second.result.title, second.result.words) == ("Kept", first.result.words)
    assert second.verdict == first.verdict
    assert not second.cached and second.downloads == 1 and told.downloads == 2
    assert_whole(tmp_path / "run")


def test_a_run_with_304s_goes_on_after_its_snapshots_are_gone(tmp_path: Path) -> None:
    """All of it is played again from the log: the copy that a 304 stands for is found there too."""
    folder = tmp_path / "run"

    async def talk(server: Faulty) -> None:
        await revisited(server, folder, "http://a.test/etag", "http://b.test/ok")
        for path in (folder / "snapshots").iterdir():
            path.unlink()
        server.log.clear()
        told = await go_on(folder)
        assert told.reason == "done" and server.log == [] and told.downloads == 4

    beside(talk)
    assert_whole(folder)


ABSURD = {
    "first day": [("Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT")],
    "last year": [("Last-Modified", "Fri, 31 Dec 9999 23:59:59 GMT"), ("Date", "yesterday")],
    "before time": [("Last-Modified", "Mon, 01 Jan 0001 00:00:00 GMT"), ("ETag", "W/")],
    "no date": [("Last-Modified", "half past nine"), ("ETag", "\x1b[2J")],
    "long tag": [("ETag", '"' + "x" * 15_000 + '"')],
}


@pytest.mark.parametrize("name", ABSURD)
def test_absurd_dates_and_tags_are_clamped_and_a_revisit_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    async def answer(call: Call) -> None:
        await call.answer(document(f"Absurd {call.times}"), headers=ABSURD[name])

    async def talk(server: Faulty) -> Told:
        told = await revisited(server, tmp_path / "run", "http://a.test/absurd")
        heads = [asked.head for asked in server.log if asked.path == "/absurd"]
        assert len(heads) == 2 and max(map(len, heads)) < 4000
        return told

    monkeypatch.setitem(faults.BEHAVIOURS, "absurd", answer)
    told = beside(talk)
    assert [event.outcome.page.title for event in told.landed if event.outcome.page] == ["Absurd 1", "Absurd 2"]
    (row,) = RunView(tmp_path / "run").pages()
    assert row.title == "Absurd 2"
    for stored_time in (row.modified, row.published):
        assert stored_time is None or 0 < stored_time <= time.time() + 2 * 86_400
    assert_whole(tmp_path / "run")


def test_an_etag_of_a_hundred_kilobytes_is_a_named_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(call: Call) -> None:
        await call.answer(document("Tagged"), headers=[("ETag", '"' + "x" * 100_000 + '"')])

    async def talk(server: Faulty) -> Told:
        return await revisited(server, tmp_path / "run", "http://a.test/tagged", "http://b.test/ok")

    monkeypatch.setitem(faults.BEHAVIOURS, "tagged", answer)
    told = beside(talk)
    assert told.failures == {"http://a.test/tagged": "size"} and "http://b.test/ok" in told.pages


def test_a_304_that_nobody_asked_for_is_a_failure(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> Told:
        return await revisited(server, tmp_path / "run", "http://a.test/status/304")

    assert set(beside(talk).failures.values()) == {"status"}
