"""How fast a crawl is simulated, what a known address costs in memory, and whether either grows with the crawl.

    python benchmarks/simulation_speed.py [WEB ...]

For each recorded web given: visits a second of processor time of best-first with the default judge, pages cached,
several rounds. Then, on a web computed for it, the time of a visit while 10^4 to 10^5 addresses are known against 10^5
to 10^6, side by side in one run, and the bytes that the frontier takes for each (texts and evidence lie on the shelf
and do not count).
"""

from __future__ import annotations

import sys
import time
import tracemalloc

from wolfspider.core.events import Event, Landed
from wolfspider.core.model import Fetch, Link, Page, host_of
from wolfspider.core.randomness import generator
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Task, Topic
from wolfspider.drivers.simulated import simulate, simulated_crawl
from wolfspider.engine.crawl import Limits
from wolfspider.policy.frontier import Frontier
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.policy.link_shelf import Record, Shelf
from wolfspider.strategies import strategy_named
from wolfspider.web.page.urls import looks_like_file
from wolfspider.web.worlds.world import World, open_web

ROUNDS = 5


def crawl_once(world: World, task: Task, pages: int) -> tuple[int, float]:
    kind = strategy_named("best-first")
    strategy = kind.new(task.topic, generator(1))
    scope = Scope(within=lambda url: world.owns(host_of(url)) and not looks_like_file(url))
    crawl = simulated_crawl(strategy, DEFAULT_JUDGE, world, Limits(pages), scope=scope)
    crawl.begin([Link(url) for url in task.seeds], world.start)
    began = time.process_time()
    result = simulate(crawl, world, start=world.start)
    return result.downloads, time.process_time() - began


def visits_per_second(web: str) -> None:
    world = open_web(web)
    name, task = next(iter(world.tasks().items()))
    crawl_once(world, task, 1000)  # fills the cache
    rates = sorted(spent / seconds for spent, seconds in (crawl_once(world, task, 1000) for _ in range(ROUNDS)))
    low, middle, high = rates[0], rates[ROUNDS // 2], rates[-1]
    print(f"{world.name} ({name}): {middle:,.0f} visits/s, median of {ROUNDS} (from {low:,.0f} to {high:,.0f})")


class Endless:
    """Every page shows a hundred addresses nobody has seen, on one of a thousand hosts."""

    def look(self, url: str, now: float) -> Fetch:
        rng = generator(1, url)
        words = tuple(rng.choice(("spider", "silk", "road", "car")) for _ in range(60))
        links = tuple(
            Link(f"http://h{rng.randrange(1000)}.test/{rng.getrandbits(48)}", "a link", n) for n in range(100)
        )
        return Fetch(url, url, 200, seconds=0.3, at=now, page=Page(url, url, "page", words, links, at=now))


def growth() -> None:
    kind = strategy_named("best-first")
    crawl = simulated_crawl(kind.new(Topic(("spider",)), generator(1)), "keywords", Endless(), Limits(10_000))
    marks: list[tuple[int, float]] = []

    def mark(event: Event) -> None:
        if isinstance(event, Landed) and event.downloads in (100, 1_000, 10_000):
            marks.append((event.downloads, time.perf_counter()))

    crawl.listen(mark)
    simulate(crawl, Endless(), seeds=["http://h0.test/0"])
    (a, start), (b, middle), (c, end) = marks
    first, last = (middle - start) / (b - a), (end - middle) / (c - b)
    print(
        f"time of a visit with 10^5..10^6 addresses known against 10^4..10^5: {last / first:.2f} "
        f"({1e6 * last:.0f} us against {1e6 * first:.0f} us, of which the web itself takes {1e6 * alone():.0f} us)"
    )


def alone() -> float:
    """What the computed web takes for a page, whoever looks."""
    world, began = Endless(), time.perf_counter()
    for number in range(500):
        world.look(f"http://h0.test/{number}", 0.0)
    return (time.perf_counter() - began) / 500


def bytes_per_address(known: int = 1_000_000) -> None:
    class Nowhere(Shelf):
        """A shelf that keeps nothing, so that only the frontier is weighed."""

        def put(self, record: Record) -> int:
            return 0

    for hosts in (1_000, 100_000):
        rng = generator(2)
        tracemalloc.start()
        frontier = Frontier(Nowhere(), known + 1)
        for number in range(known):
            link = Link(f"http://h{rng.randrange(hosts)}.test/{number}")
            frontier.push(link, rng.random())
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"{size / known:.0f} bytes for a known address, {known:,} of them on {hosts:,} hosts")


if __name__ == "__main__":
    for web in sys.argv[1:]:
        visits_per_second(web)
    growth()
    bytes_per_address()
