"""A web that is served answers over HTTP as it answers a look; and goes wrong only as it was told to."""

from __future__ import annotations

import asyncio
import gzip
import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faults import zstd
from wolfspider.core.errors import Problem
from wolfspider.core.model import Failure, Fetch, Page, host_of
from wolfspider.web.page.html import parse
from wolfspider.web.server.replies import Faults, Replies, bare, robots_text
from wolfspider.web.server.serve import Manner, Served, serve
from wolfspider.web.server.wire import RequestHead, accepts, read_request
from wolfspider.web.worlds.recorded import Recorded
from wolfspider.web.worlds.synthetic import Synthetic, write
from wolfspider.web.worlds.world import Servable, World

STILL = Manner(speed=0)
CALM = Synthetic.parse("synthetic:pages=1000,seed=5,topics=8,mischief=0")
WILD = Synthetic.parse("synthetic:pages=1000,seed=5,topics=8")
UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "br": brotli.decompress,
    "zstd": zstd.decompress,
    "": bytes,
}


class Heard(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes  # as it came

    @property
    def plain(self) -> bytes:
        return UNPACK[self.headers.get("content-encoding", "")](self.body)


async def get(port: int, url: str, method: str = "GET", **more: str) -> Heard:
    """One request on a connection of its own; raises as a client would that is not told the truth."""
    host, _, path = url.partition("://")[2].partition("/")
    lines = [f"{method} /{path} HTTP/1.1", f"Host: {host}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
    return await say(port, ("\r\n".join(lines) + "\r\n\r\n").encode(), method != "HEAD")


async def say(port: int, request: bytes, with_body: bool = True) -> Heard:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(20):
            writer.write(request)
            return await heard(reader, with_body)
    finally:
        writer.close()


async def heard(reader: asyncio.StreamReader, with_body: bool = True) -> Heard:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
    status = int(head[0].split()[1])
    size = int(headers.get("content-length", "0")) if with_body and status not in (204, 304) else 0
    return Heard(status, headers, await reader.readexactly(size))


def run(world: World, talk: Callable[[Served], Awaitable[Any]], manner: Manner = STILL, **options: Any) -> Any:
    async def main() -> Any:
        async with serve(world, manner=manner, **options) as served:
            return await talk(served)

    return asyncio.run(asyncio.wait_for(main(), 60))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("served")
    write(WILD, folder / "web")
    return Recorded(folder / "web", folder / "cache")


@pytest.fixture(params=["synthetic", "recorded"])
def world(request: pytest.FixtureRequest, recorded: Recorded) -> World:
    return CALM if request.param == "synthetic" else recorded


def addresses(world: World) -> list[str]:
    if isinstance(world, Recorded):
        return [world.url(number) for number in range(0, len(world), 13)] + ["http://nobody.example/"]
    assert isinstance(world, Synthetic)
    return [world.addresses.url(page) for page in range(0, world.params.pages, 13)] + ["http://nobody.example/"]


def page_over_http(url: str, answer: Heard, now: float) -> Page | Failure:
    return parse(Fetch(url, url, answer.status, answer.headers, answer.plain, at=now))


def test_a_page_over_http_is_the_page_of_a_look(world: World) -> None:
    async def talk(served: Served) -> Counter[str]:
        kinds: Counter[str] = Counter()
        for number, url in enumerate(addresses(world)):
            look = world.look(url, world.start)
            if look.hops:
                continue
            answer = await get(served.port, url, **({"Accept_Encoding": "gzip"} if number % 2 else {}))
            assert answer.status == look.status
            expected, page = parse(look), page_over_http(url, answer, world.start)
            kinds[type(page).__name__] += 1
            if isinstance(page, Page) and isinstance(expected, Page):
                assert (page.words, page.digest, page.title) == (expected.words, expected.digest, expected.title)
                assert (page.links, page.modified) == (expected.links, expected.modified)
            else:
                assert page == expected
        return kinds

    kinds = run(world, talk)
    assert kinds["Page"] > 20


def test_redirects_are_real_and_end_where_a_look_ends(recorded: Recorded) -> None:
    ways = [url for number in range(len(recorded)) if "/go/" in (url := recorded.url(number))][:60]

    async def talk(served: Served) -> int:
        loops = 0
        for url in ways:
            look, hops, at = recorded.look(url, recorded.start), [], url
            while len(hops) < 11 and (answer := await get(served.port, at)).status in (301, 302):
                hops.append(at)
                at = answer.headers["location"]
            looped = look.failure is not None and look.failure.kind == "redirect"
            loops += looped
            assert looped or (tuple(hops), at, answer.status) == (look.hops, look.final_url, look.status)
            assert looped == (len(hops) > 10)
        return loops

    run(recorded, talk)


def test_a_redirect_that_was_seen_again_leads_where_it_led_then(tmp_path: Path) -> None:
    def record(kind: str, day: int, to: str) -> bytes:
        block = f"HTTP/1.1 301 Moved\r\nLocation: {to}\r\n\r\n"
        head = f"WARC-Type: {kind}\r\nWARC-Target-URI: http://a.test/\r\nWARC-Date: 2019-01-0{day}T00:00:00Z\r\n"
        head += f"WARC-Payload-Digest: sha1:same\r\nContent-Length: {len(block)}\r\n\r\n"
        return gzip.compress(f"WARC/1.1\r\n{head}{block}\r\n\r\n".encode())

    path = tmp_path / "web.warc.gz"
    path.write_bytes(record("response", 1, "/old") + record("revisit", 2, "new"))
    web = Recorded(path, tmp_path / "cache")
    answer = run(web, lambda served: get(served.port, "http://a.test/"))
    assert (answer.status, answer.headers["location"]) == (301, "http://a.test/new")


def test_hops_are_told_apart_of_a_web_that_follows_them() -> None:
    class Follows(Servable):
        """A web that can only be looked at."""

        name, start, tasks, digest, graph, owns = "f", 0.0, CALM.tasks, CALM.digest, CALM.graph, CALM.owns

        def look(self, url: str, now: float) -> Fetch:
            way = ["http://a.test/1", "http://a.test/2", "http://a.test/3"]
            place = way.index(url)
            return Fetch(url, way[-1], 200, {"content-type": "text/html"}, b"<p>here", hops=tuple(way[place:-1]))

    answers = [bare(Follows(), f"http://a.test/{n}", 0.0) for n in (1, 2, 3)]
    assert [(fetch.status, fetch.headers.get("location")) for fetch in answers] == [
        (302, "http://a.test/2"),
        (302, "http://a.test/3"),
        (200, None),
    ]


def test_every_host_name_has_its_own_pages_and_others_have_none(recorded: Recorded) -> None:
    async def talk(served: Served) -> None:
        for host in {host_of(recorded.url(number)) for number in range(0, len(recorded), 13)}:
            robots = await get(served.port, f"http://{host}/robots.txt")
            assert robots.status == 200 and robots.headers["content-type"].startswith("text/plain")
            assert robots.body == recorded.body(f"http://{host}/robots.txt", recorded.start)
        for url in ("http://nobody.example/", "http://nobody.example/robots.txt", f"http://127.0.0.1:{served.port}/"):
            assert (await get(served.port, url)).status == 404

    run(recorded, talk)


def test_robots_can_be_told(recorded: Recorded) -> None:
    text = robots_text(2.5, ("/private/", "/x"))
    assert text == "User-agent: *\nDisallow: /private/\nDisallow: /x\nCrawl-delay: 2.5\n"
    assert robots_text() == "User-agent: *\nDisallow: \n"

    async def talk(served: Served) -> None:
        for host in ("nobody.example", host_of(recorded.url(0))):
            assert (await get(served.port, f"http://{host}/robots.txt")).body.decode() == text
        assert (await get(served.port, "http://nobody.example/a/robots.txt")).status == 500  # no robots.txt, not spared

    run(recorded, talk, Manner(robots=text), faults=Faults(errors=1.0))


def test_who_has_the_page_is_told_so(world: World) -> None:
    url = next(url for url in addresses(world) if parse(world.look(url, world.start)).__class__ is Page)

    async def talk(served: Served) -> None:
        first = await get(served.port, url)
        tag = first.headers["etag"]
        for held in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
            again = await get(served.port, url, If_None_Match=held)
            assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
        assert (await get(served.port, url, If_None_Match='"other"')).body == first.body
        if modified := first.headers.get("last-modified"):
            assert (await get(served.port, url, If_Modified_Since=modified)).status == 304
            assert (await get(served.port, url, If_Modified_Since="Sat, 01 Jan 1980 00:00:00 GMT")).status == 200
            both = await get(served.port, url, If_None_Match='"other"', If_Modified_Since=modified)
            assert both.status == 200
        assert (await get(served.port, url, If_Modified_Since="nonsense")).status == 200

    run(world, talk)


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
def test_compressed_bodies_unpack_to_the_same(encoding: str) -> None:
    url = CALM.addresses.url(7)

    async def talk(served: Served) -> None:
        plain = await get(served.port, url)
        packed = await get(served.port, url, Accept_Encoding=f"identity;q=0.1, {encoding};q=0.8, *;q=0")
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == encoding and len(packed.body) < len(plain.body)
        assert packed.plain == plain.body == CALM.look(url, CALM.start).body
        assert "content-encoding" not in (await get(served.port, url, Accept_Encoding=f"{encoding};q=0")).headers

    run(CALM, talk, Manner(encodings=(encoding,)))


def test_without_encodings_nothing_is_compressed() -> None:
    async def talk(served: Served) -> Heard:
        return await get(served.port, CALM.addresses.url(7), Accept_Encoding="gzip, br, zstd")

    assert "content-encoding" not in run(CALM, talk, Manner(encodings=())).headers
    assert run(CALM, talk, Manner(encodings=("zstd", "gzip"))).headers["content-encoding"] == "zstd"


def test_head_says_what_get_would_and_no_more() -> None:
    url = CALM.addresses.url(7)

    async def talk(served: Served) -> None:
        whole, head = await get(served.port, url), await get(served.port, url, "HEAD")
        assert head.headers == whole.headers and head.status == 200
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        request = f"HEAD / HTTP/1.1\r\nHost: {host_of(url)}\r\n\r\n".encode()
        writer.write(request + request.replace(b"HEAD", b"GET"))
        first, second = await heard(reader, with_body=False), await heard(reader)
        assert first.headers == second.headers and len(second.body) == int(first.headers["content-length"])
        writer.close()

    run(CALM, talk)


FAULTY = Faults(0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, seed=3, retry_after="7", slow_rate=1e6)


async def behaviour(port: int, url: str) -> str:
    """What a client sees go wrong."""
    try:
        answer = await get(port, url)
    except ConnectionResetError:
        return "resets"
    except asyncio.IncompleteReadError:
        return "cut"
    if answer.status in (429, 503):
        assert answer.headers["retry-after"] == "7"
        return "busy"
    if answer.status == 302:
        assert answer.headers["location"] == url
        return "loops"
    if answer.headers["content-type"] == "image/png":
        return "mistyped"
    return {500: "errors", 404: "missing"}.get(answer.status, "")


@cache
def healthy() -> list[str]:
    urls = (CALM.addresses.url(page) for page in range(CALM.params.pages))
    return [url for url in urls if CALM.look(url, CALM.start).status == 200][:200]


def test_faults_are_those_of_the_seed_and_the_address() -> None:
    urls = healthy()

    async def talk(served: Served) -> list[str]:
        return [await behaviour(served.port, url) for url in urls]

    seen = run(CALM, talk, faults=FAULTY)
    told = [FAULTY.of(url) for url in urls]
    assert seen == ["" if fault == "slow" else fault for fault in told]
    assert set(told) == {"", *FAULTY.shares()}
    assert run(CALM, talk, faults=FAULTY) == seen
    other = Faults(0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, seed=4)
    assert [other.of(url) for url in urls] != told


def test_transient_faults_pass() -> None:
    urls = healthy()[:40]

    async def talk(served: Served) -> None:
        for url in urls:
            assert bool(await behaviour(served.port, url)) == (served.faults.of(url) != "slow")
            assert await behaviour(served.port, url) == ""

    run(CALM, talk, faults=Faults(errors=0.3, resets=0.3, loops=0.4, transient=True))


def test_a_slow_body_comes_in_pieces_and_whole() -> None:
    url = CALM.addresses.url(7)

    async def talk(served: Served) -> float:
        assert (await get(served.port, url)).body == CALM.look(url, CALM.start).body
        return served.log[0].ended - served.log[0].arrived

    size = len(CALM.look(url, CALM.start).body)
    assert run(CALM, talk, Manner(rate=size * 5)) >= 0.1
    assert run(CALM, talk, faults=Faults(slow=1.0, slow_rate=size * 5)) >= 0.1


@given(st.lists(st.floats(0, 1), min_size=8, max_size=8), st.text(), st.integers())
def test_a_fault_is_one_of_those_with_a_share(shares: list[float], url: str, seed: int) -> None:
    total = max(1.0, sum(shares))
    faults = Faults(*(share / total for share in shares), seed=seed)
    name = faults.of(url)
    assert name == "" or faults.shares()[name] > 0
    assert faults.of(url) == name


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Faults(errors=0.6, missing=0.6),
        lambda: Faults(errors=-0.1),
        lambda: Faults(slow_rate=0),
        lambda: Faults(retry_after="1\r\nX: y"),
        lambda: Manner(latency=-1),
        lambda: Manner(encodings=("gzipp",)),
    ],
)
def test_what_cannot_be_served_is_refused_in_a_sentence(wrong: Callable[[], object]) -> None:
    with pytest.raises(Problem, match=r"\.( Did you mean .*)?$"):
        wrong()


