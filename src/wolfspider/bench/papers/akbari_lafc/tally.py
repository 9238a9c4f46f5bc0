"""What the cells of `akbari_lafc` measure of a crawl: folds over its events, and what is read from them. A page is
relevant here if its similarity over the keywords alone is 0.75 or more, as in the paper; what the web itself says is
relevant is counted beside it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping

from wolfspider.bench.experiment import Row
from wolfspider.bench.measure.metrics import charged, key
from wolfspider.bench.run.starts import ADDRESS
from wolfspider.core.events import Event
from wolfspider.core.model import Page, Verdict
from wolfspider.core.text import key_of
from wolfspider.core.topic import Topic
from wolfspider.learn.automaton import Automaton
from wolfspider.policy.judges.judge import Unlearning, verdict
from wolfspider.policy.topic_words import KeywordSimilarity

BORDER = 0.75  # similarity from which on a page is relevant
EXPANDED = 0.8  # the paper's control threshold: relevant pages below it are never expanded
TENTHS = 10  # of the budget, in a curve
STEPS = 20  # of time, in an any-time curve
MINUTE = 60.0


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


# What automata have learned


def largest(automaton: Automaton) -> float:
    """The largest chance of an automaton that was rewarded, among the links that it has chosen from. A link that was
    never enabled when there was a reward keeps the chance it had at first, exactly: nothing is learned about it, and
    what it holds cannot go to another. Where no link has moved there was no choice, and the chance is what it is."""
    first = array("f", [1 / len(automaton)])[0]
    moved = [chance for chance in automaton.chances if chance != first]
    return min(1.0, max(moved) / (1 - first * (len(automaton) - len(moved)))) if moved else first
