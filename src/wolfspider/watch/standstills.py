"""The longest time for which a watch stood still: what was published then is news, however long ago it was."""

from __future__ import annotations

import json
import math
from typing import NamedTuple

from wolfspider.watch.book import Book

SHORT = 3 * 3600.0  # seconds without a page that are no standstill


class Standstill(NamedTuple):
    """No page came from the one time to the other."""

    since: float
    until: float


class Standstills:
    """A standstill matters for a window after it. Of several that matter the longest is remembered: a watch that is
    stopped for a weekend and has quiet hours every night goes on with the weekend."""

    def __init__(self, book: Book) -> None:
        self._book = book
        landed, stopped = book.remembered("landed"), book.remembered("stopped")
        last = book.last_looked() if landed is None else float(landed)  # books of earlier versions lack it
        self._last = -math.inf if last is None else last
        self._longest = None if stopped is None else Standstill(*json.loads(stopped))

    def landed(self, at: float, window: float) -> bool:
        """A page came. Was that the end of a standstill? Two with little between them are one."""
        now, longest = Standstill(self._last, at), self._longest
        if longest is not None and now.since - longest.until <= SHORT < _length(now):
            now = Standstill(longest.since, at)
        longer = 0.0 if longest is None or at - longest.until > window else _length(longest)
        stood = SHORT < at - self._last < math.inf
        if stood and longer < _length(now):
            self._longest = now
            self._book.remember("stopped", json.dumps(now))
        self._last = max(self._last, at)
        return stood

    def keep(self) -> None:
        if math.isfinite(self._last):
            self._book.remember("landed", str(self._last))

    def stands(self, now: float) -> bool:
        """Has no page come for long?"""
        return now - self._last > SHORT

    def covers(self, published: float, latest: float, at: float, window: float) -> bool:
        """Might it have become news while the watch stood still, and was it found soon enough after that? `latest`: up
        to when it may have been published."""
        one = self._longest
        return one is not None and one.since - window <= latest and published <= one.until and at - one.until <= window

    def during(self, since: float, until: float) -> bool:
        """Does the longest one lie between these times, or in part?"""
        return self._longest is not None and self._longest.since < until and since < self._longest.until


def _length(standstill: Standstill) -> float:
    return standstill.until - standstill.since
