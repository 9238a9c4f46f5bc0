"""How much memory does a crawl of hostile pages take? Bodies of 10 MB, bombs, links by the hundred thousand.

    python benchmarks/hostile_memory.py                  # every kind of page, 32 slots; some minutes
    python benchmarks/hostile_memory.py --kinds bomb links --pages 64 --hands 2 --strategy hunter

One loopback server answers for as many hosts as there are slots, every page with a body of one hostile kind. For each
kind a crawl runs as a process of its own; the memory (RSS) of it and of its hands together is read fifty times a
second. Each kind has its line, with what the crawl said in the end. The last line has the highest peak of all, and the
crawls that failed, had fewer downloads than they should or took longer than --longest. Exit code 1 if there is such a
crawl, or the peak is above --most.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import os
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import brotli
from side_by_side import announced

from wolfspider.core.errors import Problem
from wolfspider.store.view import RunView

SIZE = 10_000_000  # bytes of a body, unless --size says another number
ENDLESS = b"<p>" + b"wolf spider lawn night " * 2_000
NAMES = [
    name.encode() for name in (*string.ascii_lowercase, *(a + b for a in "abcdef" for b in string.ascii_lowercase))
]
EVERY = 0.02  # seconds between two looks at the memory
LONGEST = 540.0  # seconds of a crawl, unless --longest says another number


def text() -> bytes:
    return b"wolf spider garden night lawn " * (SIZE // 30)


def words() -> bytes:
    return b" ".join(b"%x" % number for number in range(SIZE // 6))


def wide() -> bytes:
    """One character that makes Python take four bytes for every other."""
    return "\U0001f577".encode() + text()


def links() -> bytes:
    return b"".join(b'<p>wolf <a href="/links/%d">spider %d</a>' % (number, number) for number in range(100_000))


def attributes() -> bytes:
    return b"".join(b"<p %s>wolf" % b" ".join(NAMES[:170]) for _ in range(19_000))


def formatting(filling: int = 0) -> bytes:
    """Elements that are never closed, and that every paragraph opens again. With a filling, they are read where the
    system does not bound the memory."""
    elements = b"".join(b"<b id=%d>" % number for number in range(5_000))
    return b"<p>" + elements + b"<p>wolf" * 14_000 + b"x" * filling


KINDS: dict[str, Callable[[], bytes]] = {
    "text": text,
    "words": words,
    "wide": wide,
    "links": links,
    "attributes": attributes,
    "formatting": formatting,
    "formatting_large": lambda: formatting(SIZE // 10),
    "bomb": lambda: b"wolf spider " * (10 * SIZE // 12),
    "endless": lambda: b"",
    "redirect": text,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--pages", type=int, default=96, help="of each kind")
    parser.add_argument("--slots", type=int, default=32)
    parser.add_argument("--hands", type=int, default=0)
    parser.add_argument("--memory", type=int, default=512)
    parser.add_argument("--most", type=float, default=700.0, help="MB; above it the exit code is 1")
    parser.add_argument("--size", type=float, default=SIZE / 1e6, help="MB of a body")
    parser.add_argument("--strategy", default="breadth-first")
    parser.add_argument("--longest", type=float, default=LONGEST, help="seconds of a crawl")
    parser.add_argument("--serve", choices=KINDS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    globals()["SIZE"] = int(given.size * 1e6)
    if given.serve:
        asyncio.run(serve(given.serve, given.slots, given.pages))
        return 0
    results = {kind: measured(kind, given) for kind in given.kinds}
    peaks = {kind: peak for kind, (peak, _) in results.items()}
    worst = max(peaks, key=lambda kind: peaks[kind])
    unfinished = [kind for kind, (_, whole) in results.items() if not whole]
    told = f"slots={given.slots} hands={given.hands} memory={given.memory} strategy={given.strategy}"
    print(f"{told} worst={worst} peak_mb={peaks[worst]:.0f} unfinished={','.join(unfinished) or 'none'}")
    return int(bool(unfinished) or peaks[worst] > given.most)


def measured(kind: str, given: argparse.Namespace) -> tuple[float, bool]:
    """The highest memory of a crawl of such pages, in MB, and whether it came to its end."""
    options = [part for name in ("slots", "pages", "size") for part in (f"--{name}", str(getattr(given, name)))]
    program = [sys.executable, __file__, "--serve", kind, *options]
    with announced(program) as via, tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        began = time.monotonic()
        command = crawl(via, Path(folder, "run"), given)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            peak = watched(process, given.longest)
            told = " ".join(process.communicate()[0].split())
        downloads = spent(Path(folder, "run"))
    seconds = time.monotonic() - began
    ended = f"{downloads} downloads, exit code {process.returncode}: {told[:120]}"
    print(f"{kind:16} {peak:6.0f} MB  {seconds:5.0f} s  {ended}", flush=True)
    return peak, process.returncode == 0 and downloads >= given.pages


def spent(run: Path) -> int:
    """Downloads of a run."""
    try:
        return RunView(run).summary().downloads
    except Problem:
        return 0


def crawl(via: str, run: Path, given: argparse.Namespace) -> list[str]:
    calm = (
        "--delay",
        "0",
        "--adapt",
        "0",
        "--disk-floor",
        "0",
        "--tries",
        "1",
        "--traps",
        "ignore",
        "--quiet",
    )
    named = ("slots", "pages", "hands", "memory", "strategy")
    options = [part for name in named for part in (f"--{name}", str(getattr(given, name)))]
    start = (sys.executable, "-m", "wolfspider", "crawl", "http://start.test/", "--topic", "wolf spider")
    return [*start, "--via", via, "--out", str(run), *calm, *options]


def watched(process: subprocess.Popen[str], longest: float) -> float:
    peak, until = 0.0, time.monotonic() + longest
    while process.poll() is None and time.monotonic() < until:
        peak = max(peak, sum(map(resident, family(process.pid))) / 1e6)
        time.sleep(EVERY)
    process.kill()
    return peak


def family(pid: int) -> Iterator[int]:
    """A process and its children."""
    yield pid
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            yield from map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())


def resident(pid: int) -> int:
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


# The server


async def serve(kind: str, hosts: int, pages: int) -> None:
    places = [f"http://h{number % hosts}.test/{kind}/{number}" for number in range(2 * pages)]
    start = "".join(f'<p>wolf spiders: <a href="{place}">wolf spider</a>' for place in places).encode()
    answer = answer_of(kind)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ")[1]
                if path == b"/robots.txt":
                    writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                elif path == b"/":
                    writer.write(whole(start))
                elif kind == "endless":
                    await endless(writer)
                elif kind == "redirect" and not path.endswith(b"?again"):
                    writer.write(whole(BODY[kind], 302, b"Location: %s?again" % path))
                else:
                    writer.write(answer)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    print(f"127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


BODY: dict[str, bytes] = {}


def answer_of(kind: str) -> bytes:
    body = BODY[kind] = b"<html lang=en><meta charset=utf-8><title>wolf</title><body>" + KINDS[kind]()
    if kind != "bomb":
        return whole(body)
    packed = brotli.compress(gzip.compress(body, 6), quality=5)
    return whole(packed, 200, b"Content-Encoding: gzip, br")


def whole(body: bytes, status: int = 200, more: bytes = b"X: y") -> bytes:
    head = b"HTTP/1.1 %d Hostile\r\nContent-Type: text/html\r\n%b\r\nContent-Length: %d\r\n\r\n"
    return head % (status, more, len(body)) + body


async def endless(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html lang=en><body>")
    for _ in range(100_000):
        writer.write(ENDLESS)
        await writer.drain()


if __name__ == "__main__":
    sys.exit(main())
