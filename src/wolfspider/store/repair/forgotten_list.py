"""What a run forgot, kept beside its database as well: RUN/forgotten.json.

The database notes each forgetting, and holds a failure at every address whose page went, so that nobody asks for it
again. What a person asked to be forgotten is out of scope for good (core/scope.py), also where a redirect leads there
or a strategy wants a fresh copy: the note of it says which addresses these are, or which host. If the database is lost,
a repair has both from this file. It is written with the new database of a forgetting, and put in its place by the same
plan.

A fleet has such a file in its own folder, with what all its islands keep out: an island that had not begun when a host
was forgotten, or that is begun anew, keeps it out as well.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.core import scope
from wolfspider.core.errors import BadInput
from wolfspider.files.disk import open_to_read, open_to_write, whole_file
from wolfspider.store.damage import UNREADABLE, trouble
from wolfspider.store.fleet_folder import fleet_of
from wolfspider.store.folder import FORGOTTEN
from wolfspider.store.sound_rows import are_forgotten

FAILURE = tuple(scope.FORGOTTEN)  # kind and detail of what the run holds in the place of a page
FORGOTTEN_PAGE = f"(failure = '{FAILURE[0]}' AND IFNULL(detail, '') = '{FAILURE[1]}')"  # such a row
NOTED = "forgotten"  # the name of the entries in the table meta
MOST_NOTED = 10_000  # of those that keep nothing out
_LARGEST = 1 << 28  # bytes
_GONE = "SELECT DISTINCT url FROM held WHERE failure = ? AND detail = ? ORDER BY url"


class ForgottenList(NamedTuple):
    entries: list[dict[str, Any]]  # what was forgotten, when and how much of it, the oldest first
    addresses: list[str]  # where pages were

    def beside(self, other: ForgottenList) -> ForgottenList:
        """Both, each entry and each address once."""
        entries = {json.dumps(one, sort_keys=True): one for one in (*self.entries, *other.entries)}
        ordered = sorted(entries.values(), key=lambda one: float(one["at"]))
        return ForgottenList(bounded(ordered), sorted({*self.addresses, *other.addresses}))

    def write(self, folder: Path) -> None:
        """A file that is safe on the disk; it gets its place by a plan."""
        with os.fdopen(open_to_write(folder / FORGOTTEN), "wb") as file:
            file.write(json.dumps(self._asdict()).encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())

    def put_into(self, connection: sqlite3.Connection, seq: int) -> None:
        """The database of a run notes the same, and asks for none of the pages; `seq` comes before all its entries."""
        if self.entries:
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (NOTED, json.dumps(self.entries)))
        sql = (
            "INSERT INTO held (url, seq, failure, detail) SELECT ?1, ?2, ?3, ?4"
            " WHERE NOT EXISTS (SELECT 1 FROM held WHERE url = ?1)"
        )
        connection.executemany(sql, [(url, seq, *FAILURE) for url in self.addresses])


NOTHING = ForgottenList([], [])


def in_file(folder: Path) -> ForgottenList:
    """What the file says; nothing if there is none, BadInput if it cannot be read."""
    path = folder / FORGOTTEN
    if not os.path.lexists(path):
        return NOTHING
    try:
        with os.fdopen(open_to_read(path), "rb") as file:
            said = json.loads(file.read(_LARGEST))
        told = ForgottenList(said["entries"], said["addresses"])
        if not (are_forgotten(told.entries) and all(isinstance(url, str) for url in told.addresses)):
            raise ValueError("it is of another shape")
        return told
    except UNREADABLE as error:
        raise BadInput(f"{path} is damaged: {error}.") from error


def of_fleet(run: Path) -> list[dict[str, Any]]:
    """What the fleet of an island forgot as a whole; nothing of a run that is no island."""
    fleet = fleet_of(run)
    return [] if fleet is None else in_file(fleet).entries


def note_in_fleet(fleet: Path, what: str, at: float, keeps_out: list[str]) -> None:
    """All its islands have forgotten this; those that come later keep it out, too. The caller has the fleet's lock."""
    entry = {"what": what, "at": at, "pages": 0, "keeps_out": keeps_out}  # the islands say of how many pages
    said = ForgottenList(bounded([*in_file(fleet).entries, entry]), [])
    path = fleet / FORGOTTEN
    try:
        with whole_file(path) as file:
            file.write(json.dumps(said._asdict()).encode("utf-8", "replace"))
    except OSError as error:
        raise trouble(path, error, "cannot be written") from error


def in_database(connection: sqlite3.Connection) -> ForgottenList:
    """What the database says, as far as it can be read."""
    entries, addresses = list[dict[str, Any]](), list[str]()
    with suppress(sqlite3.DatabaseError, *UNREADABLE):
        entries = noted(connection)
    with suppress(sqlite3.DatabaseError):
        addresses = [url for (url,) in connection.execute(_GONE, FAILURE) if isinstance(url, str)]
    return ForgottenList(entries, addresses)


def forgotten_pages(connection: sqlite3.Connection) -> tuple[int, float]:
    """How many pages were forgotten, and when the last of them; damage here is for `check` to tell."""
    with suppress(*UNREADABLE):
        entries = noted(connection)
        return sum(one["pages"] for one in entries), max((float(one["at"]) for one in entries), default=0.0)
    return 0, 0.0


def noted(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """The entries; an error of UNREADABLE if they are damaged."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (NOTED,)).fetchone()
    entries = json.loads(row[0]) if row else []
    if not are_forgotten(entries):
        raise ValueError("the list of what was forgotten is of another shape")
    return list(entries)


def bounded(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The newest, and all that keep something out."""
    return [one for one in entries[:-MOST_NOTED] if one.get("keeps_out")] + entries[-MOST_NOTED:]


def kept_out(entries: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The addresses and hosts that a person asked to be forgotten."""
    return frozenset(name for one in entries for name in one.get("keeps_out", ()))
