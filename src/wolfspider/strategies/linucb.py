"""A contextual bandit over links: LinUCB (Li, Chu, Langford and Schapire 2010), its context what is known of a link.

Each waiting link is an arm with a vector of figures: the score of its page, how near its anchor, its address and the
words around it are to the topic, what its host and its siblings have paid, and how new its host is. A linear model
learns what a link pays, which is 1 if its page is relevant and 0 if not, and the link with the highest upper confidence
bound is followed. Nothing is paid for what lies behind a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wolfspider.core.model import Link, Page
from wolfspider.core.params import param
from wolfspider.learn.linear_bandit import LinearBandit
from wolfspider.learn.link_words import Floats, path_of
from wolfspider.policy.frontier import Item
from wolfspider.policy.rated_links import Figures, RatedLinks, RatedLinksParams, slots
from wolfspider.policy.strategy import register

FEATURES = ("any", "parent", "anchor", "address", "context", "host", "siblings", "new host")
THOUGHT = np.array([0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0])  # which of them are thought to pay, to begin with
LARGEST = 5.0  # log-odds that are 1 in the vector: all features are about as large


@dataclass
class LinUcbParams(RatedLinksParams):
    alpha: float = param(0.3, "What a link gains by being unlike those followed so far.", low=0, high=10, letter=1.0)
    ridge: float = param(1.0, "Weight of what is thought to begin with, in examples.", low=0.001, high=1000, live=False)
    prior: float = param(
        0.5, "What the page and the text of a link are thought to weigh.", low=0, high=10, live=False, letter=0.0
    )


@register
class LinUcb(RatedLinks):
    name = "linucb"
    use = (
        "For webs of many hosts, and to compare with: a learner that tries what it does not know yet. Not for topics "
        "reached only over pages off topic, which pay nothing."
    )
    paper = (
        "Li, Chu, Langford and Schapire 2010, A contextual-bandit approach to personalized news article recommendation"
    )
    Params = LinUcbParams
    variants = ({}, {"start": 0, "alpha": 1.0, "prior": 0.0, "refresh": 2})
    own = ("anchor", "address", "context")
    params: LinUcbParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.bandit = LinearBandit(self.params.prior * THOUGHT, self.params.ridge)
        super().begin(seeds, now)

    def describe(self, page: Page, held: Floats | None) -> tuple[Figures, Sequence[Any]]:
        like, links = self._similarity, page.links
        near = {
            "anchor": np.array([like.of_text(link.anchor) for link in links]),
            "address": np.array([like.of_text(path_of(link.url)) for link in links]),
            "context": np.array(like.of_contexts(page)),
        }
        return near, [None] * len(links)

    def features(self, figures: Figures) -> Floats:
        count = len(figures["parent"])
        tried = self.tallies.counts(slots(figures["host"]))
        columns = (
            *(np.ones(count), *(figures[name] for name in ("parent", *self.own))),
            *(self.by_host(figures) / LARGEST, self.by_siblings(figures) / LARGEST, 1 / np.sqrt(1 + tried)),
        )
        return np.stack(columns, axis=1).astype(np.float64)

    def rates(self, figures: Figures) -> Floats:
        return self.bandit.values(self.features(figures), self.params.alpha)

    def held(self, item: Item, figures: Figures) -> Floats:
        return np.asarray(self.features(figures)[0], np.float64)

    def learn(self, held: Floats, reward: float, page: Page | None) -> None:
        self.bandit.teach(held, reward)

    def report(self) -> dict[str, Any]:
        weights = zip(FEATURES, self.bandit.weights.round(3).tolist(), strict=True)
        return super().report() | {"weights": dict(weights)}

    def reasons(self, figures: Figures) -> dict[str, Any]:
        adds = self.features(figures)[0] * self.bandit.weights
        return dict(zip(FEATURES, adds.tolist(), strict=True))
