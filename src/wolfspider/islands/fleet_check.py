"""What is wrong with a fleet itself: with the files beside its islands, and islands that are missing. That of each
island is told by the examination of its run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from wolfspider.app.settings import Settings
from wolfspider.core.errors import BadInput, Problem
from wolfspider.islands import handed_links
from wolfspider.islands.fleet import budget_of
from wolfspider.store.fleet_folder import BUDGET, FLEET, ISLANDS, KEEPERS, about_fleet, island_folder
from wolfspider.store.folder import FORGOTTEN
from wolfspider.store.repair.examination import Finding
from wolfspider.store.repair.forgotten_list import in_file


def examine_fleet(folder: Path) -> list[Finding]:
    about = about_fleet(folder)
    count = int(about["islands"])
    checks: dict[str, Callable[[], object]] = {
        FLEET: lambda: _settings(folder, about["settings"], about["limits"]),
        BUDGET: lambda: budget_of(folder, 0, count),
        FORGOTTEN: lambda: in_file(folder),
        **{name: partial(_keeper, folder / name) for name in (f"{KEEPERS}/{number + 1}.db" for number in range(count))},
    }
    found = []
    for part, check in checks.items():
        try:
            check()
        except Problem as problem:
            found.append(Finding(part, problem.code, str(problem)))
    return [*found, *_missing(folder, count), *_too_many(folder, count)]


def _settings(folder: Path, *parts: dict[str, object]) -> None:
    try:
        Settings.from_json({name: value for part in parts for name, value in part.items()})
    except Problem as problem:
        raise type(problem)(f"{folder / FLEET} is damaged: {problem}") from problem


def _keeper(path: Path) -> None:
    if os.path.lexists(path):
        handed_links.examine(path)


def _missing(folder: Path, count: int) -> Iterator[Finding]:
    """Islands that were given something to spend, and are not there."""
    try:
        limits = budget_of(folder, 0, count).limits
    except Problem:
        return
    for number, limit in enumerate(limits):
        if limit and not os.path.lexists(island := island_folder(folder, number)):
            sentence = f"{island} is missing: what the island found is lost, and it begins anew when the fleet goes on."
            yield Finding(ISLANDS, BadInput.code, sentence)


def _too_many(folder: Path, count: int) -> Iterator[Finding]:
    for name in sorted(os.listdir(folder / ISLANDS)) if (folder / ISLANDS).is_dir() else ():
        if not (name.isascii() and name.isdigit() and 1 <= int(name) <= count):
            sentence = f"{folder / ISLANDS / name} is no island of this fleet, which has {count}: it is not read."
            yield Finding(ISLANDS, BadInput.code, sentence)
