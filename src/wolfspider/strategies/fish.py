"""Fish-Search (De Bra and Post 1994): a school of fish that breeds where there is food and starves where there is none.

Every link carries a potential and a depth. A relevant page is food: its first links, half as many again as the width,
get potential 1 and the full depth. On other pages the first `width` links get potential one half, the rest none, and
their depth is one less than the page's own; at depth 0 a line dies out. Links are followed by potential, then in the
order they were found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wolfspider.core.model import Link, Outcome
from wolfspider.core.params import param
from wolfspider.policy.frontier import Item
from wolfspider.policy.strategy import Ordered, register


@dataclass
class FishParams:
    depth: int = param(3, "Pages in a row without relevance after which a line dies out.", low=1, high=100)
    width: int = param(10, "Links followed first from a page.", low=1, high=10_000)
    alpha: float = param(1.5, "A relevant page opens this many times the width.", low=1, high=100)


@register
class Fish(Ordered):
    name = "fish"
    use = "For manuals and other sites whose relevant pages lie together. Not for webs where they lie scattered."
    paper = "De Bra and Post 1994, Information retrieval in the World-Wide Web"
    Params = FishParams
    params: FishParams

    def seeds(self, links: Sequence[Link]) -> None:
        for link in links:
            self.frontier.push(link, 2.0, extra=self.params.depth)

    def parts(self, item: Item) -> Mapping[str, Any]:
        return {"potential": item.score, "depth": item.extra}

    def observe(self, outcome: Outcome) -> None:
        page, verdict = outcome.page, outcome.verdict
        if page is None or verdict is None:
            return
        food = verdict.relevant
        below = self.params.depth if food else outcome.visit.note["depth"] - 1
        if below <= 0:
            return
        first = round(self.params.alpha * self.params.width) if food else self.params.width
        potentials = ((1.0 if food else 0.5) if place < first else 0.0 for place in range(len(page.links)))
        self.frontier.extend(page.links, potentials, page.final_url, below)
