"""What the dashboard knows of its folder: which runs are there, and answers that are dear to work out, kept a while."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from wolfspider.app.run_children import RunChildren
from wolfspider.app.settings import Settings, choose
from wolfspider.core.errors import Problem
from wolfspider.files.lock import is_owned
from wolfspider.store.folder import Places, is_run

T = TypeVar("T")
_KEPT = 300  # answers
_LASTING = 40  # things that grow with their runs
_AGE = 0.5  # seconds for which an answer is good at least
_SHARE = 10  # an answer that took a second to work out is good for so many, however the run changes


class Missing(Problem):
    """What was asked for is not here."""


@dataclass(frozen=True, slots=True)
class ForAll:
    """What the person chose when the dashboard was started, for every crawl that is started from it."""

    config: Path | None = None
    preset: str = ""
    contact: str = ""
    via: str = ""

    def flags(self) -> dict[str, str]:
        return {name: value for name, value in (("contact", self.contact), ("via", self.via)) if value}

    def settings(self) -> Settings:
        return choose(self.flags(), self.config, self.preset).settings


class _KeptAnswer(NamedTuple):
    owned: bool  # was a process at work on the run before it was worked out?
    stamp: object  # of the run's files, then
    until: float  # it is good until then in any case
    value: Any


@dataclass
class RunDesk:
    """One folder of runs."""

    folder: Path
    for_all: ForAll = field(default_factory=ForAll)
    _kept: OrderedDict[tuple[Path, str], _KeptAnswer] = field(default_factory=OrderedDict)
    _lasting: OrderedDict[tuple[Path, str], Any] = field(default_factory=OrderedDict)
    _working: dict[tuple[Path, str], threading.Lock] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.children = RunChildren(self.folder, lambda name: True)
        self.folder = self.children.folder

    def run(self, name: str) -> Path:
        """The folder of a run, by its name alone."""
        run = self.children.inside(name)
        if run is None or not run.is_dir() or not is_run(run):
            raise Missing(f"There is no run {name[:80]!r} in {self.folder}.")
        return run

    def remembered(self, run: Path, what: str, make: Callable[[], T]) -> T:
        """What `make` gives, worked out once for a state of the run, and by one thread at a time. What was worked out
        while the run went on is not good for a moment longer once it is over: the last figures are told at once."""
        key = (run, what)
        with self._lock:
            working = self._working.setdefault(key, threading.Lock())
        with working:
            owned, kept = is_owned(Places.of(run).lock), self._kept.get(key)
            stamp = _stamp(run)
            began = time.monotonic()
            if kept is not None and kept.owned == owned and (kept.stamp == stamp or began < kept.until):
                found: T = kept.value
                return found
            value = make()
            took = time.monotonic() - began
            with self._lock:
                self._kept[key] = _KeptAnswer(owned, stamp, began + took + max(_AGE, _SHARE * took), value)
                self._kept.move_to_end(key)
                while len(self._kept) > _KEPT:
                    self._working.pop(self._kept.popitem(last=False)[0], None)
            return value

    def lasting(self, run: Path, what: str, make: Callable[[], T]) -> T:
        """Something that grows with a run and is dear to make anew; of the runs that were asked for last."""
        with self._lock:
            key = (run, what)
            found: T = self._lasting[key] if key in self._lasting else make()
            self._lasting[key] = found
            self._lasting.move_to_end(key)
            while len(self._lasting) > _LASTING:
                self._lasting.popitem(last=False)
            return found

    def alone(self, run: Path, what: str) -> threading.Lock:
        """To be held by who does this with the run: one thread at a time."""
        with self._lock:
            return self._working.setdefault((run, what), threading.Lock())

    def forget(self, run: Path) -> None:
        """A person has just changed it, and wants to see that."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == run]:
                del self._kept[key]


def _stamp(run: Path) -> object:
    """Changes whenever something is committed."""
    places = Places.of(run)
    return [_of_file(path) for path in (places.database, places.wal, places.inbox, run / "watch.db-wal")]


def _of_file(path: Path) -> tuple[int, int]:
    try:
        found = os.stat(path, follow_symlinks=False)
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
