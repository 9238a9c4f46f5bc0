"""Snapshots of a live crawl: what one needs is copied between two turns; it is written to the disk beside them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from wolfspider.drivers.snapshot_timing import SnapshotTiming
from wolfspider.store.base import Store


class SnapshotTaker:
    """`ready`: waits until the store can be written. `failed` is told what went wrong beside the turns."""

    def __init__(
        self,
        store: Store,
        state: Callable[[], Mapping[str, Any]],
        timing: SnapshotTiming,
        ready: Callable[[], Awaitable[None]],
        failed: Callable[[Exception], None],
    ) -> None:
        self.timing = timing
        self._store, self._state, self._ready, self._failed = store, state, ready, failed
        self._saving: asyncio.Task[None] | None = None

    def take_if_due(self) -> None:
        """Called between turns, after a commit."""
        if self._saving is None and self.timing.due() and self._store.ready():
            self.begin()

    def begin(self) -> None:
        began = time.thread_time()
        staged = self._store.stage(self._state())
        self.timing.taken(time.thread_time() - began)
        self._saving = asyncio.create_task(self._save(staged))

    async def _save(self, staged: Any) -> None:
        try:
            await asyncio.to_thread(self._store.save, staged)
            await self._ready()
            began = time.thread_time()
            self._store.adopt(staged)
            self.timing.took_more(time.thread_time() - began)
        except Exception as bug:
            self._failed(bug)
        finally:
            self._saving = None

    async def settle(self) -> None:
        """Wait for the one under way."""
        if self._saving is not None:
            await asyncio.wait([self._saving])

    def take(self) -> None:
        """At once: the last one of a session."""
        self._store.snapshot(self._state())
