"""Different spellings of one page, learned from pages that turned out equal: twins, and marks that mean nothing.

http and https, with www and without: most sites answer alike under all of them, or send from one to another. A whole
host may be the mirror of another one. A name in the query may tell who asks, not what is asked for. Which it is differs
from site to site, so it is learned: when two addresses that differ in nothing but this gave the same page, that speaks
for it, and when they gave different pages, against it; a page that is shown at several paths says nothing. Once enough
speaks for it, the links of all later pages are spelled in one way before the strategy sees them, and a link that waits
under another spelling is not followed once the page is here.

The rule owns no I/O, and is a function of the pages that landed, in their order. What it knows is bounded.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from wolfspider.core.model import Link, Page, with_links
from wolfspider.core.older_half import forget_older_half
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
    rest: str  # the address without it; where it is a name, without scheme and www, too


class Spellings:
    """`learn` from a page, and give an address `one` spelling."""

    def __init__(self) -> None:
        self.pages: dict[int, tuple[int, int]] = {}  # rest of an address -> signature, and value of the variation
        self.landed: dict[int, int] = {}  # the one spelling of a page that landed -> its address
        self.shown: dict[int, int] = {}  # signature -> path it was seen at; 0 for several
        self.beginnings: dict[int, str] = {}  # by their keys
        self.counts: dict[str, int] = {}  # pages downloaded, by beginning
        self.told: dict[int, None] = {}  # paths that told that a name means nothing
        self.equal: dict[str, int] = {}  # pairs of addresses that gave the same page, by variation
        self.different: dict[str, int] = {}
        self.first: dict[str, str] = {}  # beginning of an address -> the one that it is given instead
        self.learned: list[dict[str, str]] = []  # what the last page taught, for people
        self.idle: dict[str, None] = {}  # names in queries that mean nothing, each with its site
        self.marks: dict[str, dict[str, None]] = {}  # the same by site

    def learn(self, page: Page) -> None:
        """From a page that was downloaded."""
        self.learned = []
        if page.url != page.final_url:
            self._sent_on(page)
        beginning, *names = _variations(page.final_url)
        self.beginnings[key_of(beginning.value)] = beginning.value
        self.counts[beginning.value] = self.counts.pop(beginning.value, 0) + 1
        beginning = _variations(self._bare(page.final_url))[0]
        for variation in (*names, beginning) if self._tells(page) else ():
            value = key_of(variation.value)
            near, known = self.pages.setdefault(_key(variation), (page.near, value))
            if known == value and variation.name:  # it may be known without the name, too
                site = _site(beginning.value)
                bare = Variation("", "", variation.rest.removeprefix(site).removesuffix("?"))
                near, other = self.pages.get(_key(bare), (page.near, 0))
                known = 0 if _site(self.beginnings.get(other, "")) == site else value
            equal = (near ^ page.near).bit_count() <= NEAR
            if known != value and not (equal and self._told(variation)):
                self._compare(variation, known, equal)
        self.landed.setdefault(key_of(self.one(page.final_url)), key_of(page.final_url))
        self._forget()

    def _tells(self, page: Page) -> bool:
        """Not what a site shows at several paths: an empty page, or what it says of all that it does not have."""
        path = key_of(_variations(page.final_url)[0].rest.partition("?")[0])
        if self.shown.setdefault(page.near, path) != path:
            self.shown[page.near] = 0
        return page.near != 0 and self.shown[page.near] != 0

    def at_one_path(self, page: Page) -> bool:
        """Was what this page says seen at its path alone, whatever came before and behind that?"""
        return bool(self.shown.get(page.near))

    def _told(self, variation: Variation) -> bool:
        """Did this path tell before that the name means nothing? It may show one page for now, whatever the name says:
        only that it is so at several paths is worth something."""
        path = key_of(f"{variation.name} {variation.rest.partition('?')[0]}")
        told = path in self.told
        if variation.name:
            self.told[path] = None
        return told

    def _compare(self, variation: Variation, known: int, equal: bool) -> None:
        """Two addresses that differ in this alone gave pages that are equal, or not."""
        name, before, value = variation.name, self.beginnings.get(known), variation.value
        if not name:
            if before is None or len(variation.rest) < 2:
                return
            name = _pair(value, before)
        tally = self.equal if equal else self.different
        tally[name] = tally.get(name, 0) + 1
        if variation.name:
            self._mark(name, self._holds(name))
        elif before is not None:
            if self.counts.get(value, 0) > self.counts.get(before, 0):
                value, before = before, value
            self._prefer(before, value, self._holds(name))

    def _mark(self, name: str, idle: bool) -> None:
        """Does this name in queries mean nothing?"""
        if idle and name not in self.idle:
            self.learned.append({"site": name.partition("?")[0], "mark": name.partition("?")[2]})
        self.idle.pop(name, None)
        marks = self.marks.setdefault(name.partition("?")[0], {})
        marks.pop(name, None)
        if idle:
            self.idle[name] = marks[name] = None

    def _prefer(self, kept: str, other: str, holds: bool) -> None:
        """All that begins like the other is spelled like the one that is kept, unless it is so the other way round."""
        if not holds:
            for one, two in ((kept, other), (other, kept)):
                if self.first.get(one) == two:
                    del self.first[one]
        elif self._last(kept) != other and self.first.get(kept) != other:
            if self.first.get(other) != kept:
                self.learned.append({"site": other, "same_as": kept})
            self.first[other] = kept

    def _sent_on(self, page: Page) -> None:
        """A site that sends from one beginning to another says itself which it prefers."""
        asked, told = _variations(page.url)[0], _variations(page.final_url)[0]
        if asked.rest == told.rest and _site(asked.value) == _site(told.value):
            name = _pair(asked.value, told.value)
            self.equal[name] = self.equal.get(name, 0) + 1
            if self._holds(name):
                self.first.pop(told.value, None)
                self._prefer(told.value, asked.value, True)

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
        forget_older_half(self.pages, MOST_PAGES)
        forget_older_half(self.landed, MOST_PAGES)
        forget_older_half(self.shown, MOST_PAGES)
        forget_older_half(self.told, MOST_PAGES)
        for kept in (self.beginnings, self.counts, self.equal, self.different, self.first, self.idle, self.marks):
            forget_older_half(kept, MOST_VARIATIONS)

    def one(self, url: str) -> str:
        """The spelling that all spellings of an address have in common, as far as it is known."""
        if not self.first and ("?" not in url or not self.idle):
            return url
        url, beginning = self._bare(url), _variations(url)[0]
        return self._last(beginning.value) + url.removeprefix(beginning.value)

    def _bare(self, url: str) -> str:
        """Without names in the query that mean nothing."""
        if "?" not in url or not self.idle:
            return url
        _, *names = _variations(url)
        idle = {variation.value.partition("=")[0] for variation in names if variation.name in self.idle}
        if idle:
            bare, _, query = url.partition("?")
            kept = "&".join(piece for piece in query.split("&") if piece.partition("=")[0] not in idle)
            url = f"{bare}?{kept}" if kept else bare
        return url

    def repeats(self, url: str) -> bool:
        """Is this another spelling of a page that landed?"""
        if not self.first and not self.idle:
            return False
        bare, one, address = self._bare(url), self.one(url), key_of(url)
        if self.landed.get(key_of(one), address) != address:
            return True
        own = {variation.name: variation.value for variation in _variations(url)}
        return any(self._marked(spelled, own) for spelled in dict.fromkeys((bare, one))) or any(
            self._elsewhere(spelled) for spelled in dict.fromkeys((bare, url))
        )

    def _marked(self, bare: str, own: Mapping[str, str]) -> bool:
        """Did this page land with another value of a name that means nothing?"""
        beginning = _variations(bare)[0]
        site = _site(beginning.value)
        rest = f"{site}{beginning.rest}" + ("" if "?" in bare else "?")
        for name in self.marks.get(site, ()):
            known = self.pages.get(_key(Variation(name, "", rest)))
            if known is not None and known[1] != key_of(own.get(name, "")):
                return True
        return False

    def _elsewhere(self, bare: str) -> bool:
        """Did this page land with another beginning that means the same?"""
        beginning = _variations(bare)[0]
        known = self.pages.get(_key(beginning))
        before = self.beginnings.get(known[1]) if known is not None else None
        return before not in (None, beginning.value) and self._last(before or "") == self._last(beginning.value)

    def mirrors(self, url: str) -> bool:
        """Is its host known to be the copy of another one?"""
        beginning = _variations(url)[0].value
        return beginning in self.first and _site(beginning) != _site(self._last(beginning))

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
        return with_links(page, tuple(links.values()))

    def state(self) -> dict[str, Any]:
        near, values = zip(*self.pages.values(), strict=True) if self.pages else ((), ())
        return {
            "pages": [array("Q", self.pages), array("Q", near), array("Q", values)],
            "landed": [array("Q", self.landed), array("Q", self.landed.values())],
            "shown": [array("Q", self.shown), array("Q", self.shown.values())],
            "told": array("Q", self.told),
            "counts": self.counts,
            "beginnings": list(self.beginnings.values()),
            "tallies": [self.equal, self.different, self.first],
            "idle": list(self.idle),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        keys, near, values = state["pages"]
        self.pages = dict(zip(keys, zip(near, values, strict=True), strict=True))
        self.landed = dict(zip(*state["landed"], strict=True))
        self.shown = dict(zip(*state.get("shown", ((), ())), strict=True))  # earlier versions kept none
        self.told = dict.fromkeys(state.get("told", ()))
        self.counts = dict(state.get("counts", {}))
        self.beginnings = {key_of(beginning): beginning for beginning in state["beginnings"]}
        self.equal, self.different, self.first = (dict(tally) for tally in state["tallies"])
        self.idle, self.marks = {}, {}
        for name in state["idle"]:
            self._mark(name, True)


def _variations(url: str) -> list[Variation]:
    """The ways in which this address may be spelled differently; its beginning comes first."""
    scheme, _, rest = url.partition("://")
    host = rest.partition("/")[0]
    beginning = f"{scheme}://{host}"
    found = [Variation("", beginning, url.removeprefix(beginning))]
    path, _, query = found[0].rest.partition("?")
    pieces, bare = query.split("&") if query else [], _site(beginning) + path
    if len(pieces) <= MOST_NAMES:
        found += (
            Variation(f"{_site(beginning)}?{piece.partition('=')[0]}", piece, _without(bare, pieces, place))
            for place, piece in enumerate(pieces)
        )
    return found


def _key(variation: Variation) -> int:
    return key_of(f"{variation.name} {variation.rest}")


def _pair(one: str, other: str) -> str:
    return " ".join(sorted((one, other)))


def _site(beginning: str) -> str:
    """A host without www, whatever its scheme is."""
    return beginning.partition("://")[2].removeprefix("www.")


def _without(bare: str, pieces: list[str], place: int) -> str:
    return f"{bare}?{'&'.join(pieces[:place] + pieces[place + 1 :])}"
