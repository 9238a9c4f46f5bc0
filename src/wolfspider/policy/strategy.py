"""The contract of a strategy; Room, Turns and Group (policy/room.py, policy/turns.py) keep strategies short.

A strategy decides which link to follow next and nothing else. It is synchronous, deterministic and alone: it never
sees a socket, a clock, a file or a random generator it was not given. A plain one writes `begin`, `seeds`, `propose`
and `observe`.
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from wolfspider.core.events import Noted
from wolfspider.core.model import Credit, Link, Outcome, Page, Verdict, Visit
from wolfspider.core.params import chosen
from wolfspider.core.topic import Topic
from wolfspider.policy.browsing import Browsing
from wolfspider.policy.frontier import Frontier, Item
from wolfspider.policy.link_shelf import Interned, Shelf
from wolfspider.policy.reinforcer import Terms
from wolfspider.policy.room import Broken, Room
from wolfspider.policy.topic_words import Similarity
from wolfspider.policy.turns import Group, Turns

if TYPE_CHECKING:
    from wolfspider.learn.page_states import States

# Fields that come from outside, and so are no state
HANDED = ("topic", "params", "rng", "shelf", "notes", "allows", "budget_left")
RECORD = 8  # values that one entry may hold, such as the depth and the score of a link
REGISTRY: dict[str, type[Strategy]] = {}


@dataclass
class NoParams:
    """For strategies without parameters."""


class Strategy(ABC):
    """Base class; everything but `begin`, `propose`, `observe` and `seeds` has a default."""

    name: ClassVar[str] = ""
    paper: ClassVar[str] = ""  # "none: ..." says whose it is instead
    use: ClassVar[str] = ""  # what it is for, and for which webs it is not
    Params: ClassVar[type] = NoParams
    variants: ClassVar[tuple[Mapping[str, Any], ...]] = ({},)  # settings with which it must keep to the contract
    cap: int = 1_000_000  # links a frontier may hold
    leaps: ClassVar[bool] = False  # asks a Source of leaps, where there is one
    browses: ClassVar[bool] = False  # learns from what a person browsed: `inherit` may be given that alone
    awaits: ClassVar[bool] = False  # has agents that go on only when a visit has an outcome: none waits long for a host
    thrifty: ClassVar[bool] = True  # do scores say what links are worth, so that one gives way to a better one?
    queues: ClassVar[bool] = False  # does one Frontier hold all links that wait? Then chance may draw from it
    frontier: Frontier | None = None  # the links that wait, where one Frontier holds them all

    def __init__(self, topic: Topic, params: Any, rng: random.Random, shelf: Shelf) -> None:
        self.topic, self.params, self.rng, self.shelf = topic, params, rng, shelf
        self.allows: Callable[[str], bool] = lambda url: True  # is an address in scope? Crawl hands this in
        self.budget_left: Callable[[], float] = lambda: math.inf  # downloads not yet spent; Crawl hands this in, too
        self.proposed = 0  # visits so far; the next one's id
        self.notes: list[Noted] = []  # for Crawl to collect

    @classmethod
    def new(cls, topic: Topic, rng: random.Random, given: Mapping[str, Any] | None = None) -> Self:
        """A strategy with these parameters, whose links lie in memory."""
        return cls(topic, chosen(cls.Params, given or {}), rng, Shelf())

    @abstractmethod
    def begin(self, seeds: Sequence[Link], now: float) -> None:
        """The crawl starts here."""

    @abstractmethod
    def propose(self, room: Room, now: float) -> list[Visit]:
        """All visits that can start now, each with room taken for it."""

    @abstractmethod
    def observe(self, outcome: Outcome) -> Sequence[int] | None:
        """What became of a visit, exactly once for each; returns ids of visits whose documents it sends."""

    def reward(self, credit: Credit) -> None:
        """A credit for an earlier visit; most strategies ignore it."""

    def terms(self, given: Terms) -> Terms:
        """What the reinforcer pays for, where a strategy has parameters for that."""
        return given

    def wake(self, now: float) -> float | None:
        """When there is something to do again: inf = when a host or an outcome comes, None = nothing is left."""
        times = [time for time in (part.wake() for part in self._parts()) if time is not None]
        return max(min(times), math.nextafter(now, math.inf)) if times else None

    def changed(self, name: str, old: Any) -> None:
        """A live parameter was changed. For one that is read whenever it is needed nothing is to be done."""

    @abstractmethod
    def seeds(self, links: Sequence[Link]) -> None:
        """A person added starting points."""

    def bring_back(self) -> None:
        """A person made the scope wider: links that were set aside wait again, each in its former place. One that is
        still out of scope is set aside again when its turn comes."""
        for part in self._parts():
            if isinstance(part, Frontier):
                part.bring_back()

    def excluded(self) -> int:
        """How many links it would follow if they were in scope: what is left for the person to include again."""
        return sum(part.aside for part in self._parts() if isinstance(part, Frontier | Group))

    def judged(self, page: Page, verdict: Verdict) -> None:
        """A person's label changed a verdict."""

    def retopic(self, topic: Topic) -> None:
        self.topic = topic
        vars(self).pop("_similarity", None)

    def state(self) -> dict[str, Any]:
        """All public fields but those handed in; plain data, the vocabulary or helpers, to be stored by `codec` at
        once.
        """
        return self._own() | {"rng": self.rng}

    def restore(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        for value in state.values():
            if isinstance(value, Frontier | Interned):
                value.shelf = self.shelf

    @property
    def drawn_from(self) -> Frontier | None:
        """The links that wait, as chance may draw from them."""
        return self.frontier if self.queues else None

    @cached_property
    def _similarity(self) -> Similarity:
        """How near the text of a link is to the topic."""
        return Similarity(self.topic)

    def learned(self) -> dict[str, Any]:
        """What another run may start from."""
        return {}

    def inherit(self, learned: Mapping[str, Any]) -> None:
        """Start from what another run learned."""

    def _is_for_topic(self, learned: Mapping[str, Any]) -> bool:
        """Was this learned for the same keywords, or is that not known?"""
        keywords = list(self.topic.keywords)
        return bool(learned.get("topic", keywords) == keywords)

    def keeps(self) -> int:
        """How many entries it holds: what its memory grows with."""
        return sum(_entries(value) for value in self._own().values())

    def report(self) -> dict[str, Any]:
        """Gauges for people."""
        if self.frontier is None:
            return {}
        return {"frontier": len(self.frontier)} | ({"set aside": self.frontier.aside} if self.frontier.aside else {})

    def explain(self, url: str) -> dict[str, Any]:
        """Why this link has the rank it has."""
        item = self.frontier.find(url) if self.frontier is not None else None
        if item is None:
            return {}
        return {"score": item.score, "source": item.source, "parts": item.extra, "anchor": item.link.anchor}

    @classmethod
    def read_note(cls, note: Mapping[str, Any]) -> dict[str, Any]:
        """What `explain` tells of a visit with this note: `worth`, figures by name, and `up` and `down`, sentences that
        say what moved it, where the strategy has such."""
        return {"worth": dict(note), "up": [], "down": []}

    def summary(self, now: float) -> Mapping[str, Any] | None:
        """Results of its own, as they stand at this time: `generation`, `results` and figures, as in its notes. None if
        it has none but the pages of the crawl."""
        return None

    def page_states(self) -> States | None:
        """The states by which it describes pages, so that a recording of the crawl keeps them; None if it has none."""
        return None

    def visit(
        self,
        link: Link,
        agent: str = "",
        fresh: bool = False,
        note: Mapping[str, Any] | None = None,
        source: str = "",
        deadline: float | None = None,
    ) -> Visit:
        """A visit with the next id. Take room for it first."""
        self.proposed += 1
        return Visit(self.proposed - 1, link, agent, source, note or {}, fresh, deadline)

    def note(self, at: float, kind: str, /, **data: Any) -> None:
        """Add an event that tells what only this strategy knows."""
        self.notes.append(Noted(at, kind, data))

    def _own(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in HANDED and name[0] != "_"}

    def _parts(self) -> list[Any]:
        return [value for value in vars(self).values() if isinstance(value, Frontier | Turns | Group | Browsing)]


class Ordered(Strategy):
    """Strategies that keep one order over all links: `observe` scores the links of a page and pushes them, and that
    is all.
    """

    merge: ClassVar[str] = "max"
    queues = True
    frontier: Frontier

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.frontier = Frontier(self.shelf, self.cap, self.merge)
        self.seeds(seeds)

    def seeds(self, links: Sequence[Link]) -> None:
        for link in links:
            self.frontier.push(link, math.inf)

    def propose(self, room: Room, now: float) -> list[Visit]:
        visits = []
        while item := self.frontier.pop(room):
            visits.append(self.visit(item.link, source=item.source, note=self.parts(item)))
        return visits

    def parts(self, item: Item) -> Mapping[str, Any]:
        """What is noted with the visit: what its score is made of, for `observe` and for `explain`."""
        return {"score": item.score} if math.isfinite(item.score) else {"seed": True}


class Walking(Strategy):
    """Strategies of walkers, each with at most one visit in flight: `_choose` says where a walker goes next, and a
    walker that has nowhere to go rests until it is roused.
    """

    awaits = True

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.turns = Turns()
        self.resting: list[str] = []
        self.addresses = Interned(self.shelf)
        self.starts: deque[int] = deque()  # starting points that no walker has gone to yet

    def seeds(self, links: Sequence[Link]) -> None:
        self.starts.extend(self.addresses.number(link) for link in links)
        self._rouse()

    def _rouse(self) -> None:
        """Walkers that rest may have somewhere to go now."""
        self.turns.queue.extend(self.resting)
        self.resting.clear()

    def propose(self, room: Room, now: float) -> list[Visit]:
        visits = []
        for name, pick in self.turns.ready(room):
            link = pick or self._choose(name)
            while link is not None and not room.allows(link.url):
                self._set_aside(name)
                link = self._choose(name)
            if link is None:
                self.resting.append(name)
            elif room.take(link):
                visits.append(self._visit(link, name))
            else:
                self.turns.park(name, link)
        return visits

    @abstractmethod
    def _choose(self, name: str) -> Link | None:
        """Where this walker goes next; None if there is nowhere."""

    @abstractmethod
    def _set_aside(self, name: str) -> None:
        """The link that this walker has chosen is out of scope."""

    @abstractmethod
    def _visit(self, link: Link, name: str) -> Visit:
        """The visit of this walker to the link that it has chosen."""


def _entries(value: Any) -> int:
    """How many entries a field holds. What an entry holds itself counts beyond RECORD, wherever it is nested."""
    if isinstance(value, Frontier | Group | Browsing):
        return len(value)
    if not isinstance(value, set | frozenset | dict | list | tuple | deque):
        return 0
    within = map(_entries, value.values() if isinstance(value, dict) else value)
    return sum(1 if held <= RECORD else held for held in within)


def register(kind: type[Strategy]) -> type[Strategy]:
    """Class decorator: make a strategy known by its name."""
    if not kind.name or REGISTRY.get(kind.name, kind).__qualname__ != kind.__qualname__:
        raise Broken(f"{kind.__qualname__} needs a name that no other strategy has, not {kind.name!r}")
    REGISTRY[kind.name] = kind
    return kind
