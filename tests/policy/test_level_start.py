"""The start rule: every other visit goes level by level until something pays."""

from __future__ import annotations

from typing import Any

from wolfspider.core.events import Event, Landed
from wolfspider.core.model import Fetch, Link, Outcome, Page, Verdict
from wolfspider.core.params import build
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import Recollection, simulate
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.policy.level_start import LevelStart, StartParams
from wolfspider.policy.link_shelf import Shelf


class Deeper(LevelStart):
    """Always prefers the link found last."""

    Params = StartParams

    def observe(self, outcome: Outcome) -> None:
        super().observe(outcome)
        if page := outcome.page:
            self.frontier.extend(page.links, [float(self.proposed)] * len(page.links), page.final_url)


class Tree:
    """Page `x` links to `xa` and `xb`; the judge calls the given pages relevant."""

    def look(self, url: str, now: float) -> Fetch:
        links = tuple(Link(url + name, rank=rank) for rank, name in enumerate("ab"))
        page = Page(url, url, url.rsplit("/", 1)[1], ("w",) * 30, links, at=now)
        return Fetch(url, url, 200, seconds=1.0, at=now, page=page)


class Likes:
    def __init__(self, *names: str) -> None:
        self.names = names

    def score(self, page: Page) -> Verdict:
        return Verdict(float(page.title in self.names), page.title in self.names)

    def state(self) -> dict[str, Any]:
        return {}

    restore = learn = learned = inherit = lambda self, *given: None


def order(pages: int, start: int, *relevant: str) -> list[str]:
    strategy = Deeper(Topic(("spider",)), build(StartParams, {"start": start}), generator(1, "x"), Shelf())
    crawl = Crawl(strategy, lambda topic: Likes(*relevant), Recollection(Tree()), Limits(pages))  # type: ignore[arg-type, return-value]
    visited: list[str] = []

    def note(event: Event) -> None:
        if isinstance(event, Landed):
            visited.append(event.outcome.visit.link.url.rsplit("/", 1)[1])

    crawl.listen(note)
    crawl.begin([Link("http://h.test/s")], 0.0)
    simulate(crawl, Tree())
    return visited


def test_without_the_rule_the_own_order_is_all_there_is() -> None:
    assert order(5, 0) == ["s", "sa", "saa", "saaa", "saaaa"]


def test_every_other_visit_takes_the_shallowest_link() -> None:
    assert order(7, 1) == ["s", "sa", "saa", "sb", "sba", "sab", "saba"]


def test_once_something_has_paid_the_own_order_is_all_there_is() -> None:
    assert order(6, 1, "sb") == ["s", "sa", "saa", "sb", "sba", "sbaa"]
    assert order(6, 2, "sb") == ["s", "sa", "saa", "sb", "sba", "sab"]
