"""Back-links: which pages link to an address, as a service would tell that has crawled the whole web.

    Backlinks(world, at).look("backlinks:http://a.test/page", now)    # a Page whose links are the pages that link there

The web as it is at one time is read once, when somebody asks for the first time. On the live web there is no such
service, and on computed webs too large to be looked through there is none either.
"""

from __future__ import annotations

from functools import cached_property

from wolfspider.core.model import Failure, Link, Page, Question
from wolfspider.graphs.graph import Graph
from wolfspider.web.page.urls import canonical
from wolfspider.web.worlds.page_index import schemeless
from wolfspider.web.worlds.world import World

MOST = 200  # links of an answer


class Backlinks:
    """The Source of addresses like `backlinks:URL`. An answer names pages in the order in which the web numbers them;
    where there are more than it may name, every second, third ... of them, so that no host is named before others."""

    network = True

    def __init__(self, world: World, at: float) -> None:
        self._world, self._at = world, at

    def look(self, url: str, now: float) -> Page | Failure:
        asked = canonical(Question.of(url).text)
        node = self._node(asked) if asked else None
        if node is None:
            return Failure("status", "404")
        into = self._reversed.out(node)
        into = into[:: max(1, -(-into.size // MOST))]
        urls = self._reversed.urls
        links = tuple(Link(urls[tail], rank=rank) for rank, tail in enumerate(into.tolist()))
        return Page(url, url, f"Pages that link to {asked}", links=links, type="", at=now)

    def _node(self, asked: str) -> int | None:
        """Of the page that is found at an address in the end. http and https answer alike."""
        node = self._nodes.get(schemeless(asked))
        if node is None:
            node = self._nodes.get(schemeless(self._world.look(asked, self._at).final_url))
        return node

    @cached_property
    def _reversed(self) -> Graph:
        return self._world.graph(self._at).reversed()

    @cached_property
    def _nodes(self) -> dict[str, int]:
        return {schemeless(url): node for node, url in enumerate(self._reversed.urls)}
