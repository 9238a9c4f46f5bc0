"""The loop of a crawl, without any I/O.

The life of a URL. A page shows a link. If the link is in scope it reaches the strategy with the page (`observe`),
which may put it in its frontier. Some turn later the strategy takes room for it and proposes a visit. Crawl decides
the way it goes: an address that the run holds already is answered from memory, free; one that is out at this moment is
joined; one out of scope is turned away; a Source answers its own; everything else goes out, and a download is reserved
for it, so that the budget holds to the last page. The driver brings the answer back and `land`s it: the page loses its
links out of scope, the judge scores it, memory keeps it, the strategy observes it, the reinforcer looks at what the
strategy sends and pays credits, at once or later. Each of these steps is an event, and each call that could come out
differently another time is written to the journal, from which the same crawl can be played again.
"""

from __future__ import annotations

import heapq
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from wolfspider.core import events
from wolfspider.core.errors import Problem
from wolfspider.core.events import EndReason
from wolfspider.core.model import (
    Credit,
    Failure,
    Link,
    Outcome,
    Page,
    Question,
    Route,
    Sent,
    Verdict,
    Visit,
    is_web_address,
)
from wolfspider.core.params import param
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Topic
from wolfspider.engine.commands import labelled, obey
from wolfspider.engine.contracts import Memory, Source
from wolfspider.policy.addresses import Shelf
from wolfspider.policy.browsing import TRAINING
from wolfspider.policy.judges.judge import Judge
from wolfspider.policy.reinforcer import Reinforcer
from wolfspider.policy.room import Broken, Order, Replayed, Room
from wolfspider.policy.strategy import Strategy

SENT_KEPT = 100_000
PATIENCE = 1_000  # visits without a download after which a turn waits for something to change
INSTANT = 0.001  # the shortest step in time
PARKING = 1_000  # visits that may wait for their turn at a host, beyond those that hold a slot
KEPT = (
    "now",
    "spent",
    "training",
    "joined",
    "credited",
    "labels",
    "taught",
    "paused",
    "closing",
    "idle",
    "streak",
    "futile",
    "asked",
)


@dataclass
class Limits:
    """What a crawl may spend, and how fast. `events.SetLimit` changes the live ones, within their bounds."""

    pages: int = param(
        1000, "Downloads; exceeded only by requests under way when the limit was lowered.", low=0, high=10**12
    )
    slots: int = param(1, "Visits out at a time.", low=1, high=2000)
    delay: float = param(0.0, "Seconds between two visits to a host.", low=0, high=86_400)
    max_wait: float = param(3600.0, "A crawl that could only wait longer than this is over (seconds).", live=False)


@dataclass
class Flight:
    visit: Visit
    how: Route
    tries: int = 1  # downloads that are reserved for it
    requests: int = 0  # and those of them that were sent


