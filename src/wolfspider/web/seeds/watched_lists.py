"""Feeds and sitemaps as places to look at again and again: `feed:https://example.org/rss` is an address like any other.

To a strategy a feed is a page whose links are its entries, the newest first. It may look at one whenever it likes, as
at the front page of a site. What has not changed since the last look is not sent again (304).

Where a site has them is found out when a watch begins: feeds are named in the heads of its pages, sitemaps in its
robots.txt. Of these only such are taken as are for news, for others name all pages that a site ever had.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from wolfspider.core.model import FEED, SITEMAP, Failure, Fetch, Link, Page, Question
from wolfspider.web.http import robots
from wolfspider.web.http.live_robots import origin_of
from wolfspider.web.http.robots import Rules
from wolfspider.web.page.urls import canonical
from wolfspider.web.seeds import feeds, sitemaps
from wolfspider.web.seeds.gathered import Allows, harmless, trouble_with
from wolfspider.web.worlds.world import Request, Web

MOST_LINKS = 50  # of a list, the newest
MOST_PAGES = 20  # of those that a person named, whose heads are read
MOST_LISTS = 20  # that are looked at in a watch
MOST_NESTED = 3  # sitemaps of an index
REMEMBERED = 200  # lists whose last answer is kept
MOST_DATES = 10_000  # of entries that nobody has asked for yet
_VALIDATORS = ("etag", "last-modified")


class _LastAnswer(NamedTuple):
    validators: Mapping[str, str]
    links: tuple[Link, ...]


class _ReadList(NamedTuple):
    links: tuple[Link, ...]  # the newest first
    within: list[str]  # further lists
    dates: dict[str, float]  # of publication, as a feed says


class WatchedLists:
    """The Source of addresses like `feed:https://example.org/rss` and `sitemap:https://example.org/news.xml`. `web`
    gives the Web to ask by, once there is one. A list may lie out of scope. `dates`: when entries were published, as
    feeds say, for one who takes them away."""

    network = True

    def __init__(self, web: Callable[[], Web], allows: Allows) -> None:
        self.web, self.allows = web, allows
        self._kept: OrderedDict[str, _LastAnswer] = OrderedDict()
        self.dates: dict[str, float] = {}

    def look(self, url: str, now: float) -> Page | Failure:
        return Failure("source", "feeds and sitemaps are looked at by watches of the live web only")

    async def ask(self, url: str, now: float) -> Page | Failure:
        source, address = Question.of(url)
        links = await self._links(address, nested=MOST_NESTED if source == SITEMAP else 0)
        if isinstance(links, Failure):
            return links
        named = [link for link in links if self.allows(link.url)][:MOST_LINKS]
        return Page(url, url, harmless(address), links=tuple(named), type="", at=now)

    async def _links(self, address: str, nested: int) -> tuple[Link, ...] | Failure:
        kept = self._kept.get(address)
        held = kept.validators if kept else {}
        fetch = await self.web().fetch(Request(address, held=held))
        if kept is not None and fetch.status == 304:
            self._kept.move_to_end(address)
            return kept.links
        if fetch.failure is not None:
            return fetch.failure
        if trouble := trouble_with(fetch):
            return Failure("status", str(fetch.status)) if fetch.status >= 400 else Failure("empty", trouble)
        found, within, dates = await asyncio.to_thread(_read, fetch)
        if len(self.dates) < MOST_DATES:
            self.dates.update(dates)
        links = list(found)
        for further in within[:nested]:
            more = await self._links(further, 0)
            links += [] if isinstance(more, Failure) else more
        self._kept[address] = _LastAnswer(
            {name: fetch.headers[name] for name in _VALIDATORS if name in fetch.headers}, found
        )
        while len(self._kept) > REMEMBERED:
            self._kept.popitem(last=False)
        return tuple(links)


def _read(fetch: Fetch) -> _ReadList:
    kind = fetch.headers.get("content-type", "")
    if feeds.is_feed(fetch.body, kind):
        entries = feeds.entries(fetch.body, fetch.final_url, kind, fetch.at).entries
        dated = sorted(entries, key=lambda entry: -(entry.published or 0.0))[: 2 * MOST_LINKS]
        links = tuple(Link(entry.url, entry.title, rank=rank) for rank, entry in enumerate(dated))
        return _ReadList(links, [], {entry.url: entry.published for entry in dated if entry.published is not None})
    found = sitemaps.entries(fetch.body, fetch.final_url, kind)
    newest = sorted(found.urls, key=lambda entry: -(entry[1] or 0.0))[: 2 * MOST_LINKS]
    news = [url for url in found.nested if _is_for_news(url)] or found.nested[-MOST_NESTED:]
    return _ReadList(tuple(Link(url, rank=rank) for rank, (url, _) in enumerate(newest)), news, {})


def _is_for_news(url: str) -> bool:
    return "news" in url.rpartition("://")[2].partition("/")[2].lower()


async def discovered(web: Web, pages: Iterable[str], services: Web) -> list[Link]:
    """The lists that these pages and the robots.txt of their hosts name, as addresses of their Source."""
    found: dict[str, None] = {}
    named = list(pages)[:MOST_PAGES]
    for url in named:
        fetch = await web.fetch(Request(url))
        if not trouble_with(fetch):
            kind = fetch.headers.get("content-type", "")
            there = await asyncio.to_thread(feeds.feeds_of, fetch.body, fetch.final_url, kind)
            found.update(dict.fromkeys(Question(FEED, feed).url for feed in there))
    for origin in dict.fromkeys(map(origin_of, named)):
        fetch = await services.fetch(Request(f"{origin}/robots.txt"))
        told = () if trouble_with(fetch) else Rules(robots.ours(fetch.body)).sitemaps
        maps = [sitemap for text in told if (sitemap := canonical(text, origin)) and _is_for_news(sitemap)]
        found.update(dict.fromkeys(Question(SITEMAP, sitemap).url for sitemap in maps))
    return [Link(url, rel="seed") for url in list(found)[:MOST_LISTS]]
