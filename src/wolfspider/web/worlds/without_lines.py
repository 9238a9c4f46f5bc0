"""A web whose pages lack certain lines: the same web for a measurement without what gives the answer away.

Some webs print on each page what it is about, and with that line no judge is needed. A line of a page's source
that matches the pattern is left out before the page is parsed, with the words and links in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from wolfspider.core.errors import Problem
from wolfspider.core.model import Fetch, Page
from wolfspider.core.topic import Task
from wolfspider.graphs.graph import Graph
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import World


class WithoutLines(World):
    def __init__(self, world: World, pattern: str) -> None:
        try:
            self._pattern = re.compile(pattern.encode())
        except re.error as error:
            raise Problem(f"{pattern!r} is no regular expression: {error}.") from error
        self._world = world
        self.name, self.start = f"{world.name} without {pattern!r}", world.start
        self.warnings = world.warnings

    def look(self, url: str, now: float) -> Fetch:
        fetch = self._world.look(url, now)
        page = parse(fetch)
        if not isinstance(page, Page):
            return fetch
        source = fetch.body or self._world.record(fetch.final_url, now).body
        if not self._pattern.search(source):
            return fetch
        bare = replace(fetch, body=b"".join(self._kept(source)), page=None)
        read = parse(bare)
        return replace(bare, body=b"", page=_spelled(read, page)) if isinstance(read, Page) else bare

    def _kept(self, source: bytes) -> Iterator[bytes]:
        return (line for line in source.splitlines(keepends=True) if not self._pattern.search(line))

    def owns(self, host: str) -> bool:
        return self._world.owns(host)

    def graph(self, now: float) -> Graph:
        """Of the whole web: which pages there are does not change."""
        return self._world.graph(now)

    def tasks(self) -> Mapping[str, Task]:
        return self._world.tasks()

    def digest(self) -> str:
        return f"{self._world.digest()} without {self._pattern.pattern!r}"

    @property
    def end(self) -> float:
        return self._world.end


def _spelled(page: Page, whole: Page) -> Page:
    """With the links as the web spells them: one may say https where the web has http."""
    known = {link.url.partition("://")[2]: link.url for link in whole.links}
    links = (link._replace(url=known.get(link.url.partition("://")[2], link.url)) for link in page.links)
    return replace(page, links=tuple(links), at=whole.at)
