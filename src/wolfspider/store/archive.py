"""The archive of a run: every answer as it came, in files 00000.warc.gz, 00001.warc.gz and so on.

Who owns the archive appends; the position behind the last record (`end`) is committed elsewhere, with what refers to
it. A record is one gzip member and one write, so that a kill can tear only the last one, and nothing behind the
committed end was ever promised to anybody: after a crash `recover` cuts it off. The position is known, so nothing is
guessed by scanning; only if a file is shorter than what was committed (the machine lost its power, and the disk what
it was not yet told to keep) is the file walked, to say where its last whole record ends.

Any process may `read` at any time what was committed. Names of files are numbers, never made from what strangers
send, and links are not followed.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import os
import stat
import threading
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from isal import isal_zlib

from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Capture
from wolfspider.files.failpoints import reach
from wolfspider.web.warc import writer
from wolfspider.web.warc.reader import seconds

LARGEST_FILE = 1_000_000_000  # bytes after which the next file begins
LARGEST_RECORD = 1 << 27  # inflated; what is larger was not written here
LOST = "lost"  # the folder for files that nothing refers to
_CHUNK = 1 << 18
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


class DiskFull(Problem):
    """There is no space left. What was written so far is whole."""

    code = 7


class Place(NamedTuple):
    """Where a record lies."""

    file: int
    offset: int
    length: int


class End(NamedTuple):
    """Where the next record will lie."""

    file: int
    offset: int


class Recovery(NamedTuple):
    """What was found when an archive was opened again."""

    end: End  # less than the committed one if something promised is gone
    cut: int  # bytes behind the committed end
    aside: tuple[str, ...]  # files behind it, now in `lost/`


class Health(NamedTuple):
    records: int
    bytes: int
    damage: tuple[str, ...]  # a sentence for each


class Archive:
    """Appends to the files of a folder, from `start` on (a fresh folder if it is None). One owner, one thread; only
    `sync` may be called from another."""

    def __init__(
        self,
        folder: Path,
        *,
        info: Mapping[str, str],
        largest: int = LARGEST_FILE,
        start: End | None = None,
    ) -> None:
        self.folder, self.info, self.largest = folder, dict(info), largest
        folder.mkdir(mode=0o700, exist_ok=True)
        self._file, self._offset = start or End(0, 0)
        self._lock = threading.Lock()  # `sync` must not meet a file that is just being closed
        self._fresh = True  # the folder has a name in it that the disk may not have
        self._handle = open_to_write(folder / name_of(self._file))
        try:
            self._check_size()
        except BadInput:
            self.close()
            raise

    @staticmethod
    def recover(folder: Path, committed: End) -> Recovery:
        """Leave nothing behind the committed end. To be called before an archive is opened again."""
        aside = tuple(_set_aside(folder, number) for number in numbers(folder) if number > committed.file)
        path = folder / name_of(committed.file)
        size = _size(path)
        if size < committed.offset:
            committed = committed._replace(offset=_whole(path) if size else 0)
        reach("recover-before-cut")
        if size > committed.offset:
            _cut(folder, committed)
        reach("recover-done")
        return Recovery(committed, max(0, size - committed.offset), aside)

    def append(self, capture: Capture) -> Place:
        """Write an answer down. If the disk is full, DiskFull, and all is as it was before."""
        if len(capture.body) > LARGEST_RECORD // 2:
            raise ValueError("a body larger than the archive reads back")
        return self.add(writer.response(capture), capture.at)

    def revisit(self, capture: Capture, held_url: str, held_at: float) -> Place:
        """A 304: which copy still holds."""
        return self.add(writer.revisit(capture, held_url, held_at), capture.at)

    def metadata(self, url: str, at: float, fields: Mapping[str, str]) -> Place:
        return self.add(writer.metadata(url, at, fields), at)

    def add(self, member: bytes, at: float) -> Place:
        """A record that warc_writer packed, perhaps in another thread or process, since that is most of the work."""
        if self._offset >= self.largest:
            self._rotate()
        before = b""
        if self._offset == 0:
            before = writer.info(at, self.info, name_of(self._file))
        self._write(before + member if before else member)
        place = Place(self._file, self._offset + len(before), len(member))
        self._offset += len(before) + len(member)
        return place

    def end(self) -> End:
        return End(self._file, self._offset)

    def read(self, place: Place) -> Capture:
        return read(self.folder, place)

    def sync(self) -> None:
        """All that was appended survives the death of the machine."""
        reach("archive-before-sync")
        with self._lock:
            handle, fresh, self._fresh = os.dup(self._handle), self._fresh, False
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        if fresh:
            sync_folder(self.folder)
        reach("archive-synced")

    def close(self) -> None:
        os.close(self._handle)

    def _check_size(self) -> None:
        size = os.fstat(self._handle).st_size
        if size != self._offset or max(numbers(self.folder), default=0) > self._file:
            raise BadInput(f"The archive {self.folder} does not end where it should: recover it before writing to it.")

    def _write(self, data: bytes) -> None:
        reach("archive-before-write")
        reach("archive-torn", lambda: os.pwrite(self._handle, data[: len(data) // 2], self._offset))
        extend(self.folder, self._handle, data, self._offset)
        reach("archive-written")

    def _rotate(self) -> None:
        reach("archive-before-rotation")
        os.fsync(self._handle)
        following = open_to_write(self.folder / name_of(self._file + 1))
        with self._lock:
            os.close(self._handle)
            self._handle, self._fresh = following, True
        self._file, self._offset = self._file + 1, 0
        reach("archive-rotated")


def name_of(number: int) -> str:
    return f"{number:05d}.warc.gz"


def open_to_write(path: Path) -> int:
    """A file of the owner alone, made if it is not there."""
    try:
        return _opened(path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise disk_full(path) from error
        raise BadInput(f"{path} cannot be written: {error.strerror}.") from error


def write_at(handle: int, data: bytes | bytearray, offset: int) -> None:
    """Write all of it: the system may take less at a time, such as the last bytes before the disk is full."""
    written = os.pwrite(handle, data, offset)
    while written < len(data):
        written += os.pwrite(handle, memoryview(data)[written:], offset + written)


def extend(path: Path, handle: int, data: bytes, size: int) -> None:
    """Write all of it at the end of a file of this size, or nothing."""
    try:
        write_at(handle, data, size)
    except OSError as error:
        os.ftruncate(handle, size)
        if error.errno in _NO_SPACE:
            raise disk_full(path) from error
        raise


def disk_full(where: Path) -> DiskFull:
    return DiskFull(f"The disk of {where} is full. Make space, then resume the run: nothing that was kept is lost.")


def read(folder: Path, place: Place) -> Capture:
    """The answer at a place, as it came. From any process and thread: nothing is kept open."""
    handle = _open_to_read(folder / name_of(place.file))
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        data = os.pread(handle, min(place.length, LARGEST_RECORD), place.offset)
        record = inflater.decompress(data, LARGEST_RECORD)
        if not inflater.eof or inflater.unused_data or len(data) != place.length:
            raise ValueError("not one whole gzip member")
        return _capture(record)
    except (zlib.error, ValueError, OSError) as error:
        where = f"{folder / name_of(place.file)} at byte {place.offset:,}"
        raise BadInput(f"The archive is damaged: {where} is no whole record ({error}).") from error
    finally:
        os.close(handle)


def check(folder: Path) -> Health:
    """Walk every record of every file and compare bodies with their digests. Slow: for tests and doubts."""
    records, total, damage = 0, 0, list[str]()
    for number in numbers(folder):
        path = folder / name_of(number)
        end = 0
        for offset, length, record in _members(path):
            end = offset + length
            records += 1
            damage += [f"{path.name} at byte {offset:,}: {sentence}" for sentence in _wrong(record)]
        total += _size(path)
        if end != _size(path):
            damage.append(f"{path.name} is torn or damaged from byte {end:,} of {_size(path):,} on.")
    return Health(records, total, tuple(damage))


class Entry(NamedTuple):
    """An answer in the archive, as an index names it."""

    capture: Capture
    digest: str
    place: Place


def entries(folder: Path, number: int) -> Iterator[Entry]:
    """Every answer in one file, in order."""
    for offset, length, record in _members(folder / name_of(number)):
        fields, _ = _fields(record, b"WARC/1.1")
        if fields["warc-type"] == "response":
            digest = fields.get("warc-payload-digest", "-")
            yield Entry(_capture(record), digest, Place(number, offset, length))


def _wrong(record: bytes) -> Iterator[str]:
    try:
        fields, block = _fields(record, b"WARC/1.1")
        if fields.get("content-length") != str(len(block) - 4) or not block.endswith(b"\r\n\r\n"):
            yield "its Content-Length is wrong."
        elif fields.get("warc-type") == "response":
            digest = hashlib.sha1(_capture(record).body, usedforsecurity=False).digest()
            if fields.get("warc-payload-digest") != "sha1:" + base64.b32encode(digest).decode():
                yield "its body does not fit its digest."
    except ValueError as error:
        yield f"it is no record ({error})."


def _capture(record: bytes) -> Capture:
    fields, block = _fields(record, b"WARC/1.1")
    if fields.get("warc-type") not in ("response", "revisit"):
        raise ValueError("no answer")
    head, gap, body = block[: int(fields["content-length"])].partition(b"\r\n\r\n")
    first, *lines = head.decode("utf-8", "surrogateescape").split("\r\n")
    version, status = first.split(" ", 2)[:2]
    date = seconds(fields.get("warc-date", ""))
    if not gap or version != "HTTP/1.1" or date is None:
        raise ValueError("no answer")
    headers = tuple(_pair(line) for line in lines)
    url, address = fields["warc-target-uri"], fields.get("warc-ip-address", "")
    return Capture(url, date, int(status), headers, body, address, fields.get("warc-truncated", ""))


def _fields(record: bytes, version: bytes) -> tuple[dict[str, str], bytes]:
    """The named fields of a record and its block, with the two line breaks behind it."""
    head, _, block = record.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    if first != version:
        raise ValueError("no WARC record")
    pairs = (_pair(line.decode("utf-8", "surrogateescape")) for line in lines)
    fields = {name.lower(): value for name, value in pairs}
    if not {"content-length", "warc-type"} <= fields.keys():
        raise ValueError("a field is missing")
    return fields, block


def _pair(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name, value.removeprefix(" ")


def _members(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Offset, length and content of each whole gzip member, up to the first that is not."""
    handle = _open_to_read(path)
    try:
        offset = 0
        while (found := _member(handle, offset)) is not None:
            yield offset, *found
            offset += found[0]
    finally:
        os.close(handle)


