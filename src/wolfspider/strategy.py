"""What a strategy is, and the helpers that make one short: Room, Turns and Group.

A strategy decides which link to follow next and nothing else. It is synchronous, deterministic and alone: it never
sees a socket, a clock, a file or a random generator it was not given. A plain one writes `begin`, `propose` and
`observe`.
"""

from __future__ import annotations

import heapq
import math
import random
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from wolfspider.codec import helper
from wolfspider.events import Noted
from wolfspider.frontier import Frontier, Item, Shelf
from wolfspider.judge import Similarity
from wolfspider.model import Credit, Link, Outcome, Page, Verdict, Visit, host_of
from wolfspider.scope import Rule
from wolfspider.topic import Topic

Route = Callable[[str, bool], str]  # address, fresh -> out, held, joined, source or excluded
HANDED = ("topic", "params", "rng", "shelf", "notes")  # fields that come from outside, and so are no state
REGISTRY: dict[str, type[Strategy]] = {}


class Broken(Exception):
    """A strategy did what its contract forbids: a bug in it, not trouble on the way."""


@dataclass
class NoParams:
    """For strategies without parameters."""


class Strategy(ABC):
    """Base class; everything but `begin`, `propose`, `observe` and `seeds` has a default."""

    name: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    Params: ClassVar[type] = NoParams
    cap: int = 1_000_000  # links a frontier may hold

    def __init__(self, topic: Topic, params: Any, rng: random.Random, shelf: Shelf) -> None:
        self.topic, self.params, self.rng, self.shelf = topic, params, rng, shelf
        self.proposed = 0  # visits so far; the next one's id
        self.notes: list[Noted] = []  # for Crawl to collect

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
        """A credit for an earlier visit; most strategies live without."""

    def wake(self, now: float) -> float | None:
        """When there is something to do again: inf = when a host or an outcome comes, None = nothing is left."""
        times = [time for time in (part.wake() for part in self._parts()) if time is not None]
        return min(times, default=None)

    def changed(self, name: str, old: Any) -> None:
        """A live parameter was moved; one that is read when it is needed wants nothing more."""

    @abstractmethod
    def seeds(self, links: Sequence[Link]) -> None:
        """A person added starting points."""

    def forget(self, rule: Rule) -> None:
        for part in self._parts():
            part.forget(rule)

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
        for part in self._parts():
            if isinstance(part, Frontier):
                part.shelf = self.shelf

    @cached_property
    def _similarity(self) -> Similarity:
        """How near a text of a link is to the topic."""
        return Similarity(self.topic)

    def learned(self) -> dict[str, Any]:
        """What another run may start from."""
        return {}

    def inherit(self, learned: Mapping[str, Any]) -> None:
        """Start from what another run learned."""

    def keeps(self) -> int:
        """How many entries it holds: what its memory grows with."""
        sized = (set, frozenset, dict, list, deque, Frontier, Group)
        return sum(len(value) for value in self._own().values() if isinstance(value, sized))

    def report(self) -> dict[str, Any]:
        """Gauges for people."""
        frontier = getattr(self, "frontier", None)
        return {"frontier": len(frontier)} if frontier is not None else {}

    def explain(self, url: str) -> dict[str, Any]:
        """Why this link stands where it stands."""
        frontier = getattr(self, "frontier", None)
        item = frontier.find(url) if frontier is not None else None
        if item is None:
            return {}
        return {"score": item.score, "source": item.source, "parts": item.extra, "anchor": item.link.anchor}

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

    def note(self, at: float, kind: str, **data: Any) -> None:
        """Tell the stream of events what only this strategy knows."""
        self.notes.append(Noted(at, kind, data))

    def _own(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in HANDED and name[0] != "_"}

    def _parts(self) -> list[Any]:
        return [value for value in vars(self).values() if isinstance(value, Frontier | Turns | Group)]


class Ordered(Strategy):
    """Strategies that keep one order over all links: `observe` scores the links of a page and pushes them, and that
    is all.
    """

    merge: ClassVar[str] = "max"
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
        """What the score is made of, for `explain`."""
        return {"score": item.score} if math.isfinite(item.score) else {"seed": True}


def register(kind: type[Strategy]) -> type[Strategy]:
    """Class decorator: make a strategy known by its name."""
    if not kind.name or REGISTRY.get(kind.name, kind).__qualname__ != kind.__qualname__:
        raise Broken(f"{kind.__qualname__} needs a name that no other strategy has, not {kind.name!r}")
    REGISTRY[kind.name] = kind
    return kind


