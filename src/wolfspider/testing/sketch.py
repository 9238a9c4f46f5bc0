"""Where strategies are tried: a sketch of a web that fails in every way a web can fail, and one crawl over it."""

from __future__ import annotations

import asyncio
import contextlib
import math
import selectors
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from functools import lru_cache
from typing import Any

from wolfspider.core import codec, events
from wolfspider.core.limits import AT_ONCE
from wolfspider.core.model import FAILURES, Failure, Fetch, Link, Page
from wolfspider.core.params import chosen
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Topic
from wolfspider.drivers.driver import Clock, Result
from wolfspider.drivers.live import run
from wolfspider.drivers.simulated import Simulation, simulated_crawl
from wolfspider.engine.crawl import INSTANT, Crawl, Limits
from wolfspider.engine.entries import Entry
from wolfspider.policy.reinforcer import Reinforcer, Terms
from wolfspider.policy.strategy import Strategy
from wolfspider.store.in_memory import Volatile
from wolfspider.testing.demands import Violation
from wolfspider.web.worlds.world import Waited

TOPIC = Topic(("spider", "silk"), "Spiders and what they spin", name="spiders")
HOSTS = 7
PATIENCE = 30.0  # seconds, real ones, after which a crawl that only waits is given up
Kind = type[Strategy]


