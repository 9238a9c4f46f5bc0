"""A dashboard in a real browser, for the tests: a web, the dashboard as a process of its own, and Chromium.

Everything is on loopback. One browser and one server serve all tests of a file; each test has a window of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client  # noqa: TID251
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

from wolfspider.web.server.serve import Manner, serve
from wolfspider.web.worlds.world import Servable

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)
PATIENCE = 60.0  # seconds: machines that are busy are slow
# What is wider than the window, cut off at its edge, or lies over something else; empty if all is well.
OVERFLOW = """() => {
  const wide = document.documentElement.clientWidth, all = document.documentElement.scrollWidth, out = [];
  const hides = (e) => ["auto", "scroll", "hidden"].includes(getComputedStyle(e).overflowX);
  const scrolls = (e) => e && (hides(e) || scrolls(e.parentElement));
  if (all > wide) out.push(`the page is ${all} wide, the window ${wide}`);
  const shown = (what) => [...document.querySelectorAll(what)].filter((e) => e.offsetParent);
  for (const e of shown("main *").filter((e) => !e.children.length && e.textContent.trim())) {
    const box = e.getBoundingClientRect();
    if (!scrolls(e) && (box.right > wide + 1 || box.left < -1)) out.push(`cut off: ${e.textContent.slice(0, 60)}`);
  }
  const kinds = [".card", ".tile", ".button", ".big-line", "dt", "dd", "th", "h1", "h2", ".pill"];
  const blocks = shown(kinds.map((kind) => `main ${kind}`).join());
  const shared = (p, q, from, to) => Math.min(p[to], q[to]) - Math.max(p[from], q[from]);
  for (const [place, a] of blocks.entries()) for (const b of blocks.slice(place + 1)) {
    const p = a.getBoundingClientRect(), q = b.getBoundingClientRect(), within = a.contains(b) || b.contains(a);
    if (!within && shared(p, q, "left", "right") > 2 && shared(p, q, "top", "bottom") > 2)
      out.push(`overlap: ${a.textContent.slice(0, 40)} / ${b.textContent.slice(0, 40)}`);
  }
  return out.slice(0, 10);
}"""


def chromium() -> str | None:
    """The path of a browser that is installed here."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def web(world: Servable, latency: float = 0.02) -> Iterator[str]:
    """Serve a web in a thread of its own; gives what `--via` takes."""
    loop, stack = asyncio.new_event_loop(), AsyncExitStack()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def done(what: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(what, loop).result(30)

    try:
        served = done(stack.enter_async_context(serve(world, manner=Manner(latency=latency))))
        yield f"127.0.0.1:{served.port}"
    finally:
        done(stack.aclose())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()


class Dashboard:
    """A dashboard of a folder, and what a test asks of it without the browser."""

    def __init__(self, folder: Path, via: str, settings: str = "delay = 0.25\nslots = 4\n") -> None:
        self.folder, self.via = folder, via
        # Pages that are all alike, as those of these webs, look like a trap.
        (folder.parent / "settings.toml").write_text(f'{settings}disk_floor = 0\ntraps = "ignore"\n')
        self.start()

    def start(self) -> None:
        words = [
            "dashboard",
            str(self.folder),
            "--port=0",
            "--no-browser",
            f"--via={self.via}",
            "--contact=me@example.org",
        ]
        words.append(f"--config={self.folder.parent / 'settings.toml'}")
        self.process = subprocess.Popen([sys.executable, "-m", "wolfspider", *words], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline().split()
        assert line, "The dashboard could not be started."
        self.address = line[0]
        self.base, _, token = self.address.partition("/?token=")
        self._headers = {"Authorization": f"Bearer {token.partition('#')[0]}", "Content-Type": "application/json"}
        until(self._answers)

    def _answers(self) -> bool:
        try:
            return bool(self.ask("/api/runs"))
        except ConnectionRefusedError:
            return False

    def ask(self, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body)
        connection = http.client.HTTPConnection(self.base.removeprefix("http://"), timeout=PATIENCE)  # noqa: TID251
        try:
            connection.request("GET" if body is None else "POST", path, data, self._headers)
            answer = connection.getresponse()
            told = json.load(answer)
        finally:
            connection.close()
        assert answer.status < 300, told
        return told

    def run(self, name: str) -> Any:
        return self.ask(f"/api/runs/{name}")

    def begin(self, name: str, **more: object) -> None:
        """Start a crawl, and wait until it has pages."""
        self.ask("/api/runs", {"name": name, **more})
        until(lambda: self.downloads(name) >= 5)

    def downloads(self, name: str) -> int:
        line = next((each for each in self.ask("/api/runs")["runs"] if each["name"] == name), None)
        return int(line["downloads"]) if line else 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def end(self) -> None:
        """Stop the crawls that run, then the dashboard."""
        for each in self.ask("/api/runs")["runs"]:
            if each["running"]:
                with contextlib.suppress(AssertionError):  # it ended meanwhile
                    self.ask(f"/api/runs/{each['name']}/commands", {"verb": "stop", "words": []})
        until(lambda: not any(each["running"] for each in self.ask("/api/runs")["runs"]))
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()


def until(holds: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """Wait for a condition; gives what made it true."""
    over = time.monotonic() + patience
    while not (found := holds()):
        assert time.monotonic() < over, "It did not come about in time."
        time.sleep(0.1)
    return found


def number(text: str) -> int:
    """The first number of a text, as the page writes them."""
    found = re.search(r"\d[\d,]*", text)
    assert found, text
    return int(found.group().replace(",", ""))


def process_of(run: Path) -> int:
    """The process that crawls a run: the one whose command line names it and that is no dashboard."""
    for each in Path("/proc").iterdir():
        if not each.name.isdecimal() or int(each.name) == os.getpid():
            continue
        try:
            words = (each / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        except OSError:
            continue
        if "dashboard" not in words and ({"crawl", "resume"} & {*words}) and any(str(run) in word for word in words):
            return int(each.name)
    raise AssertionError(f"Nobody crawls {run}.")
