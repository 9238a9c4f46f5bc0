"""Room, Turns and Group: who may start what, and when."""

from __future__ import annotations

import math
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.model import Link, Visit
from wolfspider.policy.room import Broken, Room
from wolfspider.policy.turns import Group, Turns


def link(host: str, number: int = 0) -> Link:
    return Link(f"http://{host}.test/{number}")


def always_out(url: str, fresh: bool) -> str:
    return "out"


def opened(room: Room, now: float, free: int = 9, delay: float = 0.0) -> Room:
    room.open(now, free, always_out, delay)
    return room


def test_one_visit_at_a_time_to_a_host_and_a_rest_after_it() -> None:
    room = opened(Room(), 0.0, delay=2.0)
    assert room.take(link("a")) and not room.take(link("a", 1)) and room.ready_at("a.test") == math.inf
    room.settle([Visit(0, link("a"))])
    room.release("a.test", 5.0)
    assert room.ready_at("a.test") == 7.0 and room.next_ready() == 7.0
    assert opened(room, 6.0).newly_ready == []
    assert opened(room, 7.0).newly_ready == ["a.test"] and opened(room, 8.0).newly_ready == []


def test_what_is_taken_for_nothing_is_given_back() -> None:
    room = opened(Room(), 0.0, free=1)
    assert room.take(link("a")) and room.free == 0
    assert room.settle([]) == [] and room.free == 1 and room.take(link("a", 1))


def test_a_refusal_for_want_of_slots_names_the_host_again() -> None:
    room = opened(Room(), 0.0, free=1)
    assert room.take(link("a")) and not room.take(link("b"))
    room.settle([Visit(0, link("a"))])
    assert opened(room, 1.0).newly_ready == ["b.test"]


def test_a_visit_needs_its_own_take() -> None:
    room = opened(Room(), 0.0)
    assert room.take(link("a"))
    with pytest.raises(Broken, match="without taking room"):
        room.settle([Visit(0, link("a")), Visit(1, link("a"))])


def test_the_same_address_twice_in_a_turn_joins_unless_fresh() -> None:
    room = opened(Room(), 0.0)
    assert room.take(link("a")) and room.take(link("a"))
    assert [order.how for order in room.settle([Visit(0, link("a")), Visit(1, link("a"))])] == ["out", "joined"]
    room = opened(Room(), 0.0)
    assert room.take(link("a"), fresh=True) and not room.take(link("a"), fresh=True)


def test_a_plain_take_joins_a_fresh_one_of_the_same_turn_and_takes_its_place_if_it_is_dropped() -> None:
    for given_back in (False, True):
        room = opened(Room(), 0.0)
        assert room.take(link("a"), fresh=True) and room.take(link("a"))
        visits = [Visit(1, link("a"))] if given_back else [Visit(0, link("a"), fresh=True), Visit(1, link("a"))]
        assert [order.how for order in room.settle(visits)] == (["out"] if given_back else ["out", "joined"])


def test_a_host_may_ask_for_more_rest() -> None:
    room = opened(Room(), 0.0, delay=1.0)
    room.pause = lambda host: 30.0 if host == "a.test" else 0.0
    for host in "ab":
        room.take(link(host))
        room.release(f"{host}.test", 2.0)
    assert (room.ready_at("a.test"), room.ready_at("b.test")) == (32.0, 3.0)


def test_room_comes_back_from_its_state() -> None:
    room = opened(Room(), 0.0, delay=9.0)
    room.take(link("a"))
    room.settle([Visit(0, link("a"))])
    room.release("a.test", 1.0)
    opened(room, 2.0).take(link("a", 1))
    again = Room.restored(room.state())
    assert again.next_ready() == room.next_ready() == 10.0
    assert opened(again, 10.0).newly_ready == ["a.test"]