class Order(NamedTuple):
    """A visit and the way it goes: out, held, joined, source or excluded."""

    visit: Visit
    how: str


class Room:
    """How much may start right now: in total, and at each host. One visit at a time to a host, and `delay` seconds
    between two.

    A driver owns one Room for the whole crawl and tells it when visits start and end; Crawl opens it for each turn.
    `answers` holds everything the strategy was told in this turn, which is what a replay needs.
    """

    def __init__(self) -> None:
        self.free = 0
        self.newly_ready: Sequence[str] = ()
        self.answers: list[Any] = []
        self.now = -math.inf
        self.delay = 0.0
        self._route: Route = lambda url, fresh: "out"
        self._busy: dict[str, int] = {}  # hosts with a visit out
        self._ready: dict[str, float] = {}  # hosts that must rest, until when
        self._refused: dict[str, None] = {}  # hosts that turned a take away, in that order
        self._cooling: list[tuple[float, str]] = []  # refused hosts with nothing out, by the time they are ready
        self._taken: dict[tuple[str, bool], list[str]] = {}

    def open(self, now: float, free: int, route: Route, delay: float = 0.0) -> None:
        """A turn begins."""
        self.now, self.free, self._route, self.delay = now, free, route, delay
        self._taken = {}
        ready = []
        while self._cooling and self._cooling[0][0] <= now:
            host = heapq.heappop(self._cooling)[1]
            if host in self._refused and host not in self._busy:
                del self._refused[host]
                ready.append(host)
        self.newly_ready = ready
        self.answers = []

    def take(self, link: Link, fresh: bool = False) -> bool:
        how = self._route(link.url, fresh)
        if how == "out" and not fresh and "out" in self._taken.get((link.url, False), ()):
            how = "joined"
        if how == "out":
            how = self._try_host(link.host)
        self.answers.append(how)
        if how == "refused":
            return False
        self._taken.setdefault((link.url, fresh), []).append(how)
        return True

    def _try_host(self, host: str) -> str:
        if self.free > 0 and self.ready_at(host, told=False) <= self.now:
            self.free -= 1
            self._busy[host] = self._busy.get(host, 0) + 1
            return "out"
        if host not in self._refused:
            self._refused[host] = None
            if host not in self._busy:
                heapq.heappush(self._cooling, (self._ready.get(host, self.now), host))
        return "refused"

    def ready_at(self, host: str, told: bool = True) -> float:
        """When this host may be visited; inf while a visit to it is out."""
        time = math.inf if host in self._busy else self._ready.get(host, -math.inf)
        if told:
            self.answers.append(time)
        return time

    def settle(self, visits: Sequence[Visit]) -> list[Order]:
        """The turn ends: every visit gets the way it was promised, what was taken for nothing is given back."""
        orders = []
        for visit in visits:
            ways = self._taken.get((visit.link.url, visit.fresh))
            if not ways:
                raise Broken(f"visit {visit.id} to {visit.link.url} was proposed without taking room for it")
            orders.append(Order(visit, ways.pop(0)))
        for (url, _), ways in self._taken.items():
            for how in ways:
                if how == "out":
                    self.free += 1
                    self.release(host_of(url), None)
        return orders

    def release(self, host: str, now: float | None) -> None:
        """A visit to this host has ended (now), or never began (None)."""
        left = self._busy.get(host, 0) - 1
        if left > 0:
            self._busy[host] = left
            return
        self._busy.pop(host, None)
        if now is not None:
            self._ready[host] = now + self.delay
        if host in self._refused:
            heapq.heappush(self._cooling, (self._ready.get(host, -math.inf), host))

    def busy(self, host: str) -> None:
        """A visit to this host is out that was not taken in this turn: after a resume."""
        self._busy[host] = self._busy.get(host, 0) + 1

    def next_ready(self) -> float:
        """When the first refused host may be visited; inf if none is cooling."""
        while self._cooling and self._cooling[0][1] not in self._refused:
            heapq.heappop(self._cooling)
        return self._cooling[0][0] if self._cooling else math.inf

    def state(self) -> dict[str, Any]:
        return {"ready": dict(self._ready), "refused": list(self._refused)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Nothing is out after a restart; what goes out again is told by `busy`."""
        self._ready = dict(state["ready"])
        self._refused = dict.fromkeys(state["refused"])
        self._cooling = [(self._ready.get(host, -math.inf), host) for host in self._refused]
        heapq.heapify(self._cooling)


class Replayed(Room):
    """A room that answers as it did before, from the journal."""

    def __init__(self, free: int, newly_ready: Sequence[str], answers: Sequence[Any]) -> None:
        super().__init__()
        self.free, self.newly_ready = free, newly_ready
        self._left = deque(answers)

    def open(self, now: float, free: int, route: Route, delay: float = 0.0) -> None:
        self.now = now

    def take(self, link: Link, fresh: bool = False) -> bool:
        how = self._next()
        if how == "refused":
            return False
        self.free -= how == "out"
        self._taken.setdefault((link.url, fresh), []).append(how)
        return True

    def ready_at(self, host: str, told: bool = True) -> float:
        return float(self._next())

    def _next(self) -> Any:
        if not self._left:
            raise Broken("the strategy asks more than it did the first time: it is not deterministic")
        answer = self._left.popleft()
        self.answers.append(answer)
        return answer


@helper
class Turns:
    """Fair turns for walkers: each has at most one visit out; whoever is refused waits for its host with its pick kept.

    for name, pick in turns.ready(room):     # pick is None at first
        link = pick or choose(name)
        if room.take(link): visits.append(self.visit(link, agent=name))
        else: turns.park(name, link)
    """

    def __init__(self) -> None:
        self.queue: deque[str] = deque()
        self.parked: dict[str, deque[tuple[str, Link]]] = {}
        self.gone: set[str] = set()
        self.unheard: list[str] = []  # hosts that were ready when the slots ran out before all had tried

    def __len__(self) -> int:
        return len(self.queue) + sum(len(waiting) for waiting in self.parked.values())

    def add(self, name: str) -> None:
        self.queue.append(name)

    def park(self, name: str, pick: Link) -> None:
        self.parked.setdefault(pick.host, deque()).append((name, pick))

    def remove(self, name: str) -> None:
        """This walker is no more; it is passed over when its turn comes."""
        self.gone.add(name)

    def ready(self, room: Room) -> Iterator[tuple[str, Link | None]]:
        """Who may try now: those whose host is ready again, with their picks, then everybody in the queue."""
        hosts, self.unheard = [*self.unheard, *room.newly_ready], []
        for host in hosts:
            waiting = self.parked.pop(host, deque())
            while waiting and room.free > 0 and host not in self.parked:
                name, pick = waiting.popleft()
                if not self._is_gone(name):
                    yield name, pick
            if host in self.parked:  # refused again: it keeps its place at the head
                waiting.extendleft(reversed(self.parked[host]))
            elif waiting:
                self.unheard.append(host)
            if waiting:
                self.parked[host] = waiting
        for _ in range(len(self.queue)):
            if room.free <= 0:
                return
            name = self.queue.popleft()
            if not self._is_gone(name):
                yield name, None

    def _is_gone(self, name: str) -> bool:
        if name not in self.gone:
            return False
        self.gone.discard(name)
        return True

    def forget(self, rule: Rule) -> None:
        """A pick that is out of scope now is dropped and its walker chooses again."""
        for host, waiting in list(self.parked.items()):
            for name, pick in list(waiting):
                if rule.matches(pick.url):
                    waiting.remove((name, pick))
                    self.queue.append(name)
            if not waiting:
                del self.parked[host]

    def wake(self) -> float | None:
        return math.inf if len(self) else None

    def state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Turns:
        made = cls()
        vars(made).update(state)
        return made


@helper
class Group:
    """Links that belong together: what is left to start, what is out, and when the last one is in."""

    def __init__(self, links: Iterable[Link] = ()) -> None:
        self.left: deque[Link] = deque(links)
        self.out: set[int] = set()

    def __len__(self) -> int:
        return len(self.left) + len(self.out)

    def give(self, room: Room, visit: Callable[[Link], Visit], fresh: bool = False) -> list[Visit]:
        """Start all that may start now, in order."""
        visits = []
        for _ in range(len(self.left)):
            if room.free <= 0:
                break
            link = self.left.popleft()
            if room.take(link, fresh):
                visits.append(visit(link))
                self.out.add(visits[-1].id)
            else:
                self.left.append(link)
        return visits

    def landed(self, visit: int) -> bool:
        """Note a landing; True when it was the last of the group."""
        self.out.discard(visit)
        return not len(self)

    def forget(self, rule: Rule) -> None:
        self.left = deque(link for link in self.left if not rule.matches(link.url))

    def wake(self) -> float | None:
        return math.inf if self.left else None

    def state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Group:
        made = cls(state["left"])
        made.out = state["out"]
        return made
