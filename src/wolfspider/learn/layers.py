"""What pages say of how far the wanted ones are: two small models learned from the layers of a context graph.

Layer 0 are wanted pages, layer n those from which a wanted one is n links away. A bag is how often each word is on a
page. `Bayes` tells the layer of a page (Diligenti et al. 2000), `Relevancy` how relevant its words are on the whole
(Hsu and Wu 2006). Both are functions of the bags they were given and of nothing else.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

from wolfspider.core.text import counted, words

REMEMBERED = 10_000  # texts of links

Bag = Mapping[str, int]


class Guess(NamedTuple):
    layer: int  # one more than the last layer: none of them
    posterior: float  # of the likeliest layer, also if it is none


class Bayes:
    """Naive Bayes over layers that are equally likely beforehand, with what is like none of them as the last class.

    A page is its best n terms by tf-idf, each once; words that no page of the training had are not read. The logs of
    their likelihoods are added and divided by the root of n. The terms of a page say the same again and again: plainly
    added they make a posterior of 0 or 1 of every page, and then there is neither an order of pages nor one that is
    like no layer.
    """

    def __init__(self, layers: Sequence[Sequence[Bag]], general: Sequence[Bag] = (), terms: int = 40) -> None:
        self.layers, self.terms = len(layers), terms
        classes = [*layers, general] if general else list(layers)
        self._idf = rarities(bag for bags in classes for bag in bags)
        counts = [Counter(word for bag in bags for word in self.best(bag)) for bags in classes]
        known = dict.fromkeys(word for count in counts for word in count)
        sizes = [math.log(max(count.total() + len(known), 1)) for count in counts]
        self._logs = {
            word: [math.log(count[word] + 1) - size for count, size in zip(counts, sizes, strict=True)]
            for word in known
        }
        self._classes = len(classes)

    def best(self, bag: Bag) -> list[str]:
        """The terms that tell most of a page."""
        idf = self._idf
        weights = {word: count * idf[word] for word, count in bag.items() if word in idf}
        return nlargest(self.terms, weights, key=weights.__getitem__)

    def posteriors(self, bag: Bag) -> list[float]:
        """Of each layer, and of the general pages last if there are any. A page without a known term may be any."""
        logs = [self._logs[word] for word in self.best(bag) if word in self._logs]
        sums = [sum(column) / math.sqrt(len(logs)) for column in zip(*logs, strict=True)]
        return softmax(sums or [0.0] * self._classes)

    def guess(self, bag: Bag, threshold: float) -> Guess:
        """The likeliest layer, or none where that is not likely enough, or a general page is likelier."""
        chances = self.posteriors(bag)
        layer = max(range(self.layers), key=chances.__getitem__)
        rejected = chances[layer] < max(threshold, *chances)
        return Guess(self.layers if rejected else layer, chances[layer])


class Relevancy:
    """How relevant words are: those of layer n count alpha^n, those of general pages nothing.

    R(w) = sum_d alpha^layer(d) f_w(d) / sum_d f_w(d), over all pages; the words that tell wanted and general pages
    apart are those with the largest |P_T ln(P_T / P_G)|, P_T by alpha^layer, P_G of general pages with each word once
    more.
    """

    def __init__(
        self, layers: Sequence[Sequence[Bag]], general: Sequence[Bag] = (), alpha: float = 0.7, features: int = 500
    ) -> None:
        wanted: dict[str, float] = {}
        usual, met = Counter[str](), Counter[str]()
        for distance, bags in enumerate(layers):
            for bag in bags:
                met.update(bag)
                for word, count in bag.items():
                    wanted[word] = wanted.get(word, 0.0) + alpha**distance * count
        for bag in general:
            met.update(bag)
            usual.update(bag)
        ours, theirs = sum(wanted.values()) or 1.0, usual.total() + len(met)
        telling = {
            word: abs(mass / ours * math.log(mass / ours * theirs / (usual[word] + 1)))
            for word, mass in wanted.items()
            if mass
        }
        self._known: dict[str, float] = {}  # texts
        self.words = {word: wanted[word] / met[word] for word in nlargest(features, telling, key=telling.__getitem__)}

    def expected(self, bag: Bag) -> float:
        """E = sum_w P(w | d) R(w) over the telling words of a text, with P(w | d) their shares of all its words."""
        relevance = self.words
        found = sum(count * relevance[word] for word, count in bag.items() if word in relevance)
        return found / sum(bag.values()) if found else 0.0

    def expected_of_text(self, text: str) -> float:
        """The same of an anchor; pages of a site show the same ones again and again."""
        value = self._known.get(text)
        if value is None:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            value = self._known[text] = self.expected(counted(words(text)))
        return value


def rarities(bags: Iterable[Bag]) -> dict[str, float]:
    """idf = ln((1 + n) / (1 + df)) + 1."""
    pages, with_word = 0, Counter[str]()
    for bag in bags:
        pages += 1
        with_word.update(bag.keys())
    return {word: math.log((1 + pages) / (1 + df)) + 1 for word, df in with_word.items()}


def softmax(logs: Sequence[float]) -> list[float]:
    highest = max(logs, default=0.0)
    shares = [math.exp(log - highest) for log in logs]
    return [share / sum(shares) for share in shares]
