"""Sinks by name: those of the house, those that installed packages bring, and classes in a file of the person's own."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from wolfspider.core.errors import Problem, closest, near
from wolfspider.export.sink import Sink

GROUP = "wolfspider.sinks"  # of entry points
BUILT_IN = {
    "jsonl": "json_sink:JsonLines",
    "csv": "csv_sink:CommaSeparated",
    "warc": "warc_sink:WarcCopy",
    "wacz": "wacz_sink:Wacz",
    "parquet": "parquet_sink:ParquetFolder",
    "markdown": "markdown_sink:MarkdownFolder",
    "atom": "atom_sink:AtomFeed",
    "graphml": "graph_sink:GraphMl",
    "tantivy": "search_sink:TantivyIndex",
}
USUAL = "jsonl"
MISTYPED = 0.75  # so near is .cvs to .csv
LINES = ("", ".jsonl", ".json", ".ndjson", ".txt")  # endings of JSON lines
BY_ENDING = {
    ".csv": "csv",
    ".warc": "warc",
    ".warc.gz": "warc",
    ".wacz": "wacz",
    ".parquet": "parquet",
    ".atom": "atom",
    ".graphml": "graphml",
}
_A_SINK = "a sink, a class with the methods begin, page and end"


def usual_format(out: Path | None) -> str:
    """The format where none was named: what the name of the file says, or JSON lines. An ending that is nearly one of
    them is refused: it may be mistyped."""
    name = "" if out is None else out.name.lower()
    if found := next((form for ending, form in BY_ENDING.items() if name.endswith(ending)), ""):
        return found
    ending = Path(name).suffix
    if ending not in LINES and (meant := near(ending, BY_ENDING, MISTYPED)):
        raise Problem(f"What format is {ending}?{meant} Or name one by --format.")
    return USUAL


def sink_named(name: str) -> Callable[[], Sink]:
    """Makes the sink of that name: a format of the house, an entry point, or FILE.py[:CLASS]."""
    if name in BUILT_IN:
        module, _, kind = BUILT_IN[name].partition(":")
        made: Callable[[], Sink] = getattr(importlib.import_module(f"wolfspider.export.{module}"), kind)
        return made
    if name.partition(".py")[1]:
        from wolfspider.app.plugins import chosen, is_file

        if is_file(name):
            return _checked(name, chosen(name, is_sink, _A_SINK))
    others = {found.name: found for found in entry_points(group=GROUP)}
    if name not in others:
        raise Problem(f"There is no format {name!r}.{closest(name, (*BUILT_IN, *others))}")
    return _checked(name, _loaded(others[name]))


def _loaded(found: EntryPoint) -> Any:
    try:
        return found.load()
    except Exception as error:
        raise Problem(f"The format {found.name!r} of {found.value} cannot be loaded: {error}.") from error


def _checked(name: str, kind: Any) -> Callable[[], Sink]:
    if not is_sink(kind):
        raise Problem(f"The format {name!r} must be {_A_SINK}.")
    made: Callable[[], Sink] = kind
    return made


def is_sink(value: Any) -> bool:
    return isinstance(value, type) and all(callable(vars_of(value).get(name)) for name in ("begin", "page", "end"))


def vars_of(kind: type) -> dict[str, Any]:
    """What a class has, its bases included."""
    return {name: value for base in reversed(kind.__mro__) for name, value in vars(base).items()}
