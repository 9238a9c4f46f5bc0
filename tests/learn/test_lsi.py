"""Latent semantic indexing, and what is done in its space."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.learn.lsi import Neighbours, Space, clustered, information, k_means, unit_rows

SUBJECTS = ("spider silk web prey", "car road wheel engine", "bread oven flour salt")
SHARED = ("one", "two", "three", "four")


def texts(count: int, seed: int = 1) -> tuple[list[dict[str, int]], list[int]]:
    """Texts about one of three subjects, with some words that all of them use."""
    rng = random.Random(seed)
    bags, subjects = [], []
    for number in range(count):
        subjects.append(number % len(SUBJECTS))
        words = [*rng.choices(SUBJECTS[subjects[-1]].split(), k=12), *rng.choices(SHARED, k=4)]
        bags.append({word: words.count(word) for word in [*words, "the"]})
    return bags, subjects


def test_texts_of_a_subject_are_near_each_other() -> None:
    bags, subjects = texts(30)
    near = unit_rows(Space.of(bags, rank=3).fold(bags))
    angles = near @ near.T
    same = np.equal.outer(subjects, subjects)
    assert angles[same].mean() > 0.8 and angles[~same].mean() < 0.3


def test_the_point_of_a_text_it_was_made_from_is_that_of_the_decomposition() -> None:
    bags, _ = texts(20)
    space = Space.of(bags, rank=5)
    weighed = space.weighed(bags)
    rows = np.zeros((len(bags), len(space.words)))
    rows[weighed.text, weighed.word] = weighed.weight
    left, values, _ = np.linalg.svd(rows, full_matrices=False)
    assert np.abs(space.fold(bags)) == pytest.approx(np.abs(left[:, :5] * values[:5]), abs=1e-4)


def test_lengths_of_points_are_at_most_one() -> None:
    bags, _ = texts(20)
    lengths = np.linalg.norm(Space.of(bags).fold(bags), axis=1)
    assert lengths == pytest.approx(np.ones(20), abs=1e-4)  # all dimensions are there
    assert (np.linalg.norm(Space.of(bags, rank=2).fold(bags), axis=1) <= 1 + 1e-6).all()


def test_words_of_one_text_and_words_of_all_tell_nothing() -> None:
    space = Space.of([{"the": 3, "spider": 1, "rare": 1}, {"the": 1, "spider": 1}, {"the": 1, "car": 1}])
    assert space.words == ["spider"]


def test_so_many_words_are_kept_and_no_more() -> None:
    bags, _ = texts(30)
    assert len(Space.of(bags, vocabulary=5).words) == 5


def test_a_text_without_known_words_is_the_origin() -> None:
    bags, _ = texts(12)
    space = Space.of(bags)
    assert not space.fold([{}, {"unheard": 3}]).any()
    assert Neighbours(space.fold(bags), [0] * 12).labels(space.fold([{}]), 5) == [None]


@pytest.mark.parametrize("bags", [[], [{}], [{"a": 1}, {"a": 1}], [{"a": 1}, {"b": 1}]])
def test_from_too_little_comes_a_space_without_dimensions(bags: Sequence[dict[str, int]]) -> None:
    space = Space.of(bags)
    assert space.rank == 0 and space.fold([{"a": 1}]).shape == (1, 0)
    assert Neighbours(space.fold(bags), [0] * len(bags)).labels(space.fold([{"a": 1}]), 5) == [None]


@given(st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 9)), max_size=12), st.integers(1, 6))
def test_any_texts_have_finite_points(bags: list[dict[str, int]], rank: int) -> None:
    space = Space.of(bags, rank)
    points = space.fold(bags)
    assert space.rank <= rank and np.isfinite(points).all()
    groups = clustered(points, random.Random(1))
    assert len(groups) == len(bags) and set(groups.tolist()) == set(range(len(set(groups.tolist()))))


def test_neighbours_find_the_subject_of_a_new_text() -> None:
    bags, subjects = texts(30)
    space = Space.of(bags)
    others, wanted = texts(30, seed=2)
    assert Neighbours(space.fold(bags), subjects).labels(space.fold(others), 5) == wanted


def test_of_two_groups_with_as_many_neighbours_the_nearer_one_wins() -> None:
    known = Neighbours([[1, 0], [0, 1]], [0, 1])
    assert known.labels([[1, 2], [2, 1]], 2) == [1, 0]


def test_clusters_are_the_subjects() -> None:
    bags, subjects = texts(60)
    groups = clustered(Space.of(bags, rank=3).fold(bags), random.Random(1), least=2, most=6)
    for subject in range(3):
        mine = {int(group) for group, about in zip(groups, subjects, strict=True) if about == subject}
        others = {int(group) for group, about in zip(groups, subjects, strict=True) if about != subject}
        assert not mine & others


def test_the_criterion_wants_as_many_clusters_as_there_are() -> None:
    rng = np.random.default_rng(1)
    points = np.concatenate(
        [centre + 0.05 * rng.standard_normal((40, 2)) for centre in ((0, 0), (3, 0), (0, 3), (3, 3))]
    )
    worth = {count: information(*k_means(points, count, random.Random(3)), 2) for count in (1, 2, 4, 12)}
    assert max(worth, key=worth.__getitem__) == 4
    assert len(set(clustered(points, random.Random(3), 2, 12).tolist())) >= 4


def test_the_same_seed_gives_the_same_clusters() -> None:
    bags, _ = texts(40)
    points = Space.of(bags).fold(bags)
    assert clustered(points, random.Random(5)).tolist() == clustered(points, random.Random(5)).tolist()
    assert 5 <= len(set(clustered(points, random.Random(5)).tolist())) <= 10


def test_points_that_are_all_the_same_are_one_cluster() -> None:
    assert set(clustered(np.ones((12, 3)), random.Random(1)).tolist()) == {0}


def test_a_space_is_stored_and_read_back() -> None:
    bags, subjects = texts(20)
    space = Space.of(bags)
    known = Neighbours(space.fold(bags), subjects)
    space_again, known_again = codec.load(*codec.store([space, known]))
    assert space_again.fold(bags).tolist() == space.fold(bags).tolist()
    assert known_again.labels(space_again.fold(bags), 5) == known.labels(space.fold(bags), 5)
