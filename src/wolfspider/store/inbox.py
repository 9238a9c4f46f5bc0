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
from wolfspider.core.errors import Busy, Problem
from wolfspider.core.events import Command, check_texts
from wolfspider.store import schema
from wolfspider.store.damage import reading, trouble
from wolfspider.store.database import Turn, connect_beside
from wolfspider.store.folder import Places, about_run, refuse_links
from wolfspider.store.row_codec import command_of

MOST_WAITING = 1000  # commands that have no answer yet
_MOST_TEXT = 10_000_000  # characters of those that are taken at once
_ANSWERED = "SELECT IFNULL(MAX(command), 0) FROM events WHERE command IS NOT NULL"
_NEW = "SELECT id, at, data FROM commands WHERE id > ? ORDER BY id LIMIT ?"
_UNKNOWN = "This is no command that is known here."
_TOO_MANY = f"More than {MOST_WAITING:,} commands waited, so this one was not obeyed. Say it again."


class Inbox:
    """The owner's side. Numbers are answered in their order: after a crash all behind the last answer are taken again.
    So what is too much is refused once the commands before it were obeyed."""

    def __init__(self, turn: Turn, refuse: Callable[[int, float, str], None]) -> None:
        self._turn, self._refuse = turn, refuse
        self._taken: int = turn.one(_ANSWERED)[0]  # the number of the last one
        self._too_many = 0  # those up to this number are refused

    def take(self) -> list[tuple[int, Command]]:
        """The commands that have come since the last call, oldest first. To be called when the last ones are obeyed."""
        commands, room = list[tuple[int, Command]](), _MOST_TEXT
        for number, at, text in self._turn.connection.execute(_NEW, (self._taken, MOST_WAITING)):
            command = _read(text) if number > self._too_many else None
            room -= len(str(text))
            if commands and (command is None or room < 0):
                break
            self._taken = number
            if command is None:
                self._refuse(number, at, _UNKNOWN if number > self._too_many else _TOO_MANY)
            else:
                commands.append((number, command))
        if len(commands) == MOST_WAITING:
            self._too_many = self._turn.one("SELECT MAX(id) FROM commands")[0]
        return commands


def _read(text: Any) -> Command | None:
    try:
        command = command_of(text)
        check_texts(command)
    except Exception:  # whatever strangers wrote there, the run goes on
        return None
    return command


def too_many(waiting: int) -> Busy:
    return Busy(
        f"{waiting:,} commands wait for this run already, so it takes no more. Try again when it has obeyed some; "
        "if nobody runs it, resume it first."
    )


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
            if waiting >= MOST_WAITING:  # closing the connection ends the transaction
                raise too_many(waiting)
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
