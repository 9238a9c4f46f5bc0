"""Which words a judge read, and which of them it names to people as telling."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from wolfspider.core.model import Page
from wolfspider.core.text import FirstCounts, first_counts
from wolfspider.learn.lexicon import Floats
from wolfspider.learn.stopwords import STOP_WORDS
from wolfspider.policy.topic_words import is_telling

READ = 300  # distinct words
SHOWN = 3


def words_read(page: Page) -> FirstCounts:
    """The first words say what a page is about, and reading no more makes the longest page as cheap as any."""
    return first_counts(page, READ)


def telling_words(names: Sequence[str], adds: Floats) -> list[str]:
    """The words that speak for a page most: function words and very short ones count in the score, but tell nobody
    anything."""
    best = (names[place] for place in np.argsort(-adds, kind="stable") if adds[place] > 0)
    return list(islice((word for word in best if is_telling(word) and word not in STOP_WORDS), SHOWN))
