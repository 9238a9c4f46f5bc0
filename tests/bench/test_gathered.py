"""The links of what a fleet gathered: pages by content, and what a first step looked at."""

from __future__ import annotations

from wolfspider.bench.measure.gathered import GatheredLinks
from wolfspider.core.events import Landed
from wolfspider.core.model import Link, Outcome, Page, Visit

NAMES = ("home#0", "a#1", "b#2", "home#3", "a#4")


def landed(url: str, content: str, source: str = "", agent: str = "1", step: int = 0) -> Landed:
    page = Page(url, url, digest=content, at=1.0)
    visit = Visit(1, Link(url), agent, source, {"step": step} if source else {})
    return Landed(1.0, Outcome(visit, page, None, 1, 0.1, 1.0), "out", 1)


def links(*events: Landed) -> set[tuple[str, str]]:
    gathered = GatheredLinks()
    for event in events:
        gathered(event)
    graph = gathered.graph()
    return {(graph.urls[tail], graph.urls[head]) for tail, head in zip(graph.sources(), graph.targets, strict=True)}


def test_a_page_that_changed_is_another_and_links_lead_to_what_they_show() -> None:
    first = [landed("home", "1"), landed("a", "1", "home"), landed("b", "1", "home")]
    again = [landed("home", "2"), landed("a", "2", "home", step=7)]
    home, a, b, newer, changed = NAMES
    assert links(*first, *again) == {(home, a), (home, b), (newer, changed)}


def test_the_links_of_a_page_are_those_that_the_first_step_on_it_looked_at() -> None:
    first = [landed("home", "1"), landed("a", "1", "home")]
    again = [landed("home", "1", agent="2"), landed("b", "1", "home", agent="2")]
    assert links(*first, *again) == {("home#0", "a#1")}
