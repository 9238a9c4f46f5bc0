"""The frontier against the simplest thing that could be right."""

from __future__ import annotations

import math
import tracemalloc
from array import array
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wolfspider.policy.frontier
import wolfspider.policy.host_queues
from wolfspider.core import codec
from wolfspider.core.model import Link
from wolfspider.policy.frontier import DROPPED, Frontier
from wolfspider.policy.host_queues import Known
from wolfspider.policy.link_shelf import Shelf
from wolfspider.strategies import strategy_named
from wolfspider.testing.sketch import configured
from wolfspider.testing.strategy_conformance import excluded_links_come_back


class Open:
    """A room that lets everything through but the hosts it is told to refuse."""

    thrifty = False

    def __init__(
        self,
        refuses: set[str] | None = None,
        ready: list[str] | None = None,
        allows: Callable[[str], bool] = lambda url: True,
    ) -> None:
        self.free, self.refuses, self.newly_ready, self.allows = 1, refuses or set(), ready or [], allows
        self.asked: list[str] = []

    def gives_way(self, link: Link, better: Sequence[str]) -> bool:
        raise AssertionError("nobody is thrifty here")

    def take(self, link: Link, fresh: bool = False) -> bool:
        self.asked.append(link.host)
        return link.host not in self.refuses


def link(number: int, hosts: int = 3) -> Link:
    return Link(f"http://h{number % hosts}.test/{number}")


pushes = st.lists(st.tuples(st.integers(0, 60), st.sampled_from([0.0, 0.25, 0.5, 1.0, -1.0, math.inf])), max_size=150)


@given(st.lists(st.one_of(pushes, st.none()), max_size=12), st.sampled_from(["max", "sum"]))
def test_pops_in_the_order_of_a_sorted_list(steps: list[list[tuple[int, float]] | None], merge: str) -> None:
    """Pushes and pops in any mixture: always the highest score, then the earliest discovery, each address once."""
    frontier, model, taken = Frontier(Shelf(), merge=merge), dict[str, float](), set[str]()
    for step in steps:
        if step is None:
            for _ in range(7):
                item = frontier.pop(Open())
                best = max(model, key=lambda url: model[url], default=None)  # max keeps the first of equals
                assert (item.link.url if item else None) == best
                if item:
                    assert item.score == model.pop(item.link.url)
                    taken.add(item.link.url)
            continue
        for number, score in step:
            url = link(number).url
            frontier.push(link(number), score)
            if url not in taken:
                old = model.get(url)
                model[url] = score if old is None else max(old, score) if merge == "max" else _plus(old, score)
    assert len(frontier) == len(model)


def _plus(old: float, score: float) -> float:
    return old + score


@given(st.lists(st.floats(0, 1), min_size=1, max_size=3000))
def test_many_links_of_one_host_come_out_sorted(scores: list[float]) -> None:
    frontier = Frontier(Shelf())
    frontier.extend((link(n, 1) for n in range(len(scores))), scores)
    popped = []
    while item := frontier.pop(Open()):
        popped.append((-item.score, int(item.link.url.rsplit("/", 1)[1])))
    assert popped == sorted((-score, n) for n, score in enumerate(scores))


scores = st.sampled_from([0.0, 0.25, 0.5, 1.0, -1.0, -math.inf, math.inf])
changes = st.dictionaries(st.integers(0, 60), scores, max_size=61)


@given(st.lists(st.tuples(pushes, changes, st.integers(0, 5)), max_size=8), st.booleans())
def test_assigned_scores_rank_links_up_and_down(steps: list[Any], one_by_one: bool) -> None:
    """Pushes, new scores for some links (by number, or by address) and pops: always the order of a sorted list."""
    frontier, model, taken, numbers = Frontier(Shelf()), dict[str, float](), set[str](), dict[str, int]()
    for pushed, changed, pops in steps:
        for number, score in pushed:
            url = link(number).url
            name = frontier.push(link(number), score)
            assert (name == -1) == (url in taken)
            if url not in taken:
                assert numbers.setdefault(url, name) == name
                model[url] = max(score, model.get(url, score))
        new = {link(number).url: score for number, score in changed.items() if link(number).url in numbers}
        if one_by_one:
            assert all(frontier.set(url, score) == (url in model) for url, score in new.items())
        else:
            frontier.assign([numbers[url] for url in new], list(new.values()))
        model.update((url, score) for url, score in new.items() if url in model)
        assert frontier.kept().tolist() == sorted(numbers[url] for url in model)
        for _ in range(min(pops, len(model))):
            item = frontier.pop(Open())
            assert (
                item
                and item.link.url == max(model, key=lambda url: model[url])
                and item.number == numbers[item.link.url]
            )
            assert item.score == model.pop(item.link.url)
            taken.add(item.link.url)


