"""Two models of how far a page is from wanted pages, learned from the layers of a context graph.

Layer 0 holds the wanted pages, layer n the pages from which a wanted one is n links away. A bag is how often each word
is on a page. `Bayes` estimates the layer of a page (Diligenti et al. 2000), `Relevancy` how relevant its words are on
average (Hsu and Wu 2006). Both depend on the given bags and on nothing else.
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
    """Naive Bayes over layers with equal priors; general pages, which are like none of the layers, are the last class.

    A page is represented by its best n terms by tf-idf, each once; words that no training page had are ignored. The
    logs of their likelihoods are added and divided by the root of n. The terms of a page are far from independent: a
    plain sum would give every page a posterior of 0 or 1, which neither orders pages nor recognises one that is like no
    layer.
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
        """The terms of a page with the highest tf-idf."""
        idf = self._idf
        weights = {word: count * idf[word] for word, count in bag.items() if word in idf}
        return nlargest(self.terms, weights, key=weights.__getitem__)

    def posteriors(self, bag: Bag) -> list[float]:
        """Of each layer, and last of the general pages, if there are any. A page without a known term has equal
        ones."""
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

    R(w) = sum_d alpha^layer(d) f_w(d) / sum_d f_w(d), over all pages. The words that tell wanted from general pages are
    those with the largest |P_T ln(P_T / P_G)|, where P_T weighs pages by alpha^layer, and P_G counts each word of
    general pages once more.
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
        """The same for an anchor, cached: pages of a site show the same anchors again and again."""
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
