"""The rows of a run, read one by one from a database that may be damaged.

It is read around its damage: forwards up to it, then from behind it, and the rest backwards from the end. Which of the
rows are sound, sound_rows.py says.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from wolfspider.store.database import has_log
from wolfspider.store.sound_rows import Row, StoredTable

_FARTHEST = 1 << 40  # beyond any number of a row


def connect_damaged(database: Path) -> sqlite3.Connection:
    """A connection that only reads, and that no text stops. In a folder that nobody can write to, a database without a
    log beside it is read as it is."""
    uri = f"file:{quote(str(database.absolute()))}?mode=ro"
    connection = _connected(uri)
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError:
        if not os.access(database.parent, os.W_OK) and not has_log(database):
            connection.close()
            connection = _connected(f"{uri}&immutable=1")
    except sqlite3.DatabaseError:
        pass  # whoever reads it is told
    return connection


def _connected(uri: str) -> sqlite3.Connection:
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
