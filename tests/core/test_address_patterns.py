"""Patterns of addresses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.address_patterns import pattern_of


@pytest.mark.parametrize(
    ("url", "patterns"),
    [
        ("http://a.test/", ("a.test/", "a.test/", "a.test/", "a.test")),
        ("http://a.test/cal/2026/11", ("a.test/cal/#/#", "a.test/cal/#/", "a.test/cal/", "a.test")),
        ("https://a.test/shop?size=7&color=3", ("a.test/shop?color&size", "a.test/shop?", "a.test/", "a.test")),
        ("http://a.test/b/page12.html", ("a.test/b/page#.html", "a.test/b/", "a.test/b/", "a.test")),
        ("http://a.test/n/title-3fa9c01b", ("a.test/n/title-#", "a.test/n/", "a.test/n/", "a.test")),
        ("http://a.test/a/b/a/b/a/b/c", ("a.test/a/b/c", "a.test/a/b/", "a.test/a/", "a.test")),
    ],
)
def test_numbers_ids_and_values_are_folded(url: str, patterns: tuple[str, ...]) -> None:
    assert pattern_of(url) == patterns


@given(st.text(max_size=400), st.integers(0, 10**12), st.integers(0, 10**12))
def test_addresses_that_differ_in_numbers_alone_have_one_pattern(path: str, one: int, other: int) -> None:
    assert pattern_of(f"http://a.test/{path}/{one}?x={one}") == pattern_of(f"http://a.test/{path}/{other}?x={other}")


@given(st.text(max_size=5_000))
def test_patterns_are_bounded(text: str) -> None:
    assert all(len(pattern) <= 302 or pattern == pattern_of(text).host for pattern in pattern_of(text))
