"""A crawl over real HTTP in a time of its own: a web is served on loopback, and the live driver crawls it on a clock
that stands still while an answer comes and then moves on by the time that the answer is said to take.

So a served web can be compared with the simulation of the same web, page by page, and a crawl with rests takes
seconds. Everything between the strategy and the socket is that of a live crawl: politeness, robots.txt, redirects,
headers, encodings, the parser. Two things are a simulation's: a visit is one answer, however many hops it makes; and
links to hosts of a recorded web have the scheme that the host was recorded with, http and https being one address.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wolfspider.core import codec, events
from wolfspider.core.model import Failure, Fetch, Link, Page, host_of
from wolfspider.core.randomness import generator
from wolfspider.drivers.driver import Clock, Result
from wolfspider.drivers.hands.here import HandsHere
from wolfspider.drivers.live import LiveDriver
from wolfspider.engine.crawl import INSTANT, Crawl
from wolfspider.store.in_memory import Volatile
from wolfspider.testing.sketch import VirtualLoop
from wolfspider.web.http.client import Answer, Client
from wolfspider.web.http.guard import Guard
from wolfspider.web.http.live_robots import REDIRECTS, LiveRobots
from wolfspider.web.http.live_web import Live
from wolfspider.web.http.polite import Manners, Polite
from wolfspider.web.page.html import parse
from wolfspider.web.server.serve import Manner, serve
from wolfspider.web.worlds.recorded import Recorded
from wolfspider.web.worlds.world import Looks, Request, Servable

AGENT = "wolfspider-rehearsal"


def seconds_for(url: str) -> float:
    """How long the answer of an address takes: for each another time, so that no two come at the same moment."""
    return 0.2 + 0.2 * generator(1, url).random()


class Timed:
    """A web whose answers take as long as they do over HTTP here, for its simulation."""

    def __init__(self, world: Looks) -> None:
        self.world = world

    def look(self, url: str, now: float) -> Fetch:
        fetch = self.world.look(url, now)
        return replace(fetch, seconds=seconds_for(fetch.final_url))


class TimedClient(Client):
    """Answers take their seconds of the loop's own time, as soon as the crawl has begun; redirects take none."""

    begun = False

    async def get(self, url: str, headers: Mapping[str, str] | None = None, **options: Any) -> Answer | Any:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        with loop.standing_still():
            answer = await super().get(url, headers, **options)
        if not isinstance(answer, Answer):
            return answer
        seconds = seconds_for(url) if self.begun and answer.status not in REDIRECTS else 0.0
        await asyncio.sleep(seconds)
        return replace(answer, seconds=seconds)


class OneScheme:
    """Reads pages as a simulation of their web does."""

    def __init__(self, world: Servable) -> None:
        self.world = world

    async def __call__(self, fetch: Fetch) -> Page | Failure:
        page = parse(fetch)
        if not isinstance(page, Page) or not isinstance(self.world, Recorded):
            return page
        return replace(page, links=tuple(link._replace(url=self.world.address(link.url)) for link in page.links))


async def _crawled(
    crawl: Crawl, world: Servable, seeds: Iterable[str], manners: Manners, known: Sequence[str]
) -> Result:
    clock = Clock()
    async with serve(world, manner=Manner(speed=0.0)) as served:
        guard = Guard(via=("127.0.0.1", served.port))
        async with TimedClient(guard, AGENT, clock=clock) as client:
            polite = Polite(manners, clock, random.Random(0))
            web = Live(client, guard, polite, LiveRobots(clock), robots_tries=1)
            for url in known:
                await web.fetch(Request(url))
            client.begun = True
            crawl.begin([Link(url) for url in seeds], clock())
            driver = LiveDriver(
                crawl,
                HandsHere(web, OneScheme(world)),
                Volatile(),
                clock=clock,
                tries=1,
                patient=True,
                in_trouble=polite.in_trouble,
                instant=INSTANT,
            )
            driver.room.pause = web.retry_after
            return await driver.run()


def crawl_over_http(
    crawl: Crawl,
    world: Servable,
    seeds: Iterable[str],
    *,
    manners: Manners,
    known: Sequence[str] = (),
) -> Result:
    """Crawl a web over HTTP, from the time at which it starts. Of the hosts of the addresses in `known` the robots.txt
    has been read before: else it is asked for at the first visit to a host, as in any live crawl."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(world.start)) as runner:
        return runner.run(_crawled(crawl, world, seeds, manners, known))


def one_of_each_host(urls: Iterable[str]) -> list[str]:
    """An address of every host."""
    return list({host_of(url): url for url in urls}.values())


def timeless(log: Iterable[events.Event]) -> list[str]:
    """A log as text, to be compared. When a page was looked at is left out: a simulation looks when the visit goes out,
    a server is asked a moment later."""
    return [f"{type(event).__name__} {codec.plain(_timeless(event))!r}" for event in log]


def _timeless(event: events.Event) -> events.Event:
    page = event.outcome.result if isinstance(event, events.Landed) else None
    if not isinstance(event, events.Landed) or not isinstance(page, Page):
        return event
    return replace(event, outcome=replace(event.outcome, result=replace(page, at=0.0)))
