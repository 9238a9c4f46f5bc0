"""The default judge of earlier versions: a classifier that starts from the words of the topic and teaches itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from wolfspider.core.model import Page, Verdict
from wolfspider.core.topic import Topic
from wolfspider.learn.classifier import Classifier
from wolfspider.policy.judges.keyword_judges import Coverage, OfOneTopic
from wolfspider.policy.judges.telling_words import telling_words, words_read


class Learner(OfOneTopic):
    """A probabilistic classifier that starts from the keywords and teaches itself.

    s = coverage + 0.3 evidence;   P(relevant) = 1 / (1 + exp((0.2 - s) / 0.1))

    Coverage knows the words it was given; the evidence (learn/classifier.py) finds the others that go with them. Each
    page, once scored, counts as wanted by the cube of its coverage: only pages that are clearly on topic teach, and
    what was learned does not teach itself, so it cannot drift. Liked pages and labels count many times as much.
    """

    EVIDENCE = 0.3
    BORDER = 0.2
    SLOPE = 0.1
    UP = 3.0  # what a label weighs: a self-taught page weighs at most 1, mostly below 0.1
    DOWN = 20.0

    def __init__(self, topic: Topic) -> None:
        self._coverage = Coverage(topic)
        self._classifier = Classifier()
        self.learn_examples(topic)

    def score(self, page: Page) -> Verdict:
        coverage, found = self._coverage.measure(page)
        names, times = words_read(page)
        ids = self._classifier.numbers(names)
        evidence = self._classifier.evidence(ids, times)
        self._classifier.add(ids, coverage**3, 1 - coverage**3)
        raw = coverage + self.EVIDENCE * evidence.mean
        probability = 1 / (1 + math.exp(min(700.0, (self.BORDER - raw) / self.SLOPE)))
        parts = {"raw": round(raw, 6), "coverage": round(coverage, 6), "words": found}
        if probability >= 0.5 and (telling := telling_words(names, evidence.words)):
            parts["telling"] = telling
        return Verdict(probability, probability >= 0.5, parts)

    def _teach(self, page: Page, label: bool) -> None:
        ids = self._classifier.numbers(words_read(page).words)
        self._classifier.add(ids, self.UP * label, self.DOWN * (not label))

    def state(self) -> dict[str, Any]:
        return {"coverage": self._coverage.state(), "classifier": self._classifier.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._coverage.restore(state["coverage"])
        self._classifier.restore(state["classifier"])
