"""A web in English is the same web in other words: its addresses lead back to its pages, and people can read it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.errors import Problem
from wolfspider.core.model import Page
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.synthetic.english_words import (
    EVERYDAY,
    FAMILIES_IN_ENGLISH,
    FIRST_NAMES_OF_SITES,
    SECOND_NAMES_OF_SITES,
    SECTIONS_OF_SITES,
    TOPICS_IN_ENGLISH,
)
from wolfspider.web.worlds.synthetic.web import Synthetic

WEB = Synthetic.parse("synthetic:pages=5000,seed=3,words=english")
INVENTED = Synthetic.parse("synthetic:pages=5000,seed=3,topics=24")


@given(st.integers(0, WEB.params.pages - 1))
def test_every_address_leads_back_to_its_page(page: int) -> None:
    url = WEB.addresses.url(page)
    assert WEB.page_of(url) == page
    assert re.fullmatch(r"http://www\.[a-z]+-[a-z]+\d*\.(example|test)/([a-z-]+/([a-z-]+-[0-9a-f]{7})?)?", url)


@given(st.integers(0, 10**6))
def test_every_name_of_a_host_means_that_host(host: int) -> None:
    assert WEB.lexicon.host_named(WEB.lexicon.host_name(host)) == host


@pytest.mark.parametrize(
    "name", ["", "amber", "amber-", "amber-acorn0", "amber-acorn00001", "amber-acorn" + "9" * 40, "-"]
)
def test_other_names_mean_none(name: str) -> None:
    host = WEB.lexicon.host_named(name)
    assert host is None or WEB.lexicon.host_name(host) == name


@given(st.integers(0, WEB.params.pages - 1))
def test_only_the_words_differ_from_a_web_in_an_invented_language(page: int) -> None:
    assert WEB.page_links(page) == INVENTED.page_links(page)
    assert WEB.sites.topic(page, WEB.sites.host(page)) == INVENTED.sites.topic(page, INVENTED.sites.host(page))


def test_a_topic_is_named_by_words_that_people_would_choose() -> None:
    for name, task in WEB.tasks().items():
        words = next(words for words in TOPICS_IN_ENGLISH if words[0] == name)
        assert set(task.topic.keywords) == set(words[:5])
        assert task.topic.description.split() == words[5:15]


def test_a_page_has_a_title_and_sentences_about_its_topic() -> None:
    name, task = next(iter(WEB.tasks().items()))
    own = {part for words in TOPICS_IN_ENGLISH if words[0] == name for word in words for part in word.split("-")}
    shares = []
    for url in sorted(task.relevant)[:20]:
        page = parse(WEB.look(url, WEB.start))
        assert isinstance(page, Page)
        assert len(page.title.split()) >= 4
        shares.append(sum(word in own for word in page.words) / len(page.words))
        text = WEB.look(url, WEB.start).body.decode()
        assert re.search(r"<p>([A-Z][a-z, -]+\. )+", text)
    assert 0.05 < sum(shares) / len(shares) < 0.5


def test_every_list_of_words_has_each_word_once() -> None:
    lists = [EVERYDAY, SECTIONS_OF_SITES, FIRST_NAMES_OF_SITES, SECOND_NAMES_OF_SITES]
    for words in (*map(str.split, lists), *(part for family in FAMILIES_IN_ENGLISH for part in family)):
        assert len(words) == len(set(words)) and all(re.fullmatch(r"[a-z]+(-[a-z]+)*", word) for word in words)
    assert len(FIRST_NAMES_OF_SITES.split()) == len(SECOND_NAMES_OF_SITES.split()) == 64
    assert len(SECTIONS_OF_SITES.split()) == 101  # a prime: no section of a host has the name of another
    assert [len(family) for family in FAMILIES_IN_ENGLISH] == [4] * 8
    assert all(len(words) == 30 and not any("-" in word for word in words[:5]) for words in TOPICS_IN_ENGLISH)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("synthetic:words=english,topics=16", "topics must be 24 with words=english, not 16"),
        ("synthetic:words=french", "french"),
    ],
)
def test_what_there_is_not_is_said(spec: str, says: str) -> None:
    with pytest.raises(Problem, match=re.escape(says)):
        Synthetic.parse(spec)
