"""The start rule: every other visit goes level by level until something pays, so that a crawl that knows nothing yet
does not lock in on the first host that looks a little like its topic.

Learners order links by what earlier links were worth. Before the first relevant page there is nothing to learn from,
and an order by chance likenesses may spend the whole budget in one place. Level by level, the links nearest to the
seeds come first, whatever they look like; on the visits in between the strategy's own order has its chance. After
`start` relevant pages its own order is all there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wolfspider.core.model import Link, Outcome, Visit
from wolfspider.core.params import param
from wolfspider.policy.frontier import Frontier, Item
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Ordered


def start_param(default: int) -> Any:
    """The parameter of the rule, with the default that a strategy needs."""
    about = "Relevant pages until which every other visit goes level by level; 0: none does."
    return param(default, about, low=0, high=100, live=False, letter=0)


@dataclass
class StartParams:
    start: int = start_param(1)


class LevelStart(Ordered):
    """A base for strategies with one order over all links. `observe` of a subclass calls this one first."""

    params: StartParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.paid = 0  # relevant pages so far, as long as that matters
        self.levels = Frontier(self.shelf, self.cap) if self.params.start else None  # the same links, by level
        super().begin(seeds, now)

    def seeds(self, links: Sequence[Link]) -> None:
        super().seeds(links)
        self._put_on_level(links, 0)

    def _put_on_level(self, links: Sequence[Link], level: int, source: str = "") -> None:
        if self.levels is not None:
            self.levels.extend(links, [-float(level)] * len(links), source, level)

    def propose(self, room: Room, now: float) -> list[Visit]:
        if self.levels is None:
            return super().propose(room, now)
        visits: list[Visit] = []
        while found := self._next(room, self.levels):
            item, level = found
            visits.append(self.visit(item.link, source=item.source, note={**self.parts(item), "level": level}))
        return visits

    def _next(self, room: Room, levels: Frontier) -> tuple[Item, int] | None:
        """The next link and its level, by turns from both orders; from the other one where one has none now."""
        both = (levels, self.frontier) if self.proposed % 2 else (self.frontier, levels)
        for first, other in (both, both[::-1]):
            item = first.pop(room)
            if item is None:
                continue
            twin = other.find(item.link.url)
            other.take(item.link.url)
            if first is levels:
                return twin or item._replace(extra=None, number=-1), item.extra
            return item, 0 if twin is None else twin.extra
        return None

    def observe(self, outcome: Outcome) -> None:
        page, verdict = outcome.page, outcome.verdict
        if self.levels is None or page is None or verdict is None:
            return
        self.paid += verdict.relevant
        if self.paid >= self.params.start:
            self.levels = None
        else:
            self._put_on_level(page.links, outcome.visit.note.get("level", 0) + 1, page.final_url)

    def excluded(self) -> int:
        return max(part.aside for part in (self.frontier, self.levels) if part is not None)

    def keeps(self) -> int:
        """The same links lie in both orders."""
        return super().keeps() - (0 if self.levels is None else len(self.levels))
