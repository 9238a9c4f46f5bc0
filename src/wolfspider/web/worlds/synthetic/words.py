"""Words that mean something to a crawler and nothing to a person, and the texts of pages made of them.

A word is a number spelled in consonant-vowel syllables, six bits each; a keyed permutation scatters the numbers, so
that neighbouring ranks do not look alike. Common words have three syllables: 20,000 of the background, 2,000 for each
family of topics, 1,500 for each topic. Words of a host (100 each) and names of hosts have four.

Topics overlap, as real ones do: a fifth of a topic's words come from its family, and of its fifty most frequent a
tenth are shared with one other topic. A table of words, each as often as Zipf's law wants it, is made when a text
first needs it.

Each word of a text comes from one of four vocabularies: from the page's topic with 0.40 times the page's purity, from
the topic's family with 0.15, from the host with 0.05, else from the background that all pages share. Purity is
Beta(6, 2): the second largest of seven uniforms.
"""

from __future__ import annotations

import math
import struct
from functools import cached_property, lru_cache

import numpy as np

from wolfspider.web.worlds.synthetic.counter import TO_UNIT_32, Shuffle, key_for, mix, mix_many, stream, unit_many
from wolfspider.web.worlds.synthetic.sites import FAMILIES, Ids, Sites, keyed

BACKGROUND, FAMILY, TOPIC, HOST = 20_000, 2_000, 1_500, 100  # words
BACKGROUND_BITS, FAMILY_BITS, TOPIC_BITS = 16, 14, 13  # size of the tables
_FIRST_FAMILY = BACKGROUND
_FIRST_TOPIC = _FIRST_FAMILY + FAMILIES * FAMILY
_FROM_FAMILY, _AMBIGUOUS, _FREQUENT = 0.20, 0.10, 50
_SYLLABLES = [consonant + vowel for consonant in "bdfghjklmnprstvz" for vowel in "aeio"]
_VALUES = {syllable: value for value, syllable in enumerate(_SYLLABLES)}
_COMMON_BITS, _LONG_BITS = 18, 24
_HOST_WORDS_KEPT = 1 << 14
_TOPIC_SHARE, _FAMILY_SHARE, _HOST_SHARE = 0.40, 0.15, 0.05
_MEDIAN_LENGTH, _SPREAD, _SHORTEST, _LONGEST = 250, 0.6, 30, 2000
_TOPIC_SHIFT, _FAMILY_SHIFT = BACKGROUND_BITS - TOPIC_BITS, BACKGROUND_BITS - FAMILY_BITS


def spell(number: int, bits: int) -> str:
    return "".join([_SYLLABLES[number >> shift & 63] for shift in range(0, bits, 6)])


def zipf_table(words: list[str], exponent: float, bits: int) -> list[str]:
    """2^bits entries; the word of rank r stands there about as often as r^-exponent wants, the rarest perhaps never."""
    size, pool = 1 << bits, len(words)
    # The integral of r^-exponent, but for a factor.
    rise = math.log if exponent == 1.0 else lambda rank: math.pow(rank, 1.0 - exponent) - 1.0
    table: list[str] = []
    for rank, word in enumerate(words, 2):
        share = rise(rank) / rise(pool + 1)
        table += [word] * (math.ceil(size * share - 0.5) - len(table))
    return table


