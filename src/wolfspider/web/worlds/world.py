"""The contracts of webs: a World that answers at once, and a Web that is asked and answers when it can.

A World, recorded or synthetic, is a pure function of address and time: the same look gives the same answer, always.
What a World may offer beyond a look has a default here: a class that derives from World overrides what it knows better.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wolfspider.core.events import Phase
from wolfspider.core.model import Failure, Fetch
from wolfspider.core.topic import Task
from wolfspider.web.memory_budget import MemoryClaim

if TYPE_CHECKING:
    from wolfspider.graphs.graph import Graph

LARGEST = 200_000  # pages of a synthetic web whose links are still read in seconds


class Looks(Protocol):
    """As much of a World as a crawl needs."""

    def look(self, url: str, now: float) -> Fetch:
        """The answer at `now`, redirects followed inside this web. What is not there is a 404."""
        ...


class Servable(Looks, Protocol):
    """As much of a World as a server needs."""

    name: str  # short, for tables
    start: float  # when a bench begins: the time of the last record

    def record(self, url: str, now: float) -> Fetch:
        """The bare answer, redirects not followed: for serving."""
        fetch = self.look(url, now)
        following = (*fetch.hops, fetch.final_url)[1:2]
        return Fetch(url, url, 302, {"location": following[0]}, at=now) if following else fetch

    @property
    def settled(self) -> float:
        """From when on every answer stays as it is, failures included."""
        return math.inf

    def host_count(self) -> int | None:
        """How many hosts the web has; None where that is not known."""
        return None


class World(Servable, Protocol):
    """A whole web that is known: its hosts, links and topics."""

    warnings: Sequence[str] = ()  # which of its files could not be used

    def owns(self, host: str) -> bool:
        """Is this host part of the web? Links to others never reach a strategy in a bench."""
        ...

    def graph(self, now: float) -> Graph:
        """The link skeleton of everything there at `now`: redirects followed; left out are links out of the web and
        those that a crawl does not follow unless it is told to (scope.Nofollow.OBEY)."""
        ...

    def tasks(self) -> Mapping[str, Task]:
        """The topics that come with this web, by name; empty if none do."""
        ...

    def digest(self) -> str:
        """Changes when the content of the web does: results and caches are kept under it."""
        ...

    def __hash__(self) -> int:
        """What is made from a web is kept while the web is open."""
        return id(self)

    @property
    def end(self) -> float:
        """From when on no page changes; failures may still come and go."""
        return self.start

    @property
    def whole(self) -> float:
        """When most of the web is there: the time at which it is described as a whole."""
        return self.start

    @property
    def has_skeleton(self) -> bool:
        """Does `graph` take seconds only? Not for a synthetic web larger than LARGEST."""
        return True

    def changed(self, url: str, since: float, until: float) -> float | None:
        """When the content of a page first changed after `since`, up to `until`; None if it did not. A page
        that appears changes; a failure is no content."""
        return None

    def failing(self, fetch: Fetch) -> Callable[[float], bool]:
        """For a page that was there once: does one of the addresses on the way to it fail at this time?"""
        return lambda now: False

    def sample(self, most: int) -> Iterable[str]:
        """Addresses of all pages there at `start`, or, where there are too many to read, `most` drawn at random."""
        return self.graph(self.start).urls

    def directory(self, task: Task) -> str | None:
        """A page that lists pages of the topic and is not about it, where the web names one."""
        return None

    def labels(self) -> Sequence[int] | None:
        """The topic of each node of the graph, where the web was made from topics."""
        return None


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a Web."""

    url: str  # canonical
    deadline: float | None = None  # seconds that all of it may take, without the wait for a turn
    held: Mapping[str, str] = field(default_factory=dict)  # headers of the copy at hand: etag, last-modified
    allows: Callable[[str], bool] = lambda url: True  # the crawl's scope, asked at every hop
    waits: Callable[[bool], None] = lambda waiting: None  # told when the visit must wait for a turn, and when it has it
    may_send: Callable[[], bool] = lambda: True  # asked just before the first request goes out; if False, none may
    doing: Callable[[Phase], None] = lambda phase: None  # told what the visit is doing; only for people
    claim: MemoryClaim = field(default_factory=MemoryClaim)  # what it holds of the memory for pages


NOT_SENT = Failure("budget", "the page limit was lowered before it was sent")


class Web(Protocol):
    async def fetch(self, request: Request) -> Fetch:
        """The answer, redirects followed, or the Failure that says why there is none; never an exception. Status 304
        where the copy at hand still holds."""
        ...


class WebWithout:
    """A web of which some addresses are never asked for, whatever leads there."""

    def __init__(self, web: Web, refused: Callable[[str], bool]) -> None:
        self._web, self._refused = web, refused

    async def fetch(self, request: Request) -> Fetch:
        allows = request.allows
        return await self._web.fetch(replace(request, allows=lambda url: not self._refused(url) and allows(url)))


class Askable(Web, Protocol):
    """The web as it is asked beside the visits of a crawl."""

    def without_robots(self) -> Web:
        """The same web for services that a person named: they are asked without asking their robots.txt."""
        ...


class Waited:
    """A World asked as a Web: every answer takes its time, on the clock of the event loop."""

    def __init__(self, world: Looks, clock: Callable[[], float], shortest: float = 0.0) -> None:
        self.world, self.clock, self.shortest = world, clock, shortest

    async def fetch(self, request: Request) -> Fetch:
        if not request.may_send():
            return Fetch(request.url, request.url, failure=NOT_SENT, at=self.clock())
        fetch = self.world.look(request.url, self.clock())
        seconds = max(fetch.seconds, self.shortest)
        if request.deadline is not None and seconds > request.deadline:
            late = Failure("timeout", f"not here within {request.deadline:g} s")
            fetch, seconds = replace(fetch, failure=late, page=None), request.deadline
        await asyncio.sleep(seconds)
        return replace(fetch, seconds=seconds)


def open_web(spec: str, cache: Path | None = None) -> World:
    """`synthetic:KEY=VALUE,...`; a folder or file of WARC; or the folder of a recorded crawl, with or without options:
    FOLDER#rewired=SEED,latency=mean. Raises Problem or BadInput with a sentence."""
    if spec.startswith("synthetic:") or spec == "synthetic":
        from wolfspider.web.worlds.synthetic import Synthetic

        return Synthetic.parse(spec)
    from wolfspider.web.worlds.recording.playback import is_recording

    folder, _, options = (spec, "", "") if Path(spec).exists() else spec.partition("#")
    if is_recording(Path(folder)):
        from wolfspider.web.worlds.recording.replayed import opened

        return opened(Path(folder), options)
    from wolfspider.web.worlds.recorded import Recorded

    return Recorded(Path(spec), cache)
