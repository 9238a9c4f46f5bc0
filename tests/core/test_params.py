from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.errors import Problem
from wolfspider.core.params import begun_with, build, chosen, live_names, move, param, parameters
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


@dataclass
class Printed:
    agents: int = param(20, "How many.", low=1, letter=200)
    bounded: bool = param(True, "Whether there are bounds.", letter=False)
    rate: float = param(0.1, "How fast.", low=0, high=1)


def test_the_letter_of_a_paper_is_one_setting_above_which_others_stand() -> None:
    assert chosen(Printed, {}) == chosen(Printed, {"letter": "no"}) == Printed()
    assert chosen(Printed, {"letter": "true"}) == Printed(200, False, 0.1)
    assert chosen(Printed, {"letter": True, "agents": "3", "rate": "1"}) == Printed(3, False, 1.0)
    assert chosen(Sample, {"letter": "true"}) == Sample(), "where paper and default are the same it changes nothing"
    with pytest.raises(Problem, match="letter must be yes or no"):
        chosen(Printed, {"letter": "perhaps"})
    with pytest.raises(Problem, match="letter is fixed when a crawl starts"):
        move(Printed(), "letter", "true")


def test_a_run_has_what_it_names_and_for_the_rest_what_held_before_runs_named_it() -> None:
    @dataclass
    class Older(Printed):
        smell: float = param(0.5, "How much.", low=0, high=1, letter=0.0, first=0.5)

    assert begun_with(Older, {}) == Older(200, False, 0.1, 0.5)
    assert begun_with(Older, {"agents": "3", "smell": "0.1", "gone": "1"}) == Older(3, False, 0.1, 0.1)
    assert chosen(Older, {"letter": "true"}) == Older(200, False, 0.1, 0.0)


def test_a_strategy_of_ones_own_may_call_a_parameter_letter() -> None:
    @dataclass
    class Mail:
        letter: str = param("a", "The first one.")

    assert chosen(Mail, {"letter": "b"}) == Mail("b")
    assert chosen(Mail, {}) == begun_with(Mail, {}) == Mail("a")


@pytest.mark.parametrize("name", all_strategies())
def test_every_parameter_has_a_sentence_and_a_default_within_bounds(name: str) -> None:
    for known in parameters(all_strategies()[name].Params).values():
        assert known.says.endswith(".") and known.read(known.default) == known.default
        assert known.read(known.letter) == known.letter and known.name != "letter"
