"""Pages from the cache and from other processes: their words are made when somebody asks for them, and not before."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.codec import load, store
from wolfspider.core.model import Link, Page, UnreadCounts, unread_words, with_links, word_count
from wolfspider.core.scope import Scope
from wolfspider.core.text import counts, first_counts, joined_words
from wolfspider.core.topic import Topic
from wolfspider.policy.judges import DEFAULT_JUDGE, make_judge
from wolfspider.policy.topic_words import WeightedTerms
from wolfspider.store.row_codec import packed_page, unpacked_page
from wolfspider.web.page.packed import packed, parts_of, result_of, unpacked
from wolfspider.web.page.pages_at_hand import weight

LINKS = (Link("http://a.test/1", "wolf"), Link("http://b.test/2", "spider", 1))
PAGE = Page("http://a.test/", "http://a.test/", "Wolves", ("wolf", "spider", "wolf"), LINKS)


def unread(page: Page = PAGE) -> Page:
    back = result_of(unpacked(packed(parts_of(page))))
    assert isinstance(back, Page)
    assert unread_words(back) is not None
    assert isinstance(back.counts_, UnreadCounts)
    return back


def test_what_every_page_goes_through_makes_no_words() -> None:
    page = Scope(exclude=("b.test",)).cut(unread())
    assert page.links == LINKS[:1]
    verdict = make_judge(DEFAULT_JUDGE, Topic(("wolf",))).score(page)
    assert verdict == make_judge(DEFAULT_JUDGE, Topic(("wolf",))).score(with_links(PAGE, LINKS[:1]))
    assert unpacked_page(packed_page(page)) == with_links(PAGE, LINKS[:1])
    assert (word_count(page), weight(page)) == (3, weight(replace(with_links(PAGE, LINKS[:1]), counts_=page.counts_)))
    assert unread_words(page) is not None and isinstance(page.counts_, UnreadCounts)


def test_words_are_there_for_whoever_asks() -> None:
    page = unread()
    assert page.words == PAGE.words
    assert unread_words(page) is None
    assert page.words is page.words
    assert (word_count(page), counts(page), joined_words(page)) == (3, {"wolf": 2, "spider": 1}, "wolf spider wolf")


def test_counts_are_there_for_whoever_asks() -> None:
    page = unread()
    assert counts(page) == {"wolf": 2, "spider": 1} and list(counts(page)) == ["wolf", "spider"]
    assert counts(page) is counts(page)
    assert unread_words(page) is not None


@given(st.lists(st.text("wolfä\u6f22", min_size=1, max_size=6), min_size=1), st.integers(1, 9))
def test_what_is_asked_of_counts_that_nobody_read_is_answered_as_if_they_were(words: list[str], most: int) -> None:
    page = Page("http://a.test/", "http://a.test/", words=tuple(words))
    same, terms = unread(page), WeightedTerms({("wolf",): 1.0, ("wo", "l"): 1.0, ("\u6f22",): 1.0})
    asked = first_counts(same, most)
    assert asked.words == first_counts(page, most).words
    assert asked.numbers.tobytes() == first_counts(page, most).numbers.tobytes()
    assert terms.count_on(same) == terms.count_on(page) == terms.count(counts(page))
    assert isinstance(same.counts_, UnreadCounts)
    assert list(counts(same).items()) == list(counts(page).items())


@pytest.mark.parametrize(
    "made",
    [
        lambda page: page,
        copy.copy,
        lambda page: load(*store(page)),
        lambda page: replace(page, title="Wolves"),
        lambda page: with_links(page, LINKS),
    ],
)
def test_a_page_whose_words_nobody_asked_for_is_the_same_page(made: Callable[[Page], Page]) -> None:
    assert made(unread()) == PAGE
    assert repr(made(unread())) == repr(PAGE)
    assert hash(made(unread())) == hash(PAGE)


def test_other_words_take_the_place_of_those_that_nobody_asked_for() -> None:
    page = replace(unread(), words=("cat",), counts_=None)
    assert (page.words, word_count(page), joined_words(page), dict(counts(page))) == (("cat",), 1, "cat", {"cat": 1})
    assert unread_words(page) is None


@pytest.mark.parametrize("words", [(), ("two words", "one"), ("",), ("", "")])
def test_words_that_cannot_be_parted_again_come_one_by_one(words: tuple[str, ...]) -> None:
    page = replace(PAGE, words=words, counts_=None)
    back = result_of(unpacked(packed(parts_of(page))))
    assert isinstance(back, Page)
    assert (back, back.words, dict(counts(back))) == (page, words, dict(counts(page)))


def test_what_a_page_does_not_have_it_does_not_have() -> None:
    with pytest.raises(AttributeError, match="wings"):
        _ = unread().wings  # type: ignore[attr-defined]
