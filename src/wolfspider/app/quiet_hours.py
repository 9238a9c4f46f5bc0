"""Hours of the day in which nobody is asked, as a person writes them: `23:00-06:30`, several parted by commas.

They are hours of the machine's own time zone.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from wolfspider.core.errors import Problem

DAY = 86_400.0
_SPAN = re.compile(r"\s*(\d{1,2})(?::(\d\d))?\s*-\s*(\d{1,2})(?::(\d\d))?\s*", re.ASCII)


class QuietHours:
    """Called with a moment, it gives the end of the quiet hours that the moment is in, or the moment itself."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self.spans = spans  # seconds of the day; one that ends before it begins goes on after midnight

    @classmethod
    def read(cls, text: str) -> QuietHours:
        spans = [_span(part) for part in text.split(",") if part.strip()]
        if spans and all(any(_lasts(span, minute * 60) for span in spans) for minute in range(24 * 60)):
            raise Problem(f"The quiet hours {text!r:.80} leave no time to ask in.")
        return cls(spans)

    def __call__(self, now: float) -> float:
        until = now
        for _ in self.spans:  # one may begin where another ends
            until = max([until, *(until + left for span in self.spans if (left := _left(span, until)) > 0)])
        return until


def _span(text: str) -> tuple[int, int]:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise Problem(f"Quiet hours are written as 23:00-06:30, not {text.strip()!r:.40}.")
    begin, end = (int(found[at]) * 3600 + int(found[at + 1] or 0) * 60 for at in (1, 3))
    if begin > DAY or end > DAY or any(int(found[at] or 0) > 59 for at in (2, 4)):
        raise Problem(f"A day has 24 hours of 60 minutes, and {text.strip()!r:.40} names others.")
    if begin == end:
        raise Problem(f"The quiet hours {text.strip()!r:.40} are none: they end when they begin.")
    return begin % int(DAY), end


def _left(span: tuple[int, int], now: float) -> float:
    """Seconds that these hours last from now on; 0 if it is another time of the day."""
    there = time.localtime(now)
    return _lasts(span, there.tm_hour * 3600 + there.tm_min * 60 + there.tm_sec + now % 1)


def _lasts(span: tuple[int, int], second: float) -> float:
    """The same for a second of the day."""
    begin, end = span
    if begin < end:
        return end - second if begin <= second < end else 0.0
    if second >= begin:
        return DAY - second + end
    return end - second if second < end else 0.0
