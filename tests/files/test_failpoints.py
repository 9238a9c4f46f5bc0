"""Every place where a test can kill the process is known by name."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from wolfspider.core.errors import Problem
from wolfspider.files.failpoints import ANY, NAMES, VARIABLE, Failpoint

SOURCE = Path(__file__).parents[2] / "src" / "wolfspider"
PLACE = re.compile(r"(?:\breach\(\s*|\bfailpoint=)\"([^\"]+)\"")


def test_the_places_in_the_source_are_the_names_that_are_listed() -> None:
    texts = (path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    assert sorted({name for text in texts for name in PLACE.findall(text)}) == sorted(NAMES)
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize(
    ("setting", "passed"), [(NAMES[0], 0), (f"{NAMES[0]}:1", 0), (f"{NAMES[0]}:4", 3), (f"{ANY}:8", 3)]
)
def test_the_process_dies_the_time_it_was_told_to(setting: str, passed: int) -> None:
    lines = f"from wolfspider.files.failpoints import reach\nfor n in range(9):\n reach({NAMES[0]!r})"
    lines += f"\n reach({NAMES[1]!r})\n print(n, flush=True)"
    run = subprocess.run(
        [sys.executable, "-c", lines], env={**os.environ, VARIABLE: setting}, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == -signal.SIGKILL and len(run.stdout.split()) == passed


@pytest.mark.parametrize("setting", ["archive-writen", "archive-written:x", "archive-written:-1"])
def test_a_name_that_is_not_there_is_refused(setting: str) -> None:
    with pytest.raises(Problem, match=VARIABLE):
        Failpoint(setting)
