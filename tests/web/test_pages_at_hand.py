"""Pages at hand are bounded in bytes, and a page's weight is about the memory it takes."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.model import Fetch, Page
from wolfspider.core.text import counts
from wolfspider.web.page.html import parse
from wolfspider.web.page.pages_at_hand import PagesAtHand, weight

HEAD = b"<html lang=en><title>t</title><body>"
# Words and addresses that no other test has: those of pages read before are remembered, and take no memory again.
BODIES: dict[str, Callable[[], bytes]] = {
    "an ordinary page": lambda: b"".join(
        b"<p>the wolf spider weighed%d hunts <a href=/weighed%d>at night</a>" % (i, i) for i in range(90)
    ),
    "few words, again and again": lambda: b"wolf spider lawn " * 20_000,
    "all words differ": lambda: b" ".join(b"%x" % number for number in range(60_000)),
    "many links": lambda: b"".join(b"<p><a href=/heavy%d>wolf %d</a>" % (i, i) for i in range(3_000)),
    "long links": lambda: b"".join(b"<p><a href=/%s%d>%s</a>" % (b"x" * 900, i, b"w " * 100) for i in range(500)),
    "wide characters": lambda: "\u6f22\u5b57\u4e00\u4e8c ".encode() * 10_000,
}


def page_of(body: bytes) -> Page:
    page = parse(Fetch("http://a/", "http://a/", 200, {"content-type": "text/html; charset=utf-8"}, HEAD + body))
    assert isinstance(page, Page)
    counts(page)
    assert page.words  # somebody may ask for them
    return page


@pytest.mark.parametrize("kind", BODIES)
def test_the_weight_of_a_page_is_about_the_memory_it_takes(kind: str) -> None:
    body = BODIES[kind]()
    page_of(b"<p>other words, <a href=/other>other links</a>")  # what is imported at first is not the page's
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        page = page_of(body)
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert taken / 2 < weight(page) < 2 * taken, (kind, weight(page) / taken)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3_000))), st.integers(10_000, 100_000))
def test_whatever_is_kept_the_bytes_are_bounded_and_the_last_ones_used_stay(
    calls: list[tuple[int, int]], most: int
) -> None:
    pages: PagesAtHand[int, Page] = PagesAtHand(most)
    expected: list[tuple[int, Page]] = []  # those used last at the end
    for key, count in calls:
        known = dict(expected).get(key)
        assert pages.get(key) is known
        page = known if known and count % 2 else Page("http://a/", "http://a/", words=("wolf",) * count)
        pages.keep(key, page)
        expected = [each for each in expected if each[0] != key] + [(key, page)]
        if weight(page) > most:
            expected.pop()
        while sum(weight(each) for _, each in expected) > most:
            expected.pop(0)
        assert len(pages) == len(expected) and pages.bytes == sum(weight(each) for _, each in expected) <= most
    assert all(pages.get(key) is page for key, page in expected)


def test_interned_words_weigh_what_their_places_do() -> None:
    page = Page("http://a/", "http://a/", words=tuple(map(sys.intern, ["wolf", "spider"] * 400)))
    assert weight(page, interned=True) < weight(page)
