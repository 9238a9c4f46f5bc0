"""When a link appeared: on a page that was looked at before and did not have it then.

A page without a date is news only if its link is: everything that was there at the first look may be years old.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from wolfspider.core.model import Page
from wolfspider.store.brought_pages import copies_of
from wolfspider.store.view import StoredPage

COPIES = 6  # of the page that showed it, the newest, that are looked through
REMEMBERED = 500  # copies whose links are kept


class Appeared(NamedTuple):
    after: float  # the link was not there yet
    by: float  # and then it was


class Appearing:
    """`parsed` reads a copy from the archive again."""

    def __init__(self, parsed: Callable[[StoredPage], Page | None]) -> None:
        self._parsed = parsed
        self._links: OrderedDict[int, frozenset[str]] = OrderedDict()

    def of(self, run: sqlite3.Connection, link: str, source: str, upto: int) -> Appeared | None:
        """None if the link may always have been there. `upto`: as of this entry of the journal."""
        by: float | None = None
        for row in copies_of(run, source, upto, COPIES):
            if link in self._shown(row):
                by = row.at
            elif by is not None:
                return Appeared(row.at, by)
        return None

    def _shown(self, row: StoredPage) -> frozenset[str]:
        if row.number not in self._links:
            page = self._parsed(row)
            self._links[row.number] = frozenset(one.url for one in page.links) if page else frozenset()
            while len(self._links) > REMEMBERED:
                self._links.popitem(last=False)
        return self._links[row.number]
