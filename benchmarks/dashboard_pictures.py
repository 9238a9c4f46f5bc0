"""Pictures of the dashboard for the documentation: a crawl of a small web on loopback, in a real browser.

    python benchmarks/dashboard_pictures.py [--out docs/images/dashboard]

Needs Chromium, the extra `dashboard` and Playwright (`make extras` installs the last two). Every picture is of a real
crawl; what it found depends on the machine a little, so the numbers differ from one time to the next.
"""

from __future__ import annotations

import argparse
import base64
import struct
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.dashboard_in_browser import FLAGS, Dashboard, chromium, until, web
from tests.hunting_ground import SEED, TOPIC, HuntingGround

_ROOT = Path(__file__).parents[1]
_LARGEST = 150_000  # bytes of a picture
_WIDE, _PHONE = (1440, 980), (390, 844)
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


# The commonest 256 colours of a picture, and for each of its points the nearest of them.
_REDUCE = """async (coded) => {
  const bytes = Uint8Array.from(atob(coded), (one) => one.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes])), { width, height } = image;
  const paper = new OffscreenCanvas(width, height).getContext("2d");
  paper.drawImage(image, 0, 0);
  const points = paper.getImageData(0, 0, width, height).data, seen = new Map(), keys = new Uint32Array(width * height);
  for (let n = 0; n < keys.length; n++) {
    keys[n] = points[4 * n] << 16 | points[4 * n + 1] << 8 | points[4 * n + 2];
    seen.set(keys[n], (seen.get(keys[n]) ?? 0) + 1);
  }
  const chosen = [...seen].sort((a, b) => b[1] - a[1]).slice(0, 256).map(([key]) => key), near = new Map();
  const far = (a, b) => [16, 8, 0].reduce((sum, by) => sum + ((a >> by & 255) - (b >> by & 255)) ** 2, 0);
  const nearest = (key) => chosen.reduce((best, one, n) => far(key, one) < far(key, chosen[best]) ? n : best, 0);
  for (const key of seen.keys()) near.set(key, nearest(key));
  let text = "";
  for (const key of keys) text += String.fromCharCode(near.get(key));
  return { width, height, colours: chosen, points: btoa(text) };
}"""


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
            if name == "map":
                page.get_by_role("button", name="Show the whole map").click()
                time.sleep(1.5)
            file = out / f"{name}.png"
            file.write_bytes(_smaller(browser, page.screenshot()))
            print(f"{file}: {file.stat().st_size:,} bytes")
            if file.stat().st_size > _LARGEST:
                sys.exit(f"{file} is larger than {_LARGEST:,} bytes.")
            context.close()
        browser.close()


def _smaller(browser: Any, picture: bytes) -> bytes:
    """The same picture in 256 colours, which takes a third of the bytes."""
    page = browser.new_page()
    reduced = page.evaluate(_REDUCE, base64.b64encode(picture).decode())
    page.close()
    width, height, points = reduced["width"], reduced["height"], base64.b64decode(reduced["points"])
    rows = b"".join(b"\0" + points[width * row : width * (row + 1)] for row in range(height))
    palette = b"".join(colour.to_bytes(3, "big") for colour in reduced["colours"])
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )


if __name__ == "__main__":
    main()
