"""The time in a web that has one of its own: a server that lets it pass faster says so at a well-known address.

`wolfspider web serve --speed X` answers there at every host, and a crawl with `--via` that server takes its clock from
it. Any other server has nothing at that address, and then the time is ours.
"""

from __future__ import annotations

import asyncio
import json
import math
from contextlib import suppress
from typing import NamedTuple

from wolfspider.core.errors import Problem
from wolfspider.web.http.guard import Guard

PATH = "/.well-known/wolfspider-time"
SLOWEST, FASTEST = 0.001, 100_000.0  # seconds in one of ours
_LATEST = 32_503_680_000.0  # the year 3000
_LARGEST = 4_096  # bytes of an answer that are looked at


class WebTime(NamedTuple):
    """What time it is in a web, and how many seconds pass there in one of ours."""

    now: float
    speed: float


def told(time: WebTime) -> bytes:
    """What the server answers."""
    return json.dumps(time._asdict()).encode()


async def ask(guard: Guard, seconds: float, agent: str) -> WebTime | None:
    """The time in the web of the one server that answers for every address; None if it is ours."""
    try:
        async with asyncio.timeout(seconds):
            head, body = await _asked(agent, *await guard.to_server(seconds))
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):  # that it takes too long is the first
        return None
    status = head.split(b" ", 2)[1:2]
    return read(body) if status == [b"200"] else None


async def _asked(agent: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[bytes, bytes]:
    try:
        head = f"GET {PATH} HTTP/1.1\r\nhost: localhost\r\nuser-agent: {agent}\r\nconnection: close\r\n\r\n"
        writer.write(head.encode("ascii", "replace"))
        return await reader.readuntil(b"\r\n\r\n"), await reader.read(_LARGEST)
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


def read(body: bytes) -> WebTime | None:
    """None for what is no such answer. A time that cannot be is refused: a crawl would be dated by it."""
    try:
        said = json.loads(body)
        now, speed = float(said["now"]), float(said["speed"])
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return None
    if not (0.0 <= now <= _LATEST and SLOWEST <= speed <= FASTEST and math.isfinite(now)):
        raise Problem(f"The server says that its time is {now:g} and passes {speed:g} times as fast: that cannot be.")
    return WebTime(now, speed)
