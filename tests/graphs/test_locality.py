from __future__ import annotations

import math

import numpy as np
import pytest

from wolfspider.graphs.graph import Graph
from wolfspider.graphs.locality import locality, tunnelling

EVERY = np.arange(6)


def make(edges: list[tuple[int, int]], n: int = 6) -> Graph:
    return Graph.from_edges([str(i) for i in range(n)], [a for a, _ in edges], [b for _, b in edges])


def test_links_within_and_between_two_topics() -> None:
    labels = np.array([0, 0, 0, 1, 1, 1])
    found = locality(make([(0, 1), (0, 2), (0, 3), (3, 4), (4, 5)]), labels, EVERY)
    assert found.chance == 0.5
    assert found.linked == pytest.approx(4 / 5)
    # page 0 links to topics 0, 0, 1: of its six ordered pairs two are alike; the others have a single link
    assert found.together == pytest.approx(1 / 3)
    assert found.by_distance == pytest.approx((4 / 5, 1 / 2, 0.0))


def test_asked_from_one_label_alone() -> None:
    labels = np.array([1, 1, 0, 0, 0, 0])
    found = locality(make([(0, 1), (0, 2), (2, 3), (3, 0)]), labels, EVERY, only=1)
    assert found.chance == pytest.approx(1 / 3)
    assert found.linked == 0.5
    assert found.together == 0.0
    assert found.by_distance[0] == 0.5


def test_nodes_without_a_label_are_left_out() -> None:
    labels = np.array([0, -1, 0, -1, -1, 1])
    found = locality(make([(0, 1), (1, 2), (0, 2), (0, 5), (3, 5)]), labels, EVERY)
    assert found.chance == pytest.approx((4 + 1) / 9)
    assert found.linked == 0.5 and found.together == 0.0
    assert found.by_distance == (0.5,)


def test_labels_at_random_are_no_better_than_chance() -> None:
    rng = np.random.default_rng(3)
    graph = make(rng.integers(0, 3000, (40_000, 2)).tolist(), 3000)
    found = locality(graph, rng.integers(0, 4, 3000), np.arange(20))
    for share in (found.linked, found.together, *found.by_distance[2:4]):
        assert share == pytest.approx(found.chance, abs=0.02)


def test_nothing_to_ask() -> None:
    found = locality(make([]), np.full(6, -1), EVERY)
    assert found.chance == 0 and math.isnan(found.linked) and math.isnan(found.together) and found.by_distance == ()


def test_tunnelling_profile() -> None:
    distance = np.array([0, 0, 1, 7, 99, 3], dtype=np.int32)
    found = tunnelling(distance, np.array([True, True, True, True, True, False]), far=99)
    assert found == {"0": 0.4, "1": 0.2, "2": 0, "3": 0, "4": 0, "5+": 0.2, "never": 0.2}
