"""The base of strategies that look at sources again and again for what is new.

A source is a page that shows new items: the starting points are sources, and so is a page without a date that has many
links. A link that no source has shown before is an item: it is downloaded, newest first, and if it is paid for (new,
fresh, relevant), its source is credited. Which source is looked at next is decided by the strategy (`scores`).

Two things are not left to it. A source that failed several times in a row rests, longer each time; failures that may be
those of our own line do not count. And sources that nobody has looked at yet get no more than a share of the looks: a
site on which every page looks like a list does not keep us from all the others.

Documents are read once, unless somebody wants to know what changed in them (`second_looks`).
"""

from __future__ import annotations

import math
import random
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.model import Credit, Failure, Link, Outcome, Page, Visit
from wolfspider.core.params import param
from wolfspider.core.topic import Topic
from wolfspider.learn.week_profile import HOUR
from wolfspider.policy.frontier import Frontier
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.poll_policies import Sources
from wolfspider.policy.reinforcer import PAID, Terms
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Strategy

Floats = NDArray[np.float64]
FIRST_LOOKS = 0.5  # of all looks, at most, go to sources that were found and not looked at yet, if there are others
LINE = ("dns", "connect", "tls", "timeout", "slow")  # failures that may be those of our own line
BETWEEN = 10  # items that go before a look that is due
SOON = 1.0  # seconds after which a look that is due is tried again, at the earliest
TRIED = 16  # sources asked for room in one turn
MOST_SOURCES = 50_000
PENDING = 100_000  # items that were sent and are not paid for yet
AGAIN, TIMES = HOUR, 3.0  # seconds until a document is looked at again, and how many times as long each further time
MOST_AGAIN = 10_000  # documents that wait for that


@dataclass
class PollingParams:
    per_hour: float = param(60.0, "Looks at sources in an hour, at most.", low=0.001, high=1e6)
    fades: float = param(6.0, "Hours in which an item loses most of its value (1 - 1/e).", low=0.01, high=10_000)
    window: float = param(24 * 3600.0, "Seconds after its publication for which a document is fresh.", low=0)
    pays: str = param(
        "run",
        "What a document must be to count; run: what the run wants, so relevant too where there is a topic.",
        choices=("run", "new", "new+fresh", "new+relevant", "new+fresh+relevant"),
        live=False,
    )
    second_looks: int = param(
        0, "Times that a new document is looked at again: after 1 hour, 3 more, 9 more ...", low=0, high=8
    )
    links: int = param(10, "A page without a date is a source if it has so many links; 0: none becomes one.", low=0)


class SentItem(NamedTuple):
    """An item that was sent, and may be paid for."""

    source: int  # which showed it first
    since: float  # when its source had been looked at before
    seen: float


