"""Everything that happens, and everything a person may do. One stream of events feeds the store, the progress line, the
dashboard and the tables; commands are typed data, whoever sends them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wolfspider.model import Credit, Link, Outcome, Visit


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
