"""Random order: every waiting link is as likely to be next as any other. The floor that any policy must beat.

Each link gets an alarm that rings after an exponentially distributed time, and the earliest is followed. Because the
exponential distribution forgets, a link that has waited long is no likelier to be next than one just found: the choice
is uniform over the frontier at every step, without ever looking at more than its head.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wolfspider.core.model import Link, Outcome
from wolfspider.policy.frontier import Item
from wolfspider.policy.strategy import Ordered, register


@register
class Random(Ordered):
    name = "random"
    use = "To compare with: what any order must beat. Not for finding anything."
    paper = "Cho, Garcia-Molina and Page 1998, Efficient crawling through URL ordering (its random order)"
    thrifty = False

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.clock = 0.0
        super().begin(seeds, now)

    def seeds(self, links: Sequence[Link]) -> None:
        for link in links:
            self.frontier.push(link, -self._alarm())

    def parts(self, item: Item) -> Mapping[str, Any]:
        self.clock = max(self.clock, -item.score)
        return {}

    def observe(self, outcome: Outcome) -> None:
        if page := outcome.page:
            for link in page.links:
                if not self.frontier.seen(link.url):
                    self.frontier.push(link, -self._alarm(), page.final_url)

    def _alarm(self) -> float:
        return self.clock + self.rng.expovariate(1.0)
