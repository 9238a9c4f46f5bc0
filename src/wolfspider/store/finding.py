"""Pages that are found by words, best first: an index in memory, ranked by BM25."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from wolfspider.model import Page
from wolfspider.store.categories import query
from wolfspider.text import words

MOST_PAGES = 20_000
MOST_WORDS = 5_000  # of a page; what it is about is said by then
_TABLE = (
    "CREATE VIRTUAL TABLE found"
    " USING fts5(url UNINDEXED, title UNINDEXED, text, tokenize='unicode61 remove_diacritics 0')"
)
_SEARCH = "SELECT url, title FROM found WHERE found MATCH ? ORDER BY bm25(found), rowid LIMIT ?"


class Finding:
    """The pages that were added so far; beyond MOST_PAGES there are no more."""

    def __init__(self, pages: Iterable[Page] = ()) -> None:
        self.count = 0
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute(_TABLE)
        for page in pages:
            if not self.add(page):
                break

    def add(self, page: Page) -> bool:
        """Is there room for more?"""
        text = " ".join((*words(page.title), *page.words[:MOST_WORDS]))
        row = (page.final_url, page.title, text)
        self._connection.execute("INSERT INTO found VALUES (?, ?, ?)", tuple(map(_storable, row)))
        self.count += 1
        return self.count < MOST_PAGES

    def search(self, asked: str, most: int) -> list[tuple[str, str]]:
        """Addresses and titles of pages with any of the words."""
        wanted = query(asked)
        return self._connection.execute(_SEARCH, (wanted, most)).fetchall() if wanted else []

    def close(self) -> None:
        self._connection.close()


def _storable(text: str) -> str:
    """Halves of characters cannot be stored."""
    return text.encode("utf-8", "replace").decode()
