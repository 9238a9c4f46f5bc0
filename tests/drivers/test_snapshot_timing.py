"""When a snapshot is due: by landings, work and time, and never for more than a small share of the time."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from wolfspider.drivers.snapshot_timing import LANDINGS, ORDINARY, SHARE, WORK, SnapshotTiming


@dataclass
class Hands:
    """Clocks that are set by hand."""

    now: float = 1000.0
    work: float = 50.0

    def timing(self, seconds: float = 60.0, replayed: float = 0.0) -> SnapshotTiming:
        return SnapshotTiming(seconds, lambda: self.now, replayed, lambda: self.work)


def test_after_so_many_landings_whatever_the_clock_says() -> None:
    timing = Hands().timing()
    for _ in range(LANDINGS):
        assert not timing.due()
        timing.landed(0)
    assert timing.due()


def test_a_large_page_counts_for_several() -> None:
    timing = Hands().timing()
    timing.landed(LANDINGS * ORDINARY)
    assert timing.due()


def test_after_so_much_work_and_what_a_replay_took_is_work_that_a_crash_now_would_ask_for_again() -> None:
    hands = Hands()
    fresh, resumed = hands.timing(), hands.timing(replayed=0.75 * WORK)
    hands.work += 0.5 * WORK
    assert resumed.due() and not fresh.due()
    hands.work += 0.5 * WORK
    assert fresh.due()


def test_after_so_much_time_though_little_happens() -> None:
    hands = Hands()
    timing = hands.timing(seconds=60)
    hands.now += 59
    assert not timing.due()
    hands.now += 1
    assert timing.due()


@given(
    costs=st.lists(st.floats(0.001, 10), min_size=1, max_size=20),
    steps=st.lists(
        st.tuples(st.floats(0.01, 30), st.floats(0, 1), st.integers(0, 3 * LANDINGS)), min_size=1, max_size=200
    ),
)
def test_only_a_small_share_of_work_and_time_goes_into_snapshots(
    costs: list[float], steps: list[tuple[float, float, int]]
) -> None:
    """Whatever happens between them, each is followed by enough of both without one."""
    hands = Hands()
    timing, taken = hands.timing(seconds=1), []
    for number, (seconds, busy, landings) in enumerate(steps):
        hands.now += seconds
        hands.work += busy * seconds
        timing.landed(landings * ORDINARY)
        if timing.due():
            cost = costs[number % len(costs)]
            taken.append((hands.now, hands.work, cost))
            timing.taken(cost)
    for (at, work, cost), (later, more, _) in itertools.pairwise(taken):
        assert cost <= SHARE * (later - at) * 1.000001
        assert cost <= SHARE * (more - work) * 1.000001
