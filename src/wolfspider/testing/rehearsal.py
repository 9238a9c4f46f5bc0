"""A crawl to try stores with: a small web that answers in bytes, and a strategy that does everything a crawl may do.

Each step follows from the state of the crawl alone, so a crawl that was killed and resumed must end as one that was
never killed.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from wolfspider.core.events import EndReason
from wolfspider.core.model import Capture, Credit, Failure, Fetch, Link, Outcome, Page, Route, Visit
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Topic
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.engine.flights import Flight
from wolfspider.engine.replay import replay
from wolfspider.policy.judges import make_judge
from wolfspider.policy.link_shelf import Record
from wolfspider.policy.reinforcer import Reinforcer, Terms
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Strategy
from wolfspider.store.base import Store
from wolfspider.web.page.html import parse

TOPIC = Topic(("spider", "silk"), "Spiders and what they spin", name="spiders")
PAGES, HOSTS = 60, 5
START, STEP = 1_000_000.0, 0.7


def address(number: int) -> str:
    return f"http://host{number % HOSTS}.test/{number}"


class Hamlet:
    """Pages that change, pages that do not, redirects, errors and silence; some answers are compressed."""

    def fetch(self, url: str, now: float, held: Mapping[str, str]) -> Fetch:
        number = int(url.rsplit("/", 1)[-1])
        if number % 7 == 6:
            return Fetch(url, url, failure=Failure("timeout", "no answer"), seconds=0.2, at=now)
        if number % 11 == 10:
            target = self.fetch(address(number + 1), now, {})
            hop = Capture(url, now, 301, (("Location", address(number + 1)),), b"")
            return _fetch(url, (hop, *target.captures), target.body)
        if number % 13 == 12:
            return _fetch(
                url, (Capture(url, now, 404, (("Content-Type", "text/html"),), b"<p>not here"),), b"<p>not here"
            )
        return self._page(url, number, now, held)

    def _page(self, url: str, number: int, now: float, held: Mapping[str, str]) -> Fetch:
        version = int(now // 20) if number % 3 == 0 else 0
        tag = f'"{number}.{version}"'
        if held.get("etag") == tag:
            return _fetch(url, (Capture(url, now, 304, (("ETag", tag),), b""),), b"")
        body = _text(number, version).encode()
        headers = [("Content-Type", "text/html; charset=utf-8"), ("ETag", tag)]
        if number % 2:
            return _fetch(url, (Capture(url, now, 200, tuple(headers), body),), body)
        packed = (*headers, ("Content-Encoding", "gzip"))
        return _fetch(url, (Capture(url, now, 200, packed, gzip.compress(body, 1, mtime=0)),), body)


def _fetch(url: str, answers: tuple[Capture, ...], body: bytes) -> Fetch:
    captures = tuple(map(_asked, answers))
    last = captures[-1] if captures else Capture(url, START, 0, (), b"")
    headers = {name.lower(): value for name, value in last.headers}
    hops = tuple(capture.url for capture in captures[:-1])
    failure = None if body or last.status == 304 else Failure("timeout", "no answer")
    return Fetch(url, last.url, last.status, headers, body, failure, 0.2, last.at, hops, captures=captures)


def _asked(capture: Capture) -> Capture:
    """With the request it came for."""
    return replace(capture, asked=(("Host", capture.url.split("/")[2]), ("User-Agent", "rehearsal")))


def _text(number: int, version: int) -> str:
    rng = generator(3, number, version)
    words = ("spider", "silk", "web", "паук") if number % 4 == 0 else ("car", "road", "wheel")
    links = "".join(f"<a href='{address(rng.randrange(PAGES))}'>{rng.choice(words)} {at}</a> " for at in range(6))
    text = " ".join(rng.choice(words) for _ in range(60))
    return f"<html><title>Page {number}</title><body><p>{text}</p>{links}</body></html>"


class Stroller(Strategy):
    """Goes to random links, also again: what it finds lies on the shelf, and credits change what it remembers."""

    name = "stroller"
    paper = "none"

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.places: list[int] = []
        self.known: set[str] = set()  # a snapshot names it so, as all that a strategy keeps
        self.gain = 0.0
        self.seeds(seeds)

    def seeds(self, links: Sequence[Link]) -> None:
        self._add(links, "")

    def _add(self, links: Sequence[Link], source: str) -> None:
        for link in links:
            if link.url not in self.known:
                self.known.add(link.url)
                self.places.append(self.shelf.put(Record(link, source, {"gain": self.gain})))

    def propose(self, room: Room, now: float) -> list[Visit]:
        visits = []
        for _ in range(4):
            if not self.places or room.free <= 0:
                break
            record = self.shelf.get(self.rng.choice(self.places))
            fresh = self.rng.random() < 0.25
            if room.take(record.link, fresh):
                visits.append(self.visit(record.link, "walker", fresh, record.extra, record.source))
        return visits

    def observe(self, outcome: Outcome) -> Sequence[int]:
        if outcome.page is None:
            self.note(outcome.at, "missed", url=outcome.visit.link.url)
            return ()
        self._add(outcome.page.links, outcome.page.final_url)
        return (outcome.visit.id,)

    def reward(self, credit: Credit) -> None:
        self.gain += credit.value * (0.5 + self.rng.random())

    def wake(self, now: float) -> float | None:
        return math.inf


class Rehearsal:
    """One crawl on a store, begun or resumed, a step at a time."""

    def __init__(self, store: Store, pages: int = 40) -> None:
        self.store, self.web = store, Hamlet()
        self.crawl, self.room = self._built(pages), Room()
        state, entries = store.past()
        if state is not None:
            self.crawl.restore(state["crawl"])
            self.room = self.crawl.flights.restored_room(state["room"])
        played = list(entries)
        replay(self.crawl, played, self.room)
        if state is None and not played:
            self.crawl.begin([Link(address(number)) for number in range(4)], START)

    def _built(self, pages: int) -> Crawl:
        store = self.store
        crawl = Crawl(
            Stroller(TOPIC, Stroller.Params(), generator(5), store.shelf),
            lambda topic: make_judge("keywords", topic),
            store,
            Limits(pages, 3),
            reinforcer=Reinforcer(Terms(pays="new", delay=3.0)),
            journal=store.write,
        )
        crawl.listen(store.hear)
        return crawl

    def run(self, steps: int = 10**6, snapshots: int = 0) -> bool:
        """Make so many steps, with a snapshot after every so many; True if the crawl is over."""
        for number in range(1, steps + 1):
            if not self.step():
                return True
            if snapshots and number % snapshots == 0:
                self.snapshot()
        return False

    def step(self) -> bool:
        """A landing, commands and proposals, with one commit for all of them; False if the crawl is over."""
        now = self.crawl.now + STEP
        self.land_one(now)
        for number, command in self.store.commands():
            self.store.taking(number)
            self.crawl.command(command, now)
        self.crawl.visits(self.room, now)
        over = not self.crawl.flights
        if over:
            self.crawl.end(EndReason.BUDGET, now)
        self.store.commit()
        return not over

    def land_one(self, now: float) -> None:
        flight = next((flight for flight in self.crawl.flights.values() if flight.how != Route.JOINED), None)
        if flight is not None:
            self._land(flight, now)

    def snapshot(self) -> None:
        self.store.snapshot(self.state())

    def state(self) -> dict[str, Any]:
        return {"crawl": self.crawl.state(), "room": self.room.state()}

    def _land(self, flight: Flight, now: float) -> None:
        visit = flight.visit
        url = visit.link.url
        if flight.how != Route.OUT:
            held = self.store.recall(url)
            assert held is not None, url
            self.crawl.land(visit, held.result, now, 0.0)
            return
        if flight.postponed and self.crawl.grant(visit):
            return
        fetch = self.web.fetch(url, now, self.store.validators(url) if visit.fresh else {})
        result = self._read(url, fetch)
        if isinstance(result, Failure) and result.kind == "timeout" and flight.tries < 2 and not flight.postponed:
            self.crawl.postpone(visit, result, now)
            return
        self.store.archive(visit.id, fetch)
        self.crawl.land(visit, result, now, fetch.seconds)
        self.room.landed(visit.link.host, result, now, fetch.seconds)

    def _read(self, url: str, fetch: Fetch) -> Page | Failure:
        if fetch.status != 304:
            return parse(fetch)
        held = self.store.recall(url)
        return held.result if held is not None else Failure("status", "304")
