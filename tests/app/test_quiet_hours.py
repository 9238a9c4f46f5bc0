"""Hours of the day in which nobody is asked, as people write them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as some

from wolfspider.app.quiet_hours import DAY, QuietHours
from wolfspider.core.errors import Problem

NOON = 1_800_014_400.0  # 12:00 UTC


@pytest.fixture(autouse=True)
def _in_london(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def test_they_last_until_their_end_also_over_midnight() -> None:
    quiet = QuietHours.read("23:00-06:30, 12-13:15")
    assert quiet(NOON) == NOON + 75 * 60 and quiet(NOON - 1) == NOON - 1
    assert quiet(NOON + 11 * 3600) == quiet(NOON + 13 * 3600) == NOON + 18.5 * 3600
    assert quiet(NOON + 18.5 * 3600) == NOON + 18.5 * 3600
    assert QuietHours.read("")(NOON) == NOON


def test_one_may_begin_where_another_ends() -> None:
    assert QuietHours.read("14-15,12-13,13-14")(NOON) == NOON + 3 * 3600


@pytest.mark.parametrize("text", ["night", "25-3", "12:60-13", "3", "3-3", "0-24", "0-12,12-24", "22-23-24"])
def test_what_cannot_be_is_a_sentence(text: str) -> None:
    with pytest.raises(Problem):
        QuietHours.read(text)


@given(some.floats(NOON, NOON + 2 * DAY), some.integers(0, 23), some.integers(0, 23))
def test_their_end_is_no_quiet_moment_and_never_a_day_away(now: float, begin: int, end: int) -> None:
    if begin == end:
        return
    quiet = QuietHours.read(f"{begin}-{end}")
    until = quiet(now)
    assert now <= until < now + DAY and quiet(until + 1e-3) == until + 1e-3


def test_they_are_of_the_machine_s_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "EST+5")
    time.tzset()
    assert QuietHours.read("7-8")(NOON) == NOON + 3600
