"""Pages and links made to break readers: every one is read within bounds or is a named failure, and what no address is,
is never asked for."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import Told, asked_for, assert_whole, beside, command, crawl_command, environment, hunt, run

import faults
from faults import Call, Faulty, document
from wolfspider.store.view import RunView

STRANGE = [
    *(
        "/deep",
        "/deep/attributes",
        "/deep/value",
        "/nul",
        "/js-only",
        "/escape",
        "/picture",
        "/empty",
        "/endless/close",
    ),
    *(
        "/charset/bad-utf-8",
        "/charset/double-bom",
        "/charset/utf-7",
        "/charset/lying",
        "/charset/hex",
        "/charset/utf-16",
    ),
    *(
        "/type/none",
        "/type/nonsense",
        "/type/text/plain",
        "/type/image/png",
        "/links/50000",
        "/bomb/br",
        "/encoding/cut",
    ),
]
ONE = """
import asyncio, re, sys, time
from pathlib import Path
import wolfspider

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024

url, via, folder = sys.argv[1:]
hunt = wolfspider.crawl("http://a.test/ok", url, topic="wolf spiders", via=via, out=folder, pages=2, delay=0, adapt=0,
                        tries=1, disk_floor=0, deadline=10, strategy="breadth-first")
began = time.process_time()
result = asyncio.run(hunt.run())
print(result.reason, time.process_time() - began, peak())
"""


@pytest.mark.slow
@pytest.mark.xdist_group("timed")
def test_no_page_takes_more_than_five_seconds_or_300_megabytes(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    """Each in a process of its own, through the whole crawl: fetched, read, scored, stored."""
    server = aside(faults.faults())
    for number, path in enumerate(STRANGE):
        words = [sys.executable, "-c", ONE, f"http://b.test{path}", f"127.0.0.1:{server.port}", tmp_path / str(number)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, env=environment())
        assert done.returncode == 0, (path, done.stderr)
        reason, seconds, megabytes = done.stdout.split()
        assert reason == "budget" and float(seconds) < 5 and int(megabytes) < 300, (path, done.stdout)


def test_strange_pages_are_pages_or_named_failures_and_the_store_is_whole(tmp_path: Path) -> None:
    small = [path for path in STRANGE if not path.startswith(("/deep", "/links", "/endless", "/bomb"))]

    async def talk(server: Faulty) -> Told:
        seeds = [f"http://h{number}.test{path}" for number, path in enumerate(small)]
        return await hunt(server.port, *seeds, pages=len(seeds), out=tmp_path / "run")

    told = beside(talk)
    assert told.reason == "budget" and set(told.failures.values()) == {"type", "empty", "script"}
    assert_whole(tmp_path / "run")
    assert all("\0" not in row.title for row in RunView(tmp_path / "run").pages())


# Titles


@pytest.mark.slow
def test_titles_with_escapes_and_line_breaks_stay_one_object_a_line(
    tmp_path: Path, aside: Callable[[Any], Any]
) -> None:
    server = aside(faults.faults())
    words = crawl_command(server.port, tmp_path / "run", "http://a.test/escape", pages=1)
    done = run([word for word in words if word != "--quiet"])
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    events = [event for event in told if event["event"] != "gauge"]
    assert [event["event"] for event in events] == ["began", "went", "landed", "ended"]
    assert done.stdout.isascii() and "\x1b" not in done.stdout + done.stderr and "\u202e" not in done.stderr
    assert "owned" in events[2]["title"]
    exported = run(command("export", tmp_path / "run"))
    assert [json.loads(line)["url"] for line in exported.stdout.splitlines()] == ["http://a.test/escape"]
    table = run(command("export", tmp_path / "run", "--format", "csv"))
    assert (
        "\x1b"
        not in exported.stdout + table.stdout + run(command("explain", tmp_path / "run", "http://a.test/escape")).stdout
    )


# Links

NEVER = [
    *(
        "file:///etc/passwd",
        "ftp://a.test/x",
        "gopher://a.test/x",
        "data:text/html,x",
        "javascript:alert(1)",
        "mailto:a@b",
    ),
    *(
        "blob:http://a.test/x",
        "view-source:http://a.test/x",
        "about:blank",
        "ws://a.test/x",
        "//",
        "http://",
        "http:///",
    ),
    *(
        "http://[::1",
        "http://a.test:99999/",
        "http://a b.test/",
        "http://a.test%00.evil.test/",
        "http://%zz/",
        "http://",
    ),
    *("http://127.0.0.1/", "http://0x7f.1/", "http://2130706433/", "http://0177.1/", "http://localhost:8080/"),
    *(
        "http://10.0.0.1/",
        "http://[::ffff:10.0.0.1]/",
        "http://169.254.169.254/",
        "http://a.test:22/",
        "http://intranet/",
    ),
    "http://a.test/" + "a" * 100_000,
]
ASKED = {
    "http://user:secret@c.test/one": "c.test/one",
    "http:\\\\d.test\\two": "d.test/two",
    "http://e.test/x/../y/./three#part": "e.test/y/three",
    "  http://f.test/fo\tur\n": "f.test/four",
    "//g.test/five": "g.test/five",
    "HTTP://H.TEST:80/six": "h.test/six",
    "http://xn--bcher-kva.test/seven": "xn--bcher-kva.test/seven",
    "http://bücher.test/eight": "xn--bcher-kva.test/eight",
}


def test_links_that_are_no_addresses_are_never_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(call: Call) -> None:
        await call.answer(document("Odd links", *NEVER, *ASKED))

    async def talk(server: Faulty) -> Told:
        told = await hunt(server.port, "http://a.test/odd", pages=60)
        assert set(asked_for(server)) == {"a.test/odd", *ASKED.values()}
        heads = b"".join(asked.head for asked in server.log)
        assert b"secret" not in heads and b"@" not in heads
        return told

    monkeypatch.setitem(faults.BEHAVIOURS, "odd", answer)
    told = beside(talk)
    odd = [url for url in told.results if not (re.fullmatch(r"https?://[^\s@]+", url) and len(url) < 8200)]
    assert not odd
    assert {kind for url, kind in told.failures.items() if "test/" not in url} <= {"blocked"}


def test_other_schemes_are_nowhere_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a link, a frame, a canonical address, a meta refresh, a base, a Link header."""
    page = """<html><head><base href="file:///etc/"><link rel="canonical" href="file:///etc/passwd">
        <meta http-equiv="refresh" content="0; url=javascript:alert(1)"></head><body><a href="passwd">x</a>
        <iframe src="ftp://a.test/x"></iframe><a href="data:text/html,y">y</a> Wolf spiders hunt</body></html>"""

    async def answer(call: Call) -> None:
        await call.answer(page, headers=[("Link", '<gopher://a.test/>; rel="next"'), ("Refresh", "0; url=file:///x")])

    async def talk(server: Faulty) -> Told:
        told = await hunt(server.port, "http://a.test/everywhere", pages=60)
        assert set(asked_for(server)) <= {"a.test/everywhere", "a.test/passwd"}
        return told

    monkeypatch.setitem(faults.BEHAVIOURS, "everywhere", answer)
    assert all(url.startswith("http://a.test/") for url in beside(talk).results)


def test_a_page_with_two_hundred_thousand_links_is_cut_and_the_crawl_goes_on(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> Told:
        began = time.monotonic()
        told = await hunt(server.port, "http://a.test/links/200000", pages=20, out=tmp_path / "run", deadline=20.0)
        assert time.monotonic() - began < 60
        return told

    told = beside(talk)
    assert told.reason == "budget" and len(told.pages) == 20
    assert len(told.pages["http://a.test/links/200000"].links) <= 20_000


def test_markup_without_end_costs_no_more_than_its_bytes() -> None:
    """The body is cut at the limit, and what was cut is a page that says so."""

    async def talk(server: Faulty) -> Told:
        began = asyncio.get_running_loop().time()
        told = await hunt(server.port, "http://a.test/endless/chunks", pages=1, largest=1_000_000, deadline=20.0)
        assert asyncio.get_running_loop().time() - began < 30
        return told

    (page,) = beside(talk).pages.values()
    assert page.truncated and page.size <= 1_000_000
