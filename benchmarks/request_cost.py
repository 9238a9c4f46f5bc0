"""What requests cost a crawl, and so what the cheapest HTTP client there could be would save.

    python benchmarks/request_cost.py --web WEB [--pages 600] [--rounds 10]

Crawls that score and store nothing run in this process one after another. Pages were parsed before, so that what is
left of a page is its way through loop, politeness and client. Then as many crawls whose answers were had before, too:
the client gives them out without a request. The best crawl of each kind counts, in CPU milliseconds a page.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import wolfspider_once as once
from closed_site import seeds_of, written
from side_by_side import find_nginx, served

from wolfspider.app import assemble, hunt, run_folder
from wolfspider.core.errors import Problem
from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.drivers import reading
from wolfspider.web.http.client import Answer, Client
from wolfspider.web.page.main_text import read_page
from wolfspider.web.worlds.recorded import Recorded

SLOTS = 32


class Remembered:
    """Pages by their address, and answers where they are wanted."""

    def __init__(self) -> None:
        self.pages: dict[str, Page | Failure] = {}
        self.answers: dict[str, Answer | Failure] = {}
        self.free = False  # are answers given out without a request?
        self._ask = Client.get

    def read(self, fetch: Fetch, **options: Any) -> Page | Failure:
        if fetch.url not in self.pages:
            self.pages[fetch.url] = read_page(fetch, **options)
        return self.pages[fetch.url]

    async def get(self, client: Client, url: str, *given: Any, **named: Any) -> Answer | Failure:
        if not self.free or url not in self.answers:
            self.answers[url] = await self._ask(client, url, *given, **named)
        else:
            await asyncio.sleep(0)
        return self.answers[url]


def crawled(wanted: Any, folder: Path) -> float:
    """CPU milliseconds a page."""
    began = time.process_time()
    result = asyncio.run(hunt.Hunt(wanted, folder).run())
    return 1000 * (time.process_time() - began) / result.downloads


def main() -> int:
    parser = argparse.ArgumentParser(description="What requests cost.")
    parser.add_argument("--web", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=10)
    chosen = parser.parse_args()
    remembered = Remembered()
    vars(hunt).update(Room=once.Crowd)
    vars(assemble).update(web_of=once.rushing_web)
    vars(reading).update(read_page=remembered.read)
    with tempfile.TemporaryDirectory(prefix="requests-") as name:
        work = Path(name)
        web = Recorded(chosen.web, work / "cache")
        site = written(web, work / "site", chosen.pages, seeds_of(web))
        with served(site.folder, work, min(os.sched_getaffinity(0)), find_nginx()) as server:
            seeds = [server.address + path for path in site.seeds]
            wanted = once.settings("bare", len(site.paths) + 1, SLOTS, ", ".join(site.topic.keywords), seeds)
            vars(run_folder).update(opened=lambda *_: once.Forgetful({"settings": wanted.to_json()}))
            crawled(wanted, work / "first")
            usual = [crawled(wanted, work / f"usual{number}") for number in range(chosen.rounds)]
            Client.get = lambda *given, **named: remembered.get(*given, **named)  # type: ignore[method-assign]
            crawled(wanted, work / "kept")
            remembered.free = True
            free = [crawled(wanted, work / f"free{number}") for number in range(chosen.rounds)]
    print(f"a page without parsing, judge and store {min(usual):.3f} ms, and without requests {min(free):.3f} ms")
    print(f"requests: {min(usual) - min(free):.3f} ms a page")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(str(problem))
