"""A stand-in for SearXNG on loopback that speaks its JSON API, a small site, and a plain Web that asks them for real.

The stand-in does what a fresh SearXNG does: `GET /search` (or `/`) with q, format, pageno and language, results in
pages, 403 for a format that is not enabled, 400 without a query, and a robots.txt that forbids searches to crawlers.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from wolfspider.core.model import Failure, Fetch
from wolfspider.web.page.urls import canonical
from wolfspider.web.worlds.world import Request

ROBOTS = b"User-agent: *\nAllow: /info/en/about\nDisallow: /stats\nDisallow: /preferences\nDisallow: /*?*q=*\n"
PATIENCE = 20.0  # seconds


class Reply(NamedTuple):
    body: bytes = b""
    type: str = "text/html"
    status: int = 200
    headers: Mapping[str, str] = {}


Answers = Callable[[str], Reply]


@contextmanager
def served(answers: Answers) -> Iterator[str]:
    """A server on loopback that answers each path and query; the address it has, without a slash at its end."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            reply = answers(self.path)
            self.send_response(reply.status)
            for name, value in {"Content-Type": reply.type, **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Site:
    """Files by path; what is not there is a 404. `asked` is its log."""

    files: dict[str, Reply] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __call__(self, path: str) -> Reply:
        self.asked.append(path)
        return self.files.get(path, Reply(b"not here", status=404))


@dataclass
class Service:
    """SearXNG with these results for every search, `each` on a page."""

    results: list[dict[str, object]] = field(default_factory=list)
    each: int = 10
    formats: tuple[str, ...] = ("html", "json")
    silent: list[list[str]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __call__(self, path: str) -> Reply:
        self.asked.append(path)
        place, told = urlsplit(path).path, parse_qs(urlsplit(path).query)
        if place == "/robots.txt":
            return Reply(ROBOTS, "text/plain")
        if place not in ("/", "/search"):
            return Reply(b"<h1>Not found</h1>", status=404)
        wanted = told.get("format", ["html"])[0]
        if wanted not in self.formats:
            return Reply(b"<h1>Forbidden</h1>", status=403)
        if wanted == "html":
            return Reply(b"<!doctype html><title>SearXNG</title>")
        if "q" not in told:
            return Reply(b'{"error": "No query"}', "application/json", 400)
        first = (int(told.get("pageno", ["1"])[0]) - 1) * self.each
        return Reply(self._page(told["q"][0], first), "application/json")

    def _page(self, query: str, first: int) -> bytes:
        shown = {
            "query": query,
            "number_of_results": len(self.results),
            "results": self.results[first : first + self.each],
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": self.silent,
        }
        return json.dumps(shown).encode()


class Plain:
    """A Web that asks by one request each and follows redirects: no robots, no politeness, no guard."""

    async def fetch(self, request: Request) -> Fetch:
        url = request.url
        for _ in range(5):
            try:
                status, headers, body = await asyncio.wait_for(_get(url), PATIENCE)
            except OSError as error:
                return Fetch(request.url, url, failure=Failure("connect", error.strerror or ""))
            target = canonical(headers.get("location", ""), url) if status in (301, 302, 307, 308) else None
            if target is None:
                return Fetch(request.url, url, status, headers, body, at=1_800_000_000.0)
            url = target
        return Fetch(request.url, url, failure=Failure("redirect", "too many"))


async def _get(url: str) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 80)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    writer.write(f"GET {target} HTTP/1.0\r\nHost: {parts.netloc}\r\n\r\n".encode())
    answer = await reader.read(-1)
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
    return int(lines[0].split()[1]), headers, body
