"""The commands of docs/watch-tutorial.md, run in their order against the site that it serves."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.live.hunting import command, environment

from wolfspider.web.server.serve import Manner, serve
from wolfspider.web.worlds.synthetic.web_params import as_of
from wolfspider.web.worlds.world import open_web

PAGE = (Path(__file__).parents[2] / "docs" / "watch-tutorial.md").read_text(encoding="utf-8")
COMMANDS = [
    line for block in re.findall(r"^```\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]
SECONDS = 150.0


def watched(words: list[str], folder: Path, news: Path, more: int) -> str:
    """Run a watch until so many more reports are there, and end it as a person does."""
    before = len(news.read_text(encoding="utf-8").splitlines()) if news.exists() else 0
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(words, cwd=folder, env=environment(), text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            until = time.monotonic() + SECONDS
            while not news.exists() or len(news.read_text(encoding="utf-8").splitlines()) < before + more:
                assert process.poll() is None and time.monotonic() < until, process.communicate(timeout=10)[0]
                time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            said = str(process.communicate(timeout=SECONDS)[0])
        finally:
            process.kill()
    assert process.returncode == 130, said
    return said


@pytest.mark.slow
def test_every_command_of_the_tutorial_works(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    serving, *others = COMMANDS
    web, speed = shlex.split(serving)[3], float(re.findall(r"--speed (\d+)", serving)[0])
    now = time.time()
    manner = Manner(speed=speed, start=now, tells_time=True)
    via = f"127.0.0.1:{aside(serve(open_web(as_of(web, now)), manner=manner)).port}"
    news = tmp_path / "news" / "news.jsonl"
    for line in others:
        words = shlex.split(line.replace("127.0.0.1:8080", via))[1:]
        if words[0] == "watch" and "theatre" not in words:
            words = [*words, "--disk-floor", "0", *([] if "--via" in words else ["--via", via])]
            assert "Go on by: wolfspider watch --out news" in watched(command(*words), tmp_path, news, 3)
        elif words[0] == "watch":
            words += ["--disk-floor", "0"]
            watched(command(*words), tmp_path, tmp_path / "theatre" / "news.jsonl", 1)
        else:
            done = subprocess.run(
                command(*words),
                cwd=tmp_path,
                env=environment(),
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert done.returncode == 0, (line, done.stdout, done.stderr)
            if words[0] == "explain":
                assert "It is an address that you watch: news are looked for on it" in done.stdout
    lines = [json.loads(line) for line in news.read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= 6 and len({line["id"] for line in lines}) == len(lines)
    feed = ElementTree.parse(tmp_path / "news" / "news.atom").getroot()
    assert len(list(feed.iter("{http://www.w3.org/2005/Atom}entry"))) == min(100, len(lines))
    assert (tmp_path / "news.csv").stat().st_size and (tmp_path / "news" / "report.html").stat().st_size


def test_the_tutorial_serves_a_site_and_watches_it() -> None:
    assert COMMANDS[0].startswith("wolfspider web serve ") and COMMANDS[1].startswith("wolfspider watch http://")
    assert all(line.startswith("wolfspider ") for line in COMMANDS)
