from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.errors import BadInput
from wolfspider.graphs.graph import Graph

edges = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=80)


def make(pairs: list[tuple[int, int]]) -> Graph:
    return Graph.from_edges([f"http://a.org/{i}" for i in range(10)], [a for a, _ in pairs], [b for _, b in pairs])


def pairs_of(graph: Graph) -> set[tuple[int, int]]:
    return set(zip(graph.sources().tolist(), graph.targets.tolist(), strict=True))


@given(edges)
def test_edges_are_distinct_and_without_loops(pairs: list[tuple[int, int]]) -> None:
    graph = make(pairs)
    wanted = {(a, b) for a, b in pairs if a != b}
    assert pairs_of(graph) == wanted and graph.m == len(wanted)
    assert all(graph.out(a).tolist() == sorted(b for x, b in wanted if x == a) for a in range(graph.n))
    assert graph.in_degrees().sum() == graph.out_degrees().sum() == graph.m


@given(edges)
def test_turning_around(pairs: list[tuple[int, int]]) -> None:
    graph = make(pairs)
    assert pairs_of(graph.reversed()) == {(b, a) for a, b in pairs_of(graph)}
    assert pairs_of(graph.undirected()) == pairs_of(graph) | {(b, a) for a, b in pairs_of(graph)}


@given(edges, st.lists(st.integers(0, 9), max_size=12))
def test_spread_lists_every_edge_out_of_nodes(pairs: list[tuple[int, int]], chosen: list[int]) -> None:
    graph = make(pairs)
    places, heads = graph.spread(np.array(chosen, dtype=np.int64))
    wanted = [(place, head) for place, node in enumerate(chosen) for head in graph.out(node).tolist()]
    assert list(zip(places.tolist(), heads.tolist(), strict=True)) == wanted


def test_index_finds_every_address() -> None:
    graph = make([])
    assert graph.index()["http://a.org/7"] == 7 and graph.n == 10


@pytest.mark.parametrize("urls", [[], ["http://a.org/", "http://ä.org/\udcff", ""]])
def test_a_stored_graph_comes_back(tmp_path: Path, urls: list[str]) -> None:
    graph = Graph.from_edges(urls, [0, 2] if urls else [], [1, 0] if urls else [])
    graph.save(tmp_path / "graph.npz")
    again = Graph.load(tmp_path / "graph.npz")
    assert list(again.urls) == urls and pairs_of(again) == pairs_of(graph)


def test_a_broken_file_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "graph.npz"
    with pytest.raises(BadInput, match=r"graph\.npz"):
        Graph.load(path)
    for nonsense in (b"", b"nonsense", b"PK\x03\x04nonsense"):
        path.write_bytes(nonsense)
        with pytest.raises(BadInput, match="not a stored graph"):
            Graph.load(path)
    blob = np.frombuffer(b"ab", dtype=np.uint8)
    for lengths, starts, targets in (([1, 2], [0, 0, 0], []), ([1, 1], [0, 1, 3], [1]), ([1, 1], [0, 1, 1], [5])):
        np.savez(path.with_suffix(""), urls=blob, lengths=lengths, starts=starts, targets=targets)
        with pytest.raises(BadInput, match="not a stored graph"):
            Graph.load(path)


def test_edges_to_nowhere_are_refused() -> None:
    with pytest.raises(ValueError, match="not there"):
        Graph.from_edges(["a"], [0], [1])
    with pytest.raises(ValueError, match="as many"):
        Graph.from_edges(["a"], [0], [])
