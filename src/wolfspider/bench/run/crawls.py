"""Rows of a bench, and a crawl as a cell of an experiment: a setting goes in, a row comes out.

    {"web": "synthetic:pages=3000", "topic": 0, "strategy": "best-first", "pages": 300}

`topic` is a name, or the place of a topic in its web. The other fields of `cell.Cell` may be set too; what is no field
of it is there for the claims to read. The strategy keeps to the letter of its paper, unless `settings` says otherwise.
"""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import Any

from wolfspider.bench import Row, Setting
from wolfspider.bench.conditions import name_of
from wolfspider.bench.measure.bounds import auc, curve
from wolfspider.bench.run.cell import Cell, Measured, measure, opened
from wolfspider.bench.run.topics import Assignment, WebBounds, bounds_cache
from wolfspider.core.errors import Problem, closest
from wolfspider.core.params import LETTER
from wolfspider.core.topic import Task

JUDGE = "classifier"  # of the papers' experiments, whose figures are published: not what the default is by now
GIVEN = {field.name for field in fields(Cell)} - {"web_name", "topic"}


def crawl(setting: Setting) -> Row:
    """Run it. A strategy that fails stops the experiment: claims are not ruled on with rows missing."""
    web = str(setting["web"])
    world = opened(web, None)
    task = _task(web, setting["topic"])
    defaults: dict[str, Any] = {"repeat": 0, "judge": JUDGE, "start": world.start}
    given = {name: value for name, value in setting.items() if name in GIVEN}
    given["settings"] = {LETTER: "true", **given.get("settings", {})}
    cell = Cell(**{**defaults, **given}, web_name=world.name, topic=task.topic.name)
    bounds = _bounds(web, cell.start, cell.pages).of(task)
    assignment = Assignment(web, world.name, world.digest(), cell.start, task, bounds)
    row = row_of(cell, assignment, measure(cell, task, world))
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
def _bounds(web: str, start: float, pages: int) -> WebBounds:
    """A worker reads the links of a web once."""
    return WebBounds(opened(web, None), start, pages, bounds_cache())


def row_of(cell: Cell, on: Assignment, measured: Measured) -> Row:
    bounds = on.bounds
    found = measured.found[-1][1] if measured.found else 0
    failed = measured.error is not None
    area = None if failed else auc(curve(measured.found, cell.pages))
    return {
        "web": cell.web_name,
        "topic": cell.topic,
        "strategy": cell.strategy,
        "judge": cell.judge,
        "train": cell.train,
        "condition": name_of(cell.slots, cell.rest),
        "slots": cell.slots,
        "delay": cell.rest,
        "repeat": cell.repeat,
        "pages": cell.pages,
        "downloads": measured.downloads,
        "training": measured.training,
        "relevant": bounds.relevant,
        "reachable": bounds.reachable,
        "found": measured.found,
        "harvest_rate": None if failed else found / max(measured.downloads, 1),
        "recall": None if failed else _share(found, bounds.reachable),
        "auc": area,
        "oracle_auc": bounds.upper_auc(cell.pages),
        "greedy_auc": bounds.greedy_auc(cell.pages),
        "auc_ratio": _share(area, bounds.upper_auc(cell.pages)),
        "hosts": measured.hosts,
        "virtual_seconds": round(measured.virtual_seconds, 3),
        "seconds": round(measured.seconds, 3),
        "pages_per_second": round(measured.downloads / max(measured.seconds, 1e-9), 1),
        "peak_rss_mb": measured.peak_rss_mb,
        "error": measured.error,
    }


def _share(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None
