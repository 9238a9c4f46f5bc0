"""The searches of the Intelligent Spider: best first, genetic, by simulated annealing, and annealing with leaps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from wolfspider.core.model import Link
from wolfspider.core.params import param
from wolfspider.learn.likeness import Score
from wolfspider.policy.strategy import register
from wolfspider.strategies.spider.candidates import Candidate, Pool, SpiderParams
from wolfspider.strategies.spider.generations import ROOM, SpiderSearch


@dataclass
class SpiderBestFirstParams(SpiderParams):
    ends: str = param(
        "budget",
        "It is over when the budget is spent (budget), or as soon as there are all outputs (outputs, the paper's).",
        choices=("budget", "outputs"),
        letter="outputs",
    )


@register
class SpiderBestFirst(SpiderSearch):
    """Of all pages that were linked to so far, the one most like the inputs is the next to be chosen, and its links are
    fetched too. The search stays near its starting points, and ends where links end."""

    name = "spider-best-first"
    use = (
        "For pages like those you like (--like), near them. Not for large budgets: it scores all pages again for each "
        "that it chooses."
    )
    Params = SpiderBestFirstParams
    variants = ({}, {"outputs": 3, "eq3": "printed"}, {"letter": True})
    params: SpiderBestFirstParams

    def _breed(self) -> Sequence[str]:
        """One page in each generation. All others are scored again with it, because df has grown. If more are chosen
        than wanted, the outputs are the best of them."""
        chosen, known = self._in_scope(self.chosen), self._in_scope(self.known)
        most = self.params.outputs if self.params.ends == "outputs" else math.inf
        if len(chosen) >= most or not known:
            return []
        scores = self._scores({**self.chosen, **self.known})
        fittest = max(known, key=lambda url: scores[url].total)
        self.chosen[fittest] = self.known.pop(fittest)
        if self.params.ends == "budget":
            self.chosen = dict(sorted(self.chosen.items(), key=lambda item: -scores[item[0]].total))
        self.scores = {url: [*scores[url]] for url in self.chosen}
        return [fittest] if len(chosen) + 1 < most else []

    def _eligible(self, url: str) -> bool:
        return url not in self.chosen and super()._eligible(url)

    def _make_room(self) -> None:
        """Any candidate may become an output: the least likely ones go."""
        if len(self.known) > 2 * ROOM:
            scores = self._scores(self.known)
            order = sorted(self.known, key=lambda url: -scores[url].total)
            self.known = {url: self.known[url] for url in order[:ROOM]}


def _children(default: str) -> Any:
    says = (
        "Which pages linked by parents are taken: those most like the inputs (score), or those that share most links "
        "with the parents (links, the paper's)."
    )
    return param(default, says, choices=("score", "links"), letter="links")


@dataclass
class CrossingParams(SpiderParams):
    children: str = _children("links")


def _no_leaps(default: str) -> Any:
    says = (
        "Where there is nowhere to leap: children make the share of leaps, too (children), or nobody does (nobody, the "
        "paper's)."
    )
    return param(default, says, choices=("children", "nobody"), letter="nobody")


@dataclass
class MixedParams(CrossingParams):
    crossover: float = param(0.5, "Children by links, as a share of the population.", low=0, high=1)
    mutation: float = param(0.5, "Pages by leaps, as a share of the population.", low=0, high=1)
    no_leaps: str = _no_leaps("nobody")


class Crossing(SpiderSearch):
    """Crossover and mutation, which the genetic search and annealing share. Crossover takes, of the pages that the
    parents link to, the fittest, or in the paper those that link most often where the parents do; mutation takes the
    next pages of a category far away. A population is twice the number of outputs. Where children are too few, more
    leaps make up for them."""

    pools = ("known", "chosen", "brood", "mutants")
    params: CrossingParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.brood: Pool = {}  # the best children of this generation so far
        self.overlap: dict[str, int] = {}  # how many links each of them shares with the parents, in sum
        self.mutants: Pool = {}
        self.lineage = [np.zeros(0, np.uint64), np.zeros(0, np.int64)]  # links of the parents, how often each
        super().begin(seeds, now)

    @property
    def size(self) -> int:
        return 2 * self.params.outputs

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of crossover and of mutation."""
        return 1.0, 0.0

    @property
    def _crossed(self) -> int:
        return round(self.shares[0] * self.size)

    @property
    def _mutated(self) -> int:
        return round(self.shares[1] * self.size)

    def _meet(self) -> None:
        links = np.concatenate([np.zeros(0, np.uint64), *self.heredity])
        self.lineage = [*np.unique(links, return_counts=True)]
        self.brood, self.overlap, self.mutants = {}, {}, {}
        super()._meet()

    def _child(self, candidate: Candidate) -> None:
        links, times = self.lineage
        self.brood[candidate.url] = candidate
        self.overlap[candidate.url] = int(times[np.isin(links, candidate.terms.links, assume_unique=True)].sum())
        if len(self.brood) > 2 * self.size:
            self._cull(self.size)

    def _cull(self, count: int) -> None:
        worth: Mapping[str, float] = self.overlap
        if self.params.children == "score":
            worth = {url: score.total for url, score in self._scores(self.brood).items()}
        order = sorted(self.brood, key=lambda url: (not self.allows(url), -worth[url]))[:count]
        self.brood = {url: self.brood[url] for url in order}
        self.overlap = {url: self.overlap[url] for url in order}

    def _mutant(self, candidate: Candidate) -> None:
        self.mutants[candidate.url] = candidate

    def _lacking(self) -> int:
        if not self._mutated:
            return 0
        children, mutants = len(self._in_scope(self.brood)), len(self._in_scope(self.mutants))
        return max(0, self._crossed + self._mutated - min(children, self._crossed) - mutants)

    def _offered(self) -> Pool:
        """The candidates that crossover and mutation bring to this generation."""
        self._cull(self._crossed)
        return {**self.brood, **self.mutants}


