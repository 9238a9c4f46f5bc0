"""A wall clock that jumps, amid a crawl or between two sessions: order, gaps and pages do not depend on it."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from itertools import pairwise
from pathlib import Path

import pytest
from tests.live.hunting import Hosts, Told, finished, go_on, prepared, stored

from wolfspider.web.server.serve import serve

DAY = 86_400.0


def jump(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """The wall clock is somewhere else from now on."""
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + seconds)


@pytest.mark.parametrize("step", [DAY, -DAY])
def test_a_wall_clock_that_jumps_in_mid_crawl_changes_neither_order_nor_gaps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    web = Hosts(3, 6)

    async def main() -> Told:
        async with serve(web) as server:
            told = prepared(server.port, "http://h0.test/", pages=18, delay=0.1, out=tmp_path / "run")
            told.after(6, lambda: jump(monkeypatch, step))
            await finished(told)
            for host in range(3):
                times = sorted((one.arrived, one.ended) for one in server.log if one.host == f"h{host}.test")
                assert all(0.098 <= after[0] - before[1] < 30 for before, after in pairwise(times))
            return told

    told = asyncio.run(main())
    assert set(told.pages) == web.addresses()
    assert_in_order(told, tmp_path / "run")
    assert told.events[-1].at - told.events[0].at < 60


def assert_in_order(told: Told, folder: Path) -> None:
    times = [event.at for event in told.events]
    assert times == sorted(times)
    with sqlite3.connect(f"file:{folder}/run.db?mode=ro", uri=True) as database:
        logged = [at for (at,) in database.execute("SELECT at FROM log WHERE at IS NOT NULL ORDER BY seq")]
    assert logged == sorted(logged)


@pytest.mark.parametrize("step", [DAY, -DAY])
def test_a_wall_clock_that_jumps_between_two_sessions_changes_neither_order_nor_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    web = Hosts(3, 20)

    async def main() -> tuple[Told, Told]:
        async with serve(web) as server:
            first = prepared(server.port, "http://h0.test/", pages=60, delay=0.02, out=tmp_path / "run")
            assert first.hunt is not None
            first.after(20, first.hunt.stop)
            await finished(first)
            jump(monkeypatch, step)
            second = await go_on(tmp_path / "run")
            return first, second

    first, second = asyncio.run(main())
    assert first.reason == "stopped" and stored(tmp_path / "run") == web.addresses()
    assert second.events[0].at >= first.events[-1].at
    assert_in_order(second, tmp_path / "run")
