"""A recorded web so small that every figure of a crawl over it can be told by hand.

a.test/         off topic, the seed     -> /one /dead /off /paper.pdf c.test/ b.test/
a.test/one      relevant                -> /two
a.test/two      relevant
a.test/off      off topic               -> /moved, which leads to b.test/three
b.test/         off topic               -> /three
b.test/three    relevant
a.test/island   relevant, no link leads there
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PAGES = {
    "http://a.test/": (
        "harbour timetable",
        ["/one", "/dead", "/off", "/paper.pdf", "http://c.test/", "http://b.test/"],
    ),
    "http://a.test/one": ("spiders that hunt", ["/two"]),
    "http://a.test/two": ("spiders that jump", []),
    "http://a.test/off": ("ferries and trains", ["/moved"]),
    "http://a.test/island": ("spiders nobody knows", []),
    "http://b.test/": ("a list of bakeries", ["/three"]),
    "http://b.test/three": ("spiders with wings", []),
}
TOPICS = {
    "spiders": {
        "keywords": ["spiders"],
        "description": "animals with eight legs",
        "seeds": ["https://a.test/"],
        "relevant": ["http://a.test/one", "http://a.test/two", "http://b.test/three", "https://a.test/island"],
        "rule": "by hand",
    }
}


def record(url: str, head: str, body: str, date: str = "2020-01-01T00:00:00Z") -> bytes:
    block = f"HTTP/1.1 {head}\r\n\r\n{body}".encode()
    fields = f"WARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
    fields += f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n"
    return f"WARC/1.1\r\n{fields}\r\n".encode() + block + b"\r\n\r\n"


def html(words: str, links: list[str]) -> str:
    anchors = "".join(f'<p>see <a href="{link}">this other page</a></p>' for link in links)
    return f"<html><head><title>{words}</title></head><body><p>{words}</p>{anchors}</body></html>"


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read from the user's cache or left there."""
    monkeypatch.setenv("WOLFSPIDER_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def tiny(tmp_path: Path, own_cache: None) -> str:
    """The web as it is named on the command line."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    pages = [record(url, "200 OK\r\nContent-Type: text/html", html(*page)) for url, page in PAGES.items()]
    moved = record("http://a.test/moved", "301 Moved\r\nLocation: http://b.test/three", "")
    rules = record("http://a.test/robots.txt", "200 OK\r\nContent-Type: text/plain", "User-agent: *\nDisallow: /off\n")
    (folder / "tiny.warc").write_bytes(b"".join([*pages, moved, rules]))
    (folder / "topics.json").write_text(json.dumps(TOPICS))
    return str(folder)
