"""Hands in the crawl's own process: a web is asked, and the answer is read, on the same event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from wolfspider.core.events import Phase
from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.drivers.hands.contract import Brought
from wolfspider.drivers.reading import ReadHere
from wolfspider.web.http.live_web import Live
from wolfspider.web.memory_budget import MemoryBudget, holding, parsing
from wolfspider.web.worlds.world import Askable, Request, Web

Read = Callable[[Fetch], Awaitable[Page | Failure]]


class HandsHere:
    def __init__(self, web: Web, read: Read | None = None, budget: MemoryBudget | None = None) -> None:
        self._web, self._read, self._budget = web, read or ReadHere(), budget or MemoryBudget()

    @property
    def askable(self) -> Askable:
        assert isinstance(self._web, Live)
        return self._web

    def follow(self) -> None:
        """They have the limits of the crawl before them."""

    def name(self, hosts: Sequence[str]) -> None:
        """They have its guard, too."""

    async def bring(self, request: Request) -> Brought:
        claim = self._budget.taken_on(request.claim)
        try:
            fetch = await self._web.fetch(request)
            request.doing(Phase.READING)
            if still_holds(fetch, request):
                claim.settle(holding(fetch, Failure("status", "304")))
                return Brought(fetch, None, claim)
            await claim.grow(parsing(fetch))
            result = await self._read(fetch)
            claim.settle(holding(fetch, result))
            return Brought(fetch, result, claim)
        except BaseException:
            claim.release()
            raise


def still_holds(fetch: Fetch, request: Request) -> bool:
    """Did the server say that the copy at hand is as good as ever?"""
    return fetch.status == 304 and bool(request.held) and fetch.failure is None
