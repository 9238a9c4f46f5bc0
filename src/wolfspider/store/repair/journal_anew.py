"""The database of a repaired run whose journal begins anew: from the rows that can be read, and from the archive.

Everything that was known lies before the first entry of the journal, at numbers below zero: pages are held from the
start, so they are in every export and cost no download, and the crawl learns from them again when it comes to their
links. What people said is in the inbox once more and is obeyed again. If the rows are not to be believed, all pages are
read from the archive and judged anew.
"""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from wolfspider.core.errors import BadInput
from wolfspider.core.events import Finish, Label, Pause, Resume, SetLimit, Stop
from wolfspider.core.limits import Limits
from wolfspider.core.model import Capture, Failure, Fetch, Page, Verdict, hidden
from wolfspider.store import schema
from wolfspider.store.archive_reader import RecordPlace, capture_of
from wolfspider.store.damage import UNREADABLE
from wolfspider.store.database import Turn, claim
from wolfspider.store.inbox import bring_in, command_in, last_given
from wolfspider.store.page_count import count
from wolfspider.store.repair import damaged_rows
from wolfspider.store.repair.damaged_rows import connect_damaged
from wolfspider.store.repair.forgotten_list import in_database, in_file
from wolfspider.store.repair.journal_kept import LOST, Rebuilt, note_end
from wolfspider.store.repair.salvaged_archive import Salvaged, place_of_like, place_of_page
from wolfspider.store.row_codec import unpacked_fetch
from wolfspider.store.row_writer import RowWriter
from wolfspider.store.sound_rows import Row, StoredTable, is_sound, tables
from wolfspider.web.http.inflate import inflated
from wolfspider.web.page.main_text import read_page
from wolfspider.web.page.urls import canonical

BEFORE = 1 << 40  # what is taken from numbers of an earlier journal
_FOUND = -(1 << 39)  # pages found in the archive alone are numbered from here on
_SHIFTED: Mapping[str, tuple[str, ...]] = {
    "pages": ("seq", "visit"),
    "visits": ("id", "seq"),
    "landings": ("seq", "visit", "page"),
    "held": ("seq", "page"),
}
_LIMITS = {field.name for field in dataclasses.fields(Limits)}
_PLACE = ("file", "offset", "length")
_ADDRESSES = (  # of each page: where it was asked for, and where it was found
    "SELECT url, seq FROM pages UNION SELECT final_url, seq FROM pages"
    " UNION SELECT l.url, l.page FROM landings l JOIN pages p ON p.seq = l.page"
)
_UNJUDGED = Verdict(0.0, False, {"unjudged": True})


@dataclass
class Needs:
    """What the rows do not say."""

    judge: Callable[[Page], Verdict] | None  # None: it is not at hand
    allows: Callable[[str], bool]  # the scope of the crawl
    largest: int  # bytes of a body
    liked: set[str]  # addresses of pages that describe the topic: they are no pages of the run
    info: Mapping[str, str]  # for the head of each file of the archive
    main: bool = False  # does the judge read the main text of pages?


def info_in(database: Path) -> dict[str, str] | None:
    """What stands at the head of the archive, if the database says so."""
    try:
        with closing(connect_damaged(database)) as connection:
            return schema.info(connection, database)
    except (sqlite3.DatabaseError, BadInput, OSError):
        return None


def obeyed_limits(database: Path) -> dict[str, float]:
    """The limits that were changed since the run began, by name, as they were in the end. A journal that begins anew
    has none of the commands that changed them."""
    limits: dict[str, float] = {}
    for command in _obeyed(database):
        match command:
            case {"kind": "SetLimit", "name": str(name), "value": int() | float() as value} if name in _LIMITS:
                limits[name] = value
    return limits


def _labelled(database: Path) -> set[str] | None:
    """Addresses of which somebody said whether they are good; None if what was obeyed cannot be read as a whole."""
    damage: list[str] = []
    commands = list(_obeyed(database, damage.append))
    labels = {str(one.get("url")) for one in commands if isinstance(one, dict) and one.get("kind") == "Label"}
    return None if damage else labels


