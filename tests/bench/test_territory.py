from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.bench.measure.folds import HOUR
from wolfspider.bench.measure.territory import (
    EQUAL_MOVES,
    Division,
    Linked,
    Starts,
    Territory,
    divided,
    exclusive,
    shared_starts,
)
from wolfspider.core.events import Began, Event, Landed, Noted
from wolfspider.core.model import Link, Outcome, Page, Visit

T0 = 5000.0


def move(agent: str, url: str, hours: float = 0.0, path: int = 1) -> Noted:
    return Noted(T0 + hours * HOUR, "move", {"agent": agent, "url": url, "value": 0.0, "step": 1, "path": path})


def weblog(agent: str, starts: list[str], hours: float) -> Noted:
    return Noted(T0 + hours * HOUR, "weblog", {"agent": agent, "entered": [], "left": [], "starts": starts, "size": 1})


def birth(agent: str) -> Noted:
    return Noted(T0, "birth", {"agent": agent, "parent": "", "kind": "WL", "score": 100, "population": 1})


def landed(url: str, links: tuple[str, ...], hours: float = 0.0, source: str = "") -> Landed:
    at = T0 + hours * HOUR
    page = Page(url, url, links=tuple(map(Link, links)), digest=f"{url} {links}", at=at)
    return Landed(at, Outcome(Visit(1, Link(url), source=source), page, None, 1, 0.1, at), "out", 1)


def feed(fold: Any, *events: Event) -> Any:
    for event in (Began(T0, (), 100), *events):
        fold(event)
    return fold


def test_shares_and_decisions_of_two_foragers_told_by_hand() -> None:
    visited = {"1": set("abc"), "2": set("cd")}
    pairs = {"1": {("c", "a"), ("a", "b")}, "2": {("c", "d"), ("d", "c")}}
    assert exclusive(visited) == {"1": 0.5, "2": 0.25}
    assert shared_starts(pairs) == {"1": {("c", "a")}, "2": {("c", "d")}}
    window = divided(0.0, visited, pairs)
    assert (window.boundary, window.shared, window.different, window.pairs) == (0.75, 0.25, 1.0, 2)
    assert window.decisions == {"1": 0.5, "2": 0.5}


def test_the_same_two_foragers_as_events() -> None:
    events = [*(move("1", url) for url in "cab"), *(move("2", url) for url in "cdc")]
    division = feed(Division(), birth("2"), birth("1"), *events, move("1", "z", 1.3))
    first, second = division.windows
    assert list(first.shares.items()) == [("2", 0.25), ("1", 0.5)]  # the oldest first
    assert (first.boundary, first.shared, first.different) == (0.75, 0.25, 1.0)
    assert (second.hours, second.foragers, second.boundary) == (1.25, 1, 1.0)
    assert math.isnan(second.different) and division.row()["windows"][1]["different"] is None
    assert division.row()["boundary"] == 0.75  # a window of one forager says nothing of division


def test_equal_decisions_take_from_the_boundary_and_a_new_path_is_no_decision() -> None:
    same = feed(Division(), *(move(agent, url) for agent in "12" for url in "ab"))
    assert (same.windows[0].different, same.windows[0].pairs) == (0.0, 1)
    restarted = feed(Division(), *(move(agent, url, path=path) for agent in "12" for path, url in ((1, "a"), (2, "b"))))
    assert restarted.windows[0].pairs == 0


