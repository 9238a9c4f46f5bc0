"""Forgetting in a fleet: the same on each of its islands, told as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from wolfspider.files.lock import Lock
from wolfspider.store.fleet_folder import is_fleet, runs_in
from wolfspider.store.repair.taking_out import Forgotten


def on_all_islands(folder: Path, forget: Callable[[Path], Forgotten]) -> Forgotten:
    """What becomes of it in a run, or on all islands of a fleet, which nobody crawls meanwhile."""
    if not is_fleet(folder):
        return forget(folder)
    lock = Lock(folder / "lock")
    try:
        return _as_one([forget(run) for run in runs_in(folder)])
    finally:
        lock.release()


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
    )
