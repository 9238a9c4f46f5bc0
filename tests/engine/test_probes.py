"""Probes by chance: drawn evenly, paid for, logged and replayed, and none of the strategy's business."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wolfspider.app.preflight import check
from wolfspider.app.settings import Settings
from wolfspider.core import events
from wolfspider.core.errors import Problem
from wolfspider.core.events import Gauge
from wolfspider.core.limits import Limits
from wolfspider.core.model import FIRST_PROBE, Failure, Link, Outcome, Route
from wolfspider.core.randomness import generator
from wolfspider.core.shares import share_of
from wolfspider.engine.probes import CHANCE, WAITING, Probes, is_probe
from wolfspider.engine.replay import replay
from wolfspider.policy.frontier import Frontier
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.room import Room
from wolfspider.strategies import all_strategies
from wolfspider.strategies.best_first import BestFirst
from wolfspider.strategies.breadth_first import BreadthFirst
from wolfspider.terminal.explanation import _visit
from wolfspider.terminal.outlook_words import by_chance, chance_of
from wolfspider.testing.sketch import Sketch, Trial, stored, told


def anything(url: str) -> bool:
    return True


def nothing(url: str) -> bool:
    return False


def frontier_of(count: int, hosts: int = 1) -> Frontier:
    frontier = Frontier(Shelf())
    for number in range(count):
        frontier.push(Link(f"http://host{number % hosts}.test/{number}"), float(number))
    return frontier


def opened(room: Room, now: float, free: int = 9) -> Room:
    room.open(now, free, lambda url, fresh: Route.OUT)
    return room


def probes_of(trial: Trial) -> list[Outcome]:
    return [landed.outcome for landed in trial.landings() if is_probe(landed.outcome.visit)]


@pytest.mark.parametrize(("rows", "waiting"), [(12, 12), (3000, 6)])
def test_every_link_that_waits_is_as_likely_to_be_drawn(rows: int, waiting: int) -> None:
    frontier, rng = frontier_of(rows), generator(1)
    for number in range(waiting, rows):
        frontier.take(f"http://host0.test/{number}")
    drawn = Counter(item.link.url for _ in range(500 * waiting) if (item := frontier.drawn(rng)))
    assert len(drawn) == waiting == len(frontier)
    assert all(abs(count - 500) < 5 * math.sqrt(500) for count in drawn.values())


def test_from_an_empty_frontier_nothing_is_drawn() -> None:
    frontier = frontier_of(1)
    frontier.take("http://host0.test/0")
    assert frontier.drawn(generator(1)) is None and Frontier(Shelf()).drawn(generator(1)) is None


def test_without_a_share_nothing_changes_and_no_number_is_drawn() -> None:
    trial = Trial(BestFirst, Sketch())
    probes = trial.run().probes
    assert not probes_of(trial) and probes.numbered == probes.owed == 0
    assert probes.state()["rng"].getstate() == generator(0, CHANCE).getstate()


def test_a_page_drawn_by_chance_is_judged_paid_for_and_held_for_the_strategy() -> None:
    observed: list[Outcome] = []

    class Observing(BestFirst):
        def observe(self, outcome: Outcome) -> None:
            observed.append(outcome)
            super().observe(outcome)

    trial = Trial(Observing, Sketch(), pages=400, chance=0.2)
    crawl = trial.run()
    probes = probes_of(trial)
    asked = [one for one in probes if one.page or (isinstance(one.result, Failure) and one.result.asked)]
    assert crawl.probes.made == len(asked) > 20
    assert crawl.probes.relevant == sum(one.verdict is not None and one.verdict.relevant for one in probes) > 0
    assert all(one.visit.agent == CHANCE and one.visit.note["drawn_from"] > 0 for one in probes)
    assert [one.visit.id for one in probes] != [] and min(one.visit.id for one in probes) == FIRST_PROBE
    assert not any(is_probe(outcome.visit) for outcome in observed)
    brought = {one.page.url for one in probes if one.page and one.downloads}
    later = [outcome for outcome in observed if outcome.visit.link.url in brought]
    assert later and all(outcome.cached and not outcome.downloads and outcome.page for outcome in later)


QUEUES = [name for name, kind in all_strategies().items() if kind.queues]


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.sampled(4)) for name in QUEUES])
def test_both_drivers_draw_the_same(name: str) -> None:
    kind = all_strategies()[name]
    simulated, driven = (Trial(kind, Sketch(), slots=1, chance=0.2) for _ in range(2))
    simulated.run()
    driven.run_by_asyncio()
    assert probes_of(simulated) and told(simulated.log) == told(driven.log)


@settings(max_examples=25)
@given(
    chance=st.floats(0.001, 0.2),
    slots=st.integers(1, 6),
    pages=st.integers(1, 150),
    delay=st.sampled_from((0.0, 0.5, 3.0)),
    seed=st.integers(0, 100),
    stop=st.integers(0, 120),
)
def test_the_budget_is_exact_the_share_is_kept_and_a_replay_draws_the_same(
    chance: float, slots: int, pages: int, delay: float, seed: int, stop: int
) -> None:
    def trial() -> Trial:
        return Trial(BreadthFirst, Sketch(), pages, slots, delay, chance=chance, seed=seed)

    whole = trial()
    crawl = whole.run()
    assert crawl.spent <= pages and (whole.result.reason != "budget" or crawl.spent == pages)
    assert sum(landed.outcome.downloads for landed in whole.landings()) == crawl.spent
    assert len(probes_of(whole)) <= chance * crawl.spent + 1e-6
    first = trial()
    died = first.crash(stop, "land")
    again = trial()
    resumed = again.resumed(again.crash(stop // 2, "visits"))
    replay(resumed.crawl, first.journal[len(again.journal) :], resumed.room)
    assert stored(resumed.crawl) == stored(died.crawl) and resumed.room.state() == died.room.state()


def test_what_is_drawn_waits_for_its_host_and_goes_first() -> None:
    frontier, probes, room = frontier_of(50), Probes(Limits(chance=0.1), generator(3)), Room()
    probes.spent(30)
    assert round(probes.owed, 6) == 3
    room.busy("host0.test")
    assert not probes.visits(frontier, opened(room, 1.0), anything, anything)
    waiting = list(probes.drawn)
    assert len(waiting) == 3 and probes.owed == pytest.approx(0)
    room.release("host0.test", 2.0)
    assert probes.visits(frontier, opened(room, 3.0), anything, anything) == waiting[:1]
    assert probes.drawn == waiting[1:] and len(frontier) == 50


def test_few_are_owed_and_few_wait_however_long_nothing_may_start() -> None:
    probes, room = Probes(Limits(chance=0.2), generator(3)), Room()
    room.busy("host0.test")
    for _ in range(5):
        probes.spent(1000)
        assert not probes.visits(frontier_of(50), opened(room, 1.0), anything, anything)
    assert len(probes.drawn) == WAITING >= probes.owed


def test_nothing_is_drawn_that_may_not_be_followed_or_costs_nothing() -> None:
    for suits, new in ((nothing, anything), (anything, nothing)):
        probes = Probes(Limits(chance=0.2), generator(3))
        probes.spent(10)
        assert not probes.visits(frontier_of(50), opened(Room(), 1.0), suits, new) and not probes.drawn


def test_what_was_drawn_and_is_excluded_since_is_dropped() -> None:
    probes, room = Probes(Limits(chance=0.2), generator(3)), Room()
    probes.spent(10)
    room.busy("host0.test")
    probes.visits(frontier_of(50), opened(room, 1.0), anything, anything)
    assert probes.drawn
    assert not probes.visits(frontier_of(50), opened(room, 2.0), nothing, anything) and not probes.drawn
    assert probes.dropped == probes.numbered


def test_a_host_that_rests_too_long_is_not_waited_for() -> None:
    probes, room = Probes(Limits(chance=0.2, max_wait=60.0), generator(3)), Room()
    probes.spent(5)
    room.rest("host0.test", 1000.0)
    assert not probes.visits(frontier_of(50), opened(room, 1.0), anything, anything) and not probes.drawn
    assert probes.dropped == probes.numbered == 1


def test_a_probe_whose_page_comes_another_way_meanwhile_is_answered_with_it() -> None:
    probes, room = Probes(Limits(chance=0.2), generator(3)), Room()
    probes.spent(5)
    room.busy("host0.test")
    assert not probes.visits(frontier_of(50), opened(room, 1.0), anything, anything)
    room.release("host0.test", None)
    room.open(2.0, 1, lambda url, fresh: Route.HELD)
    (visit,) = probes.visits(frontier_of(50), room, anything, nothing)
    assert room.settle([visit]) == [(visit, Route.HELD)] and room.free == 1


def test_the_share_may_change_while_the_crawl_runs() -> None:
    commands = [(1_000_005.0, events.SetLimit("chance", 0.2)), (1_000_015.0, events.SetLimit("chance", 0.0))]
    trial = Trial(BreadthFirst, Sketch(), pages=300, commands=commands)
    trial.run()
    times = [event.at for event in trial.log if isinstance(event, events.Went) and is_probe(event.visit)]
    assert times and all(1_000_005.0 <= at < 1_000_015.0 for at in times)
    early = [event for event in trial.landings() if event.at < 1_000_005.0]
    assert len(times) <= 0.2 * (len(trial.landings()) - len(early))


def test_who_keeps_no_queue_refuses_chance() -> None:
    kind = all_strategies()["spider-best-first"]
    trial = Trial(kind, Sketch(), commands=[(1_000_001.0, events.SetLimit("chance", 0.1))])
    trial.run()
    problems = [event.problem for event in trial.log if isinstance(event, events.Obeyed)]
    assert problems == ["Chance draws from the links that wait in one queue, and spider-best-first keeps none."]
    asked = Settings(
        urls=("http://example.org/",), topic="spiders", contact="me@example.org", strategy="foragers", chance=0.1
    )
    with pytest.raises(Problem, match="foragers keeps none"):
        check(asked)


def test_chance_excludes_what_people_exclude() -> None:
    commands = [(1_000_002.0, events.Exclude("host1.test"))]
    trial = Trial(BreadthFirst, Sketch(), pages=200, chance=0.2, commands=commands)
    trial.run()
    drawn = [event for event in trial.log if isinstance(event, events.Went) and is_probe(event.visit)]
    assert drawn and not any(event.visit.link.host == "host1.test" and event.at >= 1_000_002.0 for event in drawn)


@pytest.mark.parametrize(
    ("found", "tried", "low", "high"), [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0)]
)
def test_the_bounds_of_a_share_are_wilsons(found: int, tried: int, low: float, high: float) -> None:
    share = share_of(found, tried)
    assert share is not None and share.rate == found / tried
    assert (share.low, share.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_bounds_hold_the_share_and_narrow() -> None:
    assert share_of(0, 0) is None
    for tried, found in itertools.product((1, 7, 300), (0, 1)):
        share = share_of(found, tried)
        assert share is not None and 0 <= share.low <= share.rate <= share.high <= 1


def test_people_are_told_what_chance_found_beside_the_rest() -> None:
    gauge = Gauge(0.0, downloads=1000, relevant=390, hidden_relevant=4, probes=50, probes_relevant=4)
    (said,) = by_chance(gauge)
    assert said.startswith("4 of 50 links drawn by chance led to a relevant page (8 %, 19 times in 20 between 3 % and")
    assert said.endswith(" 19 %); of the other downloads 41 % did.")
    told_of = chance_of(gauge)
    assert told_of is not None and (told_of["probes"], told_of["relevant"], told_of["rate"]) == (50, 4, 0.08)
    assert by_chance(Gauge(0.0)) == by_chance(None) == [] and chance_of(Gauge(0.0)) is chance_of(None) is None


def test_explain_calls_a_probe_a_probe() -> None:
    told_of = {"agent": CHANCE, "fresh": False, "how": "out", "source": "", "anchor": "", "worth": {}, "outcome": None}
    first, *_ = _visit({**told_of, "id": FIRST_PROBE + 4}, again=False)
    assert first == "Probe 5 by chance: asked for over the network."
    first, *_ = _visit({**told_of, "id": 4, "agent": "walker"}, again=False)
    assert first == "Visit 4 by walker: asked for over the network."
