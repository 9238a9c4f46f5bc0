"""New databases of a repair, or of a run that forgets pages, on a disk that fails."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import pytest


class _Full(sqlite3.Connection):
    """There is no space left for statements that begin so."""

    begin = ""

    def __init__(self, database: Any, *args: Any, **options: Any) -> None:
        super().__init__(database, *args, **options)
        self._fails = ".repair" in str(database)

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if self._fails and sql.startswith(self.begin):
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error
        return super().execute(sql, *values)


class _Unheard(sqlite3.Connection):
    """What it writes into the file of a database when it is closed does not get there, and SQLite says nothing."""

    def __init__(self, database: Any, *args: Any, **options: Any) -> None:
        super().__init__(database, *args, **options)
        self._file = Path(database) if ".repair" in str(database) else None

    def close(self) -> None:
        before = None if self._file is None else self._file.read_bytes()
        super().close()
        if self._file is not None and before is not None:
            self._file.write_bytes(before)


def full_at(monkeypatch: pytest.MonkeyPatch, begin: str) -> None:
    kind = type("Full", (_Full,), {"begin": begin})
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=kind))


def unheard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=_Unheard))
