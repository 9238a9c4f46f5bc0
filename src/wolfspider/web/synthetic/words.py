"""Words that mean something to a crawler and nothing to a person.

A word is a number spelled in consonant-vowel syllables, six bits each; a keyed permutation scatters the numbers, so
that neighbouring ranks do not look alike. Common words have three syllables: 20,000 of the background, 2,000 for each
family of topics, 1,500 for each topic. Words of a host (100 each) and names of hosts have four.

Topics overlap, as real ones do: a fifth of a topic's words come from its family, and of its fifty most frequent a
tenth are shared with one other topic. A table of words, each as often as Zipf's law wants it, is made when a text
first needs it.
"""

from __future__ import annotations

from functools import lru_cache

from wolfspider.web.synthetic.counter import Shuffle, key_for, mix, unit
from wolfspider.web.synthetic.sites import FAMILIES, Sites

BACKGROUND, FAMILY, TOPIC, HOST = 20_000, 2_000, 1_500, 100  # words
BACKGROUND_BITS, FAMILY_BITS, TOPIC_BITS = 16, 14, 13  # size of the tables
_FIRST_FAMILY = BACKGROUND
_FIRST_TOPIC = _FIRST_FAMILY + FAMILIES * FAMILY
_FROM_FAMILY, _AMBIGUOUS, _FREQUENT = 0.20, 0.10, 50
_SYLLABLES = [consonant + vowel for consonant in "bdfghjklmnprstvz" for vowel in "aeio"]
_VALUES = {syllable: value for value, syllable in enumerate(_SYLLABLES)}
_COMMON_BITS, _LONG_BITS = 18, 24
_HOST_WORDS_KEPT = 1 << 14


def spell(number: int, bits: int) -> str:
    return "".join([_SYLLABLES[number >> shift & 63] for shift in range(0, bits, 6)])


def unspell(word: str, bits: int) -> int | None:
    """The number that is spelled so, or None."""
    if len(word) * 3 != bits:
        return None
    number = 0
    for shift in range(0, bits, 6):
        value = _VALUES.get(word[shift // 3 : shift // 3 + 2])
        if value is None:
            return None
        number |= value << shift
    return number


def zipf_table(words: list[str], exponent: float, bits: int) -> list[str]:
    """2^bits entries; a word of rank r stands there about r^-exponent as often as the first."""
    size, pool = 1 << bits, len(words)
    power = 1.0 - exponent
    edge = (pool + 1) ** power - 1.0
    middles = ((slot + 0.5) / size for slot in range(size))
    if exponent == 1.0:
        return [words[min(int((pool + 1) ** u), pool) - 1] for u in middles]
    return [words[min(int((u * edge + 1.0) ** (1.0 / power)), pool) - 1] for u in middles]


class Lexicon:
    def __init__(self, sites: Sites) -> None:
        self.topics = sites.topics
        self.per_family = sites.per_family
        seed = sites.params.seed
        self._common = Shuffle(1 << _COMMON_BITS, key_for(seed, "common words"))
        self._long = Shuffle(1 << _LONG_BITS, key_for(seed, "host words"))
        self._names = Shuffle(1 << _LONG_BITS, key_for(seed, "host names"))
        self._overlap_key = key_for(seed, "overlap")
        self.family = lru_cache(FAMILIES)(self._family)
        self.topic = lru_cache(self.topics)(self._topic)
        self.host_word = lru_cache(_HOST_WORDS_KEPT)(self._host_word)
        self._background: list[str] = []

    @property
    def background(self) -> list[str]:
        if not self._background:
            words = [self._word(rank) for rank in range(BACKGROUND)]
            self._background = zipf_table(words, 1.05, BACKGROUND_BITS)
        return self._background

    def _family(self, family: int) -> list[str]:
        words = [self._word(_FIRST_FAMILY + family * FAMILY + rank) for rank in range(FAMILY)]
        return zipf_table(words, 1.0, FAMILY_BITS)

    def _topic(self, topic: int) -> list[str]:
        return zipf_table([self.topic_word(topic, rank) for rank in range(TOPIC)], 0.9, TOPIC_BITS)

    def topic_word(self, topic: int, rank: int) -> str:
        bits = mix(mix(self._overlap_key + topic) + rank)
        u = unit(bits)
        if u < _FROM_FAMILY:
            return self._word(_FIRST_FAMILY + topic // self.per_family * FAMILY + mix(bits) % FAMILY)
        if rank < _FREQUENT and u < _FROM_FAMILY + _AMBIGUOUS:
            topic = (topic + 1 + mix(bits) % (self.topics - 1)) % self.topics
        return self._word(_FIRST_TOPIC + topic * TOPIC + rank)

    def _host_word(self, host: int, rank: int) -> str:
        return spell(self._long.forward((host * HOST + rank) & (1 << _LONG_BITS) - 1), _LONG_BITS)

    def host_name(self, host: int) -> str:
        return spell(self._names.forward(host), _LONG_BITS)

    def host_named(self, word: str) -> int | None:
        """The number a host's name stands for; it may lie beyond the last host."""
        number = unspell(word, _LONG_BITS)
        return None if number is None else self._names.back(number)

    def _word(self, number: int) -> str:
        return spell(self._common.forward(number), _COMMON_BITS)
