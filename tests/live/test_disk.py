"""A disk that is nearly full, and one that is full in the middle of a write: the run ends, whole, and goes on later."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import Hosts, Told, assert_whole, crawl_command, finished, go_on, hunt, prepared, run, stored

from wolfspider.core.events import Ended
from wolfspider.web.server.serve import Manner, Served, serve

WEB = Hosts(4, 30, 20_000)


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no right to mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def fill(path: Path, but: int = 0) -> None:
    """All of the disk, but for so many bytes."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    os.truncate(path, path.stat().st_size - but)


@pytest.mark.slow
def test_a_disk_below_the_floor_ends_the_crawl_before_it_is_full(tmp_path: Path) -> None:
    async def talk(server: Served) -> tuple[Told, Told]:
        first = await hunt(server.port, "http://h0.test/", pages=120, out=tmp_path / "run", disk_floor=10**9)
        return first, await go_on(tmp_path / "run", disk_floor=0)

    async def main() -> tuple[Told, Told]:
        async with serve(WEB, manner=Manner(latency=0.05)) as server:
            return await talk(server)

    first, second = asyncio.run(main())
    assert first.reason == "disk" and isinstance(first.events[-1], Ended) and first.events[-1].reason == "disk"
    assert 0 < first.downloads < 120
    assert second.reason in ("budget", "done") and stored(tmp_path / "run") == WEB.addresses()


@pytest.mark.slow
def test_a_disk_that_is_full_in_mid_crawl_ends_it_whole_and_it_goes_on_when_there_is_space(tmp_path: Path) -> None:
    async def main(disk: Path) -> None:
        async with serve(WEB, manner=Manner(latency=0.01)) as server:
            told = prepared(server.port, "http://h0.test/", pages=120, out=disk / "run")
            told.after(20, lambda: fill(disk / "ballast", 50_000))
            with pytest.raises(Exception, match="Make space") as full:
                await finished(told)
            assert getattr(full.value, "code", 0) == 7
            assert set(told.pages) <= stored(disk / "run")
            (disk / "ballast").unlink()
            assert_whole(disk / "run")
            again = await go_on(disk / "run")
            assert again.reason in ("budget", "done")
            assert not set(told.pages) & set(again.pages)

    with small_disk(tmp_path / "disk", "24m") as disk:
        asyncio.run(main(disk))
        assert stored(disk / "run") == WEB.addresses()
        assert_whole(disk / "run")


@pytest.mark.slow
def test_a_full_disk_has_its_own_exit_code(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    server = aside(serve(WEB, manner=Manner(latency=0.01)))
    with small_disk(tmp_path / "disk", "8m") as disk:
        fill(disk / "ballast", 1_000_000)
        words = crawl_command(server.port, disk / "run", "http://h0.test/", pages=120)
        done = run(words)
        assert done.returncode == 7 and "Make space" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
        (disk / "ballast").unlink()
        assert_whole(disk / "run")
        assert run(words).returncode == 0
        assert stored(disk / "run") == WEB.addresses()


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [100, 400])
def test_files_that_may_not_grow_end_a_crawl_whole(tmp_path: Path, aside: Callable[[Any], Any], blocks: int) -> None:
    server = aside(serve(WEB, manner=Manner(latency=0.01)))
    words = crawl_command(server.port, tmp_path / "run", "http://h0.test/", pages=120)
    done = run(["bash", "-c", f'ulimit -f {blocks}; exec "$@"', "bash", *words])
    assert done.returncode in (2, 7) and "esume" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    assert_whole(tmp_path / "run")
    done = run(words)
    assert done.returncode == 0, done.stderr
    assert stored(tmp_path / "run") == WEB.addresses()
    assert_whole(tmp_path / "run")


@pytest.mark.slow
@pytest.mark.xdist_group("timed")
def test_too_little_space_is_a_reason_and_an_exit_code(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    server = aside(serve(WEB, manner=Manner(latency=0.05)))
    words = crawl_command(server.port, tmp_path / "run", "http://h0.test/", pages=120, disk_floor=10**9)
    began = time.monotonic()
    done = run([word for word in words if word != "--quiet"])
    assert done.returncode == 7 and time.monotonic() - began < 60
    assert "disk is nearly full" in done.stderr and "wolfspider resume" in done.stderr
