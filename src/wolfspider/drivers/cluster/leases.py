"""Leases: a worker asks hosts only while the head was in touch with it, and a late word of its counts for nothing.

A worker sends the head a stamp of its own clock now and then, and the head sends it back. A stamp that came back holds
for the term of a lease from the moment it was taken, on the worker's own clock: so a worker that was stopped, or cut
off, finds its lease over when it goes on, whatever lies in its mailbox. The head counts the term from when it sent the
stamp back, which is later: once that is over, no request of this worker can begin.

Each lease has an epoch, a number that is never given twice. Pure: times are handed in.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass

TERM = 5.0  # seconds
MARGIN = 0.9  # a worker goes by so much of the term: clocks of two machines do not run quite alike
STAMPS = 5  # a worker sends so many in a term
TICKS = 12  # looks of the head, a tenth of a term apart, without a word from a worker: then it is lost


def machine_clock() -> float:
    """Seconds that go on while a process is stopped, and while the machine sleeps, where the system counts those."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()


class Lease:
    """The worker's side."""

    def __init__(self, term: float) -> None:
        self.term = term
        self._until = -math.inf

    def renewed(self, stamp: float) -> None:
        """A stamp came back. It may be an old one."""
        self._until = max(self._until, stamp + self.term * MARGIN)

    def holds(self, now: float) -> bool:
        return now < self._until


@dataclass(slots=True)
class _Held:
    epoch: int
    renewed: float  # when a stamp was last sent back
    silent: int = 0  # looks since a word came


class Leases:
    """The head's side: who has one."""

    def __init__(self, term: float = TERM) -> None:
        self.term = term
        self._held: dict[str, _Held] = {}
        self._epochs = 0

    def grant(self, worker: str, now: float) -> int:
        """The epoch of a new lease. One that the worker had is over."""
        self._epochs += 1
        self._held[worker] = _Held(self._epochs, now)
        return self._epochs

    def current(self, worker: str, epoch: int) -> bool:
        """Does what comes with this epoch count?"""
        held = self._held.get(worker)
        return held is not None and held.epoch == epoch

    def heard(self, worker: str, epoch: int, now: float) -> bool:
        """A stamp came, and is sent back now, unless this says that it came too late."""
        if not self.current(worker, epoch):
            return False
        held = self._held[worker]
        held.renewed, held.silent = now, 0
        return True

    def looked(self, now: float) -> list[str]:
        """Call it every tenth of a term: workers that are lost. Looks are counted, and not only time: if it was the
        head that stood still, nobody is lost for that."""
        lost = []
        for worker, held in self._held.items():
            held.silent += 1
            if held.silent > TICKS and now >= held.renewed + self.term:
                lost.append(worker)
        return lost

    def ended(self, worker: str, now: float) -> float:
        """Its lease is over. Seconds from now until which a request of its may still begin."""
        held = self._held.pop(worker, None)
        return 0.0 if held is None else max(0.0, held.renewed + self.term - now)

    def age(self, worker: str, now: float) -> float:
        """Seconds since it was last renewed."""
        return now - self._held[worker].renewed
