"""A news site written by hand, and a fleet of foragers on it in virtual time: every second can be told in advance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wolfspider.core.events import Command, Credited, Event, Finish, Landed, Noted, Went
from wolfspider.core.model import Failure, Fetch, Link, Page
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import Simulation, simulated_crawl
from wolfspider.engine.contracts import Source
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.learn.page_states import KeptStates
from wolfspider.policy.judges.judge import Unasked
from wolfspider.policy.reinforcer import Reinforcer, Terms
from wolfspider.strategies.foragers import Foragers

START = 1_000_000.0
HOUR = 3600.0


def at(name: str) -> str:
    return f"http://s.test/{name}"


def names(urls: Sequence[str]) -> list[str]:
    return [url.rsplit("/", 1)[-1] for url in urls]


@dataclass
class Site:
    """Pages by name, with the names they link to. Every download takes a second."""

    links: Mapping[str, str]
    states: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    published: Mapping[str, float | None] = field(default_factory=dict)  # START where nothing is said
    moved: Mapping[str, str] = field(default_factory=dict)
    failing: Mapping[str, Failure] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def look(self, url: str, now: float) -> Fetch:
        name = url.rsplit("/", 1)[-1]
        self.asked.append(name)
        final = self.moved.get(name, name)
        failure = self.failing.get(final) or (None if final in self.links else Failure("status", "404"))
        if failure is not None:
            return Fetch(url, url, failure=failure, seconds=1.0, at=now)
        return Fetch(url, at(final), 200, seconds=1.0, at=now, page=self._page(url, final, now))

    def _page(self, url: str, name: str, now: float) -> Page:
        links = tuple(Link(at(other)) for other in self.links[name].split())
        return Page(url, at(name), name, digest=name, links=links, published=self.published.get(name, START), at=now)

    def model(self, folder: Path) -> str:
        path = folder / "states.npz"
        known = {name: self.states.get(name, (0.0, 0.0)) for name in ("nothing", *self.links)}
        path.write_bytes(KeptStates(list(known), list(known.values())).to_bytes())
        return str(path)


@dataclass
class Trip:
    """A fleet that has worked, or is about to."""

    site: Site
    folder: Path
    seeds: str = "a"
    pages: int = 100
    delay: float = 0.0  # of credits
    seed: int = 1
    sources: Mapping[str, Source] = field(default_factory=dict)
    topic: Topic = field(default_factory=lambda: Topic(("spider", "silk")))
    commands: Sequence[tuple[float, Command]] = ()
    learned: Mapping[str, Any] | None = None
    log: list[Event] = field(default_factory=list)

    def begin(self, **params: Any) -> Crawl:
        given = {"fleet": "WL", "foragers": 1, "least": 1, "pays": "new+fresh", **params}
        given.setdefault("model", self.site.model(self.folder))
        strategy = Foragers.new(self.topic, generator(self.seed), given)
        if self.learned is not None:
            strategy.inherit(self.learned)
        self.crawl = simulated_crawl(
            strategy,
            Unasked,
            self.site,
            Limits(self.pages),
            reinforcer=Reinforcer(Terms(delay=self.delay)),
            sources=self.sources,
        )
        self.fleet = strategy
        self.crawl.listen(self.log.append)
        self.crawl.begin([Link(at(name)) for name in self.seeds.split()], START)
        return self.crawl

    def run(self, seconds: float = 1e5, **params: Any) -> Trip:
        crawl = self.begin(**params)
        commands = [*self.commands, (START + seconds, Finish())]
        self.result = Simulation(crawl, self.site, start=START, commands=commands).run()
        return self

    # What happened

    def notes(self, kind: str) -> list[dict[str, Any]]:
        return [dict(event.data, at=event.at) for event in self.log if isinstance(event, Noted) and event.kind == kind]

    def walked(self, agent: str = "") -> list[str]:
        return names([note["url"] for note in self.notes("move") if agent in note["agent"]])

    def went(self) -> list[Went]:
        return [event for event in self.log if isinstance(event, Went)]

    def landed(self) -> list[Landed]:
        return [event for event in self.log if isinstance(event, Landed)]

    def credits(self) -> list[Credited]:
        return [event for event in self.log if isinstance(event, Credited)]

    def paid(self) -> list[str]:
        """Names of the documents that earned the reward, in that order."""
        urls = {event.outcome.visit.id: event.outcome.page.final_url for event in self.landed() if event.outcome.page}
        return names([urls[event.credit.visit] for event in self.credits() if event.credit.reason == "new"])

    def sent(self) -> list[str]:
        urls = {event.outcome.visit.id: event.outcome.page.final_url for event in self.landed() if event.outcome.page}
        return names([urls[event.credit.visit] for event in self.credits()])
