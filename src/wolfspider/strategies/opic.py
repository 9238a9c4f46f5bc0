"""On-line page importance (Abiteboul, Preda and Cobena 2003): every page hands its cash to its links in equal parts.

The link with the most cash is next. A cheap stand-in for PageRank that needs no graph: importance flows with the
crawl. Cash that goes to a page already visited leaves the game, as does that of a page without links.
"""

from __future__ import annotations

from collections.abc import Sequence

from wolfspider.core.model import Link, Outcome, Visit
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Ordered, register


@register
class Opic(Ordered):
    name = "opic"
    paper = "Abiteboul, Preda and Cobena 2003, Adaptive on-line page importance computation"
    merge = "sum"

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.cash: dict[int, float] = {}  # of the visits that are out
        super().begin(seeds, now)

    def seeds(self, links: Sequence[Link]) -> None:
        for link in links:
            self.frontier.push(link, 1.0)

    def propose(self, room: Room, now: float) -> list[Visit]:
        visits = []
        while item := self.frontier.pop(room):
            visits.append(self.visit(item.link, source=item.source, note={"cash": item.score}))
            self.cash[visits[-1].id] = item.score
        return visits

    def observe(self, outcome: Outcome) -> None:
        cash = self.cash.pop(outcome.visit.id)
        page = outcome.page
        if page and page.links:
            share = [cash / len(page.links)] * len(page.links)
            self.frontier.extend(page.links, share, page.final_url)
