"""Small prices that the documentation names: packing an archive, its requests, a recording, a computed web, categories.

    python benchmarks/prices.py [archive recording looks million categories]

archive      answers of a computed web as records of WARC: packed by igzip, as runs have them, and by zlib at its
             fastest; and what the digest of each block and the record of each request add
recording    the size of a recording of 2,000 downloads
looks        a look at a computed web, and parsing what it gives: the median page
million      a computed web of a million pages: a scan of its labels, and its graph with all addresses
categories   learning categories from a computed web of 20,000 pages

Seconds are those of the processor, so that they are nearly the same on a busy machine. Without a name, all of them.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from isal import isal_zlib

from wolfspider.core.model import Capture, Fetch
from wolfspider.store.categories.building import build, web_origin
from wolfspider.web.page.html import parse
from wolfspider.web.warc import writer
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.synthetic.tasks import relevant_pages

WEB = "synthetic:seed=1,pages={}"
ANSWERS, ROUNDS = 1_000, 5
ASKED = (
    ("Host", "h.test"),
    ("User-Agent", "wolfspider (+http://h.test/)"),
    ("Accept", "text/html"),
    ("From", "a@b.test"),
)

T = TypeVar("T")


def seconds(work: Callable[[], T]) -> tuple[float, T]:
    began = time.process_time()
    done = work()
    return time.process_time() - began, done


def least(work: Callable[[], object]) -> float:
    """Seconds of the quickest of some rounds."""
    return min(seconds(work)[0] for _ in range(ROUNDS))


def answers() -> list[Fetch]:
    world = Synthetic.parse(WEB.format(2 * ANSWERS))
    looks = (world.look(world.addresses.url(page), world.start) for page in range(2 * ANSWERS))
    return [fetch for fetch in looks if fetch.body][:ANSWERS]


def archive() -> Iterator[str]:
    captures = [
        Capture(fetch.url, fetch.at, fetch.status, tuple(fetch.headers.items()), fetch.body, "127.0.0.1", asked=ASKED)
        for fetch in answers()
    ]
    records = [zlib.decompress(writer.response(capture), zlib.MAX_WBITS | 16) for capture in captures]
    quick, fast = (
        [compress(record, 1, zlib.MAX_WBITS | 16) for record in records]
        for compress in (isal_zlib.compress, zlib.compress)
    )
    took = [
        least(lambda compress=compress: [compress(record, 1, zlib.MAX_WBITS | 16) for record in records])  # type: ignore[misc]
        for compress in (isal_zlib.compress, zlib.compress)
    ]
    sizes = [sum(map(len, packed)) for packed in (quick, fast)]
    yield f"zlib takes {took[1] / took[0]:.1f} times as long as igzip, for {sizes[1] / sizes[0]:.2f} times the size"
    alone = [replace(capture, asked=()) for capture in captures]
    requests = least(lambda: list(map(writer.exchange, captures))) - least(lambda: list(map(writer.exchange, alone)))
    digests = least(lambda: [writer.digest_of(record) for record in records])
    size = sum(len(request) for _, request in map(writer.exchange, captures)) / len(captures)
    without = [isal_zlib.compress(_undigested(record), 1, zlib.MAX_WBITS | 16) for record in records]
    more = (sizes[0] - sum(map(len, without))) / len(records)
    each = (requests + digests) / len(captures) * 1e6
    yield f"digest and request of an answer: {size + more:.0f} bytes, {each:.0f} microseconds"


def _undigested(record: bytes) -> bytes:
    return b"\r\n".join(line for line in record.split(b"\r\n") if not line.startswith(b"WARC-Block-Digest"))


def recording() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "wolfspider", "bench", "--web", WEB.format(20_000), "--strategy", "shark"]
        command += ["--pages", "2000", "--jobs", "1", "--quiet", "--record", f"{folder}/recorded"]
        command += ["--topic", next(iter(Synthetic.parse(WEB.format(20_000)).tasks()))]
        subprocess.run([*command, "--json", f"{folder}/rows.json"], check=True, stdout=subprocess.DEVNULL)
        sizes = {path.name: path.stat().st_size for path in Path(folder, "recorded").rglob("*") if path.is_file()}
    yield f"a recording of 2,000 downloads: {sum(sizes.values()) / 1000:,.0f} kB"


def looks() -> Iterator[str]:
    world = Synthetic.parse(WEB.format(20_000))
    took = []
    for page in range(0, 20_000, 20):
        look, fetch = seconds(lambda page=page: world.look(world.addresses.url(page), world.start))  # type: ignore[misc]
        if fetch.body:
            took.append((look, seconds(lambda fetch=fetch: parse(fetch))[0]))  # type: ignore[misc]
    look, parsed = (statistics.median(each) * 1000 for each in zip(*took, strict=True))
    yield f"a look: {look:.2f} ms; parsing the page: {parsed:.2f} ms (medians of {len(took)})"


def million() -> Iterator[str]:
    world = Synthetic.parse(WEB.format(1_000_000))
    scan, _ = seconds(lambda: relevant_pages(world.sites, range(world.params.topics)))
    graph, _ = seconds(lambda: world.graph(world.start))
    yield f"a million pages: {scan:.1f} s for the labels, {graph:.0f} s for the graph"


def categories() -> Iterator[str]:
    world = Synthetic.parse(WEB.format(20_000))
    origin = web_origin(world, 20_000, 0)
    with tempfile.TemporaryDirectory() as folder:
        took, made = seconds(lambda: build(origin, Path(folder) / "categories.sqlite", 0, lambda *_: None))
    yield f"of {made.pages:,} readable pages: {took:.0f} s for {made.categories:,} categories"


PRICES: dict[str, Callable[[], Iterator[str]]] = {
    each.__name__: each for each in (archive, recording, looks, million, categories)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PRICES)}")
    for name in parser.parse_args().names or PRICES:
        for line in PRICES[name]():
            print(f"{name}: {line}", flush=True)


if __name__ == "__main__":
    main()
