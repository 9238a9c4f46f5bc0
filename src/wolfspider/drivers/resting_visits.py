"""Visits that wait until their hosts are out of trouble: which are postponed, for how long, and which go on."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator

from wolfspider.core.events import Phase
from wolfspider.core.model import Failure, Route, Visit
from wolfspider.drivers.driver import Clock
from wolfspider.drivers.meter import Meter
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.flights import MOST_POSTPONED, Flight
from wolfspider.policy.room import Room

WAITED = 1.0  # seconds, at least, that a visit waits which its host had no turn for
IN_TROUBLE = Failure("waiting", "its host was in trouble when the run was resumed")


class RestingVisits:
    """The Crawl knows which visits are postponed and why; here it is known when they go on."""

    def __init__(
        self, crawl: Crawl, room: Room, clock: Clock, meter: Meter, in_trouble: Callable[[str], bool] | None
    ) -> None:
        self.in_trouble = in_trouble or (lambda host: False)  # must a host rest beyond its usual time?
        self._crawl, self._flights, self._room, self._clock, self._meter = crawl, crawl.flights, room, clock, meter
        self._queue: list[tuple[float, int, int]] = []  # when, id of the visit, which try came last

    def __bool__(self) -> bool:
        return bool(self._flights.postponed)

    def postpone(self, visit: Visit, failure: Failure, tried: int, rests: float = 0.0) -> bool:
        """Wait for the end of a host's trouble, if not too many visits do so already, and the strategy has the time."""
        rests = max(rests, self._room.pause(visit.link.host), WAITED)
        if len(self._flights.postponed) >= MOST_POSTPONED or rests > self._room.longest:
            return False
        self._crawl.postpone(visit, failure, max(self._clock(), self._crawl.now))
        self._rest(visit, tried, rests)
        return True

    def takes(self, flight: Flight) -> bool:
        """Must a visit of the last session wait because its host is in trouble? Then it does."""
        visit, host = flight.visit, flight.visit.link.host
        if flight.postponed:
            self._rest(visit, flight.tries, self._room.pause(host))
            return True
        troubled = flight.how == Route.OUT and self.in_trouble(host)
        return troubled and self.postpone(visit, IN_TROUBLE, flight.tries - 1)

    def _rest(self, visit: Visit, tried: int, seconds: float) -> None:
        now = self._clock()
        heapq.heappush(self._queue, (now + seconds, visit.id, tried))
        self._meter.doing(visit, Phase.REST, now)

    def next(self) -> float:
        """When the first of them goes on; inf if there is none."""
        while self._queue and self._queue[0][1] not in self._flights.postponed:  # it was given up
            heapq.heappop(self._queue)
        return self._queue[0][0] if self._queue else math.inf

    def rested(self, now: float) -> Iterator[tuple[Visit, int, Failure | None]]:
        """Visits whose hosts have rested, as long as there are slots and downloads for them: which try came last, and
        why the visit is given up, if it is. A host that is in trouble still rests again."""
        while self.next() <= now and self._crawl.may_start:
            _, number, tried = heapq.heappop(self._queue)
            visit = self._flights[number].visit
            host = visit.link.host
            rests = self._room.pause(host) if self.in_trouble(host) else 0.0
            if rests > self._room.longest:
                yield visit, tried, self._flights[number].postponed or IN_TROUBLE
            elif rests:
                self._rest(visit, tried, max(rests, WAITED))
            elif self._crawl.grant(visit):
                yield visit, tried, None

    def later_than(self, moment: float) -> Iterator[Failure]:
        """Why visits wait that do not go on before then."""
        for until, number, _ in self._queue:
            flight = self._flights.get(number)
            if until > moment and flight is not None and flight.postponed:
                yield flight.postponed
