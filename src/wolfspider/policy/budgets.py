"""What a crawl has taken, in all, from each host and from each registered domain, and what its limits still allow.

A link of a host or a domain whose budget is spent is set aside when its turn comes, as if it were out of scope, and
comes back when a person raises the limit. What was taken is a function of the landings, in their order, so that a run
that is resumed goes on counting. How long earlier sessions took is told by the driver of this one.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from wolfspider.core.events import EndReason
from wolfspider.core.limits import OF_HOSTS, Limits
from wolfspider.core.model import Page, host_of
from wolfspider.policy.prospects import Prospects

MEGABYTE = 1_000_000
UNITS = {"pages": "downloads", "mb": "megabytes", "time": "seconds of answers"}


class Cap(NamedTuple):
    """A limit that is reached."""

    whose: str  # a host or a domain
    limit: str  # its name among the limits
    most: float

    def __str__(self) -> str:
        unit = UNITS[self.limit.partition("_")[2]]
        option = self.limit.replace("_", "-")
        return f"the budget of {self.whose} is spent: {self.most:g} {unit} (--{option})"


class Taken:
    """What came from one host or one domain."""

    __slots__ = ("bytes", "pages", "time")

    def __init__(self, pages: int = 0, size: int = 0, time: float = 0.0) -> None:
        self.pages, self.bytes, self.time = pages, size, time

    def add(self, other: Taken) -> None:
        self.pages, self.bytes, self.time = self.pages + other.pages, self.bytes + other.bytes, self.time + other.time

    @property
    def mb(self) -> float:
        return self.bytes / MEGABYTE


class Budgets:
    """`allows` a link or not, by what `took` counted."""

    def __init__(
        self, limits: Limits, domain_of: Callable[[str], str] | None = None, prospects: Prospects | None = None
    ) -> None:
        self.limits, self.prospects = limits, prospects or Prospects()
        self.domain_of = domain_of or (lambda host: host)
        self.bytes = 0  # of all pages
        self.hosts: dict[str, Taken] = {}
        self.since, self.earlier = math.inf, 0.0  # when this session began, and seconds of the sessions before
        self._domains: dict[str, Taken] | None = None  # made of the hosts when the first limit of domains is asked for

    # The crawl

    def start_session(self, now: float, earlier: float = 0.0) -> None:
        """From now on time is spent. `earlier`: seconds of the sessions before."""
        self.since, self.earlier = now, earlier

    def seconds(self, now: float) -> float:
        """How long the crawl has taken, in all its sessions."""
        return self.earlier + max(0.0, now - self.since)

    @property
    def time_is_up_at(self) -> float:
        return self.since + self.limits.max_time - self.earlier if self.limits.max_time else math.inf

    def left(self, now: float) -> tuple[float, float]:
        """Seconds and megabytes that the crawl may still take."""
        megabytes = self.limits.max_mb - self.bytes / MEGABYTE if self.limits.max_mb else math.inf
        return max(0.0, self.time_is_up_at - now), max(0.0, megabytes)

    def exhausted(self, now: float) -> EndReason | None:
        """Which budget of the crawl is spent, that of downloads apart? Or is it enough?"""
        if self.limits.max_mb and self.bytes / MEGABYTE >= self.limits.max_mb:
            return EndReason.BYTES
        if now >= self.time_is_up_at:
            return EndReason.TIME
        return EndReason.ENOUGH if self.prospects.enough(self.limits.until) else None

    # Hosts and domains

    def took(self, host: str, result: object, downloads: int, seconds: float) -> Cap | None:
        """Count a landing. Returns the limit that it reaches."""
        before = self.cap(host)
        new = Taken(downloads, result.size if isinstance(result, Page) else 0, seconds)
        self.bytes += new.bytes
        self.hosts.setdefault(host, Taken()).add(new)
        if self._domains is not None:
            self._domains.setdefault(self.domain_of(host), Taken()).add(new)
        return self.cap(host) if before is None else None

    def allows(self, url: str) -> bool:
        return not any(map(self.limits.__dict__.get, OF_HOSTS)) or self.cap(host_of(url)) is None

    def why(self, url: str) -> str:
        """Why a link with this address is not followed now, in a sentence; "" if nothing speaks against it."""
        cap = self.cap(host_of(url))
        return "" if cap is None else str(cap)

    def cap(self, host: str) -> Cap | None:
        """The first limit that this host, or its domain, has reached."""
        limits = self.limits
        own = self.hosts.get(host) if limits.host_pages or limits.host_mb or limits.host_time else None
        if own is not None and (cap := next(self._reached("host", host, own), None)):
            return cap
        if limits.domain_pages or limits.domain_mb or limits.domain_time:
            domain = self.domain_of(host)
            if taken := self._of_domains().get(domain):
                return next(self._reached("domain", domain, taken), None)
        return None

    def _reached(self, kind: str, whose: str, taken: Taken) -> Iterator[Cap]:
        for unit in UNITS:
            most = getattr(self.limits, f"{kind}_{unit}")
            if most and getattr(taken, unit) >= most:
                yield Cap(whose, f"{kind}_{unit}", most)

    def _of_domains(self) -> dict[str, Taken]:
        if self._domains is None:
            self._domains = {}
            for host, taken in self.hosts.items():
                self._domains.setdefault(self.domain_of(host), Taken()).add(taken)
        return self._domains

    def any_spent(self) -> bool:
        """Has any host or domain reached a limit?"""
        return any(self.cap(host) is not None for host in self.hosts)

    def state(self) -> dict[str, Any]:
        taken = self.hosts.values()
        return {
            "bytes": self.bytes,
            "hosts": list(self.hosts),
            "taken": [
                array("Q", (one.pages for one in taken)),
                array("Q", (one.bytes for one in taken)),
                array("d", (one.time for one in taken)),
            ],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self.bytes, self._domains = state["bytes"], None
        self.hosts = {host: Taken(*one) for host, *one in zip(state["hosts"], *state["taken"], strict=True)}
