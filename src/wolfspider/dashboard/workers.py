"""The islands of a fleet, as the dashboard shows them: which are at work, where, on what lease, how often they died.

A fleet is shown by the folder of its islands. What is told comes from what its head wrote down about a second ago, and
from the runs themselves; a folder of runs that is no fleet has no workers.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, TypedDict

from wolfspider.core.plain_text import plainly
from wolfspider.dashboard.desk import RunDesk
from wolfspider.files.lock import is_owned
from wolfspider.store.fleet_folder import fleet_with, standing_of
from wolfspider.store.folder import is_run
from wolfspider.store.view import RunView

_MOST = 1000  # islands
FIGURES = (
    ("alive", "Is a process at work on the island?"),
    ("hosts", "Hosts that the island owns and pages came from."),
    ("downloads", "Downloads that the island made."),
    ("lease", "Downloads that the island may have made."),
    ("relevant", "Relevant pages that the island found."),
    ("rate", "Downloads a second in the last minute."),
    ("restarts", "Times that the process of the island was started again."),
)


class IslandLine(TypedDict):
    """One island. `run`: its name among the runs; "" before it has begun."""

    name: str
    run: str
    alive: bool
    why: str
    trouble: str
    machine: str
    process: int
    hosts: int
    downloads: int
    lease: int
    pages: int
    relevant: int
    rate: float
    restarts: int
    links: int


class IslandTable(TypedDict):
    """`at`: when the head of the fleet wrote this down; null where the folder is no fleet."""

    at: float | None
    age: float | None
    running: bool
    budget: int
    free: int
    lost: int
    workers: list[IslandLine]


def workers(desk: RunDesk) -> IslandTable:
    fleet = fleet_with(desk.folder)
    said: Mapping[str, Any] = {} if fleet is None else standing_of(fleet)
    at, islands = _number(said.get("at")), said.get("islands")
    return {
        "at": at if islands else None,
        "age": max(0.0, time.time() - at) if islands else None,
        "running": fleet is not None and is_owned(fleet / "lock"),
        "budget": int(_number(said.get("budget"))),
        "free": int(_number(said.get("free"))),
        "lost": int(_number(said.get("lost"))),
        "workers": [
            _worker(desk, number, each)
            for number, each in enumerate(islands[:_MOST] if isinstance(islands, list) else [])
            if isinstance(each, dict)
        ],
    }


def _worker(desk: RunDesk, number: int, said: Mapping[str, Any]) -> IslandLine:
    run = desk.folder / f"{number + 1}"
    begun = is_run(run)
    return {
        "name": f"island {number + 1}",
        "run": run.name if begun else "",
        "alive": begun and is_owned(run / "lock"),
        "why": plainly(str(said.get("why") or "")),
        "trouble": plainly(str(said.get("trouble") or ""), 500),
        "machine": plainly(str(said.get("node") or "")),
        "process": int(_number(said.get("pid"))),
        "hosts": desk.remembered(run, "owned hosts", lambda: len(RunView(run).hosts())) if begun else 0,
        "downloads": int(_number(said.get("spent"))),
        "lease": int(_number(said.get("lease"))),
        "pages": int(_number(said.get("pages"))),
        "relevant": int(_number(said.get("relevant"))),
        "rate": _number(said.get("rate")),
        "restarts": int(_number(said.get("deaths"))),
        "links": int(_number(said.get("waiting"))),
    }


def _number(value: Any) -> float:
    """What stands in the file may be anything."""
    return float(value) if isinstance(value, int | float) and abs(value) < 1e15 else 0.0


def worker_metrics(desk: RunDesk) -> list[str]:
    """For Prometheus, where there is a fleet. Labels are numbers of islands alone."""
    told = workers(desk)
    if told["at"] is None:
        return []
    lines = []
    for name, says in FIGURES:
        lines += [f"# HELP wolfspider_island_{name} {says}", f"# TYPE wolfspider_island_{name} gauge"]
        for each in told["workers"]:
            figures: Mapping[str, Any] = {**each}
            lines.append(f'wolfspider_island_{name}{{island="{each["name"].split()[-1]}"}} {float(figures[name]):g}')
    for name, value in (("free", told["free"]), ("lost_keepers", told["lost"])):
        lines += [f"# TYPE wolfspider_fleet_{name} gauge", f"wolfspider_fleet_{name} {value}"]
    return lines