class Vocabularies:
    keywords_among = 20  # of the most frequent words of a topic

    def __init__(self, sites: Sites) -> None:
        self.topics, self.per_family, seed = sites.topics, sites.per_family, sites.params.seed
        self._common = Shuffle(1 << _COMMON_BITS, key_for(seed, "common words"))
        self._long = Shuffle(1 << _LONG_BITS, key_for(seed, "host words"))
        self._names = Shuffle(1 << _LONG_BITS, key_for(seed, "host names"))
        self._overlap_key = key_for(seed, "overlap")
        self.family = lru_cache(FAMILIES)(self._family)
        self.topic = lru_cache(self.topics)(self._topic)
        self.topic_words = lru_cache(self.topics)(self._topic_words)
        self.host_word = lru_cache(_HOST_WORDS_KEPT)(self._host_word)

    @cached_property
    def background(self) -> list[str]:
        """A table, like `family` and `topic`: an entry drawn at random is a word drawn by its frequency."""
        return zipf_table(self._words(np.arange(BACKGROUND)), 1.05, BACKGROUND_BITS)

    def _family(self, family: int) -> list[str]:
        return zipf_table(self._words(_FIRST_FAMILY + family * FAMILY + np.arange(FAMILY)), 1.0, FAMILY_BITS)

    def _topic(self, topic: int) -> list[str]:
        return zipf_table(self.topic_words(topic), 0.9, TOPIC_BITS)

    def _topic_words(self, topic: int) -> list[str]:
        """The words of a topic, most frequent first; some belong to the family or to another topic as well."""
        ranks = np.arange(TOPIC)
        bits = keyed(mix(self._overlap_key + topic), ranks)
        u, choice = unit_many(bits), mix_many(bits)
        others = (topic + 1 + (choice % np.uint64(self.topics - 1)).astype(np.int64)) % self.topics
        topics = np.where((ranks < _FREQUENT) & (u < _FROM_FAMILY + _AMBIGUOUS), others, topic)
        family = topic // self.per_family * FAMILY + (choice % np.uint64(FAMILY)).astype(np.int64)
        return self._words(np.where(u < _FROM_FAMILY, _FIRST_FAMILY + family, _FIRST_TOPIC + topics * TOPIC + ranks))

    def _host_word(self, host: int, rank: int) -> str:
        return spell(self._long.forward((host * HOST + rank) & (1 << _LONG_BITS) - 1), _LONG_BITS)

    def host_name(self, host: int) -> str:
        return spell(self._names.forward(host), _LONG_BITS)

    def host_named(self, word: str) -> int | None:
        """The number a host's name stands for; it may lie beyond the last host."""
        number = sum(_VALUES.get(word[shift // 3 : shift // 3 + 2], 0) << shift for shift in range(0, _LONG_BITS, 6))
        return self._names.back(number) if spell(number, _LONG_BITS) == word else None

    def title(self, topic: int, bits: int) -> tuple[str, ...]:
        """Four to eight words of the topic, as these random bits want it."""
        table, low = self.topic(topic), (1 << TOPIC_BITS) - 1
        words = [table[word >> shift & low] for word in (bits, mix(bits)) for shift in (0, 13, 26, 39)]
        return tuple(words[: 4 + (bits >> 52) % 5])

    def prose(self, words: list[str]) -> str:
        """A paragraph of these words."""
        return " ".join(words)

    def _words(self, numbers: Ids) -> list[str]:
        return [spell(number, _COMMON_BITS) for number in self._common.forward_many(numbers.astype(np.uint64)).tolist()]


def normal(bits: int) -> float:
    """A standard normal number (Box and Muller) from 64 random bits."""
    radius = math.sqrt(-2.0 * math.log(((bits >> 32) + 1) * TO_UNIT_32))
    return radius * math.cos(2.0 * math.pi * (bits & 0xFFFFFFFF) * TO_UNIT_32)


def length(bits: int) -> int:
    return min(max(int(_MEDIAN_LENGTH * math.exp(_SPREAD * normal(bits))), _SHORTEST), _LONGEST)


def purity(bits: int) -> float:
    return sorted(bits >> shift & 511 for shift in range(0, 63, 9))[-2] / 511


def text(lexicon: Vocabularies, key: int, count: int, topic: int, host: int, pure: float) -> list[str]:
    """So many words for a page of this topic on this host."""
    to_topic = int(65536 * _TOPIC_SHARE * pure)
    to_family = to_topic + int(65536 * _FAMILY_SHARE)
    to_host = to_family + int(65536 * _HOST_SHARE)
    topical, background = lexicon.topic(topic), lexicon.background
    family = lexicon.family(topic // lexicon.per_family)
    draws = struct.unpack(f"<{2 * count}H", stream(mix(key), 4 * count))
    words = []
    for source, rank in zip(draws[:count], draws[count:], strict=True):
        if source >= to_host:
            words.append(background[rank])
        elif source < to_topic:
            words.append(topical[rank >> _TOPIC_SHIFT])
        elif source < to_family:
            words.append(family[rank >> _FAMILY_SHIFT])
        else:
            words.append(lexicon.host_word(host, rank % HOST))
    return words
