"""A recorded crawl as a web: what a crawl saw once, at the times when it saw it.

A recording (recorder.py) knows of each address when it was looked at and what was there. Here an address shows,
at any time, what its newest look at or before that time showed, page or failure; before its first look, and if there
was none, it is a 404. So the crawl that was recorded, begun again at the same time, sees the same pages in the same
order; another one sees them appear and change when the first one noticed. Pages have their addresses, links, dates,
title and digest, but no words: what they were about is told by their `states`.

An answer takes as long as that look did. With `latency` every answer takes so many seconds, or, with "mean", as long as
a download took on average: the rule of Palotai, Farkas and Lőrincz, who replayed two weeks of a news site in this way.

`rewired` gives the links other ends (graphs/smallworld.py): every address keeps how many links leave and reach it, no
link shows an address before it was known, and which addresses are linked is chance.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Failure, Fetch, Link, Page, host_of
from wolfspider.core.topic import Task, load_tasks
from wolfspider.graphs.graph import Graph, Ints
from wolfspider.graphs.smallworld import rewire_in_time
from wolfspider.learn.page_states import KeptStates
from wolfspider.policy.reinforcer import PAID
from wolfspider.web.page.urls import canonical, looks_like_file
from wolfspider.web.worlds.recording.playback import Recording, completed, is_recording
from wolfspider.web.worlds.world import World

PAGES_KEPT = 50_000  # ready to be shown
LINKS_KEPT = 1_000_000
MEAN = "mean"
_MISSING = Failure("status", "404")
_HTML = {"content-type": "text/html"}


class Parts(NamedTuple):
    """What of a page does not depend on the look."""

    final_url: str
    title: str
    links: tuple[Link, ...]
    size: int
    digest: str
    published: float | None
    modified: float | None


class RecordedCrawl(World):
    """A recorded crawl as a World."""

    def __init__(self, folder: Path, *, latency: float | str | None = None, rewired: int | None = None) -> None:
        self.path = Path(os.path.abspath(folder))
        if not is_recording(self.path):
            raise BadInput(f"There is no recording in {folder}. One is made by --record {folder}.")
        self.recording = completed(self.path)
        if not self.recording.times:
            raise BadInput(f"The recording in {folder} has no download yet.")
        self.latency, self.rewired = latency, rewired
        self.name = self.path.name + _told(latency, rewired)
        self.start, self._end = self.recording.start, self.recording.end
        self.mean_seconds = self.recording.mean_seconds()
        self._latency = self._constant(latency)
        self._pace = self.mean_seconds or 1e-3 if self._latency is None else self._latency  # of what is not there
        self._table = _LookTable(self.recording)
        self._times, self._seconds, self._results = self._table.columns()
        self._spans = self._table.spans(self.recording.urls)
        self._failures = [(failure, _status(failure)) for failure in self.recording.failures]
        self._links = self._rewired(rewired) if rewired is not None else self.recording.links
        self._parts: dict[int, Parts] = {}
        self._shown: dict[tuple[int, int], Link] = {}  # links by address and rank: many pages show the same
        self._hosts = frozenset(map(host_of, self.recording.urls))

    def _constant(self, latency: float | str | None) -> float | None:
        if latency is None:
            return None
        if latency == MEAN:
            return self.mean_seconds or 1e-3
        if isinstance(latency, str) or not 0 < latency < float("inf"):
            raise Problem(f"The latency of a replay is a number of seconds or {MEAN!r}, not {latency!r}.")
        return float(latency)

    # The web

    def look(self, url: str, now: float) -> Fetch:
        span = self._spans.get(url) or self._spans.get(self._spelled(url), (0, 0))
        row = bisect_right(self._times, now, span[0], span[1]) - 1
        if row < span[0]:
            return Fetch(url, url, 404, _HTML, b"", _MISSING, self._pace, now)
        result = self._results[row]
        seconds = self._latency or self._seconds[row]
        if result < 0:
            failure, status = self._failures[-1 - result]
            return Fetch(url, url, status, _HTML, b"", failure, seconds, now)
        final, title, links, size, digest, published, modified = self._parts.get(result) or self._made(result)
        asked = url if url in self._spans else self._spelled(url)
        hops = () if final in (url, asked) else (asked,)
        page = Page(url, final, title, (), links, size, digest, published=published, modified=modified, at=now)
        return Fetch(url, final, 200, _HTML, b"", None, seconds, now, hops, page)

    def owns(self, host: str) -> bool:
        return host in self._hosts

    def graph(self, now: float) -> Graph:
        return self._table.graph(self.recording.urls, np.asarray(self._links), now)

    def tasks(self) -> Mapping[str, Task]:
        """Those of a topics.json in its folder; relevant is what was ever seen."""
        path = self.path / "topics.json"
        if not path.exists():
            return {}
        seen = {self.recording.urls[address] for address in set(self.recording.addresses)}
        return {name: replace(task, relevant=task.relevant & seen) for name, task in load_tasks(path).items()}

    def digest(self) -> str:
        told = f"{self.recording.digest}/{self.recording.whole}{_told(self.latency, self.rewired)}"
        return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()

    @property
    def end(self) -> float:
        return self._end

    whole = end  # a replay begins with nothing

    def changed(self, url: str, since: float, until: float) -> float | None:
        times, ends = self._changes
        number = self._numbers.get(url, self._numbers.get(self._spelled(url)))
        if number is None:
            return None
        begin, end = (ends[number - 1] if number else 0), ends[number]
        place = bisect_right(times, since, begin, end)
        return times[place] if place < end and times[place] <= until else None

    # What a recording has beyond a World

    @cached_property
    def states(self) -> KeptStates:
        """What its pages, which have no words, were about."""
        return self.recording.kept_states()

    @cached_property
    def rewarded(self) -> frozenset[tuple[str, str]]:
        """Address and digest of the documents that earned a reward while it was recorded."""
        kept = self.recording
        paid = {visit for _, visit, _, reason in kept.credits if reason == PAID}
        found = (page for page, visit in zip(kept.results, kept.visits, strict=True) if page >= 0 and visit in paid)
        return frozenset((kept.urls[kept.addresses[page]], kept.digests[page]) for page in found)

    @cached_property
    def _changes(self) -> tuple[array[float], list[int]]:
        return self._table.changes(self.recording.digests, len(self.recording.urls))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {url: number for number, url in enumerate(self.recording.urls)}

    # Addresses and pages

    def _spelled(self, url: str) -> str:
        """The spelling that was recorded: http and https answer alike."""
        whole = canonical(url) or url
        scheme, _, rest = whole.partition("://")
        other = f"{'http' if scheme == 'https' else 'https'}://{rest}"
        return whole if whole in self._spans or other not in self._spans else other

    def _made(self, number: int) -> Parts:
        kept = self.recording
        begin = kept.ends[number - 1] if number else 0
        shown = tuple(map(self._link, self._links[begin : kept.ends[number]], range(kept.ends[number] - begin)))
        dates = (None if date != date else date for date in (kept.published[number], kept.modified[number]))  # nan
        final = kept.urls[kept.addresses[number]]
        if len(self._parts) >= PAGES_KEPT:
            del self._parts[next(iter(self._parts))]
        text = (kept.titles[number], shown, kept.sizes[number], kept.digests[number])
        parts = self._parts[number] = Parts(final, *text, *dates)
        return parts

    def _link(self, address: int, rank: int) -> Link:
        link = self._shown.get((address, rank))
        if link is None:
            if len(self._shown) >= LINKS_KEPT:
                self._shown.clear()
            link = self._shown[address, rank] = Link(self.recording.urls[address], rank=rank)
        return link

    def _rewired(self, seed: int) -> array[int]:
        """The links of all pages, end to end, with other ends."""
        kept, n = self.recording, len(self.recording.urls)
        links, addresses = np.asarray(kept.links, np.int64), np.asarray(kept.addresses, np.int64)
        counts = np.diff(np.asarray(kept.ends), prepend=0)
        first_shown, known = self._table.first_looks(len(addresses), n)
        tails, shown = np.repeat(addresses, counts), np.repeat(first_shown, counts)
        np.minimum.at(known, links, shown)
        apart = np.flatnonzero(tails != links)
        keys = tails[apart] * n + links[apart]
        order = np.lexsort((shown[apart], keys))
        edges, first = np.unique(keys[order], return_index=True)
        times = shown[apart][order][first]
        rng = np.random.Generator(np.random.PCG64(seed))
        heads = rewire_in_time(edges // n, edges % n, times, known, rng)
        links = links.copy()
        links[apart] = heads[np.searchsorted(edges, keys)]
        return array("q", links.tobytes())


class _LookTable:
    """All looks, in the order of address and time. A redirect is a look at the address it leads to as well; of two
    looks at the same instant the one that asked for the address itself counts."""

    def __init__(self, recording: Recording) -> None:
        times, seconds = np.asarray(recording.times), np.asarray(recording.seconds)
        asked, results = np.asarray(recording.asked, np.int64), np.asarray(recording.results, np.int64)
        self.addresses = np.asarray(recording.addresses, np.int64)
        self.ends = np.asarray(recording.ends, np.int64)
        final = asked.copy()
        final[results >= 0] = self.addresses[results[results >= 0]]
        led = np.flatnonzero(final != asked)
        rows = np.concatenate([np.arange(asked.size), led])
        urls = np.concatenate([asked, final[led]])
        direct = np.arange(rows.size) < asked.size
        order = np.lexsort((rows, direct, times[rows], urls))
        rows, self.urls = rows[order], urls[order]
        self.times, self.seconds, self.results = times[rows], seconds[rows], results[rows]

    def columns(self) -> tuple[array[float], array[float], array[int]]:
        """Times, seconds and results, for looking at one of them at a time."""
        floats = (array("d", column.tobytes()) for column in (self.times, self.seconds))
        return (*floats, array("q", self.results.tobytes()))  # type: ignore[return-value]

    def spans(self, urls: list[str]) -> dict[str, tuple[int, int]]:
        """The rows of each address, from and to; none of those that were never asked for."""
        edges = np.searchsorted(self.urls, np.arange(len(urls) + 1)).tolist()
        return {url: (edges[number], edges[number + 1]) for number, url in enumerate(urls)}

    def first_looks(self, pages: int, addresses: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """When each page was first shown, and each address first asked for."""
        shown, asked = np.full(pages, np.inf), np.full(addresses, np.inf)
        there = self.results >= 0
        np.minimum.at(shown, self.results[there], self.times[there])
        np.minimum.at(asked, self.urls, self.times)
        return shown, asked

    def changes(self, digests: list[str], addresses: int) -> tuple[array[float], list[int]]:
        """Times at which the content of an address became another, and where those of each address end."""
        names: dict[str, int] = {}
        contents = np.array([names.setdefault(digest, len(names)) for digest in digests], np.int64)
        pages = np.flatnonzero(self.results >= 0)
        urls, content = self.urls[pages], contents[self.results[pages]]
        new = np.ones(pages.size, bool)
        new[1:] = (urls[1:] != urls[:-1]) | (content[1:] != content[:-1])
        ends = np.searchsorted(urls[new], np.arange(addresses), side="right").tolist()
        return array("d", self.times[pages[new]].tobytes()), ends

    def graph(self, urls: list[str], links: Ints, now: float) -> Graph:
        """Pages that are there, and links between them; where a link leads to another address, that one counts."""
        there = np.flatnonzero(self.times <= now)
        shows = np.full(len(urls), -1, np.int64)  # the page that each address shows
        shows[self.urls[there]] = self.results[there]  # of several the last, which is the newest
        leads = np.full(len(urls), -1, np.int64)
        leads[shows >= 0] = self.addresses[shows[shows >= 0]]
        nodes = np.flatnonzero(leads == np.arange(len(urls)))
        places = np.full(len(urls) + 1, -1, np.int64)
        places[nodes] = np.arange(nodes.size)
        pages = shows[nodes]
        begins, ends = np.concatenate([[0], self.ends])[pages], self.ends[pages]
        counts = ends - begins
        edges = np.arange(counts.sum()) + np.repeat(begins - np.cumsum(counts) + counts, counts)
        files = np.array([looks_like_file(url) for url in urls], bool)
        targets = links[edges]
        heads = np.where(files[targets], -1, places[leads[targets]])
        tails = np.repeat(np.arange(nodes.size), counts)
        kept = heads >= 0
        return Graph.from_edges([urls[number] for number in nodes.tolist()], tails[kept], heads[kept])


def _status(failure: Failure) -> int:
    number = failure.detail[:3]
    return int(number) if failure.kind == "status" and len(number) == 3 and number.isdecimal() else 0


def _told(latency: float | str | None, rewired: int | None) -> str:
    options: dict[str, Any] = {"rewired": rewired, "latency": latency}
    told = ",".join(f"{name}={value}" for name, value in options.items() if value is not None)
    return f"#{told}" if told else ""


def opened(folder: Path, options: str) -> RecordedCrawl:
    """A recording with options as they stand behind the `#` of FOLDER#KEY=VALUE,KEY=VALUE."""
    given = dict(pair.partition("=")[::2] for pair in options.split(",") if pair)
    unknown = set(given) - {"rewired", "latency"}
    if unknown:
        raise Problem(f"A recording has no option {min(unknown)!r}: there are rewired=SEED and latency=SECONDS|mean.")
    try:
        rewired = int(given["rewired"]) if "rewired" in given else None
        latency: float | str | None = given.get("latency")
        latency = float(latency) if latency not in (None, MEAN) else latency
        if rewired is not None and rewired < 0:
            raise ValueError
    except ValueError:
        raise Problem(f"{options!r} is none of rewired=SEED (0, 1, ...) and latency=SECONDS|mean.") from None
    return RecordedCrawl(folder, latency=latency, rewired=rewired)
