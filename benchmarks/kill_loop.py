"""Is a page ever lost? A crawl is killed again and again, and gone on with by the same command until it is done.

    python benchmarks/kill_loop.py --kills 100

The crawl learns (opic, and the classifier as judge) on a computed web served on loopback. Half of the kills come at
random moments, half at the named fail-points of the store and the driver, one after another. In the end the server's
own log, what the crawl told on the way, the store and the archive must agree:

    lost       pages that were told of, or that the server delivered, and that the export does not have (and that the
               store does not name a failure): none
    refetched  requests beyond the budget: at most slots x tries x kills
    spent      the budget, exactly
    learned    what strategy and judge know equals what comes out when the whole log is played again from the beginning
    archive    another WARC reader finds every page in it, and no damage

The last line has the figures. Exit code 1 if any is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastwarc.warc import ArchiveIterator, WarcRecordType

from wolfspider import codec
from wolfspider.hunt import Hunt, settings_of
from wolfspider.store.archive import check
from wolfspider.store.failpoints import NAMES, VARIABLE
from wolfspider.store.sqlite import open_run
from wolfspider.web.synthetic import Synthetic

SLOTS, TRIES = 8, 2
LATENCY = 0.05
PAGES_PER_KILL = 12
LONGEST = 1.2  # seconds from the start of a crawl to a kill at a random moment


@dataclass
class Trial:
    kills: int
    folder: Path
    web: str
    pages: int
    killed: int = 0
    torn: int = 0
    reached: Counter[str] = field(default_factory=Counter)  # fail-points that did kill

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def told(self) -> Path:
        return self.folder / "told.jsonl"

    @property
    def log(self) -> Path:
        return self.folder / "served.jsonl"


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill a crawl again and again; nothing may be lost.")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder that is left behind")
    given = parser.parse_args()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="kill-loop-"))
    folder.mkdir(parents=True, exist_ok=True)
    pages = max(100, given.kills * PAGES_PER_KILL)
    trial = Trial(given.kills, folder, f"synthetic:pages={20 * pages},seed=5", pages)
    try:
        return attempt(trial, random.Random(given.seed))
    finally:
        if given.keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def attempt(trial: Trial, rng: random.Random) -> int:
    with served(trial) as via:
        command = crawl_command(trial, via)
        for number in range(trial.kills):
            kill_once(trial, command, rng, number)
            print(f"\rkill {number + 1} of {trial.kills}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        finish(trial, command)
    return judge(trial)


@contextmanager
def served(trial: Trial) -> Iterator[str]:
    program = [sys.executable, "-m", "wolfspider", "web", "serve", trial.web]
    options = ["--latency", str(LATENCY), "--log", str(trial.log)]
    server = subprocess.Popen([*program, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().split()[-1]
    finally:
        server.terminate()
        server.wait()


def crawl_command(trial: Trial, via: str) -> list[str]:
    task = next(iter(Synthetic.parse(trial.web).tasks().values()))
    return [
        *(sys.executable, "-m", "wolfspider", "crawl", *task.seeds[:3], "--topic", ", ".join(task.topic.keywords)),
        *("--strategy", "opic", "--judge", "classifier", "--pages", str(trial.pages), "--slots", str(SLOTS)),
        *("--tries", str(TRIES), "--delay", "0", "--adapt", "0", "--via", via, "--snapshots", "5"),
        *("--out", str(trial.run), "--json", "--quiet"),
    ]


def start(trial: Trial, command: list[str], failpoint: str = "") -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WOLFSPIDER_")}
    if failpoint:
        environment[VARIABLE] = failpoint
    with trial.told.open("ab") as out, (trial.folder / "errors").open("ab") as errors:
        return subprocess.Popen(command, stdout=out, stderr=errors, env=environment)


def kill_once(trial: Trial, command: list[str], rng: random.Random, number: int) -> None:
    """At a fail-point every other time; one that is not reached within a while is left for a random moment."""
    failpoint = f"{NAMES[number // 2 % len(NAMES)]}:{rng.choice((1, 1, 2, 5))}" if number % 2 else ""
    crawl = start(trial, command, failpoint)
    began = time.monotonic()
    if failpoint:
        wait(crawl, 3 * LONGEST)
    else:
        wait(crawl, startup() + rng.uniform(0, LONGEST))
    fell = crawl.poll() is not None
    if not fell:
        crawl.send_signal(signal.SIGKILL)
    code = crawl.wait()
    if code == 0:
        print(f"\nthe crawl was done after {time.monotonic() - began:.1f} s, before kill {number + 1}", file=sys.stderr)
        return
    if code != -signal.SIGKILL:
        raise SystemExit(f"the crawl ended with code {code}: {(trial.folder / 'errors').read_text()[-2000:]}")
    trial.killed += 1
    if fell:
        trial.reached[failpoint.partition(":")[0]] += 1
    trial.torn += bool((trial.run / "warc").is_dir() and check(trial.run / "warc").damage)


def startup() -> float:
    """So that a kill at a random moment comes before, while and after the run is recalled."""
    return 0.6


def wait(crawl: subprocess.Popen[bytes], seconds: float) -> None:
    with suppress(subprocess.TimeoutExpired):
        crawl.wait(seconds)


def finish(trial: Trial, command: list[str]) -> None:
    crawl = start(trial, command)
    if crawl.wait(600) != 0:
        raise SystemExit(f"the crawl could not be finished: {(trial.folder / 'errors').read_text()[-2000:]}")


# What must agree in the end


def judge(trial: Trial) -> int:
    exported = exported_pages(trial)
    delivered, requests = served_pages(trial)
    told = told_pages(trial)
    delivered -= named_failures(trial)
    lost = len((delivered | told) - exported)
    invented = len(exported - delivered)
    spent = spent_by(trial)
    refetched = requests - spent
    damage = [*check(trial.run / "warc").damage, *missing_in_archive(trial, exported)]
    same = learned_is_what_a_replay_gives(trial)
    print(f"pages exported {len(exported)}, delivered {len(delivered)}, told of {len(told)}, invented {invented}")
    print(f"downloads {spent} of a budget of {trial.pages}, requests {requests}, bound {SLOTS * TRIES * trial.killed}")
    print(f"fail-points that killed: {len([name for name in trial.reached if name])} of {len(NAMES)}")
    print(
        f"learned state equals a replay of the whole log: {'yes' if same else 'NO'}; archive: {damage[:3] or 'valid'}"
    )
    good = lost == 0 and invented == 0 and spent == trial.pages and same and not damage
    good = good and 0 <= refetched <= SLOTS * TRIES * trial.killed
    print(f"kills={trial.killed} lost={lost} refetched={refetched} torn={trial.torn}")
    return 0 if good else 1


def exported_pages(trial: Trial) -> set[str]:
    program = [sys.executable, "-m", "wolfspider", "export", str(trial.run), "--format", "jsonl", "--quiet"]
    done = subprocess.run(program, capture_output=True, check=True)
    return {bare(json.loads(line)["final_url"]) for line in done.stdout.splitlines()}


def bare(url: str) -> str:
    return url.partition("://")[2]


def served_pages(trial: Trial) -> tuple[set[str], int]:
    """Pages that were delivered whole, and how many requests for pages there were."""
    asked = [json.loads(line) for line in trial.log.read_text().splitlines()]
    pages = [one for one in asked if not one["path"].endswith("/robots.txt")]
    return {one["host"] + one["path"] for one in pages if one["status"] == 200 and one["whole"]}, len(pages)


def told_pages(trial: Trial) -> set[str]:
    """Pages that people were told of, in all the lives of the crawl; its last words may be cut."""
    found = set()
    for line in trial.told.read_bytes().splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event.get("event") == "landed" and "final_url" in event:
            found.add(bare(event["final_url"]))
    return found


def named_failures(trial: Trial) -> set[str]:
    """What was delivered and is no page, such as a broken PDF: the store has its failure, by name."""
    with sqlite3.connect(f"file:{trial.run}/run.db?mode=ro", uri=True) as database:
        rows = database.execute("SELECT url FROM landings WHERE failure IS NOT NULL").fetchall()
    return {bare(url) for (url,) in rows}


def spent_by(trial: Trial) -> int:
    with sqlite3.connect(f"file:{trial.run}/run.db?mode=ro", uri=True) as database:
        (spent,) = database.execute("SELECT SUM(cost) FROM landings").fetchone()
    return int(spent)


def missing_in_archive(trial: Trial, exported: set[str]) -> list[str]:
    """Pages that another reader does not find in the archive, or finds damaged."""
    there = set()
    for path in sorted((trial.run / "warc").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, record_types=WarcRecordType.response):
                if record.verify_payload_digest(consume=True):
                    there.add(bare(record.headers["WARC-Target-URI"]))
    return [f"{url} is not in the archive" for url in sorted(exported - there)[:3]]


def learned_is_what_a_replay_gives(trial: Trial) -> bool:
    """The state of the last snapshot, and that which comes out of the log alone."""
    copy = trial.folder / "replayed"
    shutil.copytree(trial.run, copy)
    (stored,) = states(trial.run)
    with sqlite3.connect(copy / "run.db") as database:
        database.execute("DELETE FROM snapshots")
    shutil.rmtree(copy / "snapshots")
    (copy / "snapshots").mkdir()
    (replayed,) = states(copy)
    return stored == replayed


def states(folder: Path) -> Iterator[dict[str, Any]]:
    """What strategy and judge know after the run was recalled."""
    hunt = Hunt(settings_of(folder), folder)
    store = open_run(folder)
    try:
        recalled = hunt.recalled(store)
        assert recalled is not None
        crawl, _ = recalled
        yield {
            "strategy": codec.store(crawl.strategy.state()),
            "judge": codec.store(crawl.judge.state()),
            "spent": crawl.spent,
        }
    finally:
        store.close()


if __name__ == "__main__":
    sys.exit(main())
