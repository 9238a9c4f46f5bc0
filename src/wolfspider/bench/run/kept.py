"""What a bench keeps on disk, so that what is interrupted goes on and what is known is not computed again.

Results are kept under a digest of everything they depend on: the content of the web, the task, all settings, and the
source they were computed with. Another source is another key, so nothing stale is ever read; a change in one strategy
leaves the results of the others alone (`source.py`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wolfspider.core.errors import BadInput
from wolfspider.files.disk import replacing


def digest_of(value: Any) -> str:
    """Of anything JSON can hold; the order of keys does not matter."""
    text = json.dumps(value, sort_keys=True, default=sorted)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Kept:
    """JSON by key in a folder, written whole or not at all. Without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    @classmethod
    def beside(cls, out: Path | None) -> Kept:
        """In `OUT.cells`, where OUT is a file or will be one."""
        if out is None or (out.exists() and not out.is_file()):
            return cls(None)
        return cls(out.with_name(out.name + ".cells"))

    def prepare(self) -> None:
        """Make the folder; better told now than after the first result."""
        if self.folder is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise BadInput(f"Cannot write to {self.folder}: {error.strerror}. Choose another place.") from error

    def get(self, key: str) -> dict[str, Any] | None:
        """What was kept; None also for what cannot be read, which is then computed again."""
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


def write_whole(path: Path, text: str) -> None:
    """A reader sees the old file or the new one, never half of one. What is no file (/dev/null, a pipe) is written to
    as it is."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        with replacing(path) as aside:
            aside.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"Cannot write {path}: {error.strerror}. Choose another place for the results.") from error
