"""The crawls of the arena: perturbed starts, figures on the way, and results kept as lines of JSON.

A start is a bench cell from slightly other circumstances. Start 0 is the topic as it is. In the others the links of
every page come in another order, which decides between links of equal score and changes nothing that is told about a
link, and so do the seeds; a third of them is left out where the others still lead to almost all that is relevant.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from layered_web import Layer
from link_farm import Farmed

from wolfspider.bench import Row
from wolfspider.bench.conditions import CONDITIONS
from wolfspider.bench.measure.bounds import auc, curve
from wolfspider.bench.run.cell import Cell, Measured, measure, opened
from wolfspider.bench.run.crawls import row_of
from wolfspider.bench.run.result_cache import ResultCache, digest_of
from wolfspider.bench.run.runner import cell_key
from wolfspider.bench.run.topics import Assignment, TopicBounds, WebBounds, bounds_cache, tasks_of
from wolfspider.core import randomness
from wolfspider.core.limits import NO_HURRY
from wolfspider.core.model import Fetch, Page
from wolfspider.core.topic import Task
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import World, open_web

T = TypeVar("T")

FARM = "farm:"  # before a web: a link farm stands beside it
ENOUGH = 0.95  # of what all seeds lead to, so that one may be left out
CHECKPOINTS = (250, 1000, 3000, 10_000)
TWICE = "2R"  # downloads: twice the number of reachable relevant pages
VERSION = 2  # of what is kept: another one is another result


@dataclass(frozen=True, slots=True)
class Entry:
    """A strategy in the arena, with its settings, under the name that tables show."""

    name: str
    strategy: str
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ArenaWeb:
    """A web as it was given, which topics of it are crawled, and whether they are its own half to report on."""

    spec: str
    half: str | None
    most_topics: int | None = None

    @property
    def farmed(self) -> bool:
        return self.spec.startswith(FARM)

    @property
    def inner(self) -> str:
        return self.spec.removeprefix(FARM)

    @property
    def synthetic(self) -> bool:
        return self.inner.startswith("synthetic")


@dataclass(frozen=True, slots=True)
class ArenaCell:
    """A crawl: the bench cell, the topic with its bounds, and the circumstances."""

    cell: Cell
    on: Assignment
    entry: Entry
    start: int
    farmed: bool
    synthetic: bool

    @property
    def key(self) -> str:
        return digest_of([cell_key(self.on, self.cell), self.start, self.farmed, VERSION])

    def row(self, measured: Mapping[str, Any]) -> Row:
        """As a bench has it, under the entry's name, with the figure at each checkpoint; curves are left out."""
        taken = dict(measured)
        farm, cpu = taken.pop("farm"), taken.pop("cpu")
        row = row_of(self.cell, self.on, Measured(**taken))
        reached = self.on.bounds.reachable or 0
        stops = {str(stop): stop for stop in CHECKPOINTS} | {TWICE: 2 * reached}
        figures = {
            name: ratio(row["found"], self.on.bounds, stop)
            for name, stop in stops.items()
            if 0 < stop <= self.cell.pages and not row["error"]
        }
        del row["found"]
        named = {"strategy": self.entry.name, "synthetic": self.synthetic, "farm": farm, "cpu": cpu}
        return {**row, **named, "at": {name: figures.get(name) for name in stops}}


def ratio(found: Sequence[Sequence[int]], bounds: TopicBounds, stop: int) -> float | None:
    """auc_ratio after so many downloads of a crawl that may go on."""
    most = bounds.upper_auc(stop)
    return auc(curve(found, stop)) / most if most else None


# Starts


class Reordered(Layer):
    """A web whose pages have their links in another order; what is told about a link stays, also its rank."""

    def __init__(self, world: World, number: int) -> None:
        super().__init__(world)
        self._number = number

    def look(self, url: str, now: float) -> Fetch:
        fetch = self.below.look(url, now)
        page = parse(fetch)
        if not isinstance(page, Page):
            return fetch
        links = list(page.links)
        randomness.generator(self._number, "links", page.final_url).shuffle(links)
        return replace(fetch, body=b"", page=replace(page, links=tuple(links)))


