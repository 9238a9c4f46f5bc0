"""What labels say of a probability."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.codec import load, store
from wolfspider.learn.calibration import MOST, Calibration

ODDS = st.floats(-1e6, 1e6)


def taught(*labels: tuple[float, bool]) -> Calibration:
    made = Calibration()
    for odds, label in labels:
        made.learn(odds, label)
    return made


def test_without_labels_the_odds_are_believed() -> None:
    assert Calibration().probability(0.0) == 0.5
    assert Calibration().probability(2.0) == pytest.approx(0.8808, abs=1e-4)


def test_many_labels_bring_the_share_that_is_relevant() -> None:
    """Pages of even odds of which one in ten is relevant."""
    draw = random.Random(1)
    made = taught(*((draw.uniform(-0.5, 0.5), place % 10 == 0) for place in range(400)))
    assert made.probability(0.0) == pytest.approx(0.1, abs=0.04)


def test_one_label_changes_little() -> None:
    assert 0.5 < taught((0.0, True)).probability(0.0) < 0.65


@given(st.lists(st.tuples(ODDS, st.booleans()), max_size=30), ODDS, ODDS)
def test_it_is_a_probability_and_never_falls_while_the_odds_rise(
    labels: list[tuple[float, bool]], one: float, other: float
) -> None:
    made = taught(*labels)
    low, high = made.probability(min(one, other)), made.probability(max(one, other))
    assert 0 <= low <= high <= 1


def test_it_goes_on_from_its_state_which_is_bounded() -> None:
    made = taught(*((place % 7 - 3, place % 3 == 0) for place in range(MOST + 50)))
    again = Calibration()
    state = load(*store(made.state()))
    assert len(state["odds"]) == MOST
    again.restore(state)
    assert again.probability(1.0) == made.probability(1.0)
