"""A naive Bayes classifier for wanted pages, by which words a page has; pages may count in part.

For each word two sums are kept: the weights of the wanted pages that have it, and those of the others. A page may count
in part on both sides, so that the classifier can learn from unlabelled pages as far as they are trusted. The evidence
of a page is the mean, over its words, of the log of how much likelier a word is on a wanted page:

    evidence = sum_w t_w ln(P(w | wanted) / P(w | other)) / sum_w t_w,      t_w = ln(1 + f_w)

It is the mean and not the sum, because the words of a page are far from independent and a sum would be certain of
everything. As long as there are few wanted pages, a word is judged mostly by how common it is overall; a word met only
once says nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np

from wolfspider.learn.lexicon import LIMIT, Floats, Ids, Lexicon

SMOOTHING = 0.5  # weight of a made-up wanted page that is like any page


class Evidence(NamedTuple):
    mean: float
    words: Floats  # what each word adds to it


class Classifier:
    def __init__(self, limit: int = LIMIT) -> None:
        self._lexicon = Lexicon(sums=2, limit=limit)
        self.wanted = 0.0  # total weights
        self.other = 0.0

    def numbers(self, words: Collection[str]) -> Ids:
        """Distinct words as the numbers that the other methods take, until the next call."""
        return self._lexicon.numbers(words)

    def evidence(self, ids: Ids, counts: Floats) -> Evidence:
        if not len(ids):
            return Evidence(0.0, np.zeros(0))
        wanted, other = self._lexicon.sums(ids)
        met = wanted + other
        usual = (met + 1) / (self.wanted + self.other + 2)
        here = (wanted + SMOOTHING * usual) * ((self.other + 2) / (self.wanted + SMOOTHING))
        likelier = np.log(here / (other + 1))
        weights = np.log1p(counts)
        words = np.where(met >= 2, weights * likelier, 0.0) / weights.sum()
        return Evidence(float(words.sum()), words)

    def add(self, ids: Ids, wanted: float, other: float) -> None:
        """One more page by its distinct words, with its weight on each side."""
        self._lexicon.add(ids, wanted, other)
        self.wanted += wanted
        self.other += other

    def state(self) -> dict[str, Any]:
        return {"lexicon": self._lexicon.state(), "wanted": self.wanted, "other": self.other}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._lexicon.restore(state["lexicon"])
        self.wanted, self.other = state["wanted"], state["other"]
