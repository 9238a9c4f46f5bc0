"""How a cluster is: its machines, as Ray sees them, or the workers of one run, as its head sees them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wolfspider.app.cluster import workers_of
from wolfspider.core.errors import BadInput, Problem
from wolfspider.drivers.cluster import ray_home
from wolfspider.files.program_name import shell_command
from wolfspider.store.fleet_folder import is_fleet
from wolfspider.store.folder import is_run

_STALE = 10.0  # seconds after which a note is one of a crawl that stands still or is dead


def of_run(folder: Path) -> dict[str, Any]:
    """The workers of a run, as its note tells them."""
    if not is_run(folder):
        if is_fleet(folder):
            see = shell_command("status", folder)
            raise Problem(f"{folder} is a fleet, whose islands have no workers. See how each of them stands by: {see}")
        raise BadInput(f"There is no run in {folder}.")
    if (told := workers_of(folder)) is None:
        raise Problem(f"The run in {folder} is not crawled on a cluster now.")
    return {**told, "run": str(folder), "age": round(max(0.0, time.time() - float(told.get("at", 0.0))), 1)}


def of_cluster(where: str) -> dict[str, Any]:
    """The machines of the cluster at this address. None is started for it."""
    ray_home.check_installed()
    if (address := ray_home.found(where)) is None:
        see = shell_command("cluster", "status")
        raise Problem(f"No Ray cluster runs on this machine. One of a crawl's own is shown by: {see} RUN")
    with ray_home.joined(address) as home:
        return {"address": home.address, "machines": [_machine(node) for node in home.nodes()]}


def _machine(node: dict[str, Any]) -> dict[str, Any]:
    resources = node.get("Resources", {})
    return {
        "id": node["NodeID"],
        "machine": node.get("NodeManagerHostname", ""),
        "address": node.get("NodeManagerAddress", ""),
        "cpus": resources.get("CPU", 0.0),
        "memory": int(resources.get("memory", 0)),
    }


def lines(told: dict[str, Any]) -> Iterator[str]:
    if "machines" in told:
        yield f"Ray cluster at {told['address']}, machines: {len(told['machines'])}"
        for one in told["machines"]:
            yield (
                f"  {one['machine']} ({one['address']})  {one['cpus']:g} cores, {one['memory'] / 1e9:.1f} GB  "
                f"{one['id'][:12]}"
            )
        return
    kind = "a cluster of its own" if told["own"] else "the cluster"
    yield f"{told['run']} is crawled on {kind} at {told['address']}, workers: {len(told['workers'])}"
    if told["age"] > _STALE:
        yield f"  The crawl said so {told['age']:.0f} s ago: it stands still, or is dead."
    for one in told["workers"]:
        yield (
            f"  {one['name'][:8]}{one['name'][-2:]}  {one['machine']}, process {one['pid']}  epoch {one['epoch']}, "
            f"heard {one['silent']:.1f} s ago  {one['requests']} requests out, {one['answers']:,} answers"
        )
    yield f"  Lost since the start: {told['lost']}. Late answers that were not taken: {told['late']}."
