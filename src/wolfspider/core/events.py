"""Everything that happens, and everything a person may do. One stream of events feeds the store, the progress line, the
dashboard and the tables; commands are typed data, whoever sends them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wolfspider.core.model import Credit, Link, Outcome, Visit


@dataclass(frozen=True, slots=True)
class Event:
    at: float


@dataclass(frozen=True, slots=True)
class Began(Event):
    """The crawl starts from these links."""

    seeds: tuple[Link, ...]
    pages: int  # its budget


@dataclass(frozen=True, slots=True)
class Went(Event):
    """A visit was proposed and sent on its way: out, held, joined, source or excluded."""

    visit: Visit
    how: str


@dataclass(frozen=True, slots=True)
class Landed(Event):
    """What became of a visit; `downloads` is what the crawl has spent so far."""

    outcome: Outcome
    how: str
    downloads: int


@dataclass(frozen=True, slots=True)
class Credited(Event):
    credit: Credit


@dataclass(frozen=True, slots=True)
class Noted(Event):
    """Something only this strategy knows: a birth, a death, a move."""

    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Obeyed(Event):
    """A person's command and what came of it; `problem` says why it could not be done."""

    command: Command
    old: Any = None
    problem: str = ""


# Ends after which a run can be resumed.
GOES_ON = ("paused", "waiting", "stopped", "interrupted", "disk", "budget", "excluded")


@dataclass(frozen=True, slots=True)
class Ended(Event):
    """Why the crawl is over: done, budget, excluded (a person excluded all links that are left), waiting, finished,
    stopped, paused, circling or stuck; interrupted (by a signal) or disk (too little room left) where a driver says
    so."""

    reason: str
    downloads: int
    dropped: int = 0  # credits that never came due


@dataclass(frozen=True, slots=True)
class Gauge(Event):
    """How a crawl stands at this moment, for people and their screens: published at most once a second, and once more
    when the crawl ends. It is no part of the log, and nothing of it is played again. docs/events.md has the fields."""

    state: str = ""  # fetching, waiting, idle, paused, finishing or ended
    in_flight: int = 0  # visits whose request is under way
    waiting: Mapping[str, int] = field(default_factory=dict)  # the other visits that are out, by what they wait for
    next_at: float | None = None  # when the first thing that is waited for may go on, where that is known
    hosts_ready: int | None = None  # hosts with links waiting that may be asked now
    hosts_resting: int = 0  # hosts with links or visits waiting that must rest first
    frontier: int | None = None  # links waiting
    downloads: int = 0
    budget: int = 0
    pages: int = 0  # as store/page_count.py counts them
    relevant: int = 0
    hidden: int = 0
    hidden_relevant: int = 0
    rate_now: float = 0.0  # downloads a second over the last 10 seconds
    rate_minute: float = 0.0  # and over the last 60
    left: float | None = None  # seconds until the budget is spent, estimated
    longest: str = ""  # the address that has been fetched for the longest time
    longest_since: float | None = None
    longest_deadline: float | None = None  # seconds that it may take


@dataclass(frozen=True, slots=True)
class Command:
    """Something a person wants."""


@dataclass(frozen=True, slots=True)
class SetParam(Command):
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class SetTopic(Command):
    """What is wanted from now on; pages the person likes stay liked."""

    keywords: tuple[str, ...]
    description: str = ""


@dataclass(frozen=True, slots=True)
class SetLimit(Command):
    """pages (the budget), slots (visits at once) or delay (seconds between visits to a host)."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Pause(Command):
    """Start nothing new; what is out lands."""


@dataclass(frozen=True, slots=True)
class Resume(Command):
    """Go on after a pause."""


@dataclass(frozen=True, slots=True)
class Finish(Command):
    """Wait for what is out, then close."""


@dataclass(frozen=True, slots=True)
class Stop(Command):
    """Close now; what is out is lost and may go out again after a resume."""


@dataclass(frozen=True, slots=True)
class AddSeeds(Command):
    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Label(Command):
    """A person's thumb, up or down, for a page or (an address without a path) for a host's newest pages."""

    url: str
    good: bool


@dataclass(frozen=True, slots=True)
class Exclude(Command):
    rule: str


@dataclass(frozen=True, slots=True)
class Include(Command):
    rule: str
