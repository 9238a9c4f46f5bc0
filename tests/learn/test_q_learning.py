"""Double Q-learning: a net that learns, and a memory that knows what came next."""

from __future__ import annotations

import numpy as np
import pytest

from wolfspider.core import codec
from wolfspider.core.randomness import generator
from wolfspider.learn.q_learning import QNet, StepMemory


def linear(weight: float, bias: float) -> QNet:
    """A net whose value is weight x + bias, for x above 0."""
    return QNet(np.array([[1.0, 0.0]]), np.array([weight, bias]))


def test_a_net_learns_what_its_examples_say() -> None:
    net = QNet.drawn(2, 16, generator(1))
    rows = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    wanted = np.array([0.0, 1.0, 1.0, 0.0])
    for _ in range(800):
        net.teach(rows, wanted, 0.01)
    assert net.of(rows) == pytest.approx(wanted, abs=0.1)


def test_the_first_step_of_adam_is_as_long_as_the_rate() -> None:
    net = linear(1.0, 0.0)
    net.teach(np.array([[2.0]]), np.array([0.0]), 0.1)
    assert net.outer == pytest.approx([0.9, -0.1], abs=1e-6)


def test_the_own_best_choice_is_valued_by_the_older_net() -> None:
    """The net prefers x = 2, to which the older net gives 5 - 2 = 3: the target is 1 + .5 x 3 = 2.5."""
    asked: list[np.ndarray] = []

    class Asked(QNet):
        def teach(self, rows: np.ndarray, wanted: np.ndarray, rate: float) -> None:
            asked.append(wanted)

    memory = StepMemory(1, most=4, choices=2)
    memory.add(np.array([1.0]), 1.0)
    memory.follow(np.array([[1.0], [2.0]]))
    net = Asked(np.array([[1.0, 0.0]]), np.array([1.0, 0.0]))
    memory.lesson(net, linear(-1.0, 5.0), 3, 0.5, 0.1, generator(1))
    assert asked[0].tolist() == [2.5] * 3


def test_where_nothing_comes_next_only_the_reward_counts() -> None:
    memory, net = StepMemory(1, most=4, choices=2), linear(0.0, 0.0)
    memory.add(np.array([1.0]), 1.0)
    memory.lesson(net, linear(0.0, 9.0), 1, 0.5, 0.1, generator(1))
    assert net.outer[-1] == pytest.approx(0.1, abs=1e-6)


def test_the_memory_is_bounded_and_comes_back_as_it_was() -> None:
    memory = StepMemory(2, most=3, choices=2)
    for number in range(5):
        memory.add(np.full(2, float(number)), 0.0)
        memory.follow(np.full((7, 2), float(number)))
    assert len(memory) == 3 and sorted(memory.taken[:, 0].tolist()) == [2.0, 3.0, 4.0]
    for learned in (memory, QNet.drawn(2, 3, generator(1))):
        text, blobs = codec.store(learned)
        assert codec.store(codec.load(text, blobs)) == (text, blobs)
