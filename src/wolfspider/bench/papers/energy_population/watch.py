"""What the cells of `energy_population` measure of a crawl beside its population: how precise it is, and how agents
fare on single pages.

The paper shows precision and does not say what it takes for relevant. Above the crawler's own threshold R there is
always the same share of pages, whatever it finds: R is chosen so. So a page counts as relevant here if it is half as
relevant as the starting points are in the mean, which is the same for all crawlers of a ground. What the web itself
says is relevant is counted beside it. Each document counts once; a download that brings a known one, or none, brings
nothing.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

from wolfspider.bench.measure.metrics import charged, key
from wolfspider.bench.measure.population import Energies
from wolfspider.core.events import Event, Landed, Noted
from wolfspider.learn.balance import WARM, Threshold, energy
from wolfspider.strategies.energy.walk import Energy

POINTS = 50  # of a curve over downloads
HALF = 0.5
CURVES = ("in_agents", "on_pages", "births", "deaths", "teleports", "moves", "threshold", "slope")


class Watch:
    """Listens to one crawl of energy-regulated agents."""

    def __init__(self, strategy: Energy, relevant: Iterable[str]) -> None:
        self._strategy = strategy
        self._relevant = frozenset(map(key, relevant))
        self.relevances = array("d")  # of each download; -1 if it brought nothing new
        self.truth = array("b")  # likewise: is it what the web calls relevant?
        self.worth = 0.0  # sum of what documents gave or took
        self.rewarded = 0  # those that gave something
        self.above = 0  # those above R
        self.low = self.low_deaths = 0  # first visits to pages far below R, and agents that died of it
        self.high = self.clones = 0  # first visits to pages far above it, and clones made there
        self._known = 0
        self._starts = array("d")  # relevances of starting points
        self._most = 0.0
        self._parent = ""  # whose clones are counted

    def __call__(self, event: Event) -> None:
        if isinstance(event, Noted):
            self.clones += bool(self._parent) and event.kind == "birth" and event.data["parent"] == self._parent
        elif isinstance(event, Landed):
            self._parent = ""
            known, self._known = self._known, len(self._strategy.base)
            if charged(event):
                self._landed(event, self._known > known)

    def _landed(self, landed: Landed, new: bool) -> None:
        page = landed.outcome.page if new else None
        relevance = -1.0 if page is None else self._strategy.base.relevances[self._known - 1]
        self.relevances.append(relevance)
        self.truth.append(page is not None and key(page.final_url) in self._relevant)
        if page is not None:
            self._document(landed, relevance)

    def _document(self, landed: Landed, relevance: float) -> None:
        visit = landed.outcome.visit
        worth = self._worth(relevance)
        self.worth += worth
        self.rewarded += worth > 0
        self.above += relevance > self._strategy.limit[0]
        self._most = max(self._most, relevance)
        if not visit.source:
            self._starts.append(relevance)
        elif self._known > WARM:
            self._fared(visit.agent, relevance)

    def _worth(self, relevance: float) -> float:
        """What the document had when it was new."""
        known = self._strategy.params
        if known.model == "original":
            return float(known.gain * relevance - known.cost)
        return energy(relevance, Threshold(*self._strategy.limit), known.cost, known.gain)

    def _fared(self, agent: str, relevance: float) -> None:
        """Far below: not half of R. Far above: nearer to the most relevant page so far than to R."""
        limit = self._strategy.limit[0]
        if relevance <= HALF * limit:
            self.low += 1
            self.low_deaths += agent not in self._strategy.herd
        elif relevance > limit and relevance >= HALF * (limit + self._most):
            self.high += 1
            self._parent = agent

    # What is read from it

    @property
    def border(self) -> float:
        return HALF * sum(self._starts) / len(self._starts) if self._starts else 0.0

    @property
    def mean_relevance(self) -> float:
        known = [relevance for relevance in self.relevances if relevance >= 0]
        return sum(known) / max(1, len(known))

    def found(self) -> list[int]:
        """1 for each download that brought a relevant document."""
        border = self.border
        return [int(relevance >= border and relevance >= 0) for relevance in self.relevances]

    def figures(self) -> dict[str, Any]:
        return {
            "border": self.border,
            "mean_relevance": self.mean_relevance,
            "rewarded": self.rewarded / max(1, self._known),
            "above": self.above / max(1, self._known),
            "drift": self.worth / max(1, self._known),
            "low_visits": self.low,
            "low_deaths": self.low_deaths,
            "high_visits": self.high,
            "clones": self.clones,
        }


def thinned(energies: Energies, watch: Watch, budget: int) -> dict[str, Any]:
    """All curves at equal steps of the budget, as far as the crawl went; where it ends in between, at its end too."""
    done = len(watch.relevances)
    steps = [budget * step // POINTS for step in range(1, POINTS + 1)]
    at = [step for step in steps if step <= done]
    at += [done] if done and done not in at else []
    rows = [max(0, bisect_right(energies.at, point) - 1) for point in at]
    columns = {name: [energies.columns[name][row] for row in rows] for name in ("population", *CURVES)}
    if energies.extinct is not None and at:
        columns["population"][-1] = columns["in_agents"][-1] = 0.0
    found = watch.found()
    return {
        "at": at,
        **columns,
        "precision": so_far(found, at),
        "truth": so_far(watch.truth, at),
        "last_precision": late(found),
        "last_truth": late(watch.truth),
        "downloads": done,
        "extinct": energies.extinct,
        "smallest": energies.smallest,
        "largest": energies.largest,
        "teleported": energies.teleports,
        "restarted": energies.restarts,
    }


def so_far(found: Sequence[int], at: Sequence[int]) -> list[float]:
    """The share of relevant downloads of the first so many."""
    total, sums = 0, [0]
    for one in found:
        total += one
        sums.append(total)
    return [sums[point] / point for point in at]


def late(found: Sequence[int]) -> float | None:
    """The same in the last tenth."""
    last = found[len(found) - max(1, len(found) // 10) :] if found else ()
    return sum(last) / len(last) if last else None
