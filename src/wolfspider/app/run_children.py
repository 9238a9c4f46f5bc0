"""The runs of one folder, and the processes of their own that crawl them: started here, and found again by a later one.

A crawl that is started here is `wolfspider crawl` in a process that outlives the one that asked for it. Whatever is
asked about it is asked of its folder.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.plain_text import plain_lines
from wolfspider.files.disk import no_link, open_to_read
from wolfspider.files.lock import is_owned
from wolfspider.store.folder import Places, is_run

_TOLD = 2000  # bytes at the end of what a process has said
_LOGS = ".said"  # the folder of that, beside the runs
_STARTING = "starting"  # a file in it that is locked while a process is started
_LOOK = 0.05  # seconds between two looks at a process
_MOST_LOOKED_AT = 10_000  # entries of a folder
LONGEST_NAME = 50  # characters of a name that is made of a topic


@dataclass
class RunChildren:
    """`fits`: may a run be called so? Whatever it says, a name is one part of a path, and no link."""

    folder: Path
    fits: Callable[[str], bool]
    _started: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.folder.is_symlink():
            raise no_link(self.folder)
        self.folder = self.folder.absolute()

    def inside(self, name: str) -> Path | None:
        """The folder of a run of this name, whether or not there is one; None if none may be called so."""
        if not is_one_part(name) or not self.fits(name):
            return None
        if (run := self.folder / name).is_symlink():
            raise no_link(run)
        return run

    def names(self) -> list[str]:
        """Those that are runs already, the newest first."""
        try:
            entries = list(islice(os.scandir(self.folder), _MOST_LOOKED_AT))
        except FileNotFoundError:
            return []
        found = []
        for entry in entries:
            if is_one_part(entry.name) and self.fits(entry.name) and entry.is_dir(follow_symlinks=False):
                with suppress(FileNotFoundError):  # it has gone meanwhile
                    found.append((entry.stat(follow_symlinks=False).st_mtime, entry.name))
        return [name for _, name in sorted(found, key=lambda each: (-each[0], each[1])) if is_run(self.folder / name)]

    @property
    def started(self) -> list[str]:
        """Those whose processes were started here, whatever became of them."""
        return list(self._started)

    def is_running(self, name: str) -> bool:
        child = self._started.get(name)
        return (child is not None and child.poll() is None) or is_owned(Places.of(self.folder / name).lock)

    def said(self, name: str) -> str:
        """The last lines of its process, for one that came to nothing."""
        try:
            with os.fdopen(open_to_read(self._log(name)), "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _TOLD))
                return plain_lines(file.read(_TOLD).decode("utf-8", "replace"))
        except (OSError, BadInput):
            return ""

    def make_folder(self) -> None:
        try:
            (self.folder / _LOGS).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise Problem(f"{self.folder} cannot be made: {error.strerror}. Name another folder.") from error

    def spawn(self, name: str, words: Sequence[str]) -> None:
        """A process of its own session: it goes on when we end, and no Ctrl-C of ours reaches it."""
        self.make_folder()
        log = os.open(self._log(name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            self._started[name] = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-m", "wolfspider", *words],  # nothing in the folder is a module
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
            )
        finally:
            os.close(log)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other process that starts runs here does so meanwhile."""
        self.make_folder()
        handle = os.open(self.folder / _LOGS / _STARTING, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def wait_until_owned(self, name: str, seconds: float) -> None:
        """Until its process has begun its run, so that others see it running; or has ended, or the time is up."""
        until, child, run = time.monotonic() + seconds, self._started[name], self.folder / name
        while time.monotonic() < until and child.poll() is None and not (is_run(run) and is_owned(Places.of(run).lock)):
            time.sleep(_LOOK)

    def _log(self, name: str) -> Path:
        return self.folder / _LOGS / f"{name}.txt"


def is_one_part(name: str) -> bool:
    """Can this be the name of a folder within another, and not of a hidden one, or one that no text can name?"""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return 0 < len(name) <= 200 and not name.startswith(".") and not {"/", "\\", "\0"} & {*name}


def slug(topic: str) -> str:
    """A name made of a topic; "" if it has no letter or digit for one."""
    return re.sub(r"[^a-z0-9]+", "-", topic.lower()[:200])[:LONGEST_NAME].strip("-")
