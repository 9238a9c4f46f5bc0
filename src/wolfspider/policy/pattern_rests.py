"""Patterns of addresses that bring nothing new are asked less and less: what keeps a crawl out of traps.

Every page that lands tells something about the pattern of its address, about its folder and its host
(core/address_patterns.py). A page that says nearly the same as another one, and an answer that is no page and never
will be, are a waste; all others are use. A few wastes in a row are nothing, and more of them where there was much use
before. Each further one makes the rest eight times as long: so many downloads are made elsewhere before the next link
of this pattern is followed. A page of use halves the row. So a
calendar, a mirror, a shop with all its filters or the error page that a site shows for everything are asked a dozen
times in a thousand downloads, and never given up while there is a budget; an honest pattern with doubles among its
pages is hardly touched.

Time is counted in downloads. A link whose turn comes while its pattern rests is set aside by the strategy, as if it
were out of scope, and comes back when rests are over. When nothing else is left to follow, time jumps to the end of
the next rest, unless so much is known about the pattern that it is not worth it: then the crawl is done.

The rule owns no I/O, and is a function of the pages that landed, in their order. What it knows is bounded.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from wolfspider.core.address_patterns import AddressPattern, pattern_of
from wolfspider.core.model import Failure, Page
from wolfspider.core.text import key_of

FREE = (2, 3, 6, 8)  # wastes in a row that are nothing, from the narrowest pattern to the widest
STEEP = 3  # doublings of a rest by each further one
USES = 4  # pages of use that allow one waste more, sixteen two, and so on with their root
COPIES = 2  # of a page; a further one counts twice, for it is what the site shows for anything
NEAR = 14  # bits of 64 in which pages of one pattern may differ that say nearly the same
RECENT = 16  # pages of a pattern that a new one is compared with
LONGEST = 1 << 12  # downloads that a rest takes
MOST_DOUBLINGS = 24  # of a rest, after which no jump is made to a pattern
MOST_PATTERNS = 100_000
MOST_PAGES = 100_000  # whose signatures are known
MOST_COMPARED = 5_000  # patterns whose recent pages are known
PATIENCE = 32  # downloads between two times that links come back


class Rest(NamedTuple):
    """Why a link waits."""

    pattern: str
    wastes: int  # in a row
    until: int  # downloads


class PatternRests:
    """`allows` a link or not, and learns from pages that `land`."""

    def __init__(self) -> None:
        self.rows: dict[int, float] = {}  # wastes in a row, by pattern
        self.uses: dict[int, int] = {}  # pages of use, by pattern
        self.ends: dict[int, tuple[int, int]] = {}  # of patterns that rest: until when, and how often it was doubled
        self.pages: dict[int, int] = {}  # signature of a page -> address it was first seen at
        self.copies: dict[int, int] = {}  # signature of a page -> at how many other addresses it was seen
        self.recent: dict[int, deque[int]] = {}  # signatures of the last pages of a pattern
        self.skipped = 0  # downloads that were not made: time jumped
        self.back = 0  # when links last came back
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
            end = self.ends.get(key, (0, 0))[0]
            if end > self.now:
                return Rest(pattern, round(self.rows.get(key, 0)), end - self.skipped)
        return None

    def land(self, url: str, result: Page | Failure, copied: bool = False) -> Rest | None:
        """Learn from what was downloaded; `copied` from another host, which has the page too. Returns the rest that it
        gives rise to. A host that has copies is to blame as a whole."""
        patterns = pattern_of(url)
        waste = self._is_waste(patterns, result)
        if waste is None:
            return None
        if copied:
            return self._wasted([(patterns.host, 0)], 1)
        if waste:
            free = dict(
                zip(reversed(patterns), reversed(FREE), strict=True)
            )  # some are the same: of a folder that is the first
            return self._wasted([(pattern, free[pattern]) for pattern in dict.fromkeys(patterns)], waste)
        self._used(patterns)
        return None

    def _wasted(self, patterns: Iterable[tuple[str, int]], weight: int) -> Rest | None:
        """The narrowest pattern that is known to be poor is to blame, and none that is wider; but names in a query can
        be combined without end, so all that differ in the query alone are to blame, too. Each comes with the wastes
        that are nothing."""
        given = None
        for pattern, free in patterns:
            key = key_of(pattern)
            self.rows[key] = row = self.rows.pop(key, 0.0) + weight  # and so it is the newest
            too_many = row - free - math.isqrt(self.uses.get(key, 0) // USES)
            if too_many > 0:
                doublings = min(STEEP * math.ceil(too_many), 60)
                self.ends[key] = self.now + min(1 << doublings, LONGEST), doublings
                given = Rest(pattern, round(row), self.ends[key][0] - self.skipped)
                if "?" not in pattern or pattern.endswith("?"):
                    break
        self._forget()
        return given

    def _used(self, patterns: AddressPattern) -> None:
        for key in map(key_of, dict.fromkeys(patterns)):
            self.ends.pop(key, None)
            self.uses[key] = self.uses.pop(key, 0) + 1
            if (row := self.rows.pop(key, 0.0)) >= 1:
                self.rows[key] = row / 2

    def _is_waste(self, patterns: AddressPattern, result: Page | Failure) -> int | None:
        """How many wastes it counts as; None if it says nothing about its pattern: trouble that passes, and a page that
        was seen before."""
        if isinstance(result, Failure):
            return 1 if result.lasting and result.asked else None
        if not result.near:
            return 1
        address, known = key_of(result.final_url), self.pages.get(result.near)
        if known == address:
            return None
        alike = patterns.folder if "?" in patterns.page else patterns.page
        recent = self.recent.pop(key := key_of(alike), None) or deque(maxlen=RECENT)
        waste = any((result.near ^ other).bit_count() <= NEAR for other in recent)
        recent.append(result.near)
        self.recent[key] = recent
        if known is None:
            self.pages[result.near] = address
            return int(waste)
        self.copies[result.near] = copies = self.copies.pop(result.near, 0) + 1
        return 1 + (copies > COPIES)

    def _forget(self) -> None:
        """Of what is too much the older half."""
        tables: tuple[tuple[dict[int, Any], int], ...] = (
            (self.rows, MOST_PATTERNS),
            (self.uses, MOST_PATTERNS),
            (self.ends, MOST_PATTERNS),
            (self.pages, MOST_PAGES),
            (self.copies, MOST_PAGES),
            (self.recent, MOST_COMPARED),
        )
        for kept, most in tables:
            if len(kept) > most:
                for key in list(islice(kept, most // 2)):
                    del kept[key]

    def over(self) -> bool:
        """Is it time for links to come back? Not often: it costs a look at each."""
        if not self.ends or self.now < self.back + PATIENCE or min(self.ends.values())[0] > self.now:
            return False
        self._wake()
        return True

    def jump(self) -> bool:
        """Nothing else is left: on to the end of the next rest, if there is one that is worth it."""
        worth = [end for end, doublings in self.ends.values() if end > self.now and doublings <= MOST_DOUBLINGS]
        if not worth:
            return False
        self.skipped += min(worth) - self.now
        self.now = min(worth)
        self._wake()
        return True

    def _wake(self) -> None:
        self.back = self.now
        self.ends = {key: rest for key, rest in self.ends.items() if rest[0] > self.now}

    def state(self) -> dict[str, Any]:
        return {
            "rows": [array("Q", self.rows), array("d", self.rows.values())],
            "uses": [array("Q", self.uses), array("Q", self.uses.values())],
            "ends": [[key, *rest] for key, rest in self.ends.items()],
            "pages": [array("Q", self.pages), array("Q", self.pages.values())],
            "copies": [array("Q", self.copies), array("Q", self.copies.values())],
            "recent": [[key, array("Q", near)] for key, near in self.recent.items()],
            "times": [self.skipped, self.back, self.now],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self.rows = dict(zip(*state["rows"], strict=True))
        self.uses = dict(zip(*state.get("uses", ((), ())), strict=True))  # earlier versions kept none
        self.copies = dict(zip(*state.get("copies", ((), ())), strict=True))
        self.ends = {key: (end, doublings) for key, end, doublings in state["ends"]}
        self.pages = dict(zip(*state["pages"], strict=True))
        self.recent = {key: deque(near, RECENT) for key, near in state["recent"]}
        self.skipped, self.back, self.now = state["times"]
