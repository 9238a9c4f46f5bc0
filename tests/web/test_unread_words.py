"""Pages from the cache and from other processes: their words are made when somebody asks for them, and not before."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace

import pytest

from wolfspider.core.codec import load, store
from wolfspider.core.model import Link, Page, unread_words, with_links, word_count
from wolfspider.core.scope import Scope
from wolfspider.core.text import counts, joined_words
from wolfspider.core.topic import Topic
from wolfspider.policy.judges import DEFAULT_JUDGE, make_judge
from wolfspider.store.row_codec import packed_page, unpacked_page
from wolfspider.web.page.packed import packed, parts_of, result_of, unpacked
from wolfspider.web.page.pages_at_hand import weight

LINKS = (Link("http://a.test/1", "wolf"), Link("http://b.test/2", "spider", 1))
PAGE = Page("http://a.test/", "http://a.test/", "Wolves", ("wolf", "spider", "wolf"), LINKS)


def unread() -> Page:
    page = result_of(unpacked(packed(parts_of(PAGE))))
    assert isinstance(page, Page)
    assert unread_words(page) is not None
    return page


def test_what_every_page_goes_through_makes_no_words() -> None:
    page = Scope(exclude=("b.test",)).cut(unread())
    assert page.links == LINKS[:1]
    verdict = make_judge(DEFAULT_JUDGE, Topic(("wolf",))).score(page)
    assert verdict == make_judge(DEFAULT_JUDGE, Topic(("wolf",))).score(with_links(PAGE, LINKS[:1]))
    assert unpacked_page(packed_page(page)) == with_links(PAGE, LINKS[:1])
    assert (word_count(page), weight(page)) == (3, weight(replace(with_links(PAGE, LINKS[:1]), counts_=page.counts_)))
    assert unread_words(page) is not None


def test_words_are_there_for_whoever_asks() -> None:
    page = unread()
    assert page.words == PAGE.words
    assert unread_words(page) is None
    assert page.words is page.words
    assert (word_count(page), counts(page), joined_words(page)) == (3, {"wolf": 2, "spider": 1}, "wolf spider wolf")


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
