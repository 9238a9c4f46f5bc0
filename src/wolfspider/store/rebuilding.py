"""The database of a repaired run, made from the rows that can be read and from the records of the archive.

If only records are damaged, the journal is kept: the run goes on from its last snapshot, and forgets the pages that are
lost. Otherwise the journal begins anew. Then everything that was known lies before its first entry, at numbers below
zero: pages are held from the start, so they are in every export and cost no download, and the crawl learns from them
again when it comes to their links. What people said is in the inbox once more and is obeyed again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from wolfspider.core.errors import BadInput
from wolfspider.core.events import Finish, Pause, Resume, Stop
from wolfspider.core.model import Capture, Failure, Fetch, Page, Verdict
from wolfspider.store import row_check, schema
from wolfspider.store.archive_reader import RecordPlace, capture_of, read
from wolfspider.store.damage import UNREADABLE
from wolfspider.store.database import Turn, claim
from wolfspider.store.inbox import bring_in, command_in, last_given
from wolfspider.store.page_reader import body_at
from wolfspider.store.recovery import BASE, SYNCED
from wolfspider.store.row_check import Row, StoredTable, connect_damaged, is_sound
from wolfspider.store.row_codec import unpacked_entry, unpacked_fetch
from wolfspider.store.row_writer import RowWriter
from wolfspider.store.salvage import Salvaged
from wolfspider.web.http.inflate import inflated
from wolfspider.web.page.html import digest_of, parse
from wolfspider.web.page.urls import canonical

BEFORE = 1 << 40  # what is taken from numbers of an earlier journal
_FOUND = -(1 << 39)  # pages found in the archive alone are numbered from here on
_SHIFTED: Mapping[str, tuple[str, ...]] = {
    "pages": ("seq", "visit"),
    "visits": ("id", "seq"),
    "landings": ("seq", "visit", "page"),
    "held": ("seq", "page"),
}
_PLACE = ("file", "offset", "length")
_LOST = ("lost", "its record in the archive was damaged")  # kind and detail of a failure


@dataclass
class Needs:
    """What the rows do not say."""

    judge: Callable[[Page], Verdict]
    allows: Callable[[str], bool]  # the scope of the crawl
    largest: int  # bytes of a body
    liked: set[str]  # addresses of pages that describe the topic: they are no pages of the run
    info: Mapping[str, str]  # for the head of each file of the archive


@dataclass
class Rebuilt:
    kept: int = 0  # pages
    found: int = 0  # of these, known from the archive alone
    lost: int = 0
    rows: dict[str, int] = field(default_factory=dict)  # that could not be read, by table
    anew: bool = True  # does the journal begin anew?


def info_in(database: Path) -> dict[str, str] | None:
    """What stands at the head of the archive, if the database says so."""
    try:
        with closing(connect_damaged(database)) as connection:
            return schema.info(connection, database)
    except (sqlite3.DatabaseError, BadInput, OSError):
        return None


# The journal is kept


def without_lost_pages(old: Path, new: Path, archive: Salvaged) -> Rebuilt | None:
    """A copy of a whole database that no longer knows of the lost pages; None if the journal needs one of them."""
    with closing(connect_damaged(old)) as source, closing(sqlite3.connect(new, isolation_level=None)) as connection:
        source.backup(connection)
        lost, moves = _unread(connection, archive)
        if not _can_do_without(connection, archive, lost):
            return None
        connection.create_function("end_of", 2, archive.end_of, deterministic=True)
        connection.execute("BEGIN")
        connection.executemany("UPDATE pages SET file = ?, offset = ? WHERE seq = ?", moves)
        for sql in (
            "DELETE FROM pages WHERE seq = ?",
            "DELETE FROM held WHERE page = ?",
            f"UPDATE landings SET page = NULL, failure = '{_LOST[0]}', detail = '{_LOST[1]}' WHERE page = ?",  # noqa: S608
        ):
            connection.executemany(sql, [(number,) for number in lost])
        for number, offset in _moved_likes(connection, archive):
            connection.execute("UPDATE likes SET offset = ? WHERE n = ?", (offset, number))
        connection.execute("UPDATE likes SET end_offset = end_of(end_file, end_offset)")
        connection.execute("UPDATE log SET end = end_of(file, end) WHERE end IS NOT NULL")
        _note_end(connection, archive)
        connection.execute("COMMIT")
        (pages,) = connection.execute("SELECT COUNT(*) FROM pages").fetchone()
        return Rebuilt(pages, 0, len(lost), {}, anew=False)


def _unread(connection: sqlite3.Connection, archive: Salvaged) -> tuple[set[int], list[tuple[int, int, int]]]:
    """Pages whose record is lost, and where the others lie that were moved."""
    lost, moves = set[int](), list[tuple[int, int, int]]()
    sql = "SELECT seq, file, offset, length, final_url, body, digest FROM pages WHERE file IS NOT NULL"
    for number, file, offset, length, url, size, digest in connection.execute(sql):
        place = whole_place(archive, RecordPlace(file, offset, length), url, size, digest)
        if place is None:
            lost.add(number)
        elif place[:2] != (file, offset):
            moves.append((*place[:2], number))
    return lost, moves


def _moved_likes(connection: sqlite3.Connection, archive: Salvaged) -> list[tuple[int, int]]:
    rows = connection.execute("SELECT n, file, offset, length FROM likes WHERE file IS NOT NULL").fetchall()
    places = ((number, archive.place(RecordPlace(*place))) for number, *place in rows)
    return [(number, place.offset) for number, place in places if place is not None]


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


def whole_place(archive: Salvaged, place: RecordPlace, url: str, size: int, digest: str) -> RecordPlace | None:
    """Where the record of a page lies now; None if there is none of this page any more."""
    now = archive.place(place)
    if now is not None and _has_body(archive, now, size, digest):
        return now
    for other in archive.alike(place.length):
        if _has_body(archive, other, size, digest) and read(archive.folder_of(other.file), other).url == url:
            return other
    return None


def _has_body(archive: Salvaged, place: RecordPlace, size: int, digest: str) -> bool:
    try:
        return digest_of(body_at(archive.folder_of(place.file), place, size)) == digest
    except (BadInput, *UNREADABLE):
        return False


def _note_end(connection: sqlite3.Connection, archive: Salvaged) -> None:
    end = "{} {}".format(*archive.end)
    connection.execute(SYNCED, (end,))
    connection.execute(BASE, (end,))


# The journal begins anew


def rebuild(old: Path, new: Path, archive: Salvaged, needs: Needs) -> Rebuilt:
    """A new database, from what can be read of the old one and from the archive."""
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")  # it is safe on the disk before it gets its name
        schema.make(connection, needs.info)
        turn = Turn(connection, new.parent, claim(connection))
        turn.begin()
        rebuilding = _Rebuilding(turn, archive, needs)
        try:
            with closing(connect_damaged(old)) as source:
                rebuilding.take_over(source)
        except (sqlite3.DatabaseError, OSError):
            pass  # nothing of it can be read
        rebuilding.take_commands(old.with_name("inbox.db"))
        rebuilding.house_pages()
        rebuilding.find_others()
        rebuilding.settle_landings()
        _note_end(connection, archive)
        turn.commit(lambda: None)
        return rebuilding.result


class _Rebuilding:
    def __init__(self, turn: Turn, archive: Salvaged, needs: Needs) -> None:
        self._turn, self._connection, self._archive, self._needs = turn, turn.connection, archive, needs
        self._writer = RowWriter(turn)
        self.result = Rebuilt()
        self._tables = row_check.tables()
        self._referred: set[tuple[int, int]] = set()  # records that a row is about
        self._pages: set[int] = set()  # those that are kept, by their old numbers
        self._lost: dict[int, str] = {}  # pages by their old numbers, with their addresses
        self._verdicts: dict[str, Row] = {}  # on addresses whose page is not kept
        self._landings: list[dict[str, Any]] = []  # of pages that are not kept
        self._before = 0  # downloads that an earlier repair counted
        self._found: dict[str, int] = {}  # new numbers of pages that were found in the archive

    def take_over(self, source: sqlite3.Connection) -> None:
        takes: Mapping[str, Callable[[dict[str, Any]], dict[str, Any] | None]] = {
            "likes": self._like,
            "pages": self._page,
            "held": self._held,
            "landings": self._landing,
            "commands": dict,
            "visits": dict,
            "hosts": dict,
            "counters": self._counter,
        }
        for name, take in takes.items():
            table = self._tables[name]
            for row in self._sound(source, table):
                if (taken := take(dict(zip(table.columns, row, strict=True)))) is not None:
                    self._insert(table, taken)

    def take_commands(self, letters: Path) -> None:
        """What people said is obeyed again, apart from what ended or paused the crawl."""
        while bring_in(self._turn, letters) > last_given(self._turn):
            pass
        for number, data in self._connection.execute("SELECT id, data FROM commands").fetchall():
            if isinstance(command_in(data), Stop | Finish | Pause | Resume | None):
                self._connection.execute("DELETE FROM commands WHERE id = ?", (number,))

    def _sound(self, source: sqlite3.Connection, table: StoredTable) -> Iterator[Row]:
        damage: list[str] = []
        for row in row_check.rows(source, table, damage.append):
            if is_sound(table, row):
                yield row
            else:
                damage.append("")
        if damage:
            self.result.rows[table.name] = len(damage)

    def _insert(self, table: StoredTable, row: dict[str, Any]) -> None:
        for name in _SHIFTED.get(table.name, ()):
            if row[name] is not None:
                row[name] -= BEFORE
        marks = ", ".join("?" * len(table.columns))
        values = tuple(row[name] for name in table.columns)
        self._connection.execute(f"INSERT OR IGNORE INTO {table.name} VALUES ({marks})", values)  # noqa: S608

    def _like(self, row: dict[str, Any]) -> dict[str, Any] | None:
        fetch, _ = unpacked_fetch(row["data"])
        self._needs.liked.discard(fetch.url)
        place = None
        if row["file"] is not None:
            place = self._archive.place(RecordPlace(*(row[name] for name in _PLACE)))
            if place is None and fetch.page is None:
                return None
        row |= dict(zip(_PLACE, place or (None, None, None), strict=True))
        if place is not None:
            self._referred.add(place[:2])
        row["end_file"], row["end_offset"] = self._archive.end
        return row

    def _page(self, row: dict[str, Any]) -> dict[str, Any] | None:
        place = None
        if row["file"] is not None:
            before = RecordPlace(*(row[name] for name in _PLACE))
            place = whole_place(self._archive, before, row["final_url"], row["body"], row["digest"])
            if place is None:
                self._lost[row["seq"]] = row["final_url"]
                return None
            self._referred.add(place[:2])
        self._pages.add(row["seq"])
        self.result.kept += 1
        return row | dict(zip(_PLACE, place or (None, None, None), strict=True))

    def _held(self, row: dict[str, Any]) -> dict[str, Any] | None:
        if row["page"] is None or row["page"] in self._pages:
            return row
        self._verdicts[row["url"]] = (row["score"], row["relevant"], row["evidence"])
        return None

    def _landing(self, row: dict[str, Any]) -> dict[str, Any] | None:
        if row["page"] is None or row["page"] in self._pages:
            return row
        self._lost.setdefault(row["page"], row["url"])
        self._landings.append(row)
        return None

    def _counter(self, row: dict[str, Any]) -> dict[str, Any] | None:
        if row["name"] != "salvaged":
            return row
        self._before = int(row["value"])
        return None

    def house_pages(self) -> None:
        """Every page is held, with the verdict of its landing. One that nobody knows a verdict on is found anew."""
        held = {page for (page,) in self._connection.execute("SELECT DISTINCT page FROM held WHERE page IS NOT NULL")}
        rows = self._connection.execute("SELECT seq, url, final_url, file, offset FROM pages").fetchall()
        sql = "SELECT page, score, relevant, evidence FROM landings WHERE page IS NOT NULL AND score IS NOT NULL"
        verdicts = {page: verdict for page, *verdict in self._connection.execute(sql) if page not in held}
        for number, url, final_url, *place in rows:
            if number in held:
                continue
            if number not in verdicts:
                self._connection.execute("DELETE FROM pages WHERE seq = ?", (number,))
                self._referred.discard(tuple(place))
                self.result.kept -= 1
                continue
            for address in dict.fromkeys((url, final_url)):
                values = (address, number, number, *verdicts[number])
                sql = "INSERT OR IGNORE INTO held (url, seq, page, score, relevant, evidence) VALUES (?, ?, ?, ?, ?, ?)"
                self._connection.execute(sql, values)

    def find_others(self) -> None:
        """Pages that are in the archive, and whose rows are lost."""
        for fetch, place in self._answers():
            page = parse(fetch)
            if place[:2] in self._referred or not isinstance(page, Page) or not self._needs.allows(page.final_url):
                continue
            if fetch.url in self._needs.liked:
                self._needs.liked.discard(fetch.url)  # it came first, to describe the topic
                continue
            number = _FOUND + self.result.found
            self._writer.page(number, number, page, fetch, place)
            verdict = self._verdicts.get(page.final_url) or self._verdicts.get(fetch.url)
            for url in dict.fromkeys((fetch.url, page.final_url)):
                self._found[url] = number
                self._writer.held(number, url, number, None, self._needs.judge(page) if verdict is None else None)
                if verdict is not None:
                    sql = "UPDATE held SET score = ?, relevant = ?, evidence = ? WHERE url = ? AND seq = ?"
                    self._connection.execute(sql, (*verdict, url, number))
            self.result.found += 1
        self.result.kept += self.result.found

    def _answers(self) -> Iterator[tuple[Fetch, RecordPlace]]:
        """The answers in the archive, each with the redirects that led to it."""
        passed: list[Capture] = []
        for place, record in self._archive.records():
            try:
                capture = capture_of(record)
            except UNREADABLE:
                continue  # no answer
            if passed and capture.url != _target(passed[-1]):
                passed.clear()
            if 300 <= capture.status < 400 and _target(capture):
                passed.append(capture)
                continue
            fetch = _fetch(capture, passed, self._needs.largest)
            passed.clear()
            if fetch is not None:
                yield fetch, place

    def settle_landings(self) -> None:
        """Landings of pages that were found again, or are lost."""
        for row in self._landings:
            number = self._found.get(row["url"])
            row["page"] = None if number is None else number + BEFORE
            if number is None:
                row["failure"], row["detail"] = _LOST
            self._insert(self._tables["landings"], row)
        self.result.lost = sum(url not in self._found for url in self._lost.values())
        since = "SELECT IFNULL(SUM(cost), 0) FROM landings WHERE seq >= ?"  # the earlier ones were counted then
        (cost,) = self._connection.execute(since, (-BEFORE,)).fetchone()
        landed = "SELECT COUNT(*) FROM pages WHERE seq >= ? AND seq NOT IN (SELECT page FROM landings WHERE page < 0)"
        (others,) = self._connection.execute(landed, (_FOUND,)).fetchone()
        (pages,) = self._connection.execute("SELECT COUNT(*) FROM pages WHERE file IS NOT NULL").fetchone()
        sql = "INSERT OR REPLACE INTO counters VALUES ('salvaged', ?)"
        # Each page was a download, though the row that says so may be lost.
        self._connection.execute(sql, (max(self._before + int(cost) + int(others), int(pages)),))


def _target(capture: Capture) -> str:
    for name, value in capture.headers:
        if name.lower() == "location":
            return canonical(urljoin(capture.url, value)) or ""
    return ""


def _fetch(capture: Capture, passed: list[Capture], largest: int) -> Fetch | None:
    """The answer as it came over the network."""
    headers: dict[str, str] = {}
    for name, value in capture.headers:
        headers[name.lower()] = f"{headers[name.lower()]}, {value}" if name.lower() in headers else value
    decoded = inflated(capture.body, headers.get("content-encoding", ""), largest)
    if isinstance(decoded, Failure):
        return None
    body, cut = decoded
    first = passed[0].url if passed else capture.url
    hops = tuple(one.url for one in passed)
    cut = cut or bool(capture.cut)
    return Fetch(first, capture.url, capture.status, headers, body, None, 0.0, capture.at, hops, cut=cut)
