"""A rehearsal of `wolfspider watch`: a news site on loopback whose time runs faster, and a watch that is killed.

    python benchmarks/watch_rehearsal.py                            one day at 1,440 times the speed: a minute
    python benchmarks/watch_rehearsal.py --days 3 --speed 60        three days at 60 times the speed: 72 minutes
    python benchmarks/watch_rehearsal.py --days 7 --articles 60     a week: does memory stay, how does the log grow?

The watch runs as a user runs it, in a process of its own, and is killed (SIGKILL) and started again `--kills` times, at
equal distances. In the end every article that the site published meanwhile is accounted for. It was told (and how
late), or it was missed, and why: the watch had it and did not tell; its link was read on a page and not followed; no
page that was read had its link; or it was published in the last two hours, when there was hardly time. Nothing may be
told twice, or be left unaccounted for: exit code 1 if anything is.

Memory is what the process has resident (VmRSS), by the hours of the served web; the log grows in run.db, and the copies
of pages in warc/. Both are measured from the second quarter of the time on: before, the watch gets to know the site.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean, median
from typing import IO, Any, NamedTuple

import numpy as np

from wolfspider.bench.draw.report import text_table
from wolfspider.store.view import RunView
from wolfspider.watch.book import opened
from wolfspider.watch.outputs import FEED, TAIL
from wolfspider.web.worlds.synthetic import Synthetic

DAY, HOUR = 86_400.0, 3600.0
LATE = 2 * HOUR  # before the end
START = 30.0  # seconds in which the server must be there
END = 120.0  # and in which the watch must have ended
EVERY = 0.5  # seconds between two looks at memory and files
PROGRAM = [sys.executable, "-m", "wolfspider"]
FOUND, KEPT, NOT_FOLLOWED, NOT_SEEN, TOO_LATE = (
    "told",
    "missed: the watch had it and did not tell",
    "missed: its link was read, and not followed",
    "missed: no page that was read had its link",
    "missed: published in the last two hours",
)


class Sample(NamedTuple):
    at: float  # in the served web
    memory: int  # bytes
    log: int  # bytes of run.db
    copies: int  # bytes of warc/
    book: int  # bytes of watch.db and news.jsonl


class Site(NamedTuple):
    port: int
    world: Synthetic
    began: float  # in its time
    since: float  # by our clock
    speed: float

    def now(self) -> float:
        return self.began + (time.monotonic() - self.since) * self.speed


@contextmanager
def served(spec: str, speed: float) -> Iterator[Site]:
    words = [*PROGRAM, "web", "serve", spec, "--speed", f"{speed:g}"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        said = server.stdout.readline()
        found = re.match(r"serving (\S+) at http://127\.0\.0\.1:(\d+)", said)
        if found is None:
            raise SystemExit(f"The server does not start: {said}")
        yield Site(int(found[2]), Synthetic.parse(found[1]), time.time(), time.monotonic(), speed)
    finally:
        server.terminate()
        server.wait(START)


class Watched:
    """The watch as a process, as often as it is started."""

    def __init__(self, site: Site, folder: Path, options: list[str]) -> None:
        assert site.world.news is not None
        self._words = [*PROGRAM, "watch", site.world.news.site, "--via", f"127.0.0.1:{site.port}", "--out", str(folder)]
        self._words += options
        self._folder = folder
        self._said: IO[str] = (folder.parent / "watch.log").open("a", encoding="utf-8")
        self.process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(self._words, stdout=self._said, stderr=self._said, text=True)

    def kill_and_start(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process = self._start()

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(END)
        finally:
            self.process.kill()
            self._said.close()

    def sample(self, now: float) -> Sample | None:
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
            resident = re.search(r"VmRSS:\s+(\d+)", status)
            sizes = [_size(self._folder / name) for name in ("run.db", "warc", "watch.db", TAIL)]
        except OSError:
            return None
        memory = int(resident[1]) << 10 if resident else 0
        return Sample(now, memory, sizes[0], sizes[1], sizes[2] + sizes[3])


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(each.stat().st_size for each in path.iterdir())
    return path.stat().st_size if path.exists() else 0


def rehearse(site: Site, watch: Watched, days: float, kills: int) -> list[Sample]:
    seconds = days * DAY / site.speed
    killed_at = [seconds * (number + 1) / (kills + 1) for number in range(kills)]
    samples, began = [], time.monotonic()
    while (passed := time.monotonic() - began) < seconds:
        if killed_at and passed >= killed_at[0]:
            killed_at.pop(0)
            watch.kill_and_start()
        if watch.process.poll() is not None:
            raise SystemExit(f"The watch ended by itself: {watch.process.returncode}")
        samples += [sample] if (sample := watch.sample(site.now())) else []
        time.sleep(EVERY)
    return samples


def accounts(site: Site, folder: Path, since: float, until: float) -> tuple[Counter[str], list[float], dict[str, Any]]:
    """What became of every article published in this time, how late those were that were told, and what else was."""
    news = site.world.news
    assert news is not None
    first, last = news.archive.count(since), news.archive.count(until)
    articles = {news.url(number): news.archive.times[number] for number in range(last)}
    lines = [json.loads(line) for line in (folder / TAIL).read_text(encoding="utf-8").splitlines()]
    told = {line["url"]: line for line in lines if line["kind"] == "new"}
    view = RunView(folder)
    read = {link.url for page in view.pages() for link in (view.parsed(page) or _NOTHING).links}
    fates: Counter[str] = Counter()
    late = []
    with opened(folder) as book:
        for number in range(first, last):
            url, published = news.url(number), news.archive.times[number]
            if url in told:
                fates[FOUND] += 1
                late.append((_seconds(told[url]["found"]) - published) / HOUR)
            elif book.document(url) is not None:
                fates[KEPT] += 1
            elif published > until - LATE:
                fates[TOO_LATE] += 1
            else:
                fates[NOT_FOLLOWED if url in read else NOT_SEEN] += 1
    numbers = [line["number"] for line in lines]
    news_told = Counter(line["url"] for line in lines if line["kind"] == "new")
    twice = len(lines) - len({line["id"] for line in lines}) + sum(times > 1 for times in news_told.values())
    others = {
        "published": last - first,
        "twice": twice,
        "in order": numbers == sorted(set(numbers)),
        "from before": sum(url in articles and articles[url] < since for url in told),
        "no articles": sum(url not in articles for url in told),
        "changed": sum(line["kind"] == "changed" for line in lines),
        "alarms": sum(line["kind"] == "alert" for line in lines),
        "downloads": view.summary().downloads,
        "feed": (folder / FEED).stat().st_size,
    }
    return fates, late, others


class _NoPage(NamedTuple):
    links: tuple[Any, ...] = ()


_NOTHING = _NoPage()


def _seconds(text: str) -> float:
    from wolfspider.web.page.dates import seconds

    return seconds(text) or 0.0


def slope(samples: list[Sample], what: str) -> float:
    """Bytes that it grows in a day of the served web, after the first quarter."""
    later = samples[len(samples) // 4 :]
    if len(later) < 3:
        return 0.0
    days = np.array([(sample.at - later[0].at) / DAY for sample in later])
    return float(np.polyfit(days, [getattr(sample, what) for sample in later], 1)[0])


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--days", type=float, default=1.0)
    arguments.add_argument("--speed", type=float, default=1440.0)
    arguments.add_argument("--articles", type=int, default=120, help="that the site publishes in a day, on the mean")
    arguments.add_argument("--kills", type=int, default=1)
    arguments.add_argument("--listed", type=int, default=0, help="articles of a list; 0: 30 or 40")
    arguments.add_argument("--option", action="append", default=[], help="of the watch, such as --option=--per-hour=75")
    arguments.add_argument("--out", type=Path, help="a folder to keep the run in")
    given = arguments.parse_args()
    work = given.out or Path(tempfile.mkdtemp(prefix="watch-rehearsal-"))
    work.mkdir(parents=True, exist_ok=True)
    folder = work / "run"
    days = int(given.days) + 12
    spec = f"synthetic:pages=1000,news=1,mischief=0,articles={given.articles},listed={given.listed},days={days}"
    try:
        return _rehearsed(given, spec, folder)
    finally:
        if given.out is None:
            shutil.rmtree(work, ignore_errors=True)


def _rehearsed(given: argparse.Namespace, spec: str, folder: Path) -> int:
    with served(spec, given.speed) as site:
        watch = Watched(site, folder, ["--delay", "1", "--disk-floor", "0", *given.option])
        try:
            samples = rehearse(site, watch, given.days, given.kills)
        finally:
            until = site.now()
            code = watch.end()
        if code != 130:
            print((folder.parent / "watch.log").read_text(encoding="utf-8")[-2000:], file=sys.stderr)
            raise SystemExit(f"The watch ended with {code}.")
        since = next((at for (at,) in RunView(folder).rows("SELECT at FROM log WHERE seq = 1")), site.began)
        fates, late, others = accounts(site, folder, since, until)
    rows = [[fate, str(fates[fate])] for fate in (FOUND, KEPT, NOT_FOLLOWED, NOT_SEEN, TOO_LATE)]
    print(text_table(["articles published meanwhile", "number"], rows))
    if late:
        print(f"late: mean {fmean(late):.2f} h, median {median(late):.2f} h, at most {max(late):.1f} h")
    print(", ".join(f"{name} {value}" for name, value in others.items()))
    memory = [sample.memory for sample in samples] or [0]
    print(
        f"memory {memory[len(memory) // 4] >> 20} to {memory[-1] >> 20} MiB; in a day of the site it grows by "
        f"{slope(samples, 'memory') / 1e6:.1f} MB, the log by {slope(samples, 'log') / 1e6:.1f} MB, copies of pages by "
        f"{slope(samples, 'copies') / 1e6:.1f} MB, what was told by {slope(samples, 'book') / 1e6:.1f} MB"
    )
    unaccounted = others["published"] - sum(fates.values())
    print(f"published={others['published']} found={fates[FOUND]} unaccounted={unaccounted} twice={others['twice']}")
    return int(bool(unaccounted or others["twice"] or not others["in order"] or not fates[FOUND]))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(main())
