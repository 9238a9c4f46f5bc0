from __future__ import annotations

import math
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wolfspider.graphs import smallworld
from wolfspider.graphs.graph import Graph
from wolfspider.graphs.smallworld import (
    clustering,
    directed_clustering,
    distances,
    draw_sources,
    rewire,
    rewire_in_time,
    small_world_index,
)


def make(n: int, edges: list[tuple[int, int]]) -> Graph:
    return Graph.from_edges([str(i) for i in range(n)], [a for a, _ in edges], [b for _, b in edges])


def random_web(n: int, m: int, seed: int = 0) -> Graph:
    rng = np.random.default_rng(seed)
    return Graph.from_edges([str(i) for i in range(n)], rng.integers(0, n, m), (n * rng.random(m) ** 2).astype(int))


graphs = st.integers(1, 14).flatmap(
    lambda n: st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=60).map(lambda e: make(n, e))
)


@given(graphs)
def test_clustering_along_links_is_the_share_of_pairs_of_links_that_are_linked(graph: Graph) -> None:
    outs = [graph.out(node).tolist() for node in range(graph.n)]
    shares = [
        sum(second in outs[first] for first in out for second in out) / (len(out) * (len(out) - 1))
        for out in outs
        if len(out) >= 2
    ]
    assert directed_clustering(graph) == pytest.approx(sum(shares) / graph.n)


def plain_clustering(graph: Graph) -> tuple[float, float]:
    near = [set() for _ in range(graph.n)]  # type: list[set[int]]
    for a in range(graph.n):
        for b in graph.out(a).tolist():
            near[a].add(b)
            near[b].add(a)
    local = [
        sum(b in near[a] for a in around for b in around if a < b) / (len(around) * (len(around) - 1) / 2)
        for around in near
        if len(around) >= 2
    ]
    return sum(local) / max(len(local), 1), sum(local) / graph.n


def plain_distances(graph: Graph, source: int) -> dict[int, int]:
    found = {source: 0}
    queue = deque([source])
    while queue:
        node = queue.popleft()
        for other in graph.out(node).tolist():
            if other not in found:
                found[other] = found[node] + 1
                queue.append(other)
    return found


def test_clustering_of_a_triangle_with_a_tail() -> None:
    found = clustering(make(4, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 2)]), np.random.default_rng(0))
    assert found.paired == pytest.approx((1 + 1 + 1 / 3) / 3)
    assert found.all == pytest.approx((1 + 1 + 1 / 3) / 4)
    assert found.exact and found.nodes == 4


@given(graphs)
def test_clustering_is_that_of_the_definition(graph: Graph) -> None:
    found = clustering(graph, np.random.default_rng(0))
    assert (found.paired, found.all) == pytest.approx(plain_clustering(graph))


