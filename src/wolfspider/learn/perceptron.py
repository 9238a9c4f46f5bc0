"""A small neural net: one hidden layer, one output in (0, 1), trained by back-propagation one example at a time.

net = Perceptron.drawn(inputs=4, hidden=5, rng=rng)
net.of(rows)                       # an output for each row of inputs
net.teach(row, 0.8, rate=0.1)      # a step towards that output
"""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import StoredFields, helper

Floats = NDArray[np.float64]


@helper
class Perceptron(StoredFields):
    """out = sigmoid(v . tanh(W x + b) + c)"""

    def __init__(self, inner: Floats, outer: Floats) -> None:
        self.inner = inner  # hidden x (inputs + 1): the last column is b
        self.outer = outer  # hidden + 1: the last is c

    @classmethod
    def drawn(cls, inputs: int, hidden: int, rng: random.Random) -> Perceptron:
        """Weights from [-0.5, 0.5]."""
        inner = np.array([[rng.uniform(-0.5, 0.5) for _ in range(inputs + 1)] for _ in range(hidden)])
        return cls(inner, np.array([rng.uniform(-0.5, 0.5) for _ in range(hidden + 1)]))

    def of(self, rows: Floats) -> Floats:
        return self._outputs(self._hidden(rows))

    def _hidden(self, rows: Floats) -> Floats:
        sums: Floats = np.einsum("ij,hj->ih", rows, self.inner[:, :-1])  # in one thread: the same on every machine
        return np.tanh(sums + self.inner[:, -1])

    def _outputs(self, hidden: Floats) -> Floats:
        sums = np.einsum("ih,h->i", hidden, self.outer[:-1]) + self.outer[-1]
        outputs: Floats = 1 / (1 + np.exp(-np.clip(sums, -500, 500)))
        return outputs

    def teach(self, row: Floats, wanted: float, rate: float) -> None:
        """One step down the gradient of half the squared error."""
        hidden = self._hidden(row[None, :])[0]
        output = float(self._outputs(hidden[None, :])[0])
        error = (wanted - output) * output * (1 - output)
        back = error * self.outer[:-1] * (1 - hidden * hidden)
        self.outer += rate * error * np.append(hidden, 1.0)
        self.inner += rate * back[:, None] * np.append(row, 1.0)[None, :]

    def mutated(self, spread: float, rng: random.Random) -> Perceptron:
        """A copy with noise on every weight."""
        inner = self.inner + np.array([[rng.gauss(0, spread) for _ in line] for line in self.inner])
        return Perceptron(inner, self.outer + np.array([rng.gauss(0, spread) for _ in self.outer]))

    def uses(self) -> Floats:
        """Roughly, how much each input moves the output."""
        influence: Floats = np.abs(self.outer[:-1, None] * self.inner[:, :-1]).sum(axis=0)
        return influence
