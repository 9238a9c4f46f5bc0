"""Snapshots as files: a line of JSON that says what follows, then text and named arrays, then a digest of it all.

A file is there whole or not at all. Nothing in it is ever run; a file that was tampered with or damaged is refused, and
the snapshot before it is used.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import sqlite3
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from isal import isal_zlib

from wolfspider.core import codec
from wolfspider.core.errors import BadInput
from wolfspider.files.disk import open_to_read, whole_file
from wolfspider.files.failpoints import reach
from wolfspider.store.damage import begin_anew
from wolfspider.store.database import Turn
from wolfspider.store.folder import Places
from wolfspider.strategies import all_strategies

FORMAT = 2  # since 2, long lists of texts and the documents of the ledger are arrays
_READ = (1, FORMAT)
KEPT = 2
LEARNED = "learned.snapshot"  # lies with the snapshots of a run: what it inherited from another
LARGEST_TEXT = 1 << 31  # characters, inflated
_LONGEST_HEAD = 1 << 20
_NAME = re.compile(r"[0-9]{12,20}-[0-9]{6,20}-[0-9a-f]{8}\.snapshot")
_DIGEST = 32
DROP_OLD = (
    "DELETE FROM snapshots WHERE (seq, n) NOT IN (SELECT seq, n FROM snapshots ORDER BY seq DESC, n DESC LIMIT ?)"
)


class Saved(NamedTuple):
    file: str
    digest: str
    bytes: int


def name_of(seq: int, n: int) -> str:
    """A new name each time: a file that a row names is never replaced."""
    return f"{seq:012d}-{n:06d}-{secrets.token_hex(4)}.snapshot"


def save(folder: Path, name: str, text: str, arrays: Mapping[str, bytes]) -> Saved:
    """Write a snapshot."""
    packed = isal_zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
    lengths = {name: len(data) for name, data in arrays.items()}
    head = json.dumps({"format": FORMAT, "text": len(packed), "arrays": lengths}).encode()
    digest = hashlib.blake2b(digest_size=_DIGEST)
    with whole_file(folder / name, failpoint="snapshot-synced") as file:
        size = 0
        for part in (head + b"\n", packed, *arrays.values()):
            digest.update(part)
            size += file.write(part)
        size += file.write(digest.digest())
        file.flush()
        reach("snapshot-written")
    reach("snapshot-renamed")
    return Saved(name, digest.hexdigest(), size)


def load(path: Path, digest: str) -> tuple[str, dict[str, memoryview]]:
    """The text and the arrays; BadInput if it is not exactly what was saved."""
    try:
        with os.fdopen(open_to_read(path), "rb") as file:
            data = file.read()
        actual = hashlib.blake2b(memoryview(data)[:-_DIGEST], digest_size=_DIGEST)
        if len(data) <= _DIGEST or actual.digest() != data[-_DIGEST:] or actual.hexdigest() != digest:
            raise ValueError("its digest is another")
        return _read(data, len(data) - _DIGEST)
    except OSError as error:
        raise BadInput(f"The snapshot {path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, zlib.error) as error:
        raise BadInput(f"The snapshot {path} is damaged: {error}.") from error


def _read(data: bytes, length: int) -> tuple[str, dict[str, memoryview]]:
    end = data.index(b"\n", 0, _LONGEST_HEAD)
    head: dict[str, Any] = json.loads(data[:end])
    if head["format"] not in _READ:
        raise ValueError(f"its format is {head['format']}, not one of {_READ}")
    start = end + 1 + head["text"]
    inflater = zlib.decompressobj()
    text = inflater.decompress(data[end + 1 : start], LARGEST_TEXT)
    if not inflater.eof:
        raise ValueError("its text has no end")
    arrays, view = {}, memoryview(data)[:length]
    for name, size in head["arrays"].items():
        arrays[name] = view[start : start + size]
        start += size
    if start != length:
        raise ValueError("its parts are not as long as it says")
    return text.decode("utf-8", "surrogatepass"), arrays


def built(text: str, arrays: Mapping[str, bytes | memoryview]) -> Any:
    """What was stored, built again. The strategy of the run need not have been loaded."""
    try:
        return codec.load(text, arrays)
    except codec.UnknownHelper:
        all_strategies()
    return codec.load(text, arrays)


def state_of(folder: Path, file: str, digest: str) -> Any:
    """What was saved, built again; BadInput if that cannot be done, or the name leads elsewhere. It is NotAtHand if the
    snapshot is whole, and has parts of a class that is not loaded."""
    if not _NAME.fullmatch(file):
        raise BadInput(f"{file!r} is no name of a snapshot.")
    try:
        return built(*load(folder / file, digest))
    except codec.UnknownHelper as error:
        raise NotAtHand(
            f"The snapshot {folder / file} is whole and cannot be built: {error}. Import the module that defines it "
            f"before the run is opened. Or: {begin_anew(folder.parent)}"
        ) from error
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise BadInput(f"The snapshot {file} is damaged: {error}.") from error


class NotAtHand(BadInput):
    """A whole snapshot needs a class that is not loaded here."""


class ResumePoint(NamedTuple):
    """The snapshot that a resume starts from; nothing of it if there is none."""

    seq: int = 0  # the last entry of the journal that it knows
    n: int = 0  # how many events of that entry
    shelf: int | None = None  # bytes
    state: Any = None


class Staged:
    """The state of a run after so many events of an entry of its journal, copied, with the length of its shelf: it can
    be written while the crawl goes on."""

    def __init__(self, seq: int, n: int, shelf: int, state: Mapping[str, Any]) -> None:
        self._at, self._shelf = (seq, n), shelf
        self._packed = codec.pack(dict(state))

    def save(self, folder: Path) -> None:
        """From any thread."""
        self._saved = save(folder, name_of(*self._at), *codec.rendered(*self._packed))

    def note(self, turn: Turn) -> None:
        """From here on a resume starts from it."""
        row = (*self._at, *self._saved, self._shelf, time.time())
        turn.write("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        turn.write(DROP_OLD, (KEPT,))


def newest_whole(connection: sqlite3.Connection, places: Places) -> tuple[ResumePoint, list[tuple[int, int]]]:
    """The newest snapshot that is whole, and the newer ones that are not, by entry and events, to be dropped. NotAtHand
    is no damage."""
    start, useless = ResumePoint(), list[tuple[int, int]]()
    sql = "SELECT seq, n, file, digest, shelf FROM snapshots ORDER BY seq DESC, n DESC"
    size = places.shelf.stat().st_size if places.shelf.is_file() else 0
    for seq, n, file, digest, shelf in connection.execute(sql).fetchall():
        try:
            if size < shelf:
                raise BadInput(f"{places.shelf} is shorter than the snapshot {file} says.")
            start = ResumePoint(seq, n, shelf, state_of(places.snapshots, file, digest))
            break
        except NotAtHand:
            raise
        except BadInput:
            useless.append((seq, n))
    return start, useless


def drop(connection: sqlite3.Connection, places: Places, useless: list[tuple[int, int]]) -> None:
    """Drop snapshots, and files that were left behind."""
    connection.executemany("DELETE FROM snapshots WHERE seq = ? AND n = ?", useless)
    tidy(connection, places.snapshots)


def tidy(connection: sqlite3.Connection, folder: Path) -> None:
    """Remove the files that no row names: snapshots that were not finished, or are too old."""
    named = {name for (name,) in connection.execute("SELECT file FROM snapshots")}
    for name in os.listdir(folder):
        path = folder / name
        if name not in named and _NAME.fullmatch(name.removeprefix(".").removesuffix(".part")) and not path.is_dir():
            path.unlink(missing_ok=True)
