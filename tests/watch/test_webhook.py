"""Reports handed to a service: signed, once each, retried until it takes them, and what may come twice says so."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.watch.papers import NOON, Article, Paper, watching

from wolfspider.core.errors import Problem
from wolfspider.watch.book import Book, Report
from wolfspider.watch.webhook import FIRST_REST, LONGEST_REST, PATIENCE, REFUSALS, Hook, Outbox, body_of

AGENT = "wolfspider/test"


class Received(NamedTuple):
    headers: dict[str, str]
    body: bytes

    @property
    def key(self) -> str:
        return self.headers["idempotency-key"]


class Service:
    """Says what it is told to say, and keeps what it was sent."""

    def __init__(self) -> None:
        self.status, self.received, self.port = 200, list[Received](), 0

    async def hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        assert head.startswith("POST /hook ")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head.splitlines()[1:])}
        self.received.append(Received(headers, await reader.readexactly(int(headers["content-length"]))))
        if self.status:
            writer.write(f"HTTP/1.1 {self.status} Said\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode())
        writer.close()


@asynccontextmanager
async def service() -> AsyncIterator[Service]:
    here = Service()
    server = await asyncio.start_server(here.hear, "127.0.0.1", 0)
    here.port = server.sockets[0].getsockname()[1]
    async with server:
        yield here


class Time:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


def booked(folder: Path, count: int) -> Book:
    book = Book(folder)
    book.sends = True
    with book.writing():
        for number in range(count):
            book.report(Report.named("new", NOON, f"http://paper.test/{number}", {"title": f"Story {number}"}))
    return book


def test_reports_are_handed_over_in_order_signed_and_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with service() as there:
            book = booked(tmp_path, 3)
            outbox = Outbox(book, Hook.read(f"http://127.0.0.1:{there.port}/hook", "key"), AGENT, Time())
            assert await outbox.send() == [] and await outbox.send() == []
            await outbox.close()
            book.close()
            assert [json.loads(one.body)["url"][-1] for one in there.received] == ["0", "1", "2"]
            assert len({one.key for one in there.received}) == 3
            for one in there.received:
                signed = one.headers["x-wolfspider-timestamp"].encode() + b"." + one.body
                expected = "sha256=" + hmac.new(b"key", signed, hashlib.sha256).hexdigest()
                assert one.headers["x-wolfspider-signature"] == expected
                assert one.headers["x-wolfspider-attempt"] == "1"

    asyncio.run(main())


@pytest.mark.parametrize("status", [500, 302, 404, 0])
def test_a_service_in_trouble_is_tried_again_for_days_and_then_told(tmp_path: Path, status: int) -> None:
    async def main() -> None:
        async with service() as there:
            there.status = status
            book, time = booked(tmp_path, 2), Time()
            outbox = Outbox(book, Hook.read(f"http://127.0.0.1:{there.port}/hook"), AGENT, time)
            remarks = await outbox.send()
            assert len(remarks) == 1 and "2 wait" in remarks[0]
            assert await outbox.send() == [] and len(there.received) == 1, "It rests first."
            rests = []
            while time.now - NOON < 2 * 86_400:
                (due,) = book.rows("SELECT MIN(next) FROM outbox")[0]
                rests.append(due - time.now)
                time.now = due
                await outbox.send()
            assert rests[:3] == [FIRST_REST, 2 * FIRST_REST, 4 * FIRST_REST] and max(rests) == LONGEST_REST
            there.status = 204
            time.now += LONGEST_REST
            assert await outbox.send() == []
            assert [one.key for one in there.received[-2:]] == [report.id for report in book.reports()]
            attempts = [int(one.headers["x-wolfspider-attempt"]) for one in there.received[:-1]]
            assert attempts == list(range(1, len(attempts) + 1)), "What may have come before says so."
            assert book.rows("SELECT * FROM outbox") == []
            await outbox.close()
            book.close()

    asyncio.run(main())


def test_a_report_that_is_refused_holds_up_no_other_and_is_given_up_soon(tmp_path: Path) -> None:
    async def main() -> None:
        async with service() as there:
            there.status = 413
            book, time = booked(tmp_path, 2), Time()
            outbox = Outbox(book, Hook.read(f"http://127.0.0.1:{there.port}/hook"), AGENT, time)
            told = []
            for _ in range(REFUSALS):
                told = await outbox.send()
                time.now += LONGEST_REST
            assert len(there.received) == 2 * REFUSALS and len(told) == 2
            assert all("was refused 3 times (status 413) and is given up" in remark for remark in told)
            assert await outbox.send() == []
            await outbox.close()
            book.close()

    asyncio.run(main())


def test_what_is_given_up_is_told_and_tried_once_more_when_the_watch_starts_again(tmp_path: Path) -> None:
    async def main() -> None:
        async with service() as there:
            there.status = 500
            book, time = booked(tmp_path, 1), Time()
            hook = Hook.read(f"http://127.0.0.1:{there.port}/hook")
            outbox = Outbox(book, hook, AGENT, time)
            await outbox.send()
            time.now += PATIENCE + 1
            assert "given up" in (await outbox.send())[0]
            time.now += LONGEST_REST
            assert await outbox.send() == []
            await outbox.close()
            there.status = 200
            outbox = Outbox(book, hook, AGENT, time)
            assert await outbox.send() == [] and len(there.received) == 3
            assert book.rows("SELECT * FROM outbox") == []
            await outbox.close()
            book.close()

    asyncio.run(main())


def test_reports_that_wait_for_a_dead_service_are_given_up_together_and_new_ones_wait_their_turn(
    tmp_path: Path,
) -> None:
    """Not each after a week of its own."""

    async def main() -> None:
        async with service() as there:
            there.status = 500
            book, time = booked(tmp_path, 5), Time()
            outbox = Outbox(book, Hook.read(f"http://127.0.0.1:{there.port}/hook"), AGENT, time)
            await outbox.send()
            with book.writing():
                book.report(Report.named("new", NOON, "http://paper.test/later", {"title": "Later"}))
            assert await outbox.send() == [] and len(there.received) == 1, "It is behind one that rests."
            time.now += PATIENCE + 1
            told = await outbox.send()
            assert (
                len(told) == 1 and "5 reports, 1 to 5, for the webhook could not be handed over for a week" in told[0]
            )
            there.status = 200
            time.now += LONGEST_REST
            assert await outbox.send() == []
            assert [json.loads(one.body)["url"][-5:] for one in there.received[2:]] == ["later"]
            await outbox.close()
            book.close()

    asyncio.run(main())


def test_a_death_between_sending_and_noting_it_is_seen_in_the_next_attempt(tmp_path: Path) -> None:
    """The book says that it was tried before it is sent: as if the process had died there."""

    async def main() -> None:
        async with service() as there:
            book = booked(tmp_path, 1)
            with book.writing():
                book.execute("UPDATE outbox SET tries = 1")
            outbox = Outbox(book, Hook.read(f"http://127.0.0.1:{there.port}/hook"), AGENT, Time())
            await outbox.send()
            assert there.received[0].headers["x-wolfspider-attempt"] == "2"
            await outbox.close()
            book.close()

    asyncio.run(main())


def test_a_watch_hands_its_reports_to_the_service(tmp_path: Path) -> None:
    paper = Paper()
    paper.articles = {"first": Article("It was first.", NOON - 60.0)}

    async def main() -> None:
        async with service() as there:
            hook = Hook.read(f"http://127.0.0.1:{there.port}/hook", form="slack")
            async with watching(paper, tmp_path / "run", hook=hook) as under_way:
                await under_way.until(lambda: there.received)
            assert json.loads(there.received[0].body) == {"text": "<http://paper.test/first|first>"}

    asyncio.run(main())
    assert b"/hook" not in b"".join(path.read_bytes() for path in (tmp_path / "run").iterdir() if path.is_file())


def test_titles_cannot_break_out_of_what_slack_is_sent() -> None:
    report = Report.named("new", NOON, "http://paper.test/", {"title": "a>b|c<d\n<!channel>"})
    assert json.loads(body_of(report, "slack"))["text"] == "<http://paper.test/|a b c d  !channel >"
    forged = Report.named("new", NOON, "http://paper.test/?a=1&b=|Bank>x<http://evil.test/", {"title": "R&D &lt;"})
    said = json.loads(body_of(forged, "slack"))["text"]
    assert said == "<http://paper.test/?a=1&amp;b=%7CBank%3Ex%3Chttp://evil.test/|R&amp;D &amp;lt;>"
    with pytest.raises(Problem, match="json or slack"):
        Hook.read("http://127.0.0.1/", form="xml")
