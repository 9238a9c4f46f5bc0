"""Crawls on a Ray cluster of this machine. Ray takes ten seconds and more to start, so there are few of these."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import Hosts, assert_whole, finished, prepared, stored
from tests.watch.papers import HOUR, NOON, Article, Paper, watching

from wolfspider.app import cluster_status as status
from wolfspider.app.cluster import may_be_out, workers_of, write_note
from wolfspider.app.settings import Settings
from wolfspider.cli import main
from wolfspider.core.errors import BadInput, Problem
from wolfspider.drivers.cluster.leases import TERM
from wolfspider.drivers.cluster.ray_home import ENVIRONMENT
from wolfspider.web.server.serve import Manner, serve

ROOT = Path(__file__).parents[2]


def test_without_ray_a_crawl_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(Problem, match=r'--cluster needs Ray.*pip install "wolfspider\[cluster\]"'):
        prepared(1, "http://h0.test/", out=tmp_path / "run", cluster="auto")


def test_a_run_that_is_on_no_cluster_has_no_workers_to_show(tmp_path: Path) -> None:
    assert workers_of(tmp_path) is None
    with pytest.raises(Problem, match="There is no run"):
        status.of_run(tmp_path)


@pytest.mark.parametrize("note", ["[]", "[" * 100_000, "{", json.dumps({"workers": []}), json.dumps({"workers": [1]})])
def test_a_damaged_note_of_workers_is_told_as_such(tmp_path: Path, note: str) -> None:
    (tmp_path / "run.json").touch()
    (tmp_path / "cluster.json").write_text(note)
    with pytest.raises(BadInput, match="is damaged, so nothing is known of workers"):
        status.of_run(tmp_path)


def test_workers_are_shown_below_their_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = {"address": "a:1", "own": True, "at": time.time(), "lost": 0, "late": 0}
    worker = {"name": "abcdefghij.0", "machine": "m\x1b[31m", "pid": 7, "epoch": 1, "silent": 0.5, "requests": 2}
    (tmp_path / "run.json").touch()
    write_note(tmp_path / "cluster.json", {**told, "workers": [{**worker, "answers": 3}]})
    assert main(["cluster", "status", str(tmp_path)]) == 0
    _, line, _ = capsys.readouterr().out.splitlines()
    assert line == "  abcdefgh.0  m, process 7  epoch 1, heard 0.5 s ago  2 requests out, 3 answers"


def test_a_note_of_workers_is_read_and_written_through_no_pipe_and_no_link(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "cluster.json")
    with pytest.raises(BadInput, match="no plain file"):
        workers_of(tmp_path)
    (tmp_path / "mine").write_text("precious")
    (tmp_path / "cluster.new").symlink_to(tmp_path / "mine")
    (tmp_path / "cluster.json").unlink()
    (tmp_path / "cluster.json").symlink_to(tmp_path / "mine")
    with pytest.raises(BadInput, match="a link to elsewhere"):
        workers_of(tmp_path)
    told = {"address": "a:1", "own": True, "at": 1.0, "lost": 0, "late": 0, "workers": []}
    write_note(tmp_path / "cluster.json", told)
    assert (workers_of(tmp_path), (tmp_path / "mine").read_text()) == (told, "precious")


def test_requests_of_a_dead_head_are_waited_out_where_workers_sent_them() -> None:
    here, there = Settings(deadline=7.0), Settings(deadline=7.0, cluster="auto")
    assert may_be_out(here, {"settings": here.to_json()}) == 0.0
    assert may_be_out(there, {"settings": here.to_json()}) == may_be_out(here, {"settings": there.to_json()})
    assert may_be_out(there, {}) == TERM + 7.0


@pytest.mark.slow
@pytest.mark.xdist_group("timed")
def test_a_machine_that_joins_gets_hosts_and_one_that_leaves_loses_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two machines that are raylets of this one. The second joins in mid-crawl, and is taken away again."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    from ray.cluster_utils import Cluster

    web, seen = Hosts(30, 8), []
    plain: dict[str, Any] = {"num_cpus": 1, "include_dashboard": False, "node_ip_address": "127.0.0.1"}
    cluster = Cluster(initialize_head=True, head_node_args=plain, shutdown_at_exit=False)  # else no thread may add one
    try:

        async def main() -> Any:
            async with serve(web, manner=Manner(latency=0.1)) as server:
                settings = {"slots": 8, "delay": 0.4, "deadline": 3.0, "max_wait": 60.0, "pages": 240}
                told = prepared(
                    server.port, "http://h0.test/", out=tmp_path / "run", cluster=cluster.address, **settings
                )
                crawl = asyncio.create_task(finished(told, 120))
                while len(told.landed) < 20 and not crawl.done():
                    await asyncio.sleep(0.05)
                node = await asyncio.to_thread(cluster.add_node, **plain)
                while len(seen) < 2 and not crawl.done():
                    await asyncio.sleep(0.05)
                    shown = status.of_run(tmp_path / "run")["workers"] if not crawl.done() else []
                    seen[:] = [one["name"] for one in shown if one["answers"]]
                await asyncio.to_thread(cluster.remove_node, node, allow_graceful=False)
                return await crawl, server

        told, server = asyncio.run(main())
    finally:
        cluster.shutdown()
    assert (told.reason, told.downloads, told.failures) == ("budget", 240, {})
    assert stored(tmp_path / "run") == web.addresses()
    assert len(seen) == 2, "the second machine never brought anything"
    again = Counter(one.host + one.path for one in server.log if one.path != "/robots.txt").total() - 240
    assert 0 <= again <= 8
    assert server.worst() == 1
    assert not (tmp_path / "run" / "cluster.json").exists()
    assert_whole(tmp_path / "run")


@pytest.mark.slow
@pytest.mark.xdist_group("timed")
def test_a_watch_on_a_cluster_tells_what_is_new_in_every_session(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    paper = Paper()
    paper.articles = {"recent": Article("Of this morning.", NOON - 2 * HOUR)}

    async def main() -> None:
        async with watching(paper, tmp_path / "run", cluster="local", fold=2.0) as under_way:
            await under_way.until(lambda: under_way.told() == ["recent"])
            await under_way.until(lambda: sum("a Ray cluster" in remark for remark in under_way.remarks) > 1)
            paper.articles["fresh"] = Article("Just now.", under_way.now())
            await under_way.until(lambda: "fresh" in under_way.told())

    asyncio.run(main())
    assert not (tmp_path / "run" / "cluster.json").exists()


@pytest.mark.slow
@pytest.mark.xdist_group("timed")
def test_workers_that_are_killed_and_stopped_break_no_promise() -> None:
    options = ["--seconds", "12", "--workers", "3", "--hosts", "12", "--slots", "8", "--head-kills", "0"]
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "cluster_chaos.py", *options],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(r"lost=0 refetched=\d+ early=0 double=0", done.stdout.splitlines()[-1])