def test_blocks_do_not_change_clustering(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_web(300, 3000)
    whole = clustering(graph, np.random.default_rng(0))
    monkeypatch.setattr(smallworld, "BLOCK", 500)
    assert clustering(graph, np.random.default_rng(0)) == whole


def test_sampled_clustering_is_near_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_web(2000, 30_000)
    exact = clustering(graph, np.random.default_rng(0))
    monkeypatch.setattr(smallworld, "EXACT_NODES", 100)
    monkeypatch.setattr(smallworld, "SAMPLED_NODES", 800)
    monkeypatch.setattr(smallworld, "SAMPLED_NEIGHBOURS", 40)
    sampled = clustering(graph, np.random.default_rng(1))
    assert not sampled.exact and sampled.nodes == 800
    assert sampled.paired == pytest.approx(exact.paired, rel=0.1)


@given(graphs)
def test_distances_are_those_of_the_plain_search(graph: Graph) -> None:
    found = distances(graph, np.arange(graph.n))
    plain = [d for source in range(graph.n) for d in plain_distances(graph, source).values() if d]
    assert list(found.counts) == [plain.count(d) for d in range(1, max(plain, default=0) + 1)]
    assert found.reachable == pytest.approx(len(plain) / max(graph.n * (graph.n - 1), 1))
    if plain:
        assert found.mean == pytest.approx(sum(plain) / len(plain)) and found.largest == max(plain)
        assert found.effective <= found.largest


def test_effective_diameter_of_a_path() -> None:
    found = distances(make(11, [(i, i + 1) for i in range(10)]), np.array([0]))
    assert (found.mean, found.effective, found.largest, found.reachable) == (5.5, 9.0, 10, 1.0)


def test_without_links_there_is_no_distance() -> None:
    found = distances(make(3, []), draw_sources(3, 40, np.random.default_rng(0)))
    assert math.isnan(found.mean) and found.reachable == 0 and found.sources == 3


@given(graphs, st.integers(0, 3))
@settings(deadline=None)
def test_rewiring_makes_no_doubles_and_raises_no_degree(graph: Graph, seed: int) -> None:
    other = rewire(graph, np.random.default_rng(seed))
    assert (other.out_degrees() <= graph.out_degrees()).all() and (other.in_degrees() <= graph.in_degrees()).all()
    assert (other.sources() != other.targets).all()


def test_rewiring_keeps_degrees_and_breaks_clusters() -> None:
    blocks = [(10 * b + i, 10 * b + j) for b in range(100) for i in range(10) for j in range(10) if i != j]
    graph = make(1000, blocks)
    other = rewire(graph, np.random.default_rng(0))
    assert other.m == graph.m
    assert (other.out_degrees() == graph.out_degrees()).all() and (other.in_degrees() == graph.in_degrees()).all()
    rng = np.random.default_rng(0)
    assert clustering(graph, rng).paired == 1 and clustering(other, rng).paired < 0.05


def test_rewiring_a_skewed_web_keeps_nearly_every_link() -> None:
    graph = random_web(2000, 40_000)
    other = rewire(graph, np.random.default_rng(0))
    assert other.m == graph.m and (other.targets != graph.targets).mean() > 0.5


def in_time(graph: Graph, spread: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """When each link of a graph is shown and each node known: no link shows a node ahead of its time."""
    rng = np.random.default_rng(seed)
    shown = rng.random(graph.m) * spread
    known = np.full(graph.n, np.inf)
    np.minimum.at(known, graph.targets, shown)
    return shown, known * rng.random(graph.n)


@given(graphs, st.integers(0, 3), st.sampled_from([0.0, 1.0]))
@settings(deadline=None)
def test_rewiring_in_time_keeps_degrees_and_shows_nothing_ahead_of_its_time(
    graph: Graph, seed: int, spread: float
) -> None:
    shown, known = in_time(graph, spread, seed)
    tails, heads = graph.sources().astype(np.int64), graph.targets.astype(np.int64)
    other, again = (rewire_in_time(tails, heads, shown, known, np.random.default_rng(seed)) for _ in range(2))
    assert (other == again).all()
    assert (heads == graph.targets).all(), "what is given is left as it is"
    assert sorted(other.tolist()) == sorted(heads.tolist())
    assert (tails != other).all()
    assert len(set(zip(tails.tolist(), other.tolist(), strict=True))) == graph.m
    assert (known[other] <= shown).all()


@pytest.mark.parametrize("days", [1, 100])
def test_rewiring_in_time_breaks_clusters_though_they_appear_one_after_the_other(days: int) -> None:
    """Pages link to all others of their block and to older ones, which is what makes ends to trade."""
    rng = np.random.default_rng(0)
    blocks = [(10 * b + i, 10 * b + j) for b in range(100) for i in range(10) for j in range(10) if i != j]
    older = [(page, int(target)) for page in range(10, 1000) for target in rng.integers(0, page // 10 * 10, 10)]
    graph = make(1000, blocks + older)
    tails, heads = graph.sources().astype(np.int64), graph.targets.astype(np.int64)
    shown = (tails // 10 * days // 100).astype(float)
    known = np.full(graph.n, np.inf)
    np.minimum.at(known, heads, shown)
    other = Graph.from_edges(graph.urls, tails, rewire_in_time(tails, heads, shown, known, rng))
    assert other.m == graph.m
    assert (other.in_degrees() == graph.in_degrees()).all()
    assert clustering(other, rng).paired < 0.5 * clustering(graph, rng).paired


def test_small_world_index() -> None:
    assert small_world_index(0.02, 7.2893, 0.003, 8.2163) == pytest.approx(7.514, abs=1e-3)  # the paper's web
    assert math.isnan(small_world_index(0.1, 5, 0, 5))
