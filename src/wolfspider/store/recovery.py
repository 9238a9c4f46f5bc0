"""A run opened again: what was committed is found whole, or the log is cut back to the last entry that is."""

from __future__ import annotations

import sqlite3
from typing import Any, NamedTuple

from wolfspider.core import codec
from wolfspider.core.errors import BadInput
from wolfspider.files.failpoints import reach
from wolfspider.store import snapshots
from wolfspider.store.archive import Archive, End, name_of
from wolfspider.store.folder import Places
from wolfspider.store.schema import BEHIND


class Start(NamedTuple):
    """The snapshot that a resume begins from; nothing of it if there is none."""

    seq: int = 0  # the last entry it knows
    n: int = 0  # how many events of that entry
    shelf: int | None = None
    state: Any = None


def recovered_end(connection: sqlite3.Connection, places: Places) -> End:
    """Where the archive goes on. If the machine died and took records with it, the log forgets them too."""
    committed = _committed(connection)
    if not (places.archive / name_of(0)).is_file():  # no crash does that
        raise BadInput(f"{places.folder} is damaged: {name_of(0)} of its archive is missing. Restore it from a copy.")
    end = Archive.recover(places.archive, committed).end
    if end < committed:
        reach("rows-before-cut")
        _cut_back(connection, end)
        reach("rows-cut")
    return end


def _committed(connection: sqlite3.Connection) -> End:
    sql = "SELECT file, end FROM log WHERE end IS NOT NULL ORDER BY seq DESC LIMIT 1"
    landed = connection.execute(sql).fetchone() or (0, 0)
    liked = connection.execute("SELECT end_file, end_offset FROM likes ORDER BY n DESC LIMIT 1").fetchone() or (0, 0)
    return max(End(*landed), End(*liked))


def _cut_back(connection: sqlite3.Connection, end: End) -> None:
    """To the last entry before the first whose record is not all there."""
    sql = "SELECT MIN(seq) FROM log WHERE end IS NOT NULL AND (file, end) > (?, ?)"
    connection.execute("BEGIN IMMEDIATE")
    (first,) = connection.execute(sql, end).fetchone()
    gone = connection.execute("DELETE FROM likes WHERE (end_file, end_offset) > (?, ?)", end).rowcount
    if gone:
        first = 0  # the topic itself is incomplete: the crawl has to begin anew
    if first is not None:
        for table in BEHIND:
            connection.execute(f"DELETE FROM {table} WHERE seq >= ?", (first,))  # noqa: S608
    connection.execute("COMMIT")


def start_of(connection: sqlite3.Connection, places: Places) -> Start:
    """The newest snapshot that is whole. Those that are not are dropped."""
    sql = "SELECT seq, n, file, digest, shelf FROM snapshots ORDER BY seq DESC, n DESC"
    found, bad = Start(), []
    for seq, n, file, digest, shelf in connection.execute(sql).fetchall():
        try:
            found = Start(seq, n, shelf, _state(places, file, digest, shelf))
            break
        except BadInput:
            bad.append((seq, n))
    if bad:
        connection.executemany("DELETE FROM snapshots WHERE seq = ? AND n = ?", bad)
    snapshots.tidy(places.snapshots, {name for (name,) in connection.execute("SELECT file FROM snapshots")})
    return found


def _state(places: Places, file: str, digest: str, shelf: int) -> Any:
    if not snapshots.is_name(file):
        raise BadInput("A snapshot's name leads elsewhere.")
    size = places.shelf.stat().st_size if places.shelf.is_file() else 0
    if size < shelf:
        raise BadInput(f"{places.shelf} is shorter than the snapshot {file} says.")
    text, arrays = snapshots.load(places.snapshots / file, digest)
    try:
        return codec.load(text, arrays)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise BadInput(f"The snapshot {file} is damaged: {error}.") from error
