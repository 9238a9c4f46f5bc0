"""Pages read in the crawl's own process, a few at a time, so that nobody else waits for long.

Deadlines are kept by the event loop, which is late by all that it does in one go. Answers that are there at the same
moment would be read in one go: dozens of pages, which on a busy machine took longer than the deadline of a request that
was under way. So the loop sees to what is due after every few hundredths of a second of reading, and a page that takes
long is read in a thread. Pages that are read in one go land in one turn, with one commit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial

from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.web.page.main_text import read_page
from wolfspider.web.page.taming import LARGE

IN_ONE_GO = 0.02  # seconds of reading after which the loop comes round


class ReadHere:
    """The system does not bound the memory of a page that is read in a thread: the bound is one of the whole process,
    and while it holds no other thread can be started. There the bounds on markup must do (web/page/taming.py)."""

    def __init__(
        self,
        read: Callable[[Fetch], Page | Failure] | None = None,
        timer: Callable[[], float] = time.perf_counter,
        main: bool = False,
    ) -> None:
        """`main`: the main text of pages is wanted, too."""
        self._timer = timer
        self._read = read or partial(read_page, main=main)
        self._read_bounded = read or partial(read_page, bounded=True, main=main)
        self._large = asyncio.Lock()
        self._until: float | None = None  # when the loop has to come round; None if nothing was read since it did

    async def __call__(self, fetch: Fetch) -> Page | Failure:
        if len(fetch.body) > LARGE:
            async with self._large:
                return await asyncio.to_thread(self._read, fetch)
        while self._large.locked() or not self._may_read():
            if self._large.locked():
                async with self._large:
                    pass
            else:
                await asyncio.sleep(0)
        if self._until is None:
            self._until = self._timer() + IN_ONE_GO
            asyncio.get_running_loop().call_soon(self._come_round)
        return self._read_bounded(fetch)

    def _may_read(self) -> bool:
        return self._until is None or self._timer() < self._until

    def _come_round(self) -> None:
        self._until = None
