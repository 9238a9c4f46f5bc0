"""What the cells of `akbari_lafc` measure of a crawl: folds over its events, and what is read from them. A page is
relevant here if its similarity over the keywords alone is 0.75 or more, as in the paper; what the web itself says is
relevant is counted beside it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping

import numpy as np

from wolfspider.bench.experiment import Row
from wolfspider.bench.measure.metrics import charged, key
from wolfspider.bench.papers.akbari_lafc.scales import NEAR_ONE
from wolfspider.bench.run.starts import ADDRESS
from wolfspider.core.events import Event
from wolfspider.core.model import Page, Verdict
from wolfspider.core.text import counts, key_of
from wolfspider.core.topic import Topic
from wolfspider.learn.automaton import Automaton
from wolfspider.policy.judges.judge import Unlearning, verdict
from wolfspider.policy.topic_words import KeywordSimilarity
from wolfspider.strategies.hmm import Ljm
from wolfspider.strategies.lafc import Lafc

BORDER = 0.75  # similarity from which on a page is relevant
EXPANDED = 0.8  # the paper's control threshold: relevant pages below it are never expanded
TENTHS = 10  # of the budget, in a curve
STEPS = 20  # of time, in an any-time curve
MINUTE = 60.0
RESPONSES = (1, 2, 5, 10, 20, 50, 100, 200)  # of an automaton, after which it is told how sure it is
LEAST = 5  # automata that must have had so many


class Restricted(Unlearning):
    """The paper's similarity, over the words of the keywords. The page of search results repeats them, and is not of
    the topic: it counts for nothing, and nobody trains to find it."""

    def __init__(self, topic: Topic) -> None:
        self._similarity = KeywordSimilarity(topic)

    def score(self, page: Page) -> Verdict:
        return verdict(0.0 if page.final_url == ADDRESS else self._similarity.of_page(page), BORDER)


class DownloadTally:
    """What downloads brought, and when, by the paper's rule and by the web's truth; each document counts once, whatever
    its address. May listen to several crawls, one after another."""

    def __init__(self, places: Mapping[str, int]) -> None:
        self._places = places
        self.times = array("d")  # of each download
        self.found: dict[int, int] = {}  # relevant documents, and the downloads it took
        self.truth: dict[int, int] = {}
        self.visited: set[int] = set()
        self.between = 0  # relevant, and not near enough to be expanded

    def __call__(self, event: Event) -> None:
        landed = charged(event)
        if landed is None:
            return
        self.times.append(landed.at)
        outcome = landed.outcome
        self.visited.add(key_of(outcome.visit.link.url))
        if outcome.page is not None:
            self._page(outcome.page, outcome.verdict)

    def _page(self, page: Page, said: Verdict | None) -> None:
        name = key(page.final_url)
        if said is not None and said.relevant:
            self.found.setdefault(key_of(page.digest or name) & 0xFFFFFFFF, self.downloads)
            self.between += said.evidence["raw"] < EXPANDED
        if name in self._places:
            self.truth.setdefault(self._places[name], self.downloads)

    @property
    def downloads(self) -> int:
        return len(self.times)


def curve(found: Mapping[int, int], budget: int) -> list[int]:
    """How many were found at each tenth of the budget."""
    when = sorted(found.values())
    return [bisect_right(when, budget * tenth // TENTHS) for tenth in range(1, TENTHS + 1)]


def anytime(tally: DownloadTally, start: float, processor: float) -> list[list[float]]:
    """Documents found against minutes, at equal steps of the crawl's own time. The processor's time is spread evenly
    over the downloads."""
    each = processor / max(1, tally.downloads)
    clock = [at - start + each * number for number, at in enumerate(tally.times, 1)]
    found = sorted(clock[number - 1] for number in tally.found.values())
    whole = clock[-1] if clock else 0.0
    steps = [whole * step / STEPS for step in range(1, STEPS + 1)]
    return [[moment / MINUTE, bisect_right(found, moment + 1e-9)] for moment in steps]


def minutes(network: float, processor: float) -> Row:
    return {
        "minutes": (network + processor) / MINUTE,
        "network_minutes": network / MINUTE,
        "cpu_minutes": processor / MINUTE,
    }


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


class Nearness:
    """How near each address was to the topic when it was last seen."""

    def __init__(self) -> None:
        self.of: dict[str, float] = {}

    def __call__(self, event: Event) -> None:
        landed = charged(event)
        page = landed.outcome.page if landed else None
        if landed is None or page is None or landed.outcome.verdict is None:
            return
        near = landed.outcome.verdict.evidence["raw"]
        self.of[landed.outcome.visit.link.url] = self.of[page.final_url] = near


class Clusters:
    """What BPM or LJM thought of the pages of its crawl, and whether they were relevant, cluster by cluster. Pages are
    only gathered while it crawls; clusters are told when it is over, and cost it no time."""

    def __init__(self, strategy: Ljm) -> None:
        self._strategy = strategy
        self._bags: list[Mapping[str, int]] = []
        self._scores = array("d")
        self._relevant = array("b")

    def __call__(self, event: Event) -> None:
        landed = charged(event)
        outcome = landed.outcome if landed else None
        if outcome is None or outcome.page is None or outcome.verdict is None or "T0" not in outcome.visit.note:
            return
        self._bags.append(counts(outcome.page))
        self._scores.append(outcome.visit.note["score"])
        self._relevant.append(outcome.verdict.relevant)

    def within(self) -> float | None:
        """Of all pairs of a relevant and another page in one cluster, the share in which the relevant one was thought
        better of; equal ones count half. None where there is no model, or no such pair."""
        guide = self._strategy.guide
        if guide is None or not self._bags:
            return None
        signs = guide.known.labels(guide.space.fold(self._bags), self._strategy.params.neighbours)
        won = pairs = 0.0
        for sign in set(signs):
            own = [place for place, other in enumerate(signs) if other == sign]
            good = np.array([self._scores[place] for place in own if self._relevant[place]])
            others = np.array([self._scores[place] for place in own if not self._relevant[place]])
            above = np.subtract.outer(good, others)
            won += float((above > 0).sum()) + float((above == 0).sum()) / 2
            pairs += above.size
        return won / pairs if pairs else None


# What automata have learned


class Responses:
    """How sure automata are after so many responses to their choices, whichever crawls these were in."""

    def __init__(self) -> None:
        self.strategy: Lafc | None = None  # of the crawl that is heard
        self.counts: Counter[str] = Counter()  # by the page of the automaton
        self.chances: dict[str, list[float]] = {}  # the largest one, after each of `RESPONSES`

    def __call__(self, event: Event) -> None:
        landed = charged(event)
        source = landed.outcome.visit.source if landed else ""
        if not source or self.strategy is None:
            return
        self.counts[source] += 1
        if self.counts[source] in RESPONSES:
            page = self.strategy.addresses.find(source)
            if page is not None and page in self.strategy.network:
                self.chances.setdefault(source, []).append(largest(self.strategy.network[page]))

    def row(self, pages: Collection[str]) -> Row:
        """Of these automata, the ones that have had the most responses that at least five of them had: the share that
        is as good as sure after each number of responses, and the mean of the largest chance."""
        own = [chances for page, chances in self.chances.items() if page in pages]
        reached = [number for number in range(len(RESPONSES)) if sum(len(chances) > number for chances in own) >= LEAST]
        longest = max(reached, default=-1) + 1
        cohort = [chances[:longest] for chances in own if len(chances) >= longest > 0]
        columns = [*zip(*cohort, strict=True)]
        return {
            "responses": list(RESPONSES[:longest]),
            "sure_by_responses": [share(sum(one > NEAR_ONE for one in column), len(column)) for column in columns],
            "mean_by_responses": [sum(column) / len(column) for column in columns],
            "responding": len(cohort),
        }


def largest(automaton: Automaton) -> float:
    """The largest chance of an automaton that was rewarded, among the links that it has chosen from. A link that was
    never enabled when there was a reward keeps the chance it had at first, exactly: nothing is learned about it, and
    what it holds cannot go to another. Where no link has moved there was no choice, and the chance is what it is."""
    first = array("f", [1 / len(automaton)])[0]
    moved = [chance for chance in automaton.chances if chance != first]
    return min(1.0, max(moved) / (1 - first * (len(automaton) - len(moved)))) if moved else first