def test_numbers_survive_eviction_and_a_snapshot() -> None:
    frontier = Frontier(Shelf(), cap=20)
    numbers = frontier.extend((link(n, 1) for n in range(60)), [float(n % 20) for n in range(60)])
    assert numbers == list(range(60))
    for kept in (frontier, codec.load(*codec.store(frontier))):
        kept.shelf = frontier.shelf
        there = {item.number: item.link.url for item in kept.items()}
        assert there.keys() < set(numbers) and all(url == link(number, 1).url for number, url in there.items())
        kept.assign(numbers, [100.0 - n for n in range(60)])
        assert kept.push(link(100, 1), 0.5) == 60  # the number of one that was thrown away is not given again
        first = kept.pop(Open())
        assert first and first.number == min(there) and first.score == 100.0 - min(there)


def test_what_is_set_aside_is_assigned_a_score_too() -> None:
    frontier = Frontier(Shelf(), merge="sum")
    one, two = frontier.extend((link(0), link(1)), (1.0, 2.0))
    assert frontier.pop(Open(allows=lambda url: False)) is None and frontier.aside == 2
    frontier.push(link(1), 5.0)
    frontier.assign([two, one], [0.25, 0.5])
    assert frontier.kept().tolist() == [one, two]
    frontier.bring_back()
    assert (frontier.score(link(0).url), frontier.score(link(1).url)) == (0.5, 0.25)


def test_a_link_that_is_moved_again_and_again_does_not_fill_the_queue() -> None:
    frontier = Frontier(Shelf())
    frontier.extend((link(n, 1) for n in range(100)), [1.0] * 100)
    for turn in range(20_000):
        frontier.set(link(turn % 7, 1).url, -float(turn))
    assert sum(len(queue.cold) + len(queue.hot) for queue in frontier.queues) < 5_000


@given(st.lists(st.tuples(st.integers(0, 400), st.floats(0, 1)), max_size=600), st.integers(20, 60))
def test_the_cap_holds_and_every_host_keeps_its_best(pairs: list[tuple[int, float]], cap: int) -> None:
    frontier = Frontier(Shelf(), cap)
    for number, score in pairs:
        frontier.push(link(number, 7), score)
        assert len(frontier) <= cap
    best: dict[str, float] = {}
    for number, score in pairs:
        best[link(number, 7).host] = max(score, best.get(link(number, 7).host, 0.0))
    kept: dict[str, float] = {}
    for item in frontier.items():
        kept[item.link.host] = max(item.score, kept.get(item.link.host, 0.0))
    assert kept == best


def test_a_refused_host_waits_and_costs_one_question() -> None:
    frontier = Frontier(Shelf())
    for number in range(30):
        frontier.push(link(number), 1.0 if number % 3 == 0 else 0.5)
    room = Open(refuses={"h0.test"})
    item = frontier.pop(room)
    assert item and item.link.host == "h1.test" and room.asked == ["h0.test", "h1.test"]
    again = Open()
    assert frontier.pop(again) and again.asked == ["h2.test"]  # closed until it is named ready
    ready = frontier.pop(Open(ready=["h0.test"]))
    assert ready and ready.link.host == "h0.test"


