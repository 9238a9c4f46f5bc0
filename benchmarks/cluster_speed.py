"""What a second worker brings, and what a cluster costs: the same crawl on 0, 1 and 2 machines of a Ray cluster.

    python benchmarks/cluster_speed.py
    python benchmarks/cluster_speed.py --strategy hunter

The machines are raylets of their own on the loopback address of this one. The web has 2,000 hosts, and every answer
takes 200 ms, so that slots are what is scarce; there are 32 for each worker, and politeness is on. All crawls are of as
many pages, since every host costs a request for its robots.txt, too. Pages a second are counted from the landing of the
first tenth of them to that of the last: Ray takes ten seconds and more to start. `head` is the processor time of the
crawl's own process for a page; by it the head is full at so many pages a second as a second has such times. The crawls
take turns, `--rounds` times; medians are told. The last line has the ratio of pages a second with 2 workers and 1; exit
code 1 if it is below 1.8.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from politeness import Rows
from side_by_side import announced

import wolfspider
from wolfspider.core.events import Event, Landed
from wolfspider.core.limits import AT_ONCE
from wolfspider.drivers.cluster.ray_home import ENVIRONMENT
from wolfspider.web.server.serve import Manner, serve

LATENCY = 0.2
LEAST = 1.8


class Pace(NamedTuple):
    pages_a_second: float
    head: float  # milliseconds of the processor for a page


def main() -> int:
    parser = argparse.ArgumentParser(description="Crawls on 0, 1 and 2 machines of a cluster.")
    parser.add_argument("--hosts", type=int, default=2000)
    parser.add_argument("--pages", type=int, default=6000, help="of each crawl")
    parser.add_argument("--slots", type=int, default=32, help="for each worker")
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--latency", type=float, default=LATENCY, help="seconds, more than 0")
    parser.add_argument("--strategy", default="best-first")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve_rows(given))
        return 0
    with announced([sys.executable, __file__, *sys.argv[1:], "--serve"]) as via:
        return report(given, measured(given, via))


async def serve_rows(given: argparse.Namespace) -> None:
    async with serve(Rows(20), manner=Manner(latency=given.latency)) as served:
        print(f"127.0.0.1:{served.port}", flush=True)
        await asyncio.Event().wait()


def measured(given: argparse.Namespace, via: str) -> dict[int, list[Pace]]:
    """By the number of machines; 0 is without a cluster."""
    os.environ.update(ENVIRONMENT)
    from ray.cluster_utils import Cluster

    plain: dict[str, Any] = {"num_cpus": 1, "include_dashboard": False, "node_ip_address": "127.0.0.1"}
    cluster = Cluster(initialize_head=True, head_node_args=plain)
    found: dict[int, list[Pace]] = defaultdict(list)
    try:
        for number in range(given.rounds):
            for machines in (0, 1, 2):
                second = cluster.add_node(**plain) if machines == 2 else None
                pace = asyncio.run(crawl(given, via, machines, cluster.address if machines else ""))
                if second is not None:
                    cluster.remove_node(second)
                found[machines].append(pace)
                print(f"round {number + 1}, {machines} machines: {pace.pages_a_second:.1f} pages/s", file=sys.stderr)
    finally:
        cluster.shutdown()
    return found


async def crawl(given: argparse.Namespace, via: str, machines: int, address: str) -> Pace:
    pages, landed = given.pages, 0
    marks: list[tuple[int, float, float]] = []

    def count(event: Event) -> None:
        nonlocal landed
        if isinstance(event, Landed):
            landed += 1
            if landed in (pages // 10, pages):
                marks.append((landed, time.monotonic(), time.process_time()))

    with tempfile.TemporaryDirectory(prefix="speed-") as folder:
        await wolfspider.crawl(
            *(f"http://h{number}.test/" for number in range(given.hosts)),
            topic="words",
            strategy=given.strategy,
            judge="keywords",
            pages=pages,
            slots=given.slots * max(1, machines),
            delay=given.delay,
            hurry=AT_ONCE,  # no slot waits for a better link
            traps="ignore",  # pages here are alike
            memory=1024,
            disk_floor=0,
            via=via,
            cluster=address,
            out=Path(folder, "run"),
            on_event=count,
        ).run()
    (first, begun, busy), (last, ended, busy_then) = marks
    return Pace((last - first) / (ended - begun), (busy_then - busy) / (last - first) * 1000)


def report(given: argparse.Namespace, found: dict[int, list[Pace]]) -> int:
    paces = {
        machines: Pace(*(statistics.median(one) for one in zip(*paces, strict=True)))
        for machines, paces in found.items()
    }
    print(
        f"{given.strategy}, {given.hosts} hosts, {given.latency * 1000:.0f} ms an answer, {given.slots} slots a worker"
    )
    print("| workers | pages/s | of what the slots allow | head, ms of the processor a page | head full at, pages/s |")
    print("|---|---|---|---|---|")
    for machines, pace in paces.items():
        allowed = given.slots * max(1, machines) / given.latency
        name, share, full = machines or "no cluster", pace.pages_a_second / allowed, 1000 / pace.head
        print(f"| {name} | {pace.pages_a_second:.1f} | {share:.2f} | {pace.head:.2f} | {full:.0f} |")
    ratio = paces[2].pages_a_second / paces[1].pages_a_second
    overhead = paces[1].pages_a_second / paces[0].pages_a_second
    print(f"one_worker_to_no_cluster={overhead:.2f} two_workers_to_one={ratio:.2f}")
    return 0 if ratio >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
