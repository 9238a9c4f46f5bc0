"""Pages taken out of a run for good, because somebody asked for it or they are too old: rows, archive and index.

The run must be one that needs none of its pages to be resumed: its newest snapshot stands at the end of its journal
(app/forgetting.py sees to that). New parts are made in RUN/.repair: a database without the pages, and archive files
with all other records, copied byte for byte. A plan then puts them in their places, as in a repair, so this may be
killed at any moment: without a plan the run is as it was, and with one the next repair or forgetting finishes it
(repair_plan.py). What was replaced is deleted.

Addresses stay: where a page was, the run now holds a failure, so that it does not ask for it again. What the strategy
has learned stays, too, without words that are on no other page (unlearning.py), unless pages go because of their age.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from wolfspider.core.errors import Busy
from wolfspider.core.model import host_of
from wolfspider.files.disk import open_to_write, sync_folder
from wolfspider.files.failpoints import reach
from wolfspider.files.lock import Lock
from wolfspider.store import cdxj
from wolfspider.store.archive_reader import RecordPlace, named_fields
from wolfspider.store.damage import reading, writing
from wolfspider.store.database import connect_beside
from wolfspider.store.folder import FORGETTING, FORGOTTEN, PLAN, WORK, Places, refuse_links_and_pipes, remove_forgotten
from wolfspider.store.page_count import count
from wolfspider.store.repair import forgotten_list
from wolfspider.store.repair.forgotten_list import FAILURE
from wolfspider.store.repair.journal_kept import copied, note_end
from wolfspider.store.repair.repair import DAMAGED, OLD_DATABASE, replace_archive
from wolfspider.store.repair.repair_plan import Repaired, RepairPlan, finish
from wolfspider.store.repair.salvaged_archive import Salvaged
from wolfspider.store.repair.unlearning import Unlearned, blank_shelf, unlearned
from wolfspider.store.row_codec import unpacked_fetch
from wolfspider.store.run_clock import clock_of
from wolfspider.store.schema import info as head_of_archive
from wolfspider.store.snapshots import DROP_OLD, LEARNED
from wolfspider.web.warc.reader import seconds

_MOST_COPIES = 10  # addresses that are told
_ALL = "SELECT seq, url, final_url, hops, at, file, offset, digest FROM pages ORDER BY seq"
_GONE = (
    f"page = NULL, failure = '{FAILURE[0]}', detail = '{FAILURE[1]}', score = NULL, relevant = NULL, evidence = NULL"
)


@dataclass(frozen=True)
class Unwanted:
    """What is to be forgotten: an address, the pages of a host, or pages that came before a time."""

    what: str  # in words, as it is noted
    url: str = ""
    host: str = ""
    before: float | None = None

    def page(self, urls: tuple[str, ...], at: float) -> bool:
        if self.before is not None:
            return at < self.before
        return self.url in urls if self.url else any(host_of(url) == self.host for url in urls)

    def record(self, url: str, at: float | None, of_pages: set[str]) -> bool:
        if self.before is not None:
            return at is not None and at < self.before
        return url in of_pages if self.url else host_of(url) == self.host


@dataclass
class Forgotten:
    """What became of it."""

    what: str
    pages: int = 0  # by their final addresses, as `status` counts them
    records: int = 0  # of the archive: answers, redirects and requests
    bytes: int = 0
    reports: int = 0  # of a watch, which lose their texts
    liked: int = 0  # pages that describe the topic, which stay
    at: float = 0.0
    copies: list[str] = field(default_factory=list)  # other addresses with the same bytes, which stay
    aside: list[str] = field(default_factory=list)  # folders with what an earlier repair replaced, which stay
    keeps_out: list[str] = field(default_factory=list)  # addresses, or a host, that the run does not ask for any more

    def told(self) -> str:
        if not (self.pages or self.records or self.reports):
            sentence = f"The run holds nothing of {self.what}."
        else:
            pages = f"{self.pages:,} page{'s' * (self.pages != 1)}"
            sentence = f"Forgot {self.what}: {pages}, {self.records:,} records and {self.bytes:,} bytes of the archive."
            told = f"{self.reports:,} report{'s' * (self.reports != 1)}"
            sentence += f" What the watch told of it ({told}) is forgotten, too." * bool(self.reports)
        if self.keeps_out:
            nothing = "It is not" if "://" in self.what else "No page of this host is"
            sentence += f" {nothing} asked for again, also where a redirect leads there."
        kept = f" {self.liked:,} of it describe the topic of the run (--like) and stay." if self.liked else ""
        if self.copies:
            kept += f" The same content stays at other addresses: {', '.join(self.copies)}."
        if self.aside:
            kept += f" What a repair replaced may hold it, too; remove it if you can: {', '.join(self.aside)}."
        return sentence + kept


def forget(run: Path, unwanted: Unwanted, unlearn: Unlearned) -> Forgotten:
    """`unlearn`: what goes with it, which the newest snapshot is without already."""
    places = Places.of(run)
    refuse_links_and_pipes(places)
    with owned(run):
        finish(run)
        remove_forgotten(run)
        _refuse_unsettled(places)
        with writing(places.database):
            return _forgotten(places, unwanted, unlearn)


def to_unlearn(run: Path, unwanted: Unwanted) -> Unlearned:
    """What goes with pages that somebody asked to be forgotten; nothing if they only are too old."""
    return unlearned(run, unwanted.page) if unwanted.before is None else Unlearned()


def finish_earlier(run: Path) -> None:
    """Finish what was killed, if anything was."""
    if os.path.lexists(run / PLAN):
        with owned(run):
            finish(run)


@contextmanager
def owned(run: Path) -> Iterator[None]:
    """Nobody else has the run meanwhile; Busy if somebody has."""
    lock = Lock(Places.of(run).lock)
    try:
        yield
    finally:
        lock.release()


def noted(run: Path) -> list[dict[str, Any]]:
    """What was forgotten so far, the oldest first."""
    database = Places.of(run).database
    with closing(connect_beside(database)) as connection, reading(database, "what was forgotten"):
        return forgotten_list.noted(connection)


def _refuse_unsettled(places: Places) -> None:
    """Somebody may have resumed the run since its snapshot was taken."""
    with closing(connect_beside(places.database)) as connection:
        (last,) = connection.execute("SELECT IFNULL(MAX(seq), 0) FROM log").fetchone()
        (settled,) = connection.execute("SELECT IFNULL(MAX(seq), 0) FROM snapshots").fetchone()
    if settled < last:
        raise Busy(f"{places.folder} went on in between. Try again when its crawl has ended.")


def _forgotten(places: Places, unwanted: Unwanted, unlearn: Unlearned) -> Forgotten:
    work = places.folder / WORK
    forgotten = Forgotten(unwanted.what, at=clock_of(places.folder, idle=True).now())
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(mode=0o700)
    with closing(connect_beside(places.database)) as connection:
        info = head_of_archive(connection, places.database)
        numbers, drop = _chosen(connection, unwanted, forgotten)
        known = forgotten_list.kept_out(forgotten_list.noted(connection))
    archive = Salvaged(places.archive, work / "warc", info, drop)
    forgotten.records, forgotten.bytes = archive.dropped, archive.bytes_dropped
    if numbers or forgotten.records or not known.issuperset(forgotten.keeps_out):
        _new_database(places.database, work / "run.db", archive, numbers, forgotten, unlearn)
        plan = RepairPlan(f"{FORGETTING}{int(time.time())}", discard=True)
        for name in OLD_DATABASE:
            plan.away(places.folder, name)
        plan.moves.append((f"{WORK}/run.db", "run.db"))
        plan.replace(places.folder, FORGOTTEN)
        replace_archive(places, archive, plan)
        for name in _unneeded(places):
            plan.away(places.folder, f"snapshots/{name}")
        if blank_shelf(places.shelf, work / "shelf", unlearn.urls):
            plan.replace(places.folder, "shelf")
        forgotten.aside = sorted(str(path) for path in places.folder.glob(f"{DAMAGED}*"))
        reach("repair-made")
        plan.write(Repaired(places.folder, []))
        reach("repair-planned")
        finish(places.folder)
        cdxj.index_archive(places.archive)
        sync_folder(places.folder)
    shutil.rmtree(work, ignore_errors=True)
    return forgotten


def _unneeded(places: Places) -> Iterator[str]:
    """Files among the snapshots from which the run will not be resumed."""
    with closing(connect_beside(places.database)) as connection:
        newest = connection.execute("SELECT file FROM snapshots ORDER BY seq DESC, n DESC LIMIT 1").fetchone()
    yield from (name for name in os.listdir(places.snapshots) if name not in (*(newest or ()), LEARNED))


def _chosen(
    connection: sqlite3.Connection, unwanted: Unwanted, forgotten: Forgotten
) -> tuple[list[int], Callable[[RecordPlace, bytes], bool]]:
    """The numbers of the pages, and which records go: never one that a page needs that stays."""
    numbers, urls, needed = list[int](), set[str](), set[tuple[int, int]]()
    digests = set[str]()
    for number, url, final_url, hops, at, file, offset, digest in connection.execute(_ALL):
        names = (url, final_url, *json.loads(hops))
        if unwanted.page(names, at):
            numbers.append(number)
            urls.update(names if unwanted.url else ())
            digests.add(digest)
        elif file is not None:
            needed.add((file, offset))
    if unwanted.before is None:
        forgotten.copies = _copies(connection, digests, set(numbers))
    for data, file, offset in connection.execute("SELECT data, file, offset FROM likes"):
        fetch, _ = unpacked_fetch(data)
        forgotten.liked += unwanted.before is None and unwanted.page((fetch.url, fetch.final_url), fetch.at)
        needed.add((file, offset))
    if unwanted.url:
        urls.add(unwanted.url)
    forgotten.keeps_out = [unwanted.host] if unwanted.host else sorted(urls)

    def drop(place: RecordPlace, record: bytes) -> bool:
        fields = named_fields(record)
        url = fields.get("warc-target-uri")
        at = seconds(fields.get("warc-date", ""))
        return url is not None and place[:2] not in needed and unwanted.record(url, at, urls)

    return numbers, drop


def _copies(connection: sqlite3.Connection, digests: set[str], gone: set[int]) -> list[str]:
    """Addresses of pages that stay and have one of these digests."""
    rows = connection.execute("SELECT seq, final_url, digest FROM pages ORDER BY seq") if digests else ()
    found = dict.fromkeys(url for number, url, digest in rows if digest in digests and number not in gone)
    return list(islice(found, _MOST_COPIES))


def _new_database(
    old: Path, new: Path, archive: Salvaged, numbers: list[int], forgotten: Forgotten, unlearn: Unlearned
) -> None:
    os.close(open_to_write(new))  # its owner's alone
    with closing(connect_beside(old)) as source, closing(copied(source, new)) as connection:
        connection.create_function("end_of", 2, archive.end_of, deterministic=True)
        connection.execute("BEGIN")
        before = count(connection).all
        for sql in (
            "DELETE FROM pages WHERE seq = ?",
            f"UPDATE held SET {_GONE} WHERE page = ?",  # noqa: S608
            f"UPDATE landings SET {_GONE} WHERE page = ?",  # noqa: S608
        ):
            connection.executemany(sql, [(number,) for number in numbers])
        unlearn.out_of_rows(connection)
        for table, key in (("pages", "seq"), ("likes", "n")):
            moves = list(_moves(connection, archive, table, key))
            connection.executemany(f"UPDATE {table} SET file = ?, offset = ? WHERE {key} = ?", moves)  # noqa: S608
        connection.execute("UPDATE likes SET end_offset = end_of(end_file, end_offset)")
        connection.execute("UPDATE log SET end = end_of(file, end) WHERE end IS NOT NULL")
        connection.execute(DROP_OLD, (1,))
        forgotten.pages = before - count(connection).all
        note_end(connection, archive)
        entry = {name: getattr(forgotten, name) for name in ("at", "what", "pages", "records", "keeps_out")}
        told = json.dumps(forgotten_list.bounded([*forgotten_list.noted(connection), entry]))
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (forgotten_list.NOTED, told))
        connection.execute("COMMIT")
        forgotten_list.in_database(connection).write(new.parent)
        connection.execute("VACUUM")  # what was deleted is no longer in the file
    with new.open("rb") as file:
        os.fsync(file.fileno())


def _moves(connection: sqlite3.Connection, archive: Salvaged, table: str, key: str) -> Iterator[tuple[int, int, int]]:
    """Where records lie now that were moved."""
    sql = f"SELECT {key}, file, offset, length FROM {table} WHERE file IS NOT NULL"  # noqa: S608
    for number, *before in connection.execute(sql):
        place = archive.place(RecordPlace(*before))
        if place is not None and place != tuple(before):
            yield place.file, place.offset, number


def has_older(run: Path, unwanted: Unwanted) -> bool:
    with closing(connect_beside(Places.of(run).database)) as connection:
        sql = "SELECT 1 FROM pages WHERE at < ? LIMIT 1"
        return connection.execute(sql, (unwanted.before,)).fetchone() is not None


def before_size(run: Path, most: int) -> float | None:
    """The time before which pages must be forgotten for the others to take at most so many bytes of the archive; None
    if all of them do."""
    total = 0
    with closing(connect_beside(Places.of(run).database)) as connection:
        for at, length in connection.execute("SELECT at, length FROM pages WHERE file IS NOT NULL ORDER BY at DESC"):
            total += length
            if total > most:
                return float(at) + 1e-6
    return None
