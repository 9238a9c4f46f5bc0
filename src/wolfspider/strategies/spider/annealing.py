"""The Intelligent Spider by simulated annealing: a set of pages is exchanged for the one that crossover makes of it, if
that is more like the inputs, and otherwise with a chance that falls as it cools. With leaps in between it is the
paper's hybrid."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from wolfspider.core.model import Link
from wolfspider.core.params import param
from wolfspider.learn.likeness import Score
from wolfspider.policy.strategy import register
from wolfspider.strategies.spider.candidates import SpiderParams
from wolfspider.strategies.spider.crossing import Crossing, MixedParams


@dataclass
class AnnealingParams(SpiderParams):
    hot: float = param(0.05, "Temperature at the beginning.", low=0.0001, high=100, live=False)
    cooling: float = param(0.9, "What is left of the temperature after each generation.", low=0, high=0.999)
    cold: float = param(0.001, "It is over when it is colder than this.", low=0, high=100)
    still: float = param(0.0001, "It is over when fitness changes by less than this twice in a row.", low=0, high=1)


@register
class SpiderAnnealing(Crossing):
    """Crossover alone: it cannot leave the neighbourhood."""

    name = "spider-annealing"
    Params: ClassVar[type] = AnnealingParams
    variants = ({}, {"outputs": 3, "still": 0.0, "cooling": 0.5})
    params: AnnealingParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.temperature = self.params.hot
        self.quiet = 0  # generations in a row without a change
        super().begin(seeds, now)

    def _breed(self) -> Sequence[str]:
        self.temperature *= self.params.cooling
        offered, chosen = self._in_scope(self._offered()), self._in_scope(self.chosen)
        if not offered:
            return []
        scores = self._scores({**chosen, **offered})
        before = mean(scores[url] for url in chosen)
        after = mean(scores[url] for url in offered)
        accepted = self.generation == 1 or self._accepts(after - before)
        self._choose(offered if accepted else chosen, scores, self.size)
        change = abs(after - before) if accepted else 0.0
        self.quiet = self.quiet + 1 if change < self.params.still else 0
        over = self.temperature < self.params.cold or self.quiet >= 2
        return [] if over else [*self._in_scope(self.chosen)]

    def _accepts(self, change: float) -> bool:
        return change > 0 or (self.temperature > 0 and self.rng.random() < math.exp(change / self.temperature))

    def _gauges(self) -> dict[str, float]:
        return {"temperature": self.temperature}


@dataclass
class HybridParams(AnnealingParams, MixedParams):
    pass


@register
class SpiderHybrid(SpiderAnnealing):
    """With mutation."""

    name = "spider-hybrid"
    leaps = True
    Params = HybridParams
    variants = ({}, {"outputs": 3, "crossover": 0.3, "mutation": 0.7})
    params: HybridParams

    @property
    def shares(self) -> tuple[float, float]:
        return self.params.crossover, self.params.mutation


def mean(scores: Iterable[Score]) -> float:
    totals = [score.total for score in scores]
    return sum(totals) / len(totals) if totals else 0.0
