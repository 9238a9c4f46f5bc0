"""Words that keep company with a topic: learned from pages that have the words of the topic, and from labels.

For each word three sums are kept: the weights of the pages that count as wanted, those of the others, and those of
pages that a person likes. A page may count in part on both sides. The evidence of a page is the mean, over its words,
of the log of how much likelier a word is on a wanted page:

    evidence = sum_w t_w ln(P(w | wanted) / P(w | other)) / sum_w t_w,      t_w = ln(1 + f_w)

The words of the topic itself are no evidence: they made the page count as wanted in the first place. Liked pages
together weigh at most LIKED. A few of them would otherwise outweigh what thousands of pages say, and every page that
does not share their words, which are most of the relevant ones, would be refused. A word that was met only once says
nothing, unless a person liked the page that has it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from wolfspider.learn.classifier import SMOOTHING, Evidence
from wolfspider.learn.lexicon import LIMIT, Floats, Ids, Lexicon

LIKED = 0.3  # what all liked pages together weigh at most


class Companions:
    def __init__(self, limit: int = LIMIT, liked_suffices: bool = True) -> None:
        """`liked_suffices`: a word says something if it is on a liked page and on no other."""
        self._lexicon = Lexicon(sums=3, limit=limit)
        self._liked_suffices = liked_suffices
        self.wanted = self.other = self.liked = 0.0  # total weights

    def numbers(self, words: Collection[str]) -> Ids:
        """Distinct words as the numbers that the other methods take, until the next call."""
        return self._lexicon.numbers(words)

    def evidence(self, ids: Ids, counts: Floats, topical: Collection[int]) -> Evidence:
        """`topical`: the places of the topic's own words."""
        if not len(ids):
            return Evidence(0.0, np.zeros(0))
        weights = np.log1p(counts)
        adds = weights * self._likelier(ids) / np.add.reduce(weights)
        if topical:
            adds[list(topical)] = 0.0
        return Evidence(float(np.add.reduce(adds)), adds)

    def _likelier(self, ids: Ids) -> Floats:
        wanted, other, liked = self._lexicon.sums(ids)
        total = self.wanted
        if self.liked:
            trusted = min(1.0, LIKED / self.liked)
            wanted, total = wanted + trusted * liked, total + trusted * self.liked
        met = wanted + other
        usual = (met + 1) / (total + self.other + 2)
        here = (wanted + SMOOTHING * usual) * ((self.other + 2) / (total + SMOOTHING))
        telling = (met >= 2) | (liked > 0) if self._liked_suffices and self.liked else met >= 2
        return np.where(telling, np.log(here / (other + 1)), 0.0)

    def add(self, ids: Ids, wanted: float = 0.0, other: float = 0.0, liked: float = 0.0) -> None:
        """One more page by its distinct words, with its weight on each side."""
        self._lexicon.add(ids, wanted, other, liked)
        self.wanted += wanted
        self.other += other
        self.liked += liked

    def state(self) -> dict[str, Any]:
        totals = {"wanted": self.wanted, "other": self.other, "liked": self.liked}
        return {"lexicon": self._lexicon.state(), **totals}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._lexicon.restore(state["lexicon"])
        self.wanted, self.other, self.liked = state["wanted"], state["other"], state["liked"]
