"""Forgetting in a fleet: the same on each of its islands, told as one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wolfspider.core.errors import BadInput, Problem
from wolfspider.files.disk import no_link
from wolfspider.files.lock import Lock
from wolfspider.store.fleet_folder import ISLANDS, is_fleet, island_folders, runs_in
from wolfspider.store.folder import PLAN, about_run, is_run
from wolfspider.store.repair.forgotten_list import in_file, note_in_fleet
from wolfspider.store.repair.taking_out import Forgotten, noted


def on_all_islands(folder: Path, forget: Callable[[Path], Forgotten]) -> Forgotten:
    """What becomes of it in a run, or on all islands of a fleet, which nobody crawls meanwhile. Islands that have not
    begun keep it out by what the fleet notes."""
    if not is_fleet(folder):
        return forget(folder)
    lock = Lock(folder / "lock")
    try:
        in_file(folder)  # can it be read?
        done = _as_one(_one_by_one(_sound_islands(folder), forget))
        if done.keeps_out:
            note_in_fleet(folder, done.what, done.at, done.keeps_out)
        return done
    finally:
        lock.release()


def _sound_islands(fleet: Path) -> list[Path]:
    """Those that have begun. One that is damaged would bring everything back when it is repaired: it is told before
    any of them is changed."""
    for path in (fleet / ISLANDS, *(islands := island_folders(fleet))):
        if path.is_symlink():
            raise no_link(path)
    begun = [island for island in islands if is_run(island) or os.path.lexists(island / "run.db")]
    for island in begun:
        if not os.path.lexists(island / PLAN):  # of one that was killed, which the same command finishes
            about_run(island)
    return begun or runs_in(fleet)


def _one_by_one(islands: Sequence[Path], forget: Callable[[Path], Forgotten]) -> list[Forgotten]:
    done: list[Forgotten] = []
    for island in islands:
        try:
            done.append(forget(island))
        except Problem as problem:
            if not done:
                raise
            others = ", ".join(str(other) for other in islands[: len(done)])
            raise BadInput(
                f"{problem} Forgotten already on: {others}. Mend it and give the same command again."
            ) from problem
    return done


def noted_in(folder: Path) -> list[dict[str, Any]]:
    """What a run forgot so far, the oldest first. Of a fleet a host or an address is named once, as it was first
    forgotten, with the pages of all islands."""
    if not is_fleet(folder):
        about_run(folder)  # is it a run at all?
        return noted(folder)
    told: dict[str, dict[str, Any]] = {}
    entries = [*(entry for run in runs_in(folder) for entry in noted(run)), *in_file(folder).entries]
    for entry in sorted(entries, key=lambda entry: entry["at"]):
        one = told.setdefault(entry["what"], {**entry, "pages": 0})
        one["pages"] += entry["pages"]
    return list(told.values())


def _as_one(parts: Sequence[Forgotten]) -> Forgotten:
    pages, records, size, reports = (
        sum(getattr(part, name) for part in parts) for name in ("pages", "records", "bytes", "reports")
    )
    return Forgotten(
        parts[0].what,
        pages,
        records,
        size,
        reports,
        liked=max(part.liked for part in parts),  # each island has them all
        at=max(part.at for part in parts),
        copies=[url for part in parts for url in part.copies],
        aside=[folder for part in parts for folder in part.aside],
        keeps_out=list(dict.fromkeys(what for part in parts for what in part.keeps_out)),  # each keeps it out
    )
