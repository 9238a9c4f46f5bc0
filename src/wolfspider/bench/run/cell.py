"""One cell of a bench: one strategy on one topic of one web, once. Settings go in, plain numbers come out.

Strategy and judge are given keywords, description and seeds. Which pages are relevant is known to `RelevantPages` and
to the judge `oracle` alone. Everything but the time and the memory it took is a function of the cell.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from wolfspider.app.plugins import fault, judge_maker, strategy_kind
from wolfspider.bench.measure.metrics import RelevantPages
from wolfspider.bench.run.entrants import Plugin, check_unchanged, judge_of, strategy_of
from wolfspider.bench.run.result_cache import write_whole
from wolfspider.core import randomness
from wolfspider.core.errors import Problem
from wolfspider.core.events import EndReason
from wolfspider.core.limits import NO_HURRY
from wolfspider.core.model import BACKLINKS, LEAP, host_of
from wolfspider.core.params import wants_letter
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Task, Topic
from wolfspider.drivers.simulated import simulate, simulated_crawl
from wolfspider.engine.contracts import Source
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.policy.reinforcer import Reinforcer, Terms
from wolfspider.policy.strategy import Strategy
from wolfspider.policy.trap_rules import TrapRules
from wolfspider.store.categories.index import Categories
from wolfspider.web.http.robots import Robots
from wolfspider.web.page.urls import looks_like_file
from wolfspider.web.seeds.leaps import Leaps
from wolfspider.web.worlds.backlinks import Backlinks
from wolfspider.web.worlds.parsed_once import Delayed
from wolfspider.web.worlds.recording.recorder import recorded
from wolfspider.web.worlds.without_lines import WithoutLines
from wolfspider.web.worlds.world import Looks, World, open_web

OBEDIENT_DELAY = 1.0  # seconds between two visits to a host, where robots are obeyed and no delay is named
STUCK = "The strategy waits for something that cannot come: a bug in it."


@dataclass(frozen=True, slots=True)
class Cell:
    """What is run. `web` is as it was given; its name, which tables show, is `web_name`."""

    web: str
    web_name: str
    topic: str
    strategy: str
    repeat: int
    pages: int
    judge: str
    start: float
    settings: Mapping[str, str] = field(default_factory=dict)
    slots: int = 1
    delay: float | None = None  # see `rest`
    hurry: float = NO_HURRY
    until: float = 0.0  # when it is enough, as `crawl --until` has it
    seed: int = 0
    train: str = "charged"
    latency: float | None = None
    obey_robots: bool = False
    record: str = ""  # a folder to record the crawl in
    leaps: str = ""  # a category index that leaps go into
    traps: bool = False  # are traps avoided, as on the live web?
    without: str = ""  # a pattern: lines of pages that match are left out
    strategy_plugin: Plugin | None = None  # where the strategy comes from, if it is not built in
    judge_plugin: Plugin | None = None  # likewise

    @property
    def rest(self) -> float:
        """Seconds between two visits to a host; where robots are obeyed, a host may ask for more."""
        if self.delay is None:
            return OBEDIENT_DELAY if self.obey_robots else 0.0
        return self.delay


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of it. `error` is a sentence if the strategy failed; what was measured until then is kept."""

    downloads: int
    training: int  # downloads of the agent `train`, charged or not
    found: list[list[int]]
    hosts: int
    reason: str
    seconds: float
    virtual_seconds: float  # of the simulated clock, from the beginning of the crawl to its end
    peak_rss_mb: float
    error: str | None = None


def open_without(web: str, cache: Path | None, pattern: str) -> World:
    """The web, without the lines that match; all of it if there is no pattern."""
    world = open_web(web, cache)
    return WithoutLines(world, pattern) if pattern else world


@lru_cache(maxsize=2)
def opened(web: str, cache: Path | None, without: str = "") -> World:
    """A worker has cells of one web after another, and opens each web once."""
    return open_without(web, cache, without)


@lru_cache(maxsize=2)
def tasks_in(web: str) -> Mapping[str, Task]:
    """The tasks of a web, which neighbouring cells share."""
    return dict(opened(web, None).tasks())


@lru_cache(maxsize=2)
def backlinks(world: World, at: float) -> Backlinks:
    """A worker reads the links of a web backwards once, and only if a strategy asks."""
    return Backlinks(world, at)


@lru_cache(maxsize=2)
def categories(path: str) -> Categories:
    """A worker has cells with the same index one after another, and opens it once."""
    return Categories.open(Path(path))


def work(cell: Cell, task: Task, cache: Path | None) -> dict[str, Any]:
    """What a worker does: a Measured, as it is kept."""
    check_unchanged(cell.strategy_plugin, strategy_kind)
    check_unchanged(cell.judge_plugin, judge_maker)
    return asdict(measure(cell, task, opened(cell.web, cache, cell.without)))


