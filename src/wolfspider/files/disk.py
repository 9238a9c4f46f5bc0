"""Files that are written whole or not at all, never through a link, and what a full disk is called."""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from wolfspider.core.errors import BadInput, Problem
from wolfspider.files.failpoints import reach

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
UNFINISHED_EXPORT = ".wolfspider-export"  # ending of a file or folder that an export is writing
_TOO_MUCH = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


class DiskFull(Problem):
    """There is no space left. What was written so far is whole."""

    code = 7


def disk_full(where: Path) -> DiskFull:
    return DiskFull(f"The disk of {where} is full. Make space, then resume the run: nothing that was kept is lost.")


def megabytes_free(folder: Path) -> float:
    """On the disk of a folder, which need not be there yet."""
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    return shutil.disk_usage(there).free / 1_000_000


def check_floor(folder: Path, floor: int) -> None:
    """Is there so much space, in megabytes, that a crawl may begin?"""
    if (free := megabytes_free(folder)) < floor:
        raise DiskFull(
            f"{free:,.0f} MB are free on the disk of {folder}, and {floor:,} MB must stay free (--disk-floor), "
            "so nothing was asked for. Make space, or lower the floor."
        )


def open_to_read(path: Path) -> int:
    """A plain file, opened as such. Too many open files are no fault of this one: then it is no BadInput."""
    try:
        return _plain(path, os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise no_link(path) from error
        kind = Problem if error.errno in _TOO_MUCH else BadInput
        raise kind(f"{path} cannot be read: {error.strerror}.") from error


def open_to_write(path: Path) -> int:
    """A plain file that its owner alone may read, made if it is not there."""
    try:
        return _plain(path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise disk_full(path) from error
        if error.errno == errno.ELOOP:
            raise no_link(path) from error
        raise BadInput(f"{path} cannot be written: {error.strerror}.") from error


def _plain(path: Path, handle: int) -> int:
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise no_plain_file(path)


def no_plain_file(path: Path) -> BadInput:
    return BadInput(f"{path} is no plain file; remove it.")


def no_link(path: Path) -> BadInput:
    return BadInput(f"{path} is a link to elsewhere, which is not followed. Put the file itself there, or remove it.")


def extend(path: Path, handle: int, data: bytes, size: int) -> None:
    """Write all of the data at the end of a file of this size, or nothing. The system may take less at a time, such as
    the last bytes before the disk is full."""
    try:
        written = os.pwrite(handle, data, size)
        while written < len(data):
            written += os.pwrite(handle, memoryview(data)[written:], size + written)
    except OSError as error:
        os.ftruncate(handle, size)
        if error.errno in _NO_SPACE:
            raise disk_full(path) from error
        raise


def _unfinished(path: Path, ending: str) -> Path:
    """What a file or folder is called until it is whole."""
    if path.name in ("", ".."):
        raise BadInput(f"{path} is a folder that is there already: give what is to be written a name of its own.")
    return path.with_name(f".{path.name}{ending}")


@contextmanager
def whole_file(path: Path, mode: int = 0o600, failpoint: str = "", ending: str = ".part") -> Iterator[BinaryIO]:
    """A file that has its name and is safe on the disk once the block ends; if the block fails, what was there before
    stays. One process writes it at a time. The fail-point is reached just before the file gets its name. Until then it
    is called `.NAME` and the ending."""
    part = _unfinished(path, ending)
    part.unlink(missing_ok=True)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            with suppress(OSError):  # a disk without locks
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield file
            file.flush()
            os.fsync(handle)
        reach(failpoint)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(path.absolute().parent)


@contextmanager
def whole_folder(path: Path, ending: str = ".part") -> Iterator[Path]:
    """An empty folder to fill, which gets its name once the block ends; if the block fails, it is removed. What is
    there already is never replaced. Until it has its name it is called `.NAME` and the ending."""
    part = _unfinished(path, ending)
    if os.path.lexists(path) and not (path.is_dir() and not path.is_symlink() and not any(path.iterdir())):
        raise BadInput(f"{path} is there already: name a new folder, or remove it.")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(mode=0o777)
    handle = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a disk without locks
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield part
        os.sync()
        os.rename(part, path)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    finally:
        os.close(handle)
    sync_folder(path.absolute().parent)


def remove_leftovers(folder: Path, ending: str) -> None:
    """Remove what killed processes left in a folder under this ending of `whole_file` or `whole_folder`; what is being
    written stays."""
    for path in folder.glob(f".*{ending}"):
        with suppress(OSError):
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                kind = os.fstat(handle).st_mode
                if stat.S_ISREG(kind):
                    path.unlink()
                elif stat.S_ISDIR(kind):
                    shutil.rmtree(path)
            finally:
                os.close(handle)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Another name to write a file under, which takes the place of `path` when the block ends. Several processes may do
    so at once; a reader sees the old file or a new one, never half of one. A power cut may lose it."""
    aside = path.with_name(f".{secrets.token_hex(8)}-{path.name}")
    try:
        yield aside
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Let the names in a folder survive the death of the machine."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
