"""How a crawl stands at this moment, read off once a second: what each visit that is out is doing, how fast downloads
come, and how long the rest of the budget may take.

Screens in this process and in others read the Gauge and nothing else. Time is handed in, so the same crawl reads the
same on any clock.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sized
from typing import NamedTuple

from wolfspider.core.events import CrawlState, Gauge, Phase
from wolfspider.core.failures import in_words
from wolfspider.core.model import Failure, Visit
from wolfspider.engine.crawl import Crawl
from wolfspider.policy.frontier import Frontier
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Strategy
from wolfspider.store.page_count import PageCount

EVERY = 1.0  # seconds of ours between two gauges, at least
_ACTIVE = (Phase.SLOT, Phase.ROBOTS, Phase.NAME, Phase.READING)  # what goes on by itself, and is no rest
_LONGEST = 1000  # characters of an address
_MOST_FIGURES = 20  # of a strategy
_REACH = 600.0  # seconds that downloads are remembered for
_MANY_HOSTS = 20_000  # in a frontier; beyond that, counting the ready ones once a second would take too long


class Pace:
    """How fast downloads came lately, and what that says of the time to come."""

    NOW, MINUTE = 10.0, 60.0  # seconds that rates are taken over
    FEW = 5  # downloads that say too little
    STEADY = 10  # downloads that say enough, however long they took
    SILENCE = 5.0  # seconds without a download that say nothing
    MISSED = 5  # downloads that should have come: after so many the pace is not what it was

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()
        self._last = -math.inf  # when a download was last seen

    def see(self, at: float, downloads: int) -> None:
        if self._seen and downloads > self._seen[-1][1]:
            self._last = at
        self._seen.append((at, downloads))
        while self._seen[0][0] < at - _REACH:
            self._seen.popleft()

    def rate(self, seconds: float) -> float:
        """Downloads a second over the last so many seconds, or since the first look."""
        return _rate(self._since(seconds), self._seen[-1]) if self._seen else 0.0

    def left(self, downloads: int, idle_until: float = -math.inf, busy_until: float = -math.inf) -> float | None:
        """Seconds that so many more downloads take; None while too little is known, or nothing but waiting happens.
        `idle_until`: nothing can come before. `busy_until`: something that is out cannot come before."""
        if not self._seen:
            return None
        now, first = self._seen[-1], self._since(self.MINUTE)
        if now[1] - first[1] < self.STEADY:  # downloads are rare: further back, then
            enough = (seen for seen in reversed(self._seen) if now[1] - seen[1] >= self.STEADY)
            first = next(enough, self._seen[0])
        rate = _rate(first, now)
        if now[0] - first[0] < self.SILENCE or now[1] - first[1] < self.FEW:
            return None
        if max(now[0], idle_until) - self._last > max(self.SILENCE, self.MISSED / rate):
            return None
        return max(downloads / rate, busy_until - now[0])

    def _since(self, seconds: float) -> tuple[float, int]:
        """What was seen so many seconds ago; the first look if there was none by then."""
        from_ = self._seen[-1][0] - seconds
        return next((seen for seen in reversed(self._seen) if seen[0] <= from_), self._seen[0])


def _rate(first: tuple[float, int], last: tuple[float, int]) -> float:
    return (last[1] - first[1]) / (last[0] - first[0]) if last[0] > first[0] else 0.0


def figures_of(strategy: Strategy) -> dict[str, float]:
    """The numbers among what a strategy reports of itself. One that cannot report is no reason to end a crawl."""
    try:
        report = strategy.report()
        told = {str(name): value for name, value in report.items() if type(value) in (int, float)}
        return dict(
            list({name: value for name, value in told.items() if abs(value) < math.inf}.items())[:_MOST_FIGURES]
        )
    except Exception:
        return {}


class Doing(NamedTuple):
    """What a visit that is out does, and since when."""

    visit: Visit
    what: Phase
    since: float


class Meter:
    """Reads a running crawl off."""

    def __init__(self, crawl: Crawl, room: Room, speed: float = 1.0) -> None:
        """`speed`: seconds of the crawl's clock that pass in one of ours."""
        self._crawl, self._room, self._every = crawl, room, EVERY * speed
        self._out: dict[int, Doing] = {}
        self._pace = Pace()
        self._due = -math.inf

    def doing(self, visit: Visit, what: Phase, now: float) -> None:
        known = self._out.get(visit.id)
        if known is None or known.what != what:
            self._out[visit.id] = Doing(visit, what, now)

    def back(self, number: int) -> None:
        self._out.pop(number, None)

    def due(self, now: float) -> bool:
        return now >= self._due

    def read(
        self, now: float, count: PageCount, state: CrawlState | None = None, stranded: Iterable[Failure] = ()
    ) -> Gauge:
        """`state`: what the driver knows better than its visits say; `stranded`: why visits wait for later."""
        crawl, self._due = self._crawl, now + self._every
        if state == CrawlState.ENDED:
            self._out.clear()
        self._pace.see(now, crawl.spent)
        doing = Counter(one.what for one in self._out.values())
        fetching = doing.pop(Phase.FETCHING, 0)
        in_flight = min(fetching, crawl.limits.slots)
        if fetching > in_flight:  # of a run that was just resumed, or after slots were taken away
            doing[Phase.SLOT] += fetching - in_flight
        frontier = crawl.strategy.frontier
        ready, resting = self._hosts(frontier, now)
        next_at = min((at for at in self._waits(now) if at > now), default=math.inf)
        active = in_flight + sum(doing[what] for what in _ACTIVE)
        state = state or self._state(active, bool(doing) or next_at < math.inf)
        moves = state in (CrawlState.FETCHING, CrawlState.WAITING, CrawlState.IDLE)
        idle_until = -math.inf if active or next_at == math.inf else next_at
        fetched = (one for one in self._out.values() if one.what == Phase.FETCHING)
        longest = min(fetched, key=lambda one: one.since, default=None)
        way = self._room.way if moves and crawl.may_start else None
        outlook = crawl.prospects.outlook
        return Gauge(
            now,
            state=state,
            in_flight=in_flight,
            waiting=dict(sorted(doing.items())),
            next_at=next_at if next_at < math.inf else None,
            hosts_ready=ready,
            hosts_resting=resting,
            frontier=len(frontier) if isinstance(frontier, Sized) else None,
            downloads=crawl.spent,
            budget=crawl.limits.pages,
            **count._asdict(),
            rate_now=round(self._pace.rate(Pace.NOW), 3),
            rate_minute=round(self._pace.rate(Pace.MINUTE), 3),
            left=self._left(now, idle_until) if moves else None,
            hurry=crawl.limits.hurry,
            hasty=self._room.thrift.hasty,
            giving_way=way.slots if way else 0,
            better_host=way.host if way else "",
            better_until=way.until if way else None,
            longest=longest.visit.link.url[:_LONGEST] if longest else "",
            longest_since=longest.since if longest else None,
            longest_deadline=longest.visit.deadline if longest else None,
            postponed=dict(Counter(map(in_words, crawl.flights.troubles()))),
            stranded=dict(Counter(map(in_words, stranded))),
            until=crawl.limits.until,
            enough_in=crawl.prospects.enough_in(crawl.limits.until),
            enough_lacks=crawl.prospects.lacks(crawl.limits.until),
            **({} if outlook is None else outlook._asdict() | {"lately": crawl.prospects.lately}),
            figures=figures_of(crawl.strategy),
            probes=crawl.probes.made,
            probes_relevant=crawl.probes.relevant,
            probes_dropped=crawl.probes.dropped,
        )

    def _state(self, active: int, waits: bool) -> CrawlState:
        if self._crawl.closing:
            return CrawlState.FINISHING
        if self._crawl.paused:
            return CrawlState.PAUSED
        if active:
            return CrawlState.FETCHING
        return CrawlState.WAITING if waits else CrawlState.IDLE

    def _waits(self, now: float) -> Iterator[float]:
        """When what is waited for may go on: hosts of visits that wait, and hosts that links wait for."""
        yield self._room.next_ready()
        for host in {one.visit.link.host for one in self._out.values() if one.what != Phase.FETCHING}:
            yield now + self._room.pause(host)

    def _left(self, now: float, idle_until: float) -> float | None:
        """Visits that wait for one host take their turns, and the crawl is over when the last of them is back."""
        limits, postponed = self._crawl.limits, self._crawl.flights.postponed  # which nobody waits for
        queues = Counter(one.visit.link.host for number, one in self._out.items() if number not in postponed)
        ends = ((self._room.pause(host), waiting - 1) for host, waiting in queues.items())
        rests = (rest + behind * limits.delay for rest, behind in ends if rest <= limits.max_wait)
        left = self._pace.left(limits.pages - self._crawl.spent, idle_until, now + max(rests, default=0.0))
        return None if left is None else round(left, 1)

    def _hosts(self, frontier: object, now: float) -> tuple[int | None, int]:
        """How many hosts with links waiting may be asked now, and how many with links or visits waiting must rest."""
        resting = {one.visit.link.host for one in self._out.values() if one.what in (Phase.REST, Phase.RETRY)}
        if not isinstance(frontier, Frontier) or len(frontier.names) > _MANY_HOSTS:
            return None, len(resting.union(self._room.resting(now)))
        waiting = (name for name, number in frontier.names.items() if frontier.queues[number].best is not None)
        ready_at = {name: self._room.when(name) for name in waiting}
        resting.update(name for name, when in ready_at.items() if now < when < math.inf)
        return sum(when <= now for when in ready_at.values()), len(resting)
