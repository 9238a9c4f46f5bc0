"""How a fleet divides the work among its foragers, the land each of them lives on, and the links they looked at.
(Palotai et al., Figs. 2 and 4 to 6)

division of work        in a window of time let V_f be the URLs that forager f stepped on, and U all of them. Its
                        share is |V_f without those of all others| / |U|. The shares, stacked from the oldest
                        forager to the youngest, end at the boundary: the share of URLs of exactly one forager.
different decisions     the same with pairs (a, b), b stepped on right after a on the same path and in the same
                        window, of which only those count whose start a at least two foragers decided at.
new starting points     a URL enters the list of starting points of any forager for the first time ever.
territory               the URLs a forager steps on: how many in a day, how many in the same number of moves, and how
                        many of a path's are those of its paths before. Foragers share the time, so one of a smaller
                        fleet takes more moves in a day; only over equal moves can fleets of two sizes be compared.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, deque
from collections.abc import Hashable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np

from wolfspider.bench.measure.folds import DAY, HOUR, WINDOW, Atlas, Measure, mean, ratio
from wolfspider.bench.measure.metrics import charged
from wolfspider.core.events import Event, Landed, Noted
from wolfspider.graphs.degrees import distribution, exponents
from wolfspider.graphs.graph import Graph, Ints

Thing = TypeVar("Thing", bound=Hashable)
Pair = tuple[str, str]
DIVISION_WINDOW = 75 * 60.0
PATHS_KEPT = 10  # of each forager
EQUAL_MOVES = 150  # more than a path has: nobody comes back to a page on the same path


def exclusive(sets: Mapping[str, AbstractSet[Thing]]) -> dict[str, float]:
    """For each name the share of all things that are in its set alone; not a number if there are none."""
    holders = Counter(thing for things in sets.values() for thing in things)
    return {name: ratio(sum(holders[thing] == 1 for thing in things), len(holders)) for name, things in sets.items()}


def shared_starts(pairs: Mapping[str, AbstractSet[Pair]]) -> dict[str, set[Pair]]:
    """The pairs that begin where at least two names have a pair that begins there."""
    holders = Counter(start for own in pairs.values() for start in {start for start, _ in own})
    return {name: {pair for pair in own if holders[pair[0]] > 1} for name, own in pairs.items()}


@dataclass(frozen=True, slots=True)
class Divided:
    """One window. `shares` and `decisions` are from the oldest forager to the youngest."""

    hours: float  # its beginning, since that of the crawl
    foragers: int  # that stepped anywhere
    urls: int
    shares: dict[str, float]
    boundary: float  # URLs of one forager only
    shared: float  # 1 - boundary
    decisions: dict[str, float]
    pairs: int  # with a shared start
    different: float  # the boundary of the decisions; not a number without shared starts


class Division(Measure):
    """The URLs and decisions of one forager only, window by window. Only the sets of the current window are held. A
    window is over after so many seconds or, if `steps` is given, after so many steps of the fleet: where a step takes
    another time than elsewhere, only windows of equal steps can be compared."""

    def __init__(self, window: float = DIVISION_WINDOW, steps: int = 0) -> None:
        super().__init__()
        self.width, self.steps = window, steps
        self.finished: list[Divided] = []
        self.order: dict[str, int] = {}  # foragers, oldest first
        self._number = 0
        self._clear()

    def _clear(self) -> None:
        self._visited: dict[str, set[str]] = {}
        self._pairs: dict[str, set[Pair]] = {}
        self._newest: dict[str, tuple[int, str]] = {}  # path and URL of the last step of each
        self._taken, self._since = 0, math.nan  # steps in this window, and the time of the first

    def passed(self) -> None:
        if not self.steps and self.window(self.width) > self._number:
            self.finished = self.windows
            self._number = self.window(self.width)
            self._clear()

    def noted(self, event: Noted) -> None:
        if event.kind == "birth":
            self.order.setdefault(event.data["agent"], len(self.order))
        elif event.kind == "move":
            self._move(event.data["agent"], event.data["url"], event.data["path"])

    def _move(self, agent: str, url: str, path: int) -> None:
        if self.steps and self._taken == self.steps:
            self.finished = self.windows
            self._clear()
        self._since = self._since if self._taken else self.now
        self._taken += 1
        self.order.setdefault(agent, len(self.order))
        self._visited.setdefault(agent, set()).add(url)
        own = self._pairs.setdefault(agent, set())
        before = self._newest.get(agent)
        if before and before[0] == path:
            own.add((before[1], url))
        self._newest[agent] = (path, url)

    @property
    def windows(self) -> list[Divided]:
        """Those with a step in them; the last one may be under way, unless windows are of equal steps."""
        if not self._visited or self._taken < self.steps:
            return self.finished
        hours = (self._since - self.start if self.steps else self._number * self.width) / HOUR
        return [*self.finished, divided(hours, self._ordered(self._visited), self._ordered(self._pairs))]

    def _ordered(self, sets: Mapping[str, set[Thing]]) -> dict[str, set[Thing]]:
        return {agent: sets[agent] for agent in sorted(sets, key=self.order.__getitem__)}

    def figures(self) -> dict[str, Any]:
        several = [window for window in self.finished if window.foragers > 1]
        return {
            "window_hours": self.width / HOUR,
            "window_steps": self.steps,
            "order": list(self.order),
            "boundary": mean([window.boundary for window in several]),
            "different": mean([window.different for window in several]),
            "windows": [asdict(window) for window in self.windows],
        }


def divided(hours: float, visited: Mapping[str, set[str]], pairs: Mapping[str, set[Pair]]) -> Divided:
    shares, starting = exclusive(visited), shared_starts(pairs)
    decisions, distinct = exclusive(starting), len(set().union(*starting.values()))
    urls = len(set().union(*visited.values()))
    boundary = math.fsum(shares.values())
    different = math.fsum(decisions.values()) if distinct else math.nan
    return Divided(hours, len(visited), urls, shares, boundary, 1 - boundary, decisions, distinct, different)


class Starts(Measure):
    """When and where new starting points come up, and how many addresses are known by then."""

    def __init__(self, every: float = WINDOW, atlas: Atlas | None = None, bins: int = 40) -> None:
        super().__init__()  # without the atlas, which comes after: see `passed`
        self.every, self.atlas, self.bins = every, atlas or Atlas(), bins
        self.curve: list[tuple[float, int, int]] = []  # hours, addresses seen, addresses downloaded
        self._known: set[str] = set()
        self._hours = array("d")  # of each first entry
        self._numbers = array("l")  # of its address, in the order of discovery

    def __call__(self, event: Event) -> None:
        super().__call__(event)
        self.atlas(event)

    def passed(self) -> None:
        """The atlas does not know yet what happens now. A shared one may; that is one page."""
        while (at := self.start + self.every * (len(self.curve) + 1)) <= self.now:
            self.curve.append(((at - self.start) / HOUR, self.atlas.seen, self.atlas.found))

    def noted(self, event: Noted) -> None:
        if event.kind == "weblog":
            for url in event.data.get("starts", ()):
                if url not in self._known:
                    self._known.add(url)
                    self._hours.append((event.at - self.start) / HOUR)
                    self._numbers.append(self.atlas.number(url))

    @property
    def entries(self) -> list[tuple[float, int]]:
        """Hours and number of the address, for each first entry."""
        return list(zip(self._hours, self._numbers, strict=True))

    def heat(self) -> list[list[int]]:
        """A line for each of `bins` equal ranges of numbers, a column for each day begun: first entries."""
        if math.isnan(self.start):
            return [[] for _ in range(self.bins)]
        days = self.window(DAY) + 1
        counts, _, _ = np.histogram2d(
            np.array(self._numbers, dtype=np.float64),
            np.array(self._hours) * HOUR / DAY,
            bins=(self.bins, days),
            range=((0, max(self.atlas.seen, 1)), (0, days)),
        )
        return [[int(count) for count in line] for line in counts]

    def figures(self) -> dict[str, Any]:
        return {
            "new_starts": len(self._known),
            "seen": self.atlas.seen,
            "found": self.atlas.found,
            "curve": list(self.curve),
            "heat": self.heat(),
        }


@dataclass(frozen=True, slots=True)
class Path:
    """One path of a forager when it was over."""

    hours: float
    agent: str
    path: int
    moves: int
    returned: float  # share of the moves to URLs of the paths kept before; not a number for the first
    distinct: float  # distinct URLs to moves, over this and the paths kept before; low if it is trapped


@dataclass(frozen=True, slots=True)
class Land:
    """A path as a graph: the places in the order of the first visit, the moves and the links between places."""

    agent: str
    path: int
    urls: tuple[str, ...]
    moves: tuple[int, ...]  # places in order, the first one the start
    links: tuple[tuple[int, int], ...]


class Territory(Measure):
    """How much land each forager uses in a day, and how often it walks where it has been. The newest few paths of each
    forager are kept to be drawn."""

    def __init__(self, atlas: Atlas | None = None, kept: int = PATHS_KEPT) -> None:
        self.atlas, self.kept = atlas or Atlas(), kept
        super().__init__(self.atlas)
        self.paths: list[Path] = []
        self.past: list[tuple[int, str, int, int]] = []  # day, forager, distinct URLs, moves
        self._walked: dict[str, deque[tuple[int, list[str]]]] = {}  # the last one is under way
        self._closed: dict[str, int] = {}  # the newest path of each that was counted
        self.moves = self.slices = 0
        self.equally: dict[str, list[int]] = {}  # of each forager, distinct URLs in each so many moves
        self._newest: dict[str, list[str]] = {}  # its moves since then
        self._today: dict[str, Counter[str]] = {}
        self._day = 0

    def passed(self) -> None:
        if self.window(DAY) > self._day:
            self.past = self.days
            self._today, self._day = {}, self.window(DAY)

    def noted(self, event: Noted) -> None:
        if event.kind == "move":
            self._move(event.data["agent"], event.data["url"], event.data["path"])
        elif event.kind == "death":
            self._close_path(event.data["agent"])
        elif event.kind == "slice":
            self.slices += 1

    def _move(self, agent: str, url: str, path: int) -> None:
        self.moves += 1
        newest = self._newest.setdefault(agent, [])
        newest.append(url)
        if len(newest) == EQUAL_MOVES:
            self.equally.setdefault(agent, []).append(len(set(newest)))
            newest.clear()
        self._today.setdefault(agent, Counter())[url] += 1
        walked = self._walked.setdefault(agent, deque(maxlen=self.kept))
        if not walked or walked[-1][0] != path:
            self._close_path(agent)
            walked.append((path, []))
        walked[-1][1].append(url)

    def _close_path(self, agent: str) -> None:
        walked = self._walked.get(agent)
        if not walked or self._closed.get(agent) == walked[-1][0]:
            return
        *before, (path, urls) = walked
        earlier = {url for _, others in before for url in others}
        all_moves = [url for _, others in walked for url in others]
        returned = ratio(sum(url in earlier for url in urls), len(urls)) if before else math.nan
        distinct = ratio(len(set(all_moves)), len(all_moves))
        self.paths.append(Path((self.now - self.start) / HOUR, agent, path, len(urls), returned, distinct))
        self._closed[agent] = path

    @property
    def days(self) -> list[tuple[int, str, int, int]]:
        """As `past`, with the day that it is."""
        return [*self.past, *((self._day, agent, len(urls), urls.total()) for agent, urls in self._today.items())]

    def longest(self) -> tuple[str, int] | None:
        """The forager and path of most moves among those kept; of equals, that of the oldest forager."""
        paths = [(len(urls), agent, path) for agent, walked in self._walked.items() for path, urls in walked]
        return max(paths, key=lambda path: path[0])[1:] if paths else None

    def land(self, agent: str, path: int) -> Land:
        moves = next(urls for number, urls in self._walked[agent] if number == path)
        places = {url: place for place, url in enumerate(dict.fromkeys(moves))}
        return Land(agent, path, tuple(places), tuple(places[url] for url in moves), tuple(self._links(places)))

    def _links(self, places: Mapping[str, int]) -> list[tuple[int, int]]:
        numbers = {self.atlas.number(url): place for url, place in places.items()}
        return [
            (place, numbers[target])
            for number, place in numbers.items()
            for target in dict.fromkeys(self.atlas.links.get(number, ()))
            if target in numbers and target != number
        ]

    def figures(self) -> dict[str, Any]:
        return {
            "distinct_a_day": mean([day[2] for day in self.past or self.days]),
            "distinct_of_moves_a_day": mean([ratio(day[2], day[3]) for day in self.past or self.days]),
            "distinct_in_equal_moves": mean([mean(counts) for counts in self.equally.values()]),
            "moves": self.moves,
            "slices": self.slices,
            "paths": len(self.paths),
            "returned": mean([path.returned for path in self.paths]),
            "distinct": mean([path.distinct for path in self.paths]),
            "days": list(self.days),
            "agents": self._by_agent(),
            "land": asdict(self.land(*longest)) if (longest := self.longest()) else None,
        }

    def _by_agent(self) -> dict[str, list[float]]:
        """Paths, mean share of returning moves, mean share of distinct URLs."""
        own: dict[str, list[Path]] = {}
        for path in self.paths:
            own.setdefault(path.agent, []).append(path)
        return {
            agent: [len(paths), mean([path.returned for path in paths]), mean([path.distinct for path in paths])]
            for agent, paths in own.items()
        }


class Linked(Measure):
    """The links that the fleet looked at, as degrees: those that lead from a page that a forager stepped on to one that
    it downloaded to see what is there. To how many pages does a page link so, and how many link to it, with three
    estimates of each exponent. By addresses, as in the paper's Fig. 2."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[str, int] = {}
        self._tails, self._heads = array("q"), array("q")

    def landed(self, event: Landed) -> None:
        visit = event.outcome.visit
        if charged(event) and visit.source:
            self._tails.append(self._number(visit.source))
            self._heads.append(self._number(visit.link.url))

    def _number(self, url: str) -> int:
        return self._numbers.setdefault(url, len(self._numbers))

    def figures(self) -> dict[str, Any]:
        graph = Graph.from_edges([*self._numbers], np.asarray(self._tails), np.asarray(self._heads))
        return {
            "pages": graph.n,
            "links": graph.m,
            "into": _degrees(graph.in_degrees()),
            "out_of": _degrees(graph.out_degrees()),
        }


def _degrees(degrees: Ints) -> dict[str, Any]:
    values, counts = distribution(degrees)
    estimates = asdict(exponents(degrees, np.random.default_rng(0)))
    return {"exponents": estimates, "values": values.tolist(), "counts": counts.tolist()}
