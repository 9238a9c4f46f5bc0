"""Everything of a run looked at: its description, database, archive, index, snapshots and shelf.

Nothing is changed. Every finding is a sentence that says what is damaged, what that means and what to do, with an exit
code by its kind. A run that somebody owns is looked at as it is at this moment, its newest parts apart.
"""

from __future__ import annotations

import filecmp
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.plain_text import plainly
from wolfspider.files.lock import is_owned
from wolfspider.store import cdxj, schema, snapshots
from wolfspider.store.archive import ArchiveEnd
from wolfspider.store.archive_reader import RecordPlace, Stretch, name_of, numbers, whole_records
from wolfspider.store.damage import (
    DATABASE,
    DESCRIPTION,
    NOTHING_LOST,
    PAGES_LOST,
    UNREADABLE,
    Damaged,
    is_busy,
    without_remedy,
)
from wolfspider.store.database import closed_log, refuse_strange
from wolfspider.store.folder import FORGOTTEN, PLAN, REQUISITES, Places, about_run, refuse_links_and_pipes
from wolfspider.store.folding import folded
from wolfspider.store.inbox import LAST_COMMAND, stranger_in
from wolfspider.store.inspection import ReadOnlyShelf
from wolfspider.store.page_reader import has_body
from wolfspider.store.recovery import (
    committed_end,
    needs_a_snapshot,
    refuse_lost_records,
    refuse_unknown_answers,
    rows_ahead,
    whole_end,
)
from wolfspider.store.repair import damaged_rows
from wolfspider.store.repair.damaged_rows import connect_damaged
from wolfspider.store.repair.forgotten_list import in_file
from wolfspider.store.requisites import Requisites
from wolfspider.store.sound_rows import check_row, tables
from wolfspider.store.view import missing_pages

_SHOWN = 5  # of what there may be many of
_LONGEST_REASON = 200  # characters
_PAGES = "SELECT final_url, file, offset, length, body, digest FROM pages WHERE file IS NOT NULL ORDER BY file, offset"


class Finding(NamedTuple):
    part: (
        str  # run.json, run.db, warc, index, snapshots, shelf, inbox.db, requisites.db, forgotten.json, lock or repair
    )
    code: int  # the exit code of the command line
    sentence: str


def examine(folder: Path, *, ours: bool = False) -> list[Finding]:
    """What is wrong with a run, the gravest first; nothing if it is whole. BadInput if it is none. `ours`: the caller
    owns it."""
    places = Places.of(folder)
    refuse_links_and_pipes(places, *(places.archive / name_of(number) for number in numbers(places.archive)))
    if os.path.lexists(folder / PLAN):  # parts are on their way from one place to another
        sentence = f"A repair of {folder} was not finished, and until it is, no other command opens the run."
        return [Finding("repair", DATABASE, sentence)]
    owned = is_owned(places.lock) and not ours
    found = list(description(places))
    database = list(_database(places))
    found += database
    found += _archive(places, None if database else places.database, owned)
    if not owned:
        snapshots_found = list(_snapshots(places))
        found += [*_index(places), *snapshots_found, *_inbox(places), *_requisites(places), *_forgotten(places)]
        found += lock_trouble(places)
        found += () if database else _stranded(places, bool(snapshots_found))
    return sorted(found, key=lambda one: -one.code)


def first_damage(folder: Path) -> str:
    """A sentence about the description or the database of a run, if they are damaged; "" otherwise. The archive is not
    read."""
    places = Places.of(folder)
    found = [*description(places), *_database(places)] if folder.is_dir() else []
    return found[0].sentence if found else ""


# run.json


