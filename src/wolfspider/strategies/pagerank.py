"""PageRank order (Cho, Garcia-Molina and Page 1998): follow the link that the pages seen so far make the most
important.

The rank of every known address is computed over the part of the web seen so far, again after each hundred pages and
later after each twentieth more, starting from the last result. In between a new link has what its page would hand it.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.model import Link, Outcome
from wolfspider.core.params import param
from wolfspider.policy.strategy import Ordered, register


@dataclass
class PageRankParams:
    damping: float = param(0.9, "Share of its rank that a page hands on.", low=0.01, high=0.99)
    every: int = param(100, "Pages after which ranks are computed again, at the least.", low=1, high=100_000)
    rounds: int = param(20, "Iterations each time, from the last result.", low=1, high=1000)


@register
class PageRank(Ordered):
    name = "pagerank"
    use = "For the most important pages of a web, and to compare with. Not for finding the pages of a topic."
    paper = "Cho, Garcia-Molina and Page 1998, Efficient crawling through URL ordering"
    Params = PageRankParams
    params: PageRankParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.numbers: dict[str, int] = {}
        self.ranks = array("d")
        self.tails, self.heads = array("I"), array("I")
        self.pages = self.due = 0
        super().begin(seeds, now)

    def observe(self, outcome: Outcome) -> None:
        page = outcome.page
        if page is None:
            return
        tail = self._number(page.final_url)
        heads = [self._number(link.url) for link in page.links]
        self.tails.extend([tail] * len(heads))
        self.heads.extend(heads)
        share = self.params.damping * self.ranks[tail] / max(1, len(heads))
        self.frontier.extend(page.links, [share] * len(heads), page.final_url)
        self.pages += 1
        if self.pages >= self.due:
            self.due = self.pages + max(self.params.every, self.pages // 20)
            self._rank()

    def keeps(self) -> int:
        """Addresses known; those in the frontier are among them."""
        return max(len(self.numbers), len(self.frontier))

    def _number(self, url: str) -> int:
        number = self.numbers.setdefault(url, len(self.numbers))
        if number == len(self.ranks):
            self.ranks.append(1 / len(self.numbers))
        return number

    def _rank(self) -> None:
        tails, heads = np.array(self.tails), np.array(self.heads)
        ranks = page_rank(tails, heads, np.array(self.ranks), self.params.damping, self.params.rounds)
        self.ranks = array("d", ranks.tobytes())
        numbers = self.numbers
        self.frontier.rescore(lambda item: ranks[numbers[item.link.url]] if item.link.url in numbers else item.score)


def page_rank(
    tails: NDArray[np.uint32], heads: NDArray[np.uint32], start: NDArray[np.float64], damping: float, rounds: int
) -> NDArray[np.float64]:
    """Power iteration; what pages without known links would hand on is spread over all."""
    n = len(start)
    ranks: NDArray[np.float64] = start / start.sum()
    out = np.bincount(tails, minlength=n)
    dangling = out == 0
    for _ in range(rounds):
        flow = np.bincount(heads, weights=ranks[tails] / out[tails], minlength=n)
        ranks = (1 - damping) / n + damping * (flow + ranks[dangling].sum() / n)
    return ranks
