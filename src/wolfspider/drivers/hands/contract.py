"""The contract of hands: they go out for a visit, and bring back its answer, read.

The head of a crawl (judge, strategy, journal, store) decides which address is asked for, and a hand does the rest:
guard, robots.txt and politeness, the request, unpacking, reading. What comes back is what the head needs to land the
visit.

A Request says what is asked for, and by it the hand asks back: whether an address is in the scope of the crawl, and,
just before the first request of a visit goes out, whether it may. What a hand learns of hosts (when they may be asked
again, their rules) is known to the head when the visit is back, and outlives the hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.web.memory_budget import MemoryClaim
from wolfspider.web.worlds.world import Askable, Request


class HeldMemory(Protocol):
    """What a visit holds of the memory for pages."""

    def release(self) -> None:
        """Its page has landed and is committed, and nobody here has it any more."""


class Brought(NamedTuple):
    """What a visit brought."""

    fetch: Fetch  # a hand in another process leaves its body behind, and has packed its captures
    result: Page | Failure | None  # None where the copy at hand still holds (304)
    claim: HeldMemory = MemoryClaim()  # to be released by the receiver


class Hands(Protocol):
    async def bring(self, request: Request) -> Brought:
        """The answer to a request, redirects followed, and the page in it; never an exception for what a server or a
        page does. To cancel it ends the request."""
        ...

    @property
    def askable(self) -> Askable:
        """For Sources: the web as it is asked beside the visits, with the same turns."""
        ...

    def follow(self) -> None:
        """The limits of the crawl may have changed."""
        ...

    def name(self, hosts: Sequence[str]) -> None:
        """The person names these hosts, too."""
        ...
