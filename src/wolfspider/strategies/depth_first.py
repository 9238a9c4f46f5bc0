"""Depth-first search: the newest page's first link next. The order of Fish-Search's ancestors, and a baseline."""

from __future__ import annotations

from collections.abc import Sequence

from wolfspider.core.model import Link, Outcome
from wolfspider.policy.strategy import Ordered, register


@register
class DepthFirst(Ordered):
    name = "depth-first"
    use = "To compare with. Not for finding the pages of a topic."
    paper = "De Bra and Post 1994, Information retrieval in the World-Wide Web"
    thrifty = False

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.found = 0
        super().begin(seeds, now)

    def observe(self, outcome: Outcome) -> None:
        page = outcome.page
        if not page or not page.links:
            return
        self.found += len(page.links)
        scores = (float(self.found - place) for place in range(len(page.links)))
        self.frontier.extend(page.links, scores, page.final_url)
