"""Crawls in which links give way: they end, spend what they may, and are the same when they are resumed."""

from __future__ import annotations

import math
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.core.events import EndReason, Landed, SetLimit
from wolfspider.core.limits import AT_ONCE
from wolfspider.core.model import Failure, Fetch, Link, Outcome, Page, host_of
from wolfspider.core.randomness import generator
from wolfspider.drivers.driver import Result
from wolfspider.drivers.simulated import Simulation, simulated_crawl
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.engine.entries import Entry, ProposeEntry
from wolfspider.engine.replay import replay
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Ordered
from wolfspider.policy.thrift import CYCLES, Worth
from wolfspider.strategies import strategy_named
from wolfspider.testing.sketch import TOPIC, Sketch, Trial

PAGES = 60


class Host(NamedTuple):
    worth: float  # of every link to it
    seconds: float  # that its answers take
    rest: float  # that it asks for
    fails: float  # the share of its answers that are none


class Hosts:
    """A web of hosts that differ in everything; each page links to a few others of any host."""

    def __init__(self, *hosts: Host, links: int = 4) -> None:
        self.hosts, self.links = hosts, links

    def address(self, number: int) -> str:
        return f"http://host{number % len(self.hosts)}.test/{number}"

    def of(self, url: str) -> Host:
        return self.hosts[int(url.split("//host")[1].split(".")[0])]

    def rest(self, host: str) -> float:
        return self.of(f"http://{host}/").rest

    def look(self, url: str, now: float) -> Fetch:
        host, number = self.of(url), int(url.rsplit("/", 1)[1])
        rng = generator(3, url)
        if rng.random() < host.fails:
            return Fetch(url, url, failure=Failure("timeout", "no answer"), seconds=host.seconds, at=now)
        targets = [(number + step) % PAGES for step in (1, 2, 3)] + [rng.randrange(PAGES) for _ in range(self.links)]
        links = tuple(Link(self.address(target), "", place) for place, target in enumerate(targets))
        page = Page(url, url, f"page {number}", ("spider",), links, 100, f"{number}", at=now)
        return Fetch(url, url, 200, seconds=host.seconds, at=now, page=page)


class ByHost(Ordered):
    """A link is worth what its host is worth."""

    name = "by-host"
    paper = "none"
    _web: Hosts

    def observe(self, outcome: Outcome) -> None:
        if page := outcome.page:
            worth = [self._web.of(link.url).worth for link in page.links]
            self.frontier.extend(page.links, worth, page.final_url)


class Hunted:
    """One crawl over such a web, with its journal."""

    def __init__(self, web: Hosts, limits: Limits, tries: int = 1) -> None:
        self.web, self.limits, self.tries = web, limits, tries
        self.journal: list[Entry] = []
        self.landed: list[Landed] = []

    def build(self) -> Crawl:
        strategy = ByHost.new(TOPIC, generator(1))
        strategy._web = self.web
        limits = Limits(**vars(self.limits))
        crawl = simulated_crawl(strategy, "keywords", self.web, limits, journal=self.journal.append)
        crawl.listen(lambda event: self.landed.append(event) if isinstance(event, Landed) else None)
        return crawl

    def simulation(self, crawl: Crawl) -> Simulation:
        return Simulation(crawl, self.web, start=0.0, tries=self.tries, pause=lambda host, now: self.web.rest(host))

    def run(self) -> Result:
        self.crawl = self.build()
        self.crawl.begin([Link(self.web.address(number)) for number in range(3)], 0.0)
        self.driver = self.simulation(self.crawl)
        return self.driver.run()

    def hosts(self) -> list[str]:
        return [host_of(event.outcome.visit.link.url) for event in self.landed]


hosts = st.builds(
    Host,
    worth=st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]),
    seconds=st.sampled_from([0.01, 0.3, 2.0, 60.0, 3000.0]),
    rest=st.sampled_from([0.0, 0.5, 30.0, 3000.0]),
    fails=st.sampled_from([0.0, 0.2, 1.0]),
)
limits = st.builds(
    Limits,
    pages=st.integers(1, PAGES + 10),
    slots=st.integers(1, 6),
    delay=st.sampled_from([0.0, 0.25, 1.0, 5.0]),
    max_wait=st.just(math.inf),
    hurry=st.sampled_from([0.0, 1.0, 60.0, 3000.0, AT_ONCE]),
)


