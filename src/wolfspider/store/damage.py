"""What is damaged in a run, as a sentence that says what to do; and what SQLite says, told apart.

A database that another process is writing, or a disk in trouble, is no damage.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgpack

from wolfspider.core.errors import BadInput, Busy, Problem
from wolfspider.files.disk import disk_full
from wolfspider.files.program_name import shell_command

# Exit codes of the command line, by what is damaged (docs/cli.md).
NOTHING_LOST, PAGES_LOST, DATABASE, DESCRIPTION = 9, 10, 11, 12
# Whatever may come of reading values that are not what was written.
UNREADABLE = (
    *(ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError, RecursionError),
    msgpack.UnpackException,
)
_SEE = "See what is lost by"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DISK = (
    *(sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOMEM),
    *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_PROTOCOL),
)


class Damaged(BadInput):
    """A part of a run is not what was written."""


def damaged(part: Path, why: object) -> Damaged:
    """`part`: a file of the run, or its folder."""
    run = part if part.is_dir() else part.parent
    return Damaged(f"{part} is damaged: {str(why).rstrip('.')}. {remedy(run)}")


def remedy(run: Path) -> str:
    return f"{_SEE}: {shell_command('check', run)}. Mend the rest by: {repair_command(run)}"


def repair_command(run: Path) -> str:
    return shell_command("repair", run)


def begin_anew(run: Path) -> str:
    """What helps if everything can be read, and the run cannot be resumed all the same."""
    return f"Let its journal begin anew, with all its pages, by: {repair_command(run)} --anew"


def without_remedy(problem: Exception) -> str:
    return str(problem).partition(f" {_SEE}: ")[0]


def is_busy(error: sqlite3.Error) -> bool:
    """Does another process write at this moment?"""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in _BUSY


def trouble(database: Path, error: Exception, what: str = "cannot be read") -> Problem:
    """What SQLite or the disk said, as a sentence."""
    code = getattr(error, "sqlite_errorcode", None)
    if isinstance(error, OSError):
        return _disk_trouble(database.parent, error, what, error.errno in _FULL)
    primary = None if code is None else code & 0xFF
    if isinstance(error, sqlite3.Error) and is_busy(error):
        return Busy(f"{database} is being written by another process ({error}). Try again in a moment.")
    if primary in _DISK or primary == sqlite3.SQLITE_FULL:
        return _disk_trouble(database.parent, error, what, primary == sqlite3.SQLITE_FULL)
    return damaged(database, error)


def _disk_trouble(folder: Path, error: Exception, what: str, full: bool) -> Problem:
    if full:
        return disk_full(folder)
    return Problem(f"The run {folder} {what}: {error}. Resume it when that is mended.")


@contextmanager
def writing(database: Path) -> Iterator[None]:
    """A disk in trouble, or a full one, is told as such."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if isinstance(problem := trouble(database, error, "cannot be written"), Damaged):
            raise
        raise problem from error


@contextmanager
def reading(part: Path, what: str) -> Iterator[None]:
    """Values that cannot be read are damage. Nothing but reading may happen within."""
    try:
        yield
    except UNREADABLE as error:
        raise damaged(part, f"{what} cannot be read ({type(error).__name__}: {error})") from error
