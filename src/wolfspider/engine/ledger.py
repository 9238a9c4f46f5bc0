"""Credits: what the reinforcer pays for the documents that a strategy sends, at once or later."""

from __future__ import annotations

import heapq
import math
from collections import OrderedDict
from collections.abc import Iterable, Iterator

from wolfspider.core.model import Credit, Page, Sent, Verdict, Visit
from wolfspider.policy.reinforcer import Reinforcer

SENT_KEPT = 100_000  # documents that may still be sent


class Ledger:
    """The documents that may be sent, and the credits that are not due yet."""

    def __init__(self, reinforcer: Reinforcer) -> None:
        self.reinforcer = reinforcer
        self.credits: list[tuple[float, int, Credit]] = []  # a heap, by the time they are due
        self.credited = 0  # credits that were put on the heap
        self.sent: OrderedDict[int, Sent] = OrderedDict()

    def remember(self, visit: Visit, page: Page, verdict: Verdict | None) -> None:
        self.sent[visit.id] = Sent(visit.id, visit.agent, page.final_url, page.digest, page.published, verdict)
        if len(self.sent) > SENT_KEPT:
            self.sent.popitem(last=False)

    def submit(self, visits: Iterable[int], now: float) -> Iterator[Credit]:
        """A strategy sends the documents of these visits: the credits to be paid at once. The others are kept."""
        for sent in filter(None, map(self.sent.get, visits)):
            for credit in self.reinforcer.submit(sent, now):
                if credit.at > now:
                    heapq.heappush(self.credits, (credit.at, self.credited, credit))
                    self.credited += 1
                else:
                    yield credit

    def due(self, now: float) -> Iterator[Credit]:
        while self.credits and self.next_due() <= now:
            yield heapq.heappop(self.credits)[2]

    def next_due(self) -> float:
        return self.credits[0][0] if self.credits else math.inf

    def in_order(self) -> list[Credit]:
        """The credits that are not due yet, as they are stored."""
        return [credit for _, _, credit in sorted(self.credits, key=lambda held: held[:2])]

    def restore(self, credits: Iterable[Credit], sent: Iterable[Sent]) -> None:
        self.credits = [(credit.at, number, credit) for number, credit in enumerate(credits)]
        self.sent = OrderedDict((one.visit, one) for one in sent)
