"""The webs of the news race: sites whose items have known times of publication, and a count of what is asked of them.

A download costs time only if it is a look: at a list, or at a page that was downloaded before. The first download of an
item takes no time and is counted apart. So a strategy that asks one thing after the other makes exactly as many looks
an hour as the race allows, whoever it is. An item is found when a page first shows its address.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.core.model import Fetch, Link, Page, host_of
from wolfspider.core.text import key_of
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.parsed_once import ParsedOnce
from wolfspider.web.worlds.recorded import Recorded
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.synthetic.news import Sheet
from wolfspider.web.worlds.world import Looks, World, open_web

HOUR, DAY = 3600.0, 86_400.0
WEEK = 7 * DAY
FADES = 6.0  # hours in which an item loses most of its value
LATE = 24.0  # hours
INSTANT = 0.001  # seconds of a download that is no look
CHANGES = 3  # of a page that is a list, in a recorded web


class Item(NamedTuple):
    url: str
    published: float
    lists: tuple[str, ...]  # pages that show it when it is new


@dataclass
class Site:
    """A web with its lists and its items, oldest first."""

    world: World
    start: float
    end: float
    homes: list[str]
    lists: list[str]
    items: list[Item]
    bytes_kept: int = 300 << 20

    @cached_property
    def published(self) -> dict[str, float]:
        return {item.url: item.published for item in self.items}

    @cached_property
    def looks(self) -> Looks:
        return ParsedOnce(self.world, self.bytes_kept)


@dataclass
class RaceWeb:
    """A site as one strategy sees it, with its looks counted."""

    site: Site
    per_hour: float
    looks: int = 0
    downloads: int = 0  # of items
    found: dict[str, float] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)

    def look(self, url: str, now: float) -> Fetch:
        fetch = self.site.looks.look(url, now)
        asked = key_of(url)
        item = url in self.site.published and asked not in self.seen
        self.seen.add(asked)
        seconds = INSTANT if item else HOUR / self.per_hour
        self.looks, self.downloads = self.looks + (not item), self.downloads + item
        if fetch.page is not None:
            for link in fetch.page.links:
                if link.url in self.site.published:
                    self.found.setdefault(link.url, now + seconds)
        return replace(fetch, seconds=seconds)

    def result(self) -> dict[str, Any]:
        """Of the items that were published during the race, but for its last day."""
        last = self.site.end - LATE * HOUR
        items = [item for item in self.site.items if self.site.start <= item.published < last]
        lags = [max(0.0, self.found.get(item.url, math.inf) - item.published) / HOUR for item in items]
        there = sorted(lag for lag in lags if lag < math.inf)
        values = [math.exp(-lag / FADES) for lag in lags]
        count = max(1, len(items))
        weeks: dict[int, list[float]] = {}  # how many items were published in it, and the sum of their values
        for item, value in zip(items, values, strict=True):
            week = weeks.setdefault(int((item.published - self.site.start) / WEEK), [0, 0.0])
            week[0], week[1] = week[0] + 1, week[1] + value
        return {
            "items": len(items),
            "looks": self.looks,
            "downloads": self.downloads,
            "in time": sum(lag <= LATE for lag in lags) / count,
            "mean lag": sum(there) / max(1, len(there)),
            "median lag": there[len(there) // 2] if there else math.nan,
            "value": sum(values) / count,
            "weeks": weeks,
        }


class ListsOnly:
    """The news site of a synthetic web, without words: its pages as their links, which is all that most racers read. A
    test compares them with the pages as they are printed."""

    def __init__(self, world: Synthetic) -> None:
        assert world.news is not None
        self.world, self.news = world, world.news
        self._articles: dict[str, Fetch] = {}

    def look(self, url: str, now: float) -> Fetch:
        if not url.startswith(self.news.site):
            return self.world.look(url, now)
        kept = self._articles.get(url)
        if kept is not None and kept.page is not None:
            return replace(kept, at=now, page=replace(kept.page, at=now))
        sheet = self.news.sheet(f"/{url.removeprefix(self.news.site)}", now)
        if not isinstance(sheet, Sheet):
            return self.world.look(url, now)
        addresses = [address for address, _ in sheet.nav] + [self.news.url(number) for number in sheet.articles]
        addresses += [self.news.addresses.card(number).url for number in sheet.pages]
        links = tuple(Link(address, rank=rank) for rank, address in enumerate(dict.fromkeys(addresses)))
        digest = f"{key_of(' '.join(addresses)):x}"
        page = Page(url, url, links=links, published=sheet.published, modified=sheet.modified, digest=digest, at=now)
        fetch = Fetch(url, url, status=200, at=now, page=page)
        if sheet.article is not None:
            self._articles[url] = fetch
        return fetch


@dataclass
class LightSite(Site):
    @cached_property
    def looks(self) -> Looks:
        assert isinstance(self.world, Synthetic)
        return ListsOnly(self.world)


def synthetic_site(seed: int, days: float, articles: int, light: bool) -> Site:
    web = f"synthetic:pages=3000,topics=64,mischief=0,news=1,seed={seed},articles={articles},listed=10,older=3"
    world = open_web(web)
    assert isinstance(world, Synthetic) and world.news is not None
    news, start = world.news, world.start
    archive = news.archive
    fronts = {section: f"{news.site}{word}/" for section, word in enumerate(news.sections)}
    numbers = range(archive.count(start + days * DAY))
    items = [
        Item(news.url(n), archive.times[n], (news.list_url(archive.lists[n]), fronts[archive.lists[n] % len(fronts)]))
        for n in numbers
    ]
    lists = [news.site, *fronts.values(), *(news.list_url(number) for number in range(len(archive.by_list)))]
    return (LightSite if light else Site)(world, start, start + days * DAY, [news.site], lists, items)


def recorded_site(folder: Path, homes: Sequence[str], weeks: float) -> Site:
    """Sites of a recorded web whose pages appear in time. Their items are the pages that were not there at the
    beginning and hardly change; their lists are the pages that change again and again."""
    world = open_web(str(folder))
    assert isinstance(world, Recorded)
    start, end = world.first, min(world.end, world.first + weeks * WEEK)
    hosts, items, lists = {host_of(home) for home in homes}, [], list(homes)
    for url in world.graph(world.end).urls:
        times = _changes(world, url, start)
        if host_of(url) not in hosts or url in homes:
            continue
        if len(times) >= CHANGES:
            lists.append(url)
        elif times and times[0] < end and not isinstance(parse(world.look(url, start)), Page):
            items.append(Item(url, times[0], ()))
    return Site(world, start, end, list(homes), lists, sorted(items, key=lambda item: item.published))


def _changes(world: World, url: str, since: float) -> list[float]:
    times: list[float] = []
    while len(times) < CHANGES and (at := world.changed(url, times[-1] if times else since, math.inf)) is not None:
        times.append(at)
    return times
