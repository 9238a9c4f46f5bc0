"""The links followed so far, in order: their words, what they led to, and by which of them each was found.

A link whose page was relevant is worth something, and so is one from which a relevant page was reached a few links
later. `steps` and `returns` say how much, from what was followed so far. Only the last LIMIT to 2 LIMIT links are kept.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator

import numpy as np

from wolfspider.core.codec import StoredFields, helper
from wolfspider.learn.link_words import Bags

LIMIT = 5_000
NONE = -1  # the link before a seed


@helper
class VisitedLinks(StoredFields):
    def __init__(self) -> None:
        self.forgotten = 0  # links before the first that is kept
        self.before = array("q")  # the number of the link that led to the page which showed it
        self.rewards = array("d")
        self.sizes, self.bins = array("I"), array("I")

    def __len__(self) -> int:
        return len(self.before)

    def add(self, before: int, reward: float, bins: Iterable[int]) -> int:
        """One more link; returns its number."""
        if len(self) >= 2 * LIMIT:
            self._forget()
        size = len(self.bins)
        self.bins.extend(bins)
        self.sizes.append(len(self.bins) - size)
        self.before.append(before)
        self.rewards.append(reward)
        return self.forgotten + len(self) - 1

    def _forget(self) -> None:
        del self.bins[: sum(self.sizes[:LIMIT])]
        for column in (self.before, self.rewards, self.sizes):
            del column[:LIMIT]
        self.forgotten += LIMIT

    def bags(self) -> Bags:
        starts = np.concatenate(([0], np.cumsum(np.array(self.sizes, np.int64))))
        return Bags(np.array(self.bins, np.int64), starts)

    def steps(self) -> list[float]:
        """For each link the number of links from its page to the nearest page that paid; inf if there is none yet."""
        found = [0.0 if reward > 0 else math.inf for reward in self.rewards]
        for place, above in self._backwards():
            if above >= 0:
                found[above] = min(found[above], found[place] + 1)
        return found

    def returns(self, discount: float) -> list[float]:
        """For each link what its page paid, and at a discount the best of what was reached from there."""
        best = [0.0] * len(self)
        found = list(self.rewards)
        for place, above in self._backwards():
            found[place] += discount * best[place]
            if above >= 0:
                best[above] = max(best[above], found[place])
        return found

    def _backwards(self) -> Iterator[tuple[int, int]]:
        """The place of each link, the last first, and that of the link before it."""
        places = range(len(self) - 1, -1, -1)
        return ((place, self.before[place] - self.forgotten) for place in places)
