"""What a crawl is measured by: small folds over its events. Each is called with every event and can be read any time.

    crawl.listen(found := RelevantPages(relevant))

A download is a visit that went out and was charged; answers from memory and free training are none. `RelevantPages`
knows the labels and belongs to a bench. The others go by the judge, so that they serve a crawl without labels.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import NamedTuple

from wolfspider.core.events import Ended, Event, Landed
from wolfspider.core.model import Route, host_of


def key(url: str) -> str:
    """The form in which addresses are compared: http and https are one. A Source's address is never that of a page,
    also where it names one."""
    scheme, _, rest = url.partition("://")
    return rest if scheme in ("http", "https") else url


def charged(event: Event) -> Landed | None:
    """The event, if it is a download."""
    return event if isinstance(event, Landed) and event.how == Route.OUT and event.outcome.downloads else None


class RelevantPages:
    """Labelled pages against downloads: a pair for each page found, and one for the last download."""

    def __init__(self, relevant: Iterable[str]) -> None:
        self.relevant = frozenset(map(key, relevant))
        self.curve: list[list[int]] = []
        self.downloads = 0
        self.training = 0  # downloads that were training, as the crawl counts them
        self.seconds = 0.0  # that the crawl took, by its own clock, once it is over
        self.hosts: set[str] = set()
        self._held: set[str] = set()

    def __len__(self) -> int:
        return len(self._held)

    def __call__(self, event: Event) -> None:
        if isinstance(event, Ended):
            self.close()
        landed = charged(event)
        if landed is None:
            return
        self.downloads = landed.downloads
        page = landed.outcome.page
        name = key(page.final_url) if page else ""
        if page and name in self.relevant and name not in self._held:
            self._held.add(name)
            self.hosts.add(host_of(page.final_url))
            self.curve.append([self.downloads, len(self)])

    def close(self) -> None:
        last = [self.downloads, len(self)]
        if self.downloads and self.curve[-1:] != [last]:
            self.curve.append(last)


class Harvest:
    """Downloads, and how many of them the judge calls relevant."""

    def __init__(self) -> None:
        self.downloads = 0
        self.relevant = 0

    def __call__(self, event: Event) -> None:
        if landed := charged(event):
            verdict = landed.outcome.verdict
            self.downloads += 1
            self.relevant += verdict is not None and verdict.relevant


class Find(NamedTuple):
    """A page worth showing. The order of its fields is that of finds: by score, then the earlier one."""

    score: float
    order: int  # minus the download that brought it
    url: str
    title: str


class Best:
    """The pages the judge likes most, each body once."""

    def __init__(self, most: int = 10) -> None:
        self.most = most
        self._heap: list[Find] = []
        self._seen: set[str] = set()

    def __call__(self, event: Event) -> None:
        landed = charged(event)
        page, verdict = (landed.outcome.page, landed.outcome.verdict) if landed else (None, None)
        if landed is None or page is None or verdict is None or (page.digest or page.final_url) in self._seen:
            return
        self._seen.add(page.digest or page.final_url)
        heapq.heappush(self._heap, Find(verdict.score, -landed.downloads, page.final_url, page.title))
        if len(self._heap) > self.most:
            heapq.heappop(self._heap)

    @property
    def finds(self) -> list[Find]:
        """Best first."""
        return sorted(self._heap, reverse=True)
