"""Credits: what the reinforcer pays for the documents that a strategy sends, at once or later."""

from __future__ import annotations

import heapq
import math
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

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
        """The evidence of the verdict is left out: nothing is paid for it, and a hundred thousand would be large."""
        bare = None if verdict is None else Verdict(verdict.score, verdict.relevant)
        self.sent[visit.id] = Sent(visit.id, visit.agent, page.final_url, page.digest, page.published, bare)
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

    def documents(self) -> dict[str, Any]:
        """The documents that may be sent, as they are stored: in columns, because there are many."""
        kept = self.sent.values()
        verdicts = [one.verdict for one in kept]
        return {
            "visits": array("q", [one.visit for one in kept]),
            "agents": [one.agent for one in kept],
            "urls": [one.url for one in kept],
            "digests": [one.digest for one in kept],
            "published": array("d", [math.nan if one.published is None else one.published for one in kept]),
            "scores": array("d", [math.nan if verdict is None else verdict.score for verdict in verdicts]),
            "relevant": array("b", [verdict is not None and verdict.relevant for verdict in verdicts]),
        }

    def restore(self, credits: Iterable[Credit], sent: Mapping[str, Any] | Iterable[Sent]) -> None:
        """`sent` is what `documents` gave. Earlier versions stored the documents one by one."""
        self.credits = [(credit.at, number, credit) for number, credit in enumerate(credits)]
        documents = _from_columns(**sent) if isinstance(sent, Mapping) else sent
        self.sent = OrderedDict((one.visit, one) for one in documents)


def _from_columns(
    visits: Iterable[int],
    agents: Iterable[str],
    urls: Iterable[str],
    digests: Iterable[str],
    published: Iterable[float],
    scores: Iterable[float],
    relevant: Iterable[int],
) -> Iterator[Sent]:
    dates = (None if math.isnan(date) else date for date in published)
    verdicts = (
        None if math.isnan(score) else Verdict(score, bool(good)) for score, good in zip(scores, relevant, strict=True)
    )
    return map(Sent, visits, agents, urls, digests, dates, verdicts)
