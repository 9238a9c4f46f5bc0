"""Forgetting in a fleet: the same on each of its islands, told as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wolfspider.files.lock import Lock
from wolfspider.store.fleet_folder import is_fleet, runs_in
from wolfspider.store.folder import about_run
from wolfspider.store.repair.taking_out import Forgotten, noted


def on_all_islands(folder: Path, forget: Callable[[Path], Forgotten]) -> Forgotten:
    """What becomes of it in a run, or on all islands of a fleet, which nobody crawls meanwhile."""
    if not is_fleet(folder):
        return forget(folder)
    lock = Lock(folder / "lock")
    try:
        return _as_one([forget(run) for run in runs_in(folder)])
    finally:
        lock.release()


def noted_in(folder: Path) -> list[dict[str, Any]]:
    """What a run forgot so far, the oldest first. Of a fleet a host or an address is named once, as it was first
    forgotten, with the pages of all islands."""
    if not is_fleet(folder):
        about_run(folder)  # is it a run at all?
        return noted(folder)
    told: dict[str, dict[str, Any]] = {}
    for entry in sorted((entry for run in runs_in(folder) for entry in noted(run)), key=lambda entry: entry["at"]):
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
