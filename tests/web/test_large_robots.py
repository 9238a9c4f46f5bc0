"""A robots.txt of tens of thousands of rules: bounded in memory, read beside the loop, and still obeyed."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego
from tests.live.hunting import Peak
from tests.web.live_site import PAGE, fetch, kind_of, visiting
from tests.web.loopback import http

from wolfspider.core.events import Phase
from wolfspider.web.http import live_robots, robots
from wolfspider.web.http.live_robots import LiveRobots
from wolfspider.web.http.polite import Manners
from wolfspider.web.http.robots import MOST_RULES, Rules, ours
from wolfspider.web.worlds.world import Request


def many(pattern: str, count: int = 24_000) -> str:
    return "User-agent: *\n" + "".join(f"Disallow: {pattern.format(number)}\n" for number in range(count))


MANY = many("/x/{}/y")
LARGE = http(MANY.encode(), Content_Type="text/plain")


def test_of_too_many_rules_the_first_are_kept_and_the_others_forbid_more() -> None:
    text = ours((MANY + "Disallow: /deep/down/here\nAllow: /x/9/y/z\nCrawl-delay: 7\n").encode())
    rules = Rules(text)
    assert MOST_RULES < len(text.splitlines()) < MOST_RULES + 10 and rules.delay == 7
    for path in ("/x/9/y/z", "/x/23999/y", "/x/1000000", "/deep/down/here", "/deep/other"):
        assert not rules.allows(f"http://a.test{path}"), path
    for path in ("/", "/y", "/xy", "/de"):
        assert rules.allows(f"http://a.test{path}"), path


@pytest.mark.parametrize("pattern", ["/*x{}*y", "/{}", "*.{}", "/%41{}/x"])
def test_rules_that_nobody_can_sum_up_forbid_everything(pattern: str) -> None:
    text = ours(many(pattern).encode())
    assert len(text) < 100 and not Rules(text).allows("http://a.test/other")


def test_repeated_rules_count_once() -> None:
    text = ours(b"User-agent: *\n" + b"Disallow: /a\nAllow: /a/b\nCrawl-delay: 3\n" * 10_000)
    assert Rules(text).allows("http://a.test/a/b") and not Rules(text).allows("http://a.test/a/c")
    assert len(text) < 3000 and Rules(text).delay == 3


PIECES = st.lists(
    st.sampled_from(["/", "a", "b", "ab", "*", "$", "%61", "%2F", "?", "é", "~", ".", "-", " "]), max_size=6
)
LINES = st.tuples(st.sampled_from(["Allow:", "Disallow:", "disallow :", "Dissallow:", "Disallow"]), PIECES)


@given(st.lists(LINES, max_size=20), st.lists(PIECES, min_size=1, max_size=10), st.integers(0, 6), st.integers(0, 3))
def test_what_many_rules_forbid_fewer_forbid_too(
    lines: list[tuple[str, list[str]]], paths: list[list[str]], most: int, prefixes: int
) -> None:
    said = ["User-agent: *", *(f"{name} /{''.join(path)}" for name, path in lines), ""]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(robots, "MOST_RULES", most)
        patch.setattr(robots, "MOST_PREFIXES", prefixes)
        few = Rules(ours("\n".join(said).encode()))
    all_of_them = Protego.parse("\n".join(said))
    for path in paths:
        url = "http://a.test/" + "".join(path)
        assert all_of_them.can_fetch(url, "wolfspider") or not few.allows(url), url


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="There is no /proc to read the peak of memory from.")
@pytest.mark.sampled(4)
def test_many_hosts_with_many_rules_and_visits_that_wait_take_little_memory() -> None:
    """With every visit holding all of its rules it would be 13 MB for each of them."""
    large = http(many("/x/{}*y").encode(), Content_Type="text/plain")
    count = 30

    async def main() -> None:
        turns: set[str] = set()
        waiting = asyncio.Event()

        def visit(host: str) -> Request:
            def doing(phase: Phase) -> None:
                if phase == Phase.TURN:
                    turns.add(host)
                    if len(turns) == count:
                        waiting.set()

            return Request(f"http://{host}.test/page", doing=doing)

        manners = Manners(delay=1000.0, factor=0.0, per_address=0, patience=10_000.0)
        async with visiting({"/robots.txt": large, "/page": PAGE}, manners=manners) as (live, _):
            live.lanes.count = 8
            tasks = [asyncio.create_task(live.fetch(visit(f"h{number}"))) for number in range(count)]
            await asyncio.wait_for(waiting.wait(), 120)
            gc.collect()
            ready = sum(isinstance(each, Rules) for each in gc.get_objects())
            assert ready <= len(live.robots._shelf.ready) if live.robots else False
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    gc.collect()
    with Peak() as peak:
        asyncio.run(main())
    assert peak.megabytes < 160


def test_rules_are_gone_when_nobody_has_them_any_more() -> None:
    """At once: a crawl seldom looks for objects that hold nothing but each other."""
    gc.disable()
    try:
        rules = Rules(ours(MANY.encode()))
        assert rules.allows("http://a.test/y")
        parsed = weakref.ref(rules._parsed)
        del rules
        assert parsed() is None
    finally:
        gc.enable()


def test_a_long_robots_txt_is_read_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    readers: list[threading.Thread] = []

    class Watched(Rules):
        def __init__(self, text: str) -> None:
            readers.append(threading.current_thread())
            super().__init__(text)

    monkeypatch.setattr(live_robots, "Rules", Watched)
    monkeypatch.setattr(live_robots, "_MOST_READY", 1)  # so that each is read again when it is used again

    async def main() -> None:
        async with visiting({"/robots.txt": LARGE, "/page": PAGE}) as (live, site):
            for host in ("a", "b", "a"):
                assert kind_of(await fetch(live, f"http://{host}.test/page")) == ""
                assert kind_of(await fetch(live, f"http://{host}.test/x/1/y")) == "robots"
            assert len(site.asked) == 5  # of a file that was read before nobody is asked again

    asyncio.run(main())
    assert len(readers) >= 3 and threading.main_thread() not in readers


def test_copies_of_an_older_run_are_made_small() -> None:
    rules = LiveRobots(lambda: 100.0)
    rules.restore({"http://a.test": (MANY, 200, 50.0), "http://b.test": ("", 404, 50.0)}, 100.0)
    assert rules._shelf._bytes < 50_000
    assert "forbidden" in rules.explain("http://a.test/x/20000/y") and "allowed" in rules.explain("http://b.test/")
