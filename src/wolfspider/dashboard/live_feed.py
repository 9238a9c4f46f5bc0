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
from wolfspider.app.run_folder import settings_of
from wolfspider.core.errors import Busy, Problem
from wolfspider.core.plain_text import plainly
from wolfspider.dashboard.curves import mark
from wolfspider.dashboard.desk import RunDesk
from wolfspider.dashboard.page_lists import newest_after
from wolfspider.dashboard.run_past import RunPast, past_of
from wolfspider.dashboard.undoing import undos
from wolfspider.files.lock import is_owned
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

    past: RunPast
    gauge: dict[str, Any] = field(default_factory=dict)
    page: int | None = None  # the number of the newest
    commands: int | None = None
    running: bool | None = None

    @property
    def run(self) -> Path:
        return self.past.folder

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
        happened += self._pages() + self._commands()
        running = is_owned(Places.of(self.run).lock)
        if self.running is not None and running != self.running:
            ended = None if running else view.ended
            happened.append(("running" if running else "ended", {"running": running, "reason": ended}))
        self.running = running
        return happened

    def _pages(self) -> list[Happened]:
        self.page, new = newest_after(self.run, self.page, _MOST_PAGES)
        return [("page", each) for each in new]

    def _commands(self) -> list[Happened]:
        commands, _ = self.past.said()
        known, self.commands = self.commands, len(commands)
        if known is None or known >= len(commands):
            return []
        back = undos(settings_of(self.run), commands)
        new = list(zip(commands, back, strict=True))[known:]
        return [("obeyed", mark(*each)) for each in new[-_MOST_COMMANDS:]]


class _Reader:
    def __init__(self) -> None:
        self.waiting: deque[Happened] = deque(maxlen=_WAITING)
        self.something = asyncio.Event()

    def tell(self, happened: Happened) -> None:
        self.waiting.append(happened)
        self.something.set()


class Feeds:
    """The readers of all runs. `look` is done in a thread, as it reads from a disk."""

    def __init__(self, desk: RunDesk, every: float = EVERY, beat: float = BEAT) -> None:
        self._desk, self._every, self._beat = desk, every, beat
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
        glance, trouble = Glance(past_of(self._desk, run)), ""
        while True:
            before, trouble = trouble, ""
            happened: list[Happened] = []
            try:
                happened = await asyncio.to_thread(glance.look)
            except Problem as problem:  # it may be in the middle of being made, repaired or removed
                trouble = str(problem)
            except Exception as error:  # rows of odd types: whatever is wrong with a run, the feed goes on and says so
                trouble = f"What happens in this run cannot be read: {type(error).__name__}."
            if trouble != before:
                happened.append(("trouble", {"problem": plainly(trouble, 1000)}))
            for each in happened:
                for reader in self._readers.get(run, ()):
                    reader.tell(each)
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
