"""The news foragers, rule by rule (A1 to A4, A10, A11): what one forager does. Numbers come from the golden vectors of
the specification."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies.foraging import HOUR, START, Site, Trip, at, names

from wolfspider.core.events import AddSeeds, Exclude, Include
from wolfspider.core.model import Credit, Failure, Fetch
from wolfspider.strategies.foragers.forager import Forager, Reachable, WeblogEntry, corrected, ordered, updated

CHAIN = {"a": "b", "b": "c", "c": "d", "d": "e", "e": ""}
STAR = {"a": "b c d", "b": "a e", "c": "a b", "d": "", "e": ""}


def anywhere(url: str) -> bool:
    return True


def values(weblog: dict[str, WeblogEntry]) -> list[tuple[str, float]]:
    return [(url, round(entry.value, 6)) for url, entry in weblog.items()]


# A1, the weblog


def test_the_weblog_moves_towards_what_the_rest_of_the_path_earned() -> None:
    made = updated({"B": WeblogEntry(50.0, 0)}, ["A", "B", "C"], [0.0, 100.0, -2.0], 0.3, now=1)
    assert values(made) == [("A", 98.0), ("B", 64.4), ("C", -2.0)]


def test_of_two_as_good_the_one_visited_last_comes_first() -> None:
    made = updated({"old": WeblogEntry(0.0, 0)}, ["A", "B"], [0.0, 0.0], 0.3, now=1)
    assert list(made) == ["B", "A", "old"]


paths = st.lists(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.floats(-5, 200)), max_size=6), max_size=8)


@given(paths, st.integers(1, 5))
def test_any_paths_leave_the_weblog_sorted_and_within_its_size(
    walked: list[list[tuple[str, float]]], most: int
) -> None:
    weblog: dict[str, WeblogEntry] = {}
    now = 0
    for path in walked:
        whole = updated(weblog, [url for url, _ in path], [profit for _, profit in path], 0.3, now)
        assert set(whole) == set(weblog) | {url for url, _ in path}
        weblog, now = ordered(whole, most), now + len(path)
        assert len(weblog) == min(most, len(whole))
        assert all(better >= worse for better, worse in pairwise(weblog.values()))


def test_the_weblog_is_made_anew_just_before_a_new_path(tmp_path: Path) -> None:
    trip = Trip(Site(CHAIN), tmp_path).run(seconds=4.5, steps=3)
    restarts = trip.notes("restart")
    born, change, *_ = [note for note in trip.notes("weblog") if note["agent"] == "WL-0"]
    assert names(born["entered"]) == names(born["starts"]) == ["a"]
    assert change["at"] == restarts[1]["at"]
    assert names(change["entered"]) == ["b", "c"], "paid are a and b at the first step, c and d at the others"
    assert names(change["starts"]) == ["b", "c"]
    assert (change["left"], change["size"]) == ([], 3)
    weblog = trip.fleet.fleet["WL-0"].weblog
    assert weblog[at("c")].value == 99.0
    assert weblog[at("b")].value == 198.0
    assert weblog[at("a")].value == pytest.approx(0.3 * 396.0)


def test_no_more_addresses_stay_in_the_weblog_than_fit(tmp_path: Path) -> None:
    trip = Trip(Site(CHAIN), tmp_path, seeds="a d e").run(seconds=60, steps=3, weblog=2)
    assert all(note["size"] <= 2 for note in trip.notes("weblog"))
    assert len(trip.fleet.fleet["WL-0"].weblog) == 2


def test_a_path_starts_at_one_of_the_first_ten(tmp_path: Path) -> None:
    many = {f"p{number}": "" for number in range(30)}
    trip = Trip(Site(many), tmp_path, seeds=" ".join(many), pages=200).run(fleet="RL")
    assert set(trip.walked()) == {f"p{number}" for number in range(10)}
    assert set(Trip(Site(many), tmp_path, seeds=" ".join(many)).run(fleet="RL", starts=2).walked()) == {"p0", "p1"}


# A2 and A3, values of pages


@given(st.integers(2, 100), st.integers(0, 2**32 - 1))
def test_of_pages_with_the_same_state_the_oldest_is_taken(count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    state, weights = random.normal(size=50).astype(np.float32), random.normal(size=50).astype(np.float32)
    frontier = Reachable(50)
    for number in range(count):
        frontier.add(str(number), state)
    best = frontier.best(weights, anywhere)
    assert best and best[0] == "0"


def test_the_best_page_comes_first_and_of_equals_the_oldest() -> None:
    frontier = Reachable(2)
    for name, state in (("old", (1, 0)), ("bad", (-1, 0)), ("new", (1, 0))):
        frontier.add(name, np.array(state, np.float32))
    weights = np.array([2.0, 0.0], np.float32)
    assert frontier.best(weights, anywhere) == ("old", 2.0)
    frontier.pop("old")
    assert frontier.best(weights, anywhere) == ("new", 2.0)
    frontier.add("bad", np.array([2, 0], np.float32))
    assert frontier.best(weights, anywhere) == ("bad", 4.0), "downloaded again, it has its newer state"
    assert frontier.best(weights, lambda url: url != "bad") == ("new", 2.0)
    assert frontier.best(weights, lambda url: False) is None
    assert len(frontier) == 2


def test_weights_move_by_temporal_differences() -> None:
    weights = np.array([0.5, -0.25], np.float32)
    here, there = np.array([1, -1], np.float32), np.array([-1, 1], np.float32)
    moved = corrected(weights, here, there, 98.0, alpha=0.1, gamma=0.9, steady=False)
    assert moved == pytest.approx([10.1575, -9.9075])


@given(st.lists(st.floats(-1, 1, width=32), min_size=50, max_size=50), st.floats(-100, 100))
def test_a_steady_rate_never_overshoots(state: list[float], profit: float) -> None:
    """Again and again the same step: the error of the value shrinks, or stays."""
    here = np.array(state, np.float32)
    there = -here
    weights = np.zeros(50, np.float32)
    errors = []
    for _ in range(30):
        errors.append(abs(profit + 0.9 * float(weights @ there) - float(weights @ here)))
        weights = corrected(weights, here, there, profit, alpha=0.1, gamma=0.9, steady=True)
    assert all(later <= earlier + 1e-2 for earlier, later in pairwise(errors))


def test_weights_move_only_inside_a_path(tmp_path: Path) -> None:
    """Paths of one step have no step from page to page, and so nothing to learn from."""
    site = Site(CHAIN, states={"a": (1, 0.5), "b": (-1, 1)})
    still = Trip(site, tmp_path)
    before = still.begin(fleet="RL", steps=1).strategy
    weights = before.fleet["RL-0"].weights.copy()
    assert (still.run(seconds=30, fleet="RL", steps=1).fleet.fleet["RL-0"].weights == weights).all()
    moved = Trip(site, tmp_path).run(seconds=30, fleet="RL", steps=2).fleet.fleet["RL-0"].weights
    assert not (moved == weights).any()


@pytest.mark.parametrize(("delay", "seconds"), [(0.0, 3.9), (1.2, 6.5)])
def test_the_step_to_a_page_is_corrected_by_what_that_page_earned(tmp_path: Path, delay: float, seconds: float) -> None:
    """Late or at once: the profit of the documents sent at b (c, so 99) corrects the value of a."""
    site = Site({"a": "b", "b": "c d", "c": "", "d": ""}, {"a": (1, 0), "b": (0, 1)}, {"d": START - 30 * HOUR})
    trip = Trip(site, tmp_path, delay=delay)
    trip.begin(fleet="RL", steps=2, mapping="faithful")
    old = trip.fleet.fleet["RL-0"].weights.copy()
    trip.log.clear()
    trip.run(seconds=seconds, fleet="RL", steps=2, mapping="faithful")
    delta = 99 + 0.9 * old[1] - old[0]
    assert trip.fleet.fleet["RL-0"].weights == pytest.approx([old[0] + 0.1 * delta, old[1]], rel=1e-5)


def test_a_step_is_corrected_when_its_last_credit_is_in(tmp_path: Path) -> None:
    """b earns for c and d at different times; before both are in, nothing moves."""
    site = Site({"a": "b", "b": "c d", "c": "", "d": ""}, {"a": (1, 0)})
    trip = Trip(site, tmp_path, delay=50.0).run(seconds=40, fleet="RL", steps=2)
    forager = trip.fleet.fleet["RL-0"]
    weights = forager.weights.copy()
    first, second = (number for number, step in forager.pending.items() if step == 1)
    trip.fleet.reward(Credit(first, "RL-0", 99.0, "new", START + 50))
    assert (forager.weights == weights).all()
    trip.fleet.reward(Credit(second, "RL-0", 99.0, "new", START + 50))
    assert forager.weights[0] == pytest.approx(weights[0] + 0.1 * (198 - weights[0]), rel=1e-5)


# A4, what is sent


def test_what_is_fresh_is_sent_once_by_a_forager(tmp_path: Path) -> None:
    published = {"b": START - 24 * HOUR + 5.0, "c": START - 24 * HOUR + 2.5, "d": None}
    trip = Trip(Site(STAR, published=published), tmp_path).run(seconds=60, steps=2)
    assert trip.sent() == ["a", "b", "d", "e"], "c is more than a day old when it is here; d has no date"
    assert trip.paid() == trip.sent()


def test_a_page_published_anew_stays_marked(tmp_path: Path) -> None:
    """With the address as key, a front page that changes all the time is one document."""

    class Changing(Site):
        def look(self, url: str, now: float) -> Fetch:
            self.published = {"a": now}
            return super().look(url, now)

    trip = Trip(Changing({"a": ""}), tmp_path, pages=1000).run(seconds=900, window=100.0)
    assert len(trip.site.asked) > 800
    assert trip.sent() == ["a"]


def test_marks_are_forgotten_when_nothing_marked_can_be_fresh(tmp_path: Path) -> None:
    trip = Trip(Site(STAR, published={"d": None}), tmp_path, pages=1000).run(seconds=200, window=100.0, steps=2)
    assert trip.sent() == ["a", "b", "c", "d", "e"], "d, which has no date, is as old as its first sight"
    assert trip.fleet.fleet["WL-0"].marked == {}


def test_without_a_wish_for_freshness_everything_is_sent(tmp_path: Path) -> None:
    site = Site(STAR, published=dict.fromkeys(STAR, START - 1e9))
    assert Trip(site, tmp_path).run(seconds=30).sent() == []
    assert sorted(Trip(site, tmp_path).run(seconds=30, pays="new").sent()) == list("abcde")


# A10 and A11, the steps


def test_the_first_choice_of_a_forager_is_a_restart() -> None:
    forager = Forager("WL-0", "WL", np.zeros(2, np.float32), {}, 100.0, counter=100)
    forager.frontier.add("a", np.zeros(2, np.float32))
    assert not forager.can_go_on(100, anywhere)
    forager.begin_path(0.0)
    assert forager.counter == 1
    assert not forager.can_go_on(100, anywhere), "since there is no page to go on to"


def test_a_path_has_its_steps_and_then_starts_anew(tmp_path: Path) -> None:
    trip = Trip(Site({"a": "b", "b": "a"} | CHAIN), tmp_path).run(seconds=20, fleet="RL", steps=3)
    assert trip.walked()[:7] == ["a", "b", "c", "a", "b", "c", "a"]
    assert [note["step"] for note in trip.notes("move")[:4]] == [1, 2, 3, 1]
    assert [note["path"] for note in trip.notes("move")[:4]] == [1, 1, 1, 2]
    assert [note["path"] for note in trip.notes("restart")[:2]] == [1, 2]


def test_a_path_without_anywhere_to_go_ends(tmp_path: Path) -> None:
    trip = Trip(Site({"a": "b", "b": "a"}), tmp_path).run(seconds=10, fleet="RL")
    assert trip.walked()[:4] == ["a", "b", "a", "b"]


def test_pages_are_downloaded_once_in_a_path_and_fresh(tmp_path: Path) -> None:
    trip = Trip(Site(STAR), tmp_path).run(seconds=4.9, fleet="RL")
    assert trip.site.asked == ["a", "b", "c", "d", "e"]
    ways = [(names([went.visit.link.url])[0], went.visit.fresh, went.how) for went in trip.went()[:5]]
    assert ways == [
        ("a", True, "out"),
        ("b", True, "out"),
        ("c", True, "out"),
        ("d", True, "out"),
        ("b", False, "held"),
    ]
    free = [landed.outcome.downloads for landed in trip.landed() if landed.how == "held"]
    assert free
    assert set(free) == {0}
    assert [went.visit.source for went in trip.went()[:3]] == ["", at("a"), at("a")]


def test_the_next_path_downloads_again(tmp_path: Path) -> None:
    trip = Trip(Site({"a": "b", "b": ""}), tmp_path, pages=6).run(fleet="RL")
    assert trip.site.asked == ["a", "b"] * 3


def test_a_forager_may_download_all_links_of_every_page(tmp_path: Path) -> None:
    trip = Trip(Site({"a": "b c", "b": "a c b", "c": "a b"}), tmp_path, pages=7).run(fleet="RL", reads="all")
    assert trip.site.asked == ["a", "b", "c", "a", "c", "a", "b"]
    assert trip.walked() == ["a", "b", "c"]


def test_where_a_redirect_leads_is_what_is_visited(tmp_path: Path) -> None:
    site = Site({"a": "old", "b": "c", "c": ""}, moved={"start": "a", "old": "b"})
    trip = Trip(site, tmp_path, seeds="start").run(seconds=3.9, steps=4)
    assert trip.walked()[:3] == ["a", "b", "c"]
    assert trip.site.asked[:3] == ["start", "old", "c"]
    assert {landed.outcome.downloads for landed in trip.landed() if landed.how == "held"} == {0}


def test_a_start_that_is_gone_is_struck_out_and_another_drawn(tmp_path: Path) -> None:
    trip = Trip(Site({"a": ""}), tmp_path, seeds="gone1 a gone2", seed=4).run(seconds=40)
    assert set(trip.fleet.fleet["WL-0"].weblog) == {at("a")}
    assert {"gone1", "gone2"} <= set(trip.site.asked)
    assert trip.site.asked.count("gone1") == 1


def test_a_start_that_fails_for_now_stays(tmp_path: Path) -> None:
    trip = Trip(Site({"a": ""}, failing={"b": Failure("timeout", "none")}), tmp_path, seeds="a b").run(seconds=40)
    assert set(trip.fleet.fleet["WL-0"].weblog) == {at("a"), at("b")}
    assert trip.site.asked.count("b") > 3


def test_a_forager_idles_while_the_host_of_its_start_has_no_turn(tmp_path: Path) -> None:
    trip = Trip(Site({}, failing={"a": Failure("waiting", "it rests")}), tmp_path).run(slice=100.0)
    assert trip.result.reason == "done"
    assert [went.at - START for went in trip.went()] == [0.0, 100.0, 200.0], "and it is given up after three slices"


def test_without_any_start_a_forager_does_nothing(tmp_path: Path) -> None:
    trip = Trip(Site({}), tmp_path, seeds="a b").run()
    assert trip.result.reason == "done"
    assert sorted(trip.site.asked) == ["a", "b"]


def test_a_page_that_fails_is_passed_over_and_its_step_counts(tmp_path: Path) -> None:
    trip = Trip(Site({"a": "x b", "b": ""}), tmp_path).run(seconds=3.5, fleet="RL")
    assert trip.walked()[:2] == ["a", "b"]
    assert trip.sent() == ["a", "b"]


# People


def test_a_persons_wish_is_the_start_of_the_next_path(tmp_path: Path) -> None:
    commands = [(START + 1.5, AddSeeds((at("e"),)))]
    trip = Trip(Site(CHAIN), tmp_path, commands=commands).run(seconds=5)
    assert trip.walked()[:2] == ["a", "e"]


def test_what_is_excluded_is_left_alone_at_once(tmp_path: Path) -> None:
    commands = [(START + 1.5, Exclude("s.test/c")), (START + 1.5, Exclude("s.test/d"))]
    site = Site({"a": "b c d", "b": "c", "c": "", "d": ""})
    trip = Trip(site, tmp_path, commands=commands).run(seconds=30)
    assert {"c", "d"}.isdisjoint(trip.site.asked)
    assert trip.sent() == ["a", "b"]


def test_starting_points_that_are_excluded_stand_in_the_weblog_and_nobody_starts_there(tmp_path: Path) -> None:
    commands = [(START + 5.0, Exclude("s.test")), (START + 60.0, Include("s.test"))]
    trip = Trip(Site(CHAIN), tmp_path, commands=commands).run(seconds=120)
    asked = [event.at - START for event in trip.went()]
    assert not any(5.0 <= at < 60.0 for at in asked) and max(asked) > 60.0
    assert at("a") in trip.fleet.fleet["WL-0"].weblog


def test_what_a_step_had_found_is_sent_though_a_person_cut_it_short(tmp_path: Path) -> None:
    """The page it stands on was fresh; all it links to is excluded before anything of that is downloaded."""
    trip = Trip(Site({"a": "b", "b": ""}), tmp_path)
    trip.commands = [(START + 1.0, Exclude("s.test/b"))]
    trip.run(seconds=10)
    assert trip.sent() == ["a"]
    assert not trip.fleet.fleet["WL-0"].pending
    assert not trip.fleet.fleet["WL-0"].due


def test_where_nothing_is_fresh_no_page_is_downloaded_twice(tmp_path: Path) -> None:
    site = Site({"a": "b c", "b": "a c", "c": "a b"})
    again = Trip(site, tmp_path, pages=9).run(steps=2, pays="new", again="always")
    assert len(site.asked) == again.crawl.spent == 9
    site.asked.clear()
    once = Trip(site, tmp_path, pages=9).run(seconds=3.1, steps=2, pays="new")
    assert sorted(site.asked) == ["a", "b", "c"] and once.crawl.spent == 3
    site.asked.clear()
    Trip(site, tmp_path, pages=9).run(steps=2)
    assert len(site.asked) == 9, "where fresh news is paid for, there may be some"
