"""Figures of all runs for Prometheus. Labels are names of runs and numbers of islands: no address ever becomes one."""

from __future__ import annotations

from wolfspider.dashboard.desk import RunDesk
from wolfspider.dashboard.overview import run_list
from wolfspider.dashboard.shapes import RunLine
from wolfspider.dashboard.workers import worker_metrics

_FIGURES = (
    ("downloads", "Downloads that were spent."),
    ("budget", "Downloads that may be spent."),
    ("pages", "Pages that an export gives."),
    ("relevant", "Relevant pages that an export gives."),
    ("running", "Is a process at work on it?"),
)


def metrics(desk: RunDesk) -> str:
    runs, lines = run_list(desk)["runs"], list[str]()
    for name, says in _FIGURES:
        lines += [f"# HELP wolfspider_{name} {says}", f"# TYPE wolfspider_{name} gauge"]
        lines += [f'wolfspider_{name}{{run="{_escaped(run)}"}} {_value(run, name)}' for run in runs]
    return "\n".join([*lines, *worker_metrics(desk)]) + "\n"


def _value(run: RunLine, name: str) -> int:
    figures = {"downloads": run["downloads"], "budget": run["budget"], "pages": run["pages"]}
    return int({**figures, "relevant": run["relevant"], "running": run["running"]}[name])


def _escaped(run: RunLine) -> str:
    return run["name"].replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
