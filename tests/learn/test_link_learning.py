"""Words of links as bins, and what is learned from them: by hand, on a few links."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.core.model import Link, Page
from wolfspider.core.text import words
from wolfspider.learn import visited_links
from wolfspider.learn.link_bayes import LinkBayes
from wolfspider.learn.link_logistic import fitted, probability
from wolfspider.learn.link_words import BINS, Bags, bin_of, link_bins
from wolfspider.learn.visited_links import NONE, VisitedLinks

TEXT = tuple(words("about wolf spiders and their silk see also the orb weavers of the north"))


def page(*links: Link) -> Page:
    return Page("http://h.test/", "http://h.test/", words=TEXT, links=links)


def test_a_link_has_the_words_of_its_anchor_its_address_and_around_it() -> None:
    link = Link("http://h.test/Silk_Road/x", "orb weavers", at=9)
    (bins,) = link_bins(page(link), reach=1)
    assert bins == [bin_of(word) for word in ("orb", "weavers", "silk", "road", "x", "the", "of")]
    assert link_bins(page(link), reach=0) == [bins[:5]]


def test_fields_may_be_kept_apart() -> None:
    link = Link("http://h.test/orb", "orb", at=9)
    assert len(link_bins(page(link), 0)[0]) == 1
    assert len(link_bins(page(link), 0, apart=True)[0]) == 2


def test_a_link_without_words_has_no_bins() -> None:
    assert link_bins(page(Link("http://h.test")), 0) == [[]]
    assert link_bins(page(), 5) == []


@given(st.lists(st.lists(st.integers(0, BINS - 1), max_size=5), max_size=6))
def test_bags_give_back_their_lists_and_sum_them(lists: list[list[int]]) -> None:
    bags, values = Bags.of(lists), np.arange(BINS, dtype=np.float64)
    assert bags.lists() == lists
    assert bags.sums(values).tolist() == [float(sum(own)) for own in lists]


def test_naive_bayes_compares_with_all_links_together() -> None:
    """Three links, one good with word 1, two bad with word 2; word 3 is on all. s = 1:
    ln (1 + 1/3) / (2 x 1/3) = ln 2 for word 1 in the good class, ln (0 + 1/3) / (3 x 1/3) = ln 1/3 in the bad one."""
    bayes = LinkBayes(2)
    bayes.add([2, 3], 0)
    bayes.add([2, 3], 0)
    bayes.add([1, 3], 1)
    bayes.fit(1.0)
    assert bayes.evidence([1]) == pytest.approx(math.log(6))
    assert bayes.evidence([3]) == pytest.approx(0.0)
    assert bayes.evidence([4]) == 0.0
    assert bayes.posteriors([]) == pytest.approx([0.6, 0.4])


def test_logistic_regression_tells_links_apart() -> None:
    bags = Bags.of([[1, 3], [1, 4], [2, 3], [2, 4]])
    model = fitted(bags, np.array([1.0, 1.0, 0.0, 0.0]), cost=10.0)
    assert probability(model, [1]) > 0.8 and probability(model, [2]) < 0.2
    assert probability(model, [3]) == pytest.approx(probability(model, [4]), abs=0.05)


def test_what_is_learned_is_stored_and_comes_back() -> None:
    bayes, visited = LinkBayes(3), VisitedLinks()
    bayes.add([1, 5], 2, 0.5)
    bayes.fit()
    visited.add(NONE, 1.0, [7, 8])
    model = fitted(Bags.of([[1], [2]]), np.array([1.0, 0.0]))
    for learned in (bayes, visited, model):
        text, blobs = codec.store(learned)
        assert codec.store(codec.load(text, blobs)) == (text, blobs)


def test_steps_and_returns_run_back_along_the_links_followed() -> None:
    """0 -> 1 -> 2 (relevant) -> 3 (relevant); 0 -> 4. gamma .5: 2 returns 1 + .5, 1 .75, 0 .375."""
    visited = VisitedLinks()
    for before, reward in ((NONE, 0.0), (0, 0.0), (1, 1.0), (2, 1.0), (0, 0.0)):
        visited.add(before, reward, [])
    assert visited.steps() == [2.0, 1.0, 0.0, 0.0, math.inf]
    assert visited.returns(0.5) == [0.375, 0.75, 1.5, 1.0, 0.0]


def test_old_links_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visited_links, "LIMIT", 2)
    visited = VisitedLinks()
    numbers = [visited.add(number - 1, float(number == 5), [number] * number) for number in range(6)]
    assert numbers == list(range(6)) and len(visited) == 4
    assert visited.bags().lists() == [[number] * number for number in range(2, 6)]
    assert visited.steps() == [3.0, 2.0, 1.0, 0.0]
