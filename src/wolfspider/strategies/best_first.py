"""Best-first search (Cho, Garcia-Molina and Page 1998; Pant and Menczer 2003), with the anchor variants of Batsakis et
al. 2009.

A link is worth what its page is worth to the topic, what its anchor says, or a mixture of both. With weight 0 this is
naive best-first, with one half the best-first crawler of Batsakis, Petrakis and Milios, with 1 the order of
Pinkerton's WebCrawler. With `batch` above one it is N-best-first: new links wait until the N best of the last time
have been followed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wolfspider.core.model import Link, Outcome, Visit
from wolfspider.core.params import param
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Ordered, register


@dataclass
class BestFirstParams:
    anchor: float = param(0.0, "Weight of the anchor text against the page that shows the link.", low=0, high=1)
    batch: int = param(1, "Links followed before what they brought is ranked among the rest.", low=1, high=10_000)


@register
class BestFirst(Ordered):
    name = "best-first"
    use = (
        "For topics whose pages link to each other. Not for webs where words of the topic mean something else: it "
        "stays among pages that score a little."
    )
    paper = "Cho, Garcia-Molina and Page 1998; Batsakis, Petrakis and Milios 2009"
    Params = BestFirstParams
    variants = ({}, {"anchor": 0.5, "batch": 7})
    params: BestFirstParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.since = 0  # visits since new links were ranked
        self.later: list[tuple[Link, float, str]] = []  # link, score, page
        super().begin(seeds, now)

    def propose(self, room: Room, now: float) -> list[Visit]:
        if self.later and (self.since >= self.params.batch or not self.frontier):
            self._rank()
        visits = super().propose(room, now)
        if self.later and not visits and not self.frontier:  # all that waited is out of scope
            self._rank()
            visits = super().propose(room, now)
        return visits

    def observe(self, outcome: Outcome) -> None:
        self.since += 1
        page, verdict = outcome.page, outcome.verdict
        if page is None or verdict is None:
            return
        weight = self.params.anchor
        shared, like = (1 - weight) * verdict.score, self._similarity.of_text
        scores = [shared + weight * like(link.anchor) for link in page.links] if weight else [shared] * len(page.links)
        if self.params.batch == 1:
            self.frontier.extend(page.links, scores, page.final_url)
        else:
            self.later += ((link, score, page.final_url) for link, score in zip(page.links, scores, strict=True))

    def wake(self, now: float) -> float | None:
        time = super().wake(now)
        return math.inf if time is None and self.later else time

    def _rank(self) -> None:
        for link, score, source in self.later:
            self.frontier.push(link, score, source)
        self.later, self.since = [], 0
