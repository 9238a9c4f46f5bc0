"""Snapshots as files: a line of JSON that says what follows, then text and named arrays, then a digest of it all.

A file is written under another name, told to the disk, and renamed: it is there whole or not at all. Nothing in it is
ever run; a file that was tampered with or damaged is refused with a sentence, and the snapshot before it is used.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.core.errors import BadInput
from wolfspider.files.failpoints import reach
from wolfspider.store.archive import sync_folder, write_at

FORMAT = 1
LARGEST_TEXT = 1 << 31  # characters, inflated
_LONGEST_HEAD = 1 << 20
_NAME = re.compile(r"[0-9]{12,20}-[0-9]{6,20}-[0-9a-f]{8}\.snapshot")
_DIGEST = 32


class Saved(NamedTuple):
    file: str
    digest: str
    bytes: int


def name_of(seq: int, n: int) -> str:
    """A new one each time: a file that a row names is never replaced."""
    return f"{seq:012d}-{n:06d}-{secrets.token_hex(4)}.snapshot"


def save(folder: Path, name: str, text: str, arrays: Mapping[str, bytes]) -> Saved:
    """Write it so that it is there whole or not at all."""
    parts = _parts(text, arrays)
    digest = hashlib.blake2b(digest_size=_DIGEST)
    temporary = folder / f"{name}.part"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        size = 0
        for part in parts:
            digest.update(part)
            write_at(handle, part, size)
            size += len(part)
        write_at(handle, digest.digest(), size)
        reach("snapshot-written")
        os.fsync(handle)
    finally:
        os.close(handle)
    reach("snapshot-synced")
    os.replace(temporary, folder / name)
    sync_folder(folder)
    reach("snapshot-renamed")
    return Saved(name, digest.hexdigest(), size + _DIGEST)


def _parts(text: str, arrays: Mapping[str, bytes]) -> list[bytes]:
    packed = zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
    lengths = {name: len(data) for name, data in arrays.items()}
    head = json.dumps({"format": FORMAT, "text": len(packed), "arrays": lengths}).encode()
    return [head + b"\n", packed, *arrays.values()]


def load(path: Path, digest: str) -> tuple[str, dict[str, bytes]]:
    """The text and the arrays; BadInput if it is not exactly what was saved."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            data = file.read()
        _compare(data, digest)
        return _read(data[:-_DIGEST])
    except OSError as error:
        raise BadInput(f"The snapshot {path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, zlib.error) as error:
        raise BadInput(f"The snapshot {path} is damaged: {error}.") from error


def _compare(data: bytes, digest: str) -> None:
    found = hashlib.blake2b(memoryview(data)[:-_DIGEST], digest_size=_DIGEST)
    if len(data) <= _DIGEST or found.digest() != data[-_DIGEST:] or found.hexdigest() != digest:
        raise ValueError("it does not fit its digest")


def _read(data: bytes) -> tuple[str, dict[str, bytes]]:
    end = data.index(b"\n", 0, _LONGEST_HEAD)
    head: dict[str, Any] = json.loads(data[:end])
    if head["format"] != FORMAT:
        raise ValueError(f"its format is {head['format']}, not {FORMAT}")
    start = end + 1
    inflater = zlib.decompressobj()
    text = inflater.decompress(data[start : start + head["text"]], LARGEST_TEXT)
    if not inflater.eof:
        raise ValueError("its text has no end")
    start += head["text"]
    arrays = {}
    for name, length in head["arrays"].items():
        arrays[name] = data[start : start + length]
        start += length
    if start != len(data):
        raise ValueError("its parts are not as long as it says")
    return text.decode("utf-8", "surrogatepass"), arrays


def tidy(folder: Path, kept: set[str]) -> None:
    """Remove what no row names: snapshots that were not finished, or are too old."""
    for name in os.listdir(folder):
        path = folder / name
        if name not in kept and _NAME.fullmatch(name.removesuffix(".part")) and not path.is_dir():
            path.unlink(missing_ok=True)


def is_name(name: str) -> bool:
    """Is this the name of a snapshot, and nothing that leads elsewhere?"""
    return _NAME.fullmatch(name) is not None
