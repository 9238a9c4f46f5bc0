"""Logistic regression over the words of links: a linear classifier that gives probabilities.

A link is the set of its bins (`link_words.py`), scaled to length 1. The weights minimise the log loss plus
|w|^2 / (2 C), by steps down the gradient that are scaled for each weight (AdaGrad): no order of examples, no chance,
the same weights on every machine.
"""

from __future__ import annotations

import numpy as np

from wolfspider.learn.link_words import BINS, Bags, BinWeights, Floats, summed

ROUNDS = 100
RATE = 0.5


def fitted(bags: Bags, wanted: Floats, cost: float = 1.0) -> BinWeights:
    """For links with these bins, 1.0 where it is what is asked for and 0.0 where it is not; `cost` is C."""
    used, columns = np.unique(bags.bins, return_inverse=True)
    values = np.repeat(1 / np.sqrt(np.maximum(bags.sizes, 1)), bags.sizes)
    owners, count = bags.owners, len(bags)
    weights, bias, squares, bias_square = np.zeros(len(used)), 0.0, np.full(len(used), 1e-8), 1e-8
    for _ in range(ROUNDS):
        sums = summed(owners, weights[columns] * values, count) + bias
        error = 1 / (1 + np.exp(-np.clip(sums, -30, 30))) - wanted
        slope = summed(columns, error[owners] * values, len(used)) + weights / cost
        squares += slope * slope
        weights -= RATE * slope / np.sqrt(squares)
        steep = float(np.add.accumulate(error)[-1]) if count else 0.0
        bias_square += steep * steep
        bias -= RATE * steep / float(np.sqrt(bias_square))
    dense = np.zeros(BINS)
    dense[used] = weights
    return BinWeights(dense, bias)


def probability(model: BinWeights, bins: list[int]) -> float:
    margin = (model.sum(bins) - model.bias) / max(len(bins), 1) ** 0.5 + model.bias
    return float(1 / (1 + np.exp(-min(max(margin, -30.0), 30.0))))
