"""When things happen: how busy each hour of a day is, on working days and at weekends, learned from counts.

An hour of the profile is 1 if it is as busy as the mean. `between` gives how many mean hours lie between two times: the
night counts for little, the evening for much. Times are seconds since 1970, in UTC.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import StoredFields, helper

HOUR = 3600.0
_DAY, _WEEK = 24, 168
_FIRST = 3 * _DAY  # 1970 began on a Thursday, a week here on a Monday
_TRUST = 5.0  # an hour is believed to be like the mean as if so many items had been seen in it
_LONGEST = 6.0  # a longer gap says too little about when something happened


@helper
class WeekProfile(StoredFields):
    def __init__(self) -> None:
        self.seen: NDArray[np.float64] = np.zeros(2 * _DAY)  # items in each hour of a working day, then of a weekend
        self.expected: NDArray[np.float64] = np.zeros(2 * _DAY)  # if every hour were as busy as any other
        self._sums: NDArray[np.float64] | None = None

    def state(self) -> dict[str, Any]:
        return {"seen": self.seen, "expected": self.expected}

    def learn(self, since: float, until: float, items: int, rate: float) -> None:
        """So many items appeared between two looks at a source that has `rate` items in a mean hour."""
        hours = (until - since) / HOUR
        if not 0 < hours <= _LONGEST:
            return
        at = since
        while at < until:
            end = min(until, (at // HOUR + 1) * HOUR)
            part, place = (end - at) / HOUR, _place(at)
            self.seen[place] += items * part / hours
            self.expected[place] += rate * part
            at = end
        self._sums = None

    def busy(self) -> NDArray[np.float64]:
        """How busy each hour is: those of a working day, then those of a weekend. Neighbours are alike."""
        seen, expected = (_smoothed(counts.reshape(2, _DAY)) for counts in (self.seen, self.expected))
        busy = ((seen + _TRUST) / (expected + _TRUST)).ravel()
        mean = (5 * busy[:_DAY].mean() + 2 * busy[_DAY:].mean()) / 7
        return np.asarray(busy / mean)

    def between(self, since: Any, until: float) -> Any:
        """Mean hours between these times; `since` may be many."""
        return self._until(until) - self._until(since)

    def _until(self, at: Any) -> Any:
        if self._sums is None:
            day, weekend = self.busy().reshape(2, _DAY)
            self._sums = np.concatenate(([0.0], np.cumsum(np.concatenate((*[day] * 5, *[weekend] * 2)))))
        hours = np.asarray(at) / HOUR + _FIRST
        weeks, hour = np.divmod(hours, _WEEK)
        whole = hour.astype(np.int64)
        here = self._sums[whole]
        return weeks * self._sums[-1] + here + (hour - whole) * (self._sums[whole + 1] - here)


def _place(at: float) -> int:
    hour = int(at / HOUR + _FIRST) % _WEEK
    return hour % _DAY + (_DAY if hour >= 5 * _DAY else 0)


def _smoothed(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((np.roll(counts, 1, axis=1) + 2 * counts + np.roll(counts, -1, axis=1)) / 4)
