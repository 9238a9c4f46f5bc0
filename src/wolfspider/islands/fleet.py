"""A fleet of islands: several whole crawls, each with its own strategy, judge and store, that share the web by
territories and one budget by leases.

The head, which is the command that a person gave, keeps nothing but the ledger of the budget. About twice a second it
asks each keeper how its island stands, tells it what it may spend, and carries links between them. A link whose site
belongs to another island is handed over as a starting point; nothing else passes between islands. As a site has one
owner, so has each document: which of them are new is known where it is downloaded, and the reinforcer of a fleet of
foragers, with its seen-set, lies in parts on the islands, each document in the part of its site.

If the head dies, so do the islands; the same command resumes them all. If an island dies, its keeper starts it again.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import secrets
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from wolfspider.app import preflight
from wolfspider.app.changed_limits import limits_to_move
from wolfspider.app.run_folder import begun_otherwise, differing
from wolfspider.app.settings import LIVE, Settings
from wolfspider.app.starting_points import check_server
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.events import EndReason
from wolfspider.core.model import host_of
from wolfspider.core.territory import owner_of
from wolfspider.drivers.cluster.ray_home import check_installed, joined
from wolfspider.files.disk import replacing, whole_file
from wolfspider.files.lock import Lock
from wolfspider.islands.handed_links import Handed
from wolfspider.islands.keeper import IslandOrder, IslandReport, Keeper
from wolfspider.islands.lease_ledger import LeaseLedger
from wolfspider.store.damage import trouble
from wolfspider.store.fleet_folder import (
    BUDGET,
    FLEET,
    KEEPERS,
    STANDING,
    about_fleet,
    begun_islands,
    describe_fleet,
    is_fleet,
    read_json,
)
from wolfspider.store.folder import is_run
from wolfspider.web.http.gates import HostCap

EVERY = 0.5  # seconds between two turns
HANDLES, HANDLES_OF_KEEPER = 100, 6  # open files: of a keeper its database, its log, and the pipes of its island
TURN = 300.0  # seconds that an island is at work while others wait for a turn
QUIET = 3  # turns in which nobody has anything to do, after which the fleet is over
_BEFORE_DONE = (
    EndReason.DISK,
    EndReason.TIME,
    EndReason.BYTES,
)  # what ended an island ends the fleet, if it could go on
_REFUSED = ("teacher", "record", "watch", "chance", "until", "territory")  # what is of one crawl, or of its own end


class KeeperHome(Protocol):
    """Where keepers live: in this process, or as actors on the machines of a cluster."""

    def turns(self, orders: Sequence[bytes]) -> list[bytes | None]:
        """A turn of each keeper, at the same time. None of one whose machine died: it is replaced."""
        ...

    def machines(self) -> int:
        """How many there are now."""
        ...

    def place(self, number: int, at_work: Collection[int], most: int) -> None:
        """An island that is not at work is about to be: let its keeper be on a machine where fewer than `most` are."""
        ...

    def close(self) -> None: ...


class KeepersHere:
    """All of them in this process; the islands are processes on this machine."""

    def __init__(self, keepers: Sequence[Keeper]) -> None:
        self._keepers = keepers

    def turns(self, orders: Sequence[bytes]) -> list[bytes | None]:
        return [keeper.turn(order) for keeper, order in zip(self._keepers, orders, strict=True)]

    def machines(self) -> int:
        return 1

    def place(self, number: int, at_work: Collection[int], most: int) -> None:
        """There is but one place."""

    def close(self) -> None:
        for keeper in self._keepers:
            keeper.close()


def check_fleet(settings: Settings, count: int) -> None:
    """Everything that can be seen at once, each as a sentence."""
    if not 1 <= count <= 1000:
        raise Problem("--islands is a number from 1 to 1000.")
    for name in _REFUSED:
        if getattr(settings, name):
            raise Problem(f"--{name} does not work with --islands: it is of one crawl.")
    if 0 < settings.per_hour < count:
        raise Problem(
            f"--per-hour {settings.per_hour} cannot be shared by {count} islands: allow at least one download for each "
            "of them, or begin fewer islands."
        )
    of_one = replace(settings, territory=f"1/{count}", cluster="")
    preflight.check_territory(of_one, "an island of a fleet")
    preflight.check(of_one)


def allow_handles(count: int) -> None:
    """Each keeper holds files open; the limit of this process is raised as far as it may be."""
    needed = HANDLES + HANDLES_OF_KEEPER * count
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unbounded = resource.RLIM_INFINITY
    if soft == unbounded or soft >= needed:
        return
    if hard != unbounded and hard < needed:
        raise Problem(
            f"{count} islands need about {needed:,} open files, and {hard:,} are allowed here: raise that by "
            f"`ulimit -n {needed}` as far as you may, or begin fewer islands."
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def make_folder(folder: Path) -> None:
    """A folder that a fleet can be in, if there is none yet. Nothing is left in one that is something else."""
    if is_run(folder):
        raise Problem(f"{folder} is a run of one crawl: name another folder by --out.")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        others = sorted(set(os.listdir(folder)) - {"lock", f".{FLEET}.part"})
    except OSError as error:
        raise Problem(f"{folder} cannot be made: {error.strerror}.") from error
    if others and not is_fleet(folder):
        raise Problem(f"{folder} holds {others[0]!r} and is no fleet: choose an empty folder.")


def open_fleet(
    folder: Path, settings: Settings, count: int, per_machine: int | None = None, given: Collection[str] = ()
) -> dict[str, Any]:
    """Begin a fleet in a folder, or see that it is this one; what fleet.json says of it. Called with the lock of the
    folder held, so that of two commands at the same moment only one begins it. `per_machine` is kept until another is
    given, and the names of the settings that were `given` from the beginning."""
    make_folder(folder)
    if is_fleet(folder) and (before := _otherwise(about_fleet(folder), settings, count)):
        if begun_islands(folder):
            raise begun_otherwise(folder, before, "fleet")
        _clear(folder)
    if not is_fleet(folder):
        said = {"islands": count, "per_machine": per_machine or 0, "given": sorted(given)}
        describe_fleet(folder, {**said, "name": secrets.token_hex(8), "settings": settings.to_json()})
        return about_fleet(folder)
    about = about_fleet(folder)
    if per_machine is not None and per_machine != about["per_machine"]:
        about["per_machine"] = per_machine
        describe_fleet(folder, about)
    return about


def _otherwise(about: Mapping[str, Any], settings: Settings, count: int) -> dict[str, object]:
    """What makes it another fleet than the one that is there, as it was there."""
    first = Settings.from_json(about["settings"])
    islands = {"islands": about["islands"]} if about["islands"] != count else {}
    return {**islands, **{name: getattr(first, name) for name in differing(settings, first)}}


def _clear(folder: Path) -> None:
    """A first try came to nothing: no island has begun, so what was noted for them is of no use."""
    shutil.rmtree(folder / KEEPERS, ignore_errors=True)
    for name in (BUDGET, STANDING, FLEET):
        (folder / name).unlink(missing_ok=True)


def with_limits(
    folder: Path,
    about: dict[str, Any],
    settings: Settings,
    given: Collection[str],
    again: bool,
    remark: Callable[[str], None],
) -> tuple[Settings, list[str]]:
    """The settings with the limits that hold from now on, by the same rule as those of a run, and the names of those
    that move now. What moves is noted with the fleet."""
    holding = Settings.from_json({**about["settings"], **about["limits"]})
    here = replace(settings, cluster="")  # an island sends its requests itself, wherever it is
    changes = limits_to_move(here, given, again, holding, about, folder, remark)
    if changes:
        about["limits"].update((change.name, change.value) for change in changes)
        describe_fleet(folder, about)
        holding = Settings.from_json({**about["settings"], **about["limits"]})
    return replace(settings, **{name: getattr(holding, name) for name in LIVE}), [change.name for change in changes]


def settings_of_island(settings: Settings, count: int) -> Settings:
    """What an island is given of the settings of its fleet."""
    return replace(
        settings,
        cluster="",
        per_address=max(1, settings.per_address // count),
        max_mb=settings.max_mb / count,
        per_hour=settings.per_hour // count,
    )


@dataclass
class FleetHead:
    """`tell` gets how the islands stand after each turn. `per_machine`: islands at work at the same time for each
    machine; 0 is all of them."""

    folder: Path
    count: int
    home: KeeperHome
    ledger: LeaseLedger
    tell: Callable[[Sequence[IslandReport]], None] = lambda reports: None
    per_machine: int = 0
    reports: list[IslandReport] = field(default_factory=list)
    end: str = ""  # drain or stop, once that was asked for
    lost: int = 0  # keepers that died and were replaced
    why: str = ""  # it is over; "" until then, and if it was killed
    _links: list[list[Handed]] = field(default_factory=list)  # on their way to each island
    _read: list[int] = field(default_factory=list)  # pages up to which links of each island are on their way
    _sent: list[int] = field(default_factory=list)  # and up to which they have come
    _began: list[float] = field(default_factory=list)  # when the last turn of each island did; 0 before the first
    _called_back: set[int] = field(default_factory=set)  # islands that give back what they have not spent
    _idle: int = 0  # turns in a row in which nobody had anything to do

    def __post_init__(self) -> None:
        self.reports = [IslandReport() for _ in range(self.count)]
        self._links = [[] for _ in range(self.count)]
        self._read, self._sent, self._began = [0] * self.count, [0] * self.count, [0.0] * self.count
        self._site = lru_cache(10_000)(HostCap().domain)

    def run(self) -> EndReason:
        try:
            while True:
                began = time.monotonic()
                self.turn()
                if (reason := self.over()) is not None:
                    self.why = reason
                    return reason
                time.sleep(max(0.0, EVERY - (time.monotonic() - began)))
        finally:
            self.home.close()
            self._write_standing(running=False)

    def turn(self) -> None:
        limits = [0 if number in self._called_back else limit for number, limit in enumerate(self.ledger.orders())]
        parts = zip(limits, self._links, self._sent, strict=True)
        answers = self.home.turns([IslandOrder(*part, self.end).to_bytes() for part in parts])
        for number, answer in enumerate(answers):
            if answer is not None:
                self.reports[number] = IslandReport.of(answer)
        self.lost += answers.count(None)
        answered = [number for number, answer in enumerate(answers) if answer is not None]
        self._settle(answered)
        self._carry(answered)
        self._write_standing()
        self.tell(self.reports)

    def _settle(self, answered: Sequence[int]) -> None:
        """The budget: what islands give back, then what others need. It is on the disk before anybody hears of it."""
        before = self.ledger.state()
        for number in answered:
            self.ledger.give_back(number, self.reports[number].limit)
            self.ledger.has_spent(number, self.reports[number].spent)
        for number in self._next(answered) if not self.end else ():
            self.ledger.lease(number, self.reports[number].spent)
        if self.ledger.state() != before:
            write_budget(self.folder, self.ledger)

    def _next(self, answered: Sequence[int]) -> list[int]:
        """Islands that may get a lease now, those that have spent least first. If more want to work than may at the
        same time, they take turns: each works to the end of its lease, or until its time is over. So a machine that
        joins brings more to work."""
        wanting = [number for number in answered if self.reports[number].wants]
        wanting.sort(key=lambda number: self.reports[number].spent)
        if not self.per_machine:
            return wanting
        at_work = [number for number in range(self.count) if self._is_at_work(number)]
        waiting = [number for number in wanting if number not in at_work]
        waiting.sort(key=self._began.__getitem__)  # whose last turn is longest ago
        now = time.monotonic()
        most = self.per_machine * self.home.machines()
        turn_comes = waiting[: max(0, most - len(at_work))] if self.ledger.free else []
        for number in turn_comes:
            self.home.place(number, at_work, self.per_machine)
            self._began[number] = now
            at_work.append(number)
        others_wait = len(turn_comes) < len(waiting)
        self._called_back = {number for number in at_work if others_wait and now > self._began[number] + TURN}
        return wanting if len(at_work) <= most and len(turn_comes) == len(waiting) else turn_comes

    def _is_at_work(self, number: int) -> bool:
        """Is it running, or about to?"""
        return self.reports[number].running or self._has_lease(number)

    def _has_lease(self, number: int) -> bool:
        """Does it want to go on, and may it?"""
        report = self.reports[number]
        return report.wants and self.ledger.limits[number] > report.spent

    def _carry(self, answered: Sequence[int]) -> None:
        """Links are gathered in one turn and handed over in the next. When all islands have answered to that, their
        finders hear of it, and look for more."""
        if any(self._links):
            if len(answered) == self.count:
                self._links, self._sent = [[] for _ in range(self.count)], list(self._read)
            return
        for number in answered:
            report = self.reports[number]
            self._read[number] = max(self._read[number], report.read)
            for url, score in report.links:
                self._links[owner_of(self._site(host_of(url)), self.count)].append((url, score))
        if not any(self._links):
            self._sent = list(self._read)

    def over(self) -> EndReason | None:
        """Why the fleet is, if it is. It takes a few quiet turns to be sure: links may be on their way."""
        if any(report.running for report in self.reports):
            self._idle = 0
            return None
        if self.end:
            return EndReason.INTERRUPTED
        on_their_way = any(self._links) or any(report.more for report in self.reports) or self._read != self._sent
        may_go_on = self.ledger.free > 0 and any(report.wants for report in self.reports)
        leased = any(map(self._has_lease, range(self.count)))
        self._idle = 0 if on_their_way or may_go_on or leased else self._idle + 1
        if self._idle < QUIET:
            return None
        if self.ledger.free == 0:
            return EndReason.BUDGET
        ended = {report.why for report in self.reports}
        return next((reason for reason in _BEFORE_DONE if reason in ended), EndReason.DONE)

    def _write_standing(self, running: bool = True) -> None:
        """For status and dashboard; what is lost with the machine is of no use after it."""
        islands = [
            {**report._replace(links=[])._asdict(), "lease": limit}
            for report, limit in zip(self.reports, self.ledger.limits, strict=True)
        ]
        said = {"at": time.time(), "running": running, "budget": self.ledger.budget, "free": self.ledger.free}
        text = json.dumps({**said, "lost": self.lost, "why": self.why, "islands": islands})
        with suppress(OSError), replacing(self.folder / STANDING) as beside:
            beside.write_text(text, encoding="utf-8")


def write_budget(folder: Path, ledger: LeaseLedger) -> None:
    try:
        with whole_file(folder / BUDGET) as file:
            file.write(json.dumps(ledger.state()).encode() + b"\n")
    except OSError as error:
        raise trouble(folder / BUDGET, error, "cannot be written") from error


def budget_of(folder: Path, budget: int, count: int) -> LeaseLedger:
    """The ledger of the fleet in this folder, with the budget as it is given now."""
    if not (folder / BUDGET).exists():
        return LeaseLedger(budget, [0] * count)
    try:
        ledger = LeaseLedger.restored(read_json(folder / BUDGET))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise BadInput(f"{folder / BUDGET} is damaged: {error}.") from error
    if len(ledger.limits) != count:
        raise BadInput(f"{folder / BUDGET} is damaged: it is of another number of islands.")
    ledger.budget = budget
    return ledger


@contextmanager
def opened_fleet(
    folder: Path,
    settings: Settings,
    count: int,
    cluster: str = "",
    tell: Callable[..., None] = lambda reports: None,
    per_machine: int | None = None,
    *,
    given: Collection[str] = (),
    again: bool = False,
    remark: Callable[[str], None] = lambda sentence: None,
) -> Iterator[FleetHead]:
    """The fleet in this folder, begun or resumed, ready to run. `cluster`: as for --cluster; "" keeps all here.
    `per_machine`: as for a FleetHead; None leaves it as it was. `given`, `again` and `remark`: as for a `Hunt`."""
    check_fleet(settings, count)
    if cluster:  # its machines may reach what this one does not
        check_installed()
    else:
        allow_handles(count)
        asyncio.run(check_server(settings))
    folder = folder.absolute()
    make_folder(folder)
    lock = Lock(folder / "lock")
    try:
        about = open_fleet(folder, settings, count, per_machine, given)
        settings, moved = with_limits(folder, about, settings, given, again, remark)
        ledger = budget_of(folder, settings.pages, count)
        of_islands = (str(about["name"]), settings_of_island(settings, count), moved)
        with ExitStack() as stack:
            if cluster:
                from wolfspider.islands.keepers_on_ray import KeepersOnRay

                ray_home = stack.enter_context(joined(cluster))
                remark(ray_home.told())
                home: KeeperHome = KeepersOnRay(ray_home, folder, count, *of_islands)
            else:
                home = KeepersHere([Keeper(folder, number, *of_islands) for number in range(count)])
            yield FleetHead(folder, count, home, ledger, tell, about["per_machine"])
    finally:
        lock.release()
