"""Events and commands: everything that happens in a crawl, and everything a person may do to it.

One stream of events feeds the store, the progress line, the dashboard and the tables. Commands are typed data, the same
from every sender.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from wolfspider.core.model import Credit, Failure, Link, Outcome, Route, Visit
from wolfspider.core.plain_text import refuse_controls


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
    """A visit was proposed and sent on its way."""

    visit: Visit
    how: Route


@dataclass(frozen=True, slots=True)
class Landed(Event):
    """What became of a visit; `downloads` is what the crawl has spent so far."""

    outcome: Outcome
    how: Route
    downloads: int


@dataclass(frozen=True, slots=True)
class Postponed(Event):
    """The host of a visit is in trouble: the visit waits, without a slot or a download, until that is over."""

    visit: Visit
    failure: Failure


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


class EndReason(StrEnum):
    """Why a crawl is over."""

    DONE = "done"  # the strategy has nothing left to propose
    BUDGET = "budget"  # every download is spent
    EXCLUDED = "excluded"  # a person excluded all links that are left
    WAITING = "waiting"  # every host that is left rests for longer than the crawl waits
    FINISHED = "finished"  # by a person
    STOPPED = "stopped"  # by a person, at once
    PAUSED = "paused"  # by a person, and no command is left that could end the pause
    CIRCLING = "circling"  # the strategy visits nothing but pages the run holds
    REFUSED = "refused"  # one visit after another is turned away unasked, and no page comes
    STUCK = "stuck"  # the strategy waits for something that cannot come
    INTERRUPTED = "interrupted"  # by a signal
    DISK = "disk"  # too little room is left on it
    BYTES = "bytes"  # every megabyte is spent
    TIME = "time"  # the crawl has taken as long as it may
    CAPPED = "capped"  # all links that are left are of hosts or domains whose budgets are spent
    ENOUGH = "enough"  # as much as was asked for is found, or the yield has ended


RESUMABLE = frozenset(EndReason) - {EndReason.DONE, EndReason.FINISHED, EndReason.CIRCLING, EndReason.STUCK}


@dataclass(frozen=True, slots=True)
class Ended(Event):
    """The crawl is over."""

    reason: EndReason
    downloads: int
    dropped: int = 0  # credits that never came due
    resting: int = 0  # links that nobody followed because their patterns rest
    pattern: str = ""  # the one of these that brought most in vain


class CrawlState(StrEnum):
    """What a crawl as a whole is doing."""

    FETCHING = "fetching"
    WAITING = "waiting"  # nothing is under way: hosts must rest first
    IDLE = "idle"  # nothing is out, and nothing is waited for
    PAUSED = "paused"
    FINISHING = "finishing"  # what is out lands, nothing new starts
    ENDED = "ended"


class Phase(StrEnum):
    """What a visit that is out is doing."""

    FETCHING = "fetching"  # its request is under way
    SLOT = "slot"  # it has its turn at its host and waits for one of the crawl's slots
    TURN = "turn"  # its host answers somebody else, or rests between two requests
    REST = "rest"  # its host is in trouble, or asked to be left alone
    ROBOTS = "robots"  # the robots.txt of its host is asked for
    NAME = "name"  # the address of its host is looked up
    RETRY = "retry"  # it failed and is tried again after a rest
    LIMIT = "limit"  # the page limit was lowered before it was sent
    READING = "reading"  # its answer is here and waits to be parsed


@dataclass(frozen=True, slots=True)
class Gauge(Event):
    """How a crawl stands at this moment, for people and their screens: published at most once a second, and once more
    when the crawl ends. It is no part of the journal, and is never replayed. docs/events.md has the fields."""

    state: str = ""  # a CrawlState
    in_flight: int = 0  # visits whose request is under way
    waiting: Mapping[str, int] = field(default_factory=dict)  # the other visits that are out, by their Phase
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
    truncated: int = 0
    rate_now: float = 0.0  # downloads a second over the last 10 seconds
    rate_minute: float = 0.0  # and over the last 60
    left: float | None = None  # seconds until the budget is spent, estimated
    hurry: float = 0.0  # downloads a minute that are wanted
    hasty: int = 0  # downloads that went to a link though a better one waited, for want of that pace
    giving_way: int = 0  # slots that are free because links give way to a better one
    better_host: str = ""  # where that one waits
    better_until: float | None = None  # when its host may be free, or is waited for no longer
    longest: str = ""  # the address that has been fetched for the longest time
    longest_since: float | None = None
    longest_deadline: float | None = None  # seconds that it may take
    postponed: Mapping[str, int] = field(default_factory=dict)  # what the trouble is of hosts that visits wait for
    stranded: Mapping[str, int] = field(default_factory=dict)  # why visits wait for a later session, in words
    until: float = 0.0  # when it is enough: a share of the relevant pages in reach, or limits.DRY
    enough_in: int | None = None  # downloads after which it is, if that holds so long; None while it does not hold
    enough_lacks: int = 0  # relevant pages that must be found before a share of them says anything
    lately: int | None = None  # relevant pages that the last 100 downloads brought; None while too little is known
    coming: float | None = None  # and those that the next 100 will probably bring
    coming_low: float | None = None
    coming_high: float | None = None
    unfound: float | None = None  # relevant pages left within reach, estimated
    unfound_low: float | None = None
    unfound_high: float | None = None
    probes: int = 0  # links that were drawn by chance and asked for
    probes_relevant: int = 0  # how many of them led to a relevant page
    probes_dropped: int = 0  # links that were drawn and not asked for: their hosts rest too long, or are left out since
    figures: Mapping[str, float] = field(default_factory=dict)  # those that the strategy reports of itself


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
    """pages (the budget), slots (visits at once), delay (seconds between visits to a host) or hurry (downloads a minute
    that are wanted)."""

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
    found: bool = False  # another crawl found them: then no person has named their hosts


@dataclass(frozen=True, slots=True)
class Label(Command):
    """A label, up or down, for a page or (an address without a path) for a host's newest pages."""

    url: str
    good: bool
    by_teacher: bool = False  # a service gave it, not a person


@dataclass(frozen=True, slots=True)
class Exclude(Command):
    rule: str


@dataclass(frozen=True, slots=True)
class Include(Command):
    rule: str


def check_texts(command: Command) -> None:
    """Refuse a command with characters that nobody can see: it is kept, and shown in many places."""
    for each in fields(command):
        value = getattr(command, each.name)
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str):
                refuse_controls(text, "The command")
