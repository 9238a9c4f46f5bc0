"""Connections to the database of a run: its owner's, with one transaction for each turn, and those of readers."""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from wolfspider.core.errors import BadInput, Busy, Problem
from wolfspider.files.failpoints import reach
from wolfspider.store.damage import damaged, is_busy, trouble

LARGE_WAL = 8 << 20  # bytes after which `sync` moves the WAL into the database
_PATIENCE = 10.0  # seconds to wait for another process that writes
LONGEST_ROW = 8_000_000  # bytes of a command that is read at all: more than the longest one can have
_CACHE = 32_768  # kilobytes; addresses are looked up all over the table of what is held
_FALLBACK_CHECKPOINT = 10_000  # pages of the WAL, should nobody call sync
_STRANGE = (  # in the place of a table it could take for ever to read; of gauges see gauges.py
    "SELECT type, name FROM sqlite_master WHERE (type IN ('view', 'trigger') OR sql LIKE 'create virtual%')"
    " AND lower(tbl_name) <> 'gauges' LIMIT 1"
)
_COMPUTED = (  # a column that is worked out while it is read
    "SELECT 'computed column', x.name FROM sqlite_master m, pragma_table_xinfo(m.name) x"
    " WHERE m.type = 'table' AND x.hidden IN (2, 3) AND lower(m.name) <> 'gauges' LIMIT 1"
)
_CLAIM = "INSERT OR REPLACE INTO meta VALUES ('owner', ?)"


def connect(database: Path, *, full: bool = False, threads: bool = False) -> sqlite3.Connection:
    """The owner's connection: every transaction is begun and ended by name. `threads`: may others than this one use it,
    one at a time?"""
    try:
        connection = sqlite3.connect(
            database, timeout=_PATIENCE, isolation_level=None, cached_statements=200, check_same_thread=not threads
        )
        for pragma in (
            "journal_mode = WAL",
            f"synchronous = {'FULL' if full else 'NORMAL'}",
            f"wal_autocheckpoint = {_FALLBACK_CHECKPOINT}",
            f"cache_size = -{_CACHE}",
            "trusted_schema = OFF",
        ):
            connection.execute(f"PRAGMA {pragma}")
        return connection
    except sqlite3.DatabaseError as error:
        raise trouble(database, error, "cannot be opened") from error


def connect_beside(database: Path) -> sqlite3.Connection:
    """The connection of another process, to read. A folder nobody can write to has no WAL: it is read as it is."""
    address = _uri(database, "ro")
    for uri in (address, f"{address}&immutable=1"):
        try:
            return _tried(uri, database)
        except sqlite3.DatabaseError as error:
            found: sqlite3.Error = error
            if not isinstance(error, sqlite3.OperationalError) or has_log(database):
                break
    if isinstance(told := trouble(database, found), (BadInput, Busy)):
        raise told from found
    if not database.is_file():
        raise damaged(database.parent, "run.db is missing, or no file") from found
    if database.with_name("run.db-wal").is_dir():
        raise damaged(database.parent, "run.db-wal in it is a folder and no file") from found
    raise closed_log(database) or BadInput(f"{database} cannot be read: {found}.") from found


def has_log(database: Path) -> bool:
    """Is something committed that is not in the database itself yet?"""
    wal = database.with_name(f"{database.name}-wal")
    return os.path.lexists(wal) and (wal.is_dir() or wal.stat().st_size > 0)


def closed_log(database: Path) -> BadInput | None:
    """What was committed last lies in a file that SQLite reads only where it may write: no damage, but nobody can say
    how the run stands."""
    if os.access(database.parent, os.W_OK) or not has_log(database):
        return None
    return BadInput(
        f"{database} cannot be read where it is: {database.name}-wal holds what was committed last, and SQLite reads "
        "it only in a folder that can be written. Copy the run to such a folder, and look at the copy."
    )


