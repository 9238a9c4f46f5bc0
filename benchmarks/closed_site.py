"""A part of a recorded web as a static site whose links all lead to its own pages, or off it.

`chosen` takes pages from the seeds of the web's topics on, by links that people can see and robots may follow, one from
each host in turn, so that a small site is a fair sample of a large web. `written` puts them into a folder, all hosts on
one server: http://docs.python.org/3/ becomes /docs.python.org/3/. A page is changed only where it has to be: a link to
a page of the site that would miss it is mended, and a link that would lead nowhere on the server is made to name the
host it was meant for, which crawlers leave alone. So each has as many links as it had, no crawler is led astray, and
all have the same pages to fetch.
"""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import ada_url

from wolfspider.core.model import Fetch, Page, host_of
from wolfspider.core.topic import Topic
from wolfspider.web.page.html import parse
from wolfspider.web.page.urls import canonical
from wolfspider.web.worlds.recorded import Recorded

ALONE = "/alone.html"  # a page without links, which no other links to: what it costs to start and stop a crawler
_ALONE_BODY = b"<!doctype html><title>Alone</title><p>Nothing but this sentence stands here."
_MOST_HOPS = 5
_SERVER = "http://site.invalid"  # stands for the server while its port is not known
# What every crawler and every server takes for a page, and spells alike.
_PLAIN_PATH = re.compile(r"/(?:[A-Za-z0-9_.~-]+/)*(?:[A-Za-z0-9_.~-]+\.html?)?")
_LINK = re.compile(r"""(<(?:a|area)\b[^>]*?\shref\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE)
_FRAME = re.compile(rb"<i?frame\b", re.IGNORECASE)  # some crawlers follow them
_THIS_MACHINE = re.compile(r"https?://(?:127\.|localhost\b|\[::1\]|0\.0\.0\.0)")
_BASE = re.compile(r"<base\b[^>]*>", re.IGNORECASE)
_AS_BYTES = "latin-1"  # every byte is a character, so that what is not changed stays as it is


class Site(NamedTuple):
    folder: Path
    seeds: tuple[str, ...]  # paths on the server
    paths: tuple[str, ...]
    size: int  # bytes of all pages
    links: int
    mended: int  # links that were changed
    topic: Topic


class Chosen(NamedTuple):
    fetch: Fetch
    page: Page


class _Turns:
    """Addresses to look at, one from each host in turn."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._queues: dict[str, deque[str]] = {}
        self._turn: deque[str] = deque()

    def add(self, url: str) -> None:
        if url in self._known:
            return
        self._known.add(url)
        host = host_of(url)
        queue = self._queues.setdefault(host, deque())
        if not queue:
            self._turn.append(host)
        queue.append(url)

    def __iter__(self) -> Iterator[str]:
        while self._turn:
            host = self._turn.popleft()
            url = self._queues[host].popleft()
            if self._queues[host]:
                self._turn.append(host)
            yield url


def path_of(url: str) -> str:
    """Where a page of the web lies on the server."""
    return "/" + url.partition("://")[2]


def file_of(path: str) -> str:
    return path[1:] + ("index.html" if path.endswith("/") else "")


def chosen(web: Recorded, seeds: tuple[str, ...], most: int) -> dict[str, Chosen]:
    """At most so many pages by address, each reached by links of those before it."""
    found: dict[str, Chosen] = {}
    files: set[str] = set()
    bodies: set[str] = set()
    turns = _Turns()
    for seed in seeds:
        turns.add(seed)
    for url in turns:
        if len(found) >= most:
            break
        fetch = landing(web, url)
        page = _usable(fetch)
        if fetch is None or page is None or page.digest in bodies or file_of(path_of(fetch.final_url)) in files:
            continue
        bodies.add(page.digest)
        files.add(file_of(path_of(fetch.final_url)))
        found[fetch.final_url] = Chosen(fetch, page)
        for link in page.links:
            if "nofollow" not in link.rel and web.owns(host_of(link.url)):
                turns.add(link.url)
    return found


def landing(web: Recorded, url: str) -> Fetch | None:
    """The answer at the end of the redirects."""
    for _ in range(_MOST_HOPS):
        fetch = web.record(url, web.start)
        if fetch.status == 200:
            return fetch
        target = canonical(fetch.headers.get("location", ""), url) if 300 <= fetch.status < 400 else None
        if target is None:
            return None
        url = target
    return None


def _usable(fetch: Fetch | None) -> Page | None:
    if fetch is None or not fetch.headers.get("content-type", "").startswith("text/html"):
        return None
    if _PLAIN_PATH.fullmatch(path_of(fetch.final_url)) is None or _FRAME.search(fetch.body):
        return None
    page = parse(fetch)
    return page if isinstance(page, Page) and not {"noindex", "nofollow"} & set(page.robots) else None


class Mender:
    """Changes the links of pages to what they are on the server."""

    def __init__(self, web: Recorded, pages: dict[str, Chosen]) -> None:
        self.web = web
        self.pages = pages
        self.mended = 0
        self._landings: dict[str, str | None] = {}

    def body(self, fetch: Fetch) -> bytes:
        text = fetch.body.decode(_AS_BYTES)
        bases = [match[0] for match in _BASE.finditer(text)]
        base = _base(bases[0], fetch.final_url) if bases else fetch.final_url
        here = _SERVER + path_of(fetch.final_url)

        def mend(match: re.Match[str]) -> str:
            raw = match[2].strip("\"'")
            href = html.unescape(raw.encode(_AS_BYTES).decode(errors="replace")).strip()
            better = self._mended(href, base, here)
            if better is None:
                return match[0]
            self.mended += 1
            return f'{match[1]}"{html.escape(better)}"'

        return _LINK.sub(mend, _BASE.sub("", text)).encode(_AS_BYTES)

    def _mended(self, href: str, base: str, here: str) -> str | None:
        """What a link must be on the server; None if it is that already, or no link to a page."""
        target = canonical(href, base)
        if target is None:
            return None
        if _THIS_MACHINE.match(target):  # an example in a manual, and here a server that nobody may ask
            return "http://localhost.invalid/"
        landing_url = self._landing(target)
        leads = _without_fragment(here, href)
        if landing_url is None:
            return target if leads.startswith(_SERVER + "/") else None
        path = path_of(landing_url)
        if leads == _SERVER + path:
            return None
        _, mark, fragment = href.partition("#")
        return path + mark + fragment

    def _landing(self, url: str) -> str | None:
        """The page of the site that an address leads to."""
        if url in self.pages:
            return url
        if url not in self._landings:
            fetch = landing(self.web, url) if self.web.owns(host_of(url)) else None
            found = fetch.final_url if fetch is not None else ""
            self._landings[url] = found if found in self.pages else None
        return self._landings[url]


def _base(tag: str, url: str) -> str:
    match = re.search(r"""href\s*=\s*["']?([^"'\s>]+)""", tag, re.IGNORECASE)
    return (canonical(html.unescape(match[1]), url) if match else None) or url


def _without_fragment(base: str, href: str) -> str:
    try:
        return str(ada_url.join_url(base, href)).partition("#")[0]
    except ValueError:
        return ""


def seeds_of(web: Recorded) -> tuple[str, ...]:
    """Where the topics of a web begin; anywhere, if it has none."""
    seeds = dict.fromkeys(seed for task in web.tasks().values() for seed in task.seeds)
    return tuple(seeds) or (web.url(0),)


def written(web: Recorded, folder: Path, most: int, seeds: tuple[str, ...]) -> Site:
    """The site in a folder that is empty or not there. Its topic is the one that most of its pages are about. It begins
    at the first seed alone if that reaches enough pages, because wget crawls from each seed anew."""
    tasks = web.tasks()
    pages = chosen(web, seeds[:1], most)
    if len(pages) < most:
        pages = chosen(web, seeds, most)
    else:
        seeds = seeds[:1]
    mender = Mender(web, pages)
    size = 0
    for url, (fetch, _) in pages.items():
        body = mender.body(fetch)
        size += len(body)
        _write(folder / file_of(path_of(url)), body)
    _write(folder / file_of(ALONE), _ALONE_BODY)
    return Site(
        folder,
        tuple(path_of(seed) for seed in seeds if seed in pages),
        tuple(map(path_of, pages)),
        size,
        sum(len(page.links) for _, page in pages.values()),
        mender.mended,
        max(tasks.values(), key=lambda task: len(task.relevant & pages.keys())).topic if tasks else Topic(("page",)),
    )


def _write(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
