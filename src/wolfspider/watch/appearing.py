"""When a link appeared: on a page that was looked at before and did not have it then.

A page without a date is news only if its link is: everything that was there at the first look may be years old.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import NamedTuple

from wolfspider.core.model import Page
from wolfspider.store.brought_pages import copies_of
from wolfspider.store.view import StoredPage

COPIES = 6  # of the page that showed it, the newest, that are looked through
REMEMBERED = 500  # copies whose links are kept
MOST_LINKS = 500_000  # of all these copies together: 4 MB; one page has at most 5,000


class Appeared(NamedTuple):
    after: float  # the link was not there yet
    by: float  # and then it was


class Appearing:
    """`parsed` reads a copy from the archive again. Of links that were read, their digests are kept, in order."""

    def __init__(self, parsed: Callable[[StoredPage], Page | None]) -> None:
        self._parsed = parsed
        self._links: OrderedDict[int, array[int]] = OrderedDict()
        self._kept = 0  # links of all copies

    def of(self, run: sqlite3.Connection, link: str, source: str, upto: int) -> Appeared | None:
        """None if the link may always have been there. `upto`: as of this entry of the journal."""
        by: float | None = None
        for row in copies_of(run, source, upto, COPIES):
            if _is_among(_key(link), self._shown(row)):
                by = row.at
            elif by is not None:
                return Appeared(row.at, by)
        return None

    def _shown(self, row: StoredPage) -> array[int]:
        known = self._links.get(row.number)
        if known is not None:
            self._links.move_to_end(row.number)
            return known
        page = self._parsed(row)
        shown = self._links[row.number] = array("Q", sorted({_key(one.url) for one in page.links}) if page else ())
        self._kept += len(shown)
        while len(self._links) > REMEMBERED or self._kept > MOST_LINKS:
            self._kept -= len(self._links.popitem(last=False)[1])
        return shown


def _key(url: str) -> int:
    return int.from_bytes(blake2b(url.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def _is_among(key: int, keys: array[int]) -> bool:
    place = bisect_left(keys, key)
    return place < len(keys) and keys[place] == key
