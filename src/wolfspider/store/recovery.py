"""A run opened again: its archive and its journal are cut back to the last entry that is whole.

The journal says where the archive ended, so nothing is guessed by scanning. A crash may leave a moment's worth behind
that, which was never promised; and a machine that loses its power may leave less, as far as the disk was not yet told
to keep it. The database notes how far it was told. So what a crash explains is told and dropped, and the journal
forgets it too. Anything else is damage: nothing is touched, and `wolfspider repair` has to mend it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from wolfspider.files.disk import no_link, open_to_write, sync_folder
from wolfspider.files.failpoints import reach
from wolfspider.store.archive import ArchiveEnd
from wolfspider.store.archive_reader import capture_of, members, name_of, numbers, record_may_begin
from wolfspider.store.damage import UNREADABLE, damaged, reading
from wolfspider.store.folder import Places
from wolfspider.store.folding import folded
from wolfspider.store.row_codec import unpacked
from wolfspider.store.schema import BEHIND

LOST = "lost"  # the folder for files that nothing refers to
SYNCED = "INSERT OR REPLACE INTO meta VALUES ('synced', ?)"  # how far the disk was told to keep the archive
BASE = "INSERT OR REPLACE INTO meta VALUES ('base', ?)"  # where the archive ended when the run was repaired
_LONGEST_UNSYNCED = 2.0  # seconds of a journal that does not say how far the disk was told to keep the archive
_LONGEST_TURN = 60.0  # seconds: what it archived was not committed yet


class Recovery(NamedTuple):
    """What was found when an archive was opened again."""

    end: ArchiveEnd  # less than the committed one if something promised is gone
    cut: int  # bytes behind the committed end
    aside: tuple[str, ...]  # files behind it, now in `lost/`


def recovered_end(
    connection: sqlite3.Connection, places: Places, remark: Callable[[str], None] | None = None
) -> ArchiveEnd:
    """Where the archive goes on. If the machine died and took records with it, that is told, and the journal forgets
    them too."""
    with reading(places.database, "where the archive ends"):
        if ahead := rows_ahead(connection):
            raise damaged(places.database, ahead)
        committed = committed_end(connection)
        end = whole_end(places.archive, committed)
        refuse_lost_records(connection, places, end, committed)
        if end == committed:
            refuse_unknown_answers(connection, places, end)
    if end < committed and remark is not None:
        remark(_told(connection, places, end))
    recover_archive(places.archive, end)
    if end < committed:
        reach("rows-before-cut")
        _cut_log(connection, end)
        reach("rows-cut")
    return end


def rows_ahead(connection: sqlite3.Connection) -> str:
    """What is wrong if the end of the journal is missing; "" if it is not."""
    (last,) = connection.execute("SELECT IFNULL(MAX(seq), 0) FROM log").fetchone()
    for table in ("pages", "landings", "events"):
        (newest,) = connection.execute(f"SELECT IFNULL(MAX(seq), 0) FROM {table}").fetchone()  # noqa: S608
        if newest > last:
            return f"its journal ends at entry {last:,}, and the table {table} knows entry {newest:,}"
    return ""


def refuse_to_begin_again(connection: sqlite3.Connection, places: Places) -> None:
    """No snapshot can be read: the journal is replayed from its beginning, if it can be."""
    with reading(places.database, "an entry of the journal"):
        if needs_a_snapshot(connection):
            raise damaged(
                places.folder,
                "none of its snapshots can be used, or its shelf is shorter than they say, and the journal alone does "
                "not do: pages of it were forgotten or lost. Nothing was changed",
            )


def needs_a_snapshot(connection: sqlite3.Connection) -> bool:
    """Can the journal not be replayed from its beginning, since pages that it speaks of were forgotten or are lost, or
    it was folded?"""
    if folded(connection).upto:
        return True
    there = {number for (number,) in connection.execute("SELECT seq FROM pages")}
    for (data,) in connection.execute("SELECT data FROM log WHERE kind = 'land'"):
        _, stands_for, *_ = unpacked(data)
        if isinstance(stands_for, int) and stands_for not in there:
            return True
    return False


def committed_end(connection: sqlite3.Connection) -> ArchiveEnd:
    sql = "SELECT file, end FROM log WHERE end IS NOT NULL ORDER BY seq DESC LIMIT 1"
    landed = connection.execute(sql).fetchone() or (0, 0)
    liked = connection.execute("SELECT end_file, end_offset FROM likes ORDER BY n DESC LIMIT 1").fetchone() or (0, 0)
    based = connection.execute("SELECT value FROM meta WHERE name = 'base'").fetchone() or ("0 0",)
    return max(ArchiveEnd(*map(int, end)) for end in (landed, liked, based[0].split()))


def whole_end(archive: Path, committed: ArchiveEnd) -> ArchiveEnd:
    """The committed end; if the last file is shorter than that, the end of its last whole record."""
    path = archive / name_of(committed.file)
    size = path.lstat().st_size if os.path.lexists(path) else 0
    if size >= committed.offset:
        return committed
    whole = max((offset + length for offset, length, _ in members(path)), default=0) if size else 0
    return committed._replace(offset=whole)


def refuse_lost_records(connection: sqlite3.Connection, places: Places, end: ArchiveEnd, committed: ArchiveEnd) -> None:
    """Damaged, if more of the archive is missing than a crash explains, or the journal does not end where a record
    does."""
    for number in range(committed.file + 1):
        path = places.archive / name_of(number)
        if not path.is_file() and (number == 0 or number < committed.file):  # no crash does that
            raise damaged(places.folder, f"{path.name} of its archive is missing")
        if number < committed.file and path.stat().st_size < _committed_in(connection, number):
            raise damaged(places.folder, f"{path.name} of its archive is shorter than it was")
    if end < committed and not _lost_by_a_crash(connection, end):
        pages, since = _behind(connection, end)
        raise damaged(
            places.folder,
            f"its archive ends at byte {end.offset:,} of {name_of(end.file)}, not at {committed.offset:,}, so "
            f"{pages:,} page{'s' * (pages != 1)} that landed since entry {since:,} of the journal would be lost. No "
            "crash does that, so nothing was changed",
        )
    if end == committed and not record_may_begin(places.archive, *end):
        raise damaged(
            places.folder,
            f"byte {end.offset:,} of {name_of(end.file)} in its archive is where the journal ends, and lies within a "
            "record: bytes were put in or taken out before it. Nothing was changed",
        )


def refuse_unknown_answers(connection: sqlite3.Connection, places: Places, end: ArchiveEnd) -> None:
    """Damaged, if more answers lie behind the end of the journal than a turn that was not committed: then the journal
    is not the one of this archive."""
    (last,) = connection.execute("SELECT MAX(at) FROM log").fetchone()
    times = _times_behind(places.archive, end)
    # Before the journal begins, pages that describe the topic are archived and committed one by one.
    if last is None and len(times) > 1:
        raise damaged(
            places.folder,
            "its archive has pages, and its journal has not begun, so run.db was emptied or replaced. Nothing was "
            "changed",
        )
    # A session may begin, or a visit be parked, long after the last entry: only what came at different times is damage.
    if last is not None and times and max(times) > max(float(last), min(times)) + _LONGEST_TURN:
        raise damaged(
            places.folder,
            "its archive has pages that came long after the last entry of the journal, so run.db or run.db-wal is an "
            "older copy, or was cut. Nothing was changed",
        )


def _committed_in(connection: sqlite3.Connection, number: int) -> int:
    (last,) = connection.execute("SELECT IFNULL(MAX(end), 0) FROM log WHERE file = ?", (number,)).fetchone()
    return int(last)


def _lost_by_a_crash(connection: sqlite3.Connection, end: ArchiveEnd) -> bool:
    """Was the disk never told to keep what is missing?"""
    noted = connection.execute("SELECT value FROM meta WHERE name = 'synced'").fetchone()
    if noted is not None:
        file, offset = map(int, str(noted[0]).split())
        return end >= ArchiveEnd(file, offset)
    sql = "SELECT MAX(at), (SELECT MIN(at) FROM log WHERE end IS NOT NULL AND (file, end) > (?, ?)) FROM log"
    last, first = connection.execute(sql, end).fetchone()  # a run of an earlier version
    return first is None or last - first <= _LONGEST_UNSYNCED


def _behind(connection: sqlite3.Connection, end: ArchiveEnd) -> tuple[int, int]:
    """How many pages landed behind an end of the archive, and since which entry of the journal."""
    sql = "SELECT IFNULL(MIN(seq), 0) FROM log WHERE end IS NOT NULL AND (file, end) > (?, ?)"
    (first,) = connection.execute(sql, end).fetchone()
    (pages,) = connection.execute("SELECT COUNT(*) FROM pages WHERE seq >= ?", (first,)).fetchone()
    return pages, first


def _told(connection: sqlite3.Connection, places: Places, end: ArchiveEnd) -> str:
    pages, _ = _behind(connection, end)
    which = f"{pages:,} page{'s' * (pages != 1)} of the last moment before the crash"
    return f"The disk did not keep the end of the archive of {places.folder}: {which} will be fetched again."


def _times_behind(archive: Path, end: ArchiveEnd) -> list[float]:
    """When the answers came that lie behind an end of the archive, redirects apart: they may have come long before the
    answer they led to."""
    times = []
    for number in numbers(archive):
        if number < end.file:
            continue
        for _, _, record in members(archive / name_of(number), end.offset if number == end.file else 0):
            try:
                capture = capture_of(record)
            except UNREADABLE:
                continue  # not an answer
            if not 300 <= capture.status < 400:
                times.append(capture.at)
    return times


def _cut_log(connection: sqlite3.Connection, end: ArchiveEnd) -> None:
    """Back to the last entry before the first whose record is not all there."""
    sql = "SELECT MIN(seq) FROM log WHERE end IS NOT NULL AND (file, end) > (?, ?)"
    connection.execute("BEGIN IMMEDIATE")
    (first,) = connection.execute(sql, end).fetchone()
    if connection.execute("DELETE FROM likes WHERE (end_file, end_offset) > (?, ?)", end).rowcount:
        first = 0  # the topic itself is incomplete: the crawl has to begin anew
    if first is not None:
        for table in BEHIND:
            connection.execute(f"DELETE FROM {table} WHERE seq >= ?", (first,))  # noqa: S608
    connection.execute("COMMIT")


def recover_archive(folder: Path, committed: ArchiveEnd) -> Recovery:
    """Leave nothing behind the committed end. To be called before an archive is opened again."""
    aside = tuple(_set_aside(folder, number) for number in numbers(folder) if number > committed.file)
    path = folder / name_of(committed.file)
    size = path.lstat().st_size if os.path.lexists(path) else 0
    committed = whole_end(folder, committed)
    reach("recover-before-cut")
    if size > committed.offset:
        with os.fdopen(open_to_write(path), "r+b") as file:
            os.ftruncate(file.fileno(), committed.offset)
            os.fsync(file.fileno())
    reach("recover-done")
    return Recovery(committed, max(0, size - committed.offset), aside)


def _set_aside(folder: Path, number: int) -> str:
    lost = folder / LOST
    lost.mkdir(mode=0o700, exist_ok=True)
    if lost.is_symlink():
        raise no_link(lost)
    copy = 0
    while os.path.lexists(target := lost / f"{number:05d}.{copy}.warc.gz"):
        copy += 1
    reach("recover-before-aside")
    os.rename(folder / name_of(number), target)
    sync_folder(folder)
    return target.name
