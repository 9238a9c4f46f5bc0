"""Tarpits: folders of made-up pages without end that are all different and speak of nothing.

No rule about copies finds them. Two things together do. Very many pages of the folder in a row were not relevant, while
the crawl had relevant ones elsewhere. And the folder only leads on: hardly any of the links that its pages have into
the folder itself was seen on another page before. Pages that people write about one thing link to each other, so
what lies behind an honest folder of no interest was mostly seen on the way.

The rule owns no I/O, and is a function of the pages that landed, in their order. What it knows is bounded.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from itertools import chain
from typing import Any, NamedTuple

from wolfspider.core.address_patterns import pattern_of
from wolfspider.core.model import Page
from wolfspider.core.older_half import forget_older_half
from wolfspider.core.text import key_of

DULL = 10  # pages that a crawl is taken to need for a relevant one, before it knows
SURE = 5  # times as many in a row may be of no interest as the crawl needs elsewhere for a relevant one
LEADS_ON = 10  # of so many links into a folder at most one was seen before, where it is a pit
MOST_FOLDERS = 20_000
MOST_LINKS = 100_000  # that were seen


class Dull(NamedTuple):
    """What is known of a folder since its last relevant page."""

    row: int = 0  # pages that were not relevant; below 0 once that was forgiven
    links: int = 0  # from its pages into it
    seen: int = 0  # of these, on a page before


class Pits:
    """`learn` from pages that were judged."""

    def __init__(self, edition: int) -> None:
        self.edition = edition  # of the rules (trap_rules.py)
        self.judged, self.relevant = 0, 0  # pages
        self.folders: dict[int, Dull] = {}  # by pattern
        self.links: dict[int, None] = {}  # addresses that pages led to

    def learn(self, url: str, page: Page, relevant: bool) -> tuple[str, int] | None:
        """The folder that is a pit by what is known now, and how many pages are too many. Of several, the narrowest is
        to blame."""
        self.judged += 1
        self.relevant += relevant
        found = None
        for pattern, (links, seen) in self._within(url, page).items():
            key = key_of(pattern)
            known = self.folders.pop(key, Dull())
            if relevant:
                continue
            self.folders[key] = now = Dull(known.row + 1, known.links + links, known.seen + seen)
            too_many = now.row - self._free(self.judged - now.row)
            if found is None and too_many > 0 and now.links >= now.row and now.seen * LEADS_ON <= now.links:
                found = pattern, too_many
        forget_older_half(self.folders, MOST_FOLDERS)
        return found

    def _free(self, elsewhere: int) -> int:
        """Pages in a row that may be of no interest, when so many were judged elsewhere."""
        if self.edition == 1:
            return DULL + SURE * elsewhere // (self.relevant + 1)
        return SURE * (DULL + elsewhere) // (self.relevant + 1)

    def _within(self, url: str, page: Page) -> dict[str, tuple[int, int]]:
        """How many links of the page lead into its own folder, its first folder and its host, and how many of them were
        seen before."""
        _, folder, top, host = pattern_of(url)
        beginning, _, path = url.partition("?")[0].partition("://")[2].partition("/")
        first, slash, _ = path.partition("/")
        beginnings = {
            folder: f"{beginning}/{path.rpartition('/')[0]}",
            top: f"{beginning}/{first}{slash}" if slash else f"{beginning}/",
            host: f"{beginning}/",
        }
        addresses = (link.url.partition("://")[2] for link in page.links)
        there = [(address, key_of(address)) for address in addresses if address.startswith(f"{beginning}/")]
        before = {key for _, key in there if key in self.links}
        counted = {}
        for pattern, start in beginnings.items():
            keys = [key for address, key in there if address.startswith(start)]
            counted[pattern] = len(keys), len(before.intersection(keys))
        for _, key in there:
            self.links.pop(key, None)
            self.links[key] = None  # and so it is the newest
        forget_older_half(self.links, MOST_LINKS)
        return counted

    def row(self, key: int) -> int:
        return self.folders.get(key, Dull()).row

    def forgive(self, key: int, pages: int) -> None:
        """So many pages more may be of no interest."""
        self.folders.pop(key, None)
        self.folders[key] = Dull(-pages)

    def state(self) -> dict[str, Any]:
        return {
            "judged": [self.judged, self.relevant],
            "dull": [array("Q", self.folders), array("q", chain.from_iterable(self.folders.values()))],
            "links": array("Q", self.links),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self.judged, self.relevant = state["judged"]
        if "dull" in state:
            keys, numbers = state["dull"]
            self.folders = dict(zip(keys, map(Dull._make, zip(*[iter(numbers)] * 3, strict=True)), strict=True))
        else:  # as earlier versions kept them
            self.folders = {key: Dull(*dull) for key, *dull in state["folders"]}
        self.links = dict.fromkeys(state["links"])
