"""The pages of a running crawl, queued for the program that iterates over them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from wolfspider.core.events import Event, Landed
from wolfspider.core.model import Page, Route, Verdict
from wolfspider.web.page.pages_at_hand import weight

MANY = 256  # pages that may be queued before the crawl waits for the program


@dataclass(frozen=True, slots=True)
class Found:
    """A page that was downloaded, and the judge's verdict on it."""

    page: Page
    verdict: Verdict
    downloads: int  # spent so far, this one included

    @property
    def url(self) -> str:
        return self.page.final_url

    @property
    def title(self) -> str:
        return self.page.title

    @property
    def score(self) -> float:
        return self.verdict.score

    @property
    def relevant(self) -> bool:
        return self.verdict.relevant


class FoundPages:
    """A queue that fills from the events of a crawl once somebody iterates over it."""

    def __init__(self, most: int) -> None:
        """`most`: bytes that they may take in memory before the crawl waits for the program."""
        self._queue: deque[tuple[Found, int]] | None = None  # each with its bytes
        self._most, self._bytes = most, 0
        self._changed = asyncio.Event()

    def hear(self, event: Event) -> None:
        if self._queue is None or not isinstance(event, Landed) or event.how != Route.OUT:
            return
        page, verdict = event.outcome.page, event.outcome.verdict
        if page is not None and verdict is not None:
            size = weight(page)
            self._queue.append((Found(page, verdict, event.downloads), size))
            self._bytes += size
            self._changed.set()

    def has_room(self) -> bool:
        """May the crawl start more visits? It is never much faster than the program that takes its pages."""
        return self._queue is None or (len(self._queue) <= MANY and self._bytes <= self._most)

    async def until_done(self, crawl: asyncio.Task[object], room_again: Callable[[], None]) -> AsyncIterator[Found]:
        """Every page until the crawl is over; calls `room_again` when the queue has room again."""
        queue = self._queue = deque()
        crawl.add_done_callback(lambda done: self._changed.set())
        while queue or not crawl.done():
            while queue:
                had_room, (found, size) = self.has_room(), queue.popleft()
                self._bytes -= size
                yield found
                if not had_room and self.has_room():
                    room_again()
            self._changed.clear()
            if not crawl.done():
                await self._changed.wait()
