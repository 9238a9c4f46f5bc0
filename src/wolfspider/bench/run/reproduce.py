"""`wolfspider reproduce`: run the cells of an experiment, rule on its claims, write everything into one folder.

    index.html                    the whole of it, in one file that needs no other
    claims.csv  claims.json       the rulings, for other programs; the second part by part
    table-1.csv ...               what else stands on the page
    figure-1.svg ...
    rows.json   rows.csv          what was measured; the CSV leaves out what is no single value
    cells/                        finished cells: the same command again computes only what is missing

A cell is kept under its setting, the content of the web that the setting names, and the source it is computed with.
The claims, tables and figures are made every time: they only read rows, which costs nothing.
"""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

from wolfspider.bench.draw.page import html
from wolfspider.bench.experiment import (
    Both,
    Experiment,
    Form,
    Reproduction,
    Row,
    Rows,
    Ruling,
    Setting,
    Table,
    finding,
)
from wolfspider.bench.run.pool import run_cells
from wolfspider.bench.run.result_cache import ResultCache, digest_of, write_whole
from wolfspider.bench.run.runner import Progress, Silent
from wolfspider.bench.run.source import source_of
from wolfspider.core.errors import Problem
from wolfspider.core.text import harmless_cell
from wolfspider.web.worlds.world import open_web


def reproduce(
    experiment: Experiment, out: Path, form: Form, jobs: int | None = None, progress: Progress | None = None
) -> Reproduction:
    """Run the missing cells, and write the results. Problem says what cannot work."""
    followed = progress or Silent()
    rows, seconds = measured(experiment, experiment.settings(form), ResultCache(out / "cells"), jobs, followed)
    reproduction = Reproduction(
        experiment,
        form,
        rows,
        seconds,
        [finding(claim, rows) for claim in experiment.claims],
        experiment.tables(rows),
        experiment.figures(rows),
    )
    for name, text in files(reproduction).items():
        write_whole(out / name, text)
    followed.told(f"Page: {out / 'index.html'}")
    return reproduction


def measured(
    experiment: Experiment, settings: Sequence[Setting], cache: ResultCache, jobs: int | None, progress: Progress
) -> tuple[list[Row], float]:
    """The rows in the order of their settings, and the seconds of computing that are in them."""
    if jobs is not None and jobs < 1:
        raise Problem(f"--jobs must be at least 1, not {jobs}.")
    keys = keys_of(experiment.cell, settings)
    if len(set(keys)) < len(keys):
        raise ValueError(f"{experiment.name}: two of its settings are the same; number the repeats.")
    results: dict[int, dict[str, Any]] = {}
    progress.done(0, len(keys), {})
    calls = [(experiment.cell, dict(setting)) for setting in settings]
    grounds = [(setting.get("web"), setting.get("place")) for setting in settings]
    with closing(run_cells(timed, calls, keys, cache, jobs, grounds)) as done:
        for place, result in done:
            results[place] = result
            progress.done(len(results), len(keys), {})
    rows = [{**setting, **results[place]["row"]} for place, setting in enumerate(settings)]
    return rows, sum(result["seconds"] for result in results.values())


def timed(cell: Callable[[Setting], Row], setting: Setting) -> dict[str, Any]:
    """What a worker does. The row is written and read once, so that a kept one and a new one are the same; the seconds
    are those of the processor, which other programs do not lengthen."""
    began = time.process_time()
    row = json.loads(json.dumps(cell(setting), allow_nan=False))
    return {"row": row, "seconds": time.process_time() - began}


def keys_of(cell: Callable[[Setting], Row], settings: Iterable[Setting]) -> list[str]:
    contents: dict[str, str] = {}
    keys = []
    for setting in settings:
        web = str(setting.get("web", "synthetic"))
        if web not in contents:
            contents[web] = "" if web.startswith("synthetic") else open_web(web).digest()
        source = source_of(cell.__module__, str(setting.get("strategy", "")))
        keys.append(digest_of([dict(setting), contents[web], cell.__qualname__, source]))
    return keys


def exit_code(reproduction: Reproduction) -> int:
    """1 if some test cannot fail. A claim that does not hold is a result, and no error."""
    return int(not reproduction.sound)