@given(st.lists(hosts, min_size=1, max_size=6), limits, st.integers(1, 2))
def test_every_crawl_ends_and_spends_what_it_may(web: list[Host], limits: Limits, tries: int) -> None:
    """However slow, dead or tired the hosts are, and whatever links give way to."""
    hunted = Hunted(Hosts(*web), limits, tries)
    result = hunted.run()
    reached = {event.outcome.visit.link.url for event in hunted.landed}
    if result.reason == EndReason.BUDGET:
        assert result.downloads == limits.pages
    else:
        shown = {link.url for event in hunted.landed if event.outcome.page for link in event.outcome.page.links}
        assert result.reason == EndReason.DONE and shown <= reached


@given(st.lists(hosts, min_size=2, max_size=6), limits)
def test_nobody_waits_longer_than_a_few_cycles_in_a_row(web: list[Host], limits: Limits) -> None:
    """While a link could start, at most so much time passes without a start."""
    hunted = Hunted(Hosts(*web), limits)
    hunted.run()
    good = [host.seconds for host in web if host.fails < 1]
    bound = CYCLES * (limits.delay + max(good, default=0.0)) + 0.01
    since: float | None = None
    for entry in hunted.journal:
        if isinstance(entry, ProposeEntry):
            if Worth.GIVES_WAY not in entry.answers or entry.visits:
                since = None
            if Worth.GIVES_WAY in entry.answers:
                since = entry.now if since is None else since
                assert entry.now - since <= bound


@given(st.lists(hosts, min_size=2, max_size=6), limits, st.floats(0, 1))
def test_a_journal_gives_the_same_crawl_again_from_any_snapshot(web: list[Host], limits: Limits, at: float) -> None:
    whole = Hunted(Hosts(*web), limits)
    whole.run()
    cut = int(at * len(whole.journal))
    early, late = Hunted(whole.web, limits), Hunted(whole.web, limits)
    first, room = early.build(), Room()
    room.pause = whole.web.rest
    replay(first, whole.journal[:cut], room)
    second = late.build()
    second.shelf = second.strategy.shelf = first.shelf
    if cut:
        second.restore(codec.load(*codec.store(first.state())))
        room = second.flights.restored_room(codec.load(*codec.store(room.state())))
        room.pause = whole.web.rest
    replay(second, whole.journal[cut:], room)
    assert room.state() == whole.driver.room.state()
    assert second.spent == whole.crawl.spent and second.flights.keys() == whole.crawl.flights.keys()


def test_the_budget_goes_to_the_good_host_unless_somebody_is_in_a_hurry() -> None:
    web = Hosts(Host(0.9, 0.3, 0.0, 0.0), *[Host(0.1, 0.1, 0.0, 0.0)] * 5, links=60)
    spent: dict[float, int] = {}
    seconds: dict[float, float] = {}
    for hurry in (0.0, 100.0, 300.0, AT_ONCE):
        hunted = Hunted(web, Limits(10, 4, 1.0, hurry=hurry))
        seconds[hurry] = hunted.run().at
        spent[hurry] = hunted.hosts().count("host0.test")
    assert spent[0.0] == 8 > spent[100.0] > spent[300.0] >= spent[AT_ONCE]
    assert seconds[0.0] > seconds[100.0] > seconds[300.0] >= seconds[AT_ONCE]
    assert seconds[100.0] == pytest.approx(10 / 100 * 60, abs=1.5)


def test_one_slot_without_rests_goes_the_same_way_with_and_without_thrift() -> None:
    web = Hosts(*[Host(worth, 0.3, 0.0, 0.1) for worth in (0.9, 0.5, 0.1, 0.0)])
    logs = []
    for hurry in (0.0, AT_ONCE):
        hunted = Hunted(web, Limits(40, 1, 0.0, hurry=hurry))
        hunted.run()
        logs.append((hunted.journal, hunted.landed))
    assert logs[0] == logs[1]


@pytest.mark.parametrize("name", ["breadth-first", "depth-first", "random", "tagpath-bandit", "shark"])
def test_an_order_that_says_nothing_of_worth_waits_for_nobody(name: str) -> None:
    trial = Trial(strategy_named(name), Sketch(), hurry=0.0)
    trial.run()
    asked = {answer for entry in trial.journal if isinstance(entry, ProposeEntry) for answer in entry.answers}
    assert (Worth.GIVES_WAY in asked) == (name == "shark")


def test_a_person_may_be_in_a_hurry_later() -> None:
    web = Hosts(Host(0.9, 0.3, 0.0, 0.0), *[Host(0.1, 0.1, 0.0, 0.0)] * 5, links=60)
    times = []
    for later in (False, True):
        hunted = Hunted(web, Limits(30, 4, 1.0, hurry=0.0))
        crawl = hunted.build()
        crawl.begin([Link(web.address(number)) for number in range(3)], 0.0)
        if later:
            crawl.inbox.append(SetLimit("hurry", AT_ONCE))
        times.append(hunted.simulation(crawl).run().at)
    assert times[0] > 3 * times[1]
