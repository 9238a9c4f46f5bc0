"""The examples, run as programs against a served web; some of them are run by tutorials, too (test_tutorials.py)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from small_web import SMALL
from wolfspider.web.server.serve import serve
from wolfspider.web.worlds.synthetic import Synthetic

EXAMPLES = Path(__file__).parents[1] / "examples"
WEB = Synthetic.parse("synthetic:pages=1000,mischief=0,seeds=relevant")
DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
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
        "catalogue_sink.py",
        "own_judge_and_strategy.py",
        "reading_list.py",
        "watch_it_hunt.py",
        "whats_new.py",
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


@pytest.mark.slow
def test_what_is_new_is_told_once(via: str, tmp_path: Path) -> None:
    words = (EXAMPLES / "whats_new.py", tmp_path / "run", TASK.seeds[0], "--topic", " ".join(TASK.topic.keywords))
    told = [program(*words, "--via", via, "--more", 10) for _ in range(2)]
    assert [done.returncode for done in told] == [0, 0], told
    first, second = ([json.loads(line)["url"] for line in done.stdout.splitlines()] for done in told)
    assert first and second and not set(first) & set(second)


@pytest.mark.slow
def test_a_reading_list_and_a_catalogue(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    """Of pages whose titles are markup."""
    via, run = f"127.0.0.1:{aside(serve(SMALL)).port}", tmp_path / "run"
    words = ("crawl", "http://a.test/", "--topic", "wolf spiders", "--via", via, "--delay", 0, "--pages", 9)
    assert program("-m", "wolfspider", *words, "--disk-floor", 0, "--out", run).returncode == 0
    done = program(EXAMPLES / "reading_list.py", run)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 1, "one host, one line"
    sink = EXAMPLES / "catalogue_sink.py"
    written = program("-m", "wolfspider", "export", run, "--format", sink, "--out", tmp_path / "catalogue.xml")
    assert written.returncode == 0, written.stderr
    titles = [each.text for each in ElementTree.parse(tmp_path / "catalogue.xml").iter(f"{DUBLIN_CORE}title")]
    assert "Good" in titles and any(title and "wolfspider: a forged line" in title for title in titles)
