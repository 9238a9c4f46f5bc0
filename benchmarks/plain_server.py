"""A folder as a static site, where nginx cannot be had: every file is held in memory, and every request written down.

    python plain_server.py FOLDER PORT LOG

A line of the log is the status, a blank and the path, as nginx is told to write it for throughput.py.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TextIO

LARGEST_HEAD = 1 << 14


def answers(folder: Path) -> dict[bytes, bytes]:
    """The whole answer for each path; a folder's is that of its index.html."""
    found = {}
    for file in folder.rglob("*.htm*"):
        path = "/" + str(file.relative_to(folder))
        found[path.removesuffix("index.html").encode()] = found[path.encode()] = answer("200 OK", file.read_bytes())
    return found


def answer(status: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class Connection(asyncio.Protocol):
    def __init__(self, site: dict[bytes, bytes], log: TextIO) -> None:
        self.site = site
        self.log = log
        self.head = b""
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.head += data
        while b"\r\n\r\n" in self.head:
            request, _, self.head = self.head.partition(b"\r\n\r\n")
            self._answer(request)
        if len(self.head) > LARGEST_HEAD:
            self.transport.close()

    def _answer(self, request: bytes) -> None:
        path = [*request.split(b" ", 2), b"", b""][1].partition(b"?")[0]
        found = self.site.get(path)
        self.transport.write(found or answer("404 Not Found", b"<p>Not found."))
        self.log.write(f"{200 if found else 404} {path.decode('latin-1')}\n")
        if b"connection: close" in request.lower():
            self.transport.close()


async def serve(folder: Path, port: int, log: Path) -> None:
    site = answers(folder)
    with log.open("a", buffering=1) as lines:
        server = await asyncio.get_running_loop().create_server(lambda: Connection(site, lines), "127.0.0.1", port)
        async with server:
            await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])))