class Mixing(Crossing):
    """Crossover and mutation by their shares of the population."""

    leaps = True
    params: MixedParams

    @property
    def shares(self) -> tuple[float, float]:
        crossover, mutation = self.params.crossover, self.params.mutation
        if self.params.no_leaps == "children" and self._is_nowhere_to_leap():
            return min(1.0, crossover + mutation), 0.0
        return crossover, mutation


@dataclass
class GeneticParams(MixedParams):
    children: str = _children("score")
    no_leaps: str = _no_leaps("children")
    improvement: float = param(
        0.0, "It is over when total fitness grows by less than this share in a generation.", low=0, high=1, letter=0.01
    )
    generations: int = param(10_000, "Generations at most.", low=1, high=10_000, letter=20)
    barren: int = param(
        20, "It is over after so many generations in a row without a download (0: never).", low=0, high=10_000, letter=0
    )


@register
class SpiderGenetic(Mixing):
    """The fittest pages ever are the elite, and a roulette wheel draws the next parents from it."""

    name = "spider-genetic"
    use = (
        "For pages like those you like (--like), far away too, where leaps lead (--leaps). Not for newspapers: their "
        "menus make all pages alike."
    )
    Params = GeneticParams
    variants = ({}, {"outputs": 3, "crossover": 0.3, "mutation": 0.7}, {"letter": True})
    params: GeneticParams
    barren = 0  # generations in a row without a download
    harvest = 0  # downloads before them

    def _breed(self) -> Sequence[str]:
        """The elite is scored again, too: df has grown, and only scores with the same df can be compared."""
        pool = self._in_scope({**self.chosen, **self._offered()})
        scores = self._scores(pool)
        before = sum(scores[url].total for url in self.chosen if url in pool)
        self._choose(pool, scores, self.size)
        elite = [*self._in_scope(self.chosen)]
        fitness = [scores[url].total for url in elite]
        total = sum(fitness)
        improves = self.generation == 1 or total - before >= self.params.improvement * before
        self.barren, self.harvest = (self.barren + 1 if self.fetched == self.harvest else 0), self.fetched
        exhausted = self.params.barren and self.barren >= self.params.barren
        if not elite or not improves or exhausted or self.generation >= self.params.generations:
            return []
        return self.rng.choices(elite, fitness if total > 0 else None, k=self.size)


@dataclass
class AnnealingParams(CrossingParams):
    scale: str = param(
        "score",
        "Temperatures are differences of scores (score, the paper's), or shares of the present fitness (fitness) or of "
        "the fitness of the first set (start).",
        choices=("score", "fitness", "start"),
    )
    hot: float = param(0.05, "Temperature at the beginning.", low=0.0001, high=100, live=False)
    cooling: float = param(0.9, "What is left of the temperature after each generation.", low=0, high=0.999)
    cold: float = param(0.001, "It is over when it is colder than this.", low=0, high=100)
    still: float = param(0.0001, "It is over when fitness changes by less than this twice in a row.", low=0, high=1)


@register
class SpiderAnnealing(Crossing):
    """Simulated annealing: crossover makes another set of pages, which replaces the present one if it is more like the
    inputs, and otherwise with a chance that falls with the temperature. Crossover alone cannot leave the
    neighbourhood."""

    name = "spider-annealing"
    use = (
        "For pages like those you like (--like), to compare with. Not where pages have few links: it cannot leave the"
        " neighbourhood."
    )
    Params: ClassVar[type] = AnnealingParams
    variants: ClassVar[tuple[Mapping[str, Any], ...]] = (
        {},
        {"outputs": 3, "still": 0.0, "cooling": 0.5},
        {"outputs": 3, "scale": "start"},
    )
    params: AnnealingParams
    first = 0.0  # fitness of the first set

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
        if self.generation == 1:
            self.first = after
        accepted = self.generation == 1 or self._accepts(after - before, before)
        self._choose(offered if accepted else chosen, scores, self.size)
        change = abs(after - before) if accepted else 0.0
        self.quiet = self.quiet + 1 if change < self.params.still else 0
        over = self.temperature < self.params.cold or self.quiet >= 2
        return [] if over else [*self._in_scope(self.chosen)]

    def _accepts(self, change: float, fitness: float) -> bool:
        heat = self.temperature * {"score": 1.0, "fitness": fitness, "start": self.first}[self.params.scale]
        return change > 0 or (heat > 0 and self.rng.random() < math.exp(change / heat))

    def _gauges(self) -> dict[str, float]:
        return {"temperature": self.temperature}


@dataclass
class HybridParams(AnnealingParams, MixedParams):
    pass


@register
class SpiderHybrid(Mixing, SpiderAnnealing):
    """The paper's hybrid: annealing with mutation."""

    name = "spider-hybrid"
    use = (
        "For pages like those you like (--like), where leaps lead (--leaps); mostly behind spider-genetic. Not for "
        "newspapers: their menus make all pages alike."
    )
    Params = HybridParams
    variants = ({}, {"outputs": 3, "crossover": 0.3, "mutation": 0.7})
    params: HybridParams


def mean(scores: Iterable[Score]) -> float:
    totals = [score.total for score in scores]
    return sum(totals) / len(totals) if totals else 0.0
