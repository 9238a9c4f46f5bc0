"""Reading the archive of a run: any process may do so at any time, as far as the owner has committed."""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from isal import isal_zlib

from wolfspider.core.model import Capture
from wolfspider.files.disk import open_to_read
from wolfspider.store.damage import Damaged, remedy
from wolfspider.web.warc.reader import seconds
from wolfspider.web.warc.writer import digest_of

LARGEST_RECORD = 1 << 27  # inflated; a larger one was not written here
_SUFFIX = ".warc.gz"
_CHUNK = 1 << 18  # bytes that are read at once
_PIECE = 1 << 13  # bytes that are inflated at once: most records are no longer, and what is behind one is copied
_MAGIC = b"\x1f\x8b\x08"  # a gzip member begins with it
_MOST_TRIES = 1_000  # places in a file where a record seems to begin and is none
_TORN = "it is torn or damaged."


class RecordPlace(NamedTuple):
    """Where a record lies."""

    file: int
    offset: int
    length: int


class Health(NamedTuple):
    records: int
    bytes: int
    damage: tuple[str, ...]  # a sentence for each


def name_of(number: int) -> str:
    return f"{number:05d}{_SUFFIX}"


def numbers(folder: Path) -> list[int]:
    """The numbers of the files that are there, in order."""
    if not folder.is_dir():
        return []
    names = (name.removesuffix(_SUFFIX) for name in os.listdir(folder) if name.endswith(_SUFFIX))
    return sorted(int(name) for name in names if name.isascii() and name.isdigit() and len(name) >= 5)


def read(folder: Path, place: RecordPlace) -> Capture:
    """The answer at a place, as it came. From any process and thread: nothing is kept open."""
    _, record = record_at(folder, place)
    try:
        return capture_of(record)
    except ValueError as error:
        raise _damaged(folder, place, error) from error


def record_at(folder: Path, place: RecordPlace) -> tuple[bytes, bytes]:
    """A whole record, as it lies there and inflated."""
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        with os.fdopen(open_to_read(folder / name_of(place.file)), "rb") as file:
            data = os.pread(file.fileno(), min(place.length, LARGEST_RECORD), place.offset)
        record = inflater.decompress(data, LARGEST_RECORD)
    except (zlib.error, ValueError, OSError) as error:
        raise _damaged(folder, place, error) from error
    if not inflater.eof or inflater.unused_data or len(data) != place.length:
        raise _damaged(folder, place, "not one whole gzip member")
    return data, record


def _damaged(folder: Path, place: RecordPlace, why: object) -> Damaged:
    where = f"{folder / name_of(place.file)} at byte {place.offset:,}"
    return Damaged(f"The archive is damaged: {where} is no whole record ({why}). {remedy(folder.parent)}")


class Stretch(NamedTuple):
    """Bytes of a file that are no whole record."""

    start: int
    end: int
    why: str  # a sentence


def check(folder: Path) -> Health:
    """Walk every record of every file and compare bodies with their digests. Slow: for tests and doubts."""
    records, total, damage = 0, 0, list[str]()
    for number in numbers(folder):
        path = folder / name_of(number)
        for found in whole_records(path):
            if isinstance(found, Stretch):
                damage.append(f"{path.name} at byte {found.start:,} to {found.end:,}: {found.why}")
            else:
                records += 1
        total += path.lstat().st_size
    return Health(records, total, tuple(damage))


def whole_records(path: Path) -> Iterator[tuple[int, int, bytes] | Stretch]:
    """Offset, length and content of every whole record of a file, and the stretches between them. Behind damage the
    next record is looked for; a file that only looks as if there were any is given up."""
    start = place = 0  # of what is no whole record
    tries = _MOST_TRIES
    with os.fdopen(open_to_read(path), "rb") as file:
        handle, size = file.fileno(), os.fstat(file.fileno()).st_size
        ahead = _ReadAhead(handle)
        while place < size:
            member = _member(ahead, place) if tries > 0 and _looks_like_one(handle, place) else None
            if member is None:
                tries -= _looks_like_one(handle, place)
                place = _next_magic(handle, place + 1, size) if tries > 0 else size
                continue
            if start < place:
                yield Stretch(start, place, _TORN)
            start = place + member[0]
            wrong = next(_wrong(member[1]), "")
            yield Stretch(place, start, wrong) if wrong else (place, *member)
            place = start
    if start < size:
        yield Stretch(start, size, _TORN)


def _looks_like_one(handle: int, offset: int) -> bool:
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(os.pread(handle, 1024, offset), 8) == b"WARC/1.1"
    except zlib.error:
        return False


def record_may_begin(folder: Path, number: int, offset: int) -> bool:
    """May a record begin here that was being written when the process or the machine died? Or does the file end here?
    A dead machine may leave zeros where it was writing."""
    path = folder / name_of(number)
    if not os.path.lexists(path):
        return True
    with os.fdopen(open_to_read(path), "rb") as file:
        head = os.pread(file.fileno(), len(_MAGIC), offset)
    return _MAGIC.startswith(head) or not any(head)


