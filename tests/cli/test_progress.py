"""Progress where nothing can move: lines with a count, and what is kept after Ctrl-C."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from wolfspider.terminal import progress


def test_what_is_no_terminal_gets_a_line_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("wolfspider.terminal.progress.time.monotonic", lambda: now[0])
    console = Console(file=io.StringIO(), width=80)
    with progress.Bar(console, "cells") as bar:
        for done, at in ((40, 1.0), (41, 59.0), (50, 61.0), (50, 130.0), (60, 181.0)):
            now[0] = at
            bar.done(done, 100, {})
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines() == [
        "cells: 50 of 100, about 1 min left",
        "cells: 60 of 100, about 8 min left",
    ]


def test_an_interrupted_reproduction_says_what_is_kept(tmp_path: Path) -> None:
    call = [sys.executable, "-m", "wolfspider", "reproduce", "best-first-against-breadth-first", "--jobs", "1"]
    out = tmp_path / "paper"
    with subprocess.Popen([*call, "--out", str(out)], stderr=subprocess.PIPE, text=True) as run:
        while not [*out.glob("cells/*.json")] and run.poll() is None:
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        _, told = run.communicate()
    assert run.returncode == 130
    assert told.strip() == f"wolfspider: Interrupted. Finished cells are kept in {out}: the same command goes on."
