from __future__ import annotations

from itertools import combinations
from typing import cast

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from wolfspider.bench.measure.bounds import (
    FAR,
    auc,
    bounds,
    curve,
    greedy_oracle,
    landed,
    nodes,
    off_topic_distance,
    reachable,
    upper_bound,
)
from wolfspider.core.model import Fetch
from wolfspider.core.topic import Task, Topic
from wolfspider.graphs.graph import Graph
from wolfspider.web.worlds.world import World


def make(n: int, edges: list[tuple[int, int]]) -> Graph:
    return Graph.from_edges([f"http://a.org/{i}" for i in range(n)], [a for a, _ in edges], [b for _, b in edges])


def mask(n: int, members: list[int]) -> np.ndarray:
    found = np.zeros(n, dtype=bool)
    found[members] = True
    return found


def test_a_tunnel_of_two_to_a_cluster_of_five() -> None:
    """Golden vector 14: relevant seed -> off -> off -> five relevant pages."""
    graph = make(8, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7)])
    relevant = mask(8, [0, 3, 4, 5, 6, 7])
    distance = off_topic_distance(graph, np.array([0]), relevant)
    assert distance.tolist() == [0, 1, 2, 2, 2, 2, 2, 2]
    upper = upper_bound(distance, relevant, 10)
    assert upper[4 - 1] == 2 and upper[10 - 1] == 6
    assert greedy_oracle(graph, np.array([0]), relevant, 10).tolist() == [1, 1, 1, 2, 3, 4, 5, 6, 6, 6]


def test_an_off_topic_seed_costs_a_download() -> None:
    graph = make(2, [(0, 1)])
    relevant = mask(2, [1])
    assert off_topic_distance(graph, np.array([0]), relevant).tolist() == [1, 1]
    assert greedy_oracle(graph, np.array([0]), relevant, 3).tolist() == [0, 1, 1]


def test_the_greedy_oracle_walks_to_the_larger_group_first() -> None:
    # 0 -> 1 -> one relevant page (2); 0 -> 3 -> three relevant pages (4, 5, 6)
    graph = make(7, [(0, 1), (1, 2), (0, 3), (3, 4), (4, 5), (5, 6)])
    relevant = mask(7, [0, 2, 4, 5, 6])
    assert greedy_oracle(graph, np.array([0]), relevant, 7).tolist() == [1, 1, 2, 3, 4, 4, 5]


def test_bounds_of_a_task_ignore_what_is_not_in_the_web() -> None:
    graph = make(4, [(0, 1), (1, 2)])
    task = Task(
        Topic(),
        ("http://gone.org/", "http://a.org/0"),
        frozenset({"http://a.org/2", "http://a.org/3", "http://no.org/"}),
    )
    found = bounds(graph, task, 5)
    assert (found.relevant, found.reachable, found.tunnels) == (3, 1, {2: 1})
    assert found.upper.tolist() == found.greedy.tolist() == [0, 0, 1, 1, 1]


def test_redirects_of_a_task_are_followed() -> None:
    class Moved:
        def look(self, url: str, now: float) -> Fetch:
            return Fetch(url, url.replace("old.org", "a.org"), at=now)

    task = Task(Topic(), ("http://old.org/0", "http://a.org/1"), frozenset({"http://old.org/2", "http://a.org/2"}))
    found = landed(task, cast(World, Moved()), 0.0, make(3, []).index())
    assert found.seeds == ("http://a.org/0", "http://a.org/1") and found.relevant == {"http://a.org/2"}


def test_no_seed_in_the_web_finds_nothing() -> None:
    graph = make(2, [(0, 1)])
    found = bounds(graph, Task(Topic(), ("http://gone.org/",), frozenset({"http://a.org/1"})), 3)
    assert found.reachable == 0 and found.upper.tolist() == found.greedy.tolist() == [0, 0, 0]


def test_an_empty_graph() -> None:
    assert bounds(make(0, []), Task(Topic(), ("http://gone.org/",), frozenset()), 2).upper.tolist() == [0, 0]


def test_curves_and_their_mean() -> None:
    assert curve([[1, 1], [4, 2], [5, 2]], 6).tolist() == [1, 1, 1, 2, 2, 2]
    assert curve([], 2).tolist() == [0, 0] and curve([[9, 1]], 2).tolist() == [0, 0]
    assert auc([1, 1, 1, 2, 2, 2]) == 1.5 and auc([]) == 0.0


def test_nodes_are_sorted_and_known() -> None:
    assert nodes({"b": 1, "a": 0}, ["b", "a", "c", "b"]).tolist() == [0, 1]


@st.composite
def webs(draw: st.DrawFn, most: int) -> tuple[Graph, np.ndarray, np.ndarray]:
    n = draw(st.integers(2, most))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=3 * n))
    relevant = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    seeds = np.array(sorted(draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=3))))
    return make(n, pairs), seeds, relevant


def cheapest(graph: Graph, seeds: np.ndarray, relevant: np.ndarray) -> list[int]:
    """Bellman-Ford, slow and plain."""
    found = [FAR] * graph.n
    for seed in seeds.tolist():
        found[seed] = int(not relevant[seed])
    for _ in range(graph.n):
        for a in range(graph.n):
            for b in graph.out(a).tolist():
                if found[a] < FAR:
                    found[b] = min(found[b], found[a] + int(not relevant[b]))
    return found


def optimum(graph: Graph, seeds: np.ndarray, relevant: np.ndarray) -> list[int]:
    """The most relevant pages in any set of B pages that a crawl could hold, by trying all of them."""
    best: list[int] = []
    for size in range(1, graph.n + 1):
        counts = [
            sum(bool(relevant[page]) for page in held)
            for held in combinations(range(graph.n), size)
            if crawlable(graph, set(seeds.tolist()), set(held))
        ]
        best.append(max(counts, default=best[-1] if best else 0))
    return [max(best[: i + 1]) for i in range(len(best))]


def crawlable(graph: Graph, seeds: set[int], held: set[int]) -> bool:
    seen = seeds & held
    fringe = list(seen)
    while fringe:
        fresh = (set(graph.out(fringe.pop()).tolist()) & held) - seen
        seen |= fresh
        fringe += fresh
    return seen == held


@given(webs(14))
def test_distances_are_those_of_the_plain_search(web: tuple[Graph, np.ndarray, np.ndarray]) -> None:
    assert off_topic_distance(*web).tolist() == cheapest(*web)


@given(webs(9))
@settings(max_examples=60, deadline=None)
def test_the_best_crawl_lies_between_greedy_and_upper_bound(web: tuple[Graph, np.ndarray, np.ndarray]) -> None:
    graph, _, relevant = web
    upper = upper_bound(off_topic_distance(*web), relevant, graph.n).tolist()
    greedy = greedy_oracle(*web, graph.n).tolist()
    best = optimum(*web)
    assert all(low <= middle <= high for low, middle, high in zip(greedy, best, upper, strict=True))
    assert greedy[-1] == best[-1]  # with the whole web affordable everything reachable is found


@given(webs(40), st.integers(1, 60))
def test_both_curves_keep_their_limits(web: tuple[Graph, np.ndarray, np.ndarray], budget: int) -> None:
    _, _, relevant = web
    distance = off_topic_distance(*web)
    most = int(reachable(distance, relevant).sum())
    upper, greedy = upper_bound(distance, relevant, budget), greedy_oracle(*web, budget)
    for found in (upper, greedy):
        assert found.size == budget and (np.diff(found) >= 0).all()
        assert (found <= np.minimum(np.arange(1, budget + 1), most)).all()
    assert (greedy <= upper).all() and (np.diff(greedy) <= 1).all()
