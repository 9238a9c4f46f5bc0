"""Naive Bayes over the words of links: how likely a link with these words is of each of a few classes.

For each class and each bin of words (`link_words.py`) there is the number of links that had it. A word speaks for a
class by how much likelier it is there than in all links together:

    ln (n_wc + s p_w) / ((n_c + s) p_w),      p_w = n_w / n

so that a word nobody has met, and a word that a small class has not had yet, say little. What words say is computed by
`fit` from all links so far, and stays as it is until the next.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wolfspider.core.codec import helper
from wolfspider.learn.layers import softmax
from wolfspider.learn.link_words import BINS, BinWeights, Floats


@helper
class LinkBayes:
    def __init__(self, classes: int = 2) -> None:
        self._counts: Floats = np.zeros((classes, BINS))
        self.totals = [0.0] * classes  # links of each class
        self.logs = [BinWeights() for _ in range(classes)]  # what words say, and the prior

    def add(self, bins: Sequence[int], kind: int, weight: float = 1.0) -> None:
        """One more link of this class; each bin is named once."""
        self._counts[kind, bins] += weight
        self.totals[kind] += weight

    def fit(self, smoothing: float = 1.0) -> None:
        total = sum(self.totals)
        met = self._counts.sum(axis=0)
        usual = np.where(met > 0, met / max(total, 1.0), 1.0)
        for kind, own in enumerate(self.totals):
            ratio = (self._counts[kind] + smoothing * usual) / ((own + smoothing) * usual)
            prior = math.log((own + 1.0) / (total + len(self.totals)))
            self.logs[kind] = BinWeights(np.where(met > 0, np.log(ratio), 0.0), prior)

    def posteriors(self, bins: Sequence[int]) -> list[float]:
        return softmax([log.sum(bins) for log in self.logs])

    def evidence(self, bins: Sequence[int]) -> float:
        """Of two classes: what the words say for the second, without the prior, in log-odds."""
        first, second = self.logs
        return (second.sum(bins) - second.bias) - (first.sum(bins) - first.bias)

    def state(self) -> dict[str, Any]:
        bins = np.flatnonzero(self._counts.any(axis=0))
        return {
            "bins": bins.astype(np.uint32),
            "counts": self._counts[:, bins],
            "totals": self.totals,
            "logs": self.logs,
        }

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> LinkBayes:
        made = cls(len(state["totals"]))
        made._counts[:, np.asarray(state["bins"], np.int64) % BINS] = state["counts"]
        made.totals, made.logs = list(state["totals"]), list(state["logs"])
        return made
