"""The hunts of one folder: started as processes of their own within bounds that a person set, and found again later.

An agent chooses a topic, addresses, a budget and a name; everything else is the person's choice, made when the server
was started. A hunt is `wolfspider crawl` in a process that outlives the server. Whatever is asked about a hunt is asked
of its folder, so a new server knows the hunts of an earlier one.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wolfspider.app import preflight
from wolfspider.app.plugins import PARTS
from wolfspider.app.run_children import RunChildren, slug
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import Settings, choose
from wolfspider.app.strange_runs import refuse_named
from wolfspider.core.errors import Busy, Problem
from wolfspider.core.plain_text import plainly
from wolfspider.store.folder import is_run

MOST_SEEDS, LONGEST_TEXT = 100, 2000  # addresses of a hunt, and characters of a topic or an address
_PATIENCE = 20.0  # seconds for a process to take its run
# Settings of a run by which others are asked, or files read and written
_TRUSTED = ("allow_network", "cluster", "leaps", "learned_from", "record", "search", "via")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a person allows."""

    hunts: int = 2  # at the same time
    pages: int = 500  # downloads of one hunt, all sessions together
    runs: int = 100  # in the folder


@dataclass
class Hunts:
    """Those in one folder. `config` and `preset` hold for every hunt."""

    folder: Path
    allowance: Allowance = field(default_factory=Allowance)
    config: Path | None = None
    preset: str = ""
    contact: str = ""
    via: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)  # tools are called in threads

    def __post_init__(self) -> None:
        """What is wrong with the person's own settings is told when the server starts."""
        self.children = RunChildren(self.folder, lambda name: bool(_NAME.fullmatch(name)))
        self.children.make_folder()
        self._settings({})

    def start(self, topic: str, seeds: Sequence[str], pages: int, name: str = "") -> str:
        """Begin a hunt, or go on with the one of this name; its name."""
        name = name or _named(topic)
        with self._lock, self.children.alone():
            run = self._inside(name)
            begun = is_run(run)
            words = self._resumed(run, pages) if begun else self._begun(run, topic, seeds, pages)
            self._refuse_too_many(name, begun)
            self.children.spawn(name, words)
            self.children.wait_until_owned(name, _PATIENCE)  # from then on other servers see that it runs
        return name

    def run(self, name: str) -> Path:
        """The folder of a hunt that has begun."""
        run = self._inside(name)
        if not is_run(run):
            known = ", ".join(self.names()[:20]) or "none"
            raise Problem(f"There is no hunt {name!r}. There are: {known}.")
        return run

    def trusted(self, name: str) -> Path:
        """The same, for what needs its strategy or its judge."""
        run = self.run(name)
        refuse_named(run, PARTS, self._settings({}))
        return run

    def has_begun(self, name: str) -> bool:
        return is_run(self._inside(name))

    def names(self) -> list[str]:
        """Those that are runs already, the newest first."""
        return self.children.names()

    def is_running(self, name: str) -> bool:
        self._inside(name)
        return self.children.is_running(name)

    def said(self, name: str) -> str:
        """The last words of its process, for one that came to nothing."""
        return plainly(self.children.said(name), LONGEST_TEXT)

    def refuse_beyond(self, pages: float) -> None:
        if not 1 <= pages <= self.allowance.pages:
            raise Problem(f"A hunt may have 1 to {self.allowance.pages:,} downloads here, not {pages:,.12g}.")

    def _inside(self, name: str) -> Path:
        if (run := self.children.inside(name)) is None:
            raise Problem(f"A hunt is named by small letters, digits and dashes, 60 at most, not {name[:80]!r}.")
        return run

    def _begun(self, run: Path, topic: str, seeds: Sequence[str], pages: int) -> list[str]:
        """The command of a new hunt; what can be seen to be wrong with it is a sentence now."""
        self.refuse_beyond(pages)
        if len(seeds) > MOST_SEEDS or max(map(len, (topic, *seeds))) > LONGEST_TEXT:
            raise Problem(f"At most {MOST_SEEDS} addresses, and {LONGEST_TEXT:,} characters of each text.")
        asked: dict[str, object] = {"topic": topic, "pages": pages, **({"urls": list(seeds)} if seeds else {})}
        settings = self._settings(asked)
        preflight.check(settings)
        preflight.check_texts(settings)
        given = [f"--{name}={value}" for name, value in self._given().items()]
        if self.config is not None:
            given.append(f"--config={self.config.absolute()}")
        if self.preset:
            given.append(f"--preset={self.preset}")
        return ["crawl", *given, f"--topic={topic}", f"--pages={pages}", f"--out={run}", "--", *seeds]

    def _resumed(self, run: Path, pages: int) -> list[str]:
        self.refuse_beyond(pages)
        if settings_of(run).allow_private:
            raise Problem(f"{run.name} may enter private networks: only a person resumes it.")
        refuse_named(run, (*PARTS, *_TRUSTED), self._settings({}))
        return ["resume", f"--pages={pages}", "--", str(run)]

    def _given(self) -> dict[str, str]:
        return {name: value for name, value in (("contact", self.contact), ("via", self.via)) if value}

    def _settings(self, asked: dict[str, object]) -> Settings:
        settings = choose({**self._given(), **asked}, self.config, self.preset).settings
        if settings.allow_private:
            raise Problem(
                "allow_private opens every private host that is named, and here an agent would name them. Name the "
                "networks that its hunts may enter by allow_network instead."
            )
        return settings

    def _refuse_too_many(self, name: str, begun: bool) -> None:
        if self.is_running(name):
            raise Busy(f"The hunt {name!r} is running. Steer it, look at its status, or give another name.")
        running = [other for other in {*self.names(), *self.children.started} if self.is_running(other)]
        if len(running) >= self.allowance.hunts:
            raise Busy(f"{len(running)} hunts are running, and no more may: {', '.join(sorted(running)[:10])}.")
        if not begun and len(self.names()) >= self.allowance.runs:
            raise Problem(f"The folder holds {self.allowance.runs:,} hunts already. A person has to remove some.")


def _named(topic: str) -> str:
    if not (name := slug(topic)):
        raise Problem("Give the hunt a name of small letters, digits and dashes: none can be made of this topic.")
    return name
