"""ACHE (Barbosa and Freire 2007; the open crawler of New York University): a link classifier that is learned online.

At first a link is worth what its page is worth. After every `every` links followed, a linear classifier is trained on
the words of these links (address, anchor and context, kept apart), with what they led to: relevant or not, or how many
links a relevant page was away. Then everything that waits is scored again:

    relevance = 100 x weight of the likeliest class + 100 x its probability, at most 99

with weights 2, 1 and 0. With two classes the crawler itself gives a link that is surely bad more than one that is
perhaps bad; by default links are ordered by the probability that they are good.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wolfspider.core.model import Link, Verdict
from wolfspider.core.params import param
from wolfspider.learn.link_logistic import fitted, probability
from wolfspider.learn.link_words import Bags, BinWeights
from wolfspider.policy.link_learner import LinkLearner, LinkLearnerParams
from wolfspider.policy.strategy import register

WEIGHTS = (2, 1, 0)  # of the classes, the best first
FEW = 5  # links of a class without which nothing is learned


@dataclass
class AcheParams(LinkLearnerParams):
    every: int = param(100, "Links followed between two trainings, at the least.", low=1, high=100_000, letter=500)
    reach: int = param(5, "Words on either side of a link that are its context.", low=0, high=100, live=False)
    learning: str = param("binary", "Good and bad links, or links by their steps.", choices=("binary", "levels"))
    cost: float = param(1.0, "C of the classifier: how much a link in the wrong class costs.", low=0.001, high=1000)
    printed: bool = param(False, "Order by class first, also where there are two.", letter=True)


def relevance(chances: Sequence[float]) -> float:
    """Of a link whose classes, the best first, have these probabilities."""
    best = max(range(len(chances)), key=chances.__getitem__)
    return 100.0 * WEIGHTS[best] + min(99.0, 100.0 * chances[best])


def balanced(good: Sequence[bool]) -> list[int]:
    """The places of links to learn from: every good one, and a bad one only while there are fewer bad than good."""
    places: list[int] = []
    lead = 0
    for place, is_good in enumerate(good):
        if is_good or lead > 0:
            places.append(place)
            lead += 1 if is_good else -1
    return places


@register
class Ache(LinkLearner):
    name = "ache"
    use = (
        "For long crawls over many sites whose anchors and addresses tell what they lead to. Not for small budgets: "
        "until the first training it goes by pages alone."
    )
    paper = "Barbosa and Freire 2007, An adaptive crawler for locating hidden-Web entry points; ACHE, its open crawler"
    Params = AcheParams
    variants = ({"every": 20}, {"every": 30, "start": 0, "learning": "levels"})
    apart = True
    params: AcheParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.models: list[BinWeights] = []  # one for each class, but for the last of two
        super().begin(seeds, now)

    def untrained(self, verdict: Verdict) -> float:
        return 100.0 + self.rng.randrange(100) if verdict.relevant else 100.0 * verdict.score

    def train(self) -> bool:
        steps, lists = self.visited.steps(), self.visited.bags().lists()
        if self.params.learning == "binary":
            chosen, levels = balanced([step == 0 for step in steps]), 1
        else:
            chosen, levels = [place for place, step in enumerate(steps) if step < len(WEIGHTS)], len(WEIGHTS)
        kinds = [np.array([float(steps[place] == level) for place in chosen]) for level in range(levels)]
        if min(kinds[0].sum(), len(chosen) - kinds[0].sum()) < FEW:
            return False
        bags = Bags.of(lists[place] for place in chosen)
        self.models = [fitted(bags, wanted, self.params.cost) for wanted in kinds]
        return True

    def worth(self, bins: list[int]) -> float:
        chances = [probability(model, bins) for model in self.models]
        if len(chances) == 1:
            if not self.params.printed:
                return 100.0 * chances[0]
            chances.append(1 - chances[0])
        return relevance(chances)
