"""Judges that compare a page with the words of the topic: keywords, coverage and tf-idf."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wolfspider.core.model import Page, Verdict, word_count
from wolfspider.core.text import cosine, counts, words
from wolfspider.core.topic import Topic
from wolfspider.learn.examples import Examples
from wolfspider.policy.judges.judge import Unlearning, verdict
from wolfspider.policy.topic_words import WeightedTerms, topic_weights


class Keywords(Unlearning):
    """The similarity of LAFC (Akbari Torkestani 2012) with keywords of several words counted as phrases."""

    BORDER = 0.75

    def __init__(self, topic: Topic) -> None:
        self._keywords = [term for term in dict.fromkeys(tuple(words(keyword)) for keyword in topic.keywords) if term]

    def score(self, page: Page) -> Verdict:
        bag = counts(page)
        found = {" ".join(term): self._count(page, bag, term) for term in self._keywords}
        return verdict(scaled_cosine(list(found.values())), self.BORDER, words=[name for name in found if found[name]])

    def _count(self, page: Page, bag: Mapping[str, int], term: tuple[str, ...]) -> int:
        if len(term) == 1 or not all(word in bag for word in term):
            return bag.get(term[0], 0) if len(term) == 1 else 0
        return sum(page.words[i : i + len(term)] == term for i, word in enumerate(page.words) if word == term[0])


def scaled_cosine(frequencies: Sequence[int]) -> float:
    """`keyword_cosine` (policy/topic_words.py) of frequencies divided by the largest, as the paper prints it. The two
    differ in the last bit, and a run is resumed only if every score comes out exactly as before: neither may change."""
    largest = max(frequencies, default=0)
    if not largest:
        return 0.0
    page = {str(place): frequency / largest for place, frequency in enumerate(frequencies)}
    return min(1.0, cosine(dict.fromkeys(page, 1.0), page))


class Coverage(Unlearning):
    """How much of the topic a page covers: each term weighed by how rare it is and by how often the page has it.

    raw = sum_i w_i r_i f_i / (f_i + k) / sum_i w_i r_i,   k = 1 + words / 500
    r_i = -ln max(0.01, (df_i + 1) / (n + 100))

    It is BM25 as a share, and it is stable. How often a word must be said depends on how long the page is, not on how
    long others are. A term starts as one that stands on a hundredth of all pages and cannot become rarer: words of the
    topic that the web does not know weigh no more than those it does, also when a good crawl has made these common.
    """

    BORDER = 0.2

    def __init__(self, topic: Topic) -> None:
        self._terms = WeightedTerms(topic_weights(topic))
        self.terms = self._terms.names
        self._pages = 0
        self._df = [0] * len(self._terms)

    def score(self, page: Page) -> Verdict:
        raw, found = self.measure(page)
        return verdict(raw, self.BORDER, words=found)

    def measure(self, page: Page) -> tuple[float, list[str]]:
        """The raw value, and which terms are there. The page is counted."""
        found = self._terms.count_on(page)
        self._pages += 1
        self._df = [df + (count > 0) for df, count in zip(self._df, found, strict=True)]
        return self._measured(page, found)

    def glimpse(self, page: Page) -> tuple[float, list[str]]:
        """The same for a page that is not counted."""
        return self._measured(page, self._terms.count_on(page))

    def _measured(self, page: Page, found: Sequence[int]) -> tuple[float, list[str]]:
        names = [name for name, count in zip(self.terms, found, strict=True) if count]
        return self._raw(1 + word_count(page) / 500, found) if names else 0.0, names

    def places(self, words: Sequence[str]) -> list[int]:
        """Which of these words belong to the topic."""
        return self._terms.places(words)

    def _raw(self, k: float, found: Sequence[int]) -> float:
        best = got = 0.0
        for weight, df, count in zip(self._terms.weights, self._df, found, strict=True):
            rare = weight * -math.log(max(0.01, (df + 1) / (self._pages + 100)))
            best += rare
            got += rare * count / (count + k)
        return got / best

    def state(self) -> dict[str, Any]:
        return {"pages": self._pages, "df": list(self._df)}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._pages, self._df = state["pages"], list(state["df"])


class OfOneTopic(ABC):
    """A base for judges that start from the coverage of a topic and learn: what they know is of use for that topic."""

    _coverage: Coverage

    def learn_examples(self, topic: Topic) -> None:
        """The pages that came with the topic."""
        for pages, label in ((topic.liked, True), (topic.disliked, False)):
            for page in pages:
                self._teach(page, label)

    def learn(self, page: Page, label: bool) -> None:
        self._teach(page, label)

    @abstractmethod
    def _teach(self, page: Page, label: bool) -> None: ...

    @abstractmethod
    def state(self) -> dict[str, Any]: ...

    @abstractmethod
    def restore(self, state: Mapping[str, Any]) -> None: ...

    def learned(self) -> dict[str, Any]:
        return {"terms": list(self._coverage.terms), **self.state()}

    def inherit(self, learned: Mapping[str, Any]) -> None:
        """From a run that wanted the same; what a run for another topic learned would mislead."""
        if learned.get("terms") == list(self._coverage.terms):
            self.restore(learned)


class TfIdf(Unlearning):
    """The cosine of tf-idf vectors over all words of the page: tf = 1 + ln f, idf = ln((1 + n) / (1 + df)) + 1."""

    BORDER = 0.06

    def __init__(self, topic: Topic) -> None:
        wanted: dict[str, float] = {}
        for term, weight in topic_weights(topic).items():
            wanted.update({word: max(weight, wanted.get(word, 0.0)) for word in term})
        self._examples = Examples([wanted])

    def score(self, page: Page) -> Verdict:
        bag = counts(page)
        found = self._examples.compare(bag)
        norms = np.sqrt(found.examples * found.page)
        raw = float((found.common / np.maximum(norms, 1e-12)).mean())
        return verdict(raw, self.BORDER, words=[word for word in self._examples.bags[0] if word in bag])

    def state(self) -> dict[str, Any]:
        return self._examples.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        self._examples.restore(state)
