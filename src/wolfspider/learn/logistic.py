"""Logistic regression with a prior: learns from few examples and never forgets what it believed at first.

The weights are those that are most probable after the examples, given a Gaussian prior around weights set by hand
(MAP). A label is a share in [0, 1]. Newton's method finds them in a few steps; a step that makes things worse is halved
until it does not, because a full step can overshoot and turn the model upside down.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS, _HALVINGS, _ENOUGH = 10, 8, 1e-2
_DIGITS = 6  # of a weight: what the last bits are depends on the processor
_ROWS = 200  # multiplied at once: so few that no library spreads them over threads, which costs more than it gains


def shares(odds: Floats) -> Floats:
    """Log-odds as numbers between 0 and 1."""
    found: Floats = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    return found


def log_odds(shares: Floats) -> Floats:
    found: Floats = np.log(shares / (1 - shares))
    return found


def weighed(examples: Floats, weights: Floats) -> Floats:
    """The log-odds of each example."""
    found: Floats = np.einsum("ij,j->i", examples, weights)
    return found


def _bend(examples: Floats, doubt: Floats) -> Floats:
    """How fast the slope changes with the weights."""
    found: Floats = np.zeros((examples.shape[1], examples.shape[1]))
    for first in range(0, len(examples), _ROWS):
        part = examples[first : first + _ROWS]
        found += (part * doubt[first : first + _ROWS, np.newaxis]).T @ part
    return found


def fitted(examples: Floats, labels: Floats, prior: Floats, precision: Floats, start: Floats) -> Floats:
    """The weights, found from `start` on. `precision`: how firmly each weight of the prior is held."""

    def cost(weights: Floats) -> float:
        odds = weighed(examples, weights)
        misfit = np.logaddexp(0, odds) - labels * odds
        return float(misfit.sum() + 0.5 * (precision * (weights - prior) ** 2).sum())

    weights, now = start, cost(start)
    for _ in range(_STEPS):
        said = shares(weighed(examples, weights))
        slope = weighed(examples.T, said - labels) + precision * (weights - prior)
        bend = _bend(examples, said * (1 - said) + 1e-4)
        step = np.linalg.solve(bend + np.diag(precision), slope)
        for _ in range(_HALVINGS):
            if (then := cost(weights - step)) <= now:
                break
            step = step / 2
        else:
            break
        weights, now = weights - step, then
        if np.abs(step).max() < _ENOUGH:
            break
    return np.round(weights, _DIGITS)
