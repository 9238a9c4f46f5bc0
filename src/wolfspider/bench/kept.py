"""What a bench keeps on disk, so that what is interrupted goes on and what is known is not computed again.

Results are kept under a digest of everything they depend on: the content of the web, the task, all settings, and the
source they were computed with. Another source is another key, so nothing stale is ever read; a change in one strategy
leaves the results of the others alone, because strategies do not import each other.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import wolfspider
from wolfspider.errors import BadInput

SOURCE = Path(wolfspider.__file__).parent
_CRAWLING = ("bench/cell.py", "bench/metrics.py")  # of the parts that stand below the drivers
_BOUNDING = ("bench/bounds.py", "learn/graph.py", "web", "text.py")
_BELOW = ("bench", "cluster", "dashboard", "store", "cli.py", "checks.py")


def digest_of(value: Any) -> str:
    """Of anything JSON can hold; the order of keys does not matter."""
    text = json.dumps(value, sort_keys=True, default=sorted)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@cache
def source_of_crawls(strategy: str) -> str:
    """A digest of the source that decides how a crawl with this strategy goes."""
    own = f"strategies/{strategy.replace('-', '_')}.py"
    names = [name for name in _source() if _decides(name, own)]
    if own not in names:  # a file with several strategies, or a strategy from elsewhere
        names = [name for name in _source() if _decides(name, name)]
    return _digest(names)


@cache
def source_of_bounds() -> str:
    return _digest([name for name in _source() if name.startswith(_BOUNDING)])


def _decides(name: str, own: str) -> bool:
    if name.startswith("strategies/"):
        return name in (own, "strategies/__init__.py")
    return name in _CRAWLING or name.split("/")[0] not in _BELOW


def _source() -> Iterator[str]:
    return (path.relative_to(SOURCE).as_posix() for path in sorted(SOURCE.rglob("*.py")))


def _digest(names: list[str]) -> str:
    whole = hashlib.blake2b(digest_size=16)
    for name in names:
        content = (SOURCE / name).read_bytes()
        whole.update(f"{name} {len(content)}\n".encode() + content)
    return whole.hexdigest()


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
    """Beside it first, then in its place: a reader sees the old file or the new one, never half of one. What is no file
    but a way out (/dev/null, a pipe) is written to as it is."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        try:
            beside.write_text(text, encoding="utf-8")
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise BadInput(f"Cannot write {path}: {error.strerror}. Choose another place for the results.") from error
