"""Which pages nearly equal an earlier one."""

from __future__ import annotations

from contextlib import closing

from hypothesis import given
from hypothesis import strategies as st

from wolfspider.export.near_duplicates import BITS, FEWEST_WORDS, NearDuplicates

SIGNATURES = st.integers(0, 2**64 - 1)


@given(SIGNATURES, st.sets(st.integers(0, 63), max_size=BITS))
def test_signatures_that_differ_in_few_bits_are_found_whichever_bits(near: int, bits: set[int]) -> None:
    other = near ^ sum(1 << bit for bit in bits)
    with closing(NearDuplicates()) as pages:
        assert pages.first_like("http://a.test/", "1", near, 100) is None
        assert pages.first_like("http://b.test/", "2", other, 100) == "http://a.test/"
        assert pages.first_like("http://c.test/", "3", near, 100) == "http://a.test/"


@given(st.lists(SIGNATURES, max_size=30))
def test_every_page_is_like_the_first_of_its_kind_or_like_none(signatures: list[int]) -> None:
    firsts: list[int] = []
    with closing(NearDuplicates()) as pages:
        for number, near in enumerate(signatures):
            alike = [first for first in firsts if (first ^ near).bit_count() <= BITS]
            found = pages.first_like(str(near), str(number), near, 100)
            assert (found is None) == (not alike) and (found is None or int(found) in alike)
            firsts += [near] if found is None else []


def test_short_pages_are_alike_only_if_they_are_equal() -> None:
    with closing(NearDuplicates()) as pages:
        assert pages.first_like("http://a.test/", "1", 7, FEWEST_WORDS - 1) is None
        assert pages.first_like("http://b.test/", "2", 7, FEWEST_WORDS - 1) is None
        assert pages.first_like("http://c.test/", "1", 7, FEWEST_WORDS - 1) == "http://a.test/"
