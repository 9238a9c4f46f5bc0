"""Budgets of hosts, bytes and time on the wire: what a server was asked for, in one session and in the next."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from tests.live.hunting import Hosts, Told, go_on, hunt

from wolfspider.app.explain import why
from wolfspider.terminal.explanation import lines
from wolfspider.web.server.serve import Served, serve

WEB = Hosts(3, 10, 4_000)
FIRST = "http://h0.test/"


def beside(talk: Callable[[Served], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        async with serve(WEB) as server:
            await asyncio.wait_for(talk(server), 120)

    asyncio.run(main())


def asked(server: Served) -> Counter[str]:
    return Counter(one.host for one in server.log if one.path != "/robots.txt")


def test_no_host_is_asked_for_more_than_its_budget_in_this_session_and_the_next(tmp_path: Path) -> None:
    run = tmp_path / "run"

    async def talk(server: Served) -> None:
        first = await hunt(server.port, FIRST, pages=100, host_pages=4, out=run)
        assert first.reason == "capped" and set(asked(server).values()) == {4} and len(asked(server)) == 3
        told = why(run, f"{FIRST}9")
        assert told["budget"] == "the budget of h0.test is spent: 4 downloads (--host-pages)"
        assert any("the budget of h0.test is spent" in line for line in lines(told))
        again = await go_on(run)
        assert again.reason == "capped" and set(asked(server).values()) == {4}, "what was spent before counts"
        more = await go_on(run, host_pages=6)
        assert more.reason == "capped" and set(asked(server).values()) == {6}

    beside(talk)


def test_megabytes_end_a_crawl_and_the_next_session_knows(tmp_path: Path) -> None:
    run = tmp_path / "run"

    async def talk(server: Served) -> None:
        first = await hunt(server.port, FIRST, pages=100, max_mb=0.02, slots=1, out=run)
        assert first.reason == "bytes" and 3 <= first.downloads <= 8
        assert (await go_on(run)).downloads == first.downloads
        more: Told = await go_on(run, max_mb=0.04)
        assert more.reason == "bytes" and more.downloads > first.downloads

    beside(talk)


def test_time_ends_a_crawl_that_would_go_on_and_the_next_session_knows(tmp_path: Path) -> None:
    run = tmp_path / "run"

    async def talk(server: Served) -> None:
        first = await hunt(server.port, FIRST, pages=100, max_time=1.0, delay=0.5, max_wait=60.0, out=run)
        assert first.reason == "time" and first.downloads < 30
        again = await go_on(run)
        assert again.reason == "time" and again.downloads <= first.downloads + 3, "what was in flight, and no more"

    beside(talk)


def test_a_crawl_ends_when_it_is_enough_and_goes_on_when_more_is_wanted(tmp_path: Path) -> None:
    run = tmp_path / "run"

    async def main() -> None:
        async with serve(Hosts(6, 120)) as server:
            first = await hunt(server.port, FIRST, pages=1_000, until="10%", out=run)
            assert first.reason == "enough" and 450 < first.downloads < 600
            again = await go_on(run)
            assert again.reason == "enough" and again.downloads < first.downloads + 20, (
                "what was in flight, and no more"
            )
            more = await go_on(run, until="never")
            assert more.reason == "done" and more.downloads == 720

    asyncio.run(asyncio.wait_for(main(), 240))
