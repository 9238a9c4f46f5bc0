"""How runs stand: the list of all, and one as its first screen shows it: is it working, is what it finds good, what
next."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.app.event_json import finite
from wolfspider.app.past_runs import glimpse
from wolfspider.app.plugins import ClassNeeded, strategy_kind
from wolfspider.app.present_settings import PresentSettings
from wolfspider.app.settings import Settings
from wolfspider.core import codec
from wolfspider.core.errors import Problem
from wolfspider.core.events import CrawlState, Gauge
from wolfspider.dashboard.advising import UNBEGUN, advice_for
from wolfspider.dashboard.controls import limits_of, params_of, rules_of
from wolfspider.dashboard.desk import RunDesk
from wolfspider.dashboard.queue_list import LARGEST
from wolfspider.dashboard.run_past import past_of, summary_of
from wolfspider.dashboard.shapes import RunLine, RunList, RunState
from wolfspider.dashboard.starting import is_test
from wolfspider.store import gauges
from wolfspider.store.run_clock import RunClock, clock_of
from wolfspider.store.view import RunView, Summary
from wolfspider.terminal import standing


class Standing(NamedTuple):
    """What a run is doing, why, and since when."""

    state: str  # a CrawlState; or starting, preparing, silent, unbegun, failed or killed
    reason: str  # why it ended, if it has, or could not be begun
    since: float | None


def run_list(desk: RunDesk) -> RunList:
    names = desk.children.names()
    lines = [_starting(desk, name) for name in desk.children.started if name not in names]
    return {"runs": [*lines, *(_line(desk, name) for name in names)], "folder": str(desk.folder)}


def _starting(desk: RunDesk, name: str) -> RunLine:
    """A run whose process has not made its folder yet, or never did."""
    running = desk.children.is_running(name)
    return {
        **_blank(name),
        "state": "starting" if running else "failed",
        "reason": "" if running else _last_said(desk, name),
        "running": running,
    }


def _last_said(desk: RunDesk, name: str) -> str:
    """The last line of a process that came to nothing: why."""
    return desk.children.said(name).strip().rpartition("\n")[2].removeprefix("wolfspider: ")


def _blank(name: str) -> RunLine:
    return {
        "name": name,
        "state": "",
        "reason": "",
        "since": None,
        "topic": "",
        "strategy": "",
        "downloads": 0,
        "budget": 0,
        "pages": 0,
        "relevant": 0,
        "harvest": None,
        "began": None,
        "now": time.time(),
        "running": False,
        "watch": False,
        "test": is_test(name),
    }


def _line(desk: RunDesk, name: str) -> RunLine:
    """Whatever is wrong with one run, the others are listed."""
    try:
        return _sound_line(desk, name)
    except Problem as problem:
        reason = str(problem)
    except Exception as error:
        reason = f"It cannot be read: {type(error).__name__}."
    return {**_blank(name), "state": "damaged", "reason": reason}


def _sound_line(desk: RunDesk, name: str) -> RunLine:
    run = desk.run(name)
    view, running = RunView(run), desk.children.is_running(name)
    summary, present = desk.remembered(run, "brief", lambda: _brief(desk, run, running))
    gauge = view.gauge()
    clock = clock_of(run)
    at = _standing(desk, view, summary, gauge, running, clock)
    return {
        "name": name,
        "state": at.state,
        "reason": at.reason,
        "since": at.since,
        "topic": topic_told(present),
        "strategy": str(present.now.get("strategy", "")),
        "downloads": summary.downloads,
        "budget": int(present.now.get("pages") or 0),
        "pages": summary.count.pages,
        "relevant": summary.count.relevant,
        "harvest": harvest(summary),
        "began": summary.started,
        "now": clock.now(),
        "running": running,
        "watch": bool(present.now.get("watch")),
        "test": is_test(name),
    }


def _brief(desk: RunDesk, run: Path, running: bool) -> tuple[Summary, PresentSettings]:
    """A run that grows is read step by step. One that does not is read once: many may lie in a folder."""
    if running:
        return summary_of(desk, run), past_of(desk, run).said()[1]
    view = RunView(run)
    return view.summary(), PresentSettings.of(view)


def topic_told(present: PresentSettings) -> str:
    now = present.now
    return str(now.get("topic") or now.get("description") or ", ".join(map(str, now.get("like") or ())))


def harvest(summary: Summary) -> float | None:
    """Relevant pages of each download."""
    return summary.count.relevant / summary.downloads if summary.downloads else None


def _standing(
    desk: RunDesk, view: RunView, summary: Summary, gauge: Gauge | None, running: bool, clock: RunClock
) -> Standing:
    last = gauge.at if gauge is not None else None
    if running:
        if gauge is None or gauge.state == CrawlState.ENDED:
            return Standing("preparing", "", last)
        if not standing.is_fresh(gauge, standing.age_of(gauge, clock)):
            return Standing("silent", "", last)
        with view.moment() as connection:
            return Standing(gauge.state, "", gauges.since(connection, gauge.state) or last)
    if summary.ended is not None:
        return Standing(CrawlState.ENDED, summary.ended, last)
    if summary.started is None:
        return Standing(UNBEGUN, _last_said(desk, view.folder.name), None)
    return Standing("failed" if summary.trouble else "killed", summary.trouble, last or summary.started)


def run_state(desk: RunDesk, run: Path) -> RunState:
    name, view = run.name, RunView(run)
    clock, running = clock_of(run), desk.children.is_running(name)
    summary = summary_of(desk, run)
    status = desk.remembered(run, "status", lambda: standing.status(run, summary))
    commands, present = desk.remembered(run, "commanded", past_of(desk, run).said)
    gauge, settings = view.gauge(), Settings.of_run(view.about)
    at = _standing(desk, view, summary, gauge, running, clock)
    lines = desk.remembered(run, "lines", lambda: standing.lines(run, time.time(), summary))
    report_at, report = report_of(desk, run)
    return {
        "name": name,
        "state": at.state,
        "reason": at.reason,
        "reason_text": lines[0],
        "lines": lines[1:],
        "since": at.since,
        "now": clock.now(),
        "speed": clock.passes,
        "running": running,
        "watch": settings.watch,
        "test": is_test(name),
        "gauge": status["gauge"],
        "status": {name: value for name, value in status.items() if name not in ("gauge", "run")},
        "advice": advice_for(at.state, at.reason, summary, gauge, status["advice"], commands, settings.judge),
        "topic": ", ".join(present.keywords),
        "description": settings.description,
        "liked": list(settings.like),
        "strategy": settings.strategy,
        "strategy_help": _use(settings.strategy),
        "judge": settings.judge,
        "harvest": harvest(summary),
        "params": params_of(settings, present, commands),
        "limits": limits_of(settings, present, commands),
        "scope": rules_of(settings, commands),
        "report": report,
        "report_at": report_at,
    }


def _use(strategy: str) -> str:
    try:
        return strategy_kind(strategy).use
    except Problem:
        return ""


def report_of(desk: RunDesk, run: Path) -> tuple[float | None, dict[str, Any]]:
    """When a snapshot was last made, and what the strategy reported of itself then."""
    return desk.remembered(run, "report", lambda: _report(RunView(run)))


def _report(view: RunView) -> tuple[float | None, dict[str, Any]]:
    rows = view.rows("SELECT bytes FROM snapshots ORDER BY seq DESC, n DESC LIMIT 1")
    if not rows or rows[0][0] > LARGEST:
        return None, {}
    try:
        with glimpse(view) as seen:
            if seen is None:
                return None, {}
            told: dict[str, Any] = finite(codec.plain(seen.strategy.report()))
            return seen.last.at, told
    except (ClassNeeded, Problem):
        return None, {}
