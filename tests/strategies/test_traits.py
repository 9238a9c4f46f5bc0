"""Traits of links: compiled and plain, the same to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.learn.hashed_counts import HashedCounts
from wolfspider.strategies.hunter.link_traits import LinkTraits
from wolfspider.strategies.hunter.traits import COUNT, TRAITS, figures_of, slowly_figured

PLACES, WORDS = 64, 128
_OF_PLACES = ("host", "folder", "shape", "from_host")


def tables(seed: int, links: int, stands: int) -> LinkTraits:
    """Links of which nothing is known but numbers."""
    rng, made = np.random.default_rng(seed), LinkTraits()
    made.counts, made.usual = HashedCounts(PLACES), float(rng.uniform(0.01, 0.5))
    made.counts.figures[:, 0] = rng.integers(0, 5, PLACES) * rng.integers(0, 40, PLACES)
    made.counts.figures[:, 1:] = made.counts.figures[:, :1] * rng.random((PLACES, 2))
    made.words.links[:WORDS], made.words.pages[:WORDS] = rng.normal(0, 2, (2, WORDS))
    made.edges.add(stands)
    made.links.enter(np.arange(links))
    for table in (made.links, made.edges):
        for name in table.names:
            of_words = name in ("words", "anchor", "context") and table[name].ndim > 1
            most = WORDS if of_words else PLACES if name in (*_OF_PLACES, "sibling", "place", "page") else stands + 1
            if name == "edges":
                table[name][:] = np.sort(rng.integers(0, most, table[name].shape), axis=1)[:, ::-1]
            elif table[name].dtype.kind == "i" and name != "number":
                table[name][:] = rng.integers(0, most, table[name].shape) * (rng.random(table[name].shape) < 0.7)
            elif table[name].dtype.kind == "f":
                table[name][:] = rng.random(table[name].shape) * rng.integers(0, 4, table[name].shape)
    return made


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(0, 30), st.integers(0, 60))
def test_compiled_code_works_them_out_to_the_same_bit(seed: int, links: int, stands: int, asked: int) -> None:
    if figures_of is slowly_figured:
        pytest.skip("nothing is compiled here")
    made = tables(seed, links, stands)
    for count in (asked, 1):
        rows = np.random.default_rng(seed).integers(0, links, count)
        given_ = (rows, made.links, made.edges, made.counts.figures, made.usual, made.words)
        found, slowly = figures_of(*given_), slowly_figured(*given_)
        assert found.shape == slowly.shape == (COUNT, count) and found.strides == slowly.strides
        for trait, one, other in zip(TRAITS, found, slowly, strict=True):
            assert one.tobytes() == other.tobytes(), trait.name


def test_a_link_beyond_the_table_is_refused() -> None:
    made = tables(1, 3, 2)
    with pytest.raises(IndexError):
        figures_of(np.array([3]), made.links, made.edges, made.counts.figures, made.usual, made.words)
