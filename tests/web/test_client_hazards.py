"""Servers that misbehave on purpose, by the name of what they do. None of them keeps a slot, memory or a socket."""

from __future__ import annotations

import asyncio
import gc
import gzip
import os
import random
import socket
import threading
import time
import tracemalloc
import zlib
from collections.abc import Awaitable, Callable, Sequence

import brotli
import pytest
from tests.web.loopback import Handler, Loopback, answering, dripping, http, request, serving
from tests.web.test_inflate import zeros

from wolfspider.core.model import Failure
from wolfspider.web.http.client import Answer, Caps, Client
from wolfspider.web.http.guard import Guard
from wolfspider.web.http.inflate import inflated

PAGE = b"<p>a page</p>" * 1000
SHORT = Caps(raw=200_000, body=100_000, deadline=1.0, connect=1.0, patience=0.3, slowest=1000.0)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def asked(handler: Handler, caps: Caps = SHORT, **options: float) -> Answer | Failure:
    """What the client makes of this server; it must be done long before the test's own limit."""
    results: list[Answer | Failure] = []  # a result of `asyncio.run` would be spelled out by it, many times its size

    async def test() -> None:
        async with Loopback(handler) as server, Client(Guard(allow_private=True), "test", caps) as client:
            results.append(await client.get(server.url(), **options))  # type: ignore[arg-type]

    asyncio.run(asyncio.wait_for(test(), 20))
    return results[0]


def kind(result: Answer | Failure) -> str:
    return result.kind if isinstance(result, Failure) else f"{result.status} {result.capture.cut}".strip()


def test_slow_loris_headers_are_given_up_at_the_deadline() -> None:
    assert kind(asked(dripping(b"HTTP/1.1 200 OK\r\n", b"X-Drip: 1\r\n", 0.05))) == "timeout"
    assert kind(asked(dripping(b"", b"H", 0.05))) in ("timeout", "connect")


def test_a_server_that_never_answers_is_given_up_at_the_deadline() -> None:
    assert asked(answering(b"", close=False)) == Failure("timeout", "no answer within 1 s")
    assert asked(answering(b"", close=False), deadline=0.2) == Failure("timeout", "no answer within 0.2 s")


@pytest.mark.parametrize(
    "start", [HEAD + b"Content-Length: 1000000\r\n\r\n", HEAD + b"\r\n"], ids=["announced", "until it closes"]
)
def test_slow_loris_body_of_a_byte_at_a_time_is_slow(start: bytes) -> None:
    began = time.monotonic()
    assert asked(dripping(start, b"x", 0.02), Caps(deadline=15, patience=0.3)) == Failure(
        "slow", "less than 500 bytes a second"
    )
    assert time.monotonic() - began < 10


def test_slow_loris_chunks_are_slow() -> None:
    assert kind(asked(dripping(CHUNKED, b"1\r\nx\r\n", 0.02), Caps(deadline=15, patience=0.3))) == "slow"
    assert kind(asked(dripping(CHUNKED, b"", 0.02), Caps(deadline=15, patience=0.3))) == "slow"


def test_a_body_that_is_fast_at_first_and_then_stops_is_slow_or_late() -> None:
    first = http(b"x" * 5000, Content_Length="1000000")
    assert kind(asked(answering(first, close=False), Caps(deadline=15, patience=0.1, slowest=10_000))) == "slow"
    assert kind(asked(answering(first, close=False), Caps(deadline=0.5, patience=0.1))) == "200 time"


def test_a_body_slower_than_others_but_above_the_minimum_is_kept() -> None:
    async def steady(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader, writer)
        writer.write(http(b"", Content_Length="20000"))
        for _ in range(20):
            writer.write(b"x" * 1000)
            await asyncio.sleep(0.02)

    result = asked(steady, Caps(deadline=15, patience=0.05, slowest=100))
    assert isinstance(result, Answer) and len(result.body) == 20_000 and not result.cut


def test_never_ending_chunked_is_cut_by_time_and_what_came_is_kept() -> None:
    result = asked(dripping(CHUNKED, b"64\r\n" + b"x" * 100 + b"\r\n", 0.01), Caps(deadline=1.0, patience=60))
    assert isinstance(result, Answer) and result.capture.cut == "time" and result.cut
    assert set(result.body) == {ord("x")} and result.body == result.capture.body


