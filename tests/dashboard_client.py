"""A dashboard in a process of its own, and requests to it written by hand: what is sent is known to the byte."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from wolfspider.web.server.serve import serve
from wolfspider.web.worlds.world import Servable

PATIENCE = 60.0  # seconds for anything to happen on a busy machine


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """One dashboard, by the address it printed."""

    def __init__(self, address: str, process: subprocess.Popen[str]) -> None:
        self.address, self.process = address, process
        parts = urlsplit(address)
        self.port = parts.port or 0
        self.token = parts.query.removeprefix("token=")
        self.view = parts.fragment
        self.host = f"127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, body: bytes = b"", patience: float = PATIENCE, **headers: str | None
    ) -> Answer:
        """With the token, unless `authorization` is given; a header that is None is left out."""
        given: dict[str, str | None] = {
            "host": self.host,
            "authorization": f"Bearer {self.token}",
            "connection": "close",
        }
        if method == "POST":
            given |= {"content-type": "application/json", "content-length": str(len(body))}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [
            f"{method} {path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in given.items() if value is not None),
        ]
        return self.raw("\r\n".join(lines).encode() + b"\r\n\r\n" + body, patience)

    def raw(self, request: bytes, patience: float = PATIENCE) -> Answer:
        with socket.create_connection(("127.0.0.1", self.port), timeout=patience) as sock:
            sock.sendall(request)
            content = b""
            while chunk := sock.recv(1 << 16):
                content += chunk
        head, _, body = content.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        chunked = "chunked" in headers.get("transfer-encoding", "")
        return Answer(int(first.split()[1]), headers, _whole(body) if chunked else body)

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        assert answer.status == 200, answer
        return answer.json

    def post(self, path: str, content: Any, status: int = 200) -> Any:
        answer = self.ask("POST", path, json.dumps(content).encode())
        assert answer.status == status, answer
        return answer.json

    def say(self, run: str, verb: str, *words: str, **more: Any) -> Any:
        return self.post(f"/api/runs/{quote(run)}/commands", {"verb": verb, "words": list(words), **more})


def _whole(body: bytes) -> bytes:
    """Of a body that came in chunks."""
    content = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        length = int(size or b"0", 16)
        content, body = content + body[:length], body[length + 2 :]
    return content


@contextmanager
def served(world: Servable) -> Iterator[str]:
    """A web on a port of this machine, in a thread of its own: HOST:PORT."""
    loop, stack = asyncio.new_event_loop(), AsyncExitStack()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        entered = asyncio.run_coroutine_threadsafe(stack.enter_async_context(serve(world)), loop).result(PATIENCE)
        yield f"127.0.0.1:{entered.port}"
        asyncio.run_coroutine_threadsafe(stack.aclose(), loop).result(PATIENCE)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
        loop.close()


@contextmanager
def dashboard(folder: Path, *words: str) -> Iterator[Client]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WOLFSPIDER_")}
    command = [sys.executable, "-m", "wolfspider", "dashboard", str(folder), "--port", "0", "--no-browser", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), process.stderr and process.stderr.read()
        client = Client(address, process)
        wait_for(lambda: client.ask("GET", "/api/openapi.json").status == 200)
        yield client
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)


def wait_for(condition: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """What it gives once that is something."""
    until = time.monotonic() + patience
    while not (found := _tried(condition)):
        assert time.monotonic() < until, "It never came."
        time.sleep(0.1)
    return found


def _tried(condition: Callable[[], Any]) -> Any:
    try:
        return condition()
    except OSError:
        return None