def test_a_port_that_is_taken_is_said() -> None:
    async def talk(served: Served) -> None:
        with pytest.raises(Problem, match="--port"):
            async with serve(CALM, port=served.port):
                pass

    run(CALM, talk)


def test_the_log_has_every_request_and_how_it_ended(tmp_path: Path) -> None:
    told: list[object] = []
    urls = healthy()[:30]

    async def talk(served: Served) -> Served:
        for url in urls:
            await behaviour(served.port, url)
        await get(served.port, urls[0], User_Agent="wolf/1")
        await say(served.port, b"nonsense\r\n\r\n")
        return served

    path = tmp_path / "log.jsonl"
    path.write_text('{"kept": true}\n')
    for log in (path, told.append):
        served = run(CALM, talk, faults=FAULTY, log=log)
        assert len(served.log) == 32
        for url, asked in zip(urls, served.log, strict=False):
            assert (f"http://{asked.host}{asked.path}", asked.fault) == (url, FAULTY.of(url))
            assert asked.arrived <= asked.ended and (asked.status == 0) == (asked.fault == "resets")
            assert asked.whole == (asked.fault not in ("resets", "cut"))
        assert (served.log[30].agent, served.log[31].status, served.log[31].host) == ("wolf/1", 400, "")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0] == {"kept": True} and len(lines) == 33 and lines[1].keys() == served.log[0]._asdict().keys()
    assert told == list(served.log)


