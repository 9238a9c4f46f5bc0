"""A web in English: the same sites and links as in an invented language, with words and sentences that people read.

What a page says is nonsense, but a person sees at a glance what it is about. Topics overlap here, too: of the words of
a topic a fifth belong to its family as well, and some to one other topic. Names of hosts are two words.
"""

from __future__ import annotations

from functools import cached_property

from wolfspider.web.worlds.synthetic.counter import Shuffle, key_for, mix
from wolfspider.web.worlds.synthetic.english_words import (
    EVERYDAY,
    FAMILIES_IN_ENGLISH,
    FIRST_NAMES_OF_SITES,
    SECOND_NAMES_OF_SITES,
    SECTIONS_OF_SITES,
    TOPICS_IN_ENGLISH,
)
from wolfspider.web.worlds.synthetic.sites import Sites
from wolfspider.web.worlds.synthetic.words import (
    BACKGROUND_BITS,
    FAMILY_BITS,
    TOPIC_BITS,
    Vocabularies,
    zipf_table,
)

_SECTIONS, _FIRST, _SECOND = SECTIONS_OF_SITES.split(), FIRST_NAMES_OF_SITES.split(), SECOND_NAMES_OF_SITES.split()
_NAME_BITS = 12  # six for each word
_FROM_FAMILY, _FROM_ANOTHER = 8, 3  # words of a topic that it shares, besides its own thirty
_TITLES = (
    "notes on {} and {}",
    "{} {} and {}",
    "{} for beginners of {}",
    "all about {} and {}",
    "{} {} {} and {}",
    "from {} to {}",
    "why {} need {}",
    "{} with {} and without {}",
)
_SENTENCES = (
    "There are {} behind the {}.",
    "Nobody knows {} without {} and {}.",
    "In old times {} were rarer than {}.",
    "With {} and {} it is easier.",
    "Many ask about {}, some about {}, few about {}.",
    "See how {} change {}.",
    "First come {}, then {}, at last {}.",
    "Of all {} those with {} are best.",
    "Between {} and {} is room for {}.",
    "We saw {} beside {}.",
)


class English(Vocabularies):
    keywords_among = 5  # the words by which a person would name a topic

    def __init__(self, sites: Sites) -> None:
        super().__init__(sites)
        seed = sites.params.seed
        self._site_names = Shuffle(1 << _NAME_BITS, key_for(seed, "english names"))
        self._sections_key, self._shared_key = key_for(seed, "english sections"), key_for(seed, "english overlap")

    @cached_property
    def background(self) -> list[str]:
        return zipf_table(EVERYDAY.split(), 0.5, BACKGROUND_BITS)

    def _family(self, family: int) -> list[str]:
        return zipf_table(FAMILIES_IN_ENGLISH[family][0], 0.5, FAMILY_BITS)

    def _topic_words(self, topic: int) -> list[str]:
        own, bits = TOPICS_IN_ENGLISH[topic], mix(self._shared_key + topic)
        other = TOPICS_IN_ENGLISH[(topic + 1 + bits % (self.topics - 1)) % self.topics]
        first = bits >> 32
        of_family = _shifted(FAMILIES_IN_ENGLISH[topic // self.per_family][0], first)[:_FROM_FAMILY]
        return list(dict.fromkeys([*own, *of_family, *_shifted(other, first)[:_FROM_ANOTHER]]))

    def _host_word(self, host: int, rank: int) -> str:
        """Different words for each rank: their number is prime."""
        bits, count = mix(self._sections_key + host), len(_SECTIONS)
        return _SECTIONS[(bits + rank * (1 + (bits >> 32) % (count - 1))) % count]

    def host_name(self, host: int) -> str:
        number = self._site_names.forward(host % (1 << _NAME_BITS))
        again = host >> _NAME_BITS
        return f"{_FIRST[number >> 6]}-{_SECOND[number & 63]}{again or ''}"

    def host_named(self, word: str) -> int | None:
        first, _, rest = word.partition("-")
        second = rest.rstrip("0123456789")
        again = rest[len(second) :]
        if first not in _FIRST or second not in _SECOND or len(again) > 9:
            return None
        number = self._site_names.back(_FIRST.index(first) << 6 | _SECOND.index(second))
        host = (int(again or 0) << _NAME_BITS) + number
        return host if self.host_name(host) == word else None

    def title(self, topic: int, bits: int) -> tuple[str, ...]:
        """At least four words, two or more of them of the topic."""
        table, low = self.topic(topic), (1 << TOPIC_BITS) - 1
        drawn = [table[word >> shift & low] for word in (bits, mix(bits)) for shift in (0, 13, 26, 39)]
        words = iter(dict.fromkeys([*drawn, *self.topic_words(topic)]))
        pattern = _TITLES[(bits >> 52) % len(_TITLES)]
        return tuple(next(words) if word == "{}" else word for word in pattern.split())

    def prose(self, words: list[str]) -> str:
        """In sentences."""
        sentences, at = [], 0
        while at < len(words):
            pattern = _SENTENCES[(len(words[at]) + at) % len(_SENTENCES)]
            slots = pattern.count("{}")
            if at + slots > len(words):
                sentences.append(f"And {' and '.join(words[at:])}.")
                break
            sentences.append(pattern.format(*words[at : at + slots]))
            at += slots
        return " ".join(sentences)


def _shifted(words: list[str], by: int) -> list[str]:
    at = by % len(words)
    return words[at:] + words[:at]
