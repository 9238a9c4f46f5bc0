"""What the cells of `energy_population` measure beside the population: precision, and how agents fare on pages.

The paper shows precision and does not say which pages it takes for relevant. The crawler's own threshold R is no
measure: it is chosen so that the same share of pages is always above it, whatever the crawl finds. Here a page counts
as relevant if it is at least half as relevant as the starting points are on average. That border is the same for all
crawlers of a ground. The pages that the web itself calls relevant are counted as well. Each document counts once; a
download that brings a known document, or none, brings nothing.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

from wolfspider.bench.measure.folds import Fold
from wolfspider.bench.measure.metrics import charged, key
from wolfspider.bench.measure.population import Energies
from wolfspider.core.events import Landed, Noted
from wolfspider.learn.balance import WARM, Threshold, energy
from wolfspider.strategies.energy.walk import Energy

POINTS = 50  # of a curve over downloads
HALF = 0.5
CURVES = ("in_agents", "on_pages", "births", "deaths", "teleports", "moves", "threshold", "slope")


class PageMeter(Fold):
    """Counts what each download brought, and how agents fare on the pages."""

    def __init__(self, strategy: Energy, relevant: Iterable[str]) -> None:
        super().__init__()
        self._strategy = strategy
        self._relevant = frozenset(map(key, relevant))
        self.relevances = array("d")  # of each download; -1 if it brought nothing new
        self.truth = array("b")  # of each download: did it bring a page that the web calls relevant?
        self.worth = 0.0  # energy that all documents gave or took
        self.rewarded = self.above = 0  # documents that gave energy, and documents above R
        self.low = self.low_deaths = 0  # first visits to pages far below R, and agents that died of them
        self.high = self.clones = 0  # first visits to pages far above R, and clones made there
        self._documents = 0
        self._starts = array("d")  # relevances of starting points
        self._most = 0.0
        self._parent = ""  # the agent whose clones are counted

    def noted(self, event: Noted) -> None:
        self.clones += bool(self._parent) and event.kind == "birth" and event.data["parent"] == self._parent

    def landed(self, event: Landed) -> None:
        self._parent = ""
        before, self._documents = self._documents, len(self._strategy.base)
        if not charged(event):
            return
        page = event.outcome.page if self._documents > before else None
        self.relevances.append(-1.0 if page is None else self._strategy.base.relevances[self._documents - 1])
        self.truth.append(page is not None and key(page.final_url) in self._relevant)
        if page is not None:
            self._document(event, self.relevances[-1])

    def _document(self, landed: Landed, relevance: float) -> None:
        visit, worth = landed.outcome.visit, self._worth(relevance)
        self.worth += worth
        self.rewarded += worth > 0
        self.above += relevance > self._strategy.limit[0]
        self._most = max(self._most, relevance)
        if not visit.source:
            self._starts.append(relevance)
        elif self._documents > WARM:
            self._fared(visit.agent, relevance)

    def _worth(self, relevance: float) -> float:
        """The energy that the document had when it was new."""
        params = self._strategy.params
        if params.model == "original":
            return float(params.gain * relevance - params.cost)
        return energy(relevance, Threshold(*self._strategy.limit), params.cost, params.gain)

    def _fared(self, agent: str, relevance: float) -> None:
        """Far below: not half of R. Far above: nearer to the most relevant page so far than to R."""
        limit = self._strategy.limit[0]
        if relevance <= HALF * limit:
            self.low += 1
            self.low_deaths += agent not in self._strategy.herd
        elif relevance > limit and relevance >= HALF * (limit + self._most):
            self.high += 1
            self._parent = agent

    @property
    def border(self) -> float:
        return HALF * sum(self._starts) / len(self._starts) if self._starts else 0.0

    @property
    def mean_relevance(self) -> float:
        documents = [relevance for relevance in self.relevances if relevance >= 0]
        return sum(documents) / max(1, len(documents))

    def hits(self) -> list[int]:
        """1 for each download that brought a relevant document, 0 for the others."""
        border = self.border
        return [int(relevance >= border and relevance >= 0) for relevance in self.relevances]

    def figures(self) -> dict[str, Any]:
        return {
            "border": self.border,
            "mean_relevance": self.mean_relevance,
            "rewarded": self.rewarded / max(1, self._documents),
            "above": self.above / max(1, self._documents),
            "drift": self.worth / max(1, self._documents),
            "low_visits": self.low,
            "low_deaths": self.low_deaths,
            "high_visits": self.high,
            "clones": self.clones,
        }


def figures(energies: Energies, pages: PageMeter, budget: int) -> dict[str, Any]:
    """All curves at equal steps of the budget, as far as the crawl went, and at its end; and the single figures."""
    done = len(pages.relevances)
    at = [step for number in range(1, POINTS + 1) if (step := budget * number // POINTS) <= done]
    at += [done] if done and done not in at else []
    samples = [max(0, bisect_right(energies.at, point) - 1) for point in at]
    curves = {name: [energies.columns[name][sample] for sample in samples] for name in ("population", *CURVES)}
    if energies.extinct is not None and at:
        curves["population"][-1] = curves["in_agents"][-1] = 0.0
    hits = pages.hits()
    return {
        "at": at,
        **curves,
        "precision": precision(hits, at),
        "truth": precision(pages.truth, at),
        "last_precision": last_precision(hits),
        "last_truth": last_precision(pages.truth),
        "downloads": done,
        "extinct": energies.extinct,
        "smallest": energies.smallest,
        "largest": energies.largest,
        "teleported": energies.teleports,
        "restarted": energies.restarts,
        **pages.figures(),
    }


def precision(hits: Sequence[int], at: Sequence[int]) -> list[float]:
    """The share of hits among the first so many downloads."""
    sums = [0, *accumulate(hits)]
    return [sums[point] / point for point in at]


def last_precision(hits: Sequence[int]) -> float | None:
    """The share of hits in the last tenth of the downloads."""
    last = hits[len(hits) - max(1, len(hits) // 10) :] if hits else ()
    return sum(last) / len(last) if last else None