def test_a_client_that_leaves_is_in_the_log_too() -> None:
    async def talk(served: Served) -> None:
        for path in ("/a", "/b"):
            _, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(f"GET {path} HTTP/1.1\r\nHost: a.test\r\n\r\n".encode())
            await until(lambda: served.worst("a.test") > 0)
            writer.close()
        await until(lambda: len(served.log) == 2)
        assert {(asked.path, asked.status, asked.whole) for asked in served.log} == {("/a", 0, False), ("/b", 0, False)}

    run(CALM, talk, Manner(latency=30))


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def test_two_at_once_at_a_host_are_seen() -> None:
    async def talk(served: Served) -> None:
        asking = [asyncio.create_task(get(served.port, f"http://a.test/{n}")) for n in range(3)]
        await until(lambda: served.worst("a.test") == 3)
        for n in range(3):
            await get(served.port, f"http://b.test/{n}")
        assert (served.worst("a.test"), served.worst("b.test"), served.worst("c.test"), served.worst()) == (3, 1, 0, 3)
        for task in asking:
            task.cancel()

    run(CALM, talk, Manner(latency=lambda host: 30.0 if host == "a.test" else 0.0))


def test_latency_is_a_hosts_own() -> None:
    async def talk(served: Served) -> None:
        asking = asyncio.create_task(get(served.port, "http://slowest.test/"))
        await until(lambda: served.worst("slowest.test") == 1)
        for host in ("slow.test", "fast.test"):
            await get(served.port, f"http://{host}/")
        assert not asking.done() and [asked.host for asked in served.log] == ["slow.test", "fast.test"]
        assert served.log[0].ended - served.log[0].arrived >= 0.1
        asking.cancel()

    seconds = {"slowest.test": 30.0, "slow.test": 0.1, "fast.test": 0.0}
    run(CALM, talk, Manner(latency=lambda host: seconds[host]))


