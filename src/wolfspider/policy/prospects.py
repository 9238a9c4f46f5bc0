"""Is it enough? What a crawl can say of the relevant pages to come, from what it has seen itself.

The links that wait promise relevant pages, by how links of the same kind turned out lately (learn/link_sample.py). That
promise is too high, and the higher it is the more so: a crawler that chooses well takes the best links of a kind first.
So it is discounted, and what remains is the estimate of the relevant pages left within reach: pages that this crawl
would still find if it went on until no link is left. The next 100 downloads bring about as many as the last ones did,
unless fewer are left. Relevant is what the judge calls so.

The discount was fitted on crawls of webs to their end, and so were the bounds, between which four of five crawls fall:
docs/enough.md has that, with plots, and with the ways of estimating that were worse. Everything here is a function of
the landings in their order, so that a run that is resumed says the same.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from wolfspider.core.keys import keys_of
from wolfspider.core.limits import DRY
from wolfspider.core.model import Failure, Link, Page, host_of, is_web_address
from wolfspider.core.text import key_of
from wolfspider.learn.link_sample import LinkSample
from wolfspider.policy.host_queues import Known

NEXT = 100  # downloads that are told of: the last ones, and those to come
EVERY = 25  # downloads between two looks at the links that wait
SURE = 16  # looks in a row that must agree that it is enough
FEWEST = 10  # relevant pages without which a share of them says nothing
FACTOR, POWER = 1.50, 0.56  # unfound = FACTOR * ((promise + 1) ** POWER - 1); benchmarks/enough.py fits them
UNFOUND_BOUNDS = (0.23, 4.63)  # the bounds of unfound + 1, by the estimate
COMING_BOUNDS = (0.31, 2.25)  # the bounds of coming + 1, likewise
_BARREN = 1_000  # downloads without any relevant page after which a crawl is dry, and not at its beginning
_MOST_LINKS = 1_000  # of a page that are looked at
_MOST_HOSTS = 10_000  # whose numbers are remembered
T = TypeVar("T")


class Outlook(NamedTuple):
    """What there is to say at some moment. `low` and `high`: four of five crawls lie between."""

    lately: int  # relevant pages that the last NEXT downloads had brought
    coming: float  # relevant pages that the next NEXT downloads bring
    coming_low: float
    coming_high: float
    unfound: float | None = None  # relevant pages left within reach; None if it did not see the crawl from its start
    unfound_low: float | None = None
    unfound_high: float | None = None


OUTLOOK = Outlook._fields


class Prospects:
    """Fed with every download of a crawl."""

    def __init__(self) -> None:
        self._salt = 0
        self.begin_again(whole=True)

    def begin(self, now: float) -> None:
        """The crawl begins. Nobody else knows when it did to the microsecond, and its journal says it for ever."""
        self._salt = key_of(repr(now))
        self.begin_again(whole=True)

    def begin_again(self, whole: bool = False) -> None:
        """From now on. `whole`: is this the beginning of the crawl?"""
        self.whole = whole
        self.downloads = self.found = 0
        self.outlook: Outlook | None = None
        self.sample = LinkSample(salt=self._salt)
        self._recent: deque[int] = deque(maxlen=NEXT)  # relevant pages that each download brought
        self._known = Known()  # relevant pages
        self._looked = 0  # downloads at the last look
        self._shares: deque[float] = deque(maxlen=SURE)  # of what is within reach that was found, at the last looks
        self._coming: deque[float] = deque(maxlen=SURE)
        self._hosts: dict[str, int] = {}

    def landed(self, link: Link, result: Page | Failure, relevant: bool, downloads: int) -> None:
        """A visit that cost downloads is back."""
        if not is_web_address(link.url):
            return
        keys, host, shown = [key_of(link.url)], link.host, {}
        if isinstance(result, Page):
            keys.append(key_of(result.final_url))
            host = host_of(result.final_url)
            urls = [one.url for one in result.links[:_MOST_LINKS]]
            shown = dict(zip(keys_of(urls), urls, strict=True))
        self.seen(keys, self._host(host), shown.items(), self._host_of, relevant, downloads)

    def seen(
        self,
        keys: Sequence[int],
        host: int,
        shown: Iterable[tuple[int, T]],
        host_of: Callable[[T], int],
        relevant: bool,
        downloads: int,
    ) -> None:
        """The same for addresses that are numbers already; `shown` are links, and `host_of` tells the host of one."""
        self.sample.landed(keys, host, relevant)
        self.sample.shown(shown, host_of, relevant)
        new = relevant and self._known.get(keys[-1]) is None
        if new:
            self._known.put(keys[-1], 1)
            self.found += 1
        self._recent.extend([0] * (downloads - 1))
        self._recent.append(int(new))
        self.downloads += downloads
        if self.downloads >= NEXT and self.downloads - self._looked >= EVERY:
            self._look()

    @property
    def lately(self) -> int | None:
        """Relevant pages that the last NEXT downloads brought; None before there are as many."""
        return sum(self._recent) if self.downloads >= NEXT else None

    def _host_of(self, url: str) -> int:
        return self._host(host_of(url))

    def _host(self, name: str) -> int:
        """A number for a host. Hosts come again and again."""
        number = self._hosts.get(name)
        if number is None:
            if len(self._hosts) >= _MOST_HOSTS:
                self._hosts.clear()
            number = self._hosts[name] = key_of(name)
        return number

    def _look(self) -> None:
        """Say anew what is to come."""
        self._looked = self.downloads
        recent = list(self._recent)
        lately = sum(recent)
        coming = (lately + 2 * sum(recent[NEXT // 2 :])) / 2
        left: float | None = None
        if self.whole:
            left = FACTOR * ((self.sample.promise() + 1) ** POWER - 1)
            coming = min(coming, left)
            self._shares.append(self.found / (self.found + left) if self.found >= FEWEST else 0.0)
        self._coming.append(coming)
        figures = [min(figure, float(NEXT)) for figure in _bounded(coming, COMING_BOUNDS)]
        figures += [] if left is None else _bounded(left, UNFOUND_BOUNDS)
        self.outlook = Outlook(lately, *(round(figure, 2) for figure in figures))

    def enough(self, until: float) -> bool:
        """Is as much found as is asked for, by the last looks? `until`: a share of the relevant pages in reach, DRY, or
        0 for never."""
        return self.enough_in(until) == 0

    def enough_in(self, until: float) -> int | None:
        """Downloads after which it is enough, if what is asked for holds at every look until then; None if it did not
        at the last one, or nothing is asked for. A replay goes by the journal alone, so the rule has no editions."""
        if not until or self.lacks(until):  # a snapshot of an earlier version has looks at a share of fewer
            return None
        looks = [one < 1 for one in self._coming] if until == DRY else [one >= until for one in self._shares]
        agree = next((number for number, holds in enumerate(reversed(looks)) if not holds), len(looks))
        if not agree:
            return None
        barren = _BARREN - self.downloads if until == DRY and self.whole and not self.found else 0
        return max(0, barren, EVERY * (SURE - agree) - (self.downloads - self._looked))

    def lacks(self, until: float) -> int:
        """Relevant pages that must be found before a share of them says anything; 0 where none is asked for."""
        return max(0, FEWEST - self.found) if self.whole and 0 < until < DRY else 0

    def state(self) -> dict[str, Any]:
        return {
            "whole": self.whole,
            "counts": [self.downloads, self.found, self._looked],
            "outlook": None if self.outlook is None else list(self.outlook),
            "recent": array("B", self._recent),
            "looks": [list(self._shares), list(self._coming)],
            "known": np.sort(self._known.entries()[0]),
            "sample": self.sample.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self.begin_again(state["whole"])
        self.downloads, self.found, self._looked = state["counts"]
        self.outlook = None if state["outlook"] is None else Outlook(*state["outlook"])
        self._recent.extend(state["recent"])
        self._shares.extend(state["looks"][0])
        self._coming.extend(state["looks"][1])
        self._known.fill(state["known"], np.ones(len(state["known"]), np.uint32))
        self.sample.restore(state["sample"])
        self._salt = self.sample.salt


def _bounded(estimate: float, bounds: tuple[float, float]) -> list[float]:
    """The estimate, and between what it lies four times of five."""
    return [estimate, *(max(0.0, bound * (estimate + 1) - 1) for bound in bounds)]
