"""Rows that only grow: lines of JSON in a gzip file, written in pieces that are whole or not there.

Each piece is a gzip member of its own with whole lines in it, so that any tool reads the file, and a process that was
killed leaves at most one unfinished member at the end. That is ignored when the file is read, and cut off before more
is written. Anything else that does not fit is damage, and is said so. What is read is bounded by what is ever written:
a line is at most so long, a piece is full with the line that takes it beyond its size, and none grows to more than a
hundred times what lies on the disk. So one piece, which is held as a whole, is a few megabytes of rows at most.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from wolfspider.core.errors import BadInput, Problem

PIECE = 1 << 18  # characters that are kept back before they are written
PATIENCE = 5.0  # seconds that a row waits at most, if another one comes
LONGEST_LINE = 1 << 20  # 5,000 links and a state of 10,000 numbers take a tenth
MOST_GROWTH = 100  # inflated against stored
_LAST_LINE = 2 * PIECE  # where it begins at the latest: the ends of lines do not count when a piece is filled
_READ = 1 << 18
_INFLATED = 1 << 18  # at once
_encoded = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class Tape:
    """The end of such a file, to write on."""

    def __init__(self, path: Path, end: int) -> None:
        """`end`: how much of the file is whole; what lies behind it is cut off."""
        self.path = path
        try:
            self._file = open(path, "ab", buffering=0)  # noqa: SIM115 - closed by close()
            self._file.truncate(end)
        except OSError as error:
            raise Problem(f"{path} cannot be written: {error.strerror}.") from error
        self._end = end
        self._lines: list[str] = []
        self._waiting = 0
        self._written = time.monotonic()

    def write(self, row: Sequence[Any]) -> None:
        line = _encoded(row)
        if len(line) >= LONGEST_LINE:
            raise Problem(f"{self.path} cannot take a row of {len(line):,} characters; {LONGEST_LINE:,} are the limit.")
        self._lines.append(line)
        self._waiting += len(line)
        if self._waiting >= PIECE or time.monotonic() - self._written > PATIENCE:
            self.flush()

    def flush(self) -> None:
        """Write what waits. A piece that the disk has no room for is taken back as a whole."""
        self._written = time.monotonic()
        if not self._lines:
            return
        piece = _packed(("\n".join(self._lines) + "\n").encode())
        try:
            if self._file.write(piece) != len(piece):
                raise OSError(0, "the disk is full")
        except OSError as error:
            self._file.truncate(self._end)
            raise Problem(f"{self.path} cannot be written: {error.strerror}.") from error
        self._end += len(piece)
        self._lines, self._waiting = [], 0

    def close(self) -> None:
        try:
            if not self._file.closed:
                self.flush()
                os.fsync(self._file.fileno())
        finally:
            self._file.close()


def _packed(text: bytes) -> bytes:
    """One piece. A site can make pages that shrink to nothing; what would look like a bomb is stored as it is."""
    piece = gzip.compress(text, 6, mtime=0)
    return piece if len(text) < MOST_GROWTH * len(piece) // 2 else gzip.compress(text, 0, mtime=0)


class Reel:
    """Such a file, read from its beginning. When `rows` is through, `end` and `digest` are those of what is whole."""

    def __init__(self, path: Path) -> None:
        self.path, self.end, self.digest = path, 0, ""

    def rows(self) -> Iterator[list[Any]]:
        """All rows, many at a time."""
        try:
            with self.path.open("rb") as file:
                yield from self._rows(file)
        except OSError as error:
            raise BadInput(f"{self.path} cannot be read: {error.strerror}.") from error

    def _rows(self, file: IO[bytes]) -> Iterator[list[Any]]:
        digest = hashlib.blake2b(digest_size=16)
        ahead = b""
        while ahead or (ahead := file.read(_READ)):
            member = _Member(file, ahead, self._wrong)
            rows: list[Any] = []
            for text in member.lines():
                try:
                    rows += json.loads(b"[" + text.strip(b"\n").replace(b"\n", b",") + b"]")
                except (ValueError, RecursionError):
                    raise self._wrong("has lines that are no JSON") from None
            if not member.whole:
                break
            self.end += member.size
            digest.update(member.check)
            ahead = member.behind
            yield rows
        self.digest = digest.hexdigest()

    def _wrong(self, what: str) -> BadInput:
        return BadInput(f"{self.path} is damaged: it {what}, behind byte {self.end:,}. Record it anew.")


class _Member:
    """One piece, inflated bit by bit."""

    def __init__(self, file: IO[bytes], ahead: bytes, wrong: Any) -> None:
        self._file, self._ahead, self._wrong = file, ahead, wrong
        self._inflater = zlib.decompressobj(wbits=31)
        self.size = 0  # stored
        self.whole = False
        self.check = b""  # checksum and length that end it
        self.behind = b""  # read already, of the next

    def lines(self) -> Iterator[bytes]:
        """Whole lines, many at a time; nothing more where the piece is torn."""
        rest, given, grown = b"", 0, 0
        for text in self._inflated():
            grown += len(text)
            if grown > MOST_GROWTH * self.size:
                raise self._wrong("grows out of all bounds")
            cut = text.rfind(b"\n") + 1
            whole, rest = (rest + text[:cut], text[cut:]) if cut else (b"", rest + text)
            last = whole.rfind(b"\n", 0, -1) + 1
            if max(len(whole) - last, len(rest)) > LONGEST_LINE:
                raise self._wrong("has a line without an end")
            if given + (last if whole else 0) > _LAST_LINE:
                raise self._wrong("has more rows in one piece than are ever written at once")
            given += len(whole)
            if whole:
                yield whole
        if rest and self.whole:
            raise self._wrong("has a line that is cut")

    def _inflated(self) -> Iterator[bytes]:
        data, tail = self._ahead, b""
        while True:
            try:
                text = self._inflater.decompress(data, _INFLATED)
            except zlib.error:
                if self._only_zeros(data):
                    return
                raise self._wrong("is no gzip") from None
            left = self._inflater.unconsumed_tail or self._inflater.unused_data
            used = data[: len(data) - len(left)]
            self.size += len(used)
            tail = (tail + used)[-8:]
            yield text
            if self._inflater.eof:
                self.whole, self.check, self.behind = True, tail, self._inflater.unused_data
                return
            data = self._inflater.unconsumed_tail or self._file.read(_READ)
            if not data and not text:
                return

    def _only_zeros(self, data: bytes) -> bool:
        """Is the rest of the file zeros? A machine that died may leave them behind the end."""
        while not data.strip(b"\0") and (data := self._file.read(_READ)):
            pass
        return not data
