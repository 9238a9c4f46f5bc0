"""One hand in another process, as the head sees it: what it is asked to do, and what it says. Wherever it is."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import xxhash

from wolfspider.core.events import Phase
from wolfspider.core.model import host_of
from wolfspider.drivers.hands import hand_wire as wire
from wolfspider.drivers.hands.errand import Errand
from wolfspider.web.http.live_robots import origin_of
from wolfspider.web.http.live_web import Live
from wolfspider.web.http.web_plan import WebPlan


class WayThere(Protocol):
    """What carries messages to a hand."""

    def send(self, *message: Any) -> int: ...

    def close(self) -> None: ...


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
    """`owner` gives the hand of any host. A home of hands says by `_running` how there comes to be one."""

    def __init__(self, web: Live, orders: Orders, owner: Callable[[str], Awaitable[Hired]]) -> None:
        self._web, self._orders, self._owner = web, orders, owner
        self._wire: WayThere | None = None
        self._closed = False
        self._numbers = itertools.count(1)
        self._out: dict[int, tuple[Errand | None, asyncio.Future[Any]]] = {}  # steps and rules asked for
        self._lanes: dict[int, tuple[str, int]] = {}  # requests on the wire: the host, and the step
        self._tasks: set[asyncio.Task[None]] = set()
        self._told: set[int] = set()  # origins whose rules it knows
        self._freed: list[int] = []
        self._limits: tuple[float, int, int] = (0.0, 0, 0)

    async def _running(self) -> WayThere | None:
        """The way to it; None if it is gone, and others do its work."""
        return self._wire

    # What it is asked to do

    async def step(self, errand: Errand) -> Any:
        """What came of it; if the hand died, whether reading the answer killed it."""
        trip = errand.trip
        request = trip.request
        if (hand := await self._running()) is None:
            return False
        told = (len(trip.hops), trip.seconds, request.deadline, dict(request.held), errand.read)
        return await self._asked(hand, errand, wire.STEP, trip.url, *told, errand.robots, self._rules(trip.url))

    async def _asked(self, hand: WayThere, errand: Errand | None, kind: int, url: str, *told: Any) -> Any:
        number, future = next(self._numbers), asyncio.get_running_loop().create_future()
        self._out[number] = errand, future
        self._begins(number, url)
        hand.send(kind, number, url, *told)
        try:
            return await future
        except BaseException:  # it says when it is over
            self._out.pop(number, None)
            self._send(wire.CANCEL, number)
            raise

    def _begins(self, number: int, url: str) -> None:
        """It is about to be asked for this address."""

    def _over(self, number: int) -> None:
        """And has no more to do with it."""

    def follow(self) -> None:
        """Tell it the limits of the crawl, if they have changed."""
        limits = self._limits_now()
        if limits != self._limits:
            self._limits = limits
            self._send(wire.FOLLOW, *limits)

    def _limits_now(self) -> tuple[float, int, int]:
        """The rest of hosts, and its share of the connections, and of the requests to an address."""
        manners, hands = self._web.polite.manners, self._sharing()
        share = max(1, manners.per_address // hands) if manners.per_address else 0
        return manners.delay, max(1, self._web.lanes.count // hands), share

    def _sharing(self) -> int:
        """How many hands there are."""
        return self._orders.hands

    def name(self, hosts: list[str]) -> None:
        self._send(wire.NAMED, hosts)

    async def close(self) -> None:
        self._closed = True
        for task in self._tasks:
            task.cancel()
        if self._wire is not None:
            self._wire.close()

    def _send(self, *message: Any) -> None:
        if self._wire is not None:
            self._wire.send(*message)

    def _free(self, hand: WayThere | None, number: int) -> None:
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

    def _begin(self, hand: WayThere, offset: float, lease: float, owns: Callable[[str], bool]) -> None:
        """Tell a new one all it needs."""
        orders = self._orders
        self._limits = self._limits_now()
        share = (orders.memory, orders.hands, orders.largest, offset, orders.named, orders.main, lease)
        hand.send(wire.BEGIN, orders.plan.plain(), *share, self._limits, self._web.polite.rows(owns))

    def _lost(self, blamed: int = 0, later: float = 0.0) -> None:
        """It is gone; `blamed` is the step whose answer it was reading. Hosts that it was asking rest from now on, or
        from a moment `later` (seconds), if a request of its may be out for so long."""
        self._wire = None
        self._told.clear()
        self._freed = []
        for host, _ in self._lanes.values():
            self._web.polite.asked(host, later)
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
        if news is not None:
            self._learn(*news)
        self._leave(number)
        self._over(number)
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

    async def _grant_later(self, lane: int, number: int, url: str, hand: WayThere | None) -> None:
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
        done: Any = False
        while isinstance(done, bool):
            other = await self._owner(host_of(url))
            if (hand := await other._running()) is not None:
                done = await other._asked(hand, None, wire.RULES, url)
        if asking is self._wire:
            _, *what = done
            self._send(wire.ABROAD, number, *what)
