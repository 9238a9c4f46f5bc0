"""One crawl by wolfspider for throughput.py: the live crawl as `wolfspider crawl` runs it, with politeness off.

    python wolfspider_once.py VARIANT PAGES CONCURRENCY FOLDER TOPIC SEED...

VARIANT is full (everything, best-first), hunter (the same with that strategy) or bare (nothing scored and nothing
stored). wolfspider by design never sends many requests to one host at once, but a benchmark on one server needs that,
so the two places that prevent it are replaced here.
"""

# ruff: noqa: E402  (what the command line does first comes first here, too)

from __future__ import annotations

import asyncio
import atexit
import gc
import json
import math
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from wolfspider.files.one_thread import without_threads

gc.set_threshold(100_000)  # as in wolfspider/cli
atexit.register(gc.freeze)
without_threads()

from wolfspider.app import assemble, hunt, run_folder
from wolfspider.app.assemble import web_of
from wolfspider.app.settings import Settings
from wolfspider.core.events import Event
from wolfspider.core.limits import AT_ONCE
from wolfspider.core.model import Failure, Page, Verdict
from wolfspider.core.topic import Topic
from wolfspider.engine.contracts import Held
from wolfspider.policy.judges.judge import Unlearning
from wolfspider.policy.room import Room
from wolfspider.store.in_memory import Volatile
from wolfspider.web.http.gates import Gates
from wolfspider.web.http.live_web import Live


class Crowd(Room):
    """Any number of visits at a time to a host."""

    def when(self, host: str) -> float:
        return self._ready.get(host, -math.inf)


def rushing_web(*parts: Any) -> Live:
    """A web that lets a host be asked for as much at once as there are slots."""
    web = web_of(*parts)
    web.polite._at_host = Gates(0)
    return web


class Indifferent(Unlearning):
    """A judge for whom all pages are alike."""

    def __init__(self, topic: Topic) -> None:
        self.verdict = Verdict(0.5, True)

    def score(self, page: Page) -> Verdict:
        return self.verdict


class Forgetful(Volatile):
    """Knows what it has had, and keeps nothing of it."""

    HAD = Held(Failure("empty", "not kept"), None)

    def hear(self, event: Event) -> None:
        pass

    def keep(self, url: str, result: Page | Failure, verdict: Verdict | None) -> None:
        self._held[url] = self.HAD


def settings(variant: str, pages: int, concurrency: int, topic: str, seeds: list[str]) -> Settings:
    bare = variant == "bare"
    return Settings(
        urls=tuple(seeds),
        topic=topic,
        strategy={"bare": "breadth-first", "hunter": "hunter"}.get(variant, "best-first"),
        judge=f"{Path(__file__).resolve()}:Indifferent" if bare else Settings().judge,
        pages=pages,
        slots=concurrency,
        include=tuple(sorted({urlsplit(seed).netloc for seed in seeds})),
        delay=0.0,
        hurry=AT_ONCE,
        traps="ignore",  # as for the others, so that all ask for the same pages
        adapt=0.0,
        per_address=concurrency,
        allow_private=True,
    )


def main(variant: str, pages: int, concurrency: int, folder: Path, topic: str, seeds: list[str]) -> None:
    wanted = settings(variant, pages, concurrency, topic, seeds)
    vars(hunt).update(Room=Crowd)
    vars(assemble).update(web_of=rushing_web)
    if variant == "bare":
        vars(run_folder).update(opened=lambda *_: Forgetful({"settings": wanted.to_json()}))
    folder.mkdir(parents=True, exist_ok=True)
    result = asyncio.run(hunt.Hunt(wanted, folder / "run").run())
    print(json.dumps({"reason": result.reason, "downloads": result.downloads}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]), sys.argv[5], sys.argv[6:])
