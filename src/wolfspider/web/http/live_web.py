"""The live web: addresses asked for over the network, guarded and politely.

An address is asked for in steps, and so is every address it is redirected to: may it be asked at all (the guard), is it
in the scope of the crawl, is its domain one of endless hosts, does its host exist, does its robots.txt allow it (which
may have to be asked for first), is it the host's turn. Only then a request goes out. A page that sends its reader on
by a meta refresh is a page: only the answer's own status makes a redirect.

While a visit waits, for robots.txt or for a turn, it says so by `Request.waits`, and another visit may take its slot.
Just before its first request goes out it asks `Request.may_send` whether it still may. Redirects are then followed to
their end: the visit has cost its download.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from wolfspider.core.events import Phase
from wolfspider.core.model import Failure, Fetch, host_of
from wolfspider.web.http.client import Answer, Client
from wolfspider.web.http.connections import OURS, most_connections
from wolfspider.web.http.gates import HostCap, Lanes
from wolfspider.web.http.guard import Guard
from wolfspider.web.http.ip_addresses import public
from wolfspider.web.http.live_robots import LiveRobots, shortened
from wolfspider.web.http.polite import Polite
from wolfspider.web.http.robots import LARGEST, Rules
from wolfspider.web.http.trip import Trip, travel
from wolfspider.web.memory_budget import MemoryClaim
from wolfspider.web.worlds.world import Request

HOP_PATIENCE = 10.0  # seconds that a redirect to a host in trouble is waited for
LANES = 1000  # requests at a time in all, unless set otherwise


@dataclass(slots=True)
class Counters:
    """What the live web was asked for, for people."""

    requests: int = 0  # for pages, redirects on the way included
    overhead: int = 0  # for robots.txt
    bytes: int = 0  # of bodies as they came over the wire
    turned_away: int = 0  # visits to hosts of domains that have too many
    failures: Counter[str] = field(default_factory=Counter)  # by kind


class _Where(NamedTuple):
    """Where a host is asked."""

    address: str
    public: bool  # may it be a stranger's?


class Live:
    def __init__(
        self,
        client: Client,
        guard: Guard,
        polite: Polite,
        robots: LiveRobots | None,
        *,
        hosts: HostCap | None = None,
        most_hops: int = 8,
        robots_tries: int = 2,
        strangers: bool = True,
        archive: bool = True,
    ) -> None:
        """Without `robots` nobody's robots.txt is asked for: for services that a person named, not for pages."""
        self.client, self.guard, self.polite, self.robots = client, guard, polite, robots
        self.hosts, self.most_hops, self.archive = hosts, most_hops, archive
        self.robots_tries = robots_tries
        self.strangers = strangers  # may public sites be asked? They want to know who asks
        self.counters = Counters()
        self.lanes = Lanes(LANES)
        self.elsewhere: Callable[[str], Awaitable[Answer | Failure] | None] | None = None  # asks hosts that others own

    def without_robots(self) -> Live:
        """The same web for services that a person named: they are asked without asking their robots.txt."""
        return Live(self.client, self.guard, self.polite, None)

    def limit(self, slots: int) -> None:
        """So many requests at a time, as far as there are file handles, and as many connections."""
        self.lanes.count = min(slots, most_connections())
        self.client.keep_connections(self.lanes.count)

    async def fetch(self, request: Request) -> Fetch:
        trip = Trip(request)
        try:
            fetch = await travel(trip, self.step, self.most_hops)
        finally:
            trip.waits(False)
        if fetch.failure is not None:
            self.counters.failures[fetch.failure.kind] += 1
        return fetch if self.archive else replace(fetch, captures=())

    def retry_after(self, host: str) -> float:
        """Seconds until a host may be asked again."""
        return max(0.0, self.polite.ready_at(host) - self.polite.clock())

    def changed(self) -> Iterator[dict[str, Any]]:
        """A row for each host that something was learned of since the last call: what must outlive a crash."""
        for host, row in self.polite.state().items():
            yield {"host": host, "rest": row}
        for origin, rules in self.robots.state().items() if self.robots else ():
            yield {"host": origin, "rules": rules}

    def restore(self, rows: Iterable[Mapping[str, Any]], now: float) -> None:
        """What was known of hosts when a run ended or died."""
        known = list(rows)
        self.polite.restore({row["host"]: row["rest"] for row in known if "rest" in row}, now)
        if self.robots is not None:
            self.robots.restore({row["host"]: row["rules"] for row in known if "rules" in row}, now)
        if self.hosts is not None:
            for row in known:
                if "rest" in row:
                    self.hosts.allows(row["host"])

    async def step(self, trip: Trip) -> Answer | Failure:
        """One address of the way: all that is to be checked, and the request."""
        if trip.captures:
            trip.request.claim.settle(sum(len(capture.body) for capture in trip.captures))
        try:
            return await self._ask(trip, host_of(trip.url))
        finally:
            trip.at = self.polite.clock()

    async def _ask(self, trip: Trip, host: str) -> Answer | Failure:
        if refused := self.refuses(trip, host) or self._led_to_trouble(trip, host):
            return refused
        if (found := self.guard.known(host)) is None:
            trip.request.doing(Phase.NAME)
            found = await self.guard.addresses(host)
        if isinstance(where := self._where(host, found), Failure):
            return where
        rules: Rules | Failure | None = self.robots.known(trip.url) if self.robots is not None else None
        if rules is None:
            rules = await self._rules(trip, host)
        if refused := self._forbidden(trip, host, rules):
            return refused
        del rules  # they are large: nobody keeps them who goes on to wait for a turn
        return await self._ask_for_page(trip, host, where)

    def refuses(self, trip: Trip, host: str) -> Failure | None:
        """What can be told before anybody is asked."""
        return self.guard.refuses(trip.url) or trip.out_of_scope() or self._crowded(host)

    def _crowded(self, host: str) -> Failure | None:
        if self.hosts is None or self.hosts.allows(host):
            return None
        self.counters.turned_away += 1
        return Failure("crowded", f"its domain has more than {self.hosts.most} hosts")

    def _led_to_trouble(self, trip: Trip, host: str) -> Failure | None:
        """The visit has cost its download, and others wait for its end: it is tried again later instead."""
        if not trip.hops or not self.polite.in_trouble(host) or (rest := self.retry_after(host)) <= HOP_PATIENCE:
            return None
        return Failure("waiting", f"{host} is left alone for {rest:.0f} s more")

    def _where(self, host: str, found: tuple[str, ...] | Failure) -> _Where | Failure:
        """Where the requests for a host go: with `via`, to one address for all hosts."""
        if isinstance(found, Failure):
            self.polite.failed(host, found, 0.0)
            return found
        where = _where(found)
        if not self.strangers and self.guard.via is None and where.public:
            return Failure("blocked", "a public site wants to know who asks: give --contact")
        return where

    def _forbidden(self, trip: Trip, host: str, rules: Rules | Failure | None) -> Failure | None:
        """What the robots.txt of its host has against an address."""
        if rules is None or isinstance(rules, Failure):
            return rules
        if not rules.allows(trip.url):
            return Failure("robots", "disallowed by robots.txt")
        self.polite.asks(host, rules.delay)
        return None

    async def _rules(self, trip: Trip, host: str) -> Rules | Failure | None:
        """A host whose robots.txt cannot be read rests, or its pages would be tried one after another. If the rest is
        short the visit waits for it and asks again: the first visit to a host may be a whole crawl's only one."""
        if self.robots is None:
            return None
        for _ in range(self.robots_tries):
            if (known := self.robots.known(trip.url)) is not None:
                return known
            trip.waits(True)
            trip.request.doing(Phase.ROBOTS)
            rules = await self.robots.rules(trip.url, self.ask_for_rules)
            if not isinstance(rules, Failure) or rules in OURS:
                break
            self.polite.trouble(host)
            if self.retry_after(host) > self.polite.manners.patience:
                break
        return rules

    async def ask_for_rules(self, url: str) -> Answer | Failure:
        host = host_of(url)
        if self.elsewhere is not None and (answer := self.elsewhere(url)) is not None:
            return await answer
        if refused := self.guard.refuses(url) or self._crowded(host):
            return refused
        if isinstance(where := self._where(host, await self.guard.addresses(host)), Failure):
            return where
        async with self.polite.turn(host, where.address, public=where.public) as too_long:
            if too_long is not None:
                return too_long
            self.counters.overhead += 1
            told, _ = await self._get(url, {}, None, LARGEST, MemoryClaim(), read=shortened)
            return told

    async def _ask_for_page(self, trip: Trip, host: str, where: _Where) -> Answer | Failure:
        def waits(waiting: bool) -> None:
            """A visit that waits for a turn says so, and whether it is for a host in trouble."""
            trip.waits(waiting)
            if waiting:
                trip.request.doing(Phase.REST if self.polite.in_trouble(host) else Phase.TURN)

        async with self.polite.turn(host, where.address, waits, where.public) as too_long:
            if too_long is not None:
                return too_long
            trip.waits(False)
            trip.request.doing(Phase.SLOT)
            deadline = self.client.caps.deadline if trip.request.deadline is None else trip.request.deadline
            left = deadline - trip.seconds  # for all requests of the visit: waiting for turns does not count
            if left <= 0:
                return _late(deadline)
            answer, seconds = await self._get(trip.url, trip.conditions(), left, None, trip.request.claim, trip)
            self.counters.requests += not isinstance(answer, Failure) or answer.asked
            trip.seconds += seconds
            return _late(deadline) if trip.hops and isinstance(answer, Failure) and answer.kind == "timeout" else answer

    async def _get(
        self,
        url: str,
        headers: Mapping[str, str],
        deadline: float | None,
        most: int | None,
        claim: MemoryClaim,
        trip: Trip | None = None,
        read: Callable[[Answer], Awaitable[Answer]] | None = None,
    ) -> tuple[Answer | Failure, float]:
        """One request, within a turn, once it has one of the lanes and room in memory. A trip is asked just before it
        goes out whether it may: much may have changed while it waited. `read` has the lane, too, so that no more
        answers wait for it than lanes."""
        host = host_of(url)
        async with self.lanes.lane(url, trip):
            await claim.begin()
            began, waited = self.polite.clock(), claim.waited
            if trip is not None and (refused := trip.out_of_scope() or trip.held_back()):
                return refused, 0.0
            answer = await self.client.get(url, headers, deadline=deadline, most=most, claim=claim)
            size = 0 if isinstance(answer, Failure) else len(answer.capture.body)
            if read is not None and not isinstance(answer, Failure):
                answer = await read(answer)
        if isinstance(answer, Failure):
            seconds = (self.polite.clock() - began) / self.polite.manners.speed - (claim.waited - waited)
            self.polite.failed(host, answer, seconds)
            return answer, seconds
        self.counters.bytes += size
        self.polite.answered(host, answer.status, answer.headers, answer.seconds)
        return answer, answer.seconds


@lru_cache(1000)
def _where(found: tuple[str, ...]) -> _Where:
    """A host with one public address among others is public, because a connection may go to any of them."""
    return _Where(found[0], any(map(public, found)))


def _late(deadline: float) -> Failure:
    return Failure("timeout", f"not here within {deadline:g} s")
