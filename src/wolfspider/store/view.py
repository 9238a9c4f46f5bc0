"""A run as other processes read it, while its owner goes on.

An iteration sees one moment of the run, however long it takes. Nothing here waits for the owner, and the owner never
waits for a reader.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.core.errors import BadInput
from wolfspider.core.events import AddSeeds, Gauge
from wolfspider.core.failures import in_words
from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.engine.entries import BeginEntry, CommandEntry
from wolfspider.files.lock import is_owned
from wolfspider.store import schema
from wolfspider.store.archive_reader import RecordPlace
from wolfspider.store.damage import UNREADABLE, Damaged, damaged, reading, trouble
from wolfspider.store.database import connect_beside
from wolfspider.store.folder import Places, about_run, refuse_links_and_pipes
from wolfspider.store.folding import folded
from wolfspider.store.gauges import MINUTES, SECONDS, gauges
from wolfspider.store.page_count import HIDDEN, NEWEST, PageCount, count
from wolfspider.store.page_reader import archived_page, body_at
from wolfspider.store.recovery import committed_end, refuse_unknown_answers
from wolfspider.store.repair.forgotten_list import FORGOTTEN_PAGE, forgotten_pages
from wolfspider.store.row_codec import unpacked, unpacked_entry, unsigned
from wolfspider.store.sound_rows import check_row, check_values, event_fits, tables
from wolfspider.web.page.html import digest_of

PAGE = (
    "p.seq, p.visit, p.url, p.final_url, p.host, p.hops, p.at, p.seconds, p.status, p.headers, p.type, p.charset,"
    " p.title, p.description, p.language, p.published, p.modified, p.size, p.digest, p.near, p.words, p.links,"
    " p.truncated, p.robots, p.canonical, p.file, p.offset, p.length, p.body, p.cut"
)
_PAGE_COLUMNS = tuple(name.strip().removeprefix("p.") for name in PAGE.split(","))
# The newest copy of each page by its final address, with the newest verdict on it.
_PAGES = (
    f"SELECT {PAGE}, h.score, h.relevant, h.evidence FROM {NEWEST}"  # noqa: S608
    " WHERE p.at >= ? AND h.relevant >= ? ORDER BY p.seq"
)
# The same without their content, the best first, and then one by one.
_BEST = (
    f"SELECT p.seq FROM {NEWEST}"  # noqa: S608
    " WHERE p.at >= ? AND h.relevant >= ? ORDER BY h.score DESC, p.seq"
)
_NUMBERED = f"SELECT {PAGE}, h.score, h.relevant, h.evidence FROM {NEWEST} WHERE p.seq = ?"  # noqa: S608
_ONE = (
    f"SELECT {PAGE}, h.score, h.relevant, h.evidence FROM held h JOIN pages p ON p.seq = h.page"  # noqa: S608
    " WHERE h.url = ? ORDER BY h.seq DESC LIMIT 1"
)
_MISSING = (
    "SELECT COUNT(DISTINCT l.page) FROM landings l WHERE l.page IS NOT NULL AND NOT EXISTS (SELECT 1 FROM held h"
    " JOIN pages p ON p.seq = h.page WHERE h.url = l.url AND h.page = l.page)"
)
FAILED = f"landings WHERE failure IS NOT NULL AND how = 'out' AND NOT {FORGOTTEN_PAGE}"  # visits
_FURTHER = (
    "SELECT IFNULL(SUM(MAX(IFNULL(cost, 0), 1) - 1), 0),"  # noqa: S608
    " IFNULL(SUM(cost > 0 AND failure IS NULL AND score IS NULL), 0),"
    f" (SELECT COUNT(*) FROM {FAILED} AND IFNULL(cost, 0) = 0) FROM landings WHERE how = 'out' AND seq > 0"
)
_HOSTS = f"SELECT DISTINCT p.host FROM {NEWEST} WHERE NOT {HIDDEN}"  # noqa: S608
_VISITS = "SELECT * FROM visits WHERE url = ? ORDER BY seq, id"
_LANDINGS = "SELECT * FROM landings WHERE url = ? ORDER BY seq, n"


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page of the run with the last verdict on it."""

    number: int  # the entry of the journal that brought it
    visit: int
    url: str
    final_url: str
    host: str
    hops: tuple[str, ...]
    at: float
    seconds: float
    status: int
    headers: Mapping[str, str]
    type: str
    charset: str
    title: str
    description: str
    language: str
    published: float | None
    modified: float | None
    size: int
    digest: str
    near: int
    words: int
    links: int
    truncated: bool
    robots: tuple[str, ...]
    canonical: str
    place: RecordPlace | None  # in the archive; None where pages came without bodies
    body: int  # bytes of the decoded body there
    cut: bool  # the body is only the beginning
    score: float
    relevant: bool
    evidence: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Visited:
    """A visit as it was proposed."""

    id: int
    seq: int
    url: str
    agent: str
    source: str
    how: str
    fresh: bool
    anchor: str
    note: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Landing:
    """What became of a visit."""

    seq: int
    n: int
    visit: int
    url: str
    page: int | None
    failure: str | None
    detail: str | None
    score: float | None
    relevant: bool | None
    evidence: Mapping[str, Any]
    how: str
    cost: int
    seconds: float
    at: float


