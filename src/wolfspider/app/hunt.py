"""The main job: a person's settings in, pages out, live.

Settings are checked when a Hunt is made. When it is run, the folder of the run is opened. If it holds a crawl that has
begun, that crawl is resumed: its last snapshot and the journal since then are replayed without the network. If not,
liked pages are fetched, starting points gathered, and a crawl begins. Either way a driver then runs it to its end.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wolfspider.app import assemble, leaping, preflight, run_folder, starting_points, teacher
from wolfspider.app.changed_limits import limits_to_move
from wolfspider.app.found_pages import Found, FoundPages
from wolfspider.app.plugins import PARTS, check_at_hand
from wolfspider.app.requisite_gathering import RequisiteGathering
from wolfspider.app.settings import Settings
from wolfspider.app.starting_points import StartingPoints, unless
from wolfspider.core.errors import Problem
from wolfspider.core.events import AddSeeds, Command, EndReason, Event, check_texts
from wolfspider.drivers.driver import Clock
from wolfspider.drivers.driver import Result as Result
from wolfspider.drivers.hands.contract import Hands
from wolfspider.drivers.live import LiveDriver
from wolfspider.engine.crawl import Crawl
from wolfspider.files.disk import check_floor
from wolfspider.files.program_name import shell_command
from wolfspider.policy.room import Room
from wolfspider.store.base import Store
from wolfspider.store.fleet_folder import refuse_island
from wolfspider.store.folder import is_run
from wolfspider.store.inbox import MOST_WAITING, too_many
from wolfspider.store.run_clock import RunClock
from wolfspider.store.view import RunView, utc
from wolfspider.web.http.live_web import Live
from wolfspider.web.seeds import sources
from wolfspider.web.worlds.world import Askable

if TYPE_CHECKING:
    from wolfspider.web.worlds.recording.recorder import Recorder

_CUT_SHORT = (EndReason.STOPPED, EndReason.INTERRUPTED, EndReason.DISK, EndReason.TIME, EndReason.BYTES)
_FAR = 2 * 86_400.0  # seconds from our own time, of which a person is told


class Hunt:
    """One live crawl. `async for found in hunt` brings its pages; `await hunt.run()` just runs it."""

    def __init__(
        self,
        settings: Settings,
        folder: Path | None = None,
        *,
        tell: Callable[[Event], None] | None = None,
        remark: Callable[[str], None] | None = None,
        given: Collection[str] = (),
        again: bool = False,
        leased: bool = False,
    ) -> None:
        """`given`: names of settings that the person gave, which count on resume even if the run began with the same
        values. `again`: the command is one that begins a run, so what it also said then leaves later changes alone.
        `leased`: the fleet that the run is an island of says what it may spend."""
        check_at_hand({part: getattr(settings, part) for part in PARTS}, folder)
        begun = folder is not None and is_run(folder)
        if begun and "memory" not in given:
            settings = preflight.with_enough_memory(settings)
        preflight.check(settings)
        preflight.check_record(settings, folder)
        teacher.check_settings(settings)
        if not begun:
            preflight.check_texts(settings)
        self.settings, self.folder, self.given, self._again = settings, folder, given, again
        self._leased = leased
        self._budget = preflight.memory_budget(settings)
        # The standard input is read here, where Ctrl-C works as everywhere.
        self._listed = [] if begun else starting_points.listed(settings)
        self.remark = remark or (lambda sentence: None)
        if "parsers" in given:
            self.remark("--parsers is an earlier name of --hands: better give that.")
        self.leaping: leaping.Leaping | None = None
        self._prepared = False
        self.crawl: Crawl | None = None
        self.web: Live | None = None
        self._hands: Hands | None = None
        self.driver: LiveDriver | None = None
        self.result: Result | None = None
        self._tell = tell
        self._recorder: Recorder | None = None
        self._found = FoundPages(self._budget.queued)
        self._running: asyncio.Task[Result] | None = None  # for a program that iterates
        self._ending: EndReason | None = None  # interrupted or stopped, once that was asked for
        self._ended = asyncio.Event()  # and that it was

    async def run(self) -> Result:
        if self.folder is not None and not self._leased:
            refuse_island(self.folder)
        result = await self._session()
        if (self.settings.keep_days or self.settings.keep_mb) and self.folder is not None and is_run(self.folder):
            from wolfspider.app.forgetting import keep_within  # which opens runs by this module

            await asyncio.to_thread(keep_within, self.folder, self.settings, self.remark)
        return result

    async def _session(self) -> Result:
        check_floor(self.folder or Path(tempfile.gettempdir()), self.settings.disk_floor)
        async with AsyncExitStack() as stack:
            if not self._prepared:
                await self._open_leaps()
                if self.folder is None or not is_run(self.folder):  # before there is one
                    await starting_points.check_server(self.settings)
            if self.leaping is not None:
                stack.callback(self.leaping.close)
            store, folder, reopened = self._open_run(stack)
            began = time.process_time()
            resumed = self.recalled(store)
            replayed = time.process_time() - began
            told = await starting_points.time_there(self.settings)
            if told is not None and abs(told.now - time.time()) > _FAR:
                self.remark(f"In the web of {self.settings.via} it is {utc(told.now)}: the run is dated by that.")
            clock = Clock.after(resumed[0].now if resumed else 0.0, told)
            store.keep_clock(None if told is None else RunClock(time.time(), clock(), told.speed))
            settings = run_folder.with_old_leave(self.settings, store.about, self.remark)
            added = RunView(folder).starting_points() if reopened and settings.allow_private else ()
            web = self.web = assemble.web_of(settings, store, clock, stack, (*self._listed, *added))
            if reopened and not self._prepared:
                await starting_points.check_server(settings)
            start = None if resumed else await unless(self._ended, self._gather(store, web, reopened))
            if resumed is None and start is None:
                assert self._ending is not None
                self.result = Result(self._ending, 0, clock())
                return self.result
            crawl, room = resumed or (self._make_crawl(store), Room())
            made_of = (settings, web, store, clock, self._budget, stack, folder, self.remark)
            self._hands = await assemble.hands_of(*made_of)
            parts = (self.settings, crawl, room, web, self._hands, store, clock, folder)
            pace = self._found.has_room
            driver = assemble.driver_of(*parts, tell=self._hand_out, pace=pace, replayed=replayed)
            if start is not None:
                crawl.begin(start.links, clock(), start.spent)
            self._recorder = assemble.recorder_of(self.settings, crawl, stack)
            said = (self.settings, self.given, self._again, crawl.limits, store.about, folder, self.remark)
            crawl.inbox += limits_to_move(*said)
            if crawl.paused:
                self.remark(f"The run is paused. End the pause by: {shell_command('steer', folder, 'resume')}")
            self.crawl, self.driver = crawl, driver
            if self._ending is not None:
                (driver.stop if self._ending == EndReason.STOPPED else driver.drain)()
            async with teacher.taught(self.settings, crawl, folder, self._ring, self.remark):
                self.result = await driver.run()
            if settings.requisites and self.result.reason not in _CUT_SHORT:
                await self._gather_requisites(settings, crawl, driver, store, folder)
            if self.result.reason != EndReason.STOPPED:  # an end at once leaves the index to the next session
                await asyncio.to_thread(store.index)
        return self.result

    # The steps

    async def _gather_requisites(
        self, settings: Settings, crawl: Crawl, driver: LiveDriver, store: Store, folder: Path
    ) -> None:
        """What relevant pages need besides, now that the crawl is over; Ctrl-C leaves the rest to the next session."""
        assert self._hands is not None and self.result is not None

        def tend() -> None:
            if driver.turned is not None:
                driver.turned()
            store.commit()

        parts = (folder, settings, self._hands.askable, crawl.scope.of_files(), self._ended, self.remark, tend)
        left = crawl.budgets.left(self.result.at)
        await RequisiteGathering(*parts, *left).go()
        if self._ending is not None:
            self.result = replace(self.result, reason=self._ending)

    def prepare(self) -> None:
        """See whether the server of `via` answers, and open what leaps lead to, which may take a while. Unless this is
        called, `run` does both, the latter in a thread: meanwhile other tasks go on, but Ctrl-C and `stop` wait."""
        asyncio.run(starting_points.check_server(self.settings))
        self.leaping = leaping.opened(self.settings, self.remark)
        self._prepared = True

    async def _open_leaps(self) -> None:
        remarks: list[str] = []
        self.leaping = await asyncio.to_thread(leaping.opened, self.settings, remarks.append)
        for sentence in remarks:
            self.remark(sentence)

    def _open_run(self, stack: AsyncExitStack) -> tuple[Store, Path, bool]:
        """The store, the run's folder, and whether that was a run before."""
        folder = self.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wolfspider-")), "run")
        reopened = is_run(folder)
        given = self.given if self._again else ()
        store = run_folder.opened(self.settings, folder, given, self.remark, self._read_lists, self._budget.at_hand)
        stack.push(run_folder.closing(store))
        self.folder = folder
        return store, folder, reopened

    def _read_lists(self) -> None:
        self._listed = self._listed or starting_points.listed(self.settings)

    def recalled(self, store: Store) -> tuple[Crawl, Room] | None:
        """The crawl as it was when the run ended or died; None if it had not begun."""
        assert self.folder is not None
        return run_folder.recalled(store, lambda: self._make_crawl(store), self.folder)

    async def _gather(self, store: Store, web: Live, reopened: bool) -> StartingPoints:
        if reopened:
            self._read_lists()
            starting_points.asked_before(self.settings, web)
        return await starting_points.gather(self.settings, self._listed, store, web, self.remark)

    def _make_crawl(self, store: Store) -> Crawl:
        assert self.folder is not None
        return assemble.crawl_of(self.settings, store, self.folder, self._web, self.leaping)

    def _web(self) -> Askable:
        """For Sources, once there is one."""
        assert self._hands is not None
        return self._hands.askable

    def what_robots_say(self, url: str) -> str:
        """About an address that was visited, for people."""
        assert self.web is not None
        return "" if self.web.robots is None else self.web.robots.explain(url)

    # Events and pages

    def _hand_out(self, event: Event) -> None:
        for listener in (self._recorder, self._tell, self._found.hear):
            if listener is not None:
                listener(event)

    async def __aiter__(self) -> AsyncIterator[Found]:
        running = self._running = asyncio.create_task(self.run())
        try:
            async for found in self._found.until_done(running, self._ring):
                yield found
            await running
        finally:
            self.stop()
            await asyncio.gather(running, return_exceptions=True)

    # Steering

    def command(self, command: Command) -> None:
        """Do this between two turns; the answer is an event, Obeyed."""
        if self.crawl is None:
            raise Problem("The crawl has not begun yet; it can be steered from its first event on.")
        if isinstance(command, AddSeeds):
            command = AddSeeds(tuple(map(sources.address, command.urls)), command.found)
        check_texts(command)
        if len(self.crawl.inbox) >= MOST_WAITING:
            raise too_many(len(self.crawl.inbox))
        self.crawl.inbox.append(command)
        self._ring()

    def _ring(self) -> None:
        if self.driver is not None:
            self.driver.ring()

    def drain(self) -> None:
        """Wait for visits in flight, then end; the run can be resumed."""
        self._ending = self._ending or EndReason.INTERRUPTED
        self._ended.set()
        if self.driver is not None:
            self.driver.drain()

    def stop(self) -> None:
        """End at once; the run can be resumed."""
        self._ending = EndReason.STOPPED
        self._ended.set()
        if self.driver is not None:
            self.driver.stop()

    async def close(self) -> None:
        """End at once, and wait until the run is free. A program that leaves the loop early and wants to resume the run
        needs this, or `async with`: a loop that is left cannot wait."""
        self.stop()
        if self._running is not None:
            await asyncio.wait([self._running])

    async def __aenter__(self) -> Hunt:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
