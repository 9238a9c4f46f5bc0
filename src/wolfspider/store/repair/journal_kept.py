"""The database of a repaired run that keeps its journal: only records of the archive are damaged, and it forgets the
pages that are lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wolfspider.store.archive_reader import RecordPlace
from wolfspider.store.page_count import count
from wolfspider.store.recovery import BASE, SYNCED, committed_end
from wolfspider.store.repair.damaged_rows import connect_damaged
from wolfspider.store.repair.salvaged_archive import Salvaged, place_of_like, place_of_page
from wolfspider.store.row_codec import unpacked_entry, unpacked_fetch

LOST = ("lost", "its record in the archive was damaged")  # kind and detail of a failure


@dataclass
class Rebuilt:
    """Pages are counted by their final addresses, as `status` counts them."""

    kept: int = 0  # pages
    found: int = 0  # of these, read from the archive
    lost: int = 0
    rows: dict[str, int] = field(default_factory=dict)  # that could not be read, by table
    anew: bool = True  # does the journal begin anew?
    hidden: int = 0  # pages beside those that are kept, which ask not to be indexed
    labels: int = 0  # that the new journal obeys again
    labels_lost: int | None = 0  # None: nobody can say, since the answers to commands cannot be read as a whole


def without_lost_pages(old: Path, new: Path, archive: Salvaged) -> Rebuilt | None:
    """A copy of a whole database that no longer knows of the lost pages; None if the journal needs one of them, or is
    not that of this archive."""
    with closing(connect_damaged(old)) as source, closing(copied(source, new)) as connection:
        lost, moves = _unread(connection, archive)
        if not _can_do_without(connection, archive, lost):
            return None
        connection.create_function("end_of", 2, archive.end_of, deterministic=True)
        connection.execute("BEGIN")
        before = count(connection).all
        connection.executemany("UPDATE pages SET file = ?, offset = ? WHERE seq = ?", moves)
        for sql in (
            "DELETE FROM pages WHERE seq = ?",
            "DELETE FROM held WHERE page = ?",
            f"UPDATE landings SET page = NULL, failure = '{LOST[0]}', detail = '{LOST[1]}' WHERE page = ?",  # noqa: S608
        ):
            connection.executemany(sql, [(number,) for number in lost])
        connection.executemany("UPDATE likes SET file = ?, offset = ? WHERE n = ?", _moved_likes(connection, archive))
        connection.execute("UPDATE likes SET end_offset = end_of(end_file, end_offset)")
        connection.execute("UPDATE log SET end = end_of(file, end) WHERE end IS NOT NULL")
        note_end(connection, archive)
        connection.execute("COMMIT")
        if committed_end(connection) > archive.end:  # it speaks of files that there are not
            return None
        kept = count(connection)
        return Rebuilt(kept.pages, 0, before - kept.all, {}, anew=False, hidden=kept.hidden)


def _unread(connection: sqlite3.Connection, archive: Salvaged) -> tuple[set[int], list[tuple[int, int, int]]]:
    """Pages whose record is lost, and where the others lie that were moved."""
    lost, moves = set[int](), list[tuple[int, int, int]]()
    sql = "SELECT seq, file, offset, length, final_url, body, digest FROM pages WHERE file IS NOT NULL"
    for number, file, offset, length, url, size, digest in connection.execute(sql):
        place = place_of_page(archive, RecordPlace(file, offset, length), url, size, digest)
        if place is None:
            lost.add(number)
        elif place[:2] != (file, offset):
            moves.append((*place[:2], number))
    return lost, moves


def _moved_likes(connection: sqlite3.Connection, archive: Salvaged) -> list[tuple[int, int, int]]:
    """Where the pages lie now that describe the topic: file, offset and number."""
    moves = []
    sql = "SELECT n, data, file, offset, length FROM likes WHERE file IS NOT NULL"
    for number, data, *before in connection.execute(sql):
        if (place := place_of_like(archive, RecordPlace(*before), *unpacked_fetch(data))) is not None:
            moves.append((place.file, place.offset, number))
    return moves


def _can_do_without(connection: sqlite3.Connection, archive: Salvaged, lost: set[int]) -> bool:
    """Is there a snapshot behind which no lost page is needed, and is the topic whole?"""
    (snapshot,) = connection.execute("SELECT MAX(seq) FROM snapshots").fetchone()
    (likes,) = connection.execute("SELECT COUNT(*) FROM likes WHERE file IS NOT NULL").fetchone()
    if snapshot is None or likes != len(_moved_likes(connection, archive)):
        return False
    for kind, data in connection.execute("SELECT kind, data FROM log WHERE seq > ? AND kind = 'land'", (snapshot,)):
        landing: Any = unpacked_entry(kind, data)
        if landing.result in lost:  # the number of a page stands for it
            return False
    sql = "SELECT page FROM held WHERE page IS NOT NULL AND url IN (SELECT url FROM visits WHERE seq > ?)"
    return not any(page in lost for (page,) in connection.execute(sql, (snapshot,)))


def copied(source: sqlite3.Connection, new: Path) -> sqlite3.Connection:
    """A copy of a database, to be changed before it is moved. It lies in one file: with a WAL beside it, which is
    brought in when the connection is closed, nobody would hear that this failed."""
    connection = sqlite3.connect(new, isolation_level=None)
    try:
        source.backup(connection)
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA synchronous = OFF")  # it is safe on the disk before it gets its name
    except BaseException:
        connection.close()
        raise
    return connection


def note_end(connection: sqlite3.Connection, archive: Salvaged) -> None:
    end = "{} {}".format(*archive.end)
    connection.execute(SYNCED, (end,))
    connection.execute(BASE, (end,))