def description(places: Places) -> Iterator[Finding]:
    try:
        about = about_run(places.folder)
        if not isinstance(about.get("settings"), dict):
            raise BadInput(f"{places.description} is damaged: it does not say how the run was begun.")
        learned = about.get("learned")
    except BadInput as problem:
        if not (os.path.lexists(places.database) or places.archive.is_dir()):
            raise
        means = "Without it no command can open the run"
        yield Finding(
            "run.json", DESCRIPTION, f"{without_remedy(problem)} {means}; a copy of it is in run.db, if that is whole."
        )
        return
    if learned is not None:
        try:
            snapshots.load(places.snapshots / snapshots.LEARNED, str(learned["digest"]))
        except (Problem, *UNREADABLE) as error:
            means = "the run cannot be resumed with what it inherited from another run"
            yield Finding("run.json", DESCRIPTION, f"{error} So {means}; a repair lets it go on without.")


# run.db


def _database(places: Places) -> Iterator[Finding]:
    means = "The run cannot be resumed as it is; a repair takes what can be read, and the rest from the archive."

    def finding(sentence: str) -> Finding:
        return Finding("run.db", DATABASE, f"{sentence.rstrip('.')}. {means}")

    if not places.database.is_file():
        yield finding(f"{places.database} is missing" + " or no file" * os.path.lexists(places.database))
        return
    try:
        with closing(connect_damaged(places.database)) as connection:
            connection.execute("BEGIN")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            schema.refuse_newer(places.database, version)
            refuse_strange(connection, places.database)
            problems = [health for (health,) in connection.execute("PRAGMA integrity_check(20)") if health != "ok"]
            if version < 1:
                problems.append("its format is missing")
            if problems:
                yield finding(f"{places.database} is damaged: {'; '.join(map(str, problems[:_SHOWN]))}")
            yield from map(finding, _rows(connection))
    except (sqlite3.DatabaseError, Damaged) as error:
        if isinstance(error, sqlite3.OperationalError) and (closed := closed_log(places.database)):
            raise closed from error
        yield finding(f"{places.database} is damaged: {error}" if isinstance(error, sqlite3.Error) else str(error))


def _rows(connection: sqlite3.Connection) -> Iterator[str]:
    """What is wrong with the tables, a sentence for each."""
    broken = False
    for table in tables().values():
        trouble: list[str] = []
        last, count, gaps, first = (folded(connection).upto if table.name == "log" else 0), 0, 0, ""
        for row in damaged_rows.rows(connection, table, trouble.append):
            try:
                check_row(table, row)
            except UNREADABLE as error:
                first = first or f"{error}"
                count += 1
            if table.name == "log" and isinstance(row[0], int):
                last, gaps = max(last, row[0]), gaps + max(0, row[0] - last - 1)
        if trouble:
            yield f"The table {table.name} of run.db cannot be read to its end ({trouble[0]})"
        if count:
            why = plainly(f"the first: {first}", _LONGEST_REASON)
            yield f"{_counted(count, 'row')} of the table {table.name} of run.db cannot be read ({why})"
        if gaps:
            yield f"{_counted(gaps, 'entry', 'entries')} of the journal in run.db are missing"
        broken = broken or bool(trouble or count)
    if not broken:
        if ahead := rows_ahead(connection):
            yield f"run.db is damaged: {ahead}"
        if missing := missing_pages(connection):
            yield f"{_counted(missing, 'page')} landed and have no row in run.db"
        if not isinstance(connection.execute(LAST_COMMAND).fetchone()[0], int):
            yield "The number of the last command in run.db is no number"
        if not connection.execute("SELECT 1 FROM meta WHERE name = 'info'").fetchone():
            yield "The table meta of run.db does not say what stands at the head of the archive"


# The archive


def _archive(places: Places, database: Path | None, owned: bool) -> Iterator[Finding]:
    """Without a database, only the records themselves can be looked at."""
    end: ArchiveEnd | None = None
    if database is not None:
        with closing(connect_damaged(database)) as connection:
            connection.execute("BEGIN")
            try:
                end = committed_end(connection)
            except UNREADABLE as error:
                sentence = f"run.db does not say where the archive ends ({type(error).__name__}: {error})."
                yield Finding("run.db", DATABASE, f"{sentence} A repair takes all pages from the archive.")
                return
            yield from _lost(places, end, connection, owned)
    yield from _torn(places, end)


