"""Hands that are processes: a crawl brings the same with them, whoever of them dies, and is as polite."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import (
    Hosts,
    Told,
    assert_whole,
    beside,
    crawl_command,
    environment,
    finished,
    hunt,
    prepared,
    stored,
)

from faults import Faulty
from wolfspider.core.errors import Problem
from wolfspider.core.model import Fetch
from wolfspider.drivers.hands import local_hand
from wolfspider.drivers.hands.local_hand import LocalHand
from wolfspider.drivers.hands.many import ManyHands
from wolfspider.files.failpoints import VARIABLE
from wolfspider.store.sqlite import open_run
from wolfspider.web.server.serve import Manner, Served, serve
from wolfspider.web.worlds.world import Servable

SLOTS = 4


def hired(told: Told) -> Iterator[LocalHand]:
    assert told.hunt is not None and isinstance(told.hunt._hands, ManyHands)
    yield from told.hunt._hands._hands


def kill_hands(told: Told) -> None:
    """kill -9 every hand there is."""
    for hand in hired(told):
        if hand.process is not None:
            os.kill(hand.process.pid, signal.SIGKILL)


def asked(server: Served) -> Counter[str]:
    return Counter(one.host + one.path for one in server.log if one.path != "/robots.txt")


def refetched(folder: Path) -> int:
    store = open_run(folder)
    try:
        return store.counts().get("refetched", 0)
    finally:
        store.close()


class Killing(Hosts):
    """When the first page of h0 is asked for, before it answers, the hands die."""

    def __init__(self, hosts: int, pages: int) -> None:
        super().__init__(hosts, pages)
        self.kill: Callable[[], None] | None = None

    def look(self, url: str, now: float) -> Fetch:
        if self.kill is not None and url.endswith("h0.test/"):
            self.kill()
            self.kill = None
        return super().look(url, now)


def crawled(
    web: Servable,
    *urls: str,
    out: Path,
    kill_after: tuple[int, ...] = (),
    latency: float | Callable[[str], float] = 0.0,
    **settings: Any,
) -> tuple[Told, Served]:
    async def main() -> tuple[Told, Served]:
        async with serve(web, manner=Manner(latency=latency)) as server:
            told = prepared(server.port, *urls, out=out, **{"deadline": 30.0, "slots": SLOTS, **settings})
            for landed in kill_after:
                told.after(landed, lambda: kill_hands(told))
            if isinstance(web, Killing):
                web.kill = lambda: kill_hands(told)
            return await finished(told), server

    return asyncio.run(main())


def test_every_host_has_one_hand_and_all_pages_come(tmp_path: Path) -> None:
    """The starts of two processes take a second."""
    web = Hosts(6, 5)
    told, server = crawled(web, "http://h0.test/", out=tmp_path / "run", pages=30, hands=2)
    assert (told.reason, told.downloads, told.failures) == ("budget", 30, {})
    assert stored(tmp_path / "run") == web.addresses()
    assert set(asked(server).values()) == {1}
    robots = Counter(one.host for one in server.log if one.path == "/robots.txt")
    assert set(robots.values()) == {1}
    assert_whole(tmp_path / "run")


def test_killed_hands_are_replaced_and_nothing_is_lost(tmp_path: Path) -> None:
    web = Hosts(4, 10)
    told, server = crawled(web, "http://h0.test/", out=tmp_path / "run", pages=40, hands=2, kill_after=(5, 15, 25))
    assert (told.reason, told.downloads, told.failures) == ("budget", 40, {})
    assert stored(tmp_path / "run") == web.addresses()
    again = asked(server).total() - 40
    assert again <= 3 * SLOTS and refetched(tmp_path / "run") >= again
    assert sum("Another takes its place" in remark for remark in told.remarks) == 1
    assert_whole(tmp_path / "run")


def test_a_hand_asks_for_many_pages_at_once(tmp_path: Path) -> None:
    """Though a page may be so large that two of them would not fit into its memory."""
    web = Hosts(4, 3)
    told, server = crawled(web, *web.addresses(), out=tmp_path / "run", latency=0.3, pages=12, hands=1, memory=512)
    assert told.downloads == 12
    pages = [one for one in server.log if one.path != "/robots.txt"]
    together = [sum(one.arrived <= other.arrived < one.ended for one in pages) for other in pages]
    assert max(together) > 1


@pytest.mark.slow
def test_a_killed_hand_breaks_no_rest(tmp_path: Path) -> None:
    """The hands die while a host has yet to answer; rests are longer than the start of a hand. After its robots.txt a
    host rests, too: so the slowest to answer is asked for its page last."""
    delay, web = 8.0, Killing(4, 1)
    seeds = [f"http://h{number}.test/" for number in range(4)]
    manners: dict[str, Any] = {
        "delay": delay,
        "max_wait": 60.0,
        "latency": lambda host: 1.5 if host.startswith("h0.") else 0.8,
    }
    told, server = crawled(web, *seeds, out=tmp_path / "run", pages=4, hands=2, **manners)
    assert (told.reason, told.downloads, told.failures) == ("budget", 4, {})
    assert web.kill is None and asked(server)["h0.test/"] == 2
    for host in {one.host for one in server.log}:
        requests = sorted((one for one in server.log if one.host == host), key=lambda one: one.arrived)
        for before, after in itertools.pairwise(requests):
            assert after.arrived - before.ended >= 6.0, (host, before, after)


@pytest.mark.slow
@pytest.mark.parametrize("failpoint", ["hand-sending:2", "hand-reading:2", "hand-done:2"])
def test_a_hand_that_dies_at_any_step_loses_nothing(
    failpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, failpoint)
    web = Hosts(2, 6)
    told, server = crawled(web, "http://h0.test/", out=tmp_path / "run", pages=12, hands=1)
    assert (told.reason, told.downloads, told.failures) == ("budget", 12, {})
    assert stored(tmp_path / "run") == web.addresses()
    assert asked(server).total() - 12 <= SLOTS and refetched(tmp_path / "run") >= 1


DEADLY = """
import os
from wolfspider.web.page import html
parse = html.parse
def deadly(fetch, bounded=False):
    if b"deadly" in fetch.body:
        os.abort()
    return parse(fetch, bounded)