@pytest.mark.parametrize(("length", "cut"), [(10, ""), (11, "time")])
def test_what_came_in_time_is_there_though_the_loop_was_held_up_beyond_the_deadline(length: int, cut: str) -> None:
    async def test() -> Answer | Failure:
        begun, held_up, sent = asyncio.Event(), threading.Event(), threading.Event()

        async def in_two(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await request(reader, writer)
            writer.write(http(b"hello", Content_Length=str(length)))
            await writer.drain()
            other = writer.get_extra_info("socket").dup()  # for the thread that goes on while the loop is held up
            begun.set()

            def rest() -> None:
                held_up.wait(20)
                other.send(b"world")
                other.close()
                sent.set()

            await asyncio.to_thread(rest)
            await asyncio.sleep(3600)

        async with Loopback(in_two) as server, Client(Guard(allow_private=True), "test", Caps(patience=60)) as client:
            asking = asyncio.create_task(client.get(server.url(), deadline=60))
            await begun.wait()
            for _ in range(20):  # so that the head and the first half have been read
                await asyncio.sleep(0.001)
            held_up.set()
            assert sent.wait(20)
            loop, real = asyncio.get_running_loop(), time.monotonic
            loop.time = lambda: real() + 100  # type: ignore[method-assign]
            return await asking

    result = asyncio.run(test())
    assert isinstance(result, Answer) and (result.body, result.capture.cut) == (b"helloworld", cut)


def test_an_infinite_body_is_cut_at_the_limit() -> None:
    for start in (HEAD + b"\r\n", HEAD + b"Content-Length: 99999999999999\r\n\r\n"):
        result = asked(dripping(start, bytes(10_000), 0))
        assert isinstance(result, Answer) and result.capture.cut == "length" and result.cut
        assert len(result.body) == SHORT.body and len(result.capture.body) <= SHORT.raw


def test_an_infinite_body_never_fills_memory() -> None:
    tracemalloc.start()
    try:
        asked(dripping(HEAD + b"\r\n", bytes(100_000), 0), Caps(raw=2_000_000, body=1_000_000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12_000_000


def test_a_huge_body_is_cut_at_the_limit_of_who_asks() -> None:
    result = asked(answering(http(PAGE)), most=500)
    assert isinstance(result, Answer) and result.body == PAGE[:500] and result.capture.cut == "length"
    result = asked(answering(http(PAGE)), most=len(PAGE))
    assert isinstance(result, Answer) and result.body == PAGE and not result.cut


def test_a_huge_compressed_body_is_cut_by_its_raw_bytes() -> None:
    noise = gzip.compress(random.Random(1).randbytes(100_000))
    result = asked(answering(http(noise, Content_Encoding="gzip")), Caps(raw=50_000))
    assert isinstance(result, Answer) and len(result.capture.body) == 50_000 and 0 < len(result.body) < 60_000
    assert result.capture.cut == "length" and result.cut


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        ("999999", "200 disconnect"),  # too long
        ("-5", "connect"),
        ("abc", "connect"),
        ("99999999999999999999999999", "connect"),
        ("10\r\nContent-Length: 20", "connect"),
    ],
)
def test_wrong_content_length_is_survived(length: str, expected: str) -> None:
    result = asked(answering(http(PAGE, Content_Length=length)))
    assert kind(result) == expected
    if isinstance(result, Answer):
        assert result.body == PAGE and result.cut


def test_wrong_content_length_that_is_too_short_never_becomes_the_next_answer() -> None:
    async def test() -> None:
        forged = http(b"forged")
        handler = serving(lambda head: http(b"right" + forged, Content_Length="5"))
        async with Loopback(handler) as server, Client(Guard(allow_private=True), "test", SHORT) as client:
            for n in range(5):
                result = await client.get(server.url(f"/{n}"))
                assert isinstance(result, Answer) and result.body == b"right"

    asyncio.run(asyncio.wait_for(test(), 20))


def test_an_early_disconnect_keeps_what_arrived() -> None:
    result = asked(answering(http(PAGE[:5000], Content_Length=str(len(PAGE)))))
    assert kind(result) == "200 disconnect"
    assert isinstance(result, Answer) and result.body == PAGE[:5000] and result.cut
    packed = gzip.compress(random.Random(1).randbytes(40_000))
    result = asked(answering(http(packed[:20_000], Content_Length=str(len(packed)), Content_Encoding="gzip")))
    assert isinstance(result, Answer) and result.cut and 10_000 < len(result.body) <= 20_000
    chunk = b"3e8\r\n" + b"x" * 1000 + b"\r\n"
    result = asked(answering(CHUNKED + chunk + b"3e8\r\nxx"))
    assert kind(result) == "200 disconnect"


@pytest.mark.parametrize(("place", "pieces"), [(700, 650), (70_100, 70_000), (-6, -9)])
def test_a_damaged_body_is_read_as_the_archive_reads_it_whatever_pieces_it_comes_in(place: int, pieces: int) -> None:
    packed = bytearray(gzip.compress(random.Random(1).randbytes(90_000)))
    packed[place] ^= 0xFF

    async def in_two(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader, writer)
        for piece in (HEAD + b"Content-Encoding: gzip\r\n\r\n" + packed[:pieces], packed[pieces:]):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.1)

    result = asked(in_two)
    assert isinstance(result, Answer) and result.capture.body == packed and result.cut
    assert inflated(bytes(packed), "gzip", 1 << 26) == (result.body, True)


