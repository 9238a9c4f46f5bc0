"""A disk that is nearly full, and one that is full in the middle of a write: the run ends, whole, and goes on later."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import (
    Hosts,
    Told,
    assert_whole,
    beside,
    crawl_command,
    finished,
    go_on,
    hunt,
    prepared,
    run,
    stored,
)

from faults import Faulty
from wolfspider.core.events import Ended
from wolfspider.core.model import Fetch
from wolfspider.files.disk import DiskFull
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


def test_a_disk_below_the_floor_is_told_before_anything_is_asked_for(tmp_path: Path) -> None:
    """Of a new run nothing is made, and one that is resumed stays as it is."""

    async def talk(server: Faulty) -> None:
        seeds = {"sitemap": ["http://a.test/sitemap.xml"], "like": ["http://a.test/ok"], "pages": 2}
        told = prepared(server.port, "http://a.test/ok", out=tmp_path / "run", disk_floor=10**9, **seeds)
        with pytest.raises(DiskFull, match=r"1,000,000,000 MB must stay free \(--disk-floor\).*Make space"):
            await finished(told)
        assert server.log == [] and not (tmp_path / "run").exists()
        await hunt(server.port, "http://a.test/ok", out=tmp_path / "run", pages=1)
        asked, kept = len(server.log), (tmp_path / "run" / "run.db").read_bytes()
        with pytest.raises(DiskFull):
            await go_on(tmp_path / "run", pages=2, disk_floor=10**9)
        assert len(server.log) == asked and (tmp_path / "run" / "run.db").read_bytes() == kept

    beside(talk)


@pytest.mark.slow
def test_a_disk_below_the_floor_ends_the_crawl_before_it_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, free = shutil.disk_usage, [10**15]
    monkeypatch.setattr(shutil, "disk_usage", lambda path: real(path)._replace(free=free[0]))

    async def talk(server: Served) -> tuple[Told, Told]:
        told = prepared(server.port, "http://h0.test/", pages=120, out=tmp_path / "run", disk_floor=500)
        told.after(5, lambda: free.__setitem__(0, 10**8))
        return await finished(told), await go_on(tmp_path / "run", disk_floor=0)

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


class Filling(Hosts):
    """While it answers for the twentieth time, somebody else fills the disk."""

    def __init__(self, ballast: Path) -> None:
        super().__init__(WEB.hosts, WEB.pages, WEB.size)
        self.ballast, self.asked = ballast, 0

    def look(self, url: str, now: float) -> Fetch:
        self.asked += 1
        if self.asked == 20:
            fill(self.ballast, 50_000)
        return super().look(url, now)


@pytest.mark.slow
def test_a_full_disk_has_its_own_exit_code(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    with small_disk(tmp_path / "disk", "24m") as disk:
        server = aside(serve(Filling(disk / "ballast"), manner=Manner(latency=0.01)))
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
def test_too_little_space_is_a_sentence_and_an_exit_code(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    server = aside(serve(WEB))
    done = run(crawl_command(server.port, tmp_path / "run", "http://h0.test/", pages=120, disk_floor=10**9))
    assert done.returncode == 7 and "Make space" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
