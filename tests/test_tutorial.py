"""The commands of docs/corpus.md, run in their order against a served web."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wolfspider.web.server.serve import serve
from wolfspider.web.worlds.world import open_web

PAGE = (Path(__file__).parents[1] / "docs" / "corpus.md").read_text(encoding="utf-8")
COMMANDS = [
    line for block in re.findall(r"^```\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]
LIBRARIES = ("pyarrow", "tantivy", "resiliparse", "pandas", "duckdb")


def test_the_tutorial_serves_a_web_crawls_it_and_exports() -> None:
    verbs = [command.split()[1] for command in COMMANDS if command.startswith("wolfspider ")]
    assert verbs[:2] == ["web", "crawl"] and {"export", "search", "resume", "forget", "check"} <= set(verbs)
    assert COMMANDS[0].startswith("pip install ")


SERVING = next(command for command in COMMANDS if command.startswith("wolfspider web serve"))
WEB = shlex.split(SERVING)[3]
TOPIC, START, HOST, WORD = (
    "lokena, tidiso, zojoba, nihifi, denari",
    "http://www.pibigaba.test/",
    "www.pibigaba.test",
    "lokena",
)


@pytest.mark.slow
def test_every_command_of_the_tutorial_works(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    all_work(COMMANDS, WEB, HOST, tmp_path, aside)


@pytest.mark.slow
def test_every_command_works_on_a_real_web(corpora: Path, tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    """Nothing but the web, its topic and its addresses is another."""
    web = corpora / "docs-small"
    topic = next(iter(json.loads((web / "topics.json").read_text(encoding="utf-8")).values()))
    start, words = topic["seeds"][0], topic["keywords"]
    host = start.split("/")[2]
    instead = {TOPIC: ", ".join(words), START: start, f" {HOST}": f" {host}", f" {WORD}": f" {words[0]}"}
    commands = COMMANDS
    for before, after in instead.items():
        assert any(before in command for command in commands)
        commands = [command.replace(before, after) for command in commands]
    all_work(commands, str(web), host, tmp_path, aside)


def all_work(commands: list[str], web: str, forgotten: str, folder: Path, aside: Callable[[Any], Any]) -> None:
    for library in LIBRARIES:
        pytest.importorskip(library, reason=f"{library} is not installed")
    via = f"127.0.0.1:{aside(serve(open_web(web))).port}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WOLFSPIDER_")}
    said = {}
    for command in commands:
        if command.startswith("pip ") or command == SERVING:
            continue
        program, *words = shlex.split(
            command.replace("127.0.0.1:8080", via).replace("--pages", "--disk-floor 0 --pages")
        )
        start = [sys.executable, "-m", "wolfspider"] if program == "wolfspider" else [sys.executable]
        done = subprocess.run(
            [*start, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        said[command] = done.stdout
    assert (folder / "corpus" / "README.md").is_file() and list((folder / "texts").rglob("*.md"))
    assert any(out.strip() for command, out in said.items() if command.startswith("wolfspider search"))
    left = subprocess.run(
        [sys.executable, "-m", "wolfspider", "export", "spiders"],
        cwd=folder,
        capture_output=True,
        timeout=60,
        check=True,
    )
    hosts = {json.loads(line)["final_url"].split("/")[2] for line in left.stdout.splitlines()}
    assert hosts and forgotten not in hosts
