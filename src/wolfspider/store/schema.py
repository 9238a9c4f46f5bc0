"""The tables of a run, and how an older run is brought up to date.

Everything is kept under `seq`, the number of the journal entry it came with, so that any question can be asked as of a
point of the journal. A page has the number of the landing that brought it. There are few indices on purpose: each costs
at every page, and what people rarely ask may be answered by reading a table once.

A new table that a run can do without needs no new format: it is made where it is missing, and older versions of
wolfspider, which do not know of it, still open the run (gauges.py).
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

from wolfspider.core.errors import BadInput
from wolfspider.store import gauges
from wolfspider.store.damage import damaged, reading, trouble
from wolfspider.store.database import refuse_strange

FORMAT = 2
LONGEST_COMMAND = 1_000_000  # characters

COMMANDS = (
    "CREATE TABLE commands (id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, who TEXT NOT NULL,\n"
    f"    data TEXT NOT NULL CHECK (length(data) <= {LONGEST_COMMAND}))"
)
TABLES = f"""
CREATE TABLE log (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, at REAL, data BLOB NOT NULL, file INTEGER, end INTEGER);
CREATE TABLE visits (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, url TEXT NOT NULL, agent TEXT, source TEXT,
    how TEXT NOT NULL, fresh INTEGER, anchor TEXT, note TEXT);
CREATE TABLE pages (seq INTEGER PRIMARY KEY, visit INTEGER NOT NULL, url TEXT NOT NULL, final_url TEXT NOT NULL,
    host TEXT NOT NULL, hops TEXT, at REAL, seconds REAL, status INTEGER, headers TEXT, type TEXT, charset TEXT,
    title TEXT, description TEXT, language TEXT, published REAL, modified REAL, size INTEGER, digest TEXT,
    near INTEGER, words INTEGER, links INTEGER, truncated INTEGER, robots TEXT, canonical TEXT,
    file INTEGER, offset INTEGER, length INTEGER, body INTEGER, cut INTEGER, packed BLOB);
CREATE INDEX pages_of_host ON pages (host);
CREATE TABLE landings (seq INTEGER NOT NULL, n INTEGER NOT NULL, visit INTEGER NOT NULL, url TEXT NOT NULL,
    page INTEGER, failure TEXT, detail TEXT, score REAL, relevant INTEGER, evidence TEXT, how TEXT NOT NULL,
    cost INTEGER, seconds REAL, at REAL, PRIMARY KEY (seq, n)) WITHOUT ROWID;
CREATE TABLE held (url TEXT NOT NULL, seq INTEGER NOT NULL, page INTEGER, failure TEXT, detail TEXT, score REAL,
    relevant INTEGER, evidence TEXT, PRIMARY KEY (url, seq)) WITHOUT ROWID;
CREATE TABLE events (seq INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, at REAL, data TEXT NOT NULL,
    command INTEGER, PRIMARY KEY (seq, n)) WITHOUT ROWID;
CREATE INDEX answers ON events (command) WHERE command IS NOT NULL;
{COMMANDS};
CREATE TABLE likes (n INTEGER PRIMARY KEY, data BLOB NOT NULL, file INTEGER, offset INTEGER, length INTEGER,
    end_file INTEGER NOT NULL, end_offset INTEGER NOT NULL);
CREATE TABLE hosts (host TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE snapshots (seq INTEGER NOT NULL, n INTEGER NOT NULL, file TEXT NOT NULL, digest TEXT NOT NULL,
    bytes INTEGER NOT NULL, shelf INTEGER NOT NULL, at REAL, PRIMARY KEY (seq, n)) WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

NAMES = frozenset(re.findall(r"CREATE TABLE (\w+)", TABLES))
BEHIND = ("log", "visits", "pages", "landings", "held", "events", "snapshots")  # tables that are cut with the journal

MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {  # from this format to the next
    1: lambda connection: None,  # the journal may have entries of a further kind: visits that were postponed
}


def make(connection: sqlite3.Connection, info: Mapping[str, str]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for statement in (*TABLES.split(";"), gauges.TABLE):
        connection.execute(statement)
    connection.executemany("INSERT INTO meta VALUES (?, ?)", [("format", FORMAT), ("info", json.dumps(dict(info)))])
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")


def info(connection: sqlite3.Connection, path: Path) -> dict[str, str]:
    """What stands at the head of each file of the archive."""
    with reading(path, "what stands at the head of its archive"):
        (text,) = connection.execute("SELECT value FROM meta WHERE name = 'info'").fetchone()
        return {str(name): str(value) for name, value in json.loads(text).items()}


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a database that is damaged or of a newer format; bring an older one up to date."""
    try:
        refuse_strange(connection, path)
        (health,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.DatabaseError as error:
        raise trouble(path, error, "cannot be opened") from error
    if health != "ok":
        raise damaged(path, health)
    refuse_newer(path, version)
    if version < 1:
        raise damaged(path, f"it is no database of a run, its format is {version}")
    if missing := sorted(NAMES - tables):
        raise damaged(path, f"its table {missing[0]} is missing")
    for older in range(version, FORMAT):
        connection.execute("BEGIN IMMEDIATE")
        with connection:  # commits, or rolls back if anything fails
            MIGRATIONS[older](connection)
            connection.execute("UPDATE meta SET value = ? WHERE name = 'format'", (str(older + 1),))
            connection.execute(f"PRAGMA user_version = {older + 1}")
    gauges.make(connection)


def refuse_newer(path: Path, version: int) -> None:
    if version > FORMAT:
        raise BadInput(
            f"{path} has format {version}, and this version of wolfspider knows formats up to {FORMAT} only:"
            " use a newer wolfspider."
        )
