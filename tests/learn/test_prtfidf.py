from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.learn.prtfidf import classify, information_gain, train

A, B, C = range(3)
TWO = np.array([[1, 1, 0], [0, 1, 1]])  # documents "a b" and "b c"
tables = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 4), min_size=width, max_size=width), min_size=1, max_size=12)
)


def of(posteriors: np.ndarray, **words: int) -> np.ndarray:
    numbers = np.array(["abc".index(word) for word in words], np.int64)
    return classify(posteriors, numbers, np.array(list(words.values()), np.float64))


def test_the_class_of_a_text_is_the_mean_of_what_its_words_say() -> None:
    """Golden vector 9."""
    posteriors = train(TWO, np.array([0, 1]))
    assert posteriors.dtype == np.float32
    assert posteriors.tolist() == [[1, 0], [0.5, 0.5], [0, 1]]
    assert of(posteriors, a=1, b=2, c=1)[0] == pytest.approx(0.5)
    assert of(posteriors, a=2, b=1)[0] == pytest.approx(0.8333, abs=1e-4)


def test_a_text_without_a_known_word_can_be_of_any_class() -> None:
    posteriors = train(TWO, np.array([0, 1]), general=True)
    assert of(posteriors).tolist() == pytest.approx([1 / 3] * 3)


def test_the_general_class_is_of_all_documents() -> None:
    posteriors = train(TWO, np.array([0, 1]), general=True)
    assert posteriors[A].tolist() == pytest.approx([0.5 / 0.75, 0, 0.25 / 0.75])
    assert posteriors[B].tolist() == pytest.approx([1 / 3] * 3)


def test_priors_may_be_the_sizes_of_the_classes() -> None:
    table = np.array([[1, 1], [1, 1], [1, 1], [0, 2]])
    labels = np.array([0, 0, 0, 1])
    assert train(table, labels)[1].tolist() == pytest.approx([1 / 3, 2 / 3])
    assert train(table, labels, priors="proportional")[1].tolist() == pytest.approx([0.6, 0.4])


def test_pooled_counts_give_long_documents_more_weight() -> None:
    table = np.array([[1, 0], [0, 9], [5, 5]])
    labels = np.array([0, 0, 1])
    assert train(table, labels)[0].tolist() == pytest.approx([0.5, 0.5])
    assert train(table, labels, pooled=True)[0].tolist() == pytest.approx([0.1 / 0.6, 0.5 / 0.6])


@given(tables, st.data())
def test_posteriors_sum_to_one(table: list[list[int]], data: st.DataObject) -> None:
    rows = np.array(table)
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))))
    options = data.draw(
        st.fixed_dictionaries(
            {
                "general": st.booleans(),
                "pooled": st.booleans(),
                "priors": st.sampled_from(["uniform", "proportional"]),
            }
        )
    )
    posteriors = train(rows, labels, **options)
    seen = np.flatnonzero(rows.sum(axis=0))
    assert posteriors[seen].sum(axis=1) == pytest.approx(np.ones(len(seen)), abs=1e-5)
    assert (posteriors >= 0).all() and not posteriors[rows.sum(axis=0) == 0].any()
    text = np.array(data.draw(st.lists(st.integers(0, 5), min_size=len(seen), max_size=len(seen))), np.float64)
    assert classify(posteriors, seen, text).sum() == pytest.approx(1, abs=1e-5)


def test_information_gain_is_a_bit_for_the_word_that_tells_two_classes_apart() -> None:
    table = np.array([[3, 1, 0], [1, 1, 1], [0, 1, 1], [0, 1, 0]])
    gains = information_gain(table, np.array([0, 0, 1, 1]))
    assert gains.tolist() == pytest.approx([1, 0, 0])


@given(tables, st.data())
def test_information_gain_is_never_more_than_there_is_to_know(table: list[list[int]], data: st.DataObject) -> None:
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table))))
    gains = information_gain(np.array(table), labels)
    assert (gains >= 0).all() and (gains <= 2 + 1e-9).all()