@given(st.integers(1, 4), st.integers(2, 9), st.floats(0, 3), st.integers(1, 3))
def test_walkers_take_fair_turns_whatever_the_politeness(slots: int, walkers: int, delay: float, hosts: int) -> None:
    """Each walker wants one host for ever; nobody is forgotten or overtaken by one who waits for the same."""
    turns, room, now, counts = Turns(), Room(), 0.0, dict.fromkeys(range(walkers), 0)
    for name in range(walkers):
        turns.add(str(name))
    out: list[tuple[float, str, Link]] = []
    for step in range(60 * walkers):
        room.open(now, slots - len(out), always_out, delay)
        visits = []
        for name, pick in turns.ready(room):
            target = pick or link(f"h{int(name) % hosts}", step)
            if room.take(target):
                visits.append(Visit(len(visits), target, name))
                out.append((now + 1.0, name, target))
                counts[int(name)] += 1
            else:
                turns.park(name, target)
        room.settle(visits)
        now = min([end for end, _, _ in out], default=max(room.next_ready(), now + 0.5))
        for landed in [flight for flight in out if flight[0] <= now]:
            out.remove(landed)
            room.release(landed[2].host, now)
            turns.add(landed[1])
    for host in range(hosts):
        rivals = [count for name, count in counts.items() if name % hosts == host]
        assert not rivals or (max(rivals) - min(rivals) <= 1 and min(rivals) > 0)


def test_who_is_not_asked_this_time_is_asked_the_next() -> None:
    turns, room = Turns(), Room()
    for host in "ab":
        turns.park(host, link(host))
        room.refuse(f"{host}.test")
    first = next(iter(turns.ready(opened(room, 1.0))))
    assert first == ("a", link("a")) and turns.unheard == ["b.test"]
    assert next(iter(turns.ready(opened(room, 2.0)))) == ("b", link("b"))


def test_a_walker_that_is_gone_is_passed_over() -> None:
    turns = Turns()
    turns.add("a")
    turns.add("b")
    turns.remove("a")
    assert [name for name, _ in turns.ready(opened(Room(), 0.0))] == ["b"]


def test_a_group_asks_a_host_that_refused_once_and_keeps_its_order() -> None:
    links = [link("a", number) for number in range(4)]
    group, room = Group(links), opened(Room(), 0.0)
    given_out = group.give(room, lambda wanted: Visit(0, wanted))
    assert [visit.link for visit in given_out] == links[:1] and list(group.left) == links[1:]
    assert room.answers == ["out", "refused"]


def test_a_group_is_complete_when_the_last_is_in() -> None:
    group, room = Group([link("a"), link("a", 1), link("b")]), opened(Room(), 0.0)
    numbers = iter(range(9))
    given_out = group.give(room, lambda wanted: Visit(next(numbers), wanted))
    room.settle(given_out)
    assert [visit.link for visit in given_out] == [link("a"), link("b")] and group.wake() == math.inf
    assert not group.landed(0) and not group.landed(1)
    room.release("a.test", 1.0)
    rest = group.give(opened(room, 1.0), lambda wanted: Visit(next(numbers), wanted))
    assert [visit.link for visit in rest] == [link("a", 1)] and group.landed(2)


def test_links_of_a_group_that_are_out_of_scope_keep_their_places_and_are_not_waited_for() -> None:
    links = [link("a"), link("b"), link("c")]
    group, room, numbers = Group(links), opened(Room(), 0.0), iter(range(9))
    room.allows = lambda url: "a.test" not in url
    given_out = group.give(room, lambda wanted: Visit(next(numbers), wanted))
    assert [visit.link for visit in given_out] == links[1:] and list(group.left) == links[:1]
    assert group.wake() is None and not group.landed(0) and group.landed(1)
    room.allows = lambda url: True
    assert [visit.link for visit in group.give(room, lambda wanted: Visit(next(numbers), wanted))] == links[:1]
    assert group.landed(2)


def test_a_group_of_an_earlier_version_has_nothing_set_aside() -> None:
    again = Group.restored({"left": deque([link("a")]), "out": {7}})
    assert len(again) == 2 and again.aside == 0
