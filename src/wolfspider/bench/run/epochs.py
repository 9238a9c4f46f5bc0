"""One strategy on the same ground again and again, each crawl starting from what the one before learned.

    for epoch in epochs(crawl_of, looks, seeds, start, 20):
        print(epoch.number, epoch.result.downloads, epoch.network, epoch.processor)

`crawl_of(number)` makes a crawl that has not begun, with listeners as wanted. A crawl begins when the one before it has
ended. What is learned passes through `codec`, as it does between runs, so that no two crawls share anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from wolfspider.core import codec
from wolfspider.drivers.driver import Result
from wolfspider.drivers.simulated import simulate
from wolfspider.engine.crawl import Crawl
from wolfspider.web.worlds.parsed_once import ParsedOnce
from wolfspider.web.worlds.world import Looks


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
    kept: ParsedOnce,
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
