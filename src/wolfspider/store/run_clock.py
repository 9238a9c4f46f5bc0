"""What time it is in a run: ours, unless the web that it crawls has a time of its own (`web serve --speed`).

Then each session notes in the run which of its moments is which of ours, and how fast time passes there. Whoever tells
the age of something in a run asks here. While nobody crawls such a run, its time stands still at the last moment that
it told of: how long its web goes on nobody knows.
"""

from __future__ import annotations

import json
import math
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from wolfspider.core.errors import Problem
from wolfspider.files.lock import is_owned
from wolfspider.store.database import connect_beside
from wolfspider.store.folder import Places
from wolfspider.store.gauges import gauges

KEEP = "INSERT OR REPLACE INTO meta VALUES ('clock', ?)"
DROP = "DELETE FROM meta WHERE name = 'clock'"
FIND = "SELECT value FROM meta WHERE name = 'clock'"
SHORT = 2.0  # seconds of ours: a rest that ends within them is not worth a word


@dataclass(frozen=True, slots=True)
class RunClock:
    """A moment of ours, the same one in the run, and the seconds that pass there in one of ours."""

    here: float = 0.0
    there: float = 0.0
    speed: float = 1.0
    rests: float | None = None  # the moment of the run at which its time stands still, if it does

    def now(self, here: float | None = None) -> float:
        """`here`: at this moment of ours."""
        if self.rests is not None:
            return self.rests
        return self.there + ((time.time() if here is None else here) - self.here) * self.speed

    def ours(self, seconds: float) -> float:
        """How long so many seconds of the run take."""
        return seconds / self.speed

    def soon(self) -> float:
        """The moment of the run before which the end of a rest is not worth a word."""
        return self.now() + SHORT * self.speed

    @property
    def passes(self) -> float:
        """Seconds that pass in the run, at present, in one of ours."""
        return self.speed if self.rests is None else 0.0

    def noted(self) -> str:
        return json.dumps([self.here, self.there, self.speed])


def clock_of(run: Path, idle: bool = False) -> RunClock:
    """`idle`: the caller holds the lock of the run, and nobody crawls it."""
    places = Places.of(run)
    noted, last = _noted(places)
    if noted is None or (not idle and is_owned(places.lock)):
        return noted or RunClock()
    return replace(noted, rests=max(noted.there, last))


def _noted(places: Places) -> tuple[RunClock | None, float]:
    """What was noted, and the last moment that the run told of."""
    if not places.database.is_file():
        return None, 0.0
    try:
        with closing(connect_beside(places.database)) as connection:
            row = connection.execute(FIND).fetchone()
            told = gauges(connection, 1) if row else []
    except (sqlite3.Error, Problem):  # a damaged run is told of elsewhere
        return None, 0.0
    return read(row[0]) if row else None, told[0].at if told else 0.0


def read(text: object) -> RunClock | None:
    """None for what is no such note."""
    try:
        here, there, speed = map(float, json.loads(str(text)))
    except (ValueError, TypeError, RecursionError, OverflowError):
        return None
    fits = all(map(math.isfinite, (here, there, speed))) and speed > 0
    return RunClock(here, there, speed) if fits else None
