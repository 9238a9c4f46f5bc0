"""Soft focus (Chakrabarti, van den Berg and Dom 1999): a link is worth what its page is worth, and hubs are distilled.

The relevance R of a page goes to all its links; one shown by several pages has the best. From time to time a distiller
looks for hubs among the pages read so far, by HITS with weights: an endorsement from page u to page v counts R(v) for
the hub and R(u) for the authority, and links within a host count nothing. The waiting links of the best hubs go first.
With hard focus, only pages that are relevant are expanded.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wolfspider.core.model import Link, Outcome, Page, host_of
from wolfspider.core.params import param
from wolfspider.core.text import key_of
from wolfspider.learn.link_words import Floats, summed
from wolfspider.policy.level_start import LevelStart, StartParams
from wolfspider.policy.strategy import register

MOST_EDGES = 2_000_000  # 24 MB; beyond it the older half is forgotten
MOST_HOSTS = 100_000
FIRST = 1.0  # what a link of a hub is worth: no page is more relevant
ROUNDS = 20  # of HITS: the order of the best hubs has settled long before


@dataclass
class SoftFocusParams(StartParams):
    focus: str = param("soft", "Expand every page, or only relevant ones.", choices=("soft", "hard"))
    every: int = param(1000, "Pages between two distillations; 0: none.", low=0, high=100_000)
    hubs: int = param(10, "Hubs whose waiting links go first.", low=1, high=1000)
    bands: float = param(
        0.0, "Bands of a factor of two in relevance, within which quiet hosts go first.", low=0, high=10, letter=1.0
    )


def best_hubs(tails: Sequence[int], heads: Sequence[int], relevance: Floats, count: int) -> list[int]:
    """The pages that endorse relevant pages most, the best first. An edge leads from a page to a page."""
    source, target = np.asarray(tails, np.int64), np.asarray(heads, np.int64)
    hub = np.ones(len(relevance))
    for _ in range(ROUNDS):
        authority = summed(target, relevance[source] * hub[source], len(hub))
        hub = summed(source, relevance[target] * authority[target], len(hub))
        if not hub.any():
            return []
        hub /= hub.max()
    order = np.argsort(-hub, kind="stable")[:count]
    return [int(page) for page in order if hub[page] > 0]


@register
class SoftFocus(LevelStart):
    name = "soft-focus"
    use = (
        "For topics whose pages link to each other and are listed by hubs. Not for sites where every page links to "
        "everything: all links of a page are worth the same."
    )
    paper = "Chakrabarti, van den Berg and Dom 1999, Focused crawling: a new approach to topic-specific Web discovery"
    Params = SoftFocusParams
    variants = ({}, {"focus": "hard", "every": 15, "hubs": 3, "bands": 1.0, "start": 0})
    params: SoftFocusParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.pages, self.relevance = array("Q"), array("d")  # what each page read is called, and its R
        self.tails, self.heads = array("I"), array("Q")  # from which page to which address
        self.loads: dict[str, int] = {}  # pages read of each host
        self.since = 0  # pages since the last distillation
        super().begin(seeds, now)

    def observe(self, outcome: Outcome) -> None:
        super().observe(outcome)
        page, verdict = outcome.page, outcome.verdict
        if page is None or verdict is None:
            return
        self._remember(page, verdict.score)
        if self.params.focus == "soft" or verdict.relevant:
            self.frontier.extend(page.links, self._worths(page, verdict.score), page.final_url)
        self.since += 1
        if 0 < self.params.every <= self.since:
            self.since = 0
            self._distill()

    def _worths(self, page: Page, relevance: float) -> list[float]:
        if not self.params.bands:
            return [relevance] * len(page.links)
        band = math.floor(math.log2(max(relevance, 1e-6)) / self.params.bands)
        loads = (self.loads.get(link.host, 0) for link in page.links)
        return [band - load / (1 + load) for load in loads]

    def _remember(self, page: Page, relevance: float) -> None:
        host = host_of(page.final_url)
        if host in self.loads or len(self.loads) < MOST_HOSTS:
            self.loads[host] = self.loads.get(host, 0) + 1
        if len(self.heads) > MOST_EDGES:
            del self.tails[: MOST_EDGES // 2], self.heads[: MOST_EDGES // 2]
        own = [key_of(link.url) for link in page.links if link.host != host]
        self.tails.extend([len(self.pages)] * len(own))
        self.heads.extend(own)
        self.pages.append(key_of(page.final_url))
        self.relevance.append(relevance)

    def _distill(self) -> None:
        """Put the waiting links of the best hubs first."""
        tails, heads = np.array(self.tails, np.int64), np.array(self.heads)
        known, first = np.unique(np.array(self.pages), return_index=True)
        at = np.minimum(np.searchsorted(known, heads), len(known) - 1)
        read = known[at] == heads
        hubs = best_hubs(tails[read], first[at[read]], np.array(self.relevance), self.params.hubs)
        wanted = set(heads[np.isin(tails, hubs)].tolist())
        if wanted:
            self.frontier.rescore(
                lambda item: max(item.score, FIRST) if key_of(item.link.url) in wanted else item.score
            )
