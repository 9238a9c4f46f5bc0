"""Runs that somebody else may have put into a folder: what they name is not run, read or asked without the person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wolfspider.app.plugins import PARTS, is_own
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import Settings
from wolfspider.core.errors import Problem
from wolfspider.drivers.cluster.ray_home import AUTO, LOCAL


def refuse_named(run: Path, names: Sequence[str], here: Settings) -> None:
    """A run names no program to be run, no service, no network and no file by these settings, unless they are those of
    the person who started the server."""
    there, usual = settings_of(run), Settings()
    for name in names:
        value = getattr(there, name)
        if value in (getattr(here, name), getattr(usual, name)) or (name in PARTS and not is_own(value)):
            continue
        raise Problem(
            f"{run.name} was begun with a setting {name} that is not that of this server: only a person uses it, "
            "at the command line."
        )


def resumed_with(there: Settings, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a run that is resumed: its own, and over them those that are given now. Ray runs what a cluster
    sends, so which one on another machine is joined, only the person says, each time."""
    if there.cluster not in ("", AUTO, LOCAL) and "cluster" not in given:
        raise Problem(
            f"It was begun on the Ray cluster at {there.cluster[:200]!r}, and Ray runs what a cluster sends. If you "
            "trust that one, name it again by --cluster; else give --cluster auto, or --cluster '' to use none."
        )
    own = there.to_json()
    if "parsers" in given:
        del own["hands"]  # it is given by its earlier name
    return {**own, **given}
