from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from wolfspider.learn.pddp import Tree, grow, principal_direction, unit_rows

counts = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 4), min_size=width, max_size=width), min_size=1, max_size=25)
)


def members(tree: Tree) -> list[list[int]]:
    return [tree.clusters[leaf].members.tolist() for leaf in tree.leaves]


def test_two_directions_are_two_clusters() -> None:
    """Golden vector 18."""
    tree = grow(np.array([[1, 0], [1, 0], [0, 1], [0, 1]]), k=2)
    whole = tree.clusters[0]
    assert whole.centroid.tolist() == [0.5, 0.5] and whole.scatter == pytest.approx(2)
    assert sorted(members(tree)) == [[0, 1], [2, 3]]
    assert all(tree.clusters[leaf].scatter == pytest.approx(0) for leaf in tree.leaves)


def test_equal_documents_are_never_parted() -> None:
    tree = grow(np.array([[1, 0], [1, 0], [0, 1], [0, 1]]), k=50)
    assert len(tree.leaves) == 2


def test_no_documents_and_no_words_are_one_cluster() -> None:
    assert grow(sparse.csr_array((0, 3))).labels().tolist() == []
    assert grow(sparse.csr_array((4, 0))).labels().tolist() == [0, 0, 0, 0]


@given(counts, st.integers(1, 12))
def test_leaves_part_the_documents_along_the_cuts(table: list[list[int]], k: int) -> None:
    documents = unit_rows(np.array(table))
    tree = grow(documents, k)
    assert len(tree.leaves) <= k
    assert sorted(number for leaf in members(tree) for number in leaf) == list(range(len(table)))
    assert all(members(tree)), "No leaf is empty."
    for cut in tree.cuts.values():
        left, right = (tree.clusters[side].members for side in (cut.left, cut.right))
        assert (cut.along(documents[left]) <= cut.edge).all() and (cut.along(documents[right]) > cut.edge).all()


@given(counts)
def test_scatter_is_what_it_is_defined_as(table: list[list[int]]) -> None:
    documents = unit_rows(np.array(table))
    for cluster in grow(documents, 5).clusters:
        apart = documents.toarray()[cluster.members] - cluster.centroid
        assert cluster.scatter == pytest.approx(np.square(apart).sum(), abs=1e-9)


@given(counts, st.integers(2, 8))
def test_the_most_scattered_leaf_is_cut_next(table: list[list[int]], k: int) -> None:
    documents = unit_rows(np.array(table))
    before, after = grow(documents, k - 1), grow(documents, k)
    (cut,) = after.cuts.keys() - before.cuts.keys() or (None,)
    if cut is not None:
        assert before.clusters[cut].scatter == max(before.clusters[leaf].scatter for leaf in before.leaves)


def test_the_direction_is_the_leading_singular_vector() -> None:
    rng = np.random.default_rng(3)
    dense = rng.random((60, 40)) * (rng.random((60, 40)) < 0.3)
    rows = unit_rows(dense)
    centroid = rows.toarray().mean(axis=0)
    wanted = np.linalg.svd(rows.toarray() - centroid)[2][0]
    found = principal_direction(rows, centroid)
    assert abs(found @ wanted) == pytest.approx(1, abs=1e-4)
    assert found[np.abs(found).argmax()] > 0
    assert np.linalg.norm(found) == pytest.approx(1)


def test_the_same_documents_give_the_same_tree() -> None:
    rng = np.random.default_rng(5)
    documents = unit_rows(rng.poisson(0.3, (200, 80)))
    first, second = (grow(documents, 20) for _ in range(2))
    assert members(first) == members(second) and len(first.leaves) == 20


def test_clear_groups_are_found() -> None:
    rng = np.random.default_rng(7)
    topics = np.repeat(np.arange(3), 30)
    table = np.zeros((90, 30))
    for row, topic in enumerate(topics):
        table[row, topic * 10 : topic * 10 + 10] = 5 + rng.integers(0, 2, 10)
    tree = grow(unit_rows(table), 3)
    assert len(tree.leaves) == 3
    assert all(len(set(topics[leaf])) == 1 for leaf in members(tree))
