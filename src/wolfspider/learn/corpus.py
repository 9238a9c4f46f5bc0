"""A background corpus: pages as counts of words, and the choice of useful words.

Pages are counted one by one and not kept. Bounded are the words of a page, the words of all pages, and the counts.
Words on most pages say nothing about the subject of a text and become the stop list; words on very few pages are
dropped.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from wolfspider.core.model import Page
from wolfspider.core.text import counts
from wolfspider.learn.lexicon import numbered

MOST_OF_PAGE = 20_000  # distinct words of a page that are counted
MOST_WORDS = 2_000_000  # distinct words of all pages
MOST_COUNTS = 20_000_000  # of all pages: 160 MB, and three times that while they are sorted; no more pages are read
STOP_SHARE = 10  # at most one word of so many is a stop word, however small the corpus

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """How often each word is on each page."""

    words: tuple[str, ...]
    counts: Any  # sparse: a row for each page, a column for each word

    def only(self, columns: Ints) -> Corpus:
        return Corpus(tuple(self.words[column] for column in columns), self.counts[:, columns])

    def pages_with(self) -> Ints:
        """On how many pages each word is."""
        return np.bincount(self.counts.indices, minlength=len(self.words)).astype(np.int64)


def gathered(pages: Iterable[Page]) -> Corpus:
    """The corpus of these pages, its words in alphabetical order, so that the order of ties depends on nothing else."""
    number: dict[str, int] = {}
    columns, times, starts = array("i"), array("i"), array("q", [0])
    for page in pages:
        bag = dict(islice(counts(page).items(), MOST_OF_PAGE))
        if len(number) + len(bag) > MOST_WORDS:
            bag = {word: count for word, count in bag.items() if word in number}
        columns.extend(numbered(number, bag).tolist())
        times.extend(bag.values())
        starts.append(len(columns))
        if len(columns) > MOST_COUNTS:
            break
    words = sorted(number)
    place = np.empty(len(words), np.int32)
    place[[number[word] for word in words]] = np.arange(len(words), dtype=np.int32)
    parts = (np.asarray(times, np.float64), place[np.asarray(columns)], np.asarray(starts))
    matrix = sparse.csr_array(parts, shape=(len(starts) - 1, len(words)))
    matrix.sort_indices()
    return Corpus(tuple(words), matrix)


def without_stop_words(corpus: Corpus, stop: int, least_pages: int) -> tuple[Corpus, tuple[str, ...]]:
    """The corpus without the words on most pages and without those on fewer pages than that; and the stop list.

    Pages are counted, not occurrences: a word that a few pages repeat tells what they are about.
    """
    pages = corpus.pages_with()
    frequent = np.argsort(-pages, kind="stable")[: min(stop, len(corpus.words) // STOP_SHARE)]
    useful = pages >= least_pages
    useful[frequent] = False
    return corpus.only(np.flatnonzero(useful)), tuple(sorted(corpus.words[column] for column in frequent))


def commonest(corpus: Corpus, limit: int) -> Corpus:
    """Only the words that are on most pages."""
    order = np.argsort(-corpus.pages_with(), kind="stable")
    return corpus.only(np.sort(order[:limit]))
