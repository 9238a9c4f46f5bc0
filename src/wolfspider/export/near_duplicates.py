"""Which pages nearly equal an earlier one, found by their signatures, with memory that does not grow with their number.

Two signatures of 64 bits that differ in at most three bits agree in at least one of four bands of 16 bits, so only
pages that share a band are compared. The bands lie in a database without a name, which SQLite keeps in a temporary
file.
"""

from __future__ import annotations

import sqlite3

BITS = 3  # in which signatures of nearly equal pages may differ
FEWEST_WORDS = 16  # of a page whose signature says anything
_BANDS, _WIDTH = 4, 16
_MOST = 1_000  # pages of a band that are compared: a hostile site may fill one
_CACHE = 8_192  # kilobytes
_TABLES = """
CREATE TABLE firsts (number INTEGER PRIMARY KEY, near TEXT NOT NULL, url TEXT NOT NULL);
CREATE TABLE bands (band INTEGER, number INTEGER, PRIMARY KEY (band, number)) WITHOUT ROWID;
CREATE TABLE digests (digest TEXT PRIMARY KEY, url TEXT NOT NULL) WITHOUT ROWID;
"""
_ALIKE = (
    "SELECT near, url FROM bands JOIN firsts ON firsts.number = bands.number WHERE band = ?"
    " ORDER BY bands.number LIMIT ?"
)


class NearDuplicates:
    """The pages so far. Only those that equal no earlier one are remembered."""

    def __init__(self) -> None:
        self._pages = sqlite3.connect("", isolation_level=None)
        self._pages.execute(f"PRAGMA cache_size = -{_CACHE}")
        self._pages.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {_TABLES} BEGIN;")

    def first_like(self, url: str, digest: str, near: int, words: int) -> str | None:
        """The earliest page that this one nearly equals; None if it is the first of its kind."""
        found = self._pages.execute("SELECT url FROM digests WHERE digest = ?", (digest,)).fetchone()
        if found is not None:
            return str(found[0])
        telling = words >= FEWEST_WORDS
        earlier = self._alike(near) if telling else None
        self._pages.execute("INSERT INTO digests VALUES (?, ?)", (digest, earlier or url))
        if telling and earlier is None:
            sql = "INSERT INTO firsts (near, url) VALUES (?, ?)"
            number = self._pages.execute(sql, (f"{near:x}", url)).lastrowid
            self._pages.executemany("INSERT INTO bands VALUES (?, ?)", [(band, number) for band in _bands(near)])
        return earlier

    def _alike(self, near: int) -> str | None:
        for band in _bands(near):
            for other, url in self._pages.execute(_ALIKE, (band, _MOST)):
                if (int(other, 16) ^ near).bit_count() <= BITS:
                    return str(url)
        return None

    def close(self) -> None:
        self._pages.close()


def _bands(near: int) -> list[int]:
    return [place << _WIDTH | near >> place * _WIDTH & (1 << _WIDTH) - 1 for place in range(_BANDS)]
