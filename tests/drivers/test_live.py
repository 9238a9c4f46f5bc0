"""The driver over the network: what it commits before it asks or tells, how it ends, what it does with failures."""

from __future__ import annotations

import asyncio
import math
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from wolfspider.core import events
from wolfspider.core.events import Landed, Pause, Resume, SetLimit, Stop, Went
from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.drivers import outside_commands
from wolfspider.drivers.driver import Clock, Result
from wolfspider.drivers.hands.here import HandsHere
from wolfspider.drivers.live import LiveDriver
from wolfspider.drivers.snapshot_timing import LANDINGS
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.entries import Entry, ProposeEntry
from wolfspider.files.disk import DiskFull
from wolfspider.store.in_memory import Volatile
from wolfspider.strategies import strategy_named
from wolfspider.testing.sketch import Interrupted, Sketch, Trial, VirtualLoop, told
from wolfspider.web.worlds.world import Request, Waited

START = 1_000_000.0


def virtually(main: Callable[[], Awaitable[Any]]) -> Any:
    """Run this in a time that jumps."""

    async def running() -> Any:
        return await main()

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(START)) as runner:
        return runner.run(running())


def a_trial(**more: Any) -> Trial:
    return Trial(strategy_named("breadth-first"), Sketch(), **{"pages": 40, **more})


class Watched(Volatile):
    """Remembers what was committed, and which visits the journal named by then."""

    def __init__(self) -> None:
        super().__init__()
        self.open: set[int] = set()
        self.committed: set[int] = set()
        self.commits = self.snapshots = self.syncs = 0
        self.landed_and_committed = 0

    def write(self, entry: Entry) -> None:
        super().write(entry)
        if isinstance(entry, ProposeEntry):
            self.open |= set(entry.visits)

    def commit(self) -> None:
        self.commits += 1
        self.committed |= self.open
        self.landed_and_committed = len(self.landings)

    def stage(self, state: Any) -> None:
        super().stage(state)
        self.snapshots += 1

    def sync(self) -> None:
        self.syncs += 1


class Drive:
    """One crawl by the driver, in virtual time, with everything at hand."""

    def __init__(self, trial: Trial, web: Callable[[Sketch, Clock], Any] | None = None, **options: Any) -> None:
        self.trial, self.read, self.options = trial, options.pop("read", None), options
        self.crawl: Crawl = trial.build()
        self.store = Watched()
        self.make_web = web or Waited

    def start(self) -> LiveDriver:
        clock = Clock()
        self.crawl.listen(self.store.hear)
        journal, write = self.crawl._write, self.store.write
        self.crawl._write = lambda entry: (journal(entry), write(entry))[1]
        if self.crawl.now == -math.inf:
            self.crawl.begin(self.trial.seeds(), clock())
        self.web = self.make_web(self.trial.world, clock)
        hands = HandsHere(self.web, self.read)
        self.run = LiveDriver(self.crawl, hands, self.store, clock=clock, **self.options)
        return self.run

    def finish(self) -> Result:
        async def main() -> Result:
            return await self.start().run()

        return virtually(main)


# Time


def test_the_clock_never_runs_backwards_and_goes_on_after_the_last_moment() -> None:
    async def main() -> None:
        clock = Clock.after(4e9)
        assert clock() >= 4e9
        before = clock()
        await asyncio.sleep(5)
        assert clock() - before == pytest.approx(5)
        assert clock.of_loop(clock()) == pytest.approx(asyncio.get_running_loop().time())

    virtually(main)


@pytest.mark.parametrize("name", ["breadth-first", "best-first", "shark", "opic", "random"])
def test_same_seed_same_corpus_same_order(name: str) -> None:
    """G7: two crawls by the driver over the network, in an injected time, have the same log; at one slot it is the log
    of a simulation too."""
    kind = strategy_named(name)
    for slots in (1, 5):
        one, other = (Trial(kind, Sketch(), pages=60, slots=slots) for _ in range(2))
        one.run_by_asyncio()
        other.run_by_asyncio()
        assert told(one.log) == told(other.log) and one.journal == other.journal
    simulated, driven = (Trial(kind, Sketch(), pages=60, slots=1) for _ in range(2))
    simulated.run()
    driven.run_by_asyncio()
    assert told(simulated.log) == told(driven.log)


# The order of a turn


