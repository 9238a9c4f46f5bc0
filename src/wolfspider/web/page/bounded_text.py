"""Text of any length made into words, within bounds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, islice

from wolfspider.core.text import WordsRead, words, words_and_more

MOST_TEXT = 2_000_000  # characters read into words
MOST_WORDS = 500_000  # a character may stand for several words
PORTION = 50_000  # characters of a passage turned into words at once; they end with a word, unless it is very long
AT_ONCE = 200_000  # characters of passages that are read as one: some become many, and all need memory
PORTIONS = re.compile(rf".{{1,{PORTION}}}+\S{{0,1000}}+", re.DOTALL)


def folded(text: str, most: int) -> str:
    """White space folded, and cut; what is far behind the cut is not looked at."""
    if len(text) <= most:
        return " ".join(text.split())
    return " ".join(text.lstrip()[: 4 * most].split())[:most].rstrip()


def bounded_words(text: str, most: int = MOST_WORDS) -> list[str]:
    """The first words of a text, which is not read much further than they reach."""
    if len(text) <= PORTION:
        return words(text)[:most]
    portions = (words(portion[0]) for portion in PORTIONS.finditer(text))
    return list(islice(chain.from_iterable(portions), most))


def cut_to_bounds(passages: list[str]) -> None:
    """Cut passages behind MOST_TEXT characters."""
    room = MOST_TEXT
    for place, passage in enumerate(passages):
        passages[place] = passage[:room]
        room -= len(passages[place])


def words_within(passages: Sequence[str], characters: int | None = None) -> WordsRead:
    """All words, and how many come before each passage, and in all. `characters`: at least as many as they have, if
    that is known."""
    if characters is None:
        characters = sum(map(len, passages))
    if characters <= PORTION or (characters <= AT_ONCE and max(map(len, passages)) <= PORTION):
        read = words_and_more(passages)
        if read.before[-1] <= MOST_WORDS:
            return read
    found: list[str] = []
    before = [0]
    for passage in passages:
        found += bounded_words(passage, MOST_WORDS - len(found))
        before.append(len(found))
    return WordsRead(found, before)
