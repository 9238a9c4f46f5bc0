"""The demands on stores that can be opened again: a killed run is resumed as if it had never been killed.

for name, check in DURABLE_CHECKS.items(): check(maker)      # raises Violation with a sentence
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wolfspider.core import codec, events
from wolfspider.core.model import Link
from wolfspider.engine.entries import BeginEntry, LandEntry, ProposeEntry
from wolfspider.policy.link_shelf import Record
from wolfspider.policy.room import Broken
from wolfspider.store.base import Store
from wolfspider.store.page_count import PageCount
from wolfspider.testing.demands import Violation, demand
from wolfspider.testing.rehearsal import START, Rehearsal, address
from wolfspider.testing.store_conformance import URL, Check, Hand, Maker, answer, begun


def committed_is_there(maker: Maker) -> None:
    hand = begun(maker)
    page = hand.bring(answer(URL, "some words", final="http://b.test/"))
    store = hand.store
    store.keep_hosts([{"host": "a", "ready": 1.0}])
    store.count("overhead", 3)
    store.gauge(events.Gauge(5.0, "fetching", 1))
    store.like(answer("http://like.test/", "liked"))
    store.commit()
    store.sync()
    store = maker.again(store)
    entries = list(store.past().entries)
    kinds = [type(entry) for entry in entries]
    demand(kinds == [BeginEntry, ProposeEntry, LandEntry], f"the journal came back as {kinds}")
    demand(entries[2][1] == page, "the page of the journal came back differently")
    demand(entries[0] == BeginEntry((Link(URL),), 1.0, 0), "the beginning came back differently")
    demand(list(store.hosts()) == [{"host": "a", "ready": 1.0}], "hosts were lost")
    demand(dict(store.counts()) == {"overhead": 3}, "counts were lost")
    demand(len(store.liked()) == 1, "a liked page was lost")
    demand(list(store.gauges()) == [events.Gauge(5.0, "fetching", 1)], "a gauge was lost")
    demand(store.page_count() == PageCount(1, 1), "pages are counted differently after a crash")


def uncommitted_is_not(maker: Maker) -> None:
    hand = begun(maker)
    hand.store.commit()
    hand.bring(answer(URL, "some words"))
    hand.store.count("overhead")
    store = maker.again(hand.store)
    demand([type(entry) for entry in store.past().entries] == [BeginEntry], "what was not committed is in the journal")
    demand(not store.holds(URL) and store.newest("a.test", 3) == [], "what was not committed is held")
    demand(dict(store.counts()) == {}, "what was not committed is counted")


def memory_is_of_its_time(maker: Maker) -> None:
    """In a replay a store knows nothing of what came later."""
    hand = begun(maker)
    first = answer(URL, "old words")
    old = hand.bring(first, 0.3)
    hand.bring(answer(URL, "new words", at=9.0), 0.6)
    hand.store.commit()
    store = maker.again(hand.store)
    list(store.past().entries)
    again = Hand(store)
    again.begin()
    demand(not store.holds(URL), "it holds what landed later")
    visit = again.send(URL, fresh=True)
    again.land(visit, first, old, 0.3)
    held = store.recall(URL)
    demand(held is not None and held.result == old, "it recalls what landed later")
    demand(held is not None and held.verdict is not None and held.verdict.score == 0.3, "it recalls a later verdict")


def differences_are_seen(maker: Maker) -> None:
    def played(change: Callable[[Hand], Any]) -> None:
        hand = begun(maker)
        hand.bring(answer(URL, "some words"))
        hand.store.commit()
        again = Hand(maker.again(hand.store))
        list(again.store.past().entries)
        try:
            change(again)
        except Broken:
            return
        raise Violation("a run that came out differently was taken for the same")

    def another_score(hand: Hand) -> None:
        hand.begin()
        hand.bring(answer(URL, "some words"), 0.8)

    def another_address(hand: Hand) -> None:
        hand.begin()
        hand.send("http://elsewhere.test/")

    played(another_score)
    played(another_address)
    played(lambda hand: hand.send(URL))


def the_shelf_is_cut_with_the_snapshot(maker: Maker) -> None:
    store = maker.make()
    Hand(store).begin()
    place = store.shelf.put(Record(Link(URL, "kept"), "", {"n": 1}))
    store.commit()
    store.snapshot({"note": 1})
    length = len(store.shelf)
    store.shelf.put(Record(Link(URL, "lost"), "", None))
    store = maker.again(store)
    demand(store.past().state == {"note": 1}, "the snapshot came back differently")
    demand(len(store.shelf) == length, "the shelf is longer than the snapshot says")
    demand(store.shelf.get(place) == Record(Link(URL, "kept"), "", {"n": 1}), "the shelf lost what the snapshot has")


def commands_outlive_a_crash(maker: Maker) -> None:
    store = maker.make()
    maker.tell(store, events.Pause())
    maker.tell(store, events.Resume())
    rehearsal = Rehearsal(store)
    (first, pause), _ = store.commands()
    store.taking(first)
    rehearsal.crawl.command(pause, START + 1)
    store.commit()
    store = maker.again(store)
    Rehearsal(store)
    left = [command for _, command in store.commands()]
    demand(left == [events.Resume()], f"after a crash the commands {left} were left")


def a_killed_crawl_goes_on_as_if_never_killed(maker: Maker) -> None:
    """Killed at many points, with and without a snapshot, with and without what is not committed."""
    whole = Rehearsal(_steered(maker), pages=25)
    whole.run()
    for steps, snapshots in ((3, 1), (13, 0), (33, 9)):
        store = _steered(maker)
        rehearsal = Rehearsal(store, pages=25)
        rehearsal.run(steps, snapshots)
        while True:
            before = codec.store(rehearsal.state())
            rehearsal.land_one(rehearsal.crawl.now + 1)  # never committed: it is lost, and lands again
            store = maker.again(store)
            rehearsal = Rehearsal(store, pages=25)
            demand(codec.store(rehearsal.state()) == before, f"replayed after {steps} steps, the state differs")
            if rehearsal.run(steps, snapshots):
                break
        demand(
            codec.store(rehearsal.state()) == codec.store(whole.state()),
            f"killed after {steps} steps, it ends differently",
        )
        for number in range(60):
            _same_memory(store, whole.store, address(number))


def _steered(maker: Maker) -> Store:
    """A new run with commands waiting for it."""
    store = maker.make()
    for command in (events.Label(address(0), True), events.Exclude("host4.test"), events.Label("host1.test", False)):
        maker.tell(store, command)
    return store


def _same_memory(one: Store, other: Store, url: str) -> None:
    demand(one.recall(url) == other.recall(url), f"{url} is remembered differently")


DURABLE_CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        committed_is_there,
        uncommitted_is_not,
        memory_is_of_its_time,
        differences_are_seen,
        the_shelf_is_cut_with_the_snapshot,
        commands_outlive_a_crash,
        a_killed_crawl_goes_on_as_if_never_killed,
    )
}
