"""The documents base: energies, links by chance, and where there is something new."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from wolfspider.core import codec
from wolfspider.learn.documents import DEAD, DocumentsBase, chances


def test_a_debt_left_on_a_page_is_no_remnant() -> None:
    """3.6 h."""
    base = DocumentsBase()
    base.grow(2)
    base.put(0, 0.1, [], [])
    base.put(1, 0.9, [], [])
    base.charge(0, -0.5)
    assert base.remnants.draw(random.Random(1)) is None
    base.charge(1, 2.0)
    assert {base.remnants.draw(random.Random(seed)) for seed in range(20)} == {1}


def test_the_nearer_the_context_the_likelier_the_link() -> None:
    base, rng = DocumentsBase(), random.Random(1)
    base.grow(4)
    document = base.put(0, 0.5, [1, 2, 3], [1.0, 0.8, 0.0])
    drawn = Counter(base.follow(document, rng, 5.0) for _ in range(4000))
    assert drawn[1] / drawn[2] == pytest.approx(math.e, rel=0.2) and drawn[3] < 60
    even = Counter(base.follow(document, rng, 0.0) for _ in range(3000))
    assert min(even.values()) > 850
    base.status[1] = DEAD
    assert {base.follow(document, rng, 100.0) for _ in range(50)} == {2}
    base.status[2] = base.status[3] = DEAD
    assert base.follow(document, rng, 5.0) is None


def test_documents_with_nothing_new_are_looked_at_once() -> None:
    base, rng = DocumentsBase(), random.Random(1)
    base.grow(3)
    base.put(0, 0.5, [1], [0.5])
    base.put(1, 0.5, [0, 2], [0.5, 0.5])
    assert base.untried(rng, 5.0, lambda link: False) is None  # no place to begin at yet
    base.open[0], base.open[1] = 1.0, 0.5
    assert base.untried(rng, 5.0, lambda link: False) == (1, 2)
    assert base.untried(rng, 5.0, lambda link: link == 2) is None and base.open.total == 0


def test_any_beta_gives_finite_chances() -> None:
    assert chances(0.0) == (1.0,) * 256
    assert chances(100.0)[0] > 0 and chances(100.0)[-1] == 1.0


def test_stored_and_read_back_it_draws_the_same() -> None:
    base = DocumentsBase()
    base.grow(3)
    base.put(0, 0.5, [1, 2], [0.2, 0.9])
    base.charge(0, 3.0)
    again = codec.load(*codec.store(base))
    assert codec.store(again) == codec.store(base)
    for draw in range(20):
        assert again.follow(0, random.Random(draw), 5.0) == base.follow(0, random.Random(draw), 5.0)
    assert [base.showing(place) for place in base.places(0)] == [0, 0]


def test_for_another_topic_energies_and_nearness_are_forgotten_and_links_are_not() -> None:
    base = DocumentsBase()
    base.grow(3)
    base.put(0, 0.5, [1, 2], [0.2, 0.9])
    base.charge(0, 3.0)
    base.open[0] = 1.0
    base.unlearn()
    assert base.remnants.total == 0 and [*base.near] == [0, 0] and [*base.links] == [1, 2]
    assert base.untried(random.Random(1), 5.0, lambda link: False) is not None
