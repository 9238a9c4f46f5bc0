"""How much may start right now, in total and at each host: what strategy, crawl and driver promise one another."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from wolfspider.model import Link, Visit, host_of

Route = Callable[[str, bool], str]  # address, fresh -> out, held, joined, source or excluded


class Broken(Exception):
    """A strategy did what its contract forbids: a bug in it, not trouble on the way."""


class Order(NamedTuple):
    """A visit and the way it goes: out, held, joined, source or excluded."""

    visit: Visit
    how: str


class Room:
    """How much may start right now: in total, and at each host. One visit at a time to a host, and `delay` seconds
    between two.

    A driver owns one Room for the whole crawl and tells it when visits start and end; Crawl opens it for each turn.
    `answers` holds everything the strategy was told in this turn, which is what a replay needs.
    """

    def __init__(self) -> None:
        self.free = 0
        self.newly_ready: Sequence[str] = ()
        self.answers: list[Any] = []
        self.now = -math.inf
        self.delay = 0.0
        self._route: Route = lambda url, fresh: "out"
        self._busy: dict[str, int] = {}  # hosts with a visit out
        self._ready: dict[str, float] = {}  # hosts that must rest, until when
        self._refused: dict[str, None] = {}  # hosts that turned a take away, in that order
        self._cooling: list[tuple[float, str]] = []  # refused hosts with nothing out, by the time they are ready
        self._taken: dict[tuple[str, bool], list[str]] = {}

    def open(self, now: float, free: int, route: Route, delay: float = 0.0) -> None:
        """A turn begins."""
        self.now, self.free, self._route, self.delay = now, free, route, delay
        self._taken = {}
        ready = []
        while self._cooling and self._cooling[0][0] <= now:
            host = heapq.heappop(self._cooling)[1]
            if host in self._refused and host not in self._busy:
                del self._refused[host]
                ready.append(host)
        self.newly_ready = ready
        self.answers = []

    def take(self, link: Link, fresh: bool = False) -> bool:
        how = self._route(link.url, fresh)
        if how == "out" and not fresh and "out" in self._taken.get((link.url, False), ()):
            how = "joined"
        if how == "out":
            how = self._try_host(link.host)
        self.answers.append(how)
        if how == "refused":
            return False
        self._taken.setdefault((link.url, fresh), []).append(how)
        return True

    def _try_host(self, host: str) -> str:
        if self.free > 0 and self.ready_at(host, told=False) <= self.now:
            self.free -= 1
            self._busy[host] = self._busy.get(host, 0) + 1
            return "out"
        if host not in self._refused:
            self._refused[host] = None
            if host not in self._busy:
                heapq.heappush(self._cooling, (self._ready.get(host, self.now), host))
        return "refused"

    def ready_at(self, host: str, told: bool = True) -> float:
        """When this host may be visited; inf while a visit to it is out."""
        time = math.inf if host in self._busy else self._ready.get(host, -math.inf)
        if told:
            self.answers.append(time)
        return time

    def settle(self, visits: Sequence[Visit]) -> list[Order]:
        """The turn ends: every visit gets the way it was promised, what was taken for nothing is given back."""
        orders = []
        for visit in visits:
            ways = self._taken.get((visit.link.url, visit.fresh))
            if not ways:
                raise Broken(f"visit {visit.id} to {visit.link.url} was proposed without taking room for it")
            orders.append(Order(visit, ways.pop(0)))
        for (url, _), ways in self._taken.items():
            for how in ways:
                if how == "out":
                    self.free += 1
                    self.release(host_of(url), None)
        return orders

    def release(self, host: str, now: float | None) -> None:
        """A visit to this host has ended (now), or never began (None)."""
        left = self._busy.get(host, 0) - 1
        if left > 0:
            self._busy[host] = left
            return
        self._busy.pop(host, None)
        if now is not None:
            self._ready[host] = now + self.delay
        if host in self._refused:
            heapq.heappush(self._cooling, (self._ready.get(host, -math.inf), host))

    def busy(self, host: str) -> None:
        """A visit to this host is out that was not taken in this turn: after a resume."""
        self._busy[host] = self._busy.get(host, 0) + 1

    def next_ready(self) -> float:
        """When the first refused host may be visited; inf if none is cooling."""
        while self._cooling and self._cooling[0][1] not in self._refused:
            heapq.heappop(self._cooling)
        return self._cooling[0][0] if self._cooling else math.inf

    def state(self) -> dict[str, Any]:
        return {"ready": dict(self._ready), "refused": list(self._refused)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Nothing is out after a restart; what goes out again is told by `busy`."""
        self._ready = dict(state["ready"])
        self._refused = dict.fromkeys(state["refused"])
        self._cooling = [(self._ready.get(host, -math.inf), host) for host in self._refused]
        heapq.heapify(self._cooling)


class Replayed(Room):
    """A room that answers as it did before, from the journal."""

    def __init__(self, free: int, newly_ready: Sequence[str], answers: Sequence[Any]) -> None:
        super().__init__()
        self.free, self.newly_ready = free, newly_ready
        self._left = deque(answers)

    def open(self, now: float, free: int, route: Route, delay: float = 0.0) -> None:
        self.now = now

    def take(self, link: Link, fresh: bool = False) -> bool:
        how = self._next()
        if how == "refused":
            return False
        self.free -= how == "out"
        self._taken.setdefault((link.url, fresh), []).append(how)
        return True

    def ready_at(self, host: str, told: bool = True) -> float:
        return float(self._next())

    def _next(self) -> Any:
        if not self._left:
            raise Broken("the strategy asks more than it did the first time: it is not deterministic")
        answer = self._left.popleft()
        self.answers.append(answer)
        return answer