def summary(reproduction: Reproduction) -> str:
    """For a terminal: every claim with its ruling."""
    experiment = reproduction.experiment
    form = "Quick form" if reproduction.form.quick else "Full form"
    lines = [experiment.title, experiment.paper, f"{form}, {len(reproduction.rows):,} cells", ""]
    for found in reproduction.findings:
        lines.append(f"{found.claim.number}. {found.claim.says}")
        ruling = found.ruling
        told = [ruling.word.upper(), *told_lines(ruling), ruling.sentence]
        told += [f"Beside it, {name}: {other.word}" for name, other in ruling.others]
        lines += [f"   {text}" for text in told if text]
    scaled = experiment.scaled(reproduction.form)
    return "\n".join([*lines, *(["", "Scaled down:"] if scaled else []), *(f"- {text}" for text in scaled)])


def part_lines(ruling: Ruling) -> list[str]:
    """A line for each part of what is claimed; its answer is told where there are several."""
    return [
        f"{part.word}: {name}: {part.statistic}" if ruling.parts else part.statistic for name, part in ruling.lines()
    ]


def told_lines(ruling: Ruling) -> list[str]:
    """The same; where nothing was tested, the lines of what is told beside it."""
    beside = [f"{name}: {line}" for name, other in ruling.others for line in part_lines(other) if line]
    return [line for line in part_lines(ruling) if line] or beside


def claims_json(reproduction: Reproduction) -> str:
    """What was found, small enough to be kept."""
    claims = [
        {
            "claim": found.claim.number,
            "says": found.claim.says,
            "source": found.claim.source,
            "ruling": found.ruling.word,
            "lines": told_lines(found.ruling),
            "deciding": _deciding(found.ruling),
            "sentence": found.ruling.sentence,
            "known": found.claim.known,
            "beside": {name: other.word for name, other in found.ruling.others},
        }
        for found in reproduction.findings
    ]
    about = {
        "paper": reproduction.experiment.name,
        "form": "quick" if reproduction.form.quick else "full",
        "cells": len(reproduction.rows),
        "seconds": round(reproduction.seconds),
    }
    return json.dumps({**about, "claims": claims}, indent=1, ensure_ascii=False) + "\n"


def _deciding(ruling: Ruling) -> str:
    """The part that decides: the first that fails or is undecided; of a claim that holds, its first part."""
    parts = [(name, part) for name, part in ruling.lines() if part.statistic]
    found = next(((name, part) for name, part in parts if part.holds is ruling.holds), parts[0] if parts else None)
    return "" if found is None else ": ".join(filter(None, [found[0], found[1].statistic]))


def files(reproduction: Reproduction) -> dict[str, str]:
    """What is written, by name."""
    written = {
        "rows.json": json.dumps({"rows": list(reproduction.rows)}) + "\n",
        "rows.csv": rows_csv(reproduction.rows),
        "claims.csv": claims_csv(reproduction),
        "claims.json": claims_json(reproduction),
        **{f"table-{number}.csv": table_csv(table) for number, table in enumerate(reproduction.tables, 1)},
        **{f"figure-{number}.svg": figure.svg() for number, figure in enumerate(reproduction.figures, 1)},
    }
    return {"index.html": html(reproduction, tuple(written)), **written}


def rows_csv(rows: Rows) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    flat = [name for name in names if not any(isinstance(row.get(name), list | dict) for row in rows)]
    return to_csv([flat, *([row.get(name) for name in flat] for row in rows)])


def claims_csv(reproduction: Reproduction) -> str:
    head = [
        "claim",
        "says",
        "source",
        "ruling",
        "statistic",
        "sentence",
        "broken variant",
        "ruling on it",
        "its statistic",
    ]
    lines = []
    for found in reproduction.findings:
        claim, broken = found.claim, found.broken
        variant = [claim.broken.says, broken.word, broken.statistic] if claim.broken and broken else ["", "", ""]
        ruling = [found.ruling.word, found.ruling.statistic, found.ruling.sentence]
        lines.append([claim.number, claim.says, claim.source, *ruling, *variant])
    return to_csv([head, *lines])


def table_csv(table: Table) -> str:
    """Columns that have numbers of the paper are two here."""
    titles = [(f"{name} (ours)", f"{name} (paper)") for name in table.columns]
    head = [
        both if double else (name,) for name, both, double in zip(table.columns, titles, table.doubled, strict=True)
    ]
    body = [map(_parts, line, table.doubled) for line in table.lines]
    return to_csv(chain.from_iterable(line) for line in [head, *body])


def _parts(value: Any, double: bool) -> tuple[Any, ...]:
    if isinstance(value, Both):
        return value.ours, value.paper
    return (value, None) if double else (value,)


def to_csv(lines: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    harmless = ([harmless_cell(value) if isinstance(value, str) else value for value in line] for line in lines)
    csv.writer(text, lineterminator="\n").writerows(harmless)
    return text.getvalue()
