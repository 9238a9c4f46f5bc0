"""When a live crawl takes its next snapshot: often enough that a resume is quick, seldom enough that it costs little.

A resume replays what came since the last snapshot: pages are parsed, judged and observed again. So a snapshot is due
after so many landings, or so much work, or so much time, whichever comes first; but whatever comes, only a small share
of the work, and of the time, goes into snapshots. Both hold while a snapshot takes less than SHARE * WORK seconds. If
it takes longer, because the frontier is very large, a resume takes up to 1 / SHARE times as long as a snapshot.

What a snapshot takes is counted by the processor, not by the clock: on a busy machine or a slow disk one may take
minutes, and the next would come so late that a resume takes as long.
"""

from __future__ import annotations

import time
from collections.abc import Callable

SHARE = 0.05  # of the work, and of the time, may go into snapshots
WORK = 5.0  # seconds of the processor
LANDINGS = 2_000  # of pages of ordinary size, for pages that are parsed by other processes
ORDINARY = 20_000  # bytes


class SnapshotTiming:
    """`seconds` lie between two at most, if the others do not come first. `worked`: seconds of the processor that went
    into the replay of a run that was resumed, and would again."""

    def __init__(
        self,
        seconds: float,
        clock: Callable[[], float],
        worked: float = 0.0,
        work: Callable[[], float] = time.process_time,
    ) -> None:
        self._seconds, self._clock, self._work = seconds, clock, work
        self.taken(0.0)
        self._worked -= worked

    def taken(self, cost: float) -> None:
        """A snapshot was taken just now, and took so many seconds of the processor."""
        self._landings = 0.0
        self._last, self._worked, self._cost = self._clock(), self._work(), cost

    def took_more(self, cost: float) -> None:
        self._cost += cost

    def landed(self, size: int) -> None:
        """A large page counts for several."""
        self._landings += 1 + size / ORDINARY

    def due(self) -> bool:
        passed, worked = self._clock() - self._last, self._work() - self._worked
        if SHARE * min(passed, worked) < self._cost:
            return False
        return passed >= self._seconds or self._landings >= LANDINGS or worked >= WORK
