"""The gauges of a run, kept apart from its journal: one for each second of the last hour, one a minute before that.

Gauges are for screens of other processes. A run that loses them loses nothing, so their table is made where it is
missing or of another shape, and the format of runs stays as it is: an older wolfspider opens a run that has gauges and
leaves them alone, and a run without gauges is read as one that has none yet.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Mapping
from typing import Any, get_args, get_origin, get_type_hints

from wolfspider.core import codec
from wolfspider.core.events import Gauge
from wolfspider.store.row_codec import LONGEST_JSON, json_of

TABLE = "CREATE TABLE gauges (second INTEGER PRIMARY KEY, data TEXT NOT NULL)"
SECONDS = 3_600  # gauges that are a second apart, at most
MINUTES = 10_080  # and before those, a minute apart
_THIN = (
    "DELETE FROM gauges WHERE second < ?1 AND second NOT IN"
    " (SELECT MIN(second) FROM gauges WHERE second < ?1 GROUP BY second / 60 ORDER BY 1 DESC LIMIT ?2)"
)
_FOUND = "SELECT type, name, sql FROM sqlite_master WHERE lower(name) = 'gauges' OR lower(tbl_name) = 'gauges'"
_LARGEST = 1e15  # of a number
_KINDS = get_type_hints(Gauge)


def make(connection: sqlite3.Connection) -> None:
    """Make the table. Anything else of its name is dropped, with its triggers and indices."""
    if _is_ours(connection):
        return
    with contextlib.suppress(sqlite3.Error):  # then the run has no gauges
        for kind, name, _ in connection.execute(_FOUND).fetchall():
            quoted = name.replace('"', '""')
            connection.execute(f'DROP {kind} IF EXISTS "{quoted}"')
        connection.execute(TABLE)


def _is_ours(connection: sqlite3.Connection) -> bool:
    return connection.execute(_FOUND).fetchall() == [("table", "gauges", TABLE)]


class Gauges:
    """The owner's side: written within a turn, and thinned in place once a minute."""

    def __init__(self, connection: sqlite3.Connection, seconds: int = SECONDS, minutes: int = MINUTES) -> None:
        self._connection, self._seconds, self._minutes = connection, seconds, minutes
        self._minute: int | None = None  # that it was last thinned in

    def keep(self, gauge: Gauge) -> None:
        """A gauge that cannot be written is lost. If the turn was undone with it, the error is raised."""
        second, execute = int(gauge.at), self._connection.execute
        try:
            execute("DELETE FROM gauges WHERE second > ?", (second,))  # written when the clock was ahead
            execute("INSERT OR REPLACE INTO gauges VALUES (?, ?)", (second, json_of(codec.plain(gauge))))
            if second // 60 != self._minute:
                self._minute = second // 60
                execute(_THIN, (60 * (self._minute + 1) - self._seconds, self._minutes))
        except sqlite3.Error:
            if not self._connection.in_transaction:
                raise


def gauges(connection: sqlite3.Connection, newest: int = SECONDS + MINUTES) -> list[Gauge]:
    """The newest gauges, oldest first."""
    sql = "SELECT data FROM gauges WHERE length(data) <= ? ORDER BY second DESC LIMIT ?"
    try:
        rows = connection.execute(sql, (LONGEST_JSON, newest)).fetchall() if _is_ours(connection) else []
    except sqlite3.Error:
        return []
    return [gauge for (data,) in reversed(rows) if (gauge := _gauge(data)) is not None]


def by_second(connection: sqlite3.Connection, had: Mapping[int, Gauge | None]) -> dict[int, Gauge | None]:
    """All gauges by their seconds; None for one that is damaged. Those that `had` has are not read again, except the
    newest, which may have been written twice."""
    newest = max(had, default=0)
    try:
        seconds = connection.execute("SELECT second FROM gauges").fetchall() if _is_ours(connection) else []
        known = {second: had[second] for (second,) in seconds if second in had and second != newest}
        sql = "SELECT data FROM gauges WHERE second = ? AND length(data) <= ?"
        for (second,) in seconds:
            if second not in known:
                row = connection.execute(sql, (second, LONGEST_JSON)).fetchone()
                known[second] = _gauge(row[0]) if row else None
    except sqlite3.Error:
        return {}
    return known


def since(connection: sqlite3.Connection, state: str) -> float | None:
    """Since when the crawl has been in this state without a break, as far as its gauges tell."""
    sql = (
        "SELECT MIN(second) FROM gauges WHERE second > (SELECT IFNULL(MAX(second), -1) FROM gauges"
        " WHERE CASE WHEN json_valid(data) THEN json_extract(data, '$.state') <> ? END)"
    )
    try:
        return (
            float(found)
            if _is_ours(connection) and (found := connection.execute(sql, (state,)).fetchone()[0])
            else None
        )
    except sqlite3.Error:
        return None


def _gauge(text: str | bytes) -> Gauge | None:
    """Fields that an older or a newer version wrote are taken as far as they are known here and fit."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or not _fits(fields.get("at"), float):
        return None
    return Gauge(
        **{name: fields[name] for name, kind in _KINDS.items() if name in fields and _fits(fields[name], kind)}
    )


def _fits(value: Any, kind: Any) -> bool:
    if get_origin(kind) is get_origin(Mapping[str, int]):
        return isinstance(value, dict) and all(_fits(number, get_args(kind)[1]) for number in value.values())
    kinds = get_args(kind) or (kind,)
    if isinstance(value, int | float) and not abs(value) < _LARGEST:  # NaN among them
        return False
    return not isinstance(value, bool) and isinstance(value, (*kinds, int) if float in kinds else kinds)
