from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.errors import Problem
from wolfspider.core.params import build, live_names, move, param, parameters
from wolfspider.strategies import all_strategies


@dataclass
class Sample:
    width: int = param(10, "How wide.", low=1, high=100)
    share: float = param(0.5, "How much.", low=0, high=1)
    order: str = param("up", "Which way.", choices=("up", "down"), live=False)
    loud: bool = param(False, "Whether it is.")


def test_text_becomes_values() -> None:
    made = build(Sample, {"width": "12", "share": "0.25", "order": "down", "loud": "yes"})
    assert made == Sample(12, 0.25, "down", True)
    assert build(Sample, {}) == Sample()


@pytest.mark.parametrize(
    ("given_", "says"),
    [
        ({"wdth": "1"}, "no parameter 'wdth'. Did you mean 'width'"),
        ({"width": "0"}, "at least 1"),
        ({"width": "101"}, "at most 100"),
        ({"width": "ten"}, "width must be a whole number, not 'ten'"),
        ({"width": "1.5"}, "must be a whole number"),
        ({"share": "half"}, "share must be a number, not 'half'"),
        ({"share": "nan"}, "must be a number"),
        ({"order": "sideways"}, "one of up, down"),
        ({"loud": "perhaps"}, "loud must be yes or no, not 'perhaps'"),
    ],
)
def test_a_mistake_is_a_sentence(given_: dict[str, str], says: str) -> None:
    with pytest.raises(Problem, match=says):
        build(Sample, given_)


@given(st.floats())
def test_nothing_out_of_bounds_gets_in(value: float) -> None:
    sample = Sample()
    try:
        move(sample, "share", value)
    except Problem:
        assert sample.share == 0.5 and not 0 <= value <= 1
    else:
        assert sample.share == value and 0 <= value <= 1


def test_what_may_change_in_a_run_is_known_by_name() -> None:
    assert live_names(Sample) == live_names(Sample()) == ("width", "share", "loud")


def test_a_locked_parameter_does_not_move() -> None:
    with pytest.raises(Problem, match="fixed when a crawl starts"):
        move(Sample(), "order", "down")


@pytest.mark.parametrize("name", all_strategies())
def test_every_parameter_has_a_sentence_and_a_default_within_bounds(name: str) -> None:
    for known in parameters(all_strategies()[name].Params).values():
        assert known.says.endswith(".") and known.read(known.default) == known.default
