"""Which pages to ask a teacher about: those from which the judge would learn most.

A teacher, a person or a service, labels few pages, so the choice matters. A page is worth asking about if the judge is
in doubt about it, and if many links hang on it:

    worth = 4 s (1 - s) ln(2 + n) / 2^k

    s   the judge's score, in which 0.5 is the border
    n   links that the page shows
    k   pages with the same pattern of address that were asked about before: ten pages of one list teach as one does

In a crawl, questions are spread evenly over the first half of its budget, or its first thousand downloads if that is
less: a label teaches what comes after it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from wolfspider.core.address_patterns import pattern_of
from wolfspider.core.events import Event, Label, Landed, Obeyed

FIRST = 10  # downloads before the first question
MOST_KEPT = 2_000  # pages of a crawl among which questions are chosen, the best
SHARE, LONGEST = 0.5, 1_000  # of the budget, and downloads at most, over which questions are spread


class Doubtful(NamedTuple):
    """A page that may be asked about."""

    url: str  # where it was found, after redirects
    score: float
    links: int

    def worth(self, asked_alike: int = 0) -> float:
        return math.ldexp(4 * self.score * (1 - self.score) * math.log(2 + self.links), -asked_alike)


Key = Callable[[Doubtful], float]


def chosen(candidates: Iterable[Doubtful], count: int) -> list[Doubtful]:
    """The pages to ask about, the best first. Equal ones stay in their order."""
    pool = Questions()
    for candidate in candidates:
        pool.add(candidate)
    picked = (pool.take() for _ in range(count))
    return [candidate for candidate in picked if candidate is not None]


class Questions:
    """What may be asked in a running crawl. It listens to the crawl, and a label takes its page out."""

    def __init__(self) -> None:
        self._pool: dict[str, Doubtful] = {}
        self._asked: Counter[str] = Counter()  # by pattern

    def __len__(self) -> int:
        return len(self._pool)

    def all(self) -> list[Doubtful]:
        return list(self._pool.values())

    def hear(self, event: Event) -> None:
        if isinstance(event, Landed) and event.outcome.page is not None and event.outcome.verdict is not None:
            page, verdict = event.outcome.page, event.outcome.verdict
            if "label" in verdict.evidence:
                self._pool.pop(page.final_url, None)
            else:
                self.add(Doubtful(page.final_url, verdict.score, len(page.links)))
        elif isinstance(event, Obeyed) and isinstance(event.command, Label):
            self._pool.pop(event.command.url, None)

    def add(self, candidate: Doubtful) -> None:
        self._pool[candidate.url] = candidate
        if len(self._pool) > 2 * MOST_KEPT:
            best = sorted(self._pool.values(), key=Doubtful.worth, reverse=True)[:MOST_KEPT]
            self._pool = {each.url: each for each in best}

    def take(self, key: Key | None = None) -> Doubtful | None:
        """The page to ask about now, which is not offered again; None if there is none. `key`: another rule."""
        best = max(self._pool.values(), key=key or self._worth, default=None)
        if best is None or (key is None and best.worth() <= 0):
            return None
        del self._pool[best.url]
        self._asked[pattern_of(best.url).folder] += 1
        return best

    def _worth(self, candidate: Doubtful) -> float:
        return candidate.worth(self._asked[pattern_of(candidate.url).folder])


def due(number: int, most: int, budget: int) -> int:
    """The downloads after which a question may be asked, by its number (the first is 0) among so many."""
    span = min(SHARE * budget, LONGEST) - FIRST
    return FIRST + math.floor(number * max(0.0, span) / max(1, most))
