"""What the hunter costs: processor time for a page, from the first thousand to the last, and the memory of its links.

Pages are made up: seventy links each, most of them new, on some hundred hosts, with anchors and tag paths as pages have
them; one host in ten is good. The strategy is asked and told directly, with its links on a shelf on disk, so that the
time is that of the strategy and its frontier alone. Making up pages is not counted, nor is counting their words, which
a judge does in every crawl.

    python benchmarks/hunter_cost.py [--pages 14300] [--strategy hunter] [--stages]

With --stages it tells what takes the time of the hunter, in the first thousand pages and in the last; that costs a
little itself.
"""

from __future__ import annotations

import argparse
import functools
import random
import resource
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from wolfspider.core.model import Link, Outcome, Page, Route, Verdict, Visit
from wolfspider.core.params import chosen
from wolfspider.core.randomness import generator
from wolfspider.core.text import counts
from wolfspider.core.topic import Topic
from wolfspider.policy.frontier import Frontier
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Strategy
from wolfspider.store.shelf import DiskShelf
from wolfspider.strategies import strategy_named
from wolfspider.strategies.hunter.hunter import Hunter
from wolfspider.strategies.hunter.link_traits import LinkTraits

LINKS, HOSTS, PART = 70, 300, 1_000
PATHS = tuple(f"html/body/div#main/ul.list-{kind}/li/a" for kind in range(6))
WORDS = tuple(f"word{number}" for number in range(5_000))
TOPICAL = ("volcano", "lava", "crater")
STAGES: dict[str, tuple[tuple[type, str], ...]] = {
    "take a link": ((Frontier, "pop"),),
    "enter links in the frontier": ((Frontier, "extend"),),
    "name hosts, folders, shapes and words of new links": ((LinkTraits, "enter"),),
    "note where links stand, and by what words": ((LinkTraits, "see"),),
    "work out traits": ((LinkTraits, "of"),),
    "score, and find strangers and gates": ((Hunter, "_rate"), (Hunter, "_rate_again")),
    "give links new scores in the frontier": ((Frontier, "assign"),),
    "fit the models": ((Hunter, "_fit"),),
    "learn from words, hosts and kinds": ((Hunter, "_read"), (LinkTraits, "learn"), (Hunter, "_learn")),
    "trust of hosts": ((Hunter, "_vouch"),),
    "the rest": ((Hunter, "propose"), (Hunter, "observe")),
}


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--pages", type=int, default=14_300)
    options.add_argument("--strategy", default="hunter")
    options.add_argument("--stages", action="store_true", help="tell what takes the time of the hunter")
    given = options.parse_args()
    stages = Stages() if given.stages else None
    with tempfile.TemporaryDirectory() as folder:
        measure(given.strategy, given.pages, DiskShelf(Path(folder) / "shelf"), stages)


class Stages:
    """Times the methods of STAGES, each without those that it calls."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        self.first: defaultdict[str, float] = defaultdict(float)
        self._inner = [0.0]
        for stage, methods in STAGES.items():
            for kind, name in methods:
                setattr(kind, name, self._timed(stage, getattr(kind, name)))

    def _timed(self, stage: str, method: Any) -> Any:
        @functools.wraps(method)
        def timed(*given: Any, **named: Any) -> Any:
            self._inner.append(0.0)
            began = time.process_time()
            found = method(*given, **named)
            took = time.process_time() - began
            self.spent[stage] += took - self._inner.pop()
            self._inner[-1] += took
            return found

        return timed

    def part(self) -> defaultdict[str, float]:
        """What was spent since the last time."""
        spent, self.spent = self.spent, defaultdict(float)
        self.first = self.first or spent
        return spent


def measure(name: str, pages: int, shelf: DiskShelf, stages: Stages | None = None) -> None:
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
            last = stages.part() if stages else defaultdict(float)
    for stage, seconds in last.items():
        assert stages is not None
        first = 1000 * stages.first[stage] / PART
        print(f"{first:5.2f} ms a page at first, {1000 * seconds / part:5.2f} at last: {stage}")


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
    counts(page_seen)
    score = rng.betavariate(8, 2) if good else rng.betavariate(1, 9)
    return Outcome(visit, page_seen, Verdict(score, score >= 0.5), 1, 0.1, 0.0)


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