def test_two_hundred_clients_at_once_keep_their_connections() -> None:
    urls = healthy()
    bodies = {url: CALM.look(url, CALM.start).body for url in urls}

    async def client(port: int, mine: list[str]) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for url in mine:
            path = url.partition("://")[2].partition("/")[2]
            writer.write(f"GET /{path} HTTP/1.1\r\nHost: {host_of(url)}\r\n\r\n".encode())
            assert (await heard(reader)).body == bodies[url]
        writer.close()
        return len(mine)

    async def talk(served: Served) -> None:
        shares = [[urls[(number + step) % len(urls)] for step in range(4)] for number in range(200)]
        done = await asyncio.gather(*(client(served.port, share) for share in shares))
        assert sum(done) == len(served.log) == 800
        assert all(asked.whole and asked.status == 200 for asked in served.log)

    run(CALM, talk)


HOSTILE = {
    b"GET / HTTP/1.1\r\n\r\n": 400,
    b"GET / HTTP/1.0\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost: a.test/../x\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost: " + b"a" * 300 + b"\r\n\r\n": 400,
    b"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n": 400,
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: a.test\r\n\r\n": 414,
    b"GET / HTTP/1.1\r\nHost: a.test\r\nX: " + b"a" * 100_000 + b"\r\n\r\n": 431,
    b"GET /\0 HTTP/1.1\r\nHost: a.test\r\n\r\n": 400,
    b"GET /\x1b[2J HTTP/1.1\r\nHost: a.test\r\n\r\n": 400,
    b"GET /a\nb HTTP/1.1\r\nHost: a.test\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost: a.test\r\nX: a\0b\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost: a.test\r\nno colon\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost : a.test\r\n\r\n": 400,
    b"GET /../../etc/passwd HTTP/1.1\r\nHost: a.test\r\n\r\n": 400,
    b"GET /a/%2e%2E/b HTTP/1.1\r\nHost: a.test\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello": 400,
    b"GET / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n": 400,
    b"POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello": 405,
    b"GET / HTTP/2.0\r\nHost: a.test\r\n\r\n": 505,
    b"CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n": 405,
    b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n": 400,
    b"GET /x\r\n\r\n": 400,
}


