"""Drawing in proportion to weights that change."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.learn.lottery import Lottery

WEIGHTS = st.lists(st.floats(0, 1e6), max_size=40)


def weights_of(lottery: Lottery) -> list[float]:
    return [lottery[index] for index in range(len(lottery))]


def test_what_weighs_more_is_drawn_more_often() -> None:
    lottery, rng = Lottery([1.0, 0.0, 3.0]), random.Random(1)
    lottery[1] = 2.0
    lottery.append(6.0)
    drawn = Counter(lottery.draw(rng) for _ in range(12_000))
    assert [drawn[index] / 1000 for index in range(4)] == pytest.approx([1, 2, 3, 6], abs=0.25)


def test_without_a_weight_nothing_is_drawn_and_no_number_used() -> None:
    rng = random.Random(1)
    before = rng.getstate()
    assert Lottery().draw(rng) is None and Lottery([0.0, 0.0]).draw(rng) is None and rng.getstate() == before


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf])
def test_a_weight_is_a_number_from_0_up(weight: float) -> None:
    with pytest.raises(ValueError, match="a weight is a number"):
        Lottery([1.0])[0] = weight


@pytest.mark.parametrize("index", [-1, 2])
def test_what_was_never_put_in_cannot_be_changed(index: int) -> None:
    with pytest.raises(IndexError):
        Lottery([1.0, 1.0])[index] = 1.0


@given(WEIGHTS, st.lists(st.tuples(st.integers(0, 60), st.floats(0, 1e6)), max_size=60), st.integers(0, 99))
def test_after_any_changes_it_is_as_if_it_had_been_made_so(
    weights: list[float], changes: list[tuple[int, float]], seed: int
) -> None:
    lottery = Lottery(weights)
    for index, weight in changes:
        if index < len(weights):
            lottery[index] = weights[index] = weight
        else:
            lottery.append(weight)
            weights.append(weight)
    made = Lottery(weights)
    assert weights_of(lottery) == weights
    assert lottery.total == pytest.approx(math.fsum(weights))
    drawn = lottery.draw(random.Random(seed))
    assert drawn == made.draw(random.Random(seed)) and lottery.total == made.total
    assert drawn is None if not any(weights) else drawn is not None and weights[drawn] > 0


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=20))
def test_when_everything_was_taken_nothing_is_left_by_rounding(weights: list[float]) -> None:
    lottery = Lottery(weights)
    for index in range(len(weights)):
        lottery[index] = 0.0
    assert lottery.total == 0 and lottery.draw(random.Random(1)) is None


@given(WEIGHTS, st.integers(0, 99))
def test_stored_and_read_back_it_draws_the_same(weights: list[float], seed: int) -> None:
    grown = Lottery()
    for weight in weights:
        grown.append(weight)
    again = codec.load(*codec.store(grown))
    assert weights_of(again) == weights and again.total == grown.total
    assert again.draw(random.Random(seed)) == grown.draw(random.Random(seed))


def test_cleared_it_keeps_its_places() -> None:
    lottery = Lottery([1.0, 2.0])
    lottery.clear()
    assert weights_of(lottery) == [0.0, 0.0] and lottery.total == 0
    lottery[1] = 3.0
    assert lottery.draw(random.Random(1)) == 1
