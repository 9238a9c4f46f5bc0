"""The pages that came since the last snapshot, as they were parsed: a resume need not parse them again.

There are two files, written in turns: a snapshot that begins lets the next pages go to the other file, and the pages
before it are needed until it is saved, which it is when the snapshot after it begins. Nothing depends on these files:
what is missing or damaged here, or could not be written, is read from the archive.
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from pathlib import Path

from isal import isal_zlib

from wolfspider.core.errors import Problem
from wolfspider.core.model import Page
from wolfspider.files.disk import open_to_write
from wolfspider.store.damage import UNREADABLE
from wolfspider.store.row_codec import packed_page, unpacked_page

NAMES = ("pages.0", "pages.1")
LARGEST = 64 << 20  # bytes of a file
_HEAD = struct.Struct(">QII")  # number of the page, length, checksum


class ParsedPages:
    def __init__(self, folder: Path) -> None:
        self._files: list[int] = []
        self._places: dict[int, tuple[int, int, int]] = {}  # handle, place and length, by the number of the page
        self._buffer, self._written, self._active = bytearray(), [0, 0], 0
        try:
            for at, name in enumerate(NAMES):
                self._files.append(open_to_write(folder / name))
                before = max(self._places, default=0)
                self._written[at] = self._read(self._files[at])
                self._active = at if max(self._places, default=0) > before else self._active
        except (OSError, Problem):
            self.close()

    def _read(self, handle: int) -> int:
        """Where the whole records of a file end; what lies behind them is cut off."""
        data, place = os.pread(handle, LARGEST, 0), 0
        while place + _HEAD.size <= len(data):
            number, length, checksum = _HEAD.unpack_from(data, place)
            end = place + _HEAD.size + length
            if end > len(data) or isal_zlib.crc32(data[place + _HEAD.size : end], number & 0xFFFFFFFF) != checksum:
                break
            self._places[number] = (handle, place + _HEAD.size, length)
            place = end
        os.ftruncate(handle, place)
        return place

    def get(self, number: int) -> Page | None:
        if (at := self._places.get(number)) is None:
            return None
        handle, place, length = at
        with suppress(OSError, *UNREADABLE):
            return unpacked_page(os.pread(handle, length, place))
        return None

    def keep(self, number: int, page: Page) -> None:
        data = packed_page(page)
        if self._files and self._written[self._active] + len(self._buffer) + _HEAD.size + len(data) <= LARGEST:
            self._buffer += _HEAD.pack(number, len(data), isal_zlib.crc32(data, number & 0xFFFFFFFF))
            self._buffer += data

    def flush(self) -> None:
        """The pages survive the death of the process."""
        if self._buffer:
            try:
                self._written[self._active] += os.pwrite(
                    self._files[self._active], self._buffer, self._written[self._active]
                )
            except OSError:
                self.close()  # whatever it is, others will tell
            self._buffer.clear()

    def turn_over(self) -> None:
        """A snapshot begins, and the one before it is saved."""
        self.flush()
        if self._files:
            self._active = 1 - self._active
            self._written[self._active] = 0
            self._places.clear()
            with suppress(OSError):
                os.ftruncate(self._files[self._active], 0)

    def close(self) -> None:
        self._places.clear()
        while self._files:
            os.close(self._files.pop())
