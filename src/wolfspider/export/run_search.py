"""Search in the pages of a run, also while it runs.

An index of SQLite's FTS5 lies beside the run (search.db). Every search first takes in the pages that came since the
last one, so that it is never behind. Which pages count, and the verdicts on them, are read from the run itself: a page
that is no longer exported is no longer found. If the run's folder cannot be written to, the index is made in memory.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import hidden
from wolfspider.export.search_sink import IndexedPage
from wolfspider.files.disk import open_to_write
from wolfspider.store.folder import SEARCH_INDEX, Places, refuse_links_and_pipes
from wolfspider.store.page_count import HIDDEN, NEWEST
from wolfspider.store.view import RunView, StoredPage, pages_of, utc
from wolfspider.web.page.plaintext import readable

_VERSION = 1  # of the index; one of another version is made anew
_LONGEST_TEXT = 500_000  # characters of a page that are searched
_TOGETHER = 200  # pages that are taken in at a time
_PATIENCE = 60.0  # seconds for which another search is waited for
_LONGEST_WORD, _MOST_WORDS = 200, 50
_SNIPPET = 24  # words, or what FTS5 calls so
_MAKE = (
    "CREATE VIRTUAL TABLE pages USING fts5(title, description, text, tokenize = 'unicode61 remove_diacritics 2')",
    "CREATE TABLE taken (newest REAL NOT NULL)",
    f"PRAGMA user_version = {_VERSION}",
)
_FOUND = (
    "SELECT rowid, -bm25(pages, 4.0, 2.0, 1.0), snippet(pages, -1, '', '', ' ... ', ?) FROM pages WHERE pages MATCH ?"
    " ORDER BY bm25(pages, 4.0, 2.0, 1.0), rowid"
)
_SHOWN = (
    "SELECT p.final_url, p.title, p.language, p.at, h.score, h.relevant"  # noqa: S608
    f" FROM {NEWEST} WHERE p.seq = ? AND NOT {HIDDEN} AND h.relevant >= ?"
)


def search_run(folder: Path, words: Sequence[str], limit: int = 10, relevant: bool = False) -> list[IndexedPage]:
    """The pages that fit best: those with all of the words, or, if there are none, with some. What has several words
    is a phrase."""
    asked = [_plain(word) for word in words[:_MOST_WORDS] if any(map(str.isalnum, word))]
    if not asked:
        raise Problem("Give at least one word to search for.")
    view = RunView(folder)
    with _index_of(folder) as index, view.moment() as moment:
        _take_in(index, view, moment)
        phrases = [f'"{word}"' for word in asked]
        found = _found(index, moment, " AND ".join(phrases), limit, relevant)
        return found or _found(index, moment, " OR ".join(phrases), limit, relevant)


def _plain(word: str) -> str:
    """Without what ends a phrase, or is no text to SQLite."""
    return word[:_LONGEST_WORD].replace('"', " ").replace("\0", " ").encode("utf-8", "replace").decode()


def _found(
    index: sqlite3.Connection, moment: sqlite3.Connection, question: str, limit: int, relevant: bool
) -> list[IndexedPage]:
    found: list[IndexedPage] = []
    for number, rank, snippet in index.execute(_FOUND, (_SNIPPET, question)):
        for url, title, language, at, score, good in moment.execute(_SHOWN, (number, int(relevant))):
            shown = " ".join(snippet.split())
            found.append(IndexedPage(rank, url, title, language, utc(at) or "", score, bool(good), shown))
        if len(found) >= limit:
            break
    return found


def _take_in(index: sqlite3.Connection, view: RunView, moment: sqlite3.Connection) -> None:
    """Pages that came since the last one that was taken in; those of the same moment again, which changes nothing."""
    (newest,) = index.execute("SELECT MAX(newest) FROM taken").fetchone()
    rows = (row for row in pages_of(moment, since=newest, unreadable=_left_out) if not hidden(row.robots))
    for done, row in enumerate(rows, 1):
        if done % _TOGETHER == 0:
            _keep(index, newest)
        index.execute(
            "INSERT OR REPLACE INTO pages (rowid, title, description, text) VALUES (?, ?, ?, ?)",
            (row.number, row.title, row.description, _text(view, row)),
        )
        newest = row.at
    _keep(index, newest)


def _keep(index: sqlite3.Connection, newest: float | None) -> None:
    if newest is not None:
        index.execute("DELETE FROM taken")
        index.execute("INSERT INTO taken VALUES (?)", (newest,))
    index.commit()


def _text(view: RunView, row: StoredPage) -> str:
    try:
        text = readable(view.body(row), row.headers.get("content-type", ""))
    except BadInput:  # never archived, or damaged: its title may still be found
        return ""
    return (text or "")[:_LONGEST_TEXT]


def _left_out(number: object, error: Exception) -> None:
    """A row that cannot be read is no page; `wolfspider check` tells of it."""


@contextlib.contextmanager
def _index_of(folder: Path) -> Iterator[sqlite3.Connection]:
    path = folder / SEARCH_INDEX
    refuse_links_and_pipes(Places.of(folder), path)
    with contextlib.closing(_opened(path)) as index:
        try:
            yield index
        except sqlite3.DatabaseError as error:
            raise BadInput(f"{path} cannot be used: {error}. Remove it: the next search makes it anew.") from error


def _opened(path: Path) -> sqlite3.Connection:
    """The index beside the run; one that is damaged, or of another version, is made anew."""
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        return _made(sqlite3.connect(":memory:"))
    os.close(open_to_write(path))
    index = _connected(path)
    try:
        index.execute("BEGIN IMMEDIATE")  # one search at a time takes pages in
        if index.execute("PRAGMA user_version").fetchone()[0] == _VERSION:
            index.execute("SELECT MAX(newest) FROM taken").fetchone()
            return index
        fresh = not index.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.OperationalError as error:
        index.close()
        if "locked" in str(error):
            raise Problem(f"Another search is taking in the pages of {path.parent}. Try again later.") from error
        fresh = False
    except sqlite3.DatabaseError:
        index.close()
        fresh = False
    if not fresh:
        index.close()
        path.unlink(missing_ok=True)
        os.close(open_to_write(path))
        index = _connected(path)
    return _made(index)


def _connected(path: Path) -> sqlite3.Connection:
    index = sqlite3.connect(path, timeout=_PATIENCE)
    index.execute("PRAGMA trusted_schema = OFF")
    return index


def _made(index: sqlite3.Connection) -> sqlite3.Connection:
    try:
        for statement in _MAKE:
            index.execute(statement)
    except sqlite3.OperationalError as error:
        index.close()
        raise Problem(f"The SQLite of this Python cannot search texts: {error}.") from error
    index.commit()
    return index
