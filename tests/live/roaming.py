"""A strategy that follows every link once and asks for each page again, fresh; it also asks for what gives no page: an
address out of scope, and a search."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wolfspider import Link, Outcome, Strategy, Visit
from wolfspider.policy.room import Room

ASIDE = ("http://out.test/", "search:wolf spiders")


class Roaming(Strategy):
    name = "roaming"

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.queue: list[list[object]] = []
        self.known: dict[str, int] = {}
        self.seeds(seeds)
        self.seeds([Link(url) for url in ASIDE])

    def seeds(self, links: Sequence[Link]) -> None:
        for link in links:
            if link.url not in self.known:
                self.known[link.url] = len(self.known)
                self.queue.append([link.url, False])

    def propose(self, room: Room, now: float) -> list[Visit]:
        taken = [[url, fresh] for url, fresh in self.queue if room.take(Link(str(url)), bool(fresh))]
        self.queue = [entry for entry in self.queue if entry not in taken]
        return [self.visit(Link(str(url)), fresh=bool(fresh)) for url, fresh in taken]

    def observe(self, outcome: Outcome) -> None:
        page = outcome.page
        if page is not None and not outcome.visit.fresh:
            self.queue.append([outcome.visit.link.url, True])
            self.seeds(page.links)

    def wake(self, now: float) -> float | None:
        return math.inf if self.queue else None
