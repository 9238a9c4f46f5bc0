"""Different spellings of one page, learned from pages that turned out equal: twins, and marks that mean nothing.

http and https, with www and without: most sites answer alike under all of them, or send from one to another. A whole
host may be the mirror of another one. A name in the query may tell who asks, not what is asked for. Which it is differs
from site to site, so it is learned: when two addresses that differ in nothing but this gave the same page, that speaks
for it, and when they gave different pages, against it. Once enough speaks for it, the links of all later pages are
spelled in one way before the strategy sees them, and a link that waits under another spelling is not followed once the
page is here.

The rule owns no I/O, and is a function of the pages that landed, in their order. What it knows is bounded.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from wolfspider.core.model import Link, Page
from wolfspider.core.text import key_of

ENOUGH = 2  # pairs of equal pages, from which on a variation means nothing
OUTWEIGHS = 10  # so many times as many must be equal as are different
NEAR = 3  # bits of 64 in which the signatures of one page may differ
MOST_NAMES = 8  # of a query that are looked at
MOST_PAGES = 50_000
MOST_VARIATIONS = 20_000


class Variation(NamedTuple):
    """One way to spell an address differently."""

    name: str  # "a.test?visit" for a name in the query of a host; "" for the beginning of an address
    value: str  # how it is spelled here
    rest: str  # the address without it


class Spellings:
    """`learn` from a page, and give an address `one` spelling."""

    def __init__(self) -> None:
        self.pages: dict[int, tuple[int, int]] = {}  # rest of an address -> signature, and value of the variation
        self.landed: dict[int, int] = {}  # the one spelling of a page that landed -> its address
        self.beginnings: dict[int, str] = {}  # by their keys
        self.equal: dict[str, int] = {}  # pairs of addresses that gave the same page, by variation
        self.different: dict[str, int] = {}
        self.first: dict[str, str] = {}  # beginning of an address -> the one that it is given instead
        self.idle: dict[str, None] = {}  # names in queries that mean nothing, each with its host

    def learn(self, page: Page) -> None:
        """From a page that was downloaded."""
        if page.url != page.final_url:
            self._sent_on(page)
        beginning, *names = _variations(page.final_url)
        self.beginnings[key_of(beginning.value)] = beginning.value
        for variation in (beginning, *names) if page.near else ():
            value = key_of(variation.value)
            near, known = self.pages.setdefault(_key(variation), (page.near, value))
            if known == value and variation.name:  # it may be known without the name, too
                bare = Variation("", beginning.value, variation.rest.removeprefix(beginning.value).removesuffix("?"))
                near, other = self.pages.get(_key(bare), (page.near, 0))
                known = 0 if other == key_of(beginning.value) else value
            if known != value:
                self._compare(variation, known, (near ^ page.near).bit_count() <= NEAR)
        self.landed.setdefault(key_of(self.one(page.final_url)), key_of(page.final_url))
        self._forget()

    def _compare(self, variation: Variation, known: int, equal: bool) -> None:
        """Two addresses that differ in this alone gave pages that are equal, or not."""
        name, before = variation.name, self.beginnings.get(known)
        if not name:
            if before is None or len(variation.rest) < 2:
                return
            name = f"{variation.value} {before}"
        tally = self.equal if equal else self.different
        tally[name] = tally.get(name, 0) + 1
        if not self._holds(name):
            self.idle.pop(name, None)
            self.first.pop(variation.value if before else "", None)
        elif variation.name:
            self.idle[name] = None
        elif before is not None and self._last(before) != variation.value:
            self.first[variation.value] = before

    def _sent_on(self, page: Page) -> None:
        """A site that sends from one beginning to another says itself which it prefers."""
        asked, told = _variations(page.url)[0], _variations(page.final_url)[0]
        if asked.rest == told.rest and _site(asked.value) == _site(told.value):
            name = f"{asked.value} {told.value}"
            self.equal[name] = self.equal.get(name, 0) + 1
            if self._holds(name) and self._last(told.value) != asked.value:
                self.first[asked.value] = told.value

    def _holds(self, name: str) -> bool:
        """Does this variation mean nothing? Twins of a site are likely; that two sites are one needs more."""
        beginnings = name.split(" ")
        twins = len(beginnings) == 2 and _site(beginnings[0]) == _site(beginnings[1])
        enough = 2 * ENOUGH if len(beginnings) == 2 and not twins else ENOUGH
        return self.equal.get(name, 0) >= max(enough, OUTWEIGHS * self.different.get(name, 0))

    def _last(self, beginning: str) -> str:
        for _ in range(3):
            beginning = self.first.get(beginning, beginning)
        return beginning

    def _forget(self) -> None:
        _halve(self.pages, MOST_PAGES)
        _halve(self.landed, MOST_PAGES)
        for kept in (self.beginnings, self.equal, self.different, self.first, self.idle):
            _halve(kept, MOST_VARIATIONS)

    def one(self, url: str) -> str:
        """The spelling that all spellings of an address have in common, as far as it is known."""
        if not self.first and ("?" not in url or not self.idle):
            return url
        beginning, *names = _variations(url)
        idle = {variation.value.partition("=")[0] for variation in names if variation.name in self.idle}
        if idle:
            bare, _, query = url.partition("?")
            kept = "&".join(piece for piece in query.split("&") if piece.partition("=")[0] not in idle)
            url = f"{bare}?{kept}" if kept else bare
        return self._last(beginning.value) + url.removeprefix(beginning.value)

    def repeats(self, url: str) -> bool:
        """Is this another spelling of a page that landed?"""
        if not self.first and not self.idle:
            return False
        address = key_of(url)
        if self.landed.get(key_of(self.one(url)), address) != address:
            return True
        for variation in _variations(url):
            known = self.pages.get(_key(variation))
            if known is None or known[1] == key_of(variation.value):
                continue
            if variation.name in self.idle or (not variation.name and variation.value in self.first):
                return True
        return False

    def respelled(self, page: Page, allows: Callable[[str], bool]) -> Page:
        """A page whose links have one spelling, unless that is not allowed; of those that become the same, the
        first."""
        if not self.first and not self.idle:
            return page
        links: dict[str, Link] = {}
        for link in page.links:
            url = self.one(link.url)
            if url != link.url and allows(url):
                link = link._replace(url=url)
            links.setdefault(link.url, link)
        return replace(page, links=tuple(links.values()))

    def state(self) -> dict[str, Any]:
        near, values = zip(*self.pages.values(), strict=True) if self.pages else ((), ())
        return {
            "pages": [array("Q", self.pages), array("Q", near), array("Q", values)],
            "landed": [array("Q", self.landed), array("Q", self.landed.values())],
            "beginnings": list(self.beginnings.values()),
            "tallies": [self.equal, self.different, self.first],
            "idle": list(self.idle),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        keys, near, values = state["pages"]
        self.pages = dict(zip(keys, zip(near, values, strict=True), strict=True))
        self.landed = dict(zip(*state["landed"], strict=True))
        self.beginnings = {key_of(beginning): beginning for beginning in state["beginnings"]}
        self.equal, self.different, self.first = (dict(tally) for tally in state["tallies"])
        self.idle = dict.fromkeys(state["idle"])


def _variations(url: str) -> list[Variation]:
    """The ways in which this address may be spelled differently; its beginning comes first."""
    scheme, _, rest = url.partition("://")
    host = rest.partition("/")[0]
    beginning = f"{scheme}://{host}"
    found = [Variation("", beginning, url.removeprefix(beginning))]
    bare, _, query = url.partition("?")
    pieces = query.split("&") if query else []
    if len(pieces) <= MOST_NAMES:
        found += (
            Variation(f"{host}?{piece.partition('=')[0]}", piece, _without(bare, pieces, place))
            for place, piece in enumerate(pieces)
        )
    return found


def _key(variation: Variation) -> int:
    return key_of(f"{variation.name} {variation.rest}")


def _site(beginning: str) -> str:
    """A host without www, whatever its scheme is."""
    return beginning.partition("://")[2].removeprefix("www.")


def _without(bare: str, pieces: list[str], place: int) -> str:
    return f"{bare}?{'&'.join(pieces[:place] + pieces[place + 1 :])}"


def _halve(kept: dict[Any, Any], most: int) -> None:
    """Of what is too much forget the older half."""
    if len(kept) > most:
        for key in list(islice(kept, most // 2)):
            del kept[key]
