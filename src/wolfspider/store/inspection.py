"""What is asked of a run to explain it, or to learn from it: its last snapshot, its rules, addresses like a given one.

Everything here only reads, and works while another process owns the run.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Fetch, host_of
from wolfspider.files.disk import open_to_read
from wolfspider.policy.frontier import Record
from wolfspider.store import page_reader, snapshots
from wolfspider.store.folder import Places
from wolfspider.store.shelf import DiskShelf
from wolfspider.store.view import RunView

MOST_COMPARED = 5_000  # addresses that one which is unknown is compared with
SHOWN = 5
_ATTEMPTS = 3  # at a snapshot that its owner may just be replacing


class Last(NamedTuple):
    """The newest snapshot of a run."""

    seq: int  # the last entry of the log it knows
    at: float
    state: Any
    shelf: int  # how long the shelf was


class ReadOnlyShelf(DiskShelf):
    """A shelf as it was at a snapshot. Its owner only appends, so what lay there then lies there still."""

    def __init__(self, path: Path, length: int) -> None:
        self.path = path
        self._handle = open_to_read(path)
        self._flushed, self._buffer = length, bytearray()

    def put(self, record: Record) -> NoReturn:
        raise TypeError("this shelf is only looked at")

    def cut(self, length: int) -> None:
        raise TypeError("this shelf is only looked at")


def last_snapshot(view: RunView) -> Last | None:
    """None where there is no whole one yet. Kinds that a strategy of a person's own registers must be known before."""
    for _ in range(_ATTEMPTS):
        with view.moment() as connection:
            rows = connection.execute(
                "SELECT seq, at, file, digest, shelf FROM snapshots ORDER BY seq DESC, n DESC"
            ).fetchall()
        for seq, at, file, digest, shelf in rows:
            with contextlib.suppress(BadInput):
                return Last(seq, at, snapshots.state_of(Places.of(view.folder).snapshots, file, digest), shelf)
        if not rows:
            return None
    return None


def shelf_of(view: RunView, last: Last) -> ReadOnlyShelf:
    return ReadOnlyShelf(Places.of(view.folder).shelf, last.shelf)


def liked(view: RunView) -> list[Fetch]:
    """The pages that describe the topic."""
    with view.moment() as connection:
        return page_reader.liked(connection, Places.of(view.folder).archive)


def visited_since(view: RunView, seq: int) -> set[str]:
    """Addresses that went out after this entry of the log."""
    with view.moment() as connection:
        return {url for (url,) in connection.execute("SELECT url FROM visits WHERE seq > ?", (seq,))}


def host_rows(view: RunView, *names: str) -> list[Mapping[str, Any]]:
    """What is known of these hosts and origins: when they may be asked again, their robots rules."""
    with view.moment() as connection:
        found = (connection.execute("SELECT data FROM hosts WHERE host = ?", (name,)).fetchone() for name in names)
        return [json.loads(row[0]) for row in found if row is not None]


def neighbours(view: RunView, url: str) -> list[str]:
    """Addresses that the run has met and that look most like this one, the nearest first."""
    with view.moment() as connection:
        known = list(_of_host(connection, host_of(url))) or _of_hosts_like(connection, host_of(url))
    return difflib.get_close_matches(url, known, SHOWN, cutoff=0.3)


def _of_host(connection: sqlite3.Connection, host: str) -> Iterator[str]:
    for scheme in ("http", "https"):
        start = f"{scheme}://{host}/"
        sql = "SELECT DISTINCT url FROM held WHERE url >= ? AND url < ? LIMIT ?"
        rows = connection.execute(sql, (start, f"{start[:-1]}0", MOST_COMPARED))  # "0" is what follows "/"
        yield from (known for (known,) in rows)


def _of_hosts_like(connection: sqlite3.Connection, host: str) -> list[str]:
    rows = connection.execute("SELECT DISTINCT host FROM pages LIMIT ?", (MOST_COMPARED,))
    near = difflib.get_close_matches(host, [name for (name,) in rows], SHOWN)
    return [url for name in near for url in _of_host(connection, name)][:MOST_COMPARED]
