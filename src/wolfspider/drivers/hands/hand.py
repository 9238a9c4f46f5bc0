"""A hand: a process that asks the hosts it was dealt, and reads what they answer. This module, run by itself.

It is a Live web of its own, with the turns and rules of its own hosts. Before a request goes out it asks the head for
leave. It ends with the head: by a signal of the system where there are such signals, or when its messages end. A page
that takes too long to read ends it, too; a note says which page it was.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import itertools
import os
import resource
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from wolfspider.core.events import Phase
from wolfspider.core.model import Capture, Failure, Fetch, Page, host_of
from wolfspider.drivers.cluster.leases import STAMPS, Lease, machine_clock
from wolfspider.drivers.hands import hand_wire as wire
from wolfspider.drivers.hands.hand_wire import Wire
from wolfspider.drivers.hands.here import still_holds
from wolfspider.drivers.reading import ReadHere
from wolfspider.files.failpoints import reach
from wolfspider.web.http.client import Answer
from wolfspider.web.http.gates import Lanes
from wolfspider.web.http.live_robots import REDIRECTS
from wolfspider.web.http.trip import Trip
from wolfspider.web.http.web_plan import WebPlan
from wolfspider.web.memory_budget import MemoryBudget, MemoryClaim, holding, parsing
from wolfspider.web.page.c_heap import large_blocks_apart
from wolfspider.web.page.main_text import read_page
from wolfspider.web.page.packed import parts_of
from wolfspider.web.page.taming import LARGE
from wolfspider.web.warc import writer
from wolfspider.web.worlds.world import Request

SECONDS = 20.0  # of the processor, for reading a page
_SELDOM = 100_000  # objects
_WAITING = frozenset((Phase.ROBOTS, Phase.TURN, Phase.REST))
_PR_SET_PDEATHSIG = 1


class HandProcess:
    def __init__(self, notes: int) -> None:
        self.wire = Wire(self._hear, lambda: os._exit(0))
        self._notes = notes
        self._read = ReadHere(self._noted)
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._claims: dict[int, MemoryClaim] = {}  # of what the head still has
        self._reading: dict[int, int] = {}  # which step an answer belongs to
        self._asked: dict[int, asyncio.Future[Any]] = {}  # questions to the head
        self._numbers = itertools.count(1)
        self._counted = (0, 0, 0)
        self._lease: Lease | None = None  # on a cluster
        self._renewed = asyncio.Event()

    def _hear(self, kind: int, *told: Any) -> None:
        match kind:
            case wire.BEGIN:
                self._begin(*told)
            case wire.STEP:
                self._start(told[0], self._step(*told))
            case wire.RULES:
                self._start(told[0], self._rules(*told))
            case wire.MAY:
                self._answered(*told)
            case wire.ABROAD:
                self._answered(told[0], told[1:])
            case wire.CANCEL:
                self._cancel(*told)
            case wire.FREE:
                for number in told[0]:
                    self._released(number)
            case wire.FOLLOW:
                self._follow(*told)
            case wire.NAMED:
                self._live.guard.name(told[0])
            case wire.LEARN:
                self._live.polite.learn(told[0])
                self._live.polite.news()
            case wire.RENEW:
                assert self._lease is not None
                self._lease.renewed(told[0])
                self._renewed.set()
            case _:
                raise ValueError("the head says no such thing")

    def _begin(
        self,
        plan: dict[str, Any],
        memory: int,
        hands: int,
        largest: int,
        offset: float,
        named: list[str],
        main: bool,
        lease: float,
        limits: tuple[float, int, int],
        hosts: list[Any],
    ) -> None:
        loop, speed = asyncio.get_running_loop(), plan["manners"]["speed"]
        self._main = main
        self._clock: Callable[[], float] = lambda: loop.time() * speed + offset
        self._budget = MemoryBudget(memory, largest=largest, hands=hands)
        self._live = WebPlan.of(plan).made(self._clock, named)
        self._live.polite.learn(hosts)
        self._live.polite.news()
        self._live.elsewhere = self._elsewhere
        self._live.lanes = _Leave(self)
        self._services = self._live.without_robots()
        self._services.lanes = self._live.lanes
        self._follow(*limits)
        if lease:
            self._lease = Lease(lease)
            self._live.client.only_while(self.in_touch)
            self._start(0, self._stay_in_touch(lease / STAMPS))

    def _follow(self, delay: float, connections: int, per_address: int) -> None:
        self._live.polite.set_delay(delay)
        self._live.client.keep_connections(connections)
        if per_address:
            self._live.polite.set_per_address(per_address)

    # On a cluster no request goes out while the head may have given this hand up.

    def in_touch(self) -> bool:
        return self._lease is None or self._lease.holds(machine_clock())

    async def in_touch_again(self) -> None:
        while not self.in_touch():
            self._renewed.clear()
            await self._renewed.wait()

    async def _stay_in_touch(self, seconds: float) -> None:
        while True:
            self.wire.send(wire.ALIVE, machine_clock())
            await asyncio.sleep(seconds)

    def _start(self, number: int, work: Any) -> None:
        task = self._tasks[number] = asyncio.create_task(work)
        task.add_done_callback(lambda task: self._ended(number, task))

    def _ended(self, number: int, task: asyncio.Task[None]) -> None:
        """A bug here is one of the crawl's: it ends the hand, and the system shows it. The head waits for the end of
        what it called off, too."""
        self._tasks.pop(number, None)
        if task.cancelled():
            failure = ["waiting", "called off"]
            self.wire.send(wire.DONE, number, self._news(), 0.0, self._clock(), failure, None)
        elif (bug := task.exception()) is not None:
            sys.excepthook(type(bug), bug, bug.__traceback__)
            os._exit(70)

    def _cancel(self, number: int) -> None:
        if task := self._tasks.get(number):
            task.cancel()
        self._released(number)

    def _released(self, number: int) -> None:
        if claim := self._claims.pop(number, None):
            claim.release()

    # Questions to the head

    async def ask(self, kind: int, *told: Any) -> Any:
        number = next(self._numbers)
        future = self._asked[number] = asyncio.get_running_loop().create_future()
        self.wire.send(kind, number, *told)
        try:
            return number, await future
        except BaseException:
            self.wire.send(wire.LEFT, number)
            raise
        finally:
            del self._asked[number]

    def _answered(self, number: int, what: Any) -> None:
        if (future := self._asked.get(number)) and not future.done():
            future.set_result(what)
        elif not future:
            self.wire.send(wire.LEFT, number)

    def _elsewhere(self, url: str) -> Awaitable[Answer | Failure] | None:
        """The rules of a host may lie with another one, which the head knows the owner of."""
        assert self._live.hosts is not None
        return None if self._live.hosts.knows(host_of(url)) else self._abroad(url)

    async def _abroad(self, url: str) -> Answer | Failure:
        _, (_, at, failure, answer) = await self.ask(wire.FOREIGN, url)
        if answer is None:
            return Failure(*failure)
        headers, body, cut, status, _ = answer
        return Answer(Capture(url, at, status, (), b""), headers, body, 0.0, cut)

    # Steps

    async def _step(
        self,
        number: int,
        url: str,
        hops: int,
        seconds: float,
        deadline: float | None,
        held: dict[str, str],
        read: bool,
        robots: bool,
        rules: Any,
    ) -> None:
        if rules is not None and self._live.robots is not None:
            origin, *row = rules
            self._live.robots.restore({origin: tuple(row)}, self._clock())
        claim = self._budget.claim() if read else MemoryClaim()
        step = _Step(self, number, Request(url, deadline, held, claim=claim), hops, seconds)
        try:
            answer = await (self._live if robots else self._services).step(step)
            if isinstance(answer, Failure):
                self._done(number, step, list(answer))
            elif answer.status in REDIRECTS or not read:
                self._done(number, step, None, _told(answer, b"" if read else answer.body))
            else:
                await self._bring(number, step, answer, claim)
        finally:
            if number not in self._claims:
                claim.release()

    async def _bring(self, number: int, step: Trip, answer: Answer, claim: MemoryClaim) -> None:
        step.captures.append(answer.capture)
        fetch = step.arrived(answer)
        if still_holds(fetch, step.request):
            self._done(number, step, None, _told(answer, b"", packed=False))
            return
        await claim.grow(parsing(fetch))
        self._reading[id(fetch)] = number
        try:
            result = await self._read(fetch)
        finally:
            del self._reading[id(fetch)]
        parts = parts_of(result)
        reach("hand-done")
        size = self._done(number, step, None, _told(answer, b"", parts))
        claim.settle(holding(fetch, result) + size)
        self._claims[number] = claim

    def _noted(self, fetch: Fetch) -> Page | Failure:
        """Read an answer, and leave a note meanwhile whose it is."""
        os.pwrite(self._notes, self._reading[id(fetch)].to_bytes(8, "little"), 0)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            reach("hand-reading")
            return read_page(fetch, bounded=len(fetch.body) <= LARGE, main=self._main)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            os.pwrite(self._notes, bytes(8), 0)

    async def _rules(self, number: int, url: str) -> None:
        """On behalf of another hand."""
        assert self._live.hosts is not None
        failure, told = None, None
        if self._live.hosts.allows(host_of(url)):
            answer = await self._live.ask_for_rules(url)
        else:
            answer = Failure("crowded", f"its domain has more than {self._live.hosts.most} hosts")
        if isinstance(answer, Failure):
            failure = list(answer)
        else:
            told = [dict(answer.headers), answer.body, answer.cut, answer.status, None]
        self.wire.send(wire.DONE, number, self._news(), 0.0, self._clock(), failure, told)

    def _done(self, number: int, step: Trip, failure: Any = None, answer: Any = None) -> int:
        return self.wire.send(wire.DONE, number, self._news(), step.seconds, step.at, failure, answer)

    def _news(self) -> tuple[Any, ...]:
        """What was learned since the last time."""
        counters, before = self._live.counters, self._counted
        self._counted = counters.overhead, counters.requests + self._services.counters.requests, counters.bytes
        counted = (now - then for now, then in zip(self._counted, before, strict=True))
        robots = self._live.robots.state() if self._live.robots is not None else {}
        return self._live.polite.news(), [(origin, *row) for origin, row in robots.items()], *counted


class _LineToHead:
    """What a step and the head tell each other. The step has it by its request, and it does not have the step: such a
    circle would stay in memory, with a whole answer, until garbage is sought."""

    def __init__(self, hand: HandProcess, number: int) -> None:
        self.number, self.leave, self._hand = number, wire.GO, hand

    def allows(self, url: str) -> bool:
        return self.leave != wire.EXCLUDED

    def may_send(self) -> bool:
        return self.leave != wire.WITHHELD

    def waits(self, waiting: bool, phase: Phase | None = None) -> None:
        self._hand.wire.send(wire.WAITS, self.number, waiting, phase)

    def doing(self, phase: Phase) -> None:
        if phase in _WAITING:
            self.waits(True, phase)


class _Step(Trip):
    """One step of a visit, as the head wants it. What it asks of the crawl goes to the head."""

    def __init__(self, hand: HandProcess, number: int, request: Request, hops: int, seconds: float) -> None:
        line = self.line = _LineToHead(hand, number)
        told = replace(request, allows=line.allows, may_send=line.may_send, waits=line.waits, doing=line.doing)
        super().__init__(told, hops, seconds)


class _Leave(Lanes):
    """The head gives leave to send a request; it has the lanes of all hands."""

    def __init__(self, hand: HandProcess) -> None:
        super().__init__(0)
        self._hand = hand

    @asynccontextmanager
    async def lane(self, url: str, trip: object = None) -> AsyncIterator[None]:
        step = trip if isinstance(trip, _Step) else None
        while True:
            lane, leave = await self._hand.ask(wire.ASK, step.line.number if step else 0, url)
            if self._hand.in_touch():
                break
            self._hand.wire.send(wire.LEFT, lane)  # it was given too long ago
            await self._hand.in_touch_again()
        if step is not None:
            step.line.leave = leave
        reach("hand-sending")
        try:
            yield
        finally:
            if step is None:  # else it is over when the step is done
                self._hand.wire.send(wire.LEFT, lane)


def _told(answer: Answer, body: bytes, parts: Any = None, packed: bool = True) -> list[Any]:
    capture = answer.capture
    told: tuple[Any, ...] = (capture.url, capture.at, capture.status)
    if packed:
        told = (*told, *writer.exchange(capture), len(answer.body))
    else:
        told = (*told, capture.headers, capture.body, capture.address, capture.cut, capture.asked)
    return [dict(answer.headers), body, answer.cut, told, parts]


async def _serve(handle: int, notes: int) -> None:
    hand = HandProcess(notes)
    await hand.wire.connect(handle)
    await asyncio.Event().wait()


def _main(handle: str, notes: str) -> None:
    """Signals are for the head to mind, and it ends with the head. The parent may be gone already. Until here signals
    were held; those that came are forgotten."""
    for ignored in wire.SIGNALS_OF_THE_HEAD:
        signal.signal(ignored, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, wire.SIGNALS_OF_THE_HEAD)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    large_blocks_apart()
    gc.freeze()
    gc.set_threshold(_SELDOM)
    asyncio.run(_serve(int(handle), int(notes)))


if __name__ == "__main__":
    _main(*sys.argv[1:])
