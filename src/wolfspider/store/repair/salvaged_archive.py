"""The whole records of a damaged archive, copied into whole files, and where each of them lies then."""

from __future__ import annotations

import os
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Fetch
from wolfspider.files.disk import open_to_write
from wolfspider.store.archive import ArchiveEnd
from wolfspider.store.archive_reader import RecordPlace, Stretch, name_of, numbers, read, whole_records
from wolfspider.store.damage import UNREADABLE
from wolfspider.store.page_reader import body_at, has_body
from wolfspider.web.warc import writer


class _Moved(NamedTuple):
    """The records of a file that was written anew."""

    starts: list[int]  # where they lay
    ends: list[int]
    now: list[int]  # where they lie
    size: int  # of the new file


class Salvaged:
    """An archive after its repair: files that are whole stay where they are, the others are written anew in `fresh`."""

    def __init__(
        self,
        archive: Path,
        fresh: Path,
        info: Mapping[str, str],
        drop: Callable[[RecordPlace, bytes], bool] = lambda place, record: False,
    ) -> None:
        """`drop`: is this a record to leave out?"""
        self._archive, self._fresh, self._drop = archive, fresh, drop
        self._moved: dict[int, _Moved] = {}
        self._lengths: dict[int, list[RecordPlace]] | None = None
        self.torn = 0  # bytes that are no whole record
        self.dropped = self.bytes_dropped = 0  # records that were left out
        fresh.mkdir(mode=0o700)
        for number in range(max(numbers(archive), default=0) + 1):
            if not self._stays(number):
                self._moved[number] = self._copy(number, writer.info(time.time(), dict(info), name_of(number)))

    @property
    def rewritten(self) -> list[int]:
        return list(self._moved)

    @property
    def end(self) -> ArchiveEnd:
        last = max((*self._moved, *numbers(self._archive)), default=0)
        return ArchiveEnd(last, (self.folder_of(last) / name_of(last)).stat().st_size)

    def folder_of(self, number: int) -> Path:
        return self._fresh if number in self._moved else self._archive

    def place(self, place: RecordPlace) -> RecordPlace | None:
        """Where a record lies now; None if it is lost."""
        moved = self._moved.get(place.file)
        if moved is None:
            return place if place.file <= self.end.file else None
        at = bisect_right(moved.starts, place.offset) - 1
        if at < 0 or moved.starts[at] != place.offset or moved.ends[at] - moved.starts[at] != place.length:
            return None
        return place._replace(offset=moved.now[at])

    def alike(self, length: int) -> list[RecordPlace]:
        """Every record of this length, wherever it lies now: bytes that were put in or taken out shift all behind."""
        if self._lengths is None:
            self._lengths = {}
            for place, _ in self.records():
                self._lengths.setdefault(place.length, []).append(place)
        return self._lengths.get(length, [])

    def end_of(self, file: int, end: int) -> int:
        """Where the archive ended then, counted in what is left of it."""
        moved = self._moved.get(file)
        if moved is None:
            return end
        at = bisect_right(moved.ends, end) - 1
        return moved.now[at] + moved.ends[at] - moved.starts[at] if at >= 0 else 0

    def records(self) -> Iterator[tuple[RecordPlace, bytes]]:
        """Every record as it lies now."""
        for number in range(self.end.file + 1):
            for found in whole_records(self.folder_of(number) / name_of(number)):
                if not isinstance(found, Stretch):
                    offset, length, record = found
                    yield RecordPlace(number, offset, length), record

    def _stays(self, number: int) -> bool:
        """Is a file whole, with nothing in it to leave out?"""
        path = self._archive / name_of(number)
        try:
            return path.stat().st_size > 0 and not any(
                isinstance(one, Stretch) or self._leaves_out(number, one) for one in whole_records(path)
            )
        except (BadInput, OSError):
            return False

    def _leaves_out(self, number: int, found: tuple[int, int, bytes]) -> bool:
        offset, length, record = found
        return self._drop(RecordPlace(number, offset, length), record)

    def _copy(self, number: int, head: bytes) -> _Moved:
        """The whole records of a file; if there is none, a head alone."""
        path, moved = self._archive / name_of(number), _Moved([], [], [], 0)
        with os.fdopen(open_to_write(self._fresh / name_of(number)), "wb") as to:
            if path.is_file():
                with path.open("rb") as source:
                    for found in whole_records(path):
                        if isinstance(found, Stretch):
                            self.torn += found.end - found.start
                            continue
                        offset, length, _ = found
                        if self._leaves_out(number, found):
                            self.dropped += 1
                            self.bytes_dropped += length
                            continue
                        moved.starts.append(offset)
                        moved.ends.append(offset + length)
                        moved.now.append(to.tell())
                        to.write(os.pread(source.fileno(), length, offset))
            if not to.tell():
                to.write(head)
            to.flush()
            os.fsync(to.fileno())
            return moved._replace(size=to.tell())


def place_of_page(archive: Salvaged, place: RecordPlace, url: str, size: int, digest: str) -> RecordPlace | None:
    return _place_now(archive, place, url, lambda folder, at: has_body(folder, at, size, digest))


def place_of_like(archive: Salvaged, place: RecordPlace, fetch: Fetch, size: int) -> RecordPlace | None:
    def is_it(folder: Path, at: RecordPlace) -> bool:
        try:
            return len(body_at(folder, at, size)) == size and read(folder, at).url == fetch.final_url
        except (BadInput, *UNREADABLE):
            return False

    return _place_now(archive, place, fetch.final_url, is_it)


def _place_now(
    archive: Salvaged, place: RecordPlace, url: str, is_it: Callable[[Path, RecordPlace], bool]
) -> RecordPlace | None:
    """Where the record of an answer lies now; None if there is none any more."""
    now = archive.place(place)
    if now is not None and is_it(archive.folder_of(now.file), now):
        return now
    for other in archive.alike(place.length):
        folder = archive.folder_of(other.file)
        if is_it(folder, other) and read(folder, other).url == url:
            return other
    return None
