"""The driver of simulated crawls: virtual time over a World.

It keeps a heap of completions. Nothing waits, so a crawl of days takes seconds and comes out the same every time. The
driver over the network is in drivers/live.py.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import islice
from typing import Any

from wolfspider.core.events import Command, EndReason
from wolfspider.core.model import Failure, Fetch, Link, Page, Route, Verdict, Visit, host_of
from wolfspider.core.topic import Topic
from wolfspider.drivers.driver import Driver, Result, garbage_sought_seldom
from wolfspider.engine.contracts import Held
from wolfspider.engine.crawl import INSTANT, Crawl, Limits
from wolfspider.policy.judges import make_judge
from wolfspider.policy.judges.judge import Judge
from wolfspider.policy.room import Broken, Order, Room
from wolfspider.policy.strategy import Strategy
from wolfspider.web.page.html import parse
from wolfspider.web.page.pages_at_hand import PagesAtHand
from wolfspider.web.worlds.world import Looks

BYTES_AT_HAND = 8 << 20  # of parsed pages


class Recollection:
    """Memory of a simulated crawl: when each address was looked at. What was there is asked of the World again."""

    def __init__(self, world: Looks, bytes_at_hand: int = BYTES_AT_HAND) -> None:
        self.world = world
        self.looks: dict[str, tuple[float | Failure, Verdict | None]] = {}
        self.pages: dict[str, None] = {}  # by final address, in the order they came
        self.at_hand: PagesAtHand[str, Page] = PagesAtHand(bytes_at_hand)

    def holds(self, url: str) -> bool:
        return url in self.looks

    def keep(self, url: str, result: Page | Failure, verdict: Verdict | None) -> None:
        if isinstance(result, Failure):
            self.looks[url] = (result, None)
            return
        for name in dict.fromkeys((url, result.final_url)):
            self.looks[name] = (result.at, verdict)
            self.at_hand.keep(name, result)
        self.pages.pop(result.final_url, None)  # newest last
        self.pages[result.final_url] = None

    def recall(self, url: str) -> Held | None:
        known = self.looks.get(url)
        if known is None:
            return None
        result, verdict = known
        if isinstance(result, Failure):
            return Held(result, None)
        return Held(self.at_hand.get(url) or parse(self.world.look(url, result)), verdict)

    def newest(self, host: str, count: int) -> list[str]:
        return list(islice((url for url in reversed(self.pages) if host_of(url) == host), count))[::-1]

    def state(self) -> dict[str, Any]:
        return {"looks": [[url, *look] for url, look in self.looks.items()], "pages": list(self.pages)}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.looks = {url: (result, verdict) for url, result, verdict in state["looks"]}
        self.pages = dict.fromkeys(state["pages"])
        self.at_hand.clear()


class Simulation(Driver):
    """One crawl in virtual time. `run` goes on until the crawl is over, and may be called again if it can go on."""

    def __init__(
        self,
        crawl: Crawl,
        world: Looks,
        *,
        start: float | None = None,
        commands: Iterable[tuple[float, Command]] = (),
        tries: int = 1,
        allow: Callable[[str, float], bool] | None = None,
        pause: Callable[[str, float], float] | None = None,
        room: Room | None = None,
        hops_rest: bool = True,
    ) -> None:
        super().__init__(crawl, tries=tries, room=room)
        self.hops_rest = hops_rest  # is a redirect a request, for which its host rests first, as on the live web?
        self.world = world
        self.now = crawl.now if start is None else start
        self.commands = sorted(commands, key=lambda timed: timed[0])
        self.allow = allow or (lambda url, now: True)  # robots, where they are obeyed
        if pause is not None:
            self.room.pause = lambda host: pause(host, self.now)
        self.done: list[tuple[float, int, Visit, Page | Failure, float, int]] = []
        self.leaving: list[tuple[float, int, Visit, int]] = []  # visits that wait before they are tried again
        self.rested: dict[str, float] = {}  # when each host may be asked again, also by a redirect

    def run(self) -> Result:
        with garbage_sought_seldom():
            reason = self._run()
        self.crawl.end(reason, self.now)
        return Result(reason, self.crawl.spent, self.now)

    def _run(self) -> EndReason:
        """Until the crawl is over; returns why."""
        self.now = max(self.now, self.crawl.now)
        budgets = self.crawl.budgets
        budgets.start_session(self.now, budgets.seconds(self.crawl.now))
        for kept in (self.done, self.leaving, self.withheld):
            kept.clear()
        self._obey()
        for flight in self._left_over():
            self._dispatch(Order(flight.visit, flight.how), flight.tries)
        while True:
            reason = self._begin_visits()
            if reason and not (reason in (EndReason.PAUSED, EndReason.EXCLUDED) and self.commands):
                return reason
            self._advance()

    def _begin_visits(self) -> EndReason | None:
        """All that can begin at this instant; why the crawl is over, if it is."""
        self._obey()
        for visit, tried in self._released():
            self._go_out(visit, self.now, tried)
        for order in self.crawl.visits(self.room, self.now):
            self._dispatch(order)
        return self.crawl.over(self.room, self.now)

    def _obey(self) -> None:
        while self.commands and self.commands[0][0] <= self.now:
            self.crawl.command(self.commands.pop(0)[1], self.now)
        self._obey_inbox(self.now)
        self._give_up(self.now)

    def _call_off(self, visit: Visit) -> None:
        super()._call_off(visit)
        self.leaving = [each for each in self.leaving if each[2] is not visit]
        heapq.heapify(self.leaving)

    def _advance(self) -> None:
        """On to the next instant at which something happens, and land what is back by then."""
        wanted = self.crawl.next(self.room, self.now)
        while self.leaving and self.leaving[0][0] <= self._next(wanted):
            at, _, visit, tried = heapq.heappop(self.leaving)
            self._go_out(visit, at, tried)
        time = self._next(wanted)
        if time == math.inf:
            raise Broken(f"visits {list(self.crawl.flights)} never land: nothing is left to wait for")
        self.now = max(self.now, time)
        while self.done and self.done[0][0] <= self.now:
            at, number, visit, result, seconds, tried = heapq.heappop(self.done)
            if self._worth_another(result, tried) and self.crawl.grant(visit):
                heapq.heappush(self.leaving, (at + self.crawl.limits.delay, number, visit, tried + 1))
            else:
                self._land(visit, result, at, seconds)

    def _next(self, wanted: float) -> float:
        """When a visit is back, a command comes, or the crawl wants to be asked."""
        return min([wanted, *(timed[0][0] for timed in (self.done, self.commands) if timed)])

    def _dispatch(self, order: Order, tried: int = 1) -> None:
        visit, how = order
        if how == Route.OUT:
            self._go_out(visit, self.now, tried)
        elif how != Route.JOINED:  # a joined visit lands with the other one
            result = self._answer(visit, how, self.now)
            heapq.heappush(self.done, (self.now + INSTANT, visit.id, visit, result, INSTANT, self.tries))

    def _go_out(self, visit: Visit, now: float, tried: int) -> None:
        if not self.crawl.flights.may_send(visit):
            self.withheld[visit.id] = (visit, tried)
            return
        url = visit.link.url
        source, back = self.crawl.source_of(url), now + INSTANT  # unless it goes out
        if source is not None:
            result, seconds = source.look(url, now), INSTANT
        elif not self.allow(url, now):
            result, seconds = Failure("robots", "disallowed by robots.txt"), INSTANT
        else:
            fetch = self.world.look(url, now)
            result, seconds = parse(fetch), max(fetch.seconds, INSTANT)
            if visit.deadline is not None and seconds > visit.deadline:
                result, seconds = Failure("timeout", f"not here within {visit.deadline:g} s"), visit.deadline
            back = self._back(fetch, now, seconds) if self.hops_rest else now + seconds
        heapq.heappush(self.done, (back, visit.id, visit, result, seconds, tried))

    def _back(self, fetch: Fetch, now: float, seconds: float) -> float:
        """When a visit that goes out now is back. Each redirect is a request: it waits until its host has rested."""
        hosts = [host_of(url) for url in (*fetch.hops, fetch.final_url)]
        for host in hosts:
            now = max(now, self.rested.get(host, now))
            self.rested[host] = now + self.room.rest_of(host)
        self.rested[hosts[-1]] = now + seconds + self.room.rest_of(hosts[-1])
        return now + seconds


def simulated_crawl(
    strategy: Strategy,
    judge: str | Callable[[Topic], Judge],
    world: Looks,
    limits: Limits,
    *,
    bytes_at_hand: int = BYTES_AT_HAND,
    **options: Any,
) -> Crawl:
    """A crawl for `simulate`. `judge` is the name of one, or makes one for a topic; the options are Crawl's."""
    judge_of = partial(make_judge, judge) if isinstance(judge, str) else judge
    return Crawl(strategy, judge_of, Recollection(world, bytes_at_hand), limits, **options)


def simulate(
    crawl: Crawl, world: Looks, *, seeds: Iterable[str] | None = None, start: float | None = None, **options: Any
) -> Result:
    """Run a crawl over a World in virtual time. With seeds it begins from them, else it goes on; the options are
    Simulation's."""
    if seeds is not None:
        crawl.begin([Link(url) for url in seeds], 0.0 if start is None else start)
    return Simulation(crawl, world, start=start, **options).run()