def measure(cell: Cell, task: Task, world: World) -> Measured:
    """Run one crawl. A strategy that fails costs its own row only."""
    found = RelevantPages(task.relevant)
    memory = Peak()
    began = time.perf_counter()
    error = None
    reason = ""
    try:
        reason = _crawl(cell, task, world, found)
    except Exception as failure:  # whatever a strategy raises belongs in its row
        error = (fault(failure) or f"{type(failure).__name__}: {failure}")[:500]
        found.close()
    seconds = time.perf_counter() - began
    error = STUCK if reason == EndReason.STUCK else error
    counts = (found.downloads, found.training, found.curve, len(found.hosts))
    return Measured(*counts, reason, seconds, found.seconds, memory.megabytes(), error)


def check_ended(reason: str, strategy: str, web: str) -> None:
    """A crawl that is stuck says nothing about its strategy but that it has a bug."""
    if reason == EndReason.STUCK:
        raise Problem(f"{strategy} waits for something that cannot come, on {web}.")


def _crawl(cell: Cell, task: Task, world: World, found: RelevantPages) -> str:
    looks: Looks = world if cell.latency is None else Delayed(world, cell.latency)
    crawl = new_crawl(cell, task, world, looks)
    crawl.listen(found)
    robots = Robots(world.record)
    obedience = {"allow": robots.allowed, "pause": robots.delay} if cell.obey_robots else {}
    try:
        with _recorded(cell, crawl, task):
            return simulate(crawl, looks, start=cell.start, seeds=task.seeds, **obedience).reason
    finally:
        found.downloads = crawl.spent  # one more than was told if the strategy failed while observing
        found.training = crawl.flights.training
        found.seconds = max(0.0, crawl.now - cell.start)


@contextmanager
def _recorded(cell: Cell, crawl: Crawl, task: Task) -> Iterator[None]:
    """Written down, with its topic, if that is wanted."""
    if not cell.record:
        yield
        return
    folder = Path(cell.record)
    with recorded(crawl, folder, web=cell.web_name, seeds=task.seeds):
        topic = {"keywords": list(task.topic.keywords), "description": task.topic.description}
        wanted = {cell.topic: {**topic, "seeds": list(task.seeds), "relevant": sorted(task.relevant)}}
        write_whole(folder / "topics.json", json.dumps(wanted) + "\n")
        yield


def new_crawl(cell: Cell, task: Task, world: World, looks: Looks) -> Crawl:
    """A crawl as the rules of the bench want it, not begun."""
    scope = Scope(within=inside(world))
    return simulated_crawl(
        new_strategy(cell, task.topic),
        judge_of(cell.judge, cell.judge_plugin, task),
        looks,
        Limits(cell.pages, cell.slots, cell.rest, hurry=cell.hurry, until=cell.until),
        reinforcer=Reinforcer(terms(cell, world)),
        scope=scope,
        sources=sources(cell, world, scope),
        train=cell.train,
        traps=TrapRules() if cell.traps and not wants_letter(cell.settings) else None,
    )


def sources(cell: Cell, world: World, scope: Scope) -> dict[str, Source]:
    """The sources a strategy may ask: which pages link to a page, and, with an index, pages elsewhere."""
    asked: dict[str, Source] = {}
    if world.has_skeleton:
        asked[BACKLINKS] = backlinks(world, cell.start)
    if cell.leaps:
        asked[LEAP] = Leaps(categories(cell.leaps).search, scope.allows)
    return asked


def terms(cell: Cell, world: World) -> Terms:
    """Freshness counts only on a web that still changes after the crawl begins."""
    changes = cell.start < world.start or world.end > cell.start
    return Terms(pays="new+fresh+relevant" if changes else "new+relevant")


def new_strategy(cell: Cell, topic: Topic) -> Strategy:
    kind = strategy_of(cell.strategy, cell.strategy_plugin)
    name = cell.strategy_plugin.name if cell.strategy_plugin else cell.strategy
    wanted = Topic(topic.keywords, topic.description)  # a topic's name may tell more than its keywords
    rng = randomness.generator(cell.seed, name, cell.web_name, cell.topic, cell.repeat)
    return kind.new(wanted, rng, cell.settings)


def inside(world: World) -> Callable[[str], bool]:
    """The scope of a bench: the hosts of its web, and what may be a page there."""
    return lambda url: world.owns(host_of(url)) and not looks_like_file(url)


class Peak:
    """The most memory this process held since then, where the system can tell; else since it began."""

    def __init__(self) -> None:
        self._reset = False
        with suppress(OSError):
            self._reset = bool(Path("/proc/self/clear_refs").write_text("5"))

    def megabytes(self) -> float:
        kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if self._reset:
            with suppress(OSError):
                lines = Path("/proc/self/status").read_text().splitlines()
                kilobytes = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), kilobytes)
        return round(kilobytes / 1024, 1)
