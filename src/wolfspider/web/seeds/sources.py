"""Where a crawl starts: addresses as people type them, lists of them, sitemaps, feeds, a search.

What a person typed is theirs to correct, so what cannot be an address is a Problem that says what to do. What lies out
there is not: a sitemap that is gone is a remark, and the crawl starts from the rest. Only when nothing is left at all
is that a Problem, which then tells what became of each source.

An address that is given as a starting point may be a sitemap or a feed itself. Its ending makes it worth a look, and
its content decides; a page under such an address is a page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wolfspider.core.errors import BadInput, Nothing, Problem
from wolfspider.core.model import FEED, SITEMAP, Fetch, Link, Question
from wolfspider.web.http import robots
from wolfspider.web.http.robots import Rules
from wolfspider.web.page import charset
from wolfspider.web.page.urls import LONGEST, canonical
from wolfspider.web.seeds import feeds, sitemaps
from wolfspider.web.seeds.gathered import Allows, Gathered, trouble_with, was_asked
from wolfspider.web.seeds.search import search
from wolfspider.web.worlds.world import Request, Web

__all__ = ["Gathered", "NamedStarts", "NoHost", "address", "from_file", "gather", "read_list"]

MOST_BYTES = 50_000_000  # of a list
MOST_ADDRESSES = 1_000_000
_SHOWN = 80  # characters of what was typed, in a message
MOST_LOOKS = 200  # at addresses that end like sitemaps and feeds; further ones are taken for pages
_FEW = 5

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?![0-9]{1,5}(?:[/?#]|$))")  # a port is none
_LOOPBACK = re.compile(
    r"(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\]|[a-z0-9.-]+\.localhost)(?:[:/?#]|$)", re.IGNORECASE
)
_HOST = re.compile(r"[^\s/?#@\\]*?[^\s/?#@\\.]\.[^\s/?#@\\]|\[[0-9A-Fa-f:.]+\]|[^\s/?#@\\:]+:[0-9]")
_WORTH_A_LOOK = re.compile(
    r"\.(?:rss|atom|rdf|xml|xml\.gz)$|/(?:feeds?|rss|atom)/?$|/feed\.json$|/sitemap[^/]*\.txt(?:\.gz)?$", re.IGNORECASE
)
_UNSEEN = f"It and all after it that end like feeds are taken for pages: {MOST_LOOKS} were looked at already."


@dataclass(frozen=True, slots=True)
class NamedStarts:
    """What a person named to start from. Addresses are canonical: `address` and `read_list` see to that."""

    addresses: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    service: str = ""  # of a search
    words: str = ""  # to search for
    language: str = ""
    most: int = 1_000  # links of sitemaps and of feeds, each
    results: int = 50  # of the search
    abroad: bool = False  # the scope names its hosts: then sitemaps may name addresses on any of them


class NoHost(Problem):
    """What was typed does not even begin like an address: perhaps somebody means a topic."""


def address(text: str) -> str:
    """The address that a person means: a bare host is asked by https, the own machine by http."""
    typed = text.strip().removeprefix("<").removesuffix(">")
    if len(typed) > LONGEST:
        raise Problem(f"{_shown(text)} ... is longer than an address may be ({LONGEST:,} characters).")
    if scheme := _SCHEME.match(typed):
        _check_scheme(scheme[1].lower(), typed)
    elif typed.startswith("//"):
        typed = f"https:{typed}"
    elif _LOOPBACK.match(typed):
        typed = f"http://{typed}"
    else:
        _check_host(typed)
        typed = f"https://{typed}"
    url = canonical(typed) if not re.search(r"\s", typed) else None
    if url is None:
        raise Problem(f"{_shown(text)} is no address. An address looks like https://example.org/page.")
    return url


def address_or_list(text: str) -> str:
    """The same, or the address of a watched list, as reports name it: `feed:https://example.org/rss`."""
    source, within = Question.of(text.strip())
    return Question(source, address(within)).url if source in (FEED, SITEMAP) else address(text)


def web_address_of(url: str) -> str:
    """What is asked for over the web, where such an address is given."""
    source, within = Question.of(url)
    return within if source in (FEED, SITEMAP) else url


def _check_scheme(scheme: str, typed: str) -> None:
    if scheme in ("http", "https"):
        return
    if scheme == "file":
        raise Problem(
            f"{_shown(typed)} is a file on this machine, and wolfspider crawls http and https. "
            "A list of addresses is read with --seeds FILE; pages need a web server on 127.0.0.1 and --allow-private."
        )
    raise Problem(f"{_shown(typed)} cannot be crawled: wolfspider speaks http and https, not {scheme[:20]}.")


def _check_host(typed: str) -> None:
    if "@" in typed.partition("/")[0]:
        raise Problem(f"{_shown(typed)} looks like a mail address. A starting point looks like https://example.org/.")
    if typed.startswith(("/", "./", "../", "~")):
        raise Problem(f"{_shown(typed)} is a path, not an address. A list of addresses is read with --seeds FILE.")
    if not _HOST.match(typed):
        raise NoHost(f"{_shown(typed)} is no address, which looks like https://example.org/.")


def _shown(text: str) -> str:
    """As it was typed, harmless in a terminal and without passwords."""
    shown = text.strip()[:LONGEST]
    before, _, rest = shown.rpartition("@")
    if ":" in before:
        scheme, mark, _ = before.partition("://")
        shown = f"{scheme}://{rest}" if mark else rest
    return ascii(shown[:_SHOWN])


def read_list(text: str) -> list[str]:
    """One address a line, each once; blank lines and what follows a # are left out."""
    found: dict[str, None] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        typed = re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip()
        if not typed:
            continue
        try:
            found[address(typed)] = None
        except Problem as problem:
            raise BadInput(f"Line {number}: {problem}") from None
        if len(found) > MOST_ADDRESSES:
            raise BadInput(f"There are more than {MOST_ADDRESSES:,} addresses in it: give fewer.")
    return list(found)


