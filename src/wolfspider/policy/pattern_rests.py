"""Patterns of addresses that bring nothing new are asked less and less: what keeps a crawl out of traps.

Every page that lands tells something about the pattern of its address, about its folder and its host
(core/address_patterns.py). A page that says nearly the same as another one, and an answer that is no page and never
will be, are a waste; all others are use. A few wastes in a row are nothing, and more of them where there was much use
before. Each further one makes the rest eight times as long: so many downloads are made elsewhere before the next link
of this pattern is followed. A page of use halves the row. So a calendar, a mirror, a shop with all its filters or the
error page that a site shows for everything are asked a dozen times in a thousand downloads, and never given up while
there is a budget; an honest pattern with doubles among its pages is hardly touched.

Pages can all be different and all be of no interest: a tarpit makes up text without end. So a folder or a host with
very many pages in a row none of which was relevant rests, too, where the crawl had better pages elsewhere. Each further
one makes that rest twice as long.

Time is counted in downloads. A link whose turn comes while its pattern rests is set aside by the strategy, as if it
were out of scope, and comes back when rests are over. When nothing else is left to follow, pages of no interest
are forgiven, for there are no better ones. Where there are none, time jumps to the end of the next rest, unless so much
is known about the pattern that it is not worth it. At last dead links are forgiven, for they lead no further, and what
is behind them may be of use. When only patterns with too many copies are left, the crawl is done.

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
MOST_DOUBLINGS = 24  # of a rest by copies, after which no jump is made to a pattern
DULLNESS = -1  # what stands for doublings where pages were of no interest
DULL = 50  # pages in a row that may be of no interest
SURE = 5  # and so many times as many as the crawl needs for a relevant page elsewhere
MOST_PATTERNS = 100_000
MOST_PAGES = 100_000  # whose signatures are known
MOST_COMPARED = 5_000  # patterns whose recent pages are known
PATIENCE = 32  # downloads between two times that links come back


class End(NamedTuple):
    """Of the rest of a pattern."""

    at: int  # downloads made, and skipped
    doublings: int  # how often it was doubled; DULLNESS if it is for pages of no interest
    pattern: str = ""  # earlier versions did not keep it
    copies: int = 0  # how often copies doubled it, and not dead links


class Rest(NamedTuple):
    """Why a link waits."""

    pattern: str
    wastes: int  # in a row; 0 if they were no wastes, but of no interest
    until: int  # downloads
    dull: int = 0  # pages in a row that were not relevant, if that is why


class PatternRests:
    """`allows` a link or not, and learns from pages that `land`."""

    def __init__(self) -> None:
        self.rows: dict[int, float] = {}  # pages in a row that were wastes, by pattern
        self.dead: dict[int, float] = {}  # answers in the same row that were no pages; below 0 once that was forgiven
        self.uses: dict[int, int] = {}  # pages of use, by pattern
        self.ends: dict[int, End] = {}  # of patterns that rest
        self.dull: dict[int, int] = {}  # pages in a row that were not relevant; below 0 once that was forgiven
        self.forgiven: dict[int, int] = {}  # how often, for want of anything else, by pattern
        self.judged, self.relevant = 0, 0  # pages
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
            if (end := self.ends.get(key)) is not None and end.at > self.now:
                return self._rest(key, end)
        return None

    def _rest(self, key: int, end: End) -> Rest:
        until = end.at - self.skipped
        if end.doublings == DULLNESS:
            return Rest(end.pattern, 0, until, self.dull.get(key, 0))
        return Rest(end.pattern, round(self.rows.get(key, 0.0) + max(0.0, self.dead.get(key, 0.0))), until)

    def worst(self) -> str:
        """The pattern with the longest row of wastes, of those that rest; "" if none does."""
        resting = ((self._rest(key, end).wastes, end.pattern) for key, end in self.ends.items() if end.at > self.now)
        return max(resting, default=(0, ""))[1]

    def land(self, url: str, result: Page | Failure, copied: bool = False) -> Rest | None:
        """Learn from what was downloaded; `copied` from another host, which has the page too. Returns the rest that it
        gives rise to. A host that has copies is to blame as a whole."""
        patterns = pattern_of(url)
        waste = self._is_waste(patterns, result)
        if waste is None:
            return None
        if copied:
            return self._wasted([(patterns.host, 0)], self.rows, 1)
        if waste:
            free = dict(
                zip(reversed(patterns), reversed(FREE), strict=True)
            )  # some are the same: of a folder that is the first
            kind = self.dead if isinstance(result, Failure) else self.rows
            return self._wasted([(pattern, free[pattern]) for pattern in dict.fromkeys(patterns)], kind, waste)
        self._used(patterns)
        return None

    def _wasted(self, patterns: Iterable[tuple[str, int]], kind: dict[int, float], weight: int) -> Rest | None:
        """The narrowest pattern that is known to be poor is to blame, and none that is wider; but names in a query can
        be combined without end, so all that differ in the query alone are to blame, too. Each comes with the wastes
        that are nothing."""
        given = None
        for pattern, free in patterns:
            key = key_of(pattern)
            kind[key] = kind.pop(key, 0.0) + weight  # and so it is the newest
            copies = self.rows.get(key, 0.0) - free - math.isqrt(self.uses.get(key, 0) // USES)
            if (too_many := max(copies, copies + self.dead.get(key, 0.0))) > 0:
                doublings = STEEP * math.ceil(too_many)
                rest = min(1 << min(doublings, 60), LONGEST)
                self.ends[key] = end = End(self.now + rest, doublings, pattern, STEEP * math.ceil(copies))
                given = self._rest(key, end)
                if "?" not in pattern or pattern.endswith("?"):
                    break
        self._forget()
        return given

    def _used(self, patterns: AddressPattern) -> None:
        for key in map(key_of, dict.fromkeys(patterns)):
            self.ends.pop(key, None)
            self.uses[key] = self.uses.pop(key, 0) + 1
            for kind in (self.rows, self.dead):
                if (row := kind.pop(key, 0.0)) >= 1:
                    kind[key] = row / 2

    def judge(self, url: str, relevant: bool) -> Rest | None:
        """Learn what a page that landed is worth for a crawl that looks for relevant ones. Returns the rest that it
        gives rise to: as with wastes, the narrowest pattern is to blame."""
        self.judged += 1
        self.relevant += relevant
        given = None
        for pattern in dict.fromkeys(pattern_of(url)[1:]):
            key = key_of(pattern)
            row = self.dull.pop(key, 0) + 1
            if relevant:
                continue
            self.dull[key] = row
            too_many = row - DULL - SURE * (self.judged - row) // (self.relevant + 1)
            if given is None and too_many > 0:
                end = End(self.now + min(1 << min(too_many, 60), LONGEST), DULLNESS, pattern)
                if key not in self.ends or end.at > self.ends[key].at:
                    self.ends[key] = end
                    given = self._rest(key, end)
        self._forget()
        return given

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
            (self.dead, MOST_PATTERNS),
            (self.dull, MOST_PATTERNS),
            (self.forgiven, MOST_PATTERNS),
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
        if not self.ends or self.now < self.back + PATIENCE or min(self.ends.values()).at > self.now:
            return False
        self._wake()
        return True

    def jump(self) -> bool:
        """Nothing else is left. Is there a rest that ends therefore?"""
        resting = {key: end for key, end in self.ends.items() if end.at > self.now}
        dull = [key for key, end in resting.items() if end.doublings == DULLNESS]
        worth = [end.at for end in resting.values() if end.doublings <= MOST_DOUBLINGS]
        dead = [key for key, end in resting.items() if end.copies <= MOST_DOUBLINGS]
        if dull:
            self._forgive(dull, self.dull)
        elif worth:
            self.skipped += min(worth) - self.now
            self.now = min(worth)
        else:
            self._forgive(dead, self.dead)
        self._wake()
        return bool(dull or worth or dead)

    def _forgive(self, patterns: Iterable[int], row: dict[int, Any]) -> None:
        """What speaks against them; each time twice as much may follow."""
        for key in patterns:
            del self.ends[key]
            self.forgiven[key] = times = self.forgiven.pop(key, 0) + 1
            row[key] = -(DULL << min(times, 16))

    def _wake(self) -> None:
        self.back = self.now
        self.ends = {key: end for key, end in self.ends.items() if end.at > self.now}

    def state(self) -> dict[str, Any]:
        return {
            "rows": [array("Q", self.rows), array("d", self.rows.values())],
            "dead": [array("Q", self.dead), array("d", self.dead.values())],
            "dull": [array("Q", self.dull), array("q", self.dull.values())],
            "forgiven": [array("Q", self.forgiven), array("Q", self.forgiven.values())],
            "judged": [self.judged, self.relevant],
            "uses": [array("Q", self.uses), array("Q", self.uses.values())],
            "ends": [[key, *end] for key, end in self.ends.items()],
            "pages": [array("Q", self.pages), array("Q", self.pages.values())],
            "copies": [array("Q", self.copies), array("Q", self.copies.values())],
            "recent": [[key, array("Q", near)] for key, near in self.recent.items()],
            "times": [self.skipped, self.back, self.now],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self.rows = dict(zip(*state["rows"], strict=True))
        none = ((), ())  # earlier versions kept not all of these
        self.dead = dict(zip(*state.get("dead", none), strict=True))
        self.dull = dict(zip(*state.get("dull", none), strict=True))
        self.forgiven = dict(zip(*state.get("forgiven", none), strict=True))
        self.judged, self.relevant = state.get("judged", (0, 0))
        self.uses = dict(zip(*state.get("uses", none), strict=True))
        self.copies = dict(zip(*state.get("copies", none), strict=True))
        self.ends = {key: End(*end) for key, *end in state["ends"]}
        self.pages = dict(zip(*state["pages"], strict=True))
        self.recent = {key: deque(near, RECENT) for key, near in state["recent"]}
        self.skipped, self.back, self.now = state["times"]
