"""Requisites of pages (images, styles, scripts) beside a run, in a database of their own: RUN/requisites.db.

They are no part of the journal: no strategy knows of them, and a resume replays none. Each answer is one transaction, a
record of WARC as it gets into exports, so after a kill whatever was committed is there, and only what was on its way is
asked for again. A requisite belongs to the pages that name it, and goes when the last of them does.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import sqlite3
import zlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Capture, Failure, PackedCapture
from wolfspider.files.disk import disk_full, open_to_read, open_to_write
from wolfspider.store.folder import REQUISITES
from wolfspider.web.warc import writer

_VERSION = 1
_MOST_TEXT = 100_000  # characters of all addresses that one page or style names; what comes after is left out
_DEEPEST = 3  # a page names a style, which names another one, which names a font
_MAKE = {
    "asked": "CREATE TABLE asked (url TEXT PRIMARY KEY, failure TEXT NOT NULL, tries INTEGER NOT NULL) WITHOUT ROWID",
    "records": "CREATE TABLE records (asked TEXT NOT NULL, n INTEGER NOT NULL, url TEXT NOT NULL, at REAL NOT NULL,"
    " status INTEGER NOT NULL, type TEXT NOT NULL, digest TEXT NOT NULL, record BLOB NOT NULL, PRIMARY KEY (asked, n))",
    "uses": "CREATE TABLE uses (n INTEGER PRIMARY KEY, user TEXT NOT NULL, url TEXT NOT NULL, depth INTEGER NOT NULL,"
    " UNIQUE (user, url))",
    "used": "CREATE INDEX used ON uses (url)",
    "listed": "CREATE TABLE listed (page TEXT PRIMARY KEY, digest TEXT NOT NULL) WITHOUT ROWID",
}
_WANTED = (
    "SELECT u.url, MIN(u.depth) FROM uses u LEFT JOIN asked a ON a.url = u.url"
    " WHERE a.url IS NULL OR (a.failure IN ({}) AND a.tries < ?) GROUP BY u.url ORDER BY MIN(u.n) LIMIT ?"
)
_ASKED = (
    "INSERT INTO asked VALUES (?, ?, 1) ON CONFLICT (url) DO UPDATE SET failure = excluded.failure, tries = tries + 1"
)
_DIGEST = re.compile(rb"^WARC-Payload-Digest: *(\S+)", re.MULTILINE | re.IGNORECASE)
_AT_ONCE = 1 << 20  # bytes of a record that are unpacked at a time
_HEAD = 20_000  # bytes of a record that its own head takes at most
_OF_PAGE = (
    "WITH RECURSIVE needs(url, depth) AS (SELECT url, 1 FROM uses WHERE user = ? UNION"
    " SELECT u.url, needs.depth + 1 FROM uses u JOIN needs ON u.user = needs.url WHERE needs.depth < 3)"  # _DEEPEST
    " SELECT r.url, r.at, r.status, r.type, r.digest, r.record FROM (SELECT DISTINCT url AS need FROM needs)"
    " CROSS JOIN records r ON r.asked = need ORDER BY r.asked, r.n"
)
_NEEDED = (  # by a page, or by a style that one needs
    "WITH RECURSIVE needed(url) AS (SELECT u.url FROM uses u JOIN listed l ON l.page = u.user UNION"
    " SELECT u.url FROM uses u JOIN needed ON u.user = needed.url) SELECT url FROM needed"
)


class RequisiteRecord(NamedTuple):
    """An answer on the way to a requisite, as a record of WARC."""

    url: str
    at: float
    status: int
    type: str
    digest: str
    record: bytes


class WantedRequisite(NamedTuple):
    url: str
    depth: int  # 1: a page names it; 2: a style that a page names, and so on


class RequisiteCount(NamedTuple):
    asked: int  # requests made, those that failed included
    failed: int
    megabytes: float  # of the records, packed


class Requisites:
    """Of one run; opened to be written by its owner, or to be read by anybody."""

    def __init__(self, run: Path, write: bool = False, full: bool = False) -> None:
        self._path = run / REQUISITES
        os.close(open_to_write(self._path) if write else open_to_read(self._path))  # neither a link nor a pipe
        mode = "rw" if write or os.access(self._path, os.W_OK) else "ro"  # a reader, too, mends what a kill left
        self._database = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode={mode}", uri=True, timeout=30.0)
        with self._using():
            self._database.execute("PRAGMA trusted_schema = OFF")
            if write:
                self._database.execute("PRAGMA secure_delete = ON")
                self._database.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
            there = dict(self._database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall())
            if write and not there:
                for statement in ("BEGIN", *_MAKE.values(), f"PRAGMA user_version = {_VERSION}", "COMMIT"):
                    self._database.execute(statement)  # all or nothing, whenever it is killed
            elif there != _MAKE:
                raise BadInput(f"{self._path} is not as wolfspider makes it. Remove it: requisites are fetched anew.")

    @classmethod
    @contextlib.contextmanager
    def of(cls, run: Path) -> Iterator[Requisites | None]:
        """To be read; None if the run has none."""
        path = run / REQUISITES
        if not path.exists() or not path.lstat().st_size:  # killed, or looked at, before it was made
            yield None
            return
        with contextlib.closing(cls(run)) as kept:
            yield kept

    def close(self) -> None:
        self._database.close()

    def is_listed(self, page: str, digest: str) -> bool:
        """Are the requisites of this copy of a page known?"""
        with self._using() as database:
            row = database.execute("SELECT 1 FROM listed WHERE page = ? AND digest = ?", (page, digest)).fetchone()
        return row is not None

    def list_of_page(self, page: str, digest: str, urls: Sequence[str]) -> int:
        """How many of them nobody had named before."""
        with self._using() as database:
            database.execute("DELETE FROM uses WHERE user = ?", (page,))
            database.execute("INSERT OR REPLACE INTO listed VALUES (?, ?)", (page, digest))
            new = self._use(page, urls, 1)
            database.commit()
        return new

    def known(self) -> int:
        """How many are named by pages and styles, asked for or not."""
        with self._using() as database:
            (count,) = database.execute("SELECT COUNT(DISTINCT url) FROM uses").fetchone()
        return int(count)

    def trouble(self) -> str:
        """What is wrong with the file; "" if it is whole."""
        with self._using() as database:
            (health,) = database.execute("PRAGMA quick_check(1)").fetchone()
            if health != "ok":
                return str(health)
            for url, record in database.execute("SELECT url, record FROM records ORDER BY asked, n"):
                if not isinstance(record, bytes) or not _is_whole(record):
                    return f"the record of {url!s:.200} is damaged"
        return ""

    def wanted(self, tries: int, again: Collection[str], limit: int) -> list[WantedRequisite]:
        """Requisites that were not asked for yet, or failed in a way (`again`) that another try may mend."""
        sql = _WANTED.format(", ".join("?" * len(again)))
        with self._using() as database:
            return [WantedRequisite(*row) for row in database.execute(sql, (*again, tries, limit))]

    def keep(
        self,
        wanted: WantedRequisite,
        failure: Failure | None,
        captures: Sequence[Capture],
        kind: str,
        names: Sequence[str],
    ) -> int:
        """An answer, with all that led to it. `kind`: its media type. `names`: what it names itself, if it is a
        style; how many of them nobody had named before."""
        new = 0
        with self._using() as database:
            told = "" if failure is None else failure.kind
            database.execute(_ASKED, (wanted.url, told))
            database.execute("DELETE FROM records WHERE asked = ?", (wanted.url,))
            rows = ((wanted.url, number, *_packed(capture, kind)) for number, capture in enumerate(captures))
            database.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            if wanted.depth < _DEEPEST:
                new = self._use(wanted.url, names, wanted.depth + 1)
            database.commit()
        return new

    def of_page(self, page: str) -> Iterator[RequisiteRecord]:
        """All that the page needs, as far as it is here."""
        with self._using() as database:
            for row in database.execute(_OF_PAGE, (page,)):
                found = RequisiteRecord(*row)
                if isinstance(found.record, bytes) and isinstance(found.url, str):
                    yield found

    def count(self) -> RequisiteCount:
        with self._using() as database:
            asked, failed = database.execute("SELECT COUNT(*), IFNULL(SUM(failure != ''), 0) FROM asked").fetchone()
            (size,) = database.execute("SELECT IFNULL(SUM(LENGTH(record)), 0) FROM records").fetchone()
        return RequisiteCount(asked, failed, size / 1e6)

    def told(self) -> str:
        asked, failed, megabytes = self.count()
        here = f"{asked - failed:,} here ({megabytes:,.1f} MB packed)"
        return f"Requisites of relevant pages: {here}, {failed:,} could not be had."

    def keep_only(self, pages: Collection[str], unwanted: str = "") -> None:
        """Drop what belongs to none of these pages any more, and what lies at an address or a host that is unwanted."""
        with self._using() as database:
            gone = [page for (page,) in database.execute("SELECT page FROM listed") if page not in pages]
            for table, column in (("listed", "page"), ("uses", "user")):
                database.executemany(f"DELETE FROM {table} WHERE {column} = ?", ((page,) for page in gone))  # noqa: S608
            needed = {url for (url,) in database.execute(_NEEDED)}
            known = [url for (url,) in database.execute("SELECT url FROM asked UNION SELECT url FROM uses")]
            left = [url for url in known if url not in needed or unwanted in (url, url.split("/")[2])]
            for table, column in (("asked", "url"), ("records", "asked"), ("uses", "user"), ("uses", "url")):
                database.executemany(f"DELETE FROM {table} WHERE {column} = ?", ((url,) for url in left))  # noqa: S608
            database.commit()
            if gone or left:
                database.execute("VACUUM")

    def _use(self, user: str, urls: Sequence[str], depth: int) -> int:
        ends = itertools.accumulate(map(len, urls))
        kept = [url for url, end in zip(urls, ends, strict=True) if end <= _MOST_TEXT]
        named = "SELECT 1 FROM uses WHERE url = ? LIMIT 1"
        new = sum(self._database.execute(named, (url,)).fetchone() is None for url in kept)
        rows = ((user, url, depth) for url in kept)
        self._database.executemany("INSERT OR IGNORE INTO uses (user, url, depth) VALUES (?, ?, ?)", rows)
        return new

    @contextlib.contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._database
        except sqlite3.DatabaseError as error:
            if "full" in str(error):
                raise disk_full(self._path) from error
            raise BadInput(
                f"{self._path} cannot be used: {error}. Remove it if it is damaged: requisites are fetched anew."
            ) from error


def _is_whole(record: bytes) -> bool:
    """Does it unpack, and to what its checksum says? Whatever it unpacks to, little of it is in memory."""
    unpacking = zlib.decompressobj(31)
    try:
        while record and not unpacking.eof:
            unpacking.decompress(record, _AT_ONCE)
            record = unpacking.unconsumed_tail
    except zlib.error:
        return False
    return unpacking.eof


def _packed(capture: Capture, kind: str) -> tuple[str, float, int, str, str, bytes]:
    record = capture.record if isinstance(capture, PackedCapture) else writer.response(capture)
    head = zlib.decompressobj(31).decompress(record, _HEAD)
    digest = _DIGEST.search(head)
    media = kind.partition(";")[0].strip()[:100]
    return (
        capture.url,
        capture.at,
        capture.status,
        media,
        digest[1].decode("ascii", "replace") if digest else "",
        record,
    )