def _member(handle: int, offset: int) -> tuple[int, bytes] | None:
    inflater = isal_zlib.decompressobj(zlib.MAX_WBITS | 16)
    content = bytearray()
    place = offset
    while not inflater.eof:
        chunk = inflater.unconsumed_tail or os.pread(handle, _CHUNK, place)
        place += 0 if inflater.unconsumed_tail else len(chunk)
        try:
            content += inflater.decompress(chunk, 1 << 20)
        except Exception:  # whatever igzip finds wrong, no whole record is here
            return None
        if not chunk or len(content) > LARGEST_RECORD:
            return None
    return place - len(inflater.unused_data) - offset, bytes(content)


def _whole(path: Path) -> int:
    """Where the last whole record of a file ends."""
    return max((offset + length for offset, length, _ in _members(path)), default=0)


def numbers(folder: Path) -> list[int]:
    """Of the files that are there, in order."""
    if not folder.is_dir():
        return []
    names = (name.removesuffix(".warc.gz") for name in os.listdir(folder) if name.endswith(".warc.gz"))
    return sorted(int(name) for name in names if name.isascii() and name.isdigit() and len(name) >= 5)


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0


def _set_aside(folder: Path, number: int) -> str:
    lost = folder / LOST
    lost.mkdir(mode=0o700, exist_ok=True)
    if lost.is_symlink():
        raise BadInput(f"{lost} is a link to elsewhere; remove it.")
    copy = 0
    while os.path.lexists(target := lost / f"{number:05d}.{copy}.warc.gz"):
        copy += 1
    reach("recover-before-aside")
    os.rename(folder / name_of(number), target)
    sync_folder(folder)
    return target.name


def _cut(folder: Path, end: End) -> None:
    handle = open_to_write(folder / name_of(end.file))
    try:
        os.ftruncate(handle, end.offset)
        os.fsync(handle)
    finally:
        os.close(handle)


def _open_to_read(path: Path) -> int:
    try:
        return _opened(path, os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as error:
        raise BadInput(f"{path} of the archive cannot be read: {error.strerror}.") from error


def _opened(path: Path, handle: int) -> int:
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise BadInput(f"{path} is no plain file; remove it.")


def sync_folder(folder: Path) -> None:
    """The names in a folder survive the death of the machine."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
