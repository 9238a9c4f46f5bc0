"""A server on loopback that is every host of a small web, and a Live that asks it, with the real client and guard.

    async with visiting({"a.test/": http(b"..."), "/robots.txt": http(b"...")}) as (live, site): ...

What a host and path answer may also be a function that takes the head of the request and writes what it likes. The
clock runs by itself and can be moved ahead, so that a day passes at once.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from tests.web.loopback import Loopback, http, request

from wolfspider.core.model import Fetch
from wolfspider.web.http.client import Caps, Client
from wolfspider.web.http.gates import HostCap
from wolfspider.web.http.guard import Guard
from wolfspider.web.http.live_robots import LiveRobots
from wolfspider.web.http.live_web import Live
from wolfspider.web.http.polite import Manners, Polite
from wolfspider.web.worlds.world import Request

Reply = bytes | Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]

AGENT = "wolfspider/0.1 (test)"
HASTY = Manners(delay=0.0, factor=0.0, per_address=0)
PAGE = http(b"<html><body>a page of words</body></html>")
MISSING = http(b"", "404 Not Found")


class Clock:
    def __init__(self) -> None:
        self.moved = 1_700_000_000.0 - time.monotonic()

    def __call__(self) -> float:
        return time.monotonic() + self.moved

    def ahead(self, seconds: float) -> None:
        self.moved += seconds


class Site:
    """Answers by host and path, or by path alone. Keeps what was asked and when, and how many a host had at once."""

    def __init__(self, replies: Mapping[str, Reply]) -> None:
        self.replies = dict(replies)
        self.server = Loopback(self._serve)
        self.asked: list[str] = []  # host and path, in order
        self.heads: list[bytes] = []
        self.spans: dict[str, list[tuple[float, float]]] = {}  # of each host: from request to end of answer
        self.busy: Counter[str] = Counter()
        self.most: Counter[str] = Counter()  # at once, by host; "" for all

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await request(reader, writer)
            path = head.split(b" ", 2)[1].decode()
            host = head.lower().partition(b"\r\nhost: ")[2].partition(b"\r\n")[0].decode()
            self.asked.append(host + path)
            self.heads.append(head)
            await self._answer(host, path, head, writer)

    async def _answer(self, host: str, path: str, head: bytes, writer: asyncio.StreamWriter) -> None:
        began = time.monotonic()
        for name in (host, ""):
            self.busy[name] += 1
            self.most[name] = max(self.most[name], self.busy[name])
        try:
            reply = self.replies.get(host + path) or self.replies.get(path) or MISSING
            if not isinstance(reply, bytes):
                await reply(head, writer)
                return
            writer.write(reply)
            await writer.drain()
        finally:
            self.busy[host] -= 1
            self.busy[""] -= 1
            self.spans.setdefault(host, []).append((began, time.monotonic()))

    def pages(self) -> list[str]:
        """What was asked for besides robots.txt."""
        return [asked for asked in self.asked if not asked.endswith("/robots.txt")]


@asynccontextmanager
async def visiting(
    replies: Mapping[str, Reply],
    *,
    manners: Manners = HASTY,
    guard: Guard | None = None,
    caps: Caps | None = None,
    robots: bool = True,
    hosts: HostCap | None = None,
    **options: Any,
) -> AsyncIterator[tuple[Live, Site]]:
    site, clock = Site(replies), Clock()
    async with site.server:
        guard = guard or Guard(via=("127.0.0.1", site.server.port))
        async with Client(guard, AGENT, caps or Caps(), clock) as client:
            polite = Polite(manners, clock, random.Random(1))
            rules = LiveRobots(clock) if robots else None
            yield Live(client, guard, polite, rules, hosts=hosts, **{"robots_tries": 1, **options}), site


def clock_of(live: Live) -> Clock:
    assert isinstance(live.polite.clock, Clock)
    return live.polite.clock


async def fetch(live: Live, url: str, **options: Any) -> Fetch:
    """One visit, which must be over soon whatever the server does."""
    return await asyncio.wait_for(live.fetch(Request(url, **options)), 30)


def kind_of(fetched: Fetch) -> str:
    return fetched.failure.kind if fetched.failure else ""


def moved(target: str, status: str = "302 Found", **headers: str) -> bytes:
    return http(b"", status, Location=target, **headers)


def slow(reply: bytes, seconds: float) -> Reply:
    async def answer(head: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds)
        writer.write(reply)
        await writer.drain()

    return answer
