"""The lock of a folder: one owner at a time, and the system releases it when the owner dies in any way.

Two things are locked. A lock file says who the owner is: process and host. The folder itself is locked too, because a
lock file can be removed or replaced while it is held, and the next process would lock another file.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import socket
import time
import weakref
from pathlib import Path

from wolfspider.core.errors import Busy, Problem
from wolfspider.files.disk import no_link, no_plain_file

_MOST = 1000  # bytes of a lock file that are read
_TRIES, _PAUSE = 10, 0.02  # seconds
_HELD = (errno.EAGAIN, errno.EACCES)


class Lock:
    """Held from the moment it is made, on the folder of `path` and on the file there, which it signs."""

    def __init__(self, path: Path) -> None:
        self._handle: int | None = _open(path)
        self._folder: int | None = None
        try:
            _take(self._handle)
            self._folder = _taken_folder(path)
        except OSError as error:
            refusal = _refusal(path, self._handle, error)
            self.drop()
            raise refusal from error
        except Problem:
            self.drop()
            raise
        os.ftruncate(self._handle, 0)
        owner = {"pid": os.getpid(), "host": socket.gethostname()}
        with contextlib.suppress(OSError):  # a full disk is reported when something must be written
            os.pwrite(self._handle, json.dumps(owner).encode(), 0)
        held = weakref.ref(self)

        def drop() -> None:
            """A lock lives as long as anybody has its file open: a child that outlives its parent must not keep it."""
            if (lock := held()) is not None:
                lock.drop()

        os.register_at_fork(after_in_child=drop)

    def release(self) -> None:
        """The file stays: removing it might remove the file of the next owner."""
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            self.drop()

    def drop(self) -> None:
        for handle in (self._handle, self._folder):
            if handle is not None:
                os.close(handle)
        self._handle = self._folder = None


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise no_link(path) from error
        if error.errno == errno.EISDIR:
            raise no_plain_file(path) from error
        raise Problem(f"{path.parent} cannot be written: {error.strerror}.") from error


def _take(handle: int) -> None:
    """Wait a moment for a process that only asks whether there is an owner: it holds the lock meanwhile."""
    for _ in range(_TRIES):
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE)
    return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _taken_folder(path: Path) -> int | None:
    """The lock on the folder; None on a disk that locks files and no folders."""
    handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _take(handle)
        return handle
    except BlockingIOError as error:
        os.close(handle)
        raise Busy(
            f"{path.parent} is in use by another process, though {path.name} does not say so: it was removed or "
            "replaced. Wait until that process is done, or stop it first."
        ) from error
    except OSError:
        os.close(handle)
        return None


def is_owned(path: Path) -> bool:
    """Has this lock an owner? An empty file has none, unless it was put in the place of the owner's; a dead owner has
    signed the file and holds it no more."""
    return _is_locked(path, signed=True) or _is_locked(path.parent)


def _is_locked(path: Path, signed: bool = False) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        if signed and not os.pread(handle, 1, 0):
            return False
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except OSError as error:
        return error.errno in _HELD
    finally:
        os.close(handle)


def _refusal(path: Path, handle: int, error: OSError) -> Problem:
    if error.errno not in _HELD:
        return Problem(
            f"{path.parent} lies on a disk that cannot lock files ({error.strerror}), so two processes could write to "
            "this run at once. Put the run on a local disk."
        )
    try:
        owner = json.loads(os.pread(handle, _MOST, 0))
        pid, host = str(int(owner["pid"])), ascii(str(owner["host"])[:200])[1:-1]
    except (ValueError, KeyError, TypeError):  # between taking the lock and signing it
        pid, host = "?", "an unknown host"
    return Busy(f"{path.parent} is in use by process {pid} on {host}. Wait until it is done, or stop it first.")
