"""What visits brought, in the order they landed, and the copies of a page: for those who follow a run as it grows."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from wolfspider.store.view import PAGE, StoredPage, page_row

# Copies of a page as of an entry of the journal, the newest first; what was thought of them is no part of this.
_COPIES = (
    f"SELECT {PAGE}, 0.0, 0, '{{}}' FROM pages p WHERE p.seq IN (SELECT DISTINCT page FROM held"  # noqa: S608
    " WHERE url = ? AND page IS NOT NULL AND seq <= ? ORDER BY page DESC LIMIT ?) ORDER BY p.seq DESC"
)
_COPY = f"SELECT {PAGE}, 0.0, 0, '{{}}' FROM pages p WHERE p.seq = ?"  # noqa: S608
_BROUGHT = (
    f"SELECT l.seq, l.n, l.url, l.failure, l.detail, l.at, v.agent, v.source, {PAGE}, IFNULL(l.score, 0.0),"  # noqa: S608
    " IFNULL(l.relevant, 0), IFNULL(l.evidence, '{}') FROM landings l LEFT JOIN visits v ON v.id = l.visit"
    " LEFT JOIN pages p ON p.seq = l.page WHERE (l.seq, l.n) > (?, ?) AND l.how = 'out' ORDER BY l.seq, l.n LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class BroughtPage:
    """What a visit that went out brought, and on whose behalf."""

    seq: int
    n: int
    url: str
    failure: str | None
    detail: str | None
    at: float
    agent: str
    source: str
    page: StoredPage | None  # also the copy at hand, where the server said that it still holds


def copies_of(connection: sqlite3.Connection, url: str, upto: int, most: int) -> list[StoredPage]:
    """The newest copies of a page as of an entry of the journal, the newest first."""
    return [page_row(*row) for row in connection.execute(_COPIES, (url, upto, most)).fetchall()]


def copy_numbered(connection: sqlite3.Connection, number: int) -> StoredPage | None:
    row = connection.execute(_COPY, (number,)).fetchone()
    return None if row is None else page_row(*row)


def brought_after(connection: sqlite3.Connection, seq: int, n: int, most: int) -> list[BroughtPage]:
    """What visits brought after this landing, in order, at most so many."""
    return [_brought(*row) for row in connection.execute(_BROUGHT, (seq, n, most)).fetchall()]


def _brought(*values: Any) -> BroughtPage:
    seq, n, url, failure, detail, at, agent, source, number, *rest = values
    page = None if number is None else page_row(number, *rest)
    return BroughtPage(seq, n, url, failure, detail, at, agent or "", source or "", page)
