"""Words within bounds are the same words, however long the text is that they stand in."""

from __future__ import annotations

from itertools import chain

import pytest

from wolfspider.core.model import UnreadWords
from wolfspider.core.text import near_signature, words
from wolfspider.web.page import bounded_text
from wolfspider.web.page.bounded_text import AT_ONCE, MOST_WORDS, PORTION, words_within

MANY = "one Zwölf \u00bd e\u0301 "


@pytest.mark.parametrize(
    "passages",
    [
        [MANY] * 10,
        [MANY] * (PORTION // len(MANY) + 1),
        [MANY, MANY * (PORTION // len(MANY) + 1), MANY],
        [MANY * 1_000] * (AT_ONCE // (1_000 * len(MANY)) + 1),
    ],
)
def test_passages_of_any_length_have_the_words_of_each(passages: list[str]) -> None:
    read = words_within(passages)
    found = [words(passage) for passage in passages]
    spoken = read.words.text.split(" ") if isinstance(read.words, UnreadWords) else read.words
    assert spoken == list(chain.from_iterable(found))
    assert read.before == [sum(map(len, found[:place])) for place in range(len(found) + 1)]
    assert read.near in (None, near_signature(spoken))


def test_no_more_words_are_read_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    salutations = ["\ufdfa " * 4_000] * 40  # four words each, of one character
    assert words_within(salutations).before[-1] == MOST_WORDS
    monkeypatch.setattr(bounded_text, "MOST_WORDS", 30)
    assert words_within(["a b c d"] * 20).before == [min(30, 4 * place) for place in range(21)]
