"""The news foragers, rule by rule. Numbers come from the golden vectors of the specification."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.strategies.foragers.forager import Entry, Forager, corrected, updated


def values(weblog: dict[str, Entry]) -> list[tuple[str, float]]:
    return [(url, round(entry.value, 6)) for url, entry in weblog.items()]


def test_the_weblog_moves_towards_what_the_rest_of_the_path_earned() -> None:
    made = updated({"B": Entry(50.0, 0)}, ["A", "B", "C"], [0.0, 100.0, -2.0], 0.3, now=1)
    assert values(made) == [("A", 98.0), ("B", 64.4), ("C", -2.0)]


def test_of_two_as_good_the_one_visited_last_comes_first() -> None:
    made = updated({"old": Entry(0.0, 0)}, ["A", "B"], [0.0, 0.0], 0.3, now=1)
    assert list(made) == ["B", "A", "old"]


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


def test_a_new_forager_stands_at_the_end_of_a_path() -> None:
    forager = Forager("WL-0", "WL", np.zeros(2, np.float32), {}, 100.0, counter=100)
    assert not forager.can_go_on(100)
    forager.begin_path(0.0)
    assert forager.counter == 1