def test_an_early_disconnect_without_a_byte_of_body_is_a_failure() -> None:
    assert kind(asked(answering(http(b"", Content_Length="500")))) == "connect"
    assert kind(asked(answering(b""))) == "connect"
    assert kind(asked(answering(b"HTTP/1.1 200 OK\r\nContent-Ty"))) == "connect"


def resetting(sent: bytes) -> Handler:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader, writer)
        writer.write(sent)
        await writer.drain()
        lingering = writer.get_extra_info("socket")
        lingering.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        writer.transport.abort()

    return handler


def test_a_reset_connection_is_a_failure() -> None:
    assert kind(asked(resetting(b""))) == "connect"


def test_a_body_that_ends_with_its_connection_is_cut_if_that_was_reset() -> None:
    whole = asked(answering(HEAD + b"\r\n" + PAGE))
    assert isinstance(whole, Answer) and not whole.cut
    torn = asked(resetting(HEAD + b"\r\n" + PAGE))
    assert isinstance(torn, Answer) and torn.body == PAGE
    assert torn.cut and torn.capture.cut == "disconnect"
    assert kind(asked(resetting(HEAD + b"\r\n"))) == "connect"


@pytest.mark.parametrize("name", ["gzip", "deflate", "raw deflate", "br", "zstd"])
def test_a_decompression_bomb_is_cut_and_never_fills_memory(name: str) -> None:
    bomb = zeros(name, 1 << 27)
    answer = http(bomb, Content_Encoding=name.removeprefix("raw "))
    caps = Caps(body=2_000_000)
    tracemalloc.start()
    try:
        result = asked(answering(answer), caps)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(result, Answer) and result.cut and result.capture.cut == "length"
    assert 0 < len(result.body) <= caps.body
    assert peak < 20_000_000


def test_a_decompression_bomb_in_two_layers_is_cut() -> None:
    result = asked(answering(http(gzip.compress(zeros("gzip", 1 << 27)), Content_Encoding="gzip, gzip")))
    assert isinstance(result, Answer) and result.cut and len(result.body) <= SHORT.body


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        *(("gzip", PAGE), ("deflate", b"\xff" * 50), ("br", b"\xff" * 50), ("zstd", PAGE), ("compress", PAGE)),
        *(("gzip", gzip.compress(PAGE)[:12]), ("gzip, gzip, gzip", PAGE), ("br, gzip", gzip.compress(b"\xff" * 50))),
    ],
    ids=lambda value: value if isinstance(value, str) else "body",
)
def test_a_body_that_cannot_be_decoded_is_named(encoding: str, body: bytes) -> None:
    assert kind(asked(answering(http(body, Content_Encoding=encoding)))) == "encoding"


def test_a_body_damaged_in_the_middle_gives_what_was_there() -> None:
    packed = bytearray(zlib.compress(random.Random(1).randbytes(50_000)))
    packed[40_000:] = bytes(len(packed) - 40_000)
    result = asked(answering(http(bytes(packed), Content_Encoding="deflate")))
    assert isinstance(result, Answer) and result.cut and len(result.body) > 10_000
    torn = brotli.compress(random.Random(1).randbytes(100_000))[:60_000]
    result = asked(answering(http(torn, Content_Encoding="br")))
    assert isinstance(result, Answer) and result.cut and result.body


GARBAGE = [
    b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
    b"\x00\x01\x02\x03" * 100,
    b"<html>no head</html>",
    b"HTTP/9.9 200 OK\r\n\r\n",
    b"HTTP/1.1 abc OK\r\n\r\n",
    b"HTTP/1.1 2000 OK\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nX\0Y: 1\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n",
    b"\r\n\r\n\r\n",
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_instead_of_http_is_a_failure(garbage: bytes) -> None:
    assert kind(asked(answering(garbage))) in ("connect", "size")


@pytest.mark.parametrize(
    "head",
    [
        HEAD + b"X-Giant: " + b"x" * 1_000_000 + b"\r\n\r\n",
        HEAD + b"X" * 1_000_000 + b": 1\r\n\r\n",
        HEAD + b"X-Many: 1\r\n" * 100_000 + b"\r\n",
        b"HTTP/1.1 200 " + b"x" * 1_000_000 + b"\r\n\r\n",
    ],
    ids=["value", "name", "many", "reason"],
)
def test_giant_headers_are_refused(head: bytes) -> None:
    assert kind(asked(answering(head))) in ("size", "connect")


def test_endless_headers_are_refused_long_before_memory_is_full() -> None:
    began = time.monotonic()
    assert kind(asked(dripping(HEAD, b"X-More: 1\r\n" * 100, 0), Caps(deadline=15))) in ("size", "connect")
    assert kind(asked(dripping(HEAD + b"X: ", b"x" * 10_000, 0), Caps(deadline=15))) in ("size", "connect")
    assert time.monotonic() - began < 15


def test_1xx_answers_are_passed_over_and_never_for_ever() -> None:
    result = asked(
        answering(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + http(PAGE))
    )
    assert isinstance(result, Answer) and (result.status, result.body) == (200, PAGE)
    assert kind(asked(dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.01))) == "timeout"


