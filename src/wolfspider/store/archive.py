"""The archive of a run: every answer as it came, in files 00000.warc.gz, 00001.warc.gz and so on.

The owner of the archive appends; the position behind the last record (`end`) is committed elsewhere, with the rows that
refer to it. A record is one gzip member. An answer and the request it came for are one write, so a kill can tear only
the last ones, and nothing behind the committed end was ever promised to anybody: after a crash `recovery.py` cuts it
off.

Names of files are numbers, never made from what strangers send, and links are not followed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Capture
from wolfspider.files.disk import extend, open_to_write, sync_folder
from wolfspider.files.failpoints import reach
from wolfspider.store.archive_reader import LARGEST_RECORD, RecordPlace, name_of, numbers, read
from wolfspider.store.cdxj import KnownLines
from wolfspider.web.warc import writer

LARGEST_FILE = 1_000_000_000  # bytes after which the next file begins


class ArchiveEnd(NamedTuple):
    """Where the next record will lie."""

    file: int
    offset: int


class Archive:
    """Appends to the files of a folder, from `start` on (a fresh folder if it is None). One owner, one thread; only
    `sync` may be called from another."""

    def __init__(
        self,
        folder: Path,
        *,
        info: Mapping[str, str],
        largest: int | None = None,
        start: ArchiveEnd | None = None,
    ) -> None:
        self.folder, self.info, self.largest = folder, dict(info), largest or LARGEST_FILE
        folder.mkdir(mode=0o700, exist_ok=True)
        self._file, self._offset = start or ArchiveEnd(0, 0)
        self.lines = KnownLines(self._file, self._offset)  # of its indexes
        self._lock = threading.Lock()  # `sync` must not meet a file that is just being closed
        self._fresh = True  # has a file a name that the disk may not have yet?
        self.synced = ArchiveEnd(0, 0)  # what lies before it survives the death of the machine
        self._handle = open_to_write(folder / name_of(self._file))
        if os.fstat(self._handle).st_size != self._offset or max(numbers(folder), default=0) > self._file:
            self.close()
            raise BadInput(f"The archive {folder} does not end where it should: recover it before writing to it.")

    def append(self, capture: Capture) -> RecordPlace:
        """Write an answer. If the disk is full, DiskFull is raised, and all is as it was before."""
        if len(capture.body) > LARGEST_RECORD // 2:
            raise ValueError("a body larger than the archive reads back")
        digest = writer.digest_of(capture.body)
        answer, request = writer.exchange(capture, digest=digest)
        place = self._extend(answer, capture.at, request)
        self.lines.add(capture, digest, place)
        return place

    def revisit(self, capture: Capture, held_url: str, held_at: float) -> RecordPlace:
        """Write a 304, with the copy that still holds."""
        answer, request = writer.exchange(capture, writer.HeldCopy(held_url, held_at))
        return self._extend(answer, capture.at, request)

    def add(self, member: bytes, at: float, behind: bytes = b"") -> RecordPlace:
        """A record that web/warc/writer.py packed elsewhere, and one behind it that belongs to it."""
        place = self._extend(member, at, behind)
        self.lines.lose(place.file)
        return place

    def _extend(self, member: bytes, at: float, behind: bytes) -> RecordPlace:
        """A record, and one behind it, in one write; where the first one lies."""
        if self._offset >= self.largest:
            self._rotate()
        before = writer.info(at, self.info, name_of(self._file)) if self._offset == 0 else b""
        data = before + member + behind
        reach("archive-before-write")
        reach("archive-torn", lambda: os.pwrite(self._handle, data[: len(data) // 2], self._offset))
        extend(self.folder, self._handle, data, self._offset)
        reach("archive-written")
        place = RecordPlace(self._file, self._offset + len(before), len(member))
        self._offset += len(data)
        return place

    def end(self) -> ArchiveEnd:
        return ArchiveEnd(self._file, self._offset)

    def read(self, place: RecordPlace) -> Capture:
        return read(self.folder, place)

    def sync(self) -> None:
        """Let all that was appended survive the death of the machine."""
        reach("archive-before-sync")
        with self._lock:
            handle, fresh, self._fresh, end = os.dup(self._handle), self._fresh, False, self.end()
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        if fresh:
            sync_folder(self.folder)
        self.synced = max(self.synced, end)
        reach("archive-synced")

    def close(self) -> None:
        os.close(self._handle)

    def _rotate(self) -> None:
        reach("archive-before-rotation")
        os.fsync(self._handle)
        following = open_to_write(self.folder / name_of(self._file + 1))
        with self._lock:
            os.close(self._handle)
            self._handle, self._fresh = following, True
        self._file, self._offset = self._file + 1, 0
        self.lines.begin(self._file)
        reach("archive-rotated")
