"""What is asked of all words of a page at once: compiled or not, the answers are the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.model import Page
from wolfspider.core.text import first_counts, slowly_first_of
from wolfspider.learn.lexicon import add_amounts, numbered, slowly_added, slowly_numbered
from wolfspider.learn.word_odds import looked_up, looked_up_at, slowly_looked_up, slowly_looked_up_at
from wolfspider.policy.topic_words import Beginnings, SlowBeginnings

some_words = st.lists(st.text("abä\u6f22\U00020000", max_size=6), max_size=20)


@given(some_words, some_words)
def test_words_that_begin_alike_are_found_in_their_order(ours: list[str], words: list[str]) -> None:
    heads = [word[:4] for word in ours]
    expected = [(place, word) for place, word in enumerate(words) if word[:4] in heads]
    assert Beginnings(heads).near(words) == SlowBeginnings(heads).near(words) == expected
    if words:
        joined = " ".join(words)
        assert Beginnings(heads).near_in(joined) == SlowBeginnings(heads).near_in(joined) == expected


@given(some_words, some_words)
def test_words_are_numbered_as_they_come(known: list[str], words: list[str]) -> None:
    quickly, slowly = ({word: place for place, word in enumerate(dict.fromkeys(known))} for _ in "12")
    assert numbered(quickly, words).tolist() == slowly_numbered(slowly, words).tolist()
    assert list(quickly.items()) == list(slowly.items())
    assert [quickly[word] for word in words] == numbered(quickly, words).tolist()


@given(st.sets(st.integers(0, 9)), st.tuples(*[st.floats(-1e9, 1e9)] * 3))
def test_amounts_are_added_to_rows(places: set[int], amounts: tuple[float, ...]) -> None:
    for kind in (np.float64, np.float32):
        quickly, slowly = ((np.arange(30.0).reshape(10, 3) / 7).astype(kind) for _ in "12")
        rows = np.array(list(places), np.int64)
        add_amounts(quickly, rows, amounts)
        slowly_added(slowly, rows, amounts)
        assert quickly.tobytes() == slowly.tobytes()
        with pytest.raises(IndexError):
            add_amounts(quickly, np.array([10]), amounts)


@given(st.dictionaries(st.text(max_size=6), st.integers(1, 10**6), max_size=40), st.integers(0, 50))
def test_the_first_words_of_counts(counts: dict[str, int], most: int) -> None:
    page = Page("", "", counts_=counts)
    for words, numbers in (first_counts(page, most), slowly_first_of(counts, most)):
        assert words == list(counts)[:most] and numbers.tolist() == list(counts.values())[:most]
        assert numbers.dtype == np.float64


@given(some_words, some_words, st.lists(st.tuples(*[st.integers(-3, 23)] * 2), max_size=20))
def test_what_is_known_of_words(before: list[str], words: list[str], pairs: list[tuple[int, int]]) -> None:
    places, told = np.array(pairs, np.int64).reshape(-1, 2), []
    for look_up, look_up_at in ((looked_up, looked_up_at), (slowly_looked_up, slowly_looked_up_at)):
        known = {word: number for number, word in enumerate(before)}

        def missing(word: str, known: dict[str, int] = known) -> int:
            known[word] = number = len(word) + 100
            return number

        found, around = look_up(known, words, missing), look_up_at(known, words, places, missing)
        assert found.tolist() == [known[word] for word in words] and around.shape == places.shape
        told.append((found.tolist(), around.tolist(), list(known.items())))
    assert told[0] == told[1]