def test_hostile_requests_are_refused_and_survived() -> None:
    async def talk(served: Served) -> None:
        for request, status in HOSTILE.items():
            answer = await say(served.port, request)
            assert (answer.status, answer.headers["connection"]) == (status, "close"), request[:80]
        assert [asked.status for asked in served.log] == list(HOSTILE.values())
        assert (await get(served.port, CALM.addresses.url(7))).status == 200

    run(CALM, talk)


def test_a_flood_of_requests_that_nobody_reads_is_held_back() -> None:
    url = CALM.addresses.url(7)
    request = f"GET /{url.partition('://')[2].partition('/')[2]} HTTP/1.1\r\nHost: {host_of(url)}\r\n\r\n".encode()

    async def talk(served: Served) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port, limit=1 << 16)
        writer.write(request * 20_000)
        last = -1
        while len(served.log) != last or not last:  # until the server no longer gets on
            last = len(served.log)
            await asyncio.sleep(0.2)
        assert 0 < len(served.log) < 20_000
        assert (await heard(reader)).status == 200
        writer.transport.abort()
        assert (await get(served.port, url)).status == 200

    run(CALM, talk)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_request_or_a_refusal(head: bytes) -> None:
    for given_head in (
        head,
        b"GET /" + head + b" HTTP/1.1\r\nHost: a.test",
        b"GET / HTTP/1.1\r\nHost: a.test\r\n" + head,
    ):
        request = read_request(given_head)
        if isinstance(request, RequestHead):
            assert request.host == "a.test" and request.path.startswith("/")
            assert not set(request.path) & set("\0\r\n #") and "/../" not in request.path.partition("?")[0]
        else:
            assert 400 <= request <= 505


