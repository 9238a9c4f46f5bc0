"""All that has happened in a run, kept up to date by what came since the last look: a run of a million pages is read
once, and then a few rows at a time.

What counts as a page is said in store/page_count.py, and what a failure is in store/view.py: here the same is counted
step by step. Whatever is not an addition (a run that was cut back after a crash, folded, repaired, or has forgotten
something) is noticed, and all of it read anew.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from wolfspider.app.present_settings import PresentSettings
from wolfspider.core.events import Gauge
from wolfspider.core.failures import in_words
from wolfspider.core.model import Failure, host_of
from wolfspider.dashboard.desk import RunDesk
from wolfspider.report.run_facts import Commanded, OfHost, Reason, commanded, ranked
from wolfspider.store import gauges
from wolfspider.store.damage import reading
from wolfspider.store.folder import Places
from wolfspider.store.page_count import HIDDEN, NEWEST, PageCount
from wolfspider.store.repair.forgotten_list import FORGOTTEN_PAGE
from wolfspider.store.view import RunView, Summary, around, downloads_apart

_NOTHING = -(1 << 62)  # before every step
_GONE = -1  # a page whose address leads elsewhere now, or of which there is a newer copy
_ALL_PAGES = f"SELECT p.seq, h.relevant, p.host, p.size, {HIDDEN}, p.truncated FROM {NEWEST} ORDER BY p.seq"  # noqa: S608
_TOUCHED = "SELECT l.url, p.final_url FROM landings l JOIN pages p ON p.seq = l.page WHERE l.seq > ?"
_SAID = "SELECT 1 FROM log WHERE kind = 'command' AND seq > ? LIMIT 1"
_LABELLED = "SELECT url FROM held WHERE seq > ?"
_HELD = (
    f"SELECT p.seq, h.relevant, p.host, p.size, {HIDDEN}, p.truncated, p.final_url"  # noqa: S608
    " FROM held h JOIN pages p ON p.seq = h.page"
    " WHERE h.url = ? AND h.seq <= ? ORDER BY h.seq DESC LIMIT 1"
)
_LANDED = (
    f"SELECT seq, visit, url, IFNULL(cost, 0), at, failure, detail, how = 'out' AND NOT {FORGOTTEN_PAGE}"  # noqa: S608
    " FROM landings WHERE seq > ? ORDER BY seq, n"
)
_VISITS = "SELECT id, url FROM visits WHERE id > ? ORDER BY id"
_OBEYED = (
    "SELECT e.seq, e.at, e.data, e.command, c.who FROM events e LEFT JOIN commands c ON c.id = e.command"
    " WHERE e.kind = 'Obeyed' AND e.seq > ? ORDER BY e.seq, e.n"
)
_LAST = "SELECT seq, n, url, at FROM landings ORDER BY seq DESC, n DESC LIMIT 1"
_SAME = "SELECT 1 FROM landings WHERE seq = ? AND n = ? AND url IS ? AND at IS ?"
_NEWEST_STEP = "SELECT IFNULL(MAX(seq), 0) FROM log"
_NOTES = "SELECT name, value FROM meta WHERE name IN ('folded', 'forgotten') ORDER BY name"

PageOfRun = tuple[int, Any, str, int, int, Any]  # number, relevant, host, bytes, hidden (noindex), truncated


class RunPast:
    """For several threads, one at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._lock = folder, threading.Lock()
        self._gauges: dict[int, Gauge | None] = {}
        self._clear()

    def _clear(self) -> None:
        self.steps, self.spent, self.at = array("q"), array("q"), array("d")  # those that cost downloads, and how many
        self.numbers, self.relevant = array("q"), array("b")  # of pages, in the order they came
        self.count, self.downloads = PageCount(), 0
        self._landed = 0  # downloads of the crawl itself
        self.hosts: dict[str, OfHost] = {}
        self.failures: Counter[str] = Counter()
        self.reasons: Counter[tuple[str, str]] = Counter()
        self.out: dict[int, str] = {}  # visits that are under way, or wait
        self.commands: list[Commanded] = []
        self.present = PresentSettings({})
        self._visit = self._step = _NOTHING  # the last that were read
        self._last: tuple[Any, ...] | None = None
        self._made: object = None

    def summary(self) -> Summary:
        """As RunView.summary gives it."""
        with self.now() as connection, reading(Places.of(self.folder).database, "how the run stands"):
            reasons = Counter[str]()
            for (_, words), visits in self.reasons.items():
                reasons[words] += visits
            hosts = sum(host.pages > 0 for host in self.hosts.values())
            return Summary(self.count, self.downloads, self.failures.copy(), reasons, hosts, *around(connection))

    def hosts_and_reasons(self) -> tuple[list[OfHost], list[Reason]]:
        """As run_facts.hosts_and_reasons gives them."""
        with self.now():
            copied = [
                OfHost(one.name, one.pages, one.relevant, one.bytes, one.failures.copy()) for one in self.hosts.values()
            ]
            return ranked((one for one in copied if one.pages or one.failures), self.reasons)

    def said(self) -> tuple[list[Commanded], PresentSettings]:
        """Everything that people said to the run, oldest first; and how it is set by now."""
        with self.now():
            present = self.present
            copied = PresentSettings(present.first, dict(present.now), present.first_params, dict(present.params))
            return list(self.commands), copied

    def waiting(self) -> Counter[str]:
        """Visits that are under way or wait, by their hosts."""
        with self.now():
            return Counter(map(host_of, self.out.values()))

    def under_way(self) -> list[str]:
        """The addresses of these visits, the newest first."""
        with self.now():
            return list(self.out.values())[::-1]

    def gauges(self) -> list[Gauge]:
        """All that the run has, oldest first."""
        with self.now() as connection:
            self._gauges = gauges.by_second(connection, self._gauges)
            return [gauge for _, gauge in sorted(self._gauges.items()) if gauge is not None]

    @contextmanager
    def now(self) -> Iterator[sqlite3.Connection]:
        """Up to date, and held so; at the first time all of the run is read."""
        view = RunView(self.folder)
        with self._lock, view.moment() as connection:
            with reading(Places.of(self.folder).database, "what happened in the run"):
                self._catch_up(view, connection)
            yield connection

    # Reading what is new

    def _catch_up(self, view: RunView, connection: sqlite3.Connection) -> None:
        made = (_file_of(self.folder), connection.execute(_NOTES).fetchall())
        last = connection.execute(_LAST).fetchone()
        if made != self._made or not self._still_there(connection):
            self._clear()
        try:
            self._read(view, connection)
        except BaseException:
            self._clear()  # what was half read would be counted twice
            raise
        self._made, self._last = made, last

    def _still_there(self, connection: sqlite3.Connection) -> bool:
        if self._last is None:
            return not self.numbers and not self.steps
        (newest,) = connection.execute(_NEWEST_STEP).fetchone()
        return connection.execute(_SAME, self._last).fetchone() is not None and newest >= self._step

    def _read(self, view: RunView, connection: sqlite3.Connection) -> None:
        (newest,) = connection.execute(_NEWEST_STEP).fetchone()
        if self._step == _NOTHING:
            self.present = PresentSettings.begun(view.about)
            for page in connection.execute(_ALL_PAGES):
                self._add(page)
        else:
            for url in self._touched(connection):
                self._settle(connection, url)
        self._read_landings(connection)
        self.downloads = self._landed + downloads_apart(connection)
        self._read_commands(connection)
        self._step = max(newest, self.steps[-1] if self.steps else newest)

    def _touched(self, connection: sqlite3.Connection) -> dict[str, None]:
        """Addresses at which something else may be held than before."""
        found = dict.fromkeys(url for row in connection.execute(_TOUCHED, (self._step,)) for url in row)
        if connection.execute(_SAID, (self._step,)).fetchone():  # a label changes what is known of an old page
            found |= dict.fromkeys(url for (url,) in connection.execute(_LABELLED, (self._step,)))
        return found

    def _settle(self, connection: sqlite3.Connection, url: str) -> None:
        for upto, change in ((self._step, self._take), (1 << 62, self._add)):
            row = connection.execute(_HELD, (url, upto)).fetchone()
            if row is not None and row[6] == url and row[1] is not None:
                change(row[:6])

    def _add(self, page: PageOfRun) -> None:
        self._change(page, 1)

    def _take(self, page: PageOfRun) -> None:
        self._change(page, -1)

    def _change(self, page: PageOfRun, by: int) -> None:
        number, relevant, host, size, hides, truncated = page
        good, hidden, cut = int(bool(relevant)), int(bool(hides)), int(bool(truncated))
        counted = (1 - hidden, good * (1 - hidden), hidden, good * hidden, cut * (1 - hidden))
        self.count = PageCount(*(total + by * part for total, part in zip(self.count, counted, strict=True)))
        if hidden:
            return
        one = self.hosts.setdefault(host, OfHost(host))
        one.add(OfHost(host, by, by * good, by * int(size or 0)))
        place = bisect_left(self.numbers, number)
        if place == len(self.numbers) or self.numbers[place] != number:
            self.numbers.insert(place, number)
            self.relevant.insert(place, _GONE)
        self.relevant[place] = good if by > 0 else _GONE

    def _read_landings(self, connection: sqlite3.Connection) -> None:
        for number, url in connection.execute(_VISITS, (self._visit,)):
            self.out[number], self._visit = url, number
        for step, visit, url, cost, at, kind, detail, counts in connection.execute(_LANDED, (self._step,)):
            self.out.pop(visit, None)
            if cost > 0:
                self._landed += cost * (step > 0)
                self._spend(step, cost, at)
            if kind is not None and counts:
                failure = Failure(_text(kind), _text(detail or ""))
                words, name = in_words(failure), host_of(url)
                self.failures[failure.kind] += 1
                self.reasons[failure.kind, words] += 1
                self.hosts.setdefault(name, OfHost(name)).failures[words] += 1

    def _spend(self, step: int, cost: int, at: Any) -> None:
        at = float(at) if isinstance(at, float | int) else 0.0
        if self.steps and self.steps[-1] == step:
            self.spent[-1] += cost
            self.at[-1] = max(self.at[-1], at)
        else:
            self.steps.append(step)
            self.spent.append(cost)
            self.at.append(at)

    def _read_commands(self, connection: sqlite3.Connection) -> None:
        rows = connection.execute(_OBEYED, (self._step,)).fetchall()
        passed = self.passed(step for step, *_ in rows) if rows else ()
        for (_, *row), spent in zip(rows, passed, strict=True):
            each = commanded(spent, *row)
            if each is not None:
                self.commands.append(each)
                self.present.obeyed(json.loads(row[1]))

    def passed(self, steps: Iterable[int]) -> list[int]:
        """Downloads that were spent by each of these steps."""
        sums = np.concatenate(([0], np.cumsum(np.array(self.spent, dtype=np.int64))))
        apart = self.downloads - int(sums[-1])
        places = np.searchsorted(np.array(self.steps, dtype=np.int64), list(steps), side="right")
        return [int(spent) + apart for spent in sums[places]]


def past_of(desk: RunDesk, run: Path) -> RunPast:
    return desk.lasting(run, "past", lambda: RunPast(run))


def summary_of(desk: RunDesk, run: Path) -> Summary:
    """Worked out once for a state of the run; step by step while it grows."""
    past = past_of(desk, run)
    return desk.remembered(run, "summary", past.summary)


def _file_of(run: Path) -> tuple[int, int]:
    found = os.stat(Places.of(run).database)
    return found.st_dev, found.st_ino


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
