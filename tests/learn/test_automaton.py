"""Learning automata: chances that are moved by what comes of choices, and always sum to one."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.learn.automaton import Automaton, Scheme

PAPER = Scheme(a=0.09)


def with_chances(*chances: float) -> Automaton:
    made = Automaton(range(len(chances)))
    for place, chance in enumerate(chances):
        made.chances[place] = chance
    return made


def chances(automaton: Automaton) -> list[float]:
    return [round(chance, 6) for chance in automaton.chances]


def test_a_reward_raises_what_was_chosen() -> None:
    automaton = Automaton(range(4))
    automaton.respond(0, 1.0, PAPER)
    assert chances(automaton) == [0.3175, 0.2275, 0.2275, 0.2275]


def test_what_is_disabled_keeps_its_chance() -> None:
    automaton = Automaton(range(4))
    automaton.respond(0, 1.0, PAPER, lambda action: action != 3)
    assert chances(automaton) == [0.295, 0.2275, 0.2275, 0.25]


def test_a_new_link_gets_an_equal_share() -> None:
    automaton = Automaton([0, 1])
    automaton.add(2)
    assert chances(automaton) == pytest.approx([1 / 3] * 3)


def test_the_chance_of_a_link_that_is_gone_is_shared_out() -> None:
    automaton = with_chances(0.2, 0.3, 0.5)
    automaton.remove(2)
    assert chances(automaton) == [0.4, 0.6]


def test_when_the_only_likely_link_is_gone_all_are_equal() -> None:
    automaton = with_chances(0.0, 0.0, 1.0)
    automaton.remove(2)
    assert chances(automaton) == [0.5, 0.5]
    automaton.remove(0)
    automaton.remove(1)
    assert not len(automaton) and automaton.choose(random.Random(1)) is None


def test_after_a_reward_and_removal_the_rest_is_uniform() -> None:
    """Why nothing can be learned within one crawl, where every target is visited once."""
    automaton = Automaton(range(5))
    automaton.respond(2, 1.0, PAPER)
    automaton.remove(2)
    assert chances(automaton) == pytest.approx([0.25] * 4)


def test_without_a_penalty_rate_a_penalty_changes_nothing() -> None:
    automaton = with_chances(0.2, 0.3, 0.5)
    automaton.respond(1, 0.0, PAPER)
    assert chances(automaton) == [0.2, 0.3, 0.5]


def test_a_penalty_gives_to_the_others() -> None:
    automaton = with_chances(0.2, 0.3, 0.5)
    automaton.respond(0, 0.0, Scheme(a=0.1, b=0.1))
    assert chances(automaton) == pytest.approx([0.18, 0.32, 0.5])


@pytest.mark.parametrize(("levels", "heard"), [(2, 1.0), (3, 0.5), (5, 0.5), (0, 0.6)])
def test_models_hear_a_signal_by_their_levels(levels: int, heard: float) -> None:
    assert Scheme(levels=levels).heard(0.6) == heard


def test_actions_are_chosen_by_their_chances() -> None:
    automaton, rng = with_chances(0.1, 0.3, 0.6), random.Random(1)
    drawn = Counter(automaton.choose(rng, lambda action: action != 2) for _ in range(4000))
    assert set(drawn) == {0, 1} and drawn[1] / 4000 == pytest.approx(0.75, abs=0.03)


def test_a_page_that_changed_keeps_what_was_learned_of_the_rest() -> None:
    automaton = Automaton([1, 2, 3])
    automaton.respond(1, 1.0, Scheme(a=0.5))
    automaton.refresh([4, 1, 3])
    assert list(automaton.actions) == [1, 3, 4] and automaton.chance(1) > automaton.chance(3)
    assert sum(automaton.chances) == pytest.approx(1)


@given(st.lists(st.integers(0, 9), max_size=8, unique=True), st.lists(st.integers(0, 12), max_size=8, unique=True))
def test_to_refresh_is_to_remove_and_to_add_one_after_another(before: list[int], after: list[int]) -> None:
    at_once, by_steps = Automaton(before), Automaton(before)
    for automaton in (at_once, by_steps):
        for action in before[:3]:
            automaton.respond(action, 1.0, Scheme(a=0.3))
    at_once.refresh(after)
    for action in before:
        if action not in after:
            by_steps.remove(action)
    for action in after:
        if action not in before:
            by_steps.add(action)
    assert at_once.actions == by_steps.actions
    assert list(at_once.chances) == pytest.approx(list(by_steps.chances), abs=1e-6)


steps = st.lists(
    st.tuples(st.sampled_from(("respond", "add", "remove", "refresh")), st.integers(0, 30), st.floats(0, 1)),
    max_size=60,
)
schemes = st.builds(Scheme, a=st.floats(0, 1), b=st.floats(0, 1), levels=st.sampled_from((0, 2, 3, 5)))


@given(steps, schemes, st.sets(st.integers(0, 30)))
def test_chances_sum_to_one_whatever_happens(
    happens: list[tuple[str, int, float]], scheme: Scheme, shut: set[int]
) -> None:
    automaton = Automaton(range(4))
    for what, action, signal in happens:
        if what == "respond" and action in automaton.actions:
            automaton.respond(action, signal, scheme, lambda other: other not in shut)
        elif what == "add" and action not in automaton.actions:
            automaton.add(action)
        elif what == "remove" and action in automaton.actions:
            automaton.remove(action)
        elif what == "refresh":
            automaton.refresh(range(action, action + 5))
        assert not len(automaton) or sum(automaton.chances) == pytest.approx(1, abs=1e-4)
        assert all(-1e-6 <= chance <= 1 + 1e-6 for chance in automaton.chances)


def test_the_best_action_wins_where_rates_are_small() -> None:
    """Theorem 1, in small: one action is right more often, and its chance goes to one."""
    rng, automaton = random.Random(7), Automaton(range(3))
    right = (0.2, 0.8, 0.4)
    for _ in range(6000):
        action = automaton.choose(rng)
        assert action is not None
        automaton.respond(action, float(rng.random() < right[action]), Scheme(a=0.01))
    assert automaton.chance(1) > 0.95


def test_an_automaton_can_be_stored() -> None:
    automaton = with_chances(0.2, 0.3, 0.5)
    again = codec.load(*codec.store(automaton))
    assert list(again.actions) == [0, 1, 2] and again.chances == automaton.chances
