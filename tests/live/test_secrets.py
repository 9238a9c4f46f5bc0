"""What must never be sent, kept or told: passwords in addresses, cookies, headers made of strangers' text."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from tests.live.hunting import Told, asked_for, beside, command, crawl_command, hunt, run

import faults
from faults import Call, Faulty, document
from wolfspider import Settings
from wolfspider.app.event_json import told as as_json
from wolfspider.core import codec

PASSWORD = "canary-Tr0ub4dor"
TOKEN = "canary-token-8f3a"


def test_settings_hold_no_password() -> None:
    url = f"HTTP://user:{PASSWORD}@a.test/@me?to=x@y"
    kept = Settings(urls=(url,), sitemap=(url,), feed=(url,), search=url, like=(url, "me@home/file"))
    assert PASSWORD not in repr(kept) and kept.urls == ("HTTP://a.test/@me?to=x@y",)
    assert kept.like[1] == "me@home/file"


def everything_in(folder: Path) -> bytes:
    """All bytes of a run, what is compressed in its archive unpacked too."""
    found = bytearray()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            found += data + (gzip.decompress(data) if path.name.endswith(".gz") else b"")
    return bytes(found)


def test_a_password_in_a_seed_is_sent_and_kept_nowhere(tmp_path: Path) -> None:
    folder = tmp_path / "run"

    async def talk(server: Faulty) -> Told:
        seeds = [f"http://user:{PASSWORD}@a.test/ok", f"http://{PASSWORD}@b.test/schemes"]
        told = await hunt(server.port, *seeds, pages=10, out=folder)
        for asked in server.log:
            assert PASSWORD.encode() not in asked.head and asked.header("authorization") is None
        return told

    told = beside(talk)
    assert len(told.pages) >= 2
    events = "".join(json.dumps(as_json(event)) + str(codec.plain(event)) for event in told.events)
    assert PASSWORD not in events + "".join(told.remarks)
    assert PASSWORD.encode() not in everything_in(folder)


@pytest.mark.slow
def test_a_password_in_a_seed_shows_in_no_output(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    server = aside(faults.faults())
    folder = tmp_path / "run"
    listed = tmp_path / "seeds.txt"
    listed.write_text(f"http://me:{PASSWORD}@c.test/ok\n")
    words = crawl_command(server.port, folder, f"http://user:{PASSWORD}@a.test/ok", pages=4, seeds=listed)
    said = run([word for word in words if word != "--quiet"])
    assert said.returncode == 0, said.stderr
    exports = [run(command("export", folder, "--format", form)) for form in ("jsonl", "csv")]
    explained = run(command("explain", folder, "http://a.test/ok"))
    for done in (said, *exports, explained):
        assert done.returncode == 0 and PASSWORD not in done.stdout + done.stderr
    wrong = run(crawl_command(server.port, tmp_path / "other", f"http://user:{PASSWORD}@[bad/", pages=1))
    assert wrong.returncode == 2 and PASSWORD not in wrong.stderr


@pytest.mark.slow
def test_secrets_of_the_environment_never_land_in_a_run(tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    server = aside(faults.faults())
    secrets = {"API_TOKEN": TOKEN, "AWS_SECRET_ACCESS_KEY": TOKEN, "http_proxy": f"http://x:{TOKEN}@127.0.0.1:9/"}
    words = crawl_command(server.port, tmp_path / "run", "http://a.test/ok", pages=2)
    done = run(words, env=secrets)
    assert done.returncode == 0, done.stderr
    assert TOKEN not in done.stdout + done.stderr and TOKEN.encode() not in everything_in(tmp_path / "run")
    assert all(TOKEN.encode() not in asked.head for asked in server.log)


def test_cookies_are_neither_kept_nor_sent(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> None:
        urls = ["http://a.test/cookie", "http://a.test/cookie?again=1", "http://b.test/cookie"]
        told = await hunt(server.port, *urls, pages=10, out=tmp_path / "run")
        assert len(told.pages) == 3
        assert all(asked.header("cookie") is None for asked in server.log)

    beside(talk)


def test_requests_are_archived_as_they_were_sent(tmp_path: Path) -> None:
    """Also those of redirects, and those that ask whether a copy still holds."""

    async def talk(server: Faulty) -> list[bytes]:
        urls = ["http://a.test/ok", "http://a.test/redirect?to=/ok", "http://b.test/ok?x=%20y"]
        await hunt(server.port, *urls, pages=10, out=tmp_path / "run")
        return [asked.head for asked in server.log if asked.path != "/robots.txt"]

    sent = beside(talk)
    kept, answers = [], 0
    for path in sorted((tmp_path / "run" / "warc").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, parse_http=False, verify_digests=True):
                answers += record.record_type == WarcRecordType.response
                if record.record_type == WarcRecordType.request:
                    kept.append(record.reader.read())
    assert sorted(kept) == sorted(sent) and len(kept) == answers > 3


BREAKS = ["%0d%0aX-Injected:%20yes", "%0aX-Injected:%20yes", "%00", "\r\nX-Injected: yes", "\u560d"]


@pytest.mark.parametrize("text", BREAKS)
def test_line_breaks_in_links_and_redirects_make_no_header(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(call: Call) -> None:
        links = [f"/ok{text}", f"/ok?q={text}", f"http://b.test{text}/", f"http://c.test/{text} HTTP/1.1"]
        made = [("Link", f"</ok{text}>; rel=next"), ("ETag", '"a"'), ("Set-Cookie", "a=b")]
        if "\r" in text:
            made = []
        await call.answer(document("Injecting", *links), headers=made)

    async def talk(server: Faulty) -> None:
        redirect = f"http://d.test/redirect?to=/ok{quote(text, safe='%')}"
        await hunt(server.port, "http://a.test/injecting", redirect, pages=20)
        assert asked_for(server)
        for asked in server.log:
            assert asked.header("x-injected") is None and asked.head.count(b"HTTP/1.1\r\n") == 1
            assert b"\0" not in asked.head

    monkeypatch.setitem(faults.BEHAVIOURS, "injecting", answer)
    beside(talk)
