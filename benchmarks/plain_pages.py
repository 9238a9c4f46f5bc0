"""Is a plain page read from its bytes as it is read from its tree?

    python benchmarks/plain_pages.py [WEB ...] [--pages 100000] [--mutations 0] [--seed 1]

Every page of these webs, and so many of them with pieces lost, doubled, moved or put in, is read by the compiled
reader (web/page/plain_markup.pyx) and from its tree. They must agree in every field, unless the compiled reader hands
the page over. The last line says how many were read, handed over and different; it leaves with 1 if any was different.
The times are CPU milliseconds a page, of pages that were not handed over.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from parse_speed import addresses, evenly

from wolfspider.core.model import Fetch
from wolfspider.testing.mutated_markup import mutated, told
from wolfspider.web.page import charset
from wolfspider.web.page.markup_tree import tree_of
from wolfspider.web.page.plain_markup import read_plain
from wolfspider.web.page.taming import LARGE, tamed
from wolfspider.web.page.tree_walk import read_tree
from wolfspider.web.worlds.recorded import Recorded
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.world import open_web

DEFAULT = "synthetic:seed=1,pages=2000"
_SHOWN = 5  # differences


def texts(web: str, most: int) -> Iterator[str]:
    for fetch in islice(pages(web, most), most):
        kind = fetch.headers.get("content-type", "")
        if fetch.status == 200 and len(fetch.body) <= LARGE and charset.kind_of(kind, fetch.body) == "html":
            yield charset.decoded(kind, fetch.body)[0]


def pages(web: str, most: int) -> Iterator[Fetch]:
    world = open_web(web)
    assert isinstance(world, Recorded | Synthetic)
    return (world.record(url, world.start) for url in evenly(addresses(world), most))


class Tally:
    def __init__(self) -> None:
        self.pages = self.handed_over = self.different = 0
        self.plain = self.tree = 0.0

    def compare(self, text: str) -> None:
        self.pages += 1
        begin = time.process_time()
        plain = read_plain(text)
        middle = time.process_time()
        if plain is None:
            self.handed_over += 1
            return
        tree = read_tree(tree_of(tamed(text, False)))
        self.tree += time.process_time() - middle
        self.plain += middle - begin
        mine, theirs = told(plain), told(tree)
        if wrong := [name for name in theirs if mine[name] != theirs[name]]:
            self.different += 1
            if self.different <= _SHOWN:
                path = Path(f"different-{self.different}.html")
                path.write_text(text, errors="surrogatepass")
                print(f"different in {', '.join(wrong)}: {path}")

    def __str__(self) -> str:
        read = max(1, self.pages - self.handed_over)
        return (
            f"pages={self.pages} handed_over={self.handed_over} different={self.different} "
            f"plain_ms={1000 * self.plain / read:.3f} tree_ms={1000 * self.tree / read:.3f}"
        )


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("webs", nargs="*", default=[DEFAULT], metavar="WEB")
    asked.add_argument("--pages", type=int, default=100_000, help="of each web")
    asked.add_argument("--mutations", type=int, default=0)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    different = 0
    for web in given.webs:
        tally = Tally()
        for text in texts(web, given.pages):
            tally.compare(text)
        print(f"{web}: {tally}", flush=True)
        different += tally.different
    if given.mutations:
        rng, left, tally = random.Random(given.seed), given.mutations, Tally()
        while left:
            for text in (text for web in given.webs for text in texts(web, given.pages)):
                if not left:
                    break
                left -= 1
                tally.compare(mutated(text, rng))
        print(f"mutated: {tally}")
        different += tally.different
    print(f"different={different}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
