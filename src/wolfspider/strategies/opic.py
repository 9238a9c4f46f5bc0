"""On-line page importance (Abiteboul, Preda and Cobena 2003): every page hands its cash to its links in equal parts.

The link with the most cash is next. A cheap stand-in for PageRank that needs no graph: importance flows with the
crawl. Cash that goes to a page already visited leaves the game, as does that of a page without links.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wolfspider.core.model import Link, Outcome
from wolfspider.policy.frontier import Item
from wolfspider.policy.strategy import Ordered, register


@register
class Opic(Ordered):
    name = "opic"
    use = "For the most linked pages of a web, and to compare with. Not for finding the pages of a topic."
    paper = "Abiteboul, Preda and Cobena 2003, Adaptive on-line page importance computation"
    merge = "sum"

    def seeds(self, links: Sequence[Link]) -> None:
        for link in links:
            self.frontier.push(link, 1.0)

    def parts(self, item: Item) -> Mapping[str, Any]:
        return {"cash": item.score}

    def observe(self, outcome: Outcome) -> None:
        page = outcome.page
        if page and page.links:
            share = [outcome.visit.note["cash"] / len(page.links)] * len(page.links)
            self.frontier.extend(page.links, share, page.final_url)
