"""Back-links: which pages link to an address, as told by a service that has crawled the whole web.

    Backlinks(world, at).look("backlinks:http://a.test/page", now)    # a Page whose links are the pages that link there

The links of the web at one time are read once, at the first question. There is no such service on the live web, nor on
synthetic webs that are too large to be read as a whole (`World.has_skeleton`).
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
        node = self._nodes.get(schemeless(asked)) if asked else None
        if asked and node is None:  # it may lead to a page; http and https answer alike
            node = self._nodes.get(schemeless(self._world.look(asked, self._at).final_url))
        if node is None:
            return Failure("status", "404")
        into = self._reversed.out(node)
        into = into[:: max(1, -(-into.size // MOST))]
        links = tuple(Link(self._reversed.urls[tail], rank=rank) for rank, tail in enumerate(into.tolist()))
        return Page(url, url, f"Pages that link to {asked}", links=links, type="", at=now)

    @cached_property
    def _reversed(self) -> Graph:
        return self._world.graph(self._at).reversed()

    @cached_property
    def _nodes(self) -> dict[str, int]:
        return {schemeless(url): node for node, url in enumerate(self._reversed.urls)}
