"""One visit over the network, from the moment it goes out until its answer has been read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from wolfspider.core.events import Phase
from wolfspider.core.model import Failure, Fetch, Page, Visit
from wolfspider.drivers.driver import Clock
from wolfspider.drivers.hands.contract import Hands, HeldMemory
from wolfspider.drivers.meter import Meter
from wolfspider.engine.contracts import Service, Source
from wolfspider.engine.crawl import Crawl
from wolfspider.store.base import Store
from wolfspider.web.memory_budget import MemoryClaim
from wolfspider.web.worlds.world import NOT_SENT, Request


class Return(NamedTuple):
    """A visit that has come back, or the bug that kept it from doing so."""

    at: float
    visit: Visit
    result: Page | Failure
    fetch: Fetch | None
    seconds: float
    tried: int
    bug: Exception | None = None
    claim: HeldMemory = MemoryClaim()  # what it holds of the memory for pages, until it has landed


class Errands:
    """Sends hands out, or asks a Source, on behalf of visits. `slot_freed` is called when a visit has to wait and gives
    up its slot for that time."""

    def __init__(
        self,
        crawl: Crawl,
        hands: Hands,
        store: Store,
        clock: Clock,
        meter: Meter,
        instant: float,
        slot_freed: Callable[[], None],
    ) -> None:
        self.crawl, self.hands, self.store, self.clock, self.meter = crawl, hands, store, clock, meter
        self.instant, self.slot_freed = instant, slot_freed

    async def go(self, visit: Visit, tried: int, rests: float | None) -> Return:
        """Try this visit; `rests`: how long the host must rest before, None if it has."""
        try:
            if rests is not None:
                await self._rest(visit, rests)
                self._doing(visit, Phase.FETCHING)
            return await self._asked(visit, tried)
        except Exception as bug:
            return Return(self.clock(), visit, Failure("connect", "a bug"), None, 0.0, tried, bug)

    def park(self, visit: Visit, waiting: bool, why: Phase = Phase.TURN) -> None:
        self.crawl.flights.park(visit, waiting)
        self._doing(visit, why if waiting else Phase.FETCHING)
        if waiting:
            self.slot_freed()

    def _doing(self, visit: Visit, phase: Phase) -> None:
        self.meter.doing(visit, phase, self.clock())

    async def _rest(self, visit: Visit, rests: float) -> None:
        """Before another try: for the delay, and if the host wants a longer rest, for that long without the slot. A
        name that could not be looked up is so for a while too."""
        delay = self.crawl.limits.delay
        self._doing(visit, Phase.RETRY)
        if delay > 0.0:
            await asyncio.sleep(delay / self.clock.speed)
        if rests > delay:
            self.park(visit, True, Phase.RETRY)
            await asyncio.sleep((rests - delay) / self.clock.speed)
            self.park(visit, False)

    async def _asked(self, visit: Visit, tried: int) -> Return:
        url, may_send = visit.link.url, self.crawl.flights.may_send
        source = self.crawl.source_of(url)
        if source is not None:
            if not may_send(visit):
                return Return(self.clock(), visit, NOT_SENT, None, 0.0, tried)
            return await self._answered(source, visit, tried)
        return await self._brought(visit, tried)

    async def _brought(self, visit: Visit, tried: int) -> Return:
        url, may_send = visit.link.url, self.crawl.flights.may_send
        fetch, result, claim = await self.hands.bring(
            Request(
                *(url, visit.deadline, self.store.validators(url) if visit.fresh else {}, self.crawl.in_scope),
                waits=lambda waiting: self.park(visit, waiting),
                may_send=lambda: may_send(visit),
                doing=lambda phase: self._doing(visit, phase),
            )
        )
        if result is None:
            kept = self.crawl.memory.recall(url)
            result = kept.result if kept else Failure("status", "304 for a page that is not at hand")
        if (fetch.hops or fetch.captures) and isinstance(result, Failure) and not result.asked:
            # A redirect came, and where it leads may not be asked: the visit did cost a request.
            result = Failure("timeout" if result.kind == "waiting" else "redirect", f"{result.kind}: {result.detail}")
        return Return(self.clock(), visit, result, fetch, fetch.seconds, tried, claim=claim)

    async def _answered(self, source: Source, visit: Visit, tried: int) -> Return:
        url, began = visit.link.url, self.clock()
        if isinstance(source, Service):
            result = await source.ask(url, began)
            return Return(self.clock(), visit, result, None, (self.clock() - began) / self.clock.speed, tried)
        result = source.look(url, began)
        await asyncio.sleep(self.instant)
        return Return(self.clock(), visit, result, None, self.instant, tried)
