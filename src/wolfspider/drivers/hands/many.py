"""Hands as processes: each asks its own part of the hosts, and reads what they answer, on a core of its own.

Hosts are dealt out by their registered domain, each to exactly one hand, so that a host has one place where its turns
are given, and a domain one where its hosts are counted. A visit goes in steps: one address of its way is asked by the
hand that owns it, and a redirect comes back to the head, which knows the scope and who owns the next address.

No request goes out that the head does not know of: a hand asks for leave just before it sends one. So there are never
more at a time than slots, whichever hand they are of; the budget is as exact as in one process; and when a hand dies,
the head knows which hosts it was asking. It lets them rest from then on, as after a crash of its own; a new hand gets
all that was known of its hosts; and what the dead one had not brought is asked for again. A page that two hands died
of while they read it is a trap.

What a hand learns comes with the answers, and is kept by the head's own Live web, which asks nobody meanwhile. Records
for the archive come packed, and the head appends them: they lie in the order of landing, and the archive has one end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import lru_cache

import xxhash

from wolfspider.core.model import Fetch
from wolfspider.drivers.hands.contract import Brought
from wolfspider.drivers.hands.errand import Errand
from wolfspider.drivers.hands.here import still_holds
from wolfspider.drivers.hands.hired import Hired, Orders
from wolfspider.web.http.live_web import Live
from wolfspider.web.worlds.world import Askable, Request


class ManyHands:
    """`web` is the head's: it remembers what the hands learn. `sent_again` is called for each request that a hand took
    with it into death."""

    def __init__(self, web: Live, orders: Orders, sent_again: Callable[[], None] = lambda: None) -> None:
        assert web.hosts is not None
        self._web, self._orders, self._sent_again = web, orders, sent_again
        self._domain = lru_cache(10_000)(web.hosts.domain)
        self._hands = [Hired(web, orders, self._owned_by(number), self.owner) for number in range(orders.hands)]

    def owner(self, host: str) -> Hired:
        return self._hands[xxhash.xxh3_64_intdigest(self._domain(host).encode()) % len(self._hands)]

    def _owned_by(self, number: int) -> Callable[[str], bool]:
        return lambda host: self.owner(host) is self._hands[number]

    async def bring(self, request: Request) -> Brought:
        errand = self._errand(request, read=True)
        fetch = await errand.run()
        if still_holds(fetch, request):
            return Brought(fetch, None, errand)
        result = fetch.failure if errand.result is None else errand.result
        assert result is not None
        return Brought(fetch, result, errand)

    @property
    def askable(self) -> Askable:
        return self

    async def fetch(self, request: Request) -> Fetch:
        """For Sources: what is asked for beside the crawl takes the same turns."""
        return await self._errand(request, read=False).run()

    def without_robots(self) -> _Services:
        """The same hands for services that a person named: they are asked without asking their robots.txt."""
        return _Services(self)

    def _errand(self, request: Request, *, read: bool, robots: bool = True) -> Errand:
        return Errand(self._web, self.owner, request, self._sent_again, read=read, robots=robots)

    def follow(self) -> None:
        for hand in self._hands:
            hand.follow()

    def name(self, hosts: Sequence[str]) -> None:
        self._orders.named += hosts
        for hand in self._hands:
            hand.name(list(hosts))

    async def close(self) -> None:
        await asyncio.gather(*(hand.close() for hand in self._hands))


class _Services:
    def __init__(self, hands: ManyHands) -> None:
        self._hands = hands

    async def fetch(self, request: Request) -> Fetch:
        return await self._hands._errand(request, read=False, robots=False).run()
