"""The learners of the hunter: regression with a prior, counts by hash, and words."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.learn.hashed_counts import HashedCounts
from wolfspider.learn.logistic import fitted, log_odds, shares
from wolfspider.learn.word_odds import WordOdds


def test_without_examples_the_prior_stays() -> None:
    prior = np.array([0.5, -2.0])
    assert fitted(np.zeros((0, 2)), np.zeros(0), prior, np.ones(2), prior).tolist() == prior.tolist()


def test_examples_outweigh_the_prior_as_they_become_more() -> None:
    traits = np.array([[1.0, 1.0], [1.0, -1.0]])
    weights = [
        fitted(
            np.repeat(traits, count, axis=0),
            np.repeat([0.0, 1.0], count),
            np.array([0.0, 3.0]),
            np.ones(2),
            np.zeros(2),
        )
        for count in (1, 5, 50)
    ]
    assert 3 > weights[0][1] > weights[1][1] > weights[2][1] < -1


@given(st.lists(st.tuples(st.floats(-30, 30), st.floats(0, 1)), min_size=1, max_size=30), st.floats(-20, 20))
def test_a_fit_is_never_worse_than_where_it_began(examples: list[tuple[float, float]], start: float) -> None:
    """A full step of Newton's method overshoots where the model is sure: it is halved."""
    traits = np.array([[1.0, value] for value, _ in examples])
    labels = np.array([label for _, label in examples])
    prior, precision, begin = np.array([-3.0, 1.0]), np.array([0.05, 1.0]), np.array([start, -start])

    def cost(weights: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        odds = traits @ weights
        return float((np.logaddexp(0, odds) - labels * odds).sum() + 0.5 * (precision * (weights - prior) ** 2).sum())

    assert cost(fitted(traits, labels, prior, precision, begin)) <= cost(begin) + 1e-3


@given(st.floats(0.001, 0.999))
def test_shares_and_odds_are_the_inverse_of_each_other(share: float) -> None:
    assert abs(float(shares(log_odds(np.array(share)))) - share) < 1e-9


def test_counts_shrink_to_what_is_usual_and_are_stored() -> None:
    counts = HashedCounts(1 << 10)
    good, bad, unknown = (counts.place(name) for name in ("good.test", "bad.test", "unknown.test"))
    for _ in range(8):
        counts.add(np.array([good]), 1.0, False)
        counts.add(np.array([bad]), 0.0, True)
    for table in (counts, codec.load(*codec.store(counts))):
        assert table.mean(np.array([good, bad, unknown]), 0.2).round(3).tolist() == [0.84, 0.04, 0.2]
        assert table.of(np.array([bad]))[2].tolist() == [8.0]


def test_words_of_good_pages_and_links_are_told_from_others() -> None:
    words = WordOdds()
    lava, tax, the = words.ids(["lava", "tax", "the"])
    for _ in range(10):
        words.add_page([lava, the], 1.0)
        words.add_page([tax, the], 0.0)
        words.add_link([lava], 1.0)
        words.add_link([tax], 0.0)
    words.learn()
    again = codec.load(*codec.store(words))
    assert again.ids(["lava"]).tolist() == [lava] and words.ids(["lava", "lava"]).tolist() == [lava, lava]
    for table in (words, again):
        assert table.pages[lava] > 0.5 > abs(table.pages[the]) and table.pages[tax] < -0.5
        assert table.links[lava] > 1 and table.links[tax] < -1
        assert table.pages[0] == table.links[0] == 0
    words.add_page([lava], 1.0)
    words.learn()
    again.add_page([lava], 1.0)
    again.learn()
    assert np.array_equal(words.pages, again.pages)