class Careful(Waited):
    """Looks, at every request, whether the store knows of it."""

    drive: Drive

    async def fetch(self, request: Request) -> Fetch:
        out = {flight.visit.link.url: number for number, flight in self.drive.crawl.flights.items()}
        assert out[request.url] in self.drive.store.committed, "a request that no commit named"
        return await super().fetch(request)


def test_no_request_goes_out_and_no_page_is_told_of_before_it_is_committed() -> None:
    heard: list[events.Event] = []

    def tell(event: events.Event) -> None:
        heard.append(event)
        landings = sum(isinstance(one, Landed) for one in heard)
        assert landings <= drive.store.landed_and_committed, "a page was told of that could still be lost"

    drive = Drive(a_trial(slots=5), Careful, tell=tell)
    Careful.drive = drive
    assert drive.finish().reason == "budget"
    heard = [event for event in heard if not isinstance(event, events.Gauge)]
    assert heard == drive.trial.log[1:]  # all but the beginning, which came before there was a driver


def test_landings_come_one_by_one_in_the_order_of_time_and_number() -> None:
    drive = Drive(a_trial(slots=8))
    drive.finish()
    order = [(event.at, event.outcome.visit.id) for event in drive.trial.landings()]
    assert order == sorted(order)


def test_never_more_visits_are_out_than_there_are_slots_and_the_budget_is_exact() -> None:
    drive = Drive(a_trial(slots=3, pages=33))
    result = drive.finish()
    out = most = 0
    for event in drive.trial.log:
        out += isinstance(event, Went) and event.how == "out"
        out -= isinstance(event, Landed) and event.how == "out"
        most = max(most, out)
    assert most <= 3 and result == Result("budget", 33, result.at)


# Failures, and trying again


class Flaky(Waited):
    """Every first request for an address fails."""

    kind = "timeout"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.asked: Counter[str] = Counter()

    async def fetch(self, request: Request) -> Fetch:
        fetch = await super().fetch(request)
        self.asked[request.url] += 1
        return replace(fetch, failure=Failure(self.kind, ""), page=None) if self.asked[request.url] == 1 else fetch


class Forbidden(Flaky):
    kind = "robots"


def test_what_may_pass_is_tried_again_and_each_try_is_a_download() -> None:
    drive = Drive(a_trial(), Flaky, tries=2)
    result, landed = drive.finish(), drive.trial.landings()
    free = sum(isinstance(event.outcome.result, Failure) and not event.outcome.result.asked for event in landed)
    assert result.downloads == 40 == sum(drive.web.asked.values()) - free
    assert any(isinstance(event.outcome.result, Page) for event in landed)


def test_what_is_forbidden_is_not_tried_again_and_costs_nothing() -> None:
    drive = Drive(a_trial(), Forbidden, tries=3)
    result = drive.finish()
    assert result == Result("done", 0, result.at) and set(drive.web.asked.values()) == {1}


def test_at_a_host_that_wants_a_long_rest_nothing_is_tried_again() -> None:
    drive = Drive(a_trial(), Flaky, tries=3)

    async def main() -> Result:
        run = drive.start()
        run.room.pause = lambda host: 5000.0  # longer than max_wait
        return await run.run()

    virtually(main)
    assert set(drive.web.asked.values()) == {1}


# Ends


class Never(Waited):
    """Hosts that do not answer."""

    async def fetch(self, request: Request) -> Fetch:
        await asyncio.sleep(1e6)
        return await super().fetch(request)


def ended(
    how: Callable[[LiveDriver], None], web: Callable[[Sketch, Clock], Any] = Waited
) -> tuple[Drive, Result, float]:
    """A crawl that somebody ends after three seconds, and how long that took."""
    drive = Drive(a_trial(slots=4), web)

    async def main() -> tuple[Result, float]:
        run = drive.start()
        asyncio.get_running_loop().call_later(3.0, how, run)
        result = await run.run()
        assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        return result, asyncio.get_running_loop().time() - START - 3.0

    return (drive, *virtually(main))


def test_a_drain_lands_what_is_out_and_starts_nothing_new() -> None:
    drive, result, seconds = ended(LiveDriver.drain)
    assert result.reason == "interrupted" and not drive.crawl.flights and seconds < 2
    went = [event.at for event in drive.trial.log if isinstance(event, Went)]
    assert max(went) <= START + 3.0 and drive.store.snapshots == 1


