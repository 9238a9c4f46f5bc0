"""A watch: a crawl that never ends, and a desk that reads what it brings and tells people what is new.

The crawl is one like any other (app/hunt.py), with the strategy that was chosen: the newshound, another poll policy, a
fleet of foragers, or one of a person's own. It runs in sessions. Between two, once a day, the log is folded and what is
too old forgotten. A session that comes to an end of its own, because everything rests or the strategy has lost all its
links in a long outage, is followed by another one after a while, with the addresses that the person gave.

The desk follows the run on disk, so it does not matter how a session ended, or who made the run go on meanwhile.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from wolfspider.app import preflight
from wolfspider.app.assemble import agent
from wolfspider.app.hunt import Hunt
from wolfspider.app.settings import Chosen, Settings
from wolfspider.core import failures
from wolfspider.core.errors import Problem
from wolfspider.core.events import AddSeeds, EndReason, Event, Gauge, Landed, Phase, Postponed
from wolfspider.core.limits import ENDLESS
from wolfspider.core.model import FEED, Failure, Page, host_of
from wolfspider.drivers.driver import Result
from wolfspider.files.program_name import shell_command
from wolfspider.policy.judges import EVERYTHING
from wolfspider.store.folder import is_run
from wolfspider.store.folding import fold
from wolfspider.store.inbox import append_command
from wolfspider.store.view import RunView
from wolfspider.watch.book import Book, Report
from wolfspider.watch.desk import Desk
from wolfspider.watch.outputs import Tail, title_of, write_feed
from wolfspider.watch.webhook import Hook, Outbox, put_by
from wolfspider.web.page.c_heap import tidy
from wolfspider.web.seeds.sources import address
from wolfspider.web.seeds.watched_lists import WatchedLists

STRATEGY = "newshound"
HOUR, DAY = 3600.0, 86_400.0
MONTH = 30 * DAY
KEPT_DAYS = 90.0  # for which reports are kept if nobody says; the file of reports is a person's own
LOOK = 0.5  # seconds between two looks at what the run has brought
REST, LONGEST_REST = 5.0, 600.0  # seconds before another session, doubled while none brings anything
PATIENCE = 10.0  # seconds without any sign of the sites, after which a person is told
RECENT = 2 * DAY  # seconds whose log is never folded
AGAIN = (EndReason.WAITING, EndReason.REFUSED, EndReason.DONE, EndReason.CIRCLING, EndReason.STUCK)


def settings_for(chosen: Chosen) -> Settings:
    """How a person's settings are meant for a watch, where they say nothing else: it stays on the sites that were
    named, wants all that is new if there is no topic, asks for lists again that hardly change, and ends when somebody
    stops it."""
    settings, given = chosen.settings, chosen.origin
    wanted = settings.topic or settings.description or settings.like
    hosts = tuple(dict.fromkeys(host_of(address(url)) for url in settings.urls))
    return replace(
        settings,
        watch=True,
        strategy=settings.strategy if "strategy" in given else STRATEGY,
        judge=settings.judge if "judge" in given or wanted else EVERYTHING,
        include=settings.include if "include" in given else hosts,
        traps=settings.traps if "traps" in given else "ignore",
        pages=settings.pages if "pages" in given else ENDLESS,
        max_wait=settings.max_wait if "max_wait" in given else MONTH,
    )


class Watch:
    """`tell` hears the events of the crawl, `told` every report once it is in the files."""

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        hook: Hook | None = None,
        *,
        tell: Callable[[Event], None] | None = None,
        told: Callable[[Report], None] | None = None,
        remark: Callable[[str], None] | None = None,
        given: tuple[str, ...] = (),
    ) -> None:
        if not settings.watch:
            raise Problem(f"{folder} is a crawl, not a watch: go on with it by `{shell_command('resume', folder)}`.")
        preflight.check(settings)
        self.settings, self.folder, self.hook, self._given = settings, folder, hook, given
        self._tell, self._told = tell, told or (lambda report: None)
        self.remark = remark or (lambda sentence: None)
        self.now = 0.0  # by the clock of the crawl
        self._hunt: Hunt | None = None
        self._ending: EndReason | None = None
        self._over = asyncio.Event()
        self._folds = False  # does this session end for the sake of the log?
        self._began = 0.0  # when it began
        self._reported = False
        self._named = set(map(address, settings.urls))
        self._out_of_reach: set[str] = set()  # those of them that could not be had, as was told

    async def run(self) -> Result:
        rest = REST
        while True:
            before = self.now
            result = await self._session()
            self._forget_session()
            if self._ending is not None or (result.reason not in AGAIN and not self._folds):
                return result
            if self._folds:
                rest = REST
                continue
            rest = min(2 * rest, LONGEST_REST) if self.now - before < HOUR else REST
            self.remark(f"{self._ended(result.reason)} The watch goes on in {rest:.0f} s.")
            if result.reason != EndReason.WAITING:
                append_command(self.folder, AddSeeds(tuple(map(address, self.settings.urls))), "the watch itself")
            try:
                await asyncio.wait_for(self._over.wait(), rest)
            except TimeoutError:
                continue

    async def _session(self) -> Result:
        self._folds, self._began = False, 0.0
        hunt = self._hunt = Hunt(self.settings, self.folder, tell=self._hear, remark=self.remark, given=self._given)
        if self._ending is not None:
            hunt.drain()
        async with AsyncExitStack() as stack:
            running = asyncio.create_task(hunt.run())
            try:
                reporting = await self._reporting(stack, running)
                while reporting is not None and not running.done():
                    await asyncio.wait([running], timeout=LOOK)
                    await reporting.look(self.now, self._feed_dates())
                    if self._fold_due():
                        self._folds = True
                        hunt.drain()
                result = await running
                if reporting is not None:
                    await reporting.look_to_the_end(self.now or None, self._feed_dates())
            finally:
                hunt.stop()
                await asyncio.gather(running, return_exceptions=True)
        if self._folds:
            await asyncio.to_thread(self._fold)
        return result

    def _ended(self, reason: EndReason) -> str:
        """Why a session is over, for the person: if nothing ever came, an address may be wrong."""
        summary = RunView(self.folder).summary()
        if reason == EndReason.WAITING or summary.count.pages + summary.count.hidden:
            return f"The crawl came to an end ({reason})."
        troubles = failures.counted(summary.reasons) or "nothing was in reach"
        return f"Nothing could be downloaded so far ({troubles}): are the addresses right?"

    def _forget_session(self) -> None:
        """A crawl is full of circles, and the next one sets all that is there aside as if it were there for good."""
        self._hunt = None
        gc.collect()
        tidy(sys.maxsize)

    async def _reporting(self, stack: AsyncExitStack, running: asyncio.Task[object]) -> Reporting | None:
        """Once there is a run to read."""
        began = time.monotonic()
        while not is_run(self.folder) or not self.now:
            if time.monotonic() - began > PATIENCE:
                self._nothing_came()
            done, _ = await asyncio.wait([running], timeout=LOOK)
            if done and not is_run(self.folder):
                return None
            if done:
                break
        reporting = Reporting(self.settings, self.folder, self.hook, self._told, self.remark, not self._reported)
        self._reported = True
        stack.push_async_callback(reporting.close)
        return reporting

    def _feed_dates(self) -> dict[str, float]:
        """What feeds said since the last time."""
        crawl = self._hunt.crawl if self._hunt is not None else None
        lists = crawl.sources.get(FEED) if crawl is not None else None
        if not isinstance(lists, WatchedLists):
            return {}
        said, lists.dates = lists.dates, {}
        return said

    def _fold_due(self) -> bool:
        return bool(self.settings.fold) and bool(self._began) and self.now - self._began >= self.settings.fold * HOUR

    def _fold(self) -> None:
        """Between two sessions."""
        book = Book(self.folder)
        try:
            rows = fold(self.folder, self.now - RECENT, book.reached().seq)
            with book.writing():
                rows += book.trim_feed_dates(self.now - RECENT)
                rows += book.trim_outbox(self.now - KEPT_DAYS * DAY)
                rows += book.trim_reports(self.now - (self.settings.keep_days or KEPT_DAYS) * DAY)
                if self.settings.keep_days:
                    rows += book.trim_documents(self.now - self.settings.keep_days * DAY)
        finally:
            book.close()
        if rows:
            self.remark(f"The log was folded: {rows:,} rows went.")

    def _hear(self, event: Event) -> None:
        self.now = max(self.now, event.at)
        self._began = self._began or event.at
        match event:
            case Postponed(visit=visit, failure=failure):
                self._reached(visit.link.url, failure)
            case Landed(outcome=outcome):
                self._reached(outcome.visit.link.url, outcome.result)
            case Gauge(downloads=0, waiting={Phase.REST: _}):
                self._nothing_came()
        if self._tell is not None:
            self._tell(event)

    def _nothing_came(self) -> None:
        if not self._out_of_reach:
            self._out_of_reach |= self._named
            whom = ", ".join(sorted(map(host_of, self._named))[:3])
            self.remark(f"Nothing has come from {whom} yet, and it is asked again: are addresses and connection right?")

    def _reached(self, url: str, result: Page | Failure) -> None:
        """An address that a person gave could be had, or not: a wrong one is told at once."""
        if url not in self._named:
            return
        if not isinstance(result, Failure):
            self._out_of_reach.discard(url)
        elif url not in self._out_of_reach:
            self._out_of_reach.add(url)
            self.remark(f"{url} could not be had ({failures.in_words(result)}). It is tried again.")

    # Steering

    def drain(self) -> None:
        """Wait for visits in flight, then end."""
        self._end(EndReason.INTERRUPTED)
        if self._hunt is not None:
            self._hunt.drain()

    def stop(self) -> None:
        """End at once."""
        self._end(EndReason.STOPPED)
        if self._hunt is not None:
            self._hunt.stop()

    def _end(self, reason: EndReason) -> None:
        self._ending = self._ending or reason
        self._over.set()


class Reporting:
    """The desk at work, and the files and the service that it reports to."""

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        hook: Hook | None,
        told: Callable[[Report], None],
        remark: Callable[[str], None],
        first: bool,
    ) -> None:
        """`first`: of the sessions since a person started the watch."""
        self._folder, self._told, self._remark = folder, told, remark
        self._title = title_of(settings, folder)
        self.book = Book(folder)
        sentence = put_by(self.book, hook, first)
        if sentence:
            remark(sentence)
        self.book.remember("window", str(settings.window))  # for `explain`
        self._desk = Desk(folder, self.book, settings.window * HOUR, map(address, settings.urls))
        self._tail = Tail(folder, self.book)
        self._outbox = Outbox(self.book, hook, agent(settings)) if hook is not None and hook.service else None
        self._sending: asyncio.Task[list[str]] | None = None
        self._reading: asyncio.Task[bool] | None = None
        self._written = False

    async def look_to_the_end(self, now: float | None, dates: Mapping[str, float]) -> None:
        while await self.look(now, dates):
            dates = {}

    async def look(self, now: float | None, dates: Mapping[str, float]) -> bool:
        """Read on, write down and tell what is new, and send what is due. Is there more to read? `dates`: what feeds
        said."""
        self._reading = asyncio.create_task(self._read(now or None, dates))
        more = await asyncio.shield(self._reading)  # a thread cannot be broken off
        if self._outbox is not None:
            self._send(self._outbox)
        return more

    async def _read(self, now: float | None, dates: Mapping[str, float]) -> bool:
        """Pages are parsed again for this, in a thread: the crawl goes on meanwhile."""
        async with self.book.in_use:
            more, reports = await asyncio.to_thread(self._read_on, now, dates)
        for report in reports:
            self._told(report)
        return more

    def _read_on(self, now: float | None, dates: Mapping[str, float]) -> tuple[bool, list[Report]]:
        if dates:
            with self.book.writing():
                self.book.keep_feed_dates(dates, now or 0.0)
        more = self._desk.look_at_some() is not None
        if not more:
            self._desk.look_for_silence(now)
        reports = self._tail.follow()
        if reports or not self._written:
            write_feed(self._folder, self.book, self._title, now or 0.0)
            self._written = True
        return more, reports

    def _send(self, outbox: Outbox) -> None:
        if self._sending is not None and self._sending.done():
            for sentence in self._sending.result():
                self._remark(sentence)
            self._sending = None
        if self._sending is None:
            self._sending = asyncio.create_task(outbox.send())

    async def close(self) -> None:
        for task in (self._reading, self._sending):  # what is on its way is heard out
            if task is not None:
                await asyncio.gather(task, return_exceptions=True)
        if self._outbox is not None:
            await self._outbox.close()
        self._tail.close()
        self.book.close()
