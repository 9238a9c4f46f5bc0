"""The examples, run as programs against a served web."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wolfspider.web.server.serve import serve
from wolfspider.web.worlds.synthetic import Synthetic

EXAMPLES = Path(__file__).parents[1] / "examples"
WEB = Synthetic.parse("synthetic:pages=1000,mischief=0,seeds=relevant")
TASK = next(iter(WEB.tasks().values()))


def program(*words: object) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WOLFSPIDER_")}
    call = [sys.executable, *map(str, words)]
    return subprocess.run(call, capture_output=True, text=True, timeout=100, check=False, env=environment)


@pytest.fixture
def via(aside: Callable[[Any], Any]) -> str:
    return f"127.0.0.1:{aside(serve(WEB)).port}"


def test_every_example_is_tried_here() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        "agent_hunts.py",
        "own_judge_and_strategy.py",
        "watch_it_hunt.py",
    }


@pytest.mark.slow
def test_watch_it_hunt(via: str, tmp_path: Path) -> None:
    words = (EXAMPLES / "watch_it_hunt.py", TASK.seeds[0], " ".join(TASK.topic.keywords), "--via", via)
    done = program(*words, "--pages", 12, "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    *found, last = done.stdout.splitlines()
    assert found and all(re.match(r"[01]\.\d\d http\S+ ", line) for line in found)
    assert last == "over after 12 downloads: budget"
    again = program(*words, "--pages", 15, "--out", tmp_path / "run")
    assert again.stdout.splitlines()[-1] == "over after 15 downloads: budget"


@pytest.mark.slow
def test_a_judge_and_a_strategy_of_your_own(via: str, tmp_path: Path) -> None:
    own = EXAMPLES / "own_judge_and_strategy.py"
    words = ("crawl", *TASK.seeds, "--topic", " ".join(TASK.topic.keywords), "--via", via, "--delay", 0)
    choice = ("--judge", own, "--strategy", own, "--set", "boredom=0.2", "--pages", 20, "--out", tmp_path / "run")
    done = program("-m", "wolfspider", *words, *choice)
    assert done.returncode == 0 and "The budget is spent: 20 downloads." in done.stderr, done.stderr
    assert program("-m", "wolfspider", "resume", tmp_path / "run", "--pages", 25).returncode == 0


@pytest.mark.slow
def test_an_agent_hunts(via: str, tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    words = (EXAMPLES / "agent_hunts.py", tmp_path / "hunts", " ".join(TASK.topic.keywords), TASK.seeds[0])
    done = program(*words, "--via", via, "--pages", 12)
    assert done.returncode == 0, done.stderr
    found = [line for line in done.stdout.splitlines() if re.match(r"[01]\.\d\d http\S+ ", line)]
    assert re.search(r"over: \d+ relevant pages in 12 downloads", done.stdout) and 1 <= len(found) <= 3