class Sketch:
    """A small web as a pure function of address and time: a third on topic, links of all sorts, failures of every
    kind.
    """

    def __init__(self, pages: int = 300, links: int = 8, failure: str | None = None) -> None:
        self.pages, self.links, self.failure = pages, links, failure

    @staticmethod
    def address(number: int) -> str:
        return f"http://host{number % HOSTS}.test/{number}"

    def look(self, url: str, now: float) -> Fetch:
        name = url.rsplit("/", 1)[-1]
        number = int(name) if name.isdigit() else -1
        seconds = 0.1 + generator(7, url).random()
        if not 0 <= number < self.pages:
            return Fetch(url, url, 404, failure=Failure("status", "404"), seconds=seconds, at=now)
        if self.failure or number % 11 == 10:
            kind = self.failure or FAILURES[number // 11 % len(FAILURES)]
            return Fetch(url, url, failure=Failure(kind, "503"), seconds=seconds, at=now)
        version = int(now // 3600)
        about = (f"page {number}", *_contents(self.pages, self.links, number, version), 400, f"{number}.{version}")
        page = Page(url, url, *about, published=version * 3600.0, at=now)
        return Fetch(url, url, 200, seconds=seconds, at=now, page=page)


@lru_cache(5000)  # a strategy is tried dozens of times on the same few hundred pages
def _contents(pages: int, links: int, number: int, version: int) -> tuple[tuple[str, ...], tuple[Link, ...]]:
    rng = generator(7, number)
    good = rng.random() < 0.3
    words = tuple(rng.choice(("spider", "silk", "web") if good else ("car", "road", "wheel")) for _ in range(40))
    fresh = generator(7, number, version)
    targets = (Sketch.address(fresh.randrange(pages * 21 // 20)) for _ in range(links))
    return words, tuple(
        Link(target, rng.choice(words), at, (0, 40), "html/body/a", at) for at, target in enumerate(targets)
    )


@dataclass
class Trial:
    """One crawl of a strategy over a sketch, with everything that happened."""

    kind: Kind
    world: Sketch
    pages: int = 120
    slots: int = 3
    delay: float = 0.5
    hurry: float = AT_ONCE
    chance: float = 0.0
    seed: int = 1
    cap: int | None = None
    tries: int = 2
    commands: Sequence[tuple[float, events.Command]] = ()
    terms: Terms = field(default_factory=lambda: Terms(delay=5.0))
    journal: list[Entry] = field(default_factory=list)
    log: list[events.Event] = field(default_factory=list)
    start: float = 1_000_000.0

    def build(self) -> Crawl:
        strategy = self.kind.new(TOPIC, generator(self.seed, self.kind.name))
        if self.cap is not None:
            strategy.cap = self.cap
        crawl = simulated_crawl(
            strategy,
            "keywords",
            self.world,
            Limits(self.pages, self.slots, self.delay, hurry=self.hurry, chance=self.chance),
            reinforcer=Reinforcer(self.terms),
            journal=self.journal.append,
        )
        crawl.listen(self.log.append)
        return crawl

    def seeds(self) -> list[Link]:
        return [Link(self.world.address(number)) for number in (0, 1, 2)]

    def simulation(self, crawl: Crawl) -> Simulation:
        start = self.start if crawl.now == -math.inf else None
        return Simulation(crawl, self.world, start=start, commands=self.commands, tries=self.tries, hops_rest=False)

    def run(self, watch: Callable[[Crawl, events.Event], None] | None = None) -> Crawl:
        crawl = self.build()
        if watch is not None:
            crawl.listen(lambda event: watch(crawl, event))
        crawl.begin(self.seeds(), self.start)
        self.driver = self.simulation(crawl)
        self.result = self.driver.run()
        return crawl

    def run_by_asyncio(self, **options: Any) -> None:
        """The same crawl by the other driver on a loop that has the trial's own clock; the options are the driver's."""

        async def driven() -> Result:
            crawl, clock = self.build(), Clock()
            crawl.begin(self.seeds(), self.start)
            web = Waited(self.world, clock, INSTANT)
            return await run(crawl, web, Volatile(), clock=clock, tries=self.tries, instant=INSTANT, **options)

        with asyncio.Runner(loop_factory=lambda: VirtualLoop(self.start)) as runner:
            self.result = runner.run(driven())

    def crash(self, stop: int, before: str) -> Simulation:
        """The crawl up to its death after so many landings, before the next call of `visits` or `land`."""
        crawl = self.build()
        crawl.begin(self.seeds(), self.start)
        simulation = self.simulation(crawl)
        call = getattr(crawl, before)

        def dying(*arguments: Any) -> Any:
            if len(self.landings()) >= stop:
                raise Interrupted
            return call(*arguments)

        setattr(crawl, before, dying)
        with contextlib.suppress(Interrupted):
            simulation.run()
        return simulation

    def resumed(self, died: Simulation) -> Simulation:
        """A new crawl from what the one that died had stored."""
        crawl = self.build()
        crawl.shelf = crawl.strategy.shelf = died.crawl.shelf
        crawl.restore(codec.load(*stored(died.crawl)))
        room = crawl.flights.restored_room(codec.load(*codec.store(died.room.state())))
        return Simulation(crawl, self.world, tries=self.tries, room=room, hops_rest=False)

    def landings(self) -> list[events.Landed]:
        return [event for event in self.log if isinstance(event, events.Landed)]


def configured(kind: Kind, settings: Mapping[str, Any]) -> Kind:
    """The same strategy with other defaults, so that every check can be run with the settings it declares."""
    values = vars(chosen(kind.Params, settings))
    parameters = [
        (known.name, known.type, field(default=values[known.name], metadata=known.metadata))
        for known in fields(kind.Params)
    ]
    return type(kind.__name__, (kind,), {"Params": make_dataclass(kind.Params.__name__, parameters)})


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time jumps to the next timer instead of passing, so that what takes hours takes none. While
    anybody awaits an answer from outside, `standing_still`, no time passes at all."""

    def __init__(self, start: float) -> None:
        super().__init__(_Jumping(self))
        self.awaited = 0  # answers from outside
        self.jump(start)

    def time(self) -> float:
        return self.moment

    def jump(self, moment: float) -> None:
        self.moment = moment
        self._clock_resolution = 2 * math.ulp(moment)  # so that a timer is due at its own time, and no other with it

    @contextlib.contextmanager
    def standing_still(self) -> Iterator[None]:
        self.awaited += 1
        try:
            yield
        finally:
            self.awaited -= 1

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Wait without the time limit of Python 3.12 and later: threads take real time, and a jump would leave them
        none."""
        await super().shutdown_default_executor()


class _Jumping(selectors.SelectSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        timers: list[asyncio.TimerHandle] = vars(self._loop)["_scheduled"]
        jumps = timers and not self._loop.awaited
        ready = super().select(0 if jumps or timeout == 0 else PATIENCE)  # without timers only a thread can go on
        if not ready and jumps and timeout:
            self._loop.jump(max(self._loop.moment, timers[0].when()))
        elif not ready and timeout != 0:
            raise Violation("everything waits and nothing will ever happen")
        return ready


class Interrupted(Exception):
    """Thrown into a crawl by a check to stand for a crash."""


def told(log: Sequence[events.Event]) -> list[str]:
    """A log as text, to be compared."""
    return [f"{type(event).__name__} {codec.plain(event)!r}" for event in log]


def stored(crawl: Crawl) -> tuple[str, dict[str, bytes]]:
    return codec.store(crawl.state())
