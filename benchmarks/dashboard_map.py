"""How much the map of a large run costs: bytes that are sent, the server's time, and the time of a frame in a browser.

    python benchmarks/dashboard_map.py [--pages 50000] [--picture FILE.png] [--browser /usr/bin/chromium]

A small rehearsal of a crawl makes a run, and rows like its own are added to it until it has so many pages, on hosts of
very different sizes. The dashboard is served by a process of its own. The server's time is that of the first answer,
for which all rows are read, and of one for which there is nothing new. Then the map is opened in a browser without a
screen, and its frames are timed while it is moved about at three sizes: all of it, four times and sixteen times as
large. Without a browser, or without Playwright, that part is left out and says so.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client  # noqa: TID251 - asks the dashboard, on loopback
import json
import random
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wolfspider.app.settings import Settings
from wolfspider.core.events import EndReason
from wolfspider.store.sqlite import create
from wolfspider.testing.rehearsal import Rehearsal, address

WOLFSPIDER = (sys.executable, "-m", "wolfspider")
FRAMES = 40
TIMED = """async ([frames, factor]) => {
  const { data, paint } = window.wolfspiderMap;
  const marked = { page: -1, host: -1, agent: null, territory: null, path: null };
  paint.fit();
  paint.zoom(factor, paint.canvas.width / 2, paint.canvas.height / 2);
  const times = [];
  for (let frame = 0; frame < frames; frame += 1) {
    paint.pan(frame % 2 ? 8 : -8, 0);
    const began = performance.now();
    paint.draw(marked);
    paint.pen.getImageData(0, 0, 1, 1);
    times.push(performance.now() - began);
  }
  return [data.size, times];
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description="What the map of a large run costs.")
    parser.add_argument("--pages", type=int, default=50_000)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--browser", default="/usr/bin/chromium")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "large"
        small_run(run)
        enlarge(run / "run.db", given.pages)
        with dashboard(Path(folder)) as place:
            ask(place, given.pages)
            if find_spec("playwright") is None or not Path(given.browser).exists():
                print("no browser here: frames are not timed")
                return
            look(place, given.browser, given.picture)


def small_run(run: Path) -> None:
    settings = Settings(urls=(address(0),), topic="spider silk", strategy="breadth-first", judge="keywords")
    store = create(run, {"settings": settings.to_json(), "judges": 2}, info={"software": "dashboard_map"})
    rehearsal = Rehearsal(store)
    rehearsal.run(60)
    rehearsal.crawl.end(EndReason.STOPPED, rehearsal.crawl.now)
    store.commit()
    store.close()


def enlarge(database: Path, pages: int) -> None:
    """Rows like those of the last page, with other addresses."""
    rng = random.Random(1)
    with closing(sqlite3.connect(database)) as connection, connection:
        there = connection.execute("SELECT COUNT(DISTINCT final_url) FROM pages").fetchone()[0]
        seq = connection.execute("SELECT MAX(seq) FROM log").fetchone()[0]
        visit = connection.execute("SELECT MAX(id) FROM visits").fetchone()[0]
        model = {name: dict_of(connection, name) for name in ("pages", "landings", "held", "visits", "log")}
        for number in range(pages - there):
            seq, visit = seq + 1, visit + 1
            host = f"host{int(rng.paretovariate(0.55)) % 1500}.test"
            url, good = f"http://{host}/{number}", rng.random() < (0.6 if hash_of(host) % 5 == 0 else 0.06)
            score = rng.uniform(0.5, 1) if good else rng.uniform(0, 0.5)
            same = {"seq": seq, "url": url, "visit": visit, "score": score, "relevant": int(good), "page": seq}
            own = {"final_url": url, "host": host, "title": f"Page {number} of {host}", "id": visit, "n": 0, "cost": 1}
            for name, row in model.items():
                fresh = {column: {**same, **own}.get(column, value) for column, value in row.items()}
                fresh = {**fresh, "kind": "land"} if name == "log" else fresh
                insert(connection, name, fresh)


def dict_of(connection: sqlite3.Connection, table: str) -> dict[str, object]:
    where = "WHERE page IS NOT NULL" if table in ("landings", "held") else ""
    where = "WHERE kind = 'land'" if table == "log" else where
    cursor = connection.execute(f"SELECT * FROM {table} {where} LIMIT 1")  # noqa: S608
    return dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))


def insert(connection: sqlite3.Connection, table: str, row: dict[str, object]) -> None:
    connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", list(row.values()))  # noqa: S608


def hash_of(text: str) -> int:
    return sum(text.encode())


@contextmanager
def said(words: list[str]) -> Iterator[Iterator[str]]:
    """The lines of a process, which is ended in the end."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield iter(process.stdout)
    finally:
        process.terminate()
        process.wait(20)


def port_of(place: str) -> int:
    return int(place.split("/")[2].rpartition(":")[2])


@contextmanager
def dashboard(folder: Path) -> Iterator[str]:
    with said([*WOLFSPIDER, "dashboard", str(folder), "--port", "0", "--no-browser", "--quiet"]) as lines:
        place = next(lines).strip()
        for _ in range(100):  # it says where it will be before it is there
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port_of(place))):
                break
            time.sleep(0.1)
        yield place


def ask(place: str, pages: int) -> None:
    base, token = place.split("/?token=")
    let_in = {"Authorization": f"Bearer {token.split('#')[0]}"}

    def get(after: str) -> tuple[dict[str, Any], int, float]:
        began = time.perf_counter()
        there = http.client.HTTPConnection(base.removeprefix("http://"), timeout=60)  # noqa: TID251
        with closing(there) as connection:
            connection.request("GET", f"/api/runs/large/map?after={after}", headers=let_in)
            body = connection.getresponse().read()
        return json.loads(body), len(body), time.perf_counter() - began

    first, size, seconds = get("")
    assert 0.99 * pages < first["pages"] <= pages, first["pages"]
    _, again, soon = get(str(first["next"]))
    whole = get("")[2]
    print(f"pages={pages} hosts={len(first['hosts'])} plots={len(first['plots'])}")
    print(f"bytes={size} per_page={size / pages:.1f}")
    print(f"first={seconds:.2f}s whole_again={1000 * whole:.0f}ms nothing_new={1000 * soon:.0f}ms bytes_then={again}")


def look(place: str, browser: str, picture: Path | None) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        page = opened.new_page(viewport={"width": 1440, "height": 900})
        page.goto(place)
        began = time.perf_counter()
        page.goto(f"{place.split('/?')[0]}/#/run/large/map")
        while not page.evaluate("() => window.wolfspiderMap?.data.size ?? 0"):  # the page's policy allows no more
            assert time.perf_counter() - began < 60, "the map is not shown"
            page.wait_for_timeout(20)
        print(f"shown_after={time.perf_counter() - began:.2f}s")
        for factor in (1, 4, 16):
            size, times = page.evaluate(TIMED, [FRAMES, factor])
            median, worst = statistics.median(times), sorted(times)[int(0.95 * len(times))]
            print(f"dots={size} zoom={factor} frame_median={median:.1f}ms frame_p95={worst:.1f}ms")
        if picture is not None:
            page.get_by_label("Show the whole map").click()
            page.wait_for_timeout(300)
            page.screenshot(path=str(picture))
        opened.close()


if __name__ == "__main__":
    main()
