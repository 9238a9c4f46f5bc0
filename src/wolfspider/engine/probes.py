"""Probes: a small share of the downloads goes to links drawn by chance, to show what chance would have found.

The crawl makes them, not the strategy. A probe is drawn uniformly from the links that wait in the strategy's frontier,
among those that may be followed and would cost a download. It is a visit of the agent `chance`: judged, paid for and
logged as any other. The link stays in the frontier; when the strategy follows it, the run holds the page already.

What is drawn stays drawn. If its host is busy or has to rest, the probe waits for its turn: a link that gave way to one
of a free host would make chance look like somebody who likes hosts that nobody asks. And if its page comes another way
meanwhile, by a redirect, the probe is answered with it.

Draws come from a generator of their own and depend on nothing but what a replay computes again, so the journal has no
entry for them: it has the answers of the room, and the numbers of the visits.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any

from wolfspider.core.limits import Limits
from wolfspider.core.model import FIRST_PROBE, Failure, Page, Verdict, Visit
from wolfspider.policy.frontier import Frontier
from wolfspider.policy.room import Room

CHANCE = "chance"  # the agent whose visits are probes
WAITING = 8  # probes that may wait for their hosts at a time, and be owed at a time
ONE = 1 - 1e-9  # what is owed is a sum of fractions
DRAWS = 64  # links that are looked at for one probe: others may not be followed, or are held


def is_probe(visit: Visit) -> bool:
    return visit.id >= FIRST_PROBE


def nothing_to_draw_from(strategy: str) -> str:
    return f"Chance draws from the links that wait in one queue, and {strategy} keeps none."


class Probes:
    """Fed with every download of a crawl, and asked at the start of each turn."""

    def __init__(self, limits: Limits, rng: random.Random) -> None:
        self._limits, self._rng = limits, rng
        self.owed = 0.0  # probes that the downloads so far leave room for
        self.drawn: list[Visit] = []  # those that wait for their hosts
        self.numbered = 0  # probes that were drawn so far
        self.made = 0  # probes that brought a page, or the failure of one that was asked for
        self.relevant = 0  # how many of these pages were relevant
        self.dropped = 0  # probes that were drawn and never went out

    def spent(self, downloads: int) -> None:
        self.owed = min(WAITING, self.owed + self._limits.chance * downloads)

    def visits(
        self, frontier: Frontier | None, room: Room, suits: Callable[[str], bool], new: Callable[[str], bool]
    ) -> list[Visit]:
        """The probes that start in this turn, with room taken for each. `suits`: may an address be followed? `new`:
        would following it cost a download?"""
        if not self._limits.chance:
            self.dropped += len(self.drawn)
            self.owed, self.drawn = 0.0, []
            return []
        while frontier is not None and self.owed >= ONE and len(self.drawn) < WAITING and room.free > 0:
            if not self._draw(frontier, lambda url: suits(url) and new(url)):
                break
            self.owed = max(0.0, self.owed - 1)
        starts, waits = [], []
        for visit in self.drawn:
            if not suits(visit.link.url):  # a person excluded it meanwhile, or its host has had its share
                self.dropped += 1
                continue
            free_at = room.ready_at(visit.link.host)
            if free_at <= room.now and room.free > 0 and room.take(visit.link):
                starts.append(visit)
            elif not self._limits.max_wait < free_at - room.now < math.inf:
                waits.append(visit)
            else:
                self.dropped += 1
        self.drawn = waits
        return starts

    def _draw(self, frontier: Frontier, suits: Callable[[str], bool]) -> bool:
        waiting = {visit.link.url for visit in self.drawn}
        for _ in range(DRAWS):
            item = frontier.drawn(self._rng)
            if item is None:
                return False
            url = item.link.url
            if url not in waiting and suits(url):
                value = {"score": item.score} if math.isfinite(item.score) else {}
                note = {"drawn_from": len(frontier), **value}
                self.drawn.append(Visit(FIRST_PROBE + self.numbered, item.link, CHANCE, item.source, note))
                self.numbered += 1
                return True
        return False

    def landed(self, result: Page | Failure, verdict: Verdict | None) -> None:
        """A probe is back. One that nobody was asked for says nothing of what chance finds."""
        if isinstance(result, Page) or result.asked:
            self.made += 1
            self.relevant += verdict is not None and verdict.relevant

    def state(self) -> dict[str, Any]:
        kept = ("owed", "drawn", "numbered", "made", "relevant", "dropped")
        return {name: getattr(self, name) for name in kept} | {"rng": self._rng}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._rng = state["rng"]
        for name in state.keys() - {"rng"}:
            setattr(self, name, state[name])