def test_an_unasked_change_of_protocol_holds_nothing() -> None:
    upgrade = b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    result = asked(answering(upgrade, close=False))
    assert kind(result) in ("101", "connect", "timeout")


def test_nobody_there_is_a_connect_failure() -> None:
    async def test() -> None:
        async with Loopback(answering(b"")) as server:
            port = server.port
        async with Client(Guard(allow_private=True), "test", SHORT) as client:
            assert await client.get(f"http://127.0.0.1:{port}/") == Failure("connect", "connection refused")

    asyncio.run(test())


def test_dns_failures_come_through_the_client_by_kind() -> None:
    async def resolve(host: str) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME if host == "no.example" else socket.EAI_AGAIN, "x")

    async def slow(host: str) -> Sequence[str]:
        await asyncio.sleep(3600)
        return []

    async def test() -> None:
        async with Client(Guard(resolve=resolve), "test", SHORT) as client:
            assert await client.get("http://no.example/") == Failure("dns", "no such name")
            assert await client.get("http://busy.example/") == Failure("dns", "the name server failed")
        async with Client(Guard(resolve=slow), "test", SHORT) as client:
            assert kind(await client.get("http://slow.example/")) in ("connect", "timeout")

    asyncio.run(asyncio.wait_for(test(), 20))


def test_a_handshake_that_never_comes_is_given_up() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(3600)

    async def test() -> None:
        caps = Caps(deadline=10, connect=0.3)
        async with Loopback(silent) as server, Client(Guard(allow_private=True), "test", caps) as client:
            result = await client.get(f"https://127.0.0.1:{server.port}/")
        assert result == Failure("connect", "no connection within 0.3 s")

    asyncio.run(asyncio.wait_for(test(), 20))


def open_sockets() -> int:
    return sum(os.readlink(f"/proc/self/fd/{name}").startswith("socket:") for name in _descriptors())


def _descriptors() -> list[str]:
    return [name for name in os.listdir("/proc/self/fd") if os.path.islink(f"/proc/self/fd/{name}")]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="There is no /proc to count open sockets in.")
def test_no_file_handle_leaks_in_two_hundred_failing_requests() -> None:
    faults: list[Handler] = [
        answering(b"garbage\r\n\r\n"),
        answering(b""),
        answering(http(b"", Content_Length="500")),
        answering(http(PAGE, Content_Length="99999")),
        answering(http(PAGE, Content_Encoding="br")),
        dripping(HEAD + b"\r\n", bytes(50_000), 0),
        answering(http(PAGE), close=False),
        answering(b"", close=False),
    ]

    async def test() -> None:
        caps = Caps(raw=200_000, body=100_000, deadline=0.5, connect=0.5, patience=0.2)
        async with Client(Guard(allow_private=True), "test", caps) as client:
            before = open_sockets()
            for handler in faults:
                async with Loopback(handler) as server:
                    await asyncio.gather(*(client.get(server.url(f"/{n}")) for n in range(25)))
            gc.collect()
            for _ in range(100):
                if open_sockets() <= before + 25:  # those kept alive, by the one server that behaves
                    break
                await asyncio.sleep(0.05)
            assert open_sockets() <= before + 25
        for _ in range(100):
            if open_sockets() <= before:
                break
            await asyncio.sleep(0.05)
        assert open_sockets() <= before

    asyncio.run(asyncio.wait_for(test(), 60))


def test_hundreds_of_requests_leave_no_memory_behind() -> None:
    async def test() -> None:
        handler = serving(lambda head: http(PAGE))
        async with Loopback(handler) as server, Client(Guard(allow_private=True), "test") as client:
            await rounds(lambda: client.get(server.url("/x")), 200)
            server.requests.clear()
            gc.collect()
            tracemalloc.start()
            await rounds(lambda: client.get(server.url("/x")), 500)
            server.requests.clear()
            gc.collect()
            left = tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
        assert left < 300_000

    asyncio.run(asyncio.wait_for(test(), 60))


async def rounds(ask: Callable[[], Awaitable[object]], times: int) -> None:
    for _ in range(times):
        assert isinstance(await ask(), Answer)
