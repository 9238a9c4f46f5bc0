"""The linear model of LinUCB (Li, Chu, Langford and Schapire 2010): what a choice pays, and how sure that is.

    A = ridge I + sum x x'      b = ridge m + sum r x      theta = A^-1 b
    value of x = theta x + alpha sqrt(x' A^-1 x)

The inverse is kept up to date by rank-one steps (Sherman and Morrison), so that an example costs the square of the
number of features. m is what theta is thought to be before anything was seen.
"""

from __future__ import annotations

import numpy as np

from wolfspider.core.codec import StoredFields, helper
from wolfspider.learn.link_words import Floats


@helper
class LinearBandit(StoredFields):
    def __init__(self, prior: Floats, ridge: float = 1.0) -> None:
        self.prior, self.ridge = prior, ridge
        self.inverse: Floats = np.eye(len(prior)) / ridge
        self.sums: Floats = ridge * prior  # b

    @property
    def weights(self) -> Floats:
        return np.asarray(np.einsum("ij,j->i", self.inverse, self.sums), np.float64)

    def values(self, rows: Floats, alpha: float) -> Floats:
        """An upper bound of what each row pays; einsum runs in one thread: the same on every machine."""
        spread = np.einsum("ij,jk,ik->i", rows, self.inverse, rows) if alpha else np.zeros(len(rows))
        paid: Floats = np.einsum("ij,j->i", rows, self.weights)
        return paid + alpha * np.sqrt(np.maximum(spread, 0.0))

    def teach(self, row: Floats, reward: float) -> None:
        turned = np.einsum("ij,j->i", self.inverse, row)
        self.inverse -= np.outer(turned, turned) / (1.0 + float(np.einsum("i,i->", row, turned)))
        self.sums += reward * row
