"""Small servers on loopback that do what a test tells them, however wrong, and remember what arrived.

    async with Loopback(handler) as server:     # handler: async def (reader, writer)
        ...  server.url("/page"), server.port, server.accepted, server.requests

A handler may do anything with its two ends. `answering(...)` makes one that reads a request and writes these bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Awaitable, Callable
from typing import Self

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Loopback:
    def __init__(self, handler: Handler, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> None:
        self.accepted = 0  # connections
        self.requests: list[bytes] = []  # heads that `request` read, as they came
        self.port = 0
        self._handler = handler
        self._tls = tls
        self._host = host
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, self._host, 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}{path}"

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        writer.loopback = self  # type: ignore[attr-defined]
        try:
            await self._handler(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client hung up, or the test is over: both are what servers live with
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(Exception, asyncio.CancelledError):
                await writer.wait_closed()


async def request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """The head of the next request, written into the server's log; IncompleteReadError if there is none."""
    head = await reader.readuntil(b"\r\n\r\n")
    writer.loopback.requests.append(head)  # type: ignore[attr-defined]
    return head


def answering(*answers: bytes, close: bool = True) -> Handler:
    """Each request on a connection gets the next of these answers; then the connection is closed, or silent."""

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            await request(reader, writer)
            writer.write(answer)
            await writer.drain()
        if not close:
            await asyncio.sleep(3600)

    return handler


def serving(answer: Callable[[bytes], bytes]) -> Handler:
    """Answers every request by a function of its head, connection after connection, request after request."""

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(answer(await request(reader, writer)))
            await writer.drain()

    return handler


def dripping(start: bytes, drop: bytes, pause: float) -> Handler:
    """Writes the start at once, then drop after drop for ever."""

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader, writer)
        writer.write(start)
        while True:
            writer.write(drop)
            await writer.drain()
            await asyncio.sleep(pause)

    return handler


def http(body: bytes = b"", status: str = "200 OK", **headers: str) -> bytes:
    """A well-formed answer; `Content_Length=""` leaves that header out."""
    named = {"Content-Type": "text/html", "Content-Length": str(len(body))}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in named.items() if value)]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
