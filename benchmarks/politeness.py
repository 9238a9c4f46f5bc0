"""Is every host that may be visited visited, and none too early? Many hosts, a long delay, some of them slow to answer.

    python benchmarks/politeness.py     # 1,000 hosts, 10 s between visits, 200 of them answer after 5 s
    python benchmarks/politeness.py --hosts 100 --delay 0.5 --slow 0.25     # the same in a few seconds

A crawl of all hosts against one loopback server, whose own log is the witness: the gap is counted from the end of an
answer to the arrival of the next request of that host, robots.txt included. A host that rests for `delay` and answers
in `t` can be visited once in `delay + t` seconds; the ideal is the sum over all hosts, and what was achieved is counted
between the first and the last visit to each. The last line has the figures. Exit code 1 if a host saw two requests at
once or one too early, or if less than nine tenths of the ideal were achieved.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from side_by_side import announced

import wolfspider
from wolfspider.core.events import Event, Landed
from wolfspider.core.model import Fetch
from wolfspider.web.server.serve import Manner, serve
from wolfspider.web.worlds.world import Servable

SLOW_SHARE = 0.2
CLOCK = 0.002  # seconds that the log of the server may be off: it is written after the fact
LEAST = 0.9


class Rows(Servable):
    """A web of hosts that do not know each other: the first page of each shows all the others of it."""

    name = "rows"
    start = 1.7e9

    def __init__(self, pages: int) -> None:
        self.pages = pages

    def look(self, url: str, now: float) -> Fetch:
        path = url.split("/", 3)[3]
        if path == "robots.txt" or (path and not path.isdecimal()):
            return Fetch(url, url, 404, {"content-type": "text/plain"}, b"no", at=now, seconds=0.01)
        links = "".join(f'<a href="/{number}">page {number}</a>' for number in range(1, self.pages))
        body = f"<title>page {path}</title><p>{url} has words{'' if path else links}".encode()
        return Fetch(url, url, 200, {"content-type": "text/html"}, body, at=now, seconds=0.01)


def main() -> int:
    parser = argparse.ArgumentParser(description="Politeness under load.")
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--delay", type=float, default=10.0)
    parser.add_argument("--slow", type=float, default=5.0, help="seconds that a fifth of the hosts take to answer")
    parser.add_argument("--visits", type=int, default=11, help="to each host")
    parser.add_argument("--slots", type=int, default=300)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve_rows(given))
        return 0
    with tempfile.TemporaryDirectory(prefix="politeness-") as folder:
        log = Path(folder, "served.jsonl")
        measure(given, log)
        return judge(given, log)


def is_slow(host: str, hosts: int) -> bool:
    return int(host[1:].partition(".")[0]) < SLOW_SHARE * hosts


async def serve_rows(given: argparse.Namespace) -> None:
    manner = Manner(latency=lambda host: given.slow if is_slow(host, given.hosts) else 0.0)
    async with serve(Rows(given.visits), manner=manner, log=given.serve) as served:
        print(f"127.0.0.1:{served.port}", flush=True)
        await asyncio.Event().wait()


def measure(given: argparse.Namespace, log: Path) -> None:
    program = [sys.executable, __file__, *sys.argv[1:], "--serve", str(log)]
    with announced(program) as via:
        asyncio.run(crawl(given, via))


async def crawl(given: argparse.Namespace, via: str) -> None:
    landed = 0

    def count(event: Event) -> None:
        nonlocal landed
        landed += isinstance(event, Landed)
        if landed % 100 == 0 and isinstance(event, Landed):
            print(f"\r{landed} of {given.hosts * given.visits}", end="", file=sys.stderr, flush=True)

    await wolfspider.crawl(
        *(f"http://h{number}.test/" for number in range(given.hosts)),
        topic="words",
        strategy="breadth-first",
        judge="keywords",
        pages=given.hosts * given.visits,
        slots=given.slots,
        delay=given.delay,
        adapt=0,
        traps="ignore",  # pages here are alike
        via=via,
        on_event=count,
    ).run()
    print(file=sys.stderr)


def judge(given: argparse.Namespace, log: Path) -> int:
    visits: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for line in log.read_text().splitlines():
        asked = json.loads(line)
        visits[asked["host"]].append((asked["arrived"], asked["ended"]))
    early = together = 0
    achieved = ideal = 0.0
    for host, times in visits.items():
        times.sort()
        gaps = [after[0] - before[1] for before, after in pairwise(times)]
        together += sum(gap < -CLOCK for gap in gaps)
        early += sum(gap < given.delay - CLOCK for gap in gaps)
        achieved += (len(times) - 1) / (times[-1][0] - times[0][0])
        ideal += 1 / (given.delay + (given.slow if is_slow(host, given.hosts) else 0.0))
    fewest = min(len(times) for times in visits.values())
    share = achieved / ideal
    print(f"hosts={len(visits)} fewest_visits={fewest} together={together} early={early} achieved_of_ideal={share:.3f}")
    good = len(visits) == given.hosts and not together and not early and share >= LEAST and fewest >= given.visits
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
