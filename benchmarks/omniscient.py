"""The omniscient poller of the news race: it knows what was published, when, and on which lists it stands, but must
look at a list before it may know an item. Of all lists it looks at the one whose unseen items are worth most at this
moment: a mark that no other racer should pass by much.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence

from race_webs import FADES, HOUR, Site

from wolfspider.core.model import Link, Outcome, Visit
from wolfspider.core.topic import Topic
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import NoParams, Strategy

LISTED = 10  # items that a list of the synthetic site shows


class Omniscient(Strategy):
    name = "omniscient"
    thrifty = False

    def __init__(self, site: Site, per_hour: float, rng: random.Random) -> None:
        super().__init__(Topic(("news",)), NoParams(), rng, Shelf())
        self.site, self.per_hour = site, per_hour
        self.known = bisect_right([item.published for item in site.items], site.start)  # items so far
        self.shows: dict[str, deque[int]] = {url: deque(maxlen=LISTED) for url in site.lists[1:]}
        self.worth = dict.fromkeys(self.shows, 0.0)  # of its unseen items, in units that do not age
        self.unseen: set[int] = set()
        self.next_look = -math.inf
        self.out = False

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.next_look = now

    def seeds(self, links: Sequence[Link]) -> None:
        """It knows all lists."""

    def propose(self, room: Room, now: float) -> list[Visit]:
        if self.out or now < self.next_look:
            return []
        self._publish(now)
        url = max(self.worth, key=self.worth.__getitem__)
        link = Link(url)
        if not room.take(link, fresh=True):
            return []
        self.out, self.next_look = True, now + HOUR / self.per_hour
        for number in self.shows[url]:
            self._take(number)
        return [self.visit(link, fresh=True)]

    def _publish(self, now: float) -> None:
        items = self.site.items
        while self.known < len(items) and items[self.known].published <= now:
            self.unseen.add(self.known)
            for url in items[self.known].lists:
                shown = self.shows[url]
                if len(shown) == LISTED and shown[0] in self.unseen:
                    self.worth[url] -= self._weight(shown[0])
                shown.append(self.known)
                self.worth[url] += self._weight(self.known)
            self.known += 1

    def _take(self, number: int) -> None:
        """An item is found: no list is worth anything for it any more."""
        if number in self.unseen:
            self.unseen.discard(number)
            for url in self.site.items[number].lists:
                if number in self.shows[url]:
                    self.worth[url] -= self._weight(number)

    def _weight(self, number: int) -> float:
        """Items that are younger are worth more; all age alike, so the order of lists stays."""
        return math.exp((self.site.items[number].published - self.site.start) / (FADES * HOUR))

    def observe(self, outcome: Outcome) -> None:
        self.out = False

    def wake(self, now: float) -> float | None:
        return math.inf if self.out else max(self.next_look, math.nextafter(now, math.inf))
