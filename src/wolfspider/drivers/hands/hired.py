"""One hand that is a process, as the head sees it: hired when it is needed, and replaced when it is gone."""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any

import xxhash

from wolfspider.core.errors import Problem
from wolfspider.core.events import Phase
from wolfspider.core.model import host_of
from wolfspider.drivers.hands import hand_wire as wire
from wolfspider.drivers.hands.errand import Errand
from wolfspider.drivers.hands.hand_wire import Wire
from wolfspider.files.failpoints import VARIABLE
from wolfspider.files.one_thread import ONE_THREAD
from wolfspider.web.http.live_robots import origin_of
from wolfspider.web.http.live_web import Live
from wolfspider.web.http.web_plan import WebPlan

MOST_DEATHS = 8  # in a row, without an answer in between
_REST = 0.05  # seconds before a hand that died is replaced, doubled for each further death


@dataclass(slots=True)
class Orders:
    """What every hand is told when it begins."""

    plan: WebPlan
    hands: int
    memory: int  # bytes of all processes together
    largest: int  # bytes of a page that a person wants read
    offset: float  # of the crawl's clock against the machine's own
    named: list[str] = field(default_factory=list)  # hosts that the person named
    main: bool = False  # is the main text of pages wanted?


class Hired:
    """`owns`: is a host one of this hand's? `owner` gives the hand of any host."""

    def __init__(self, web: Live, orders: Orders, owns: Callable[[str], bool], owner: Callable[[str], Hired]) -> None:
        self._web, self._orders, self._owns, self._owner = web, orders, owns, owner
        self._wire: Wire | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._notes: IO[bytes] | None = None  # says which step it is reading the answer of
        self._hiring = asyncio.Lock()
        self._deaths, self._closed = 0, False
        self._numbers = itertools.count(1)
        self._out: dict[int, tuple[Errand | None, asyncio.Future[Any]]] = {}  # steps and rules asked for
        self._lanes: dict[int, tuple[str, int]] = {}  # requests on the wire: the host, and the step
        self._tasks: set[asyncio.Task[None]] = set()
        self._told: set[int] = set()  # origins whose rules it knows
        self._freed: list[int] = []
        self._limits: tuple[float, int] = (0.0, 0)

    # What it is asked to do

    async def step(self, errand: Errand) -> Any:
        """What came of it; if the hand died, whether reading the answer killed it."""
        trip = errand.trip
        request = trip.request
        hand = await self._running()
        told = (trip.url, len(trip.hops), trip.seconds, request.deadline, dict(request.held), errand.read)
        return await self._asked(hand, errand, wire.STEP, *told, errand.robots, self._rules(trip.url))

    async def _asked(self, hand: Wire, errand: Errand | None, kind: int, *told: Any) -> Any:
        number, future = next(self._numbers), asyncio.get_running_loop().create_future()
        self._out[number] = errand, future
        hand.send(kind, number, *told)
        try:
            return await future
        except BaseException:
            self._out.pop(number, None)
            self._leave(number)
            self._send(wire.CANCEL, number)
            raise

    def follow(self) -> None:
        """Tell it the limits of the crawl, if they have changed."""
        limits = self._limits_now()
        if limits != self._limits:
            self._limits = limits
            self._send(wire.FOLLOW, *limits)

    def _limits_now(self) -> tuple[float, int]:
        """The rest of hosts, and its share of the connections."""
        return self._web.polite.manners.delay, max(1, self._web.lanes.count // self._orders.hands)

    def name(self, hosts: list[str]) -> None:
        self._send(wire.NAMED, hosts)

    async def close(self) -> None:
        self._closed = True
        for task in self._tasks:
            task.cancel()
        if self._wire is not None:
            self._wire.close()
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)

    def _send(self, *message: Any) -> None:
        if self._wire is not None:
            self._wire.send(*message)

    def _free(self, hand: Wire | None, number: int) -> None:
        """What it brought is on the disk. A hand that was hired since has nothing to do with it."""
        if hand is not self._wire or hand is None:
            return
        if not self._freed:
            asyncio.get_running_loop().call_soon(self._send_freed)
        self._freed.append(number)

    def _send_freed(self) -> None:
        self._send(wire.FREE, self._freed)
        self._freed = []

    def _rules(self, url: str) -> Any:
        """The rules of a host, if the head knows them and the hand does not."""
        origin, robots = origin_of(url), self._web.robots
        key = xxhash.xxh3_64_intdigest(origin.encode())
        if robots is None or key in self._told or (row := robots.row(url)) is None:
            return None
        self._told.add(key)
        return origin, *row

    # Its life

    async def _running(self) -> Wire:
        async with self._hiring:
            if self._wire is None:
                if self._deaths >= MOST_DEATHS:
                    raise Problem(
                        f"A hand, a process that downloads pages, died {self._deaths} times in a row. Look at what the "
                        "system says of it (memory, limits), or crawl without: --hands 0."
                    )
                if self._deaths:
                    await asyncio.sleep(_REST * 2**self._deaths)
                self._wire = await self._hire()
            return self._wire

    async def _hire(self) -> Wire:
        ours, theirs = wire.pair()
        self._notes = tempfile.TemporaryFile()  # noqa: SIM115  (closed when it is gone)
        handles = theirs.fileno(), self._notes.fileno()
        environment = {**os.environ, **ONE_THREAD}
        if self._deaths:  # a fail-point kills one hand
            environment.pop(VARIABLE, None)
        command = [sys.executable, "-P", "-m", "wolfspider.drivers.hands.hand", *map(str, handles)]
        quiet = subprocess.DEVNULL
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603  (our own interpreter and module)
                command, stdin=quiet, stdout=quiet, pass_fds=handles, env=environment
            )
        hand = Wire(self._hear, self._lost)
        await hand.connect(ours)
        orders, web = self._orders, self._web
        self._limits = self._limits_now()
        share = (orders.memory, orders.hands, orders.largest, orders.offset, orders.named, orders.main)
        hand.send(wire.BEGIN, orders.plan.plain(), *share, self._limits, web.polite.rows(self._owns))
        return hand

    def _lost(self) -> None:
        """It died, or made no sense. Hosts that it was asking rest from now on."""
        process, self._process, notes, self._notes = self._process, None, self._notes, None
        blamed = 0
        if notes is not None:
            blamed = int.from_bytes(os.pread(notes.fileno(), 8, 0), "little")
            notes.close()
        if process is not None and not self._closed:
            process.kill()
            self._later(asyncio.to_thread(process.wait))
        self._wire = None
        self._deaths += 1
        self._told.clear()
        self._freed = []
        for host, _ in self._lanes.values():
            self._web.polite.asked(host)
            self._web.lanes.free()
        self._lanes.clear()
        out, self._out = self._out, {}
        for number, (_, future) in out.items():
            if not future.done():
                future.set_result(number == blamed)

    def _later(self, work: Any) -> None:
        async def done() -> None:
            await work

        task = asyncio.create_task(done())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # What it says

    def _hear(self, kind: int, *told: Any) -> None:
        match kind:
            case wire.DONE:
                self._done(*told)
            case wire.ASK:
                self._ask(*told)
            case wire.LEFT:
                self._leave_lane(*told)
            case wire.WAITS:
                number, *rest = told
                if (out := self._out.get(number)) and out[0] is not None:
                    out[0].waits(*rest)
            case wire.NEWS:
                self._learn(*told)
            case wire.FOREIGN:
                self._later(self._abroad(*told))
            case _:
                raise ValueError("a hand says no such thing")

    def _done(self, number: int, news: Any, *what: Any) -> None:
        self._deaths = 0
        if news is not None:
            self._learn(*news)
        self._leave(number)
        free = partial(self._free, self._wire, number)
        out = self._out.pop(number, None)
        if out is None or out[1].done():
            free()
        else:
            out[1].set_result((free, *what))

    def _learn(self, hosts: Any, rules: Any, overhead: int, requests: int, size: int) -> None:
        self._web.polite.learn(hosts)
        if rules and self._web.robots is not None:
            self._web.robots.learn({origin: (text, status, read) for origin, text, status, read in rules})
            self._told.update(xxhash.xxh3_64_intdigest(origin.encode()) for origin, *_ in rules)
        counters = self._web.counters
        counters.overhead += overhead
        counters.requests += requests
        counters.bytes += size

    def _ask(self, lane: int, number: int, url: str) -> None:
        """A request is about to go out. It gets one of the lanes that all hands share."""
        if self._web.lanes.take():
            self._grant(lane, number, url)
        else:
            if (out := self._out.get(number)) and out[0] is not None:
                out[0].trip.request.doing(Phase.SLOT)
            self._later(self._grant_later(lane, number, url, self._wire))

    async def _grant_later(self, lane: int, number: int, url: str, hand: Wire | None) -> None:
        await self._web.lanes.__aenter__()
        if hand is self._wire and hand is not None:
            self._grant(lane, number, url)
        else:
            self._web.lanes.free()

    def _grant(self, lane: int, number: int, url: str) -> None:
        out = self._out.get(number)
        if number and (out is None or out[0] is None):  # called off meanwhile
            self._web.lanes.free()
            return
        leave = out[0].may_go() if out and out[0] is not None else wire.GO
        if leave == wire.GO:
            host = host_of(url)
            self._lanes[lane] = host, number
            self._web.polite.asked(host)
        else:
            self._web.lanes.free()
        self._send(wire.MAY, lane, leave)

    def _leave(self, number: int) -> None:
        """A step is over, and with it its request."""
        for lane in [lane for lane, (_, of) in self._lanes.items() if of == number]:
            self._leave_lane(lane)

    def _leave_lane(self, lane: int) -> None:
        if self._lanes.pop(lane, None) is not None:
            self._web.lanes.free()

    async def _abroad(self, number: int, url: str) -> None:
        """Rules that lie with a host of another hand."""
        asking = self._wire
        other = self._owner(host_of(url))
        done: Any = False
        while isinstance(done, bool):
            done = await other._asked(await other._running(), None, wire.RULES, url)
        if asking is self._wire:
            _, *what = done
            self._send(wire.ABROAD, number, *what)
