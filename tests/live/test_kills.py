"""kill -9 at any time: no page that anybody was told of is lost, and little is fetched twice."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.live.hunting import environment

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "kill_loop.py"


@pytest.mark.slow
def test_killed_twenty_times_nothing_is_lost_and_little_is_fetched_twice(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "--kills", "20", "--keep", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
        env=environment(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    figures = re.fullmatch(r"kills=(\d+) lost=0 refetched=(\d+) torn=\d+", last)
    assert figures is not None and int(figures[1]) >= 18, last
