"""The main job, put together: a person's settings in, pages out, live.

A hunt is begun once and gone on with as often as it takes. Begun: the pages that describe the topic are fetched, the
starting points gathered, the crawl begins. Gone on with: the last snapshot is taken up and the journal since then
played again, without the network, until everything is as it was; then the crawl goes on. Which of the two it is, the
run's folder says.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from wolfspider import __version__
from wolfspider.app import assemble, leaping, preflight
from wolfspider.app.settings import Settings, choose
from wolfspider.core.errors import Problem
from wolfspider.core.events import AddSeeds, Command, EndReason, Event, Landed, SetLimit
from wolfspider.core.model import Page, Route, Verdict, host_of
from wolfspider.drivers.live import Clock, Run
from wolfspider.drivers.simulated import Result
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.engine.replay import replay
from wolfspider.files.failpoints import reach
from wolfspider.policy.room import Broken, Room
from wolfspider.store.base import Store
from wolfspider.store.sqlite import about_run, create, is_run, open_run
from wolfspider.store.view import RunView
from wolfspider.web.http.client import Caps, Client
from wolfspider.web.http.guard import Guard
from wolfspider.web.http.live_web import Live
from wolfspider.web.http.polite import HostCap, Manners, Polite
from wolfspider.web.http.robots import LiveRobots
from wolfspider.web.page.page_cache import parser
from wolfspider.web.seeds import sources
from wolfspider.web.worlds.recording.recorder import Recorder, states_for

LARGEST_RAW = 60_000_000  # bytes of an answer before it is unpacked: what the archive reads back
MANY = 256  # pages that may wait for whoever reads them before the crawl waits too
LIMITS = ("pages", "slots", "delay")  # settings that move the crawl's own limits when a run is gone on with


@dataclass(frozen=True, slots=True)
class Found:
    """A page that was downloaded, and what the judge says of it."""

    page: Page
    verdict: Verdict
    downloads: int  # spent so far, this one included

    @property
    def url(self) -> str:
        return self.page.final_url

    @property
    def title(self) -> str:
        return self.page.title

    @property
    def score(self) -> float:
        return self.verdict.score

    @property
    def relevant(self) -> bool:
        return self.verdict.relevant


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
    ) -> None:
        """`given`: settings that count even where they are as they were when the run began."""
        preflight.check(settings)
        assemble.check(settings)
        self.settings, self.folder, self.given = settings, folder, given
        # What comes by the standard input is read here, where Ctrl-C works as everywhere.
        self._listed = [] if folder is not None and is_run(folder) else preflight.listed(settings)
        self.remark = remark or (lambda sentence: None)
        self.leaping: leaping.Leaping | None = None
        self.result: Result | None = None
        self.crawl: Crawl | None = None
        self.web: Live | None = None
        self.driver: Run | None = None
        self._tell = tell
        self._ending = ""  # what was asked for before there was a driver
        self._ended = asyncio.Event()  # and that it was
        self._reopened = False  # the run's folder was there before us
        self._early: list[Event] = []  # the beginning, to be told of once it is committed
        self._found: deque[Found] | None = None  # pages that somebody iterates over
        self._recorder: Recorder | None = None
        self._running: asyncio.Task[Result] | None = None  # for them
        self._brought = asyncio.Event()

    # Steering

    def command(self, command: Command) -> None:
        """Do this between two turns; the answer is an event, Obeyed."""
        if self.crawl is None or self.driver is None:
            raise Problem("The crawl has not begun yet; it can be steered from its first event on.")
        if isinstance(command, AddSeeds):
            command = AddSeeds(tuple(map(sources.address, command.urls)))
        self.crawl.inbox.append(command)
        self.driver.ring()

    def drain(self) -> None:
        """Wait for what is out, then end; the run can be gone on with."""
        self._ending = self._ending or "drain"
        self._ended.set()
        if self.driver is not None:
            self.driver.drain()

    def stop(self) -> None:
        """End at once; the run can be gone on with."""
        self._ending = "stop"
        self._ended.set()
        if self.driver is not None:
            self.driver.stop()

    async def close(self) -> None:
        """End at once, and wait until the run is free. Who leaves the loop early and wants to go on with it needs this,
        or `async with`: a loop that is left cannot wait."""
        self.stop()
        if self._running is not None:
            await asyncio.wait([self._running])

    async def __aenter__(self) -> Hunt:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # Running

    def __aiter__(self) -> AsyncIterator[Found]:
        return self._pages()

    async def _pages(self) -> AsyncIterator[Found]:
        found = self._found = deque()
        running = self._running = asyncio.create_task(self.run())
        running.add_done_callback(lambda done: self._brought.set())
        try:
            while found or not running.done():
                while found:
                    yield found.popleft()
                    if self.driver is not None and len(found) == MANY:
                        self.driver.ring()
                self._brought.clear()
                if not running.done():
                    await self._brought.wait()
            await running
        finally:
            self.stop()
            await asyncio.gather(running, return_exceptions=True)

    def tell(self, event: Event) -> None:
        early, self._early = self._early, []
        for one in (*early, event):
            self._hand_out(one)

    def _hand_out(self, event: Event) -> None:
        if self._recorder is not None:
            self._recorder(event)
        if self._tell is not None:
            self._tell(event)
        if self._found is None or not isinstance(event, Landed) or event.how != Route.OUT:
            return
        page, verdict = event.outcome.page, event.outcome.verdict
        if page is not None and verdict is not None:
            self._found.append(Found(page, verdict, event.downloads))
            self._brought.set()

    def _pace(self) -> bool:
        """The crawl is not faster than whoever reads its pages."""
        return self._found is None or len(self._found) <= MANY

    async def run(self) -> Result:
        async with AsyncExitStack() as stack:
            await self._open_leaps(stack)
            store = self._store(stack)
            recalled = self.recalled(store)
            clock = Clock.after(recalled[0].now if recalled else 0.0)
            web = self.web = await self._live(stack, store, clock)
            try:
                begun = recalled or await self._unless_ended(self._begun(store, web, clock))
            finally:
                store.keep_hosts(web.changed())
                store.commit()
            if begun is None:
                self.result = Result(
                    EndReason.INTERRUPTED if self._ending == "drain" else EndReason.STOPPED, 0, clock()
                )
                return self.result
            crawl, room = begun
            self.crawl, self.driver = crawl, await self._driver(stack, crawl, room, web, store, clock)
            self._resettle(crawl, store)
            if sentence := preflight.floor_told(self.settings, _delay_of(crawl)):
                self.remark(sentence)
            self._record(stack, crawl)
            if crawl.paused:
                self.remark(f"The run is paused. Go on by: wolfspider steer {self.folder} resume")
            if self._ending:
                (self.driver.drain if self._ending == "drain" else self.driver.stop)()
            self.result = await self.driver.run()
            if self.result.reason != EndReason.STOPPED:  # who wants an end at once gets the index next time
                await asyncio.to_thread(store.index)
        return self.result

    def open_leaps(self) -> None:
        """Open what leaps lead to, which may take a while. Who does not call this has it done by `run`, in a thread:
        that lets others go on, but Ctrl-C and `stop` wait for it."""
        self.leaping = leaping.opened(self.settings, self.remark)

    async def _open_leaps(self, stack: AsyncExitStack) -> None:
        remarks: list[str] = []
        if self.leaping is None:
            self.leaping = await asyncio.to_thread(leaping.opened, self.settings, remarks.append)
        if self.leaping is not None:
            stack.callback(self.leaping.close)
        for sentence in remarks:
            self.remark(sentence)

    async def _driver(
        self, stack: AsyncExitStack, crawl: Crawl, room: Room, web: Live, store: Store, clock: Clock
    ) -> Run:
        room.pause = web.retry_after
        for flight in crawl.flights.values():
            if flight.how == Route.OUT:
                web.polite.asked(flight.visit.link.host)
        for host in web.resting():
            room.rest(host, web.polite.ready_at(host))
        reader = None
        if self.settings.parsers:
            from wolfspider.web.page.parser_processes import Parsers

            parsers = Parsers(self.settings.parsers)
            stack.push_async_callback(parsers.close)
            reader = parsers.read

        counted = web.counters.overhead

        def turned() -> None:
            nonlocal counted
            web.polite.set_delay(crawl.limits.delay)
            web.lanes.count = crawl.limits.slots
            store.keep_hosts(web.changed())
            if web.counters.overhead > counted:
                store.count("overhead", web.counters.overhead - counted)
                counted = web.counters.overhead

        return Run(
            crawl,
            web,
            store,
            clock=clock,
            tries=self.settings.tries,
            room=room,
            read=reader,
            tell=self.tell,
            turned=turned,
            pace=self._pace,
            chores=self._disk,
            snapshots=self.settings.snapshots,
            patient=True,
        )

    def _record(self, stack: AsyncExitStack, crawl: Crawl) -> None:
        """Write down what happens from now on, if that is wanted; where there is a recording, it goes on."""
        settings = self.settings
        if settings.record:
            states = states_for(crawl.strategy)
            self._recorder = Recorder(Path(settings.record), states, web="live", seeds=settings.urls)
            stack.callback(self._recorder.close)

    def _disk(self, now: float) -> EndReason | None:
        assert self.folder is not None
        free = shutil.disk_usage(self.folder).free
        return EndReason.DISK if free < self.settings.disk_floor * 1_000_000 else None

    async def _live(self, stack: AsyncExitStack, store: Store, clock: Clock) -> Live:
        settings = self.settings
        guard = Guard(allow_private=settings.allow_private, via=preflight.via(settings))
        caps = Caps(min(2 * settings.largest, LARGEST_RAW), settings.largest, settings.deadline)
        client = Client(guard, preflight.agent(settings), caps, clock)
        stack.push_async_callback(client.close)
        manners = Manners(
            delay=settings.delay,
            factor=settings.adapt,
            backoff=settings.backoff,
            per_address=0 if settings.via else settings.per_address,
            patience=max(120.0, 2 * settings.delay, settings.max_wait),
        )
        polite = Polite(manners, clock, random.Random())
        strangers = not preflight.public_needs_contact(settings)
        web = Live(client, guard, polite, LiveRobots(clock), hosts=HostCap(), robots_tries=1, strangers=strangers)
        web.restore(store.hosts(), clock())
        return web

    # The run and its past

    def _store(self, stack: AsyncExitStack) -> Store:
        folder = self.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wolfspider-")), "run")
        full = self.settings.durability == "full"
        store: Store
        if is_run(folder):
            store = open_run(folder, full=full)
            self._reopened = True
            if self._came_to_nothing(store, folder):
                store.close()
                self._listed = self._listed or preflight.listed(self.settings)  # before anything is taken away
                shutil.rmtree(folder)
                return self._store(stack)
        else:
            store = create(folder, self._about(folder), info=self._info(), full=full)
        stack.callback(store.close)
        preflight.check_same(self.settings, Settings.from_json(store.about["settings"]), folder)
        self.folder = folder
        return store

    def _came_to_nothing(self, store: Store, folder: Path) -> bool:
        """A first try that never began and is corrected now, or that found no page and no link: it starts anew."""
        if not store.begun:
            return bool(preflight.differing(self.settings, Settings.from_json(store.about["settings"])))
        count, view = store.page_count(), RunView(folder)
        if count.pages or count.hidden or view.ended != "done" or view.commanded:
            return False
        if self.settings.learned_from or "-" in self.settings.seeds:  # it holds what may not be had again
            return False
        self.remark(f"The last try in {folder} brought no page, so the crawl starts anew.")
        return True

    def _about(self, folder: Path) -> dict[str, Any]:
        """What a new run says of itself: how it was asked for, and what it starts from."""
        about: dict[str, Any] = {"settings": self.settings.to_json(), "parser": parser()}
        if self.settings.learned_from:
            source = Path(self.settings.learned_from)
            about["learned"] = assemble.hand_on(source, folder, self.settings, self.remark)
        return about

    def _info(self) -> dict[str, str]:
        """For the head of every archive file: who did this, and how."""
        about = {"software": f"wolfspider/{__version__}", "format": "WARC File Format 1.1", "robots": "obey"}
        return about | ({"operator": self.settings.contact} if self.settings.contact else {})

    def recalled(self, store: Store) -> tuple[Crawl, Room] | None:
        """The crawl as it was when the run ended or died; None if it had not begun."""
        try:
            recalled = self._replayed(store)
        except Broken as difference:
            if store.about.get("parser") == parser():
                raise
            raise Problem(
                f"{self.folder} was begun by another version of wolfspider, or of a library it reads pages with, which "
                f"read pages or nofollow links differently, so it cannot be resumed: {difference}. Its pages can be "
                "exported; start the crawl again in another folder by --out."
            ) from difference
        if recalled is not None:
            recalled[0].limits.max_wait = self.settings.max_wait  # no part of what a replay must give
        reach("run-recalled")
        return recalled

    def _replayed(self, store: Store) -> tuple[Crawl, Room] | None:
        state, entries = store.past()
        first = next(entries, None)
        if state is None and first is None:
            return None
        crawl, room = self._crawl(store), Room()
        if state is not None:
            crawl.restore(state["crawl"])
            out = (flight.visit.link.host for flight in crawl.flights.values() if flight.how == Route.OUT)
            room = Room.restored(state["room"], out)
        replay(crawl, chain([first] if first is not None else [], entries), room)
        return crawl, room

    def _resettle(self, crawl: Crawl, store: Store) -> None:
        """Limits that the person gives another value now than when the run began."""
        first = Settings.from_json(store.about["settings"])
        for name in LIMITS:
            value = getattr(self.settings, name)
            wanted = name in self.given or value != getattr(first, name)
            if wanted and value != getattr(crawl.limits, name):
                crawl.inbox.append(SetLimit(name, value))

    # The beginning

    async def _unless_ended(self, beginning: Coroutine[Any, Any, tuple[Crawl, Room]]) -> tuple[Crawl, Room] | None:
        """A beginning may wait long for slow servers; who wants to end need not wait for it, and begins anew later."""
        tasks = asyncio.create_task(beginning), asyncio.create_task(self._ended.wait())
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return await tasks[0] if tasks[0].done() else None
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _begun(self, store: Store, web: Live, clock: Clock) -> tuple[Crawl, Room]:
        for sentence in leaping.remarks(self.settings):
            self.remark(sentence)
        if self._reopened:  # whoever died here may have asked any of these a moment ago
            for url in preflight.named(self.settings):
                web.polite.asked(host_of(url))
        spent = await preflight.fetch_liked(
            self.settings, store, web, self.remark, lambda: store.keep_hosts(web.changed())
        )
        crawl = self._crawl(store)
        links, requests = await preflight.starting_points(
            self.settings,
            self._listed or preflight.liked_starts(self.settings, store.liked()),
            web,
            self._services(),
            crawl.in_scope,
            self.remark,
        )
        store.count("overhead", requests + web.counters.overhead)
        crawl.listen(self._early.append)
        crawl.begin(links, clock(), spent)
        crawl.listeners.pop()
        return crawl, Room()

    def _asked(self) -> Live:
        assert self.web is not None
        return self.web

    def _services(self) -> Live:
        """The same web, for a search that the person named: that is asked without asking its robots.txt."""
        web = self._asked()
        return Live(web.client, web.guard, web.polite, None)

    def _crawl(self, store: Store) -> Crawl:
        assert self.folder is not None
        settings, learned = self.settings, assemble.handed_on(self.folder, store.about)
        first = Settings.from_json(store.about["settings"])  # what changed since is in the journal
        scope = assemble.scope_of(settings)
        crawl = Crawl(
            assemble.strategy_of(settings, assemble.topic_of(settings, store.liked()), store.shelf, learned),
            assemble.judge_of(settings, learned),
            store,
            Limits(first.pages, first.slots, first.delay, settings.max_wait),
            scope=scope,
            sources=assemble.sources_of(settings, scope, self._asked, self._services, self.leaping),
            journal=store.write,
        )
        crawl.listen(store.hear)
        return crawl


def _delay_of(crawl: Crawl) -> float:
    """As it will be when the commands that wait are obeyed."""
    moved = [each.value for each in crawl.inbox if isinstance(each, SetLimit) and each.name == "delay"]
    return moved[-1] if moved else crawl.limits.delay


def crawl(
    *urls: str,
    out: str | Path | None = None,
    on_event: Callable[[Event], None] | None = None,
    on_remark: Callable[[str], None] | None = None,
    **settings: Any,
) -> Hunt:
    """A live crawl from these addresses; the settings are those of `Settings`, such as topic, pages and strategy.

        async for found in wolfspider.crawl("https://example.org/", topic="spiders", contact="me@example.org"):
            print(found.score, found.url, found.title)

    With `out` it is kept in that folder and can be gone on with; without, it is gone when it is over.
    """
    chosen = choose({"urls": urls, **settings}, environment=False).settings
    return Hunt(chosen, Path(out) if out is not None else None, tell=on_event, remark=on_remark)


def resume(
    folder: str | Path,
    *,
    on_event: Callable[[Event], None] | None = None,
    on_remark: Callable[[str], None] | None = None,
    **settings: Any,
) -> Hunt:
    """Go on with a run; settings given here count from now on."""
    store_settings = settings_of(Path(folder))
    chosen = choose({**store_settings.to_json(), **settings}, environment=False).settings
    return Hunt(chosen, Path(folder), tell=on_event, remark=on_remark, given=tuple(settings))


def settings_of(folder: Path) -> Settings:
    """How a run was begun."""
    return Settings.from_json(about_run(folder)["settings"])
