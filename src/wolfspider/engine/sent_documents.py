"""The documents that a strategy may still send, in columns: there are many, few are ever sent, and all are stored."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wolfspider.core.model import Sent, Verdict

KEPT = 100_000
_MOST_STALE = 5_000  # that were dropped may stand in the columns before they are cut off


class SentDocuments:
    """The newest ones, each by the number of its visit."""

    def __init__(self, documents: Iterable[Sent] = ()) -> None:
        self._places: dict[int, int] = {}  # of visits, oldest first, counted from the first document that ever was kept
        self._cut = 0  # places that are gone from the columns
        self._visits, self._published, self._scores, self._relevant = array("q"), array("d"), array("d"), array("b")
        self._agents: list[str] = []
        self._urls: list[str] = []
        self._digests: list[str] = []
        for document in documents:
            self.keep(document)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Sent]:
        return filter(None, map(self.get, self._places))

    def keep(self, document: Sent) -> None:
        self._places[document.visit] = self._cut + len(self._visits)
        self._visits.append(document.visit)
        self._agents.append(document.agent)
        self._urls.append(document.url)
        self._digests.append(document.digest)
        self._published.append(math.nan if document.published is None else document.published)
        verdict = document.verdict
        self._scores.append(math.nan if verdict is None else verdict.score)
        self._relevant.append(verdict is not None and verdict.relevant)
        if len(self._places) > KEPT:
            del self._places[self._visits[self._stale()]]
            self._cut_off_stale()

    def get(self, visit: int) -> Sent | None:
        place = self._places.get(visit)
        if place is None:
            return None
        at = place - self._cut
        date, score = self._published[at], self._scores[at]
        verdict = None if math.isnan(score) else Verdict(score, bool(self._relevant[at]))
        return Sent(
            visit, self._agents[at], self._urls[at], self._digests[at], None if math.isnan(date) else date, verdict
        )

    def stored(self) -> dict[str, Any]:
        return {name: column[self._stale() :] for name, column in self._columns().items()}

    def _columns(self) -> dict[str, Any]:
        return {
            "visits": self._visits,
            "agents": self._agents,
            "urls": self._urls,
            "digests": self._digests,
            "published": self._published,
            "scores": self._scores,
            "relevant": self._relevant,
        }

    @classmethod
    def restored(cls, columns: Mapping[str, Any]) -> SentDocuments:
        """From what `stored` gave."""
        documents = cls()
        documents._visits, documents._relevant = array("q", columns["visits"]), array("b", columns["relevant"])
        documents._published, documents._scores = array("d", columns["published"]), array("d", columns["scores"])
        documents._agents, documents._urls = list(columns["agents"]), list(columns["urls"])
        documents._digests = list(columns["digests"])
        documents._places = {visit: place for place, visit in enumerate(documents._visits)}
        return documents

    def _stale(self) -> int:
        return len(self._visits) - len(self._places)

    def _cut_off_stale(self) -> None:
        stale = self._stale()
        if stale > _MOST_STALE:
            for column in self._columns().values():
                del column[:stale]
            self._cut += stale
