"""An answer is the same however its bytes are cut into reads, and nothing behind it becomes the next one."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.web.loopback import Handler, Loopback, http, request, serving

from everything import KINDS
from faults import faults
from wolfspider.core.model import Failure
from wolfspider.web.http.client import Answer, Caps, Client
from wolfspider.web.http.guard import Guard
from wolfspider.web.http.one_answer import OneAnswer

T = TypeVar("T")
PAGE = b"<html><title>ok</title><body>wolf spiders hunt at night, f\xc3\xbcnf\n\n\xc3\xa4\r\n\r\n</body></html>"
CAPS = Caps(raw=2_000_000, body=1_000_000, deadline=30, connect=10, patience=20)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
FORGED = http(b"forged")
SURPLUS = {
    "a few bytes": PAGE[-4:],
    "a line end": b"\r\n",
    "line ends": b"\n" * 1000,
    "another answer": FORGED,
    "the beginning of another answer": FORGED[:20],
    "a head": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
    "lines of a head": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
    "an early answer": b"HTTP/1.1 103 Early Hints\r\n\r\n",
    "a request": b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
}
CHUNKS = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (PAGE[:9], PAGE[9:10], PAGE[10:])) + b"0\r\n"
WHOLE = {
    "length": http(PAGE),
    "chunks": CHUNKED + CHUNKS + b"\r\n",
    "trailers": CHUNKED + CHUNKS + b"X-Trailer: 1\r\n\r\n",
    "after early hints": b"HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Go on\r\n\r\n" + http(PAGE),
    "no CR": http(PAGE).replace(b"\r\n", b"\n", 4),
    "line ends first": b"\r\n\r\n" + http(PAGE),
    "no body": HEAD + b"Content-Length: 0\r\n\r\n",
    "not modified": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\n\r\n",
    "packed": http(gzip.compress(PAGE), Content_Encoding="gzip"),
}


def client(port: int | None = None) -> Client:
    via = None if port is None else ("127.0.0.1", port)
    return Client(Guard(allow_private=port is None, via=via), "test", CAPS)


def shown(result: Answer | Failure) -> Any:
    """What a crawl can see of an answer."""
    if isinstance(result, Failure):
        return result
    return result.status, result.headers, result.body, result.capture.body, result.capture.cut, result.cut


@contextmanager
def reads(sizes: Sequence[int]) -> Iterator[None]:
    """As long as this lasts, the bytes that come are read in pieces of these sizes, which are then repeated."""
    whole = OneAnswer.data_received

    def in_pieces(self: OneAnswer, data: bytes) -> None:
        start = step = 0
        while start < len(data) and self.transport is not None and not self.transport.is_closing():
            end = start + sizes[step % len(sizes)]
            whole(self, data[start:end])
            start, step = end, step + 1
        if not data:
            whole(self, data)

    OneAnswer.data_received = in_pieces  # type: ignore[method-assign]
    try:
        yield
    finally:
        OneAnswer.data_received = whole  # type: ignore[method-assign]


async def got(server: Loopback, asking: Client, name: str, times: int = 2) -> list[Any]:
    return [shown(await asking.get(server.url(f"/{name}"))) for _ in range(times)]


def sending(answers: Mapping[str, Sequence[bytes]]) -> Handler:
    """Each address is answered in its pieces, and the connection stays open."""

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await request(reader, writer)
            for piece in answers[head.split()[1].decode().strip("/")]:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0)

    return handler


def story(test: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(test, 60))


def body(result: Any) -> Any:
    return result[2:] if isinstance(result, tuple) else result


@pytest.mark.parametrize("whole", WHOLE.values(), ids=WHOLE)
def test_bytes_behind_an_answer_change_nothing_however_they_come(whole: bytes) -> None:
    answers = {"whole": [whole]}
    for number, surplus in enumerate(SURPLUS.values()):
        answers[f"{number}-in-one"] = [whole + surplus]
        answers[f"{number}-head-first"] = [whole[: len(WHOLE["no body"])], whole[len(WHOLE["no body"]) :] + surplus]
        answers[f"{number}-end-alone"] = [whole[:-1], whole[-1:] + surplus]
        answers[f"{number}-a-byte-of-it"] = [whole + surplus[:1], surplus[1:]]

    async def test() -> None:
        async with Loopback(sending(answers)) as server, client() as asking:
            expected = await got(server, asking, "whole")
            assert expected[0] == expected[1] and isinstance(expected[0], tuple)
            for name in answers:
                assert await got(server, asking, name) == expected, name
            for number, size in product(range(len(SURPLUS)), (1, 2, 7)):
                with reads([size]):
                    assert await got(server, asking, f"{number}-in-one") == expected, (number, size)

    story(test())


@pytest.mark.parametrize("surplus", SURPLUS.values(), ids=SURPLUS)
@pytest.mark.parametrize("whole", ["length", "chunks", "no body"])
def test_bytes_behind_an_answer_that_come_later_end_an_idle_connection(whole: str, surplus: bytes) -> None:
    async def test() -> None:
        landed, ended = asyncio.Event(), asyncio.Event()

        async def later(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await request(reader, writer)
            writer.write(WHOLE[whole])
            await landed.wait()
            writer.write(surplus)
            assert await reader.read() == b""
            ended.set()

        async with Loopback(later) as server, client() as asking:
            first = shown(await asking.get(server.url()))
            landed.set()
            await ended.wait()
            assert shown(await asking.get(server.url())) == first and server.accepted == 2

    story(test())


def test_a_length_a_little_too_short_cuts_there_and_is_nobodys_trouble() -> None:
    short = http(PAGE, Content_Length=str(len(PAGE) - 4))

    async def test() -> None:
        async with Loopback(sending({"short": [short]})) as server, client() as asking:
            for sizes in ([10_000], [1], [len(short) - 4, 4], [len(short) - 5, 5], [len(short) - 3, 3]):
                with reads(sizes):
                    found = await got(server, asking, "short")
                assert list(map(body, found)) == [(PAGE[:-4], PAGE[:-4], "", False)] * 2

    story(test())


def test_bytes_behind_an_answer_that_come_with_the_next_one_cost_another_try() -> None:
    """They come once the next request is sent: nobody can tell them from its answer but by what they are."""
    seen: list[bytes] = []

    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind = b""
        while True:
            seen.append((await request(reader, writer)).split()[1])
            writer.write(behind + http(PAGE[:-4]))
            await writer.drain()
            behind = PAGE[-4:]

    async def test() -> list[Any]:
        async with Loopback(late) as server, client() as asking:
            return [shown(await asking.get(server.url(f"/{n}"))) for n in range(2)]

    assert list(map(body, story(test()))) == [(PAGE[:-4], PAGE[:-4], "", False)] * 2
    assert seen == [b"/0", b"/1", b"/1"]


def test_an_honest_answer_leaves_the_connection_open_however_it_is_cut() -> None:
    async def test(sizes: list[int]) -> None:
        answers = iter([*WHOLE.values()])
        handler = serving(lambda head: next(answers))
        async with Loopback(handler) as server, client() as asking:
            with reads(sizes):
                for n in range(len(WHOLE)):
                    assert isinstance(await asking.get(server.url(f"/{n}")), Answer)
            assert server.accepted == 1

    for sizes in ([1 << 20], [1], [2], [3, 1], [50, 1, 1, 1]):
        story(test(sizes))


BROKEN = {
    "chunk size": CHUNKED + b"5\r\nhello\r\nxyz\r\nmore",
    "negative chunk": CHUNKED + b"5\r\nhello\r\n-5\r\nmore",
    "chunk without an end": CHUNKED + b"5\r\nhello world",
    "cut chunk": CHUNKED + b"FFFF\r\nhello",
    "cut": HEAD + b"Content-Length: 500\r\n\r\nhello",
    "cut in the head": HEAD + b"Content-Le",
    "first chunk size": CHUNKED + b"xyz\r\nmore",
    "nothing": CHUNKED,
    "two lengths": HEAD + b"Content-Length: 3\r\nContent-Length: 5\r\n\r\nhello",
    "both": HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "no head": b"<html><title>Old</title>\r\n\r\n",
    "long": HEAD + b"X-Long: " + b"x" * 20_000 + b"\r\n\r\nhello",
    "many": HEAD + b"X: 1\r\n" * 1000 + b"\r\nhello",
    "until the end": HEAD + b"\r\nhello",
    "gzip": HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(PAGE)[:-3],
}


@pytest.mark.parametrize("sent", BROKEN.values(), ids=BROKEN)
@settings(max_examples=8)
@given(sizes=st.lists(st.integers(1, 400), min_size=1, max_size=5))
def test_a_broken_answer_is_broken_in_the_same_way_however_it_is_cut(sent: bytes, sizes: list[int]) -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader, writer)
        writer.write(sent)

    async def test() -> Any:
        async with Loopback(handler) as server, client() as asking:
            return shown(await asking.get(server.url()))

    expected = story(test())
    with reads(sizes):
        assert story(test()) == expected
    if b"hello" in sent and not isinstance(expected, Failure):
        assert expected[2].startswith(b"hello")


NEVER_ENDING = {"silent", "late-end"}  # what comes of these is a matter of time alone


def test_every_kind_of_page_is_the_same_however_its_bytes_come() -> None:
    names = [name for name in KINDS if name not in NEVER_ENDING]

    async def test(together: bool) -> dict[str, Any]:
        async with faults() as server, client(server.port) as asking:
            server.together = together
            return {name: shown(await asking.get(f"http://a.test/page/{name}")) for name in names}

    expected = story(test(together=False))
    assert story(test(together=True)) == expected
    for sizes in ([1, 997], [3, 1, 64, 5000]):
        with reads(sizes):
            assert story(test(together=False)) == expected
            assert story(test(together=True)) == expected
