"""A long crawl in short: hosts that misbehave in every way, two kills, and all that was told is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.live.hunting import environment

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "soak.py"


@pytest.mark.slow
def test_a_crawl_among_misbehaving_hosts_that_is_killed_twice_stays_whole_and_small(tmp_path: Path) -> None:
    words = [sys.executable, str(PROGRAM), "--pages", "1200", "--hosts", "60", "--draw", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=800, check=False, env=environment())
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    last = done.stdout.splitlines()[-1]
    assert re.fullmatch(r"lost=0 refetched=\d+ rss_slope_kb_per_page=-?[\d.]+ fds_max=\d+", last), last
    assert sorted(path.name for path in tmp_path.iterdir()) == ["soak-files.svg", "soak-handles.svg", "soak-memory.svg"]
