"""What a crawl that was killed again and again left behind, and whether all the witnesses of it agree."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType

from wolfspider.app.hunt import Hunt
from wolfspider.app.run_folder import settings_of
from wolfspider.core import codec
from wolfspider.core.topic import Task
from wolfspider.store.archive_reader import check
from wolfspider.store.sqlite import open_run
from wolfspider.store.view import RunView
from wolfspider.web.http.live_robots import REDIRECTS
from wolfspider.web.page.urls import canonical

SLOTS, TRIES = 8, 2
MOST_HOPS = 10


@dataclass
class Trial:
    """One crawl of one web, and how often it was killed."""

    kills: int
    folder: Path
    web: str
    task: Task
    pages: int
    hands: int = 0
    killed: int = 0
    hands_killed: int = 0
    torn: int = 0
    tried: Counter[str] = field(default_factory=Counter)  # fail-points that were to kill
    reached: Counter[str] = field(default_factory=Counter)  # and did

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


def judge(trial: Trial) -> tuple[Figures, bool]:
    exported, told = exported_pages(trial), told_pages(trial)
    delivered, requests = served_pages(trial)
    archive = Archived(trial)
    lost = (delivered | told) - exported - withheld(trial) - named_failures(trial, archive.moved)
    spent, over = RunView(trial.run).summary().downloads, RunView(trial.run).summary().ended
    refetched = requests - spent - archive.redirects + ended_by_redirects(trial)
    damage = [*check(trial.run / "warc").damage, *archive.missing(exported)]
    same = learned_is_what_a_replay_gives(trial)
    bound = SLOTS * TRIES * (trial.killed + trial.hands_killed)
    invented = len(exported - delivered)
    print(f"pages exported {len(exported)}, delivered {len(delivered)}, told of {len(told)}, invented {invented}")
    if trial.hands:
        print(f"hands killed {trial.hands_killed}")
    print(f"downloads {spent} of a budget of {trial.pages} ({over}), requests {requests}, bound {bound}")
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
