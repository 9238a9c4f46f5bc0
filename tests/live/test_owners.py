"""Who owns a run, and what a run's folder may be: one owner, no links, no code, nothing written elsewhere."""

from __future__ import annotations

import asyncio
import os
import pickle  # noqa: TID251  (to see that nobody reads one)
import re
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import (
    Hosts,
    Told,
    assert_whole,
    beside,
    command,
    crawl_command,
    environment,
    finished,
    go_on,
    hunt,
    prepared,
    run,
)

import wolfspider
from faults import Faulty
from wolfspider.core.errors import Busy
from wolfspider.core.events import Pause, Resume
from wolfspider.store.inbox import append_command
from wolfspider.web.server.serve import Manner, serve

PARTS = ("run.json", "run.db", "lock", "warc", "shelf", "snapshots")


def a_small_run(folder: Path) -> None:
    async def talk(server: Faulty) -> None:
        told = await hunt(server.port, "http://a.test/links/20", pages=5, out=folder)
        assert told.reason == "budget"

    beside(talk)


@pytest.mark.slow
def test_a_second_process_on_one_run_is_refused_and_told_who_has_it(
    tmp_path: Path, aside: Callable[[Any], Any]
) -> None:
    server = aside(serve(Hosts(4, 50), manner=Manner(latency=0.2)))
    words = crawl_command(server.port, tmp_path / "run", "http://h0.test/", pages=200)
    first = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    try:
        until = time.monotonic() + 30
        while not (server.log or time.monotonic() > until):
            time.sleep(0.02)
        second = run(words)
        assert second.returncode == Busy.code and second.stdout == ""
        assert f"process {first.pid}" in second.stderr and len(second.stderr.splitlines()) == 1
        assert first.poll() is None
    finally:
        first.kill()
        first.wait()
    assert run(command("resume", tmp_path / "run", "--pages", 10, "--quiet")).returncode == 0


@contextmanager
def closed(folder: Path) -> Iterator[Path]:
    """A folder nobody can write to; root may write everywhere but on a disk that is read-only."""
    folder.mkdir()
    if os.geteuid():
        folder.chmod(0o500)
        yield folder
        return
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("no right to mount a disk that is read-only")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> None:
        with closed(tmp_path / "closed") as folder, pytest.raises(wolfspider.Problem, match=f"{folder}/run cannot be"):
            await hunt(server.port, "http://a.test/ok", pages=5, out=folder / "run")
        assert server.log == []

    beside(talk)


@pytest.mark.slow
def test_a_run_whose_folder_vanishes_ends_with_a_sentence(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    server = aside(serve(Hosts(4, 200), manner=Manner(latency=0.02)))
    words = crawl_command(server.port, tmp_path / "run", "http://h0.test/", pages=800, snapshots=1)
    crawl = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment())
    try:
        until = time.monotonic() + 30
        while len(server.log) < 40 and time.monotonic() < until:
            time.sleep(0.02)
        shutil.rmtree(tmp_path / "run")
        _, said = crawl.communicate(timeout=60)
    finally:
        crawl.kill()
        crawl.wait()
    assert crawl.returncode not in (0, 70) and "Traceback" not in said, said
    assert str(tmp_path / "run") in said and len(said.strip().splitlines()) == 1


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_run_that_is_a_link_elsewhere_is_refused(tmp_path: Path, part: str) -> None:
    folder, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    a_small_run(folder)
    (folder / part).rename(elsewhere)
    (folder / part).symlink_to(elsewhere)
    before = tree(elsewhere)
    with pytest.raises(wolfspider.BadInput):
        asyncio.run(go_on(folder, pages=10))
    assert tree(elsewhere) == before


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below, with its size and when it was changed."""
    every = [folder, *folder.rglob("*")] if folder.is_dir() else [folder]
    return {str(path): (path.lstat().st_size, path.lstat().st_mtime_ns) for path in every if not path.is_dir()}


def test_nothing_is_ever_written_outside_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever hosts and paths are called: names of files never come from addresses."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(home))
    odd = ["/..%2f..%2fescaped", "/CON", "/nul.", "/aux%00x", "/" + "a" * 300, "/%2e%2e/%2e%2e/etc/passwd", "/ü/日本"]

    async def talk(server: Faulty) -> None:
        seeds = [f"http://h{number}.test{path}" for number, path in enumerate(["/ok", "/pdf", "/charset/utf-7", *odd])]
        await hunt(server.port, *seeds, pages=40, out=home / "run")

    beside(talk)
    outside = [path for path in tree(tmp_path) if not path.startswith(str(home / "run") + os.sep)]
    assert outside == []
    assert {path.name for path in (home / "run").iterdir()} <= {*PARTS, "run.db-wal", "run.db-shm"}
    assert all(path.name.endswith((".warc.gz", ".cdxj")) for path in (home / "run" / "warc").iterdir())


class Planted:
    """What a pickle would do to its reader."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.path,))


