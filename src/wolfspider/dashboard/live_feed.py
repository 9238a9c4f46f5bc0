"""What happens in a run, as it happens, for any number of readers: server-sent events.

One look a second serves all readers of a run. A reader who does not keep up loses the oldest of what waits for them,
never the newest, and holds nobody up: neither other readers nor the crawl, which does not know that it is watched.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wolfspider.app.event_json import told
from wolfspider.core.errors import Busy, Problem
from wolfspider.dashboard.curves import mark
from wolfspider.dashboard.page_lists import pages
from wolfspider.files.lock import is_owned
from wolfspider.report.run_facts import commands_of
from wolfspider.store.folder import Places
from wolfspider.store.view import RunView

EVERY = 1.0  # seconds between two looks at a run
BEAT = 15.0  # seconds of silence after which a reader is told that we are here
_WAITING = 64  # events that wait for one reader
_MOST_READERS = 200
_MOST_PAGES, _MOST_COMMANDS = 20, 20  # in one look

Happened = tuple[str, Any]  # the name of an event, and what it says


@dataclass
class Glance:
    """What was seen of a run, so that only what is new is told."""

    run: Path
    gauge: dict[str, Any] = field(default_factory=dict)
    page: int | None = None  # the number of the newest
    commands: int | None = None
    running: bool | None = None

    def look(self) -> list[Happened]:
        """What is new since the last look; at the first, its gauge alone."""
        view, happened = RunView(self.run), list[Happened]()
        gauge = view.gauge()
        if gauge is not None:
            now = told(gauge)
            changed = {name: value for name, value in now.items() if self.gauge.get(name, self) != value}
            if changed:
                happened.append(("gauge", changed))
            self.gauge = now
        happened += self._pages() + self._commands(view)
        running = is_owned(Places.of(self.run).lock)
        if self.running is not None and running != self.running:
            ended = None if running else view.ended
            happened.append(("running" if running else "ended", {"running": running, "reason": ended}))
        self.running = running
        return happened

    def _pages(self) -> list[Happened]:
        newest = pages(self.run, {"kind": "all", "limit": _MOST_PAGES})["pages"]
        first, last = self.page is None, -1 if self.page is None else self.page
        new = [each for each in reversed(newest) if each["number"] > last]
        self.page = max([last, *(each["number"] for each in new)])
        return [] if first else [("page", each) for each in new]

    def _commands(self, view: RunView) -> list[Happened]:
        (number,) = view.rows("SELECT COUNT(*) FROM events WHERE kind = 'Obeyed'")[0]
        if self.commands == number:
            return []
        first, new = self.commands is None, number - (self.commands or 0)
        self.commands = number
        if first or new <= 0:
            return []
        with view.moment() as connection:
            obeyed = commands_of(connection, min(new, _MOST_COMMANDS))
        return [("obeyed", mark(each)) for each in obeyed]


class _Reader:
    def __init__(self) -> None:
        self.waiting: deque[Happened] = deque(maxlen=_WAITING)
        self.something = asyncio.Event()

    def tell(self, happened: Happened) -> None:
        self.waiting.append(happened)
        self.something.set()


class Feeds:
    """The readers of all runs. `look` is done in a thread, as it reads from a disk."""

    def __init__(self, every: float = EVERY, beat: float = BEAT) -> None:
        self._every, self._beat = every, beat
        self._readers: dict[Path, set[_Reader]] = {}
        self._looking: dict[Path, asyncio.Task[None]] = {}

    @property
    def readers(self) -> int:
        return sum(map(len, self._readers.values()))

    def refuse_too_many(self) -> None:
        if self.readers >= _MOST_READERS:
            raise Busy(f"{_MOST_READERS} readers follow runs here already. Close some windows.")

    async def follow(self, run: Path) -> AsyncIterator[bytes]:
        """What a reader is sent, from now on."""
        reader = _Reader()
        self._readers.setdefault(run, set()).add(reader)
        try:
            reader.tell(("hello", {"run": run.name, **await asyncio.to_thread(_now, run)}))
            if run not in self._looking:
                self._looking[run] = asyncio.create_task(self._look(run))
            while True:
                try:
                    await asyncio.wait_for(reader.something.wait(), self._beat)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                reader.something.clear()
                while reader.waiting:
                    yield _frame(*reader.waiting.popleft())
        finally:
            self._leave(run, reader)

    def _leave(self, run: Path, reader: _Reader) -> None:
        readers = self._readers.get(run, set())
        readers.discard(reader)
        if not readers:
            self._readers.pop(run, None)
            if (task := self._looking.pop(run, None)) is not None:
                task.cancel()

    async def _look(self, run: Path) -> None:
        glance = Glance(run)
        while True:
            with suppress(Problem, OSError):  # it may be in the middle of being made, repaired or removed
                for happened in await asyncio.to_thread(glance.look):
                    for reader in self._readers.get(run, ()):
                        reader.tell(happened)
            await asyncio.sleep(self._every)


def _now(run: Path) -> dict[str, Any]:
    """How the run stands when a reader comes."""
    with suppress(Problem, OSError):
        gauge = RunView(run).gauge()
        return {"running": is_owned(Places.of(run).lock), "gauge": None if gauge is None else told(gauge)}
    return {"running": False, "gauge": None}


def _frame(name: str, content: Any) -> bytes:
    """JSON has no line break, and an event ends at a blank line."""
    return f"event: {name}\ndata: {json.dumps(content, ensure_ascii=True)}\n\n".encode()
