from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.keys import keys_of
from wolfspider.core.text import key_of


@given(st.lists(st.text(st.characters())))
def test_many_keys_are_the_same_as_one_by_one(texts: list[str]) -> None:
    assert keys_of(texts) == [key_of(text) for text in texts]
    assert keys_of(text for text in texts) == keys_of(texts)


def test_half_of_a_surrogate_pair_has_a_key_too() -> None:
    assert keys_of(["a", "\ud800"]) == [key_of("a"), key_of("\ud800")]