def test_a_drain_has_an_end_though_nobody_answers() -> None:
    drive, result, seconds = ended(LiveDriver.drain, Never)
    assert result.reason == "interrupted" and seconds == pytest.approx(15) and drive.crawl.flights


class Queued(Waited):
    """Hosts whose turn does not come for a long time."""

    async def fetch(self, request: Request) -> Fetch:
        request.waits(True)
        await asyncio.sleep(1e6)
        return await super().fetch(request)


def test_a_drain_does_not_wait_for_visits_that_wait_for_their_turn() -> None:
    drive, result, seconds = ended(LiveDriver.drain, Queued)
    assert result.reason == "interrupted" and seconds == pytest.approx(0) and drive.crawl.flights


def test_a_stop_ends_at_once_and_keeps_what_was_out() -> None:
    drive, result, seconds = ended(LiveDriver.stop, Never)
    assert result.reason == "stopped" and seconds == pytest.approx(0) and len(drive.crawl.flights) == 3


def test_what_was_out_goes_out_again_and_is_counted() -> None:
    drive, _, _ = ended(LiveDriver.stop, Never)
    again = Drive(drive.trial)
    again.crawl.restore(drive.crawl.state())
    assert again.finish().reason == "budget"
    assert again.store.counts() == {"refetched": 3}


def test_a_chore_may_end_the_crawl_and_says_why() -> None:
    drive = Drive(a_trial(), chores=lambda now: "disk" if now > START + 5 else None)
    assert drive.finish().reason == "disk"


def test_commands_of_others_are_obeyed_between_turns() -> None:
    drive = Drive(a_trial(pages=60))

    async def main() -> Result:
        run = drive.start()
        loop = asyncio.get_running_loop()
        for at, command in ((2.0, Pause()), (50.0, Resume()), (51.0, SetLimit("pages", 35)), (900.0, Stop())):
            loop.call_later(at, drive.store.inbox.append, command)
        return await run.run()

    assert virtually(main).downloads == 35
    obeyed = [event for event in drive.trial.log if isinstance(event, events.Obeyed)]
    assert [type(event.command) for event in obeyed[:2]] == [Pause, Resume]
    quiet = [event for event in drive.trial.log if isinstance(event, Went) and START + 3.5 < event.at < START + 50]
    assert not quiet


def test_a_flood_of_commands_is_obeyed_a_few_in_each_turn() -> None:
    """Between them the crawl goes on, and at its end all are obeyed."""
    drive = Drive(a_trial(pages=60))
    drive.store.inbox += [SetLimit("delay", float(number % 2)) for number in range(1_000)]
    obeyed = 0
    most = 0

    async def main() -> Result:
        run = drive.start()

        def turned() -> None:
            nonlocal obeyed, most
            now = sum(isinstance(event, events.Obeyed) for event in drive.trial.log)
            obeyed, most = now, max(most, now - obeyed)

        run.turned = turned
        return await run.run()

    assert virtually(main).downloads == 60
    assert 0 < most <= outside_commands.MOST and obeyed == 1_000


def test_what_a_person_said_just_before_the_end_is_obeyed() -> None:
    """Nobody looks for commands between the last landing and the end, if not at the end itself."""
    drive = Drive(a_trial(pages=20))
    late = SetLimit("pages", 30)

    def say(event: events.Event) -> None:
        if isinstance(event, events.Landed) and event.downloads == 20:
            drive.store.inbox.append(late)

    drive.crawl.listen(say)
    assert drive.finish().downloads == 30
    assert [event.command for event in drive.trial.log if isinstance(event, events.Obeyed)] == [late]


# Bugs come out, and nothing hangs


class Buggy(Waited):
    async def fetch(self, request: Request) -> Fetch:
        await asyncio.sleep(1)
        raise Interrupted


@pytest.mark.parametrize("where", ["web", "read", "tell", "chores", "turned", "pace"])
def test_a_bug_anywhere_comes_out_and_leaves_no_task_behind(where: str) -> None:
    def fail(*_: Any) -> Any:
        raise Interrupted

    async def fail_later(*_: Any) -> Any:
        raise Interrupted

    options = {"read": fail_later}.get(where, fail)
    drive = Drive(a_trial(), Buggy if where == "web" else None, **({} if where == "web" else {where: options}))

    async def main() -> None:
        run = drive.start()
        with pytest.raises(Interrupted):
            await run.run()
        assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    virtually(main)


