"""Fail-points: named places where a test can kill the process, to try a crash between any two steps.

The environment variable WOLFSPIDER_FAILPOINT names one of them (`archive-written`), or the time it is reached
(`archive-written:3`), or how many of any name are passed (`any:40`). The process then kills itself there: nothing is
closed or flushed. Without the variable a place costs a comparison.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from wolfspider.core.errors import Problem, closest

VARIABLE = "WOLFSPIDER_FAILPOINT"
ANY = "any"  # stands for every name
NAMES = (
    "archive-before-write",
    "archive-torn",
    "archive-written",
    "archive-before-rotation",
    "archive-rotated",
    "archive-before-sync",
    "archive-synced",
    "recover-before-aside",
    "recover-before-cut",
    "recover-done",
    "shelf-before-flush",
    "shelf-torn",
    "shelf-flushed",
    "shelf-cut",
    "index-before-rename",
    "index-renamed",
    "create-before-rename",
    "create-done",
    "turn-before-commit",
    "turn-committed",
    "snapshot-written",
    "snapshot-synced",
    "snapshot-renamed",
    "snapshot-committed",
    "snapshot-tidied",
    "rows-before-cut",
    "rows-cut",
    "repair-made",
    "repair-planned",
    "repair-moving",
    "repair-moved",
    "repair-unplanned",
    "hand-sending",
    "hand-reading",
    "hand-done",
    "run-recalled",
    "run-sent",
    "run-landed",
    "run-told",
)


class Failpoint:
    """A place, and how many times the process still passes it before it dies."""

    def __init__(self, setting: str) -> None:
        self.name, _, times = setting.partition(":")
        if self.name not in (*NAMES, ANY):
            raise Problem(f"{VARIABLE} names no fail-point.{closest(self.name, NAMES)}")
        if not (times or "1").isdecimal():
            raise Problem(f"{VARIABLE} is a name, or a name and a number: {self.name}:3.")
        self.left = int(times or "1")

    def reach(self, name: str, last_deed: Callable[[], object] | None) -> None:
        if self.name not in (name, ANY):
            return
        self.left -= 1
        if self.left == 0:
            if last_deed is not None:
                last_deed()
            os.kill(os.getpid(), signal.SIGKILL)


_setting = os.environ.get(VARIABLE)
_armed = Failpoint(_setting) if _setting else None


def reach(name: str, last_deed: Callable[[], object] | None = None) -> None:
    """Die here if the variable says so; `last_deed` is called just before, such as half of a write."""
    if _armed is not None:
        _armed.reach(name, last_deed)
