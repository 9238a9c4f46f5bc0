"""Commands to a run: another process leaves them, the owner takes each once, and the journal has the answers."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wolfspider.core import codec
from wolfspider.core.errors import Problem
from wolfspider.core.events import Command, check_texts
from wolfspider.store import schema
from wolfspider.store.damage import reading, trouble
from wolfspider.store.database import Turn, connect_beside
from wolfspider.store.folder import Places, about_run, refuse_links
from wolfspider.store.row_codec import command_of

_MOST_TAKEN = 1000  # at a time
_MOST_WAITING = 10_000  # commands that the owner has not taken yet
_ANSWERED = "SELECT IFNULL(MAX(command), 0) FROM events WHERE command IS NOT NULL"


class Inbox:
    """The owner's side."""

    def __init__(self, turn: Turn, refuse: Callable[[int, float], None]) -> None:
        self._turn, self._refuse = turn, refuse
        self._taken: int = turn.one(_ANSWERED)[0]  # the number of the last one

    def take(self) -> list[tuple[int, Command]]:
        """The commands that have come since the last call, oldest first."""
        sql = "SELECT id, at, data FROM commands WHERE id > ? ORDER BY id LIMIT ?"
        commands = []
        for number, at, text in self._turn.connection.execute(sql, (self._taken, _MOST_TAKEN)).fetchall():
            self._taken = number
            try:
                command = command_of(text)
                check_texts(command)
                commands.append((number, command))
            except Exception:  # whatever strangers wrote there, the run goes on
                self._refuse(number, at)
        return commands


def append_command(folder: Path, command: Command, who: str) -> int:
    """Tell the owner of a run what a person wants; the number by which the answer is known."""
    about_run(folder)
    places = Places.of(folder)
    refuse_links(places)
    check_texts(command)
    text = codec.store(command)[0]
    if len(text) > schema.LONGEST_COMMAND:
        raise Problem(f"The command is too long: {len(text):,} characters, at most {schema.LONGEST_COMMAND:,}.")
    with contextlib.closing(connect_beside(places.database, "rw")) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            sql = f"SELECT COUNT(*) FROM commands WHERE id > ({_ANSWERED})"  # noqa: S608
            (waiting,) = connection.execute(sql).fetchone()
            if waiting >= _MOST_WAITING:  # closing the connection ends the transaction
                raise Problem(f"{waiting:,} commands wait for this run already. Is anybody running it?")
            values = (time.time(), who[:200].encode("utf-8", "replace").decode(), text)
            number = connection.execute("INSERT INTO commands (at, who, data) VALUES (?, ?, ?)", values).lastrowid
            connection.execute("COMMIT")
            return int(number or 0)
        except sqlite3.DatabaseError as error:
            raise trouble(places.database, error, "cannot be told anything") from error


def answer_to(folder: Path, number: int) -> Mapping[str, Any] | None:
    """What came of a command: `problem` is empty if it was obeyed, `old` what was there before. None: not yet."""
    with contextlib.closing(connect_beside(Places.of(folder).database, "ro")) as connection:
        try:
            row = connection.execute("SELECT kind, at, data FROM events WHERE command = ?", (number,)).fetchone()
        except sqlite3.DatabaseError as error:
            raise trouble(Places.of(folder).database, error) from error
    with reading(Places.of(folder).database, "the answer to a command"):
        return None if row is None else {"kind": row[0], "at": row[1], **json.loads(row[2])}
