"""How a crawl stands, read off in virtual time: its pace, the time left, what its visits do."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable
from itertools import pairwise
from typing import Any

import pytest

from wolfspider.core.events import Event, Gauge, Landed, Pause, Phase, Resume
from wolfspider.core.model import Failure, Fetch
from wolfspider.drivers.driver import Clock, Result
from wolfspider.drivers.hands.here import HandsHere
from wolfspider.drivers.live import LiveDriver
from wolfspider.drivers.meter import Meter, Pace
from wolfspider.policy.room import Room
from wolfspider.store.in_memory import Volatile
from wolfspider.store.page_count import PageCount
from wolfspider.strategies import strategy_named
from wolfspider.testing.sketch import Sketch, Trial, VirtualLoop
from wolfspider.web.worlds.world import Request, Waited

START = 1_000_000.0


def paced(times: Iterable[float], until: float, per_second: float = 1.0) -> Pace:
    """A pace that was looked at once a second, with downloads at these times."""
    pace, times = Pace(), sorted(times)
    for look in range(int(until * per_second) + 1):
        now = look / per_second
        pace.see(now, sum(at <= now for at in times))
    return pace


def every(seconds: float, until: float) -> list[float]:
    return [seconds * number for number in range(1, int(until / seconds) + 1)]


# The pace, and the time left


def test_rates_are_those_of_the_last_seconds() -> None:
    pace = paced([*every(0.5, 60), *every(0.1, 10)], 60)
    assert pace.rate(10) == pytest.approx(2.0) and pace.rate(60) == pytest.approx(220 / 60)
    assert Pace().rate(10) == 0.0 and paced([], 0).rate(10) == 0.0
    assert paced(every(0.5, 4), 4).rate(60) == pytest.approx(2.0), "for as long as anybody looked"


def test_a_steady_pace_goes_on() -> None:
    for seconds in (0.1, 1.0, 7.0, 30.0):
        pace = paced(every(seconds, 400), 400)
        assert pace.left(10) == pytest.approx(10 * seconds, rel=0.15), "also where a minute has few downloads"


def test_the_pace_of_the_last_minute_counts_and_not_that_of_the_whole_crawl() -> None:
    fast_then_slow = [*every(0.1, 60), *(60 + at for at in every(2.0, 120))]
    assert paced(fast_then_slow, 180).left(10) == pytest.approx(20, rel=0.1)


def test_nothing_is_estimated_while_too_little_is_known() -> None:
    assert Pace().left(10) is None
    assert paced(every(0.1, 3), 3).left(10) is None, "three seconds"
    assert paced([1, 2, 3, 4], 6).left(10) is None, "four downloads"
    assert paced(every(1.0, 8), 8).left(10) == pytest.approx(10)


def test_the_estimate_goes_when_downloads_stay_away_and_does_not_stand_still() -> None:
    """A crawl of one download a second of which the last two never come."""
    told = [paced(every(1.0, 58), 58 + silent).left(2) for silent in range(41)]
    assert told[0] == pytest.approx(2.0)
    assert told[6:] == [None] * 35, "after five that should have come nobody knows"


def test_the_estimate_goes_at_once_when_nothing_can_come_for_a_while() -> None:
    pace = paced(every(1.0, 58), 58)
    assert pace.left(2, idle_until=98.0) is None
    assert pace.left(2, idle_until=60.0) == pytest.approx(2.0), "a rest as usual"


def test_what_waits_for_a_host_makes_the_crawl_longer() -> None:
    assert paced(every(1.0, 58), 58).left(2, busy_until=98.0) == pytest.approx(40.0)


def test_a_long_crawl_is_remembered_for_minutes_and_not_for_ever() -> None:
    pace = paced(every(1.0, 2000), 2000)
    assert len(pace._seen) <= 601


# A crawl


def virtually(main: Callable[[], Awaitable[Any]]) -> Any:
    async def running() -> Any:
        return await main()

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(START)) as runner:
        return runner.run(running())


class Heard(list[Event]):
    """What a crawl told."""

    @property
    def gauges(self) -> list[Gauge]:
        return [event for event in self if isinstance(event, Gauge)]


def crawled(
    web: Callable[[Sketch, Clock], Any] = Waited,
    prepare: Callable[[LiveDriver, Volatile], None] | None = None,
    **more: Any,
) -> tuple[Heard, Volatile, Result]:
    options = {name: more.pop(name) for name in ("patient", "tries") if name in more}
    trial = Trial(strategy_named("breadth-first"), Sketch(), **{"pages": 60, "slots": 3, **more})
    heard, store = Heard(), Volatile()

    async def main() -> Result:
        clock, crawl = Clock(), trial.build()
        crawl.memory = store
        crawl.listen(store.hear)
        crawl._write = store.write
        crawl.begin(trial.seeds(), clock())
        run = LiveDriver(crawl, HandsHere(web(trial.world, clock)), store, clock=clock, tell=heard.append, **options)
        if prepare is not None:
            prepare(run, store)
        return await run.run()

    return heard, store, virtually(main)


def test_a_gauge_comes_once_a_second_at_most_and_in_the_order_of_time() -> None:
    heard, store, result = crawled()
    times = [gauge.at for gauge in heard.gauges]
    assert all(later - sooner >= 1.0 for sooner, later in pairwise(times[:-1]))
    assert all(later - sooner <= 2.0 for sooner, later in pairwise(times)), "also where nothing lands"
    assert [event.at for event in heard] == sorted(event.at for event in heard)
    assert store.gauges() == heard.gauges and len(times) > 5
    last = heard.gauges[-1]
    assert (last.state, last.in_flight, last.downloads, last.budget) == ("ended", 0, result.downloads, 60)
    assert heard.index(last) == len(heard) - 2, "just before the end"


def test_a_gauge_counts_what_the_store_has() -> None:
    heard, store, _ = crawled()
    last = heard.gauges[-1]
    assert tuple(getattr(last, name) for name in PageCount._fields) == store.page_count()
    assert 0 < last.relevant < last.pages <= sum(isinstance(event, Landed) for event in heard)
    assert heard.gauges[0].frontier is not None and heard.gauges[0].hosts_ready is not None


def test_the_gauge_is_no_part_of_the_log() -> None:
    one, other = (Trial(strategy_named("breadth-first"), Sketch(), pages=40) for _ in range(2))
    one.run_by_asyncio()
    other.run()
    assert not any(isinstance(event, Gauge) for event in one.log + other.log)
    assert not any(isinstance(part, Gauge) for entry in one.journal for part in entry)


class Lanes(Waited):
    """Three requests at a time; hosts have their turns, then visits wait for one of the three."""

    def __init__(self, *handed: Any) -> None:
        super().__init__(*handed)
        self.lanes = asyncio.Semaphore(3)

    async def fetch(self, request: Request) -> Fetch:
        request.waits(True)
        await asyncio.sleep(5)
        request.waits(False)
        request.doing("slot")
        async with self.lanes:
            request.doing(Phase.FETCHING)
            return await super().fetch(request)


def test_visits_in_flight_are_never_more_than_the_slots_and_the_others_say_what_they_wait_for() -> None:
    heard, _, _ = crawled(lambda world, clock: Lanes(world, clock, 1.5), slots=3, delay=2.5)
    assert max(gauge.in_flight for gauge in heard.gauges) == 3
    assert any(gauge.in_flight + sum(gauge.waiting.values()) > 3 for gauge in heard.gauges), "more are out than that"
    assert {what for gauge in heard.gauges for what in gauge.waiting} - {"reading"} == {"retry", "slot", "turn"}


def test_the_longest_visit_is_named_with_its_beginning() -> None:
    class Slow(Waited):
        async def fetch(self, request: Request) -> Fetch:
            if request.url.endswith("/2"):
                await asyncio.sleep(50)
            return await super().fetch(request)

    heard, _, _ = crawled(Slow)
    (late,) = [gauge for gauge in heard.gauges if START + 40 <= gauge.at < START + 41]
    assert late.longest.endswith("/2") and late.longest_since == START and late.in_flight == 1


class Troubled(Waited):
    """One host fails first, and rests for 40 seconds then."""

    failed = False

    async def fetch(self, request: Request) -> Fetch:
        fetch = await super().fetch(request)
        if "//host0." in request.url and not self.failed:
            self.failed = True
            return Fetch(request.url, request.url, failure=Failure("connect", "no"), seconds=1.0, at=fetch.at)
        return fetch


def test_a_visit_that_is_tried_again_says_so_and_hosts_that_rest_are_counted() -> None:
    rests = START + 45.0

    def prepare(run: LiveDriver, store: Volatile) -> None:
        run.room.pause = lambda host: max(0.0, rests - run.clock()) if host == "host0.test" else 0.0

    heard, _, _ = crawled(Troubled, prepare, tries=2, pages=400, slots=1)
    told = [gauge for gauge in heard.gauges if gauge.waiting.get("retry")]
    assert len(told) > 20 and all(gauge.hosts_resting >= 1 for gauge in told)


def test_a_crawl_that_can_only_wait_says_until_when_and_estimates_nothing() -> None:
    """One download a second, and the last ones wait for a host that rests: the old estimate stood at a second."""
    began = START + 30.0

    class Resting(Waited):
        async def fetch(self, request: Request) -> Fetch:
            if self.clock() > began:
                request.waits(True)
                request.doing("rest")
                await asyncio.sleep(max(0.0, began + 60.0 - self.clock()))
                request.waits(False)
            return await super().fetch(request)

    def prepare(run: LiveDriver, store: Volatile) -> None:
        run.room.pause = lambda host: max(0.0, began + 60.0 - run.clock()) if run.clock() > began else 0.0

    heard, _, _ = crawled(lambda world, clock: Resting(world, clock, 1.0), prepare, pages=34, slots=1, delay=0.0)
    steady = [gauge for gauge in heard.gauges if START + 15 < gauge.at < began]
    assert steady and all(gauge.left == pytest.approx(34 - gauge.downloads, rel=0.3) for gauge in steady)
    waiting = [gauge for gauge in heard.gauges if began + 3 < gauge.at < began + 55]
    assert len(waiting) > 40
    for gauge in waiting:
        assert (gauge.state, gauge.in_flight, gauge.left) == ("waiting", 0, None)
        assert gauge.next_at == pytest.approx(began + 60.0, abs=0.01)


def test_a_pause_is_told_and_then_nothing_is_estimated() -> None:
    def prepare(run: LiveDriver, store: Volatile) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(10.0, store.inbox.append, Pause())
        loop.call_later(30.0, store.inbox.append, Resume())

    heard, _, _ = crawled(prepare=prepare, pages=100, slots=1)
    paused = [gauge for gauge in heard.gauges if START + 13 < gauge.at < START + 30]
    assert len(paused) > 10 and {(gauge.state, gauge.left) for gauge in paused} == {("paused", None)}
    assert {gauge.state for gauge in heard.gauges if gauge.at > START + 33} >= {"fetching", "ended"}


def test_hosts_that_are_ready_are_not_counted_where_nobody_keeps_a_frontier() -> None:
    trial = Trial(strategy_named("lafc"), Sketch(), pages=10)
    crawl = trial.run()
    gauge = Meter(crawl, Room()).read(crawl.now, PageCount(1, 1, 0, 0))
    assert gauge.hosts_ready is None and gauge.frontier is None and gauge.left is None and math.isfinite(gauge.at)