def _lost(places: Places, committed: ArchiveEnd, connection: sqlite3.Connection, owned: bool) -> Iterator[Finding]:
    try:
        end = whole_end(places.archive, committed)
        refuse_lost_records(connection, places, end, committed)
    except (BadInput, *UNREADABLE) as error:
        yield Finding(
            "warc", PAGES_LOST, f"{without_remedy(error)} A repair counts what is lost and lets the run go on."
        )
    else:
        yield from _unknown(places, end, connection) if end == committed and not owned else ()
    unread: list[str] = []
    count = 0
    for url, file, offset, length, size, digest in connection.execute(_PAGES):
        if not has_body(places.archive, RecordPlace(file, offset, length), size, digest):
            count += 1
            unread = [*unread, str(url)][:_SHOWN]
    if count:
        which = f"{', '.join(unread)}{' and more' if count > len(unread) else ''}"
        means = "Their text is lost. A repair takes these pages out of the run"
        yield Finding("warc", PAGES_LOST, f"The records of {_counted(count, 'page')} are damaged ({which}). {means}.")


def _unknown(places: Places, end: ArchiveEnd, connection: sqlite3.Connection) -> Iterator[Finding]:
    try:
        refuse_unknown_answers(connection, places, end)
    except (BadInput, *UNREADABLE) as error:
        yield Finding("run.db", DATABASE, f"{without_remedy(error)} A repair takes these pages from the archive.")


def _torn(places: Places, end: ArchiveEnd | None) -> Iterator[Finding]:
    """Stretches that are no records, before the end of what was committed."""
    if not places.archive.is_dir():
        yield Finding("warc", PAGES_LOST, f"{places.archive} is missing or no folder: all pages are lost.")
        return
    for number in numbers(places.archive):
        path = places.archive / name_of(number)
        stop = _stop(number, end)
        try:
            torn = [one for one in whole_records(path) if isinstance(one, Stretch) and _before(one, stop)]
        except BadInput as problem:
            yield Finding("warc", PAGES_LOST, f"{problem} The pages in it are lost.")
            continue
        if torn:
            size = sum(one.end - one.start for one in torn)
            where = ", ".join(f"{one.start:,} to {one.end:,}" for one in torn[:_SHOWN])
            more = f" and {len(torn) - _SHOWN:,} more" if len(torn) > _SHOWN else ""
            means = "Whatever lay there is lost; a repair keeps the records around it"
            yield Finding(
                "warc", PAGES_LOST, f"{path} is damaged at {size:,} bytes ({where}{more}): {torn[0].why} {means}."
            )


def _stop(number: int, end: ArchiveEnd | None) -> int | None:
    """Where in a file the committed part ends; None: it is all of it."""
    if end is None or number < end.file:
        return None
    return end.offset if number == end.file else 0


def _before(stretch: Stretch, stop: int | None) -> bool:
    return stop is None or stretch.start < stop


# What can be made again, or done without


