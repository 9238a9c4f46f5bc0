"""The server that misbehaves does so as it says, and survives it."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any

import brotli
import pytest

from faults import BEHAVIOURS, EXAMPLES, MEGABYTE, Faulty, a_pdf, faults, packed_zeros, zstd
from wolfspider.core.model import Fetch, Page
from wolfspider.web.page.html import parse


async def ask(
    port: int, path: str, host: str = "a.test", most: int = MEGABYTE, seconds: float = 10.0, **more: str
) -> bytes:
    """What a client hears that stops listening after so many bytes or seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    extra = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in more.items())
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{extra}\r\n".encode())
    heard = bytearray()
    try:
        async with asyncio.timeout(seconds):
            while len(heard) < most and (piece := await reader.read(65536)):
                heard += piece
    except TimeoutError:
        pass
    finally:
        writer.transport.abort()
    return bytes(heard)


def run(talk: Callable[[Faulty], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with faults() as server:
            return await talk(server)

    return asyncio.run(asyncio.wait_for(main(), 60))


def head_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[0].lower()


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def test_every_behaviour_says_what_it_does_and_is_linked_from_all() -> None:
    own = {name: behaviour for name, behaviour in BEHAVIOURS.items() if behaviour.__module__ == "faults"}
    assert all(behaviour.__doc__ for behaviour in own.values())
    assert {example.split("?")[0].split("/")[1] for example in EXAMPLES} >= own.keys() - {
        "",
        "robots.txt",
        "chain-of-robots",
    }
    answer = run(lambda server: ask(server.port, "/all"))
    page = parse(Fetch("http://a.test/all", "http://a.test/all", 200, {"content-type": "text/html"}, body_of(answer)))
    assert isinstance(page, Page)
    paths = {link.url.removeprefix("http://a.test") for link in page.links}
    assert {path for path in EXAMPLES if path != "/all" and "?" not in path} <= paths


def test_every_behaviour_is_survived_at_once() -> None:
    async def talk(server: Faulty) -> bytes:
        every = (ask(server.port, path.replace(" ", "%20"), most=200_000, seconds=0.5) for path in EXAMPLES)
        await asyncio.gather(*every, return_exceptions=True)
        return await ask(server.port, "/ok")

    assert b"A page like any other" in run(talk)


def test_drops_come_one_by_one() -> None:
    heard = run(lambda server: ask(server.port, "/drip/headers?pause=0.01", most=20))
    assert heard == b"HTTP/1.1 200 OK\r\nContent-Type:"[: len(heard)] and len(heard) == 20


@pytest.mark.parametrize("how", ["length", "chunks", "close"])
def test_an_endless_body_goes_on_until_the_client_leaves(how: str) -> None:
    assert len(run(lambda server: ask(server.port, f"/endless/{how}", most=5 * MEGABYTE))) >= 5 * MEGABYTE


@pytest.mark.parametrize("form", ["gzip", "deflate", "br", "zstd", "members", "chain"])
def test_bombs_are_small_and_grow_large(form: str) -> None:
    body = body_of(run(lambda server: ask(server.port, f"/bomb/{form}/30", most=3 * MEGABYTE)))
    assert body == packed_zeros(form, 30) and len(body) < 100_000
    assert unpacked(form, body) >= 30 * MEGABYTE


def unpacked(form: str, body: bytes) -> int:
    """Bytes that come out, whatever the check sum at the end says."""
    if form == "br":
        return len(brotli.decompress(body))
    if form == "zstd":
        return len(zstd.decompress(body))
    if form == "members":
        return len(gzip.decompress(body))
    if form == "chain":
        body = gzip.decompress(body)
    inflater, size = zlib.decompressobj(zlib.MAX_WBITS | 32), 0
    with suppress(zlib.error):
        while not inflater.eof:
            size += len(inflater.decompress(body, MEGABYTE // 16))
            body = inflater.unconsumed_tail
    return size


def test_redirects_lead_where_they_are_told() -> None:
    async def talk(server: Faulty) -> list[bytes]:
        paths = ("/chain/2", "/chain/0", "/loop", "/loop/back", "/redirect?to=http://b.test/&status=307", "/redirect")
        return [head_of(await ask(server.port, path)) for path in paths]

    chain, end, loop, back, away, nowhere = run(talk)
    assert b"302" in chain and b"location: /chain/1" in chain and b"200" in end
    assert b"location: /loop/back" in loop and back.count(b"location: /loop\r") == 1
    assert b" 307 " in away and b"location: http://b.test/" in away
    assert b" 302 " in nowhere and b"location" not in nowhere


@pytest.mark.parametrize("status", [200, 204, 404, 429, 500, 999])
def test_any_status_can_be_had(status: int) -> None:
    assert run(lambda server: ask(server.port, f"/status/{status}")).startswith(b"HTTP/1.1 %d " % status)


def test_retry_after_says_anything() -> None:
    values = {"1": b"1", "-5": b"-5", "soon": b"soon", "Fri,%2031%20Dec%209999": b"fri, 31 dec 9999"}
    for value, said in values.items():
        heard = head_of(run(lambda server, value=value: ask(server.port, f"/retry-after/{value}?status=503")))
        assert b" 503 " in heard and b"retry-after: " + said + b"\r" in heard


def test_lengths_lie() -> None:
    async def talk(server: Faulty) -> list[bytes]:
        return [await ask(server.port, path) for path in ("/short", "/long")]

    for answer, more in zip(run(talk), (True, False), strict=True):
        said = int(head_of(answer).partition(b"content-length: ")[2].split(b"\r")[0])
        assert (len(body_of(answer)) > said) == more


def test_a_reset_is_a_reset_and_an_end_is_an_end() -> None:
    async def talk(server: Faulty) -> None:
        for path in ("/reset", "/reset/body"):
            with pytest.raises(ConnectionResetError):
                await ask(server.port, path)
        assert await ask(server.port, "/close") == b""

    run(talk)


def test_what_failed_once_works_the_next_time() -> None:
    async def talk(server: Faulty) -> list[bytes]:
        return [(await ask(server.port, "/flaky?key=1"))[9:12] for _ in range(4)]

    assert run(talk) == [b"503", b"200", b"503", b"200"]


@pytest.mark.parametrize(
    ("host", "status", "said"),
    [
        ("a.test", b"404", b""),
        ("robots-500.test", b"500", b""),
        ("robots-403.test", b"403", b""),
        ("robots-deny.test", b"200", b"Disallow: /\n"),
        ("robots-delay-7.test", b"200", b"Crawl-delay: 7"),
        ("robots-redirect-6.test", b"302", b""),
        ("robots-utf16.test", b"200", "Disallow".encode("utf-16-le")),
        ("robots-html.test", b"200", b"<h1>Welcome"),
        ("robots-nonsense.test", b"404", b""),
    ],
)
def test_host_names_have_their_robots(host: str, status: bytes, said: bytes) -> None:
    answer = run(lambda server: ask(server.port, "/robots.txt", host))
    assert answer[9:12] == status and said in body_of(answer)


def test_a_connection_is_used_again_after_an_honest_answer() -> None:
    async def talk(server: Faulty) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        for _ in range(3):
            writer.write(b"GET /empty HTTP/1.1\r\nHost: a.test\r\n\r\n")
            assert b"200" in await reader.readuntil(b"\r\n\r\n")
        writer.close()
        return len(server.log)

    assert run(talk) == 3


def test_the_log_keeps_what_a_client_sent() -> None:
    async def talk(server: Faulty) -> Faulty:
        assert b"304" in await ask(server.port, "/etag", "b.test", If_None_Match='"one"')
        await ask(server.port, "/ok")
        return server

    server = run(talk)
    assert server.paths() == ["/etag", "/ok"] and server.paths("b.test") == ["/etag"]
    assert server.log[0].header("If-None-Match") == '"one"' and server.log[1].header("cookie") is None


@pytest.mark.parametrize(
    "sent", [b"\r\n\r\n", b"GET\r\n\r\n", b"\0" * 200_000, b"GET /status/200?status=x HTTP/1.1\r\n\r\n"]
)
def test_nonsense_from_a_client_is_survived(sent: bytes) -> None:
    async def talk(server: Faulty) -> bytes:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(sent)
        writer.close()
        return await ask(server.port, "/ok")

    assert b"200" in run(talk)


def test_the_pdf_has_its_places_right() -> None:
    data = a_pdf("hello")
    table = int(data.rpartition(b"startxref\n")[2].split()[0])
    assert data[table:].startswith(b"xref") and data[int(data[table:].split(b"\n")[3][:10]) :].startswith(b"1 0 obj")


def test_a_server_can_run_aside(aside: Callable[[AbstractAsyncContextManager[Any]], Any]) -> None:
    server = aside(faults())
    assert b"200" in asyncio.run(ask(server.port, "/ok"))
    assert server.paths() == ["/ok"]
