"""The store of a live run: one folder with a SQLite database, an archive of WARC files, a shelf and snapshots.

    RUN/run.json     what the run is, for people too
    RUN/run.db       the log and all that is asked of it (schema.py)
    RUN/lock         who owns it at this moment
    RUN/warc/        every answer as it came (archive.py)
    RUN/shelf        links of the frontier with their texts (shelf.py)
    RUN/snapshots/   where a resume starts from (snapshots.py)

The first write of a turn begins a transaction, `commit` ends it. Records are appended to the archive before the rows
that refer to them, and the log says where the archive ended; so after a crash whatever lies behind that is cut off.

A run that is opened again is played again first: the same calls come, and while the log still has entries they are
compared with its rows and nothing is written (playing.py). The first call that the log does not know is new.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wolfspider.core import codec
from wolfspider.core.errors import BadInput
from wolfspider.core.events import Command, Gauge
from wolfspider.core.model import Failure, Fetch
from wolfspider.files.failpoints import reach
from wolfspider.files.lock import Lock
from wolfspider.policy.room import Broken
from wolfspider.store import folder as folders
from wolfspider.store import schema, snapshots
from wolfspider.store.archive import Archive
from wolfspider.store.base import Past
from wolfspider.store.cdxj import index_archive
from wolfspider.store.folder import Places, is_run
from wolfspider.store.folder import described as about_run
from wolfspider.store.gauges import Gauges, gauges
from wolfspider.store.journal import Recording, guarded, trouble
from wolfspider.store.recovery import recovered_end
from wolfspider.store.row_codec import command_of, packed_fetch, unpacked_entry, unpacked_page
from wolfspider.store.shelf import DiskShelf
from wolfspider.store.snapshots import Start

__all__ = ["SqliteStore", "about_run", "create", "is_run", "open_run"]

SNAPSHOTS = 2  # kept
_LARGE_WAL = 8 << 20  # bytes after which `sync` moves the WAL into the database
_BATCH = 500  # entries of the log that are read at a time
_MOST_COMMANDS = 1000  # taken at a time


def create(folder: Path, about: Mapping[str, Any], *, info: Mapping[str, str], full: bool = False) -> SqliteStore:
    """A new run. `info` stands at the head of each file of its archive. `full`: each commit survives a power cut."""
    places = Places.of(folder)
    folders.make(places)
    with _owned(places) as lock:
        folders.clear(places)
        connection = _connected(places, full)
        schema.make(connection, info)
        archive = Archive(places.archive, info=info)
        archive.sync()
        store = SqliteStore(places, dict(about), connection, lock, archive, Start(), full)
        folders.describe(places, about)
    return store


def open_run(folder: Path, *, full: bool = False) -> SqliteStore:
    """A run that goes on: recovered, and to be played from its `past`."""
    about = folders.described(folder)
    places = Places.of(folder)
    folders.refuse_links(places)
    if not places.database.is_file():
        raise BadInput(f"{folder} is damaged: run.db is missing. Restore it from a copy.")
    with _owned(places) as lock:
        connection = _connected(places, full)
        schema.check(connection, places.database)
        archive = Archive(places.archive, info=schema.info(connection), start=recovered_end(connection, places))
        start = snapshots.newest_whole(connection, places)
        return SqliteStore(places, about, connection, lock, archive, start, full)


@contextlib.contextmanager
def _owned(places: Places) -> Iterator[Lock]:
    """The lock of a run, given back if there is trouble."""
    lock = Lock(places.lock)
    try:
        yield lock
    except (sqlite3.Error, OSError) as error:
        lock.release()
        raise trouble(places.folder, error, "cannot be opened") from error
    except BaseException:
        lock.release()
        raise


def _connected(places: Places, full: bool) -> sqlite3.Connection:
    try:
        return schema.connect(places.database, full=full)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise
        raise BadInput(f"{places.database} is damaged: {error}. Restore it from a copy.") from error


class SqliteStore(Recording):
    """One run, one owner; made by `create` and `open_run`. One thread, `sync` apart."""

    def __init__(
        self,
        places: Places,
        about: dict[str, Any],
        connection: sqlite3.Connection,
        lock: Lock,
        archive: Archive,
        start: Start,
        full: bool,
    ) -> None:
        super().__init__(places.folder, connection, archive)
        self.about = about
        self.shelf = DiskShelf(places.shelf, start.shelf)
        self._places, self._lock, self._start = places, lock, start
        self._full = full
        sql = "SELECT IFNULL(MAX(command), 0) FROM events WHERE command IS NOT NULL"
        self._handed: int = connection.execute(sql).fetchone()[0]
        self._hosts: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._gauges = Gauges(connection)
        self._syncing = threading.Lock()
        self._mover: sqlite3.Connection | None = None
        self._closed = False

    @property
    def begun(self) -> bool:
        return self._connection.execute("SELECT 1 FROM log LIMIT 1").fetchone() is not None

    def archive(self, visit: int, fetch: Fetch) -> None:
        self._pending[visit] = fetch

    def liked(self) -> list[Fetch]:
        return self._holdings.liked()

    @guarded
    def like(self, fetch: Fetch) -> None:
        self._begin()
        place = self._append(fetch, None)
        values = (packed_fetch(fetch), *(place or (None, None, None)), *self._archive.end())
        columns = "data, file, offset, length, end_file, end_offset"
        self._connection.execute(f"INSERT INTO likes ({columns}) VALUES (?, ?, ?, ?, ?, ?)", values)  # noqa: S608
        self.commit()

    def held(self, url: str) -> Mapping[str, str]:
        held = self._holdings.held(url, self._seq)
        if held is None or held.page is None or self._holdings.address(held.page) != url:
            return {}  # a copy of another address says nothing of this one
        headers = self._holdings.headers(held.page)
        return {name: headers[name] for name in ("etag", "last-modified") if name in headers}

    @guarded
    def commit(self) -> None:
        if not (self._open or self._hosts or self._counts):
            return
        self._begin()
        self._flush()
        reach("turn-before-commit")
        if self._full:
            self._archive.sync()
        self._connection.execute("COMMIT")
        self._open = False
        self._hosts, self._counts = {}, {}
        reach("turn-committed")

    def _flush(self) -> None:
        if self._hosts:
            self._connection.executemany("INSERT OR REPLACE INTO hosts VALUES (?, ?)", self._hosts.items())
        if self._counts:
            sql = "INSERT INTO counters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value"
            self._connection.executemany(sql, self._counts.items())

    def sync(self) -> None:
        with self._syncing:
            try:
                if not self._closed:
                    self._sync()
            except (sqlite3.Error, OSError) as error:
                raise trouble(self.folder, error) from error

    def _sync(self) -> None:
        """The archive first: rows may never be safer than the records they refer to."""
        self._archive.sync()
        handle = os.open(self._places.wal, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
            large = os.fstat(handle).st_size > _LARGE_WAL
        finally:
            os.close(handle)
        if large:
            self._move_wal()

    def _move_wal(self) -> None:
        """Into the database, beside the owner's thread, so that a commit need not wait for the disk."""
        if self._mover is None:
            self._mover = sqlite3.connect(self._places.database, isolation_level=None, check_same_thread=False)
        self._mover.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    @guarded
    def snapshot(self, state: Mapping[str, Any]) -> None:
        self.commit()
        if self._seq < self._last and self._playing:
            raise Broken("a snapshot is taken between turns, not while a run is played again")
        self.shelf.flush()
        self.shelf.sync()
        text, arrays = codec.store(dict(state))
        saved = snapshots.save(self._places.snapshots, snapshots.name_of(self._seq, self._n), text, arrays)
        self._begin()
        row = (self._seq, self._n, *saved, len(self.shelf), time.time())
        self._connection.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        newest = "SELECT seq, n FROM snapshots ORDER BY seq DESC, n DESC LIMIT ?"
        self._connection.execute(f"DELETE FROM snapshots WHERE (seq, n) NOT IN ({newest})", (SNAPSHOTS,))  # noqa: S608
        self.commit()
        reach("snapshot-committed")
        snapshots.tidy(self._connection, self._places.snapshots)
        reach("snapshot-tidied")

    def past(self) -> Past:
        start, self._start = self._start, self._start._replace(state=None)
        self._seq, self._n = start.seq, start.n
        return Past(start.state, self._entries(start.seq))

    def _entries(self, seq: int) -> Iterator[tuple[Any, ...]]:
        sql = "SELECT seq, kind, data FROM log WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
        while rows := self._connection.execute(sql, (seq, self._last, _BATCH)).fetchall():
            yield from (self._entry(kind, data) for _, kind, data in rows)
            seq = rows[-1][0]

    def _entry(self, kind: str, data: bytes) -> tuple[Any, ...]:
        entry = unpacked_entry(kind, data)
        if kind != "land":
            return entry
        _, visit, told, now, seconds = entry
        if isinstance(told, int):
            return (kind, visit, self._holdings.page(told), now, seconds)
        return (kind, visit, unpacked_page(told) if isinstance(told, bytes) else Failure(*told), now, seconds)

    def commands(self) -> list[tuple[int, Command]]:
        sql = "SELECT id, at, data FROM commands WHERE id > ? ORDER BY id LIMIT ?"
        found = []
        for number, at, text in self._connection.execute(sql, (self._handed, _MOST_COMMANDS)).fetchall():
            self._handed = number
            try:
                found.append((number, command_of(text)))
            except Exception:  # whatever strangers wrote there, the run goes on
                self._refuse(number, at)
        return found

    @guarded
    def _refuse(self, number: int, at: float) -> None:
        self._begin()
        self._go_live()
        self._rows.refusal(self._seq, self._n, at, number, "This is no command that is known here.")
        self._n += 1

    def taking(self, number: int) -> None:
        self._taking = number

    def hosts(self) -> Iterable[Mapping[str, Any]]:
        rows = dict(self._connection.execute("SELECT host, data FROM hosts ORDER BY host").fetchall()) | self._hosts
        return [json.loads(data) for data in rows.values()]

    def keep_hosts(self, rows: Iterable[Mapping[str, Any]]) -> None:
        for row in rows:
            self._hosts[row["host"]] = json.dumps(dict(row))

    def count(self, name: str, by: int = 1) -> None:
        self._counts[name] = self._counts.get(name, 0) + by

    def counts(self) -> Mapping[str, int]:
        found = dict(self._connection.execute("SELECT name, value FROM counters ORDER BY name").fetchall())
        return {name: found.get(name, 0) + self._counts.get(name, 0) for name in [*found, *self._counts]}

    @guarded
    def gauge(self, gauge: Gauge) -> None:
        self._begin()
        self._gauges.keep(gauge)

    def gauges(self) -> list[Gauge]:
        return gauges(self._connection)

    def index(self) -> None:
        index_archive(self._places.archive)

    def close(self) -> None:
        with self._syncing:
            if self._closed:
                return
            self._closed = True
            if self._mover is not None:
                self._mover.close()
            self._connection.rollback()
            self._connection.close()
            self._archive.close()
            self.shelf.close()
            self._lock.release()
