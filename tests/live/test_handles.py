"""File handles, threads and the event loop: a crawl keeps to what it may have, and gives all of it back."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import Hosts, Told, assert_whole, beside, crawl_command, finished, hunt, prepared, run, stored

from faults import Faulty
from wolfspider.web.server.serve import Manner, serve

needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are counted in /proc")


@pytest.mark.slow
def test_a_crawl_with_few_file_handles_and_many_slots_ends_well(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    web = Hosts(200, 3)
    server = aside(serve(web, manner=Manner(latency=lambda host: 1.0 if host.endswith("7.test") else 0.05)))
    seeds = [f"http://h{number}.test/" for number in range(200)]
    words = crawl_command(server.port, tmp_path / "run", *seeds, pages=600, slots=200, deadline=30)
    done = run(["bash", "-c", 'ulimit -n 256; exec "$@"', "bash", *words])
    assert done.returncode == 0, done.stderr
    assert stored(tmp_path / "run") == web.addresses()
    assert_whole(tmp_path / "run")


@pytest.mark.skipif(sys.platform == "win32", reason="There is no limit on file handles to lower.")
def test_more_hosts_and_slots_than_file_handles_lose_no_page(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    server = aside(serve(Hosts(150, 1)))
    script = Path(__file__).with_name("few_handles.py")
    words = [sys.executable, str(script), "100", "150", str(server.port), str(tmp_path / "run")]
    done = run([*words, "slots=120", "deadline=60"])
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert (told["pages"], told["failures"]) == (150, {}), told
    assert_whole(tmp_path / "run")


@needs_proc
def test_after_a_crawl_all_handles_and_threads_are_given_back(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> None:
        paths = ("ok", "reset", "close", "garbage", "silence", "links/5", "long", "chunks/cut", "redirect?to=/ok")

        async def once(number: int) -> None:
            seeds = [f"http://h{place}.test/{path}" for place, path in enumerate(paths)]
            await hunt(server.port, *seeds, pages=30, deadline=0.5, out=tmp_path / f"run{number}")
            for task in list(server.tasks):
                task.cancel()
            await asyncio.sleep(0.05)
            gc.collect()

        await once(0)
        handles, threads, tasks = open_files(), threading.active_count(), len(asyncio.all_tasks())
        for number in range(1, 4):
            await once(number)
        assert open_files() <= handles + 4
        assert threading.active_count() <= threads + 1 and len(asyncio.all_tasks()) <= tasks

    beside(talk)


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@needs_proc
def test_a_crawl_that_was_stopped_or_broke_gives_everything_back(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> None:
        async def stopped(number: int) -> None:
            told = prepared(
                server.port, "http://a.test/silence", "http://b.test/ok", pages=9, out=tmp_path / f"{number}"
            )
            assert told.hunt is not None
            asyncio.get_running_loop().call_later(0.2, told.hunt.stop)
            await finished(told)
            await asyncio.sleep(0.05)
            gc.collect()

        async def broken(number: int) -> None:
            told = prepared(server.port, "http://b.test/links/5", pages=9, out=tmp_path / f"broken{number}")
            assert told.hunt is not None
            told.hunt._tell = fail
            with pytest.raises(ZeroDivisionError):
                await finished(told)

        def fail(event: object) -> None:
            raise ZeroDivisionError

        await stopped(0)
        await broken(0)
        handles, tasks = open_files(), len(asyncio.all_tasks()) - len(server.tasks)
        for number in range(1, 4):
            await stopped(number)
            await broken(number)
        assert open_files() <= handles + 2 * len(server.tasks) + 2
        assert len(asyncio.all_tasks()) - len(server.tasks) <= tasks

    beside(talk)


def test_the_event_loop_is_never_held_up_for_long(tmp_path: Path) -> None:
    """By pages of a usual size; how long one page may take is bounded elsewhere."""
    longest = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - before)

    async def main() -> Told:
        async with serve(Hosts(10, 20, 40_000)) as server:
            watching = asyncio.create_task(watch())
            try:
                return await hunt(
                    server.port, "http://h0.test/", pages=200, slots=10, out=tmp_path / "run", deadline=30
                )
            finally:
                watching.cancel()

    told = asyncio.run(main())
    assert len(told.pages) == 200 and longest < 5.0
