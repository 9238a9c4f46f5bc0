"""Thrift: which links give way to better ones at hosts that are busy or rest, and for how long."""

from __future__ import annotations

import math

import pytest

from wolfspider.core import codec
from wolfspider.core.limits import AT_ONCE
from wolfspider.core.model import Failure, Link, Page, Route, Visit
from wolfspider.policy.frontier import Frontier
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.room import Replayed, Room
from wolfspider.policy.thrift import CATCHING_UP, CYCLES, Worth

GOOD, JUNK = "good.test", "junk.test"


def link(host: str, number: int = 0) -> Link:
    return Link(f"http://{host}/{number}")


class Held:
    """A run that has some addresses already."""

    def __init__(self, *urls: str) -> None:
        self.urls = urls

    def __call__(self, url: str, fresh: bool) -> Route:
        return Route.HELD if url in self.urls else Route.OUT


class Scene:
    """Ten good links at one host, ten poor ones at each of the others, and a room."""

    def __init__(self, *others: str, delay: float = 1.0, hurry: float = 0.0, held: Held | None = None) -> None:
        self.frontier, self.room = Frontier(Shelf()), Room()
        self.delay, self.hurry, self.held = delay, hurry, held or Held()
        for number in range(10):
            self.frontier.push(link(GOOD, number), 0.9)
        for host in others or (JUNK,):
            for number in range(10):
                self.frontier.push(link(host, number), 0.1)
        for _ in range(5):
            self.room.thrift.answered(0.4)

    def turn(self, now: float, free: int = 4, hurry: float | None = None) -> list[str]:
        """The hosts that visits start to in this turn."""
        self.room.open(now, free, self.held, self.delay, self.hurry if hurry is None else hurry)
        taken = []
        while item := self.frontier.pop(self.room):
            taken.append(item.link)
        self.room.settle([Visit(number, link) for number, link in enumerate(taken)])
        return [link.host for link in taken]

    def land(self, host: str, now: float, seconds: float = 0.4) -> None:
        self.room.landed(host, Page(f"http://{host}/", f"http://{host}/", "", (), (), 0, ""), now, seconds)


def test_a_link_gives_way_while_the_better_host_is_busy_and_while_it_rests() -> None:
    scene = Scene()
    assert scene.turn(0.0) == [GOOD]
    assert scene.room.way is not None and scene.room.way.host == GOOD and scene.room.way.slots == 3
    assert scene.turn(0.2) == []
    scene.land(GOOD, 0.4)
    assert scene.turn(0.4) == [] and scene.room.way.until == 1.4 == scene.room.next_ready()
    assert scene.turn(1.4) == [GOOD]


def test_one_that_would_rather_be_quick_waits_for_nothing_and_is_asked_nothing() -> None:
    scene = Scene(hurry=AT_ONCE)
    assert scene.turn(0.0) == [GOOD, JUNK] and scene.room.way is None
    assert set(scene.room.answers) <= set(Route)


def test_a_slow_host_is_waited_for_within_bounds() -> None:
    """Nobody knows whether a busy host ever answers; what has taken long is expected to take as long again."""
    scene, bound = Scene(), CYCLES * (1.0 + 0.4)
    assert scene.turn(0.0) == [GOOD]
    assert scene.room.way is not None and scene.room.way.until == pytest.approx(bound - 1.0)
    assert scene.turn(bound - 1.1) == []
    assert scene.turn(bound - 1.0) == [JUNK]


@pytest.mark.parametrize(("rest", "waits"), [(CYCLES * 1.4 - 0.1, True), (CYCLES * 1.4 + 0.1, False), (3600.0, False)])
def test_a_host_that_rests_for_long_is_not_waited_for(rest: float, waits: bool) -> None:
    scene = Scene()
    scene.room.rest(GOOD, rest)
    assert scene.turn(0.0) == ([] if waits else [JUNK])
    assert scene.turn(rest) == [GOOD]


def test_a_busy_host_that_asks_for_long_rests_is_not_waited_for() -> None:
    scene = Scene()
    scene.room.pause = lambda host: 30.0
    assert scene.turn(0.0) == [GOOD, JUNK]


def test_what_costs_no_download_never_gives_way() -> None:
    scene = Scene(held=Held(link(JUNK, 0).url))
    assert scene.turn(0.0) == [GOOD, JUNK]
    assert scene.turn(0.1) == []