def _next_magic(handle: int, offset: int, size: int) -> int:
    """Where the next gzip member may begin."""
    while offset < size:
        chunk = os.pread(handle, _CHUNK, offset)
        found = chunk.find(_MAGIC)
        if found >= 0:
            return offset + found
        offset += max(1, len(chunk) - len(_MAGIC) + 1)
    return size


class IndexEntry(NamedTuple):
    """An answer in the archive, as an index names it."""

    capture: Capture
    digest: str
    place: RecordPlace


def entries(folder: Path, number: int, end: float = math.inf) -> Iterator[IndexEntry]:
    """Every answer in one file, in order; of those that begin before `end`."""
    for offset, length, record in members(folder / name_of(number), end=end):
        place = RecordPlace(number, offset, length)
        try:
            fields, block = _fields(record)
            capture = _capture(fields, block) if fields["warc-type"] == "response" else None
        except ValueError as error:
            raise _damaged(folder, place, error) from error
        if capture is not None:
            yield IndexEntry(capture, fields.get("warc-payload-digest", "-"), place)


def _wrong(record: bytes) -> Iterator[str]:
    try:
        fields, block = _fields(record)
        if fields.get("content-length") != str(len(block) - 4) or not block.endswith(b"\r\n\r\n"):
            yield "its Content-Length is wrong."
        elif fields.get("warc-block-digest", (digest := digest_of(block[:-4]))) != digest:  # older ones have none
            yield "its content does not fit its digest."
        elif fields.get("warc-type") == "response" and fields.get("warc-payload-digest") != digest_of(
            capture_of(record).body
        ):
            yield "its body does not fit its digest."
    except ValueError as error:
        yield f"it is no record ({error})."


def capture_of(record: bytes) -> Capture:
    return _capture(*_fields(record))


def _capture(fields: Mapping[str, str], block: bytes) -> Capture:
    if fields.get("warc-type") not in ("response", "revisit"):
        raise ValueError("no answer")
    head, gap, body = block[: int(fields["content-length"])].partition(b"\r\n\r\n")
    first, *lines = head.decode("utf-8", "surrogateescape").split("\r\n")
    version, status = first.split(" ", 2)[:2]
    date = seconds(fields.get("warc-date", ""))
    url, address = fields.get("warc-target-uri"), fields.get("warc-ip-address", "")
    if not gap or version != "HTTP/1.1" or date is None or url is None:
        raise ValueError("no answer")
    return Capture(url, date, int(status), tuple(map(_pair, lines)), body, address, fields.get("warc-truncated", ""))


def named_fields(record: bytes) -> dict[str, str]:
    """The named fields of a record, in lower case; empty if it is none."""
    try:
        return _fields(record)[0]
    except ValueError:
        return {}


def _fields(record: bytes) -> tuple[dict[str, str], bytes]:
    """The named fields of a record and its block, with the two line breaks behind it."""
    head, _, block = record.partition(b"\r\n\r\n")
    first, *lines = head.decode("utf-8", "surrogateescape").split("\r\n")
    if first != "WARC/1.1":
        raise ValueError("no WARC record")
    fields = {name.lower(): value for name, value in map(_pair, lines)}
    if not {"content-length", "warc-type"} <= fields.keys():
        raise ValueError("a field is missing")
    return fields, block


def _pair(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name, value.removeprefix(" ")


class _ReadAhead:
    """A file that is read from front to back, much of it at once."""

    def __init__(self, handle: int) -> None:
        self._handle, self._from, self._data = handle, 0, b""

    def piece(self, place: int) -> bytes:
        """Some of what lies behind this place; nothing at the end."""
        skipped = place - self._from
        if not 0 <= skipped < len(self._data):
            self._from, self._data, skipped = place, os.pread(self._handle, _CHUNK, place), 0
        return self._data[skipped : skipped + _PIECE]


def members(path: Path, offset: int = 0, end: float = math.inf) -> Iterator[tuple[int, int, bytes]]:
    """Offset, length and content of each whole gzip member that begins before `end`, up to the first that is not
    whole."""
    with os.fdopen(open_to_read(path), "rb") as file:
        ahead = _ReadAhead(file.fileno())
        while offset < end and (member := _member(ahead, offset)) is not None:
            yield offset, *member
            offset += member[0]


def _member(ahead: _ReadAhead, offset: int) -> tuple[int, bytes] | None:
    inflater = isal_zlib.decompressobj(zlib.MAX_WBITS | 16)
    content, place = bytearray(), offset
    while not inflater.eof:
        piece = inflater.unconsumed_tail or ahead.piece(place)
        place += 0 if inflater.unconsumed_tail else len(piece)
        try:
            content += inflater.decompress(piece, 1 << 20)
        except Exception:  # whatever igzip finds wrong, no whole record is here
            return None
        if not piece or len(content) > LARGEST_RECORD:
            return None
    return place - len(inflater.unused_data) - offset, bytes(content)
