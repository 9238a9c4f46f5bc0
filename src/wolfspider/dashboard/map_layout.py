"""Where pages lie on the map, so that none ever moves: a page's place follows from the order in which pages came.

A host gets a plot of ground with room for 16 pages. When that is full it gets another one, with room for about as
many as it has, so that a host with many pages lies in few large plots and some small ones. Plots are squares whose
sides are powers of two, taken from a ground that doubles when it is used up, those near the middle first: none overlaps
another, and the crawl grows outwards. In a plot pages lie as seeds do in a sunflower, the first in the middle.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import NamedTuple

UNIT = 8  # steps of a coordinate in a cell, which is the room for one page
SMALLEST = 2  # log2 of the side of a host's first plot
GOLDEN = math.pi * (3 - math.sqrt(5))  # the angle between two seeds
MARGIN = 0.4  # cells between the seeds and the edge of their plot, at least


class HostPlot(NamedTuple):
    """A square, in cells."""

    x: int
    y: int
    side: int
    host: int


class MapGround:
    """Squares of any power of two, each given once."""

    def __init__(self) -> None:
        self._x = self._y = self._level = 0
        self._grown = 0
        self._free: dict[int, list[tuple[int, int, int]]] = {0: [(0, 0, 0)]}  # by level: distance, x, y

    def take(self, level: int) -> tuple[int, int]:
        """The corner of a square with this side; of the smallest that are free one near the middle."""
        found = next((each for each in range(level, self._level + 1) if self._free.get(each)), None)
        while found is None:
            self._grow()
            found = next((each for each in range(level, self._level + 1) if self._free.get(each)), None)
        _, x, y = heapq.heappop(self._free[found])
        while found > level:
            found -= 1
            half = 1 << found
            quarters = [(x, y), (x + half, y), (x, y + half), (x + half, y + half)]
            (x, y), *others = sorted(quarters, key=_to_middle(half))
            for corner in others:
                self._put(found, *corner)
        return x, y

    def _put(self, level: int, x: int, y: int) -> None:
        heapq.heappush(self._free.setdefault(level, []), (_distance(x, y, 1 << level), x, y))

    def _grow(self) -> None:
        """Twice the side, by turns to one corner and to the other, so that the first square stays near the middle."""
        side, level = 1 << self._level, self._level
        if self._grown % 2:
            self._x, self._y = self._x - side, self._y - side
        old = self._x + side * (self._grown % 2), self._y + side * (self._grown % 2)
        for corner in ((self._x + dx, self._y + dy) for dx in (0, side) for dy in (0, side)):
            if corner != old:
                self._put(level, *corner)
        self._level, self._grown = level + 1, self._grown + 1


def _to_middle(side: int) -> Callable[[tuple[int, int]], int]:
    return lambda corner: _distance(corner[0], corner[1], side)


def _distance(x: int, y: int, side: int) -> int:
    """From the middle; screens are wide, so what is above or below counts as farther."""
    return (2 * x + side) ** 2 + 4 * (2 * y + side) ** 2


class MapLayout:
    """Places for pages, given one after the other."""

    def __init__(self) -> None:
        self.hosts: dict[str, int] = {}
        self.plots: list[HostPlot] = []
        self._ground = MapGround()
        self._pages: list[int] = []  # of each host
        self._open: list[int] = []  # the plot of each host that has room
        self._left: list[int] = []  # pages that still go there

    def place(self, host: str) -> tuple[int, int]:
        """The place of the next page of this host, in steps."""
        number = self.hosts.get(host)
        if number is None:
            number = self.hosts[host] = len(self._pages)
            self._pages.append(0)
            self._open.append(-1)
            self._left.append(0)
        if not self._left[number]:
            level = max(SMALLEST, (self._pages[number].bit_length() - 1) // 2)
            x, y = self._ground.take(level)
            self._open[number], self._left[number] = len(self.plots), 1 << 2 * level
            self.plots.append(HostPlot(x, y, 1 << level, number))
        plot = self.plots[self._open[number]]
        room = plot.side * plot.side
        rank = room - self._left[number]
        self._left[number] -= 1
        self._pages[number] += 1
        away, turn = (plot.side / 2 - MARGIN) * math.sqrt((rank + 0.5) / room), rank * GOLDEN
        middle_x, middle_y = plot.x + plot.side / 2, plot.y + plot.side / 2
        return round(UNIT * (middle_x + away * math.cos(turn))), round(UNIT * (middle_y + away * math.sin(turn)))
