"""The store of a live run: one folder with a SQLite database, an archive of WARC files, a shelf and snapshots.

    RUN/run.json     what the run is, for people too (folder.py)
    RUN/run.db       the journal and all that is asked of it (schema.py)
    RUN/inbox.db     commands that others left, if any did (inbox.py)
    RUN/forgotten.json  what the run forgot, if anything (repair/forgotten_list.py)
    RUN/lock         names its owner, if it has one (files/lock.py)
    RUN/warc/        every answer as it came (archive.py)
    RUN/shelf        links of the frontier with their texts (shelf.py)
    RUN/snapshots/   where a resume starts from (snapshots.py)

The store puts its parts together: the journal is what the run is resumed from, the intake brings answers into archive
and rows, the memory says what the run holds, the inbox has the commands of others; gauges and side notes are no part of
the journal. What they write in a turn is one transaction (database.py). Records are appended to the archive before the
rows that refer to them, and the journal says where the archive ended; so after a crash whatever lies behind that is cut
off (recovery.py).

A run that is opened again is replayed first: the same calls come, and while the journal still has entries they are
compared with its rows and nothing is written (journal.py). The first call that the journal does not know is new.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from wolfspider.core.errors import Problem
from wolfspider.core.events import Command, Event, Gauge
from wolfspider.core.model import Failure, Fetch, Page, Verdict
from wolfspider.engine.contracts import Held
from wolfspider.engine.entries import Entry
from wolfspider.files.disk import DiskFull, open_to_write
from wolfspider.files.failpoints import reach
from wolfspider.files.lock import Lock
from wolfspider.policy.room import Broken
from wolfspider.store import folder as folders
from wolfspider.store import run_clock, schema, snapshots
from wolfspider.store.archive import Archive, ArchiveEnd
from wolfspider.store.base import Past
from wolfspider.store.cdxj import index_archive
from wolfspider.store.damage import damaged, reading, trouble
from wolfspider.store.database import Turn, Wal, claim, connect
from wolfspider.store.folder import Places
from wolfspider.store.gauges import Gauges, gauges
from wolfspider.store.inbox import Inbox
from wolfspider.store.intake import Intake
from wolfspider.store.journal import Journal, ReplayCheck
from wolfspider.store.memory import RunMemory
from wolfspider.store.page_count import PageCount
from wolfspider.store.page_reader import BYTES_AT_HAND, PageReader, judges_main_text, liked
from wolfspider.store.parsed_pages import ParsedPages
from wolfspider.store.recovery import SYNCED, recovered_end, refuse_to_begin_again
from wolfspider.store.repair.forgotten_list import kept_out, noted, of_fleet
from wolfspider.store.row_writer import RowWriter
from wolfspider.store.run_clock import RunClock
from wolfspider.store.shelf import DiskShelf
from wolfspider.store.side_notes import StoredNotes
from wolfspider.store.snapshots import ResumePoint, Staged

ABOUT = "INSERT OR REPLACE INTO meta VALUES ('about', ?)"  # a copy of run.json, for a repair
TROUBLE = "INSERT OR REPLACE INTO meta VALUES ('trouble', ?)"  # what the last session ended by
P = ParamSpec("P")
T = TypeVar("T")


def create(
    folder: Path,
    about: Mapping[str, Any],
    *,
    info: Mapping[str, str],
    full: bool = False,
    at_hand: int = BYTES_AT_HAND,
) -> SqliteStore:
    """A new run. `info` stands at the head of each file of its archive. `full`: each commit survives a power cut.
    `at_hand`: bytes of parsed pages that are kept in memory."""
    places = Places.of(folder)
    folders.make(places)
    with _owned(places) as lock:
        folders.clear(places)
        connection = connect(places.database, full=full)
        schema.make(connection, info)
        connection.execute(SYNCED, ("0 0",))
        connection.execute(ABOUT, (json.dumps(about),))
        owner = claim(connection)
        archive = Archive(places.archive, info=info)
        archive.sync()
        store = SqliteStore(places, dict(about), connection, owner, lock, archive, ResumePoint(), full, at_hand)
        folders.describe(places, about)
    return store


def open_run(
    folder: Path,
    *,
    full: bool = False,
    remark: Callable[[str], None] | None = None,
    at_hand: int = BYTES_AT_HAND,
) -> SqliteStore:
    """A run that goes on: recovered, and to be replayed from its `past`. What a crash has cost is told first; damage
    that no crash explains is refused, and nothing is changed."""
    about = folders.about_run(folder)
    places = Places.of(folder)
    folders.refuse_links_and_pipes(places)
    folders.refuse_wrong_kinds(places)
    if not places.database.is_file():
        raise damaged(folder, "run.db is missing")
    with _owned(places) as lock, contextlib.ExitStack() as unless_good:
        connection = connect(places.database, full=full)
        unless_good.callback(connection.close)
        schema.check(connection, places.database)
        info = schema.info(connection, places.database)
        connection.execute(ABOUT.replace("REPLACE", "IGNORE"), (json.dumps(about),))
        owner = claim(connection)
        connection.execute("DELETE FROM meta WHERE name = 'trouble'")
        places.snapshots.mkdir(mode=0o700, exist_ok=True)
        folders.remove_forgotten(folder)
        archive = Archive(places.archive, info=info, start=recovered_end(connection, places, remark))
        unless_good.callback(archive.close)
        os.close(open_to_write(places.shelf))  # a snapshot is dropped for its shelf only if that can be opened
        start, useless = snapshots.newest_whole(connection, places)
        if useless and start.state is None:
            refuse_to_begin_again(connection, places)
        if useless and remark is not None:
            remark(
                f"{len(useless)} of the snapshots of {folder} cannot be used, or its shelf is too short for them, and "
                "are dropped. Nothing is lost, but the resume takes longer."
            )
        snapshots.drop(connection, places, useless)
        store = SqliteStore(places, about, connection, owner, lock, archive, start, full, at_hand)
        unless_good.pop_all()
    return store


@contextlib.contextmanager
def _owned(places: Places) -> Iterator[Lock]:
    """The lock of a run, given back if there is trouble."""
    lock = Lock(places.lock)
    try:
        yield lock
    except (sqlite3.Error, OSError) as error:
        lock.release()
        raise trouble(places.database, error, "cannot be opened") from error
    except BaseException:
        lock.release()
        raise


def _guarded(method: Callable[Concatenate[SqliteStore, P], T]) -> Callable[Concatenate[SqliteStore, P], T]:
    """Trouble with the disk undoes the turn and becomes a sentence for people."""

    @functools.wraps(method)
    def call(self: SqliteStore, /, *arguments: P.args, **named: P.kwargs) -> T:
        try:
            return method(self, *arguments, **named)
        except DiskFull as full:
            self.turn.give_up(full)
            raise
        except (sqlite3.DatabaseError, OSError) as error:
            if isinstance(error, sqlite3.ProgrammingError | sqlite3.IntegrityError):
                raise
            problem = trouble(self._places.database, error, "can no longer be written")
            self.turn.give_up(problem)
            raise problem from error

    return call


class SqliteStore:
    """One run, one owner; made by `create` and `open_run`. One thread, `sync` and `save` apart."""

    def __init__(
        self,
        places: Places,
        about: dict[str, Any],
        connection: sqlite3.Connection,
        owner: str,
        lock: Lock,
        archive: Archive,
        start: ResumePoint,
        full: bool,
        at_hand: int,
    ) -> None:
        self.folder, self.about, self._full = places.folder, about, full
        self._places, self._lock, self._archive, self._start = places, lock, archive, start
        self.shelf = DiskShelf(places.shelf, start.shelf)
        self.turn = Turn(connection, places.folder, owner)
        self._parsed = ParsedPages(places.snapshots)
        pages = PageReader(connection, places.archive, self._parsed, at_hand, judges_main_text(about))
        rows, check = RowWriter(self.turn), ReplayCheck(self.turn)
        self._intake = Intake(self.turn, archive, pages, rows)
        self.journal = Journal(self.turn, self._intake, rows, check)
        self._memory = RunMemory(self.turn, self.journal, pages, rows, check)
        self._inbox = Inbox(self.turn, places.inbox, self.journal.refuse)
        self._notes = StoredNotes(self.turn)
        self._gauges = Gauges(connection)
        self._wal = Wal(places.database, places.wal)
        self._syncing, self._closed = threading.Lock(), False
        self._noted = ArchiveEnd(0, 0)  # how far the database says that the archive is safe, at least

    # The journal

    @property
    def begun(self) -> bool:
        return self.turn.one("SELECT 1 FROM log LIMIT 1") is not None

    @_guarded
    def write(self, entry: Entry) -> None:
        self.journal.write(entry)

    @_guarded
    def hear(self, event: Event) -> None:
        self.journal.hear(event)

    def archive(self, visit: int, fetch: Fetch) -> None:
        self._intake.expect(visit, fetch)

    def past(self) -> Past:
        start, self._start = self._start, self._start._replace(state=None)
        return Past(start.state, self.journal.entries(start.seq, start.n))

    @_guarded
    def commands(self) -> list[tuple[int, Command]]:
        return self._inbox.take()

    def taking(self, number: int) -> None:
        self.journal.command = number

    # Memory

    def holds(self, url: str) -> bool:
        return self._memory.holds(url)

    def recall(self, url: str) -> Held | None:
        return self._memory.recall(url)

    @_guarded
    def keep(self, url: str, result: Page | Failure, verdict: Verdict | None) -> None:
        self._memory.keep(url, result, verdict)

    def newest(self, host: str, count: int) -> list[str]:
        return self._memory.newest(host, count)

    def validators(self, url: str) -> Mapping[str, str]:
        return self._memory.validators(url)

    def page_count(self) -> PageCount:
        return self._memory.page_count()

    def state(self) -> dict[str, Any]:
        return {}  # everything is in the rows

    def restore(self, state: Mapping[str, Any]) -> None:
        pass

    # Beside the journal

    def liked(self) -> list[Fetch]:
        with reading(self._places.database, "a page that describes the topic"):
            return liked(self.turn.connection, self._places.archive)

    def forgotten(self) -> frozenset[str]:
        with reading(self._places.database, "what was forgotten"):
            return kept_out((*noted(self.turn.connection), *of_fleet(self._places.folder)))

    @_guarded
    def like(self, fetch: Fetch) -> None:
        self._intake.like(fetch)
        self.commit()

    def hosts(self) -> Iterable[Mapping[str, Any]]:
        with reading(self._places.database, "what is known of a host"):
            return self._notes.hosts()

    def keep_hosts(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._notes.new.keep_hosts(rows)

    def count(self, name: str, by: int = 1) -> None:
        self._notes.new.figures[name] += by

    def counts(self) -> Mapping[str, int]:
        with reading(self._places.database, "a figure of the run"):
            return self._notes.counts()

    @_guarded
    def gauge(self, gauge: Gauge) -> None:
        self.turn.begin()
        self._gauges.keep(gauge)

    def gauges(self) -> list[Gauge]:
        return gauges(self.turn.connection)

    @_guarded
    def keep_clock(self, clock: RunClock | None) -> None:
        if clock is not None:
            self.turn.write(run_clock.KEEP, (clock.noted(),))
        elif self.turn.one(run_clock.FIND) is not None:
            self.turn.write(run_clock.DROP)
        else:
            return
        self.commit()

    # What makes it last

    @_guarded
    def ready(self) -> bool:
        return self.turn.ready()

    @_guarded
    def commit(self) -> None:
        self._notes.flush()
        self.turn.commit(self._before_commit)
        self._parsed.flush()

    def _before_commit(self) -> None:
        """Note how far the archive is safe on the disk: what is missing behind that, a dead machine explains."""
        if self._full:
            self._archive.sync()
        if self._archive.synced > self._noted:
            self._noted = self._archive.synced
            self.turn.write(SYNCED, ("{} {}".format(*self._noted),))

    def sync(self) -> None:
        """The archive first: rows may never be safer than the records they refer to."""
        with self._syncing, self._told_of_the_disk():
            if not self._closed:
                self._archive.sync()
                self._wal.sync()

    @contextlib.contextmanager
    def _told_of_the_disk(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise trouble(self._places.database, error, "can no longer be written") from error

    def snapshot(self, state: Mapping[str, Any]) -> None:
        staged = self.stage(state)
        self.save(staged)
        self.adopt(staged)

    @_guarded
    def stage(self, state: Mapping[str, Any]) -> Staged:
        self.turn.begin()  # nobody else may have the run when the shelf is written
        if self.journal.behind:
            raise Broken("a snapshot is taken between turns, not in the middle of a replay")
        self.shelf.flush()
        staged = Staged(self.journal.at.seq, self.journal.at.n, len(self.shelf), state)
        self.commit()
        self._parsed.turn_over()
        return staged

    def save(self, staged: Staged) -> None:
        with self._syncing, self._told_of_the_disk():
            self._archive.sync()  # a snapshot stands for pages: they may not be less safe
            self.shelf.sync()
            staged.save(self._places.snapshots)

    @_guarded
    def adopt(self, staged: Staged) -> None:
        staged.note(self.turn)
        self.commit()
        reach("snapshot-committed")
        snapshots.tidy(self.turn.connection, self._places.snapshots)
        reach("snapshot-tidied")

    def index(self) -> None:
        index_archive(self._places.archive, self._archive.lines)

    def close(self, trouble: str = "") -> None:
        with self._syncing:
            if not self._closed:
                self._closed = True
                self._wal.close()
                self.turn.connection.rollback()
                with contextlib.suppress(Problem, sqlite3.Error):  # it may be the disk, or another owner
                    if trouble:
                        self.turn.write(TROUBLE, (trouble[:1000],))
                        self.turn.commit(lambda: None)
                self.turn.connection.close()
                self._archive.close()
                self._parsed.close()
                self.shelf.close()
                self._lock.release()
