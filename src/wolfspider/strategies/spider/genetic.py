"""The Intelligent Spider's genetic search: half of a generation are children, pages to which the parents link and that
link where the parents do; half are mutants, the next pages of a category far away. The fittest ever are the elite, and
a roulette wheel draws the next parents from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wolfspider.core.params import param
from wolfspider.policy.strategy import register
from wolfspider.strategies.spider.crossing import Crossing, MixedParams


@dataclass
class GeneticParams(MixedParams):
    improvement: float = param(
        0.01, "It is over when total fitness grows by less than this share in a generation.", low=0, high=1
    )
    generations: int = param(20, "Generations at most.", low=1, high=10_000)


@register
class SpiderGenetic(Crossing):
    name = "spider-genetic"
    leaps = True
    Params = GeneticParams
    variants = ({}, {"outputs": 3, "crossover": 0.3, "mutation": 0.7})
    params: GeneticParams

    @property
    def shares(self) -> tuple[float, float]:
        return self.params.crossover, self.params.mutation

    def _breed(self) -> Sequence[str]:
        """The elite is rated anew, too: df has grown, and only scores of one moment can be compared."""
        pool = self._in_scope({**self.chosen, **self._offered()})
        scores = self._scores(pool)
        before = sum(scores[url].total for url in self.chosen if url in pool)
        self._choose(pool, scores, self.size)
        elite = [*self._in_scope(self.chosen)]
        fitness = [scores[url].total for url in elite]
        total = sum(fitness)
        improves = self.generation == 1 or total - before >= self.params.improvement * before
        if not elite or not improves or self.generation >= self.params.generations:
            return []
        return self.rng.choices(elite, fitness if total > 0 else None, k=self.size)
