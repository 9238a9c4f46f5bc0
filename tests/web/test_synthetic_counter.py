"""Chance without state: known values, the same over arrays, and permutations that can be undone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.web.worlds.synthetic.counter import (
    Shuffle,
    edge,
    key_for,
    mix,
    mix_many,
    popular,
    stream,
    unit,
    unit_many,
)

words64 = st.integers(0, 2**64 - 1)


def test_mix_is_splitmix64() -> None:
    # The first three numbers of splitmix64 from seed 0, as its reference implementation prints them.
    step = 0x9E3779B97F4A7C15
    assert [mix(step * n) for n in range(3)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


@given(st.lists(words64, min_size=1, max_size=20))
def test_arrays_and_single_numbers_agree(numbers: list[int]) -> None:
    many = mix_many(np.array(numbers, dtype=np.uint64))
    assert many.tolist() == [mix(number) for number in numbers]
    assert unit_many(many).tolist() == [unit(mix(number)) for number in numbers]


@given(st.integers(2, 300_000), words64, st.data())
def test_shuffle_is_undone_and_stays_inside(size: int, key: int, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, size - 1))
    shuffle = Shuffle(size, key)
    assert 0 <= shuffle.forward(number) < size
    assert shuffle.back(shuffle.forward(number)) == number


def test_shuffle_hits_every_number_once() -> None:
    for size in (2, 3, 64, 1000):
        shuffle = Shuffle(size, 7)
        assert sorted(map(shuffle.forward, range(size))) == list(range(size))


@given(st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True), st.integers(1, 10**6))
def test_ranks_lie_in_the_pool_and_rise_with_chance(u: float, v: float, pool: int) -> None:
    low, high = sorted((u, v))
    ranks = popular(low, edge(pool)), popular(high, edge(pool))
    assert 1.0 <= ranks[0] <= ranks[1] <= (pool + 1) * (1 + 1e-9)
    assert popular(np.array([low]), np.array([edge(pool)]))[0] == ranks[0]


def test_first_ranks_follow_zipf() -> None:
    draws = popular((np.arange(200_000) + 0.5) / 200_000, np.full(200_000, edge(1000))).astype(int)
    first, second = np.mean(draws == 1), np.mean(draws == 2)
    # The continuous law integrated from r to r + 1: a little steeper than 2^1.1 at the very head.
    assert 1.7 < first / second < 2.2


def test_keys_and_streams_differ_by_purpose_and_seed() -> None:
    assert len({key_for(1, "a"), key_for(1, "b"), key_for(2, "a")}) == 3
    assert stream(5, 8) == stream(5, 100)[:8] != stream(6, 8)
