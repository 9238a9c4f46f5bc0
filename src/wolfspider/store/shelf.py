"""The Shelf of a live run: links with their texts in a file that only grows.

A place is an offset, the length of the shelf is its bytes. New links lie in memory first, a megabyte at most, and can
be read there; `flush` hands them to the system. A snapshot notes the length after a flush, and after a crash the
file is cut there.

A page brings a hundred links that share most of what is stored with them. So a *page record* comes first (the page's
address and what the strategy remembers), and each *link record* behind it says how far back that lies, leaves out the
scheme and host it shares with the page, and names a tag path that stood there before by its distance. The page record
is repeated after 16 KB, so that one read of a window around a place brings all that is needed; a second read is made
only where records are unusually large.

    record = length (3 bytes), distance to its page record (3 bytes, 0 if it is one), msgpack

Nothing in the file is trusted: msgpack builds plain data only, everything is bounded, and what is no record is a
BadInput.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import msgpack

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Link
from wolfspider.files.disk import extend, open_to_write
from wolfspider.files.failpoints import reach
from wolfspider.policy.link_shelf import Record, Shelf

LARGEST = (1 << 24) - 1  # bytes of a record
AT_HAND = 1_000  # links that were read last
_HEAD = 6
_BUFFER = 1 << 20
_GROUP = 1 << 14  # bytes after which the page record is repeated
_AHEAD = 1 << 10  # what is read behind a place, in the hope that the record ends there
_TUPLE = 1  # the extension of msgpack that keeps tuples apart from lists


class DiskShelf(Shelf):
    """In the file `path`, as it was when it had `length` (None: begun anew). One owner, one thread; only `sync` may be
    called from another."""

    def __init__(self, path: Path, length: int | None = None) -> None:
        self.path = path
        self._handle = open_to_write(path)
        self._flushed = length or 0  # bytes in the file; the rest of the shelf is in the buffer
        self._buffer = bytearray()
        self._at_hand: dict[int, Record] = {}
        self._pack = msgpack.Packer(strict_types=True, default=_as_extension, unicode_errors="surrogatepass").pack
        size = os.fstat(self._handle).st_size
        if size < self._flushed:
            os.close(self._handle)
            raise BadInput(f"{path} has {size:,} bytes where {length:,} were noted: the end of it is lost.")
        self.cut(self._flushed)

    def put(self, record: Record) -> int:
        link, source, extra = record
        place = self._flushed + len(self._buffer)
        if source != self._source or place > self._last:
            place = self._put_page(source, extra)
        url: Any = link.url
        if self._origin and url.startswith(self._origin):
            url = url[len(self._origin) - 1 :]
        elif url.startswith("/"):
            url = [url]  # no address, but to be given back as it is
        stood = self._paths.get(link.path)
        path = link.path if stood is None else place - stood
        first_word, last_word = link.block
        told = [url, link.anchor, link.at, first_word, last_word, path, link.rank, link.rel]
        if extra is not self._extra and self._pack(extra) != self._extra_packed:
            told.append(extra)
        self._append(self._pack(told), place - self._page)
        if stood is None:
            self._paths[link.path] = place
        return place

    def get(self, place: int) -> Record:
        """A link that its host refuses is asked for again when the host is ready, so the last ones read are at hand."""
        if (record := self._at_hand.pop(place, None)) is None:
            try:
                record = self._read(place)
            except (ValueError, TypeError, msgpack.UnpackException) as error:
                raise BadInput(f"{self.path} is damaged: there is no link at byte {place:,} ({error}).") from error
        if len(self._at_hand) >= AT_HAND:
            del self._at_hand[next(iter(self._at_hand))]
        self._at_hand[place] = record
        return record

    def read_all(self) -> int:
        """Read every record; BadInput if one is damaged. Returns how many links there are."""
        place, links = 0, 0
        while place < len(self):
            try:
                length, back = _head(self._bytes(place, place + _HEAD), 0)
            except ValueError as error:
                raise BadInput(f"{self.path} is damaged: there is no record at byte {place:,} ({error}).") from error
            if back:
                self.get(place)
                links += 1
            place += _HEAD + length
        if place != len(self):
            raise BadInput(f"{self.path} is damaged: its last record ends at byte {place:,} of {len(self):,}.")
        return links

    def cut(self, length: int) -> None:
        if length < self._flushed:
            self._flushed = length
            self._buffer.clear()
        del self._buffer[length - self._flushed :]
        self._at_hand.clear()
        os.ftruncate(self._handle, self._flushed)
        reach("shelf-cut")
        self._end_page()

    def __len__(self) -> int:
        return self._flushed + len(self._buffer)

    def flush(self) -> None:
        """Hand everything to the system: it survives the death of the process. If the disk is full, DiskFull is raised,
        and nothing is lost that can still be read here."""
        if self._buffer:
            data = bytes(self._buffer)
            reach("shelf-before-flush")
            reach("shelf-torn", lambda: os.pwrite(self._handle, data[: len(data) // 2], self._flushed))
            extend(self.path, self._handle, data, self._flushed)
            reach("shelf-flushed")
            self._flushed += len(data)
            self._buffer.clear()
            self._end_page()

    def sync(self) -> None:
        """Let what was flushed survive the death of the machine."""
        os.fsync(self._handle)

    def close(self) -> None:
        os.close(self._handle)

    def _end_page(self) -> None:
        """The next link begins with a page record: what it needs lies all in the file or all in the buffer."""
        self._page, self._last, self._source = 0, -1, ""

    def _put_page(self, source: str, extra: Any) -> int:
        """Returns where the first link of the page will lie."""
        if len(self._buffer) >= _BUFFER:
            self.flush()
        page = len(self)
        self._append(self._pack([source, extra]), 0)
        self._page, self._source, self._origin, self._extra_packed = page, source, _origin(source), self._pack(extra)
        self._extra = extra if extra is None or isinstance(extra, str | float | int) else _NOTHING
        self._paths: dict[str, int] = {}
        self._last = len(self) + _GROUP
        return len(self)

    def _append(self, data: bytes, back: int) -> None:
        if len(data) > LARGEST:
            raise ValueError(f"a link of {len(data):,} bytes is too large for the shelf")
        self._buffer += (back << 24 | len(data)).to_bytes(_HEAD, "little")
        self._buffer += data

    def _read(self, place: int) -> Record:
        lowest = self._flushed if place >= self._flushed else 0
        start = max(lowest, place - _GROUP)
        window = self._bytes(start, place + _AHEAD)
        length, back = _head(window, place - start)
        page, end = place - back, place + _HEAD + length
        if page < lowest or not back:
            raise ValueError("no link record")
        if page < start or end > start + len(window):
            start, window = page, self._bytes(page, end)
        source, extra = _page(window, page - start)
        match _content(window, place - start):
            case [url, str(anchor), int(at), int(first), int(last), str() | int() as path, int(rank), str(rel), *own]:
                if isinstance(path, int):
                    path = _path(window, place - path - start)
                link = Link(_address(url, source), anchor, at, (first, last), path, rank, rel)
                return Record(link, source, own[0] if own else extra)
        raise ValueError("no link record")

    def _bytes(self, start: int, end: int) -> bytes:
        if start >= self._flushed:
            return bytes(self._buffer[start - self._flushed : end - self._flushed])
        return os.pread(self._handle, min(end, self._flushed) - start, start)


def blanked(path: Path, sources: Collection[str]) -> Iterator[tuple[int, bytes]]:
    """Links that were found at these addresses, with blanks in the place of their texts, as long as before: the place
    of each in the file, and the bytes to write there."""
    with path.open("rb") as file:
        place, wanted = 0, False
        while head := file.read(_HEAD):
            length, back = _head(head, 0)
            window = head + file.read(length)
            if not back:
                wanted = _page(window, 0)[0] in sources
            elif wanted and (at := _anchor_in(window)):
                start, end = at
                yield place, window[:start] + b" " * (end - start) + window[end:]
            place += _HEAD + length


def _anchor_in(window: bytes) -> tuple[int, int] | None:
    """Where the bytes of the text of a link lie in its record; None if there are none."""
    reader = msgpack.Unpacker(strict_map_key=False, ext_hook=_from_extension, unicode_errors="surrogatepass")
    reader.feed(window[_HEAD:])
    reader.read_array_header()
    reader.skip()  # the address
    size = len(str(reader.unpack()).encode("utf-8", "surrogatepass"))
    end = _HEAD + reader.tell()
    return (end - size, end) if size else None


_NOTHING = object()  # equal to no `extra`


def _head(window: bytes, at: int) -> tuple[int, int]:
    """Length and distance."""
    head = window[at : at + _HEAD]
    if at < 0 or len(head) < _HEAD:
        raise ValueError("no record")
    both = int.from_bytes(head, "little")
    return both & LARGEST, both >> 24


def _content(window: bytes, at: int) -> Any:
    length, _ = _head(window, at)
    data = window[at + _HEAD : at + _HEAD + length]
    return msgpack.unpackb(data, strict_map_key=False, ext_hook=_from_extension, unicode_errors="surrogatepass")


def _page(window: bytes, at: int) -> tuple[str, Any]:
    match _content(window, at):
        case [str(source), extra]:
            return source, extra
    raise ValueError("no page record")


def _path(window: bytes, at: int) -> str:
    match _content(window, at):
        case [_, _, _, _, _, str(path), _, _, *_]:
            return path
    raise ValueError("no tag path")


def _origin(source: str) -> str:
    """Scheme and host of an address with the slash behind them; "" if it has none."""
    parts = source.split("/", 3)
    return "/".join((*parts[:3], "")) if len(parts) == 4 and parts[0].endswith(":") and not parts[1] else ""


def _address(url: Any, source: str) -> str:
    if isinstance(url, list) and len(url) == 1:
        (url,) = url
    elif isinstance(url, str) and url.startswith("/"):
        url = _origin(source)[:-1] + url
    if not isinstance(url, str):
        raise ValueError("no address")
    return url


def _as_extension(value: Any) -> Any:
    if type(value) is tuple:
        packed = msgpack.packb(list(value), strict_types=True, default=_as_extension, unicode_errors="surrogatepass")
        return msgpack.ExtType(_TUPLE, packed)
    raise TypeError(
        f"{type(value).__name__} is not plain data: a shelf keeps None, numbers of 64 bits, texts, lists, tuples, dicts"
    )


def _from_extension(code: int, data: bytes) -> Any:
    if code != _TUPLE:
        raise ValueError("an unknown kind of data")
    return tuple(msgpack.unpackb(data, strict_map_key=False, ext_hook=_from_extension, unicode_errors="surrogatepass"))