def test_a_planted_pickle_is_never_read(tmp_path: Path) -> None:
    folder, trace = tmp_path / "run", tmp_path / "executed"
    a_small_run(folder)
    poison = pickle.dumps(Planted(trace))
    for path in (folder / "snapshots").iterdir():
        path.write_bytes(poison)
    (folder / "snapshots" / "99999999-0").write_bytes(poison)
    (folder / "state.pickle").write_bytes(poison)

    async def talk(server: Faulty) -> None:
        told = await go_on(folder, via=f"127.0.0.1:{server.port}", pages=10)
        assert told.reason == "budget" and told.downloads == 10

    beside(talk)
    assert not trace.exists()
    assert_whole(folder)


@pytest.mark.parametrize(("where", "sql"), [("run.json", ""), ("run.db", "PRAGMA user_version = 99")])
def test_a_run_of_a_newer_format_is_refused(tmp_path: Path, where: str, sql: str) -> None:
    folder = tmp_path / "run"
    a_small_run(folder)
    if sql:
        with sqlite3.connect(folder / where) as database:
            database.execute(sql)
    else:
        text = (folder / where).read_text()
        (folder / where).write_text(re.sub(r'"format": \d+', '"format": 99', text))
    with pytest.raises(wolfspider.BadInput, match=r"99.*newer wolfspider"):
        asyncio.run(go_on(folder, pages=10))


def test_a_run_begun_otherwise_is_not_resumed(tmp_path: Path) -> None:
    a_small_run(tmp_path / "run")

    async def talk(server: Faulty) -> None:
        with pytest.raises(wolfspider.Problem, match="begun otherwise"):
            await hunt(server.port, "http://b.test/ok", pages=5, out=tmp_path / "run")

    beside(talk)


def comes_to_its_end(folder: Path, hold: Callable[[], None]) -> None:
    """A crawl, though a stranger takes hold of a part of its run after some pages."""

    async def talk(server: Faulty) -> Told:
        told = prepared(server.port, "http://a.test/links/20", pages=15, out=folder)
        told.after(5, hold)
        return await finished(told)

    assert beside(talk).downloads == 15
    assert_whole(folder)


def test_whoever_writes_to_the_database_of_a_run_is_waited_for_and_the_crawl_goes_on(tmp_path: Path) -> None:
    """Nobody has any business there. While the crawl waits, everything beside its turns goes on: here, what ends the
    stranger's transaction."""
    folder = tmp_path / "run"
    with closing(sqlite3.connect(tmp_path / "none", isolation_level=None)) as stranger:

        def hold() -> None:
            stranger.execute("ATTACH ? AS run", (str(folder / "run.db"),))
            stranger.execute("BEGIN IMMEDIATE")
            stranger.execute("INSERT INTO run.meta VALUES ('stranger', 'was here')")
            asyncio.get_running_loop().call_later(0.1, stranger.execute, "COMMIT")

        comes_to_its_end(folder, hold)


def test_whoever_holds_the_inbox_of_a_run_for_ever_holds_nothing_up(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with closing(sqlite3.connect(tmp_path / "none", isolation_level=None)) as stranger:

        def hold() -> None:
            append_command(folder, Pause(), "a person")
            append_command(folder, Resume(), "a person")
            stranger.execute("ATTACH ? AS inbox", (str(folder / "inbox.db"),))
            stranger.execute("BEGIN EXCLUSIVE")
            stranger.execute("INSERT INTO inbox.commands (at, who, data) VALUES (0, 'x', 'y')")

        comes_to_its_end(folder, hold)