def test_failures_say_nothing_of_how_long_an_answer_takes() -> None:
    room = Room()
    for _ in range(50):
        room.landed(JUNK, Failure("timeout", "no answer"), 60.0, 60.0)
    assert room.thrift.typical == 0.0
    Scene.land(scene := Scene(), JUNK, 1.0, 0.6)
    assert scene.room.thrift.typical == 0.4


def test_the_longest_wait_of_a_crawl_bounds_this_one_too() -> None:
    scene = Scene()
    scene.room.rest(GOOD, 2.0)
    scene.room.open(0.0, 4, scene.held, 1.0, 0.0, longest=1.9)
    item = scene.frontier.pop(scene.room)
    assert item is not None and item.link.host == JUNK


def test_the_pace_that_is_wanted_is_kept_and_what_it_costs_is_counted() -> None:
    """Ten a minute are wanted, and the good host answers five: every second download is for a lesser link."""
    others = [f"junk{number}.test" for number in range(9)]
    scene, taken, now = Scene(*others, delay=11.6, hurry=10.0), list[str](), 0.0
    while now <= 60.0:
        started = scene.turn(now)
        taken += started
        for host in started:
            scene.land(host, now + 0.4)
        way = scene.room.way
        assert way is not None and way.until > now
        now = min(way.until, scene.room.next_ready())
    assert taken.count(GOOD) == 6 and 4 <= len(taken) - 6 <= 5
    assert scene.room.thrift.hasty == len(taken) - 6


def test_a_crawl_that_fell_far_behind_does_not_make_up_for_all_of_it() -> None:
    others = [f"junk{number}.test" for number in range(99)]
    scene = Scene(*others, hurry=60.0)
    assert scene.turn(0.0, free=99) == [GOOD]
    scene.land(GOOD, 0.4)
    scene.room.rest(GOOD, 1003.0)
    assert len(scene.turn(1000.0, free=99)) == pytest.approx(CATCHING_UP, abs=1)


def test_a_turn_is_replayed_without_a_clock_and_leaves_the_room_as_it_was() -> None:
    first, again = Scene(hurry=60.0), Scene(hurry=60.0)
    times = (0.0, 0.3, 0.9, 1.5, 2.0, 3.5)
    for now in times:
        hosts = first.turn(now)
        answers, newly_ready = first.room.answers, first.room.newly_ready
        real, again.room = again.room, Replayed(again.room, 4, newly_ready, answers)  # type: ignore[assignment]
        assert again.turn(now) == hosts
        again.room = real
        for host in hosts:
            first.land(host, now + 0.2)
            again.land(host, now + 0.2)
        assert again.room.state() == first.room.state()
    assert Worth.GIVES_WAY in answers or first.room.thrift.hasty


def test_a_room_comes_back_with_its_thrift_and_an_old_one_has_none() -> None:
    scene = Scene(hurry=60.0)
    scene.turn(0.0)
    state = codec.load(*codec.store(scene.room.state()))
    assert Room.restored(state, [GOOD]).state() == scene.room.state()
    del state["thrift"]
    assert Room.restored(state).thrift.typical == 0.0


def test_what_goes_out_again_is_waited_for_as_if_it_had_just_started() -> None:
    scene = Scene()
    assert scene.turn(0.0) == [GOOD]
    assert scene.turn(100.0, free=0) == []
    scene.room.start_again()
    assert scene.turn(100.0) == [] and scene.turn(104.0) == [] and scene.turn(106.0) == [JUNK]


def test_without_any_answer_and_without_rests_nobody_waits() -> None:
    scene = Scene(delay=0.0)
    scene.room.thrift = type(scene.room.thrift)()
    assert scene.turn(0.0) == [GOOD, JUNK]


def test_the_host_that_is_told_is_that_of_the_best_link() -> None:
    frontier, room = Frontier(Shelf()), Room()
    for score, host in ((0.5, "second.test"), (0.8, "first.test"), (0.6, "third.test"), (0.1, JUNK)):
        frontier.push(link(host), score)
        frontier.push(link(host, 1), score)
    for _ in range(5):
        room.thrift.answered(0.4)
    for host in ("first.test", "second.test", "third.test"):
        room.rest(host, 1.0)
    room.open(0.0, 4, Held(), 1.0, 0.0)
    assert frontier.pop(room) is None
    assert room.way is not None and (room.way.host, room.way.until, room.way.slots) == ("first.test", 1.0, 4)
    assert not math.isinf(room.way.until)
