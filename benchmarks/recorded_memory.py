"""How much memory and time a large recorded web takes.

Writes a web of 60,000 made-up pages (about 300 MB compressed) to a temporary folder, opens it in a process of its own,
and looks at some thousands of its pages; then does the same once more, when index and pages are in the cache. Prints
the peak memory of both processes and their times side by side. The peak must stay below 2 GiB.

    python benchmarks/recorded_memory.py [--pages 60000] [--looks 3000] [--folder DIR]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

from wolfspider.web.worlds.recorded import Recorded

HOSTS = 200
WORDS = 1_000
LINKS = 40
LIMIT_MB = 2048


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--pages", type=int, default=60_000)
    options.add_argument("--looks", type=int, default=3_000)
    options.add_argument("--folder", type=Path, default=None, help="where to write, instead of a temporary folder")
    options.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.child:
        print(json.dumps(measured(given.folder, given.pages, given.looks)))
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as where:
        compare(Path(where), given.pages, given.looks)


def compare(where: Path, pages: int, looks: int) -> None:
    started = time.perf_counter()
    size = write(where / "large.warc.gz", pages)
    print(f"{pages:,} pages, {size / 1e6:,.0f} MB compressed, written in {time.perf_counter() - started:.0f} s")
    cold, warm = run(where, pages, looks), run(where, pages, looks)
    print(f"{'':24}{'cold':>12}{'warm':>12}{'ratio':>8}")
    for name, unit, scale in (("open", "s", 1.0), ("look", "us", 1e6)):
        ratio = cold[name] / warm[name]
        print(f"{name + ', ' + unit:24}{cold[name] * scale:12,.2f}{warm[name] * scale:12,.2f}{ratio:8.1f}")
    ratio = cold["peak_mb"] / warm["peak_mb"]
    print(f"{'peak memory, MB':24}{cold['peak_mb']:12,.0f}{warm['peak_mb']:12,.0f}{ratio:8.1f}")
    if max(cold["peak_mb"], warm["peak_mb"]) >= LIMIT_MB:
        sys.exit(f"The peak is above {LIMIT_MB} MB.")


def run(where: Path, pages: int, looks: int) -> dict[str, float]:
    command = [
        sys.executable,
        __file__,
        "--child",
        "--folder",
        str(where),
        "--pages",
        str(pages),
        "--looks",
        str(looks),
    ]
    answer: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return answer


def measured(where: Path, pages: int, looks: int) -> dict[str, float]:
    started = time.perf_counter()
    web = Recorded(where / "large.warc.gz", where / "cache")
    opened = time.perf_counter()
    rng = random.Random(7)
    for _ in range(looks):
        fetch = web.look(address(rng.randrange(pages)), web.start)
        assert fetch.page is not None
    looked = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"open": opened - started, "look": (looked - opened) / looks, "peak_mb": peak}


def address(number: int) -> str:
    return f"http://host{number % HOSTS}.example/page/{number}.html"


def write(path: Path, pages: int) -> int:
    with path.open("wb") as file:
        for record in records(pages):
            packer = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS | 16)
            file.write(packer.compress(record) + packer.flush())
    return path.stat().st_size


def records(pages: int) -> Iterator[bytes]:
    rng = random.Random(1)
    vocabulary = ["".join(rng.choices("etaoinshrdlucmfwypvbgkjqxz", k=rng.randint(2, 11))) for _ in range(50_000)]
    lines = [" ".join(vocabulary[int(50_000 * rng.random() ** 4)] for _ in range(25)) for _ in range(20_000)]
    for number in range(pages):
        told = [f"<p>{line}</p>" for line in rng.choices(lines, k=WORDS // 25)]
        for place in range(LINKS):
            told.insert(
                rng.randrange(len(told)), f'<li><a href="{address(rng.randrange(pages))}">link {place}</a></li>'
            )
        body = f"<html><head><title>Page {number}</title></head><body>{''.join(told)}</body></html>".encode()
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
        head = (
            f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {address(number)}\r\n"
            f"WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n"
        )
        yield head.encode() + block + b"\r\n\r\n"


if __name__ == "__main__":
    main()
