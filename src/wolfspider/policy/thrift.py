"""Thrift: is a link worth a download now, while better ones wait at hosts that are busy or rest?

The budget is hard and a rest is only time, so a free slot is no reason to spend a download. A link gives way to a
better one if the host of that one will be free within a few cycles of a typical host: its rest, and what an answer
takes. Nobody waits longer than that for anybody: not for a host that is dead, in trouble or slow without end.

A person in a hurry says how many downloads a minute they want. While a crawl is behind that pace, nothing gives way.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from enum import StrEnum
from statistics import median
from typing import Any, NamedTuple

from wolfspider.core.limits import AT_ONCE

CYCLES = 5.0  # of a typical host, that a link gives way for
RECENT = 100  # good answers that say how long one typically takes
CATCHING_UP = 10.0  # seconds; by how much a crawl may be behind its pace and still make up for it


class Worth(StrEnum):
    """Whether a link is worth a download now: what a Room answers."""

    NOW = "now"
    HASTY = "hasty"  # only because the crawl is behind its pace
    GIVES_WAY = "gives way"


class Way(NamedTuple):
    """What is waited for: a host with a better link."""

    host: str
    until: float  # when it may be free, or is waited for no longer
    slots: int = 0  # that are free meanwhile


class Thrift:
    """How long a cycle is, and how far a crawl is behind the pace that is wanted."""

    def __init__(self) -> None:
        self.hurry = AT_ONCE  # downloads a minute that are wanted
        self.hasty = 0  # downloads that went to a link though a better one waited
        self._seconds: deque[float] = deque(maxlen=RECENT)  # of good answers; others say nothing of the next one
        self._due = -math.inf  # when the next download must start, to keep the pace

    @property
    def typical(self) -> float:
        """Seconds that a good answer takes."""
        return median(self._seconds) if self._seconds else 0.0

    def answered(self, seconds: float) -> None:
        self._seconds.append(seconds)

    def started(self, now: float) -> None:
        """A download starts."""
        if 0 < self.hurry < AT_ONCE:
            self._due = (max(self._due, now - CATCHING_UP) if self._due > -math.inf else now) + 60.0 / self.hurry

    def due(self) -> float:
        """From when on the crawl is behind its pace; inf if nobody is in a hurry."""
        return self._due if self.hurry > 0 else math.inf

    def state(self) -> dict[str, Any]:
        return {"seconds": list(self._seconds), "due": self._due, "hasty": self.hasty}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Thrift:
        made = cls()
        made._seconds.extend(state["seconds"])
        made._due, made.hasty = state["due"], state["hasty"]
        return made
