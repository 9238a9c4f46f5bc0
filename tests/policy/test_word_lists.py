"""What is asked of all words of a page at once: compiled or not, the answers are the same."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.learn.lexicon import add_to_rows, numbered, slowly_added, slowly_numbered
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
    quickly, slowly = (np.arange(30.0).reshape(10, 3) / 7 for _ in "12")
    rows = np.array(list(places), np.int64)
    add_to_rows(quickly, rows, amounts)
    slowly_added(slowly, rows, amounts)
    assert quickly.tobytes() == slowly.tobytes()
