"""The folder of a fleet: fleet.json says what it is, and each of its islands is a run of its own below it.

Readers ask `runs_in` which runs there are to read: of a run, itself; of a fleet, its islands.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wolfspider import __version__
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import host_of
from wolfspider.core.territory import owner_of
from wolfspider.files.disk import open_to_read, whole_file
from wolfspider.files.program_name import shell_command
from wolfspider.store.folder import is_run
from wolfspider.web.http.gates import HostCap

FLEET = "fleet.json"
ISLANDS = "islands"  # the folder of their runs
KEEPERS = "keepers"  # the folder of what their keepers know
BUDGET = "budget.json"  # what each of them may spend
STANDING = "standing.json"  # how they stood a moment ago
_FORMAT = 1
_LARGEST = 1 << 24  # bytes of any of these files


def is_fleet(folder: Path) -> bool:
    return os.path.lexists(folder / FLEET)


def island_folder(fleet: Path, number: int) -> Path:
    """Of the island of this number, from 0; people count from 1."""
    return fleet / ISLANDS / f"{number + 1}"


def fleet_with(islands: Path) -> Path | None:
    """The fleet whose islands are the runs of this folder."""
    folder = Path(os.path.realpath(islands))
    return folder.parent if folder.name == ISLANDS and is_fleet(folder.parent) else None


def fleet_of(run: Path) -> Path | None:
    """The fleet that a run is an island of."""
    return fleet_with(Path(os.path.realpath(run)).parent)


def refuse_island(run: Path) -> None:
    """An island is crawled by its fleet alone, which knows what it may spend."""
    if (fleet := fleet_of(run)) is not None:
        raise Problem(
            f"{run} is an island of a fleet, and what it may download is leased to it by that fleet: resume them all "
            f"by `{shell_command('resume', fleet)}`."
        )


def island_folders(fleet: Path) -> list[Path]:
    """Those that are there, whole or not."""
    folders = (island_folder(fleet, number) for number in range(int(about_fleet(fleet)["islands"])))
    if not (there := [folder for folder in folders if os.path.lexists(folder)]):
        raise _not_begun(fleet)
    return there


def begun_islands(fleet: Path) -> list[Path]:
    count = int(about_fleet(fleet)["islands"])
    return [run for number in range(count) if is_run(run := island_folder(fleet, number))]


def runs_in(folder: Path) -> list[Path]:
    """The runs that are to be read as one: of a fleet, the islands that have begun."""
    if not is_fleet(folder):
        return [folder]
    if not (runs := begun_islands(folder)):
        raise _not_begun(folder)
    return runs


def _not_begun(fleet: Path) -> BadInput:
    return BadInput(f"No island of {fleet} has begun yet, so there is nothing to read.")


def run_of(folder: Path, url: str) -> Path:
    """The run that has to do with an address: of a fleet, the island whose site it is of."""
    if not is_fleet(folder):
        return folder
    return island_folder(folder, owner_of(HostCap().domain(host_of(url)), int(about_fleet(folder)["islands"])))


def describe_fleet(folder: Path, about: Mapping[str, Any]) -> None:
    """The last step of making a fleet."""
    said = {"format": _FORMAT, "wolfspider": __version__, "about": about}
    with whole_file(folder / FLEET) as file:
        file.write(json.dumps(said, indent=2, ensure_ascii=False).encode() + b"\n")


def about_fleet(folder: Path) -> dict[str, Any]:
    """How many islands it has, how many are at work for each machine (0: all), the settings of all of them as they
    were begun, which of these the person gave, and the limits that were moved since."""
    said = read_json(folder / FLEET)
    about = said.get("about")
    if said.get("format") != _FORMAT:
        raise BadInput(f"{folder / FLEET} is of another version of wolfspider.")
    if isinstance(about, dict) and isinstance(about.get("settings"), dict) and isinstance(about.get("name"), str):
        count, per_machine = about.get("islands"), about.setdefault("per_machine", 0)
        if (
            isinstance(about.setdefault("limits", {}), dict)
            and type(count) is int
            and 1 <= count <= 1000
            and type(per_machine) is int
            and 0 <= per_machine <= 1000
        ):
            return about
    raise BadInput(f"{folder / FLEET} is damaged: it does not say what the fleet is.")


def read_json(path: Path) -> dict[str, Any]:
    try:
        with os.fdopen(open_to_read(path), "rb") as file:
            said = json.loads(file.read(_LARGEST))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is damaged: {error}.") from error
    if not isinstance(said, dict):
        raise BadInput(f"{path} is damaged: it is no description.")
    return said


def standing_of(folder: Path) -> dict[str, Any]:
    """What the head of the fleet wrote down last; empty if it never did."""
    try:
        return read_json(folder / STANDING)
    except BadInput:
        return {}
