"""Pages read in the crawl's own process, one at a time, so that nobody else waits for long.

Deadlines are kept by the event loop, which is late by all that it does in one go. Answers that are there at the same
moment would be read in one go: dozens of pages, which on a busy machine took longer than the deadline of a request that
was under way. So after each page the loop sees to what is due, and a page that takes long is read in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.web.page.html import parse

LARGE = 200_000  # bytes of an answer that takes long to read


class ReadHere:
    """The memory of a page that is read in a thread is not bounded: the bound is one of the whole process, and while it
    holds no other thread can be started."""

    def __init__(self, read: Callable[[Fetch], Page | Failure] = parse) -> None:
        self._read = read
        self._read_bounded = partial(parse, bounded=True) if read is parse else read
        self._one = asyncio.Lock()

    async def __call__(self, fetch: Fetch) -> Page | Failure:
        async with self._one:
            if len(fetch.body) > LARGE:
                return await asyncio.to_thread(self._read, fetch)
            result = self._read_bounded(fetch)
            await asyncio.sleep(0)  # whoever is next waits for the loop to come round
            return result
