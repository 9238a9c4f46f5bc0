"""A synthetic web: every page is a pure function of the seed, its number and the time.

    counter    random numbers without state         addresses  a page and its address, both ways
    sites      hosts, topics, kinds, fates          render     the HTML around the words
    links      who links to whom, page by page      answers    what an address says; delays and failures
    bulk       the same for all pages at once       news       a site whose pages change
    words      vocabularies, and texts made of them  english    the same with words that people read

`Synthetic` puts them together as a World. Nothing is kept for a page that is not looked at: a million pages cost a
table of 25,000 numbers. Only `graph` and `tasks` scan all pages, when they are called.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from urllib.parse import SplitResult, urlsplit
from zlib import crc32

import numpy as np

from wolfspider.core import randomness
from wolfspider.core.model import Failure, Fetch
from wolfspider.core.topic import Task
from wolfspider.graphs.graph import Graph
from wolfspider.graphs.smallworld import rewire
from wolfspider.web.worlds.synthetic.addresses import Addresses
from wolfspider.web.worlds.synthetic.answers import NOT_FOUND, TIMEOUT, PageAnswer, Trouble
from wolfspider.web.worlds.synthetic.bulk import Bulk
from wolfspider.web.worlds.synthetic.counter import key_for, mix
from wolfspider.web.worlds.synthetic.english import English
from wolfspider.web.worlds.synthetic.links import Links
from wolfspider.web.worlds.synthetic.news import News
from wolfspider.web.worlds.synthetic.render import Printer
from wolfspider.web.worlds.synthetic.sites import BRANCHING, Census, Fate, Ids, Kind, Sites
from wolfspider.web.worlds.synthetic.tasks import static_tasks
from wolfspider.web.worlds.synthetic.web_params import ENGLISH, WebParams, parse
from wolfspider.web.worlds.synthetic.words import Vocabularies
from wolfspider.web.worlds.world import LARGEST, World

_VERSION = 1  # of what is generated: a change of any page changes it, and so the digest
_MOST_HOPS = 10
_CALENDAR = re.compile(r"/cal/(\d{1,6})/(1[0-2]|[1-9])")
_GO = re.compile(r"/go/([0-9a-f]{7})([abcxy])")
_NEXT_WAY = {"c": "b", "b": "a", "x": "y", "y": "x"}


class Synthetic(World):
    def __init__(self, params: WebParams) -> None:
        self.params, self.name, self.start = params, params.spec(), params.epoch
        self.sites = Sites(params)
        self.links = Links(self.sites)
        self.lexicon = English(self.sites) if params.words == ENGLISH else Vocabularies(self.sites)
        self.addresses = Addresses(self.sites, self.lexicon)
        self.printer = Printer(self.links, self.addresses)
        self.trouble = Trouble(params)
        self.news = News(self.links, self.addresses, self.printer) if params.news else None
        self._order_key = key_for(params.seed, "order of rewired links")

    @classmethod
    def parse(cls, spec: str) -> Synthetic:
        return cls(parse(spec))

    def digest(self) -> str:
        return hashlib.blake2b(f"{_VERSION}/{self.name}".encode(), digest_size=16).hexdigest()

    def owns(self, host: str) -> bool:
        return self.addresses.host_number(host) is not None or (self.news is not None and host == self.news.name)

    def look(self, url: str, now: float) -> Fetch:
        hops: list[str] = []
        asked, spent = url, 0.0
        while True:
            answer = self.answer(asked, now)
            spent += answer.seconds
            if not answer.location:
                break
            hops.append(asked)
            asked = answer.location
            if asked in hops or len(hops) > _MOST_HOPS:
                answer = PageAnswer(0, failure=Failure("redirect", "the redirects go in a circle"))
                break
        failure = answer.failure or (Failure("status", str(answer.status)) if answer.status >= 400 else None)
        final = answer.url or asked
        return Fetch(url, final, answer.status, answer.headers(), answer.body, failure, spent, now, tuple(hops))

    def record(self, url: str, now: float) -> Fetch:
        answer = self.answer(url, now)
        what = (answer.status, answer.headers(), answer.body, answer.failure, answer.seconds)
        return Fetch(url, answer.url or url, *what, now)

    def answer(self, url: str, now: float) -> PageAnswer:
        parts = _split(url)
        if self.news is not None and parts.netloc == self.news.name:
            return self._news(self.news, parts.path or "/", now)
        host = self.addresses.host_number(parts.netloc)
        if host is None or parts.scheme not in ("http", "https"):
            return NOT_FOUND._replace(seconds=self.trouble.seconds(None, 0, len(NOT_FOUND.body)))
        if parts.path == "/robots.txt":
            return self._timed(host, -1, self.aside(host, parts.path))
        page = self.addresses.page_at(host, parts.path or "/")
        entity = self.sites.starts[host] if page is None else page
        failed = self._failed(host, entity, now)
        if failed is not None or page is None:
            return failed or self._timed(host, entity, self.aside(host, parts.path))
        canonical = self.addresses.url(page)
        if canonical.partition("://")[2] != f"{parts.netloc}{parts.path or '/'}":
            return self._timed(host, page, PageAnswer(301, location=canonical))
        return self._timed(host, page, self.page_answer(page, parts.query))

    def _news(self, news: News, path: str, now: float) -> PageAnswer:
        """A well-run site: it has bad moments, but no bad days."""
        if path == "/robots.txt":
            return self._timed(None, 0, PageAnswer(200, "text/plain", b"User-agent: *\nDisallow:\n"))
        entity = crc32(path.encode("utf-8", "surrogatepass"))
        return self._failed(None, entity, now) or self._timed(None, entity, news.answer(path, now))

    def _timed(self, host: int | None, entity: int, answer: PageAnswer) -> PageAnswer:
        return answer._replace(seconds=self.trouble.seconds(host, entity, len(answer.body)))

    def _failed(self, host: int | None, entity: int, now: float) -> PageAnswer | None:
        failure = self.trouble.failure(host, entity, now)
        if failure is not None and failure.kind == "timeout":
            return PageAnswer(0, failure=failure, seconds=TIMEOUT)
        return None if failure is None else self._timed(host, entity, PageAnswer(503, failure=failure))

    @property
    def end(self) -> float:
        return self.start if self.news is None else self.news.room.end

    @property
    def settled(self) -> float:
        return math.inf if self.params.mischief else self.end

    @property
    def has_skeleton(self) -> bool:
        return self.params.pages <= LARGEST

    def host_count(self) -> int:
        return self.sites.hosts + (self.news is not None)

    def sample(self, most: int) -> Iterable[str]:
        pages = self.params.pages
        rng = randomness.generator(self.params.seed, "pages that results are taken from", pages)
        return map(self.addresses.url, rng.sample(range(pages), min(most, pages)))

    def directory(self, task: Task) -> str:
        return task.seeds[0]

    def failing(self, fetch: Fetch) -> Callable[[float], bool]:
        asked = [entity for url in (*fetch.hops, fetch.final_url) for entity in self._entity(_split(url))]
        return lambda now: any(self.trouble.failure(host, entity, now) is not None for host, entity in asked)

    def _entity(self, parts: SplitResult) -> Iterator[tuple[int | None, int]]:
        """The host and the number by which chance decides whether an address fails."""
        host, path = self.addresses.host_number(parts.netloc), parts.path or "/"
        if self.news is not None and parts.netloc == self.news.name:
            yield None, crc32(path.encode("utf-8", "surrogatepass"))
        elif host is not None:
            page = self.addresses.page_at(host, path)
            yield host, self.sites.starts[host] if page is None else page

    def changed(self, url: str, since: float, until: float) -> float | None:
        parts = _split(url)
        if self.news is None or parts.netloc != self.news.name:
            return None
        time = self.news.changed(parts.path or "/", since)
        return time if time <= until and time < math.inf else None

    def page_answer(self, page: int, query: str = "") -> PageAnswer:
        """A page by its canonical address, on a good day. A query (`?sid=...`) makes a copy under another address."""
        host = self.sites.host(page)
        url = f"{self.addresses.url(page)}?{query}" if query else self.addresses.url(page)
        fate = self.sites.fate(page, host)
        if fate == Fate.GONE:
            return NOT_FOUND._replace(url=url)
        if fate == Fate.SOFT:
            return PageAnswer(200, body=self.printer.soft_failure(host), url=url)
        modified = self.printer.published(self.addresses.content(page, host)[0])
        if fate == Fate.DOCUMENT:
            return PageAnswer(200, "application/zip", b"PK\x05\x06" + bytes(18), modified=modified, url=url)
        return PageAnswer(200, body=self.printer.page(page, self.page_links(page)), modified=modified, url=url)

    def aside(self, host: int, path: str) -> PageAnswer:
        """What is no page: robots.txt, redirects and calendars."""
        if path == "/robots.txt":
            closed = self.trouble.forbidden(host, min(BRANCHING, self.sites.size(host) - 1))
            rule = f" /{self.addresses.section_word(host, closed)}/" if closed else ""
            return PageAnswer(200, "text/plain", f"User-agent: *\nDisallow:{rule}\n".encode())
        go = _GO.fullmatch(path)
        page = self.addresses.page_coded(go[1]) if go and self.params.mischief else None
        if go and page is not None:
            if go[2] == "a":
                return PageAnswer(302, location=self.addresses.url(page))
            return PageAnswer(302, location=f"http://{self.addresses.host_name(host)}/go/{go[1]}{_NEXT_WAY[go[2]]}")
        month = _CALENDAR.fullmatch(path)
        if month and self.sites.host_kind(host) == Kind.TRAP:
            return PageAnswer(200, body=self.printer.calendar(host, int(month[1]), int(month[2])))
        return NOT_FOUND

    def page_of(self, url: str) -> int | None:
        """The page of an address, however it is spelled; None for what is no page of the static web."""
        parts = _split(url)
        host = self.addresses.host_number(parts.netloc)
        return None if host is None else self.addresses.page_at(host, parts.path or "/")

    def page_links(self, page: int) -> list[tuple[int, int]]:
        """(target, place) of every link of a page."""
        links = self.links.of(page)
        if not self.params.rewired:
            return links
        root = mix(self._order_key + page)
        row = sorted(self._rewired.out(page).tolist(), key=lambda target: mix(root + target))
        return [(target, place) for target, (_, place) in zip(row, links, strict=False)]

    @cached_property
    def _rewired(self) -> Graph:
        """All links with their ends permuted; rows are sorted, so pages put them in an order of their own."""
        skeleton = Bulk(self.links).skeleton()
        plain = Graph.from_edges([""] * self.params.pages, skeleton.sources(), skeleton.targets)
        return rewire(plain, np.random.Generator(np.random.PCG64(self.params.seed)))

    def graph(self, now: float) -> Graph:
        """Pages, and the links between them; calendars lead nowhere else and are left out."""
        skeleton = self._rewired if self.params.rewired else Bulk(self.links).skeleton()
        census = Census(self.sites)
        pages = np.arange(self.params.pages)
        hosts = census.host(pages)
        fates = census.fate(pages, hosts)
        sources, targets = skeleton.sources().astype(np.int64), skeleton.targets.astype(np.int64)
        there = (fates == Fate.PAGE) | (fates == Fate.SOFT)
        keep = (fates[sources] == Fate.PAGE) & there[targets] & ~self.printer.loops(sources, targets, hosts)
        nodes = np.cumsum(there) - 1
        urls = [self.addresses.url(page) for page in np.flatnonzero(there).tolist()]
        tails, heads = nodes[sources[keep]], nodes[targets[keep]]
        if self.news is None:
            return Graph.from_edges(urls, tails, heads)
        return _with_news(self.news, now, urls, np.where(there, nodes, -1), (tails, heads))

    def tasks(self) -> dict[str, Task]:
        return static_tasks(self.addresses, self.trouble) if self.news is None else self.news.tasks()


def _split(url: str) -> SplitResult:
    """The parts of an address; empty ones where it is none."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


def _with_news(news: News, now: float, urls: list[str], nodes: Ids, links: tuple[Ids, Ids]) -> Graph:
    """The graph of the web with the news site beside it; `nodes` by page, -1 for those that are gone."""
    sheets = list(news.skeleton(now))
    number = {url: len(urls) + place for place, (url, _, _) in enumerate(sheets)}
    edges = [(number[url], number[to]) for url, inside, _ in sheets for to in inside if to in number]
    edges += [(number[url], int(nodes[page])) for url, _, pages in sheets for page in pages if nodes[page] >= 0]
    table = np.array(edges, dtype=np.int64).reshape(-1, 2)
    tails, heads = np.concatenate([links[0], table[:, 0]]), np.concatenate([links[1], table[:, 1]])
    return Graph.from_edges([*urls, *number], tails, heads)
