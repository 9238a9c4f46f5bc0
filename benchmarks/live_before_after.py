"""What do two versions of wolfspider find with their default settings, over real HTTP, side by side?

    python benchmarks/live_before_after.py DIR/docs --before OLD/bin/python --after NEW/bin/python

A web (a folder of WARC with its topics.json, or synthetic:...) is served on loopback. Each version runs `wolfspider
crawl` on each topic of the half to report on, with the same seeds, keywords, description and budget, on the hosts of
that web, and otherwise as a user has it: its own default strategy, judge, slots, delay and waiting. It takes real
time: with 500 downloads and a rest of a second at a host, up to ten minutes for each crawl; several run at the same
time. Relevant pages are counted by the labels of the topic, as the crawl reports them (`--json`).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from wolfspider.bench.draw.report import text_table
from wolfspider.bench.measure.metrics import key
from wolfspider.bench.run.topics import HALVES, tasks_of
from wolfspider.core.model import host_of
from wolfspider.core.topic import Task
from wolfspider.web.worlds.world import open_web

DRAIN = 60.0  # seconds that a crawl which is out of time has to end


class Found(NamedTuple):
    relevant: int
    downloads: int
    minutes: float
    over: bool  # did it end by itself, within the time?

    @property
    def text(self) -> list[str]:
        return [str(self.relevant), str(self.downloads), f"{self.minutes:.1f}{'' if self.over else ' (cut)'}"]


@contextmanager
def served(web: str, latency: float) -> Iterator[str]:
    """HOST:PORT where the web is, as long as the block lasts."""
    words = [sys.executable, "-m", "wolfspider", "web", "serve", web, "--latency", str(latency)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            ready = re.search(r"--via (\S+)", server.stdout.readline())
            if ready is None:
                raise SystemExit(f"{web} could not be served.")
            yield ready[1]
        finally:
            server.send_signal(signal.SIGINT)


def command(python: str, task: Task, via: str, pages: int, hosts: Sequence[str], run: Path) -> list[str]:
    topic = task.topic
    scope = [word for host in hosts for word in ("--include", host)]
    about = ["--topic", ", ".join(topic.keywords), "--description", topic.description]
    rest = ["--pages", str(pages), "--via", via, "--out", str(run), "--json", "--quiet"]
    return [python, "-m", "wolfspider", "crawl", *task.seeds, *about, *scope, *rest]


def crawled(words: Sequence[str], relevant: frozenset[str], folder: Path, seconds: float) -> Found:
    """Run a crawl, for so many seconds at most, and count what it reports."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WOLFSPIDER_")}
    folder.mkdir()
    log = folder / "events.jsonl"
    with (
        log.open("wb") as out,
        (folder / "errors.txt").open("wb") as errors,
        subprocess.Popen(words, stdout=out, stderr=errors, env=environment) as process,
    ):
        try:
            process.wait(seconds)
            over = True
        except subprocess.TimeoutExpired:
            over = False
            process.send_signal(signal.SIGINT)
            process.wait(DRAIN)
    if not log.stat().st_size:
        raise SystemExit((folder / "errors.txt").read_text() or f"{words[0]} told nothing.")
    return counted(log, relevant, over)


def counted(log: Path, relevant: frozenset[str], over: bool) -> Found:
    found: set[str] = set()
    downloads, times = 0, list[float]()
    for line in log.read_text().splitlines():
        event = json.loads(line)
        if event["event"] in ("began", "landed", "ended"):
            times.append(event["at"])
        if event["event"] == "landed":
            downloads = max(downloads, event["downloads"])
            if event["how"] == "out" and key(event.get("final_url", "")) in relevant:
                found.add(key(event["final_url"]))
    return Found(len(found), downloads, (max(times) - min(times)) / 60, over)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", help="a folder of WARC with a topics.json, or synthetic:KEY=VALUE,...")
    parser.add_argument("--before", metavar="PYTHON", help="of the version to compare with [default: none]")
    parser.add_argument("--after", default=sys.executable, metavar="PYTHON", help="[default: this one]")
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--half", choices=HALVES, default="report")
    parser.add_argument("--topics", type=int, default=None, metavar="N", help="only the first ones of the half")
    parser.add_argument("--latency", type=float, default=0.3, metavar="S", help="of every answer, as in a simulation")
    parser.add_argument("--seconds", type=float, default=1200.0, help="that a crawl may take")
    parser.add_argument("--jobs", type=int, default=10, help="crawls at the same time")
    options = parser.parse_args()
    world = open_web(options.web)
    tasks = dict(islice(tasks_of(world, None, (), world.start, half=options.half).items(), options.topics))
    hosts = sorted({host_of(url) for url in world.sample(100_000)})
    given = {"before": options.before, "after": options.after}
    sides = {side: python for side, python in given.items() if python}
    with (
        tempfile.TemporaryDirectory() as work,
        served(options.web, options.latency) as via,
        ThreadPoolExecutor(options.jobs) as pool,
    ):
        crawls = {
            (topic, side): pool.submit(
                crawled,
                command(python, task, via, options.pages, hosts, Path(work, f"{number}-{side}", "run")),
                frozenset(map(key, task.relevant)),
                Path(work, f"{number}-{side}"),
                options.seconds,
            )
            for number, (topic, task) in enumerate(tasks.items())
            for side, python in sides.items()
        }
        results = {what: crawl.result() for what, crawl in crawls.items()}
    heads = [f"{side}: {what}" for side in sides for what in ("relevant", "downloads", "min")]
    body = [[topic, *(text for side in sides for text in results[topic, side].text)] for topic in tasks]
    print(text_table(["topic", *heads], body))
    sums = {side: sum(results[topic, side].relevant for topic in tasks) for side in sides}
    counts = " ".join(f"relevant_{side}={count}" for side, count in sums.items())
    print(f"\n{counts} topics={len(tasks)} pages={options.pages}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
