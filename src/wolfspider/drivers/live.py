"""The driver over the network: the same Crawl, in real time, on one task.

A turn, in this order: commands are obeyed, the strategy proposes, the store commits all that happened since the last
turn, listeners are told of it, and only then requests go out. So no listener hears of a page that could still be
lost, and no request is made that the journal does not know of. Answers are read (parsed) beside the turns, and land in
the order they came, always on this one task.

A visit whose host is in trouble is postponed: others have its slot and its download until the host has rested.

A signal drains: nothing new starts, what is out may land for a while, and the run can be resumed.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

from wolfspider.core.events import CrawlState, EndReason, Event, Phase
from wolfspider.core.model import Page, Route, Visit, host_of
from wolfspider.drivers.driver import Clock, Driver, Result, garbage_sought_seldom
from wolfspider.drivers.errands import Errands, Return
from wolfspider.drivers.hands.contract import Hands, HeldMemory
from wolfspider.drivers.hands.here import HandsHere, Read
from wolfspider.drivers.meter import Meter
from wolfspider.drivers.outside_commands import OutsideCommands
from wolfspider.drivers.resting_visits import RestingVisits
from wolfspider.drivers.snapshot_taking import SnapshotTaker
from wolfspider.drivers.snapshot_timing import SnapshotTiming
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.flights import Flight
from wolfspider.files.failpoints import reach
from wolfspider.policy.room import Broken, Order, Room
from wolfspider.store.base import Store
from wolfspider.web.memory_budget import MemoryBudget
from wolfspider.web.worlds.world import NOT_SENT, Web

POLL = 0.5  # seconds between two looks for commands
LONGEST_PAUSE = 0.02  # seconds between two tries to write, while another process does
DRAIN = 15.0  # seconds that visits have to come back once a signal said stop


class LiveDriver(Driver):
    """One crawl in real time."""

    def __init__(
        self,
        crawl: Crawl,
        hands: Hands,
        store: Store,
        *,
        clock: Clock,
        tries: int = 2,
        room: Room | None = None,
        tell: Callable[[Event], None] | None = None,
        turned: Callable[[], None] | None = None,
        pace: Callable[[], bool] | None = None,
        chores: Callable[[float], EndReason | None] | None = None,
        snapshots: float = 60.0,
        replayed: float = 0.0,
        patient: bool = False,
        in_trouble: Callable[[str], bool] | None = None,
        instant: float = 0.0,
    ) -> None:
        super().__init__(crawl, tries=tries, room=room)
        self.meter = Meter(crawl, self.room, clock.speed)
        self.store, self.clock, self.instant = store, clock, instant
        self.resting = RestingVisits(crawl, self.room, clock, self.meter, in_trouble)
        self.tell = tell
        self.turned = turned  # called just before each commit
        self.pace = pace  # may more visits start, or is a reader of events behind?
        self.patient = patient  # keep visits out whose host rests, instead of landing them unasked
        self.chores = chores  # done about once a second; may say why the crawl must end
        self.ending: EndReason | None = None  # interrupted or stopped, once a signal said so; or the reason of a chore
        self._until = math.inf  # when a drain has lasted long enough
        self._bell = asyncio.Event()
        self._errands = Errands(
            *(crawl, hands, store, clock, self.meter, instant),
            slot_freed=self._bell.set,
        )
        self._back: list[Return] = []
        self._landed: list[HeldMemory] = []  # of visits that came back and are not committed yet
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._heard: list[Event] = []
        self._bug: Exception | None = None  # what went wrong beside the turns
        self._others = OutsideCommands(store, crawl)
        timing = SnapshotTiming(snapshots * clock.speed, clock, replayed)
        self.snapshots = SnapshotTaker(store, self._state, timing, self._store_ready, self._fail)
        crawl.listen(self._heard.append)

    async def run(self) -> Result:
        for flight in self._left_over():
            self._again(flight)
        self._others.look()
        sync = partial(asyncio.to_thread, self.store.sync)  # a slow disk holds nothing else up
        chores = ((POLL, self._poll), (1.0, self._tend), (1.0, sync))
        helpers = [asyncio.create_task(self._every(seconds, chore)) for seconds, chore in chores]
        try:
            with garbage_sought_seldom():
                reason = await self._turn_until_over()
        finally:
            tasks = [*helpers, *self._tasks.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.snapshots.settle()
        await self._store_ready()
        self._publish(self.clock(), CrawlState.ENDED)
        self.crawl.end(reason, self.clock())
        self._commit()
        await self.snapshots.settle()
        self.snapshots.take()
        return Result(reason, self.crawl.spent, self.crawl.now)

    def _again(self, flight: Flight) -> None:
        """What was in flight before a crash or a stop: its last try goes out again, unless its host is in trouble."""
        if self.resting.takes(flight):
            return
        if flight.how == Route.OUT:
            self.store.count("refetched")
        self._dispatch(Order(flight.visit, flight.how), self.clock(), flight.tries)

    def drain(self, reason: EndReason = EndReason.INTERRUPTED) -> None:
        """Start nothing new, wait a little for what is out, and end; the run can be resumed."""
        self.ending = self.ending or reason
        self._until = min(self._until, self.clock() + DRAIN * self.clock.speed)
        self._bell.set()

    def stop(self) -> None:
        """End at once; what is out is asked for again when the run is resumed."""
        self.ending, self._until = EndReason.STOPPED, -math.inf
        self._bell.set()

    def ring(self) -> None:
        """There is something in the inbox."""
        self._bell.set()

    # The turn

    async def _turn_until_over(self) -> EndReason:
        await self._store_ready()
        while True:
            now = self.clock()
            self._others.obey(now)
            self._obey_inbox(now)
            self._give_up(now)
            if not self.ending:
                for visit, tried in self._released():
                    self.crawl.flights.park(visit, False)
                    self._send(self._go_out(visit, tried), visit)
                if self.crawl.pacing.quiet(now) <= now:
                    self._bring_back(now)
            behind = self.pace is not None and not self.pace()
            orders = [] if self.ending or behind else self.crawl.visits(self.room, now)
            self._commit()
            self._free_memory()
            for order in orders:
                self._dispatch(order, now)
            reach("run-sent")
            self._publish(now)
            reason = self._over(now)
            if reason and not self._others.look(last=True):
                return reason
            if reason:  # what a person said just now may change that
                await self._store_ready()
                continue
            await self._something(now)
            await self._store_ready()
            if self._bug is not None:
                raise self._bug
            self._land_returned()

    def _over(self, now: float) -> EndReason | None:
        if self.ending:
            # A visit that still waits for its turn at a host may as well wait for the next session.
            under_way = self._back or not self._tasks.keys() <= self.crawl.flights.parked
            return self.ending if now >= self._until or not under_way else None
        reason = self.crawl.over(self.room, now)
        if reason is None and self.resting and not (self._tasks or self._back):
            dry = self.crawl.asked == now or self.crawl.flights.left <= 0
            waits = self._next(now) - now > self.crawl.limits.max_wait
            return EndReason.WAITING if dry and waits and not self.crawl.paused else None
        return None if reason == EndReason.PAUSED else reason

    def _commit(self) -> None:
        if self.turned is not None:
            self.turned()
        self.store.commit()
        heard, self._heard[:] = list(self._heard), []
        if self.tell is not None:
            for event in heard:
                self.tell(event)
            reach("run-told")
        self.snapshots.take_if_due()

    def _publish(self, now: float, state: CrawlState | None = None) -> None:
        """Tell how the crawl stands, at most once a second, and when it ends."""
        if not (state or (self.meter.due(now) and self.store.ready())):
            return
        state = state or (CrawlState.FINISHING if self.ending else None)
        stranded = self.resting.later_than(now + self.crawl.limits.max_wait)
        gauge = self.meter.read(now, self.store.page_count(), state, stranded)
        self.store.gauge(gauge)
        self.store.commit()
        if self.tell is not None:
            self.tell(gauge)

    def _state(self) -> dict[str, Any]:
        return {"crawl": self.crawl.state(), "room": self.room.state()}

    async def _store_ready(self) -> None:
        """No other process has any business in the database of a run. One that writes there nevertheless is waited for;
        meanwhile answers come and signals are heard. A drain that has lasted long enough does not wait."""
        pause = 0.0
        while not self.store.ready() and self.clock() < self._until:
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, pause + 0.001)

    async def _something(self, now: float) -> None:
        """Wait until a visit is back, a command came, a host is ready or the strategy wants to be asked."""
        until = self._until if self.ending else self._next(now)
        if self.crawl.flights and not (self._tasks or self._back or self.resting or self.withheld or self.ending):
            raise Broken(f"visits {list(self.crawl.flights)[:10]} never land: nothing is left to wait for")
        if self._back and not self.instant:
            await asyncio.sleep(0)  # others live on this loop too
            return
        loop = asyncio.get_running_loop()
        timer = loop.call_at(self.clock.of_loop(until), self._bell.set) if until < math.inf else None
        await self._bell.wait()
        self._bell.clear()
        if timer is not None:
            timer.cancel()

    def _next(self, now: float) -> float:
        """When there is something to do again, landings and new commands apart."""
        rested = max(self.resting.next(), self.crawl.pacing.quiet(now)) if self.crawl.may_start else math.inf
        return min(rested, self._others.next(), self.crawl.next(self.room, now))

    # There and back

    def _dispatch(self, order: Order, now: float, tried: int = 1) -> None:
        visit, how = order
        if how == Route.OUT:
            self.meter.doing(visit, Phase.RETRY if tried > 1 else Phase.FETCHING, now)
            self._send(self._go_out(visit, tried, 0.0 if tried > 1 else None), visit)
        elif how != Route.JOINED:  # a joined visit lands with the other one
            back = Return(now + self.instant, visit, self._answer(visit, how, now), None, self.instant, self.tries)
            if self.instant:
                self._send(self._later(back), visit)
            else:
                self._back.append(back)

    def _send(self, errand: Coroutine[Any, Any, None], visit: Visit) -> None:
        self._tasks[visit.id] = asyncio.create_task(errand)

    async def _later(self, back: Return) -> None:
        await asyncio.sleep(self.instant)
        self._arrive(back)

    async def _go_out(self, visit: Visit, tried: int, rests: float | None = None) -> None:
        self._arrive(await self._errands.go(visit, tried, rests))

    def _call_off(self, visit: Visit) -> None:
        super()._call_off(visit)
        self.meter.back(visit.id)
        if task := self._tasks.pop(visit.id, None):
            task.cancel()

    def _arrive(self, back: Return) -> None:
        del self._tasks[back.visit.id]
        self.meter.back(back.visit.id)
        self._back.append(back)
        self._bell.set()

    def _bring_back(self, now: float) -> None:
        """Visits whose hosts have rested go out again, or land if their hosts need too long."""
        for visit, tried, given_up in self.resting.rested(now):
            if given_up:
                self._call_off(visit)
                self._land(visit, given_up, now, 0.0)
            else:
                self.meter.doing(visit, Phase.FETCHING, now)
                self._send(self._go_out(visit, tried + 1), visit)

    def _land_returned(self) -> None:
        returned, self._back = sorted(self._back, key=lambda back: (back.at, back.visit.id)), []
        for back in returned:
            self._landed.append(back.claim)
            self._return(back)

    def _free_memory(self) -> None:
        """What came back is committed, and nobody here has it any more."""
        while self._landed:
            self._landed.pop().release()

    def _return(self, back: Return) -> None:
        if back.bug is not None:
            raise back.bug
        if self._goes_again(back):
            return
        if back.fetch is not None:
            self.store.archive(back.visit.id, back.fetch)
        self._land(back.visit, back.result, max(back.at, self.crawl.now), back.seconds)
        self.snapshots.timing.landed(back.fetch.length if back.fetch is not None else 0)
        reach("run-landed")

    def _goes_again(self, back: Return) -> bool:
        """Does the visit stay in flight? A run that is ending leaves visits worth another try to the next session."""
        visit, result = back.visit, back.result
        costs = isinstance(result, Page) or result.asked
        if result == NOT_SENT or (costs and not self.crawl.flights.may_send(visit)):
            self.withheld[visit.id] = (visit, back.tried)
            self._errands.park(visit, True, Phase.LIMIT)
            return True
        if isinstance(result, Page):
            return False
        unasked = self.patient and result.kind == "waiting"
        if self.ending:
            return unasked or self._worth_another(result, back.tried)
        hosts = {visit.link.host, host_of(back.fetch.final_url) if back.fetch else visit.link.host}
        rests = max(map(self.room.pause, hosts))
        too_long = rests > self.crawl.limits.max_wait
        if unasked:  # a host that never answers is given up like any other
            return (too_long or back.tried < self.tries) and self.resting.postpone(visit, result, back.tried, rests)
        if too_long or not self._worth_another(result, back.tried):
            return False
        if any(map(self.resting.in_trouble, hosts)):
            return self.resting.postpone(visit, result, back.tried, rests)
        if not self.crawl.grant(visit):
            return False
        self.meter.doing(visit, Phase.RETRY, self.clock())
        self._send(self._go_out(visit, back.tried + 1, rests), visit)
        return True

    # Beside the turns

    async def _every(self, seconds: float, chore: Callable[[], Awaitable[None]]) -> None:
        """Do this again and again; if it fails, so does the run."""
        try:
            while True:
                await asyncio.sleep(seconds)
                await chore()
        except Exception as bug:
            self._fail(bug)

    def _fail(self, bug: Exception) -> None:
        self._bug = bug
        self._bell.set()

    async def _poll(self) -> None:
        if self._others.look():
            self._bell.set()
        if not self._back:  # else pages that have come back would be told after this gauge, with an earlier time
            self._publish(self.clock())

    async def _tend(self) -> None:
        if self.chores and (reason := self.chores(self.clock())):
            self.drain(reason)


async def run(
    crawl: Crawl, web: Web, store: Store, read: Read | None = None, budget: MemoryBudget | None = None, **options: Any
) -> Result:
    """Run a crawl in this process alone; the options are those of LiveDriver."""
    return await LiveDriver(crawl, HandsHere(web, read, budget), store, **options).run()
