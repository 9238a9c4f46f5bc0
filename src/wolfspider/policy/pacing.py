"""How often a crawl that never ends may ask: so many downloads an hour, no page twice within a while, and no one at
all in quiet hours.

Downloads of an hour are spread over it: a minute's worth may start at once, and the rest come evenly, so that no hour
has more than its number. What is remembered follows from the visits that started, in their order, so that a run that is
resumed goes on counting. Quiet hours are a matter of clocks and calendars: whoever knows these hands them in.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from wolfspider.core.limits import Limits

HOUR, MINUTES = 3600.0, 60.0


def never_quiet(now: float) -> float:
    return now


class Pacing:
    """`quiet` gives the end of the quiet hours that a moment is in, or that moment itself."""

    def __init__(self, limits: Limits, quiet: Callable[[float], float] = never_quiet) -> None:
        self.limits, self.quiet = limits, quiet
        self.taken = 0.0  # downloads that started and are not made up for yet, when the last one did
        self.at = -math.inf  # when that was
        self.looks: OrderedDict[str, float] = OrderedDict()  # when pages were last asked for, the oldest first

    @property
    def _at_once(self) -> float:
        return max(1.0, self.limits.per_hour / MINUTES)

    def _rate(self) -> float:
        """Downloads a second that are made up for: with those that may start at once, an hour has its number."""
        return (self.limits.per_hour - self._at_once + 1.0) / HOUR

    def _owed(self, now: float) -> float:
        return max(0.0, self.taken - (now - self.at) * self._rate()) if self.taken else 0.0

    def free(self, now: float) -> float:
        """How many downloads may start."""
        if self.quiet(now) > now:
            return 0
        return math.inf if not self.limits.per_hour else int(self._at_once - self._owed(now) + 1e-6)

    def opens(self, now: float) -> float:
        """When a download may start; the moment itself if one may."""
        if (end := self.quiet(now)) > now:
            return end
        if not self.limits.per_hour or self.free(now) >= 1:
            return now
        return now + max(1e-3, (self._owed(now) - self._at_once + 1.0) / self._rate())

    def started(self, url: str, now: float) -> None:
        """A download starts."""
        if self.limits.per_hour:
            self.taken, self.at = self._owed(now) + 1.0, now
        if self.limits.every:
            self.looks[url] = now
            self.looks.move_to_end(url)
            while self.looks and now - next(iter(self.looks.values())) >= self.limits.every:
                self.looks.popitem(last=False)

    def lately(self, url: str, now: float) -> bool:
        """Was this page asked for so lately that the copy at hand must do?"""
        return bool(self.limits.every) and now - self.looks.get(url, -math.inf) < self.limits.every

    def state(self) -> dict[str, Any]:
        return {"taken": self.taken, "at": self.at, "urls": list(self.looks), "looks": list(self.looks.values())}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.taken, self.at = state["taken"], state["at"]
        self.looks = OrderedDict(zip(state["urls"], state["looks"], strict=True))