def _inbox(places: Places) -> Iterator[Finding]:
    if not os.path.lexists(places.inbox):
        return
    try:
        with closing(connect_damaged(places.inbox)) as connection:
            (health,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            health = health if health != "ok" else stranger_in(connection) or "ok"
    except sqlite3.DatabaseError as error:
        unseen = is_busy(error) or not os.access(places.folder, os.W_OK)  # nobody can leave a command there anyway
        health = "ok" if unseen else str(error)
    if health != "ok":
        means = "Nobody can send the run a command. A repair moves it aside, with the commands that were not taken yet"
        yield Finding("inbox.db", NOTHING_LOST, f"{places.inbox} is damaged: {health}. {means}.")


def _requisites(places: Places) -> Iterator[Finding]:
    try:
        with Requisites.of(places.folder) as kept:
            trouble = "" if kept is None else kept.trouble()
    except Problem as problem:
        trouble = str(problem)
    if trouble:
        means = (
            "Images, styles and scripts of pages may be lost. A repair moves it aside, and a resume fetches them anew"
        )
        yield Finding(
            REQUISITES, NOTHING_LOST, f"{places.folder / REQUISITES} is damaged: {trouble.rstrip('.')}. {means}."
        )


def _forgotten(places: Places) -> Iterator[Finding]:
    try:
        in_file(places.folder)
    except BadInput as problem:
        means = "Nothing is lost: run.db knows what the run forgot, and a repair writes the file anew"
        yield Finding(FORGOTTEN, NOTHING_LOST, f"{problem} {means}.")


def _index(places: Places) -> Iterator[Finding]:
    for number in numbers(places.archive):
        path = places.archive / name_of(number)
        made = cdxj.index_of(path)
        try:
            if not os.path.lexists(made) or (made.is_file() and cdxj.is_stale(path)):
                continue  # made when the next session ends
            with tempfile.TemporaryDirectory() as folder:
                cdxj.write(Path(folder) / made.name, cdxj.lines_of(places.archive, number))
                same = made.is_file() and filecmp.cmp(made, Path(folder) / made.name, shallow=False)
        except (BadInput, *UNREADABLE):
            continue  # then the archive is damaged, which is another finding
        if not same:
            means = "Other tools will not find pages by it. A repair moves it aside, and the next session makes it anew"
            yield Finding("index", NOTHING_LOST, f"{made} does not fit its archive. {means}.")


def _snapshots(places: Places) -> Iterator[Finding]:
    means = "Nothing is lost: a resume starts from an older one, or replays the whole journal, which takes longer"
    try:
        with closing(connect_damaged(places.database)) as connection:
            rows = connection.execute("SELECT file, digest, shelf FROM snapshots ORDER BY seq DESC, n DESC").fetchall()
    except (sqlite3.DatabaseError, BadInput):
        return  # another finding
    for file, digest, _ in rows:
        try:
            snapshots.load(places.snapshots / str(file), str(digest))
        except BadInput as problem:
            yield Finding("snapshots", NOTHING_LOST, f"{problem} {means}.")
    if not places.snapshots.is_dir() and os.path.lexists(places.snapshots):
        yield Finding("snapshots", NOTHING_LOST, f"{places.snapshots} is no folder, so the run cannot be resumed.")
    if places.shelf.is_dir():
        trouble = f"{places.shelf} is a folder and no file, so the run cannot be resumed."
    else:
        trouble = shelf_trouble(places.shelf, rows[0][2]) if rows else ""
    if trouble:
        means = "The links in it can be had from the journal: after a repair, a resume replays all of it"
        yield Finding("shelf", NOTHING_LOST, f"{trouble} Nothing is lost. {means}.")


def _stranded(places: Places, without: bool) -> Iterator[Finding]:
    """A journal that cannot be replayed from its beginning. `without`: its snapshots are of no use."""
    with closing(connect_damaged(places.database)) as connection:
        without = without or not connection.execute("SELECT 1 FROM snapshots LIMIT 1").fetchone()
        if without and needs_a_snapshot(connection):
            means = "A repair lets its journal begin anew, with all its pages"
            sentence = "Pages of this run were forgotten or lost, so it cannot be resumed without a snapshot"
            yield Finding("run.db", DATABASE, f"{sentence}, and there is none that is whole. {means}.")


def shelf_trouble(path: Path, length: int) -> str:
    """What is wrong with a shelf of this length, in a sentence; "" if every link in it can be read."""
    try:
        with closing(ReadOnlyShelf(path, length)) as shelf:
            if (size := path.stat().st_size) < length:
                return f"{path} is damaged: it has {size:,} bytes of {length:,}."
            shelf.read_all()
    except BadInput as problem:
        return str(problem)
    except (OSError, *UNREADABLE) as error:
        return f"{path} is damaged: {type(error).__name__}: {error}."
    return ""


def lock_trouble(places: Places) -> Iterator[Finding]:
    if places.lock.is_dir():
        yield Finding("lock", NOTHING_LOST, f"{places.lock} is a folder, so nobody can own the run.")


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def exit_code(found: list[Finding]) -> int:
    return max((one.code for one in found), default=0)


def report(found: list[Finding]) -> list[dict[str, Any]]:
    return [one._asdict() for one in found]
