"""What links to a page: a table of fixed size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.codec import load, store
from wolfspider.learn.in_links import HOST_TRUST, InLinks, Keys, address_keys


def keys(*names: str) -> Keys:
    return address_keys(f"http://a.test/{name}" for name in names)


def test_the_mean_of_the_pages_that_link_here() -> None:
    known = InLinks()
    for value, names in ((0.8, "xy"), (0.2, "x"), (0.0, "z")):
        known.add(keys(*names), "a.test", value)
    neighbour = (1.0 + HOST_TRUST / 3) / (3 + HOST_TRUST)
    assert known.value(keys("x"), "a.test") == pytest.approx((1.0 + neighbour) / 3)
    assert known.value(keys("new"), "b.test") == pytest.approx(1 / 3)  # a page like any other
    assert known.counts(keys("x", "y", "new")).tolist() == [2, 1, 0]


def test_http_and_https_are_one() -> None:
    assert address_keys(["http://a.test/x"]) == address_keys(["https://a.test/x"])


def test_a_page_known_by_two_addresses_has_the_links_of_both() -> None:
    known = InLinks()
    known.add(keys("old"), "a.test", 1.0)
    known.add(keys("new"), "a.test", 0.0)
    both = known.value(keys("old", "new"), "b.test")
    assert both == (1.0 + 0.5) / 3


def test_memory_is_bounded_and_the_addresses_linked_to_last_are_known() -> None:
    known = InLinks(slots=64, most_hosts=8)
    for number in range(500):
        known.add(keys(*(f"{number}/{place}" for place in range(5))), f"host{number}.test", 0.5)
    text, blobs = store(known.state())
    assert len(text) + sum(map(len, blobs.values())) < 64 * 20 + 8 * 40 + 2000
    assert known.counts(keys(*(f"499/{place}" for place in range(5)))).sum() >= 3
    assert known.pages_of("host499.test") == 1 and known.pages_of("host0.test") == 0
    assert known.pages == 500


@given(st.lists(st.tuples(st.sets(st.integers(0, 40), max_size=6), st.integers(0, 9), st.floats(0, 1)), max_size=30))
def test_it_goes_on_exactly_from_its_state(pages: list[tuple[set[int], int, float]]) -> None:
    def read(known: InLinks, some: list[tuple[set[int], int, float]]) -> list[float]:
        values = []
        for targets, host, value in some:
            known.add(keys(*map(str, sorted(targets))), f"host{host}.test", value)
            values.extend(known.value(keys(str(number)), f"host{host}.test") for number in range(41))
        return values

    first, second = InLinks(16, 4), InLinks(16, 4)
    half = len(pages) // 2
    read(first, pages[:half])
    second.restore(load(*store(first.state())))
    assert read(first, pages[half:]) == read(second, pages[half:])


@given(st.lists(st.tuples(st.sets(st.integers(1, 20), max_size=8), st.integers(1, 8)), max_size=20))
def test_an_address_that_comes_later_takes_the_slot_of_an_earlier_one(pages: list[tuple[set[int], int]]) -> None:
    known, table = InLinks(slots=4), dict[int, tuple[int, int, float]]()  # by slot: address, how many pages, their sum
    for addresses, value in pages:
        known.add(np.array(sorted(addresses), np.uint64), "a.test", value)
        for address in sorted(addresses):
            kept, count, total = table.get(address % 4, (0, 0, 0.0))
            table[address % 4] = (address, count + 1, total + value) if kept == address else (address, 1, value)
    found = {address: (count, total) for address, count, total in table.values()}
    every = np.arange(1, 21, dtype=np.uint64)
    assert known.counts(every).tolist() == [found.get(address, (0, 0.0))[0] for address in range(1, 21)]
    state = known.state()
    assert dict(zip(state["keys"].tolist(), state["sums"].tolist(), strict=True)) == {
        address: total for address, (_, total) in found.items()
    }
