"""What a network of learning automata takes, at the size of a large crawl.

    python benchmarks/automata.py [--pages 100000] [--links 50] [--addresses 1000000]

Every page gets an automaton over links to addresses drawn by Zipf's law, as links of the web are. Addresses are
interned: their text lies on a shelf on the disk once, and an action is a number of four bytes. Printed is what the
process has grown by: of the automata for each page, of the interned addresses for each of them, and for each page.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from wolfspider.core.model import Link
from wolfspider.learn.automaton import Network
from wolfspider.policy.link_shelf import Interned
from wolfspider.store.shelf import DiskShelf


def resident() -> int:
    """Bytes of this process in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def targets(pages: int, links: int, addresses: int) -> Iterator[list[int]]:
    rng = np.random.default_rng(1)
    for _ in range(pages):
        drawn = (addresses ** rng.random(links)).astype(np.int64) % addresses
        yield list(dict.fromkeys(drawn.tolist()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--links", type=int, default=50)
    parser.add_argument("--addresses", type=int, default=1_000_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        shelf = DiskShelf(Path(folder) / "shelf")
        interned, network = Interned(shelf), Network()
        before = resident()
        for number in range(asked.addresses):  # numbered as they come, so that an address is its own number
            interned.number(Link(f"http://host{number % 5000}.example.org/section-{number % 97}/page-{number}.html"))
        shelf.flush()
        known = resident()
        links = 0
        for page, shown in enumerate(targets(asked.pages, asked.links, asked.addresses)):
            network.shown(page, shown)
            links += len(shown)
        of_automata = resident() - known
        of_addresses = known - before
        shelf.close()
    print(
        f"pages={asked.pages} links_per_page={links / asked.pages:.1f} addresses={asked.addresses} "
        f"bytes_per_page={of_automata / asked.pages:.0f} bytes_per_address={of_addresses / asked.addresses:.0f} "
        f"together_per_page={(of_automata + of_addresses) / asked.pages:.0f}"
    )


if __name__ == "__main__":
    main()
