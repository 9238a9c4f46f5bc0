"""The demands on every store; durable_conformance.py has more for stores that can be opened again.

for name, check in STORE_CHECKS.items(): check(maker)        # raises Violation with a sentence
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from wolfspider.core import events
from wolfspider.core.events import Command
from wolfspider.core.model import Capture, Failure, Fetch, Link, Outcome, Page, Route, Verdict, Visit
from wolfspider.engine.entries import BeginEntry, CommandEntry, LandEntry, ProposeEntry
from wolfspider.store.base import Store
from wolfspider.testing.demands import demand
from wolfspider.testing.rehearsal import Rehearsal
from wolfspider.web.page.html import parse

URL = "http://a.test/page"


class Maker(Protocol):
    """Makes the stores that are checked."""

    def make(self) -> Store:
        """A new run."""

    def again(self, store: Store) -> Store:
        """The same run after its owner died: nothing is committed, closed or flushed that was not before."""

    def tell(self, store: Store, command: Command) -> None:
        """Leave a command for the owner, as another process would."""


Check = Callable[[Maker], None]


def answer(url: str, text: str, at: float = 5.0, status: int = 200, final: str = "", tag: str = "") -> Fetch:
    """An answer as a server might give it."""
    body = text.encode()
    pairs = (("Content-Type", "text/html"), *((("ETag", tag),) if tag else ()))
    moved = (Capture(url, at, 302, (("Location", final),), b""),) if final else ()
    captures = (*moved, Capture(final or url, at, status, pairs, body))
    headers = {name.lower(): value for name, value in pairs}
    hops = (url,) if final else ()
    return Fetch(url, final or url, status, headers, body, None, 0.5, at, hops, captures=captures)


class Hand:
    """Calls a store by hand, as crawl and driver do."""

    def __init__(self, store: Store) -> None:
        self.store, self.visits, self.now = store, 0, 1.0

    def begin(self) -> None:
        self.store.write(BeginEntry((Link(URL),), self.now, 0))
        self.store.hear(events.Began(self.now, (Link(URL),), 10))

    def send(self, url: str, how: Route = Route.OUT, fresh: bool = False) -> Visit:
        visit = Visit(self.visits, Link(url, "a link"), "me", "", {"score": 0.5}, fresh)
        self.visits += 1
        self.now += 1
        self.store.write(ProposeEntry(self.now, 1, (), (how,), (visit.id,)))
        self.store.hear(events.Went(self.now, visit, how))
        return visit

    def land(self, visit: Visit, fetch: Fetch | None, result: Page | Failure, score: float = 0.7) -> None:
        self.now += 1
        if fetch is not None:
            self.store.archive(visit.id, fetch)
        self.store.write(LandEntry(visit.id, result, self.now, 0.5))
        verdict = Verdict(score, score >= 0.5, {"raw": score / 3}) if isinstance(result, Page) else None
        if fetch is not None and (isinstance(result, Page) or result.lasting):
            self.store.keep(visit.link.url, result, verdict)
        outcome = Outcome(visit, result, verdict, int(fetch is not None), 0.5, self.now)
        self.store.hear(events.Landed(self.now, outcome, Route.OUT if fetch else Route.HELD, self.visits))

    def bring(self, fetch: Fetch, score: float = 0.7) -> Page | Failure:
        """One visit there and back."""
        visit = self.send(fetch.url, fresh=True)
        result = parse(fetch)
        self.land(visit, fetch, result, score)
        return result


def begun(maker: Maker) -> Hand:
    hand = Hand(maker.make())
    hand.begin()
    return hand


def holds_what_it_kept(maker: Maker) -> None:
    hand = begun(maker)
    page = hand.bring(answer(URL, "<title>One</title>some words"))
    hand.store.commit()
    held = hand.store.recall(URL)
    demand(hand.store.holds(URL) and held is not None, "what was kept is not held")
    demand(held is not None and held.result == page, "the page came back differently")
    demand(
        held is not None and held.verdict == Verdict(0.7, True, {"raw": 0.7 / 3}), "its verdict came back differently"
    )
    demand(not hand.store.holds("http://b.test/") and hand.store.recall("http://b.test/") is None, "it holds anything")


def holds_under_both_addresses(maker: Maker) -> None:
    hand = begun(maker)
    page = hand.bring(answer(URL, "some words", final="http://b.test/new"))
    for url in (URL, "http://b.test/new"):
        held = hand.store.recall(url)
        demand(held is not None and held.result == page, f"a page that moved is not held under {url}")
    demand(hand.store.newest("b.test", 5) == ["http://b.test/new"], "a page that moved belongs to its new host")
    demand(hand.store.newest("a.test", 5) == [], "a page that moved belongs to its new host only")


def holds_lasting_failures(maker: Maker) -> None:
    hand = begun(maker)
    hand.bring(answer(URL, "gone", status=410))
    held = hand.store.recall(URL)
    demand(held is not None and held.result == Failure("status", "410"), "a lasting failure is not held")
    demand(hand.store.newest("a.test", 5) == [] and hand.store.validators(URL) == {}, "a failure is taken for a page")


def the_newest_copy_counts(maker: Maker) -> None:
    hand = begun(maker)
    hand.bring(answer(URL, "old words", tag='"1"'))
    page = hand.bring(answer(URL, "new words", at=9.0, tag='"2"'), 0.2)
    held = hand.store.recall(URL)
    demand(held is not None and held.result == page and held.verdict is not None, "an old copy is recalled")
    demand(held is not None and held.verdict is not None and held.verdict.score == 0.2, "an old verdict is recalled")
    demand(hand.store.validators(URL) == {"etag": '"2"'}, "headers of an old copy are sent")


def an_unchanged_page_stays(maker: Maker) -> None:
    hand = begun(maker)
    page = hand.bring(answer(URL, "same words", tag='"1"'))
    visit = hand.send(URL, fresh=True)
    said = Capture(URL, 20.0, 304, (("ETag", '"1"'),), b"")
    hand.land(visit, Fetch(URL, URL, 304, {"etag": '"1"'}, at=20.0, captures=(said,)), page)
    hand.store.commit()
    held = hand.store.recall(URL)
    demand(held is not None and held.result == page, "a page that has not changed came back differently")
    demand(hand.store.validators(URL) == {"etag": '"1"'}, "a page that has not changed lost its headers")


def a_label_changes_the_verdict(maker: Maker) -> None:
    hand = begun(maker)
    page = hand.bring(answer(URL, "some words"), 0.1)
    hand.store.write(CommandEntry(events.Label(URL, True), 10.0))
    hand.store.keep(URL, page, Verdict(1.0, True, {"label": True}))
    held = hand.store.recall(URL)
    demand(held is not None and held.result == page, "a label changed the page")
    demand(
        held is not None and held.verdict == Verdict(1.0, True, {"label": True}), "a label did not change the verdict"
    )


def each_page_is_counted_once(maker: Maker) -> None:
    hand = begun(maker)
    counts = []

    def bring(path: str, score: float, **more: Any) -> None:
        hidden = "<meta name=robots content=noindex>" * more.pop("hidden", False)
        hand.bring(answer(f"http://a.test/{path}", f"{hidden}words of {path}", **more), score)
        counts.append(hand.store.page_count()[:4])

    bring("a", 0.7)
    bring("a", 0.8, at=6.0)  # visited again
    bring("old", 0.8, final="http://a.test/a")  # leads there
    bring("b", 0.1)
    bring("c", 0.9, hidden=True)
    bring("c", 0.2, hidden=True, at=7.0)  # another verdict
    bring("a", 0.7, at=8.0, hidden=True)  # asks for it later
    bring("b", 0.9, at=9.0, final="http://a.test/d")  # moved
    bring("d", 0.9, at=10.0, status=410)  # what is there stays, though its server failed
    page = hand.bring(answer("http://a.test/e", "words of e"), 0.1)
    hand.store.write(CommandEntry(events.Label("http://a.test/e", True), hand.now))
    hand.store.keep("http://a.test/e", page, Verdict(1.0, True, {"label": True}))
    counts.append(hand.store.page_count()[:4])
    demand(counts[:3] == [(1, 1, 0, 0)] * 3, f"one page visited three times is counted as {counts[:3]}")
    demand(counts[3:6] == [(2, 1, 0, 0), (2, 1, 1, 1), (2, 1, 1, 0)], f"pages are counted as {counts[3:6]}")
    demand(counts[6:] == [(1, 0, 2, 1), (1, 1, 2, 1), (1, 1, 2, 1), (2, 2, 2, 1)], f"then as {counts[6:]}")
    cut = []
    for at, beginning in ((11.0, True), (12.0, True), (13.0, False)):
        hand.bring(replace(answer("http://a.test/f", f"words at {at}", at=at), cut=beginning), 0.1)
        cut.append(hand.store.page_count().truncated)
    demand(cut == [1, 1, 0], f"a page that was cut twice, and then was not, is counted as {cut}")


def newest_are_newest(maker: Maker) -> None:
    hand = begun(maker)
    urls = [f"http://a.test/{number}" for number in range(6)]
    for number, url in enumerate([*urls, urls[1]]):
        hand.bring(answer(url, f"words {number}", at=float(number)))
    hand.bring(answer("http://b.test/", "words"))
    demand(
        hand.store.newest("a.test", 3) == [urls[4], urls[5], urls[1]], "newest does not give the newest, newest last"
    )
    demand(len(hand.store.newest("a.test", 20)) == 6, "newest gives an address twice or leaves one out")


def likes_come_back(maker: Maker) -> None:
    store = maker.make()
    fetches = [answer(f"http://like.test/{number}", f"liked words {number}") for number in range(3)]
    for fetch in fetches:
        store.like(fetch)
    demand([parse(fetch) for fetch in store.liked()] == [parse(fetch) for fetch in fetches], "liked pages differ")


def hosts_and_counts_add_up(maker: Maker) -> None:
    store = maker.make()
    store.keep_hosts([{"host": "b", "ready": 1.5, "rules": ["x"]}, {"host": "a", "ready": 2}])
    store.keep_hosts([{"host": "b", "ready": 3.5}])
    store.count("overhead")
    store.commit()
    store.count("overhead", 4)
    store.count("refetched", 2)
    demand(list(store.hosts()) == [{"host": "a", "ready": 2}, {"host": "b", "ready": 3.5}], "hosts are not the newest")
    demand(dict(store.counts()) == {"overhead": 5, "refetched": 2}, "counts do not add up")


def gauges_are_kept_and_bounded(maker: Maker) -> None:
    hand = begun(maker)
    told = [events.Gauge(100.5 + at, "fetching", at, {"turn": 2}, frontier=7, budget=9, left=1.5) for at in range(5)]
    for gauge in told:
        hand.store.gauge(gauge)
        hand.store.commit()
    demand(list(hand.store.gauges()) == told, "gauges came back differently, or in another order")
    for at in range(200, 4200):
        hand.store.gauge(events.Gauge(float(at)))
    hand.store.commit()
    kept = [gauge.at for gauge in hand.store.gauges()]
    demand(kept[-3500:] == [float(at) for at in range(700, 4200)], "a gauge of the last hour is missing")
    demand(len(kept) <= 3600 + 10, f"{len(kept)} gauges were kept of 70 minutes")


def commands_come_once(maker: Maker) -> None:
    hand = begun(maker)
    hand.store.commit()
    wanted = [events.Pause(), events.Label(URL, True), events.SetLimit("pages", 7)]
    for command in wanted:
        maker.tell(hand.store, command)
    taken = hand.store.commands()
    demand([command for _, command in taken] == wanted, "commands came in another order, or others")
    demand(hand.store.commands() == [], "a command came twice")


def a_crawl_runs_on_it(maker: Maker) -> None:
    rehearsal = Rehearsal(maker.make())
    rehearsal.run(snapshots=5)
    demand(rehearsal.crawl.spent == 40, f"the crawl spent {rehearsal.crawl.spent} downloads of 40")


STORE_CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        holds_what_it_kept,
        holds_under_both_addresses,
        holds_lasting_failures,
        the_newest_copy_counts,
        an_unchanged_page_stays,
        a_label_changes_the_verdict,
        each_page_is_counted_once,
        newest_are_newest,
        likes_come_back,
        hosts_and_counts_add_up,
        gauges_are_kept_and_bounded,
        commands_come_once,
        a_crawl_runs_on_it,
    )
}
