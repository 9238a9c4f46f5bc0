"""What parsing a page costs: CPU time of `parse`, of its parts, and of a page that another process parses.

    python benchmarks/parse_speed.py [WEB ...] [--pages N] [--only-parse ROUNDS]

WEB is a folder or file of WARC, or `synthetic:...`; by default a computed web. Pages are taken evenly from it. Each
figure is the smallest of several rounds, in milliseconds of CPU time for each page, the garbage collector included. The
last lines are what the asking process spends on a page that a parser process reads, and both together.

With `--only-parse` the pages are parsed so often and nothing is timed, for a tool that counts instructions: what two
such runs differ by, over the rounds they differ by and the pages, is what a page takes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from wolfspider.core.model import Fetch, Page
from wolfspider.core.text import counted, near_signature
from wolfspider.web.page import charset, dates, html
from wolfspider.web.page.html import parse
from wolfspider.web.page.packed import packed, parts_of, result_of, unpacked
from wolfspider.web.page.page_reading import PageReading
from wolfspider.web.page.taming import LARGE, tamed
from wolfspider.web.page.tree_walk import read_tree
from wolfspider.web.worlds.recorded import Recorded
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.world import open_web

ROUNDS = 5
DEFAULT = "synthetic:seed=1,pages=2000"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("webs", nargs="*", default=[DEFAULT], metavar="WEB")
    asked.add_argument("--pages", type=int, default=1000)
    asked.add_argument("--only-parse", type=int, default=0, metavar="ROUNDS")
    given = asked.parse_args()
    for web in given.webs:
        if given.only_parse:
            parse_again(web, given.pages, given.only_parse)
        else:
            measure(web, given.pages)


def parse_again(web: str, most: int, rounds: int) -> None:
    fetches = list(islice(answers(web, most), most))
    for _ in range(rounds):
        for fetch in fetches:
            parse(fetch)
    print(f"{web}: {len(fetches)} pages parsed {rounds} times")


def measure(web: str, most: int) -> None:
    fetches = list(islice(answers(web, most), most))
    pages = [page for page in map(parse, fetches) if isinstance(page, Page)]
    size = sum(len(fetch.body) for fetch in fetches) / len(fetches)
    words, links = (sum(len(getattr(page, name)) for page in pages) / len(pages) for name in ("words", "links"))
    print(f"{web}: {len(fetches)} pages of {size / 1000:.1f} kB, {words:.0f} words, {links:.0f} links")
    show("parse", parse, fetches)
    parts(fetches, pages)
    show("packed by a hand", lambda page: packed(parts_of(page)), pages)
    show("unpacked by the head", lambda data: result_of(unpacked(data)), [packed(parts_of(page)) for page in pages])


def parts(fetches: Sequence[Fetch], pages: Sequence[Page]) -> None:
    texts = [charset.decoded(fetch.headers.get("content-type", ""), fetch.body)[0] for fetch in fetches]
    trees = [LexborHTMLParser(text, options=1) for text in texts]
    readings = [read_tree(tree) for tree in trees]
    at_home = list(zip(readings, fetches, strict=True))
    show("from bytes to text", lambda f: charset.decoded(f.headers.get("content-type", ""), f.body), fetches)
    show("bounding tags", lambda text: tamed(text, len(text) > LARGE), texts)
    show("tree (Lexbor)", lambda text: LexborHTMLParser(text, options=1), texts)
    show("walk and words", read_tree, trees)
    show("links", lambda pair: pair[0].links(html.addresses(pair[0].hrefs, pair[1].final_url)), at_home)
    show("language", lambda pair: html.language(pair[0].language, pair[0].sample), at_home)
    show("date", lambda pair: published(pair[0], pair[1]), at_home)
    show("signature", lambda page: near_signature(page.words), pages)
    show("counting, for the judge", lambda page: counted(page.words), pages)


def published(reading: PageReading, fetch: Fetch) -> float | None:
    return dates.published(reading.meta, reading.json, reading.times, fetch.final_url, fetch.at)


def show(name: str, work: Callable[[Any], object], items: Sequence[Any]) -> float:
    spent = min(_cpu(work, items) for _ in range(ROUNDS))
    print(f"{name:>32} {spent:7.3f}")
    return spent


def _cpu(work: Callable[[Any], object], items: Sequence[Any]) -> float:
    began = time.process_time()
    for item in items:
        work(item)
    return 1000 * (time.process_time() - began) / len(items)


def answers(web: str, most: int) -> Iterator[Fetch]:
    """Answers that are pages, taken evenly from all addresses of a web."""
    world = open_web(web)
    assert isinstance(world, Recorded | Synthetic)
    for url in evenly(addresses(world), 2 * most):
        fetch = world.record(url, world.start)
        if isinstance(parse(fetch), Page):
            yield fetch


def addresses(world: Recorded | Synthetic) -> Sequence[str]:
    if isinstance(world, Synthetic):
        return [world.addresses.url(page) for page in range(world.params.pages)]
    return [world.url(number) for number in range(len(world))]


def evenly(urls: Sequence[str], most: int) -> Iterable[str]:
    return urls[:: max(1, len(urls) // most)]


if __name__ == "__main__":
    main()
