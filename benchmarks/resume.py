"""How long does a resume take after a crash at the worst moment, and what do the snapshots cost that keep it short?

    python benchmarks/resume.py [--pages 5000 --pages 20000 --pages 100000] [--strategy shark]
    python benchmarks/resume.py --pages 5000 --more-links 200

A live crawl with its store (archive, journal, shelf, snapshots) on a synthetic web. The web answers in the same
process, since the network is no part of a replay; what it takes to make its pages is left out of the time of the crawl.
When the crawl has its pages and the next snapshot is due, the process is killed just before it is taken. Another
process then opens the run and replays it. `--more-links` adds so many links to every page, each to any page of a web of
millions: the frontier is full after a few thousand pages, as it is on the real web.

Seconds are those of the processor, so that they are the same on a busy machine; a resume counts from the start of its
process, imports included. Real seconds stand beside them in brackets. A snapshot is copied by the thread of the crawl,
which stands still meanwhile: that is what it takes. Another thread compresses it and writes it to the disk. The last
line has the worst of all crawls. Exit code 1 if a resume takes more than 10 s, or snapshots more than 5 % of the time
of a crawl.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from wolfspider.app import assemble, run_folder
from wolfspider.app.hunt import Hunt
from wolfspider.app.settings import Settings
from wolfspider.bench.run.topics import tasks_of
from wolfspider.core.limits import AT_ONCE
from wolfspider.core.model import Fetch, Link
from wolfspider.core.params import DEFAULT_STRATEGY
from wolfspider.drivers.driver import Clock
from wolfspider.drivers.hands.here import HandsHere
from wolfspider.drivers.live import LiveDriver
from wolfspider.drivers.snapshot_timing import SHARE
from wolfspider.engine.crawl import Crawl
from wolfspider.policy.frontier import Frontier
from wolfspider.policy.trap_rules import TrapRules
from wolfspider.store.base import Store
from wolfspider.store.sqlite import create, open_run
from wolfspider.web.http.live_web import Live
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.world import Request

PAGES = (5_000, 20_000, 100_000)
LONGEST = 10.0  # seconds of a resume
SLOTS = 32
WEB_PER_PAGE = 20  # pages of the web for each page of the crawl
MILLIONS = 8_000_000
NEVER = 1e9  # seconds after which a snapshot is due: on a busy machine few pages come in a minute
PARAMS = {"lafc": {"control": "0.0"}}  # expands every page, or its crawl would soon be over
TOLD = "told.json"  # beside the run: what the crawl tells just before it dies


class Trial(NamedTuple):
    """A crawl and its resume, each in a process of its own."""

    folder: Path
    strategy: str
    pages: int
    more_links: int

    @property
    def run(self) -> Path:
        return self.folder / "run"


def main() -> int:
    parser = argparse.ArgumentParser(description="Resume after a crash at the worst moment.")
    parser.add_argument("--pages", type=int, action="append", help="pages of a crawl; may be given several times")
    parser.add_argument("--strategy", action="append", help="may be given several times")
    parser.add_argument("--more-links", type=int, default=0, help="links added to every page")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="where the runs lie meanwhile")
    parser.add_argument("--part", choices=("crawl", "resume"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    pages, strategies = given.pages or PAGES, given.strategy or [DEFAULT_STRATEGY]
    if given.part:
        trial = Trial(given.folder, strategies[0], pages[0], given.more_links)
        if given.part == "resume":
            resume(trial)
        else:
            asyncio.run(crawl(trial))
        return 0
    worst = {"resume": 0.0, "share": 0.0}
    for strategy in strategies:
        for size in pages:
            for name, value in measured(given, strategy, size).items():
                worst[name] = max(worst[name], value)
    print(f"resume_seconds={worst['resume']:.1f} snapshot_share={worst['share']:.3f}")
    return 0 if worst["resume"] <= LONGEST and worst["share"] <= SHARE else 1


def measured(given: argparse.Namespace, strategy: str, size: int) -> dict[str, float]:
    """One crawl, killed and resumed: seconds of the resume, and the share of its snapshots."""
    folder = Path(tempfile.mkdtemp(prefix="resume-", dir=given.folder))
    options = ["--folder", str(folder), "--strategy", strategy, "--pages", str(size)]
    program = [sys.executable, __file__, *options, "--more-links", str(given.more_links), "--part"]
    try:
        died = subprocess.run([*program, "crawl"], check=False).returncode
        if died != -signal.SIGKILL:
            raise SystemExit(f"{strategy} was not killed after {size:,} pages")
        told = json.loads((folder / TOLD).read_text())
        again = json.loads(subprocess.run([*program, "resume"], check=True, capture_output=True).stdout)
    finally:
        shutil.rmtree(folder)
    share = told["snapshots"]["cpu"] / told["crawl"]["cpu"]
    print(
        f"{strategy}: {told['pages']:,} pages, {told['links']:,} links in the frontier; {told['count']} snapshots of "
        f"{told['largest'] / 1e6:.1f} MB at most took {both(told['snapshots'])} of {both(told['crawl'])}, "
        f"{share:.1%}, the last {both(told['last'])}, and {told['beside']:.2f} s in another thread; "
        f"{again['landings']:,} landings since then, resumed within "
        f"{both(again)}, {again['replay']:.1f} s of that for the replay",
        flush=True,
    )
    return {"resume": again["cpu"], "share": share}


def both(seconds: dict[str, float]) -> str:
    return f"{seconds['cpu']:.2f} s ({seconds['real']:.2f})"


async def crawl(trial: Trial) -> NoReturn:
    """Until it dies."""
    size = MILLIONS if trial.more_links else max(1000, WEB_PER_PAGE * trial.pages)
    world = Synthetic.parse(f"synthetic:pages={size},seed=5")
    task = next(iter(tasks_of(world, None, [], world.start).values()))
    settings = Settings(
        task.seeds[:3],
        topic=", ".join(task.topic.keywords),
        strategy=trial.strategy,
        set=PARAMS.get(trial.strategy, {}),
        pages=10 * trial.pages,  # more than are made: the crawl dies when the next snapshot is due
        slots=SLOTS,
        delay=0.0,
        hurry=AT_ONCE,
        contact="nobody@example.org",
    )
    about = {"settings": settings.to_json(), "traps": TrapRules.EDITION}
    store = create(trial.run, about, info={"software": "benchmark"})
    crawl, clock = assemble.crawl_of(settings, store, trial.run, _no_web, None), Clock.after(world.start)
    driver = Mortal(crawl, Rendered(world, clock, trial.more_links), store, clock, trial)
    crawl.begin([Link(url) for url in settings.urls], clock())
    raise SystemExit(f"the crawl ended before its time: {await driver.run()}")


def resume(trial: Trial) -> None:
    hunt = Hunt(run_folder.settings_of(trial.run), trial.run)
    store = open_run(trial.run)
    (before,) = store.turn.one("SELECT IFNULL(MAX(seq), 0) FROM snapshots")
    (landings,) = store.turn.one("SELECT COUNT(*) FROM log WHERE kind = 'land' AND seq > ?", before)
    began = time.process_time()
    recalled = hunt.recalled(store)
    seconds, real = time.process_time(), time.time() - started()
    assert recalled is not None
    store.close()
    print(json.dumps({"cpu": seconds, "real": real, "replay": seconds - began, "landings": landings}))


def _no_web() -> Live:
    raise AssertionError("nothing is asked of services here")


def started() -> float:
    """When this process was."""
    ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    booted = next(line for line in Path("/proc/stat").read_text().splitlines() if line.startswith("btime"))
    return int(booted.split()[1]) + ticks / os.sysconf("SC_CLK_TCK")


class Rendered:
    """A synthetic web that is asked in this process, and knows how long it took to make its pages."""

    def __init__(self, world: Synthetic, clock: Clock, more_links: int) -> None:
        self.world, self.clock, self.more_links = world, clock, more_links
        self.rng = random.Random(1)
        self.cpu = self.real = 0.0

    async def fetch(self, request: Request) -> Fetch:
        cpu, real = time.process_time(), time.perf_counter()
        fetch = self.world.look(request.url, self.clock())
        if self.more_links and fetch.body:
            pages = (self.rng.randrange(self.world.params.pages) for _ in range(self.more_links))
            links = "".join(f'<a href="{self.world.addresses.url(page)}">page {page}</a>\n' for page in pages)
            fetch = replace(fetch, body=fetch.body.replace(b"</body>", links.encode() + b"</body>"))
        self.cpu, self.real = self.cpu + time.process_time() - cpu, self.real + time.perf_counter() - real
        await asyncio.sleep(0)
        return fetch


class Timed:
    """A store that knows what its snapshots took: the thread of the crawl, which copies them, and the other one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.copied: list[dict[str, float]] = []
        self.beside = 0.0  # seconds of the processor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def stage(self, state: Any) -> Any:
        cpu, real = time.thread_time(), time.perf_counter()
        staged = self._store.stage(state)
        self.copied.append({"cpu": time.thread_time() - cpu, "real": time.perf_counter() - real})
        return staged

    def save(self, staged: Any) -> None:
        cpu = time.thread_time()
        self._store.save(staged)
        self.beside += time.thread_time() - cpu

    def adopt(self, staged: Any) -> None:
        cpu, real = time.thread_time(), time.perf_counter()
        self._store.adopt(staged)
        self.copied[-1]["cpu"] += time.thread_time() - cpu
        self.copied[-1]["real"] += time.perf_counter() - real


