"""Repairing a run: what can be read becomes a run that opens, and what is damaged is moved aside, never deleted.

Everything new is made in RUN/.repair first. Then a plan, RUN/repair.json, lists all moves: damaged parts go to
RUN/damaged-TIME, new ones take their places. Moves are made one after another, and one that was made is not made again,
so a repair can be killed at any moment: without a plan the run is as it was, and with one the next repair finishes it
and tells what was lost (repair_plan.py).
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wolfspider.core.errors import BadInput
from wolfspider.files.disk import open_to_write
from wolfspider.files.failpoints import reach
from wolfspider.files.lock import Lock
from wolfspider.store import cdxj, folder, snapshots
from wolfspider.store.archive_reader import name_of, numbers
from wolfspider.store.damage import UNREADABLE, writing
from wolfspider.store.folder import FORGOTTEN, INBOX, REQUISITES, WORK, Places, about_run, refuse_links_and_pipes
from wolfspider.store.repair import forgotten_list
from wolfspider.store.repair.damaged_rows import connect_damaged
from wolfspider.store.repair.examination import Finding, examine, lock_trouble
from wolfspider.store.repair.journal_anew import Needs, info_in, obeyed_limits, rebuild
from wolfspider.store.repair.journal_kept import Rebuilt, without_lost_pages
from wolfspider.store.repair.repair_plan import WANTED_ANEW, Repaired, RepairPlan, finish
from wolfspider.store.repair.salvaged_archive import Salvaged

DAMAGED = "damaged-"  # how a folder begins that holds what was replaced
OLD_DATABASE = ("run.db", "run.db-wal", "run.db-shm", "run.db-journal")

NeedsOf = Callable[[Mapping[str, Any], dict[str, str]], Needs]


def repair(run: Path, needs: NeedsOf, *, anew: bool = False) -> Repaired:
    """`needs` is asked for what the rows do not say, by the description of the run. `anew`: the journal begins anew,
    whatever is damaged, and all pages are read from the archive."""
    places = Places.of(run)
    refuse_links_and_pipes(places)
    if not run.is_dir() or not (places.archive.is_dir() or os.path.lexists(places.database)):
        folder.refuse_fleet(run)
        missing = "there is neither an archive nor a database in it" if run.is_dir() else folder.no_folder(run)
        raise BadInput(f"{run} is not a run: {missing}.")
    freed = _free_lock(places)
    lock = Lock(places.lock)
    try:
        earlier = finish(run) or freed
        found = examine(run, ours=True)
        if anew and not (earlier is not None and earlier.rebuilt is not None and earlier.rebuilt.anew):
            found.append(WANTED_ANEW)
        with writing(places.database):
            now = _repaired(places, found, needs, anew) if found else Repaired(run, [])
        return now.after(earlier)
    finally:
        lock.release()


def _free_lock(places: Places) -> Repaired | None:
    """A folder in the place of the lock file is moved aside first: nobody could own the run."""
    found = list(lock_trouble(places))
    if not found:
        return None
    aside = _aside(places.folder)
    aside.mkdir(mode=0o700)
    os.rename(places.lock, aside / "lock")
    return Repaired(places.folder, found, aside)


def _aside(run: Path) -> Path:
    """A folder that is not there yet."""
    stamp, number = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ"), 0
    while os.path.lexists(path := run / f"{DAMAGED}{stamp}{f'-{number}' if number else ''}"):
        number += 1
    return path


def _repaired(places: Places, found: list[Finding], needs: NeedsOf, anew: bool) -> Repaired:
    work, plan = places.folder / WORK, RepairPlan(_aside(places.folder).name)
    shutil.rmtree(work, ignore_errors=True)
    if os.path.lexists(work):
        raise BadInput(f"{work} cannot be removed, and a repair needs that name; remove it.")
    work.mkdir(mode=0o700)
    parts = {one.part for one in found}
    repaired = Repaired(places.folder, found)
    about = _about(places)
    described = "run.json" not in parts
    if parts & {"run.db", "warc"}:
        info = info_in(places.database) or {}
        archive = Salvaged(places.archive, work / "warc", info)
        repaired.rebuilt = _database(places, work, archive, parts, lambda: needs(about, info), anew)
        repaired.torn = archive.torn
        if repaired.rebuilt.anew and (limits := _changed_limits(places, about)):
            about, described = {**about, "settings": {**about["settings"], **limits}}, False
        for name in OLD_DATABASE:
            plan.away(places.folder, name)
        plan.moves.append((f"{WORK}/run.db", "run.db"))
        replace_archive(places, archive, plan)
    if parts & {"snapshots", "shelf"} or (repaired.rebuilt is not None and repaired.rebuilt.anew):
        plan.forget = repaired.rebuilt is None
        plan.away(places.folder, "shelf")
        plan.away(places.folder, "snapshots")
        _keep_learned(places, work, about, plan)
    if "index" in parts:
        for number in numbers(places.archive):
            plan.away(places.folder, f"warc/{cdxj.index_of(Path(name_of(number))).name}")
    if FORGOTTEN in parts:
        with suppress(sqlite3.DatabaseError), closing(connect_damaged(places.database)) as connection:
            forgotten_list.in_database(connection).write(work)
        plan.replace(places.folder, FORGOTTEN)
    if "inbox.db" in parts:
        for name in INBOX:
            plan.away(places.folder, name)
    if REQUISITES in parts:
        for ending in ("", "-journal", "-wal", "-shm"):
            plan.away(places.folder, f"{REQUISITES}{ending}")
    if not described:
        folder.describe(Places.of(work), about)
        plan.replace(places.folder, "run.json")
    reach("repair-made")
    plan.write(repaired)
    reach("repair-planned")
    return finish(places.folder) or repaired


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


def _changed_limits(places: Places, about: Mapping[str, Any]) -> dict[str, float]:
    """Limits that differ from those the run was begun with: its new journal begins with them."""
    first: Mapping[str, Any] = about["settings"]
    limits = {
        name: int(value) if type(first.get(name)) is int and value == int(value) else value
        for name, value in obeyed_limits(places.database).items()
    }
    return {name: value for name, value in limits.items() if first.get(name) != value}


def _database(
    places: Places, work: Path, archive: Salvaged, parts: set[str], needs: Callable[[], Needs], anew: bool
) -> Rebuilt:
    """With the journal, if nothing but records is damaged and it can do without them."""
    new = work / "run.db"
    os.close(open_to_write(new))  # its owner's alone
    rebuilt = None
    if parts <= {"warc", "index", "run.json", "inbox.db", "lock", FORGOTTEN, REQUISITES}:
        rebuilt = without_lost_pages(places.database, new, archive)
        if rebuilt is None:
            os.truncate(new, 0)
    rebuilt = rebuilt or rebuild(places.database, new, archive, needs(), anew)
    with new.open("rb") as file:
        os.fsync(file.fileno())
    return rebuilt


def replace_archive(places: Places, archive: Salvaged, plan: RepairPlan) -> None:
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
        shutil.copy(places.snapshots / snapshots.LEARNED, work / "snapshots" / snapshots.LEARNED)
    plan.moves.append((f"{WORK}/snapshots", "snapshots"))
