"""A small net that is taught one example at a time."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.learn.perceptron import Perceptron


def drawn(inputs: int = 3, seed: int = 1) -> Perceptron:
    return Perceptron.drawn(inputs, 5, random.Random(seed))


def test_it_learns_to_tell_inputs_apart() -> None:
    net, rows = drawn(2), np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    wanted = [0.1, 0.5, 0.5, 0.9]
    for _ in range(3_000):
        for row, value in zip(rows, wanted, strict=True):
            net.teach(row, value, 0.5)
    assert net.of(rows) == pytest.approx(wanted, abs=0.1)


def test_a_step_goes_down_the_gradient() -> None:
    net, row, wanted, tiny = drawn(), np.array([0.3, -0.8, 0.5]), 0.9, 1e-6
    before = {name: value.copy() for name, value in net.state().items()}

    def loss(changed: Perceptron) -> float:
        return float(0.5 * (wanted - changed.of(row[None, :])[0]) ** 2)

    net.teach(row, wanted, 1.0)
    for name, value in before.items():
        for place in np.ndindex(value.shape):
            nudged = {key: array.copy() for key, array in before.items()}
            nudged[name][place] += tiny
            slope = (loss(Perceptron(**nudged)) - loss(Perceptron(**before))) / tiny
            assert net.state()[name][place] - value[place] == pytest.approx(-slope, abs=1e-5)


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), st.floats(0, 1))
def test_outputs_stay_between_0_and_1_whatever_is_taught(row: list[float], wanted: float) -> None:
    net = drawn()
    net.teach(np.array(row), wanted, 0.1)
    assert 0 <= net.of(np.array([row]))[0] <= 1


def test_a_child_differs_a_little_and_leaves_its_parent_alone() -> None:
    net = drawn()
    before = net.inner.copy()
    child = net.mutated(0.1, random.Random(2))
    assert (net.inner == before).all() and 0 < np.abs(child.inner - before).max() < 1
    assert (net.mutated(0.0, random.Random(2)).inner == before).all()


def test_an_input_without_weight_is_used_least() -> None:
    net = drawn()
    net.inner[:, 1] = 0
    assert np.argmin(net.uses()) == 1


def test_stored_and_read_back_it_answers_the_same() -> None:
    net = drawn()
    again = codec.load(*codec.store(net))
    rows = np.array([[0.1, 0.2, 0.3]])
    assert (again.of(rows) == net.of(rows)).all()


def test_without_inputs_there_is_still_an_answer() -> None:
    assert drawn(0).of(np.zeros((2, 0))).shape == (2,)
