"""How many visits a second a population of agents makes, in simulation and live, and whether a visit costs more when
there are more of them.

    python benchmarks/population.py [--pages 10000] [--rounds 3] [--agents 100 1000 10000]
    python benchmarks/population.py --live [--pages 600] [--rounds 3] [--agents 100 1000] [--delay 0.2] [--slots 50]

In simulation. The web is computed: a million pages on 5,000 hosts, 30 links each, every fifth page about the topic.
Populations are kept near their size by the bounds of the energy buffer. Sizes take turns within a round, so that a
machine that is busy for a while is so for all of them; the medians are printed, with the time of a visit over that of
the first size, and what the web itself takes for a page. A tenth of the pages are spent before the clock starts: who is
born at the beginning is there by then. A visit is a download here; moves through known pages are told apart.

Live. A synthetic web of 1,152 hosts is served on loopback by a process of its own, every answer after LATENCY seconds,
and crawled over HTTP, with the store, robots.txt and a rest for each host. The server's log is the witness: seconds are
from the first request to the end of the last answer, and the rest of a host is counted from the end of an answer to the
arrival of its next request, robots.txt included. A visit is a step of an agent to a page: it downloads it, waits for it
with the agent that does, or the page is known. Another round draws other steps; medians are printed, with the range.

The ideal is the least time in which the same requests could be made: the busiest host with a rest after each answer, or
all of them through the slots, whichever is longer. Exit code 1 if a host had two requests at once or one too early, or
if a crawl did not spend its budget within LIMIT seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from side_by_side import web_served

import wolfspider
from wolfspider.bench.measure.population import Energies
from wolfspider.core.events import Event, Landed
from wolfspider.core.model import Fetch, Link, Outcome, Page
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Task, Topic
from wolfspider.drivers.simulated import simulate, simulated_crawl
from wolfspider.engine.crawl import Limits
from wolfspider.policy.strategy import register
from wolfspider.strategies.energy import Energy
from wolfspider.web.worlds.world import open_web

PAGES, HOSTS, LINKS = 1_000_000, 5_000, 30
TOPIC = Topic(("spider", "silk"))
GOOD, BAD = ("spider", "silk", "web", "leg"), ("car", "road", "wheel", "lane")
SERVED = "synthetic:pages=50000,seed=1,mischief=0"
LATENCY = 0.1  # seconds before the served web answers
LIMIT = 80.0  # seconds after which a live crawl only waits for what is out
CLOCK = 0.002  # seconds that the log of the server may be off: it is written after the fact


def address(number: int) -> str:
    return f"http://h{number % HOSTS}.test/{number}"


class Computed:
    """Each page is a function of its number."""

    def look(self, url: str, now: float) -> Fetch:
        number = int(url.rsplit("/", 1)[-1])
        rng = random.Random(number)
        words = tuple(rng.choices(GOOD if number % 5 == 0 else BAD, k=60))
        targets = rng.sample(range(PAGES), LINKS)
        links = tuple(
            Link(address(target), "a link", 2 * place, (2 * place, 2 * place + 12))
            for place, target in enumerate(targets)
        )
        return Fetch(url, url, 200, seconds=0.3, at=now, page=Page(url, url, "page", words, links, at=now))


def bounds(agents: int) -> dict[str, int]:
    return {"agents": agents, "least": agents * 4 // 5, "most": agents * 6 // 5}


def seconds_of_a_visit(agents: int, pages: int) -> tuple[float, Energy]:
    strategy = Energy.new(TOPIC, generator(1), bounds(agents))
    web, marks = Computed(), []
    crawl = simulated_crawl(strategy, "keywords", web, Limits(pages, slots=min(agents, 2000)))

    def mark(event: Event) -> None:
        if isinstance(event, Landed) and event.downloads in (pages // 10, pages):
            marks.append(time.process_time())

    crawl.listen(mark)
    result = simulate(crawl, web, start=0.0, seeds=map(address, (0, 5, 10)))
    assert result.reason == "budget", result
    return (marks[-1] - marks[0]) / (pages - pages // 10), strategy


def alone() -> float:
    """What the computed web takes for a page, whoever looks."""
    web, began = Computed(), time.process_time()
    for number in range(1000):
        web.look(address(number), 0.0)
    return (time.process_time() - began) / 1000


def simulated(asked: argparse.Namespace) -> int:
    sizes, pages = asked.agents or [100, 1_000, 10_000], asked.pages or 10_000
    times: dict[int, list[float]] = {agents: [] for agents in sizes}
    living = {}
    for _ in range(asked.rounds):
        for agents in sizes:
            seconds, strategy = seconds_of_a_visit(agents, pages)
            times[agents].append(seconds)
            living[agents] = strategy.report()
    first = statistics.median(times[sizes[0]])
    for agents in sizes:
        middle = statistics.median(times[agents])
        told = living[agents]
        print(
            f"agents={agents} visits_per_second={1 / middle:.0f} time_of_a_visit={middle / first:.2f} "
            f"population={told['population']} births={told['births']} deaths={told['deaths']} moves={told['moves']}"
        )
    print(f"the web itself: {1e6 * alone():.0f} us of the {1e6 * first:.0f} us of a visit")
    return 0


# Live


@register
class Counted(Energy):
    """The same agents. Those who waited for a page that another brought are counted."""

    name = "energy-counted"

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.waited = 0
        super().begin(seeds, now)

    def observe(self, outcome: Outcome) -> None:
        self.waited += len(self.expected[self.herd[outcome.visit.agent].heading]) - 1
        super().observe(outcome)


class Manners(NamedTuple):
    """What the log of a server says of a crawl."""

    requests: int
    hosts: int
    busiest: int  # requests to the host that had most
    seconds: float
    ideal: float
    together: int  # requests to a host that had one already
    early: int  # and those within its rest


class Measured(NamedTuple):
    reason: str
    downloads: int
    waited: int  # visits of agents that waited for a page which another brought
    moves: int  # visits to known pages
    cpu: float  # seconds of the crawler's process
    smallest: int  # population
    largest: int
    manners: Manners

    @property
    def visits(self) -> int:
        return self.downloads + self.waited + self.moves


def measured(asked: argparse.Namespace, task: Task, agents: int, seed: int) -> Measured:
    with tempfile.TemporaryDirectory(prefix="population-") as folder:
        log, energies = Path(folder, "served.jsonl"), Energies()
        with web_served(SERVED, log, LATENCY) as via:
            hunt = wolfspider.crawl(
                *task.seeds,
                topic=", ".join(task.topic.keywords),
                strategy=Counted.name,
                set={name: str(value) for name, value in bounds(agents).items()},
                judge="keywords",
                pages=asked.pages or 600,
                slots=asked.slots,
                delay=asked.delay,
                adapt=0,
                traps="ignore",  # as in the simulation
                deadline=5,
                seed=seed,
                via=via,
                on_event=energies,
            )
            began = time.process_time()
            reason = asyncio.run(ended(hunt))
            cpu = time.process_time() - began
        assert hunt.crawl is not None and isinstance(hunt.crawl.strategy, Counted)
        waited, moves = hunt.crawl.strategy.waited, hunt.crawl.strategy.moves
        manners = witnessed(log, asked.delay, asked.slots)
        return Measured(reason, energies.downloads, waited, moves, cpu, energies.smallest, energies.largest, manners)


async def ended(hunt: wolfspider.Hunt) -> str:
    asyncio.get_running_loop().call_later(LIMIT, hunt.drain)
    return (await hunt.run()).reason


def witnessed(log: Path, delay: float, slots: int) -> Manners:
    asked: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for line in log.read_text().splitlines():
        request = json.loads(line)
        asked[request["host"]].append((request["arrived"], request["ended"]))
    gaps = [after[0] - before[1] for times in asked.values() for before, after in pairwise(sorted(times))]
    every = [time for times in asked.values() for time in times]
    busiest = max(map(len, asked.values()))
    return Manners(
        requests=len(every),
        hosts=len(asked),
        busiest=busiest,
        seconds=max(end for _, end in every) - min(arrival for arrival, _ in every),
        ideal=max(busiest * (LATENCY + delay) - delay, len(every) * LATENCY / slots),
        together=sum(gap < -CLOCK for gap in gaps),
        early=sum(gap < delay - CLOCK for gap in gaps),
    )


def live(asked: argparse.Namespace) -> int:
    sizes = asked.agents or [100, 1_000]
    task = next(iter(open_web(SERVED).tasks().values()))
    crawls: dict[int, list[Measured]] = {agents: [] for agents in sizes}
    for seed in range(asked.rounds):
        for agents in sizes:
            crawls[agents].append(measured(asked, task, agents, seed))
    for agents in sizes:
        show(agents, crawls[agents])
    everything = [crawl for of_size in crawls.values() for crawl in of_size]
    polite = not any(crawl.manners.together or crawl.manners.early for crawl in everything)
    return 0 if polite and all(crawl.reason == "budget" for crawl in everything) else 1


def show(agents: int, crawls: list[Measured]) -> None:
    manners = [crawl.manners for crawl in crawls]
    figures = {
        "downloads": spread([crawl.downloads for crawl in crawls], 0),
        "visits": spread([crawl.visits for crawl in crawls], 0),
        "waited": spread([crawl.waited for crawl in crawls], 0),
        "moves": spread([crawl.moves for crawl in crawls], 0),
        "seconds": spread([each.seconds for each in manners], 1),
        "visits_per_second": spread([crawl.visits / crawl.manners.seconds for crawl in crawls], 0),
        "downloads_per_second": spread([crawl.downloads / crawl.manners.seconds for crawl in crawls], 1),
        "share_of_ideal": spread([each.ideal / each.seconds for each in manners], 2),
        "cpu_seconds": spread([crawl.cpu for crawl in crawls], 1),
        "requests": spread([each.requests for each in manners], 0),
        "hosts": spread([each.hosts for each in manners], 0),
        "busiest_host": spread([each.busiest for each in manners], 0),
        "population": f"{min(crawl.smallest for crawl in crawls)}..{max(crawl.largest for crawl in crawls)}",
        "together": sum(each.together for each in manners),
        "early": sum(each.early for each in manners),
        "ended_by": ",".join(sorted({crawl.reason for crawl in crawls})),
    }
    print(f"agents={agents}", *(f"{name}={figure}" for name, figure in figures.items()))


def spread(values: Sequence[float], digits: int) -> str:
    """The median, and the range where there is one."""
    middle, least, most = (f"{value:.{digits}f}" for value in (statistics.median(values), min(values), max(values)))
    return middle if least == most else f"{middle}({least}..{most})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0].replace("\n", " "))
    parser.add_argument("--live", action="store_true", help="crawl a served web over HTTP instead of a simulated one")
    parser.add_argument("--pages", type=int, help="downloads of each crawl (10000; 600 live)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--agents", type=int, nargs="+", help="sizes of the population (100 1000 10000; 100 1000 live)")
    parser.add_argument("--delay", type=float, default=0.2, help="seconds that a host rests (live)")
    parser.add_argument("--slots", type=int, default=50, help="visits out at a time (live)")
    asked = parser.parse_args()
    return live(asked) if asked.live else simulated(asked)


if __name__ == "__main__":
    sys.exit(main())
