"""The topics of a bench, checked against the web they are for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from wolfspider.bench.measure.metrics import key
from wolfspider.core.errors import BadInput, Problem, closest
from wolfspider.core.topic import Task, load_tasks
from wolfspider.web.page.urls import canonical
from wolfspider.web.worlds.world import World

Tell = Callable[[str], None]


def tasks_of(
    world: World, path: Path | None, names: Sequence[str], start: float, tell: Tell = lambda sentence: None
) -> Mapping[str, Task]:
    """The topics that come with a web, or those of a file; those named alone, if any are."""
    tasks = world.tasks() if path is None else _from_file(path)
    if not tasks:
        raise BadInput(f"The web {world.name} comes without topics: name a file of them by --topics FILE.")
    for name in names:
        if name not in tasks:
            raise Problem(f"There is no topic {name!r} in {path or world.name}.{closest(name, tasks)}")
    chosen = {name: task for name, task in tasks.items() if not names or name in names}
    for name, task in chosen.items():
        _check_seeds(world, name, task, start, tell)
    return chosen


def _from_file(path: Path) -> dict[str, Task]:
    return {
        name: Task(task.topic, _addresses(name, task.seeds), frozenset(_addresses(name, sorted(task.relevant))))
        for name, task in load_tasks(path).items()
    }


def _addresses(topic: str, urls: Sequence[str]) -> tuple[str, ...]:
    """One spelling each, and each page once however its scheme is written."""
    found: dict[str, str] = {}
    for url in urls:
        whole = canonical(url)
        if whole is None:
            raise BadInput(f"Topic {topic!r}: {url[:200]!r} is no http or https address.")
        found.setdefault(key(whole), whole)
    return tuple(found.values())


def _check_seeds(world: World, name: str, task: Task, start: float, tell: Tell) -> None:
    missing = [seed for seed in task.seeds if world.look(seed, start).status == 404]
    if len(missing) == len(task.seeds):
        when = f"{datetime.fromtimestamp(start, UTC):%Y-%m-%d %H:%M} UTC"
        there = ", ".join(missing[:3])
        raise BadInput(f"Topic {name!r}: none of its seeds is in the web {world.name} at {when}: {there}.")
    for seed in missing:
        tell(f"Topic {name!r}: its seed {seed} is not in the web {world.name}; asking for it costs a download.")
