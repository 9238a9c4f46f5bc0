"""The keeper of an island: starts its process, starts it again if it dies, and stands between it and the fleet.

An island is a crawl like any other. What its keeper tells it goes through the inbox of its run, where it is safe: how
many downloads it may make, and links that others found in its territory. What the keeper tells of it is read from its
run. So whoever dies, keeper or island or both, all that counts is on the disk.

The head of the fleet calls `turn` about once a second, with what the island may do, and gets how it stands.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from wolfspider.app.assemble import scope_of
from wolfspider.app.settings import Settings
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.events import RESUMABLE, AddSeeds, EndReason, Gauge, SetLimit
from wolfspider.core.model import Page, host_of
from wolfspider.core.plain_text import plain_lines
from wolfspider.core.scope import Scope
from wolfspider.core.territory import SiteShare
from wolfspider.files.disk import DiskFull
from wolfspider.islands.handed_links import LONGEST, Handed, HandedLinks
from wolfspider.islands.island_process import DRAIN
from wolfspider.store.fleet_folder import KEEPERS, about_fleet, island_folder
from wolfspider.store.folder import is_run
from wolfspider.store.inbox import append_command
from wolfspider.store.page_count import NEWEST
from wolfspider.store.repair.forgotten_list import in_file, kept_out
from wolfspider.store.view import PAGE, RunView, page_row
from wolfspider.web.http.gates import HostCap
from wolfspider.web.page.packed import packed, unpacked

PAGES_READ = 100  # of its own, in a turn, for links of others
MOST_LINKS = 1000  # for others in a turn
MOST_DEATHS = 5  # in a row without a page in between; then the island is given up
_FIRST_REST, _LONGEST_REST = 0.5, 30.0  # seconds before a dead island is started again, doubled each time
_TOLD = 2000  # bytes at the end of what its process said
_OVER = frozenset((EndReason.FINISHED, EndReason.TIME, EndReason.BYTES, EndReason.ENOUGH, EndReason.DISK))
_GOES_ON = frozenset(("", EndReason.BUDGET, EndReason.INTERRUPTED, EndReason.STOPPED, EndReason.PAUSED))  # if it may
_NEW_PAGES = (
    f"SELECT {PAGE}, h.score, h.relevant, h.evidence FROM {NEWEST}"  # noqa: S608
    " WHERE p.seq > ? ORDER BY p.seq LIMIT ?"
)


class IslandOrder(NamedTuple):
    """What the head tells a keeper."""

    limit: int  # downloads that the island may have made, in all
    links: list[Handed] = []  # noqa: RUF012  found by others in its territory
    arrived: int = 0  # its links from pages up to this one are with their owners
    end: str = ""  # "" go on; "drain" or "stop"

    def to_bytes(self) -> bytes:
        return packed(self)

    @classmethod
    def of(cls, data: bytes) -> IslandOrder:
        limit, links, arrived, end = unpacked(data)
        return cls(limit, [(url, score) for url, score in links], arrived, end)


class IslandReport(NamedTuple):
    """How an island stands."""

    spent: int = 0
    limit: int = 0  # that it keeps to
    running: bool = False
    wants: bool = False  # would it go on if it had more to spend?
    why: str = ""  # it last ended; "" if it was killed, or never has
    trouble: str = ""
    deaths: int = 0  # times that its process was started again
    pid: int = 0
    node: str = ""
    pages: int = 0
    relevant: int = 0
    rate: float = 0.0  # downloads a second in the last minute
    waiting: int = 0  # links of others that it has not been told of
    links: list[Handed] = []  # noqa: RUF012  that it found in territories of others
    read: int = 0  # the page up to which these are all
    more: bool = False  # are there pages that were not read for links yet?

    def to_bytes(self) -> bytes:
        return packed(self)

    @classmethod
    def of(cls, data: bytes) -> IslandReport:
        report = cls(*unpacked(data))
        return report._replace(links=[(url, score) for url, score in report.links])


class Keeper:
    """Of the island `number`, from 0, of the fleet in this folder. `name`: what fleet.json calls the fleet, so that no
    other machine's folder is taken for it. `moved`: names of the limits that the fleet was resumed with."""

    def __init__(self, fleet: Path, number: int, name: str, settings: Settings, moved: Collection[str] = ()) -> None:
        if about_fleet(fleet).get("name") != name:
            raise BadInput(f"{fleet} is another fleet here: its folder must be on a disk that all machines see.")
        self._fleet, self._number, self.folder = fleet, number, island_folder(fleet, number)
        count = int(about_fleet(fleet)["islands"])
        self._share, self._settings, self._moved = SiteShare(number, count), settings, list(moved)
        self.folder.parent.mkdir(mode=0o700, exist_ok=True)
        (fleet / KEEPERS).mkdir(mode=0o700, exist_ok=True)
        self._said = fleet / KEEPERS / f"{number + 1}.txt"
        self._links = HandedLinks(fleet / KEEPERS / f"{number + 1}.db")
        self._site = lru_cache(10_000)(HostCap().domain)
        self._process: subprocess.Popen[bytes] | None = None
        self._report = IslandReport(node=socket.gethostname())
        with self._links.errors_in_words():
            self._limit = self._links.noted("limit")  # that the run was told
        self._spent_at_death, self._deaths_in_a_row, self._rests_until = -1, 0, 0.0
        self._old_gauge: float | None = None  # when an earlier session last told how it stands
        self._look_at_end()
        if self._report.why in RESUMABLE:  # whatever ended it may be mended, or changed, now that the fleet is resumed
            self._report = self._report._replace(why="")

    # The turn

    def turn(self, order: bytes) -> bytes:
        """Do what the head says, and tell how the island stands."""
        with self._links.errors_in_words():
            return self._turn(IslandOrder.of(order)).to_bytes()

    def _turn(self, order: IslandOrder) -> IslandReport:
        if order.arrived > self._links.noted("read"):
            sites = {self._site_of(url) for url, _ in self._report.links}
            self._links.arrived(sites, order.arrived)
        if order.links:
            owned = ((url, self._site_of(url), float(score)) for url, score in order.links)
            self._links.take(link for link in owned if self._share.owns(link[1]))
        if self._process is not None and self._process.poll() is not None:
            self._ended()
        if order.end:
            self._end(order.end)
        else:
            self._allow(order.limit)
            self._hand_over()
            if self._process is None and self._may_start() and time.monotonic() >= self._rests_until:
                self._start()
        self._look()
        return self._report

    def close(self) -> None:
        """End the island at once, and wait for it."""
        if self._process is not None:
            self._end("stop")
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(20.0)
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
        self._links.close()

    # The process

    def _start(self) -> None:
        gauge = self._gauge()
        self._old_gauge = None if gauge is None else gauge.at
        settings = replace(self._settings, territory=str(self._share), pages=max(1, self._limit))
        log = os.open(self._said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-m", "wolfspider.islands.island_process", str(self.folder)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        finally:
            os.close(log)
        self._say(json.dumps({"settings": settings.to_json(), "moved": self._moved}))
        self._report = self._report._replace(why="", trouble="", running=True, pid=self._process.pid)

    def _say(self, line: str) -> None:
        assert self._process is not None and self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()

    def _end(self, how: str) -> None:
        if self._process is None or self._process.stdin is None or self._process.stdin.closed:
            return
        if how == "drain":
            self._say(DRAIN)
        else:
            self._hang_up()

    def _hang_up(self) -> None:
        """Nothing more is said to the island. What it did not read before it ended is of no use."""
        assert self._process is not None and self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()

    def _ended(self) -> None:
        assert self._process is not None
        self._hang_up()
        code, self._process = self._process.returncode, None
        self._look_at_end()
        if code == DiskFull.code:
            self._report = self._report._replace(why=EndReason.DISK, trouble=self._last_words())
            return
        if code == 0 and self._report.why:
            self._deaths_in_a_row = 0
            return
        spent = self._report.spent
        self._deaths_in_a_row = 1 if spent > self._spent_at_death else self._deaths_in_a_row + 1
        self._spent_at_death = spent
        rest = min(_LONGEST_REST, _FIRST_REST * 2**self._deaths_in_a_row)
        self._rests_until = time.monotonic() + rest
        trouble = self._last_words() if code >= 0 else f"Signal {-code} ended it."
        self._report = self._report._replace(deaths=self._report.deaths + 1, trouble=trouble)

    def _look_at_end(self) -> None:
        """What its run says now that nobody runs it."""
        why = ""
        if is_run(self.folder):
            view = RunView(self.folder)
            summary = view.summary()
            why = summary.ended or ""
            pages, relevant = summary.pages, summary.relevant
            self._report = self._report._replace(spent=summary.downloads, pages=pages, relevant=relevant, rate=0.0)
        self._report = self._report._replace(why=why, running=False, pid=0)

    def _last_words(self) -> str:
        with suppress(OSError), self._said.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TOLD))
            return plain_lines(file.read(_TOLD).decode("utf-8", "replace")).strip()[-500:]
        return ""

    # What it may do

    def _may_start(self) -> bool:
        if self._deaths_in_a_row >= MOST_DEATHS or self._report.why in _OVER or self._limit <= self._report.spent:
            return False
        return not is_run(self.folder) or self._report.why in _GOES_ON

    def _allow(self, limit: int) -> None:
        """Let the run keep to this limit, or to what it has spent, if that is more. One that ended, and has nothing to
        go on with, keeps to what it has spent: the rest is for others."""
        ended = is_run(self.folder) and self._report.why not in _GOES_ON and not self._links.waiting()
        if self._process is None and (ended or self._deaths_in_a_row >= MOST_DEATHS):
            limit = min(limit, self._report.spent)
        limit = max(limit, self._report.spent)
        if limit == self._limit:
            return
        if is_run(self.folder):
            append_command(self.folder, SetLimit("pages", limit), "the fleet")
        self._limit = limit
        self._links.note("limit", limit)

    def _hand_over(self) -> None:
        """Tell the island of links that others found."""
        if not is_run(self.folder) or self._limit <= self._report.spent:
            return
        idle = self._process is None and self._report.why not in _GOES_ON | _OVER
        if not (urls := self._links.due(self._report.spent, idle)):
            return
        allowed = tuple(url for url in urls if self._own_scope.allows(url))
        if allowed:
            append_command(self.folder, AddSeeds(allowed, found=True), "the fleet")
        self._links.tell(urls)
        if idle and allowed:
            self._report = self._report._replace(why="")  # it has something to go on with

    # How it stands

    def _look(self) -> None:
        report = self._report
        gauge = None if self._process is None else self._gauge()
        if gauge is not None and gauge.at != self._old_gauge:
            spent, rate = max(report.spent, gauge.downloads), gauge.rate_minute
            report = report._replace(spent=spent, pages=gauge.pages, relevant=gauge.relevant, rate=rate)
        over = report.why in _OVER or self._deaths_in_a_row >= MOST_DEATHS
        at_work = self._process is not None or report.why in _GOES_ON
        waiting = self._links.waiting()
        links, read, more = self._links_of_others()
        self._report = report._replace(
            limit=self._limit,
            running=self._process is not None,
            wants=not over and (at_work or waiting > 0),
            waiting=waiting,
            links=links,
            read=read,
            more=more,
        )

    def _gauge(self) -> Gauge | None:
        """What the run last told of itself, which may be in an earlier session."""
        if is_run(self.folder):
            with suppress(Problem):
                return RunView(self.folder).gauge()
        return None

    def _links_of_others(self) -> tuple[list[Handed], int, bool]:
        """From pages that were not read for them yet: a link to each site at most, and few to each site in all."""
        since = self._links.noted("read")
        if self._share.crawls == 1 or not is_run(self.folder):
            return [], since, False
        if self._report.links and self._report.read > since:
            return self._report.links, self._report.read, self._report.more  # they are on their way
        view, found = RunView(self.folder), dict[str, Handed]()
        with view.moment() as connection:
            rows = connection.execute(_NEW_PAGES, (since, PAGES_READ)).fetchall()
        for row in rows:
            since = int(row[0])
            with suppress(ValueError, TypeError):  # of a damaged row: check tells of it
                stored = page_row(*row)
                page = view.parsed(stored)
                if page is not None:
                    self._collect(page, stored.score, found)
        return list(found.values()), since, len(rows) == PAGES_READ

    def _collect(self, page: Page, score: float, found: dict[str, Handed]) -> None:
        for link in self._scope.nofollow.links(page):
            site = self._site_of(link.url)
            if self._share.owns(site) or len(link.url) > LONGEST or (site in found and found[site][1] >= score):
                continue
            if len(found) >= MOST_LINKS and site not in found:
                continue
            if self._scope.allows(link.url) and self._links.may_send(site):
                found[site] = (link.url, score)

    def _site_of(self, url: str) -> str:
        return self._site(host_of(url))

    @cached_property
    def _scope(self) -> Scope:
        """Of the whole fleet."""
        return self._minding(scope_of(replace(self._settings, territory="")))

    @cached_property
    def _own_scope(self) -> Scope:
        return self._minding(scope_of(replace(self._settings, territory=str(self._share))))

    def _minding(self, scope: Scope) -> Scope:
        """Without what the fleet forgot: nobody can forget more while it is at work."""
        scope.forget(kept_out(in_file(self._fleet).entries))
        return scope
