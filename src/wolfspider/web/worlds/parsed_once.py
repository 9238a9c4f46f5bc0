"""Webs wrapped for simulations: every page parsed once for each change, and every answer delayed alike."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from wolfspider.core.model import Fetch, Page
from wolfspider.core.text import counts
from wolfspider.web.page.html import parse
from wolfspider.web.page.pages_at_hand import PagesAtHand, weight
from wolfspider.web.worlds.world import Looks, World

BYTES_KEPT = 768 << 20  # about 30,000 pages


@dataclass(frozen=True, slots=True)
class _Kept:
    fetch: Fetch
    page: Page
    until: float  # when its content changes
    fails: Callable[[float], bool]


class ParsedOnce:
    """A web that keeps the pages asked for last in memory, parsed, within `most` bytes. Its answers are those of the
    web at any time: a page that has changed meanwhile, or fails at this moment, is asked for anew. `seconds` is the
    processor time spent on all answers."""

    def __init__(self, world: World, most: int = BYTES_KEPT) -> None:
        self.world = world
        self.seconds = 0.0
        self._pages: PagesAtHand[str, _Kept] = PagesAtHand(most, lambda kept: weight(kept.page, interned=True))

    def __len__(self) -> int:
        return len(self._pages)

    @property
    def bytes(self) -> int:
        return self._pages.bytes

    def look(self, url: str, now: float) -> Fetch:
        began = time.process_time()
        kept = self._pages.get(url)
        if kept is not None and kept.fetch.at <= now < kept.until and not kept.fails(now):
            fetch = replace(kept.fetch, at=now, page=replace(kept.page, at=now))
        else:
            fetch = self._parsed(url, now)
        self.seconds += time.process_time() - began
        return fetch

    def _parsed(self, url: str, now: float) -> Fetch:
        fetch = self.world.look(url, now)
        result = parse(fetch)
        if not isinstance(result, Page):
            return fetch
        page = replace(result, words=tuple(map(sys.intern, result.words)))  # many pages, few words
        counts(page)
        fetch = replace(fetch, body=b"", page=page)
        change = None if now >= self.world.end else self.world.changed(url, now, math.inf)
        until = math.inf if change is None else change
        self._pages.keep(url, _Kept(fetch, page, until, self.world.failing(fetch)))
        return fetch


class Delayed:
    """A web whose every answer takes the same time."""

    def __init__(self, world: Looks, seconds: float) -> None:
        self.world, self._seconds = world, seconds

    def look(self, url: str, now: float) -> Fetch:
        return replace(self.world.look(url, now), seconds=self._seconds)
