"""Pages parsed elsewhere are the same pages, and what ends a parser does not end the crawl."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from wolfspider.core import text
from wolfspider.core.errors import Problem
from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.web.page import parser_processes
from wolfspider.web.page.html import parse
from wolfspider.web.page.parser_processes import Parsers

URL = "http://example.org/dir/page.html"
HTML = """<html lang=en><title>A title</title><meta name=robots content=nofollow><p>Some words, größer 日本語
<a href=/x rel=nofollow>link</a> and <a href="y?b=1&a=2" class=c>two
lines</a> one two three four five six seven eight nine ten</p>"""


def fetch(body: str | bytes = HTML, content_type: str = "text/html; charset=utf-8", **more: Any) -> Fetch:
    data = body.encode() if isinstance(body, str) else body
    headers = {"content-type": content_type, "last-modified": "Mon, 29 Oct 2018 12:00:00 GMT", "server": "x"}
    return Fetch("http://example.org/asked", URL, more.pop("status", 200), headers, data, at=1.6e9, **more)


def with_parsers(work: Callable[[Parsers], Coroutine[Any, Any, Any]], **limits: Any) -> Any:
    async def run() -> Any:
        some = Parsers(**limits)
        try:
            return await work(some)
        finally:
            await some.close()

    return asyncio.run(asyncio.wait_for(run(), 120))


def read_all(fetches: Sequence[Fetch], **limits: Any) -> list[Page | Failure]:
    async def work(some: Parsers) -> list[Page | Failure]:
        return list(await asyncio.gather(*map(some.read, fetches)))

    found: list[Page | Failure] = with_parsers(work, **limits)
    return found


FETCHES = [
    fetch(),
    fetch(cut=True),
    fetch("plain words", "text/plain"),
    fetch("a{}", "text/css"),
    fetch("<div id=root></div><script src=/app.js></script>"),
    fetch("<p>" + "many words " * 60_000),
    fetch("".join(f"<a href=/{n}>{n}</a>" for n in range(3_000))),
    fetch(status=404),
    fetch(b""),
    Fetch(URL, URL, failure=Failure("timeout", "30 s")),
    Fetch(URL, URL, page=Page(URL, URL, title="there already")),
]


def test_pages_come_back_as_if_parsed_at_home() -> None:
    assert read_all(FETCHES, count=2) == [parse(each) for each in FETCHES]


def test_words_come_back_counted() -> None:
    (found,) = read_all([fetch()])
    assert isinstance(found, Page)
    assert found.counts_ is not None
    assert list(found.counts_.items()) == list(text.counted(found.words).items())


HANGS = fetch("<p>" + "a" * 3_000_000 + "<a x=" * 10_000)


def test_what_takes_too_long_is_given_up_and_the_next_page_is_read() -> None:
    slow, good = read_all([HANGS, fetch()], seconds=0.05)[0], read_all([fetch()])[0]
    assert slow == Failure("trap", "could not be read within 0.05 s")
    assert good == parse(fetch())


def test_pages_behind_one_that_hangs_are_read_by_the_next_parser() -> None:
    async def work(some: Parsers) -> list[Page | Failure]:
        await some.read(fetch())
        process = some._all[0]._process
        assert process is not None
        process.send_signal(signal.SIGSTOP)
        return list(await asyncio.gather(*map(some.read, [fetch(), *FETCHES])))

    first, *others = with_parsers(work, seconds=2.0)
    assert first == Failure("trap", "could not be read within 2 s")
    assert others == [parse(each) for each in FETCHES]


def test_who_waits_when_parsers_are_ended_gets_a_failure() -> None:
    async def work(some: Parsers) -> list[Page | Failure]:
        await some.read(fetch())
        waiting = [asyncio.create_task(some.read(HANGS)) for _ in range(20)]
        await asyncio.sleep(0.02)
        await some.close()
        return await asyncio.gather(*waiting)

    assert {found.kind for found in with_parsers(work) if isinstance(found, Failure)} == {"trap"}


def test_a_parser_that_dies_is_replaced() -> None:
    async def work(some: Parsers) -> list[Page | Failure]:
        before = await some.read(fetch())
        process = some._all[0]._process
        assert process is not None
        process.kill()
        await process.wait()
        return [before, await some.read(fetch()), await some.read(fetch())]

    first, second, third = with_parsers(work)
    assert isinstance(second, Failure) and second.kind == "trap"
    assert first == third == parse(fetch())


def test_a_parser_that_grows_is_given_up() -> None:
    (found,) = read_all([fetch("<p>" + "word<b>s</b> " * 19_000 + "x " * 4_900_000)], memory=64 << 20)
    assert isinstance(found, Failure) and found.kind == "trap"


def test_what_was_cancelled_is_not_read_as_the_next_page() -> None:
    async def work(some: Parsers) -> Page | Failure:
        await some.read(fetch())
        waiting = asyncio.create_task(some.read(HANGS))
        await asyncio.sleep(0.02)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return await some.read(fetch())

    assert with_parsers(work) == parse(fetch())


def test_a_parser_that_cannot_start_says_how_to_see_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(Problem, match="did not start: try `/bin/false"):
        read_all([fetch()])


def test_every_header_that_parsing_looks_at_is_sent() -> None:
    source = Path(parser_processes.__file__).with_name("html.py").read_text()
    looked_at = {part.split('"')[0] for part in source.split('headers.get("')[1:]}
    assert looked_at == set(parser_processes._WANTED)
