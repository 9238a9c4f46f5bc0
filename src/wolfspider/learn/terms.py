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

from collections.abc import Mapping

ENDING = 3  # letters
SHORTEST = 4  # letters of a word that may have an ending
_MEMORY = 200_000  # words that are remembered to meet a term or none; beyond, the memory starts anew

Term = tuple[str, ...]


class Terms:
    def __init__(self, weights: Mapping[Term, float]) -> None:
        self.names = tuple(" ".join(term) for term in weights)
        self.weights = tuple(weights.values())
        self._words = tuple(dict.fromkeys(word for term in weights for word in term))
        place = {word: index for index, word in enumerate(self._words)}
        self._terms = tuple(tuple(place[word] for word in term) for term in weights)
        self._exact = frozenset(self._words)
        self._stems = tuple(word for word in self._words if len(word) >= SHORTEST)
        self._forget()

    def __len__(self) -> int:
        return len(self.names)

    def _forget(self) -> None:
        self._known: set[str] = set()
        self._meets: dict[str, tuple[int, ...]] = {}

    def count(self, counts: Mapping[str, int]) -> list[int]:
        """How often each term is in the bag. The memory only makes it quicker: nearly every word was met before."""
        new = counts.keys() - self._known
        if new:
            self._meet(new)
        meets = self._meets
        hits = meets.keys() & counts.keys()
        if not hits:
            return [0] * len(self._terms)
        found = [0] * len(self._words)
        for word in hits:
            for place in meets[word]:
                found[place] += counts[word]
        return [min([found[place] for place in term]) for term in self._terms]

    def _meet(self, new: set[str]) -> None:
        if len(self._known) + len(new) > _MEMORY:
            self._forget()
        self._known |= new
        for word in new:
            if word in self._exact or word.startswith(self._stems):
                self._meets[word] = tuple(place for place, own in enumerate(self._words) if met(own, word))


def met(own: str, word: str) -> bool:
    """Is this word one of ours, or a form of it?"""
    return word == own or (len(own) >= SHORTEST and word.startswith(own) and len(word) <= len(own) + ENDING)
