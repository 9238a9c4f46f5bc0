"""Budgets of a crawl, its hosts and its domains: in pages, megabytes and time; raised, replayed, restored."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable

import pytest

from wolfspider.core import codec, events
from wolfspider.core.events import EndReason, SetLimit
from wolfspider.core.limits import OF_HOSTS, Limits
from wolfspider.core.model import Fetch, Page, host_of
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import Simulation, simulate, simulated_crawl
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.entries import Entry
from wolfspider.engine.replay import replay
from wolfspider.policy.budgets import Budgets
from wolfspider.policy.room import Room
from wolfspider.strategies import strategy_named

HOSTS, PAGES, SIZE, SECONDS = 6, 12, 10_000, 0.5
START = "http://h0.a.test/0"


class Web:
    """h0.a.test, h1.b.test, h2.a.test ...: each page is 10,000 bytes, takes half a second and shows all others."""

    def look(self, url: str, now: float) -> Fetch:
        names = [f"h{host}.{'ab'[host % 2]}.test" for host in range(HOSTS)]
        links = "".join(f'<a href="http://{name}/{page}">x</a>' for page in range(PAGES) for name in names)
        body = f"<p>{random.Random(url).random()} wolf</p>{links}".ljust(SIZE).encode()
        return Fetch(url, url, 200, {"content-type": "text/html"}, body, seconds=SECONDS, at=now)


def crawl_of(journal: Callable[[Entry], None] | None = None, **limits: float) -> Crawl:
    strategy = strategy_named("breadth-first").new(Topic(("wolf",)), random.Random(1))
    most = Limits(**{"pages": 1_000, **limits})  # type: ignore[arg-type]
    return simulated_crawl(
        strategy, "coverage", Web(), most, journal=journal, domain_of=lambda host: host.partition(".")[2]
    )


def landed(crawl: Crawl) -> list[str]:
    asked: list[str] = []

    def hear(event: events.Event) -> None:
        if isinstance(event, events.Landed) and event.outcome.downloads:
            asked.append(host_of(event.outcome.visit.link.url))

    crawl.listen(hear)
    return asked


def run(crawl: Crawl, commands: Iterable[tuple[float, events.Command]] = ()) -> tuple[Counter[str], EndReason]:
    asked = landed(crawl)
    result = simulate(crawl, Web(), start=0.0, seeds=[START], commands=commands)
    return Counter(asked), result.reason


def by_domain(asked: Counter[str]) -> Counter[str]:
    domains: Counter[str] = Counter()
    for host, count in asked.items():
        domains[host.partition(".")[2]] += count
    return domains


@pytest.mark.parametrize(
    "limit", [{"host_pages": 3}, {"host_mb": 0.025}, {"host_time": 1.2}], ids=["pages", "megabytes", "time"]
)
def test_no_host_gives_more_than_its_budget_and_the_end_says_so(limit: dict[str, float]) -> None:
    asked, reason = run(crawl_of(**limit))
    assert len(asked) == HOSTS and set(asked.values()) == {3} and reason == EndReason.CAPPED


@pytest.mark.parametrize(
    "limit", [{"domain_pages": 5}, {"domain_mb": 0.045}, {"domain_time": 2.3}], ids=["pages", "megabytes", "time"]
)
def test_no_domain_gives_more_than_its_budget(limit: dict[str, float]) -> None:
    asked, reason = run(crawl_of(**limit))
    assert by_domain(asked) == {"a.test": 5, "b.test": 5} and reason == EndReason.CAPPED


def test_megabytes_of_the_crawl_end_it_with_their_name() -> None:
    crawl = crawl_of(max_mb=0.1)
    asked, reason = run(crawl)
    assert reason == EndReason.BYTES and sum(asked.values()) == 10
    assert Simulation(crawl, Web()).run().reason == EndReason.BYTES and crawl.spent == 10
    crawl.limits.max_mb = 0.15
    assert Simulation(crawl, Web()).run().reason == EndReason.BYTES and crawl.spent == 15


def test_time_of_the_crawl_ends_it_and_what_was_spent_before_counts() -> None:
    crawl = crawl_of(max_time=4.0)
    asked, reason = run(crawl)
    assert reason == EndReason.TIME and 7 <= sum(asked.values()) <= 9
    spent, later = crawl.spent, crawl.now + 1_000
    assert Simulation(crawl, Web(), start=later).run().reason == EndReason.TIME and crawl.spent == spent
    crawl.limits.max_time = 6.0
    assert Simulation(crawl, Web(), start=later + 1_000).run().reason == EndReason.TIME
    assert spent + 3 <= crawl.spent <= spent + 5, "two seconds more, however long the pauses were"


def test_a_budget_that_a_person_raises_brings_links_back() -> None:
    asked, reason = run(crawl_of(host_pages=2), [(20.0, SetLimit("host_pages", 4))])
    assert set(asked.values()) == {2} and reason == EndReason.CAPPED, "it was over before"
    crawl = crawl_of(host_pages=2, pages=20)
    asked, reason = run(crawl, [(2.0, SetLimit("host_pages", 4))])
    assert max(asked.values()) == 4 and reason == EndReason.BUDGET


def test_each_budget_that_is_spent_is_noted_once_and_explained() -> None:
    crawl, notes = crawl_of(host_pages=3, domain_pages=100), list[events.Noted]()
    crawl.listen(lambda event: notes.append(event) if isinstance(event, events.Noted) else None)
    run(crawl)
    caps = [note.data for note in notes if note.kind == "cap"]
    assert len(caps) == HOSTS and {"whose": "h0.a.test", "limit": "host_pages", "most": 3} in caps
    assert crawl.budgets.why(START) == "the budget of h0.a.test is spent: 3 downloads (--host-pages)"
    assert crawl.budgets.why("http://other.test/") == ""


def test_a_journal_gives_the_same_crawl_again() -> None:
    entries: list[Entry] = []
    first = crawl_of(entries.append, host_pages=2, domain_mb=0.2)
    run(first, [(1.0, SetLimit("host_pages", 5)), (3.0, SetLimit("domain_mb", 0.1))])
    again = crawl_of(host_pages=2, domain_mb=0.2)
    replay(again, entries, Room())
    assert again.budgets.state() == first.budgets.state() and again.spent == first.spent > 5


def test_restored_it_goes_on_counting() -> None:
    whole, _ = run(crawl_of(host_pages=4))
    first = crawl_of(host_pages=4, pages=15)
    half, _ = run(first)
    state = codec.load(*codec.store(first.state()))
    second = crawl_of(host_pages=4)
    second.strategy.shelf = second.shelf = first.shelf
    second.memory.restore(state["memory"])
    second.restore(state)
    second.limits.pages = 1_000
    asked = landed(second)
    assert Simulation(second, Web(), start=first.now).run().reason == EndReason.CAPPED
    assert half + Counter(asked) == whole


def test_a_snapshot_of_an_earlier_version_has_no_budgets() -> None:
    first = crawl_of(pages=5)
    run(first)
    state = codec.load(*codec.store(first.state()))
    del state["budgets"]
    for name in ("max_mb", "max_time", *OF_HOSTS):
        del state["limits"][name]
    second = crawl_of()
    second.strategy.shelf = second.shelf = first.shelf
    second.restore(state)
    assert not second.budgets.hosts and second.budgets.allows(START)


def test_a_limit_of_domains_that_comes_late_counts_what_came_before() -> None:
    budgets = Budgets(Limits(), lambda host: host.partition(".")[2])
    for host in ("x.a.test", "y.a.test"):
        budgets.took(host, Page(f"http://{host}/", f"http://{host}/"), 2, 1.0)
    assert budgets.allows("http://z.a.test/")
    budgets.limits.domain_pages = 4
    assert not budgets.allows("http://z.a.test/") and budgets.allows("http://z.b.test/")
