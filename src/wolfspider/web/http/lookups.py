"""Asks the system for the addresses of names, so many at once and for so long."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress

_MOST = 32  # at once
_LONGEST = 10.0  # seconds


class Lookups:
    """The threads are daemons: one that hangs in the resolver of the system keeps nobody from leaving."""

    def __init__(self, most: int = _MOST, seconds: float = _LONGEST) -> None:
        self._slots = asyncio.Semaphore(most)
        self._seconds = seconds

    async def __call__(self, host: str) -> Sequence[str]:
        await self._slots.acquire()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[str]] = loop.create_future()

        def land(found: list[str] | Exception) -> None:
            self._slots.release()
            if answer.done():
                return
            if isinstance(found, Exception):
                answer.set_exception(found)
            else:
                answer.set_result(found)

        def look() -> None:
            found: list[str] | Exception
            try:
                found = [str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
            except (OSError, UnicodeError) as error:
                found = error
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(land, found)

        try:
            threading.Thread(target=look, name="lookup", daemon=True).start()
        except RuntimeError:  # there are too many threads
            self._slots.release()
            raise
        async with asyncio.timeout(self._seconds):
            return await answer
