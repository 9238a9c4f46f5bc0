"""Trust between hosts: who is vouched for, and that a farm of hosts is not, however it names itself."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.learn.host_trust import MOST_NAMED, HostTrust

ROOT, ENTRY = 0, 1
FARM = range(100, 300)


def trust(*pages: tuple[int, list[int]]) -> HostTrust:
    made = HostTrust()
    made.begin(np.array([ROOT]))
    for source, targets in pages:
        made.name(source, np.array(targets, np.int64))
    return made


def trusted(made: HostTrust, hosts: list[int]) -> list[bool]:
    return [bool(one) for one in made.of(np.array(hosts, np.int32))]


def test_a_starting_point_vouches_for_all_it_names_and_they_for_a_few_more() -> None:
    made = trust((ROOT, list(range(1, 50))), (1, [70, 71]), (70, [72]))
    assert all(trusted(made, [ROOT, *range(1, 50), 70, 71, 72])) and trusted(made, [99]) == [False]


def test_who_names_many_that_nobody_else_names_is_trusted_all_the_same() -> None:
    """As the pages of a manual or a blog do: whom they name does not name the others."""
    strange = list(range(60, 130))
    made = trust((ROOT, [ENTRY, 2]), (ENTRY, strange), *((at, [1000 + at, 2]) for at in strange))
    assert all(trusted(made, [ROOT, ENTRY, 2, *strange]))


def test_a_circle_is_trusted_once_others_name_enough_of_whom_its_hosts_name() -> None:
    circle = list(range(60, 80))
    made = trust((ROOT, [2, 3]), (2, circle[:1]), *((at, circle) for at in circle))
    assert not any(trusted(made, circle)) and all(trusted(made, [ROOT, 2, 3]))
    made.name(3, np.array(circle[-4:]))
    assert not any(trusted(made, circle[4:-4]))
    made.name(2, np.array(circle[:8]))
    made.name(3, np.array(circle[4:]))
    assert made.of(np.array(circle, np.int32)).all() == (len(set(circle[:8]) & set(circle[4:])) >= len(circle) // 2)


@settings(deadline=None, max_examples=50)
@given(st.randoms(use_true_random=False), st.integers(12, 40), st.integers(30, 200))
def test_a_farm_gains_nothing_by_naming_itself(rng: random.Random, pages: int, named: int) -> None:
    visited = [FARM[0], *rng.sample(FARM[1:], pages)]
    made = trust((ROOT, [ENTRY]), (ENTRY, [FARM[0]]), *((at, sorted(rng.sample(FARM, named))) for at in visited))
    assert not any(trusted(made, list(FARM)))
    assert all(trusted(made, [ROOT, ENTRY]))


def test_nor_does_one_whose_hosts_name_few() -> None:
    farm = list(FARM)[:60]
    near = {at: [farm[(place + step) % 60] for step in (1, 2, 3, 5, 8, 13, 21, 34)] for place, at in enumerate(farm)}
    made = trust((ROOT, [ENTRY]), (ENTRY, [farm[0], farm[17], farm[41]]), *near.items())
    assert not any(trusted(made, farm)) and trusted(made, [ENTRY]) == [True]


def test_a_starting_point_may_name_any_number() -> None:
    many = list(range(1000, 6000))
    made = trust((ROOT, many), (2000, list(range(50, 90))))
    assert all(trusted(made, many))


def test_a_host_that_names_without_end_fills_no_table() -> None:
    made = trust((ROOT, [ENTRY]), (ENTRY, list(range(1000, 9000))))
    assert len(made.pairs) <= MOST_NAMED + 1 and all(trusted(made, [ENTRY, 1000, 1999]))


def test_it_is_stored_with_all_it_knows() -> None:
    made = trust((ROOT, [1, 2]), (1, [5]), (7, list(range(20, 40))))
    again = codec.load(*codec.store(made))
    assert np.array_equal(again.trusted, made.trusted)
    for one in (made, again):
        one.name(5, np.array([7]))
    assert np.array_equal(again.trusted, made.trusted) and len(again.pairs) == len(made.pairs)
