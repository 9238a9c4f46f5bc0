"""How long does a crawl take some of whose hosts are in trouble? In virtual time, so it is the same on any machine.

    python benchmarks/hosts_in_trouble.py     # 5,000 downloads, 800 hosts, every eighth of them never answers
    python benchmarks/hosts_in_trouble.py --strategy lafc --set control=0 --set similarity=judge --pages 500

The live driver with the manners of a live crawl: a host that does not answer rests for a minute, then for two, then for
four. The last line has the figures: seconds of virtual time in all, seconds for the last hundredth of the downloads,
downloads, pages. Exit code 1 if the last hundredth took longer than a host in trouble rests for. Agents that wait for
the outcome of each visit wait for a host no longer than they do in a live crawl.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import sys
from typing import Any

from wolfspider.app.assemble import patience_of
from wolfspider.app.settings import Settings
from wolfspider.core.events import Event, Landed
from wolfspider.core.model import Failure, Fetch, Link, Page, host_of
from wolfspider.core.randomness import generator
from wolfspider.drivers.driver import Clock, Result
from wolfspider.drivers.hands.here import HandsHere
from wolfspider.drivers.live import LiveDriver
from wolfspider.drivers.simulated import simulated_crawl
from wolfspider.engine.crawl import Limits
from wolfspider.store.in_memory import Volatile
from wolfspider.strategies import strategy_named
from wolfspider.testing.sketch import TOPIC, VirtualLoop
from wolfspider.web.http.polite import Manners, Polite
from wolfspider.web.worlds.world import Request, Waited

START = 1.7e9
TIMEOUT = 30.0  # seconds after which a request that nobody answers is given up


class Wide:
    """Pages whose links lead to all hosts alike."""

    def __init__(self, hosts: int) -> None:
        self.hosts = hosts

    def address(self, number: int) -> str:
        return f"http://h{number % self.hosts}.test/{number}"

    def look(self, url: str, now: float) -> Fetch:
        rng = generator(1, url)
        links = tuple(Link(self.address(rng.randrange(10**6)), at=at) for at in range(5))
        page = Page(url, url, "a page", ("spider",), links, 400, url, at=now)
        return Fetch(url, url, 200, seconds=0.1 + rng.random(), at=now, page=page)


class Troubled(Waited):
    """Every eighth host never answers."""

    def __init__(self, world: Wide, clock: Clock, rest: float, patience: float) -> None:
        super().__init__(world, clock)
        self.polite = Polite(Manners(backoff=rest, patience=patience), clock, random.Random(1))

    async def fetch(self, request: Request) -> Fetch:
        host = host_of(request.url)
        async with self.polite.turn(host, "", request.waits) as refused:
            if refused is not None:
                return Fetch(request.url, request.url, failure=refused, at=self.clock())
            if int(host[1:].removesuffix(".test")) % 8:
                fetch = await super().fetch(request)
                self.polite.answered(host, 200, {}, fetch.seconds)
                return fetch
            request.may_send()
            await asyncio.sleep(TIMEOUT)
            failure = Failure("timeout", "no answer")
            self.polite.failed(host, failure, TIMEOUT)
            return Fetch(request.url, request.url, failure=failure, seconds=TIMEOUT, at=self.clock())


async def crawled(options: argparse.Namespace, log: list[Event]) -> Result:
    world, clock = Wide(options.hosts), Clock()
    given = dict(setting.split("=", 1) for setting in options.set)
    strategy = strategy_named(options.strategy).new(TOPIC, generator(1), given)
    crawl = simulated_crawl(strategy, "keywords", world, Limits(options.pages, options.slots, 1.0))
    crawl.listen(log.append)
    crawl.begin([Link(world.address(number)) for number in range(5)], clock())
    patience = patience_of(Settings(strategy=options.strategy))
    web = Troubled(world, clock, options.rest, patience)
    more: dict[str, Any] = {"in_trouble": web.polite.in_trouble}
    driver = LiveDriver(crawl, HandsHere(web), Volatile(), clock=clock, tries=2, patient=True, **more)
    driver.room.pause = lambda host: max(0.0, web.polite.ready_at(host) - clock())
    driver.room.longest = patience if strategy.awaits else math.inf
    return await driver.run()


def main() -> int:
    parser = argparse.ArgumentParser(description="A crawl with hosts in trouble.")
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--hosts", type=int, default=800)
    parser.add_argument("--slots", type=int, default=32)
    parser.add_argument("--rest", type=float, default=60.0, help="seconds that a host rests after its first trouble")
    parser.add_argument("--strategy", default="breadth-first")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the strategy")
    options = parser.parse_args()
    log: list[Event] = []
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(START)) as runner:
        result = runner.run(crawled(options, log))
    landed = [event for event in log if isinstance(event, Landed)]
    late = next((event.at for event in landed if event.downloads >= options.pages * 99 // 100), START)
    pages, last = sum(isinstance(event.outcome.result, Page) for event in landed), result.at - late
    print(
        f"seconds={result.at - START:.0f} last_hundredth={last:.0f} downloads={result.downloads} pages={pages} "
        f"reason={result.reason}"
    )
    return int(last > options.rest)


if __name__ == "__main__":
    sys.exit(main())
