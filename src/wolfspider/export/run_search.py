"""Search in the pages of a run, also while it runs.

An index of SQLite's FTS5 lies beside the run (search.db). Every search first compares it with the run, by the number
and the digest of each page: it takes in what is new and drops what is no page any more, so that it is never behind and
a repair that numbers pages anew does no harm. Verdicts are read from the run itself. An index that is damaged, or that
is not as we make it, is made anew; if the run's folder cannot be written to, it is made in memory.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from wolfspider.core.errors import BadInput, Problem
from wolfspider.export.search_sink import IndexedPage
from wolfspider.files.disk import disk_full, open_to_write
from wolfspider.store.damage import UNREADABLE
from wolfspider.store.fleet_folder import runs_in
from wolfspider.store.folder import INDEX_FILES, SEARCH_INDEX, Places, refuse_links_and_pipes
from wolfspider.store.page_count import HIDDEN, NEWEST
from wolfspider.store.sound_rows import check_values
from wolfspider.store.view import RunView, StoredPage, page_numbered, utc
from wolfspider.web.page.plaintext import readable

_VERSION = 2
_LONGEST_TEXT = 500_000  # characters of a page that are searched
_TOGETHER = 200  # pages that are taken in at a time
_PATIENCE = 60.0  # seconds for which another search is waited for
_LONGEST_WORD, _MOST_WORDS = 200, 50
_SNIPPET = 24  # words, or what FTS5 calls so
_MAKE = {
    "pages": "CREATE VIRTUAL TABLE pages USING fts5(title, description, text,"
    " tokenize = 'unicode61 remove_diacritics 2')",
    "taken": "CREATE TABLE taken (number INTEGER PRIMARY KEY, digest TEXT NOT NULL)",
}
_OF_FTS5 = {f"pages_{part}" for part in ("data", "idx", "content", "docsize", "config")}  # tables that it makes itself
_RANK = "bm25(pages, 4.0, 2.0, 1.0)"
_FOUND = f"SELECT rowid, -{_RANK} FROM pages WHERE pages MATCH ? ORDER BY {_RANK}, rowid"  # noqa: S608
_SHOW = "SELECT snippet(pages, -1, '', '', ' ... ', ?) FROM pages WHERE pages MATCH ? AND rowid = ?"
_OF_RUN = f"SELECT p.seq, p.digest FROM {NEWEST} WHERE NOT {HIDDEN}"  # noqa: S608
_VERDICT = (
    "SELECT p.final_url, p.title, p.language, p.at, h.score, h.relevant"  # noqa: S608
    f" FROM {NEWEST} WHERE p.seq = ? AND NOT {HIDDEN} AND h.relevant >= ?"
)


class _Unusable(Exception):
    """The index cannot be used as it is. No error of SQLite: those tell of the run."""


def search_run(folder: Path, words: Sequence[str], limit: int = 10, relevant: bool = False) -> list[IndexedPage]:
    """Of a fleet, the best of what is found on its islands; how well a page fits is reckoned on its own island."""
    found = [page for run in runs_in(folder) for page in _search_one(run, words, limit, relevant)]
    return sorted(found, key=lambda page: -page.rank)[:limit]


def _search_one(folder: Path, words: Sequence[str], limit: int, relevant: bool) -> list[IndexedPage]:
    """The pages that fit best: those with all of the words, or, if there are none, with some. What has several words
    is a phrase. No page has a word with a - before it."""
    given = [word for word in words[:_MOST_WORDS] if any(map(str.isalnum, word))]
    asked = [f'"{_plain(word)}"' for word in given if not word.startswith("-")]
    without = "".join(f' NOT "{_plain(word)}"' for word in given if word.startswith("-"))
    if not asked:
        raise Problem("Give at least one word to search for, besides those that no page may have.")
    questions = [f"({between.join(asked)}){without}" for between in (" AND ", " OR ")]
    view, path = RunView(folder), folder / SEARCH_INDEX
    refuse_links_and_pipes(Places.of(folder), *(folder / name for name in INDEX_FILES))
    with view.moment() as moment:
        try:
            return _searched(path, view, moment, questions, limit, relevant)
        except _Unusable:
            for name in INDEX_FILES:
                (folder / name).unlink(missing_ok=True)
        try:
            return _searched(path, view, moment, questions, limit, relevant)
        except _Unusable as error:
            raise BadInput(f"{path} cannot be used: {error}.") from error


def _searched(
    path: Path, view: RunView, moment: sqlite3.Connection, questions: Sequence[str], limit: int, relevant: bool
) -> list[IndexedPage]:
    """What the first question finds, or else the next."""
    with _Index(path) as index:
        _take_in(index, view, moment)
        found = (_found(index, moment, question, limit, relevant) for question in questions)
        return next(filter(None, found), [])


def _take_in(index: _Index, view: RunView, moment: sqlite3.Connection) -> None:
    wanted = dict(moment.execute(_OF_RUN).fetchall())
    there = index.taken()
    index.drop([number for number, digest in there.items() if wanted.get(number) != digest])
    for done, number in enumerate(sorted(number for number in wanted if there.get(number) != wanted[number])):
        if done % _TOGETHER == 0:
            index.keep()
        row = page_numbered(moment, number)
        if row is not None:
            index.add(row, _text(view, row))
    index.keep()


def _found(index: _Index, moment: sqlite3.Connection, question: str, limit: int, relevant: bool) -> list[IndexedPage]:
    found: list[IndexedPage] = []
    for number, rank in index.found(question):
        row = moment.execute(_VERDICT, (number, int(relevant))).fetchone()
        if row is not None and _is_sound(row):
            url, title, language, at, score, good = row
            shown = index.snippet(question, number)
            found.append(IndexedPage(rank, url, title, language, utc(at) or "", score, bool(good), shown))
        if len(found) >= limit:
            break
    return found


def _is_sound(row: Sequence[object]) -> bool:
    """A page whose row is damaged is not found; check tells of it."""
    try:
        check_values("pages", ("final_url", "title", "language", "at"), row[:4])
        check_values("held", ("score", "relevant"), row[4:])
    except UNREADABLE:
        return False
    return True


def _plain(word: str) -> str:
    """Without what ends a phrase, or is no text to SQLite."""
    return word[:_LONGEST_WORD].replace('"', " ").replace("\0", " ").encode("utf-8", "replace").decode()


def _text(view: RunView, row: StoredPage) -> str:
    try:
        text = readable(view.body(row), row.headers.get("content-type", ""))
    except BadInput:  # never archived, or damaged: its title may still be found
        return ""
    return (text or "")[:_LONGEST_TEXT]


class _Index:
    """What lies in search.db. Whatever is wrong with it is _Unusable, but for a full disk and another search."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = self._opened()

    def __enter__(self) -> _Index:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def taken(self) -> dict[int, str]:
        """The pages that it has, and their digests."""
        with self._using() as connection:
            return dict(connection.execute("SELECT number, digest FROM taken").fetchall())

    def drop(self, numbers: Sequence[int]) -> None:
        with self._using() as connection:
            for table, name in (("pages", "rowid"), ("taken", "number")):
                connection.executemany(f"DELETE FROM {table} WHERE {name} = ?", [(each,) for each in numbers])  # noqa: S608

    def add(self, row: StoredPage, text: str) -> None:
        with self._using() as connection:
            fields = (row.number, row.title, row.description, text)
            connection.execute("INSERT INTO pages (rowid, title, description, text) VALUES (?, ?, ?, ?)", fields)
            connection.execute("INSERT INTO taken VALUES (?, ?)", (row.number, row.digest))

    def keep(self) -> None:
        with self._using() as connection:
            connection.commit()

    def found(self, question: str) -> Iterator[tuple[int, float]]:
        with self._using() as connection:
            yield from connection.execute(_FOUND, (question,))

    def snippet(self, question: str, number: int) -> str:
        with self._using() as connection:
            row = connection.execute(_SHOW, (_SNIPPET, question, number)).fetchone()
        return " ".join(str(row[0]).split()) if row else ""

    def _opened(self) -> sqlite3.Connection:
        path = self._path
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            return self._made(sqlite3.connect(":memory:"))
        os.close(open_to_write(path))
        connection = sqlite3.connect(path, timeout=_PATIENCE)
        try:
            with self._using(connection):
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.execute("PRAGMA journal_mode = DELETE")
                connection.execute("BEGIN IMMEDIATE")  # one search at a time takes pages in
                tables = dict(connection.execute("SELECT name, sql FROM sqlite_master").fetchall())
                if not tables:
                    return self._made(connection)
                ours = {name: sql for name, sql in tables.items() if name not in _OF_FTS5}
                (version,) = connection.execute("PRAGMA user_version").fetchone()
                if ours != _MAKE or version != _VERSION:
                    raise _Unusable("it is not as wolfspider makes it")
        except BaseException:
            connection.close()
            raise
        return connection

    def _made(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        for statement in (*_MAKE.values(), f"PRAGMA user_version = {_VERSION}"):
            connection.execute(statement)
        connection.commit()
        return connection

    @contextlib.contextmanager
    def _using(self, connection: sqlite3.Connection | None = None) -> Iterator[sqlite3.Connection]:
        try:
            yield connection or self._connection
        except sqlite3.DatabaseError as error:
            if "locked" in str(error):
                raise Problem(f"Another search is taking in the pages of {self._path.parent}. Try later.") from error
            if "full" in str(error):
                raise disk_full(self._path) from error
            if "no such module" in str(error):
                raise Problem("The SQLite of this Python cannot search texts: it was built without FTS5.") from error
            raise _Unusable(str(error)) from error
