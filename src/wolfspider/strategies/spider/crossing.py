"""Crossover and mutation, which the genetic search and annealing share: of the pages that the parents link to, those
that link most often where the parents do; and the next pages of a category far away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wolfspider.core.model import Link
from wolfspider.core.params import param
from wolfspider.strategies.spider.candidates import Candidate, Pool, SpiderParams
from wolfspider.strategies.spider.generations import Spider


@dataclass
class MixedParams(SpiderParams):
    crossover: float = param(0.5, "Children by links, as a share of the population.", low=0, high=1)
    mutation: float = param(0.5, "Pages by leaps, as a share of the population.", low=0, high=1)


class Crossing(Spider):
    """A population is twice the number of outputs. Where children are too few, more leaps make up for them."""

    pools = ("known", "chosen", "brood", "mutants")

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.brood: Pool = {}  # the best children of this generation so far
        self.overlap: dict[str, int] = {}  # links that each of them has in common with the parents, all added
        self.mutants: Pool = {}
        self.lineage = [np.zeros(0, np.uint64), np.zeros(0, np.int64)]  # links of the parents, how often each
        super().begin(seeds, now)

    @property
    def size(self) -> int:
        return 2 * self.params.outputs

    @property
    def shares(self) -> tuple[float, float]:
        """Of crossover and of mutation."""
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
            self._cull()

    def _cull(self) -> None:
        order = sorted(self.brood, key=lambda url: (not self.allows(url), -self.overlap[url]))[: self._crossed]
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
        """What crossover and mutation bring to this generation."""
        self._cull()
        return {**self.brood, **self.mutants}
