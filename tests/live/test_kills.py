"""kill -9 at any time: no page that anybody was told of is lost, and little is fetched twice."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import Hosts, assert_whole, command, crawl_command, environment, run, stored

from wolfspider.files.failpoints import VARIABLE
from wolfspider.store.damage import PAGES_LOST
from wolfspider.store.repair.examination import examine
from wolfspider.web.server.serve import serve

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "kill_loop.py"


def killed(folder: Path, *options: object) -> tuple[int, int]:
    """How often the kill loop killed its crawls, and at how many fail-points; it fails if anything was lost."""
    words = [sys.executable, str(PROGRAM), "--keep", str(folder), *map(str, options)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=400, check=False, env=environment())
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    figures = re.fullmatch(r"kills=(\d+) lost=0 refetched=(\d+) torn=\d+ failpoints=(\d+)/\d+", last)
    assert figures is not None, last
    return int(figures[1]), int(figures[3])


@pytest.mark.slow
def test_killed_twenty_times_nothing_is_lost_and_little_is_fetched_twice(tmp_path: Path) -> None:
    assert killed(tmp_path, "--kills", 20) == (20, 11)


@pytest.mark.slow
def test_killed_on_recorded_webs_nothing_is_lost_and_little_is_fetched_twice(tmp_path: Path, corpora: Path) -> None:
    webs = [word for name in ("wiki-small", "docs-small", "news-small") for word in ("--web", name)]
    assert killed(tmp_path, "--kills", 12, "--corpora", corpora, *webs) == (12, 3)


@pytest.mark.slow
def test_killed_with_hands_that_are_killed_as_well_nothing_is_lost(tmp_path: Path) -> None:
    kills, _ = killed(tmp_path, "--kills", 6, "--hands", 2)
    assert kills == 6


SLOTS = 4
# The program, with a snapshot after each page: it is packed and written in its thread while the crawl goes on.
SNAPPING = """
import sys
from wolfspider.cli import main
from wolfspider.drivers import snapshot_timing
snapshot_timing.LANDINGS, snapshot_timing.SHARE = 1, float("inf")
sys.exit(main(sys.argv[1:]))
"""


def told(outputs: list[str]) -> set[str]:
    """Pages that people were told of, in all lives of the crawl; its last words may be cut."""
    events = [json.loads(line) for output in outputs for line in output.splitlines() if line.endswith("}")]
    return {event["final_url"] for event in events if event["event"] == "landed" and "final_url" in event}


@pytest.mark.slow
@pytest.mark.parametrize(
    "deaths",
    [
        ["run-sent:3", "run-sent:1"],
        ["run-landed:1", "run-landed:9"],
        ["run-told:2", "run-told:5"],
        ["run-landed:9", "run-recalled", "run-recalled"],
        ["turn-before-commit:4", "turn-committed:4"],
        ["snapshot-renamed", "snapshot-committed"],
    ],
    ids=lambda deaths: deaths[-1].partition(":")[0],
)
def test_killed_at_a_step_of_the_driver_nothing_is_lost(
    deaths: list[str], tmp_path: Path, aside: Callable[[Any], Any]
) -> None:
    web, folder = Hosts(4, 12), tmp_path / "run"
    server = aside(serve(web))
    words = crawl_command(server.port, folder, "http://h0.test/", pages=48, slots=SLOTS, deadline=30)
    lives = [run(words, env={VARIABLE: failpoint}) for failpoint in deaths]
    assert [life.returncode for life in lives] == [-signal.SIGKILL] * len(deaths)
    lives.append(run(words))
    assert lives[-1].returncode == 0, lives[-1].stderr
    assert stored(folder) == web.addresses() >= told([life.stdout for life in lives])
    asked = Counter(one.host + one.path for one in server.log if one.path != "/robots.txt")
    assert asked.total() - len(asked) <= SLOTS * len(deaths)
    assert_whole(folder)


@pytest.mark.slow
def test_killed_while_a_snapshot_is_written_beside_the_crawl_nothing_is_lost(
    tmp_path: Path, aside: Callable[[Any], Any]
) -> None:
    """The web is so large that no life comes to the last snapshot of a session, which is not written beside it."""
    web, folder = Hosts(4, 2000), tmp_path / "run"
    server = aside(serve(web))
    words = crawl_command(server.port, folder, "http://h0.test/", pages=8000, slots=SLOTS, deadline=30)
    words = [sys.executable, "-c", SNAPPING, *words[words.index("wolfspider") + 1 :]]
    steps = [f"snapshot-{step}:3" for step in ("written", "synced", "renamed", "committed", "tidied")]
    lives = []
    for step in steps:
        lives.append(run(words, env={VARIABLE: step}))
        assert lives[-1].returncode == -signal.SIGKILL and told([lives[-1].stdout]), lives[-1].stderr
        assert not [found for found in examine(folder) if found.code == PAGES_LOST]
    lives.append(run(command("resume", folder, "--pages", 1, "--json", "--quiet")))
    assert lives[-1].returncode == 0, lives[-1].stderr
    assert told([life.stdout for life in lives]) <= stored(folder)
    asked = Counter(one.host + one.path for one in server.log if one.path != "/robots.txt")
    assert asked.total() - len(asked) <= SLOTS * len(steps)
    assert_whole(folder)
    assert not examine(folder)
