"""Visits whose hosts are in trouble, by the time at which each host has rested."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator

from wolfspider.core.model import Failure, Visit
from wolfspider.engine.flights import Flights


class RestingVisits:
    """The Crawl knows which visits are postponed and why; the driver's part is when they go on."""

    def __init__(self, flights: Flights) -> None:
        self._flights = flights
        self._queue: list[tuple[float, int, int]] = []  # when, id of the visit, which try came last

    def __bool__(self) -> bool:
        return bool(self._flights.postponed)

    def add(self, visit: Visit, tried: int, until: float) -> None:
        heapq.heappush(self._queue, (until, visit.id, tried))

    def next(self) -> float:
        """When the first of them goes on; inf if there is none."""
        while self._queue and self._queue[0][1] not in self._flights.postponed:  # it was given up
            heapq.heappop(self._queue)
        return self._queue[0][0] if self._queue else math.inf

    def pop(self) -> tuple[Visit, int]:
        """The first of them, and which try came last."""
        _, number, tried = heapq.heappop(self._queue)
        return self._flights[number].visit, tried

    def later_than(self, moment: float) -> Iterator[Failure]:
        """Why visits wait that do not go on before then."""
        for until, number, _ in self._queue:
            flight = self._flights.get(number)
            if until > moment and flight is not None and flight.postponed:
                yield flight.postponed
