"""Is a page ever lost? A crawl is killed again and again, and resumed by the same command until it is done.

    python benchmarks/kill_loop.py --kills 100
    python benchmarks/kill_loop.py --kills 300 --web wiki --web docs --web news --corpora DIR

The crawl learns (opic, and the classifier as judge) on a web served on loopback: a computed one, unless webs are named.
A web is a folder of WARC, or of that name in the folder of corpora, with its topics.json; the kills are spread over all
of them. Half of the kills come at random moments, half at the named fail-points of the store and the driver, one after
another. In the end the server's own log, what the crawl told on the way, the store and the archive must agree:

    lost       pages that were told of, or that the server delivered, and that the export does not have (unless the
               store names a failure, or the page asks not to be indexed): none
    refetched  requests that no landing accounts for: at most slots x tries x kills
    spent      the budget, exactly, unless the web has no more pages
    learned    what strategy and judge know equals what comes out when the whole log is played again from the beginning
    archive    another WARC reader finds every page in it, and no damage

The last line has the figures of all webs together. Exit code 1 if any is wrong.
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
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType
from side_by_side import web_served

from wolfspider.app.hunt import Hunt
from wolfspider.app.run_folder import settings_of
from wolfspider.bench.run.topics import tasks_of
from wolfspider.core import codec
from wolfspider.core.errors import Problem
from wolfspider.core.topic import Task
from wolfspider.files.failpoints import NAMES, VARIABLE
from wolfspider.store.archive_reader import check
from wolfspider.store.sqlite import open_run
from wolfspider.store.view import RunView
from wolfspider.web.http.robots import REDIRECTS
from wolfspider.web.page.urls import canonical
from wolfspider.web.worlds.world import open_web

SLOTS, TRIES = 8, 2
LATENCY = 0.05
PAGES_PER_KILL = 16
MOST_HOPS = 10
LONGEST = 1.2  # seconds from the start of a crawl to a kill at a random moment


@dataclass
class Trial:
    """One crawl of one web, and how often it was killed."""

    kills: int
    folder: Path
    web: str
    task: Task
    pages: int
    startup: float  # seconds until a crawl does anything
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


class Figures(NamedTuple):
    """What came of a trial."""

    kills: int
    lost: int
    refetched: int
    torn: int

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self._asdict().items())


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill a crawl again and again; nothing may be lost.")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder that is left behind")
    parser.add_argument("--web", action="append", default=[], help="a web to crawl; may be given several times")
    parser.add_argument("--topic", help="which of the web's topics to crawl for; the first, unless you say")
    parser.add_argument("--corpora", type=Path, help="the folder of recorded webs (or WOLFSPIDER_CORPORA)")
    given = parser.parse_args()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="kill-loop-"))
    corpora = given.corpora or Path(os.environ.get("WOLFSPIDER_CORPORA") or ".")
    try:
        return all_of([found(web, corpora) for web in given.web], given, folder)
    except Problem as problem:
        raise SystemExit(str(problem)) from problem
    finally:
        if given.keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def all_of(webs: list[str], given: argparse.Namespace, folder: Path) -> int:
    """Every web gets its share of the kills."""
    rng, results, startup = random.Random(given.seed), [], seconds_to_start()
    print(f"seed {given.seed}; a crawl starts within {startup:.1f} s")
    for place in range(max(1, len(webs))):
        kills = given.kills * (place + 1) // max(1, len(webs)) - given.kills * place // max(1, len(webs))
        pages = max(100, kills * PAGES_PER_KILL)
        web = webs[place] if webs else f"synthetic:pages={20 * pages},seed=5"
        part = folder / str(place) if len(webs) > 1 else folder
        part.mkdir(parents=True, exist_ok=True)
        results.append(attempt(Trial(kills, part, web, task_of(web, given.topic), pages, startup), rng))
    print(Figures(*(sum(column) for column in zip(*(figures for figures, _ in results), strict=True))))
    return 0 if all(good for _, good in results) else 1


def found(web: str, corpora: Path) -> str:
    """A web by its name: a folder among the corpora, which `docs` here is not, or what `wolfspider web serve` takes."""
    if (corpora / web).is_dir() and corpora != Path():
        return str(corpora / web)
    if web.startswith("synthetic") or Path(web).exists():
        return web
    raise Problem(f"There is no web {web!r}, and none of that name in {corpora}. Name the folder of webs by --corpora.")


def task_of(web: str, topic: str | None) -> Task:
    tasks = tasks_of(world := open_web(web), None, [topic] if topic else [], world.start)
    return next(iter(tasks.values()))


def seconds_to_start() -> float:
    """What Python takes to import a crawl."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "import wolfspider.app.hunt, wolfspider.strategies"], check=True)
    return time.monotonic() - began


