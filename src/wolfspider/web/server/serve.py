"""Any World as real HTTP, on one port, for every host name in it.

The name in the Host header and the path make the address that the World is asked for, so thousands of hosts live on
one server, and a crawler reaches them by `--via 127.0.0.1:PORT`. Addresses with https are answered alike, but the
server itself speaks plain HTTP only. A redirect is a real redirect: the client does its hops. ETag and Last-Modified
are there, and 304 for who has the page already.

How it is served is data: `Manner` says how slowly and in which encodings, `Faults` (replies.py) what goes wrong.

Every request is written down when its answer ends, however it ended: `Served.log` in memory, and a line of JSON each if
a file is given. Times are of the monotonic clock, which all processes of a machine share, so that the log of a server
can be held against what a crawler did. How many requests a host had at once is counted as well.

The server reads requests of anybody: a head has a bound, and what is no plain GET or HEAD for a path on a host is
refused with a 4xx and the connection closed.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from wolfspider.core.errors import Problem, closest
from wolfspider.web.server.replies import ENCODINGS, Faults, Replies, Reply, is_robots, mistyped, plain_reply
from wolfspider.web.server.wire import MOST_HEAD, MOST_LINE, NO_BODY, Request, accepts, head_of, read_request, reset
from wolfspider.web.worlds.world import Servable, World, open_web

MOST_LOGGED = 2_000_000  # requests that are kept in memory
IDLE = 60.0  # seconds after which a client that neither asks nor reads is sent away
TICK = 0.1  # seconds for which the time of the served web stands still
_STEP = 0.05  # seconds between two pieces of a body that is sent slowly
_FAREWELL = 1.0  # seconds
_TASKS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Manner:
    """How a web is served."""

    latency: float | Callable[[str], float] = 0.0  # seconds before an answer begins; a function is given the host
    rate: float = 0.0  # bytes per second of each connection; 0 = as fast as it goes
    encodings: tuple[str, ...] = ("gzip",)  # in the order they are preferred; none = never compressed
    robots: str | None = None  # the robots.txt of every host, in place of the web's own (replies.robots_text)
    speed: float = 1.0  # seconds that pass in the web in one of ours; 0 = it stands still

    def __post_init__(self) -> None:
        if self.rate < 0 or self.speed < 0 or (not callable(self.latency) and self.latency < 0):
            raise Problem("latency, rate and speed must not be negative.")
        for name in self.encodings:
            if name not in ENCODINGS:
                raise Problem(f"{name!r} is no encoding that can be served.{closest(name, ENCODINGS)}")


PLAIN = Manner()
NO_FAULTS = Faults()


class Asked(NamedTuple):
    """One request, and what became of it."""

    host: str  # "" for a request that was refused
    path: str  # with the query
    arrived: float
    ended: float
    status: int  # 0 if there was no answer
    agent: str
    whole: bool  # was all of the answer handed to the network?
    fault: str  # of Faults, by name


Log = Callable[[Asked], object] | Path | None


class Served:
    """A web on a port. `log` holds the newest requests, in the order their answers ended."""

    def __init__(self, world: Servable, manner: Manner, faults: Faults, told: Callable[[Asked], object] | None) -> None:
        self.world, self.manner, self.faults = world, manner, faults
        self.port = 0
        self.log: deque[Asked] = deque(maxlen=MOST_LOGGED)
        self.replies = Replies(world, self.now, manner.robots)
        self.connections: set[Connection] = set()
        self._told = told
        self._began = time.monotonic()
        self._faulty = any(faults.shares().values())
        self._failed_once: set[str] = set()
        self._at_once: Counter[str] = Counter()
        self._worst: dict[str, int] = {}

    def now(self) -> float:
        """The time in the web."""
        ticks = int((time.monotonic() - self._began) / TICK)
        return self.world.start + ticks * TICK * self.manner.speed

    def worst(self, host: str | None = None) -> int:
        """The most requests that this host had at once; without a name, of all hosts the most that one had."""
        return max(self._worst.values(), default=0) if host is None else self._worst.get(host, 0)

    def latency(self, host: str) -> float:
        return self.manner.latency(host) if callable(self.manner.latency) else self.manner.latency

    def enters(self, host: str) -> None:
        self._at_once[host] += 1
        if self._at_once[host] > self._worst.get(host, 0):
            self._worst[host] = self._at_once[host]

    def leaves(self, asked: Asked) -> None:
        if asked.host:
            self._at_once[asked.host] -= 1
            if not self._at_once[asked.host]:
                del self._at_once[asked.host]
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
        for name in self.manner.encodings:
            if name in wanted:
                packed = self.replies.coded(url, reply, name)
                return packed, "" if packed is reply.body else name
        return reply.body, ""

    def send_idle_away(self) -> None:
        now = time.monotonic()
        for connection in tuple(self.connections):
            if (connection.asked is None or connection.stalled) and now - connection.heard > IDLE:
                connection.leave()


class Connection(asyncio.Protocol):
    """One client: its requests one after another, each answered before the next is read."""

    transport: asyncio.Transport

    def __init__(self, served: Served) -> None:
        self.served = served
        self.buffer = bytearray()
        self.asked: Request | None = None  # what is being answered
        self.heard = self.arrived = self.sent = time.monotonic()
        self.status = 0
        self.fault = ""
        self.stalled = False  # the client does not read what it was sent
        self.refused = False  # nothing it says is listened to any more
        self.timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.served.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.served.connections.discard(self)
        if self.timer is not None:
            self.timer.cancel()
        self._done(whole=False)

    def pause_writing(self) -> None:
        self.stalled = True

    def resume_writing(self) -> None:
        self.stalled = False
        self._go_on()

    def data_received(self, data: bytes) -> None:
        if self.refused:
            return
        self.heard = time.monotonic()
        self.buffer += data
        self._go_on()
        if len(self.buffer) > MOST_HEAD and not self.transport.is_closing():
            self.transport.pause_reading()

    def leave(self) -> None:
        """End the connection, whatever was still to be sent."""
        self.transport.abort()

    def _go_on(self) -> None:
        """Answer what has been asked for, as far as it can be answered at once."""
        while self.asked is None and not (self.stalled or self.refused or self.transport.is_closing()):
            head = self._head()
            if head is None:
                break
            request = read_request(head)
            if isinstance(request, int):
                self._refuse(request)
            else:
                self._begin(request)
        if len(self.buffer) <= MOST_HEAD and not self.transport.is_closing():
            self.transport.resume_reading()

    def _head(self) -> bytes | None:
        """The next request, if all of it is there."""
        while self.buffer.startswith(b"\r\n"):
            del self.buffer[:2]
        end = self.buffer.find(b"\r\n\r\n", 0, MOST_HEAD + 4)
        if end < 0:
            if len(self.buffer) > MOST_LINE and self.buffer.find(b"\r\n", 0, MOST_LINE) < 0:
                self._refuse(414)
            elif len(self.buffer) > MOST_HEAD:
                self._refuse(431)
            return None
        head = bytes(self.buffer[:end])
        del self.buffer[: end + 4]
        return head

    def _refuse(self, status: int) -> None:
        """What is still on its way is heard out for a moment: to hang up on it would tear the refusal away as well."""
        now = time.monotonic()
        reply = plain_reply(status)
        self.refused = True
        self.buffer.clear()
        self.transport.write(head_of(reply, reply.body, "", stays=False) + reply.body)
        self.transport.write_eof()
        self._later(_FAREWELL, self.leave)
        self.served.leaves(Asked("", "", now, now, status, "", True, ""))

    def _begin(self, request: Request) -> None:
        self.asked, self.status, self.fault = request, 0, ""
        self.arrived = time.monotonic()
        self.served.enters(request.host)
        latency = self.served.latency(request.host)
        if latency > 0:
            self._later(latency, self._answer, request)
        else:
            self._answer(request)

    def _answer(self, request: Request) -> None:
        url = f"http://{request.host}{request.path}"
        self.fault = self.served.fault(url)
        if self.fault == "resets":
            reset(self.transport)
            return
        reply = self.served.reply(url, self.fault)
        if reply.silence:
            self._later(reply.silence / (self.served.manner.speed or 1.0), self.leave)
            return
        if reply.unchanged(request.header(b"if-none-match"), request.header(b"if-modified-since")):
            reply = Reply(304, reply.fields, etag=reply.etag)
        body, form = self.served.coded(url, reply, request.header(b"accept-encoding"))
        stays = request.stays and self.fault != "cut"
        self.status = reply.status
        head = head_of(reply, body, form, stays)
        nothing = request.head_only or reply.status in NO_BODY
        self._send(head, b"" if nothing else body)

    def _send(self, head: bytes, body: bytes) -> None:
        rate = self.served.faults.slow_rate if self.fault == "slow" else self.served.manner.rate
        if self.fault == "cut":
            body = body[: len(body) // 2]
        if rate and body:
            self.transport.write(head)
            self._trickle(memoryview(body), rate)
        else:
            self._sending()
            self.transport.write(head + body)  # in Python 3.12, writelines would never call pause_writing
            self._done()

    def _trickle(self, rest: memoryview, rate: float) -> None:
        pause = max(_STEP, 1 / rate)
        size = max(1, round(rate * pause))
        if not self.stalled:
            self._sending()
            self.transport.write(rest[:size])
            rest = rest[size:]
        if rest:
            self._later(pause, self._trickle, rest, rate)
        else:
            self._done()

    def _sending(self) -> None:
        """An answer ends when its last piece is handed over: whoever gets it may be quicker than we look at the
        clock."""
        self.sent = time.monotonic()

    def _done(self, whole: bool = True) -> None:
        """Write the request down and be ready for the next."""
        request, self.asked = self.asked, None
        if request is None:
            return
        self.heard = time.monotonic()
        ended = self.sent if self.sent >= self.arrived else self.heard
        whole = whole and self.fault != "cut"
        facts = (self.arrived, ended, self.status, request.header(b"user-agent")[:500], whole, self.fault)
        self.served.leaves(Asked(request.host, request.path, *facts))
        if not request.stays or not whole:
            self.transport.close()

    def _later(self, seconds: float, call: Callable[..., None], *arguments: object) -> None:
        def now() -> None:
            self.timer = None
            call(*arguments)
            if self.asked is None:
                self._go_on()

        self.timer = asyncio.get_running_loop().call_later(seconds, now)


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
    sweeping = asyncio.create_task(_sweep(served))
    try:
        yield served
    finally:
        sweeping.cancel()
        server.close()
        for connection in tuple(served.connections):
            connection.leave()
        while served.connections:
            await asyncio.sleep(0)
        close()


async def _sweep(served: Served) -> None:
    while True:
        await asyncio.sleep(IDLE / 4)
        served.send_idle_away()


def _teller(log: Log) -> tuple[Callable[[Asked], object] | None, Callable[[], object]]:
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
        words = ("wolfspider", "crawl", *task.seeds[:1], "--topic", topic, "--via", via)
        print(_printable(shlex.join(words)), file=sys.stderr, flush=True)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)
