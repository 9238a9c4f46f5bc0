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

import xxhash

from wolfspider.drivers.hands.elsewhere import HandsElsewhere
from wolfspider.drivers.hands.hired import Hired, Orders
from wolfspider.drivers.hands.local_hand import LocalHand
from wolfspider.web.http.live_web import Live

_DIED = "A hand, a process that downloads pages, died. Another takes its place, here and whenever that happens again."


class ManyHands(HandsElsewhere):
    def __init__(
        self, web: Live, orders: Orders, sent_again: Callable[[], None], remark: Callable[[str], None]
    ) -> None:
        super().__init__(web, orders, sent_again)
        self._remark, self._told = remark, False
        self._hands = [
            LocalHand(web, orders, self._owned_by(number), self.owner, self._died) for number in range(orders.hands)
        ]

    def _died(self) -> None:
        """One may die of every page, so it is told once."""
        if not self._told:
            self._told = True
            self._remark(_DIED)

    async def owner(self, host: str) -> Hired:
        return self._hand_of(host)

    def _hand_of(self, host: str) -> LocalHand:
        return self._hands[xxhash.xxh3_64_intdigest(self._domain(host).encode()) % len(self._hands)]

    def _owned_by(self, number: int) -> Callable[[str], bool]:
        return lambda host: self._hand_of(host) is self._hands[number]

    def follow(self) -> None:
        for hand in self._hands:
            hand.follow()

    def name(self, hosts: Sequence[str]) -> None:
        self._orders.named += hosts
        for hand in self._hands:
            hand.name(list(hosts))

    async def close(self) -> None:
        await asyncio.gather(*(hand.close() for hand in self._hands))
