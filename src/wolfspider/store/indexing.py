"""The archive of a run as other tools find their way in it: a CDXJ index beside each WARC file.

An index is made when a session ends, of the files that were written to since theirs was made.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wolfspider.store import cdxj
from wolfspider.store.archive import entries, name_of, numbers


def index(folder: Path) -> int:
    """Bring the indexes of an archive up to date; returns how many were made."""
    stale = [number for number in numbers(folder) if _is_stale(folder / name_of(number))]
    for number in stale:
        cdxj.write(index_of(folder / name_of(number)), _rows(folder, number))
    return len(stale)


def index_of(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".warc.gz") + ".cdxj")


def _is_stale(path: Path) -> bool:
    made = index_of(path)
    return not made.exists() or made.stat().st_mtime_ns < path.stat().st_mtime_ns


def _rows(folder: Path, number: int) -> Iterator[cdxj.IndexLine]:
    for capture, digest, place in entries(folder, number):
        kind = next((value for name, value in capture.headers if name.lower() == "content-type"), "unk")
        mime = kind.partition(";")[0].strip().lower() or "unk"
        name = name_of(number)
        yield cdxj.IndexLine(capture.url, capture.at, mime, capture.status, digest, place.length, place.offset, name)
