"""Commands to a run: another process leaves them, the owner takes each once, and the journal has the answers.

They are left in a small database of their own, which only their senders write. So whatever a sender does there, however
long it takes and whether or not it comes to an end, the owner's transactions never wait for it: the owner reads what it
can read at that moment, and copies it into the run.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wolfspider.core import codec
from wolfspider.core.errors import BadInput, Busy, Problem
from wolfspider.core.events import Command, check_texts
from wolfspider.files.disk import open_to_write
from wolfspider.store import schema
from wolfspider.store.damage import Damaged, reading, repair_command, trouble
from wolfspider.store.database import Turn, connect_beside, connect_inbox
from wolfspider.store.folder import INBOX, Places, about_run, refuse_links_and_pipes
from wolfspider.store.row_codec import command_of

MOST_WAITING = 1000  # commands that have no answer yet
_MOST_TEXT = 10_000_000  # characters of those that are taken at once
_ANSWERED = "SELECT IFNULL(MAX(command), 0) FROM events WHERE command IS NOT NULL"
LAST_COMMAND = "SELECT IFNULL(MAX(seq), 0) FROM sqlite_sequence WHERE name = 'commands'"  # number ever given
_NEW = "SELECT id, at, data FROM commands WHERE id > ? ORDER BY id LIMIT ?"
_LEFT = "SELECT id FROM commands WHERE id > ? AND id < ? ORDER BY id LIMIT ?"
_ROW = "SELECT at, who, data FROM commands WHERE id = ?"
_NEWEST = "SELECT IFNULL(MAX(id), 0) FROM commands WHERE id < ?"
_FARTHEST = 1 << 53  # beyond any number that is given
_MADE = "SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' LIMIT 2"
_OURS = [(schema.COMMANDS,)]  # and nothing beside it
_KEEP = "INSERT INTO commands (id, at, who, data) VALUES (?, ?, ?, ?)"
_UNKNOWN = "This is no command that is known here."
_TOO_MANY = f"More than {MOST_WAITING:,} commands waited, so this one was not obeyed. Say it again."

Letter = tuple[int, float, str, str]  # number, time, sender, command


class Inbox:
    """The owner's side. Numbers are answered in their order: after a crash all behind the last answer are taken again.
    So what is too much is refused once the commands before it were obeyed."""

    def __init__(self, turn: Turn, letters: Path, refuse: Callable[[int, float, str], None]) -> None:
        self._turn, self._letters, self._refuse = turn, letters, refuse
        self._taken: int = turn.one(_ANSWERED)[0]  # the number of the last one
        self._too_many = 0  # those up to this number are refused

    def take(self) -> list[tuple[int, Command]]:
        """The commands that have come since the last call, oldest first. To be called when the last ones are obeyed."""
        newest = bring_in(self._turn, self._letters)
        commands, room = list[tuple[int, Command]](), _MOST_TEXT
        for number, at, text in self._turn.connection.execute(_NEW, (self._taken, MOST_WAITING)):
            command = command_in(text) if number > self._too_many else None
            if (commands and command is None) or room < 0:
                break
            room -= len(str(text))
            self._taken = number
            if command is None:
                self._refuse(number, at, _UNKNOWN if number > self._too_many else _TOO_MANY)
            else:
                commands.append((number, command))
        if len(commands) == MOST_WAITING:
            self._too_many = newest
        return commands


def bring_in(turn: Turn, path: Path) -> int:
    """Copy some of what others have left into the run, the oldest first; the number of the newest."""
    last = last_given(turn)
    letters, newest = _letters_behind(path, last)
    for letter in letters:
        turn.write(_KEEP, letter)
    return max(newest, last)


def last_given(turn: Turn) -> int:
    """The number of the last command that the run has, or had."""
    return int(turn.one(LAST_COMMAND)[0])


def _letters_behind(path: Path, last: int) -> tuple[list[Letter], int]:
    """The oldest commands behind a number that others have left, and the number of the newest. None, if they cannot be
    read at this moment, or the database is not as its senders make it."""
    letters, newest, room = list[Letter](), 0, _MOST_TEXT
    try:
        if not _is_plain(path):
            return letters, newest
        with contextlib.closing(connect_inbox(path, "ro", patience=0.0)) as connection:
            connection.execute("BEGIN")
            if connection.execute(_MADE).fetchall() != _OURS:
                return letters, newest
            (newest,) = connection.execute(_NEWEST, (_FARTHEST,)).fetchone()
            for (number,) in connection.execute(_LEFT, (last, _FARTHEST, MOST_WAITING)).fetchall():
                letters.append(_letter(connection, number))
                if (room := room - len(letters[-1][3])) < 0:
                    break
    except (sqlite3.Error, BadInput, OSError):
        pass
    return letters, newest


def _is_plain(inbox: Path) -> bool:
    """Is there one, and nothing in its place, or of SQLite beside it, whose opening could take for ever?"""
    beside = [path for name in INBOX if os.path.lexists(path := inbox.with_name(name))]
    return inbox in beside and all(stat.S_ISREG(path.lstat().st_mode) for path in beside)


def _letter(connection: sqlite3.Connection, number: int) -> Letter:
    """What stands there may be of any type and length."""
    try:
        at, who, data = connection.execute(_ROW, (number,)).fetchone()
    except sqlite3.DataError:  # it is longer than LONGEST_ROW
        at, who, data = 0.0, "", ""
    return (
        number,
        float(at) if isinstance(at, float | int) and math.isfinite(at) else 0.0,
        str(who)[:200],
        data if isinstance(data, str) and len(data) <= schema.LONGEST_COMMAND else "",
    )


def command_in(text: Any) -> Command | None:
    """None: it is none."""
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
    refuse_links_and_pipes(places)
    check_texts(command)
    text = codec.store(command)[0]
    if len(text) > schema.LONGEST_COMMAND:
        raise Problem(f"The command is too long: {len(text):,} characters, at most {schema.LONGEST_COMMAND:,}.")
    answered, last = _known(places.database)
    try:
        os.close(open_to_write(places.inbox))
        with contextlib.closing(connect_inbox(places.inbox, "rw")) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN IMMEDIATE")
            if why := stranger_in(connection):
                raise _spoilt(places.inbox, why)
            if not connection.execute(_MADE).fetchall():
                connection.execute(schema.COMMANDS)
            (waiting,) = connection.execute("SELECT COUNT(*) FROM commands WHERE id > ?", (answered,)).fetchone()
            if waiting >= MOST_WAITING:  # closing the connection ends the transaction
                raise too_many(waiting)
            number: int = max(last, *connection.execute(_NEWEST, (_FARTHEST,)).fetchone()) + 1
            connection.execute(_KEEP, (number, time.time(), who[:200].encode("utf-8", "replace").decode(), text))
            connection.execute("COMMIT")
            return number
    except sqlite3.DatabaseError as error:
        if isinstance(told := trouble(places.inbox, error, "cannot be told anything"), Damaged):
            raise _spoilt(places.inbox, error) from error
        raise told from error


def stranger_in(connection: sqlite3.Connection) -> str:
    """What is wrong with an inbox that its senders did not make so; "" if nothing is. It is empty until the first of
    them has left a command."""
    made = connection.execute(_MADE).fetchall()
    return "" if made in ([], _OURS) else "it has not the table of commands alone"


def _spoilt(inbox: Path, why: object) -> BadInput:
    aside = f"let a repair move it aside, when no crawl runs ({repair_command(inbox.parent)})"
    return BadInput(f"{inbox} is damaged: {why}. Remove it, or {aside}, and say the command again.")


def _known(database: Path) -> tuple[int, int]:
    """The numbers of the last command that was answered, and of the last that the run has."""
    with contextlib.closing(connect_beside(database)) as connection:
        try:
            return (*connection.execute(_ANSWERED).fetchone(), *connection.execute(LAST_COMMAND).fetchone())
        except sqlite3.DatabaseError as error:
            raise trouble(database, error, "cannot be told anything") from error


def waiting_commands(folder: Path, most: int) -> list[tuple[int, float, str, Command]]:
    """Number, time, sender and content of commands that have no answer yet, oldest first; some of the newest may be
    missing, if they cannot be read at this moment."""
    with contextlib.closing(connect_beside(Places.of(folder).database)) as connection:
        try:
            (answered,) = connection.execute(_ANSWERED).fetchone()
            taken = connection.execute("SELECT id, at, who, data FROM commands WHERE id > ?", (answered,)).fetchall()
        except sqlite3.DatabaseError as error:
            raise trouble(Places.of(folder).database, error) from error
    left, _ = _letters_behind(Places.of(folder).inbox, max([answered, *(letter[0] for letter in taken)]))
    waiting = ((number, at, str(who), command_in(text)) for number, at, who, text in (*taken, *left))
    return [(*letter[:3], letter[3]) for letter in waiting if letter[3] is not None][:most]


def answer_to(folder: Path, number: int) -> Mapping[str, Any] | None:
    """What came of a command: `problem` is empty if it was obeyed, `old` what was there before. None: not yet."""
    with contextlib.closing(connect_beside(Places.of(folder).database)) as connection:
        try:
            row = connection.execute("SELECT kind, at, data FROM events WHERE command = ?", (number,)).fetchone()
        except sqlite3.DatabaseError as error:
            raise trouble(Places.of(folder).database, error) from error
    with reading(Places.of(folder).database, "the answer to a command"):
        return None if row is None else {"kind": row[0], "at": row[1], **json.loads(row[2])}
