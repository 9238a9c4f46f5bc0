"""Pictures of the dashboard for the documentation: a crawl of a small web on loopback, in a real browser.

    python benchmarks/dashboard_pictures.py [--out docs/images/dashboard]

Needs Chromium, the extra `dashboard` and Playwright (`make extras` installs the last two). Every picture is of a real
crawl; what it found depends on the machine a little, so the numbers differ from one time to the next.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.dashboard_in_browser import FLAGS, Dashboard, chromium, until, web
from tests.hunting_ground import SEED, TOPIC, HuntingGround

_ROOT = Path(__file__).parents[1]
_LARGEST = 150_000  # bytes of a picture
_WIDE, _PHONE = (1440, 1000), (390, 844)
_HUNT: dict[str, Any] = {"topic": TOPIC, "seeds": [SEED], "pages": 600, "limits": {"chance": 0.1}}
_VIEWS: tuple[tuple[str, str, tuple[int, int], Literal["light", "dark"]], ...] = (
    ("overview", "#/run/wolf-spiders", _WIDE, "light"),
    ("overview-dark", "#/run/wolf-spiders", _WIDE, "dark"),
    ("phone", "#/run/wolf-spiders", _PHONE, "dark"),
    ("start", "#/start", _WIDE, "light"),
    ("steer", "#/run/wolf-spiders/steer", _WIDE, "light"),
    ("map", "#/run/wolf-spiders/map", _WIDE, "dark"),
    ("label", "#/run/wolf-spiders/label", _WIDE, "light"),
    ("compare", "#/compare?runs=wolf-spiders,breadth-first", _WIDE, "light"),
    ("1997", "#/run/like-these/1997", _WIDE, "light"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=_ROOT / "docs" / "images" / "dashboard")
    parser.add_argument("--only", nargs="*", help="names of pictures; all, if none is given")
    asked = parser.parse_args()
    if chromium() is None:
        sys.exit("No Chromium is installed here (Debian: apt-get install chromium).")
    asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, web(HuntingGround(), latency=0.1) as via:
        runs = Path(folder) / "runs"
        runs.mkdir()
        dashboard = Dashboard(runs, via)
        try:
            _crawl(dashboard)
            _photograph(dashboard, asked.out, asked.only)
        finally:
            dashboard.end()


def _crawl(dashboard: Dashboard) -> None:
    """A hunt that is steered while it runs, and two runs beside it."""
    liked = [f"http://arachnology.test/{number}" for number in (1, 2, 3)]
    dashboard.begin("breadth-first", **{**_HUNT, "pages": 300, "strategy": "breadth-first", "limits": {}})
    dashboard.begin("like-these", liked=liked, seeds=liked, pages=60, strategy="spider-genetic")
    dashboard.begin("wolf-spiders", **_HUNT)
    deeds = ((60, "set", "spread=1.5"), (120, "exclude", "oven-letters.test"), (180, "limit", "pages=700"))
    for downloads, verb, word in deeds:
        _wait(dashboard, downloads)
        dashboard.ask("/api/runs/wolf-spiders/commands", {"verb": verb, "words": [word], "confirm": True})
    _wait(dashboard, 260)


def _wait(dashboard: Dashboard, downloads: int) -> None:
    until(lambda: dashboard.downloads("wolf-spiders") >= downloads, 300)


def _photograph(dashboard: Dashboard, out: Path, only: list[str] | None) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=[*FLAGS, "--hide-scrollbars"])
        for name, place, (width, height), theme in _VIEWS:
            if only and name not in only:
                continue
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
            page = context.new_page()
            page.goto(dashboard.address)
            page.goto(f"{dashboard.base}/{place}")
            page.wait_for_selector("main h1")
            if page.locator("iframe.plots").count() and width > _PHONE[0]:
                page.wait_for_selector("iframe[data-drawn]")
            time.sleep(2.5)  # plots and the map settle
            file = out / f"{name}.png"
            page.screenshot(path=str(file))
            print(f"{file}: {file.stat().st_size:,} bytes")
            if file.stat().st_size > _LARGEST:
                sys.exit(f"{file} is larger than {_LARGEST:,} bytes.")
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
