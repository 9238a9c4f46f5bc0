"""The global orders against their papers: small webs on which the right order is known."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.events import Event, Landed
from wolfspider.core.model import Failure, Fetch, Link, Page, Verdict
from wolfspider.core.params import chosen
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import Recollection, simulate
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.policy.link_shelf import Shelf
from wolfspider.strategies import strategy_named
from wolfspider.strategies.pagerank import page_rank
from wolfspider.strategies.shark import potential


def test_a_strategy_is_loaded_without_the_others() -> None:
    program = (
        "import sys; from wolfspider.strategies import strategy_named; before = set(sys.modules);"
        "print(strategy_named('best-first').name, *sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["best-first", "wolfspider.strategies.best_first"]


class Small:
    """A web given as {name: (score, [(target, anchor), ...])}; the judge reads the score off the page."""

    def __init__(self, pages: dict[str, tuple[float, list[tuple[str, str]]]]) -> None:
        self.pages = pages

    def look(self, url: str, now: float) -> Fetch:
        name = url.rsplit("/", 1)[1]
        if name not in self.pages:
            return Fetch(url, url, 404, failure=Failure("status", "404"), seconds=1.0, at=now)
        score, links = self.pages[name]
        made = tuple(Link(f"http://h.test/{target}", anchor, rank=n) for n, (target, anchor) in enumerate(links))
        page = Page(url, url, str(score), ("w",) * 30, made, at=now)
        return Fetch(url, url, 200, seconds=1.0, at=now, page=page)


class ReadsTitle:
    def score(self, page: Page) -> Verdict:
        return Verdict(float(page.title), float(page.title) >= 0.5)

    def state(self) -> dict[str, Any]:
        return {}

    restore = learn = learned = inherit = lambda self, *given: None


def order(name: str, web: Small, pages: int = 50, seed: int = 1, seeds: str = "a", **settings: Any) -> str:
    """The names of the pages in the order they are visited."""
    kind = strategy_named(name)
    strategy = kind(Topic(("spider",)), chosen(kind.Params, settings), generator(seed, name), Shelf())
    crawl = Crawl(strategy, lambda topic: ReadsTitle(), Recollection(web), Limits(pages))  # type: ignore[arg-type, return-value]
    visited: list[str] = []

    def note(event: Event) -> None:
        if isinstance(event, Landed):
            visited.append(event.outcome.visit.link.url.rsplit("/", 1)[1])

    crawl.listen(note)
    crawl.begin([Link(f"http://h.test/{name}") for name in seeds], 0.0)
    simulate(crawl, web)
    return "".join(visited)


def links(targets: str, anchor: str = "") -> list[tuple[str, str]]:
    return [(target, anchor) for target in targets]


TREE = Small(
    {"a": (0.1, links("bc")), "b": (0.05, links("de")), "c": (0.9, links("fg")), **{n: (0, []) for n in "defg"}}
)


def test_breadth_first_goes_level_by_level() -> None:
    assert order("breadth-first", TREE) == "abcdefg"


def test_depth_first_goes_down_the_first_link() -> None:
    assert order("depth-first", TREE) == "abdecfg"


def test_best_first_follows_the_best_page() -> None:
    assert order("best-first", TREE) == "abcfgde"


def test_best_first_by_anchor_is_webcrawlers_order() -> None:
    web = Small({"a": (0.9, [("b", "car"), ("c", "spider")]), "b": (0, links("d")), "c": (0, []), "d": (0, [])})
    assert order("best-first", web, anchor=1.0) == "acbd"
    assert order("best-first", web, anchor=0.0) == "abcd"


def test_n_best_first_takes_a_batch_before_it_looks_again() -> None:
    web = Small({"a": (0.1, links("bcd")), "b": (0.9, links("e")), **{n: (0, []) for n in "cde"}})
    assert order("best-first", web) == "abecd"
    assert order("best-first", web, batch=3) == "abcde"[:2] + "cde"


def random_walks(web: Small, pages: int) -> list[str]:
    """What is visited under 1,200 different seeds."""
    return [order("random", web, pages, seed=seed) for seed in range(1200)]


def test_every_link_is_as_likely_as_any_other_under_random_order() -> None:
    walks = random_walks(Small({"a": (0, links("bcdefg")), **{n: (0, []) for n in "bcdefg"}}), 2)
    firsts = [sum(walk[1] == name for walk in walks) for name in "bcdefg"]
    assert sum((count - 200) ** 2 / 200 for count in firsts) < 20.5  # chi square, 5 degrees, p = 0.001


def test_random_order_does_not_prefer_newcomers() -> None:
    """The second link followed is the one the first has just shown with chance one in six, not more."""
    walks = random_walks(Small({"a": (0, links("bcdefg")), **{n: (0, links("x")) for n in "bcdefg"}}), 3)
    assert abs(sum(walk[2] == "x" for walk in walks) - 200) < 4 * math.sqrt(1200 * 5 / 36)


def test_fish_search_starves_where_there_is_no_food() -> None:
    chain = Small({name: (0.0, links(chr(ord(name) + 1))) for name in "abcdefgh"})
    assert order("fish", chain) == "abc"
    assert order("fish", chain, depth=5) == "abcde"
    fed = Small({**chain.pages, "c": (0.9, links("d"))})
    assert order("fish", fed) == "abcdef"


def test_fish_search_opens_more_of_a_relevant_page() -> None:
    web = Small({"a": (0.9, links("bcdef")), **{n: (0.0, []) for n in "bcdef"}})
    kind = strategy_named("fish")
    strategy = kind(Topic(("spider",)), chosen(kind.Params, {"width": 2}), generator(1), Shelf())
    crawl = Crawl(strategy, lambda topic: ReadsTitle(), Recollection(web), Limits(1))  # type: ignore[arg-type, return-value]
    crawl.begin([Link("http://h.test/a")], 0.0)
    simulate(crawl, web)
    potentials = [item.score for item in strategy.frontier.items()]  # type: ignore[attr-defined]
    assert potentials == [1.0, 1.0, 1.0, 0.0, 0.0]


def test_shark_golden_vector() -> None:
    """A similarity of .4 hands .2 to the child; an anchor of .5 makes the neighbourhood .6 and the potential .4."""
    inherited = 0.5 * 0.4
    assert potential(inherited, 0.5, 0.0, beta=0.8, gamma=0.5) == pytest.approx(0.4)


@given(*[st.floats(0, 1)] * 5)
def test_a_potential_is_a_share(inherited: float, anchor: float, context: float, beta: float, gamma: float) -> None:
    assert 0 <= potential(inherited, anchor, context, beta, gamma) <= 1 + 1e-12


def test_shark_prefers_the_anchor_that_speaks() -> None:
    web = Small({"a": (0.5, [("b", "car"), ("c", "spider")]), "b": (0, []), "c": (0, [])})
    assert order("shark", web) == "acb"


def test_opic_hands_cash_on_in_equal_parts() -> None:
    """b and c get a half each; b gives its half to d, so d has a half and waits behind c, and before e."""
    web = Small({"a": (0, links("bc")), "b": (0, links("d")), "c": (0, links("ef")), **{n: (0, []) for n in "def"}})
    assert order("opic", web) == "abcdef"
    richer = Small({**web.pages, "b": (0, links("de")), "c": (0, links("e"))})
    assert order("opic", richer) == "abced"


def test_pagerank_is_the_stationary_share() -> None:
    tails, heads = np.array([0, 1, 2, 2], np.uint32), np.array([1, 2, 0, 1], np.uint32)
    ranks = page_rank(tails, heads, np.ones(3), 0.9, 200)
    flow = np.zeros((3, 3))
    flow[1, 0] = flow[2, 1] = 1.0
    flow[0, 2] = flow[1, 2] = 0.5
    assert ranks == pytest.approx(0.1 / 3 + 0.9 * flow @ ranks) and ranks.sum() == pytest.approx(1)


def test_pagerank_order_prefers_what_many_link_to() -> None:
    hubs = {"b": (0.0, links("x12345")), "c": (0.0, links("y12345")), "d": (0.0, links("y12345"))}
    web = Small({"a": (0, links("bcd")), **hubs, **{n: (0, []) for n in "xy12345"}})
    visited = order("pagerank", web, every=1)
    assert visited.index("y") < visited.index("x")