def test_accepted_encodings_are_read() -> None:
    assert accepts("gzip, deflate;q=0.5, br;q=0, ZSTD ; q=1.0") >= {"gzip", "deflate", "zstd"}
    assert "br" not in accepts("br;q=0.000, gzip") and "br" not in accepts("br; q=0")


def test_a_web_whose_time_passes_shows_what_is_new() -> None:
    news = Synthetic.parse("synthetic:pages=1000,seed=3,news=1,mischief=0")
    assert news.news is not None
    front = f"{news.news.site}"
    day = 86_400.0

    async def talk(served: Served) -> None:
        first = (await get(served.port, front)).body
        assert first == news.record(front, news.start).body
        while (later := (await get(served.port, front)).body) == first:
            await asyncio.sleep(0.05)
        assert later != first

    run(news, talk, Manner(speed=10 * day))


class Counting:
    """A web that counts how often it is looked at."""

    def __init__(self) -> None:
        self.looks = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(CALM, name)

    def record(self, url: str, now: float) -> Fetch:
        self.looks += 1
        return CALM.record(url, now)


def test_answers_are_kept_within_a_bound_and_never_too_long() -> None:
    world, now = Counting(), [0.0]
    replies = Replies(world, lambda: now[0], None, most_kept=100_000)
    urls = healthy()
    for _ in range(3):
        assert replies.of(urls[0]).body == CALM.record(urls[0], 0.0).body
    assert world.looks == 1
    now[0] = 1.0
    replies.of(urls[0])
    assert world.looks == 2
    for url in urls:
        replies.coded(url, replies.of(url), "gzip")
    kept = sum(reply.weight() for reply in replies._kept.values())
    assert 0 < kept <= 100_000 and replies._room == 100_000 - kept


def test_a_recorded_web_is_read_once(recorded: Recorded) -> None:
    now = [recorded.start]
    replies = Replies(recorded, lambda: now[0], None)
    first = replies.of(recorded.url(0))
    now[0] += 1000
    assert replies.of(recorded.url(0)) is first


def test_a_host_that_times_out_says_nothing_and_hangs_up() -> None:
    urls = (WILD.addresses.url(page) for page in range(WILD.params.pages))
    url = next(url for url in urls if WILD.look(url, WILD.start).failure == Failure("timeout", "no answer within 30 s"))

    async def talk(served: Served) -> None:
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await get(served.port, url)
        (asked,) = served.log
        assert (asked.status, asked.whole) == (0, False) and asked.ended - asked.arrived >= 0.3

    run(WILD, talk, Manner(speed=100))


def test_hosts_are_counted(recorded: Recorded) -> None:
    assert recorded.host_count() == len({host_of(recorded.url(number)) for number in range(len(recorded))})
    assert CALM.host_count() > 10


COMMAND = """
import asyncio, sys
from wolfspider.web.server.serve import main_serve
asyncio.run(main_serve(sys.argv[1]))
"""


@pytest.fixture
def command() -> Iterator[subprocess.Popen[str]]:
    spec = "synthetic:pages=1000,seed=1,mischief=0"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", COMMAND, spec], text=True, **pipes) as process:
        yield process
        process.kill()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_command_says_when_it_is_ready_and_ends_on_a_signal(command: subprocess.Popen[str], how: int) -> None:
    assert command.stdout is not None and command.stderr is not None
    line = command.stdout.readline()
    assert line.startswith("serving synthetic:") and " hosts); crawl it with --via 127.0.0.1:" in line
    port = int(line.rpartition(":")[2])
    hint = command.stderr.readline()
    assert hint.startswith("wolfspider crawl http://") and f"--via 127.0.0.1:{port}" in hint
    seed = hint.split()[2]
    assert asyncio.run(get(port, seed)).status == 200
    command.send_signal(how)
    assert command.wait(30) == 0
