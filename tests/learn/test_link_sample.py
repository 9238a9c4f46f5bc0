"""A fair sample of addresses: it stays small, counts as if it were whole, and is the same after a restart."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as some

from wolfspider.core import codec
from wolfspider.core.text import key_of
from wolfspider.learn.link_sample import LinkSample


def shown_by(number: int) -> set[int]:
    """Even pages are relevant, and show even ones, but for one in ten; odd ones show odd ones likewise."""
    draw = random.Random(number)
    return {2 * draw.randrange(5_000) + (number + (draw.random() < 0.1)) % 2 for _ in range(20)}


@cache
def in_order() -> list[int]:
    """Pages of a crawl, in the order they were found."""
    found = dict.fromkeys([0, 1])
    for number in range(1_000):
        found.update(dict.fromkeys(sorted(shown_by(list(found)[number]))))
    return list(found)


def crawled(sample: LinkSample, pages: int, first: int = 0) -> LinkSample:
    for number in in_order()[first:pages]:
        good = number % 2 == 0
        sample.landed([key_of(str(number))], key_of(f"host {number % 7}"), good)
        links = [(key_of(str(other)), other) for other in shown_by(number)]
        sample.shown(links, lambda other: key_of(f"host {other % 7}"), good)
    return sample


def test_it_counts_as_if_it_were_whole_however_small_it_is() -> None:
    whole, part = crawled(LinkSample(), 1_000), crawled(LinkSample(1_500), 1_000)
    assert whole.scale == 1 and part.scale >= 4
    assert part.waiting() == pytest.approx(whole.waiting(), rel=0.1)
    assert part.promise() == pytest.approx(whole.promise(), rel=0.2)


def test_what_waits_promises_about_as_much_as_there_is() -> None:
    sample = crawled(LinkSample(), 1_000)
    assert 0.4 < sample.promise() / sample.waiting() < 0.6


def test_addresses_that_were_made_to_be_in_the_sample_are_so_by_chance_alone() -> None:
    """Their hashes end in twenty zeros, as far as anybody knows who has no salt."""
    made = [number << 20 for number in range(1, 20_001)]
    shares = []
    for salt in range(1, 6):
        sample = crawled(LinkSample(1_000, salt=key_of(str(salt))), 300)
        honest, kept = len(sample._rows), sample.scale
        sample.shown([(key, key) for key in made], lambda key: 1, relevant=False)
        assert honest and sample.scale <= 64 * kept, "It is not emptied of all others."
        shares.append(sum(key in sample._rows for key in sample._salted(made)) * sample.scale / len(made))
    assert all(0.7 < share < 1.4 for share in shares)


def test_a_sample_of_an_earlier_version_goes_on_as_it_was() -> None:
    state = crawled(LinkSample(100), 30).state()
    del state["salt"]
    second = LinkSample(100, salt=77)
    second.restore(codec.load(*codec.store(state)))
    assert crawled(second, 60, first=30).promise() == crawled(LinkSample(100), 60).promise()


@given(some.integers(1, 60), some.integers(1, 60), some.integers(8, 400))
def test_restored_it_goes_on_as_if_nothing_had_happened(before: int, after: int, most: int) -> None:
    whole = crawled(LinkSample(most), before + after)
    second = LinkSample(most)
    second.restore(codec.load(*codec.store(crawled(LinkSample(most), before).state())))
    crawled(second, before + after, first=before)
    assert codec.store(second.state()) == codec.store(whole.state()) and second.promise() == whole.promise()


def test_it_stays_as_small_as_it_may_be() -> None:
    sample = crawled(LinkSample(64), 500)
    assert len(sample.state()["keys"]) <= 64 + 20


def test_in_links_of_relevant_pages_are_counted() -> None:
    sample = LinkSample()
    for page in (1, 2, 3):
        sample.landed([key_of(str(page))], 5, True)
    sample.shown([(key_of("2"), "h"), (key_of("3"), "h")], len, True)
    sample.shown([(key_of("3"), "h"), (key_of("4"), "h")], len, False)
    assert sample.in_links() == (1.0, 1.0)
