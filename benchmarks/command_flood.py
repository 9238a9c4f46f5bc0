"""How much does a flood of commands slow a crawl?

    python benchmarks/command_flood.py [--pages 1500] [--rounds 3] [--senders 2]

The same crawl of a synthetic web, served on loopback, again and again: quiet, and in each of these floods, which begins
with the first page and goes on until the crawl is over.

    steer    so many processes that say `wolfspider steer RUN limit delay=0`, one command after another
    big      a program that writes commands into inbox.db itself, 2,000 in each transaction, without a pause
    held     a program that begins a transaction in inbox.db and never ends it
    run.db   one that writes into the database of the run, where nobody has any business, as `big` does

A flood takes processors too, and on a small machine those are a part of what the crawl loses. So each flood also runs
once against a run that nobody crawls, beside the same crawl: `elsewhere`. Seconds are real ones, from the first page
that was reported until nine tenths were: at the end a crawl waits for servers that never answer. Of several rounds the
median counts. The last line has for each flood how many times as
long the crawl took as a quiet one; exit code 1 if that is more than two for steer, big or held, or a crawl did not come
to its end.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from side_by_side import announced

from wolfspider.bench.run.topics import tasks_of
from wolfspider.core import codec
from wolfspider.core.errors import Busy
from wolfspider.core.events import SetLimit
from wolfspider.store.inbox import append_command
from wolfspider.store.view import RunView
from wolfspider.web.worlds.synthetic import Synthetic

WEB = "synthetic:pages=20000,seed=9"
TWICE = 2.0
AT_ONCE = 2_000  # commands of a transaction
MOST = 2_000_000  # commands of one flood
MEASURED = 9  # tenths of the pages
SAID = SetLimit("delay", 0.0)
FLOODS = ("steer", "big", "held", "run.db")
PROMISED = ("steer", "big", "held")
INSERT = "INSERT INTO commands (at, who, data) VALUES (0, 'flood', ?)"


# The floods, each in processes of its own


def steer(run: Path) -> None:
    program = [sys.executable, "-m", "wolfspider", "steer", str(run), "limit", "delay=0", "--wait", "0"]
    while True:
        subprocess.run(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def write(database: Path) -> None:
    row = (codec.store(SAID)[0],)
    with closing(sqlite3.connect(database, timeout=60, isolation_level=None)) as connection:
        for _ in range(MOST // AT_ONCE):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(INSERT, (row for _ in range(AT_ONCE)))
            connection.execute("COMMIT")


def hold(database: Path) -> None:
    with closing(sqlite3.connect(database, timeout=60, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute(INSERT, (codec.store(SAID)[0],))
        signal.pause()


def flood(kind: str, run: Path) -> None:
    if kind == "steer":
        steer(run)
    elif kind == "held":
        hold(run / "inbox.db")
    else:
        write(run / ("run.db" if kind == "run.db" else "inbox.db"))


@contextmanager
def flooded(kind: str, run: Path, senders: int) -> Iterator[None]:
    program = [sys.executable, __file__, "--flood", kind, "--run", str(run)]
    if kind:
        with suppress(Busy):  # of an earlier flood
            append_command(run, SAID, "flood")
    count = senders if kind == "steer" else bool(kind)
    processes = [subprocess.Popen(program, start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


# The crawl


class Crawls:
    def __init__(self, via: str, folder: Path, pages: int, senders: int) -> None:
        world = Synthetic.parse(WEB)
        task = next(iter(tasks_of(world, None, [], world.start).values()))
        self.folder, self.pages, self.senders = folder, pages, senders
        named = {"topic": ", ".join(task.topic.keywords), "slots": 8, "delay": 0, "adapt": 0, "tries": 1}
        named |= {"backoff": 0.1, "max-wait": 1, "deadline": 2, "via": via}
        self.options = [*task.seeds[:3], *(str(word) for name, value in named.items() for word in (f"--{name}", value))]
        self.number = 0
        subprocess.run(self._begun(2), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.other = self.run  # nobody crawls it

    def _begun(self, pages: int) -> list[str]:
        self.number += 1
        self.run = self.folder / f"run{self.number}"
        words = ["crawl", *self.options, "--pages", str(pages), "--out", str(self.run), "--json"]
        return [sys.executable, "-m", "wolfspider", *words]

    def seconds(self, kind: str = "", elsewhere: bool = False) -> float:
        """Until nine tenths of the pages were reported; the flood begins with the first."""
        command = self._begun(self.pages)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None and process.stderr is not None
            landed = (time.monotonic() for line in process.stdout if '"landed"' in line)
            began = next(landed)
            with flooded(kind, self.other if elsewhere else self.run, self.senders):
                took = [at - began for at in landed][: MEASURED * self.pages // 10][-1]
            said = process.stderr.read()
        if process.returncode != 0:
            raise SystemExit(f"the crawl ended with code {process.returncode}: {said[-500:]}")
        print(f"  {kind or 'quiet'}{' elsewhere' * elsewhere}: {took:.2f} s{self._obeyed(kind)}", flush=True)
        shutil.rmtree(self.run)
        return took

    def _obeyed(self, kind: str) -> str:
        answers = RunView(self.run).rows("SELECT kind, COUNT(*) FROM events WHERE command IS NOT NULL GROUP BY kind")
        return "".join(f", {count:,} {answer.lower()}" for answer, count in answers) if kind else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=1_500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--senders", type=int, default=2)
    parser.add_argument("--only", choices=FLOODS, action="append", help="may be given several times")
    parser.add_argument("--flood", choices=FLOODS, help=argparse.SUPPRESS)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.flood:
        flood(given.flood, given.run)
        return 0
    kinds, folder = given.only or FLOODS, Path(tempfile.mkdtemp(prefix="flood-"))
    took: dict[str, list[float]] = {}
    robots = folder / "robots.txt"
    robots.write_text("User-agent: *\nAllow: /\n")  # those of the web ask for rests
    try:
        with announced([sys.executable, "-m", "wolfspider", "web", "serve", WEB, "--robots", str(robots)]) as via:
            crawls = Crawls(via, folder, given.pages, given.senders)
            for number in range(given.rounds):
                print(f"round {number + 1}")
                took.setdefault("quiet", []).append(crawls.seconds())
                for kind in kinds:
                    took.setdefault(kind, []).append(crawls.seconds(kind))
                    took.setdefault(f"{kind} elsewhere", []).append(crawls.seconds(kind, elsewhere=True))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    medians = {name: statistics.median(times) for name, times in took.items()}
    ratios = {name: seconds / medians["quiet"] for name, seconds in medians.items() if name != "quiet"}
    print("elsewhere:", " ".join(f"{kind}={ratios[f'{kind} elsewhere']:.2f}" for kind in kinds))
    print(f"quiet_seconds={medians['quiet']:.2f}", " ".join(f"{kind}={ratios[kind]:.2f}" for kind in kinds))
    return 0 if all(ratios[kind] <= TWICE for kind in kinds if kind in PROMISED) else 1


if __name__ == "__main__":
    raise SystemExit(main())
