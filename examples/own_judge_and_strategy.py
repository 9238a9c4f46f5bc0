"""A judge and a strategy of your own, in one file, used by the command line or from Python.

    wolfspider crawl https://example.org/ --topic "recipes" --contact me@example.org \\
        --judge examples/own_judge_and_strategy.py --strategy examples/own_judge_and_strategy.py

The judge likes pages that speak of the topic and are not too long to read. The strategy follows links in the order of
how good the page was that showed them, and prefers hosts it has seen little of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wolfspider import Ordered, Outcome, Page, Topic, Unlearning, Verdict, param, verdict


class ShortReads(Unlearning):
    """Half of the topic's words are enough; beyond 3,000 words a page gets worse and worse."""

    def __init__(self, topic: Topic) -> None:
        self.words = {word for keyword in topic.keywords for word in keyword.lower().split()}

    def score(self, page: Page) -> Verdict:
        met = len(self.words.intersection(page.words)) / max(1, len(self.words))
        return verdict(met * min(1.0, 3000 / max(1, len(page.words))), border=0.5)


@dataclass
class Taste:
    boredom: float = param(0.1, "How much less a link is worth for each page we have of its host.", low=0, high=1)


class FreshHosts(Ordered):
    name = "fresh-hosts"
    paper = "An example, not a paper."
    Params = Taste

    def begin(self, seeds, now):  # type: ignore[no-untyped-def]
        self.seen: dict[str, int] = {}
        super().begin(seeds, now)

    def observe(self, outcome: Outcome) -> Sequence[int] | None:
        page, score = outcome.page, outcome.verdict.score if outcome.verdict else 0.0
        if page is None:
            return None
        host = outcome.visit.link.host
        self.seen[host] = self.seen.get(host, 0) + 1
        worth = [score - self.params.boredom * self.seen.get(link.host, 0) for link in page.links]
        self.frontier.extend(page.links, worth, page.final_url)
        return None
