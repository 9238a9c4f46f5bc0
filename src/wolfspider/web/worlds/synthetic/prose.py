"""The text of pages: how long, how pure, and word by word from four vocabularies.

A word comes from the page's topic with 0.40 times the page's purity, from the topic's family with 0.15, from the host
with 0.05, else from the background that all pages share. Purity is Beta(6, 2): the second largest of seven uniforms.
"""

from __future__ import annotations

import math
import struct

from wolfspider.web.worlds.synthetic.counter import TO_UNIT_32, mix, stream
from wolfspider.web.worlds.synthetic.words import BACKGROUND_BITS, FAMILY_BITS, HOST, TOPIC_BITS, Vocabularies

_TOPIC_SHARE, _FAMILY_SHARE, _HOST_SHARE = 0.40, 0.15, 0.05
_MEDIAN, _SIGMA, _SHORTEST, _LONGEST = 250, 0.6, 30, 2000
_TOPIC_SHIFT, _FAMILY_SHIFT = BACKGROUND_BITS - TOPIC_BITS, BACKGROUND_BITS - FAMILY_BITS


def normal(bits: int) -> float:
    """A standard normal number (Box and Muller) from 64 random bits."""
    radius = math.sqrt(-2.0 * math.log(((bits >> 32) + 1) * TO_UNIT_32))
    return radius * math.cos(2.0 * math.pi * (bits & 0xFFFFFFFF) * TO_UNIT_32)


def length(bits: int) -> int:
    return min(max(int(_MEDIAN * math.exp(_SIGMA * normal(bits))), _SHORTEST), _LONGEST)


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
