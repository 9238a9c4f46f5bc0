"""LAFC: a network of learning automata, one for each page that was worth expanding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from wolfspider.core.events import Landed
from wolfspider.core.model import Failure, Fetch, Link, Page
from wolfspider.core.params import chosen
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import simulate, simulated_crawl
from wolfspider.engine.crawl import Limits
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.topic_words import KeywordSimilarity
from wolfspider.strategies.lafc import Lafc, LafcParams

TOPIC = Topic(("spider silk",), "Spiders and silk")
GOOD, BAD = ("spider", "silk"), ("car", "road")


class Web:
    """Pages by name: whether they are about the topic, and what they link to."""

    def __init__(self, pages: Mapping[str, tuple[bool, Sequence[str]]]) -> None:
        self.pages = pages

    def look(self, url: str, now: float) -> Fetch:
        name = url.removeprefix("http://a.test/")
        if name not in self.pages:
            return Fetch(url, url, 404, failure=Failure("status", "404"), seconds=1.0, at=now)
        good, names = self.pages[name]
        links = tuple(Link(f"http://a.test/{one}", rank=rank) for rank, one in enumerate(names))
        page = Page(url, url, name, GOOD if good else BAD, links, digest=name, at=now)
        return Fetch(url, url, 200, seconds=1.0, at=now, page=page)


def crawled(
    web: Web, pages: int = 50, learned: Any = None, seed: int = 1, agents: set[str] | None = None, **settings: Any
) -> tuple[Lafc, list[str]]:
    """By the letter of the paper, but for the settings."""
    strategy = Lafc(TOPIC, chosen(LafcParams, {"letter": True} | settings), generator(seed), Shelf())
    if learned is not None:
        strategy.inherit(learned)
    order: list[str] = []

    def listen(event: object) -> None:
        if isinstance(event, Landed):
            order.append(event.outcome.visit.link.url.removeprefix("http://a.test/"))
            if agents is not None:
                agents.add(event.outcome.visit.agent)

    crawl = simulated_crawl(strategy, "keywords", web, Limits(pages, slots=4))
    crawl.listen(listen)
    crawl.begin([Link("http://a.test/seed")], 0.0)
    simulate(crawl, web, start=0.0)
    return strategy, order


@pytest.mark.parametrize(
    ("keywords", "text", "near"),
    [
        (("a", "b"), "a a b", 0.948683),
        (("a", "b"), "a a a a a", 0.707107),
        (("a",), "a a a a a a a", 1.0),
        (("a", "b"), "c d", 0.0),
    ],
)
def test_the_papers_similarity_knows_the_keywords_alone(keywords: Sequence[str], text: str, near: float) -> None:
    page = Page("http://a.test/", "http://a.test/", words=tuple(text.split()))
    assert KeywordSimilarity(Topic(tuple(keywords))).of_page(page) == pytest.approx(near, abs=1e-6)


def test_good_pages_are_expanded_and_bad_ones_are_not() -> None:
    web = Web(
        {"seed": (False, ["good", "bad"]), "good": (True, ["deep"]), "bad": (False, ["lost"]), "deep": (True, [])}
    )
    strategy, order = crawled(web)
    assert sorted(order) == ["bad", "deep", "good", "seed"]
    assert len(strategy.network) == 3


def test_by_the_letter_a_page_leaves_the_stack_with_links_untried() -> None:
    """From the last bad page the walker goes back to the seed, and its stack is empty before all links are tried; the
    crawl then continues with the automaton that has the highest threshold."""
    names = ["a", "b", "c", "d"]
    web = Web({"seed": (True, ["good"]), "good": (True, names), **{name: (False, []) for name in names}})
    (peeking, _), (literal, _) = crawled(web, pages=4), crawled(web, pages=4, stack="literal")
    assert len(peeking.walkers["walker-0"].stack) == 2 and len(literal.walkers["walker-0"].stack) == 0
    assert sorted(crawled(web, stack="literal")[1]) == sorted(crawled(web)[1]) == sorted(["seed", "good", *names])


def test_a_network_of_another_topic_is_not_taken_over() -> None:
    web = Web({"seed": (False, ["good"]), "good": (True, [])})
    learned = crawled(web)[0].learned()
    assert len(crawled(web, pages=0, learned=learned)[0].network) == 2
    assert len(crawled(web, pages=0, learned={**learned, "topic": ["cars"]})[0].network) == 0


def test_another_topic_makes_all_links_equal_again() -> None:
    names = [f"good{number}" for number in range(5)]
    strategy, _ = crawled(Web({"seed": (False, names), **{name: (True, []) for name in names}}))
    seed = strategy.addresses.find("http://a.test/seed")
    assert seed is not None and len(set(strategy.network[seed].chances)) > 1
    strategy.retopic(Topic(("cars",)))
    assert len(set(strategy.network[seed].chances)) == 1 and not strategy.network.thresholds


def test_a_reward_sets_the_mark_that_the_next_must_reach() -> None:
    web = Web({"seed": (False, ["good"]), "good": (True, [])})
    strategy, _ = crawled(web)
    seed = strategy.addresses.find("http://a.test/seed")
    assert seed is not None and strategy.network.threshold(seed) == pytest.approx(1.0)


def test_the_first_crawl_leaves_what_the_next_one_starts_from() -> None:
    names = [f"bad{number}" for number in range(9)]
    web = Web({"seed": (False, [*names, "good"]), "good": (True, []), **{name: (False, []) for name in names}})
    learned: Any = None
    places = []
    for crawl in range(30):
        strategy, order = crawled(web, learned=learned, seed=crawl, rate=0.3)
        places.append(order.index("good"))
        learned = strategy.learned()
    assert sum(places[:10]) > 25 and sum(places[20:]) < 15  # at best it comes right after the seed: 10
    seed = strategy.addresses.find("http://a.test/seed")
    good = strategy.addresses.find("http://a.test/good")
    assert seed is not None and good is not None and strategy.network[seed].chance(good) > 0.9


def test_links_that_come_and_go_between_crawls_change_the_automaton() -> None:
    before = Web({"seed": (False, ["a", "b"]), "a": (True, []), "b": (True, [])})
    after = Web({"seed": (False, ["b", "c"]), "b": (True, []), "c": (True, [])})
    strategy, _ = crawled(before)
    strategy, order = crawled(after, learned=strategy.learned())
    assert sorted(order) == ["b", "c", "seed"]


def test_several_walkers_share_the_automata_and_never_a_page() -> None:
    pages: dict[str, tuple[bool, Sequence[str]]] = {"seed": (True, [str(number) for number in range(20)])}
    pages |= {str(number): (True, [str(number + 20)]) for number in range(40)}
    agents: set[str] = set()
    strategy, order = crawled(Web(pages), agents=agents, walkers=4)
    assert len(order) == len(set(order)) and agents == set(strategy.walkers)


# Where no page is near enough


LONELY = Web(
    {
        "seed": (False, ["bad", "worse"]),
        "bad": (False, ["deep", "seed"]),
        "worse": (False, ["nowhere"]),
        "deep": (True, ["end"]),
        "end": (True, []),
    }
)


def test_by_the_letter_a_crawl_ends_where_no_page_is_near_enough() -> None:
    assert sorted(crawled(LONELY)[1]) == ["bad", "seed", "worse"]


def test_where_no_page_is_near_enough_the_nearest_is_expanded() -> None:
    strategy, order = crawled(LONELY, fallback="nearest")
    assert sorted(order) == ["bad", "deep", "end", "nowhere", "seed", "worse"] and not strategy.spare


def test_of_pages_that_are_not_near_enough_the_nearest_comes_first() -> None:
    """One of twelve has half of the topic's words, and its link is followed before those of all others."""
    names = [f"bad{number}" for number in range(12)]
    web = Halved({"seed": (False, names), **{name: (False, [f"{name}-deep"]) for name in names}})
    for seed in range(5):
        _, order = crawled(web, pages=14, seed=seed, fallback="nearest")
        assert order[-1] == "bad7-deep"


class Halved(Web):
    def look(self, url: str, now: float) -> Fetch:
        fetch = super().look(url, now)
        if url.endswith("bad7") and fetch.page is not None:
            return replace(fetch, page=replace(fetch.page, words=("spider", "car")))
        return fetch


def test_pages_that_were_passed_over_are_expanded_before_the_crawl_ends_though_a_topic_came_between() -> None:
    strategy, _ = crawled(LONELY, pages=3, fallback="nearest")
    assert len(strategy.spare) == 2
    strategy.retopic(Topic(("cars",)))
    assert [mark for mark, _ in strategy.spare] == [0.0, 0.0]


def test_by_default_the_judge_says_which_page_is_near() -> None:
    assert vars(Lafc.new(TOPIC, generator(1)).params)["similarity"] == "judge"
    _, order = crawled(LONELY, similarity="judge", control=0.5, fallback="nearest")
    assert len(order) == 6
