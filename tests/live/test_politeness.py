"""Politeness as the servers see it: never two requests at once, never one too early, and nobody kept waiting."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.live.hunting import environment

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "politeness.py"


@pytest.mark.slow
@pytest.mark.xdist_group("timed")
def test_a_hundred_hosts_are_each_kept_busy_and_none_is_asked_too_early() -> None:
    words = [sys.executable, str(PROGRAM), "--hosts", "100", "--delay", "2", "--slow", "1"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, env=environment())
    assert done.returncode == 0, done.stdout + done.stderr
