"""Patterns of addresses that bring nothing new are asked less and less: what keeps a crawl out of traps.

Every page that lands tells something about the pattern of its address, about its folder and its host
(core/address_patterns.py). A page that says nearly the same as another one is a waste; all others are use. A few wastes
in a row are nothing, and more of them where there was much use before. Each further one makes the rest eight times as
long: so many downloads are made elsewhere before the next link of this pattern is followed. A page of use halves the
row. So a calendar, a mirror, a shop with all its filters or the error page that a site shows for everything are asked
half a dozen times in a thousand downloads, and never given up while there is a budget; an honest pattern with doubles
among its pages is hardly touched.

A dead link says nothing. It leads no further, so it is no trap, and honest sites have many.

Pages can all be different and speak of nothing, without end: folders that are pits (pits.py) rest, too, and as long.

Time is counted in downloads. A link whose turn comes while its pattern rests is set aside by the strategy, as if it
were out of scope, and comes back when rests are over. When nothing else is left to follow, pits are forgiven, for there
are no better pages. Where there are none, time jumps to the end of the next rest, unless so much is known about the
pattern that it is not worth it. When only such patterns are left, the crawl is done.

The rule owns no I/O, and is a function of the pages that landed, in their order. What it knows is bounded.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Iterable, Mapping
from itertools import chain, islice
from typing import Any, NamedTuple

from wolfspider.core.address_patterns import AddressPattern, pattern_of
from wolfspider.core.model import Failure, Page
from wolfspider.core.older_half import forget_older_half
from wolfspider.core.text import key_of
from wolfspider.policy.pits import Pits

FREE = (2, 3, 6, 8)  # wastes in a row that are nothing, from the narrowest pattern to the widest
UNPROVEN = 1  # the same for a pattern no page of which was of use
STEEP = 3  # doublings of a rest by each further one; the first begins with as many
USES = 4  # pages of use that allow one waste more, sixteen two, and so on with their root
COPIES = 1  # of a page; a further one counts twice, for it is what the site shows for anything
NEAR = 14  # bits of 64 in which pages of one pattern may differ that say nearly the same
SAME = 7  # and those that say the same but for a date, which count twice
RECENT = 16  # pages of a pattern that a new one is compared with
LONGEST = 1 << 12  # downloads that a rest takes
MOST_DOUBLINGS = 27  # of a rest, after which no jump is made to a pattern
PIT = -1  # what stands for doublings where a folder is a pit
TRUSTED = 50  # pages that a pit may bring when it is forgiven, doubled each time
MOST_PATTERNS = 100_000
MOST_PAGES = 100_000  # whose signatures are known
MOST_COMPARED = 5_000  # patterns whose recent pages are known
PATIENCE = 32  # downloads between two times that links come back


class End(NamedTuple):
    """Of the rest of a pattern."""

    at: int  # downloads made, and skipped
    doublings: int  # how often it was doubled; PIT if it is for pages of no interest
    pattern: str = ""  # earlier versions did not keep it


class Waste(NamedTuple):
    """What a page counts as that says nothing new."""

    weight: int
    anywhere: bool = False  # it is what the site shows for anything


class Rest(NamedTuple):
    """Why a link waits."""

    pattern: str
    wastes: int  # in a row; 0 if it is a pit
    until: int  # downloads
    dull: int = 0  # pages of a pit in a row that were not relevant

    @property
    def why(self) -> str:
        if self.wastes:
            return f"{self.wastes} near-duplicates in a row"
        return f"{self.dull} pages in a row were not relevant, and lead only to more of the kind"


class PatternRests:
    """`allows` a link or not, and learns from pages that `land`."""

    def __init__(self, edition: int) -> None:
        self.edition = edition  # of the rules (trap_rules.py)
        self.rows: dict[int, float] = {}  # pages in a row that were wastes, by pattern
        self.uses: dict[int, int] = {}  # pages of use, by pattern
        self.ends: dict[int, End] = {}  # of patterns that rest
        self.pits = Pits(edition)
        self.forgiven: dict[int, int] = {}  # how often a pit was, for want of anything else, by pattern
        self.pages: dict[int, int] = {}  # signature of a page -> address it was first seen at
        self.copies: dict[int, int] = {}  # signature of a page -> at how many other addresses it was seen
        self.recent: dict[int, deque[int]] = {}  # signatures of the last pages of a pattern
        self.skipped = 0  # downloads that were not made: time jumped
        self.back = 0  # when links last came back
        self.freed = False  # did a rest end since then before its time?
        self.now = 0  # downloads made, and skipped

    def at(self, spent: int) -> None:
        """So many downloads are made."""
        self.now = spent + self.skipped

    def allows(self, url: str) -> bool:
        return not self.ends or self.why(url) is None

    def why(self, url: str) -> Rest | None:
        """Why this link waits; None if it need not."""
        for pattern in pattern_of(url):
            key = key_of(pattern)
            if (end := self.ends.get(key)) is not None and end.at > self.now:
                return self._rest(key, end)
        return None

    def _rest(self, key: int, end: End) -> Rest:
        until = end.at - self.skipped
        if end.doublings == PIT:
            return Rest(end.pattern, 0, until, self.pits.row(key))
        return Rest(end.pattern, round(self.rows.get(key, 0.0)), until)

    def worst(self) -> str:
        """The pattern with the longest row of wastes, of those that rest; "" if none does."""
        resting = ((self._rest(key, end).wastes, end.pattern) for key, end in self.ends.items() if end.at > self.now)
        return max(resting, default=(0, ""))[1]

    def land(self, url: str, result: Page | Failure, copied: bool = False, spelled: bool = False) -> Rest | None:
        """Learn from what was downloaded; `copied` from another host, which has the page too; `spelled`: it was seen at
        one path only, however that was spelled. Returns the rest that it gives rise to. A host that has copies is to
        blame as a whole."""
        if isinstance(result, Failure):
            return None
        patterns, known = pattern_of(url), self.pages.get(result.near)
        if known == key_of(result.final_url):  # a page that was seen before says nothing
            return None
        waste = self._waste(patterns, result, known, spelled)
        if waste is None:
            self._used(patterns)
            if self.edition > 1:
                self._forget()
            return None
        return self._wasted([(patterns.host, 0)], Waste(1)) if copied else self._wasted(_free(patterns), waste)

    def _wasted(self, patterns: list[tuple[str, int]], waste: Waste) -> Rest | None:
        """The narrowest pattern that is known to be poor is to blame, and none that is wider; but names in a query can
        be combined without end, so all that differ in the query alone are to blame, too, and for what a site shows for
        anything all folders. Each comes with the wastes that are nothing."""
        given = None
        for pattern, free in patterns:
            key = key_of(pattern)
            self.rows[key] = row = self.rows.pop(key, 0.0) + waste.weight  # and so it is the newest
            uses = self.uses.get(key, 0)
            too_many = row - (free + math.isqrt(uses // USES) if uses else min(free, UNPROVEN))
            if too_many > 0:
                doublings = STEEP * (1 + math.ceil(too_many))
                self.ends[key] = end = End(self._after(doublings), doublings, pattern)
                given = self._rest(key, end)
                if not waste.anywhere and ("?" not in pattern or pattern.endswith("?")):
                    break
            if waste.anywhere and pattern == patterns[-2][0]:  # but not the host
                break
        self._forget()
        return given

    def _after(self, doublings: int) -> int:
        """When a rest is over that begins now."""
        return self.now + min(1 << min(doublings, 60), LONGEST)

    def _used(self, patterns: AddressPattern) -> None:
        for key in map(key_of, dict.fromkeys(patterns)):
            self.freed |= self.ends.pop(key, None) is not None
            self.uses[key] = self.uses.pop(key, 0) + 1
            if (row := self.rows.pop(key, 0.0)) >= 1:
                self.rows[key] = row / 2

    def judge(self, url: str, page: Page, relevant: bool) -> Rest | None:
        """Learn what a page that landed is worth for a crawl that looks for relevant ones. Returns the rest that it
        gives rise to."""
        if (pit := self.pits.learn(url, page, relevant)) is None:
            return None
        pattern, too_many = pit
        doublings = 2 * too_many if self.edition == 1 else STEEP * (1 + too_many)
        key, end = key_of(pattern), End(self._after(doublings), PIT, pattern)
        if key in self.ends and end.at <= self.ends[key].at:
            return None
        self.ends[key] = end
        return self._rest(key, end)

    def _waste(self, patterns: AddressPattern, page: Page, known: int | None, spelled: bool) -> Waste | None:
        """None for a page that says something new. `known`: the address at which the same page is known."""
        if not page.near:
            return Waste(1)
        alike = patterns.folder if "?" in patterns.page else patterns.page
        recent = self.recent.pop(key := key_of(alike), None) or deque(maxlen=RECENT)
        nearest = min(((page.near ^ other).bit_count() for other in recent), default=64)
        recent.append(page.near)
        self.recent[key] = recent
        if known is None:
            self.pages[page.near] = key_of(page.final_url)
            return Waste(1 + (nearest <= SAME)) if nearest <= NEAR else None
        self.copies[page.near] = copies = self.copies.pop(page.near, 0) + 1
        anywhere = copies > COPIES and not spelled
        return Waste(1 + anywhere, anywhere)

    def _forget(self) -> None:
        """Of what is too much the older half."""
        for table in (self.rows, self.forgiven, self.uses, self.ends):
            forget_older_half(table, MOST_PATTERNS)
        for pages in (self.pages, self.copies):
            forget_older_half(pages, MOST_PAGES)
        forget_older_half(self.recent, MOST_COMPARED)

    def over(self) -> bool:
        """Is it time for links to come back? Not often: it costs a look at each."""
        if self.now < self.back + PATIENCE or not self._some_ended():
            return False
        self._wake()
        return True

    def _some_ended(self) -> bool:
        return self.freed or min((end.at for end in self.ends.values()), default=math.inf) <= self.now

    def jump(self) -> bool:
        """Nothing else is left. Is there a rest that is over, or ends therefore?"""
        if self._some_ended():
            self._wake()
            return True
        resting = {key: end for key, end in self.ends.items() if end.at > self.now}
        pits = [key for key, end in resting.items() if end.doublings == PIT]
        worth = [end.at for end in resting.values() if end.doublings <= MOST_DOUBLINGS]
        if pits:
            self._forgive(pits)
        elif worth:
            self.skipped += min(worth) - self.now
            self.now = min(worth)
        self._wake()
        return bool(pits or worth)

    def _forgive(self, pits: Iterable[int]) -> None:
        """There is nothing better; each time twice as much may follow."""
        for key in pits:
            del self.ends[key]
            self.forgiven[key] = times = self.forgiven.pop(key, 0) + 1
            self.pits.forgive(key, TRUSTED << min(times, 16))

    def _wake(self) -> None:
        self.back, self.freed = self.now, False
        self.ends = {key: end for key, end in self.ends.items() if end.at > self.now}

    def state(self) -> dict[str, Any]:
        return {
            "rows": [array("Q", self.rows), array("d", self.rows.values())],
            "pits": self.pits.state(),
            "forgiven": [array("Q", self.forgiven), array("Q", self.forgiven.values())],
            "uses": [array("Q", self.uses), array("Q", self.uses.values())],
            "ends": [[key, *end] for key, end in self.ends.items()],
            "pages": [array("Q", self.pages), array("Q", self.pages.values())],
            "copies": [array("Q", self.copies), array("Q", self.copies.values())],
            "compared": [
                array("Q", self.recent),
                array("Q", map(len, self.recent.values())),
                array("Q", chain.from_iterable(self.recent.values())),
            ],
            "times": [self.skipped, self.back, self.now, self.freed],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self.rows = dict(zip(*state["rows"], strict=True))
        none = ((), ())  # earlier versions kept not all of these, and others besides
        if "pits" in state:
            self.pits.restore(state["pits"])
        self.forgiven = dict(zip(*state.get("forgiven", none), strict=True))
        self.uses = dict(zip(*state.get("uses", none), strict=True))
        self.copies = dict(zip(*state.get("copies", none), strict=True))
        self.ends = {key: End(*end[:3]) for key, *end in state["ends"]}
        self.pages = dict(zip(*state["pages"], strict=True))
        if "compared" in state:
            keys, lengths, near = state["compared"]
            rest = iter(near)
            self.recent = {key: deque(islice(rest, n), RECENT) for key, n in zip(keys, lengths, strict=True)}
        else:
            self.recent = {key: deque(near, RECENT) for key, near in state["recent"]}
        self.skipped, self.back, self.now, *freed = state["times"]
        self.freed = bool(freed and freed[0])


def _free(patterns: AddressPattern) -> list[tuple[str, int]]:
    """The wastes that are nothing, by pattern; some are the same: of a folder that is the first, the wider counts."""
    free = dict(zip(reversed(patterns), reversed(FREE), strict=True))
    return [(pattern, free[pattern]) for pattern in dict.fromkeys(patterns)]
