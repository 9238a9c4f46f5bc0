"""Folds over the events of a crawl: the base of all measures of fleets, and what several of them share.

A fold is called with every event and can be read at any time. `Documents` and `Atlas` may be shared by several
measures: each hands them the event, and the second time changes nothing, so that the order of the measures hardly
matters.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from wolfspider.bench.measure.metrics import charged
from wolfspider.core.events import Credited, Event, Landed, Noted
from wolfspider.core.model import Page
from wolfspider.policy.reinforcer import PAID

HOUR, DAY = 3600.0, 86400.0
WINDOW = 3 * HOUR  # of the papers' curves
KEPT_DOCUMENTS = 100_000  # as many as a crawl itself remembers for the reinforcer


class Fold:
    """Keeps the time of the crawl, and hands each event to the method for its kind."""

    def __init__(self) -> None:
        self.start = math.nan
        self.now = math.nan

    def __call__(self, event: Event) -> None:
        at = event.at
        if not at <= self.now:  # true of the first one, too
            if math.isnan(self.start):
                self.start = at
            self.now = at
            self.passed()
        if isinstance(event, Noted):
            self.noted(event)
        elif isinstance(event, Landed):
            self.landed(event)
        elif isinstance(event, Credited):
            self.credited(event)

    def passed(self) -> None:
        """Called when time advances, before the event itself is handled: what happened earlier may be closed."""

    def noted(self, event: Noted) -> None: ...

    def landed(self, event: Landed) -> None: ...

    def credited(self, event: Credited) -> None: ...

    def window(self, width: float) -> int:
        """The number of the current window of this width."""
        return int((self.now - self.start) // width)


class Shared(Fold):
    """A fold that measures hand their events to. An event that several of them hand on counts once."""

    def __init__(self) -> None:
        super().__init__()
        self._newest: Event | None = None

    def __call__(self, event: Event) -> None:
        if event is not self._newest:
            self._newest = event
            super().__call__(event)


class Measure(Fold, ABC):
    """A fold with figures. Each event first goes to the folds that it shares with others."""

    def __init__(self, *shared: Shared) -> None:
        super().__init__()
        self._shared = shared

    def __call__(self, event: Event) -> None:
        for fold in self._shared:
            fold(event)
        super().__call__(event)

    @abstractmethod
    def figures(self) -> dict[str, Any]:
        """The figures so far; not a number where there is nothing to measure."""

    def row(self) -> dict[str, Any]:
        """The figures as JSON can hold them."""
        return {name: jsonable(value) for name, value in self.figures().items()}


class Document(NamedTuple):
    url: str
    published: float | None
    at: float  # when it was looked at


class Documents(Shared):
    """The newest documents by the visit that brought them: a credit names only the visit."""

    def __init__(self, most: int = KEPT_DOCUMENTS) -> None:
        super().__init__()
        self.most = most
        self._held: OrderedDict[int, Document] = OrderedDict()

    def landed(self, event: Landed) -> None:
        page = event.outcome.page
        if page is not None:
            seen = looked_at(page, event.at, self.start)
            self._held[event.outcome.visit.id] = Document(page.final_url, page.published, seen)
            if len(self._held) > self.most:
                self._held.popitem(last=False)

    def of(self, event: Credited) -> Document | None:
        return self._held.get(event.credit.visit)


class Atlas(Shared):
    """Every address seen, numbered in the order of its discovery, and the links of the newest copy of each page.

    An address is seen when its page is downloaded or when a downloaded page links to it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[str, int] = {}
        self.links: dict[int, array[int]] = {}  # of the pages downloaded
        self._digests: dict[int, str] = {}

    def landed(self, event: Landed) -> None:
        download = charged(event)
        page = download.outcome.page if download else None
        if page is None:
            return
        number = self.number(page.final_url)
        if number not in self.links or not page.digest or self._digests[number] != page.digest:
            self._digests[number] = page.digest
            self.links[number] = array("l", [self.number(link.url) for link in page.links])

    def number(self, url: str) -> int:
        """The number of an address; an address not seen before is discovered by asking."""
        return self.numbers.setdefault(url, len(self.numbers))

    @property
    def seen(self) -> int:
        return len(self.numbers)

    @property
    def found(self) -> int:
        """Addresses whose page was downloaded."""
        return len(self.links)


def looked_at(page: Page, landed: float, start: float) -> float:
    """When the page was as it is here: the time it says itself, if that is between the start and its landing."""
    return page.at if start <= page.at <= landed else landed


def paid(event: Credited) -> bool:
    return event.credit.reason == PAID


def ratio(part: float, whole: float) -> float:
    """The share of a part; not a number where the whole is 0."""
    return part / whole if whole else math.nan


def mean(values: Iterable[float]) -> float:
    """The mean of the finite values; not a number where there are none."""
    finite = [value for value in values if math.isfinite(value)]
    return ratio(math.fsum(finite), len(finite))


def jsonable(value: Any) -> Any:
    """Plain numbers, strings, lists and dicts; what is not finite is None."""
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return jsonable(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