def _obeyed(database: Path, damage: Callable[[str], object] = lambda why: None) -> Iterator[Any]:
    if (source := _opened(database)) is None:
        damage("it cannot be opened")
        return
    with closing(source):
        events = tables()["events"]
        for row in damaged_rows.rows(source, events, damage):
            told = dict(zip(events.columns, row, strict=True))
            if told["kind"] != "Obeyed":
                continue
            if not is_sound(events, row):
                damage("a row is not sound")
                continue
            obeyed = json.loads(told["data"])
            yield obeyed.get("command") if not obeyed.get("problem") else None


def _last_answered(source: sqlite3.Connection) -> int:
    """The number of the last command that was obeyed or refused."""
    with suppress(sqlite3.DatabaseError):
        (number,) = source.execute("SELECT MAX(command) FROM events").fetchone()
        return number if isinstance(number, int) else 0
    return 0


def rebuild(old: Path, new: Path, archive: Salvaged, needs: Needs, from_archive: bool = False) -> Rebuilt:
    """A new database, from what can be read of the old one and from the archive. `from_archive`: nothing that the old
    one says of pages is believed, if the archive has them."""
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")  # it is safe on the disk before it gets its name
        schema.make(connection, needs.info)
        turn = Turn(connection, new.parent, claim(connection))
        turn.begin()
        rebuilding = _Rebuilding(turn, archive, needs, from_archive)
        answered = 0
        if (source := _opened(old)) is not None:
            with closing(source):
                rebuilding.take_over(source)
                answered = _last_answered(source)
        rebuilding.take_commands(old.with_name("inbox.db"), answered)
        rebuilding.miss_labels(_labelled(old))
        rebuilding.house_pages()
        rebuilding.find_others()
        rebuilding.settle_landings()
        rebuilding.keep_forgotten(old)
        note_end(connection, archive)
        turn.commit(lambda: None)
        return rebuilding.result


def _opened(old: Path) -> sqlite3.Connection | None:
    """None if nothing of it can be read."""
    try:
        return connect_damaged(old)
    except sqlite3.DatabaseError:
        return None


