"""The rows of a run, read one by one from a database that may be damaged: which are as wolfspider writes them.

A row is sound if every value is of the kind of its column and what is packed in it can be read. A damaged database is
read around its damage: forwards up to it, then from behind it, and the rest backwards from the end.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from wolfspider.engine.entries import KINDS, LandEntry
from wolfspider.store import schema
from wolfspider.store.damage import UNREADABLE
from wolfspider.store.row_codec import unpacked_entry, unpacked_fetch, unpacked_page
from wolfspider.store.view import page_row

Row = tuple[Any, ...]
_KINDS: Mapping[str, tuple[type, ...]] = {"INTEGER": (int,), "REAL": (float, int), "TEXT": (str,), "BLOB": (bytes,)}
_FARTHEST = 1 << 40  # beyond any number of a row


class StoredTable(NamedTuple):
    """A table as `schema.py` makes it."""

    name: str
    columns: tuple[str, ...]
    kinds: tuple[tuple[type, ...], ...]  # of values
    needed: tuple[bool, ...]  # may a value not be missing?
    key: tuple[str, ...]


def tables() -> dict[str, StoredTable]:
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
        tuple(bool(needed or key) for *_, needed, _, key in columns),
        tuple(column for _, column in keys),
    )


def connect_damaged(database: Path) -> sqlite3.Connection:
    """A connection that only reads, and that no text stops."""
    uri = f"file:{quote(str(database.absolute()))}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    connection.text_factory = _text
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    return connection


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def rows(connection: sqlite3.Connection, table: StoredTable, damage: Callable[[str], object]) -> Iterator[Row]:
    """Every row that can be had, in the order of the key. `damage` is told of each place where reading failed, with
    what SQLite says."""
    if not _is_table(connection, table.name):
        damage("it is no table")
        return
    numbered = table.kinds[table.columns.index(table.key[0])] == (int,)
    last: Any = None
    step = 0
    while True:
        try:
            for row in _after(connection, table, last if not step else last + step):
                last, step = row[table.columns.index(table.key[0])], 0
                yield row
            return
        except sqlite3.DatabaseError as error:
            if not step:
                damage(str(error))
            if not numbered or not isinstance(last, int | None) or step > _FARTHEST or "no such" in str(error):
                break
            last, step = last or 0, 2 * step or 1
    yield from () if numbered else _backwards(connection, table, last)


def _is_table(connection: sqlite3.Connection, name: str) -> bool:
    """A view in its place might have no end."""
    sql = "SELECT 1 FROM sqlite_master WHERE name = ? AND type = 'table' AND sql NOT LIKE 'create virtual%'"
    try:
        return connection.execute(sql, (name,)).fetchone() is not None
    except sqlite3.DatabaseError:
        return False


def _after(connection: sqlite3.Connection, table: StoredTable, last: Any) -> Iterator[Row]:
    names, key = ", ".join(table.columns), ", ".join(table.key)
    where = "" if last is None else f"WHERE {table.key[0]} > ?"
    values = () if last is None else (last,)
    return connection.execute(f"SELECT {names} FROM {table.name} {where} ORDER BY {key}", values)  # noqa: S608


def _backwards(connection: sqlite3.Connection, table: StoredTable, last: Any) -> Iterator[Row]:
    names, key = ", ".join(table.columns), ", ".join(f"{name} DESC" for name in table.key)
    where, values = ("", ()) if last is None else (f"WHERE {table.key[0]} > ?", (last,))
    try:
        sql = f"SELECT {names} FROM {table.name} {where} ORDER BY {key}"  # noqa: S608
        yield from connection.execute(sql, values)
    except sqlite3.DatabaseError:
        return


def is_sound(table: StoredTable, row: Row) -> bool:
    for value, kinds, needed in zip(row, table.kinds, table.needed, strict=True):
        if not isinstance(value, kinds) and (needed or value is not None):
            return False
    read: Callable[..., bool | None] = _READ.get(table.name, _anything)
    try:
        return read(*row) is not False
    except UNREADABLE:
        return False


def _anything(*_: Any) -> None:
    """Commands are checked when they are taken; the rest has nothing packed in it."""


def _entry(seq: int, kind: str, at: Any, data: bytes, *_: Any) -> bool:
    if kind not in KINDS:
        return False
    entry = unpacked_entry(kind, data)
    if isinstance(entry, LandEntry):
        stands_for: Any = entry.result
        if isinstance(stands_for, bytes):
            unpacked_page(stands_for)
        return isinstance(entry.visit, int) and isinstance(stands_for, int | bytes | tuple)
    return True


def _page(*row: Any) -> None:
    if row[-1] is not None:
        unpacked_page(row[-1])
    page_row(*row[:-1], 0.0, 0, "{}")


def _visit(*row: Any) -> None:
    json.loads(row[-1])


def _landing(seq: int, n: int, visit: int, url: str, page: Any, failure: Any, *rest: Any) -> bool:
    json.loads(rest[3] or "{}")
    return page is not None or failure is not None


def _held(url: str, seq: int, page: Any, failure: Any, detail: Any, score: Any, relevant: Any, evidence: Any) -> bool:
    json.loads(evidence or "{}")
    return (page is None) or (score is None) == (evidence is None)


def _event(seq: int, n: int, kind: str, at: Any, data: str, *_: Any) -> bool:
    return isinstance(json.loads(data), dict)


def _like(n: int, data: bytes, *_: Any) -> None:
    unpacked_fetch(data)


def _host(host: str, data: str) -> bool:
    row = json.loads(data)
    rest = row.get("rest", (0.0, 0, 0.0))
    numbers = all(isinstance(number, float | int) for number in rest)
    return row["host"] == host and len(rest) == 3 and numbers and isinstance(row.get("rules", []), list)


def _snapshot(*row: Any) -> bool:
    return "/" not in row[2]


def _note(name: str, value: str) -> bool:
    return name != "info" or isinstance(json.loads(value), dict)


_READ: Mapping[str, Callable[..., bool | None]] = {
    "log": _entry,
    "pages": _page,
    "visits": _visit,
    "landings": _landing,
    "held": _held,
    "events": _event,
    "likes": _like,
    "hosts": _host,
    "snapshots": _snapshot,
    "meta": _note,
}
