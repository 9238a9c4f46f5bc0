"""The loop of a crawl, without any I/O.

The life of a URL. A page shows a link. If the link is in scope, the strategy gets it with the page (`observe`), and may
put it in its frontier. Some turn later the strategy takes room for it and proposes a visit. Crawl chooses the route of
the visit. An address that the run holds already is answered from memory, free of charge. An address to which a visit is
out is joined: both visits land together. An address out of scope is turned away. A Source answers its own addresses.
All other visits go out, and a download is reserved for each, so that the budget holds to the last page (flights.py).

The driver brings the answer back and `land`s it: the page loses its links out of scope, the judge scores it, memory
keeps it, and the strategy observes it. The strategy may send the page's document to the reinforcer, which pays credits
at once or later (ledger.py). A visit that failed may be granted another try.

Each of these steps is an event. Each call whose outcome could differ another time is written to the journal, from
which a killed run is resumed (replay.py). What a person may do meanwhile is in commands.py.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from wolfspider.core import events
from wolfspider.core.errors import Problem
from wolfspider.core.events import EndReason
from wolfspider.core.limits import AT_ONCE
from wolfspider.core.limits import Limits as Limits
from wolfspider.core.model import (
    Credit,
    Failure,
    Link,
    Outcome,
    Page,
    Question,
    Route,
    Verdict,
    Visit,
    is_web_address,
)
from wolfspider.core.randomness import generator
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Topic
from wolfspider.engine import crawl_state, ending, entries
from wolfspider.engine.commands import labelled, obey
from wolfspider.engine.contracts import Memory, Source
from wolfspider.engine.ending import PATIENCE
from wolfspider.engine.flights import Flight, Flights
from wolfspider.engine.ledger import Ledger
from wolfspider.engine.probes import CHANCE, Probes, is_probe
from wolfspider.policy.budgets import Budgets
from wolfspider.policy.judges.judge import Judge, scored
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.pacing import Pacing, never_quiet
from wolfspider.policy.prospects import Prospects
from wolfspider.policy.reinforcer import Reinforcer
from wolfspider.policy.room import Broken, BrokenContract, Order, Replayed, Room
from wolfspider.policy.strategy import Strategy
from wolfspider.policy.thrift import Worth
from wolfspider.policy.trap_rules import TrapRules

INSTANT = 0.001  # the shortest step in time


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
        journal: Callable[[entries.Entry], None] | None = None,
        train: str = "charged",
        traps: TrapRules | None = None,
        domain_of: Callable[[str], str] | None = None,
        quiet: Callable[[float], float] = never_quiet,
        chance: random.Random | None = None,
    ) -> None:
        """`chance`: what probes are drawn with."""
        self.strategy, self.judge_of, self.memory, self.limits = strategy, judge_of, memory, limits
        self.shelf: Shelf = strategy.shelf
        self.topic = strategy.topic
        self.judge = judge_of(self.topic)
        self.reinforcer = reinforcer or Reinforcer()
        self.reinforcer.terms = strategy.terms(self.reinforcer.terms)
        self.scope, self.sources, self.train = scope or Scope(), sources or {}, train
        self.prospects = Prospects()  # is it enough?
        self.budgets = Budgets(limits, domain_of, self.prospects)
        self.pacing = Pacing(limits, quiet)
        self.probes = Probes(limits, chance or generator(0, CHANCE))
        self.traps = traps  # what keeps out of them; None: every link is followed as the strategy likes
        strategy.allows, strategy.budget_left = self.may_propose, lambda: max(0, limits.pages - self.spent)
        self.listeners: list[Callable[[events.Event], None]] = []
        self.inbox: list[events.Command] = []  # commands for the driver to hand over between steps
        self._write = journal or (lambda entry: None)
        self.now = -math.inf
        self.flights = Flights(limits, train == "free")  # visits without a result
        self.ledger = Ledger(self.reinforcer)
        self.labels: dict[str, bool] = {}  # by final address, once it is known
        self.by_teacher: set[str] = set()  # those of them that no person gave
        self.taught: set[str] = set()  # labels that judge and strategy know of
        self.paused = False
        self.closing: EndReason | None = None  # finished or stopped, once a person said so
        self.idle = 0  # visits in a row without a download
        self.streak = 0  # of those, since the last turn that had something to wait for
        self.refused = 0  # visits that went out and were turned away, since the last download of this session
        self.until = math.inf  # when a strategy that was asked to wait wanted to be woken
        self.futile = 0  # turns in a row in which hosts were ready and nothing was proposed
        self.asked = -math.inf  # when propose last gave nothing
        self.roused = False  # did rests of patterns end just now, for want of anything else?

    @property
    def spent(self) -> int:
        """Downloads made."""
        return self.flights.spent

    # The turn

    def begin(self, seeds: Iterable[Link], now: float, spent: int = 0) -> None:
        """`spent`: downloads made before, for the pages that the topic is described by."""
        links = tuple(link for link in seeds if self.in_scope(link.url))
        self._write(entries.BeginEntry(links, now, spent))
        self.now, self.flights.spent = now, spent
        self.prospects.begin(now)
        self._emit(events.Began(now, links, self.limits.pages))
        self.strategy.begin(links, now)
        self._collect()

    def visits(self, room: Room, now: float) -> list[Order]:
        """What starts now. Calls `propose` at most once; credits that are due are paid just before."""
        replayed = isinstance(room, Replayed)
        free = int(min(self.flights.free, self.pacing.free(now)))
        closed = free < 1 or not self.may_start or self.budgets.exhausted(now)
        if not replayed and (closed or self._better_wait(room, now)):
            return []
        self.now = now
        if self.streak >= PATIENCE:
            self.streak = 0
        if self.flights.out or room.next_ready() < math.inf:
            self.idle = 0
        self.until = math.inf
        self._pay(self.ledger.due(now), now)
        self._rouse(idle=False)
        room.allows = self.may_propose
        hurry = self.limits.hurry if self.strategy.thrifty else AT_ONCE
        room.open(now, free, self._route, self.limits.delay, hurry, self.limits.max_wait)
        opened = (room.free, tuple(room.newly_ready))
        probes = self.probes.visits(self.strategy.drawn_from, room, self.may_propose, self._is_new)
        visits = self.strategy.propose(room, now)
        try:
            orders = room.settle([*probes, *visits])
        except Broken as error:
            raise BrokenContract(self.strategy, "propose", str(error)) from error
        except (AttributeError, TypeError) as error:
            what = f"it must return a list of visits, not {visits!r:.100}"
            raise BrokenContract(self.strategy, "propose", what) from error
        self._write(entries.ProposeEntry(now, *opened, tuple(room.answers), tuple(order.visit.id for order in orders)))
        self.asked = -math.inf if orders else now
        self.futile = 0 if orders or not opened[1] or Worth.GIVES_WAY in room.answers else self.futile + 1
        for visit, how in orders:
            if visit.id in self.flights:
                raise BrokenContract(self.strategy, "propose", f"visit {visit.id} was proposed twice")
            self.flights.start(visit, how)
            if how == Route.OUT:
                self.pacing.started(visit.link.url, now)
            self._emit(events.Went(now, visit, how))
        if self.traps is not None and not self.flights and self.has_nothing(now):
            self._rouse(idle=True)
        self._collect()
        return orders

    def _rouse(self, idle: bool) -> None:
        """Links whose patterns rested may wait again. `idle`: is nothing else left?"""
        self.roused = False
        if self.traps is not None and self.traps.over(self.spent, idle):
            self.strategy.bring_back()
            self.roused = idle

    @property
    def may_start(self) -> bool:
        """May a visit start, or one that was postponed go on?"""
        closed = self.paused or self.closing is not None or self.refused >= ending.MOST_REFUSED
        return not closed and self.flights.free > 0

    def _route(self, url: str, fresh: bool) -> Route:
        source = self.source_of(url)
        if source is not None:
            return Route.OUT if source.network else Route.SOURCE
        if not self.in_scope(url):
            return Route.EXCLUDED
        if fresh and not (self.pacing.lately(url, self.now) and self.memory.holds(url)):
            return Route.OUT
        if self.memory.holds(url):
            return Route.HELD
        return Route.JOINED if url in self.flights.addresses else Route.OUT

    def _is_new(self, url: str) -> bool:
        """Is this an address of the web that a visit to would cost a download?"""
        return is_web_address(url) and self._route(url, False) == Route.OUT

    def source_of(self, url: str) -> Source | None:
        """The Source that answers this address; None for addresses of the web, and where there is no such Source."""
        return None if is_web_address(url) else self.sources.get(Question.of(url).source)

    def in_scope(self, url: str) -> bool:
        """A question is in scope where there is a Source to answer it."""
        return self.scope.allows(url) if is_web_address(url) else self.source_of(url) is not None

    def may_propose(self, url: str) -> bool:
        """May a strategy propose this address? Neither scope, budgets nor rests concern questions to Sources."""
        if not is_web_address(url):
            return True
        return self.scope.allows(url) and self.budgets.allows(url) and (self.traps is None or self.traps.allows(url))

    def _better_wait(self, room: Room, now: float) -> bool:
        """After many visits that cost nothing, something must change before the strategy is asked again."""
        if self.streak < PATIENCE or not (self.flights.out or room.next_ready() < math.inf):
            return False
        self.until = min(self.until, self._wake(now))
        return now < min(room.next_ready(), self.ledger.next_due(), self.until)

    # The landing

    def grant(self, visit: Visit) -> bool:
        """May this visit be tried once more? It costs a download."""
        granted = not self.closing and self.flights.reserve_try(visit)
        self._write(entries.GrantEntry(visit.id, granted))
        return granted

    def postpone(self, visit: Visit, failure: Failure, now: float) -> None:
        """The host of this visit is in trouble. Until it is granted another try, the visit stays in flight, and holds
        neither a slot nor a download that others could use."""
        self._write(entries.PostponeEntry(visit.id, failure, now))
        self.now = now
        self.flights.postpone(visit, failure)
        self._emit(events.Postponed(now, visit, failure))

    def land(self, visit: Visit, result: Page | Failure, now: float, seconds: float) -> None:
        """A visit is back; those that joined it land right after."""
        self._write(entries.LandEntry(visit.id, result, now, seconds))
        self.now = now
        flight, cost = self.flights.leave(visit, result)
        self.probes.spent(cost)
        if cost and (cap := self.budgets.took(visit.link.host, result, cost, seconds)):
            self.strategy.note(now, "cap", **cap._asdict())
        traps = self.traps if cost and self.traps is not None and self.traps.learns_from(visit) else None
        notes = traps.landed(visit.link.url, result, self.spent) if traps is not None else []
        result, verdict = self._judged(flight, result)
        if cost:
            self.prospects.landed(visit.link, result, verdict is not None and verdict.relevant, cost)
        if traps is not None and verdict is not None and isinstance(result, Page) and self.strategy.thrifty:
            notes += traps.judged(visit.link.url, result, verdict.relevant)  # other strategies look for no topic
        for kind, data in notes:
            self.strategy.note(now, kind, **data)
        self._observe(flight, result, verdict, cost, now, seconds)
        for joiner in self.flights.joiners(flight):
            self._observe(joiner, result, verdict, 0, now, seconds)
        self._collect()

    def _judged(self, flight: Flight, result: Page | Failure) -> tuple[Page | Failure, Verdict | None]:
        url, whole = flight.visit.link.url, result
        if isinstance(result, Page):
            # What was asked for while it was in scope is kept; where it leads to must be in scope, too.
            astray = result.final_url != url and not self.scope.allows(result.final_url)
            result = result if self.traps is None else self.traps.shown(result, self.scope.allows)
            result = Failure("excluded", f"led to {result.final_url}") if astray else self.scope.cut(result)
        if self.source_of(url) is not None:
            return result, None
        if not isinstance(result, Page):
            verdict = None
        elif flight.how == Route.HELD and result.final_url not in self.labels:
            held = self.memory.recall(url)
            verdict = held.verdict if held else None
        else:
            verdict = self._verdict(url, result)
        if self.flights.charged(flight) and (isinstance(result, Page) or result.lasting):
            self.memory.keep(url, whole if isinstance(result, Page) else result, verdict)
        return result, verdict

    def _verdict(self, url: str, page: Page) -> Verdict:
        """The label, if there is one, else the judge's word. A label given before the page was known teaches now."""
        named = page.final_url if page.final_url in self.labels else url
        good, by_teacher = self.labels.get(named), named in self.by_teacher
        if url != page.final_url:
            self.labels.pop(url, None)
            self.by_teacher.discard(url)
        if good is None:
            return scored(self.judge, page)
        if page.final_url not in self.taught:
            self.label(page, good, by_teacher)
        return labelled(good, by_teacher)

    def label(self, page: Page, good: bool, by_teacher: bool = False) -> None:
        """A label for a page that is here: it is final, and judge and strategy learn from it."""
        self.note_label(page.final_url, good, by_teacher)
        self.taught.add(page.final_url)
        self.judge.learn(page, good)
        self.strategy.judged(page, labelled(good, by_teacher))

    def note_label(self, url: str, good: bool, by_teacher: bool) -> None:
        self.labels[url] = good
        (self.by_teacher.add if by_teacher else self.by_teacher.discard)(url)

    def _observe(
        self, flight: Flight, result: Page | Failure, verdict: Verdict | None, cost: int, now: float, seconds: float
    ) -> None:
        self.idle, self.streak = (0, 0) if cost else (self.idle + 1, self.streak + 1)
        self.refused = 0 if cost else self.refused + (flight.how == Route.OUT)
        outcome = Outcome(flight.visit, result, verdict, cost, seconds, now, cached=flight.how != Route.OUT)
        if is_probe(flight.visit):  # the strategy did not ask for it
            self.probes.landed(result, verdict)
            self._emit(events.Landed(now, outcome, flight.how, self.spent))
            return
        if isinstance(result, Page):
            self.ledger.remember(flight.visit, result, verdict)
        submitted = self.strategy.observe(outcome) or ()
        self._emit(events.Landed(now, outcome, flight.how, self.spent))
        self._pay(self.ledger.submit(submitted, now), now)

    def _pay(self, credits: Iterable[Credit], now: float) -> None:
        for credit in credits:
            self.strategy.reward(credit)
            self._emit(events.Credited(now, credit))

    # Time and the end

    def _wake(self, now: float) -> float:
        time = self.strategy.wake(now)
        if time is not None and time <= now:
            raise BrokenContract(self.strategy, "wake", f"it wants to be woken at {time}, which is not after {now}")
        return math.inf if time is None else time

    def has_nothing(self, now: float) -> bool:
        """Is nothing left that could be followed, now or later?"""
        return self.strategy.wake(now) is None and not self.ledger.credits

    def next(self, room: Room, now: float) -> float:
        """When there is something to do again, landings and commands apart."""
        if not self.may_start or self.budgets.exhausted(now):
            return math.inf
        if self.roused:
            return now + INSTANT
        if (opens := self.pacing.opens(now)) > now:
            return opens
        way = room.way.until if room.way is not None else math.inf
        way = min(way, self.budgets.time_is_up_at)
        return max(now + INSTANT, min(room.next_ready(), way, self.ledger.next_due(), self._wake(now)))

    def reopen(self) -> None:
        """Go on after a stop, which ends a session and not the crawl."""
        if self.closing == EndReason.STOPPED:
            self.closing = None

    def over(self, room: Room, now: float) -> EndReason | None:
        """Why the crawl is over, if it is."""
        return ending.why_over(self, room, now)

    def end(self, reason: EndReason, now: float) -> None:
        """The driver is through. Credits that never came due are dropped unless the run can be resumed."""
        self.now = now  # what comes later, in another session too, is never earlier than this
        resumable = reason in events.RESUMABLE
        dropped = 0 if resumable else len(self.ledger.credits)
        worst = self.traps.rests.worst() if self.traps is not None and reason == EndReason.DONE else ""
        self._emit(events.Ended(now, reason, self.spent, dropped, self.strategy.excluded() if worst else 0, worst))
        if not resumable:
            self.ledger.credits.clear()

    # Commands

    def command(self, command: events.Command, now: float) -> None:
        """Do what a person wants, or say why it can't be done; either way there is an event."""
        self._write(entries.CommandEntry(command, now))
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
        return crawl_state.taken(self)

    def restore(self, state: Mapping[str, Any]) -> None:
        """Back to a snapshot, in a Crawl built as the first one was."""
        crawl_state.put_back(self, state)
