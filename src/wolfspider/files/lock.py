"""A lock file: one owner at a time, and the system releases it when the owner dies in any way."""

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

from wolfspider.core.errors import BadInput, Busy, Problem

_MOST = 1000  # bytes of a lock file that are read
_TRIES, _PAUSE = 10, 0.02  # seconds


class Lock:
    """Held from the moment it is made. The file says who has it: process and host."""

    def __init__(self, path: Path) -> None:
        self._handle: int | None = _open(path)
        try:
            _take(self._handle)
        except OSError as error:
            refusal = _refusal(path, self._handle, error)
            os.close(self._handle)
            self._handle = None
            raise refusal from error
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
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise BadInput(f"{path} is a link to elsewhere; remove it.") from error
        raise Problem(f"{path.parent} cannot be written: {error.strerror}.") from error


def _take(handle: int) -> None:
    """Wait a moment for a process that only asks whether there is an owner: it holds the lock meanwhile."""
    for _ in range(_TRIES):
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE)
    return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_owned(path: Path) -> bool:
    """Has this lock an owner? An empty file has none; a dead owner has signed the file and holds it no more."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        if not os.pread(handle, 1, 0):
            return False
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(handle)


def _refusal(path: Path, handle: int, error: OSError) -> Problem:
    if error.errno not in (errno.EAGAIN, errno.EACCES):
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