URLS = st.frozensets(st.sampled_from("abcdefgh"))
PAIRS = st.frozensets(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")))


@given(st.dictionaries(st.sampled_from("123456"), st.tuples(URLS, PAIRS), min_size=1))
def test_stacked_shares_end_at_the_boundary_and_what_is_shared_is_the_rest(fleet: Any) -> None:
    visited = {agent: set(urls) for agent, (urls, _) in fleet.items()}
    pairs = {agent: set(own) for agent, (_, own) in fleet.items()}
    window = divided(0.0, visited, pairs)
    if window.urls:
        assert sum(window.shares.values()) == pytest.approx(window.boundary)
        assert window.boundary + window.shared == pytest.approx(1.0)
        union = set().union(*visited.values())
        alone = [url for url in union if sum(url in urls for urls in visited.values()) == 1]
        assert window.boundary == pytest.approx(len(alone) / len(union))
    if window.pairs:
        assert sum(window.decisions.values()) == pytest.approx(window.different)
        assert 0.0 <= window.different <= 1.0 + 1e-9


def test_a_division_holds_only_the_sets_of_the_window_that_it_is() -> None:
    division = feed(Division(), *(move("1", f"u{number}", number / 10) for number in range(1000)))
    assert len(division._visited["1"]) <= 13 and len(division.windows) == 80


def test_windows_of_equal_steps_end_by_steps_whatever_the_time() -> None:
    """And one that is not full is none."""
    events = [move("12"[number % 2], f"u{number}", hours=10.0 * number) for number in range(5)]
    division = feed(Division(steps=2), *events)
    assert [(window.foragers, window.urls) for window in division.windows] == [(2, 2), (2, 2)]
    assert [window.hours for window in division.windows] == [0.0, 20.0]
    assert division.figures()["window_steps"] == 2 and len(division.figures()["windows"]) == 2
    assert len(feed(Division(steps=2), *events[:4]).windows) == 2


def test_starting_points_count_once_and_stand_where_they_were_discovered() -> None:
    starts = feed(
        Starts(bins=2),
        landed("u0", ("u1", "u2", "u3"), 1.0),
        weblog("a", ["u0", "u1"], 2.0),
        weblog("b", ["u1"], 5.0),
        weblog("b", ["u3"], 25.0),
    )
    assert starts.entries == [(2.0, 0), (2.0, 1), (25.0, 3)]
    assert starts.heat() == [[2, 0], [0, 1]]
    assert starts.curve[0] == (3.0, 4, 1) and len(starts.curve) == 8
    assert starts.row()["new_starts"] == 3


def test_a_forager_that_walks_in_circles_is_seen_to_return() -> None:
    territory = feed(
        Territory(),
        *(move("a", url, path=1) for url in "xyz"),
        *(move("a", url, path=2) for url in "xyzw"),
        *(move("a", url, 25.0, path=3) for url in "pq"),
        Noted(T0 + 26 * HOUR, "death", {"agent": "a", "score": -1, "population": 2}),
    )
    first, second, third = territory.paths
    assert math.isnan(first.returned) and first.distinct == 1.0
    assert (second.returned, second.distinct) == (0.75, 4 / 7)
    assert (third.returned, third.moves, third.distinct) == (0.0, 2, 6 / 9)
    assert territory.days == [(0, "a", 4, 7), (1, "a", 2, 2)]
    assert territory.row()["agents"] == {"a": [3, 0.375, pytest.approx((1 + 4 / 7 + 6 / 9) / 3)]}


def test_territories_are_compared_over_equal_moves() -> None:
    """One forager has twice the time of the other, and no more ground for it."""
    circle = [f"u{number % 10}" for number in range(2 * EQUAL_MOVES)]
    territory = feed(
        Territory(),
        *(move("a", url) for url in circle),
        *(move("b", url) for url in circle[: EQUAL_MOVES + 5]),
        *(move("c", url) for url in circle[: EQUAL_MOVES - 1]),
        Noted(T0 + HOUR, "slice", {"agent": "a", "score": 100.0, "seconds": 180.0, "population": 3}),
    )
    assert territory.equally == {"a": [10, 10], "b": [10]}
    row = territory.row()
    assert (row["distinct_in_equal_moves"], row["moves"], row["slices"]) == (10.0, 4 * EQUAL_MOVES + 4, 1)
    assert Territory().row()["distinct_in_equal_moves"] is None


def test_a_path_is_drawn_with_the_links_among_its_places() -> None:
    territory = feed(
        Territory(kept=2),
        landed("x", ("y", "y", "z", "elsewhere", "x")),
        landed("y", ("x",)),
        *(move("a", url, path=1) for url in "q"),
        *(move("a", url, path=2) for url in "q"),
        *(move("a", url, path=3) for url in "xyxz"),
    )
    land = territory.land("a", 3)
    assert land.urls == ("x", "y", "z") and land.moves == (0, 1, 0, 2)
    assert set(land.links) == {(0, 1), (0, 2), (1, 0)} and len(land.links) == 3
    assert territory.land("a", 2).urls == ("q",)
    with pytest.raises(StopIteration):
        territory.land("a", 1)
    assert territory.longest() == ("a", 3) and territory.row()["land"]["urls"] == ["x", "y", "z"]
    assert Territory().row()["land"] is None


def test_degrees_are_of_the_links_that_were_looked_at() -> None:
    looks = [("1", "2"), ("1", "3"), ("2", "3"), ("1", "3")]
    events = [landed("1", ("2", "3", "4")), *(landed(url, ("1", "5"), source=source) for source, url in looks)]
    row = feed(Linked(), *events).row()
    assert (row["pages"], row["links"]) == (3, 3)
    assert (row["into"]["values"], row["into"]["counts"]) == ([1, 2], [1, 1])
    assert (row["out_of"]["values"], row["out_of"]["counts"]) == ([1, 2], [1, 1])
    assert row["out_of"]["exponents"]["zeros"] == 1


def test_before_anything_was_read_there_are_no_estimates() -> None:
    row = json.loads(json.dumps(Linked().row(), allow_nan=False))
    assert row["into"]["exponents"]["raw"] is None
