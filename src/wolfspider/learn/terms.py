"""The terms of a topic, and how often a bag of words has each of them.

A term is a word, or several: `world war`, or the pairs of characters that a Chinese, Japanese or Korean keyword is cut
into. Several words are there as often as the rarest of them, which needs no order of words and so serves anchors,
addresses and pages alike.

A word of a term is met by a word that is equal to it, or that begins with it and goes on for at most three letters:
`fossil` is met by `fossils`, `crawl` by `crawling`, `вулкан` by `вулканы`. That is no grammar, and `rock` is met by
`rocket` too, but it needs to know no language, and on three recorded webs it was better than taking words as they
stand. Words of fewer than four letters meet only themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import compress
from operator import itemgetter

ENDING = 3  # letters
SHORTEST = 4  # letters of a word that may have an ending

Term = tuple[str, ...]
_head = itemgetter(slice(SHORTEST))


class Terms:
    def __init__(self, weights: Mapping[Term, float]) -> None:
        self.names = tuple(" ".join(term) for term in weights)
        self.weights = tuple(weights.values())
        self._words = tuple(dict.fromkeys(word for term in weights for word in term))
        place = {word: index for index, word in enumerate(self._words)}
        self._terms = tuple(tuple(place[word] for word in term) for term in weights)
        self._heads: dict[str, list[tuple[int, str]]] = {}
        for word, index in place.items():
            self._heads.setdefault(_head(word), []).append((index, word))

    def __len__(self) -> int:
        return len(self.names)

    def count(self, counts: Mapping[str, int]) -> list[int]:
        """How often each term is in the bag."""
        found = [0] * len(self._words)
        for word in self._candidates(counts):
            for place, own in self._heads[_head(word)]:
                if met(own, word):
                    found[place] += counts[word]
        return [min([found[place] for place in term]) for term in self._terms]

    def _candidates(self, counts: Mapping[str, int]) -> Iterator[str]:
        """Words that begin like one of ours: few of a thousand, so telling them must be quick."""
        return compress(counts, map(self._heads.__contains__, map(_head, counts)))


def met(own: str, word: str) -> bool:
    """Is this word one of ours, or a form of it?"""
    return word == own or (len(own) >= SHORTEST and word.startswith(own) and len(word) <= len(own) + ENDING)
