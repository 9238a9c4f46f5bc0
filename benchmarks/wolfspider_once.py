"""One crawl by wolfspider for throughput.py: the live crawl as `wolfspider crawl` runs it, with politeness off.

    python wolfspider_once.py VARIANT PAGES CONCURRENCY FOLDER TOPIC SEED...

VARIANT is full (everything, best-first), two_cores (the same, pages read in a second process) or bare (nothing scored
and nothing stored). Many requests at once to one host is what wolfspider refuses by design, and what a benchmark on one
server is about, so the two places that see to it are put out of action here.
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from wolfspider.app.hunt import Hunt
from wolfspider.app.settings import Settings
from wolfspider.core.events import Event
from wolfspider.core.model import Failure, Page, Verdict
from wolfspider.core.topic import Topic
from wolfspider.drivers.live import Clock, Run
from wolfspider.engine.contracts import Held
from wolfspider.policy.judges.judge import Unlearning
from wolfspider.policy.room import Room
from wolfspider.store.base import Store
from wolfspider.store.in_memory import Volatile
from wolfspider.web.http.gates import Gates
from wolfspider.web.http.live_web import Live


class Crowd(Room):
    """Any number of visits at a time to a host."""

    def _when(self, host: str) -> float:
        return self._ready.get(host, -math.inf)


class Rush(Hunt):
    """A hunt that lets a host be asked for as much at once as there are slots."""

    async def _driver(
        self, stack: AsyncExitStack, crawl: Any, room: Room, web: Live, store: Store, clock: Clock
    ) -> Run:
        web.polite._at_host = Gates(0)
        return await super()._driver(stack, crawl, Crowd(), web, store, clock)


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


class BareRush(Rush):
    def _store(self, stack: AsyncExitStack) -> Store:
        return Forgetful({"settings": self.settings.to_json()})


def settings(variant: str, pages: int, concurrency: int, topic: str, seeds: list[str]) -> Settings:
    bare = variant == "bare"
    return Settings(
        urls=tuple(seeds),
        topic=topic,
        strategy="breadth-first" if bare else "best-first",
        judge=f"{Path(__file__).resolve()}:Indifferent" if bare else Settings().judge,
        pages=pages,
        slots=concurrency,
        include=tuple(sorted({urlsplit(seed).netloc for seed in seeds})),
        delay=0.0,
        adapt=0.0,
        per_address=concurrency,
        allow_private=True,
        parsers=1 if variant == "two_cores" else 0,
    )


def main(variant: str, pages: int, concurrency: int, folder: Path, topic: str, seeds: list[str]) -> None:
    kind = BareRush if variant == "bare" else Rush
    folder.mkdir(parents=True, exist_ok=True)
    place = folder if variant == "bare" else folder / "run"
    hunt = kind(settings(variant, pages, concurrency, topic, seeds), place)
    result = asyncio.run(hunt.run())
    print(json.dumps({"reason": result.reason, "downloads": result.downloads}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]), sys.argv[5], sys.argv[6:])
