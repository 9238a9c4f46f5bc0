"""The words of a topic with their weights, and how near a text is to them.

`Similarity` is what strategies ask about the text of a link, `KeywordSimilarity` the measure of LAFC for pages; judges
weigh the words of a page by `topic_weights`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter

from wolfspider.core.model import Page, UnreadCounts
from wolfspider.core.text import counted, counts, words, words_of
from wolfspider.core.topic import Topic

ENDING = 3  # letters
SHORTEST = 4  # letters of a word that may have an ending
DESCRIPTION = 0.5  # weight of a word of the description; one of a keyword has 1
_LIKED_WORDS = 20  # words taken from liked pages
_IDEOGRAPHS = "\u1100"  # from here on two characters say as much as a word
_CACHED = 50_000  # texts of links whose similarity is remembered

Term = tuple[str, ...]
_head = itemgetter(slice(SHORTEST))


class SlowBeginnings:
    """What word_lists.pyx does where it was compiled: which words begin like one of ours. Few in a thousand do, so the
    test must be quick."""

    def __init__(self, heads: Iterable[str]) -> None:
        self._heads = frozenset(heads)

    def near(self, words: Iterable[str]) -> list[tuple[int, str]]:
        heads = self._heads
        return [(place, word) for place, word in enumerate(words) if word[:SHORTEST] in heads]

    def near_in(self, text: str) -> list[tuple[int, str]]:
        return self.near(text.split(" "))


try:
    from wolfspider.core.word_lists import Beginnings
except ImportError:
    Beginnings = SlowBeginnings  # type: ignore[misc,assignment]


class WeightedTerms:
    """Terms with their weights.

    A term is a word, or several: `world war`, or the pairs of characters that a Chinese, Japanese or Korean keyword is
    cut into. Several words occur as often as the rarest of them. Their order does not matter, so that anchors,
    addresses and pages are treated alike.

    A word of a term is met by a word that is equal to it, or that begins with it and continues for at most three
    letters: `fossil` is met by `fossils`, `crawl` by `crawling`, `вулкан` by `вулканы`. That is no grammar, and `rock`
    is met by `rocket` too, but it needs no knowledge of any language, and on three recorded webs it was better than
    taking words as they stand. Words of fewer than four letters meet only themselves.
    """

    def __init__(self, weights: Mapping[Term, float]) -> None:
        self.names = tuple(" ".join(term) for term in weights)
        self.weights = tuple(weights.values())
        self._words = tuple(dict.fromkeys(word for term in weights for word in term))
        place = {word: index for index, word in enumerate(self._words)}
        self._terms = tuple(tuple(place[word] for word in term) for term in weights)
        self._heads: dict[str, list[tuple[int, str]]] = {}
        for word, index in place.items():
            self._heads.setdefault(_head(word), []).append((index, word))
        self._beginnings = Beginnings(self._heads)

    def __len__(self) -> int:
        return len(self.names)

    def count(self, counts: Mapping[str, int]) -> list[int]:
        """How often each term is in the bag."""
        return self._count((word, counts[word]) for _, word in self._beginnings.near(counts))

    def count_on(self, page: Page) -> list[int]:
        """How often each term is on the page."""
        known = page.counts_
        if not isinstance(known, UnreadCounts):
            return self.count(counts(page))
        return self._count((word, known.numbers.item(place)) for place, word in self._beginnings.near_in(known.text))

    def _count(self, near: Iterable[tuple[str, int]]) -> list[int]:
        """`near`: words that begin like ours, and how often each is there."""
        found = [0] * len(self._words)
        for word, count in near:
            for place, own in self._heads[_head(word)]:
                if met(own, word):
                    found[place] += count
        return [min([found[place] for place in term]) for term in self._terms]

    def places(self, words: Sequence[str]) -> list[int]:
        """Which of these words are words of ours, or forms of them."""
        return [
            place
            for place, word in self._beginnings.near(words)
            if any(met(own, word) for _, own in self._heads[_head(word)])
        ]


def met(own: str, word: str) -> bool:
    """Is this word one of ours, or a form of it?"""
    return word == own or (len(own) >= SHORTEST and word.startswith(own) and len(word) <= len(own) + ENDING)


def topic_weights(topic: Topic) -> dict[Term, float]:
    """Keywords at full weight, words of the description at half, the most frequent words of liked pages likewise; a
    word of the description that is a form of a keyword strengthens it. Short words are taken from keywords alone: in a
    sentence they are mostly glue, in any language that has letters."""
    weights: dict[Term, float] = {}
    for keyword in topic.keywords:
        term = tuple(words(keyword))
        if term:
            weights[term] = 1.0
    for word in dict.fromkeys(words(topic.description)):
        own = next((term for term in weights if len(term) == 1 and met(term[0], word)), None)
        if own:
            weights[own] += DESCRIPTION
        elif is_telling(word):
            weights[(word,)] = DESCRIPTION
    for word in _frequent(topic.liked):
        weights.setdefault((word,), DESCRIPTION)
    return weights


def made_up_page(topic: Topic) -> dict[str, int]:
    """The words of a page that has nothing but what was asked for."""
    keywords = (word for keyword in topic.keywords for word in words(keyword))
    return counted([*keywords, *filter(is_telling, words(topic.description))])


def is_telling(word: str) -> bool:
    return len(word) >= SHORTEST or word >= _IDEOGRAPHS


def _frequent(pages: Iterable[Page]) -> list[str]:
    share: dict[str, float] = {}
    for page in pages:
        bag = counts(page)
        for word in filter(is_telling, bag):
            share[word] = share.get(word, 0.0) + bag[word] / len(page.words)
    return sorted(share, key=share.__getitem__, reverse=True)[:_LIKED_WORDS]


class Similarity:
    """How near the text of a link is to the topic: the cosine of its words and the topic's terms, in [0, 1]."""

    def __init__(self, topic: Topic) -> None:
        self._terms = WeightedTerms(topic_weights(topic))
        self._norm = math.sqrt(sum(weight * weight for weight in self._terms.weights))
        self._cache: dict[str, float] = {}

    def of_text(self, text: str) -> float:
        value = self._cache.get(text)
        if value is None:
            if len(self._cache) >= _CACHED:
                self._cache.clear()
            value = self._cache[text] = self.of_words(words(text))
        return value

    def of_words(self, text: Iterable[str]) -> float:
        bag = counted(text)
        found = self._terms.count(bag)
        common = sum(weight * count for weight, count in zip(self._terms.weights, found, strict=True) if count)
        if not common:
            return 0.0
        size = math.sqrt(sum(count * count for count in bag.values()))
        return min(1.0, common / (self._norm * size))

    def of_texts(self, texts: Sequence[str]) -> list[float]:
        """What `of_text` says of each, read as one; only texts that have a word of the topic are looked at closely."""
        return self.of_parts(*words_of(texts)) if texts else []

    def of_parts(self, found: Sequence[str], before: Sequence[int]) -> list[float]:
        """What `of_texts` says of texts whose words are here, as `words_of` gives them."""
        places = self._terms.places(found)
        if not places:
            return [0.0] * (len(before) - 1)
        edges = ((bisect_left(places, first), first, last) for first, last in pairwise(before))
        return [
            self.of_words(found[first:last]) if at < len(places) and places[at] < last else 0.0
            for at, first, last in edges
        ]

    def of_contexts(
        self, page: Page, left: int = 20, right: int = 20, before: Sequence[int] | None = None
    ) -> list[float]:
        """For each link of a page, how near the words around it are, its anchor among them: what `of_words` says of its
        `window`. Only windows that have a word of the topic are read. `before`: what `words_of` says of all anchors,
        if that is known."""
        places = self._terms.places(page.words)
        if not places:
            return [0.0] * len(page.links)
        found: list[float] = []
        before = words_of([link.anchor for link in page.links])[1] if before is None else before
        for link, (first, last) in zip(page.links, pairwise(before), strict=True):
            start, end = max(0, link.at - left), link.at + last - first + right
            near = bisect_left(places, start) < bisect_left(places, end)
            found.append(self.of_words(page.words[start:end]) if near else 0.0)
        return found


class KeywordSimilarity:
    """The similarity of LAFC (Akbari Torkestani 2012, equations 4 and 5): the cosine of a page and the topic as vectors
    that have a place for each word of the keywords and no other."""

    def __init__(self, topic: Topic) -> None:
        self._words = tuple(dict.fromkeys(word for keyword in topic.keywords for word in words(keyword)))

    def of_page(self, page: Page) -> float:
        bag = counts(page)
        return keyword_cosine([bag.get(word, 0) for word in self._words])


def keyword_cosine(frequencies: Sequence[int]) -> float:
    """Of a page with these frequencies, and a topic that wants every keyword alike."""
    size = math.sqrt(len(frequencies) * sum(count * count for count in frequencies))
    return sum(frequencies) / size if size else 0.0
