"""What a watch remembers beside its run: the documents it has met, what it has reported, and what is still to be sent.

It lies in RUN/watch.db. A report, the documents it is about and how far the run was read are written in one
transaction. So whatever kills the watch, every landing is looked at, and nothing is reported twice: a report has a name
that follows from what it says, and a name is taken once.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.export.harmless_text import all_seen
from wolfspider.files.disk import open_to_write
from wolfspider.store.damage import damaged, trouble
from wolfspider.store.database import connect, connect_beside, refuse_strange
from wolfspider.store.view import utc

NAME = "watch.db"
FORMAT = 1
ALERT, FORGOTTEN = "alert", "forgotten"
_STAYS = ("number", "id", "kind", "url", "found")  # of a report on a page that is forgotten
_CACHE = 2_000  # kilobytes: reports are written once, and documents looked up one by one
_LATER_TABLES = """
CREATE TABLE IF NOT EXISTS told_copies (url TEXT PRIMARY KEY, page INTEGER NOT NULL, at REAL NOT NULL,
    compared INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS feed_dates (url TEXT PRIMARY KEY, published REAL NOT NULL, at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS silences (host TEXT PRIMARY KEY, longest REAL NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS told_by_digest ON documents (digest) WHERE state = 'told';
"""  # books of earlier versions lack them
_TABLES = """
CREATE TABLE documents (url TEXT PRIMARY KEY, state TEXT NOT NULL, first REAL NOT NULL, looked REAL NOT NULL,
    page INTEGER NOT NULL, digest TEXT NOT NULL, published REAL, dated TEXT NOT NULL, title TEXT NOT NULL,
    agent TEXT NOT NULL, source TEXT NOT NULL, changes INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE reports (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
    at REAL NOT NULL, url TEXT NOT NULL, data TEXT NOT NULL);
CREATE TABLE outbox (number INTEGER PRIMARY KEY, tries INTEGER NOT NULL DEFAULT 0, since REAL, next REAL NOT NULL
    DEFAULT 0, problem TEXT NOT NULL DEFAULT '', state TEXT NOT NULL DEFAULT 'waits');
CREATE TABLE sites (host TEXT PRIMARY KEY, first REAL NOT NULL, last REAL NOT NULL, told INTEGER NOT NULL,
    looks INTEGER NOT NULL, silent INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE lists (url TEXT PRIMARY KEY, told INTEGER NOT NULL, links REAL NOT NULL DEFAULT 0,
    bad INTEGER NOT NULL DEFAULT 0, alerted INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


class ToldCopy(NamedTuple):
    """The copy of a document that people know, where there are others."""

    page: int
    at: float = 0.0  # when a change was last told
    compared: int = 0  # the newest copy that was compared with it


class Reached(NamedTuple):
    """How far the landings of the run were read."""

    seq: int = 0
    n: int = -1


@dataclass(slots=True)
class MetDocument:
    """A page that was met, and what was made of it."""

    url: str
    state: str  # told, old, undated, irrelevant, noindex, twin, watched or forgotten
    first: float  # when it was first met
    looked: float  # and last
    page: int  # the newest copy, by the entry of the run's journal that brought it
    digest: str
    published: float | None
    dated: str  # by what: page, feed, last-modified, list or ""
    title: str = ""
    agent: str = ""
    source: str = ""
    changes: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What people are told. `data` is plain, and is what they get."""

    kind: str  # new, changed or alert
    at: float
    url: str
    data: Mapping[str, Any] = field(default_factory=dict)
    number: int = 0  # its place among all reports, once it is in the book
    id: str = ""

    @classmethod
    def named(cls, kind: str, at: float, url: str, data: Mapping[str, Any], what: str = "") -> Report:
        """`what` tells it from other reports of its kind on this address."""
        name = blake2b(f"{kind}\n{url}\n{what}".encode("utf-8", "replace"), digest_size=16).hexdigest()
        return cls(kind, at, url, all_seen(data), id=name)

    def told(self) -> dict[str, Any]:
        return {"number": self.number, "id": self.id, "kind": self.kind, "url": self.url, **self.data}


class Site(NamedTuple):
    """A host that had news."""

    host: str
    first: float
    last: float
    told: int
    looks: int  # since the last of them
    silent: int  # 1 if it used to have news, and has none


class BookReader:
    """Reads a book, also while its owner writes in it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, query: str, *values: Any) -> list[Any]:
        return self._connection.execute(query, values).fetchall()

    def newest(self, most: int) -> list[Report]:
        """The last ones, newest first."""
        sql = "SELECT number, id, kind, at, url, data FROM reports ORDER BY number DESC LIMIT ?"
        return [_report(row) for row in self.rows(sql, most)]

    def counts(self) -> dict[str, int]:
        return dict(self.rows("SELECT kind, COUNT(*) FROM reports GROUP BY kind"))

    def sites(self, most: int = 1000) -> list[Site]:
        """Those that have gone quiet first, then by how much news they had."""
        sql = "SELECT host, first, last, told, looks, silent FROM sites ORDER BY silent DESC, told DESC LIMIT ?"
        return [Site(*row) for row in self.rows(sql, most)]


class Book(BookReader):
    """One owner: the process that watches. It may use the book from several threads, one at a time."""

    sends = False  # do reports wait to be sent?

    def __init__(self, run: Path) -> None:
        self.path = run / NAME
        self.in_use = asyncio.Lock()  # for those who share it
        os.close(open_to_write(self.path))
        super().__init__(connect(self.path, threads=True))
        self._connection.execute(f"PRAGMA cache_size = -{_CACHE}")
        try:
            refuse_strange(self._connection, self.path)
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            if version not in (0, FORMAT):
                raise damaged(self.path, f"its format is {version}, and this version knows {FORMAT}")
            if not version:
                with self.writing():
                    for statement in filter(str.strip, _TABLES.split(";")):
                        self._connection.execute(statement)
                    self._connection.execute(f"PRAGMA user_version = {FORMAT}")
            for statement in filter(str.strip, _LATER_TABLES.split(";")):
                self._connection.execute(statement)
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise trouble(self.path, error, "cannot be opened") from error

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All of the block, or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            self._connection.rollback()
            raise

    def execute(self, statement: str, *values: Any) -> int:
        """How many rows it changed."""
        return self._connection.execute(statement, values).rowcount

    # How far

    def remembered(self, name: str) -> str | None:
        found = self.rows("SELECT value FROM meta WHERE name = ?", name)
        return found[0][0] if found else None

    def remember(self, name: str, value: str) -> None:
        self.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", name, value)

    def reached(self) -> Reached:
        found = self.remembered("reached")
        return Reached() if found is None else Reached(*json.loads(found))

    def reach(self, where: Reached) -> None:
        self.remember("reached", json.dumps(where))

    # Documents and reports

    def document(self, url: str) -> MetDocument | None:
        found = self.rows("SELECT * FROM documents WHERE url = ?", url)
        return MetDocument(*found[0]) if found else None

    def keep(self, document: MetDocument) -> None:
        values = tuple(getattr(document, name) for name in MetDocument.__slots__)
        self.execute(f"INSERT OR REPLACE INTO documents VALUES ({', '.join('?' * len(values))})", *values)  # noqa: S608

    def told_with(self, digest: str) -> list[str]:
        """Addresses of told documents that have the same bytes."""
        if not digest:  # it was forgotten
            return []
        sql = "SELECT url FROM documents WHERE digest = ? AND state = 'told' LIMIT 100"
        return [url for (url,) in self.rows(sql, digest)]

    def last_looked(self) -> float | None:
        """When a document was last met."""
        return self.rows("SELECT MAX(looked) FROM documents")[0][0]  # type: ignore[no-any-return]

    def told_copy(self, url: str) -> ToldCopy | None:
        found = self.rows("SELECT page, at, compared FROM told_copies WHERE url = ?", url)
        return ToldCopy(*found[0]) if found else None

    def keep_told_copy(self, url: str, copy: ToldCopy) -> None:
        self.execute("INSERT OR REPLACE INTO told_copies VALUES (?, ?, ?, ?)", url, *copy)

    def feed_date(self, url: str) -> float | None:
        """When it was published, as a feed said."""
        found = self.rows("SELECT published FROM feed_dates WHERE url = ?", url)
        return None if not found else float(found[0][0])

    def keep_feed_dates(self, dates: Mapping[str, float], at: float) -> None:
        """The first that was said of an address stays, for two days: by then it was asked for."""
        for url, published in dates.items():
            self.execute("INSERT OR IGNORE INTO feed_dates VALUES (?, ?, ?)", url, published, at)

    def report(self, report: Report) -> Report | None:
        """Write it down, and give it its number; None if it was reported before."""
        values = (report.id, report.kind, report.at, report.url, json.dumps(report.data))
        insert = "INSERT OR IGNORE INTO reports (id, kind, at, url, data) VALUES (?, ?, ?, ?, ?)"
        if not self.execute(insert, *values):
            return None
        (number,) = self.rows("SELECT last_insert_rowid()")[0]
        if self.sends:
            self.execute("INSERT INTO outbox (number) VALUES (?)", number)
        return Report(report.kind, report.at, report.url, report.data, number, report.id)

    def reports(self, after: int = 0, most: int = -1) -> list[Report]:
        """In their order."""
        sql = "SELECT number, id, kind, at, url, data FROM reports WHERE number > ? ORDER BY number LIMIT ?"
        return [_report(row) for row in self.rows(sql, after, most)]

    def about(self, url: str) -> list[Report]:
        sql = "SELECT number, id, kind, at, url, data FROM reports WHERE url = ? ORDER BY number"
        return [_report(row) for row in self.rows(sql, url)]

    def trim_reports(self, before: float) -> int:
        """Forget those from before a time that are not to be sent any more."""
        return self.execute(
            "DELETE FROM reports WHERE at < ? AND number NOT IN (SELECT number FROM outbox) "
            "AND number < (SELECT MAX(number) FROM reports)",
            before,
        )

    def trim_outbox(self, before: float) -> int:
        """What was put by for a webhook that did not come back."""
        return self.execute("DELETE FROM outbox WHERE number IN (SELECT number FROM reports WHERE at < ?)", before)

    def trim_feed_dates(self, before: float) -> int:
        return self.execute("DELETE FROM feed_dates WHERE at < ?", before)

    def trim_documents(self, before: float) -> int:
        """Forget those that were not met since then."""
        self.execute("DELETE FROM told_copies WHERE url IN (SELECT url FROM documents WHERE looked < ?)", before)
        return self.execute("DELETE FROM documents WHERE looked < ?", before)

    def forget(self, unwanted: Callable[[str], bool]) -> set[str]:
        """What was kept and told of pages goes, and stays in no byte of the file; the names of the reports. That these
        pages were met stays, so that nobody is told of them again."""
        gone: set[str] = set()
        with self.writing():
            for number, name, at, url in self.rows("SELECT number, id, at, url FROM reports WHERE kind <> ?", ALERT):
                if unwanted(url):
                    data = json.dumps(without_texts({"found": utc(at)}))
                    if self.execute("UPDATE reports SET data = ? WHERE number = ? AND data <> ?", data, number, data):
                        gone.add(name)
                    self.execute("DELETE FROM outbox WHERE number = ?", number)
            blank = "digest = '', published = NULL, dated = '', title = ''"
            self.execute("DELETE FROM feed_dates")
            for (url,) in self.rows("SELECT url FROM documents"):
                if unwanted(url):
                    self.execute(f"UPDATE documents SET state = ?, {blank} WHERE url = ?", FORGOTTEN, url)  # noqa: S608
        self.execute("VACUUM")
        self.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone


def without_texts(report: Mapping[str, Any]) -> dict[str, Any]:
    """What stays of a report, or of its data, when its page is forgotten."""
    return {name: report[name] for name in _STAYS if name in report} | {FORGOTTEN: True}


def _report(row: Any) -> Report:
    number, name, kind, at, url, data = row
    return Report(kind, at, url, json.loads(data), number, name)


def is_watched(run: Path) -> bool:
    return (run / NAME).is_file()


@contextmanager
def opened(run: Path) -> Iterator[Book]:
    with closing(Book(run)) as book:
        yield book


@contextmanager
def reading(run: Path) -> Iterator[BookReader]:
    """For those who only look."""
    try:
        with closing(connect_beside(run / NAME)) as connection:
            yield BookReader(connection)
    except sqlite3.DatabaseError as error:
        raise trouble(run / NAME, error) from error
