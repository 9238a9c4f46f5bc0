from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from wolfspider.bench.measure.describe import Description, describe, plots, text
from wolfspider.core.model import Fetch
from wolfspider.core.topic import Task, Topic
from wolfspider.graphs.graph import Graph
from wolfspider.web.worlds.world import World


class Sites(World):
    """A hundred hosts of twenty pages that link among themselves, and now and then to another host of their topic."""

    name = "sites"
    start = 7.0

    def __init__(self) -> None:
        rng = np.random.default_rng(5)
        pages = np.arange(2000)
        self.urls = [f"http://h{page // 20}.org/{page % 20}" for page in pages.tolist()]
        inside = np.repeat(pages, 6)
        across = np.repeat(pages, 2)
        cousins = 20 * ((across // 20 + 4 * rng.integers(1, 25, across.size)) % 100) + rng.integers(0, 20, across.size)
        self.tails = np.concatenate([inside, across])
        self.heads = np.concatenate([inside // 20 * 20 + rng.integers(0, 20, inside.size), cousins])

    def look(self, url: str, now: float) -> Fetch:
        return Fetch(url, url, 404, at=now)

    def owns(self, host: str) -> bool:
        return host.endswith(".org")

    def graph(self, now: float) -> Graph:
        return Graph.from_edges(self.urls, self.tails, self.heads)

    def tasks(self) -> Mapping[str, Task]:
        relevant = frozenset(url for page, url in enumerate(self.urls) if page // 20 % 4 == 1)
        return {"ones": Task(Topic(name="ones"), (self.urls[20], "http://gone.org/"), relevant)}

    def digest(self) -> str:
        return "sites"


class Labelled(Sites):
    def labels(self) -> np.ndarray:
        return np.arange(2000) // 20 % 4


@pytest.fixture(scope="module")
def found() -> Description:
    return describe(Labelled(), seed=3, sources=50)


def test_the_web_is_counted(found: Description) -> None:
    assert (found.web, found.at, found.nodes, found.hosts) == ("sites", 7.0, 2000, 100)
    assert found.links_per_page == pytest.approx(found.links / 2000)


def test_sites_make_a_small_world_and_rewiring_ends_it(found: Description) -> None:
    assert found.original.clustering.paired > 10 * found.rewired.clustering.paired
    assert found.small_world > 10
    assert found.rewired.links == found.links
    assert found.rewired.out_of.counts == found.original.out_of.counts
    assert found.original.directed.sources == 50 and found.original.directed.reachable > 0.2


def test_links_tell_topics(found: Description) -> None:
    assert found.topics is not None
    assert found.topics.linked == found.topics.together == 1 and found.topics.chance == 0.25
    story = found.tasks["ones"]
    assert (story.relevant, story.seeds, story.locality.linked) == (500, 1, 1.0)
    assert story.locality.chance == 0.25
    assert story.tunnels["0"] == story.reachable / 500


def test_the_same_seed_gives_the_same_numbers(found: Description) -> None:
    assert describe(Labelled(), seed=3, sources=50).to_json() == found.to_json()
    assert describe(Sites(), seed=3, sources=50).topics is None


def test_json_is_plain(found: Description) -> None:
    again = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert again["original"]["clustering"]["paired"] == found.original.clustering.paired
    assert again["tasks"]["ones"]["tunnels"]["never"] == found.tasks["ones"].tunnels["never"]


def test_text_has_the_numbers_beside_the_papers(found: Description) -> None:
    lines = text(found).splitlines()
    assert lines[0].startswith("sites: 2,000 pages, 100 hosts")
    row = next(line.split() for line in lines if line.startswith("mean distance "))
    assert row[2:] == [f"{found.original.directed.mean:.3f}", f"{found.rewired.directed.mean:.3f}", "7.289", "8.216"]
    assert any(line.startswith("ones") for line in lines) and "50 random pages" in lines[-1]


def test_plots_are_written(found: Description, tmp_path: Path) -> None:
    paths = plots(found, tmp_path / "figures")
    assert sorted(path.name for path in paths) == [
        "degrees-in-rewired.svg",
        "degrees-in.svg",
        "degrees-out-rewired.svg",
        "degrees-out.svg",
    ]
    for path in paths:
        assert ElementTree.parse(path).getroot().tag.endswith("svg")


def test_a_web_of_one_page_is_described() -> None:
    class Lonely(Sites):
        def graph(self, now: float) -> Graph:
            return Graph.from_edges(["http://a.org/"], [], [])

    lonely = describe(Lonely())
    assert lonely.nodes == 1 and lonely.links == 0
    assert "-" in text(lonely)
    json.dumps(lonely.to_json(), allow_nan=False)


def test_what_begins_with_nothing_is_described_when_all_of_it_is_there() -> None:
    class Growing(Sites):
        whole = 100.0

        def graph(self, now: float) -> Graph:
            pages = ["http://a.org/", "http://a.org/b"] if now >= self.whole else ["http://a.org/"]
            return Graph.from_edges(pages, [], [])

    assert describe(Growing()).nodes == 2
    assert describe(Growing(), 50.0).nodes == 1
