"""What a person hears of a fleet while it goes on."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console
from tests.islands.island_web import IslandWeb
from tests.islands.test_islands import NoKeepers, settings

from hunting_ground import SEED, TOPIC
from wolfspider.app.settings import Settings
from wolfspider.cli import main
from wolfspider.cli.fleets import Telling, line
from wolfspider.drivers.cluster.ray_home import LETS_IN_ANYBODY
from wolfspider.islands.fleet import FleetHead, open_fleet, opened_fleet, with_limits
from wolfspider.islands.keeper import IslandReport
from wolfspider.islands.lease_ledger import LeaseLedger


def test_without_a_terminal_a_line_a_minute_says_how_it_stands_and_ctrl_c_is_heard_at_once(tmp_path: Path) -> None:
    heard = Console(file=io.StringIO(), width=1000)
    head = FleetHead(tmp_path, 2, NoKeepers(), LeaseLedger(10, [0, 0]))

    def lines() -> list[str]:
        assert isinstance(heard.file, io.StringIO)
        return heard.file.getvalue().splitlines()

    telling = Telling(heard, head, None)
    head.tell = telling.tell
    head.turn()
    assert lines() == []
    telling._said_at -= 60
    head.turn()
    head.turn()
    assert lines() == ["0 of 2 islands at work; 0 of 10 downloads; 0 relevant of 0 pages."]
    head.end = "drain"
    head.turn()
    head.turn()
    (_, told) = lines()
    assert told.startswith("Waiting for visits in flight; Ctrl-C again ends at once.")


def test_one_island_and_one_page_are_not_many() -> None:
    reports = [IslandReport(spent=1, running=True, pages=1, relevant=1)]
    assert line(reports, 1) == "1 of 1 island at work; 1 of 1 download; 1 relevant of 1 page."


def test_ctrl_c_before_the_islands_are_at_work_is_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("wolfspider.islands.fleet.open_fleet", lambda *_: signal.raise_signal(signal.SIGINT))
    with IslandWeb().served() as web:
        words = ["--topic", TOPIC, "--via", f"127.0.0.1:{web.port}", "--islands", "2", "--out", str(tmp_path / "fleet")]
        assert main(["crawl", SEED, *words]) == 130
    assert "Ended by you before the islands were at work" in capsys.readouterr().err


def test_nothing_is_told_of_hands_that_islands_do_not_have(tmp_path: Path) -> None:
    begun, told = Settings(urls=(SEED,), topic=TOPIC, via="127.0.0.1:1", cluster="local"), list[str]()
    with_limits(tmp_path, open_fleet(tmp_path, begun, 2), begun, (), True, told.append)
    assert told == []


@pytest.mark.slow
def test_ctrl_c_of_a_fleet_is_acknowledged_before_its_end(tmp_path: Path) -> None:
    with IslandWeb(seconds=0.1).served() as web:
        words = ["--topic", TOPIC, "--via", f"127.0.0.1:{web.port}", "--disk-floor", "0", "--islands", "2"]
        command = [sys.executable, "-m", "wolfspider", "crawl", SEED, *words, "--out", str(tmp_path / "fleet")]
        crawl = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + 60
        while len(web.pages()) < 5 and time.monotonic() < until:
            time.sleep(0.05)
        os.kill(crawl.pid, signal.SIGINT)
        _, told = crawl.communicate(timeout=60)
    assert crawl.returncode == 130
    first, why, *_ = told.splitlines()
    assert first.startswith("Waiting for visits in flight") and why.startswith("Ended by you after ")
    assert f"resume {tmp_path / 'fleet'}" in told


@pytest.mark.slow
def test_a_fleet_says_which_cluster_it_started_and_who_gets_in(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    told: list[str] = []
    with (
        IslandWeb().served() as web,
        opened_fleet(tmp_path / "fleet", settings(web, 20), 2, cluster="local", remark=told.append),
    ):
        pass
    (started,) = told
    assert started.startswith("Started a Ray cluster, 127.0.0.1:") and started.endswith(LETS_IN_ANYBODY)
