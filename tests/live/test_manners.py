"""What hosts ask for, as their own logs tell: robots.txt at the time of asking, rests after trouble, gaps."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise
from pathlib import Path

import pytest
from tests.live.hunting import Hosts, Told, asked_for, assert_whole, beside, finished, go_on, hunt, prepared, stored

import faults
from faults import Call, Faulty
from wolfspider.web.http import live_robots
from wolfspider.web.server.serve import serve


@pytest.mark.parametrize("how", ["deny", "500", "503", "429", "close", "reset", "redirect-3"])
def test_where_robots_txt_forbids_or_cannot_be_read_no_page_is_fetched(how: str) -> None:
    async def talk(server: Faulty) -> Told:
        host = f"robots-{how}.test"
        told = await hunt(server.port, f"http://{host}/links/10", f"http://{host}/ok", pages=20)
        assert [path for path in asked_for(server) if "chain-of-robots" not in path] == []
        return told

    told = beside(talk)
    assert not told.pages and told.downloads <= 1 and told.reason in ("done", "waiting")
    assert set(told.failures.values()) <= {"robots", "waiting", "connect"}


def test_a_robots_txt_that_never_comes_forbids_for_now() -> None:
    async def talk(server: Faulty) -> Told:
        told = await hunt(server.port, "http://robots-silent.test/ok", "http://a.test/ok", pages=20, deadline=0.5)
        assert asked_for(server, "robots-silent.test") == []
        return told

    told = beside(talk)
    assert "http://a.test/ok" in told.pages
    assert told.failures == {} and told.reason == "waiting", "the visit is still out, for a later session"


@pytest.mark.parametrize("how", ["404", "403", "html", "garbage", "empty", "huge", "bomb", "bom", "utf16"])
def test_a_robots_txt_that_says_nothing_of_a_page_allows_it(how: str) -> None:
    async def talk(server: Faulty) -> Told:
        return await hunt(server.port, f"http://robots-{how}.test/ok", pages=20)

    assert f"http://robots-{how}.test/ok" in beside(talk).pages


def test_pages_that_are_closed_in_mid_crawl_are_not_fetched_though_they_were_queued(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The day for which a robots.txt counts is made short."""
    monkeypatch.setattr(live_robots, "KEPT", 0.5)
    closed_at = 0.0

    async def answer(call: Call) -> None:
        nonlocal closed_at
        if call.times > 1:
            closed_at = closed_at or time.monotonic()
            await call.answer(faults.DENY, kind="text/plain")
        else:
            await call.answer("User-agent: *\nAllow: /\n", kind="text/plain")

    async def talk(server: Faulty) -> Told:
        told = await hunt(server.port, "http://a.test/links/300", pages=200, delay=0.02)
        after = [asked.path for asked in server.log if asked.at > closed_at and not asked.path.startswith("/robots")]
        assert closed_at and after == []
        return told

    monkeypatch.setitem(faults.BEHAVIOURS, "robots.txt", answer)
    told = beside(talk)
    assert told.pages and "robots" in told.failures.values() and told.downloads < 200


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("value", ["2", "-5", "soon", "99999999999", "Fri,%2031%20Dec%209999%2023:59:59%20GMT"])
def test_a_host_that_says_later_is_left_alone_as_a_whole(status: int, value: str) -> None:
    async def talk(server: Faulty) -> Told:
        first = f"http://a.test/retry-after/{value}?status={status}"
        told = await hunt(server.port, first, "http://a.test/ok", "http://b.test/ok", pages=20, max_wait=0.5)
        assert len(asked_for(server, "a.test")) == 1
        return told

    told = beside(talk)
    assert told.reason == "waiting" and "http://b.test/ok" in told.pages and "http://a.test/ok" not in told.pages


@pytest.mark.slow
def test_a_host_that_wants_two_seconds_gets_them_and_is_asked_again() -> None:
    async def talk(server: Faulty) -> None:
        told = await hunt(
            server.port,
            "http://a.test/retry-after/2",
            *(f"http://a.test/ok?n={n}" for n in range(3)),
            pages=4,
            max_wait=30,
        )
        times = [asked.at for asked in server.log if asked.path != "/robots.txt"]
        assert times[1] - times[0] >= 2 and len(told.pages) == 3

    beside(talk)


def test_one_request_at_a_time_and_the_gap_that_was_asked_for(tmp_path: Path) -> None:
    async def main() -> None:
        async with serve(Hosts(6, 5)) as server:
            told = await hunt(server.port, "http://h0.test/", pages=30, slots=30, delay=0.2, out=tmp_path / "run")
            assert told.reason in ("budget", "done") and server.worst() == 1
            for host in range(6):
                times = sorted((one.arrived, one.ended) for one in server.log if one.host == f"h{host}.test")
                assert all(after[0] - before[1] >= 0.198 for before, after in pairwise(times))

    asyncio.run(main())
    assert len(stored(tmp_path / "run")) == 30


def test_a_host_in_trouble_is_left_alone_by_the_next_session_too(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> None:
        seeds = ["http://a.test/status/503", "http://a.test/ok", "http://b.test/ok"]
        first = await hunt(server.port, *seeds, pages=20, out=tmp_path / "run")
        assert first.reason == "waiting"
        server.log.clear()
        second = await go_on(tmp_path / "run")
        assert second.reason == "waiting" and asked_for(server, "a.test") == []

    beside(talk)
    assert_whole(tmp_path / "run")


# Servers that take their time


def test_a_slow_server_frees_its_slot_by_the_deadline_and_others_go_on() -> None:
    """Two slots, both held by servers that drip; the others wait no longer than the deadline."""

    async def talk(server: Faulty) -> Told:
        dripping = ["http://d0.test/drip/headers?pause=0.2", "http://d1.test/silence"]
        good = [f"http://h{number}.test/ok?n={number}" for number in range(20)]
        began = time.monotonic()
        told = await hunt(server.port, *dripping, *good, pages=50, slots=2, deadline=1.0)
        assert time.monotonic() - began < 30
        return told

    told = beside(talk)
    assert len([url for url in told.pages if "?n=" in url]) == 20
    assert {told.failures[url] for url in told.failures if "d0" in url or "d1" in url} == {"timeout"}


def test_a_few_dead_hosts_do_not_hold_a_crawl_up() -> None:
    async def talk(server: Faulty) -> Told:
        dead = [f"http://dead{number}.test/{path}" for number, path in enumerate(["reset", "close", "silence"] * 3)]
        good = [f"http://h{number}.test/links/3" for number in range(10)]
        began = time.monotonic()
        told = await hunt(server.port, *dead, *good, pages=200, slots=4, deadline=1.0)
        assert time.monotonic() - began < 40
        return told

    told = beside(talk)
    assert len([url for url in told.pages if "//h" in url]) >= 40
    assert set(told.failures.values()) == {"connect", "timeout"}


def test_a_drain_does_not_wait_for_a_server_that_drips() -> None:
    async def talk(server: Faulty) -> Told:
        told = prepared(server.port, "http://a.test/silence", pages=5, deadline=50)
        assert told.hunt is not None
        asyncio.get_running_loop().call_later(0.5, told.hunt.drain)
        asyncio.get_running_loop().call_later(0.7, told.hunt.stop)
        return await finished(told, 20)

    assert beside(talk).reason == "stopped"