html.parse = deadly
"""


class Deadly(Hosts):
    """A web with pages that no process survives, those whose addresses end so."""

    ending = "h1.test/2"

    def look(self, url: str, now: float) -> Fetch:
        found = super().look(url, now)
        if not url.endswith(self.ending):
            return found
        return Fetch(url, url, 200, {"content-type": "text/html"}, b"<p>deadly words</p>", at=now)


@pytest.mark.slow
def test_a_page_that_kills_its_readers_is_a_trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(DEADLY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    told, server = crawled(Deadly(2, 5), "http://h0.test/", out=tmp_path / "run", pages=10, hands=2)
    assert told.failures == {"http://h1.test/2": "trap"} and len(told.pages) == 9
    assert asked(server)["h1.test/2"] == 2


@pytest.mark.slow
def test_however_many_pages_kill_their_readers_the_others_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(DEADLY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    web = Deadly(10, 3)
    web.ending = "/2"
    told, _ = crawled(web, "http://h0.test/", out=tmp_path / "run", pages=30, hands=2)
    assert len(told.failures) == 10 and {*told.failures.values()} == {"trap"} and len(told.pages) == 20


@pytest.mark.slow
def test_redirects_lead_from_hand_to_hand_and_rules_too() -> None:
    """With four hands, few hosts have the same one."""

    async def talk(server: Faulty) -> Told:
        urls = [f"http://h{number}.test/redirect?to=http%3A%2F%2Fg{number}.test%2Fok" for number in range(6)]
        return await hunt(server.port, *urls, pages=20, hands=4, deadline=30.0)

    told = beside(talk)
    found = {page.final_url for page in told.pages.values()}
    assert {f"http://g{number}.test/ok" for number in range(6)} <= found


def test_hands_end_with_a_crawl_that_is_killed(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    server = aside(serve(Hosts(4, 30)))
    words = crawl_command(server.port, tmp_path / "run", "http://h0.test/", pages=100, hands=2, delay=5, deadline=30)
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment()) as crawl:
        assert crawl.stdout is not None
        assert any(b'"landed"' in line for line in crawl.stdout)  # it waits for this one
        hands = Path(f"/proc/{crawl.pid}/task/{crawl.pid}/children").read_text().split()
        crawl.kill()
    assert hands
    until = time.monotonic() + 30
    while any(Path("/proc", hand).exists() and _alive(hand) for hand in hands):
        assert time.monotonic() < until
        time.sleep(0.01)


def _alive(pid: str) -> bool:
    """A process that nobody has waited for yet is not."""
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_hands_that_never_begin_end_the_crawl_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text("import os\nos._exit(3)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(local_hand, "_REST", 0.0)
    with pytest.raises(Problem, match=r"died 8 times in a row.*--hands 0"):
        crawled(Hosts(2, 2), "http://h0.test/", out=tmp_path / "run", pages=4, hands=1)
