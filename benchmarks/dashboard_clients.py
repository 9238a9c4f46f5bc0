"""Do people who watch slow a crawl? Fifty readers of a dashboard who never read, and how fast a crawl is beside them.

    python benchmarks/dashboard_clients.py
    python benchmarks/dashboard_clients.py --rounds 9 --pages 3000

A crawl of a computed web on this machine runs by turns without a dashboard and with one beside it, to which fifty
clients have sent a request for the events of this run and then do nothing, while one more asks for its first screen
once a second, as a browser does. The figure is the ratio of the medians of pages a second, with to without. The crawl,
the server of the web and the dashboard share the cores of the machine, so the ratio says what all of it costs.
Ends with code 1 if the ratio is below 0.95.
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

CLIENTS, ROUNDS, PAGES, FLOOR = 50, 7, 2000, 0.95
WEB = "synthetic:pages=20000,seed=1"
PROGRAM = [sys.executable, "-m", "wolfspider"]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="crawls of each kind")
    parser.add_argument("--pages", type=int, default=PAGES, help="downloads of each crawl")
    parser.add_argument("--clients", type=int, default=CLIENTS, help="readers who never read")
    given = parser.parse_args()
    speeds: dict[str, list[float]] = {"without": [], "with": []}
    with tempfile.TemporaryDirectory() as folder, _web() as (via, start, topic):
        base = Path(folder)
        (base / "all.toml").write_text("delay = 0\nadapt = 0\nhurry = 1000000\ndisk_floor = 0\n", encoding="utf-8")
        for number in range(given.rounds):
            for kind in ("without", "with") if number % 2 else ("with", "without"):
                run = base / "runs" / f"{kind}-{number}"
                words = [
                    *PROGRAM,
                    "crawl",
                    "--quiet",
                    "--config",
                    str(base / "all.toml"),
                    "--via",
                    via,
                    "--topic",
                    topic,
                ]
                words += ["--pages", str(given.pages), "--out", str(run), start]
                with ExitStack() as stack:
                    if kind == "with":
                        stack.enter_context(_watched(base / "runs", run.name, given.clients))
                    subprocess.run(words, check=True)
                speeds[kind].append(_speed(run))
                print(f"{kind}: {speeds[kind][-1]:.1f} pages a second", flush=True)
    without, watched = (statistics.median(speeds[kind]) for kind in ("without", "with"))
    ratio = watched / without
    print(f"{given.rounds} crawls of {given.pages} downloads each, by turns; {given.clients} clients that never read")
    print(f"medians: {without:.1f} pages a second without, {watched:.1f} with; ratio {ratio:.3f}")
    return 0 if ratio >= FLOOR else 1


@contextmanager
def _web() -> Iterator[tuple[str, str, str]]:
    """A served web: HOST:PORT, an address to start from, and a topic."""
    server = subprocess.Popen(
        [*PROGRAM, "web", "serve", WEB], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert server.stdout is not None
        said = "".join(server.stdout.readline() for _ in range(2))
        found = re.search(r"crawl (\S+) --topic '([^']*)' --via (\S+)", said)
        assert found is not None, said
        start, topic, via = found.groups()
        yield via, start, topic
    finally:
        server.terminate()
        server.communicate()


@contextmanager
def _watched(folder: Path, name: str, clients: int) -> Iterator[None]:
    words = [*PROGRAM, "dashboard", str(folder), "--port", "0", "--no-browser", "--quiet"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = re.match(r"http://(127\.0\.0\.1:(\d+))/\?token=(\S+)", server.stdout.readline())
    assert address is not None
    host, port, token = address.groups()
    over = threading.Event()
    watching = threading.Thread(target=_watch, args=(host, int(port), token, name, clients, over))
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()
        server.terminate()
        server.communicate()


def _watch(host: str, port: int, token: str, name: str, clients: int, over: threading.Event) -> None:
    """Readers come when the run is there, and one of them looks at its first screen again and again."""
    stuck: list[socket.socket] = []
    head = f"HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
    try:
        while not over.wait(1.0):
            there = _ask(port, f"GET /api/runs/{name} {head}Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200")
            while there and len(stuck) < clients:
                stuck.append(socket.create_connection(("127.0.0.1", port)))
                stuck[-1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                stuck[-1].sendall(f"GET /api/events?run={name} {head}\r\n".encode())
    finally:
        for sock in stuck:
            sock.close()


def _ask(port: int, request: str) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as sock:
        sock.sendall(request.encode())
        answer = b""
        while chunk := sock.recv(1 << 16):
            answer += chunk
    return answer


def _speed(run: Path) -> float:
    """Downloads a second, from the first gauge to the last: what comes before is the start of a process."""
    told = subprocess.run([*PROGRAM, "status", "--json", str(run)], capture_output=True, check=True, text=True)
    status = json.loads(told.stdout)
    return float(status["downloads"] / (status["gauge"]["at"] - status["started"]))


if __name__ == "__main__":
    began = time.monotonic()
    code = main()
    print(f"took {time.monotonic() - began:.0f} s")
    sys.exit(code)
