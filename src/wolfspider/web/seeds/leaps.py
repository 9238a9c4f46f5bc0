"""Where leaps go: sources of addresses like `leap:wolf spiders`, which answer with pages that may lie anywhere.

    Leaps(search, allows).look("leap:wolf spiders", now)    # a Page whose links are the results, best first

What can be searched at hand (a category index, the pages of an earlier run) is asked for nothing. What a site says it
has is read at the first leap, and kept; that, like a search service (`web/seeds/search.py`), is
somewhere else, so each leap there is a download.

A result counts only if it is in the crawl's scope: an answer names the best of those that are. Where it leads is then
visited like any address, past guard, robots.txt and politeness.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import unquote

from wolfspider.core.errors import BadInput, Nothing
from wolfspider.core.model import Failure, Link, Page, Question
from wolfspider.core.text import words as words_of
from wolfspider.web.page.urls import canonical
from wolfspider.web.seeds import sources
from wolfspider.web.seeds.gathered import Allows, harmless
from wolfspider.web.worlds.world import Web

MOST = 1_000  # results of an answer
FURTHER = 100_000  # that are looked through where the best are out of scope
MOST_WORDS = 200  # of a leap
MOST_NAMED = 50_000  # addresses of a site that are kept
NOTHING = Failure("source", "nothing in scope was found")

Search = Callable[[str, int], Sequence[tuple[str, str]]]  # words, how many at most -> addresses and titles, best first


class Leaps:
    """The Source of leaps into what can be searched at hand."""

    network = False

    def __init__(self, search: Search, allows: Allows) -> None:
        self._search, self._allows = search, allows

    def look(self, url: str, now: float) -> Page | Failure:
        asked = " ".join(words_in(url))
        links: list[Link] = []
        try:
            for most in (MOST, FURTHER):
                found = self._search(asked, most)
                links = linked(found, self._allows)
                if len(links) == MOST or len(found) < most:
                    break
        except BadInput as problem:  # an index that is damaged where nobody looked before
            return Failure("source", str(problem))
        return answer(url, links, now)


class SitemapLeaps:
    """The Source of leaps to what a site says it has: addresses with the most of the words come first, and otherwise
    they come as the site names them. `web` and `services` give the Webs to ask by, once there are any."""

    network = True

    def __init__(
        self,
        web: Callable[[], Web],
        services: Callable[[], Web],
        sitemap: str,
        allows: Allows,
        abroad: bool = False,
    ) -> None:
        self._web, self._services, self._allows = web, services, allows
        self._wanted = sources.NamedStarts(sitemaps=(sitemap,), most=MOST_NAMED, abroad=abroad)
        self._named: list[str] | None = None
        self._asking = asyncio.Lock()

    def look(self, url: str, now: float) -> Page | Failure:
        return Failure("source", "a sitemap is asked for by crawls of the live web only")

    async def ask(self, url: str, now: float) -> Page | Failure:
        try:
            named = await self._read()
        except Nothing as problem:
            return Failure("source", str(problem))
        ranked = await asyncio.to_thread(rank, named, words_in(url))  # there may be many
        return answer(url, linked(((each, "") for each in ranked), self._allows), now)

    async def _read(self) -> list[str]:
        """Once; what was not there may be there the next time."""
        async with self._asking:
            if self._named is None:
                found = await sources.gather(self._web(), self._wanted, self._allows, self._services())
                self._named = [link.url for link in found.links]
        return self._named


def rank(urls: Iterable[str], asked: Sequence[str]) -> list[str]:
    """By how many of the words stand in the address."""
    wanted = frozenset(asked)
    return sorted(urls, key=lambda url: -len(wanted.intersection(words_of(unquote(url)))))


def words_in(url: str) -> list[str]:
    """What a leap asks for: each word once, in order, and not too many."""
    return list(dict.fromkeys(words_of(Question.of(url).text)))[:MOST_WORDS]


def linked(found: Iterable[tuple[str, str]], allows: Allows) -> list[Link]:
    """The best results that are in scope, each once. An index may come from anybody: what is no address is left out."""
    links: dict[str, Link] = {}
    for address, title in found:
        if (url := canonical(address)) and url not in links and allows(url):
            links[url] = Link(url, harmless(title), rank=len(links), rel="leap")
            if len(links) == MOST:
                break
    return list(links.values())


def answer(url: str, links: Sequence[Link], now: float) -> Page | Failure:
    if not links:
        return NOTHING
    return Page(url, url, harmless(Question.of(url).text), links=tuple(links), type="", at=now)
