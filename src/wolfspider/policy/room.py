"""How much may start right now, in total and at each host: what strategy, crawl and driver promise one another."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from wolfspider.core.limits import AT_ONCE
from wolfspider.core.model import Failure, Link, Page, Route, Visit, host_of
from wolfspider.policy.thrift import CYCLES, Thrift, Way, Worth

Router = Callable[[str, bool], Route]  # address, fresh -> how a visit to it is answered


class Broken(Exception):
    """A strategy did what its contract forbids: a bug in it, not trouble on the way."""


class BrokenContract(Broken):
    """The same, in a method that is known; judges have a contract, too."""

    def __init__(self, part: object, method: str, what: str) -> None:
        super().__init__(f"{type(part).__qualname__}.{method}: {what}")
        self.kind = type(part)


class RoomNotTaken(Broken):
    """A visit was proposed that no room was taken for."""


class Order(NamedTuple):
    """A visit and how it is answered."""

    visit: Visit
    how: Route


class RoomToTake(Protocol):
    """What a frontier needs to know of the Room."""

    free: int
    newly_ready: Sequence[str]

    @property
    def thrifty(self) -> bool: ...

    @property
    def allows(self) -> Callable[[str], bool]: ...

    def gives_way(self, link: Link, better: Sequence[str]) -> bool: ...

    def take(self, link: Link, fresh: bool = False) -> bool: ...


class Room:
    """How much may start right now: in total, and at each host. One visit at a time to a host, and `delay` seconds (or
    what the host asks for) between two.

    A driver owns one Room for the whole crawl and tells it when visits start and end; Crawl opens it for each turn.
    `answers` holds everything the strategy was told in this turn, which is what a replay needs.
    """

    def __init__(self) -> None:
        self.free = 0
        self.newly_ready: Sequence[str] = ()
        self.answers: list[Any] = []
        self.now = -math.inf
        self.delay = 0.0
        self.pause: Callable[[str], float] = lambda host: 0.0  # seconds that a host itself asks for
        self.longest = math.inf  # seconds that a strategy waits for a host; then a visit may start, to fail if need be
        self.allows: Callable[[str], bool] = lambda url: True  # is this address in scope?
        self._route: Router = lambda url, fresh: Route.OUT
        self.thrift = Thrift()
        self.way: Way | None = None  # what the links that could start in this turn give way to
        self._longest = math.inf  # seconds that a crawl waits for anything
        self._busy: dict[str, int] = {}  # hosts with a visit in flight
        self._since: dict[str, float] = {}  # when it started, where that is known
        self._ready: dict[str, float] = {}  # hosts that must rest, until when
        self._refused: dict[str, None] = {}  # hosts that refused a take, in that order
        self._cooling: list[tuple[float, str]] = []  # those of them without a visit in flight, by when they are ready
        self._taken: dict[tuple[str, bool], list[Route]] = {}

    def open(
        self,
        now: float,
        free: int,
        route: Router,
        delay: float = 0.0,
        hurry: float = AT_ONCE,
        longest: float = math.inf,
    ) -> None:
        """A turn begins."""
        self.now, self.delay, self.thrift.hurry = now, delay, hurry
        self._open(free, route, longest)

    def _open(self, free: int, route: Router, longest: float) -> None:
        self.free, self._route, self._longest, self.way = free, route, longest, None
        self._taken, self.answers = {}, []
        self.newly_ready = []
        while self.next_ready() <= self.now:
            host = heapq.heappop(self._cooling)[1]
            del self._refused[host]
            self.newly_ready.append(host)

    def take(self, link: Link, fresh: bool = False) -> bool:
        how = self._route(link.url, fresh)
        sent = (Route.OUT in self._taken.get((link.url, either), ()) for either in (False, True))
        if how == Route.OUT and not fresh and any(sent):
            how = Route.JOINS  # one that this same turn sends out
        elif how == Route.OUT and self.free > 0 and self.when(link.host) <= self.now:
            self.free -= 1
            self.start(link.host)
        elif how == Route.OUT:
            self.refuse(link.host)
            how = Route.REFUSED
        return self._answer(link.url, fresh, how)

    def _answer(self, url: str, fresh: bool, how: Route) -> bool:
        self.answers.append(how)
        if how == Route.REFUSED:
            return False
        self._taken.setdefault((url, fresh), []).append(how)
        return True

    @property
    def thrifty(self) -> bool:
        """May a link have to give way at all?"""
        return self.thrift.hurry < AT_ONCE

    def gives_way(self, link: Link, better: Sequence[str]) -> bool:
        """Must this link wait, because better ones wait at these hosts, of which the best comes first? Not if it costs
        no download, nor if no such host is free soon."""
        costs = self._route(link.url, False) == Route.OUT and self.when(link.host) <= self.now
        self.way = self._way(better) if costs else None
        worth = Worth.NOW if self.way is None else Worth.GIVES_WAY
        if self.way is not None and self.thrift.due() <= self.now:
            self.way, worth = None, Worth.HASTY
        return self._weighed(worth)

    def _weighed(self, worth: Worth) -> bool:
        self.answers.append(worth)
        self.thrift.hasty += worth == Worth.HASTY
        return worth == Worth.GIVES_WAY

    def _way(self, hosts: Iterable[str]) -> Way | None:
        """The first of these hosts that is free soon, and when to look again: one of them may be free then, or not
        worth waiting for any more."""
        bound = min(CYCLES * (self.delay + self.thrift.typical), self._longest)
        soon = [(host, until) for host in hosts if (until := self._free_at(host, bound)) > self.now]
        if not soon:
            return None
        return Way(soon[0][0], min(self.thrift.due(), *(until for _, until in soon)), self.free)

    def _free_at(self, host: str, bound: float) -> float:
        """Until when this host is worth waiting for, if none waits longer than `bound`; -inf if it is not. A visit that
        takes longer than usual is expected to take as long again."""
        if host not in self._busy:
            ready = self._ready.get(host, -math.inf)
            return ready if ready - self.now <= bound else -math.inf
        began = self._since.setdefault(host, self.now)
        last = began + bound - max(self.delay, self.pause(host))
        return last if self.thrift.typical <= last - began else -math.inf

    def ready_at(self, host: str) -> float:
        """When this host may be visited; inf while a visit to it is in flight."""
        self.answers.append(self.when(host))
        return self.when(host)

    def when(self, host: str) -> float:
        """The same, without a note for the journal."""
        return math.inf if host in self._busy else self._ready.get(host, -math.inf)

    def settle(self, visits: Sequence[Visit]) -> list[Order]:
        """The turn ends: every visit gets the route it was promised, and room that no visit used is given back."""
        orders = []
        for visit in visits:
            ways = self._taken.get((visit.link.url, visit.fresh))
            if not ways:
                raise RoomNotTaken(f"visit {visit.id} to {visit.link.url} was proposed without taking room for it")
            orders.append(Order(visit, ways.pop(0)))
        for (url, _), ways in self._taken.items():
            for how in ways:
                if how == Route.OUT and not _hand_over(orders, url):
                    self.free += 1
                    self.release(host_of(url), None)
        return [Order(visit, Route.JOINED if how == Route.JOINS else how) for visit, how in orders]

    def start(self, host: str) -> None:
        """A download starts."""
        self.busy(host)
        self._since.setdefault(host, self.now)
        self.thrift.started(self.now)

    def busy(self, host: str) -> None:
        """A visit to this host is in flight."""
        self._busy[host] = self._busy.get(host, 0) + 1

    def refuse(self, host: str) -> None:
        """This host refused a take, and is to be named when it may be visited."""
        if host not in self._refused:
            self._refused[host] = None
            if host not in self._busy:
                heapq.heappush(self._cooling, (self._ready.get(host, self.now), host))

    def release(self, host: str, now: float | None) -> None:
        """A visit to this host has ended (now), or never began (None)."""
        left = self._busy.get(host, 0) - 1
        if left > 0:
            self._busy[host] = left
            return
        self._busy.pop(host, None)
        self._since.pop(host, None)
        if now is not None:
            self._ready[host] = now + self.rest_of(host)
        if host in self._refused:
            heapq.heappush(self._cooling, (self._ready.get(host, -math.inf), host))

    def rest_of(self, host: str) -> float:
        """Seconds between two requests to this host."""
        return max(self.delay, min(self.pause(host), self.longest))

    def landed(self, host: str, result: Page | Failure, now: float, seconds: float) -> None:
        """A visit that was out is back."""
        if isinstance(result, Page):
            self.thrift.answered(seconds)
        self.release(host, now if _tired(result) else None)

    def start_again(self) -> None:
        """What is in flight goes out again, as at the beginning of a session."""
        self._since.clear()

    def rest(self, host: str, until: float) -> None:
        """This host is not to be visited before then, whatever is known of it here."""
        self._ready[host] = max(until, self._ready.get(host, -math.inf))

    def resting(self, now: float) -> list[str]:
        """Hosts that refused a take and still have to rest."""
        return [host for host in self._refused if now < self.when(host) < math.inf]

    def next_ready(self) -> float:
        """When the first host that refused may be visited; inf if none has to rest. Stale entries are dropped."""
        while self._cooling:
            time, host = self._cooling[0]
            if host in self._refused and host not in self._busy and self._ready.get(host, -math.inf) <= time:
                return time
            heapq.heappop(self._cooling)
            if host in self._refused and host not in self._busy:
                heapq.heappush(self._cooling, (self._ready[host], host))
        return math.inf

    def state(self) -> dict[str, Any]:
        return {
            "ready": dict(self._ready),
            "refused": list(self._refused),
            "delay": self.delay,
            "thrift": self.thrift.state(),
        }

    @classmethod
    def restored(cls, state: Mapping[str, Any], out: Iterable[str] = ()) -> Room:
        """As it was, with visits in flight to these hosts."""
        room = cls()
        room._ready, room.delay = dict(state["ready"]), state["delay"]
        if "thrift" in state:  # earlier versions had none
            room.thrift = Thrift.restored(state["thrift"])
        for host in out:
            room.busy(host)
        for host in state["refused"]:
            room.refuse(host)
        return room


def _hand_over(orders: list[Order], url: str) -> bool:
    """A visit that meant to join one which then was not proposed goes out in its place."""
    if any(order.how == Route.OUT and order.visit.link.url == url for order in orders):
        return False
    for place, (visit, how) in enumerate(orders):
        if how == Route.JOINS and visit.link.url == url:
            orders[place] = Order(visit, Route.OUT)
            return True
    return False


def _tired(result: Page | Failure) -> bool:
    """Does a host need a rest after this? One that was never asked does not, unless it is resting already."""
    return isinstance(result, Page) or result.asked or result.kind == "waiting"


class Replayed(Room):
    """A turn that answers as it did before, from the journal, and leaves the real room as it was left then."""

    def __init__(self, room: Room, free: int, newly_ready: Sequence[str], answers: Sequence[Any]) -> None:
        super().__init__()
        self.free, self.newly_ready, self._room = free, newly_ready, room
        self._left = deque(answers)
        self.thrift = room.thrift

    def _open(self, free: int, route: Router, longest: float) -> None:
        self._room.now, self._room.delay = self.now, self.delay
        for host in self.newly_ready:
            self._room._refused.pop(host, None)

    def take(self, link: Link, fresh: bool = False) -> bool:
        how = Route(self._next())
        if how == Route.OUT:
            self.free -= 1
            self._room.start(link.host)
        elif how == Route.REFUSED:
            self._room.refuse(link.host)
        return self._answer(link.url, fresh, how)

    def gives_way(self, link: Link, better: Sequence[str]) -> bool:
        return self._weighed(Worth(self._next()))

    def ready_at(self, host: str) -> float:
        time = float(self._next())
        self.answers.append(time)
        return time

    def release(self, host: str, now: float | None) -> None:
        self._room.release(host, now)

    def next_ready(self) -> float:
        return self._room.next_ready()

    def _next(self) -> Any:
        if not self._left:
            raise Broken("the strategy asks more than it did the first time: it is not deterministic")
        return self._left.popleft()