def test_a_score_that_falls_moves_its_link_back() -> None:
    frontier = Frontier(Shelf(), merge="sum")
    for number, score in ((0, 1.0), (3, 0.5), (0, -0.75)):
        frontier.push(link(number), score)
    popped = [frontier.pop(Open()), frontier.pop(Open())]
    assert [(item.link.url, item.score) for item in popped if item] == [(link(3).url, 0.5), (link(0).url, 0.25)]


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, -math.inf, math.inf]), min_size=1, max_size=80), st.integers(2, 40))
def test_at_the_cap_the_lowest_go_first_and_the_latest_of_equals(scores: list[float], cap: int) -> None:
    frontier = Frontier(Shelf(), cap)
    waiting: list[tuple[float, int]] = []
    for number, score in enumerate(scores):
        if len(waiting) >= cap:
            waiting = sorted(waiting)[: min(cap - 1, max(1, cap * 9 // 10))]
        waiting.append((-score, number))
        frontier.push(link(number, 1), score)
    assert sorted((-item.score, int(item.link.url.rsplit("/", 1)[1])) for item in frontier.items()) == sorted(waiting)


def without_h1(url: str) -> bool:
    return "//h1.test" not in url


def test_links_out_of_scope_are_set_aside_and_come_back_in_their_places() -> None:
    frontier = Frontier(Shelf())
    for number in range(9):
        frontier.push(link(number), 1.0 if number in (1, 4) else 0.5, extra=number)
    first = frontier.pop(Open(allows=without_h1))
    assert first and first.link == link(0) and (len(frontier), frontier.aside) == (6, 2)
    assert frontier.seen(link(1).url) and frontier.score(link(1).url) is None and not frontier.take(link(1).url)
    found = frontier.find(link(1).url)
    assert found and (found.link, found.score, found.extra) == (link(1), 1.0, 1)
    frontier.bring_back()
    assert (len(frontier), frontier.aside) == (8, 0)
    assert drained(frontier) == [1, 4, 2, 3, 5, 6, 7, 8]


def drained(frontier: Frontier, allows: Callable[[str], bool] = lambda url: True) -> list[int]:
    popped = []
    while item := frontier.pop(Open(allows=allows)):
        popped.append(int(item.link.url.rsplit("/", 1)[1]))
    return popped


@given(pushes, pushes, st.sampled_from(["max", "sum"]), st.booleans(), st.booleans())
def test_whatever_was_set_aside_the_order_is_as_if_it_never_was(
    before: list[tuple[int, float]], meanwhile: list[tuple[int, float]], merge: str, stores: bool, rescores: bool
) -> None:
    """Also if links are found again, all are scored anew or the crawl is stored while they are set aside."""
    plain, steered = (Frontier(Shelf(), merge=merge) for _ in range(2))
    shelf = steered.shelf
    for number, score in before:
        plain.push(link(number), score)
        steered.push(link(number), score)
    assert drained(steered, allows=lambda url: False) == [] and len(steered) == 0
    if stores:
        steered = codec.load(*codec.store(steered))
        steered.shelf = shelf
    for number, score in meanwhile:
        plain.push(link(number), score)
        steered.push(link(number), score)
    if rescores and merge == "max":
        for frontier in (plain, steered):
            frontier.rescore(lambda item: item.score / 2)
    steered.bring_back()
    assert len(steered) == len(plain) and drained(steered) == drained(plain)


def test_the_cap_counts_what_is_set_aside_and_that_goes_first() -> None:
    frontier = Frontier(Shelf(), 20)
    for number in range(20):
        frontier.push(link(number, 2), float(number))
    drained(frontier, allows=lambda url: int(url.rsplit("/", 1)[1]) < 10)
    assert (len(frontier), frontier.aside) == (0, 10)
    for number in range(20, 28):
        frontier.push(link(number, 2), -1.0)
    assert (len(frontier), frontier.aside) == (8, 10)
    for number in range(28, 40):
        frontier.push(link(number, 2), -1.0)
        assert len(frontier) + frontier.aside <= 20
    assert len(frontier) == 20 and frontier.aside == 0  # none of what waits had to go


def test_of_what_is_set_aside_the_best_stay_longest() -> None:
    frontier = Frontier(Shelf(), 20)
    for number in range(20):
        frontier.push(link(number, 2), float(number))
    drained(frontier, allows=lambda url: False)
    frontier.push(link(20, 2), 0.0)
    assert (len(frontier), frontier.aside) == (1, 18)
    frontier.bring_back()
    assert drained(frontier) == [*range(19, 1, -1), 20]


def test_a_snapshot_of_an_earlier_version_has_no_numbers() -> None:
    frontier = Frontier(Shelf())
    frontier.extend((link(n) for n in range(5)), [1.0, 2.0, 3.0, 4.0, 5.0])
    state = frontier.state()
    del state["numbers"], state["entered"]
    again = Frontier.restored(state)
    again.assign([4, 0], [0.0, 9.0])
    assert again.push(link(9), 0.0) == 5 and list(again.scores) == [9.0, 2.0, 3.0, 4.0, 0.0, 0.0]


def test_a_snapshot_of_an_earlier_version_knows_nothing_of_links_set_aside() -> None:
    frontier = Frontier(Shelf())
    frontier.push(link(1), 1.0)
    state = {name: value for name, value in frontier.state().items() if not name.startswith("excluded")}
    again = Frontier.restored(state)
    again.shelf = frontier.shelf
    assert again.aside == 0 and drained(again) == [1]


def test_a_snapshot_of_an_earlier_version_has_a_table_of_all_addresses() -> None:
    """Some of them may be thrown away, which is as good as unknown."""
    frontier = Frontier(Shelf())
    frontier.extend((link(n) for n in range(5)), [1.0, 2.0, 3.0, 4.0, 5.0])
    state = {name: value for name, value in frontier.state().items() if name not in ("addresses", "taken")}
    frontier.known.put(7, DROPPED)
    frontier.pop(Open())
    keys, values = frontier.known.entries()
    state |= {"keys": keys, "values": values, "scores": frontier.scores}
    again = Frontier.restored(state)
    again.shelf = frontier.shelf
    assert again.known.get(7) is None and again.push(link(4), 9.0) == -1 and again.push(link(0), 9.0) == 0
    assert drained(again) == [0, 3, 2, 1]


@given(pushes, pushes, st.integers(0, 40), st.integers(4, 60), st.integers(1, 9))
@settings(max_examples=50)
def test_work_in_small_pieces_is_the_same_work(
    first: list[tuple[int, float]], then: list[tuple[int, float]], pops: int, cap: int, piece: int
) -> None:
    """What is thrown away, set aside, stored and handed out does not depend on how much is worked on at once."""

    def story() -> tuple[Any, ...]:
        shelf = Shelf()
        frontier = Frontier(shelf, cap)
        for number, score in first:
            frontier.push(link(number), score)
        heard = [frontier.pop(Open(allows=lambda url: not url.endswith("1"))) for _ in range(pops)]
        stored = codec.store(frontier)
        again = codec.load(*stored)
        again.shelf = shelf
        numbers = [again.push(link(number), score) for number, score in then]
        again.bring_back()
        return heard, stored, numbers, codec.store(again), drained(again)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wolfspider.policy.host_queues, "_AT_ONCE", piece)
        patch.setattr(wolfspider.policy.host_queues, "_ENTERED", piece)
        in_pieces = story()
    assert in_pieces == story()


def test_a_snapshot_and_a_cut_need_little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot is as large as what is stored, and a cut needs a third of what the frontier has: nothing that is as
    long as all links lies there twice. To restore needs no more than what is built."""
    monkeypatch.setattr(wolfspider.policy.host_queues, "_AT_ONCE", 1 << 11)
    monkeypatch.setattr(wolfspider.policy.host_queues, "_ENTERED", 1 << 11)
    size, rng = 1 << 16, np.random.default_rng(1)
    tracemalloc.start()
    try:
        frontier = Frontier.restored(
            {
                **Frontier(Shelf(), cap=size).state(),
                "scores": array("d", rng.random(size).tobytes()),
                "hosts": array("I", rng.integers(0, 30, size, np.uint32).tobytes()),
                "places": array("Q", range(size)),
                "numbers": array("I", range(size)),
                "addresses": rng.integers(1, 1 << 63, size, np.uint64),
                "names": [f"h{number}.test" for number in range(30)],
            }
        )
        built = tracemalloc.get_traced_memory()[0]
        stored, needed = room_for(lambda: codec.store(frontier))
        assert needed < 1.05 * sum(map(len, stored[1].values()))
        again, needed = room_for(lambda: codec.load(*stored))
        assert needed < 1.15 * built
        _, needed = room_for(lambda: again.push(link(1), 1.0))
        assert len(again) == size * 9 // 10 + 1 and needed < built / 3
    finally:
        tracemalloc.stop()


def room_for(work: Callable[[], Any]) -> tuple[Any, int]:
    """What the work gives, and how many bytes more than before lay there at most meanwhile."""
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    made = work()
    return made, tracemalloc.get_traced_memory()[1] - before


def test_rescoring_changes_the_order() -> None:
    frontier = Frontier(Shelf())
    for number in range(200):
        frontier.push(link(number), float(number))
    frontier.rescore(lambda item: -item.score)
    item = frontier.pop(Open())
    assert item and item.link.url == link(0).url


@given(pushes, st.integers(0, 40))
def test_restored_from_what_is_stored_it_goes_on_alike(pairs: list[tuple[int, float]], pops: int) -> None:
    shelf = Shelf()
    frontier = Frontier(shelf)
    for number, score in pairs:
        frontier.push(link(number), score, extra=[number])
    for _ in range(pops):
        frontier.pop(Open())
    again = codec.load(*codec.store(frontier))
    again.shelf = shelf
    assert codec.store(again) == codec.store(frontier)
    while item := frontier.pop(Open()):
        assert again.pop(Open()) == item
    assert again.pop(Open()) is None


@given(st.dictionaries(st.integers(1, 2**64 - 1), st.integers(0, 2**32 - 1), max_size=3000))
def test_the_table_is_a_dictionary(entries: dict[int, int]) -> None:
    known = Known()
    for key, value in entries.items():
        known.put(key, value)
    assert all(known.get(key) == value for key, value in entries.items())
    keys, values = known.entries()
    other = Known()
    other.fill(keys, values)
    assert all(other.get(key) == value for key, value in entries.items()) and other.used == len(entries)
    absent = next(key for key in range(1, 10**6) if key not in entries)
    assert other.get(absent) is None


def test_one_turn_sets_aside_only_so_many_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wolfspider.policy.frontier, "SIFTED", 100)
    frontier = Frontier(Shelf())
    for number in range(250):
        frontier.push(link(number), -number)
    room = Open(allows=lambda url: url == link(249).url)
    assert [frontier.pop(room) for _ in range(2)] == [None, None]
    assert (len(frontier), frontier.aside) == (50, 200) and frontier.wake() == -math.inf
    again = codec.load(*codec.store({"frontier": frontier}))["frontier"]
    assert again.wake() == -math.inf
    last = frontier.pop(room)
    assert last and last.link == link(249) and frontier.wake() is None


@pytest.mark.parametrize("name", ["breadth-first", "best-first", "shark", "opic", "context-graph"])
def test_a_crawl_that_sets_aside_much_goes_on_turn_by_turn(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(wolfspider.policy.frontier, "SIFTED", 3)
    for variant in strategy_named(name).variants:
        excluded_links_come_back(configured(strategy_named(name), variant))  # a demand: it raises if it is not met


class Thrifty(Open):
    """Notes what each link is compared with, and lets nothing give way."""

    thrifty = True

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.free = 10
        self.better: list[tuple[str, list[str]]] = []

    def gives_way(self, link: Link, better: Sequence[str]) -> bool:
        self.better.append((link.url, list(better)))
        return False


@given(
    st.lists(
        st.tuples(
            st.lists(st.tuples(st.integers(0, 80), st.sampled_from([0.0, 0.25, 0.5, 1.0])), max_size=30),
            st.sets(st.integers(0, 7)),
            st.sets(st.integers(0, 7)),
        ),
        max_size=12,
    )
)
def test_a_link_is_compared_with_the_better_ones_of_all_hosts_that_refused(
    turns: list[tuple[list[tuple[int, float]], set[int], set[int]]],
) -> None:
    """Against a search of everything that waits, also where hosts refuse and are ready again in any order."""
    frontier = Frontier(Shelf())
    for pushed, refusing, ready in turns:
        for number, score in pushed:
            frontier.push(link(number, hosts=8), score)
        room = Thrifty({f"h{host}.test" for host in refusing}, [f"h{host}.test" for host in ready])
        reopened = set(map(frontier.names.get, room.newly_ready))
        for _ in range(4):
            before = {item.link.url: (-item.score, item.number) for item in frontier.items()}
            room.better.clear()
            closed = {frontier._named[host] for host in frontier.closed - reopened}
            reopened = set()
            frontier.pop(room)
            for url, better in room.better:
                best: dict[str, tuple[float, int]] = {}
                for other, key in before.items():
                    if Link(other).host in closed and key < before[url]:
                        best[Link(other).host] = min(key, best.get(Link(other).host, key))
                if not frontier.closed - {frontier.names[host] for host in closed}:  # nobody refused meanwhile
                    assert better == sorted(best, key=lambda host: best[host])


def test_so_many_hosts_are_looked_at_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wolfspider.policy.frontier, "LOOKED_AT", 5)
    frontier = Frontier(Shelf())
    for host in range(20):
        for place in range(2):
            frontier.push(Link(f"http://h{host}.test/{place}"), 1.0 - host / 100)
    frontier.pop(Open({f"h{host}.test" for host in range(20)}))
    frontier.push(Link("http://ready.test/"), 0.1)
    room = Thrifty()
    frontier.pop(room)
    assert room.better == [("http://ready.test/", [f"h{host}.test" for host in range(5)])]
