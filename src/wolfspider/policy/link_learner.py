"""A base for strategies that learn, from the links they followed, which words promise a good page.

With every waiting link lie its words as bins and the number of the followed link that led to its page; they come back
when the link is followed, and go to `VisitedLinks` with what it led to. A subclass says what a link with such words is
worth (`worth`), and learns anew in `train`, after which everything that waits is scored again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wolfspider.core.model import Link, Outcome, Verdict
from wolfspider.core.params import param
from wolfspider.learn.link_words import Ints, link_bins
from wolfspider.learn.visited_links import NONE, VisitedLinks
from wolfspider.policy.frontier import Item
from wolfspider.policy.level_start import LevelStart, StartParams

SEED: Ints = np.array([NONE])  # what lies with a link that no page showed
GROWTH = 10  # learning anew costs as much as there are links, so it waits until there are a tenth more pages


@dataclass
class LinkLearnerParams(StartParams):
    every: int = param(200, "Links followed between two trainings, at the least.", low=1, high=100_000)
    reach: int = param(10, "Words on either side of a link that are its context.", low=0, high=100, live=False)


class LinkLearner(LevelStart):
    apart = False  # is a word in an address another one than the same word in an anchor?
    params: LinkLearnerParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.visited = VisitedLinks()
        self.flights: dict[int, Ints] = {}  # visits in flight: what lay with their links
        self.followed = 0
        self.due = self.params.every  # links followed at which it learns anew
        self.trained = False
        super().begin(seeds, now)

    def parts(self, item: Item) -> Mapping[str, Any]:
        if item.extra is not None:
            self.flights[self.proposed] = np.array(item.extra, np.int64)  # the visit that is made next
        return super().parts(item)

    def observe(self, outcome: Outcome) -> None:
        super().observe(outcome)
        page, verdict = outcome.page, outcome.verdict
        before, *bins = self.flights.pop(outcome.visit.id, SEED).tolist()
        number = self.visited.add(before, float(verdict is not None and verdict.relevant), bins)
        if page is not None and verdict is not None:
            for link, words in zip(page.links, link_bins(page, self.params.reach, self.apart), strict=True):
                worth = self.worth(words) if self.trained else self.untrained(verdict)
                self.frontier.push(link, worth, page.final_url, [number, *words])
        self.followed += 1
        if self.followed >= self.due:
            self.due = self.followed + max(self.params.every, self.followed // GROWTH)
            if self.train():
                self.trained = True
                self.frontier.rescore(lambda item: item.score if item.extra is None else self.worth(item.extra[1:]))

    @abstractmethod
    def untrained(self, verdict: Verdict) -> float:
        """What a link is worth of a page with this verdict, as long as nothing is learned."""

    @abstractmethod
    def worth(self, bins: list[int]) -> float:
        """What a link with these words is worth."""

    @abstractmethod
    def train(self) -> bool:
        """Learn anew from the links followed; False if there is not enough to learn from."""
