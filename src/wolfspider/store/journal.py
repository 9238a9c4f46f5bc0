"""The journal and the memory of a run, as rows: what Crawl tells a store, written down or, when a run is played again,
compared with what is there.

The first write of a turn begins a transaction. Whatever the disk does in the middle of a turn, nothing of that turn was
ever written; the run is then closed to writing, and found whole when it is opened again.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from wolfspider.core import events
from wolfspider.core.errors import Problem
from wolfspider.core.events import Event
from wolfspider.core.model import Capture, Failure, Fetch, Page, Route, Verdict, is_web_address
from wolfspider.engine.contracts import Held
from wolfspider.files.disk import DiskFull, disk_full
from wolfspider.policy.room import Broken
from wolfspider.store.archive import Archive, End
from wolfspider.store.archive_reader import Place
from wolfspider.store.page_count import PageCount, count
from wolfspider.store.page_reader import PageReader
from wolfspider.store.replay_check import ReplayCheck
from wolfspider.store.row_codec import packed_entry, packed_page
from wolfspider.store.row_writer import RowWriter

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_WHEN = {"begin": 1, "propose": 0, "land": 2, "command": 1}  # where an entry says its time
P = ParamSpec("P")
T = TypeVar("T")
Owner = TypeVar("Owner", bound="Recording")


def guarded(method: Callable[Concatenate[Owner, P], T]) -> Callable[Concatenate[Owner, P], T]:
    """Trouble with the disk undoes the turn and becomes a sentence for people."""

    @functools.wraps(method)
    def call(self: Owner, /, *arguments: P.args, **named: P.kwargs) -> T:
        try:
            return method(self, *arguments, **named)
        except DiskFull as full:
            self.give_up(full)
            raise
        except (sqlite3.OperationalError, OSError) as error:
            problem = trouble(self.folder, error)
            self.give_up(problem)
            raise problem from error

    return call


class Recording:
    """Where the run stands, and what it was told."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, archive: Archive) -> None:
        self.folder = folder
        self._connection, self._archive = connection, archive
        self._holdings = PageReader(connection, archive)
        self._rows, self._play = RowWriter(connection), ReplayCheck(connection)
        self._last: int = connection.execute("SELECT IFNULL(MAX(seq), 0) FROM log").fetchone()[0]
        self._playing = self._last > 0  # are there rows that what comes may have to be compared with?
        self._seq, self._n = 0, 0  # the entry we are at, and how many of its events came
        self._kind = ""  # of that entry, once it came; "" at a snapshot, where all that came with it is there
        self._page: int | None = None  # what landed with that entry
        self._kept: set[str] = set()  # addresses kept with that entry
        self._pending: dict[int, Fetch] = {}  # answers that are about to land
        self._taking: int | None = None  # the number of the command that comes next
        self._open = False  # is there a transaction?
        self._lost = ""  # why nothing can be written any more
        self._count: PageCount | None = None  # once somebody asked

    # The turn

    def _begin(self) -> None:
        if self._lost:
            raise Problem(self._lost)
        if not self._open:
            self._connection.execute("BEGIN IMMEDIATE")
            self._open = True

    def give_up(self, problem: Problem) -> None:
        """The turn is undone; what was committed is found when the run is opened again."""
        with contextlib.suppress(sqlite3.Error):  # SQLite may have undone it already
            self._connection.rollback()
        self._open = False
        self._lost = self._lost or str(problem)

    # The journal

    @guarded
    def write(self, entry: tuple[Any, ...]) -> None:
        kind, *parts = entry
        if self._playing and self._seq < self._last:
            self._next(kind)
            self._play.entry(self._seq, kind, parts)
            return
        self._begin()
        self._go_live()
        self._next(kind)
        end = None
        if kind == "land":
            end, parts = self._landed(*parts)
        at = parts[_WHEN[kind]] if kind in _WHEN else None
        self._rows.entry(self._seq, kind, at, packed_entry(kind, parts), end)

    def _next(self, kind: str) -> None:
        if self._playing and self._seq < self._last and self._play.rest(self._seq, self._n):
            raise Broken(f"played again, less came of entry {self._seq} of the log than the first time")
        self._seq, self._n, self._kind, self._page = self._seq + 1, 0, kind, None
        self._kept.clear()

    def _landed(self, visit: int, result: Page | Failure, now: float, seconds: float) -> tuple[End | None, list[Any]]:
        """What stands for the result in the log: the number of a page, a failure, or a page that is not kept."""
        fetch = self._pending.pop(visit, None)
        url, how = (fetch.url, "out") if fetch is not None else self._way_of(visit)
        before = self._archive.end()
        told: Any
        if isinstance(result, Failure):
            self._append(fetch, None)
            told = [result.kind, result.detail]
        elif not is_web_address(url):
            told = packed_page(result)  # of a Source: never held, never found
        else:
            told = self._page = self._page_of(visit, url, how, fetch, result)
        end = self._archive.end()
        return end if end != before else None, [visit, told, now, seconds]

    def _page_of(self, visit: int, url: str, how: str, fetch: Fetch | None, page: Page) -> int:
        """The number of a page: of one that is held, or of the one that comes now."""
        unchanged = fetch is not None and fetch.status == 304
        held = self._holdings.version(url, page) if unchanged or how == Route.HELD else None
        place = self._append(fetch, page if unchanged else None)
        if held is not None:
            return held
        readable = fetch is not None and fetch.page is None and not unchanged
        self._rows.page(self._seq, visit, page, fetch, place if readable else None)
        self._holdings.remember(self._seq, page)
        return self._seq

    def _way_of(self, visit: int) -> tuple[str, str]:
        row = self._connection.execute("SELECT url, how FROM visits WHERE id = ?", (visit,)).fetchone()
        if row is None:
            raise Broken(f"visit {visit} landed and was never sent on its way")
        return row[0], row[1]

    def _append(self, fetch: Fetch | None, held: Page | None) -> Place | None:
        """Every answer on the way into the archive; where the last one lies."""
        place = None
        for capture in _captures(fetch) if fetch is not None else ():
            if held is not None and capture.status == 304:
                place = self._archive.revisit(capture, held.final_url, held.at)
            else:
                place = self._archive.append(capture)
        return place

    @guarded
    def hear(self, event: Event) -> None:
        if self._playing and self._heard_before(event):
            return
        self._begin()
        self._go_live()
        if isinstance(event, events.Went):
            self._rows.visit(self._seq, event.visit, event.how)
            return
        if isinstance(event, events.Landed):
            self._rows.landing(self._seq, self._n, event, self._page)
        elif isinstance(event, events.Obeyed):
            self._rows.event(self._seq, self._n, event, self._taking)
            self._taking = None
        else:
            self._rows.event(self._seq, self._n, event)
        self._n += 1

    def _heard_before(self, event: Event) -> bool:
        if isinstance(event, events.Ended):
            return False
        if isinstance(event, events.Went):
            self._play.went(self._seq, event)
            return True
        n = self._play.event(self._seq, self._n, event)
        if n is not None:
            self._n = n + 1
        elif self._seq < self._last:
            raise Broken(f"played again, more came of entry {self._seq} of the log than the first time: {event!r:.200}")
        return n is not None

    def _go_live(self) -> None:
        """The log has been played. Credits may have been paid for a turn that it lost: they will be paid again."""
        if not self._playing:
            return
        if self._seq < self._last:
            raise Broken(f"the log goes on to entry {self._last} and was played up to {self._seq} only")
        sql = "DELETE FROM events WHERE seq = ? AND n >= ? AND kind NOT IN ('Ended', 'Refused')"
        self._connection.execute(sql, (self._seq, self._n))
        self._n = self._play.next_free(self._seq)
        self._playing = False

    # Memory

    def holds(self, url: str) -> bool:
        return self._holdings.holds(url, self._upto(url))

    def recall(self, url: str) -> Held | None:
        held = self._holdings.held(url, self._upto(url))
        if held is None:
            return None
        if held.page is not None:
            return Held(self._holdings.page(held.page), held.verdict)
        return Held(held.failure or Failure("status"), None)

    def _upto(self, url: str) -> int:
        """As of now. What this entry kept the first time is not there yet when it is played again."""
        return self._seq - 1 if self._playing and self._kind and url not in self._kept else self._seq

    @guarded
    def keep(self, url: str, result: Page | Failure, verdict: Verdict | None) -> None:
        names = [url] if isinstance(result, Failure) else list(dict.fromkeys((url, result.final_url)))
        if self._playing:
            for name in names:
                self._play.kept(self._seq, name, verdict)
        elif isinstance(result, Failure):
            self._begin()
            self._rows.held(self._seq, url, None, result, None)
        else:
            self._begin()
            page = self._page if self._kind == "land" else self._holdings.version(url, result)
            if page is None:
                raise Broken(f"{url} is to be kept and never landed")
            before = count(self._connection, names) if self._count is not None else None
            for name in names:
                self._rows.held(self._seq, name, page, None, verdict)
            if self._count is not None and before is not None:
                self._count = self._count.after(before, count(self._connection, names))
        self._kept.update(names)

    def page_count(self) -> PageCount:
        if self._count is None:
            self._count = count(self._connection)
        return self._count

    def newest(self, host: str, count: int) -> list[str]:
        return self._holdings.newest(host, count, self._seq)

    def state(self) -> dict[str, Any]:
        return {}  # everything is in the rows

    def restore(self, state: Mapping[str, Any]) -> None:
        pass


def _captures(fetch: Fetch) -> tuple[Capture, ...]:
    """What is archived of an answer. A web that keeps only bodies has them archived as if they had come that way."""
    if fetch.captures or not fetch.body:
        return fetch.captures
    headers = tuple((name, value) for name, value in fetch.headers.items() if name != "content-encoding")
    return (Capture(fetch.final_url, fetch.at, fetch.status, headers, fetch.body, cut="length" if fetch.cut else ""),)


def trouble(folder: Path, error: Exception, what: str = "can no longer be written") -> Problem:
    """What the disk did, as a sentence."""
    full = isinstance(error, OSError) and error.errno in _FULL
    full = full or getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    if full:
        return disk_full(folder)
    return Problem(f"The run {folder} {what}: {error}. Resume it when that is mended.")
