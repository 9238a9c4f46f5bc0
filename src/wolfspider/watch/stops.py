"""The longest time for which a watch stood still: what was published then is news, however long ago it was."""

from __future__ import annotations

import json
from typing import NamedTuple

from wolfspider.watch.book import Book

SHORT = 3600.0  # seconds between two landings that are no stop


class Stop(NamedTuple):
    """Nothing was looked at from the one time to the other."""

    since: float
    until: float


class Stops:
    """A stop matters for a window after it. Of several that matter the longest is remembered: a watch that is stopped
    for a weekend and has quiet hours every night goes on with the weekend."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._last = book.remembered("landed")
        kept = book.remembered("stopped")
        self._stop = None if kept is None else Stop(*json.loads(kept))

    def landed(self, at: float, window: float) -> None:
        """A visit brought something."""
        last = at if self._last is None else float(self._last)
        if at - last > SHORT:
            stop, kept = Stop(last, at), self._stop
            if kept is None or at - kept.until > window or at - last >= kept.until - kept.since:
                self._stop = stop
                self._book.remember("stopped", json.dumps(stop))
        if at > last or self._last is None:
            self._last = str(at)

    def keep(self) -> None:
        if self._last is not None:
            self._book.remember("landed", str(self._last))

    def covers(self, published: float, at: float, window: float) -> bool:
        """Was it published while the watch was stopped, and found soon enough after that?"""
        stop = self._stop
        return stop is not None and stop.since <= published <= stop.until and at - stop.until <= window
