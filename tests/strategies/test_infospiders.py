"""InfoSpiders: agents with keywords and nets of their own, that live on what they find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from wolfspider.core.events import Event, Noted, SetTopic, Went
from wolfspider.core.model import Failure, Fetch, Link, Page
from wolfspider.core.params import build
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Topic
from wolfspider.drivers.driver import Result
from wolfspider.drivers.simulated import simulate, simulated_crawl
from wolfspider.engine.crawl import Limits
from wolfspider.policy.link_shelf import Shelf
from wolfspider.strategies.infospiders import InfoSpiders, InfoSpidersParams, keywords_of, seen
from wolfspider.testing.sketch import Sketch, Trial, configured

TOPIC = Topic(("spider", "silk"))


class Web:
    """Pages by name: their words, and what they link to; the links stand one behind the other from the first word."""

    def __init__(self, pages: Mapping[str, tuple[str, Sequence[str]]]) -> None:
        self.pages = pages

    def look(self, url: str, now: float) -> Fetch:
        name = url.removeprefix("http://a.test/")
        if name not in self.pages:
            return Fetch(url, url, 404, failure=Failure("status", "404"), seconds=1.0, at=now)
        text, names = self.pages[name]
        links = tuple(Link(f"http://a.test/{one}", "", rank, rank=rank) for rank, one in enumerate(names))
        page = Page(url, url, name, tuple(text.split()), links, digest=name, at=now)
        return Fetch(url, url, 200, seconds=1.0, at=now, page=page)


def crawled(web: Web, pages: int = 50, **settings: Any) -> tuple[InfoSpiders, Result, list[Event]]:
    strategy = InfoSpiders(TOPIC, build(InfoSpidersParams, {"agents": 1, **settings}), generator(1), Shelf())
    log: list[Event] = []
    crawl = simulated_crawl(strategy, "keywords", web, Limits(pages))
    crawl.listen(log.append)
    crawl.begin([Link("http://a.test/seed")], 0.0)
    return strategy, simulate(crawl, web, start=0.0), log


def noted(log: Sequence[Event], kind: str) -> list[Mapping[str, Any]]:
    return [event.data for event in log if isinstance(event, Noted) and event.kind == kind]


def test_an_agent_sees_its_keywords_by_their_distance_to_a_link() -> None:
    words = ("silk", "x", "x", "spider", "silk")
    sight = seen(words, [Link("http://a.test/", at=2), Link("http://a.test/", at=4)], ["spider", "silk"], 2)
    assert sight.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert sight[0, 1] == 0.5 + 0.5 and seen(words, [Link("http://a.test/", at=2)], ["road"], 9).tolist() == [[0.0]]
    assert seen(words, [], ["silk"], 9).shape == (0, 1)


def test_a_page_gives_what_it_is_near_and_takes_its_cost() -> None:
    web = Web({"seed": ("spider silk", [])})
    strategy, result, _ = crawled(web, cost=0.25)
    (spider,) = strategy.spiders.values()
    assert result.reason == "done" and spider.energy == pytest.approx(1 + 1 - 0.25)


def test_a_page_feeds_only_who_brings_it() -> None:
    web = Web({"seed": ("spider silk", ["a"]), "a": ("spider silk", ["seed"])})
    strategy, result, _ = crawled(web, theta=10.0, known=0.5)
    assert result.reason == "done" and result.downloads == 2
    (spider,) = strategy.spiders.values()
    assert spider.energy < 5 + 2


def test_with_much_energy_an_agent_has_a_child_of_its_own_kind() -> None:
    web = Web({"seed": ("spider silk venom venom thread", ["a", "b"]), "a": ("spider", []), "b": ("silk", [])})
    _, _, log = crawled(web, theta=0.8)
    births = noted(log, "birth")
    assert births[0]["parent"] == "" and births[1]["parent"] == "spider-0"
    assert births[1]["energy"] == pytest.approx((0.4 + 2 / (2 * 7) ** 0.5 - 0.05) / 2)
    assert "venom" in births[1]["keywords"] and len(births[1]["keywords"]) == 2


def test_without_energy_an_agent_dies_and_extinction_ends_the_crawl() -> None:
    web = Web(
        {"seed": ("car", [str(number) for number in range(40)]), **{str(n): ("car", ["seed"]) for n in range(40)}}
    )
    strategy, result, log = crawled(web, least=0, cost=0.3)
    assert not strategy.spiders and result.reason == "done" and result.downloads < 10
    assert noted(log, "death")[0]["population"] == 0


def test_the_last_ones_live_on_where_something_is_new() -> None:
    names = [str(number) for number in range(40)]
    web = Web({"seed": ("car", names), **{name: ("car", []) for name in names}})
    strategy, result, log = crawled(web, least=1, cost=0.3)
    assert len(strategy.spiders) == 1 and result.reason == "done" and not noted(log, "death")
    assert len({event.visit.link.url for event in log if isinstance(event, Went)}) == 41


def test_nets_learn_which_surroundings_lead_to_good_pages() -> None:
    """Links beside `silk` lead to pages about the topic, those beside `road` to others."""
    pages: dict[str, tuple[str, Sequence[str]]] = {}
    for number in range(0, 400, 2):
        names = [f"{number + 2}", f"bad{number}"]
        pages[str(number)] = ("silk x x x x x road spider", [names[0], *["x"] * 5, names[1]])
        pages[f"bad{number}"] = ("car " * 8, [f"{number + 2}"])
    web = Web({**pages, "seed": pages["0"]})
    strategy, _, _ = crawled(web, pages=200, reach=1, theta=1000.0, rate=0.5, beta=0.0)
    (spider,) = strategy.spiders.values()
    near = spider.keywords.index("silk")
    rows = np.zeros((2, len(spider.keywords)))
    rows[0, near] = 1.0
    assert spider.net.of(rows)[0] > spider.net.of(rows)[1]


def test_the_population_stays_within_its_bounds() -> None:
    kind = configured(InfoSpiders, {"agents": 6, "least": 4, "most": 12, "theta": 0.4, "cost": 0.1})
    trial = Trial(kind, Sketch(), pages=150)
    trial.run()
    populations = [data["population"] for kind in ("birth", "death") for data in noted(trial.log, kind)]
    assert min(populations[6:]) >= 4 and max(populations) == 12


def test_another_topic_brings_other_keywords() -> None:
    trial = Trial(InfoSpiders, Sketch(), pages=60, commands=[(1_000_008.0, SetTopic(("car",), "Roads"))])
    crawl = trial.run()
    strategy = crawl.strategy
    assert isinstance(strategy, InfoSpiders)
    assert all("spider" not in spider.keywords for spider in strategy.spiders.values())


def test_keywords_are_the_words_of_the_topic_and_of_liked_pages() -> None:
    liked = Page("http://a.test/", "http://a.test/", words=("venom", "venom"))
    assert keywords_of(Topic(("world war", "war"))) == ["world", "war"]
    assert keywords_of(Topic(liked=(liked,))) == ["venom"]
