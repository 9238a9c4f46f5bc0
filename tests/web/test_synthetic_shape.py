"""The synthetic web has the shape that was aimed at: scale-free, a small world, clustered by topic. docs/synthetic.md
prints the figures; here they may not wander."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from wolfspider.bench.measure.bounds import FAR, off_topic_distance
from wolfspider.graphs.degrees import binned_exponent, distribution, raw_exponent
from wolfspider.graphs.graph import Graph
from wolfspider.graphs.smallworld import clustering, distances, draw_sources
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.synthetic.bulk import Bulk

PAGES = 50_000
Ids = NDArray[np.int64]


@cache
def measured(more: str = "") -> tuple[Graph, Ids, Ids]:
    """The links of all pages, and host and topic of each."""
    world = Synthetic.parse(f"synthetic:pages={PAGES},mischief=0{more}")
    skeleton = world._rewired if world.params.rewired else Bulk(world.links).skeleton()
    graph = Graph.from_edges([""] * PAGES, skeleton.sources(), skeleton.targets)
    census = Bulk(world.links).census
    hosts = census.host(np.arange(PAGES))
    return graph, hosts, census.topic(np.arange(PAGES), hosts)


def mle_exponent(values: Ids, counts: Ids, kmin: int) -> float:
    """The maximum likelihood estimate of a tail that begins at a given degree."""
    tail = values >= kmin
    return float(1 + counts[tail].sum() / (counts[tail] * np.log(values[tail] / (kmin - 0.5))).sum())


def test_links_on_a_page() -> None:
    graph, _, _ = measured()
    assert graph.m / graph.n == pytest.approx(7.0, abs=0.8)
    assert np.mean(graph.in_degrees() == 0) == pytest.approx(0.04, abs=0.015)


def test_exponents_by_all_three_estimates() -> None:
    graph, _, _ = measured()
    out, into = distribution(graph.out_degrees()), distribution(graph.in_degrees())
    assert raw_exponent(*out) == pytest.approx(2.13, abs=0.2)
    assert binned_exponent(*out) == pytest.approx(2.01, abs=0.15)
    assert mle_exponent(*out, 10) == pytest.approx(2.36, abs=0.2)
    assert raw_exponent(*into) == pytest.approx(2.13, abs=0.2)
    assert binned_exponent(*into) == pytest.approx(2.38, abs=0.15)
    assert mle_exponent(*into, 5) == pytest.approx(2.28, abs=0.2)


def test_a_small_world_and_none_once_rewired() -> None:
    rng = np.random.default_rng(0)
    graph, rewired = measured()[0], measured(",rewired=1")[0]
    assert (graph.out_degrees() == rewired.out_degrees()).mean() > 0.999
    assert (graph.in_degrees() == rewired.in_degrees()).mean() > 0.999
    assert clustering(graph, rng).paired == pytest.approx(0.306, abs=0.03)
    assert clustering(rewired, rng).paired == pytest.approx(0.0018, abs=0.002)
    sources = draw_sources(PAGES, 40, rng)
    far, far_rewired = distances(graph, sources), distances(rewired, sources)
    assert far.mean == pytest.approx(7.34, abs=0.6)
    assert far.reachable == pytest.approx(0.95, abs=0.03)
    assert far_rewired.mean == pytest.approx(6.03, abs=0.3)


def test_links_stay_with_their_topic_until_rewired() -> None:
    graph, hosts, topics = measured()
    sources = graph.sources()
    same = topics[sources] == topics[graph.targets]
    external = hosts[sources] != hosts[graph.targets]
    assert same.mean() == pytest.approx(0.57, abs=0.03)
    assert same[external].mean() == pytest.approx(0.50, abs=0.03)
    rewired, _, _ = measured(",rewired=1")
    assert np.mean(topics[rewired.sources()] == topics[rewired.targets]) < 0.03


def profile(more: str) -> NDArray[np.float64]:
    """Shares of on-topic pages behind 0, 1, 2, 3, 4, 5 and more off-topic pages, and beyond reach; from two of them."""
    graph, _, topics = measured(more)
    rng = np.random.default_rng(1)
    counts = np.zeros(7)
    for topic in range(0, 64, 4):
        relevant = topics == topic
        inside = np.flatnonzero(relevant)
        far = off_topic_distance(graph, np.sort(rng.choice(inside, 2, replace=False)), relevant)[inside]
        counts += np.bincount(np.where(far == FAR, 6, np.minimum(far, 5)), minlength=7)
    shares: NDArray[np.float64] = counts / counts.sum()
    return shares


def test_hard_webs_must_be_tunnelled() -> None:
    easy, hard = profile(""), profile(",hard=1")
    assert easy[0] == pytest.approx(0.65, abs=0.1)
    assert hard[0] < 0.42
    assert hard[2:6].sum() > 1.5 * easy[2:6].sum()
    assert easy[6] < 0.1 and hard[6] < 0.1


def test_hosts_follow_a_power_law() -> None:
    world = Synthetic.parse("synthetic:pages=1000000")
    sizes = sorted((world.sites.size(host) for host in range(world.sites.hosts)), reverse=True)
    assert sizes[0] > 100 * sizes[len(sizes) // 2] > 0
    assert sizes[-1] >= 1 and sum(sizes) == 1_000_000