class Mortal(LiveDriver):
    """Dies instead of taking the snapshot that is due once it has its pages."""

    def __init__(self, crawl: Crawl, web: Rendered, store: Store, clock: Clock, trial: Trial) -> None:
        self.timed = Timed(store)
        super().__init__(crawl, HandsHere(web), self.timed, clock=clock, snapshots=NEVER)
        self.rendered, self.trial = web, trial
        self.began = time.process_time(), time.perf_counter()
        self.states = 0.0  # seconds of the processor, to gather the state

    def _state(self) -> dict[str, Any]:
        if self.crawl.spent >= self.trial.pages and self.timed.copied:
            self._die()
        cpu = time.thread_time()
        state = super()._state()
        self.states += time.thread_time() - cpu
        return state

    def _die(self) -> NoReturn:
        copied = self.timed.copied
        told: dict[str, Any] = {
            "pages": self.crawl.spent,
            "links": sum(len(part) for part in vars(self.crawl.strategy).values() if isinstance(part, Frontier)),
            "count": len(copied),
            "largest": max(path.stat().st_size for path in (self.trial.run / "snapshots").glob("*.snapshot")),
            "last": copied[-1],
            "snapshots": {
                "cpu": sum(each["cpu"] for each in copied) + self.states,
                "real": sum(each["real"] for each in copied) + self.states,
            },
            "beside": self.timed.beside,
            "crawl": {
                "cpu": time.process_time() - self.began[0] - self.rendered.cpu,
                "real": time.perf_counter() - self.began[1] - self.rendered.real,
            },
        }
        (self.trial.folder / TOLD).write_text(json.dumps(told))
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


if __name__ == "__main__":
    sys.exit(main())
