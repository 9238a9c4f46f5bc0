"""Credits: what the reinforcer pays for the documents that a strategy sends, at once or later."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wolfspider.core.model import Credit, Page, Sent, Verdict, Visit
from wolfspider.engine.sent_documents import SentDocuments
from wolfspider.policy.reinforcer import Reinforcer


class Ledger:
    """The documents that may be sent, and the credits that are not due yet."""

    def __init__(self, reinforcer: Reinforcer) -> None:
        self.reinforcer = reinforcer
        self.credits: list[tuple[float, int, Credit]] = []  # a heap, by the time they are due
        self.credited = 0  # credits that were put on the heap
        self.sent = SentDocuments()

    def remember(self, visit: Visit, page: Page, verdict: Verdict | None) -> None:
        """The evidence of the verdict is left out: nothing is paid for it, and a hundred thousand would be large."""
        bare = None if verdict is None else Verdict(verdict.score, verdict.relevant)
        self.sent.keep(Sent(visit.id, visit.agent, page.final_url, page.digest, page.published, bare))

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

    def restore(self, credits: Iterable[Credit], sent: Mapping[str, Any] | Iterable[Sent]) -> None:
        """`sent` is what the documents gave to be stored. Earlier versions stored them one by one."""
        self.credits = [(credit.at, number, credit) for number, credit in enumerate(credits)]
        self.sent = SentDocuments.restored(sent) if isinstance(sent, Mapping) else SentDocuments(sent)