def perturbed(task: Task, start: int, bounds: WebBounds) -> tuple[Task, TopicBounds]:
    """The task of a start, and what any crawler could find from there."""
    if start == 0:
        return task, bounds.of(task)
    rng = randomness.generator(start, "seeds", task.topic.name, *task.seeds)
    seeds = rng.sample(task.seeds, len(task.seeds))
    full = bounds.of(task)
    fewer = replace(task, seeds=tuple(seeds[: max(1, len(seeds) - max(1, len(seeds) // 3))]))
    known = bounds.of(fewer)
    if (known.reachable or 0) >= ENOUGH * (full.reachable or 0):
        return fewer, known
    return replace(task, seeds=tuple(seeds)), full


def play(cell: Cell, task: Task, start: int, farmed: bool) -> dict[str, Any]:
    """What a worker does."""
    world = opened(cell.web, None)
    farm = Farmed(world, task) if farmed else None
    inner = farm or world
    began = time.process_time()
    measured = asdict(measure(cell, task, Reordered(inner, start) if start else inner))
    beside = {"farm": None if farm is None else len(farm.visited), "cpu": round(time.process_time() - began, 3)}
    return measured | beside


# Cells


class Place(NamedTuple):
    """A topic of a web, from one start; `size` is the number of pages of the web, `turn` the topic's place in it."""

    web: ArenaWeb
    start: int
    on: Assignment
    size: int
    turn: int


def places(web: ArenaWeb, starts: int, pages: int) -> Iterator[Place]:
    """Every topic of a web from every start."""
    world = open_web(web.inner)
    bounds = WebBounds(world, world.start, pages, bounds_cache())
    tasks = tasks_of(world, None, (), world.start, half=web.half)
    name, size = f"{world.name} with a farm" if web.farmed else world.name, world.graph(world.start).n
    for turn, task in enumerate(spread_evenly(list(tasks.values()), web.most_topics)):
        for start in range(starts):
            own, known = perturbed(task, start, bounds)
            on = Assignment(web.inner, name, world.digest(), world.start, own, known)
            yield Place(web, start, on, size, turn)


def spread_evenly(those: Sequence[T], most: int | None) -> Sequence[T]:
    """At most so many of them, from the first on at even distances."""
    count = min(len(those), most or len(those))
    return [those[number * len(those) // count] for number in range(count)]


def cells(
    entries: Sequence[Entry],
    found: Sequence[Place],
    pages: int,
    conditions: Sequence[str],
    judges: Sequence[str],
) -> Iterator[ArenaCell]:
    """A crawl for every entry, place, condition and judge."""
    for web, start, on, *_ in found:
        for condition in conditions:
            slots, delay = CONDITIONS[condition]
            for judge in judges:
                for entry in entries:
                    cell = Cell(
                        on.web,
                        on.web_name,
                        on.task.topic.name,
                        entry.strategy,
                        start,
                        pages,
                        judge,
                        on.start,
                        dict(entry.settings),
                        slots,
                        delay,
                        NO_HURRY,
                    )
                    yield ArenaCell(cell, on, entry, start, web.farmed, web.synthetic)


class JsonLines(ResultCache):
    """Results in one file, a line for each, added as they come. A line that was cut by a kill is ignored."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.parent)
        self.path = path
        self._kept: dict[str, dict[str, Any]] = {}

    def prepare(self) -> None:
        super().prepare()
        content = self.path.read_bytes() if self.path.exists() else b""
        for line in content.splitlines():
            try:
                kept = json.loads(line)
                self._kept[kept["key"]] = kept["result"]
            except (ValueError, KeyError, TypeError):
                continue
        if content and not content.endswith(b"\n"):  # so that the next line begins as one
            with self.path.open("ab") as file:
                file.write(b"\n")

    def get(self, key: str) -> dict[str, Any] | None:
        return self._kept.get(key)

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        self._kept[key] = dict(value)
        with self.path.open("ab") as file:
            file.write(json.dumps({"key": key, "result": value}).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