def attempt(trial: Trial, rng: random.Random) -> tuple[Figures, bool]:
    print(f"{trial.web}: {trial.task.topic.name}, a budget of {trial.pages} downloads", flush=True)
    with web_served(trial.web, trial.log, LATENCY) as via:
        command = crawl_command(trial, via)
        for number in range(trial.kills):
            kill_once(trial, command, rng, number)
            print(f"\rkill {number + 1} of {trial.kills}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        finish(trial, command)
    return judge(trial)


def crawl_command(trial: Trial, via: str) -> list[str]:
    task = trial.task
    return [
        *(sys.executable, "-m", "wolfspider", "crawl", *task.seeds[:3], "--topic", ", ".join(task.topic.keywords)),
        *("--strategy", "opic", "--judge", "classifier", "--pages", str(trial.pages), "--slots", str(SLOTS)),
        *("--tries", str(TRIES), "--delay", "0", "--adapt", "0", "--via", via, "--snapshots", "1"),
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
        wait(crawl, trial.startup + 1.5 * LONGEST)
    else:  # before, while and after the run is recalled
        wait(crawl, trial.startup + rng.uniform(0, LONGEST))
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


def wait(crawl: subprocess.Popen[bytes], seconds: float) -> None:
    with suppress(subprocess.TimeoutExpired):
        crawl.wait(seconds)


def finish(trial: Trial, command: list[str]) -> None:
    crawl = start(trial, command)
    if crawl.wait(600) != 0:
        raise SystemExit(f"the crawl could not be finished: {(trial.folder / 'errors').read_text()[-2000:]}")


# What must agree in the end


def judge(trial: Trial) -> tuple[Figures, bool]:
    exported, told = exported_pages(trial), told_pages(trial)
    delivered, requests = served_pages(trial)
    archive = Archived(trial)
    lost = (delivered | told) - exported - withheld(trial) - named_failures(trial, archive.moved)
    spent, over = RunView(trial.run).summary().downloads, RunView(trial.run).summary().ended
    refetched = requests - spent - archive.redirects + ended_by_redirects(trial)
    damage = [*check(trial.run / "warc").damage, *archive.missing(exported)]
    same = learned_is_what_a_replay_gives(trial)
    bound = SLOTS * TRIES * trial.killed
    invented = len(exported - delivered)
    print(f"pages exported {len(exported)}, delivered {len(delivered)}, told of {len(told)}, invented {invented}")
    print(f"downloads {spent} of a budget of {trial.pages} ({over}), requests {requests}, bound {bound}")
    print(f"fail-points that killed: {len([name for name in trial.reached if name])} of {len(NAMES)}")
    print(
        f"learned state equals a replay of the whole log: {'yes' if same else 'NO'}; archive: {damage[:3] or 'valid'}"
    )
    print(*sorted(lost)[:10], sep="\n", end="\n" if lost else "")
    figures = Figures(trial.killed, len(lost), refetched, trial.torn)
    exact = spent == trial.pages or (over == "done" and spent < trial.pages)
    return figures, not lost and not invented and exact and same and not damage and 0 <= refetched <= bound


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


def withheld(trial: Trial) -> set[str]:
    """Pages that are there and are not exported, because they ask for that."""
    return {bare(row.final_url) for row in RunView(trial.run).pages() if "noindex" in row.robots}


def named_failures(trial: Trial, moved: Mapping[str, str]) -> set[str]:
    """What was delivered and is no page, such as a broken PDF: the store has its failure, by name."""
    found = set()
    for (url,) in rows(trial, "SELECT url FROM landings WHERE failure IS NOT NULL"):
        for _ in range(MOST_HOPS):
            found.add(bare(url))
            url = moved.get(url, url)
    return found


def ended_by_redirects(trial: Trial) -> int:
    """Downloads whose last answer was a redirect that nobody may follow."""
    ((count,),) = rows(trial, "SELECT COUNT(*) FROM landings WHERE failure = 'redirect' AND cost > 0")
    return int(count)


def rows(trial: Trial, sql: str) -> list[Any]:
    with closing(sqlite3.connect(f"file:{trial.run}/run.db?mode=ro", uri=True)) as database:
        return database.execute(sql).fetchall()


class Archived:
    """The archive as another reader finds it."""

    def __init__(self, trial: Trial) -> None:
        self.there: set[str] = set()
        self.moved: dict[str, str] = {}  # where redirects lead
        self.redirects = 0
        for path in sorted((trial.run / "warc").glob("*.warc.gz")):
            with path.open("rb") as file:
                for record in ArchiveIterator(file, record_types=WarcRecordType.response):
                    self._read(record, record.headers["WARC-Target-URI"])

    def _read(self, record: Any, url: str) -> None:
        status = record.http_headers.status_code
        location = record.http_headers.get("Location")
        if record.verify_payload_digest(consume=True):
            self.there.add(bare(url))
        if status in REDIRECTS:
            self.redirects += 1
            self.moved[url] = canonical(location or "", url) or url

    def missing(self, exported: set[str]) -> list[str]:
        """Pages that are not there, or are damaged."""
        return [f"{url} is not in the archive" for url in sorted(exported - self.there)[:3]]


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
