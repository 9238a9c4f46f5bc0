"""The screen of a crawl, `status`, `report` and `export` agree to the page: in mid-crawl, and at the end."""

from __future__ import annotations

import fcntl
import json
import os
import re
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from small_web import BREAD, SPIDERS, SmallWeb, page
from wolfspider.store.view import RunView
from wolfspider.web.server.serve import Manner, serve

HOSTS, EACH = 6, 40
TIME = 120.0
pytestmark = pytest.mark.usefixtures("bare_environment")
Run = Callable[..., tuple[int, str, str]]
Aside = Callable[[Any], Any]


def _page(host: int, number: int) -> Any:
    """Two of three are relevant, every ninth is for no index, and every page shows one that is not there."""
    links = (*(f"/{other}" for other in range(1, EACH)), f"http://h{(host + 1) % HOSTS}.test/", f"/gone{number}")
    head = '<meta name="robots" content="noindex">' if number % 9 == 4 else ""
    return page(f"Page {number}", BREAD if number % 3 == 2 else SPIDERS, *links, head=head)


WEB = SmallWeb(
    {
        f"http://h{host}.test/{number or ''}": _page(host, number)
        for host in range(HOSTS)
        for number in range(EACH)
        if number % 10 != 7
    },
    {f"http://h{host}.test/7": f"http://h{host}.test/8" for host in range(HOSTS)},
)


class OnTerminal:
    """A crawl in a process of its own, with a terminal; `screen` is all that it has shown there."""

    def __init__(self, *words: str) -> None:
        self._terminal, end = os.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        environment = {
            name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")
        }
        call, environment["TERM"] = [sys.executable, "-m", "wolfspider", *words], "xterm"
        self.process = subprocess.Popen(call, stdin=end, stdout=end, stderr=end, env=environment)
        os.close(end)
        self._shown = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        try:
            while part := os.read(self._terminal, 1 << 16):
                self._shown += part
        except OSError:  # the other side is closed
            pass

    @property
    def screen(self) -> str:
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self._shown.decode(errors="replace"))

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(TIME)
        self._reader.join(TIME)
        os.close(self._terminal)


def until(holds: Callable[[], Any]) -> Any:
    end = time.monotonic() + TIME
    while not (found := holds()):
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.05)
    return found


def told(run: Run, folder: Path) -> set[tuple[int, int, int]]:
    """Downloads, pages and relevant pages, as status, report and export tell them."""
    status = json.loads(run("status --json", folder)[1])
    said = re.search(r"(\d+) pages from \d+ hosts, (\d+) of them relevant", run("status", folder)[1])
    assert run("report", folder)[0] == 0
    report = re.search(r"([\d,]+) relevant of ([\d,]+) pages, for ([\d,]+) downloads", _report(folder))
    assert said and report
    exported = [json.loads(line) for line in run("export", folder)[1].splitlines()]
    relevant = run("export --relevant", folder)[1].count("\n")
    assert relevant == sum(one["relevant"] for one in exported)
    numbers = [int(number.replace(",", "")) for number in report.groups()]
    return {
        (status["downloads"], status["pages"], status["relevant"]),
        (status["downloads"], int(said[1]), int(said[2])),
        (numbers[2], numbers[1], numbers[0]),
        (status["downloads"], len(exported), relevant),
    }


def _report(folder: Path) -> str:
    return next(folder.glob("*.html")).read_text()


def on_screen(crawl: OnTerminal) -> tuple[int, int] | None:
    """Downloads and relevant pages, as the last picture has them."""
    pictures = re.findall(r"(\d+) of \d+ downloads.*?(\d+) relevant", crawl.screen, re.DOTALL)
    return (int(pictures[-1][0]), int(pictures[-1][1])) if pictures else None


def is_still(folder: Path) -> bool:
    gauge = RunView(folder).gauge()
    return gauge is not None and gauge.state == "paused" and not gauge.in_flight + sum(gauge.waiting.values())


def test_everybody_tells_the_same_pages_in_mid_crawl_and_at_the_end(aside: Aside, run: Run, tmp_path: Path) -> None:
    served, folder = aside(serve(WEB, manner=Manner(latency=0.02))), tmp_path / "run"
    words = f"crawl http://h0.test/ --topic spiders --via 127.0.0.1:{served.port} --delay 0 --adapt 0 --slots 3"
    crawl = OnTerminal(*words.split(), "--strategy", "breadth-first", "--pages", "150", "--out", str(folder))
    try:
        until(lambda: (folder / "run.db").exists() and (folder / "run.json").exists())
        until(lambda: RunView(folder).summary().downloads >= 20)
        run("steer", folder, "pause")
        until(lambda: is_still(folder))
        ((downloads, pages, relevant),) = told(run, folder)
        assert 20 <= downloads < 150 and pages > relevant > 0
        until(lambda: on_screen(crawl) == (downloads, relevant))
        run("steer", folder, "resume")
        assert crawl.process.wait(TIME) == 0
    finally:
        crawl.close()
    ((downloads, pages, relevant),) = told(run, folder)
    assert downloads == 150 and pages > relevant > 0  # the last picture may be a moment older than the last lines
    last = re.findall(r"(\d+) pages from \d+ hosts, (\d+) of them relevant", crawl.screen)[-1]
    assert tuple(map(int, last)) == (pages, relevant)
    for sentence in standing_lines(run, folder):
        assert sentence in " ".join(crawl.screen.split()), "what is to come, too"


def standing_lines(run: Run, folder: Path) -> list[str]:
    """What status says of the relevant pages to come, each as one line."""
    return [
        line for line in run("status", folder)[1].splitlines() if "of the next 100" in line or "left within" in line
    ]