class Polling(Strategy):
    """One look at a time, evenly apart, and the items between them."""

    Params = PollingParams
    thrifty = False
    params: Any
    queues = True
    frontier: Frontier  # items that wait

    def __init__(self, topic: Topic, params: Any, rng: random.Random, shelf: Shelf) -> None:
        super().__init__(topic, params, rng, shelf)
        self.sources = Sources()
        self.looking: dict[int, int] = {}  # visit -> source
        self.given: set[int] = set()  # sources that a person named
        self.gone: set[int] = set()  # sources that turned out to be documents
        self.answered = -math.inf  # when a source was last had
        self.first_looks = 1.0  # looks at sources never looked at that are due to them
        self.next_look = -math.inf
        self.read = 0  # items since the last look
        self.pending: dict[int, tuple[int, float, float]] = {}  # visit -> the fields of SentItem
        self.again: list[dict[str, float]] = []  # documents to be looked at again and when, by how often they were
        self._terms = Terms()

    def terms(self, given: Terms) -> Terms:
        pays = given.pays if self.params.pays == "run" else self.params.pays
        self._terms = replace(given, pays=pays, window=self.params.window)
        return self._terms

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.frontier = Frontier(self.shelf, self.cap)
        self.sources = Sources(now)
        self.seeds(seeds)

    def seeds(self, links: Sequence[Link]) -> None:
        for link in links:
            self.watch(link.url)
            if (number := self.sources.numbers.get(link.url)) is not None:
                self.given.add(number)
                self.sources.wake(number)

    def watch(self, url: str) -> None:
        if url in self.sources.numbers or len(self.sources) < MOST_SOURCES:
            self.gone.discard(self.sources.add(url, self.group(url)))

    def group(self, url: str) -> int:
        """Sources of the same group are believed to be alike."""
        return 0

    # The turn

    def propose(self, room: Room, now: float) -> list[Visit]:
        """Items first, but a look that is due waits for a few of them only. Items are asked for in every turn: a
        frontier that is not would never hear that a host is ready again."""
        due = now >= self.next_look
        at_once = due and self.read >= BETWEEN
        visits = self._looks(room, now) if at_once else []
        while (at_once or not due or self.read < BETWEEN) and (item := self.frontier.pop(room)):
            visits.append(self.visit(item.link, source=item.source, note=item.extra))
            self.read += 1
        if at_once or not due or self.read < BETWEEN:
            visits += self._second_look(room, now)
        return visits + self._looks(room, now) if due and not at_once else visits

    def _second_look(self, room: Room, now: float) -> list[Visit]:
        """At one document, if one is due; each of these lists is in the order of time."""
        for times, waiting in enumerate(self.again):
            url = next(iter(waiting), None)
            if url is None or waiting[url] > now:
                continue
            if not self.allows(url):
                del waiting[url]
            elif room.take(Link(url), fresh=True):
                del waiting[url]
                self.read += 1
                return [self.visit(Link(url), fresh=True, note={"again": times})]
        return []

    def _see_again(self, url: str, times: int, now: float) -> None:
        if times < self.params.second_looks and sum(map(len, self.again)) < MOST_AGAIN:
            self.again += [{} for _ in range(times + 1 - len(self.again))]
            self.again[times].pop(url, None)
            self.again[times][url] = now + AGAIN * TIMES**times

    def _looks(self, room: Room, now: float) -> list[Visit]:
        """One look, if a host has room for it: looks are evenly apart."""
        if room.free <= 0 or not len(self.sources):
            return []
        scores = self.scores(now)
        new = self.sources.never_looked()
        new[list(self.given)] = False
        for number in self._in_order(scores, new, now)[:TRIED].tolist():
            link = Link(self.sources.urls[number])
            if not self.allows(link.url) or not room.take(link, fresh=True):
                continue
            visit = self.visit(link, fresh=True, note={"score": float(scores[number])})
            self.looking[visit.id] = number
            self.sources["credit"][number] -= 1
            self.first_looks = min(max(self.first_looks - float(new[number]), 0.0) + FIRST_LOOKS, 1.0)
            self.next_look, self.read = now + HOUR / self.params.per_hour, 0
            return [visit]
        return []

    def _in_order(self, scores: Floats, new: NDArray[np.bool_], now: float) -> NDArray[np.int64]:
        """Sources that may be looked at, the best first; `new` ones last while they have had their share."""
        ready = self.sources.wakes() <= now
        ready[[*self.gone, *self.looking.values()]] = False
        able = np.flatnonzero(ready)
        had = new[able] & (self.first_looks < 1)
        return np.asarray(able[np.lexsort((-scores[able], had))])

    @abstractmethod
    def scores(self, now: float) -> Floats:
        """What a look at each source is worth now; the highest is next."""

    # What comes back

    def observe(self, outcome: Outcome) -> Sequence[int] | None:
        page, number = outcome.page, self.looking.pop(outcome.visit.id, None)
        if "again" in outcome.visit.note:
            self._see_again(outcome.visit.link.url, outcome.visit.note["again"] + 1, outcome.at)
            return None
        if number is None:
            return self._arrived(outcome, page) if page is not None else None
        if page is None:
            kind = cast(Failure, outcome.result).kind
            others_answer = self.answered > self.sources["last"][number]  # since it was looked at before
            self.sources.missing(number, outcome.at, kind not in LINE or bool(others_answer))
            return None
        self.answered = outcome.at
        since = float(self.sources["last"][number])
        if page.published is not None and number not in self.given and not math.isfinite(since):
            self.gone.add(number)  # it was taken for a list, and is a document
            self.read_one(page.final_url, False)
            return [outcome.visit.id]
        self.sources.looked(number, outcome.at, self._terms.window)
        note = {"source": number, "since": since if math.isfinite(since) else None, "seen": outcome.at}
        new = [link for link in page.links if not self.frontier.seen(link.url) and link.url not in self.sources.numbers]
        items = self.items(new)
        score = outcome.at - (self._terms.window if note["since"] is None else 0.0)
        self.frontier.extend(items, [score] * len(items), page.final_url, extra=note)
        return None

    def items(self, links: list[Link]) -> list[Link]:
        """Those of the links that no source has shown before that are to be read: the newest first, and last what stood
        on a source when it was first looked at, which may be old."""
        return links

    def _arrived(self, outcome: Outcome, page: Page) -> Sequence[int] | None:
        """An item is here: perhaps a document, perhaps a list of others."""
        note, links = outcome.visit.note, self.params.links
        is_list = bool(links) and page.published is None and len(page.links) >= links
        self.read_one(page.final_url, is_list)
        if is_list:
            self.watch(page.final_url)
            return None
        if "source" not in note or (note["since"] is None and page.published is None):
            return [outcome.visit.id]  # nobody knows when it appeared
        if len(self.pending) >= PENDING:
            del self.pending[next(iter(self.pending))]
        if page.published is None or outcome.at - page.published <= self._terms.window:
            self._see_again(page.final_url, 0, outcome.at)
        since = note["seen"] - self._terms.window if note["since"] is None else note["since"]
        self.pending[outcome.visit.id] = SentItem(note["source"], since, note["seen"])
        return [outcome.visit.id]

    def read_one(self, url: str, is_list: bool) -> None:
        """An item was read, and is a list of others or not."""

    def reward(self, credit: Credit) -> None:
        sent = self.pending.pop(credit.visit, None)
        if sent is not None and credit.reason == PAID:
            item = SentItem(*sent)
            self.sources.profile.learn(item.since, item.seen, 1, 0.0)
            self.sources.found(item.source)

    # People, and what is kept

    def wake(self, now: float) -> float | None:
        waits = self._soonest(self.frontier.wake(), now)
        if not self._any_source(now):  # there is none, or all rest until somebody names them again
            return waits
        # A look that is due waits for a host, or has become due since the last turn: nobody else may wake us then.
        look = self.next_look if self.next_look > now else now + max(SOON, HOUR / self.params.per_hour)
        return min(look, math.inf if waits is None else waits)

    def _soonest(self, waits: float | None, now: float) -> float | None:
        """Of what items wait for, and the documents to be looked at again."""
        due = [waiting[next(iter(waiting))] for waiting in self.again if waiting]
        times = [max(at, now + SOON) for at in due] + ([] if waits is None else [waits])
        return min(times, default=None)

    def _any_source(self, now: float) -> bool:
        """May any source be looked at?"""
        wakes = self.sources.wakes()
        return any(
            wakes[number] <= now and number not in self.gone and self.allows(url)
            for number, url in enumerate(self.sources.urls)
        )

    def excluded(self) -> int:
        return super().excluded() + sum(not self.allows(url) for url in self.sources.urls)

    def keeps(self) -> int:
        return len(self.frontier) + len(self.sources) + len(self.pending) + sum(map(len, self.again))

    def report(self) -> dict[str, Any]:
        rates = self.sources.rates()
        best = np.argsort(-rates, kind="stable")[:3].tolist()
        return super().report() | {
            "sources": len(self.sources) - len(self.gone),
            "items a day": round(float(rates.sum()) * 24, 1) if len(rates) else 0.0,
            "busy hours": self.sources.profile.busy().round(2).tolist(),
            "busiest": [[self.sources.urls[number], round(float(rates[number]) * 24, 1)] for number in best],
        }

    def explain(self, url: str) -> dict[str, Any]:
        number = self.sources.numbers.get(url)
        if number is None:
            return super().explain(url)
        items = float(self.sources.rates()[number])
        told: dict[str, Any] = {"items an hour": round(items, 4), "looks": int(self.sources["looks"][number])}
        if number in self.gone:
            told["given up"] = "it is a document, not a list"
        elif (wakes := float(self.sources.wakes()[number])) > -math.inf:
            told["rests until"] = wakes
        return {"source": told}
