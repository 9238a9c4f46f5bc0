"""Trust between hosts: who is vouched for, and that a farm of hosts is not, however it names itself."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.learn.host_trust import MANY, HostTrust

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


def test_who_names_many_that_nobody_else_names_vouches_for_none() -> None:
    strange = list(range(60, 60 + MANY))
    made = trust((ROOT, [ENTRY, 2]), (ENTRY, strange))
    assert not any(trusted(made, [ENTRY, *strange])) and all(trusted(made, [ROOT, 2]))
    made.name(2, np.array(strange[:2]))  # another one names some of them, too
    assert all(trusted(made, [ENTRY, *strange]))


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.sampled_from(FARM), st.sets(st.sampled_from(FARM), min_size=30, max_size=60)), max_size=30)
)
def test_a_farm_gains_nothing_by_naming_itself(pages: list[tuple[int, set[int]]]) -> None:
    made = trust(
        (ROOT, [ENTRY]), (ENTRY, [FARM[0]]), (FARM[0], list(FARM)), *((at, sorted(named)) for at, named in pages)
    )
    assert not any(trusted(made, list(FARM)))
    assert all(trusted(made, [ROOT, ENTRY]))


def test_it_is_stored_with_all_it_knows() -> None:
    made = trust((ROOT, [1, 2]), (1, [5]), (7, list(range(20, 40))))
    again = codec.load(*codec.store(made))
    assert np.array_equal(again.trusted, made.trusted)
    for one in (made, again):
        one.name(5, np.array([7]))
    assert np.array_equal(again.trusted, made.trusted) and len(again.pairs) == len(made.pairs)
