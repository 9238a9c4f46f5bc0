"""TRES (Kontogiannis, Kelesis, Pollatos, Giannakopoulos and Paliouras 2022): deep Q-learning over links.

What is known of a link is a vector: is its page relevant, how far back on the path lies the last relevant page and how
many of the path are, what its address and its anchor have of the topic, and what its host has paid. A net learns the
value of following it: 1 if its page is relevant, and at a discount the value of the best link there. Until it has
learned, a link is worth what its page is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wolfspider.core.model import Link, Page
from wolfspider.core.params import param
from wolfspider.learn.link_words import Floats, path_of
from wolfspider.learn.q_learning import QNet, StepMemory
from wolfspider.policy.frontier import Item
from wolfspider.policy.rated_links import Figures, RatedLinks, RatedLinksParams, slots
from wolfspider.policy.strategy import register

PATH = ("good", "length", "since")  # of the path to a link: relevant pages, pages, and pages since the last relevant
TEXT = ("address", "anchor", "context")
INPUTS = 9


@dataclass
class TresParams(RatedLinksParams):
    hidden: int = param(64, "Hidden units of the net.", low=1, high=500, live=False)
    discount: float = param(0.9, "What a reward is worth one link earlier.", low=0, high=0.999, letter=0.99)
    rate: float = param(0.003, "Learning rate of the net.", low=0.00001, high=1, letter=0.001)
    batch: int = param(60, "Steps in a lesson.", low=1, high=1000)
    warmup: int = param(50, "Links followed before the first lesson.", low=1, high=100_000, letter=300)
    pause: int = param(1, "Links followed between two lessons.", low=1, high=1000, letter=3)
    copies: int = param(100, "Lessons between two copies of the net.", low=1, high=100_000, letter=500)


@register
class Tres(RatedLinks):
    name = "tres"
    use = (
        "To compare with: what deep reinforcement learning makes of a few figures of links. Not for small budgets: a "
        "net learns slowly."
    )
    paper = (
        "Kontogiannis, Kelesis, Pollatos, Giannakopoulos and Paliouras 2022, Tree-based focused web crawling with "
        "reinforcement learning"
    )
    Params = TresParams
    variants = ({"warmup": 20, "hidden": 8}, {"start": 0, "warmup": 30, "hidden": 4, "batch": 8, "copies": 5})
    own = (*PATH, *TEXT)
    params: TresParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.net = QNet.drawn(INPUTS, self.params.hidden, self.rng)
        self.older = self.net.copied()
        self.memory = StepMemory(INPUTS)
        super().begin(seeds, now)

    @property
    def trained(self) -> bool:
        return self.net.steps > 0

    def describe(self, page: Page, held: Floats | None) -> tuple[Figures, Sequence[Any]]:
        like, links = self._similarity, page.links
        path = np.zeros(len(PATH)) if held is None else held[INPUTS:]
        near = {
            **{name: np.full(len(links), value) for name, value in zip(PATH, path.tolist(), strict=True)},
            "address": np.array([like.of_text(path_of(link.url)) for link in links]),
            "anchor": np.array([like.of_text(link.anchor) for link in links]),
            "context": np.array(like.of_contexts(page)),
        }
        return near, [None] * len(links)

    def features(self, figures: Figures) -> Floats:
        hosts = slots(figures["host"])
        columns = (
            (figures["parent"] >= 0.5).astype(np.float64),
            1 / (1 + figures["since"]),
            figures["good"] / np.maximum(figures["length"], 1),
            (figures["address"] > 0).astype(np.float64),
            (figures["anchor"] > 0).astype(np.float64),
            figures["anchor"],
            figures["context"],
            self.tallies.means(hosts, self.usual, self.params.trust),
            (self.tallies.counts(hosts) == 0).astype(np.float64),
        )
        return np.stack(columns, axis=1).astype(np.float64)

    def rates(self, figures: Figures) -> Floats:
        return self.net.of(self.features(figures)) if self.trained else np.asarray(figures["parent"], np.float64)

    def held(self, item: Item, figures: Figures) -> Floats:
        path = [figures[name][0] for name in PATH]
        return np.concatenate((self.features(figures)[0], path)).astype(np.float64)

    def learn(self, held: Floats, reward: float, page: Page | None) -> None:
        self.memory.add(held[:INPUTS], reward)
        good, length, since = held[INPUTS:].tolist()
        held[INPUTS:] = good + reward, length + 1, 0.0 if reward else since + 1  # the path goes on from here

    def entered(self, figures: Figures, held: Floats | None) -> None:
        if held is not None:
            self.memory.follow(self.features(figures))
        params = self.params
        if self.followed >= params.warmup and self.followed % params.pause == 0 and len(self.memory):
            self.memory.lesson(self.net, self.older, params.batch, params.discount, params.rate, self.rng)
            if self.net.steps % params.copies == 0:
                self.older = self.net.copied()

    def reasons(self, figures: Figures) -> dict[str, Any]:
        return {"value": float(self.rates(figures)[0])}
