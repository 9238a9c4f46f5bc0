"""Soft focus against its paper: relevance goes to all links, and hubs are found by relevance-weighted HITS."""

from __future__ import annotations

import numpy as np
from tests.strategies.test_orders import TREE, Small, links, order

from wolfspider.strategies.soft_focus import best_hubs


def test_links_are_worth_what_their_page_is_worth() -> None:
    assert order("soft-focus", TREE, start=0, every=0) == "abcfgde"


def test_hard_focus_expands_relevant_pages_only() -> None:
    web = Small(
        {"a": (0.6, links("bc")), "b": (0.4, links("de")), "c": (0.9, links("fg")), **dict.fromkeys("defg", (0, []))}
    )
    assert order("soft-focus", web, start=0, focus="hard") == "abcfg"


def test_the_best_hub_endorses_the_most_relevant_pages() -> None:
    """Page 0 links to 2 and 3, page 1 to 3 and 4; only 2 and 3 are relevant."""
    relevance = np.array([0.5, 0.5, 1.0, 1.0, 0.0])
    tails, heads = [0, 0, 1, 1], [2, 3, 3, 4]
    assert best_hubs(tails, heads, relevance, 2) == [0, 1]
    assert best_hubs(tails, heads, relevance, 1) == [0]


def test_a_step_of_the_distiller_weighs_both_ends() -> None:
    """With R(0) = 1 and R(1) = 0.1, authority of 2 is 1.1: hubs are weighed by R of what they endorse alone."""
    assert best_hubs([0, 1], [2, 2], np.array([1.0, 0.1, 0.5]), 2) == [0, 1]
    assert best_hubs([0, 1], [2, 3], np.array([1.0, 1.0, 0.2, 0.9]), 2) == [1, 0]


def test_nothing_relevant_is_endorsed_so_there_are_no_hubs() -> None:
    assert best_hubs([0], [1], np.array([1.0, 0.0]), 3) == []
    assert best_hubs([], [], np.array([1.0]), 3) == []
