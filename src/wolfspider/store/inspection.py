"""Questions to a run, to explain it or to learn from it: its last snapshot, robots rules, addresses like a given one.

Everything here only reads, and works while another process owns the run.
"""

from __future__ import annotations

import contextlib
import difflib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Fetch, host_of
from wolfspider.files.disk import open_to_read
from wolfspider.policy.link_shelf import Record
from wolfspider.store import page_reader, snapshots
from wolfspider.store.damage import reading
from wolfspider.store.folder import Places
from wolfspider.store.shelf import DiskShelf
from wolfspider.store.sound_rows import host_fits
from wolfspider.store.view import RunView

MOST_COMPARED = 5_000  # addresses that an unknown one is compared with
SHOWN = 5
_ATTEMPTS = 3  # to read a snapshot while its owner may be replacing it


class Last(NamedTuple):
    """The newest snapshot of a run."""

    seq: int  # the last entry of the journal it knows
    at: float
    state: Any
    shelf: int  # how long the shelf was


class ReadOnlyShelf(DiskShelf):
    """A shelf as it was at a snapshot. Its owner only appends, so what lay there then lies there still."""

    def __init__(self, path: Path, length: int) -> None:
        self.path = path
        self._handle = open_to_read(path)
        self._flushed, self._buffer, self._at_hand = length, bytearray(), {}

    def put(self, record: Record) -> NoReturn:
        raise TypeError("this shelf is read-only")

    def cut(self, length: int) -> None:
        raise TypeError("this shelf is read-only")


def last_snapshot(view: RunView) -> Last | None:
    """None if there is no whole one yet. A plug-in that registers kinds of its own must have been loaded."""
    for _ in range(_ATTEMPTS):
        rows = view.rows("SELECT seq, at, file, digest, shelf FROM snapshots ORDER BY seq DESC, n DESC")
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
    """Addresses that went out after this entry of the journal."""
    return {url for (url,) in view.rows("SELECT url FROM visits WHERE seq > ?", seq)}


def host_rows(view: RunView, *names: str) -> list[Mapping[str, Any]]:
    """What is known of these hosts and origins: when they may be asked again, their robots rules."""
    known = []
    for name in names:
        for (data,) in view.rows("SELECT data FROM hosts WHERE host = ?", name):
            with reading(Places.of(view.folder).database, f"what is known of {name}"):
                known.append(json.loads(data))
                if not host_fits(name, known[-1]):
                    raise ValueError("it is of another shape")
    return known


def neighbours(view: RunView, url: str) -> list[str]:
    """The addresses that the run has met and that look most like this one, the nearest first."""
    host = host_of(url)
    met = _of_host(view, host)
    if not met:
        hosts = [name for (name,) in view.rows("SELECT DISTINCT host FROM pages LIMIT ?", MOST_COMPARED)]
        near = difflib.get_close_matches(host, hosts, SHOWN)
        met = [address for name in near for address in _of_host(view, name)][:MOST_COMPARED]
    return difflib.get_close_matches(url, met, SHOWN, cutoff=0.3)


def _of_host(view: RunView, host: str) -> list[str]:
    sql = "SELECT DISTINCT url FROM held WHERE url >= ? AND url < ? LIMIT ?"  # "0" is the character behind "/"
    starts = (f"{scheme}://{host}" for scheme in ("http", "https"))
    return [url for start in starts for (url,) in view.rows(sql, f"{start}/", f"{start}0", MOST_COMPARED)]
