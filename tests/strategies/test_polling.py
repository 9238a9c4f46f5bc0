"""Polling on a news site: sources are credited for what they show first, lists are found, and policies differ."""

from __future__ import annotations

import numpy as np
import pytest

from wolfspider.core.codec import load, store
from wolfspider.core.events import Finish
from wolfspider.core.model import Failure, Fetch, Link, Outcome, Page, Route, host_of
from wolfspider.core.randomness import generator
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import simulate, simulated_crawl
from wolfspider.engine.crawl import Limits
from wolfspider.policy.judges.judge import Unasked
from wolfspider.policy.poll_policies import POLICIES, Sources
from wolfspider.policy.room import Room
from wolfspider.strategies import strategy_named
from wolfspider.strategies.newshound import shape_of

HOUR = 3600.0
HOME = "http://paper.test/"
START = 1_000_000 * HOUR


class Paper:
    """A newspaper: section 0 has an article every 20 minutes, section 1 one a day, and the front page none."""

    every = (HOUR / 3, 24 * HOUR)

    def look(self, url: str, now: float) -> Fetch:
        path = url.removeprefix(HOME)
        lists = [f"{HOME}s{section}/" for section in range(2)]
        extra = [f"{HOME}about/{number}" for number in range(12)]
        if path == "":
            links, published = [*lists, *extra], None
        elif path in ("s0/", "s1/"):
            section = int(path[1])
            newest = int(now // self.every[section])
            links = [HOME, *(f"{HOME}s{section}/{number}.html" for number in range(newest, newest - 10, -1))]
            published = None
        elif path.endswith(".html"):
            section, number = int(path[1]), int(path[3:-5])
            links, published = [HOME], number * self.every[section]
        else:
            links, published = [HOME], 0.0
        page = Page(url, url, links=tuple(map(Link, links)), published=published, digest=f"{url} {links}", at=now)
        return Fetch(url, url, status=200, seconds=1.0, at=now, page=page)


def watched(name: str, hours: float, **given: object):
    strategy = strategy_named(name).new(Topic(("news",)), generator(1), {"pays": "new+fresh", "per_hour": 6, **given})
    crawl = simulated_crawl(
        strategy, Unasked, Paper(), Limits(10**9), scope=Scope(within=lambda url: host_of(url) == "paper.test")
    )
    simulate(crawl, Paper(), start=START, seeds=[HOME], commands=[(START + hours * HOUR, Finish())])
    return strategy


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_finds_the_lists_and_learns_their_rates(policy):
    strategy = watched("poll", 72, policy=policy)
    busy, quiet = (strategy.sources.numbers[f"{HOME}s{section}/"] for section in range(2))
    rates = strategy.sources.rates()
    assert rates[busy] == pytest.approx(3, rel=0.3)
    assert rates[quiet] < 0.3
    assert strategy.frontier.seen(f"{HOME}s0/{int((START + 71 * HOUR) // (HOUR / 3))}.html") or policy == "freshest"


def test_the_index_looks_most_where_most_is_new():
    strategy = watched("poll", 72, policy="index")
    looks = strategy.sources["looks"]
    busy, quiet = (strategy.sources.numbers[f"{HOME}s{section}/"] for section in range(2))
    assert looks[busy] > 3 * looks[quiet] > 0


@pytest.mark.parametrize("name", ["poll", "newshound"])
def test_items_are_read_after_a_look_that_went_first(name):
    """While a look goes first, the host that items wait for becomes ready: they must hear of it."""
    strategy = strategy_named(name).new(Topic(("news",)), generator(1), {"per_hour": 240})
    strategy.begin([Link(HOME)], START)
    items = [Link(f"{HOME}{number}.html") for number in range(35)]
    strategy.frontier.extend(items, [START] * len(items), HOME, extra={})
    room, asked = Room(), []
    for second in range(2 * len(items)):
        room.open(START + second, 5, lambda url, fresh: Route.OUT, delay=1.0)
        visits = strategy.propose(room, START + second)
        room.settle(visits)
        for visit in visits:
            url = visit.link.url
            asked.append(url)
            room.release(host_of(url), START + second)
            strategy.observe(Outcome(visit, Page(url, url, published=START), None, 1, 0.1, START + second))
    assert {link.url for link in items} <= set(asked)
    assert 0 < asked[: len(items)].count(HOME) <= 4


def test_a_look_that_became_due_since_the_last_turn_is_not_slept_over():
    """A clock goes on between the turn and the question when to wake."""
    strategy = strategy_named("newshound").new(Topic(("news",)), generator(1), {"per_hour": 60})
    strategy.begin([Link(HOME)], START)
    room = Room()
    room.open(START, 5, lambda url, fresh: Route.OUT)
    assert [visit.link.url for visit in strategy.propose(room, START)] == [HOME]
    assert strategy.wake(START + 1) == START + 60
    assert START + 61 < strategy.wake(START + 61) <= START + 121


def test_looks_keep_their_distance():
    strategy = watched("poll", 48, per_hour=2)
    assert strategy.sources["looks"].sum() <= 2 * 48 + 1


def test_the_newshound_learns_which_links_lead_to_lists():
    strategy = watched("newshound", 72)
    assert {f"{HOME}s0/", f"{HOME}s1/"} <= set(strategy.sources.numbers)
    assert not any(url.endswith(".html") for url in strategy.sources.urls)


def test_a_document_that_was_taken_for_a_list_is_read_and_given_up():
    strategy = watched("newshound", 1)
    for number in range(3):
        strategy.read_one(f"{HOME}x{number}/", True)
    assert strategy.items([Link(f"{HOME}s7/")]) == []
    assert f"{HOME}s7/" in strategy.sources.numbers


def test_lists_and_documents_of_one_shape_are_told_apart_by_what_was_read():
    """Both are one folder deep: /topic/floods, /story/floods-2."""
    strategy = watched("newshound", 0.1)
    for number in range(20):
        strategy.read_one(f"{HOME}topic/t{number}", True)
        strategy.read_one(f"{HOME}story/s{number}", False)
    kept = strategy_named("newshound").new(Topic(("news",)), generator(1), {})
    kept.begin([Link(HOME)], START)
    kept.lists = load(*store(strategy.lists))
    for newshound in (strategy, kept):
        links = [Link(f"{HOME}{path}") for path in ("topic/t77", "story/s77")]
        assert newshound.items(links) == links[1:]
        assert f"{HOME}topic/t77" in newshound.sources.numbers


def test_after_a_redesign_the_newshound_learns_anew_what_is_a_list():
    strategy = watched("newshound", 0.1)
    for number in range(5_000):
        strategy.read_one(f"{HOME}s/x{number}", False)
    for number in range(50):
        strategy.read_one(f"{HOME}s/y{number}", True)
    assert strategy.items([Link(f"{HOME}s/y77")]) == []
    for number in range(50):
        strategy.read_one(f"{HOME}s/z{number}", False)
    assert strategy.items([Link(f"{HOME}s/z77")]) == [Link(f"{HOME}s/z77")]


def looks_of(strategy, looks: int, answers, start: float = START) -> list[str]:
    """So many looks, two minutes apart; `answers`: a page or a failure for an address and the number of the look."""
    room, asked, second = Room(), [], 0.0
    while len(asked) < looks:
        second += 120.0
        room.open(start + second, 5, lambda url, fresh: Route.OUT, delay=0.0)
        visits = strategy.propose(room, start + second)
        room.settle(visits)
        for visit in visits:
            url = visit.link.url
            asked.append(url)
            room.release(host_of(url), start + second)
            strategy.observe(Outcome(visit, answers(url, len(asked)), None, 1, 0.1, start + second))
    return asked


def nothing_new(url: str) -> Page:
    return Page(url, url)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_source_that_fails_rests_ever_longer_and_is_looked_at_again(policy):
    strategy = strategy_named("poll").new(Topic(("news",)), generator(1), {"per_hour": 30, "policy": policy})
    strategy.begin([Link(HOME), Link("http://gone.test/")], START)
    strategy.sources["interval"][:] = 1.0
    back = 400

    def answers(url: str, look: int) -> Page | Failure:
        return Failure("status", "404") if "gone" in url and look < back else nothing_new(url)

    asked = looks_of(strategy, 900, answers)
    missing = strategy.sources.numbers["http://gone.test/"]
    early, later = (part.count("http://gone.test/") for part in (asked[:back], asked[back:]))
    assert 0 < early <= 10, "400 looks are 13 hours: five, and then after 1, 2, 4 and 8 of them"
    assert later > 0 and strategy.sources["missed"][missing] == 0


def test_a_crawl_whose_sources_all_rest_is_over_and_goes_on_when_they_are_named_again():
    strategy = strategy_named("newshound").new(Topic(("news",)), generator(1), {"per_hour": 30})
    strategy.begin([Link(HOME)], START)
    looks_of(strategy, 4, lambda url, look: Failure("status", "404"))
    assert strategy.wake(START + 10 * 120) is not None
    looks_of(strategy, 1, lambda url, look: Failure("status", "404"), START + 20 * 120)
    assert strategy.wake(START + 30 * 120) is None
    strategy.seeds([Link(HOME)])
    assert strategy.wake(START + 30 * 120) is not None
    assert looks_of(strategy, 1, lambda url, look: nothing_new(url), START + 40 * 120) == [HOME]
    assert strategy.sources["missed"][0] == 0


@pytest.mark.parametrize("name", ["poll", "newshound"])
def test_an_outage_of_our_own_line_makes_no_source_rest(name):
    strategy = strategy_named(name).new(Topic(("news",)), generator(1), {"per_hour": 30})
    homes = [f"http://{letter}.test/" for letter in "abcd"]
    strategy.begin(list(map(Link, homes)), START)

    def answers(url: str, look: int) -> Page | Failure:
        return Failure("dns", "no such name") if 20 < look < 200 else nothing_new(url)

    looks_of(strategy, 220, answers)
    assert not np.isfinite(strategy.sources.wakes()).any()
    down = strategy_named(name).new(Topic(("news",)), generator(1), {"per_hour": 30})
    down.begin(list(map(Link, homes)), START)
    looks_of(down, 220, lambda url, look: Failure("connect", "") if "a.test" in url else nothing_new(url))
    assert np.isfinite(down.sources.wakes()).tolist() == [True, False, False, False], (
        "The others answer: it is that host."
    )


@pytest.mark.parametrize("policy", POLICIES)
def test_a_site_where_every_page_is_a_list_takes_a_share_of_the_looks(policy):
    """It makes two new ones for every look."""
    strategy = strategy_named("poll").new(Topic(("news",)), generator(1), {"per_hour": 30, "policy": policy})
    homes = [HOME, "http://hostile.test/"]
    strategy.begin(list(map(Link, homes)), START)

    def answers(url: str, look: int) -> Page:
        for number in range(2):
            strategy.watch(f"http://hostile.test/{look}/{number}/")
        return nothing_new(url)

    looks_of(strategy, 200, answers)
    never_before = strategy.sources["last"][2:] > 0
    assert 0 < never_before.sum() <= 101


@pytest.mark.parametrize(
    ("one", "other"),
    [("http://a.test/s/x/", "http://a.test/t/y/"), ("http://a.test/2026/11/02", "http://a.test/2025/01/30")],
)
def test_alike_addresses_have_one_shape(one, other):
    assert shape_of(one) == shape_of(other)


def test_lists_and_articles_have_other_shapes():
    shapes = {shape_of(f"http://a.test/{path}") for path in ("", "s/", "s/t/", "s/t/story-12ab", "2026/11/02", "s?p=2")}
    assert len(shapes) == 6


@pytest.mark.parametrize(("days_between_items", "least", "most"), [(10.0, 0.5, 1.0), (1 / 24, 0.0, 0.1)])
def test_a_day_without_an_item_tells_of_a_source_what_the_pace_of_the_others_says(days_between_items, least, most):
    """On a slow site it is next to nothing; on a fast one the source is a poor one."""
    sources = Sources()
    for number in range(21):
        sources.add(f"http://a.test/{number}")
        sources.looked(number, 0.0, 24 * HOUR)
    for number in range(20):
        sources.looked(number, 100 * 24 * HOUR, 0.0)
        sources.found(number, int(100 / days_between_items))
    rates = sources.rates()
    assert least < rates[20] / np.median(rates[:20]) < most


def test_sources_survive_storing():
    sources = Sources(5.0)
    for number in range(40):
        sources.add(f"http://a.test/{number}", number % 3)
    for number in range(0, 40, 3):
        sources.looked(number, 100.0 + number, 24 * HOUR)
        sources.looked(number, 9_000.0 + number, 24 * HOUR)
        sources.found(number, number)
    again = load(*store(sources))
    assert again.urls == sources.urls and again.numbers == sources.numbers
    assert np.array_equal(again.rates(), sources.rates())
    assert np.array_equal(again.waited(20_000.0), sources.waited(20_000.0))
    for policy in POLICIES.values():
        assert np.array_equal(policy(again, 20_000.0, 5.0, 6.0, 3), policy(sources, 20_000.0, 5.0, 6.0, 3))
