"""A server for fleets that remembers who was asked, and from when to when."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import NamedTuple

from hunting_ground import HuntingGround

_ASIDE = ("/robots.txt", "/.well-known/")


class Answered(NamedTuple):
    host: str
    path: str
    began: float
    ended: float


class IslandWeb:
    """The hunting ground over HTTP, in a thread; each answer takes a while."""

    def __init__(self, seconds: float = 0.03, each: int = 30) -> None:
        self.world, self.seconds = HuntingGround(each=each), seconds
        self.log: list[Answered] = []
        self.port = 0

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except asyncio.IncompleteReadError:  # somebody looked whether there is a server
            writer.close()
            return
        path = head[0].split(" ")[1]
        host = next(line.partition(":")[2].strip() for line in head if line.lower().startswith("host:"))
        began = time.monotonic()
        fetch = self.world.look(f"http://{host}{path}", 0.0)
        await asyncio.sleep(self.seconds)
        status = 404 if path == "/robots.txt" else fetch.status
        body = b"" if path == "/robots.txt" else fetch.body
        writer.write(f"HTTP/1.1 {status} X\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n".encode())
        self.log.append(Answered(host, path, began, time.monotonic()))  # before the client can ask again
        writer.write(b"Connection: close\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    def pages(self) -> list[Answered]:
        return [answered for answered in self.log if not answered.path.startswith(_ASIDE)]

    def impolite(self, gap: float) -> list[tuple[Answered, Answered]]:
        """Two requests to one host that overlap, or that are nearer to each other than this."""
        of: defaultdict[str, list[Answered]] = defaultdict(list)
        for answered in sorted(self.log, key=lambda answered: answered.began):
            of[answered.host].append(answered)
        of.pop("localhost", None)  # who was asked whether there is a server
        pairs = ((one, next_one) for all_ in of.values() for one, next_one in pairwise(all_))
        return [(one, after) for one, after in pairs if after.began < one.ended or after.began - one.began < gap]

    @contextmanager
    def served(self) -> Iterator[IslandWeb]:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()
        server = asyncio.run_coroutine_threadsafe(asyncio.start_server(self._answer, "127.0.0.1", 0), loop).result()
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
