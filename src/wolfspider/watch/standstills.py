"""The longest time for which a watch stood still: what was published then is news, however long ago it was."""

from __future__ import annotations

import json
import math
from typing import NamedTuple

from wolfspider.watch.book import Book

SHORT = 3600.0  # seconds between two landings that are no stop


class Standstill(NamedTuple):
    """Nothing was looked at from the one time to the other."""

    since: float
    until: float


class Standstills:
    """A stop matters for a window after it. Of several that matter the longest is remembered: a watch that is stopped
    for a weekend and has quiet hours every night goes on with the weekend."""

    def __init__(self, book: Book) -> None:
        self._book = book
        landed, stopped = book.remembered("landed"), book.remembered("stopped")
        self._last = -math.inf if landed is None else float(landed)
        self._longest = None if stopped is None else Standstill(*json.loads(stopped))

    def landed(self, at: float, window: float) -> None:
        """A visit brought something."""
        now, longest = Standstill(self._last, at), self._longest
        longer = 0.0 if longest is None or at - longest.until > window else _length(longest)
        if max(SHORT, longer) < _length(now) < math.inf:
            self._longest = now
            self._book.remember("stopped", json.dumps(now))
        self._last = max(self._last, at)

    def keep(self) -> None:
        if math.isfinite(self._last):
            self._book.remember("landed", str(self._last))

    def covers(self, published: float, at: float, window: float) -> bool:
        """Was it published while the watch was stopped, and found soon enough after that?"""
        one = self._longest
        return one is not None and one.since <= published <= one.until and at - one.until <= window


def _length(standstill: Standstill) -> float:
    return standstill.until - standstill.since
