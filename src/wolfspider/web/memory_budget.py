"""One budget of bytes for all that pages take in memory, on their way from the network to the disk.

A visit has a claim. The claim grows with the body as it comes and as it is decoded, then by what parsing takes; when
the page was parsed it shrinks to body and page, and it is given back when the page has landed and is committed. A claim
that finds no room waits. So that not all of them wait for each other, the oldest that still grows can always get all
that the largest page needs; the younger ones share the rest. There is always a rest: without one a slow answer would
keep all others waiting. A part of it is for small pages alone, so that large ones which come slowly do not take all of
it. What waits has sent its request and holds no more than its own bytes, and the time is not charged to its server.

How much a page takes was measured (benchmarks/hostile_memory.py); the figures stand here and nowhere else. A page for
which the whole budget is too small is cut, like one that is longer than was asked for.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator

from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.web.page.c_heap import large_blocks_apart, tidy
from wolfspider.web.page.html import MOST_BYTES
from wolfspider.web.page.pages_at_hand import weight

MEGABYTE = 1_000_000
EACH = 512  # megabytes for each process, if nobody says otherwise
DEFAULT = EACH * MEGABYTE
PROCESS = 110 * MEGABYTE  # the crawl itself, without any page
HAND = 70 * MEGABYTE  # a hand that is a process, without any page
PARSED = 14  # bytes in memory, while a page is parsed, for each byte of its body
STREAMED = 3  # bytes in memory, while a body comes, for each that is decoded: up to two as they come, and the one
FIRST = MEGABYTE // 4  # bytes of a request before any of its body is counted: buffers and heads
SMALLEST = MEGABYTE // 10  # of pages that are read whole, however small the budget is
_PARTS = 16  # of the budget; one is for parsed pages at hand, one for pages that a program has not taken yet
_LEFT = 8  # such a part of the room is not for the largest page, so that others come meanwhile
_REST = 4 * FIRST  # nor is that, at least


class MemoryBudget:
    """`memory`: bytes of all processes together. Each hand that is one has a share of what is left for pages, and the
    head has one for those it was brought. `largest`: bytes of a page that a person wants read."""

    def __init__(self, memory: int = DEFAULT, hands: int = 0, largest: int = MOST_BYTES) -> None:
        self.at_hand = self.queued = memory // _PARTS
        room = (memory - PROCESS - hands * HAND - self.at_hand - self.queued) // (hands + 1)
        within = max(SMALLEST, _largest_within(room - max(room // _LEFT, _REST)))
        self.largest = min(largest, within)  # bytes of a page; what is longer is cut
        self.need = _need(self.largest)  # of a page like that
        self.total = max(room, self.need + _REST)  # for all pages that are out or about to land
        self.spare = max(_REST, room // (2 * _LEFT))  # of that, what only small pages may take
        self.held = 0
        self._growing: dict[MemoryClaim, None] = {}  # the oldest first
        self._settled = 0  # claims that hold something and do not grow
        self._waiting: dict[MemoryClaim, tuple[int, asyncio.Future[None]]] = {}

    def claim(self) -> MemoryClaim:
        return self.taken_on(MemoryClaim())

    def taken_on(self, claim: MemoryClaim) -> MemoryClaim:
        """A claim that holds nothing yet draws on this budget from now on."""
        large_blocks_apart()
        claim._budget = self
        return claim

    def _fits(self, claim: MemoryClaim, wanted: int) -> bool:
        after = self.held + wanted - claim.bytes
        oldest = next(iter(self._growing), None)
        if claim is oldest or oldest is None:
            return after <= self.total or not self._settled  # if nobody else gives anything back it must go on
        spare = 0 if wanted <= _need(SMALLEST) else self.spare
        return after + max(0, self.need - oldest.bytes) + spare <= self.total

    async def _grow(self, claim: MemoryClaim, wanted: int) -> None:
        future = asyncio.get_running_loop().create_future()
        self._waiting[claim] = wanted, future
        try:
            await future
        finally:
            self._waiting.pop(claim, None)

    def _hold(self, claim: MemoryClaim, size: int, grows: bool) -> None:
        """Note what a claim holds from now on, and let those go on that have room now."""
        freed = size < claim.bytes or claim.settled or (not grows and claim in self._growing)
        self._settled -= claim.settled
        self.held += size - claim.bytes
        claim.bytes = size
        if grows:
            self._growing.setdefault(claim)
        else:
            self._growing.pop(claim, None)
        claim.settled = size > 0 and not grows
        self._settled += claim.settled
        if freed and self._waiting:
            self._let_go_on()

    def _let_go_on(self) -> None:
        for claim in [each for each in self._growing if each in self._waiting]:
            wanted, future = self._waiting[claim]
            if not future.done() and self._fits(claim, wanted):
                self.held += wanted - claim.bytes  # it is taken here: another may ask before the one that waits is back
                claim.bytes = wanted
                future.set_result(None)


class MemoryClaim:
    """What one visit holds of the budget. `waited`: seconds that it had to wait for room, in all."""

    __slots__ = ("_budget", "_spare", "bytes", "settled", "waited")

    def __init__(self) -> None:
        self._budget: MemoryBudget | None = None  # without one there is always room
        self.bytes = 0
        self.settled = False
        self._spare = 0  # of these bytes, room that was made and is not in use yet
        self.waited = 0.0

    async def begin(self) -> None:
        """A request is about to go out."""
        if not self.grown(FIRST):
            await self.grow(FIRST)
        self.hold(FIRST)

    def must_wait(self, size: int) -> bool:
        """Is there no room for so many bytes more?"""
        if self._budget is None:
            return False
        if self not in self._budget._growing:
            self._budget._hold(self, self.bytes, grows=True)
        return not self._budget._fits(self, self.bytes + size)

    def grown(self, size: int) -> bool:
        """Make room for so many bytes more if there is some now; `hold` says then how many it became."""
        if self.must_wait(size):
            return False
        if self._budget is not None:
            self._spare = size
            self._budget._hold(self, self.bytes + size, grows=True)
        return True

    async def grow(self, size: int) -> None:
        """The same, as soon as there is some."""
        if self._budget is None or self.grown(size):
            return
        self._spare = size
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            await self._budget._grow(self, self.bytes + size)
        finally:
            self.waited += loop.time() - began

    def hold(self, size: int) -> None:
        """Of the room that was made, so many bytes are in use; the rest is given back."""
        if self._budget is not None:
            if size != self._spare or self not in self._budget._growing:
                self._budget._hold(self, self.bytes - self._spare + size, grows=True)
            self._spare = 0

    def settle(self, size: int | None = None) -> None:
        """It grows no more, and holds so many bytes; as many as it does, unless that is said."""
        if self._budget is not None:
            before, self._spare = self.bytes, 0
            self._budget._hold(self, before if size is None else size, grows=False)
            tidy(before - self.bytes)

    def release(self) -> None:
        self.settle(0)


def enough(hands: int, largest: int) -> int:
    """Megabytes that suffice for pages of so many bytes."""
    need = _need(max(SMALLEST, largest))
    room = max(need + _REST, math.ceil(need * _LEFT / (_LEFT - 1)))
    return math.ceil((PROCESS + hands * HAND + (hands + 1) * room) * _PARTS / (_PARTS - 2) / MEGABYTE)


def least(hands: int) -> int:
    """Megabytes below which there is no room even for pages of the smallest size."""
    return enough(hands, SMALLEST)


def parsing(fetch: Fetch) -> int:
    """Bytes that parsing an answer takes beside its body."""
    return 0 if fetch.page is not None or fetch.failure is not None else PARSED * min(len(fetch.body), MOST_BYTES)


def holding(fetch: Fetch, result: Page | Failure) -> int:
    """Bytes of an answer that was parsed: as it came, decoded, and the page."""
    bodies = {id(body): len(body) for body in _bodies(fetch)}
    return sum(bodies.values()) + (weight(result) if isinstance(result, Page) else 0)


def _bodies(fetch: Fetch) -> Iterator[bytes]:
    yield fetch.body
    for capture in fetch.captures:
        yield capture.body


def _need(largest: int) -> int:
    return FIRST + STREAMED * largest + PARSED * min(largest, MOST_BYTES)


def _largest_within(room: int) -> int:
    """Bytes of the largest page that so much room is enough for."""
    left = room - FIRST
    if left <= (STREAMED + PARSED) * MOST_BYTES:
        return left // (STREAMED + PARSED)
    return (left - PARSED * MOST_BYTES) // STREAMED
