"""A crawl as a cell of an experiment: a setting goes in, a row of the bench comes out.

    {"web": "synthetic:pages=3000", "topic": 0, "strategy": "best-first", "pages": 300}

`topic` is a name, or the place of a topic in its web. The other fields of `cell.Cell` may be set too; what is no field
of it is there for the claims to read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any

from wolfspider.bench.run.cell import Cell, measure, opened
from wolfspider.bench.run.kept import Kept
from wolfspider.bench.run.runner import Ground, row_of
from wolfspider.bench.run.topic_bounds import Limits
from wolfspider.core.errors import Problem, closest
from wolfspider.core.topic import Task
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.web.page.page_cache import folder

GIVEN = {field.name for field in fields(Cell)} - {"web_name", "topic"}


def crawl(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Run it. A strategy that fails stops the experiment: claims are not ruled on with rows missing."""
    web = str(setting["web"])
    world = opened(web, None)
    task = _task(web, setting["topic"])
    defaults: dict[str, Any] = {"repeat": 0, "judge": DEFAULT_JUDGE, "start": world.start}
    given = {name: value for name, value in setting.items() if name in GIVEN}
    cell = Cell(**{**defaults, **given}, web_name=world.name, topic=task.topic.name)
    limit = _limits(web, cell.start, cell.pages).of(task)
    row = row_of(cell, Ground(web, world.name, world.digest(), cell.start, task, limit), measure(cell, task, world))
    if row["error"] is not None:
        raise Problem(f"{cell.strategy} failed on topic {cell.topic} of {cell.web_name}: {row['error']}")
    return row


def _task(web: str, topic: str | int) -> Task:
    tasks = opened(web, None).tasks()
    name = list(tasks)[topic] if isinstance(topic, int) and topic < len(tasks) else topic
    if name not in tasks:
        raise Problem(f"There is no topic {name!r} in {web}.{closest(str(name), tasks)}")
    return tasks[str(name)]


@lru_cache(maxsize=2)
def _limits(web: str, start: float, pages: int) -> Limits:
    """A worker reads the links of a web once."""
    return Limits(opened(web, None), start, pages, Kept(folder() / "bounds"), lambda sentence: None)
