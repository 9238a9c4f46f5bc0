"""Tf-idf comparison of pages with examples: the products and squares that cosine and Tanimoto are made of.

tf = 1 + ln f and idf = ln((1 + n) / (1 + df)) + 1, with n and df of the pages compared so far, this one included.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from wolfspider.learn.lexicon import Floats, Lexicon

Weights = Mapping[str, float]


class Products(NamedTuple):
    common: Floats  # example times page, for each example
    examples: Floats  # each example's square
    page: float  # the page's square


def damped(bag: Mapping[str, int]) -> dict[str, float]:
    """1 + ln f: the tenth occurrence of a word adds less than the first."""
    return {word: 1 + math.log(count) for word, count in bag.items()}


class Examples:
    def __init__(self, bags: Sequence[Weights]) -> None:
        self._lexicon = Lexicon()
        self.clear()
        for bag in bags:
            self.add(bag)

    def clear(self) -> None:
        """Remove all examples; the statistics of pages stay."""
        self.bags: list[Weights] = []
        self._place: dict[str, int] = {}  # of a word in the examples' own, smaller vocabulary
        self._df = np.zeros(0)
        self._weights = np.zeros((0, 0))  # example x word

    def add(self, bag: Weights) -> None:
        """One more example. The pages before it count for its words as far as the lexicon remembers them."""
        new = [word for word in bag if word not in self._place]
        self._place.update({word: len(self._place) + number for number, word in enumerate(new)})
        self._df = np.append(self._df, self._lexicon.frequencies(new))
        wide = np.zeros((len(self.bags) + 1, len(self._place)))
        wide[: self._weights.shape[0], : self._weights.shape[1]] = self._weights
        for word, weight in bag.items():
            wide[-1, self._place[word]] = weight
        self.bags.append(bag)
        self._weights = wide

    def compare(self, bag: Mapping[str, int]) -> Products:
        lexicon = self._lexicon
        ids = lexicon.numbers(bag.keys())
        lexicon.add(ids)
        places = np.fromiter(map(self._place.get, bag.keys(), repeat(-1)), np.int64, len(bag))
        shared = places >= 0
        places = places[shared]
        self._df[places] += 1
        page = (1 + np.log(np.fromiter(bag.values(), np.float64, len(bag)))) * lexicon.idf(ids)
        examples = self._weights * (np.log((1 + lexicon.pages) / (1 + self._df)) + 1)
        return Products(examples[:, places] @ page[shared], (examples * examples).sum(axis=1), float(page @ page))

    def state(self) -> dict[str, Any]:
        return {"lexicon": self._lexicon.state(), "bags": [dict(bag) for bag in self.bags], "df": self._df.copy()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._lexicon.restore(state["lexicon"])
        self.clear()
        for bag in state["bags"]:
            self.add(bag)
        self._df = np.array(state["df"], np.float64)
