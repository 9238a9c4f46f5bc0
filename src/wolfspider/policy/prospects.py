"""Is it enough? What a crawl can say of the relevant pages to come, from what it has seen itself.

It looks at three things. How many relevant pages came with the last downloads, and with those before: the yield, and
how it decays. What the links that wait promise, by how links of the same kind turned out lately (learn/link_sample.py).
And how much was found so far. From these it says what the next 100 downloads will probably bring, and how many relevant
pages are left within reach: pages that this crawl would still find if it went on until no link is left. Relevant is
what the judge calls so.

How the figures are made of these three was fitted on crawls of webs to their very end, and so were the bounds between
which four of five crawls fall; docs/enough.md has that, with the plots. Everything here is a function of the landings
in their order, so that a run that is resumed says the same.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from wolfspider.core.limits import DRY
from wolfspider.core.model import Failure, Link, Page, host_of, is_web_address
from wolfspider.core.text import key_of
from wolfspider.learn.link_sample import LinkSample
from wolfspider.policy.host_queues import Known

NEXT = 100  # downloads that are told of: the last ones, and those to come
LONG = 400  # downloads that are looked back at
EVERY = 25  # downloads between two looks at the links that wait
_MOST_LINKS = 1_000  # of a page that are looked at
T = TypeVar("T")


class Outlook(NamedTuple):
    """What there is to say at some moment. `low` and `high`: four of five crawls lie between."""

    lately: int  # relevant pages that the last NEXT downloads brought
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
        self.begin_again(whole=True)

    def begin_again(self, whole: bool = False) -> None:
        """From now on. `whole`: is this the beginning of the crawl?"""
        self.whole = whole
        self.downloads = self.found = 0
        self.outlook: Outlook | None = None
        self._recent: deque[int] = deque(maxlen=LONG)  # relevant pages that each download brought
        self._known = Known()  # relevant pages
        self._sample = LinkSample()
        self._looked = 0  # downloads at the last look
        self._hosts: dict[str, int] = {}

    def landed(self, link: Link, result: Page | Failure, relevant: bool, downloads: int) -> None:
        """A visit that cost downloads is back."""
        if not is_web_address(link.url):
            return
        keys, host, shown = [key_of(link.url)], link.host, {}
        if isinstance(result, Page):
            keys.append(key_of(result.final_url))
            host = host_of(result.final_url)
            shown = {key_of(one.url): one.url for one in result.links[:_MOST_LINKS]}
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
        """The same for addresses that are numbers already, `shown` are links, and `host_of` tells the host of one."""
        self._sample.landed(keys, host, relevant)
        self._sample.shown(shown, host_of, relevant)
        new = relevant and self._known.get(keys[-1]) is None
        if new:
            self._known.put(keys[-1], 1)
            self.found += 1
        self._recent.extend([0] * (downloads - 1))
        self._recent.append(int(new))
        self.downloads += downloads
        if self.downloads >= NEXT and self.downloads - self._looked >= EVERY:
            self._look()

    def _host_of(self, url: str) -> int:
        return self._host(host_of(url))

    def _host(self, name: str) -> int:
        """Hosts come again and again."""
        number = self._hosts.get(name)
        if number is None:
            if len(self._hosts) >= 10_000:
                self._hosts.clear()
            number = self._hosts[name] = key_of(name)
        return number

    def _look(self) -> None:
        """Say anew what is to come."""
        self._looked = self.downloads
        recent = list(self._recent)
        lately = sum(recent[-NEXT:])
        rate = (sum(recent) + lately) / (len(recent) + NEXT)
        coming = NEXT * rate
        margin = 1.6 * math.sqrt(coming + 1)
        figures = [coming, max(0.0, coming - margin), coming + margin]
        if self.whole:
            left = self._sample.promise()
            figures += [left, left / 3, 3 * left]
        self.outlook = Outlook(lately, *(round(figure, 1) for figure in figures))

    def enough(self, until: float) -> bool:
        """Is as much found as is asked for? `until`: a share of the relevant pages in reach, DRY, or 0 for never."""
        outlook = self.outlook
        if not until or outlook is None:
            return False
        if until == DRY:
            return outlook.coming < 1
        return outlook.unfound is not None and self.found >= until * (self.found + outlook.unfound)

    def state(self) -> dict[str, Any]:
        return {
            "whole": self.whole,
            "counts": [self.downloads, self.found, self._looked],
            "outlook": None if self.outlook is None else list(self.outlook),
            "recent": array("B", self._recent),
            "known": np.sort(self._known.entries()[0]),
            "sample": self._sample.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self.begin_again(state["whole"])
        self.downloads, self.found, self._looked = state["counts"]
        self.outlook = None if state["outlook"] is None else Outlook(*state["outlook"])
        self._recent.extend(state["recent"])
        self._known.fill(state["known"], np.ones(len(state["known"]), np.uint32))
        self._sample.restore(state["sample"])
