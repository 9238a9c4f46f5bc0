"""Images, styles and scripts of relevant pages: fetched once, beside the crawl, within their own bound; exported."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import wolfspider
from small_web import BREAD, SPIDERS, SmallWeb, page
from wolfspider.app.forgetting import forget
from wolfspider.cli import main
from wolfspider.core.model import Fetch
from wolfspider.store.folder import REQUISITES
from wolfspider.store.repair.examination import examine
from wolfspider.store.requisites import _OF_PAGE, Requisites
from wolfspider.web.page.page_requisites import of_page, of_style
from wolfspider.web.server.serve import serve

PNG = b"\x89PNG\r\n\x1a\n" + bytes(200)
STYLE = '@import "more.css"; body { background: url(/img/back.png) } @font-face { src: url("f.woff2") }'
NEEDS = (
    '<link rel="stylesheet" href="/s/main.css"><script src="/s/app.js"></script><img src="/img/one.png">'
    '<img srcset="/img/small.png 1x, /img/large.png 2x"><img src="http://cdn.test/far.png"><img src="/img/moved.png">'
    '<img src="/private/no.png"><img src="/img/missing.png"><img src="data:image/png;base64,AAAA">'
)


def answer(kind: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
    return 200, {"content-type": kind}, body


IMAGES = ("one", "small", "large", "back", "two", "bread", "here")
PAGES: dict[str, Any] = {
    "http://a.test/robots.txt": answer("text/plain", b"User-agent: *\nDisallow: /private\n"),
    "http://a.test/": page("Start", SPIDERS + NEEDS, "/two", "/bread", head="<!-- -->"),
    "http://a.test/two": page("Two", SPIDERS + '<img src="/img/two.png"><img src="/img/one.png">'),
    "http://a.test/bread": page("Bread", BREAD + '<img src="/img/bread.png">'),
    "http://a.test/s/main.css": answer("text/css", STYLE.encode()),
    "http://a.test/s/more.css": answer("text/css", b"p { color: red }"),
    "http://a.test/s/f.woff2": answer("font/woff2", b"wOF2" + bytes(50)),
    "http://a.test/s/app.js": answer("text/javascript", b"alert(1)"),
    "http://cdn.test/far.png": answer("image/png", PNG),
    "http://a.test/private/no.png": answer("image/png", PNG),
    **{f"http://a.test/img/{name}.png": answer("image/png", PNG + name.encode()) for name in IMAGES},
}
OF_TWO = {"http://a.test/img/two.png", "http://a.test/img/one.png"}
OF_START = {
    *(f"http://a.test/s/{name}" for name in ("main.css", "more.css", "f.woff2", "app.js")),
    *(f"http://a.test/img/{name}.png" for name in ("one", "small", "large", "back", "moved", "missing")),
}
ASKED = OF_TWO | OF_START


class Watched(SmallWeb):
    """Counts requests; requisites may be answered slowly."""

    def __init__(self, slow: float = 0.0) -> None:
        super().__init__(PAGES, {"http://a.test/img/moved.png": "http://a.test/img/here.png"})
        self.asked: Counter[str] = Counter()
        self.slow = slow

    def record(self, url: str, now: float) -> Fetch:
        self.asked[url] += 1
        if "/img/" in url:
            time.sleep(self.slow)
        return super().record(url, now)


SETTINGS: dict[str, Any] = {"delay": 0.0, "adapt": 0.0, "tries": 1, "disk_floor": 0, "include": ("a.test",)}


def crawled(web: SmallWeb, run: Path, **more: Any) -> Any:
    async def crawl() -> Any:
        async with serve(web) as served:
            via = f"127.0.0.1:{served.port}"
            hunt = wolfspider.crawl("http://a.test/", topic="wolf spiders", out=run, via=via, **{**SETTINGS, **more})
            return await asyncio.wait_for(hunt.run(), 60)

    return asyncio.run(crawl())


def told(run: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["status", str(run), "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def requisites_asked(web: Watched) -> dict[str, int]:
    return {url: times for url, times in web.asked.items() if "/img/" in url or "/s/" in url or "private" in url}


def test_they_are_fetched_once_and_counted_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, whole = Watched(), Watched()
    before = crawled(plain, tmp_path / "plain")
    after = crawled(whole, tmp_path / "run", requisites=100)
    assert not requisites_asked(plain) and not (tmp_path / "plain" / REQUISITES).exists()
    assert (after.reason, after.downloads) == (before.reason, before.downloads)
    first, second = told(tmp_path / "plain", capsys), told(tmp_path / "run", capsys)
    assert all(first[name] == second[name] for name in ("pages", "relevant", "downloads", "hosts", "reasons"))
    here = "http://a.test/img/here.png"
    assert requisites_asked(whole) == dict.fromkeys({*ASKED, here}, 1) and "http://cdn.test/far.png" not in whole.asked
    assert second["requisites"]["asked"] == len(ASKED) + 1, "with the one that robots.txt forbids"
    assert second["requisites"]["failed"] == 2
    assert main(["check", str(tmp_path / "run")]) == 0
    assert main(["status", str(tmp_path / "run")]) == 0
    assert f"Requisites of relevant pages: {len(ASKED) - 1} here" in capsys.readouterr().out


def test_a_later_session_asks_for_the_rest_and_nothing_twice(tmp_path: Path) -> None:
    web, run = Watched(), tmp_path / "run"
    crawled(web, run, requisites=3)
    assert sum(requisites_asked(web).values()) == 3

    async def resume() -> None:
        async with serve(web) as served:
            hunt = wolfspider.resume(run, via=f"127.0.0.1:{served.port}", requisites=100)
            await asyncio.wait_for(hunt.run(), 60)

    asyncio.run(resume())
    asyncio.run(resume())
    assert requisites_asked(web) == dict.fromkeys({*ASKED, "http://a.test/img/here.png"}, 1)


def test_hands_in_other_processes_fetch_them_too(tmp_path: Path) -> None:
    web, run = Watched(), tmp_path / "run"
    crawled(web, run, requisites=100, hands=1)
    assert requisites_asked(web) == dict.fromkeys({*ASKED, "http://a.test/img/here.png"}, 1)
    with Requisites.of(run) as kept:
        assert kept is not None
        found = {each.url: each for each in kept.of_page("http://a.test/two")}
    assert set(found) == OF_TWO and all(each.digest and each.type == "image/png" for each in found.values())
    assert all(each.url.encode() in gzip.decompress(each.record) for each in found.values())


def test_a_package_replays_with_them(tmp_path: Path) -> None:
    warcs = pytest.importorskip("fastwarc", reason="fastwarc is not installed")
    run, out = tmp_path / "run", tmp_path / "pages.wacz"
    crawled(Watched(), run, requisites=100)
    assert main(["export", str(run), "--relevant", "--format", "wacz", "--out", str(out), "--quiet"]) == 0
    with zipfile.ZipFile(out) as package:
        archive, index = package.read("archive/data.warc.gz"), package.read("indexes/index.cdx").decode()
        listed = package.read("pages/pages.jsonl")
    listed = gzip.decompress(listed) if listed[:2] == b"\x1f\x8b" else listed
    bodies = {}
    for record in warcs.ArchiveIterator(io.BytesIO(archive), parse_http=True):
        if record.record_type == warcs.WarcRecordType.response:
            assert record.verify_payload_digest() is not False
            body = record.reader.read()
            bodies[record.headers["WARC-Target-URI"]] = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
    assert {*ASKED, "http://a.test/img/here.png", "http://a.test/", "http://a.test/two"} <= set(bodies)
    assert "http://a.test/img/bread.png" not in bodies and bodies["http://a.test/img/two.png"] == PNG + b"two"
    lines = [json.loads(line.partition(" {")[2].join(("{", ""))) for line in index.splitlines()]
    assert {line["url"] for line in lines} == set(bodies)
    for line in lines:
        start, length = int(line["offset"]), int(line["length"])
        assert line["url"].encode() in gzip.decompress(archive[start : start + length])
    assert listed.count(b'"url"') == 2, "pages are pages, and requisites are none"


def test_killed_while_it_gathers_it_loses_none_and_asks_for_none_twice(
    tmp_path: Path, aside: Callable[[Any], Any]
) -> None:
    web, run = Watched(slow=0.3), tmp_path / "run"
    via = f"127.0.0.1:{aside(serve(web)).port}"
    words = ["crawl", "http://a.test/", "--topic", "wolf spiders", "--via", via, "--include", "a.test", "--delay", "0"]
    more = ["--adapt", "0", "--slots", "1", "--requisites", "100", "--disk-floor", "0", "--quiet", "--out", str(run)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WOLFSPIDER_")}
    crawl = subprocess.Popen([sys.executable, "-m", "wolfspider", *words, *more], env=environment)
    until = time.monotonic() + 60
    while len(requisites_asked(web)) < 4 and crawl.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    crawl.send_signal(signal.SIGKILL)
    crawl.wait(30)
    with Requisites.of(run) as kept:
        assert kept is not None
        there = {found.url for found in kept.of_page("http://a.test/")}
    assert there and len(there) < len(ASKED), "killed in the middle"
    web.slow = 0.0
    again = subprocess.run([sys.executable, "-m", "wolfspider", "resume", str(run)], env=environment, timeout=90)
    assert again.returncode == 0
    asked = requisites_asked(web)
    assert set(asked) == {*ASKED, "http://a.test/img/here.png"}
    assert all(asked[url] == 1 for url in there) and sum(asked.values()) <= len(asked) + 2, "what was on its way"


def test_what_a_forgotten_page_alone_needed_is_forgotten_too(tmp_path: Path) -> None:
    run = tmp_path / "run"
    crawled(Watched(), run, requisites=100)
    with Requisites.of(run) as kept:
        assert kept is not None and {found.url for found in kept.of_page("http://a.test/two")} == OF_TWO
    forget(run, "http://a.test/two", lambda sentence: None)
    assert b"http://a.test/img/two.png" not in (run / REQUISITES).read_bytes()
    with Requisites.of(run) as kept:
        assert kept is not None and not list(kept.of_page("http://a.test/two"))
        left = {found.url for found in kept.of_page("http://a.test/")}
    assert "http://a.test/img/one.png" in left, "another page needs it"
    forget(run, "a.test", lambda sentence: None)
    assert b"http://a.test/" not in (run / REQUISITES).read_bytes()


def test_a_session_that_is_ended_leaves_the_rest_to_the_next(tmp_path: Path) -> None:
    web, run = Watched(slow=0.2), tmp_path / "run"

    async def crawl() -> Any:
        async with serve(web) as served:
            via = f"127.0.0.1:{served.port}"
            settings = {**SETTINGS, "slots": 1, "requisites": 100}
            hunt = wolfspider.crawl("http://a.test/", topic="wolf spiders", out=run, via=via, **settings)

            def end() -> None:
                while not requisites_asked(web):
                    time.sleep(0.02)
                loop.call_soon_threadsafe(hunt.drain)

            loop = asyncio.get_running_loop()
            threading.Thread(target=end, daemon=True).start()
            return await asyncio.wait_for(hunt.run(), 60)

    assert asyncio.run(crawl()).reason == "interrupted"
    assert len(requisites_asked(web)) < len(ASKED)


def test_no_more_are_listed_than_may_be_asked_for(tmp_path: Path) -> None:
    """Pages whose markup names hundreds, with long addresses."""
    many = "".join(f'<img src="/img/{number}-{"x" * 3000}.png">' for number in range(400))
    pages = {f"http://a.test/{number}": page("Many", f"{SPIDERS}{number}{many}") for number in range(5)}
    web = SmallWeb({"http://a.test/": page("Start", SPIDERS, *(f"/{number}" for number in range(5))), **pages}, {})
    crawled(web, tmp_path / "run", requisites=2)
    assert (tmp_path / "run" / REQUISITES).stat().st_size < 1_000_000
    with Requisites.of(tmp_path / "run") as kept:
        assert kept is not None and 2 <= kept.known() <= 40


@pytest.mark.parametrize("limit", [{"max_mb": 0.0001}, {"max_time": 0.001}])
def test_a_crawl_that_has_taken_all_it_may_fetches_none(tmp_path: Path, limit: dict[str, float]) -> None:
    web = Watched()
    result = crawled(web, tmp_path / "run", requisites=100, **limit)
    assert result.reason in ("bytes", "time") and not requisites_asked(web)


def test_the_time_of_the_crawl_holds_for_them_too(tmp_path: Path) -> None:
    web = Watched(slow=3.0)
    began = time.monotonic()
    crawled(web, tmp_path / "run", requisites=100, max_time=6.0, slots=1, pages=2)
    assert requisites_asked(web) and len(requisites_asked(web)) < len(ASKED)
    assert time.monotonic() - began < 25


def test_those_of_a_page_are_found_without_walking_all(tmp_path: Path) -> None:
    with contextlib.closing(Requisites(tmp_path, write=True)) as kept:
        plan = [row[3] for row in kept._database.execute(f"EXPLAIN QUERY PLAN {_OF_PAGE}", ("http://a.test/",))]
    assert not [step for step in plan if step.startswith("SCAN r ") or step == "SCAN r" or "SCAN uses" in step], plan


@pytest.mark.parametrize("how", ["record", "file", "strange"])
def test_check_finds_what_is_damaged_and_repair_moves_it_aside(tmp_path: Path, how: str) -> None:
    run = tmp_path / "run"
    crawled(Watched(), run, requisites=100)
    assert main(["check", str(run)]) == 0
    with contextlib.closing(sqlite3.connect(run / REQUISITES)) as database:
        if how == "record":
            database.execute("UPDATE records SET record = substr(record, 1, 40) WHERE url LIKE '%two.png'")
        elif how == "strange":
            database.execute("CREATE VIEW more AS SELECT 1")
        database.commit()
    if how == "file":
        (run / REQUISITES).write_bytes(b"SQLite format 3\0" + os.urandom(3000))
    assert [finding.part for finding in examine(run)] == [REQUISITES]
    assert main(["check", str(run)]) == 9
    assert main(["repair", str(run)]) == 0
    assert main(["check", str(run)]) == 0 and not (run / REQUISITES).exists()
    assert list(run.glob(f"damaged-*/{REQUISITES}"))


def test_what_a_page_names_is_read_as_browsers_read_it() -> None:
    markup = (
        '<base href="http://b.test/x/"><link rel="Stylesheet" href=a.css><link rel=canonical href=no.html>'
        '<style>p { background: url( "in.png" ) }</style><div style="background:url(st.gif)"></div>'
        '<img srcset="one.png, two.png 2x,three.png 3x" src=""><video poster=p.jpg><source src="v.mp4"></video>'
        "<img src='javascript:alert(1)'><a href=page.html>x</a><input type=image src=i.png>"
    )
    found = of_page(markup.encode(), "text/html", "http://a.test/")
    names = ("a.css", "in.png", "st.gif", "one.png", "two.png", "three.png", "p.jpg", "v.mp4", "i.png")
    assert set(found) == {f"http://b.test/x/{name}" for name in names}
    assert of_page(b"plain", "text/plain", "http://a.test/") == []


@pytest.mark.parametrize(
    "style", ["url(" + " " * 100_000, "url(" * 50_000, 'url("' * 50_000, "@import " * 50_000, "url('a" * 50_000]
)
def test_hostile_styles_name_nothing_and_take_no_time_in_the_square(style: str) -> None:
    assert len(of_style(style.encode(), "text/css", "http://a.test/")) <= 1
