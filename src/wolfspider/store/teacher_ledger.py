"""What a run asked its teacher: an entry for each question, made before it is sent, so that a kill hides nothing.

A question is known by a digest of all that was sent. The ledger holds neither texts nor addresses, so there is nothing
in it that could be forgotten. What was sent and never answered counts as spent.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from pathlib import Path
from typing import NamedTuple

from wolfspider.core.errors import BadInput
from wolfspider.files.disk import open_to_write
from wolfspider.store.database import connect_inbox
from wolfspider.store.folder import TEACHER_LEDGER, Places, refuse_links_and_pipes

_MAKE = (
    "CREATE TABLE IF NOT EXISTS questions (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL,"
    " at REAL NOT NULL, tokens INTEGER NOT NULL, good INTEGER)"
)


class Spent(NamedTuple):
    questions: int
    tokens: int


class AskedBefore(NamedTuple):
    """A question that was asked before."""

    good: bool | None  # None: there was no answer


class TeacherLedger:
    """To be used from one thread. What is wrong with its file is a BadInput."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / TEACHER_LEDGER
        refuse_links_and_pipes(Places.of(folder), self._path)
        os.close(open_to_write(self._path))
        try:
            self._connection = connect_inbox(self._path, "rw")
            self._connection.execute(_MAKE)
        except sqlite3.DatabaseError as error:
            raise self._spoilt(error) from error

    def close(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()

    def spent(self) -> Spent:
        count, tokens = self._one("SELECT COUNT(*), IFNULL(SUM(tokens), 0) FROM questions")
        return Spent(int(count), int(tokens))

    def known(self, key: str) -> AskedBefore | None:
        row = self._one("SELECT good FROM questions WHERE key = ? ORDER BY number DESC LIMIT 1", key)
        return None if row is None else AskedBefore(None if row[0] is None else bool(row[0]))

    def begin(self, key: str, tokens: int) -> int:
        """A question is about to be sent, and may cost so much; its number."""
        sql = "INSERT INTO questions (key, at, tokens) VALUES (?, ?, ?) RETURNING number"
        (number,) = self._one(sql, key, time.time(), tokens)
        return int(number)

    def end(self, number: int, tokens: int, good: bool | None) -> None:
        self._one("UPDATE questions SET tokens = ?, good = ? WHERE number = ?", tokens, good, number)

    def drop(self, number: int) -> None:
        """It cost nothing."""
        self._one("DELETE FROM questions WHERE number = ?", number)

    def _one(self, sql: str, *values: object) -> tuple[int, ...]:
        try:
            row: tuple[int, ...] = self._connection.execute(sql, values).fetchone()
        except sqlite3.DatabaseError as error:
            raise self._spoilt(error) from error
        return row

    def _spoilt(self, error: Exception) -> BadInput:
        return BadInput(f"{self._path} cannot be used: {error}. Without it nobody knows what was asked already.")
