"""An index of an archive for other tools: CDXJ, sorted lines of key, time and a JSON object.

    com,example)/page 20270115080000 {"url": "http://example.com/page", "mime": "text/html", "status": "200", ...}

The key is the address turned around (SURT), so that the pages of a host, and of all its subdomains, lie together; it is
in lower case and without `www.` and a slash at the end, because that is how readers look addresses up. Lines are sorted
as bytes. At most fifty thousand are sorted at a time and lie in temporary files until they are merged, so that memory
does not grow with the archive. The file appears only when it is complete.
"""

from __future__ import annotations

import heapq
import json
import math
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, NamedTuple

from wolfspider.core.model import Capture
from wolfspider.files.disk import whole_file
from wolfspider.files.failpoints import reach
from wolfspider.store.archive_reader import RecordPlace, entries, name_of, numbers

_AT_A_TIME = 50_000  # lines that are sorted in memory
_MOST_BYTES = 100_000_000  # of them: an address may have thousands
_KNOWN = 30_000_000  # bytes of memory for lines that need not be read again: about as many
_BESIDE = 500  # bytes that such a line takes beside its address and type
_LONGEST_TYPE = 255  # characters: no media type has more (RFC 6838)
_NO_BREAKS = str.maketrans("\r\n\0", "   ")  # as in the archive
_WWW = re.compile(r"^www\d*\.")
_NO_BLANKS = str.maketrans({" ": "%20", "\t": "%09", "\r": "%0d", "\n": "%0a"})
_DEFAULT_PORTS = {"http": "80", "https": "443"}


class IndexLine(NamedTuple):
    """One record of the archive."""

    url: str
    at: float
    mime: str
    status: int
    digest: str
    length: int
    offset: int
    filename: str


def surt(url: str) -> str:
    """The sort key of a canonical address: host reversed, then path and query."""
    scheme, found, rest = url.lower().partition("://")
    if not found:
        return scheme.translate(_NO_BLANKS)  # a Source's address, `leap:...`
    authority, slash, path = rest.partition("/")
    host, colon, port = authority.rpartition(":")
    if not colon or not port.isdecimal():  # no port, or the end of an IPv6 address
        host, port = authority, ""
    if not host.startswith("["):
        host = ",".join(reversed(_WWW.sub("", host).split(".")))
    if port and port != _DEFAULT_PORTS.get(scheme):
        host += f":{port}"
    path, mark, query = path.partition("?")
    return f"{host}){slash or '/'}{path.rstrip('/')}{mark if query else ''}{query}".translate(_NO_BLANKS)


def line(row: IndexLine) -> bytes:
    told = {
        "url": row.url,
        "mime": row.mime,
        "status": str(row.status),
        "digest": row.digest,
        "length": str(row.length),
        "offset": str(row.offset),
        "filename": row.filename,
    }
    time = datetime.fromtimestamp(row.at, UTC).strftime("%Y%m%d%H%M%S")
    return f"{surt(row.url)} {time} {json.dumps(told)}\n".encode("utf-8", "replace")


def write(path: Path, rows: Iterable[IndexLine], at_a_time: int = _AT_A_TIME) -> int:
    """Write a whole index, in place of an older one; returns how many lines it has."""
    with ExitStack() as open_files:
        lines = SortedLines(path.parent, open_files, at_a_time)
        for row in rows:
            lines.add(line(row))
        return write_lines(path, lines.merged())


def write_lines(path: Path, lines: Iterable[bytes], ending: str = ".part", mode: int = 0o600) -> int:
    """The same with lines that are sorted already."""
    count = 0
    with whole_file(path, mode, failpoint="index-before-rename", ending=ending) as file:
        for count, text in enumerate(lines, 1):  # noqa: B007
            file.write(text)
    reach("index-renamed")
    return count


class SortedLines:
    """Lines sorted piece by piece; all but the last piece wait in files that have no name, in `folder`, until they are
    merged and `open_files` is closed."""

    def __init__(self, folder: Path | None, open_files: ExitStack, at_a_time: int = _AT_A_TIME) -> None:
        self._folder, self._open_files, self._at_a_time = folder, open_files, at_a_time
        self._pieces: list[Iterable[bytes]] = []
        self._lines: list[bytes] = []
        self._bytes = 0

    def add(self, text: bytes) -> None:
        if len(self._lines) >= self._at_a_time or self._bytes > _MOST_BYTES:
            piece: IO[bytes] = self._open_files.enter_context(tempfile.TemporaryFile(dir=self._folder))  # noqa: SIM115
            piece.writelines(sorted(self._lines))
            piece.seek(0)
            self._pieces.append(piece)
            self._lines.clear()
            self._bytes = 0
        self._lines.append(text)
        self._bytes += len(text)

    def merged(self) -> Iterator[bytes]:
        return heapq.merge(*self._pieces, sorted(self._lines))


# The archive of a run: an index beside each of its files, made when a session ends


class KnownLines:
    """The lines of records that a session appended itself, and need not read again. Memory is bounded: of a file whose
    lines take too much, or that has a record that came packed, they are read from the archive after all."""

    def __init__(self, file: int, offset: int) -> None:
        """Where the session begins to append."""
        self._starts = {file: offset}  # where what is known of a file begins
        self._rows: dict[int, list[IndexLine]] = {}
        self._bytes = 0

    def begin(self, file: int) -> None:
        self._starts[file] = 0

    def add(self, capture: Capture, digest: str, place: RecordPlace) -> None:
        if place.file in self._starts and self._bytes < _KNOWN:
            row = _line_of(capture, digest, place)
            self._rows.setdefault(place.file, []).append(row)
            self._bytes += _size(row)
        else:
            self.lose(place.file)

    def lose(self, file: int) -> None:
        """A record of this file is not known."""
        self._starts.pop(file, None)
        self._bytes -= sum(map(_size, self._rows.pop(file, ())))

    def of(self, file: int) -> tuple[float, list[IndexLine]]:
        """Those of a file, and where it need not be read from on."""
        return self._starts.get(file, math.inf), self._rows.get(file, [])


def index_archive(folder: Path, known: KnownLines | None = None) -> int:
    """Bring the indexes of an archive up to date; returns how many were made."""
    stale = [number for number in numbers(folder) if is_stale(folder / name_of(number))]
    for number in stale:
        write(index_of(folder / name_of(number)), lines_of(folder, number, known))
    return len(stale)


def index_of(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".warc.gz") + ".cdxj")


def is_stale(path: Path) -> bool:
    made = index_of(path)
    return not made.exists() or made.stat().st_mtime_ns < path.stat().st_mtime_ns


def lines_of(folder: Path, number: int, known: KnownLines | None = None) -> Iterator[IndexLine]:
    end, rows = (math.inf, []) if known is None else known.of(number)
    for capture, digest, place in entries(folder, number, end):
        yield _line_of(capture, digest, place)
    yield from rows


def _line_of(capture: Capture, digest: str, place: RecordPlace) -> IndexLine:
    kind = next((value for name, value in capture.headers if name.lower() == "content-type"), "unk")
    mime = kind.partition(";")[0].translate(_NO_BREAKS).strip().lower()[:_LONGEST_TYPE] or "unk"
    file = name_of(place.file)
    return IndexLine(capture.url, capture.at, mime, capture.status, digest, place.length, place.offset, file)


def _size(row: IndexLine) -> int:
    return _BESIDE + len(row.url) + len(row.mime)