# Beside the turns


def test_snapshots_come_at_most_as_often_as_asked_for_and_the_archive_is_synced_each_second() -> None:
    drive = Drive(a_trial(pages=60, slots=1, delay=1.0), snapshots=20.0)
    seconds = drive.finish().at - START
    assert 2 <= drive.store.snapshots <= seconds / 20 + 1
    assert drive.store.syncs >= 1


def test_a_disk_that_takes_long_to_keep_a_snapshot_holds_no_page_up() -> None:
    """The snapshot that is due after the first second is on the disk only when the crawl has all its pages."""
    drive = Drive(a_trial(pages=60, slots=1, delay=1.0), snapshots=1.0)
    all_landed, adopted = threading.Event(), []

    def save(staged: object) -> None:
        assert all_landed.wait(60), "the crawl waits for its snapshot"

    def hear(event: events.Event) -> None:
        if isinstance(event, events.Landed) and event.downloads == 60:
            all_landed.set()

    drive.store.save = save  # type: ignore[method-assign]  # a slow disk
    drive.store.adopt = adopted.append  # type: ignore[method-assign]
    drive.crawl.listen(hear)
    assert drive.finish().downloads == 60
    assert adopted and drive.store.snapshots >= 2, "one of them at the end"


def test_what_goes_wrong_while_a_snapshot_is_saved_ends_the_crawl() -> None:
    drive = Drive(a_trial(pages=60, slots=1, delay=1.0), snapshots=1.0)

    def save(staged: object) -> None:
        raise DiskFull("no space left")

    drive.store.save = save  # type: ignore[method-assign]
    with pytest.raises(DiskFull):
        drive.finish()


def test_a_snapshot_comes_after_many_landings_however_quick_they_were() -> None:
    trial = Trial(strategy_named("breadth-first"), Sketch(5 * LANDINGS), pages=LANDINGS + 100, slots=7, delay=0.0)
    drive = Drive(trial, snapshots=1e9)
    drive.finish()
    assert drive.store.snapshots >= 2, "one of them at the end"


def test_a_visit_that_waits_gives_its_slot_to_another() -> None:
    """Two slots; visits to one host wait for a turn for a long time, and the others go on meanwhile."""

    class Waiting(Waited):
        async def fetch(self, request: Request) -> Fetch:
            if "//host0." in request.url:
                request.waits(True)
                await asyncio.sleep(500)
                request.waits(False)
            return await super().fetch(request)

    drive = Drive(a_trial(slots=2, pages=30), Waiting)
    drive.finish()
    early = [event for event in drive.trial.landings() if event.at < START + 400]
    assert len(early) >= 20 and not [event for event in early if "//host0." in event.outcome.visit.link.url]


class Changing(Waited):
    """Says 304 to whoever names the copy at hand."""

    async def fetch(self, request: Request) -> Fetch:
        fetch = await super().fetch(request)
        if request.held.get("etag") == "one":
            return replace(fetch, status=304, page=None, body=b"")
        return replace(fetch, headers={"etag": "one"})


def test_a_304_lands_as_the_page_at_hand() -> None:
    kind = strategy_named("breadth-first")

    class Twice(kind):  # type: ignore[valid-type, misc]
        name = "twice"

        def propose(self, room: Any, now: float) -> Any:
            again = getattr(self, "again", None)
            if again is not None and room.take(again, True):
                self.again = None
                return [self.visit(again, fresh=True)]
            return super().propose(room, now)

        def observe(self, outcome: Any) -> None:
            if not outcome.visit.fresh and outcome.page is not None and not hasattr(self, "again"):
                self.again = outcome.visit.link

        def wake(self, now: float) -> float | None:
            return math.inf if getattr(self, "again", None) else super().wake(now)

    drive = Drive(Trial(Twice, Sketch(), pages=10, slots=1), Changing)
    drive.crawl.memory = drive.store
    drive.finish()
    outcomes = [event.outcome for event in drive.trial.landings()]
    (again,) = [outcome for outcome in outcomes if outcome.visit.fresh]
    (first,) = [one for one in outcomes if one.visit.link == again.visit.link and not one.visit.fresh]
    assert again.result == first.result and not again.cached and again.downloads == 1
