"""What is compiled for lists of words says the same as plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.text import key_of, slowly_first_of
from wolfspider.learn.lexicon import slowly_added, slowly_numbered
from wolfspider.learn.word_odds import slowly_looked_up, slowly_looked_up_at

compiled = pytest.importorskip("wolfspider.core.word_lists")
words = st.text(max_size=6)
several = st.lists(words, max_size=30)


@given(st.dictionaries(words, st.integers(1, 10**6), max_size=40), st.integers(0, 50))
def test_the_first_words_of_counts(counts: dict[str, int], most: int) -> None:
    for found, numbers in (compiled.first_of(counts, most), slowly_first_of(counts, most)):
        assert found == list(counts)[:most] and numbers.tolist() == list(counts.values())[:most]
        assert numbers.dtype == np.float64


@given(several, st.lists(words, max_size=30, unique=True))
def test_the_numbers_of_words(before: list[str], new: list[str]) -> None:
    one = {word: number for number, word in enumerate(dict.fromkeys(before))}
    other = dict(one)
    assert compiled.numbered(one, new).tolist() == slowly_numbered(other, new).tolist()
    assert one == other


@given(several, several, st.lists(st.tuples(st.integers(-3, 33), st.integers(-3, 33)), max_size=20))
def test_what_is_known_of_words(before: list[str], new: list[str], pairs: list[tuple[int, int]]) -> None:
    places = np.array(pairs, np.int64).reshape(-1, 2)
    told = []
    for look_up, look_up_at in (
        (compiled.looked_up, compiled.looked_up_at),
        (slowly_looked_up, slowly_looked_up_at),
    ):
        known = {word: number for number, word in enumerate(before)}
        asked: list[str] = []

        def missing(word: str, known: dict[str, int] = known, asked: list[str] = asked) -> int:
            asked.append(word)
            known[word] = number = key_of(word) % 1000
            return number

        found = look_up(known, new, missing)
        around = look_up_at(known, new, places, missing)
        assert found.tolist() == [known[word] for word in new] and around.shape == places.shape
        told.append((found.tolist(), around.tolist(), sorted(asked)))
    assert told[0] == told[1]


@given(st.integers(0, 10**6), st.sampled_from([np.float32, np.float64]), st.lists(st.floats(-1e6, 1e6), max_size=3))
def test_amounts_are_added_to_rows(seed: int, kind: type, amounts: list[float]) -> None:
    rng = np.random.default_rng(seed)
    given_ = rng.normal(0, 1000, (20, len(amounts))).astype(kind)
    rows = rng.choice(20, rng.integers(0, 20), replace=False)
    one, other = given_.copy(), given_.copy()
    compiled.add_to_rows(one, rows, amounts)
    slowly_added(other, rows, amounts)
    assert one.tobytes() == other.tobytes()
    with pytest.raises(IndexError):
        compiled.add_to_rows(np.zeros((2, 1), kind), np.array([2]), (1.0,))
