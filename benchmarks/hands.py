"""What many hands cost and bring: a crawl with its hands in its own process, and with one, two ... that are processes.

    python benchmarks/hands.py [--web docs --corpora DIR] [--pages 3000] [--rounds 3] [--hands 0 1 2] [--strategy NAME]

A web is served on loopback, and crawled by best-first without delays, 32 slots, everything scored and stored. A round
crawls it once with each number of hands, in an order that turns from round to round. Measured are pages a second, and
the CPU time a page of the head (the process that judges, decides and stores) and of all processes together. The first
pages are measured apart, and so are the starts, which are paid once, however long a crawl is. Server, head and hands
share the cores there are: on a machine with two of them the pages a second say little.

The last lines have the ratios to no hands, of the medians. Exit code 1 if, with the most hands, the head takes more
than 0.6 of the time that it takes without, or all processes together more than 1.15.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from kill_loop import found, task_of
from side_by_side import web_served

from wolfspider.core.topic import Task

MOST_HEAD, MOST_ALL = 0.6, 1.15
SLOTS = 32
FEW = 100  # pages of a crawl that shows what a start costs: all hands are needed
# Hands are ended and waited for when a crawl is over, so they are among its children.
PROGRAM = """
import json, resource, sys, time
from wolfspider.cli import main
began = time.perf_counter()
code = main()
head, hands = (sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps([head, head + hands, time.perf_counter() - began]), file=sys.stderr)
sys.exit(code)
"""


class Cost(NamedTuple):
    """Seconds of a crawl."""

    head: float
    all: float
    clock: float
    pages: int


def main() -> int:
    parser = argparse.ArgumentParser(description="What hands cost and bring.")
    parser.add_argument("--web", default="synthetic:pages=60000,seed=5")
    parser.add_argument("--corpora", type=Path, help="the folder of recorded webs (or WOLFSPIDER_CORPORA)")
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hands", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--strategy", default="best-first")
    given = parser.parse_args()
    web = found(given.web, given.corpora or Path(os.environ.get("WOLFSPIDER_CORPORA") or "."))
    task = task_of(web, None)
    with tempfile.TemporaryDirectory(prefix="hands-") as name:
        work = Path(name)
        with web_served(web, work / "log", 0.0) as via:
            return report(rounds(given, task, via, work), given.hands)


def rounds(given: argparse.Namespace, task: Task, via: str, work: Path) -> dict[int, tuple[Cost, list[Cost]]]:
    costs: dict[int, tuple[Cost, list[Cost]]] = {}
    for hands in given.hands:
        costs[hands] = crawled(given.strategy, task, via, work / f"start{hands}", hands, FEW), []
    for number in range(given.rounds):
        shift = number % len(given.hands)
        for hands in given.hands[shift:] + given.hands[:shift]:
            cost = crawled(given.strategy, task, via, work / f"{number}-{hands}", hands, given.pages)
            costs[hands][1].append(cost)
            print(f"round {number + 1} hands={hands} {cost}", file=sys.stderr, flush=True)
    return costs


def crawled(strategy: str, task: Task, via: str, out: Path, hands: int, pages: int) -> Cost:
    command = [
        *(sys.executable, "-c", PROGRAM, "crawl", *task.seeds[:3], "--topic", ", ".join(task.topic.keywords)),
        *("--strategy", strategy, "--pages", str(pages), "--slots", str(SLOTS), "--hands", str(hands)),
        *("--delay", "0", "--adapt", "0", "--via", via, "--out", str(out), "--json", "--quiet"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    if done.returncode != 0:
        raise SystemExit(f"the crawl ended with code {done.returncode}: {done.stderr[-2000:]}")
    landed = sum(1 for line in done.stdout.splitlines() if '"event": "landed"' in line)
    head, every, clock = json.loads(done.stderr.splitlines()[-1])
    return Cost(head, every, clock, landed)


def report(costs: dict[int, tuple[Cost, list[Cost]]], counts: list[int]) -> int:
    print("| hands | head, CPU ms/page | all, CPU ms/page | first pages: head, all, CPU s | pages/s |")
    print("|---:|---:|---:|---:|---:|")
    medians = {}
    for hands in counts:
        start, runs = costs[hands]
        head = statistics.median(1000 * (run.head - start.head) / (run.pages - start.pages) for run in runs)
        every = statistics.median(1000 * (run.all - start.all) / (run.pages - start.pages) for run in runs)
        rate = statistics.median(run.pages / run.clock for run in runs)
        medians[hands] = head, every
        print(f"| {hands} | {head:.2f} | {every:.2f} | {start.head:.2f}, {start.all:.2f} | {rate:.0f} |")
    if 0 not in medians:
        return 0
    alone = medians[0][1]
    for hands, (head, every) in medians.items():
        print(f"hands={hands} head={head / alone:.2f} all={every / alone:.2f}")
    head, every = medians[max(medians)]
    return 0 if head <= MOST_HEAD * alone and every <= MOST_ALL * alone else 1


if __name__ == "__main__":
    sys.exit(main())
