"""What does it cost to ask for the next link while thousands of hosts are busy or rest, and links give way to theirs?

    python benchmarks/closed_hosts.py [--hosts 100 1000 10000] [--turns 200]

A frontier has a few links at each of so many hosts, and one more host is ready. Each host has refused, so a link of the
ready one must be compared with what waits at all others. The figure is the time of one such question, in microseconds,
beside that of a crawl in which no link gives way.
"""

from __future__ import annotations

import argparse
import sys
import time

from wolfspider.bench.draw.report import text_table
from wolfspider.core.limits import AT_ONCE, NO_HURRY
from wolfspider.core.model import Link, Route
from wolfspider.policy.frontier import Frontier
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.room import Room

LINKS = 3  # of each host


def seconds(hosts: int, turns: int, hurry: float) -> float:
    """Of one question."""
    frontier, room = Frontier(Shelf()), Room()
    for host in range(hosts):
        for place in range(LINKS):
            frontier.push(Link(f"http://h{host}.test/{place}"), 1.0 + host / hosts)
    room.open(0.0, 10 * hosts, lambda url, fresh: Route.OUT, delay=1.0, hurry=AT_ONCE)
    while frontier.pop(room) is not None:  # one visit to each; after that all have refused
        pass
    spent = 0.0
    for turn in range(turns):
        frontier.push(Link(f"http://ready{turn}.test/"), 0.5)
        room.open(0.0, 10, lambda url, fresh: Route.OUT, delay=1.0, hurry=hurry)
        began = time.process_time()
        frontier.pop(room)
        spent += time.process_time() - began
    return spent / turns


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--turns", type=int, default=200)
    asked = parser.parse_args()
    body = [
        [f"{hosts:,}", *(f"{1e6 * seconds(hosts, asked.turns, hurry):,.0f} µs" for hurry in (NO_HURRY, AT_ONCE))]
        for hosts in asked.hosts
    ]
    print(text_table(["hosts that refused", "links give way", "no link gives way"], body))
    return 0


if __name__ == "__main__":
    sys.exit(main())
