"""The bench: every strategy on every topic of every web, several times, in as many processes as there are cores.

First the webs are opened and everything a person may have got wrong is checked, then the bounds of each topic are
computed (once, and kept), then the cells are run in any order and put into the order they were asked for. A cell knows
nothing of the others, so that the rows are the same however many processes there are. With an OUT file each finished
cell is kept beside it, in `OUT.cells`: the same bench again runs only what is missing.

A row has what docs/bench.md says; `null` stands for what cannot be said: bounds of webs too large to bound, the recall
of what is nowhere reachable, and the figures of a strategy that failed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import wolfspider
from wolfspider.bench.measure.bounds import auc, curve
from wolfspider.bench.run.cell import Cell, Measured, work
from wolfspider.bench.run.cell_store import run_cells
from wolfspider.bench.run.entrants import Entrant, files_of, judges_entered, strategies_entered, strategy_of
from wolfspider.bench.run.kept import Kept, digest_of, write_whole
from wolfspider.bench.run.leap_index import index_of
from wolfspider.bench.run.source import source_of
from wolfspider.bench.run.topic_bounds import Limit, Limits
from wolfspider.bench.run.topics import tasks_of
from wolfspider.core.errors import Problem, closest
from wolfspider.core.params import build
from wolfspider.core.topic import Task
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.strategies import all_strategies
from wolfspider.web.page.page_cache import folder
from wolfspider.web.worlds.world import World, open_web

Row = dict[str, Any]
QUICK_WEB = "synthetic:pages=5000"
QUICK_PAGES = 200
QUICK_TOPICS = 2
QUICK_DOWNLOADS = 5_000  # of all cells together
TRAININGS = ("charged", "free")


class Progress(Protocol):
    """Who follows a bench."""

    def told(self, sentence: str) -> None:
        """Something a person should know."""
        ...

    def done(self, cells: int, total: int, means: Mapping[str, float]) -> None:
        """So many cells are through; `means` has the mean auc_ratio of each strategy so far."""
        ...


class Silent:
    """Nobody does."""

    def told(self, sentence: str) -> None:
        pass

    def done(self, cells: int, total: int, means: Mapping[str, float]) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Bench:
    """What to measure, as the command line gives it."""

    webs: tuple[str, ...]
    strategies: tuple[str, ...]  # names, or FILE.py[:NAME]
    pages: int
    topics_file: Path | None = None  # instead of the topics that come with the webs
    topics: tuple[str, ...] = ()  # these alone; none: all
    repeats: int = 1
    judge: str = DEFAULT_JUDGE  # a name, or FILE.py[:NAME]
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by strategy
    slots: int = 1
    seed: int = 0
    jobs: int | None = None  # processes; None: one for each core
    train: str = "charged"
    start: float | None = None  # None: the time of the web's last record
    latency: float | None = None
    obey_robots: bool = False
    leaps: str | None = None  # a web to leap into
    record: str | None = None
    most_topics: int | None = None  # of each web, the first ones


@dataclass(frozen=True, slots=True)
class Ground:
    """A web and one of its topics, with what any crawler could find there."""

    web: str
    name: str
    digest: str
    start: float
    task: Task
    limit: Limit


@dataclass(frozen=True, slots=True)
class Results:
    rows: list[Row]
    about: dict[str, Any]  # what was run
    bounds: list[dict[str, Any]]  # the curves of upper bound and greedy oracle for each web and topic, as `found` is


def quick(bench: Bench) -> Bench:
    """The same question, answered roughly in less than a minute."""
    webs = bench.webs or (QUICK_WEB,)
    strategies = bench.strategies or tuple(all_strategies())
    fair = QUICK_DOWNLOADS // (len(webs) * len(strategies) * QUICK_TOPICS)
    pages = max(1, min(bench.pages or QUICK_PAGES, QUICK_PAGES, fair))
    return replace(bench, webs=webs, strategies=strategies, pages=pages, repeats=1, most_topics=QUICK_TOPICS)


def read_settings(given: Iterable[str]) -> dict[str, dict[str, str]]:
    """`STRATEGY.NAME=VALUE` as it stands on the command line."""
    settings: dict[str, dict[str, str]] = {}
    for text in given:
        place, equals, value = text.partition("=")
        strategy, dot, name = place.strip().rpartition(".")
        if not (equals and dot and strategy and name):
            raise Problem(f"A setting of a bench is STRATEGY.NAME=VALUE, not {text!r}.")
        settings.setdefault(strategy, {})[name] = value.strip()
    return settings


def run(bench: Bench, out: Path | None = None, progress: Progress | None = None, cache: Path | None = None) -> Results:
    """Measure everything; with `out` the rows are written there as JSON. Problem says what cannot work."""
    followed = progress or Silent()
    entrants = check(bench)
    if out is not None and out.is_dir():
        raise Problem(f"{out} is a folder; name a file for the results.")
    kept = Kept.beside(out)
    kept.prepare()
    leaps = None if bench.leaps is None else open_web(bench.leaps, cache)
    grounds = list(_grounds(bench, followed, cache, leaps))
    index = None if leaps is None else index_of(leaps, cache, followed.told)
    cells = _recording(bench, [(ground, cell) for ground in grounds for cell in _cells(bench, entrants, ground, index)])
    rows = _measured(bench, cells, kept, followed, cache)
    results = Results(rows, _about(bench, entrants, grounds, leaps), [_bounds(ground) for ground in grounds])
    if out is not None:
        write_whole(out, json.dumps(asdict(results)) + "\n")
    return results


def exit_code(rows: Iterable[Row]) -> int:
    """1 if a strategy failed."""
    return int(any(row["error"] is not None for row in rows))


class Entrants(NamedTuple):
    strategies: list[Entrant]
    judge: Entrant
    settings: dict[str, dict[str, str]]  # by the names of the strategies


def check(bench: Bench) -> Entrants:
    """Who takes part. Everything that can be told wrong before a web is opened is told."""
    if not bench.webs:
        raise Problem("A bench needs a web: --web WEB, or --quick for a built-in one.")
    if not bench.strategies:
        raise Problem(f"A bench needs a strategy: --strategy NAME. There are: {', '.join(all_strategies())}.")
    for name, value in (("pages", bench.pages), ("repeats", bench.repeats), ("slots", bench.slots)):
        if value < 1:
            raise Problem(f"--{name} must be at least 1, not {value}.")
    if bench.jobs is not None and bench.jobs < 1:
        raise Problem(f"--jobs must be at least 1, not {bench.jobs}.")
    if bench.latency is not None and not 0 <= bench.latency < float("inf"):
        raise Problem(f"--latency is a number of seconds, not {bench.latency}.")
    if bench.train not in TRAININGS:
        raise Problem(f"--train is {' or '.join(TRAININGS)}, not {bench.train!r}.")
    return _entrants(bench)


def _entrants(bench: Bench) -> Entrants:
    (judge,) = judges_entered([bench.judge])
    strategies = strategies_entered(bench.strategies)
    names = {name: entrant.name for entrant in strategies for name in (entrant.given, entrant.name)}
    settings: dict[str, dict[str, str]] = {}
    for strategy, values in bench.settings.items():
        if strategy not in names:
            raise Problem(f"--set names {strategy!r}, which is not in this bench.{closest(strategy, names)}")
        settings.setdefault(names[strategy], {}).update(values)
    for entrant in strategies:
        build(strategy_of(entrant.name, entrant.own).Params, settings.get(entrant.name, {}))
    return Entrants(strategies, judge, settings)


def _grounds(bench: Bench, progress: Progress, cache: Path | None, leaps: World | None) -> Iterator[Ground]:
    seen: set[str] = set()
    for web in dict.fromkeys(bench.webs):
        world = open_web(web, cache)
        if leaps is not None and leaps.digest() == world.digest():
            raise Problem(f"--leaps must name another web than those that are crawled: {web} is the same as this one.")
        for warning in world.warnings:
            progress.told(f"{world.name}: {warning}")
        name = world.name if world.name not in seen else web
        seen.add(name)
        yield from _grounds_of(bench, web, name, world, progress, cache)


def _grounds_of(
    bench: Bench, web: str, name: str, world: World, progress: Progress, cache: Path | None
) -> Iterator[Ground]:
    start = world.start if bench.start is None else bench.start
    limits = Limits(world, start, bench.pages, Kept((cache or folder()) / "bounds"), progress.told)
    tasks = tasks_of(world, bench.topics_file, bench.topics, start, progress.told)
    for topic in list(tasks)[: bench.most_topics]:
        task = tasks[topic]  # where one may leap, links alone say nothing of what can be found
        limit = limits.of(task) if bench.leaps is None else Limit(len(task.relevant))
        yield Ground(web, name, world.digest(), start, task, limit)


def _cells(bench: Bench, entrants: Entrants, ground: Ground, index: Path | None) -> Iterator[Cell]:
    for strategy in entrants.strategies:
        for repeat in range(bench.repeats):
            yield Cell(
                web=ground.web,
                web_name=ground.name,
                topic=ground.task.topic.name,
                strategy=strategy.name,
                repeat=repeat,
                pages=bench.pages,
                judge=entrants.judge.name,
                start=ground.start,
                settings=entrants.settings.get(strategy.name, {}),
                slots=bench.slots,
                seed=bench.seed,
                train=bench.train,
                latency=bench.latency,
                obey_robots=bench.obey_robots,
                leaps="" if index is None else str(index),
                own_strategy=strategy.own,
                own_judge=entrants.judge.own,
            )


def _recording(bench: Bench, cells: list[tuple[Ground, Cell]]) -> list[tuple[Ground, Cell]]:
    """Each with the folder to record it in, if that is wanted; a single one in the folder that was named."""
    if bench.record is None:
        return cells
    named = Path(bench.record).absolute()
    return [
        (ground, replace(cell, record=str(named / _folder_name(cell) if len(cells) > 1 else named)))
        for ground, cell in cells
    ]


def _folder_name(cell: Cell) -> str:
    parts = (cell.web_name, cell.topic, cell.strategy, str(cell.repeat))
    return "-".join(re.sub(r"[^\w.=,]+", "-", part).strip("-.")[:80] for part in parts)


def _measured(
    bench: Bench, cells: Sequence[tuple[Ground, Cell]], kept: Kept, progress: Progress, cache: Path | None
) -> list[Row]:
    """The rows of all cells, in their order."""
    calls = [(cell, ground.task, cache) for ground, cell in cells]
    keys = [_key(ground, cell) for ground, cell in cells]
    rows: dict[int, Row] = {}
    means = Means()
    with closing(run_cells(work, calls, keys, kept, bench.jobs)) as results:
        for number, result in results:
            ground, cell = cells[number]
            rows[number] = row_of(cell, ground, Measured(**result))
            means.add(rows[number])
            progress.done(len(rows), len(cells), means.now())
    return [rows[number] for number in range(len(cells))]


def _key(ground: Ground, cell: Cell) -> str:
    task = ground.task
    wanted = [task.topic.keywords, task.topic.description, task.seeds, sorted(task.relevant)]
    settings = {name: value for name, value in asdict(cell).items() if name != "web" and (value or name != "record")}
    settings["leaps"] = Path(cell.leaps).name  # which says what is in it, wherever it lies
    imports: tuple[str, ...] = ()
    for role, own in (("strategy", cell.own_strategy), ("judge", cell.own_judge)):
        del settings[f"own_{role}"]
        if own:  # likewise: the class and the content of its file
            settings[role] = [own.address.rpartition(":")[2], own.digest]
            imports += own.imports
    return digest_of([ground.digest, settings, wanted, source_of(Cell.__module__, cell.strategy, imports)])


def row_of(cell: Cell, ground: Ground, measured: Measured) -> Row:
    limit = ground.limit
    found = measured.found[-1][1] if measured.found else 0
    failed = measured.error is not None
    area = None if failed else auc(curve(measured.found, cell.pages))
    return {
        "web": cell.web_name,
        "topic": cell.topic,
        "strategy": cell.strategy,
        "judge": cell.judge,
        "train": cell.train,
        "repeat": cell.repeat,
        "pages": cell.pages,
        "downloads": measured.downloads,
        "training": measured.training,
        "relevant": limit.relevant,
        "reachable": limit.reachable,
        "found": measured.found,
        "harvest_rate": None if failed else found / max(measured.downloads, 1),
        "recall": None if failed else _share(found, limit.reachable),
        "auc": area,
        "oracle_auc": limit.upper_auc(cell.pages),
        "greedy_auc": limit.greedy_auc(cell.pages),
        "auc_ratio": _share(area, limit.upper_auc(cell.pages)),
        "hosts": measured.hosts,
        "seconds": round(measured.seconds, 3),
        "pages_per_second": round(measured.downloads / max(measured.seconds, 1e-9), 1),
        "peak_rss_mb": measured.peak_rss_mb,
        "error": measured.error,
    }


def _share(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


class Means:
    """The mean auc_ratio of each strategy over the rows that have one."""

    def __init__(self) -> None:
        self._sums: dict[str, tuple[float, int]] = {}

    def add(self, row: Row) -> None:
        if row["auc_ratio"] is not None:
            total, count = self._sums.get(row["strategy"], (0.0, 0))
            self._sums[row["strategy"]] = (total + row["auc_ratio"], count + 1)

    def now(self) -> dict[str, float]:
        return {strategy: total / count for strategy, (total, count) in self._sums.items()}


def _about(bench: Bench, entrants: Entrants, grounds: Sequence[Ground], leaps: World | None) -> dict[str, Any]:
    """What the report tells of how the rows came about, so that anybody can run it again."""
    return {
        "version": wolfspider.__version__,
        "webs": {ground.name: ground.digest for ground in grounds},
        "topics_file": None if bench.topics_file is None else str(bench.topics_file),
        "strategies": [entrant.name for entrant in entrants.strategies],
        "pages": bench.pages,
        "repeats": bench.repeats,
        "judge": entrants.judge.name,
        "files": {"strategies": files_of(entrants.strategies), "judges": files_of([entrants.judge])},
        "settings": entrants.settings,
        "slots": bench.slots,
        "seed": bench.seed,
        "train": bench.train,
        "start": bench.start,
        "latency": bench.latency,
        "obey_robots": bench.obey_robots,
        "leaps": {} if leaps is None else {leaps.name: leaps.digest()},
    }


def _bounds(ground: Ground) -> dict[str, Any]:
    limit = ground.limit
    return {"web": ground.name, "topic": ground.task.topic.name, "upper": limit.upper, "greedy": limit.greedy}
