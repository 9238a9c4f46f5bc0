"""Training of a model of page states: word counts, clusters, the most informative words, and their posteriors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from wolfspider.core.model import Page
from wolfspider.learn import pddp, prtfidf
from wolfspider.learn.corpus import Corpus, commonest, gathered, without_stop_words

Floats = NDArray[np.float32]
_BATCH = 1000  # pages that are classified at once


class TrainingSettings(NamedTuple):
    """The settings of a training; page_states.py has their usual values."""

    classes: int
    words: int
    stop: int
    least_pages: int
    clustering_words: int
    candidates: int
    tfidf: bool
    scaled: bool
    pooled: bool


class Learned(NamedTuple):
    words: tuple[str, ...]
    stop: tuple[str, ...]
    posteriors: Floats  # a row for each word, the general class last
    weights: Floats
    counts: Any  # of these words on each page


def learn(pages: Iterable[Page], wanted: TrainingSettings) -> Learned | None:
    """None if there are no words."""
    useful, stop = without_stop_words(gathered(pages), wanted.stop, wanted.least_pages)
    corpus = commonest(useful, wanted.candidates)
    if not corpus.words:
        return None
    labels = pddp.grow(_documents(commonest(corpus, wanted.clustering_words), wanted.tfidf), wanted.classes).labels()
    gains = prtfidf.information_gain(corpus.counts, labels)
    chosen = np.sort(np.argsort(-gains, kind="stable")[: wanted.words])
    kept = corpus.only(chosen)
    posteriors = prtfidf.train(kept.counts, labels, general=True, pooled=wanted.pooled)
    weights = gains[chosen] if wanted.scaled and gains.max() > 0 else np.ones(len(chosen))
    return Learned(kept.words, stop, posteriors, weights.astype(np.float32), kept.counts)


def thresholds(posteriors: Floats, weights: Floats, counts: Any, percentile: float) -> Floats:
    """The percentile of the posteriors over all pages, for each class but the general one."""
    found = np.concatenate(
        [
            _classified(posteriors, weights, counts[first : first + _BATCH])
            for first in range(0, counts.shape[0], _BATCH)
        ]
    )
    return np.asarray(np.percentile(found[:, :-1], percentile, axis=0), np.float32)


def _classified(posteriors: Floats, weights: Floats, counts: Any) -> NDArray[np.float64]:
    rows = counts @ sparse.diags_array(weights.astype(np.float64))
    sums = np.asarray(rows.sum(axis=1), np.float64).reshape(-1, 1)
    found = np.asarray(rows @ posteriors, np.float64)
    return np.divide(found, sums, out=np.full_like(found, 1 / posteriors.shape[1]), where=sums > 0)


def _documents(corpus: Corpus, tfidf: bool) -> Any:
    """Rows of length one."""
    if not tfidf:
        return pddp.unit_rows(corpus.counts)
    rarity = np.log(corpus.counts.shape[0] / np.maximum(corpus.pages_with(), 1))
    return pddp.unit_rows(corpus.counts @ sparse.diags_array(rarity))
