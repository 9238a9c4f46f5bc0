"""One strategy on the same ground again and again, each crawl starting from what the one before learned.

    for epoch in epochs(crawl_of, looks, seeds, start, 20):
        print(epoch.number, epoch.result.downloads, epoch.network, epoch.processor)

`crawl_of(number)` makes a crawl that has not begun, with listeners as wanted. A crawl begins when the one before it has
ended. What is learned passes through `codec`, as it does between runs, so that no two crawls share anything.

`Keeping` is a web whose pages are parsed once, however many crawls look at them. What it answers does not depend on who
asked before: a page that would fail at this moment is asked for anew, and does.
"""

from __future__ import annotations

import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from wolfspider.core import codec
from wolfspider.core.model import Fetch, Page
from wolfspider.core.text import counts
from wolfspider.drivers.simulated import Result, simulate
from wolfspider.engine.crawl import Crawl
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import Looks, World

PAGES_KEPT = 30_000  # parsed, about 25 KB each


class Keeping:
    """A World that keeps what it has parsed, where nothing changes any more. `seconds` is the time of the processor
    that its answers have taken."""

    def __init__(self, world: World, most: int = PAGES_KEPT) -> None:
        self.world, self.most = world, most
        self.seconds = 0.0
        self._pages: OrderedDict[str, tuple[Fetch, Page, Callable[[float], bool]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._pages)

    def look(self, url: str, now: float) -> Fetch:
        began = time.process_time()
        known = self._pages.get(url)
        if known is not None and not known[2](now):
            fetch = replace(known[0], at=now, page=replace(known[1], at=now))
        else:
            fetch = self._asked(url, now)
        self.seconds += time.process_time() - began
        return fetch

    def _asked(self, url: str, now: float) -> Fetch:
        fetch = self.world.look(url, now)
        result = parse(fetch)
        if not isinstance(result, Page) or now < self.world.end:
            return fetch
        page = replace(result, words=tuple(map(sys.intern, result.words)))  # many pages, few words
        counts(page)
        fetch = replace(fetch, body=b"", page=page)
        self._pages[url] = (fetch, page, self.world.failing(fetch))
        if len(self._pages) > self.most:
            self._pages.popitem(last=False)
        return fetch


class Epoch(NamedTuple):
    """A crawl that is over, and its seconds: of the network, in virtual time, and of the processor, without those that
    the web's answers took."""

    number: int
    crawl: Crawl
    result: Result
    network: float
    processor: float


def epochs(
    crawl_of: Callable[[int], Crawl],
    looks: Looks,
    kept: Keeping,
    seeds: Sequence[str],
    start: float,
    crawls: int,
    inherit: bool = True,
) -> Iterator[Epoch]:
    """`looks` is what the crawls see of `kept`, which knows how long it took. Without `inherit` each crawl begins with
    nothing learned: what becomes of it then shows what inheriting is good for."""
    learned = None
    for number in range(crawls):
        began = time.process_time() - kept.seconds
        crawl = crawl_of(number)
        if learned is not None:
            crawl.strategy.inherit(codec.unpack(*learned))
        result = simulate(crawl, looks, start=start, seeds=seeds)
        learned = codec.pack(crawl.strategy.learned()) if inherit and number + 1 < crawls else None
        yield Epoch(number, crawl, result, result.at - start, time.process_time() - kept.seconds - began)
        start = result.at
