"""The simplest strategy for a watch: it looks at its starting points again and again, and once at what they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wolfspider import Link, Outcome, Strategy, Visit, param
from wolfspider.policy.room import Room


@dataclass
class PollingParams:
    rest: float = param(60.0, "Seconds between two looks at a starting point.", low=0)
    again: bool = param(False, "Look at what they show again and again, too.")


class Polling(Strategy):
    name = "polling"
    Params = PollingParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.due: dict[str, float] = {}
        self.links: dict[str, str] = {}  # where each was seen
        self.seeds(seeds)

    def seeds(self, links: Sequence[Link]) -> None:
        self.due.update({link.url: 0.0 for link in links})

    def propose(self, room: Room, now: float) -> list[Visit]:
        visits = []
        for url, at in sorted(self.due.items(), key=lambda item: item[1]):
            if at <= now and room.take(Link(url), fresh=True):
                del self.due[url]
                visits.append(self.visit(Link(url), fresh=True, source=self.links.get(url, "")))
        return visits

    def observe(self, outcome: Outcome) -> None:
        url = outcome.visit.link.url
        if self.params.again or url not in self.links:
            self.due[url] = outcome.at + self.params.rest
        if outcome.page is not None and url not in self.links:
            new = [link.url for link in outcome.page.links if link.url not in self.links and link.url not in self.due]
            self.links.update(dict.fromkeys(new, outcome.page.final_url))
            self.due.update(dict.fromkeys(new, 0.0))

    def wake(self, now: float) -> float | None:
        return max(min(self.due.values(), default=now + 1.0), now + 1e-3)
