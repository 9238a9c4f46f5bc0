"""A strategy that asks for its starting points, and again, fresh, as soon as each is back."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wolfspider import Link, Outcome, Strategy, Visit
from wolfspider.policy.room import Room


class Revisiting(Strategy):
    name = "revisiting"

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.queue = [[link.url, False] for link in seeds]

    def seeds(self, links: Sequence[Link]) -> None:
        self.queue += [[link.url, False] for link in links]

    def propose(self, room: Room, now: float) -> list[Visit]:
        taken = [[url, fresh] for url, fresh in self.queue if room.take(Link(url), fresh)]
        self.queue = [entry for entry in self.queue if entry not in taken]
        return [self.visit(Link(url), fresh=fresh) for url, fresh in taken]

    def observe(self, outcome: Outcome) -> None:
        if not outcome.visit.fresh:
            self.queue.append([outcome.visit.link.url, True])

    def wake(self, now: float) -> float | None:
        return math.inf if self.queue else None
