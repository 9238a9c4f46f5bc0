"""So many downloads an hour, none of a page twice within a while, none in quiet hours."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as some

from wolfspider.core.limits import Limits
from wolfspider.policy.pacing import HOUR, Pacing


def asked(pacing: Pacing, until: float, pauses: list[float]) -> list[float]:
    """When downloads start if as many as may do so, looked at now and then."""
    now, times, turn = 0.0, [], 0
    while now < until:
        while pacing.free(now) >= 1:
            pacing.started(f"http://a.test/{len(times)}", now)
            times.append(now)
        now = max(pacing.opens(now), now + pauses[turn % len(pauses)])
        turn += 1
    return times


@given(some.integers(1, 500), some.lists(some.floats(0.5, 900), min_size=1, max_size=5))
def test_no_hour_has_more_downloads_than_it_may(per_hour: int, pauses: list[float]) -> None:
    times = asked(Pacing(Limits(per_hour=per_hour)), 4 * HOUR, pauses)
    for place, begin in enumerate(times):
        assert sum(begin <= time < begin + HOUR - 1e-3 for time in times[place:]) <= per_hour


@given(some.integers(1, 500))
def test_downloads_are_spread_over_the_hour_and_all_may_be_used(per_hour: int) -> None:
    times = asked(Pacing(Limits(per_hour=per_hour)), 5 * HOUR, [0.001])
    assert len([time for time in times if HOUR <= time < 5 * HOUR]) >= 4 * (per_hour - max(1, per_hour / 60)) - 1
    if per_hour < 60:
        assert all(after - before >= 0.99 * HOUR / per_hour for before, after in pairwise(times))


def test_without_a_limit_everything_may_start_at_once() -> None:
    pacing = Pacing(Limits())
    assert pacing.free(0.0) == float("inf") and pacing.opens(5.0) == 5.0 and not pacing.lately("http://a.test/", 0.0)
    pacing.started("http://a.test/", 0.0)
    assert not pacing.looks


def test_a_page_that_was_asked_for_lately_is_not_asked_for_again() -> None:
    pacing = Pacing(Limits(every=100.0))
    pacing.started("http://a.test/", 10.0)
    assert pacing.lately("http://a.test/", 109.0) and not pacing.lately("http://a.test/", 110.0)
    assert not pacing.lately("http://b.test/", 10.0)
    for number in range(1000):
        pacing.started(f"http://c.test/{number}", 200.0 + number)
    assert len(pacing.looks) <= 100, "What is older is forgotten."


def test_in_quiet_hours_nothing_starts() -> None:
    pacing = Pacing(Limits(), quiet=lambda now: 500.0 if 100.0 <= now < 500.0 else now)
    assert pacing.free(99.0) and not pacing.free(100.0) and pacing.free(500.0)
    assert (pacing.opens(99.0), pacing.opens(100.0), pacing.opens(499.0)) == (99.0, 500.0, 500.0)


@given(some.lists(some.floats(0, 5000), min_size=1, max_size=40), some.integers(1, 100), some.floats(0, 2000))
def test_what_is_stored_goes_on_as_it_was(times: list[float], per_hour: int, later: float) -> None:
    limits = Limits(per_hour=per_hour, every=600.0)
    pacing, other = Pacing(limits), Pacing(limits)
    for time in sorted(times):
        pacing.started(f"http://a.test/{time}", time)
    other.restore(pacing.state())
    now = max(times) + later
    assert (other.free(now), other.opens(now), other.looks) == (pacing.free(now), pacing.opens(now), pacing.looks)
