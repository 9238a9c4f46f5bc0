"""Reading WARC files that others wrote, and that may lie.

A record is found by walking the file once (`scan`) and read again later by its place (`read`). In a `.warc.gz` every
record is a gzip member of its own, so both start at any member; a plain `.warc` is walked by its Content-Length.
Nothing in the file is trusted: heads, bodies and what inflates are bounded, a member whose checksum is wrong is left
out, and after damage the walk continues at the next place that looks like a record. What was left out is told in
`notes`, a sentence for each damage, so that a person learns why pages are missing.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple

import xxhash

from wolfspider.core.model import Failure
from wolfspider.web.http.inflate import inflated

LARGEST_BODY = 10_000_000  # bytes of a body that are kept, after every decoding
LARGEST_HEAD = 1 << 16  # of a WARC head, and of an HTTP head
_MOST_HEADERS = 256
_LARGEST_RECORD = 1 << 28  # inflated bytes after which a member is a bomb and its end is not waited for
_MOST_NOTES = 20
_MOST_SEARCHES = 10_000  # false starts after damage before the rest of a file is given up
_CHUNK = 1 << 14
_GZIP = b"\x1f\x8b\x08"
_BEGINNINGS = {"gzip": _GZIP, "x-gzip": _GZIP, "zstd": b"\x28\xb5\x2f\xfd"}
_WARC = b"WARC/1."
_BETWEEN = b"\r\n\r\n"  # two records
_SKIPPED_SCHEMES = ("dns:", "whois:", "urn:", "ftp:", "metadata:")


class WarcEntry(NamedTuple):
    """A record worth remembering, and where it lies."""

    url: str
    date: float
    offset: int
    length: int
    status: int
    location: str  # of a redirect, as the server wrote it
    seal: int  # a hash of all its bytes, inflated
    payload: str  # the digest of the body as the writer gave it
    revisit: bool
    refers: tuple[str, float] | None  # address and date of the record whose body a revisit repeats


class Response(NamedTuple):
    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes
    truncated: bool
    undecoded: str  # the content encoding that could not be undone, if any


class _Record(NamedTuple):
    offset: int
    length: int
    head: bytes  # as much of its start as heads may take
    seal: int
    size: int  # inflated bytes


class _Notes:
    """Damage, told in few sentences: a file full of it would otherwise fill the screen."""

    def __init__(self, name: str, sentences: list[str]) -> None:
        self.name, self.sentences, self.count = name, sentences, 0

    def add(self, sentence: str) -> None:
        self.count += 1
        if self.count <= _MOST_NOTES:
            self.sentences.append(f"{self.name}: {sentence}")
        elif self.count == _MOST_NOTES + 1:
            self.sentences.append(f"{self.name}: more damage of this kind is not listed.")


def scan(path: Path, notes: list[str]) -> Iterator[WarcEntry]:
    """Every response and revisit of a file, in its order."""
    told = _Notes(path.name, notes)
    with path.open("rb", buffering=1 << 20) as file:
        mark = _GZIP if file.read(len(_GZIP)) == _GZIP else _WARC
        records = _walk(file, path.stat().st_size, told, mark)
        yield from filter(None, (_entry(record, told) for record in records))


def read(path: Path, offset: int, length: int) -> Response | None:
    """The HTTP response at a place that `scan` gave, decoded; None if it is no longer there."""
    enough = LARGEST_BODY + 2 * LARGEST_HEAD
    with path.open("rb") as file:
        file.seek(offset)
        data = file.read(min(length, enough))
        if data.startswith(_GZIP):
            data = _inflate(data, enough)
    headers, start = _warc_head(data)
    size = _number(headers.get("content-length", ""))
    return None if size is None else _response(data[start : start + size], len(data) >= enough)


def seconds(text: str) -> float | None:
    """A WARC-Date: any precision from the year to the nanosecond, in UTC."""
    text = text.strip()
    padded = text + "0000-01-01"[len(text) :] if 4 <= len(text) < 10 else text
    try:
        moment = datetime.fromisoformat(padded)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _walk(file: BinaryIO, size: int, notes: _Notes, mark: bytes) -> Iterator[_Record]:
    """From record to record; after damage, on to the next place where the mark of a record stands and one follows."""
    record_at = _member if mark == _GZIP else _block
    offset, searches, damaged = 0, 0, False
    while 0 <= offset < size:
        record = record_at(file, offset)
        if record is not None:
            yield record
            offset, damaged = offset + record.length, False
            continue
        following = _next(file, offset + 1, mark)
        if not damaged and following < 0:
            notes.add(f"cut or damaged in the record at byte {offset:,} of {size:,}; what lies before it is used.")
        elif not damaged:
            notes.add(f"the record at byte {offset:,} is damaged and left out.")
        searches += 1
        if searches > _MOST_SEARCHES:
            notes.add("too much damage; the rest of the file is left out.")
            return
        offset, damaged = following, True


def _member(file: BinaryIO, offset: int) -> _Record | None:
    """The gzip member at a place, inflated chunk by chunk and forgotten again but for its head."""
    file.seek(offset)
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    seal = xxhash.xxh3_64()
    head, size, consumed = b"", 0, 0
    while not inflater.eof and size < _LARGEST_RECORD:
        chunk = inflater.unconsumed_tail or file.read(_CHUNK)
        fresh = not inflater.unconsumed_tail
        if not chunk:
            return None
        try:
            data = inflater.decompress(chunk, 1 << 20)
        except zlib.error:
            return None
        consumed += len(chunk) if fresh else 0
        seal.update(data)
        size += len(data)
        if len(head) < 2 * LARGEST_HEAD:
            head += data[: 2 * LARGEST_HEAD]
            if not head.startswith(_WARC[: len(head)]):
                return None
    consumed -= len(inflater.unused_data) + len(inflater.unconsumed_tail)
    return _Record(offset, consumed, head, seal.intdigest(), size)


def _block(file: BinaryIO, offset: int) -> _Record | None:
    """The record at a place of an uncompressed file, if its Content-Length leads to its end."""
    file.seek(offset)
    head = file.read(2 * LARGEST_HEAD)
    headers, start = _warc_head(head)
    content = _number(headers.get("content-length", ""))
    if content is None or not start or offset + start + content > os.fstat(file.fileno()).st_size:
        return None
    size = start + content
    file.seek(offset + size)
    if not (_BETWEEN + _WARC).startswith(file.read(len(_BETWEEN + _WARC))):
        return None
    length = size + len(_BETWEEN)
    return _Record(offset, length, head[:size], _sealed(file, offset, length), size)


def _sealed(file: BinaryIO, offset: int, length: int) -> int:
    file.seek(offset)
    seal = xxhash.xxh3_64()
    while length > 0 and (chunk := file.read(min(length, 1 << 20))):
        seal.update(chunk)
        length -= len(chunk)
    return seal.intdigest()


def _next(file: BinaryIO, offset: int, mark: bytes) -> int:
    """Where a mark stands next, or -1."""
    file.seek(offset)
    kept = b""
    while chunk := file.read(1 << 20):
        window = kept + chunk
        found = window.find(mark)
        if found >= 0:
            return offset - len(kept) + found
        offset += len(chunk)
        kept = window[-len(mark) + 1 :]
    return -1


def _entry(record: _Record, notes: _Notes) -> WarcEntry | None:
    headers, start = _warc_head(record.head)
    if not start:
        notes.add(f"the head of the record at byte {record.offset:,} is too large or broken; left out.")
        return None
    content = _number(headers.get("content-length", ""))
    if content is not None and record.size > start + content + 1024:
        notes.add(f"several records share the gzip member at byte {record.offset:,}; write each as its own member.")
    kind = headers.get("warc-type", "").lower()
    url = headers.get("warc-target-uri", "").strip("<> ")
    if kind not in ("response", "revisit") or not url or url.lower().startswith(_SKIPPED_SCHEMES):
        return None
    date = seconds(headers.get("warc-date", ""))
    status, location = _status(record.head[start:])
    if date is None or (not status and kind == "response"):
        notes.add(f"the record at byte {record.offset:,} has no date or no HTTP answer; left out.")
        return None
    refers_date = seconds(headers.get("warc-refers-to-date", ""))
    refers = None if refers_date is None else (headers.get("warc-refers-to-target-uri", url).strip("<> "), refers_date)
    place = (record.offset, record.length, status, location, record.seal)
    return WarcEntry(url, date, *place, headers.get("warc-payload-digest", ""), kind == "revisit", refers)


def _warc_head(data: bytes) -> tuple[dict[str, str], int]:
    """The named fields of a record, and where its block starts; 0 if the head has no end within bounds."""
    lines, start = _head(data) if data.startswith(_WARC) else ([], 0)
    return _fields(lines[1:]), start


def _head(data: bytes) -> tuple[list[str], int]:
    """The lines before the first empty one, and where the rest starts; 0 if there is no empty one within bounds."""
    window = data[: LARGEST_HEAD + 4]
    ends = [(end, len(mark)) for mark in (b"\r\n\r\n", b"\n\n") if (end := window.find(mark)) >= 0]
    if not ends:
        return [], 0
    end, gap = min(ends)
    return window[:end].decode("utf-8", "replace").splitlines()[: _MOST_HEADERS + 1], end + gap


def _fields(lines: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        if line[:1] in (" ", "\t") and name:  # a folded line goes on with the field before it
            fields[name] += " " + line.strip()
            continue
        name, colon, value = line.partition(":")
        name = name.strip().lower() if colon else ""
        if name:
            fields[name] = f"{fields[name]}, {value.strip()}" if name in fields else value.strip()
    return fields


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _status(block: bytes) -> tuple[int, str]:
    """Status and Location of an HTTP answer; 0 if it is none."""
    lines, _ = _head(block)
    parts = lines[0].split(None, 2) if lines else []
    number = _number(parts[1]) if len(parts) > 1 and parts[0].startswith("HTTP/") else None
    if number is None or not 100 <= number <= 999:
        return 0, ""
    moved = number in (301, 302, 303, 307, 308)
    return number, _fields(lines[1:]).get("location", "")[:8192] if moved else ""


def _response(block: bytes, cut: bool) -> Response | None:
    status, _ = _status(block)
    lines, start = _head(block)
    if not status:
        return None
    headers = _fields(lines[1:])
    body = block[start:]
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = _unchunked(body)
    encoding = headers.get("content-encoding", "")
    last = encoding.rpartition(",")[2].strip().lower()
    # Some writers undo the encoding and keep the header; two encodings tell themselves by how a body begins.
    undone = last in _BEGINNINGS and not body.startswith(_BEGINNINGS[last])
    decoded = inflated(body, "" if undone else encoding, LARGEST_BODY)
    if isinstance(decoded, Failure):
        return Response(status, headers, b"", cut, decoded.detail)
    return Response(status, headers, decoded[0], cut or decoded[1], "")


def _unchunked(body: bytes) -> bytes:
    """The chunks put together; as it is if it is not in chunks, since some writers undo them and keep the header."""
    parts: list[bytes] = []
    place = 0
    while (line_end := body.find(b"\r\n", place, place + 1024)) >= 0:
        try:
            size = int(body[place:line_end].split(b";")[0].strip(), 16)
        except ValueError:
            break
        if size <= 0:
            return b"".join(parts)
        parts.append(body[line_end + 2 : line_end + 2 + size])
        place = line_end + 2 + size + 2
    return b"".join(parts) if parts else body


def _inflate(data: bytes, most: int) -> bytes:
    """As much as inflates before damage, at most so many bytes."""
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    whole = bytearray()
    with suppress(zlib.error):  # a lie in the middle: what came before it is what a browser would show
        while len(whole) < most and not inflater.eof and data:
            whole += inflater.decompress(data, most - len(whole))
            data = inflater.unconsumed_tail
    return bytes(whole)
