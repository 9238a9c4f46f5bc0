"""A base for strategies that rate all waiting links again and again, by figures that change with every page.

Beside every waiting link lies a row of a table: the slots of its host and of its siblings (the links with the same tag
path on the same page), the score of its page, and the strategy's own columns. When a link is followed, its
host and its siblings learn what it led to. Every few outcomes all that waits is rated anew in one operation (`rates`);
the more waits, the rarer, so that the cost of a page does not grow with the crawl.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wolfspider.core.model import Link, Outcome, Page
from wolfspider.core.params import param
from wolfspider.learn.columns import NumberedColumns
from wolfspider.learn.link_words import Floats, Ints
from wolfspider.learn.tallies import Tallies, slot_of
from wolfspider.policy.frontier import Item
from wolfspider.policy.level_start import LevelStart, StartParams

AT_ONCE = 5_000  # waiting links for each outcome between two ratings

Figures = Mapping[str, Floats]  # columns by name, a place for each link
Held = tuple[int, int, float, Floats]  # of a link in flight: host, siblings, parent, and what else is held
_DIGITS = re.compile(r"\d+")


@dataclass
class RatedLinksParams(StartParams):
    refresh: int = param(10, "Outcomes between two ratings of all that waits, at the least.", low=1, high=10_000)
    trust: float = param(2.0, "Made-up outcomes of a host, or of siblings, that are as expected.", low=0.01, high=100)


def slots(column: NDArray[Any]) -> Ints:
    return column.astype(np.int64)


def logit(chances: Floats) -> Floats:
    clipped = np.clip(chances, 0.003, 0.997)
    return np.asarray(np.log(clipped / (1 - clipped)), np.float64)


class RatedLinks(LevelStart):
    own: ClassVar[tuple[str, ...]] = ()  # names of the strategy's own columns
    params: RatedLinksParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        kinds = {"host": "u4", "siblings": "u4", "parent": "f4", **dict.fromkeys(self.own, "f4")}
        self.table = NumberedColumns(**kinds)
        self.tallies = Tallies()
        self.flights: dict[int, Held] = {}
        self.followed, self.good, self.hoped = 0, 0.0, 0.0  # links, their rewards, and the scores of their pages
        self.since = 0  # outcomes since the last rating
        super().begin(seeds, now)

    @property
    def usual(self) -> float:
        """What a link is worth, of which nothing is known."""
        return (self.good + 0.1) / (self.followed + 2.0)

    # What a subclass says

    @abstractmethod
    def describe(self, page: Page, held: Floats | None) -> tuple[Figures, Sequence[Any]]:
        """The strategy's own columns for the links of a page, and what lies with each link on the shelf; `held` is what
        was remembered of the link that led here."""

    @abstractmethod
    def rates(self, figures: Figures) -> Floats:
        """What links with these figures are worth now."""

    @abstractmethod
    def held(self, item: Item, figures: Figures) -> Floats:
        """What is to be remembered of a link while it is in flight."""

    @abstractmethod
    def learn(self, held: Floats, reward: float, page: Page | None) -> None:
        """What a link led to; those of the page are not in the table yet."""

    def entered(self, figures: Figures, held: Floats | None) -> None:
        """The links of a page were entered, with these figures."""

    # The crawl

    def parts(self, item: Item) -> Mapping[str, Any]:
        figures = self.figures([item.number])
        if figures is not None:  # of the visit that is made next
            host, siblings, parent = (float(figures[name][0]) for name in ("host", "siblings", "parent"))
            self.flights[self.proposed] = (int(host), int(siblings), parent, self.held(item, figures))
        return super().parts(item)

    def figures(self, numbers: ArrayLike) -> Figures | None:
        """Of links that are all in the table; else None."""
        rows = self.table.rows(numbers)
        return None if (rows < 0).any() else self._figures(rows)

    def _figures(self, rows: NDArray[Any]) -> Figures:
        return {name: self.table[name][rows] for name in self.table.names}

    def observe(self, outcome: Outcome) -> None:
        super().observe(outcome)
        page, verdict = outcome.page, outcome.verdict
        held: Floats | None = None
        if outcome.visit.id in self.flights:
            host, siblings, parent, held = self.flights.pop(outcome.visit.id)
            reward = float(verdict is not None and verdict.relevant)
            self.followed += 1
            self.good += reward
            self.hoped += parent
            self.tallies.add(host, reward)
            self.tallies.add(siblings, reward)
            self.learn(held, reward, page)
        if page is not None and verdict is not None and page.links:
            self._enter(page, verdict.score, held)
        self.since += 1
        if self.since >= max(self.params.refresh, len(self.frontier) // AT_ONCE):
            self.rate_all()

    def _enter(self, page: Page, score: float, held: Floats | None) -> None:
        own, extras = self.describe(page, held)
        figures = {
            "host": np.array([slot_of(link.host) for link in page.links]),
            "siblings": np.array([slot_of(f"{page.final_url} {_DIGITS.sub('0', link.path)}") for link in page.links]),
            "parent": np.full(len(page.links), score),
            **own,
        }
        rates = self.rates(figures)
        found = zip(page.links, rates.tolist(), extras, strict=True)
        numbers = np.array([self.frontier.push(link, rate, page.final_url, extra) for link, rate, extra in found])
        self._put(numbers, figures, rates)
        self.entered(figures, held)

    def _put(self, numbers: NDArray[np.int64], figures: Figures, rates: Floats) -> None:
        """New links get a row; known ones another one, if that is better."""
        before = len(self.table)
        rows = self.table.enter(numbers)
        known = np.flatnonzero((rows >= 0) & (rows < before))
        better = known[rates[known] > self.rates(self._figures(rows[known]))]
        _, first = np.unique(rows, return_index=True)  # where a page shows an address twice, its first link
        places = np.concatenate((better, first[rows[first] >= before]))
        for name, column in figures.items():
            self.table[name][rows[places]] = column[places]

    def rate_all(self) -> None:
        """Rate everything that waits anew."""
        self.since = 0
        kept = self.frontier.kept()
        if len(self.table) > 2 * len(kept) + 1024:
            self.table.keep_numbers(kept)
        rows = self.table.rows(kept)
        there = rows >= 0  # a seed has no row
        self.frontier.assign(kept[there], self.rates(self._figures(rows[there])))

    # What hosts and siblings say, in log-odds against a link of which nothing is known

    def by_host(self, figures: Figures) -> Floats:
        means = self.tallies.means(slots(figures["host"]), self.usual, self.params.trust)
        return logit(means) - self._base()

    def by_siblings(self, figures: Figures) -> Floats:
        """Where none was tried, links are expected to be as good as their page, as far as that came true so far."""
        came_true = min(1.0, (self.good + 0.5) / (self.hoped + 1.0))
        means = self.tallies.means(slots(figures["siblings"]), came_true * figures["parent"], self.params.trust)
        return logit(means) - self._base()

    def _base(self) -> float:
        return math.log(self.usual / (1 - self.usual))

    def explain(self, url: str) -> dict[str, Any]:
        item = self.frontier.find(url)
        figures = None if item is None else self.figures([item.number])
        return super().explain(url) | ({} if figures is None else self.reasons(figures))

    def reasons(self, figures: Figures) -> dict[str, Any]:
        """What the rate of a link is made of."""
        return {"host": float(self.by_host(figures)[0]), "siblings": float(self.by_siblings(figures)[0])}
