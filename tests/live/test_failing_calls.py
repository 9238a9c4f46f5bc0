"""Every call of the system fails once: the run ends by a sentence, and goes on with all that it told of."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.live.hunting import environment

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "faults.py"


@pytest.mark.slow
def test_whichever_call_fails_nothing_told_is_lost_and_the_run_goes_on() -> None:
    if shutil.which("gcc") is None:
        pytest.skip("There is no gcc, so no call of the system can be made to fail.")
    words = [sys.executable, str(PROGRAM), "--points", "150", "--seed", os.environ["SAMPLE_SEED"]]
    done = subprocess.run(words, capture_output=True, text=True, timeout=800, check=False, env=environment())
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    figures = re.fullmatch(
        r"points=150 reached=(\d+) lost=0 again=0 unopened=0 unsaid=0 damaged=0", done.stdout.splitlines()[-1]
    )
    assert figures is not None and int(figures[1]) > 100, done.stdout
