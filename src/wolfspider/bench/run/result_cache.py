"""Results on disk, so that an interrupted bench resumes and nothing is computed twice.

A result lies under a digest of everything it depends on: the content of the web, the task, all settings, and the source
it was computed with. Another source is another key, so that nothing stale is ever read; a change in one strategy leaves
the results of the others alone (`source.py`).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wolfspider.core.errors import BadInput, Problem
from wolfspider.files.disk import replacing


def digest_of(value: Any) -> str:
    """Of anything JSON can hold; the order of keys does not matter."""
    text = json.dumps(value, sort_keys=True, default=sorted)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class ResultCache:
    """JSON by key in a folder, written whole or not at all. Without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    @classmethod
    def beside(cls, out: Path | None) -> ResultCache:
        """In `OUT.cells`, where OUT is a file or will be one."""
        if out is None or (out.exists() and not out.is_file()):
            return cls(None)
        return cls(out.with_name(out.name + ".cells"))

    def prepare(self) -> None:
        """Make the folder: a failure is better reported now than after the first result."""
        if self.folder is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise BadInput(f"Cannot write to {self.folder}: {error.strerror}. Choose another place.") from error

    def get(self, key: str) -> dict[str, Any] | None:
        """The result; None also if its file cannot be read: it is then computed again."""
        if self.folder is None:
            return None
        try:
            value = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return value if isinstance(value, dict) else None

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        if self.folder is not None:
            write_whole(self.folder / f"{key}.json", json.dumps(value))


def write_whole(path: Path, content: str | bytes) -> None:
    """A reader sees the old file or the new one, never half of one. A path
    that is no regular file (/dev/null, a pipe) is written to as it is."""
    data = content if isinstance(content, bytes) else content.encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        with replacing(path) as aside:
            aside.write_bytes(data)
    except OSError as error:
        raise BadInput(f"Cannot write {path}: {error.strerror}. Choose another place for the results.") from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Of several processes one makes the file or folder at this path; the others wait, and find it made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_name(f"{path.name}.lock").open("w")
    except OSError as error:
        raise Problem(f"{path.parent} cannot be written: {error.strerror}.") from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