class Crawl:
    """Owns what is out, the budget and the commands; the driver owns time and the web."""

    def __init__(
        self,
        strategy: Strategy,
        judge_of: Callable[[Topic], Judge],
        memory: Memory,
        limits: Limits,
        *,
        reinforcer: Reinforcer | None = None,
        scope: Scope | None = None,
        sources: Mapping[str, Source] | None = None,
        journal: Callable[[tuple[Any, ...]], None] | None = None,
        train: str = "charged",
    ) -> None:
        self.strategy, self.judge_of, self.memory, self.limits = strategy, judge_of, memory, limits
        self.shelf: Shelf = strategy.shelf
        self.topic = strategy.topic
        self.judge = judge_of(self.topic)
        self.reinforcer = reinforcer or Reinforcer()
        self.reinforcer.terms = strategy.terms(self.reinforcer.terms)
        self.scope, self.sources, self.train = scope or Scope(), sources or {}, train
        strategy.allows = self.may_propose
        self.listeners: list[Callable[[events.Event], None]] = []
        self.inbox: list[events.Command] = []  # commands for the driver to hand over between steps
        self._write = journal or (lambda entry: None)
        self.now = -math.inf
        self.spent = 0  # downloads
        self.training = 0  # downloads of training, charged or free
        self.flights: dict[int, Flight] = {}  # visits without a result, whatever way they go
        self.out = 0  # how many of them are out
        self.parked: set[int] = set()  # those of them that wait for their turn at a host, and hold no slot meanwhile
        self.reserved = 0  # downloads they may still cost
        self.requested = 0  # and those of them that were sent
        self.addresses: dict[str, int] = {}  # what is out, and how often
        self.joined: dict[str, list[int]] = {}  # visits that wait for one already out
        self.credits: list[tuple[float, int, Credit]] = []
        self.credited = 0
        self.sent: OrderedDict[int, Sent] = OrderedDict()
        self.labels: dict[str, bool] = {}  # by final address, once it is known
        self.taught: set[str] = set()  # labels that judge and strategy know of
        self.paused = False
        self.closing: EndReason | None = None  # finished or stopped, once a person said so
        self.idle = 0  # visits in a row without a download
        self.streak = 0  # of those, since the last turn that had something to wait for
        self.until = math.inf  # when a strategy that was asked to wait wanted to be woken
        self.futile = 0  # turns in a row in which hosts were ready and nothing was proposed
        self.asked = -math.inf  # when propose last gave nothing

    # What is left, and what is out

    @property
    def left(self) -> int:
        """Downloads not yet spent or reserved."""
        return self.limits.pages - self.spent - self.reserved

    def _free(self) -> int:
        """How many visits may start. One that waits for its turn holds no slot, but there is an end to that too."""
        slots = self.limits.slots
        return min(slots - self.out + len(self.parked), slots + PARKING - self.out, self.left)

    def park(self, visit: Visit, waiting: bool) -> None:
        """A visit that is out has to wait for its turn, or has it. Nothing that a replay must know: it shows in what
        the room has free."""
        if waiting:
            self.parked.add(visit.id)
        else:
            self.parked.discard(visit.id)

    def _charged(self, flight: Flight) -> bool:
        return flight.how == Route.OUT and not (self.train == "free" and flight.visit.agent == TRAINING)

    def _enter(self, flight: Flight) -> None:
        visit = flight.visit
        self.flights[visit.id] = flight
        if flight.how == Route.OUT:
            self.out += 1
        if self._charged(flight):  # nobody joins free training: what it brings is not held
            self.reserved += flight.tries
            self.requested += flight.requests
            self.addresses[visit.link.url] = self.addresses.get(visit.link.url, 0) + 1

    def _leave(self, flight: Flight, result: Page | Failure) -> int:
        """What the flight has cost."""
        if flight.how != Route.OUT:
            return 0
        self.out -= 1
        self.parked.discard(flight.visit.id)
        tries = flight.tries - (isinstance(result, Failure) and not result.asked)
        if flight.visit.agent == TRAINING:
            self.training += tries
        if not self._charged(flight):
            return 0
        url = flight.visit.link.url
        self.addresses[url] -= 1
        if not self.addresses[url]:
            del self.addresses[url]
        self.reserved -= flight.tries
        self.requested -= flight.requests
        self.spent += tries
        return tries

    # The turn

    def begin(self, seeds: Iterable[Link], now: float, spent: int = 0) -> None:
        """`spent`: downloads made before, for the pages that the topic is described by."""
        links = tuple(link for link in seeds if self.in_scope(link.url))
        self._write(("begin", links, now, spent))
        self.now, self.spent = now, spent
        self._emit(events.Began(now, links, self.limits.pages))
        self.strategy.begin(links, now)
        self._collect()

    def visits(self, room: Room, now: float) -> list[Order]:
        """What starts now. Calls `propose` at most once; credits that are due are paid just before."""
        replayed = isinstance(room, Replayed)
        free = self._free()
        if not replayed and (self.paused or self.closing or free <= 0 or self._better_wait(room, now)):
            return []
        self.now = now
        if self.streak >= PATIENCE:
            self.streak = 0
        if self.out or room.next_ready() < math.inf:
            self.idle = 0
        self.until = math.inf
        self._pay(now)
        room.allows = self.may_propose
        room.open(now, free, self._route, self.limits.delay)
        opened = (room.free, tuple(room.newly_ready))
        visits = self.strategy.propose(room, now)
        orders = room.settle(visits)
        self._write(("propose", now, *opened, tuple(room.answers), tuple(visit.id for visit in visits)))
        self.asked = -math.inf if orders else now
        self.futile = 0 if orders or not opened[1] else self.futile + 1
        for order in orders:
            self._start(order, now)
        self._collect()
        return orders

    def _start(self, order: Order, now: float) -> None:
        visit, how = order
        if visit.id in self.flights:
            raise Broken(f"visit {visit.id} was proposed twice")
        self._enter(Flight(visit, how))
        if how == Route.JOINED:
            self.joined.setdefault(visit.link.url, []).append(visit.id)
        self._emit(events.Went(now, visit, how))

    def _route(self, url: str, fresh: bool) -> Route:
        source = self.source_of(url)
        if source is not None:
            return Route.OUT if source.network else Route.SOURCE
        if not self.in_scope(url):
            return Route.EXCLUDED
        if fresh:
            return Route.OUT
        if self.memory.holds(url):
            return Route.HELD
        return Route.JOINED if url in self.addresses else Route.OUT

    def source_of(self, url: str) -> Source | None:
        """The Source that answers this address; None for addresses of the web, and where there is no such Source."""
        return None if is_web_address(url) else self.sources.get(Question.of(url).source)

    def in_scope(self, url: str) -> bool:
        """A question is in scope where there is a Source to answer it."""
        return self.scope.allows(url) if is_web_address(url) else self.source_of(url) is not None

    def may_propose(self, url: str) -> bool:
        """May a strategy propose this address? Scope does not concern questions to Sources."""
        return not is_web_address(url) or self.scope.allows(url)

    def _better_wait(self, room: Room, now: float) -> bool:
        """After many visits that cost nothing, something must change before the strategy is asked again."""
        if self.streak < PATIENCE or not (self.out or room.next_ready() < math.inf):
            return False
        self.until = min(self.until, self._wake(now))
        return now < min(room.next_ready(), self._credit_due(), self.until)

    # The landing

    def may_send(self, visit: Visit) -> bool:
        """A request for this visit is about to go out: may it? Reserved downloads exceed the page limit once a person
        has lowered it; then the visit stays in flight, unsent, until there is room again, in this session or in a
        later one. A replay need not know: the journal says only that the visit is in flight."""
        flight = self.flights[visit.id]
        if not self._charged(flight) or flight.requests == flight.tries:  # free, or sent already
            return True
        if self._used_up:
            return False
        flight.requests += 1
        self.requested += 1
        return True

    @property
    def _used_up(self) -> bool:
        """Has the crawl sent as many requests as it may?"""
        return self.spent + self.requested >= self.limits.pages

    def given_up(self) -> list[Visit]:
        """Visits that were granted another try which a lowered page limit does not allow any more."""
        if self.left >= 0 or not self._used_up:
            return []
        return [one.visit for one in self.flights.values() if self._charged(one) and 0 < one.requests < one.tries]

    def _withheld(self) -> bool:
        """Is every visit in flight one that may not be sent, or one that joined such a visit?"""
        return (
            self.left < 0
            and self._used_up
            and all(
                flight.how == Route.JOINED or (self._charged(flight) and flight.requests < flight.tries)
                for flight in self.flights.values()
            )
        )

    def grant(self, visit: Visit) -> bool:
        """May this visit be tried once more? It costs a download."""
        flight = self.flights[visit.id]
        granted = not self.closing and (not self._charged(flight) or self.left > 0)
        self._write(("grant", visit.id, granted))
        if granted and self._charged(flight):
            self.requested += flight.tries - flight.requests  # in a replay nobody asked whether they may be sent
            self.reserved += 1
        if granted:
            flight.requests = flight.tries
            flight.tries += 1
        return granted

    def land(self, visit: Visit, result: Page | Failure, now: float, seconds: float) -> None:
        """A visit is back; those that joined it land right after."""
        self._write(("land", visit.id, result, now, seconds))
        self.now = now
        flight = self.flights.pop(visit.id)
        cost = self._leave(flight, result)
        result, verdict = self._judged(flight, result)
        self._observe(flight, result, verdict, cost, now, seconds)
        if self._charged(flight) or (flight.how == Route.OUT and visit.link.url not in self.addresses):
            for joiner in self.joined.pop(visit.link.url, ()):
                self._observe(self.flights.pop(joiner), result, verdict, 0, now, seconds)
        self._collect()

    def _judged(self, flight: Flight, result: Page | Failure) -> tuple[Page | Failure, Verdict | None]:
        url, whole = flight.visit.link.url, result
        if isinstance(result, Page):
            result = self._cut(url, result)
        if self.source_of(url) is not None:
            return result, None
        if not isinstance(result, Page):
            verdict = None
        elif flight.how == Route.HELD and result.final_url not in self.labels:
            held = self.memory.recall(url)
            verdict = held.verdict if held else None
        else:
            verdict = self._verdict(url, result)
        if self._charged(flight):
            self._keep(url, whole if isinstance(result, Page) else result, verdict)
        return result, verdict

    def _cut(self, url: str, page: Page) -> Page | Failure:
        """Without links that are not followed. What was asked for while it was in scope is kept; where it leads to must
        be in scope, too."""
        if page.final_url != url and not self.scope.allows(page.final_url):
            return Failure("excluded", f"led to {page.final_url}")
        return self.scope.cut(page)

    def _verdict(self, url: str, page: Page) -> Verdict:
        """A person's word, if there is one, else the judge's. A label given before the page was known teaches now."""
        early = self.labels.pop(url, None) if url != page.final_url else None
        good = self.labels.get(page.final_url, early)
        if good is None:
            return self.judge.score(page)
        if page.final_url not in self.taught:
            self.label(page, good)
        return labelled(good)

    def label(self, page: Page, good: bool) -> None:
        """A person's thumb for a page that is here: it is final, and judge and strategy learn from it."""
        self.labels[page.final_url] = good
        self.taught.add(page.final_url)
        self.judge.learn(page, good)
        self.strategy.judged(page, labelled(good))

    def _keep(self, url: str, result: Page | Failure, verdict: Verdict | None) -> None:
        if isinstance(result, Page) or result.lasting:
            self.memory.keep(url, result, verdict)

    def _observe(
        self, flight: Flight, result: Page | Failure, verdict: Verdict | None, cost: int, now: float, seconds: float
    ) -> None:
        cached = flight.how != Route.OUT
        self.idle, self.streak = (0, 0) if cost else (self.idle + 1, self.streak + 1)
        outcome = Outcome(flight.visit, result, verdict, cost, seconds, now, cached)
        if isinstance(result, Page):
            self._remember_sent(flight.visit, result, verdict)
        submitted = self.strategy.observe(outcome) or ()
        self._emit(events.Landed(now, outcome, flight.how, self.spent))
        for visit in submitted:
            self._submit(visit, now)

    # Credits

    def _remember_sent(self, visit: Visit, page: Page, verdict: Verdict | None) -> None:
        self.sent[visit.id] = Sent(visit.id, visit.agent, page.final_url, page.digest, page.published, verdict)
        if len(self.sent) > SENT_KEPT:
            self.sent.popitem(last=False)

    def _submit(self, visit: int, now: float) -> None:
        sent = self.sent.get(visit)
        if sent is None:
            return
        for credit in self.reinforcer.submit(sent, now):
            if credit.at > now:
                heapq.heappush(self.credits, (credit.at, self.credited, credit))
                self.credited += 1
            else:
                self._credit(credit, now)

    def _credit(self, credit: Credit, now: float) -> None:
        self.strategy.reward(credit)
        self._emit(events.Credited(now, credit))

    def _pay(self, now: float) -> None:
        while self.credits and self.credits[0][0] <= now:
            self._credit(heapq.heappop(self.credits)[2], now)

    def _credit_due(self) -> float:
        return self.credits[0][0] if self.credits else math.inf

    # Time and the end

    def _wake(self, now: float) -> float:
        time = self.strategy.wake(now)
        if time is not None and time <= now:
            raise Broken(f"{self.strategy.name} wants to be woken at {time}, which is not after {now}")
        return math.inf if time is None else time

    def next(self, room: Room, now: float) -> float:
        """When there is something to do again, landings and commands apart."""
        if self.paused or self.closing or self._free() <= 0:
            return math.inf
        time = min(room.next_ready(), self._credit_due(), self._wake(now))
        return max(time, now + INSTANT)

    def reopen(self) -> None:
        """Go on after a stop, which ends a session and not the crawl."""
        if self.closing == EndReason.STOPPED:
            self.closing = None

    def over(self, room: Room, now: float) -> EndReason | None:
        """Why the crawl is over, if it is."""
        if self.closing == EndReason.STOPPED:
            return self.closing
        if not self.out and self.idle >= max(10_000, 10 * self.limits.pages) and room.next_ready() == math.inf:
            return EndReason.CIRCLING
        if self.flights and not self._withheld():
            return None
        if self.closing or self.left <= 0:
            return self.closing or EndReason.BUDGET
        if self.paused:
            return EndReason.PAUSED
        if self.asked != now:
            return None
        return self._dry(room, now)

    def _dry(self, room: Room, now: float) -> EndReason | None:
        if self.strategy.wake(now) is None and not self.credits:
            return EndReason.EXCLUDED if self.scope.narrowed and self.strategy.excluded() else EndReason.DONE
        time = self.next(room, now)
        if time == math.inf or self.futile >= PATIENCE:
            return EndReason.STUCK
        return EndReason.WAITING if time - now > self.limits.max_wait else None

    def end(self, reason: EndReason, now: float) -> None:
        """The driver is through. Credits that never came due are dropped unless the run can be resumed."""
        self.now = now  # what comes later, in another session too, is never earlier than this
        resumable = reason in events.RESUMABLE
        self._emit(events.Ended(now, reason, self.spent, 0 if resumable else len(self.credits)))
        if not resumable:
            self.credits.clear()

    # Commands

    def command(self, command: events.Command, now: float) -> None:
        """Do what a person wants, or say why it can't be done; either way there is an event."""
        self._write(("command", command, now))
        self.now = now
        try:
            old = obey(self, command)
        except Problem as problem:
            self._emit(events.Obeyed(now, command, problem=str(problem)))
        else:
            self._emit(events.Obeyed(now, command, old))
        self._collect()

    # Events and state

    def listen(self, listener: Callable[[events.Event], None]) -> None:
        self.listeners.append(listener)

    def _emit(self, event: events.Event) -> None:
        for listener in self.listeners:
            listener(event)

    def _collect(self) -> None:
        notes, self.strategy.notes = self.strategy.notes, []
        for note in notes:
            self._emit(note)

    def state(self) -> dict[str, Any]:
        """Everything but the shelf's content and the world, for `codec` to store at once."""
        return {
            "fields": {name: getattr(self, name) for name in KEPT} | {"closing": self.closing or ""},
            "topic": [list(self.topic.keywords), self.topic.description],
            "limits": vars(self.limits),
            "params": vars(self.strategy.params),
            "flights": [[flight.visit, flight.how, flight.tries] for flight in self.flights.values()],
            "credits": [credit for _, _, credit in sorted(self.credits, key=lambda held: held[:2])],
            "sent": list(self.sent.values()),
            "scope": self.scope.state(),
            "shelf": len(self.shelf),
            "memory": self.memory.state(),
            "strategy": self.strategy.state(),
            "judge": self.judge.state(),
            "reinforcer": self.reinforcer.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Back to a snapshot, in a Crawl built as the first one was."""
        vars(self).update(state["fields"])
        self.closing = EndReason(self.closing) if self.closing else None
        self.reopen()
        self.topic = replace(self.topic, keywords=tuple(state["topic"][0]), description=state["topic"][1])
        vars(self.limits).update(state["limits"])
        vars(self.strategy.params).update(state["params"])
        self.flights, self.addresses, self.parked, self.out, self.reserved, self.requested = {}, {}, set(), 0, 0, 0
        for visit, how, tries in state["flights"]:  # the last try of each goes out again
            self._enter(Flight(visit, Route(how), tries, tries - 1))
        self.credits = [(credit.at, number, credit) for number, credit in enumerate(state["credits"])]
        self.sent = OrderedDict((sent.visit, sent) for sent in state["sent"])
        self.scope.restore(state["scope"])
        self.shelf.cut(state["shelf"])
        self.memory.restore(state["memory"])
        self.judge = self.judge_of(self.topic)
        self.judge.restore(state["judge"])
        self.reinforcer.restore(state["reinforcer"])
        self.strategy.topic = self.topic
        self.strategy.restore(state["strategy"])
        self.reinforcer.terms = self.strategy.terms(self.reinforcer.terms)
