"""What commands print when they are done: tables and sentences on stdout, calm on a terminal, plain in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from wolfspider.bench import Row
from wolfspider.bench.draw.condition_tables import side_by_side
from wolfspider.bench.draw.report import measure_of, ranked
from wolfspider.bench.experiment import Experiment
from wolfspider.bench.groups import grouped
from wolfspider.bench.stats import by_work
from wolfspider.core.params import LETTER, Param, parameters
from wolfspider.core.plain_text import plainly
from wolfspider.files.program_name import shell_command
from wolfspider.policy.strategy import REGISTRY, Strategy

_MOST_FAILURES = 5


def _table(*names: str, text: int = 1) -> Table:
    """A table whose first `text` columns are words, the others numbers."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, pad_edge=False)
    for place, name in enumerate(names):
        table.add_column(Text(plainly(name)), justify="left" if place < text else "right", no_wrap=place >= text)
    return table


# The bench


def bench(console: Console, rows: Sequence[Row]) -> None:
    """A table for each web and condition: strategies from best to worst by topics. Then one of all conditions."""
    measure = measure_of(rows)
    scale = "1 is what no crawler can pass" if measure == "auc_ratio" else "relevant pages found; no bound is known"
    for (web, condition), own in grouped(rows, itemgetter("web", "condition")).items():
        console.print(Text(f"{plainly(web)}, {condition}: mean {measure}, {scale}", "dim"))
        console.print(_by_topic(own))
        console.print()
    if len({row["condition"] for row in rows}) > 1:
        console.print(Text(f"All webs: mean {measure}, and minutes of virtual time", "dim"))
        console.print(_by_condition(rows))


def _by_condition(rows: Sequence[Row]) -> Table:
    found = side_by_side(rows)
    table = _table("strategy", *(head for name in found.conditions for head in (name, "min")))
    for strategy, sides in found.lines.items():
        table.add_row(strategy, *(text for side in sides for text in (_figure(side.mean), _figure(side.minutes, 1))))
    return table


def _by_topic(rows: Sequence[Row]) -> Table:
    topics = dict.fromkeys((row["web"], row["topic"]) for row in rows)
    table = _table("strategy", "mean", *(topic for _, topic in topics))
    works = by_work(rows, measure_of(rows))
    for rank in ranked(rows):
        figures = works.get(rank.name, {})
        mean = sum(figures.values()) / len(figures) if figures else None
        table.add_row(rank.name, _figure(mean), *(_figure(figures.get(work)) for work in topics))
    return table


def _figure(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def failures(console: Console, rows: Sequence[Row]) -> None:
    """Rows without a result, one sentence each."""
    failed = [row for row in rows if row["error"] is not None]
    for row in failed[:_MOST_FAILURES]:
        console.print(Text(plainly(f"{row['strategy']} failed on {row['topic']} of {row['web']}: {row['error']}")))
    if len(failed) > _MOST_FAILURES:
        console.print(f"... and {len(failed) - _MOST_FAILURES} more rows with an error.")


# Judges


def judges(console: Console, orders: Mapping[str, Mapping[str, Mapping[str, Row]]]) -> None:
    """The mean of each figure over webs and topics, best judge first, for each order of pages."""
    table = _table("order", "judge", "average precision", "precision", "recall", "f1", "Brier", "ECE", "µs a page")
    for order, means in orders.items():
        for name in sorted(means, key=lambda judge: -means[judge]["all"]["average_precision"]):
            whole = means[name]["all"]
            figures = ("average_precision", "precision", "recall", "f1", "brier", "ece")
            shown = (f"{whole[figure]:.3f}" for figure in figures)
            table.add_row(order, name, *shown, f"{whole['microseconds']:.0f}")
    console.print(table)


# Strategies


def strategies(console: Console, known: Mapping[str, type[Strategy]], default: str) -> None:
    table = Table.grid(Column(no_wrap=True), padding=(0, 2))
    for name, kind in known.items():
        shown = Text.assemble((name, "bold"), "\n(default)" if name == default else "")
        table.add_row(shown, Text.assemble(kind.use or about(kind), "\n", (kind.paper, "dim"), "\n"))
    console.print(table)
    console.print(Text(f"`{shell_command('strategies', 'NAME')}` tells the parameters of one."))


def strategy(console: Console, kind: type[Strategy]) -> None:
    console.print(Text(kind.name, "bold"))
    told = (about(kind), kind.use, f"Paper: {kind.paper}")
    console.print(*(Text(line, "dim" if line is told[-1] else "") for line in told if line), sep="\n", end="\n\n")
    known = parameters(kind.Params)
    if not known:
        console.print("It has no parameters.")
        return
    table = _table("parameter", "what it does", "default", LETTER, "bounds", "live", text=6)
    for name, each in known.items():
        letter = "" if each.letter == each.default else f"{each.letter}"
        about_it = (each.says, f"{each.default}", letter, _bounds(each), "yes" if each.live else "no")
        table.add_row(Text(name, "bold"), *map(Text, about_it))
    console.print(table)
    console.print("", *filter(None, (_how_to_set(kind, known), _of_letter(kind, known))), sep="\n")


def _how_to_set(kind: type[Strategy], known: Mapping[str, Param]) -> Text:
    name, each = next(iter(known.items()))
    return Text(
        f"Set one by --set {name}={each.default} in a crawl, by --set {kind.name}.{name}={each.default} in a bench; "
        f"live ones may change during a crawl, by `{shell_command('steer', 'RUN', 'set', 'NAME=VALUE')}`."
    )


def _of_letter(kind: type[Strategy], known: Mapping[str, Param]) -> Text:
    """What `letter=true` does; nothing, where every parameter is by the letter already."""
    if all(each.letter == each.default for each in known.values()):
        return Text()
    has_paper = kind.paper.partition(":")[0] not in ("", "none")
    like = "in the paper" if has_paper else "the strategy had them at first (it has no paper)"
    return Text(
        f"With --set {LETTER}=true all are as {like}, where the column {LETTER} has another value than the default."
    )


def about(kind: type[Strategy]) -> str:
    """The first paragraph of its file, or of its folder where it has one to itself."""
    module = sys.modules[kind.__module__]
    folder = module.__package__ or ""
    alone = sum(other.__module__.rpartition(".")[0] == folder for other in REGISTRY.values()) == 1
    place = sys.modules[folder] if alone and folder != "" else module
    return " ".join((place.__doc__ or "").strip().partition("\n\n")[0].split())


def _bounds(each: Param) -> str:
    if each.choices:
        return " | ".join(each.choices)
    if each.low is None and each.high is None:
        return ""
    low, high = (f"{value:g}" if value is not None else "" for value in (each.low, each.high))
    return f"{low} .. {high}"


def strategy_json(kind: type[Strategy]) -> dict[str, Any]:
    """Everything there is to know of a strategy, as plain data."""
    known = parameters(kind.Params).values()
    each = [{name: getattr(param, name) for name in Param.__slots__} for param in known]
    return {"name": kind.name, "about": about(kind), "use": kind.use, "paper": kind.paper, "parameters": each}


# Papers


def experiments(console: Console, known: Mapping[str, Experiment]) -> None:
    table = Table.grid(Column(no_wrap=True), padding=(0, 2))
    for name, each in known.items():
        table.add_row(Text(name, "bold"), Text.assemble(each.title, "\n", (each.paper, "dim"), "\n"))
    console.print(table)
    console.print(Text(f"`{shell_command('reproduce', 'NAME', '--out', 'DIR')}` runs one."))
