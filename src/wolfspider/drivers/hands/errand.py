"""One visit on its way through hands that are processes, as the head sees it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from wolfspider.core.events import Phase
from wolfspider.core.model import Capture, Failure, Fetch, PackedCapture, Page, host_of
from wolfspider.drivers.hands.hand_wire import EXCLUDED, GO, WITHHELD
from wolfspider.web.http.client import Answer
from wolfspider.web.http.live_web import Live
from wolfspider.web.http.trip import Trip, travel
from wolfspider.web.page.packed import result_of
from wolfspider.web.worlds.world import Request

if TYPE_CHECKING:
    from wolfspider.drivers.hands.hired import Hired

TRAP = Failure("trap", "could not be read: the hand gave up, perhaps for lack of memory or time")


class Errand:
    """`read`: is a page wanted, or the body as it is? `sent_again` is called if a request has to be."""

    def __init__(
        self,
        web: Live,
        owner: Callable[[str], Awaitable[Hired]],
        request: Request,
        sent_again: Callable[[], None],
        *,
        read: bool,
        robots: bool = True,
    ) -> None:
        self._web, self._owner, self._sent_again = web, owner, sent_again
        self.trip, self.read, self.robots = Trip(request), read, robots
        self.result: Page | Failure | None = None
        self._sent = False  # was a request of this step sent?
        self._free: Callable[[], None] | None = None

    async def run(self) -> Fetch:
        try:
            fetch = await travel(self.trip, self._step, self._web.most_hops)
        except BaseException:
            self.release()
            raise
        finally:
            self.trip.waits(False)
        if fetch.failure is not None:
            self._web.counters.failures[fetch.failure.kind] += 1
        return fetch

    def release(self) -> None:
        """The hand that brought the page may use its memory for another."""
        if self._free is not None:
            self._free()
            self._free = None

    def may_go(self) -> int:
        """Asked just before a request goes out."""
        if self.trip.out_of_scope() is not None:
            return EXCLUDED
        if self.trip.held_back() is not None:
            return WITHHELD
        self._sent = True
        return GO

    def waits(self, waiting: bool, phase: str | None) -> None:
        self.trip.waits(waiting)
        if phase is not None:
            self.trip.request.doing(Phase(phase))

    async def _step(self, trip: Trip) -> Answer | Failure:
        host = host_of(trip.url)
        if refused := self._web.refuses(trip, host):
            trip.at = self._web.polite.clock()
            return refused
        blamed = 0  # how often it was this page that was read when a hand died
        while True:
            self._sent = False
            trip.request.doing(Phase.NAME)
            hand = await self._owner(host)
            done = await hand.step(self)
            if not isinstance(done, bool):
                return self._answered(*done)
            trip.waits(False)
            trip.at = self._web.polite.clock()
            blamed += done
            if blamed > 1:
                return TRAP
            if self._sent:
                self._sent_again()

    def _answered(
        self, free: Callable[[], None], seconds: float, at: float, failure: list[str] | None, answer: list[Any] | None
    ) -> Answer | Failure:
        trip = self.trip
        trip.seconds, trip.at = seconds, at
        if answer is None:
            assert failure is not None
            return Failure(*failure)
        headers, body, cut, capture, parts = answer
        if parts is not None:
            self.result = result_of(parts, trip.request.url, at)
            self._free = free
        return Answer(_capture(capture), headers, body, seconds, cut)


def _capture(parts: list[Any]) -> Capture:
    if len(parts) == 6:
        url, at, status, record, request, size = parts
        return PackedCapture(url, at, status, (), b"", record=record, request=request, size=size)
    url, at, status, headers, body, address, cut, asked = parts
    return Capture(url, at, status, tuple(map(tuple, headers)), body, address, cut, tuple(map(tuple, asked)))
