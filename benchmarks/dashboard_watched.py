"""What it costs to watch: the processor time of a dashboard on a large run that grows, and the log of a crawl that is
read all the time.

    python benchmarks/dashboard_watched.py [--pages 200000] [--seconds 30] [--readers 6] [--crawl 3000]

First a run of so many pages grows by 20 a second, and one browser's questions are asked of its dashboard at a browser's
pace: the figure is the dashboard's processor time for each second, once it has read the run. Then a crawl of a computed
web runs twice as fast as it can, without a dashboard and with one that several readers ask without a pause: the figure
is the largest size of run.db-wal, SQLite's log, which cannot begin anew while somebody reads an old state of the run.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client  # noqa: TID251 - asks the dashboard, on loopback
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from dashboard_clients import PROGRAM, _web
from dashboard_map import dict_of, enlarge, insert, small_run

AS_A_BROWSER = (  # what is asked, and every how many seconds
    *(("", 8.0), ("/series", 2.5), ("/pages?kind=accepted&limit=6", 2.0), ("/pages?kind=rejected&limit=6", 2.0)),
    *(("/hosts?limit=6", 2.0), ("/failures", 2.0)),
)
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pages", type=int, default=200_000, help="of the large run; 0: leave it out")
    parser.add_argument("--seconds", type=float, default=30.0, help="for which it is watched")
    parser.add_argument("--readers", type=int, default=6, help="who ask without a pause")
    parser.add_argument("--crawl", type=int, default=3000, help="downloads of the crawl; 0: leave it out")
    given = parser.parse_args()
    if given.pages:
        watch_large(given.pages, given.seconds)
    if given.crawl:
        logs = [log_of_crawl(given.crawl, readers) for readers in (0, given.readers)]
        print(f"largest run.db-wal in MB: {logs[0] / 1e6:.1f} alone, {logs[1] / 1e6:.1f} with {given.readers} readers")


def watch_large(pages: int, seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "large"
        small_run(run)
        enlarge(run / "run.db", pages)
        with _dashboard(Path(folder)) as (place, token, process):
            before = _spent(process)
            for path, _ in AS_A_BROWSER:
                _get(place, token, f"/api/runs/large{path}")
            print(f"pages={pages}: {_spent(process) - before:.2f} s of processor time for the first look at everything")
            over, before = threading.Event(), _spent(process)
            askers = [threading.Thread(target=_ask, args=(place, token, *each, over)) for each in AS_A_BROWSER]
            askers.append(threading.Thread(target=_follow, args=(place, token, over)))
            for each in askers:
                each.start()
            added = _grow(run / "run.db", seconds)
            over.set()
            for each in askers:
                each.join()
            print(f"added={added} in {seconds:g} s: {(_spent(process) - before) / seconds:.3f} s a second")


def _grow(database: Path, seconds: float) -> int:
    """20 pages a second."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        seq = connection.execute("SELECT MAX(seq) FROM log").fetchone()[0]
        visit = connection.execute("SELECT MAX(id) FROM visits").fetchone()[0]
        model = {name: dict_of(connection, name) for name in ("pages", "landings", "held", "visits", "log")}
        until, number = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            connection.execute("BEGIN IMMEDIATE")
            for _ in range(10):
                number, seq, visit = number + 1, seq + 1, visit + 1
                url = f"http://new{number % 7}.test/{number}"
                same = {"seq": seq, "url": url, "visit": visit, "score": 0.9, "relevant": number % 2, "page": seq}
                own = {
                    "final_url": url,
                    "host": f"new{number % 7}.test",
                    "id": visit,
                    "n": 0,
                    "cost": 1,
                    "kind": "land",
                }
                for name, row in model.items():
                    insert(connection, name, {column: {**same, **own}.get(column, row[column]) for column in row})
            connection.execute("COMMIT")
            time.sleep(0.5)
    return number


def log_of_crawl(downloads: int, readers: int) -> int:
    with tempfile.TemporaryDirectory() as folder, _web() as (via, start, topic), ExitStack() as stack:
        base = Path(folder)
        (base / "all.toml").write_text("delay = 0\nadapt = 0\nhurry = 1000000\ndisk_floor = 0\n", encoding="utf-8")
        run, over = base / "runs" / "watched", threading.Event()
        words = [*PROGRAM, "crawl", "--quiet", "--config", str(base / "all.toml"), "--via", via, "--topic", topic]
        crawl = subprocess.Popen([*words, "--pages", str(downloads), "--out", str(run), start])
        stack.callback(crawl.wait)
        askers: list[threading.Thread] = []
        if readers:
            place, token, _ = stack.enter_context(_dashboard(base / "runs"))
            paths = [path for path, _ in AS_A_BROWSER] + ["/map", "/report", "/commands"]
            for number in range(readers):
                turned = paths[number % len(paths) :] + paths[: number % len(paths)]
                askers.append(threading.Thread(target=_ask_on, args=(place, token, turned, over)))
                askers[-1].start()
        largest = 0
        while crawl.poll() is None:
            with contextlib.suppress(OSError):
                largest = max(largest, (run / "run.db-wal").stat().st_size)
            time.sleep(0.1)
        over.set()
        for each in askers:
            each.join()
    return largest


@contextmanager
def _dashboard(folder: Path) -> Iterator[tuple[str, str, int]]:
    words = [*PROGRAM, "dashboard", str(folder), "--port", "0", "--no-browser", "--quiet"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = re.match(r"http://(127\.0\.0\.1:\d+)/\?token=([^#\s]+)", server.stdout.readline())
    assert address is not None
    try:
        yield address[1], address[2], server.pid
    finally:
        server.terminate()
        server.communicate()


def _get(place: str, token: str, path: str) -> int:
    with closing(http.client.HTTPConnection(place, timeout=120)) as connection:  # noqa: TID251
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        answer.read()
        return answer.status


def _ask(place: str, token: str, path: str, every: float, over: threading.Event) -> None:
    while not over.wait(every):
        _get(place, token, f"/api/runs/large{path}")


def _ask_on(place: str, token: str, paths: list[str], over: threading.Event) -> None:
    while not over.is_set():
        for path in paths:
            with contextlib.suppress(OSError):
                _get(place, token, f"/api/runs/watched{path}")


def _follow(place: str, token: str, over: threading.Event) -> None:
    """The stream of events, read as it comes."""
    with closing(http.client.HTTPConnection(place, timeout=5)) as connection:  # noqa: TID251
        connection.request("GET", "/api/events?run=large", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        while not over.is_set():
            with contextlib.suppress(TimeoutError):
                answer.read1(1 << 16)


def _spent(process: int) -> float:
    """Processor seconds of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


if __name__ == "__main__":
    main()
