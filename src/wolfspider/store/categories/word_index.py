"""A temporary index of pages by their words, ranked by BM25.

A large one lies in a file without a name, which is gone when it is closed. Words are indexed and not kept as text.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from wolfspider.core.errors import Problem
from wolfspider.core.model import Page
from wolfspider.core.text import clipped, words
from wolfspider.store.categories.index import query, storable

MOST_PAGES = 20_000
MOST_WORDS = 5_000  # of a page; they say what it is about
MOST_TEXT = 500_000_000  # characters of all pages; the index takes less, of hostile text a little more
_TABLES = (
    "CREATE TABLE pages (number INTEGER PRIMARY KEY, url TEXT NOT NULL, title TEXT NOT NULL)",
    "CREATE VIRTUAL TABLE texts USING fts5(words, content='', tokenize='unicode61 remove_diacritics 0')",
)
_SEARCH = (
    "SELECT p.url, p.title FROM texts JOIN pages p ON p.number = texts.rowid"
    " WHERE texts MATCH ? ORDER BY bm25(texts), p.number LIMIT ?"
)


class WordIndex:
    """Takes at most MOST_PAGES pages and MOST_TEXT characters. Threads may take turns with it."""

    def __init__(self, pages: Iterable[Page] = ()) -> None:
        self.count = self._length = 0
        self._connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        try:
            for sql in ("PRAGMA journal_mode = OFF", *_TABLES, "BEGIN"):  # nothing is ever rolled back
                self._connection.execute(sql)
            for page in pages:
                self._add(page)
                if self.full:
                    break
            self._connection.execute("COMMIT")
        except BaseException:
            self.close()
            raise

    @property
    def full(self) -> bool:
        return self.count >= MOST_PAGES or self._length >= MOST_TEXT

    def _add(self, page: Page) -> None:
        title = clipped(page.title)
        text = storable(" ".join((*words(title), *page.words[:MOST_WORDS])))
        row = (self.count, storable(page.final_url), storable(title))
        try:
            self._connection.execute("INSERT INTO pages VALUES (?, ?, ?)", row)
            self._connection.execute("INSERT INTO texts (rowid, words) VALUES (?, ?)", (self.count, text))
        except sqlite3.Error as error:
            raise Problem(f"What pages say cannot be indexed for leaps: {error}. Is the disk full?") from error
        self._length += sum(map(len, (*row[1:], text)))
        self.count += 1

    def search(self, asked: str, most: int) -> list[tuple[str, str]]:
        """Addresses and titles of pages with any of the words, best first."""
        wanted = query(asked)
        return self._connection.execute(_SEARCH, (wanted, most)).fetchall() if wanted else []

    def close(self) -> None:
        self._connection.close()
