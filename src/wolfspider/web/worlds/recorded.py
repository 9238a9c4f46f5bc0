"""A recorded web: a folder or a file of WARC, answered as if its servers were still there.

A look finds the address in the index, takes the newest version that is there at that time, and follows redirects inside
this web. What is not stored is a 404, as is a page before its first version. The answer comes from the cache of parsed
pages, or is read from the WARC, parsed and put there; either way it is the same answer, without the body, which `body`
gives to those who want the bytes.

http and https answer alike. So that they do not make two addresses of one page, every address on the hosts of this web
has one scheme: the one it is stored under, and for addresses that are not stored the scheme of their host (http where
a host was recorded with both). Links are rewritten so before a page is kept.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Failure, Fetch, Page, host_of, is_web_address
from wolfspider.core.scope import Nofollow
from wolfspider.core.topic import Task, load_tasks
from wolfspider.files.disk import replacing
from wolfspider.graphs.graph import Graph
from wolfspider.web.page.html import parse
from wolfspider.web.page.page_cache import CachedAnswer, PageCache, folder, parser
from wolfspider.web.page.urls import canonical, looks_like_file
from wolfspider.web.warc.reader import Response, read
from wolfspider.web.worlds.page_index import Index, build, schemeless, stored_name
from wolfspider.web.worlds.world import World

MOST_HOPS = 10
SECONDS_PER_ANSWER = 0.3
BYTES_PER_SECOND = 1e6
_ENDINGS = (".warc.gz", ".warc")

Progress = Callable[[int, int], object]


class Recorded(World):
    """A folder or file of WARC as a World."""

    warnings: list[str]

    def __init__(self, path: Path, cache: Path | None = None, latency: float | None = None) -> None:
        self.path = Path(os.path.abspath(path))
        endings = (ending for ending in _ENDINGS if self.path.name.endswith(ending) and self.path.is_file())
        self.name = self.path.name.removesuffix(next(endings, ""))
        self.latency = latency  # seconds that every look takes, instead of what its answers would
        self._files = _files(self.path)
        self._cache = folder() if cache is None else cache
        self.warnings = []
        self._index = self._opened()
        self.first, self.start = self._index.span()
        self._schemes = _schemes(self._index)
        self._digest = self._index.digest()
        self._pages = PageCache(self._cache / f"pages-{self._digest}-{parser()}")
        self._changes: dict[int, list[float]] = {}  # of the addresses that were asked for

    def __len__(self) -> int:
        """How many addresses are stored, redirects too."""
        return len(self._index)

    def url(self, number: int) -> str:
        """The stored addresses by number, in no meaningful order."""
        return self._index.url(number)

    def look(self, url: str, now: float) -> Fetch:
        hops: list[str] = []
        wanted = url
        while len(hops) <= MOST_HOPS:
            number = self._number(wanted)
            row = self._row(number, now)
            if row < 0:
                return self._without_page(url, self.address(wanted), hops, now, 404, Failure("status", "404"))
            location = self._index.location(row)
            if not location:
                return self._fetch(url, number, row, now, tuple(hops))
            hops.append(self._index.url(number))
            wanted = location
        failure = Failure("redirect", f"more than {MOST_HOPS} redirects, the last to {wanted}")
        return self._without_page(url, wanted, hops[:-1], now, 0, failure)

    def owns(self, host: str) -> bool:
        return host in self._schemes

    def address(self, url: str) -> str:
        """The one spelling of an address in this web; canonical for others, and unchanged if it is no address."""
        number = self._number(url)
        if number >= 0:
            return self._index.url(number)
        whole = canonical(url)
        if whole is None:
            return url
        scheme = self._schemes.get(host_of(whole))
        return whole if scheme is None else f"{scheme or 'http'}://{schemeless(whole)}"

    def record(self, url: str, now: float) -> Fetch:
        """With the body, unlike a look."""
        number = self._number(url)
        row = self._row(number, now)
        response = self._read(row) if row >= 0 else None
        if response is None:
            return Fetch(url, self.address(url), 404, failure=Failure("status", "404"), at=now)
        return _raw(url, self._index.url(number), response, now)

    def body(self, url: str, now: float) -> bytes:
        """The bytes behind a look, redirects followed; empty where there are none."""
        return self.record(self.look(url, now).final_url, now).body

    def changed(self, url: str, since: float, until: float) -> float | None:
        """Of a redirect, it is the page that it leads to at `since`."""
        landing = self._landing(url, since)
        number = landing if landing >= 0 else self._number(url)
        if number < 0:
            return None
        times = self._changes.get(number)
        if times is None:
            times = self._changes[number] = self._change_times(number)
        place = bisect_right(times, since)
        return times[place] if place < len(times) and times[place] <= until else None

    @property
    def settled(self) -> float:
        return self.start

    def host_count(self) -> int:
        return len(self._schemes)

    def sample(self, most: int) -> Iterable[str]:
        return map(self.url, range(len(self)))

    def tasks(self) -> Mapping[str, Task]:
        return self._tasks

    def digest(self) -> str:
        return self._digest

    def graph(self, now: float, progress: Progress | None = None) -> Graph:
        """Computed once for each set of versions that is there at the same time, then kept on disk."""
        dates = self._index.arrays["dates"]
        moment = float(dates[dates <= now].max(initial=0.0))
        path = self._cache / f"graph-{self._digest}-{parser()}-{moment:.6f}.npz"
        with suppress(BadInput):
            return Graph.load(path)
        graph = self._skeleton(now, progress)
        try:
            self._cache.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                graph.save(file)
        except OSError as error:
            self.warnings.append(f"The graph cannot be kept in {self._cache}: {error.strerror}.")
        return graph

    def _opened(self) -> Index:
        path = self._cache / stored_name(self._files)
        index = Index.load(path)
        if index is None:
            index = build(self._files)
            try:
                self._cache.mkdir(parents=True, exist_ok=True)
                index.save(path)
            except OSError as error:
                sentence = f"Nothing can be kept in {self._cache} ({error.strerror}): every start reads the web anew."
                self.warnings.append(f"{sentence} WOLFSPIDER_CACHE names another folder.")
        self.warnings.extend(index.warnings)
        if not len(index):
            why = f" ({index.warnings[0]})" if index.warnings else ""
            raise BadInput(f"No pages can be read from {self.path}{why}. Give a folder or file of WARC 1.1.")
        return index

    def _number(self, url: str) -> int:
        """Of a stored address. Most that are asked for are canonical already; a spelling that is not is never a key."""
        number = self._index.find(schemeless(url)) if is_web_address(url) else -1
        if number < 0:
            whole = canonical(url)
            if whole is not None and whole != url:
                number = self._index.find(schemeless(whole))
        return number

    def _row(self, number: int, now: float) -> int:
        return self._index.version(number, now) if number >= 0 else -1

    def _fetch(self, url: str, number: int, row: int, now: float, hops: tuple[str, ...]) -> Fetch:
        address = self._index.url(number)
        answer = self._pages.get(row, url, now)
        if answer is None:
            answer = self._parsed(address, row)
            self._pages.put(row, answer)
            if isinstance(answer.result, Page):
                answer = answer._replace(result=replace(answer.result, url=url, at=now))
        seconds = self._seconds(len(hops), answer.size)
        failure = answer.result if isinstance(answer.result, Failure) else None
        page = answer.result if isinstance(answer.result, Page) else None
        return Fetch(url, address, answer.status, answer.headers, b"", failure, seconds, now, hops, page)

    def _parsed(self, address: str, row: int) -> CachedAnswer:
        """Parsed as of its own date, whatever the time of the look, so that every look gives the same page."""
        response = self._read(row)
        if response is None:
            return CachedAnswer(404, {}, 0, Failure("status", "404"))
        size = len(response.body)
        if response.undecoded:
            return CachedAnswer(response.status, response.headers, size, Failure("encoding", response.undecoded))
        result = parse(_raw(address, address, response, self._index.date(row)))
        if isinstance(result, Page):
            cut = result.truncated or response.truncated
            links = (
                link if (url := self._owned(link.url)) == link.url else link._replace(url=url) for link in result.links
            )
            result = replace(result, links=tuple(links), truncated=cut)
        return CachedAnswer(response.status, response.headers, size, result)

    def _read(self, row: int) -> Response | None:
        """With the status of the row: a revisit may repeat the body of another answer with a status of its own."""
        file, offset, length = self._index.place(row)
        try:
            response = read(self._files[file], offset, length)
        except OSError:
            return None
        return response and response._replace(status=self._index.status(row))

    def _without_page(self, url: str, final: str, hops: list[str], now: float, status: int, failure: Failure) -> Fetch:
        seconds = self._seconds(len(hops), 0)
        return Fetch(url, final, status, failure=failure, seconds=seconds, at=now, hops=tuple(hops))

    def _seconds(self, hops: int, size: int) -> float:
        took = SECONDS_PER_ANSWER * (hops + 1) + size / BYTES_PER_SECOND
        return took if self.latency is None else self.latency

    def _owned(self, url: str) -> str:
        """A canonical address with the scheme it has in this web."""
        scheme, _, rest = url.partition("://")
        wanted = self._schemes.get(rest.partition("/")[0])
        if wanted is None or wanted == scheme:
            return url
        return f"{wanted}://{rest}" if wanted else self.address(url)

    @cached_property
    def _tasks(self) -> Mapping[str, Task]:
        path = (self.path if self.path.is_dir() else self.path.parent) / "topics.json"
        if not path.exists():
            return {}
        return {
            name: Task(task.topic, tuple(map(self.address, task.seeds)), frozenset(map(self.address, task.relevant)))
            for name, task in load_tasks(path).items()
        }

    def _skeleton(self, now: float, progress: Progress | None) -> Graph:
        nodes: dict[str, int] = {}
        links: list[array[int]] = []
        for number in range(len(self._index)):
            page = self._page_at(number, now)
            if page is not None:
                nodes[page.final_url] = number
                followed = (link.url for link in Nofollow.OBEY.links(page) if not looks_like_file(link.url))
                links.append(array("i", (self._landing(url, now) for url in followed)))
            if progress is not None:
                progress(number + 1, len(self._index))
        places = {number: place for place, number in enumerate(nodes.values())}
        sources = array("i", (place for place, row in enumerate(links) for number in row if number in places))
        targets = array("i", (places[number] for row in links for number in row if number in places))
        return Graph.from_edges(list(nodes), sources, targets)

    def _page_at(self, number: int, now: float) -> Page | None:
        """The page an address shows by itself; a redirect shows none."""
        row = self._index.version(number, now)
        if row < 0 or self._index.location(row):
            return None
        return self._fetch(self._index.url(number), number, row, now, ()).page

    def _change_times(self, number: int) -> list[float]:
        """When an address became a page, and when that became another."""
        times, before = [], ""
        for date in self._index.dates_of(number):
            page = self._page_at(number, date)
            if page is not None and page.digest != before:
                before = page.digest
                times.append(date)
        return times

    def _landing(self, url: str, now: float) -> int:
        """The number of the address where an address leads in the end; -1 if nowhere."""
        number = self._index.find(schemeless(url))
        for _ in range(MOST_HOPS + 1):
            row = self._row(number, now)
            if row < 0:
                return -1
            location = self._index.location(row)
            if not location:
                return number
            number = self._number(location)
        return -1


def _raw(url: str, final_url: str, response: Response, at: float) -> Fetch:
    return Fetch(url, final_url, response.status, response.headers, response.body, at=at)


def _files(path: Path) -> list[Path]:
    try:
        if path.is_file():
            return [path]
        inside = sorted(entry for entry in path.iterdir() if entry.name.endswith(_ENDINGS) and entry.is_file())
    except OSError as error:
        raise BadInput(f"There is no web at {path}: {error.strerror}. Give a folder or file of WARC 1.1.") from error
    if not inside:
        raise BadInput(f"There is no *.warc.gz or *.warc file in {path}. Give a folder or file of WARC 1.1.")
    return inside


def _schemes(index: Index) -> dict[str, str]:
    """The scheme each host was recorded with; "" where both were."""
    schemes: dict[str, str] = {}
    for number in range(len(index)):
        scheme, _, rest = index.url(number).partition("://")
        host = rest.partition("/")[0]
        if schemes.setdefault(host, scheme) != scheme:
            schemes[host] = ""
    return schemes
