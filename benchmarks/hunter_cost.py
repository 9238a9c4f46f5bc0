"""What the hunter costs: processor time for a page, from the first thousand to the last, and the memory of its links.

Pages are made up: seventy links each, most of them new, on some hundred hosts, with anchors and tag paths as pages have
them; one host in ten is good. The strategy is asked and told directly, with its links on a shelf on disk, so that the
time is that of the strategy and its frontier alone. Making up pages is not counted.

    python benchmarks/hunter_cost.py [--pages 14300] [--strategy hunter]
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from pathlib import Path

from wolfspider.core.model import Link, Outcome, Page, Route, Verdict, Visit
from wolfspider.core.params import chosen
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Topic
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Strategy
from wolfspider.store.shelf import DiskShelf
from wolfspider.strategies import strategy_named

LINKS, HOSTS, PART = 70, 300, 1_000
PATHS = tuple(f"html/body/div#main/ul.list-{kind}/li/a" for kind in range(6))
WORDS = tuple(f"word{number}" for number in range(5_000))
TOPICAL = ("volcano", "lava", "crater")


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--pages", type=int, default=14_300)
    options.add_argument("--strategy", default="hunter")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(given.strategy, given.pages, DiskShelf(Path(folder) / "shelf"))


def measure(name: str, pages: int, shelf: DiskShelf) -> None:
    kind = strategy_named(name)
    strategy = kind(Topic(TOPICAL), chosen(kind.Params, {}), generator(1, name), shelf)
    rng, before = random.Random(1), peak()
    strategy.begin([Link("http://h0.test/")], 0.0)
    spent = 0.0
    for number in range(1, pages + 1):
        began = time.process_time()
        visit = next_visit(strategy)
        spent += time.process_time() - began
        outcome = made_up(visit, rng)
        began = time.process_time()
        strategy.observe(outcome)
        spent += time.process_time() - began
        if number % PART == 0 or number == pages:
            waiting = len(strategy.frontier) if strategy.frontier is not None else 0
            part = number % PART or PART
            told = f"{1000 * spent / part:.2f} ms a page, {waiting:,} links wait, {peak() - before:,.0f} MiB"
            print(f"pages to {number:,}: {told}", flush=True)
            spent = 0.0


def next_visit(strategy: Strategy) -> Visit:
    room = Room()
    room.open(0.0, 1, lambda url, fresh: Route.OUT)
    return strategy.propose(room, 0.0)[0]


def made_up(visit: Visit, rng: random.Random) -> Outcome:
    url = visit.link.url
    good = visit.link.host.endswith("7.test")
    words = [rng.choice(WORDS) for _ in range(400)] + list(TOPICAL) * (4 if good else 0)
    links = []
    for rank in range(LINKS):
        host = visit.link.host if rng.random() < 0.7 else f"h{rng.randrange(HOSTS)}.test"
        page = rng.randrange(200) if rank < 4 else rng.randrange(10**9)
        at = 5 * rank
        links.append(
            Link(f"http://{host}/part{page % 50}/{page}.html", words[at], at, path=rng.choice(PATHS), rank=rank)
        )
    page_seen = Page(url, url, words=tuple(words), links=tuple(links))
    score = rng.betavariate(8, 2) if good else rng.betavariate(1, 9)
    return Outcome(visit, page_seen, Verdict(score, score >= 0.5), 1, 0.1, 0.0)


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
