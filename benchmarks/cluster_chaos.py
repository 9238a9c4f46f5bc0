"""Does a cluster keep its promises while its workers are killed, stopped and revived at random?

    python benchmarks/cluster_chaos.py      # 5 workers for 3 minutes, and once the head is killed and started again
    python benchmarks/cluster_chaos.py --seconds 20 --workers 3 --hosts 20 --head-kills 0

A crawl on a Ray cluster of its own, by the command line, of all pages of a web on one loopback server. Every second or
two a worker (the actor, its hand, or both) gets SIGKILL, or SIGSTOP and seconds later SIGCONT. The server's own log
is the witness: the gap is counted from the end of an answer to the arrival of the next request of that host, robots.txt
included. A request is `early` if it comes before the delay is over, `double` if it comes before the answer has ended.
`lost` are pages that were served and are not in the run; `refetched` are pages that the server was asked for more than
once, which may be as many as requests can have been out at each kill or lost lease. All of the budget must be spent and
no more; a visit whose time was over while its worker was stopped is tried again, as ever, at the cost of a download, so
pages may be fewer by as many as were asked for again.
The last line has the figures; exit code 1 if any is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from politeness import CLOCK, Rows
from side_by_side import announced

from wolfspider.app.cluster import workers_of
from wolfspider.store.view import RunView
from wolfspider.web.server.serve import Manner, serve

LAG = 0.1  # seconds that a server on a busy machine may take to write down that an answer has ended
LATENCY = 0.05, 0.5  # seconds, by host
ACTS = ("kill worker", "kill hand", "stop worker", "stop hand", "stop both")
STOPPED = 0.5, 12.0  # seconds
PAUSE = 1.0, 2.5  # seconds between two acts
DEADLINE = 4.0


def main() -> int:
    parser = argparse.ArgumentParser(description="A cluster whose workers are killed and stopped.")
    parser.add_argument("--seconds", type=float, default=180.0, help="for which workers are killed and stopped")
    parser.add_argument("--workers", type=int, default=5)
    parser.add_argument("--hosts", type=int, default=60)
    parser.add_argument("--pages", type=int, default=0, help="of each host; by default as many as it takes")
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--slots", type=int, default=40)
    parser.add_argument("--head-kills", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.pages = given.pages or max(3, int(given.seconds / (given.delay + 1.0)))
    if given.serve:
        asyncio.run(serve_rows(given))
        return 0
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        log, run = Path(folder, "served.jsonl"), Path(folder, "run")
        program = [sys.executable, __file__, *sys.argv[1:], "--serve", str(log)]
        with announced(program) as via:
            nemesis = crawled(given, via, run)
        return judge(given, log, run, nemesis)


def latency(host: str) -> float:
    return random.Random(host).uniform(*LATENCY)


async def serve_rows(given: argparse.Namespace) -> None:
    async with serve(Rows(given.pages), manner=Manner(latency=latency), log=given.serve) as served:
        print(f"127.0.0.1:{served.port}", flush=True)
        await asyncio.Event().wait()


def crawled(given: argparse.Namespace, via: str, run: Path) -> Nemesis:
    """Crawl to the end; kill and stop meanwhile."""
    nemesis = Nemesis(run, random.Random(given.seed))
    heads = 0
    while True:
        with head(given, via, run) as process:
            dies = heads < given.head_kills
            until = given.seconds * (heads + 1) / (given.head_kills + 1)
            nemesis.rage(process, until)
            if dies and process.poll() is None:
                process.kill()
                heads += 1
                print(f"killed the head after {nemesis.raged:.0f} s", file=sys.stderr)
            process.wait(timeout=1200)
            nemesis.revive()
        if process.returncode >= 0:
            if process.returncode:
                raise SystemExit(f"the crawl ended with code {process.returncode}")
            return nemesis


@contextmanager
def head(given: argparse.Namespace, via: str, run: Path) -> Iterator[subprocess.Popen[bytes]]:
    settings: dict[str, Any] = {
        "topic": "words",
        "strategy": "breadth-first",
        "judge": "keywords",
        "pages": given.hosts * given.pages,
        "slots": given.slots,
        "delay": given.delay,
        "adapt": 0,
        "deadline": DEADLINE,
        "memory": 1024,
        "traps": "ignore",  # pages here are alike
        "max-wait": 600,
        "via": via,
        "cluster": "local",
        "hands": given.workers,
        "out": run,
    }
    options = [part for name, value in settings.items() for part in (f"--{name}", str(value))]
    starts = [f"http://h{number}.test/" for number in range(given.hosts)]
    command = [sys.executable, "-m", "wolfspider", "crawl", *starts, *options, "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


@dataclass
class Nemesis:
    run: Path
    rng: random.Random
    acts: Counter[str] = field(default_factory=Counter)
    raged: float = 0.0  # seconds
    most_lost: int = 0
    late: int = 0
    stopped: dict[str, tuple[float, list[int]]] = field(default_factory=dict)  # by worker: until when, processes

    def rage(self, head: subprocess.Popen[bytes], until: float) -> None:
        """For so many seconds in all in which there were workers."""
        due = 0.0
        last = time.monotonic()
        while head.poll() is None and self.raged < until:
            time.sleep(0.1)
            self.revive(time.monotonic())
            told = workers_of(self.run)
            now = time.monotonic()
            if told is None or not told["workers"]:
                last = now
                continue
            self.raged, last = self.raged + now - last, now
            self.most_lost, self.late = max(self.most_lost, told["lost"]), max(self.late, told["late"])
            if now >= due:
                due = now + self.rng.uniform(*PAUSE)
                self.act(told["workers"], now)
        self.revive()

    def act(self, workers: list[dict[str, Any]], now: float) -> None:
        standing = [one for one in workers if one["name"] not in self.stopped]
        if len(standing) < 2:
            return
        one, act = self.rng.choice(standing), self.rng.choice(ACTS)
        processes = {
            "worker": [one["pid"]],
            "hand": [one["hand_pid"]],
            "both": [one["pid"], one["hand_pid"]],
        }[act.split()[1]]
        kill = act.startswith("kill")
        try:
            for process in processes:
                os.kill(process, signal.SIGKILL if kill else signal.SIGSTOP)
        except ProcessLookupError:  # the note is some seconds old
            return
        self.acts[act] += 1
        if not kill:
            self.stopped[one["name"]] = now + self.rng.uniform(*STOPPED), processes

    def revive(self, now: float = float("inf")) -> None:
        for name, (until, processes) in list(self.stopped.items()):
            if until <= now:
                del self.stopped[name]
                for process in processes:
                    with suppress(ProcessLookupError):
                        os.kill(process, signal.SIGCONT)


def judge(given: argparse.Namespace, log: Path, run: Path, nemesis: Nemesis) -> int:
    visits: dict[str, list[tuple[float, float]]] = defaultdict(list)
    asked: Counter[str] = Counter()
    for line in log.read_text().splitlines():
        one = json.loads(line)
        visits[one["host"]].append((one["arrived"], one["ended"]))
        asked[one["host"] + one["path"]] += not one["path"].endswith("robots.txt")
    asked = +asked
    early = double = 0
    for times in visits.values():
        times.sort()
        for before, after in pairwise(times):
            double += after[0] < before[1] - CLOCK
            early += before[1] - CLOCK <= after[0] < before[1] + given.delay - LAG
    view = RunView(run)
    summary = view.summary()
    budget = given.hosts * given.pages
    lost = len(asked) - summary.pages
    refetched = asked.total() - len(asked)
    events = sum(nemesis.acts.values()) + given.head_kills
    seconds = max(ended for times in visits.values() for _, ended in times)
    seconds -= min(arrived for times in visits.values() for arrived, _ in times)
    print(
        f"workers={given.workers} raged={nemesis.raged:.0f}s {dict(nemesis.acts)} head_kills={given.head_kills} "
        f"workers_lost={nemesis.most_lost} late_answers={nemesis.late} pages={summary.pages} budget={budget} "
        f"downloads={summary.downloads} pages_per_second={summary.pages / seconds:.1f} "
        f"allowed_refetches={events * given.slots}"
    )
    print(f"lost={lost} refetched={refetched} early={early} double={double}")
    exact = summary.downloads == budget and budget - refetched <= summary.pages <= budget
    return 0 if not (lost or early or double) and refetched <= events * given.slots and exact else 1


if __name__ == "__main__":
    sys.exit(main())
