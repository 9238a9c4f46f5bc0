"""A run opened again: its archive and its journal are cut back to the last entry that is whole.

The journal says where the archive ended, so nothing is guessed by scanning. Only if a file is shorter than what was
committed (the machine lost its power, and the disk what it was not yet told to keep) is the file walked, to say where
its last whole record ends; then the journal forgets the rest too.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import NamedTuple

from wolfspider.core.errors import BadInput
from wolfspider.files.disk import open_to_write, sync_folder
from wolfspider.files.failpoints import reach
from wolfspider.store.archive import ArchiveEnd
from wolfspider.store.archive_reader import members, name_of, numbers
from wolfspider.store.folder import Places
from wolfspider.store.schema import BEHIND

LOST = "lost"  # the folder for files that nothing refers to


class Recovery(NamedTuple):
    """What was found when an archive was opened again."""

    end: ArchiveEnd  # less than the committed one if something promised is gone
    cut: int  # bytes behind the committed end
    aside: tuple[str, ...]  # files behind it, now in `lost/`


def recovered_end(connection: sqlite3.Connection, places: Places) -> ArchiveEnd:
    """Where the archive goes on. If the machine died and took records with it, the journal forgets them too."""
    sql = "SELECT file, end FROM log WHERE end IS NOT NULL ORDER BY seq DESC LIMIT 1"
    landed = connection.execute(sql).fetchone() or (0, 0)
    liked = connection.execute("SELECT end_file, end_offset FROM likes ORDER BY n DESC LIMIT 1").fetchone() or (0, 0)
    committed = max(ArchiveEnd(*landed), ArchiveEnd(*liked))
    if not (places.archive / name_of(0)).is_file():  # no crash does that
        raise BadInput(f"{places.folder} is damaged: {name_of(0)} of its archive is missing. Restore it from a copy.")
    end = recover_archive(places.archive, committed).end
    if end < committed:
        reach("rows-before-cut")
        _cut_log(connection, end)
        reach("rows-cut")
    return end


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
    if size < committed.offset:
        whole = max((offset + length for offset, length, _ in members(path)), default=0) if size else 0
        committed = committed._replace(offset=whole)
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
        raise BadInput(f"{lost} is a link to elsewhere; remove it.")
    copy = 0
    while os.path.lexists(target := lost / f"{number:05d}.{copy}.warc.gz"):
        copy += 1
    reach("recover-before-aside")
    os.rename(folder / name_of(number), target)
    sync_folder(folder)
    return target.name
