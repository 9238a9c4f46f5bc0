"""How relevant a page is, and how near a link's surroundings are to the topic.

The paper weighs pages by tf-idf, with the idf of the topic's words taken from a search engine's hit counts before the
crawl. No such service is asked here. What is set before the start is what an earlier run counted (`--learned-from`): on
how many of its pages each term of the topic was. Without one, all terms weigh the same: an idf guessed from a few seeds
would say that what they all have, the topic, is worth nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from wolfspider.core.model import Link, Page
from wolfspider.core.text import block_words, counts, window, words
from wolfspider.core.topic import Topic
from wolfspider.learn.examples import damped
from wolfspider.learn.terms import Terms
from wolfspider.policy.topic_words import Similarity, topic_weights

LONGEST = 200  # words of a block; one that is longer is the page rather than the link's surroundings
SHORTEST = 10  # and one that is shorter says too little


class Relevance:
    """cos of the topic's terms and the page, tf = 1 + ln f; the idf of words that are not the topic's is 1."""

    def __init__(self, topic: Topic, background: Mapping[str, Any]) -> None:
        self._terms = Terms(topic_weights(topic))
        self.names = self._terms.names
        pages, on = background.get("pages", 0), background.get("on", {})
        self.idf = [math.log((1 + pages) / (1 + on.get(name, 0))) + 1 for name in self.names] if pages else None
        self._idf = self.idf or [1.0] * len(self.names)
        self._weights = [weight * idf for weight, idf in zip(self._terms.weights, self._idf, strict=True)]
        self._norm = math.sqrt(sum(weight * weight for weight in self._weights))

    def found(self, page: Page) -> list[int]:
        """How often each term is on the page."""
        return self._terms.count(counts(page))

    def of(self, page: Page, found: list[int]) -> float:
        common = extra = 0.0
        for weight, idf, count in zip(self._weights, self._idf, found, strict=True):
            if count:
                frequency = 1 + math.log(count)
                common += weight * idf * frequency
                extra += (idf * idf - 1) * frequency * frequency
        if not common:
            return 0.0
        size = sum(weight * weight for weight in damped(counts(page)).values()) + extra
        return min(1.0, common / (self._norm * math.sqrt(max(size, 1e-12))))


def surroundings(page: Page, link: Link) -> tuple[str, ...]:
    """A link's context after Pant: its anchor, and the smallest element around it with ten words or more; where there
    is none of a fair size, twenty words to each side."""
    first, last = link.block
    if SHORTEST <= last - first <= LONGEST:
        return (*words(link.anchor), *block_words(page, link))
    return window(page, link)


def nearness(page: Page, links: list[Link], similarity: Similarity, anything: bool) -> list[float]:
    """How near the context of each link is to the topic. A page without a word of the topic has none in its links'
    surroundings either, and only their anchors are looked at: an anchor may be the text of a picture."""
    if anything:
        return [similarity.of_words(surroundings(page, link)) for link in links]
    return [similarity.of_text(link.anchor) for link in links]