def connect_inbox(inbox: Path, mode: str, patience: float = _PATIENCE) -> sqlite3.Connection:
    """A connection to the commands that others leave (inbox.py): to read (`ro`), or to leave one (`rw`)."""
    connection = sqlite3.connect(_uri(inbox, mode), uri=True, timeout=patience, isolation_level=None)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_ROW)
    for pragma in ("trusted_schema = OFF", "synchronous = NORMAL"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _uri(database: Path, mode: str) -> str:
    return f"file:{quote(str(database.absolute()))}?mode={mode}"


def _tried(uri: str, database: Path) -> sqlite3.Connection:
    """A connection that could read something."""
    connection = sqlite3.connect(uri, uri=True, timeout=_PATIENCE, isolation_level=None)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        refuse_strange(connection, database)
        connection.execute("SELECT 1 FROM meta LIMIT 1").fetchone()
    except (sqlite3.DatabaseError, BadInput):
        connection.close()
        raise
    return connection


def refuse_strange(connection: sqlite3.Connection, database: Path) -> None:
    """A run may come from a stranger: what stands in it as a table must be one."""
    for kind, name in connection.execute(_STRANGE).fetchall() or connection.execute(_COMPUTED).fetchall():
        raise damaged(database, f"there is a {kind} {name!r:.60} in it that wolfspider never made")


def claim(connection: sqlite3.Connection) -> str:
    """Become the owner: a turn of the former owner is refused from here on, whatever became of the lock."""
    owner = secrets.token_hex(8)
    connection.execute(_CLAIM, (owner,))
    return owner


class Turn:
    """One transaction for all that a turn writes: the first write begins it, `commit` ends it.

    If the disk fails in the middle of a turn, nothing of that turn was ever written; the run is then closed to writing,
    and found whole when it is opened again. `owner` is what `claim` gave.
    """

    def __init__(self, connection: sqlite3.Connection, folder: Path, owner: str) -> None:
        self.connection, self.folder, self._owner = connection, folder, owner
        self._open = False  # is there a transaction?
        self._failure = ""  # why nothing can be written any more

    def begin(self) -> None:
        if self._failure:
            raise Problem(self._failure)
        if not self._open:
            self.connection.execute("BEGIN IMMEDIATE")
            self._open = True
            if self.one("SELECT value FROM meta WHERE name = 'owner'") != (self._owner,):
                lost = Busy(
                    f"Another process has taken {self.folder} over, so this one stops: its lock file was removed, or "
                    "its folder copied or replaced. What was committed is kept."
                )
                self.give_up(lost)
                raise lost

    def ready(self) -> bool:
        """Begin, unless another process is writing at this moment."""
        if self._open:
            return True
        self.connection.execute("PRAGMA busy_timeout = 0")
        try:
            self.begin()
        except sqlite3.OperationalError as error:
            if is_busy(error):
                return False
            raise
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {_PATIENCE * 1000:.0f}")
        return True

    def one(self, query: str, *values: Any) -> Any:
        """The first row of an answer; None if there is none."""
        return self.connection.execute(query, values).fetchone()

    def write(self, statement: str, values: Sequence[Any] = ()) -> None:
        self.begin()
        try:
            self.connection.execute(statement, values)
        except UnicodeEncodeError:  # half of a surrogate pair, which SQLite cannot keep
            texts = (value.encode("utf-8", "replace").decode() if isinstance(value, str) else value for value in values)
            self.connection.execute(statement, tuple(texts))

    def commit(self, prepare: Callable[[], None]) -> None:
        """Everything that was written since the last time, if anything was; `prepare` is called just before."""
        if self._open:
            reach("turn-before-commit")
            prepare()
            self.connection.execute("COMMIT")
            self._open = False
            reach("turn-committed")

    def give_up(self, problem: Problem) -> None:
        """Undo the turn. What was committed is found when the run is opened again."""
        with contextlib.suppress(sqlite3.Error):  # SQLite may have undone it already
            self.connection.rollback()
        self._open = False
        self._failure = self._failure or str(problem)


class Wal:
    """SQLite's own log of what was committed, told to the disk from any thread, one at a time."""

    def __init__(self, database: Path, wal: Path) -> None:
        self._database, self._wal = database, wal
        self._mover: sqlite3.Connection | None = None

    def sync(self) -> None:
        """Let what is committed survive the death of the machine."""
        with self._wal.open("rb") as file:
            os.fsync(file.fileno())
            large = os.fstat(file.fileno()).st_size > LARGE_WAL
        if large:  # moved into the database beside the owner's thread, so that a commit need not wait for the disk
            if self._mover is None:
                self._mover = sqlite3.connect(self._database, isolation_level=None, check_same_thread=False)
            self._mover.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        if self._mover is not None:
            self._mover.close()