def from_file(path: str | Path) -> list[str]:
    """The addresses listed in a file; `-` is what comes in by standard input."""
    name = "standard input" if str(path) == "-" else str(path)
    try:
        if str(path) == "-":
            body = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                body = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise BadInput(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if len(body) > MOST_BYTES:
        raise BadInput(f"{name} is larger than {MOST_BYTES // 1_000_000} MB: a list of addresses has one a line.")
    if not charset.kind_of("text/plain", body):
        raise BadInput(f"{name} is no text: a list of addresses has one a line.")
    try:
        return read_list(charset.decoded("text/plain", body)[0])
    except BadInput as problem:
        raise BadInput(f"{name}: {problem}") from None


async def gather(web: Web, wanted: NamedStarts, allows: Allows, services: Web | None = None) -> Gathered:
    """All starting points in the order they were named, each once. `services` asks the search service, without asking
    its robots.txt. Raises Nothing if there is nothing to start from."""
    gathering = _StartingPoints(_CountedWeb(web), _CountedWeb(services or web), wanted, allows)
    await gathering.addresses()
    await gathering.from_sitemaps(wanted.sitemaps)
    await gathering.from_feeds(wanted.feeds)
    if wanted.service:
        await gathering.from_search()
    found = gathering.gathered()
    if not found.links:
        raise Nothing(_nothing(found.problems))
    return found


class _CountedWeb:
    """A Web that counts what is asked of it. What was looked at is handed out once more instead of being asked for."""

    def __init__(self, web: Web) -> None:
        self.requests = 0
        self._web = web
        self._looked: dict[str, Fetch] = {}

    async def look(self, url: str) -> Fetch:
        fetch = await self.fetch(Request(url))
        self._looked = {url: fetch}
        return fetch

    async def fetch(self, request: Request) -> Fetch:
        if looked := self._looked.pop(request.url, None):
            return looked
        fetch = await self._web.fetch(request)
        self.requests += was_asked(fetch)
        return fetch


class _StartingPoints:
    """What was found so far, from all sources."""

    def __init__(self, web: _CountedWeb, services: _CountedWeb, wanted: NamedStarts, allows: Allows) -> None:
        self._web = web
        self._services = services
        self._wanted = wanted
        self._allows = allows
        self._links: dict[str, Link] = {}
        self._problems: list[tuple[str, str]] = []

    async def addresses(self) -> None:
        looks = 0
        for url in dict.fromkeys(self._wanted.addresses):
            likely = worth_a_look(url)
            looks += likely
            if likely and looks <= MOST_LOOKS:
                await self._look(url)
            else:
                self._add(Link(url, rel="seed"))
            if likely and looks == MOST_LOOKS + 1:
                self._problems.append((url, _UNSEEN))

    async def _look(self, url: str) -> None:
        """A sitemap or feed stands for what it names, anything else for itself."""
        fetch = await self._web.look(url)
        kind = "" if trouble_with(fetch) else kind_of(fetch)
        if kind == "sitemap":
            await self.from_sitemaps([url])
        elif kind == "feed":
            await self.from_feeds([url])
        else:
            self._add(Link(url, rel="seed"))

    async def from_sitemaps(self, urls: Sequence[str]) -> None:
        """An address without a path stands for the sitemaps that its robots.txt names."""
        urls = [sitemap for url in urls for sitemap in (await self._named(url) if _is_bare(url) else [url])]
        self._take(await sitemaps.gather(self._web, urls, self._at_home(urls), self._wanted.most))

    async def _named(self, url: str) -> list[str]:
        fetch = await self._services.fetch(Request(f"{url}robots.txt"))
        named = [] if trouble_with(fetch) else Rules(robots.ours(fetch.body)).sitemaps
        found = [sitemap for text in named if (sitemap := canonical(text, url))]
        return found or [f"{url}sitemap.xml"]

    async def from_feeds(self, urls: Sequence[str]) -> None:
        self._take(await feeds.gather(self._web, urls, self._allows, self._wanted.most))

    async def from_search(self) -> None:
        wanted = self._wanted
        self._take(
            await search(self._services, wanted.service, wanted.words, wanted.results, self._allows, wanted.language)
        )

    def _at_home(self, urls: Sequence[str]) -> Allows:
        """Sitemaps speak for their own hosts, unless the scope says by name which hosts belong to the crawl."""
        if self._wanted.abroad:
            return self._allows
        homes = {sitemaps.home(url) for url in (*urls, *self._wanted.addresses)}
        return lambda url: sitemaps.home(url) in homes and self._allows(url)

    def _take(self, found: Gathered) -> None:
        self._problems += found.problems
        for link in found.links:
            self._add(link)

    def _add(self, link: Link) -> None:
        if link.url not in self._links:
            self._links[link.url] = link._replace(rank=len(self._links))

    def gathered(self) -> Gathered:
        return Gathered(list(self._links.values()), self._web.requests + self._services.requests, self._problems)


def worth_a_look(url: str) -> bool:
    """Does a canonical address end like a sitemap or a feed?"""
    return bool(_WORTH_A_LOOK.search(url.partition("?")[0]))


def _is_bare(url: str) -> bool:
    return url.count("/") == 3 and url.endswith("/")


def kind_of(fetch: Fetch) -> str:
    """ "sitemap" or "feed" if the content of an answer says that it is one, else ""."""
    content_type = fetch.headers.get("content-type", "")
    if feeds.is_feed(fetch.body, content_type):
        return "feed"
    return "sitemap" if sitemaps.is_sitemap(fetch.body, content_type) else ""


def _nothing(problems: Sequence[tuple[str, str]]) -> str:
    if not problems:
        return "There is nothing to start from: give an address, or --seeds, --sitemap, --feed or --search."
    told = " ".join(f"{url}: {sentence}" for url, sentence in problems[:_FEW])
    more = f" And {len(problems) - _FEW} more." if len(problems) > _FEW else ""
    return f"Nothing was found to start from. {told}{more}"
