"""What the tests of whole crawls share: a crawl of `wolfspider.crawl(...)` against a server on loopback, all that it
told, and what it left behind.

    async with faults() as server:
        told = await hunt(server.port, "http://a.test/ok", pages=5, out=tmp_path / "run")
        told.reason, told.pages, told.failures

Nothing waits for politeness unless the test is about it, and every crawl must be over within SECONDS.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import wolfspider
from faults import Faulty, faults
from wolfspider.core.events import Event, Landed
from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.store import archive_reader
from wolfspider.store.view import RunView
from wolfspider.web.http import web_time
from wolfspider.web.worlds.world import Servable

SECONDS = 90.0
HASTY: dict[str, Any] = {  # a host in trouble rests for longer than anybody here waits
    "delay": 0.0,
    "adapt": 0.0,
    "tries": 1,
    "deadline": 10.0,
    "disk_floor": 0,
    "max_wait": 1.0,
    "backoff": 1000.0,
    "traps": "ignore",  # pages here are made alike, and all of them are wanted
}
PLAIN: dict[str, Any] = {"topic": "wolf spiders hunt", "strategy": "breadth-first", **HASTY}


@dataclass
class Told:
    """All that a crawl told, and how it ended."""

    events: list[Event] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    hunt: wolfspider.Hunt | None = None
    reason: str = ""
    downloads: int = 0
    due: dict[int, Callable[[], object]] = field(default_factory=dict)

    def hear(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, Landed) and (act := self.due.pop(len(self.landed), None)):
            act()

    def after(self, landed: int, act: Callable[[], object]) -> None:
        """Do this when so many visits have ended: in mid-crawl, however fast or slow the machine is."""
        self.due[landed] = act

    @property
    def landed(self) -> list[Landed]:
        return [event for event in self.events if isinstance(event, Landed)]

    @property
    def results(self) -> dict[str, Page | Failure]:
        return {event.outcome.visit.link.url: event.outcome.result for event in self.landed}

    @property
    def pages(self) -> dict[str, Page]:
        return {url: result for url, result in self.results.items() if isinstance(result, Page)}

    @property
    def details(self) -> dict[str, str]:
        return {url: result.detail for url, result in self.results.items() if isinstance(result, Failure)}

    @property
    def failures(self) -> dict[str, str]:
        return {url: result.kind for url, result in self.results.items() if isinstance(result, Failure)}


class Hosts(Servable):
    """A web of hosts h0.test, h1.test ... to be served: the first page of each shows all the others of it and the first
    of the next host."""

    name, start = "hosts", 1.7e9

    def __init__(self, hosts: int, pages: int, size: int = 0) -> None:
        self.hosts, self.pages, self.size = hosts, pages, size

    def addresses(self) -> set[str]:
        return {f"http://h{host}.test/{page or ''}" for host in range(self.hosts) for page in range(self.pages)}

    def look(self, url: str, now: float) -> Fetch:
        host, _, path = url.partition("://")[2].partition("/")
        host = host.partition(":")[0]
        if not (path or "0").isdecimal() or int(path or 0) >= self.pages:
            return Fetch(url, url, 404, {"content-type": "text/plain"}, b"no", at=now)
        links = "".join(f'<a href="/{number}">page {number}</a> ' for number in range(1, self.pages))
        after = f'<a href="http://h{(int(host[1:-5]) + 1) % self.hosts}.test/">next</a>'
        filling = random.Random(url).randbytes(self.size // 2).hex(" ", 4)
        body = f"<title>{path}</title><p>Wolf spiders hunt at {url} {filling}</p>{'' if path else after + links}"
        return Fetch(url, url, 200, {"content-type": "text/html"}, body.encode(), at=now)


def prepared(port: int, *urls: str, out: Path | None = None, **settings: Any) -> Told:
    """A crawl that has not begun: `told.hunt` is to be run."""
    told = Told()
    given = {**PLAIN, "via": f"127.0.0.1:{port}", **settings}
    told.hunt = wolfspider.crawl(*urls, out=out, on_event=told.hear, on_remark=told.remarks.append, **given)
    return told


async def finished(told: Told, seconds: float = SECONDS) -> Told:
    assert told.hunt is not None
    result = await asyncio.wait_for(told.hunt.run(), seconds)
    told.reason, told.downloads = result.reason, result.downloads
    return told


async def hunt(port: int, *urls: str, out: Path | None = None, **settings: Any) -> Told:
    return await finished(prepared(port, *urls, out=out, **settings))


async def go_on(folder: Path, **settings: Any) -> Told:
    told = Told()
    told.hunt = wolfspider.resume(folder, on_event=told.hear, on_remark=told.remarks.append, **settings)
    return await finished(told)


def beside(talk: Callable[[Faulty], Coroutine[Any, Any, Any]]) -> Any:
    """Run this with a server that misbehaves."""

    async def main() -> Any:
        async with faults() as server:
            return await talk(server)

    return asyncio.run(asyncio.wait_for(main(), 2 * SECONDS))


def asked_for(server: Faulty, host: str | None = None) -> list[str]:
    """What a server was asked for besides robots.txt and the time: host and path."""
    return [
        asked.host + asked.path
        for asked in server.log
        if not asked.path.endswith(("/robots.txt", web_time.PATH)) and host in (None, asked.host)
    ]


def assert_whole(folder: Path) -> None:
    """Nothing of a run is damaged: every row, every record, and each page leads to its record."""
    with sqlite3.connect(f"file:{folder}/run.db?mode=ro", uri=True) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert archive_reader.check(folder / "warc").damage == ()
    view = RunView(folder)
    for row in view.pages():
        view.body(row)


def stored(folder: Path) -> set[str]:
    return {row.final_url for row in RunView(folder).pages()}


# Crawls in a process of their own


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "wolfspider", *map(str, words)]


def crawl_command(port: int, folder: Path, *urls: str, **options: object) -> list[str]:
    """`wolfspider crawl` with the settings of `hunt`."""
    given = {**PLAIN, "via": f"127.0.0.1:{port}", "out": folder, **options}
    flags = [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", value)]
    return command("crawl", *urls, *flags, "--json", "--quiet")


def environment(**more: str) -> dict[str, str]:
    """Without settings of whoever runs the tests."""
    return {name: value for name, value in os.environ.items() if not name.startswith("WOLFSPIDER_")} | more


def run(words: list[str], seconds: float = SECONDS, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        env=environment(**more.pop("env", {})),
        **more,
    )


class Peak:
    """`with Peak() as peak: ...; peak.megabytes` is the most memory that this process had meanwhile, beyond what it had
    before."""

    def __enter__(self) -> Peak:
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        self._before = self._now()
        return self

    def __exit__(self, *_: object) -> None:
        self.megabytes = self._now() - self._before

    def _now(self) -> int:
        found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
        assert found is not None
        return int(found[1]) // 1024
