"""Naive Bayes on link text (Chakrabarti, Punera and Subramanyam 2002, the apprentice), with hosts and siblings.

A link is judged before it is followed, by the words of its anchor, of its address and around it: naive Bayes learns
from the links followed so far which words led to relevant pages. Until it has learned, a link is worth what its page is
worth. That is the paper's apprentice. By default two more witnesses are heard, as naive Bayes hears them: what other
links to the same host led to, and what the other links of the same list on the same page led to.

    worth = words + host x its log-odds + siblings x their log-odds + parent x log-odds of the page's score

The siblings of a link whose list nobody has tried yet say what its page says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wolfspider.core.model import Link, Page
from wolfspider.core.params import param
from wolfspider.learn.link_bayes import LinkBayes
from wolfspider.learn.link_words import Floats, link_bins
from wolfspider.policy.frontier import Item
from wolfspider.policy.level_start import start_param
from wolfspider.policy.rated_links import Figures, RatedLinks, RatedLinksParams, logit
from wolfspider.policy.strategy import register

GROWTH = 10  # to weigh all words anew costs as much as there are links: it waits for a tenth more links


@dataclass
class NbLinkParams(RatedLinksParams):
    start: int = start_param(3)
    trust: float = param(10.0, "Made-up outcomes of a host, or of siblings, that are as expected.", low=0.01, high=100)
    every: int = param(25, "Links followed between two trainings, at the least.", low=1, high=100_000, letter=200)
    reach: int = param(6, "Words on either side of a link that are its context.", low=0, high=100, live=False)
    words: float = param(0.4, "Weight of the words of a link.", low=0, high=10, letter=1.0)
    host: float = param(0.9, "Weight of what its host has paid.", low=0, high=10, letter=0.0)
    siblings: float = param(0.8, "Weight of what its siblings have paid.", low=0, high=10, letter=0.0)
    parent: float = param(0.3, "Weight of its page's score.", low=0, high=10, letter=0.0)
    smoothing: float = param(
        35.0, "Made-up links of each class that are like any link.", low=0.01, high=100, letter=1.0
    )
    clip: float = param(5.0, "The most that words may say, in log-odds.", low=0.1, high=100, letter=100.0)


@register
class NbLink(RatedLinks):
    name = "nb-link"
    use = (
        "For webs whose anchors, addresses and lists tell what they lead to. Not for topics without a relevant page "
        "near the seeds: it learns from what it found."
    )
    paper = (
        "Chakrabarti, Punera and Subramanyam 2002, Accelerated focused crawling through online relevance feedback "
        "(its apprentice)"
    )
    Params = NbLinkParams
    variants = ({"every": 20}, {"every": 30, "host": 0.0, "siblings": 0.0, "start": 0, "refresh": 3})
    own = ("said",)  # by its words
    params: NbLinkParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.bayes = LinkBayes(2)
        self.due = self.params.every  # links followed at which it learns anew
        self.trained = False
        super().begin(seeds, now)

    def describe(self, page: Page, held: Floats | None) -> tuple[Figures, Sequence[Any]]:
        words = link_bins(page, self.params.reach)
        return {"said": np.array([self.bayes.evidence(bins) for bins in words])}, words

    def held(self, item: Item, figures: Figures) -> Floats:
        return np.array(item.extra or (), np.float64)  # a seed that pages link to has no words

    def learn(self, held: Floats, reward: float, page: Page | None) -> None:
        self.bayes.add(held.astype(np.int64).tolist(), int(reward))
        if self.followed >= self.due and min(self.bayes.totals) > 0:
            self.due = self.followed + max(self.params.every, self.followed // GROWTH)
            self._train()

    def _train(self) -> None:
        """Weigh the words anew, and hear what those of all waiting links say."""
        self.trained = True
        self.bayes.fit(self.params.smoothing)
        found = [(item.number, self.bayes.evidence(item.extra)) for item in self.frontier.items() if item.extra]
        numbers, said = np.array(found, np.float64).reshape(-1, 2).T
        rows = self.table.rows(numbers)
        self.table["said"][rows[rows >= 0]] = said[rows >= 0]
        self.rate_all()

    def rates(self, figures: Figures) -> Floats:
        params = self.params
        words = params.words * np.clip(figures["said"], -params.clip, params.clip)
        parent = (params.parent if self.trained else 1.0) * logit(figures["parent"])
        return words + params.host * self.by_host(figures) + params.siblings * self.by_siblings(figures) + parent

    def reasons(self, figures: Figures) -> dict[str, Any]:
        return {"words": float(figures["said"][0]), **super().reasons(figures)}
