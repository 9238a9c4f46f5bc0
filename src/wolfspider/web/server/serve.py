"""Any World as real HTTP, on one port, for every host name in it.

The name in the Host header and the path make the address that the World is asked for, so thousands of hosts live on
one server, and a crawler reaches them by `--via 127.0.0.1:PORT`. Addresses with https are answered alike, but the
server itself speaks plain HTTP only. A redirect is a real redirect: the client does its hops. ETag and Last-Modified
are there, and 304 for a client that has the page already.

How it is served is data: `Manner` says how slowly and in which encodings, `Faults` (replies.py) what goes wrong.

Every request is logged when its answer ends, however it ended: in `Served.log`, and as a line of JSON if a file is
given. Times are of the monotonic clock, which all processes of a machine share, so that the log of a server can be
compared with what a crawler did. How many requests a host had at once is counted as well.

Anybody may send requests: the size of a head is bounded, and any request but a plain GET or HEAD for a path on a host
is refused with a 4xx, and its connection closed.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wolfspider.core.errors import Problem, closest
from wolfspider.files.program_name import shell_command
from wolfspider.web.http.web_time import FASTEST, PATH, WebTime, told
from wolfspider.web.server.replies import ENCODINGS, Faults, Replies, Reply, is_robots, mistyped, plain_reply
from wolfspider.web.server.wire import Connection, LoggedRequest, accepts
from wolfspider.web.worlds.world import Servable, World, open_web

MOST_LOGGED = 2_000_000  # requests that are kept in memory
IDLE = 60.0  # seconds after which a client that neither asks nor reads is sent away
TICK = 0.1  # seconds for which the time of the served web stands still, in our time
LONGEST_TICK = 1.0  # and in its own, where crawlers live in it
_TASKS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Manner:
    """How a web is served."""

    latency: float | Callable[[str], float] = 0.0  # seconds before an answer begins; a function is given the host
    rate: float = 0.0  # bytes per second of each connection; 0 = as fast as it goes
    encodings: tuple[str, ...] = ("gzip",)  # in the order they are preferred; none = never compressed
    robots: str | None = None  # the robots.txt of every host, in place of the web's own (replies.robots_text)
    speed: float = 1.0  # seconds that pass in the web in one of ours; 0 = it stands still
    start: float | None = None  # the time in the web when the server starts; None = when a bench of it begins
    tells_time: bool = False  # are crawlers told what time it is there, so that they live in it?

    def __post_init__(self) -> None:
        if self.rate < 0 or self.speed < 0 or (not callable(self.latency) and self.latency < 0):
            raise Problem("latency, rate and speed must not be negative.")
        if self.tells_time and not 0 < self.speed <= FASTEST:
            raise Problem(f"A time that crawlers are to live in passes at most {FASTEST:g} times as fast, and passes.")
        for name in self.encodings:
            if name not in ENCODINGS:
                raise Problem(f"{name!r} is no encoding that can be served.{closest(name, ENCODINGS)}")


PLAIN = Manner()
NO_FAULTS = Faults()


Log = Callable[[LoggedRequest], object] | Path | None


class Served:
    """A web on a port. `log` holds the newest requests, in the order their answers ended."""

    def __init__(
        self, world: Servable, manner: Manner, faults: Faults, told: Callable[[LoggedRequest], object] | None
    ) -> None:
        self.world, self.manner, self.faults = world, manner, faults
        self.port = 0
        self.log: deque[LoggedRequest] = deque(maxlen=MOST_LOGGED)
        self.replies = Replies(world, self.now, manner.robots)
        self.connections: set[Connection] = set()
        self._told = told
        self._began = time.monotonic()
        self._start = world.start if manner.start is None else manner.start
        self._tick = min(TICK, LONGEST_TICK / manner.speed) if manner.tells_time else TICK
        self._faulty = any(faults.shares().values())
        self._failed_once: set[str] = set()
        self._at_once: Counter[str] = Counter()
        self._worst: Counter[str] = Counter()

    def now(self) -> float:
        """The time in the web."""
        ticks = int((time.monotonic() - self._began) / self._tick)
        return self._start + ticks * self._tick * self.manner.speed

    def web_time(self) -> WebTime:
        """The same for crawlers."""
        return WebTime(self._start + (time.monotonic() - self._began) * self.manner.speed, self.manner.speed)

    def worst(self, host: str | None = None) -> int:
        """The most requests that this host had at once; without a name, of all hosts the most that one had."""
        return max(self._worst.values(), default=0) if host is None else self._worst[host]

    def latency(self, host: str) -> float:
        return self.manner.latency(host) if callable(self.manner.latency) else self.manner.latency

    def enters(self, host: str) -> None:
        self._at_once[host] += 1
        self._worst[host] = max(self._worst[host], self._at_once[host])

    def leaves(self, asked: LoggedRequest) -> None:
        if asked.host:
            self._at_once[asked.host] -= 1
            if not self._at_once[asked.host]:
                del self._at_once[asked.host]
        if asked.path == PATH:  # no page of the web
            return
        self.log.append(asked)
        if self._told is not None:
            self._told(asked)

    def fault(self, url: str) -> str:
        """What goes wrong with this address, this time."""
        name = self.faults.of(url) if self._faulty and not is_robots(url) else ""
        if name and self.faults.transient:
            if url in self._failed_once:
                return ""
            self._failed_once.add(url)
        return name

    def reply(self, url: str, fault: str) -> Reply:
        if self.manner.tells_time and url.split("/", 3)[3:] == [PATH[1:]]:
            return Reply(200, b"content-type: application/json\r\ncache-control: no-store\r\n", told(self.web_time()))
        if fault == "errors":
            return plain_reply(500)
        if fault == "missing":
            return plain_reply(404)
        if fault == "busy":
            return plain_reply(429 if len(url) % 2 else 503, retry_after=self.faults.retry_after)
        if fault == "loops":
            return plain_reply(302, location=url)
        reply = self.replies.of(url)
        return mistyped(reply) if fault == "mistyped" else reply

    def coded(self, url: str, reply: Reply, accepted: str) -> tuple[bytes, str]:
        """The body as this client likes it best, and the name of that form."""
        wanted = accepts(accepted) if accepted else ()
        name = next((name for name in self.manner.encodings if name in wanted), "")
        packed = self.replies.coded(url, reply, name) if name else reply.body
        return packed, "" if packed is reply.body else name

    async def sweep(self) -> None:
        """Send idle clients away, for ever."""
        while True:
            await asyncio.sleep(IDLE / 4)
            now = time.monotonic()
            for connection in tuple(self.connections):
                if (connection.asked is None or connection.stalled) and now - connection.heard > IDLE:
                    connection.transport.abort()


@asynccontextmanager
async def serve(
    world: Servable,
    *,
    port: int = 0,
    host: str = "127.0.0.1",
    manner: Manner = PLAIN,
    faults: Faults = NO_FAULTS,
    log: Log = None,
) -> AsyncIterator[Served]:
    """Serve a web as long as the block lasts; port 0 takes a free one. `log` is told every request: a function, or a
    file that gets a line of JSON each, at once."""
    told, close = _teller(log)
    served = Served(world, manner, faults, told)
    loop = asyncio.get_running_loop()
    try:
        server = await loop.create_server(lambda: Connection(served), host, port, backlog=4096)
    except (OSError, OverflowError) as error:
        close()
        number = getattr(error, "errno", None) or 0  # those below zero are of names that are not known
        reason = os.strerror(number) if number > 0 else str(error)
        raise Problem(f"Nothing can be served at {host}:{port} ({reason}). Name another --port, or 0.") from error
    served.port = server.sockets[0].getsockname()[1]
    sweeping = asyncio.create_task(served.sweep())
    try:
        yield served
    finally:
        sweeping.cancel()
        server.close()
        for connection in tuple(served.connections):
            connection.transport.abort()
        while served.connections:
            await asyncio.sleep(0)
        close()


def _teller(log: Log) -> tuple[Callable[[LoggedRequest], object] | None, Callable[[], object]]:
    """What is told of every request, and what closes it."""
    if not isinstance(log, Path):
        return log, lambda: None
    try:
        file = log.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise Problem(f"The log {log} cannot be written: {error.strerror}.") from error
    return lambda asked: file.write(json.dumps(asked._asdict()) + "\n"), file.close


async def main_serve(
    spec: str,
    *,
    port: int = 0,
    host: str = "127.0.0.1",
    manner: Manner = PLAIN,
    faults: Faults = NO_FAULTS,
    log: Path | None = None,
    cache: Path | None = None,
) -> None:
    """Serve what `--web` may name until Ctrl-C. One line on stdout says that it is ready, and where."""
    world = open_web(spec, cache)
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)
    async with serve(world, port=port, host=host, manner=manner, faults=faults, log=log) as served:
        for each in signals:
            loop.add_signal_handler(each, over.set)
        via = f"{host}:{served.port}"
        count = world.host_count()
        size = "" if count is None else f" ({count:,} hosts)"
        print(f"serving {_printable(world.name)} at http://{via}{size}; crawl it with --via {via}", flush=True)
        if manner.tells_time:
            now = datetime.fromtimestamp(served.web_time().now, UTC)
            print(f"There it is {now:%Y-%m-%d %H:%M} UTC, and time passes {manner.speed:g} times as fast.", flush=True)
        loop.run_in_executor(None, _hint, world, via)
        await over.wait()
        for each in signals:
            loop.remove_signal_handler(each)


def _hint(world: World, via: str) -> None:
    """Commands to try, for some of the topics that come with the web. Finding these may take a while."""
    try:
        tasks = world.tasks()
    except Problem as problem:
        print(problem, file=sys.stderr)
        return
    for task in list(tasks.values())[:_TASKS_SHOWN]:
        topic = ", ".join(task.topic.keywords) or task.topic.description
        typed = shell_command("crawl", *task.seeds[:1], "--topic", topic, "--via", via)
        print(_printable(typed), file=sys.stderr, flush=True)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)
