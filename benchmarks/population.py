"""How many visits a second a population of agents makes in simulation, and whether a visit costs more when there are
more of them.

    python benchmarks/population.py [--pages 10000] [--rounds 3] [--agents 100 1000 10000]

The web is computed: a million pages on 5,000 hosts, 30 links each, every fifth page about the topic. Populations are
kept near their size by the bounds of the energy buffer. Sizes take turns within a round, so that a machine that is busy
for a while is so for all of them; the medians are printed, with the time of a visit over that of the first size, and
what the web itself takes for a page. A tenth of the pages are spent before the clock starts: whoever is born at the
beginning is there by then.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time

from wolfspider.chance import generator
from wolfspider.drive import Recollection, simulate
from wolfspider.events import Event, Landed
from wolfspider.frontier import Shelf
from wolfspider.judge import make_judge
from wolfspider.loop import Crawl, Limits
from wolfspider.model import Fetch, Link, Page
from wolfspider.params import build
from wolfspider.strategies.energy import Energy
from wolfspider.topic import Topic

PAGES, HOSTS, LINKS = 1_000_000, 5_000, 30
TOPIC = Topic(("spider", "silk"))
GOOD, BAD = ("spider", "silk", "web", "leg"), ("car", "road", "wheel", "lane")


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


def seconds_of_a_visit(agents: int, pages: int) -> tuple[float, Energy]:
    bounds = {"agents": agents, "least": agents * 4 // 5, "most": agents * 6 // 5}
    strategy = Energy(TOPIC, build(Energy.Params, bounds), generator(1), Shelf())
    web, marks = Computed(), []
    crawl = Crawl(
        strategy,
        lambda topic: make_judge("keywords", topic),
        Recollection(web),
        Limits(pages, slots=min(agents, 2000)),
    )

    def mark(event: Event) -> None:
        if isinstance(event, Landed) and event.downloads in (pages // 10, pages):
            marks.append(time.process_time())

    crawl.listen(mark)
    crawl.begin([Link(address(number)) for number in (0, 5, 10)], 0.0)
    result = simulate(crawl, web, start=0.0)
    assert result.reason == "budget", result
    return (marks[-1] - marks[0]) / (pages - pages // 10), strategy


def alone() -> float:
    """What the computed web takes for a page, whoever looks."""
    web, began = Computed(), time.process_time()
    for number in range(1000):
        web.look(address(number), 0.0)
    return (time.process_time() - began) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--agents", type=int, nargs="+", default=[100, 1_000, 10_000])
    asked = parser.parse_args()
    times: dict[int, list[float]] = {agents: [] for agents in asked.agents}
    living = {}
    for _ in range(asked.rounds):
        for agents in asked.agents:
            seconds, strategy = seconds_of_a_visit(agents, asked.pages)
            times[agents].append(seconds)
            living[agents] = strategy.report()
    first = statistics.median(times[asked.agents[0]])
    for agents in asked.agents:
        middle = statistics.median(times[agents])
        told = living[agents]
        print(
            f"agents={agents} visits_per_second={1 / middle:.0f} time_of_a_visit={middle / first:.2f} "
            f"population={told['population']} births={told['births']} deaths={told['deaths']} moves={told['moves']}"
        )
    print(f"the web itself: {1e6 * alone():.0f} us of the {1e6 * first:.0f} us of a visit")


if __name__ == "__main__":
    main()
