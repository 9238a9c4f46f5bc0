"""Hidden Markov chains: what is believed along a path, and where the numbers come from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.learn.markov import Chain, distances, estimated

GOLDEN = Chain((0.5, 0.5), [[0.7, 0.3], [0.4, 0.6]], [[0.9, 0.1], [0.2, 0.8]])


def test_beliefs_along_a_path() -> None:
    """Golden vector 10."""
    first = GOLDEN.begin(0)
    assert first == pytest.approx([0.8182, 0.1818], abs=1e-4)
    second = GOLDEN.follow(first, 1)
    assert second == pytest.approx([0.18538, 0.81462], abs=1e-5)
    assert GOLDEN.predict(second)[0] == pytest.approx(0.45561, abs=1e-5)


def test_a_sign_that_cannot_be_tells_nothing() -> None:
    chain = Chain((1.0, 0.0), [[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]])
    assert chain.begin(1).tolist() == [1.0, 0.0]
    assert chain.follow((1.0, 0.0), 1).tolist() == chain.follow((1.0, 0.0), None).tolist() == [0.0, 1.0]
    assert chain.follow((0.0, 0.0), 0).tolist() == [0.5, 0.5]


CHANCES = st.floats(0, 1)


@st.composite
def chains(draw: st.DrawFn) -> Chain:
    """Rows need not sum to one for what is said of beliefs."""
    states, signs = draw(st.integers(1, 5)), draw(st.integers(1, 4))

    def numbers(width: int) -> list[float]:
        return draw(st.lists(CHANCES, min_size=width, max_size=width))

    return Chain(numbers(states), [numbers(states) for _ in range(states)], [numbers(signs) for _ in range(states)])


@given(chains(), st.lists(st.integers(0, 3), max_size=30))
def test_beliefs_sum_to_one_whatever_is_seen(chain: Chain, seen: list[int]) -> None:
    signs = chain.signs.shape[1]
    belief = chain.begin(None)
    for sign in seen:
        belief = chain.follow(belief, sign if sign < signs else None)
        assert np.isfinite(belief).all() and belief.min() >= 0 and belief.sum() == pytest.approx(1)


def test_states_are_the_shortest_ways_to_a_target() -> None:
    links = {"a": ["b", "x"], "b": ["c"], "c": ["good"], "good": ["a"], "x": ["a"], "y": ["x"], "alone": []}
    assert distances(links, ["good", "never seen"], 4) == {
        "a": 3,
        "b": 2,
        "c": 1,
        "good": 0,
        "x": 4,
        "y": 4,
        "alone": 4,
    }
    assert distances(links, [], 4) == dict.fromkeys(links, 4)


def test_a_chain_is_counted_with_one_more_of_everything() -> None:
    pages = {"a": (1, 1), "b": (1, 0), "good": (0, 0)}
    links = {"a": ["b", "good", "unseen"], "b": ["good"], "good": []}
    chain = estimated(pages, links, ["a", "a", "b", "unseen"], (2, 3))
    assert chain.start.tolist() == [0, 1]
    assert chain.moves.tolist() == [[1 / 2, 1 / 2], [3 / 5, 2 / 5]]
    assert chain.signs.tolist() == [[2 / 4, 1 / 4, 1 / 4], [2 / 5, 2 / 5, 1 / 5]]


def test_with_too_few_sessions_every_state_may_be_the_first() -> None:
    assert estimated({"a": (1, 0)}, {}, ["a"], (2, 1)).start.tolist() == [0.5, 0.5]


@given(
    st.dictionaries(st.sampled_from("abcdefg"), st.tuples(st.integers(0, 4), st.integers(0, 5))),
    st.dictionaries(st.sampled_from("abcdefg"), st.lists(st.sampled_from("abcdefgh"))),
    st.lists(st.sampled_from("abcdefgh")),
)
def test_rows_sum_to_one(pages: dict[str, tuple[int, int]], links: dict[str, list[str]], starts: list[str]) -> None:
    chain = estimated(pages, links, starts, (5, 6))
    assert chain.start.sum() == pytest.approx(1)
    assert chain.moves.sum(axis=1) == pytest.approx(np.ones(5)) and chain.signs.sum(axis=1) == pytest.approx(np.ones(5))
    assert chain.moves.min() > 0 and chain.signs.min() > 0


def test_a_chain_is_stored_and_read_back() -> None:
    again = codec.load(*codec.store(GOLDEN))
    assert again.follow(again.begin(0), 1).tolist() == GOLDEN.follow(GOLDEN.begin(0), 1).tolist()
