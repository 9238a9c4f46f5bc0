"""A newspaper that a test writes, served in a time that runs fast, and a watch of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from wolfspider.app.settings import choose
from wolfspider.core.model import Fetch
from wolfspider.watch.book import Report
from wolfspider.watch.watching import Watch, settings_for
from wolfspider.watch.webhook import Hook
from wolfspider.web.server.serve import Manner, Served, serve
from wolfspider.web.worlds.world import Servable

NOON = 1_800_014_400.0
MINUTE, HOUR = 60.0, 3600.0
FRONT = "http://paper.test/"
SECONDS = 90.0  # in which all must have happened that a test waits for
POLLING = Path(__file__).parents[1] / "live" / "polling.py"
FAST = Manner(speed=600.0, start=NOON, tells_time=True)


@dataclass
class Article:
    text: str
    published: float | None = None  # as the page says
    modified: float | None = None  # as the server says
    head: str = ""


class Paper(Servable):
    """Its front page shows all that is in `articles`, by their paths."""

    name, start = "paper", NOON

    def __init__(self) -> None:
        self.articles: dict[str, Article] = {}
        self.front: str | None = None  # another front page
        self.hidden: set[str] = set()  # articles that the front page does not show
        self.feed: list[str] = []  # those that its feed has, if it has one
        self.feed_dates: dict[str, float] = {}  # when they were published, as the feed says
        self.newsmap: list[str] = []  # and those that its sitemap has

    def look(self, url: str, now: float) -> Fetch:
        path = url.partition("://")[2].partition("/")[2]
        if path == "robots.txt":
            text = f"User-agent: *\nDisallow:\nSitemap: {FRONT}news-map.xml\nSitemap: {FRONT}all.xml\n"
            return Fetch(url, url, 200, {"content-type": "text/plain"}, text.encode() if self.newsmap else b"", at=now)
        if path == "feed.xml" and self.feed:
            items = "".join(
                f"<item><title>{name}</title><link>{FRONT}{name}</link>{_pub_date(self.feed_dates.get(name))}</item>"
                for name in self.feed
            )
            body = f'<rss version="2.0"><channel><title>feed</title>{items}</channel></rss>'
            return Fetch(url, url, 200, {"content-type": "application/rss+xml"}, body.encode(), at=now)
        if path == "news-map.xml" and self.newsmap:
            places = "".join(f"<url><loc>{FRONT}{name}</loc></url>" for name in self.newsmap)
            body = f"<urlset>{places}</urlset>"
            return Fetch(url, url, 200, {"content-type": "application/xml"}, body.encode(), at=now)
        if not path:
            links = "".join(
                f'<li><a href="/{name}">{name}</a></li>' for name in self.articles if name not in self.hidden
            )
            head = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">' if self.feed else ""
            body = f"<title>front</title>{head}<ul>{links}</ul>" if self.front is None else self.front
            return Fetch(url, url, 200, {"content-type": "text/html"}, body.encode(), at=now)
        if path not in self.articles:
            return Fetch(url, url, 404, {"content-type": "text/plain"}, b"no", at=now)
        article = self.articles[path]
        headers = {"content-type": "text/html"}
        if article.modified is not None:
            headers["last-modified"] = format_datetime(datetime.fromtimestamp(article.modified, UTC), usegmt=True)
        date = ""
        if article.published is not None:
            written = datetime.fromtimestamp(article.published, UTC).isoformat()
            date = f'<meta property="article:published_time" content="{written}">'
        paragraphs = "".join(f"<p>{line}</p>" for line in article.text.split("\n"))
        body = f"<html><head><title>{path}</title>{date}{article.head}</head><body>{paragraphs}</body></html>"
        return Fetch(url, url, 200, headers, body.encode(), at=now)


def _pub_date(at: float | None) -> str:
    return "" if at is None else f"<pubDate>{format_datetime(datetime.fromtimestamp(at, UTC), usegmt=True)}</pubDate>"


@dataclass
class Watching:
    """A watch under way, and all it told."""

    watch: Watch
    server: Served
    reports: list[Report] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def now(self) -> float:
        return self.server.web_time().now

    def told(self, kind: str = "new") -> list[str]:
        return [report.url.removeprefix(FRONT) for report in self.reports if report.kind == kind]

    async def until(self, what: Callable[[], object]) -> None:
        async with asyncio.timeout(SECONDS):
            while not what():
                await asyncio.sleep(0.02)

    async def looks(self, count: int = 2, path: str = "/") -> None:
        """Until a page was asked for so many more times."""
        before = len([one for one in self.server.log if one.path == path])
        await self.until(lambda: len([one for one in self.server.log if one.path == path]) >= before + count)


def watch_for(port: int, folder: Path, told: Watching | None = None, hook: Hook | None = None, **given: Any) -> Watch:
    flags = {
        "urls": [FRONT],
        "strategy": f"{POLLING}:Polling",
        "via": f"127.0.0.1:{port}",
        "delay": 1.0,
        "disk_floor": 0,
        **given,
    }
    chosen = choose({name: value for name, value in flags.items() if value is not None}, environment=False)
    told_to = told.reports.append if told else None
    return Watch(settings_for(chosen), folder, hook, told=told_to, remark=told.remarks.append if told else None)


@asynccontextmanager
async def watching(
    paper: Servable, folder: Path, manner: Manner = FAST, hook: Hook | None = None, **given: Any
) -> AsyncIterator[Watching]:
    """A watch that runs as long as the block lasts, and is then ended gently."""
    async with serve(paper, manner=manner) as server, going_on(server, folder, hook, **given) as under_way:
        yield under_way


@asynccontextmanager
async def going_on(server: Served, folder: Path, hook: Hook | None = None, **given: Any) -> AsyncIterator[Watching]:
    under_way = Watching.__new__(Watching)
    under_way.server, under_way.reports, under_way.remarks = server, [], []
    under_way.watch = watch_for(server.port, folder, under_way, hook, **given)
    running = asyncio.create_task(under_way.watch.run())
    try:
        yield under_way
        if running.done():
            running.result()
    finally:
        under_way.watch.drain()
        async with asyncio.timeout(SECONDS):
            if not isinstance(await asyncio.gather(running, return_exceptions=True), list):
                raise AssertionError
    running.result()
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(0)
