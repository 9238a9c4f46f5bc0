"""Curves of runs: what was found, how fast, and what waits, over downloads; and runs side by side.

Every page counts once, with the last verdict on it, at the download that brought its newest copy, as in an export: so
the last point of a curve has the numbers of the export.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wolfspider.app.run_folder import settings_of
from wolfspider.core.errors import Problem
from wolfspider.core.events import Command, Gauge
from wolfspider.core.plain_text import plainly
from wolfspider.dashboard.controls import who_said
from wolfspider.dashboard.desk import RunDesk
from wolfspider.dashboard.run_past import RunPast, past_of
from wolfspider.dashboard.shapes import AfterQuery, CommandMark, ComparedRun, RunsCompared, RunsQuery, Series
from wolfspider.dashboard.undoing import saying, undos
from wolfspider.report.run_facts import Commanded
from wolfspider.store.run_clock import clock_of
from wolfspider.terminal.outlook_words import chance_of

MOST_POINTS, WINDOW = 2000, 100  # of a curve; downloads that the harvest of the moment is taken over
_LONGEST = 2000  # characters of a command
_OLD = 120.0  # seconds of ours after which a gauge says nothing of a moment any more
MOST_COMPARED = 8  # runs
_MOST_FIGURES, _SHOWN_APART = 12, ("frontier",)  # of a strategy


class _Curves(NamedTuple):
    """All of a run that its curves are made of."""

    downloads: Any  # cumulated, one for each step that cost some
    at: Any
    pages: Any
    relevant: Any
    gauges: list[Gauge]
    old: float  # seconds of the run after which a gauge says nothing of a moment any more
    marks: list[CommandMark]


def series(desk: RunDesk, run: Path, asked: AfterQuery) -> Series:
    past = desk.remembered(run, "curves", lambda: _past(past_of(desk, run), run))
    first = int(np.searchsorted(past.downloads, asked.get("after", -1), side="right"))
    chosen = _thinned(first, len(past.downloads))
    downloads, relevant, at = past.downloads[chosen], past.relevant[chosen], past.at[chosen]
    before = np.searchsorted(past.downloads, downloads - WINDOW, side="right") - 1
    earlier = np.where(before >= 0, past.relevant[before], 0)
    gauges = _at_times(past.gauges, at, past.old)
    return {
        "downloads": downloads.tolist(),
        "at": at.tolist(),
        "pages": past.pages[chosen].tolist(),
        "relevant": relevant.tolist(),
        "window": _shares(relevant - earlier, np.minimum(downloads, WINDOW)),
        "cumulative": _shares(relevant, downloads),
        "frontier": [None if gauge is None else gauge.frontier for gauge in gauges],
        "rate": [None if gauge is None else gauge.rate_minute for gauge in gauges],
        "strategy": _of_strategy(gauges),
        "window_size": WINDOW,
        "chance": chance_of(past.gauges[-1] if past.gauges else None),
        "marks": [mark for mark in past.marks if mark["downloads"] > asked.get("after", -1)],
    }


def compare(desk: RunDesk, asked: RunsQuery) -> RunsCompared:
    names = [name for name in dict.fromkeys(asked["runs"].split(",")) if name]
    if not 1 <= len(names) <= MOST_COMPARED:
        raise Problem(f"Name 1 to {MOST_COMPARED} runs, separated by commas.")
    runs = [desk.run(name) for name in names]
    settings = [_settings(past_of(desk, run)) for run in runs]
    every = sorted({name for each in settings for name in each})
    differ = {name: [each.get(name) for each in settings] for name in every}
    told: list[ComparedRun] = [{"name": run.name, "series": series(desk, run, {})} for run in runs]
    return {
        "runs": told,
        "differ": {name: values for name, values in differ.items() if any(value != values[0] for value in values)},
    }


def _settings(past: RunPast) -> dict[str, Any]:
    _, present = past.said()
    params = {f"set {name}": value for name, value in present.params.items()}
    return {name: value for name, value in present.now.items() if name != "set"} | params


def _past(past: RunPast, run: Path) -> _Curves:
    with past.now() as connection:
        (began,) = connection.execute("SELECT at FROM log WHERE seq = 1").fetchone() or (None,)
        steps, spent, at = (np.array(column) for column in (past.steps, past.spent, past.at))
        numbers, verdicts, all_spent = np.array(past.numbers), np.array(past.relevant), past.downloads
        commands = list(past.commands)
    sums = np.concatenate(([0], np.cumsum(spent))).astype(np.int64)
    # the last point has what every other screen says: some downloads were made before the crawl began
    downloads = sums + (all_spent - int(sums[-1]))
    reached = np.concatenate(([-1], steps))
    if len(steps):
        reached[-1] = max(reached[-1], numbers[-1] if len(numbers) else 0)
    came = np.searchsorted(numbers, reached, side="right")
    pages, relevant = (np.concatenate(([0], np.cumsum(kind)))[came] for kind in (verdicts >= 0, verdicts > 0))
    first = began if isinstance(began, float | int) else (at[0] if len(at) else 0.0)
    old = _OLD * max(1.0, clock_of(run).speed)  # one is written in a second of ours
    times = np.concatenate(([first], at))
    return _Curves(downloads, times, pages, relevant, past.gauges(), old, _marks(run, commands))


def _marks(run: Path, commands: Sequence[Commanded]) -> list[CommandMark]:
    back = undos(settings_of(run), commands)
    newest = list(zip(commands, back, strict=True))[-MOST_POINTS:]
    return [mark(each, undo) for each, undo in newest]


def _thinned(first: int, last: int) -> Any:
    """Which points of so many are shown: evenly, the last one among them."""
    if last - first <= MOST_POINTS:
        return np.arange(first, last)
    return np.unique(np.linspace(first, last - 1, MOST_POINTS).round().astype(int))


def _shares(parts: Any, wholes: Any) -> list[float | None]:
    return [
        round(part / whole, 5) if whole else None for part, whole in zip(parts.tolist(), wholes.tolist(), strict=True)
    ]


def _at_times(gauges: Sequence[Gauge], times: Any, old: float) -> list[Gauge | None]:
    """The last gauge at each of these times; None where there is none from about then."""
    if not gauges:
        return [None] * len(times)
    places = np.searchsorted([gauge.at for gauge in gauges], times + 1.0, side="right") - 1
    found = [gauges[place] if place >= 0 else None for place in places.tolist()]
    return [
        gauge if gauge is not None and at - gauge.at < old else None
        for gauge, at in zip(found, times.tolist(), strict=True)
    ]


def _of_strategy(gauges: Sequence[Gauge | None]) -> dict[str, list[float | None]]:
    """Figures that only this strategy has."""
    names = dict.fromkeys(name for gauge in gauges if gauge is not None for name in gauge.figures)
    shown = [name for name in names if name not in _SHOWN_APART][:_MOST_FIGURES]
    return {name: [None if gauge is None else gauge.figures.get(name) for gauge in gauges] for name in shown}


def mark(each: Commanded, undo: Command | None) -> CommandMark:
    """A command as plots, histories and frames tell it."""
    return {
        "at": each.at,
        "downloads": each.downloads,
        "text": plainly(each.typed, _LONGEST),
        "before": plainly(each.before, _LONGEST),
        "problem": plainly(each.problem, _LONGEST),
        "who": plainly(who_said(each)),
        "number": each.number,
        "undo": saying(undo),
    }
