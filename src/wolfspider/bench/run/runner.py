"""The bench: every strategy on every topic of every web, several times, in as many processes as there are cores.

First the webs are opened and all input is checked, then the bounds of each topic are computed (once, and cached), then
the cells are run in any order and their rows put into the order asked for. Cells do not depend on each other, so that
the rows are the same for any number of processes. With an OUT file each finished cell is kept beside it, in
`OUT.cells`: the same bench, run again, computes only the missing cells.

docs/bench.md describes the fields of a row. `null` stands for figures that are not known: bounds of webs that are too
large, the recall where nothing relevant is reachable, and the figures of a strategy that failed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import wolfspider
from wolfspider.bench import Row
from wolfspider.bench.conditions import Condition, condition_named, name_of
from wolfspider.bench.run.cell import Cell, Measured, open_without, work
from wolfspider.bench.run.crawls import row_of
from wolfspider.bench.run.entrants import (
    Entrant,
    check_works,
    files_of,
    judges_entered,
    strategies_entered,
    strategy_of,
)
from wolfspider.bench.run.leap_index import index_of
from wolfspider.bench.run.pool import run_cells
from wolfspider.bench.run.result_cache import ResultCache, digest_of, write_whole
from wolfspider.bench.run.source import source_of
from wolfspider.bench.run.topics import Assignment, TopicBounds, WebBounds, bounds_cache, in_half, tasks_of
from wolfspider.core.errors import Problem, closest, no_such
from wolfspider.core.limits import NO_HURRY, Limits
from wolfspider.core.params import chosen, parameters
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.store.folder import refuse_among_files
from wolfspider.strategies import all_strategies
from wolfspider.web.worlds.world import World, open_web

QUICK_WEB = "synthetic:pages=5000,seed=2,words=english"  # with topics that every kind of crawl finds
QUICK_PAGES = 200
QUICK_TOPICS = 2
QUICK_DOWNLOADS = 5_000  # of all cells together
ALL = ""  # stands for all strategies of a bench, where settings are by strategy
TRAININGS = ("charged", "free")
TRAPS = ("ignore", "avoid")


class Progress(Protocol):
    """A listener to the progress of a bench."""

    def told(self, sentence: str) -> None:
        """A remark for the user."""

    def done(self, cells: int, total: int, means: Mapping[str, float]) -> None:
        """So many cells are done; `means` has the mean auc_ratio of each strategy so far."""


class Silent:
    """A listener that shows nothing."""

    def told(self, sentence: str) -> None:
        pass

    def done(self, cells: int, total: int, means: Mapping[str, float]) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Bench:
    """What to measure, as given on the command line."""

    webs: tuple[str, ...]
    strategies: tuple[str, ...]  # names, or FILE.py[:NAME]
    pages: int
    topics_file: Path | None = None  # instead of the topics that come with the webs
    topics: tuple[str, ...] = ()  # these alone; none: all
    half: str | None = None  # "choose" or "report": that half of the topics; None: both
    repeats: int = 1
    judge: str = DEFAULT_JUDGE  # a name, or FILE.py[:NAME]
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by strategy
    slots: int = 1
    delay: float | None = None  # seconds between two visits to a host; see Cell
    conditions: tuple[str, ...] = ()  # each stands for slots and a delay, instead of those above
    hurry: float = NO_HURRY
    until: float = 0.0
    seed: int = 0
    jobs: int | None = None  # processes; None: one for each core
    train: str = "charged"
    start: float | None = None  # None: the time of the web's last record
    latency: float | None = None
    obey_robots: bool = False
    traps: str = "ignore"  # or "avoid", as on the live web
    without: str = ""  # a pattern: lines of pages that match are left out
    leaps: str | None = None  # a web to leap into
    record: str | None = None
    most_topics: int | None = None  # of each web, the first ones


@dataclass(frozen=True, slots=True)
class BenchResults:
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
    """`STRATEGY.NAME=VALUE` as it stands on the command line; `NAME=VALUE` is for all strategies of the bench."""
    settings: dict[str, dict[str, str]] = {}
    for text in given:
        place, equals, value = text.partition("=")
        strategy, dot, name = place.strip().rpartition(".")
        if not equals or not name or bool(dot) != bool(strategy):
            raise Problem(
                f"A setting of a bench is STRATEGY.NAME=VALUE, or NAME=VALUE for all its strategies, not {text!r}."
            )
        settings.setdefault(strategy, {})[name] = value.strip()
    return settings


def run(
    bench: Bench, out: Path | None = None, progress: Progress | None = None, cache: Path | None = None
) -> BenchResults:
    """Measure everything; with `out` the rows are written there as JSON. Problem says what cannot work."""
    followed = progress or Silent()
    entrants = check(bench)
    if out is not None and out.is_dir():
        raise Problem(f"{out} is a folder; name a file for the results.")
    results_cache = ResultCache.beside(out)
    results_cache.prepare()
    leaps = None if bench.leaps is None else open_web(bench.leaps, cache)
    assignments = list(_assignments(bench, followed, cache, leaps))
    index = None if leaps is None else index_of(leaps, cache, followed.told)
    cells = [(topic, cell) for topic in assignments for cell in _cells(bench, entrants, topic, index)]
    rows = _measured(bench, _recording(bench, cells), results_cache, followed, cache)
    bounds = [
        {"web": each.web_name, "topic": each.task.topic.name, "upper": each.bounds.upper, "greedy": each.bounds.greedy}
        for each in assignments
    ]
    results = BenchResults(rows, _about(bench, entrants, assignments, leaps), bounds)
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
    """The strategies and the judge of a bench. Problem reports every mistake that shows before a web is opened."""
    if not bench.webs:
        raise Problem("A bench needs a web: --web WEB, or --quick for a built-in one.")
    if not bench.strategies:
        raise Problem(f"A bench needs a strategy: --strategy NAME. There are: {', '.join(all_strategies())}.")
    for name in ("pages", "repeats", "slots", "jobs"):
        value = getattr(bench, name)
        if value is not None and value < 1:
            raise Problem(f"--{name} must be at least 1, not {value}.")
    if bench.latency is not None and not 0 <= bench.latency < float("inf"):
        raise Problem(f"--latency is a number of seconds, not {bench.latency}.")
    if bench.delay is not None:
        parameters(Limits)["delay"].read(bench.delay)
    in_half({}, bench.half)
    if bench.conditions and (bench.slots, bench.delay) != (1, None):
        raise Problem(
            "--condition says how many slots there are and how long hosts rest: leave out --slots and --delay."
        )
    _conditions(bench)
    parameters(Limits)["hurry"].read(bench.hurry)
    parameters(Limits)["until"].read(bench.until)
    if bench.train not in TRAININGS:
        raise no_such("--train", bench.train, TRAININGS)
    if bench.traps not in TRAPS:
        raise no_such("--traps", bench.traps, TRAPS)
    if bench.record is not None:
        refuse_among_files(Path(bench.record).resolve(), "--record")
    (judge,) = judges_entered([bench.judge])
    strategies = strategies_entered(bench.strategies)
    names = {name: entrant.name for entrant in strategies for name in (entrant.given, entrant.name)}
    settings = {entrant.name: dict(bench.settings.get(ALL, {})) for entrant in strategies if ALL in bench.settings}
    for strategy, values in bench.settings.items():
        if strategy == ALL:
            continue
        if strategy not in names:
            raise Problem(f"--set names {strategy!r}, which is not in this bench.{closest(strategy, names)}")
        settings.setdefault(names[strategy], {}).update(values)
    for entrant in strategies:
        chosen(strategy_of(entrant.name, entrant.plugin).Params, settings.get(entrant.name, {}))
    check_works(strategies, judge, settings)
    return Entrants(strategies, judge, settings)


def _assignments(bench: Bench, progress: Progress, cache: Path | None, leaps: World | None) -> Iterator[Assignment]:
    seen: set[str] = set()
    for web in dict.fromkeys(bench.webs):
        world = open_without(web, cache, bench.without)
        if leaps is not None and leaps.digest() == world.digest():
            raise Problem(f"--leaps must name another web than those that are crawled: {web} is the same as this one.")
        for warning in world.warnings:
            progress.told(f"{world.name}: {warning}")
        name = world.name if world.name not in seen else web
        seen.add(name)
        start = world.start if bench.start is None else bench.start
        bounds = WebBounds(world, start, bench.pages, bounds_cache(cache), progress.told)
        tasks = tasks_of(world, bench.topics_file, bench.topics, start, progress.told, bench.half)
        for task in islice(tasks.values(), bench.most_topics):  # where one may leap, links alone bound nothing
            bound = bounds.of(task) if leaps is None else TopicBounds(len(task.relevant))
            yield Assignment(web, name, world.digest(), start, task, bound)


def _conditions(bench: Bench) -> list[Condition]:
    """Those that were named, each once; else the one that slots and delay make."""
    named = [condition_named(name) for name in dict.fromkeys(bench.conditions)]
    return named or [Condition(bench.slots, bench.delay)]


def _cells(bench: Bench, entrants: Entrants, assignment: Assignment, index: Path | None) -> Iterator[Cell]:
    for condition, strategy, repeat in product(_conditions(bench), entrants.strategies, range(bench.repeats)):
        yield Cell(
            web=assignment.web,
            web_name=assignment.web_name,
            topic=assignment.task.topic.name,
            strategy=strategy.name,
            repeat=repeat,
            pages=bench.pages,
            judge=entrants.judge.name,
            start=assignment.start,
            settings=entrants.settings.get(strategy.name, {}),
            slots=condition.slots,
            delay=condition.delay,
            hurry=bench.hurry,
            until=bench.until,
            seed=bench.seed,
            train=bench.train,
            latency=bench.latency,
            obey_robots=bench.obey_robots,
            traps=bench.traps == "avoid",
            without=bench.without,
            leaps="" if index is None else str(index),
            strategy_plugin=strategy.plugin,
            judge_plugin=entrants.judge.plugin,
        )


def _recording(bench: Bench, cells: list[tuple[Assignment, Cell]]) -> list[tuple[Assignment, Cell]]:
    """Each with the folder to record it in, if that is wanted; a single one in the folder that was named."""
    if bench.record is None:
        return cells
    named = Path(bench.record).absolute()
    several = len(_conditions(bench)) > 1
    return [
        (assignment, replace(cell, record=str(named / _folder_name(cell, several) if len(cells) > 1 else named)))
        for assignment, cell in cells
    ]


def _folder_name(cell: Cell, conditions: bool) -> str:
    condition = (name_of(cell.slots, cell.rest),) if conditions else ()
    parts = (cell.web_name, cell.topic, cell.strategy, *condition, str(cell.repeat))
    return "-".join(re.sub(r"[^\w.=,]+", "-", part).strip("-.")[:80] for part in parts)


def _measured(
    bench: Bench,
    cells: Sequence[tuple[Assignment, Cell]],
    results_cache: ResultCache,
    progress: Progress,
    cache: Path | None,
) -> list[Row]:
    """The rows of all cells, in their order."""
    calls = [(cell, assignment.task, cache) for assignment, cell in cells]
    keys = [cell_key(*pair) for pair in cells]
    rows: dict[int, Row] = {}
    ratios: dict[str, list[float]] = {}  # by strategy, of the rows that have one
    with closing(run_cells(work, calls, keys, results_cache, bench.jobs)) as results:
        for number, result in results:
            assignment, cell = cells[number]
            rows[number] = row = row_of(cell, assignment, Measured(**result))
            if row["auc_ratio"] is not None:
                ratios.setdefault(cell.strategy, []).append(row["auc_ratio"])
            means = {strategy: sum(own) / len(own) for strategy, own in ratios.items()}
            progress.done(len(rows), len(cells), means)
    return [rows[number] for number in range(len(cells))]


def cell_key(assignment: Assignment, cell: Cell) -> str:
    """What the result of a cell is kept under: a digest of everything that decides it."""
    task = assignment.task
    wanted = [task.topic.keywords, task.topic.description, task.seeds, sorted(task.relevant)]
    unless_set = ("record", "traps", "without")  # which say nothing where they are not set
    given = {name: value for name, value in asdict(cell).items() if value or name not in unless_set}
    settings = {name: value for name, value in given.items() if name != "web"}
    settings["leaps"] = Path(cell.leaps).name  # which says what is in it, wherever it lies
    imports: tuple[str, ...] = ()
    for role, plugin in (("strategy", cell.strategy_plugin), ("judge", cell.judge_plugin)):
        del settings[f"{role}_plugin"]
        if plugin:  # likewise: the class and the content of its file
            settings[role] = [plugin.address.rpartition(":")[2], plugin.digest]
            imports += plugin.imports
    return digest_of([assignment.digest, settings, wanted, source_of(Cell.__module__, cell.strategy, imports)])


def _about(bench: Bench, entrants: Entrants, assignments: Sequence[Assignment], leaps: World | None) -> dict[str, Any]:
    """How the rows came about, for the report: enough to run the bench again."""
    return {
        "version": wolfspider.__version__,
        "webs": {assignment.web_name: assignment.digest for assignment in assignments},
        "topics_file": None if bench.topics_file is None else str(bench.topics_file),
        "half": bench.half,
        "strategies": [entrant.name for entrant in entrants.strategies],
        "pages": bench.pages,
        "repeats": bench.repeats,
        "judge": entrants.judge.name,
        "files": {"strategies": files_of(entrants.strategies), "judges": files_of([entrants.judge])},
        "settings": entrants.settings,
        "slots": bench.slots,
        "delay": bench.delay,
        "conditions": list(dict.fromkeys(bench.conditions)),
        "hurry": bench.hurry,
        "seed": bench.seed,
        "train": bench.train,
        "start": bench.start,
        "latency": bench.latency,
        "obey_robots": bench.obey_robots,
        **({"until": bench.until} if bench.until else {}),
        **({"traps": bench.traps} if bench.traps != "ignore" else {}),
        **({"without": bench.without} if bench.without else {}),
        "leaps": {} if leaps is None else {leaps.name: leaps.digest()},
    }
