"""A bandit over tag paths (Gauquier et al. 2026, SB-CLASSIFIER): which places of pages show the links that pay?

The arms are clusters of tag paths: links that stand in like places, such as a menu, a list of results or running text.
The arm with the highest upper confidence bound is chosen (a sleeping bandit: only arms that have waiting links count),
and of its links any one. What it pays is the page itself if that is relevant, or the relevant pages that were first
seen on it, or both.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wolfspider.core.model import Link, Page
from wolfspider.core.params import param
from wolfspider.learn.link_words import Floats
from wolfspider.learn.tag_paths import TagPathArms
from wolfspider.policy.frontier import Item
from wolfspider.policy.level_start import start_param
from wolfspider.policy.rated_links import Figures, RatedLinks, RatedLinksParams, slots
from wolfspider.policy.strategy import register

NO_ARM = -1  # of a seed
LOT = 1e-6  # what chance adds to a rate: less than any difference between arms, nearly always


@dataclass
class TagpathBanditParams(RatedLinksParams):
    start: int = start_param(0)
    refresh: int = param(1, "Outcomes between two choices of an arm, at the least.", low=1, high=10_000)
    alpha: float = param(2 * math.sqrt(2), "How much an arm gains by having been tried seldom.", low=0, high=100)
    likeness: float = param(0.75, "Cosine from which on a path belongs to an arm.", low=0, high=1)
    pays: str = param(
        "shown",
        "What an arm is paid for: relevant pages, those first seen on its pages, or both.",
        choices=("page", "shown", "both"),
    )


@register
class TagpathBandit(RatedLinks):
    name = "tagpath-bandit"
    use = (
        "For a few large sites, each with one template, where the place of a link tells what it leads to. Not for webs "
        "of many hosts with templates of their own."
    )
    paper = "Gauquier, Manolescu and Senellart 2026, Efficient crawling for scalable Web data acquisition"
    Params = TagpathBanditParams
    thrifty = False
    variants = ({}, {"start": 1, "pays": "both", "alpha": 1.0, "likeness": 0.9})
    own = ("arm", "lot")
    params: TagpathBanditParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.arms = TagPathArms()
        super().begin(seeds, now)

    def describe(self, page: Page, held: Floats | None) -> tuple[Figures, Sequence[Any]]:
        paths = Counter(link.path for link in page.links)
        arms = {path: self.arms.join(path, self.params.likeness, count) for path, count in paths.items()}
        by = NO_ARM if held is None else int(held[0])
        own = np.array([arms[link.path] for link in page.links], np.float64)
        return {"arm": own, "lot": np.array([self.rng.random() for _ in page.links])}, [by] * len(page.links)

    def held(self, item: Item, figures: Figures) -> Floats:
        shown_by = NO_ARM if item.extra is None else item.extra  # a seed that pages link to
        return np.array([figures["arm"][0], shown_by], np.float64)

    def learn(self, held: Floats, reward: float, page: Page | None) -> None:
        arm, shown_by = int(held[0]), int(held[1])
        self.arms.tries[arm] += 1
        if self.params.pays != "shown":
            self.arms.sums[arm] += reward
        if self.params.pays != "page" and shown_by != NO_ARM:
            self.arms.sums[shown_by] += reward

    def rates(self, figures: Figures) -> Floats:
        if not len(figures["arm"]):
            return np.zeros(0)
        return self.arms.bounds(self.params.alpha)[slots(figures["arm"])] + LOT * figures["lot"]

    def report(self) -> dict[str, Any]:
        return super().report() | {"arms": len(self.arms)}

    def reasons(self, figures: Figures) -> dict[str, Any]:
        arm = int(figures["arm"][0])
        return {"arm": arm, "tries": float(self.arms.tries[arm]), "paid": float(self.arms.sums[arm])}