class _Rebuilding:
    def __init__(self, turn: Turn, archive: Salvaged, needs: Needs, from_archive: bool) -> None:
        self._turn, self._connection, self._archive, self._needs = turn, turn.connection, archive, needs
        self._from_archive = from_archive
        self._writer = RowWriter(turn)
        self.result = Rebuilt()
        self._tables = tables()
        self._referred: set[tuple[int, int]] = set()  # records that a row is about
        self._pages: set[int] = set()  # those that are kept, by their old numbers
        self._found_at: set[str] = set()  # final addresses of pages that were found in the archive alone
        self._numbered = 0  # of these, every copy counts
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

    def take_commands(self, letters: Path, answered: int) -> None:
        """What people said is obeyed again, apart from what ended or paused the crawl, and from limits: as they were in
        the end, the new journal begins with them (`obeyed_limits`)."""
        last = -1
        while last < last_given(self._turn):  # an inbox that is damaged gives no more
            last = last_given(self._turn)
            bring_in(self._turn, letters)
        for number, data in self._connection.execute("SELECT id, data FROM commands").fetchall():
            command = command_in(data)
            done = isinstance(command, SetLimit) and number <= answered
            if done or isinstance(command, Stop | Finish | Pause | Resume | None):
                self._connection.execute("DELETE FROM commands WHERE id = ?", (number,))

    def miss_labels(self, before: set[str] | None) -> None:
        """Labels of people lie in the inbox too; those that a teacher or a program gave stood in the journal alone."""
        commands = (command_in(data) for (data,) in self._connection.execute("SELECT data FROM commands"))
        kept = {command.url for command in commands if isinstance(command, Label)}
        self.result.labels, self.result.labels_lost = len(kept), None if before is None else len(before - kept)

    def keep_forgotten(self, old: Path) -> None:
        """What was forgotten stays so: what the old database notes, the new one holds, and the file beside it says."""
        known = in_database(self._connection)
        if (source := _opened(old)) is not None:
            with closing(source):
                known = known.beside(in_database(source))
        with suppress(BadInput):  # another finding
            known = known.beside(in_file(old.parent))
        known.put_into(self._connection, -BEFORE)
        self.result.kept, _, self.result.hidden, *_ = count(self._connection)

    def _sound(self, source: sqlite3.Connection, table: StoredTable) -> Iterator[Row]:
        damage: list[str] = []
        for row in damaged_rows.rows(source, table, damage.append):
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
        fetch, size = unpacked_fetch(row["data"])
        place = None
        if row["file"] is not None:
            place = place_of_like(self._archive, RecordPlace(*(row[name] for name in _PLACE)), fetch, size)
            if place is None and fetch.page is None:
                return None
        self._needs.liked.discard(fetch.url)
        row |= dict(zip(_PLACE, place or (None, None, None), strict=True))
        if place is not None:
            self._referred.add(place[:2])
        row["end_file"], row["end_offset"] = self._archive.end
        return row

    def _page(self, row: dict[str, Any]) -> dict[str, Any] | None:
        place = None
        if row["file"] is not None:
            if not self._from_archive:
                before = RecordPlace(*(row[name] for name in _PLACE))
                place = place_of_page(self._archive, before, row["final_url"], row["body"], row["digest"])
            if place is None:
                self._lost[row["seq"]] = row["final_url"]
                return None
            self._referred.add(place[:2])
        self._pages.add(row["seq"])
        return row | dict(zip(_PLACE, place or (None, None, None), strict=True))

    def _held(self, row: dict[str, Any]) -> dict[str, Any] | None:
        if row["page"] is None or row["page"] in self._pages:
            return row
        if not self._from_archive or self._needs.judge is None:
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
        """Every page is held at its addresses and at no others, with the newest verdict on it. One that nobody knows a
        verdict on is found anew."""
        select = self._connection.execute
        landed = "SELECT page, score, relevant, evidence FROM landings WHERE page IS NOT NULL AND score IS NOT NULL"
        held = "SELECT page, score, relevant, evidence FROM held WHERE page IS NOT NULL ORDER BY seq"
        verdicts = {page: verdict for sql in (landed, held) for page, *verdict in select(sql)}
        for number, file, offset in select("SELECT seq, file, offset FROM pages").fetchall():
            if number not in verdicts:
                select("DELETE FROM pages WHERE seq = ?", (number,))
                self._referred.discard((file, offset))
        select(f"DELETE FROM held WHERE page IS NOT NULL AND (url, page) NOT IN ({_ADDRESSES})")  # noqa: S608
        for address, number in select(f"{_ADDRESSES} EXCEPT SELECT url, page FROM held").fetchall():  # noqa: S608
            sql = "INSERT OR IGNORE INTO held (url, seq, page, score, relevant, evidence) VALUES (?, ?, ?, ?, ?, ?)"
            select(sql, (address, number, number, *verdicts[number]))

    def find_others(self) -> None:
        """Pages that are in the archive, and whose rows are lost."""
        known = set(self._lost.values())
        for fetch, place in self._answers():
            page = read_page(fetch, main=self._needs.main)
            if place[:2] in self._referred or not isinstance(page, Page):
                continue
            if fetch.url in self._needs.liked:
                self._needs.liked.discard(fetch.url)  # it came first, to describe the topic
                continue
            if {fetch.url, page.final_url} & known or self._needs.allows(page.final_url):
                self._find(page, fetch, place)
        self.result.found = len(self._found_at)

    def _find(self, page: Page, fetch: Fetch, place: RecordPlace) -> None:
        number = _FOUND + self._numbered
        self._numbered += 1
        if not hidden(page.robots):
            self._found_at.add(page.final_url)
        self._writer.page(number, number, page, fetch, place)
        verdict = self._verdicts.get(page.final_url) or self._verdicts.get(fetch.url)
        judged = self._needs.judge(page) if verdict is None and self._needs.judge is not None else _UNJUDGED
        for url in dict.fromkeys((fetch.url, page.final_url)):
            self._found[url] = number
            self._writer.held(number, url, number, None, judged)
            if verdict is not None:
                sql = "UPDATE held SET score = ?, relevant = ?, evidence = ? WHERE url = ? AND seq = ?"
                self._connection.execute(sql, (*verdict, url, number))

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
                row["failure"], row["detail"] = LOST
            self._insert(self._tables["landings"], row)
        there = {url for (url,) in self._connection.execute("SELECT url FROM held WHERE page IS NOT NULL")}
        self.result.lost = len(set(self._lost.values()) - there)
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