@dataclass(frozen=True, slots=True)
class Summary:
    count: PageCount
    downloads: int
    failures: Mapping[str, int]  # by kind
    reasons: Mapping[str, int]  # the same in words
    hosts: int  # that pages came from, those that ask not to be indexed apart
    started: float | None
    ended: str | None  # why, if the run is over and was not resumed since
    counts: Mapping[str, int]
    trouble: str = ""  # what the last session ended by, if it came to no end of its own and knew why
    forgotten: int = 0  # pages that were taken out, which are no failures
    forgotten_at: float = 0.0  # when some last were

    @property
    def pages(self) -> int:
        return self.count.pages

    @property
    def relevant(self) -> int:
        return self.count.relevant


class Further(NamedTuple):
    """What makes the sum of downloads, beside the pages of a run and its failures."""

    again: int = 0  # downloads of pages that the run has already, at the same address or another one
    tries: int = 0  # those beyond the first of a visit
    answers: int = 0  # of searches, feeds and the like, which are no pages
    before: int = 0  # those of pages that describe the topic
    free: int = 0  # failures that cost none


class RunView:
    """A run that somebody else may own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.about = about_run(folder)
        self._places = Places.of(folder)
        refuse_links_and_pipes(self._places)
        with self.moment() as connection:
            schema.refuse_newer(self._places.database, connection.execute("PRAGMA user_version").fetchone()[0])
            if not (connection.execute("SELECT 1 FROM log LIMIT 1").fetchone() or is_owned(self._places.lock)):
                with self._reading("where the archive ends"):
                    refuse_unknown_answers(connection, self._places, committed_end(connection))

    @contextlib.contextmanager
    def moment(self) -> Iterator[sqlite3.Connection]:
        """One moment of the run."""
        with contextlib.closing(connect_beside(self._places.database)) as connection:
            try:
                connection.execute("BEGIN")
                yield connection
            except sqlite3.DatabaseError as error:
                raise trouble(self._places.database, error) from error

    def rows(self, query: str, *values: Any) -> list[Any]:
        """All rows of an answer."""
        with self.moment() as connection:
            return connection.execute(query, values).fetchall()

    @property
    def commanded(self) -> bool:
        """Has a person given the run a command?"""
        return self._places.inbox.exists() or bool(self.rows("SELECT 1 FROM commands LIMIT 1"))

    @property
    def ended(self) -> str | None:
        """Why the run is over, if it is and has not been resumed since."""
        with self.moment() as connection, self._reading("how the run ended"):
            return _ended(connection)

    def starting_points(self) -> Iterator[str]:
        """Addresses that a person gave the run to start from, one by one or in lists, before or while it ran; not what
        was found by them."""
        for kind, data in self.rows("SELECT kind, data FROM log WHERE kind IN ('begin', 'command') ORDER BY seq"):
            with self._reading("a starting point"):
                entry = unpacked_entry(kind, data)
            if isinstance(entry, BeginEntry):
                yield from (link.url for link in entry.seeds if link.rel == "seed")
            elif isinstance(entry, CommandEntry) and isinstance(entry.command, AddSeeds) and not entry.command.found:
                yield from entry.command.urls

    def pages(self, relevant: bool = False, since: float | None = None) -> Iterator[StoredPage]:
        """Each page once, in the order they came; `since`: those that came at that time or later."""
        with self.moment() as connection:
            yield from pages_of(connection, relevant, since)

    def addresses(self) -> set[str]:
        """At which pages were found."""
        return {str(url) for (url,) in self.rows("SELECT DISTINCT final_url FROM pages")}

    def page(self, url: str) -> StoredPage | None:
        """The newest copy of a page, by the address it was asked for or the one it was found at."""
        with self._reading("a page"):
            return next((page_row(*row) for row in self.rows(_ONE, url)), None)

    def visits_of(self, url: str) -> list[Visited]:
        with self._reading("a visit"):
            return [_visited(*row) for row in self.rows(_VISITS, url)]

    def landings_of(self, url: str) -> list[Landing]:
        with self._reading("a landing"):
            return [_landing(*row) for row in self.rows(_LANDINGS, url)]

    def events(self, kind: str | None = None) -> Iterator[tuple[float, str, Mapping[str, Any]]]:
        """Time, kind and content of what is neither a visit nor a landing."""
        sql = "SELECT at, kind, data FROM events WHERE ? IS NULL OR kind = ? ORDER BY seq, n"
        with self.moment() as connection:
            for at, name, data in connection.execute(sql, (kind, kind)):
                with self._reading("an event"):
                    check_values("events", ("at", "kind", "data"), (at, name, data))
                    told: dict[str, Any] = json.loads(data)
                    if not event_fits(name, told):
                        raise ValueError("its content is of another shape")
                yield at, name, told

    def _reading(self, what: str) -> contextlib.AbstractContextManager[None]:
        return reading(self._places.database, what)

    def summary(self) -> Summary:
        with self.moment() as connection, self._reading("how the run stands"):
            (hosts,) = connection.execute(f"SELECT COUNT(*) FROM ({_HOSTS})").fetchone()  # noqa: S608
            failures, reasons = _failures(connection)
            found = (count(connection), _downloads(connection), failures, reasons, hosts)
            return Summary(*found, *around(connection))

    def further(self, summary: Summary) -> Further:
        """Of a run that has ended; `summary` is its own. After a repair nobody knows what earlier downloads went to."""
        if "salvaged" in summary.counts:
            return Further()
        with self.moment() as connection, self._reading("what its downloads went to"):
            tries, answers, free = connection.execute(_FURTHER).fetchone()
            before = downloads_apart(connection) - folded(connection).downloads
        told = summary.count.all + summary.forgotten + sum(summary.failures.values()) - free
        again = summary.downloads - told - tries - answers - before
        return Further(max(0, again), tries, answers, before, free)

    def gauge(self) -> Gauge | None:
        """How the run stood when its owner last wrote it down; None if it never did."""
        return next(iter(self.gauges(1)), None)

    def gauges(self, newest: int = SECONDS + MINUTES) -> list[Gauge]:
        """The newest gauges, oldest first: a second apart in the last hour, a minute apart before."""
        with self.moment() as connection:
            return gauges(connection, newest)

    def hosts(self) -> set[str]:
        """Those that pages came from, pages that ask not to be indexed apart."""
        return {host for (host,) in self.rows(_HOSTS)}

    def body(self, row: StoredPage) -> bytes:
        """The decoded body of a page, as it came."""
        if row.place is None:
            raise BadInput(f"The body of {row.final_url} was never archived.")
        body = body_at(self._places.archive, row.place, row.body)
        if digest_of(body) != row.digest:
            raise damaged(self.folder, f"the record of {row.final_url} is another one")
        return body

    def parsed(self, row: StoredPage, main: bool = False) -> Page | None:
        """A page parsed again from the archive, with its main text if that is wanted; None if it was never archived, or
        its record is damaged."""
        if row.place is None:
            return None
        fields = (row.url, row.final_url, row.status, row.headers, b"", None, row.seconds, row.at, row.hops)
        try:
            page = archived_page(self._places.archive, row.place, row.body, Fetch(*fields, cut=row.cut), main)
        except BadInput:
            return None
        return page if isinstance(page, Page) else None


def pages_of(
    connection: sqlite3.Connection,
    relevant: bool = False,
    since: float | None = None,
    unreadable: Callable[[object, Exception], None] | None = None,
    best: bool = False,
) -> Iterator[StoredPage]:
    """The pages of one moment; `unreadable` is told of each row that is damaged, which is an error otherwise. `best`:
    in the order of their scores."""
    bounds = (-1e300 if since is None else since, int(relevant))
    for row in _best_rows(connection, bounds) if best else connection.execute(_PAGES, bounds):
        try:
            page = page_row(*row)
        except UNREADABLE as error:
            if unreadable is None:
                raise Damaged(f"Page {row[0]} of the run cannot be read: {error}.") from error
            unreadable(row[0], error)
        else:
            yield page


def _best_rows(connection: sqlite3.Connection, bounds: tuple[float, int]) -> Iterator[Any]:
    for (number,) in connection.execute(_BEST, bounds):
        yield from connection.execute(_NUMBERED, (number,)).fetchall()


def page_numbered(connection: sqlite3.Connection, number: int) -> StoredPage | None:
    """The page of this number; None if there is none, or its row is damaged."""
    try:
        return next((page_row(*row) for row in connection.execute(_NUMBERED, (number,))), None)
    except UNREADABLE:
        return None


def missing_pages(connection: sqlite3.Connection) -> int:
    """How many pages landed and have no row, or are not held."""
    (number,) = connection.execute(_MISSING).fetchone()
    return int(number)


def utc(at: float | None) -> str | None:
    """A time of a run as readers are told it: ISO 8601, UTC, whole seconds."""
    try:
        moment = None if at is None else datetime.fromtimestamp(at, UTC)
    except (OverflowError, OSError, ValueError):  # no time that a calendar has
        return None
    return None if moment is None else moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def page_row(*values: Any) -> StoredPage:
    check_values("pages", _PAGE_COLUMNS, values[:-3])
    check_values("held", ("score", "relevant", "evidence"), values[-3:])
    if None in values[-3:]:
        raise ValueError("the verdict on it is not whole")
    number, visit, url, final_url, host, hops, at, seconds, status, headers, kind, charset, *rest = values
    title, description, language, published, modified, size, digest, near, words, links, *rest = rest
    truncated, robots, canonical, file, offset, length, body, cut, score, relevant, evidence = rest
    place = RecordPlace(file, offset, length) if file is not None else None
    return StoredPage(
        *(number, visit, url, final_url, host, tuple(json.loads(hops)), at, seconds, status, json.loads(headers)),
        *(kind, charset, title, description, language, published, modified, size, digest, unsigned(near)),
        *(words, links, bool(truncated), tuple(robots.split()), canonical, place, body, bool(cut)),
        *(score, bool(relevant), json.loads(evidence)),
    )


def _visited(*values: Any) -> Visited:
    check_row(tables()["visits"], values)
    number, seq, url, agent, source, how, fresh, anchor, note = values
    return Visited(number, seq, url, agent, source, how, bool(fresh), anchor, json.loads(note))


def _landing(*values: Any) -> Landing:
    check_row(tables()["landings"], values)
    seq, n, visit, url, page, failure, detail, score, relevant, evidence, *rest = values
    judged = None if relevant is None else bool(relevant)
    return Landing(seq, n, visit, url, page, failure, detail, score, judged, json.loads(evidence or "{}"), *rest)


def _failures(connection: sqlite3.Connection) -> tuple[Counter[str], Counter[str]]:
    """How many visits failed, by kind and in words."""
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for kind, detail, times in connection.execute(f"SELECT failure, detail, COUNT(*) FROM {FAILED} GROUP BY 1, 2"):  # noqa: S608
        failure = Failure(_text(kind), _text(detail or ""))
        kinds[failure.kind] += times
        reasons[in_words(failure)] += times
    return kinds, reasons


def _text(value: Any) -> str:
    """Also of a value of another type, as a damaged run may have it."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def around(connection: sqlite3.Connection) -> tuple[Any, ...]:
    """What a summary says beside pages, visits and hosts: from `started` on."""
    counts = dict(connection.execute("SELECT name, value FROM counters ORDER BY name").fetchall())
    began = connection.execute("SELECT at FROM log WHERE seq = 1").fetchone()
    trouble = _text((connection.execute("SELECT value FROM meta WHERE name = 'trouble'").fetchone() or ("",))[0])
    return began[0] if began else None, _ended(connection), counts, trouble, *forgotten_pages(connection)


def _downloads(connection: sqlite3.Connection) -> int:
    (spent,) = connection.execute("SELECT IFNULL(SUM(cost), 0) FROM landings WHERE seq > 0").fetchone()
    return int(spent) + downloads_apart(connection)


def downloads_apart(connection: sqlite3.Connection) -> int:
    """Those that no landing tells of: before the crawl began, among them all before a repair, and of folded ones."""
    begun = connection.execute("SELECT data FROM log WHERE seq = 1 AND kind = 'begin'").fetchone()
    if begun is None:
        return int((connection.execute("SELECT value FROM counters WHERE name = 'salvaged'").fetchone() or (0,))[0])
    return int(unpacked(begun[0])[2]) + folded(connection).downloads


def _ended(connection: sqlite3.Connection) -> str | None:
    last = "(SELECT IFNULL(MAX(seq), 0) FROM log)"
    sql = f"SELECT data FROM events WHERE kind = 'Ended' AND seq = {last} ORDER BY n DESC LIMIT 1"  # noqa: S608
    row = connection.execute(sql).fetchone()
    return str(json.loads(row[0])["reason"]) if row else None
