"""Hands in other processes, wherever these are: each host has one that asks it, and visits go there by errands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache

from wolfspider.core.model import Fetch
from wolfspider.drivers.hands.contract import Brought
from wolfspider.drivers.hands.errand import Errand
from wolfspider.drivers.hands.here import still_holds
from wolfspider.drivers.hands.hired import Hired, Orders
from wolfspider.web.http.live_web import Live
from wolfspider.web.worlds.world import Askable, Request


class HandsElsewhere(ABC):
    """`web` is the head's: it remembers what the hands learn. `sent_again` is called for each request that a hand took
    with it into death."""

    def __init__(self, web: Live, orders: Orders, sent_again: Callable[[], None] = lambda: None) -> None:
        assert web.hosts is not None
        self._web, self._orders, self._sent_again = web, orders, sent_again
        self._domain = lru_cache(10_000)(web.hosts.domain)

    @abstractmethod
    async def owner(self, host: str) -> Hired:
        """Who asks a host. No other task may run between the answer and what is asked of it."""

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


class _Services:
    def __init__(self, hands: HandsElsewhere) -> None:
        self._hands = hands

    async def fetch(self, request: Request) -> Fetch:
        return await self._hands._errand(request, read=False, robots=False).run()
