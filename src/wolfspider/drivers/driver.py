"""What both drivers share: how a crawl ended, the real clock, answers without a download, further tries, landings."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from wolfspider.core.events import EndReason
from wolfspider.core.model import NO_SUCH_NAME, Failure, Page, Route, Visit
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.flights import Flight
from wolfspider.policy.room import Room
from wolfspider.web.http.web_time import WebTime

RETRIED = ("timeout", "connect", "dns", "slow")  # failures that another try may mend
NOT_AGAIN = Failure("budget", "the page limit was lowered before it was tried again")
SELDOM = 100_000  # new objects after which Python looks for circles of garbage
SWEPT_AFTER = 5.0  # seconds of the processor at least, in a process that runs one crawl after another
SWEEPING = 0.04  # the share of the time that it may take
_next_sweep = 0.0  # by that clock


@dataclass(frozen=True, slots=True)
class Result:
    """How a crawl ended."""

    reason: EndReason
    downloads: int
    at: float


class Clock:
    """Seconds since 1970 that never run backwards, whatever happens to the machine's own clock: that is read once, and
    time is counted by the event loop from there. In a rehearsal so many seconds pass in one of ours as `speed` says:
    all moments and all waits of a crawl are of this clock, and only what a request may take is not."""

    def __init__(self, start: float | None = None, speed: float = 1.0) -> None:
        self._loop, self.speed = asyncio.get_running_loop(), speed
        self.offset = 0.0 if start is None else start - self._loop.time() * speed

    @classmethod
    def after(cls, last: float, told: WebTime | None = None) -> Clock:
        """Now, but never before the last moment of a run that goes on. `told`: what a web with a time of its own says
        that time is."""
        now, speed = (time.time(), 1.0) if told is None else told
        return cls(max(now, last), speed)

    def __call__(self) -> float:
        return self._loop.time() * self.speed + self.offset

    def of_loop(self, moment: float) -> float:
        """The same moment as the event loop counts it."""
        return (moment - self.offset) / self.speed


@contextmanager
def garbage_sought_seldom() -> Iterator[None]:
    """A page is thousands of objects and leaves no circles behind: to look for some takes a twentieth of the time. What
    is there before the first page (modules, classes) stays, and is not looked through again and again.

    A crawl and its strategy know each other, so that a process that runs one after another gathers what they leave.
    What is set aside here is not looked for any more, so it is swept up before, now and then: the more seldom, the more
    is kept beside it, such as the pages of a web, and has to be gone through."""
    global _next_sweep
    began = time.process_time()
    if began >= _next_sweep:
        gc.collect()
        ended = time.process_time()
        _next_sweep = ended + max(SWEPT_AFTER, (ended - began) / SWEEPING)
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(max(SELDOM, usual[0]) if usual[0] else 0, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


class Driver:
    """What both drivers do alike: answer what need not go out, try again, land."""

    def __init__(self, crawl: Crawl, *, tries: int, room: Room | None) -> None:
        self.crawl, self.tries = crawl, tries
        self.room = room or crawl.flights.restored_room(Room().state())
        self.withheld: dict[int, tuple[Visit, int]] = {}  # visits that may not be sent now, and which try of each it is

    def _left_over(self) -> list[Flight]:
        """What was in flight before a crash or a stop, and goes out again."""
        self.room.start_again()
        return list(self.crawl.flights.values())

    def _obey_inbox(self, now: float) -> None:
        inbox, self.crawl.inbox = self.crawl.inbox, []
        for command in inbox:
            self.crawl.command(command, now)

    def _answer(self, visit: Visit, how: Route, now: float) -> Page | Failure:
        """What is known without going out."""
        url = visit.link.url
        if how == Route.EXCLUDED:
            return self.crawl.scope.refusal(url)
        if how == Route.SOURCE:
            source = self.crawl.source_of(url)
            assert source is not None, url
            return source.look(url, now)
        held = self.crawl.memory.recall(url)
        assert held is not None, url
        return held.result

    def _worth_another(self, result: Page | Failure, tried: int) -> bool:
        if isinstance(result, Page) or tried >= self.tries:
            return False
        if result.kind == "status":
            return result.detail.startswith("5")
        return result.kind in RETRIED and result != NO_SUCH_NAME

    def _give_up(self, now: float) -> None:
        """End visits whose next try the limit forbids. Their earlier tries were sent, and are counted now."""
        flights = self.crawl.flights
        for visit in flights.given_up(self.crawl.closing == EndReason.FINISHED):
            self._call_off(visit)
            self._land(visit, flights[visit.id].postponed or NOT_AGAIN, now, 0.0)

    def _call_off(self, visit: Visit) -> None:
        """Do not try this visit again."""
        self.withheld.pop(visit.id, None)

    def _released(self) -> Iterator[tuple[Visit, int]]:
        """Visits that were withheld and may be sent after all: the page limit was raised, or others cost nothing."""
        while self.withheld and self.crawl.flights.left + len(self.withheld) > 0:
            yield self.withheld.pop(min(self.withheld))

    def _land(self, visit: Visit, result: Page | Failure, at: float, seconds: float) -> None:
        was_out = self.crawl.flights[visit.id].how == Route.OUT
        self.crawl.land(visit, result, at, seconds)
        if was_out:
            self.room.landed(visit.link.host, result, at, seconds)
