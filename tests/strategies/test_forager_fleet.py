"""The fleet of news foragers (A5 to A9): scores, multiplication and deletion, slices of time, what is handed on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies.foraging import HOUR, START, Site, Trip, at, names

from wolfspider.core import codec
from wolfspider.core.errors import Problem
from wolfspider.core.events import Finish, SetParam
from wolfspider.core.model import Credit, Failure, Link, Page
from wolfspider.core.text import key_of
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import Simulation
from wolfspider.strategies.foragers import Foragers
from wolfspider.strategies.foragers.forager import WeblogEntry
from wolfspider.terminal.printing import about

RING = {f"p{number}": f"p{(number + 1) % 12} p{(number + 5) % 12}" for number in range(12)}
WEBLOG = {at(f"w{number}"): WeblogEntry(float(number), number) for number in reversed(range(7))}


def fleet_of(tmp_path: Path, **params: Any) -> Trip:
    """Foragers with a weblog of seven that have not worked yet."""
    trip = Trip(Site(RING), tmp_path, seeds="p0 p1")
    trip.begin(**params)
    for forager in trip.fleet.fleet.values():
        forager.weblog = dict(WEBLOG)
    return trip


def over(trip: Trip, now: float = START) -> None:
    """The slice of whoever is at work is over."""
    trip.fleet._change_guard(now)
    trip.crawl._collect()


# A6, the score


def test_twenty_documents_of_which_one_is_paid_break_even(tmp_path: Path) -> None:
    """Another forager was first with all but one."""
    hub = {"a": " ".join(f"d{number}" for number in range(19))} | {f"d{number}": "" for number in range(19)}
    trip = Trip(Site(hub), tmp_path)
    crawl = trip.begin(steps=1)
    crawl.reinforcer.seen = {key_of(at(f"d{number}")) for number in range(19)}
    Simulation(crawl, trip.site, start=START, commands=[(START + 20.5, Finish())]).run()
    forager = trip.fleet.fleet["WL-0"]
    assert len(trip.credits()) == 20
    assert trip.paid() == ["a"]
    assert forager.score == pytest.approx(100.0)
    assert sum(event.credit.value for event in trip.credits()) == 80.0


def test_only_the_first_sender_of_a_document_earns(tmp_path: Path) -> None:
    trip = Trip(Site({"a": "b", "b": ""}), tmp_path).run(seconds=20, foragers=2, slice=3.0, weights="common")
    assert trip.paid() == ["a", "b"]
    assert trip.sent() == ["a", "b", "a", "b"]
    scores = [forager.score for forager in trip.fleet.fleet.values()]
    assert scores == pytest.approx([101.9, 99.9])
    assert {event.credit.agent for event in trip.credits() if event.credit.reason == "new"} == {"WL-0"}


def test_credits_for_who_is_no_more_are_lost(tmp_path: Path) -> None:
    trip = fleet_of(tmp_path)
    trip.fleet.reward(Credit(1, "WL-9", 99.0, "new", START))
    trip.fleet.reward(Credit(1, "WL-0", 99.0, "new", START))
    assert trip.fleet.fleet["WL-0"].score == 100.0


# A5 and A7, multiplication and deletion


def test_at_two_hundred_a_forager_divides_its_weblog_with_a_child(tmp_path: Path) -> None:
    trip = fleet_of(tmp_path)
    trip.fleet.fleet["WL-0"].score = 200.0
    over(trip)
    parent, child = trip.fleet.fleet.values()
    assert (parent.score, child.score) == (100.0, 100.0)
    assert (len(parent.weblog), len(child.weblog)) == (4, 3)
    assert parent.weblog | child.weblog == WEBLOG
    birth = trip.notes("birth")[-1]
    assert birth == {"agent": "WL-1", "parent": "WL-0", "kind": "WL", "score": 100.0, "population": 2, "at": START}


@given(st.integers(0, 40), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_a_division_keeps_every_entry_once(tmp_path_factory: pytest.TempPathFactory, size: int, seed: int) -> None:
    trip = Trip(Site(RING), tmp_path_factory.mktemp("fleet"), seed=seed)
    trip.begin()
    parent = trip.fleet.fleet["WL-0"]
    weblog = parent.weblog = {at(f"w{number}"): WeblogEntry(-float(number), 0) for number in range(size)}
    parent.score = 250.0
    over(trip)
    child = trip.fleet.fleet["WL-1"]
    if size > 1:
        assert len(child.weblog) == size // 2
        assert not parent.weblog.keys() & child.weblog.keys()
    assert parent.weblog | child.weblog == weblog
    for one in (parent, child):
        assert list(one.weblog.values()) == sorted(one.weblog.values(), reverse=True)


def test_who_has_a_single_start_shares_it(tmp_path: Path) -> None:
    trip = fleet_of(tmp_path)
    parent = trip.fleet.fleet["WL-0"]
    parent.weblog, parent.score = {at("w"): WeblogEntry(3.0, 1)}, 200.0
    over(trip)
    assert [set(one.weblog) for one in trip.fleet.fleet.values()] == [{at("w")}, {at("w")}]


def test_foragers_without_selection_have_one_weblog_in_common(tmp_path: Path) -> None:
    trip = fleet_of(tmp_path, fleet="RL")
    trip.fleet.fleet["RL-0"].score = 200.0
    over(trip)
    assert [one.weblog for one in trip.fleet.fleet.values()] == [WEBLOG, WEBLOG]


@pytest.mark.parametrize(
    ("fleet", "weights", "copied"),
    [
        ("WL", "paper", False),
        ("RL", "paper", True),
        ("WLRL", "paper", True),
        ("WL", "common", True),
        ("RL", "diverse", False),
    ],
)
def test_weights_are_copied_by_children_that_learn_them(tmp_path: Path, fleet: str, weights: str, copied: bool) -> None:
    trip = fleet_of(tmp_path, fleet=fleet, weights=weights)
    next(iter(trip.fleet.fleet.values())).score = 200.0
    over(trip)
    parent, child = trip.fleet.fleet.values()
    assert bool((parent.weights == child.weights).all()) is copied
    assert np.abs(child.weights).max() <= 1
    child.weights += 1.0
    assert (np.abs(parent.weights) <= 1).all(), "a copy is its own"


def test_a_childs_weights_may_be_slightly_changed(tmp_path: Path) -> None:
    trip = fleet_of(tmp_path, fleet="RL", mutation=0.001)
    trip.fleet.fleet["RL-0"].score = 200.0
    over(trip)
    parent, child = trip.fleet.fleet.values()
    apart = np.abs(parent.weights - child.weights)
    assert 0 < apart.max() < 0.01


def test_the_first_weights_are_own_or_common(tmp_path: Path) -> None:
    own = fleet_of(tmp_path, foragers=3).fleet.fleet.values()
    assert len({one.weights.tobytes() for one in own}) == 3
    common = fleet_of(tmp_path, foragers=3, weights="common").fleet.fleet.values()
    assert len({one.weights.tobytes() for one in common}) == 1


def test_below_zero_a_forager_is_deleted_while_there_are_enough(tmp_path: Path) -> None:
    trip = fleet_of(tmp_path, foragers=3, least=2)
    for one in trip.fleet.fleet.values():
        one.score = -0.1
    for _ in range(5):
        over(trip)
    assert list(trip.fleet.fleet) == ["WL-1", "WL-2"]
    assert trip.notes("death") == [{"agent": "WL-0", "score": -0.1, "population": 2, "at": START}]


def test_a_score_of_zero_is_enough_to_live(tmp_path: Path) -> None:
    trip = fleet_of(tmp_path, foragers=2)
    trip.fleet.fleet["WL-0"].score = 0.0
    over(trip)
    assert list(trip.fleet.fleet) == ["WL-0", "WL-1"]


@pytest.mark.parametrize(("most", "grown"), [(3, 3), (0, 8)])
def test_nobody_multiplies_in_a_full_fleet(tmp_path: Path, most: int, grown: int) -> None:
    trip = fleet_of(tmp_path, foragers=2, most=most)
    for _ in range(6):
        trip.fleet.fleet[trip.fleet.active].score = 200.0
        over(trip)
    assert len(trip.fleet.fleet) == grown


@given(st.lists(st.floats(-50, 300), max_size=30), st.integers(1, 3), st.integers(3, 6))
@settings(max_examples=40, deadline=None)
def test_the_population_stays_within_its_bounds(
    tmp_path_factory: pytest.TempPathFactory, scores: list[float], least: int, most: int
) -> None:
    trip = Trip(Site(RING), tmp_path_factory.mktemp("fleet"))
    trip.begin(foragers=3, least=least, most=most)
    for score in scores:
        trip.fleet.fleet[trip.fleet.active].score = score
        over(trip)
        assert least <= len(trip.fleet.fleet) <= most
        assert trip.fleet.active in trip.fleet.fleet


# A8, slices


def shifts(trip: Trip, count: int) -> str:
    seen = []
    for _ in range(count):
        seen.append(trip.fleet.active)
        over(trip)
    return " ".join(seen)


def test_foragers_work_in_the_order_of_kind_and_birth(tmp_path: Path) -> None:
    trip = fleet_of(tmp_path, fleet="mixed", foragers=4)
    assert shifts(trip, 5) == "WLRL-0 WLRL-1 WL-2 WL-3 WLRL-0"


def test_a_child_has_its_turn_at_the_end_of_the_round_it_is_born_in(tmp_path: Path) -> None:
    trip = fleet_of(tmp_path, foragers=2)
    trip.fleet.fleet["WL-0"].score = 200.0
    assert shifts(trip, 6) == "WL-0 WL-1 WL-2 WL-0 WL-1 WL-2"


def test_kinds_may_take_turns(tmp_path: Path) -> None:
    trip = fleet_of(tmp_path, fleet="mixed", foragers=5, order="alternating")
    assert shifts(trip, 6) == "WLRL-0 WL-3 WLRL-1 WL-4 WLRL-2 WLRL-0"


def test_the_order_may_be_drawn_anew_each_round(tmp_path: Path) -> None:
    trip = fleet_of(tmp_path, fleet="mixed", foragers=8, order="random")
    rounds = [shifts(trip, 8).split() for _ in range(4)]
    assert all(sorted(one) == sorted(trip.fleet.fleet) for one in rounds)
    assert len({tuple(one) for one in rounds}) > 1


def test_a_started_step_is_finished_before_the_next_forager_works(tmp_path: Path) -> None:
    hub = {"a": "b c d e f g", **dict.fromkeys("bcdefg", "")}
    trip = Trip(Site(hub), tmp_path).run(seconds=13.5, foragers=2, slice=3.0)
    assert [(note["agent"], round(note["seconds"])) for note in trip.notes("slice")] == [("WL-0", 7)]
    assert [went.visit.agent for went in trip.went()[:8]] == ["WL-0"] * 7 + ["WL-1"]
    (slice_,) = trip.notes("slice")
    assert slice_ == slice_ | {"population": 2, "score": pytest.approx(100 + 7 * 0.95)}


def test_an_unfinished_path_goes_on_in_the_next_slice(tmp_path: Path) -> None:
    chain = {"a": "b", "b": "c", "c": "d", "d": "e", "e": "f", "f": ""}
    trip = Trip(Site(chain), tmp_path).run(seconds=11, foragers=2, slice=2.0, fleet="RL")
    assert trip.walked("RL-0")[:4] == ["a", "b", "c", "d"]
    assert trip.walked("RL-1")[:3] == ["a", "b", "c"]
    assert [note["agent"] for note in trip.notes("restart")] == ["RL-0", "RL-1"]


def test_what_does_not_learn_stays_as_it_is(tmp_path: Path) -> None:
    states = dict.fromkeys(RING, (1.0, -0.5))
    for kind in ("WL", "RL", "WLRL"):
        trip = Trip(Site(RING, states), tmp_path, seeds="p0")
        trip.begin(fleet=kind, steps=4)
        first = next(iter(trip.fleet.fleet.values()))
        weights, weblog = first.weights.copy(), dict(first.weblog)
        last = next(iter(trip.run(seconds=60, fleet=kind, steps=4).fleet.fleet.values()))
        assert bool((last.weights == weights).all()) is (kind == "WL")
        assert (last.weblog == weblog) is (kind == "RL")


def test_parameters_of_pay_are_those_of_the_reinforcing_agent(tmp_path: Path) -> None:
    trip = Trip(Site({"a": ""}), tmp_path, commands=[(START + 1.5, SetParam("window", 7 * HOUR))])
    terms = trip.run(seconds=3, reward=10.0, cost=2.0, charge="refused", novelty="url+content").crawl.reinforcer.terms
    assert (terms.reward, terms.cost, terms.charge, terms.key) == (10.0, 2.0, "refused", "url+content")
    assert terms.window == 7 * HOUR
    assert trip.credits()[0].credit.value == 10.0


# The search that may feed a weblog


class Finds:
    """A search service that always finds the same."""

    network = True

    def __init__(self, *found: str) -> None:
        self.found, self.asked = found, 0

    def look(self, url: str, now: float) -> Page | Failure:
        assert url == "search:spider silk"
        self.asked += 1
        if not self.found:
            return Failure("source", "it finds nothing")
        return Page(url, url, links=tuple(Link(at(name)) for name in self.found), at=now)


def test_a_search_feeds_the_weblog_and_the_next_path(tmp_path: Path) -> None:
    found = Finds("x", "y")
    site = Site({"a": "", "x": "", "y": ""})
    trip = Trip(site, tmp_path, sources={"search": found}).run(seconds=10, search_every=3)
    assert trip.walked()[0] == "x"
    assert {at("a"), at("x"), at("y")} == set(trip.fleet.fleet["WL-0"].weblog)
    assert found.asked == 1 + (trip.notes("restart")[-1]["path"]) // 3
    assert trip.landed()[0].outcome.downloads == 1


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("sources", [{}, {"search": Finds()}])
def test_a_search_that_finds_nothing_costs_nothing_and_the_forager_goes_on(
    tmp_path: Path, every: int, sources: Mapping[str, Any]
) -> None:
    trip = Trip(Site({"a": ""}), tmp_path, sources=sources, pages=8).run(search_every=every)
    assert trip.result.reason == "budget"
    assert trip.site.asked == ["a"] * 8
    searches = [landed for landed in trip.landed() if landed.outcome.visit.link.url.startswith("search:")]
    assert len(searches) == 8 // every
    assert {landed.outcome.downloads for landed in searches} == {0}


def test_without_words_nothing_is_searched(tmp_path: Path) -> None:
    trip = Trip(Site({"a": ""}), tmp_path, topic=Topic(()), sources={"search": Finds("x")})
    assert "search" not in str(trip.run(seconds=5, search_every=1).went())


# What is handed on, and told


def test_another_run_starts_with_the_weights_and_weblogs(tmp_path: Path) -> None:
    first = fleet_of(tmp_path, foragers=3)
    learned = codec.load(*codec.store(first.fleet.learned()))
    second = Trip(Site(RING), tmp_path, seeds="p0", learned=learned)
    second.begin(foragers=2)
    assert len(second.fleet.fleet) == 3
    for old, new in zip(first.fleet.fleet.values(), second.fleet.fleet.values(), strict=True):
        assert (old.weights == new.weights).all()
        assert [(url, entry.value) for url, entry in new.weblog.items()][:6] == [
            (url, entry.value) for url, entry in WEBLOG.items()
        ][:6]
        assert at("p0") in new.weblog


def test_no_more_inherit_than_the_fleet_may_have(tmp_path: Path) -> None:
    learned = fleet_of(tmp_path, foragers=5).fleet.learned()
    heirs = Trip(Site(RING), tmp_path, learned=learned)
    heirs.begin(foragers=2, most=3)
    assert len(heirs.fleet.fleet) == 3


def test_weights_of_another_model_are_a_problem(tmp_path: Path) -> None:
    learned = fleet_of(tmp_path).fleet.learned()
    with pytest.raises(Problem, match=r"for states of model .*--set model="):
        Trip(Site(RING), tmp_path, learned=learned).begin(model="default")


def test_a_report_and_an_explanation_are_json(tmp_path: Path) -> None:
    trip = Trip(Site(RING), tmp_path, seeds="p0 p1").run(seconds=50, fleet="mixed", foragers=2, slice=10.0, steps=3)
    report = json.loads(json.dumps(trip.fleet.report()))
    assert report["population"] == 2
    assert report["at work"] in report["scores"]
    told = json.loads(json.dumps(trip.fleet.explain(at("p0"))))
    assert "weblog" in told["agents"]["WLRL-0"]
    assert trip.fleet.explain("http://nowhere.test/") == {}
    for event in trip.log:
        codec.store(codec.plain(event))


def test_people_are_told_what_foragers_are() -> None:
    assert about(Foragers).startswith("News foragers (")


def test_every_note_says_who_and_what(tmp_path: Path) -> None:
    trip = Trip(Site(RING), tmp_path, seeds="p0").run(
        seconds=80, slice=10.0, steps=3, multiply_at=104.0, foragers=2, least=2
    )
    fields = {
        "birth": {"agent", "parent", "kind", "score", "population"},
        "restart": {"agent", "url", "path"},
        "move": {"agent", "url", "value", "step", "path"},
        "slice": {"agent", "score", "seconds", "population"},
        "weblog": {"agent", "entered", "left", "starts", "size"},
    }
    for kind, wanted in fields.items():
        assert trip.notes(kind), kind
        assert all(set(note) == wanted | {"at"} for note in trip.notes(kind))


def test_the_content_may_make_a_document_new(tmp_path: Path) -> None:
    """A front page earns at every change then; with the address as key only once."""

    class Changing(Site):
        def look(self, url: str, now: float) -> Any:
            fetch = super().look(url, now)
            assert fetch.page is not None
            return replace(fetch, page=replace(fetch.page, digest=str(now // 10)))

    for novelty, paid in (("url", 1), ("url+content", 5)):
        trip = Trip(Changing({"a": ""}), tmp_path).run(seconds=45, novelty=novelty)
        assert len(trip.paid()) == paid
        assert names([at("a")] * paid) == trip.sent()
