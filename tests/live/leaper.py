"""A strategy that leaps: it asks for its topic first, then follows what comes of that, and leaps again and again."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wolfspider.core.model import Link, Outcome
from wolfspider.policy.strategy import Ordered

EVERY = 4  # pages between two leaps


class Leaper(Ordered):
    name = "leaper"
    paper = "nobody's"

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.leaps, self.pages = 0, 0
        super().begin(seeds, now)
        self._leap()

    def _leap(self) -> None:
        self.leaps += 1
        self.frontier.push(Link(f"leap:{' '.join(self.topic.keywords)} {self.leaps}"), math.inf)

    def observe(self, outcome: Outcome) -> None:
        page = outcome.page
        if page is None:
            return
        self.frontier.extend(page.links, [-float(self.pages)] * len(page.links), page.final_url)
        self.pages += 1
        if self.pages % EVERY == 0:
            self._leap()
