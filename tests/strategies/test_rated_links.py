"""Strategies that rate all waiting links anew: naive Bayes with hosts and siblings, LinUCB, the tag-path bandit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.strategies.test_orders import Small, order

from wolfspider.core import codec
from wolfspider.learn.linear_bandit import LinearBandit
from wolfspider.learn.tag_paths import TagPathArms, folded_bin, upper_bounds
from wolfspider.learn.tallies import Tallies, slot_of

GOOD, BAD = "bcdefghijklm", "nopqrstuvwxy"  # pages that the anchors of "a" tell apart
WORDS = Small(
    {
        "a": (0.1, [pair for good, bad in zip(GOOD, BAD, strict=True) for pair in ((good, "silk"), (bad, "rust"))]),
        **{name: (0.9, []) for name in GOOD},
        **{name: (0.1, []) for name in BAD},
    }
)
LISTS = Small(
    {
        "a": (0.1, [("b", ""), ("c", "")]),
        "b": (0.6, [(name, "") for name in BAD]),
        "c": (0.55, [(name, "") for name in GOOD[2:]]),
        **{name: (0.9, []) for name in GOOD[2:]},
        **{name: (0.1, []) for name in BAD},
    }
)


def test_naive_bayes_prefers_the_words_of_good_links_once_it_is_trained() -> None:
    visited = order("nb-link", WORDS, pages=18, letter=True, every=12, refresh=1)
    assert visited[:13] == "abncodpeqfrgs"
    assert visited[13:] == "hijkl"


def test_siblings_of_bad_links_give_way_to_links_of_a_lesser_page() -> None:
    """Page b is better than c, but what it shows is not."""
    alone = {"start": 0, "trust": 2.0, "refresh": 1, "words": 0.0, "host": 0.0, "parent": 0.0, "every": 1}
    by_siblings = order("nb-link", LISTS, pages=12, siblings=1.0, **alone)
    by_parent = order("nb-link", LISTS, pages=12, siblings=0.0, **(alone | {"parent": 1.0}))
    assert sum(name in GOOD[2:] for name in by_siblings) >= 5
    assert sum(name in GOOD[2:] for name in by_parent) == 0


@pytest.mark.parametrize("strategy", ["nb-link", "linucb", "tagpath-bandit"])
def test_a_seed_that_a_page_links_to_is_visited_like_another(strategy: str) -> None:
    web = Small(
        {"a": (0.6, [("b", "silk"), ("c", "silk")]), "b": (0.6, [("d", "rust")]), "c": (0.1, []), "d": (0.1, [])}
    )
    assert sorted(order(strategy, web, seeds="ab")) == ["a", "b", "c", "d"]


def test_a_bandit_learns_what_pays() -> None:
    visited = order("linucb", WORDS, pages=13, start=0, refresh=1)
    assert visited[0] == "a" and sum(name in GOOD for name in visited) >= 6


def test_linucb_by_hand() -> None:
    """Two features, ridge 1, no prior. After x = (1, 0) paid 1: A = diag(2, 1), b = (1, 0), theta = (.5, 0)."""
    bandit = LinearBandit(np.zeros(2))
    bandit.teach(np.array([1.0, 0.0]), 1.0)
    assert bandit.weights.tolist() == [0.5, 0.0]
    values = bandit.values(np.array([[1.0, 0.0], [0.0, 1.0]]), 1.0)
    assert values == pytest.approx([0.5 + math.sqrt(0.5), 1.0])


def test_what_is_thought_to_begin_with_is_what_is_said_before_any_example() -> None:
    bandit = LinearBandit(np.array([0.25, 0.5]), 4.0)
    assert bandit.values(np.array([[1.0, 1.0]]), 0.0) == pytest.approx([0.75])


def test_auer_is_the_printed_bound() -> None:
    """Mean .5, 4 tries, t = 100, alpha = 2 sqrt 2."""
    bound = upper_bounds(np.array([0.5]), np.array([4.0]), 100, 2 * math.sqrt(2))
    assert bound == pytest.approx([3.534854], abs=1e-5)


def test_pairs_of_tags_are_folded_by_multiplicative_hashing() -> None:
    assert [folded_bin(number) for number in (0, 1)] == [0, 766_245_317 % 32_768 // 8]
    assert max(map(folded_bin, range(32_768))) == 4_095


def test_like_paths_share_an_arm() -> None:
    arms = TagPathArms()
    menu = arms.join("html/body/div.nav/ul/li/a", 0.75)
    assert arms.join("html/body/div.nav/ul/li/a", 0.75) == menu
    assert arms.join("html/body/div.nav/ul/li/b/a", 0.4) == menu
    text = arms.join("html/body/main/article/p/a", 0.75)
    assert text != menu and arms.sizes.tolist() == [3.0, 1.0]


def test_arms_and_tallies_are_stored_and_come_back() -> None:
    arms, tallies, bandit = TagPathArms(), Tallies(), LinearBandit(np.array([0.5, 0.0]), 2.0)
    for path in ("html/a", "html/body/div/a", "x/y/z"):
        arms.join(path, 0.75)
    arms.tries[1] += 1
    tallies.add(slot_of("h.test"), 1.0)
    bandit.teach(np.array([1.0, 2.0]), 1.0)
    for learned in (arms, tallies, bandit):
        text, blobs = codec.store(learned)
        assert codec.store(codec.load(text, blobs)) == (text, blobs)


def test_a_mean_leans_to_what_was_expected() -> None:
    """One trial that paid, and two made-up ones that were expected to pay .25: 1.5 / 3."""
    tallies = Tallies()
    tallies.add(7, 1.0)
    assert tallies.means(np.array([7, 8]), 0.25, 2.0).tolist() == [0.5, 0.25]


def test_until_its_net_has_learned_tres_goes_by_pages() -> None:
    web = Small(
        {
            "a": (0.1, [("b", ""), ("c", "")]),
            "b": (0.2, [("d", "")]),
            "c": (0.9, [("e", "")]),
            "d": (0, []),
            "e": (0, []),
        }
    )
    assert order("tres", web, start=0) == "abdce"
