"""Strategies that learn from the words of links they followed: ACHE and the reinforcement-learning spider."""

from __future__ import annotations

import pytest
from tests.strategies.test_orders import Small, order

from wolfspider.strategies.ache import balanced, relevance
from wolfspider.strategies.rl_spider import bin_of_return

GOOD, BAD = "bcdefghijklm", "nopqrstuvwxy"  # pages that the anchors of "a" tell apart
WORDS = Small(
    {
        "a": (0.1, [pair for good, bad in zip(GOOD, BAD, strict=True) for pair in ((good, "silk"), (bad, "rust"))]),
        **{name: (0.9, []) for name in GOOD},
        **{name: (0.1, []) for name in BAD},
    }
)


@pytest.mark.parametrize("name", ["ache", "rl-spider"])
def test_after_training_links_with_the_words_of_good_links_go_first(name: str) -> None:
    """All links tie at first, and are followed in the order found; then the anchors tell them apart."""
    visited = order(name, WORDS, pages=18, start=0, every=13)
    assert visited[:13] == "abncodpeqfrgs"
    assert visited[13:] == "hijkl"


def test_relevance_is_by_class_and_then_by_probability() -> None:
    assert relevance([0.75, 0.25]) == 275.0
    assert relevance([0.25, 0.75]) == 175.0
    assert relevance([1.0, 0.0]) == 299.0
    assert relevance([0.2, 0.2, 0.6]) == 60.0


def test_bad_links_are_sampled_only_while_they_are_fewer() -> None:
    assert balanced([False, True, False, False, True, True, False, False, False]) == [1, 2, 4, 5, 6, 7]


def test_returns_are_binned_by_the_steps_to_a_relevant_page() -> None:
    """gamma = .5, three bins: borders at 0.75 and 0.375."""
    assert [bin_of_return(value, 0.5, 3) for value in (2.0, 1.0, 0.75, 0.5, 0.375, 0.25, 0.0)] == [0, 0, 0, 1, 1, 2, 2]
    assert [bin_of_return(value, 0.5, 5) for value in (1.0, 0.5, 0.25, 0.125, 0.0)] == [0, 1, 2, 3, 4]
    assert [bin_of_return(value, 0.0, 3) for value in (1.0, 0.0)] == [0, 2]
