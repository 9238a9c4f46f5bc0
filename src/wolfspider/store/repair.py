"""Repairing a run: what can be read becomes a run that opens, and what is damaged is moved aside, never deleted.

Everything new is made in RUN/.repair first. Then a plan, RUN/repair.json, lists all moves: damaged parts go to
RUN/damaged-TIME, new ones take their places. Moves are made one after another, and one that was made is not made again,
so a repair can be killed at any moment: without a plan the run is as it was, and with one the next repair finishes it.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any

from wolfspider.core.errors import BadInput
from wolfspider.files.disk import open_to_read, sync_folder, whole_file
from wolfspider.files.failpoints import reach
from wolfspider.files.lock import Lock
from wolfspider.store import cdxj, folder, snapshots
from wolfspider.store.archive_reader import name_of, numbers
from wolfspider.store.damage import PAGES_LOST, UNREADABLE
from wolfspider.store.examination import Finding, examine, lock_trouble
from wolfspider.store.folder import PLAN, Places, about_run, refuse_links
from wolfspider.store.rebuilding import Needs, Rebuilt, info_in, rebuild, without_lost_pages
from wolfspider.store.row_check import connect_damaged
from wolfspider.store.salvage import Salvaged

WORK = ".repair"
_LARGEST_PLAN = 1 << 24
_OLD_INBOX = ("inbox.db", "inbox.db-wal", "inbox.db-shm")
_OLD_DATABASE = ("run.db", "run.db-wal", "run.db-shm", "run.db-journal")


@dataclass
class Repaired:
    """What became of a run."""

    folder: Path
    findings: list[Finding]
    aside: Path | None = None  # where the damaged parts are
    rebuilt: Rebuilt | None = None  # None: pages and journal were whole
    torn: int = 0  # bytes of the archive that are no records

    @property
    def code(self) -> int:
        lost = self.rebuilt is not None and (self.rebuilt.lost or self.torn)
        return PAGES_LOST if lost else 0

    def told(self) -> list[str]:
        if not self.findings:
            return [f"{self.folder} is whole: there is nothing to repair."]
        sentences = [f"{self.folder} is repaired."]
        if self.rebuilt is not None:
            sentences += _told(self.rebuilt)
            if self.torn:
                sentences.append(f"{self.torn:,} bytes of the archive are no records, and left out.")
        if self.aside is not None:
            sentences.append(f"What was damaged is in {self.aside}; remove it when you do not need it any more.")
        return sentences


def _told(rebuilt: Rebuilt) -> list[str]:
    found = f", {rebuilt.found:,} of them found in the archive alone" if rebuilt.found else ""
    lost = f"{rebuilt.lost:,} page{'s are' if rebuilt.lost != 1 else ' is'} lost" if rebuilt.lost else "none is lost"
    sentences = [f"It has {rebuilt.kept:,} page{'s' * (rebuilt.kept != 1)}{found}; {lost}."]
    if rebuilt.anew:
        sentences.append(
            "Its journal begins anew: when it is resumed, it starts from its starting points, takes the pages it has "
            "without a download, and learns from them again."
        )
    tables = ", ".join(rebuilt.rows)
    return [*sentences, *([f"Tables of the database that could not be read as a whole: {tables}."] if tables else [])]


def repair(run: Path, needs: Callable[[Mapping[str, Any], dict[str, str]], Needs]) -> Repaired:
    """`needs` is asked for what the rows do not say, by the description of the run."""
    places = Places.of(run)
    refuse_links(places)
    if not run.is_dir() or not (places.archive.is_dir() or os.path.lexists(places.database)):
        raise BadInput(f"{run} is not a run: there is neither an archive nor a database in it.")
    freed = _free_lock(places)
    lock = Lock(places.lock)
    try:
        finish(run)
        found = examine(run, ours=True)
        return _repaired(places, found, needs) if found else (freed or Repaired(run, found))
    finally:
        lock.release()


def _free_lock(places: Places) -> Repaired | None:
    """A folder in the place of the lock file is moved aside first: nobody could own the run."""
    found = list(lock_trouble(places))
    if not found or not places.lock.is_dir():
        return None
    aside = _aside(places.folder)
    aside.mkdir(mode=0o700)
    os.rename(places.lock, aside / "lock")
    return Repaired(places.folder, found, aside)


def _aside(run: Path) -> Path:
    """A folder that is not there yet."""
    stamp, number = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ"), 0
    while os.path.lexists(path := run / f"damaged-{stamp}{f'-{number}' if number else ''}"):
        number += 1
    return path


def _repaired(
    places: Places, found: list[Finding], needs: Callable[[Mapping[str, Any], dict[str, str]], Needs]
) -> Repaired:
    work, plan = places.folder / WORK, RepairPlan(_aside(places.folder).name)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(mode=0o700)
    parts = {one.part for one in found}
    repaired = Repaired(places.folder, found, places.folder / plan.aside)
    about = _about(places)
    if "run.json" in parts:
        folder.describe(Places.of(work), about)
        plan.replace("run.json")
    if parts & {"run.db", "warc"}:
        info = info_in(places.database) or {}
        archive = Salvaged(places.archive, work / "warc", info)
        repaired.rebuilt = _database(places, work, archive, parts, lambda: needs(about, info))
        repaired.torn = archive.torn
        for name in _OLD_DATABASE:
            plan.away(places.folder, name)
        plan.moves.append((f"{WORK}/run.db", "run.db"))
        _replace_archive(places, archive, plan)
    if parts & {"snapshots", "shelf"} or (repaired.rebuilt is not None and repaired.rebuilt.anew):
        plan.forget = repaired.rebuilt is None
        plan.away(places.folder, "shelf")
        plan.away(places.folder, "snapshots")
        _keep_learned(places, work, about, plan)
    if "index" in parts:
        for number in numbers(places.archive):
            plan.away(places.folder, f"warc/{cdxj.index_of(Path(name_of(number))).name}")
    if "inbox.db" in parts:
        for name in _OLD_INBOX:
            plan.away(places.folder, name)
    reach("repair-made")
    plan.write(places.folder)
    reach("repair-planned")
    finish(places.folder)
    if not (places.folder / plan.aside).is_dir():
        repaired.aside = None  # what was damaged was missing
    return repaired


def _about(places: Places) -> dict[str, Any]:
    """What the run is; if its description is damaged, from the copy in its database."""
    about: dict[str, Any] = {}
    with suppress(BadInput):
        about = about_run(places.folder)
    if not isinstance(about.get("settings"), dict):
        with suppress(sqlite3.DatabaseError, *UNREADABLE), closing(connect_damaged(places.database)) as connection:
            (copy,) = connection.execute("SELECT value FROM meta WHERE name = 'about'").fetchone()
            about = dict(json.loads(copy))
    if not isinstance(about.get("settings"), dict):
        raise BadInput(
            f"{places.description} is damaged or missing, and run.db has no copy of it that can be read, so nobody "
            "knows how the run was begun. Restore run.json from a copy, or from a run that was begun with the same "
            "command, and repair the run again."
        )
    if (learned := about.get("learned")) is not None:
        try:
            snapshots.load(places.snapshots / snapshots.LEARNED, str(learned["digest"]))
        except (BadInput, *UNREADABLE):
            del about["learned"]
    return about


def _database(places: Places, work: Path, archive: Salvaged, parts: set[str], needs: Callable[[], Needs]) -> Rebuilt:
    """With the journal, if nothing but records is damaged and it can do without them."""
    new = work / "run.db"
    rebuilt = None
    if parts <= {"warc", "index", "run.json"}:
        rebuilt = without_lost_pages(places.database, new, archive)
        if rebuilt is None:
            new.unlink()
    rebuilt = rebuilt or rebuild(places.database, new, archive, needs())
    with new.open("rb") as file:
        os.fsync(file.fileno())
    return rebuilt


def _replace_archive(places: Places, archive: Salvaged, plan: RepairPlan) -> None:
    if not places.archive.is_dir():
        plan.away(places.folder, "warc")
        plan.moves.append((f"{WORK}/warc", "warc"))
        return
    for number in archive.rewritten:
        plan.away(places.folder, f"warc/{cdxj.index_of(Path(name_of(number))).name}")
        plan.away(places.folder, f"warc/{name_of(number)}")
        plan.moves.append((f"{WORK}/warc/{name_of(number)}", f"warc/{name_of(number)}"))


def _keep_learned(places: Places, work: Path, about: Mapping[str, Any], plan: RepairPlan) -> None:
    """What the run inherited lies with its snapshots, and is needed on."""
    (work / "snapshots").mkdir(mode=0o700)
    if about.get("learned") is not None:
        shutil.copyfile(places.snapshots / snapshots.LEARNED, work / "snapshots" / snapshots.LEARNED)
    plan.moves.append((f"{WORK}/snapshots", "snapshots"))


# The plan


@dataclass
class RepairPlan:
    aside: str  # the folder for damaged parts
    moves: list[tuple[str, str]] = field(default_factory=list)
    forget: bool = False  # the rows of snapshots

    def away(self, run: Path, name: str) -> None:
        if os.path.lexists(run / name):
            self.moves.append((name, f"{self.aside}/{name}"))

    def replace(self, name: str) -> None:
        self.moves += [(name, f"{self.aside}/{name}"), (f"{WORK}/{name}", name)]

    def write(self, run: Path) -> None:
        with whole_file(run / PLAN) as file:
            file.write(json.dumps({"aside": self.aside, "moves": self.moves, "forget": self.forget}).encode())

    @classmethod
    def read(cls, run: Path) -> RepairPlan:
        with _no_plan(run), os.fdopen(open_to_read(run / PLAN), "rb") as file:
            said = json.loads(file.read(_LARGEST_PLAN))
            moves = [(_within(run, source), _within(run, target)) for source, target in said["moves"]]
            return cls(_within(run, said["aside"]), moves, bool(said["forget"]))


@contextmanager
def _no_plan(run: Path) -> Iterator[None]:
    try:
        yield
    except UNREADABLE as error:
        raise BadInput(f"{run / PLAN} is no plan of a repair ({error}): remove it.") from error


def _within(run: Path, name: Any) -> str:
    """A name of something in the run, not through a link: a run may come from a stranger."""
    parts = PurePath(str(name)).parts
    if not parts or ".." in parts or PurePath(str(name)).is_absolute():
        raise ValueError(f"{name!r:.100} leads elsewhere")
    if any(run.joinpath(*parts[:depth]).is_symlink() for depth in range(1, len(parts))):
        raise ValueError(f"{name!r:.100} leads through a link")
    return str(name)


def finish(run: Path) -> None:
    """Make the moves that were planned and not made yet."""
    if not os.path.lexists(run / PLAN):
        return
    plan = RepairPlan.read(run)
    for number, (source, target) in enumerate(plan.moves):
        with _no_plan(run):  # the moves before this one may have put a link where there was none
            _within(run, source), _within(run, target)
        if os.path.lexists(run / source) and not os.path.lexists(run / target):
            (run / target).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.rename(run / source, run / target)
        if number == len(plan.moves) // 2:
            reach("repair-moving")
    refuse_links(Places.of(run))
    if plan.forget:
        with closing(sqlite3.connect(run / "run.db", isolation_level=None)) as connection:
            connection.execute("DELETE FROM snapshots")
    for changed in (run / "warc", run / plan.aside, run):
        if changed.is_dir():
            sync_folder(changed)
    reach("repair-moved")
    (run / PLAN).unlink()
    shutil.rmtree(run / WORK, ignore_errors=True)
