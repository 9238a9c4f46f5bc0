"""What a row of a run is like that wolfspider wrote: one rule for those who read rows, and for check and repair.

A run may come from a stranger, and SQLite keeps a value of any type in any column. So what is read passes here: each
value is of the kind of its column, is missing only where it may be, and what is packed in it can be read.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from functools import cache
from typing import Any, NamedTuple

from wolfspider.core.errors import Problem
from wolfspider.core.model import is_web_address
from wolfspider.core.scope import Rule
from wolfspider.engine.entries import KINDS, BeginEntry, CommandEntry, LandEntry
from wolfspider.store import schema
from wolfspider.store.damage import UNREADABLE
from wolfspider.store.row_codec import unpacked_entry, unpacked_fetch, unpacked_page
from wolfspider.store.run_clock import read as read_clock

Row = tuple[Any, ...]
_KINDS: Mapping[str, tuple[type, ...]] = {"INTEGER": (int,), "REAL": (float, int), "TEXT": (str,), "BLOB": (bytes,)}
_FIRST_TIME, _LAST_TIME = -62_135_596_800.0, 253_402_300_800.0  # of the calendar: years 1 to 9999
_MOST_COUNTED = 1 << 42
_LOWEST, _HIGHEST = -(1 << 62), 1 << 39  # numbers of entries, visits and pages; each repair shifts earlier ones down
_VERDICT = ("score", "relevant", "evidence")
_PLACE = ("file", "offset", "length")
# What need not be there. The tables themselves say less: they were made before this was written down.
_MAY_BE_MISSING: Mapping[str, frozenset[str]] = {
    "log": frozenset(("at", "file", "end")),
    "pages": frozenset(("published", "modified", *_PLACE, "packed")),
    "landings": frozenset(("page", "failure", "detail", *_VERDICT)),
    "held": frozenset(("page", "failure", "detail", *_VERDICT)),
    "events": frozenset(("command",)),
    "likes": frozenset(_PLACE),
}


class StoredTable(NamedTuple):
    """A table as `schema.py` makes it."""

    name: str
    columns: tuple[str, ...]
    kinds: tuple[tuple[type, ...], ...]  # of values
    key: tuple[str, ...]


@cache
def tables() -> Mapping[str, StoredTable]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema.TABLES)
        return {name: _table(connection, name) for name in sorted(schema.NAMES)}


def _table(connection: sqlite3.Connection, name: str) -> StoredTable:
    columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
    keys = sorted((key, column) for _, column, *_, key in columns if key)
    return StoredTable(
        name,
        tuple(column for _, column, *_ in columns),
        tuple(_KINDS[kind] for _, _, kind, *_ in columns),
        tuple(column for _, column in keys),
    )


def check_values(name: str, columns: Sequence[str], values: Sequence[Any]) -> None:
    """ValueError, or another of UNREADABLE, if a value is not one that wolfspider writes into this column."""
    rules = _rules(name)
    for column, value in zip(columns, values, strict=True):
        kinds, may_be_missing, fits = rules[column]
        if value is None:
            if not may_be_missing:
                raise ValueError(f"{column} is missing")
        elif not isinstance(value, kinds):
            raise ValueError(f"{column} is of another type ({type(value).__name__})")
        elif fits is not None and not fits(value):
            raise ValueError(f"{column} is no value that is kept there ({value!r:.60})")


def check_row(table: StoredTable, row: Row) -> None:
    """The same of a whole row, and of what its values say together."""
    check_values(table.name, table.columns, row)
    if (read := _TOGETHER.get(table.name)) is not None and not read(*row):
        raise ValueError("its values do not fit each other")


def is_sound(table: StoredTable, row: Row) -> bool:
    try:
        check_row(table, row)
    except UNREADABLE:
        return False
    return True


# Single values


class _ColumnRule(NamedTuple):
    kinds: tuple[type, ...]
    may_be_missing: bool
    fits: Callable[[Any], bool] | None


@cache
def _rules(name: str) -> Mapping[str, _ColumnRule]:
    table, missing = tables()[name], _MAY_BE_MISSING.get(name, frozenset())
    return {
        column: _ColumnRule(kinds, column in missing, _FITS.get((name, column)) or _FITS_ANYWHERE.get(column))
        for column, kinds in zip(table.columns, table.kinds, strict=True)
    }


def _is_flag(value: int) -> bool:
    return value in (0, 1)


def _is_time(value: float) -> bool:
    return _FIRST_TIME <= value < _LAST_TIME


def _is_count(value: int) -> bool:
    """Of so many that the sum over all rows is still a number that SQLite has."""
    return 0 <= value < _MOST_COUNTED


def _is_number(value: int) -> bool:
    return _LOWEST < value < _HIGHEST


def _is_object(text: str) -> bool:
    return isinstance(json.loads(text), dict)


def _are_texts(text: str) -> bool:
    told = json.loads(text)
    return isinstance(told, list) and all(isinstance(one, str) for one in told)


def _are_named_texts(text: str) -> bool:
    told = json.loads(text)
    return isinstance(told, dict) and all(isinstance(one, str) for one in told.values())


_FITS_ANYWHERE: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("seq", "n", "visit", "page"), _is_number),
    "at": _is_time,
    "published": _is_time,
    "modified": _is_time,
    "seconds": math.isfinite,
    "score": math.isfinite,
    "relevant": _is_flag,
    "fresh": _is_flag,
    "truncated": _is_flag,
    "cut": _is_flag,
    "evidence": _is_object,
    "note": _is_object,
    "hops": _are_texts,
    "headers": _are_named_texts,
    "file": _is_count,
    "offset": _is_count,
    "length": _is_count,
    "end": _is_count,
    "end_file": _is_count,
    "end_offset": _is_count,
    "body": _is_count,
    "size": _is_count,
    "words": _is_count,
    "links": _is_count,
    "cost": _is_count,
    "shelf": _is_count,
    "bytes": _is_count,
}
_FITS: Mapping[tuple[str, str], Callable[[Any], bool]] = {
    ("snapshots", "file"): lambda name: "/" not in name,
    ("log", "kind"): KINDS.__contains__,
    ("visits", "id"): _is_number,
    ("commands", "at"): math.isfinite,  # of another process; commands themselves are checked when they are taken
}


# Values together


def _entry(seq: int, kind: str, at: Any, data: bytes, file: Any, end: Any) -> bool:
    entry = unpacked_entry(kind, data)
    if (file is None) != (end is None):
        return False
    if isinstance(entry, LandEntry):
        stands_for: Any = entry.result
        if isinstance(stands_for, bytes):
            unpacked_page(stands_for)
        return isinstance(entry.visit, int) and isinstance(stands_for, int | bytes | tuple)
    if isinstance(entry, BeginEntry):
        links = all(isinstance(link.url, str) and isinstance(link.rel, str) for link in entry.seeds)
        return links and isinstance(entry.spent, int)
    return not isinstance(entry, CommandEntry) or isinstance(entry.now, float | int)


def _page(*row: Any) -> bool:
    if row[-1] is not None:
        unpacked_page(row[-1])
    return _whole_place(*row[25:28])


def _whole_place(file: Any, offset: Any, length: Any) -> bool:
    return (file is None) == (offset is None) == (length is None)


def _landing(seq: int, n: int, visit: int, url: str, page: Any, failure: Any, *_: Any) -> bool:
    """What a Source answers, a feed for example, is no page that is kept."""
    return page is not None or failure is not None or not is_web_address(url)


def _held(url: str, seq: int, page: Any, failure: Any, detail: Any, *verdict: Any) -> bool:
    whole = len({value is None for value in verdict}) == 1
    return failure is not None if page is None else whole


def event_fits(kind: str, told: Any) -> bool:
    """Is the content of an event of the shape that readers rely on?"""
    if not isinstance(told, dict):
        return False
    if kind == "Ended":
        return isinstance(told["reason"], str)
    if kind == "Postponed":
        return isinstance(told["visit"], int) and all(isinstance(told[name], str) for name in ("kind", "detail"))
    if kind != "Obeyed":
        return True
    command, problem = told.get("command", {}), told.get("problem", "")
    if not isinstance(command, dict) or not isinstance(problem, str):
        return False
    if problem:  # it was not obeyed, and may say anything
        return True
    match command.get("kind"):
        case "SetTopic":
            return all(isinstance(word, str) for word in command["keywords"])
        case "Exclude" | "Include":
            with suppress(Problem):
                return Rule.read(command["rule"]) is not None
            return False
    return True


def _event(seq: int, n: int, kind: str, at: float, data: str, *_: Any) -> bool:
    return event_fits(kind, json.loads(data))


def _like(n: int, data: bytes, *place: Any) -> bool:
    fetch, size = unpacked_fetch(data)
    texts = isinstance(fetch.url, str) and isinstance(fetch.final_url, str) and isinstance(fetch.headers, dict)
    return texts and isinstance(size, int) and _is_time(fetch.at) and _whole_place(*place[:3])


def host_fits(host: str, row: Any) -> bool:
    """Is this what is noted of a host: its rest, its robots rules, or both?"""
    rest, rules = row.get("rest", (0.0, 0, 0.0)), row.get("rules", ("", 0, 0.0))
    numbers = len(rest) == 3 and all(isinstance(number, float | int) for number in rest)
    text, status, read = rules
    known = isinstance(text, str) and isinstance(status, int) and isinstance(read, float | int)
    return bool(row["host"] == host and numbers and known)


def _host(host: str, data: str) -> bool:
    return host_fits(host, json.loads(data))


def _note(name: str, value: str) -> bool:
    if name in ("info", "about"):
        return isinstance(json.loads(value), dict)
    if name in ("synced", "base"):
        return len([int(number) for number in value.split()]) == 2
    if name == "clock":
        return read_clock(value) is not None
    return name != "forgotten" or are_forgotten(json.loads(value))


def are_forgotten(told: Any) -> bool:
    """Is this the list of what a run forgot?"""
    return isinstance(told, list) and all(
        _is_time(entry["at"])
        and isinstance(entry["what"], str)
        and isinstance(entry["pages"], int)
        and isinstance(kept_out := entry.get("keeps_out", []), list)
        and all(isinstance(name, str) for name in kept_out)
        for entry in told
    )


_TOGETHER: Mapping[str, Callable[..., bool]] = {
    "log": _entry,
    "pages": _page,
    "landings": _landing,
    "held": _held,
    "events": _event,
    "likes": _like,
    "hosts": _host,
    "meta": _note,
}
