"""The contract of a judge: it reads a page and says how relevant the page is to the topic.

It never says whether a link is worth following. That is the strategy's question, and policy/topic_words.py has a
measure for it.

Each judge computes a raw value and has a border, the raw value from which on it calls a page relevant. The score of the
verdict is the raw value mapped so that the border lies at 0.5, mostly by two straight lines; the raw value is in the
evidence. A score is no probability: a judge that knows one gives it in the evidence, too. Judges that weigh words by
how rare they are learn that from the pages they score, each page once and in the order of the crawl: the same pages in
another order get slightly different scores, the same crawl always gets the same. docs/judges.md says what each judge is
good for and how well it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from wolfspider.core.model import Page, Verdict
from wolfspider.core.topic import Topic
from wolfspider.policy.room import BrokenContract


class Judge(Protocol):
    def score(self, page: Page) -> Verdict: ...

    def learn(self, page: Page, label: bool) -> None:
        """A person's label, up or down."""
        ...

    def state(self) -> dict[str, Any]: ...

    def restore(self, state: Mapping[str, Any]) -> None: ...

    def learned(self) -> dict[str, Any]:
        """What another run may start from."""
        ...

    def inherit(self, learned: Mapping[str, Any]) -> None: ...


def bend(raw: float, border: float) -> float:
    """[0, 1] onto [0, 1], monotone, the border onto 0.5."""
    raw = min(max(raw, 0.0), 1.0)
    if raw < border:
        return 0.5 * (raw / border)
    return min(1.0, 0.5 + 0.5 * ((raw - border) / (1.0 - border)))


def verdict(raw: float, border: float, **evidence: Any) -> Verdict:
    score = bend(raw, border)
    return Verdict(score, score >= 0.5, {"raw": round(raw, 6), **evidence})


def scored(judge: Judge, page: Page) -> Verdict:
    """What a judge says of a page, which must be a Verdict: the judge may be a person's own."""
    said: object = judge.score(page)
    if not isinstance(said, Verdict):
        what = f"it must return a Verdict, as wolfspider.verdict(raw, border) makes, not {said!r:.100}"
        raise BrokenContract(judge, "score", what)
    score: object = said.score
    evidence: object = said.evidence
    if not (isinstance(score, float | int) and 0.0 <= score <= 1.0):  # which no NaN is
        what = f"the score of its Verdict must be a number from 0 to 1, not {score!r:.100}"
        raise BrokenContract(judge, "score", what)
    if not isinstance(evidence, Mapping):
        what = f"the evidence of its Verdict must be a dict, not {evidence!r:.100}"
        raise BrokenContract(judge, "score", what)
    return said


class Unlearning:
    """A base for judges that learn nothing: write `score`."""

    def __init__(self, topic: Topic) -> None:
        """For judges that need no topic."""

    def learn(self, page: Page, label: bool) -> None:
        pass

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        pass

    def learned(self) -> dict[str, Any]:
        return {}

    def inherit(self, learned: Mapping[str, Any]) -> None:
        pass


class Everything(Unlearning):
    """The judge of somebody who wants to know of all there is."""

    def score(self, page: Page) -> Verdict:
        return verdict(1.0, 0.5)


class Unasked(Unlearning):
    """The judge where nobody needs one: the strategy weighs pages itself, or there is no topic."""

    def score(self, page: Page) -> Verdict:
        return verdict(0.0, 0.5)
