"""A day of watching in a minute: the watch is killed in the middle, and every article is accounted for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.live.hunting import environment

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "watch_rehearsal.py"


@pytest.mark.slow
@pytest.mark.parametrize(("strategy", "days"), [("foragers", 0.4), ("newshound", 1.0)])
def test_every_article_is_accounted_for_though_the_watch_is_killed(strategy: str, days: float) -> None:
    """How many are found is up to the machine, for the site's time goes on whatever it does: but some are."""
    words = [sys.executable, str(PROGRAM), f"--days={days}", f"--option=--strategy={strategy}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False, env=environment())
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    last = done.stdout.splitlines()[-1]
    assert re.fullmatch(r"published=\d+ found=[1-9]\d* unaccounted=0 twice=0", last), last
