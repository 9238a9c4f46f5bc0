"""The judges by name: one file for each family, and the contract in judge.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from wolfspider.core.errors import Problem, closest
from wolfspider.core.model import Page, Verdict
from wolfspider.core.params import DEFAULT_JUDGE as DEFAULT_JUDGE
from wolfspider.core.topic import Topic
from wolfspider.policy.judges.context_judge import InContext, InFirstContext
from wolfspider.policy.judges.judge import Everything, Judge, Unlearning
from wolfspider.policy.judges.keyword_judges import Coverage, Keywords, TfIdf
from wolfspider.policy.judges.learning_judge import Learner
from wolfspider.policy.judges.likeness_judge import Alike


class Oracle(Unlearning):
    """Gives the label as the score: for a bench, to measure the order of a crawl apart from its judge."""

    def __init__(self, labels: Mapping[str, bool], key: Callable[[str], str]) -> None:
        self._relevant = frozenset(key(url) for url, label in labels.items() if label)
        self._key = key

    def score(self, page: Page) -> Verdict:
        relevant = self._key(page.final_url) in self._relevant
        return Verdict(float(relevant), relevant, {"raw": float(relevant)})


class KnownJudge(NamedTuple):
    make: Callable[[Topic], Judge]
    sentence: str
    listed: bool = True  # not: nobody should choose it; its name opens runs that have it, and serves comparisons


JUDGES: Mapping[str, KnownJudge] = {
    "context": KnownJudge(
        InContext, "What a page says, how much of it is links, and which pages link to it; with a probability."
    ),
    "context-1": KnownJudge(InFirstContext, "As `context` was at first; for runs that began with it.", listed=False),
    "classifier": KnownJudge(
        Learner, "The default of earlier versions: starts from the topic's words and teaches itself.", listed=False
    ),
    "coverage": KnownJudge(Coverage, "BM25 as a share: how much of the topic's words the page has, rare ones first."),
    "tfidf": KnownJudge(TfIdf, "The cosine of tf-idf vectors over all words of the page."),
    "likeness": KnownJudge(Alike, "The mean likeness to pages you like, by what they say and where they link to."),
    "everything": KnownJudge(Everything, "Every page is relevant: for a watch without a topic.", listed=False),
    "keywords": KnownJudge(
        Keywords, "The keyword cosine of the learning-automata paper; any keyword may be enough.", listed=False
    ),
}
EVERYTHING = "everything"
LISTED = tuple(name for name, known in JUDGES.items() if known.listed)
ORACLE = "oracle"


def make_judge(
    name: str, topic: Topic, labels: Mapping[str, bool] | None = None, key: Callable[[str], str] = str
) -> Judge:
    """`labels` and `key`, which brings addresses to the form they are compared in, are for the oracle alone."""
    if name == ORACLE:
        if labels is None:
            raise Problem("The judge 'oracle' needs to be told what is relevant: it works in a bench only.")
        return Oracle(labels, key)
    if name not in JUDGES:
        raise Problem(f"There is no judge {name!r}.{closest(name, (*JUDGES, ORACLE))}")
    return JUDGES[name].make(topic)
