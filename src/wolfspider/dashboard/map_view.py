"""The map: the pages of a run as dots in the plots of their hosts, lit where they are relevant, and agents among them.

Places are worked out here, once, and never change while a run grows (map_layout.py). What a browser has it names by
`after`, and gets what came since: columns of numbers, packed, so that 50,000 pages take a third of a megabyte.
"""

from __future__ import annotations

import base64
import secrets
import sqlite3
import sys
import threading
from array import array
from collections import Counter, deque
from pathlib import Path
from typing import TypedDict

from wolfspider.core.model import is_web_address
from wolfspider.core.plain_text import plainly
from wolfspider.dashboard.desk import Missing, RunDesk
from wolfspider.dashboard.map_layout import UNIT, MapLayout
from wolfspider.store.page_count import HIDDEN, NEWEST
from wolfspider.store.view import RunView

MOST_PAGES = 100_000  # on a map; what comes later is counted, and not shown
IN_ANSWER = 50_000  # pages; a browser asks again for the rest
MOST_AGENTS = 200  # shown, those that moved last
TRAIL = 12  # pages that an agent came through, the newest last
MOST_MOVES = 20_000  # of one agent's territory
PATH = 200  # moves of it that are drawn
LIT = 128  # added to the light of a page that is relevant; the rest is its score in percent
MOST_KNOWN = 10_000  # agents; later ones are known as one
OTHERS = "others"
_LONGEST_NAME = 200  # characters of an agent's
_BEFORE_ALL = -(1 << 62)
_LANDED = (
    "SELECT l.score, l.relevant, p.final_url, p.host, v.agent"  # noqa: S608
    " FROM landings l JOIN pages p ON p.seq = l.page LEFT JOIN visits v ON v.id = l.visit"
    f" WHERE (l.seq, l.n) > (?, ?) AND NOT {HIDDEN} ORDER BY l.seq, l.n"
)
_SAID = "SELECT seq FROM log WHERE kind = 'command' AND seq > ? ORDER BY seq DESC LIMIT 1"
_VERDICTS = "SELECT url, score, relevant FROM held WHERE seq > ? AND relevant IS NOT NULL ORDER BY seq"
_MOVES = (
    "SELECT p.final_url, l.relevant, l.cost FROM landings l JOIN visits v ON v.id = l.visit"  # noqa: S608
    f" JOIN pages p ON p.seq = l.page WHERE v.agent = ? AND NOT {HIDDEN} ORDER BY l.seq DESC, l.n DESC LIMIT ?"
)
_PAGE = (
    f"SELECT p.title, p.at, p.host, h.score, h.relevant FROM {NEWEST}"  # noqa: S608
    f" WHERE p.final_url = ? AND NOT {HIDDEN} ORDER BY p.seq DESC LIMIT 1"
)


class MapAgent(TypedDict):
    """An agent that is on the map: the pages it came through, the newest last, by their places in the columns."""

    name: str
    number: int
    trail: list[int]
    visits: int
    relevant: int


class MapQuery(TypedDict, total=False):
    after: str


class TerritoryMap(TypedDict):
    """What came since `after`. The columns x, y (signed 16 bits), light (8 bits) and agent (16 bits) are packed, little
    end first, in base64; they begin with page number `first`. A plot is x, y and side, in cells of `unit` steps, and
    the number of its host."""

    next: str
    whole: bool
    more: bool
    unit: int
    first: int
    pages: int
    relevant: int
    left_out: int
    x: str
    y: str
    light: str
    agent: str
    changed: list[list[int]]
    first_plot: int
    plots: list[list[int]]
    first_host: int
    hosts: list[str]
    all_agents: int
    agents: list[MapAgent]


class MapPageQuery(TypedDict):
    page: int


class MapPage(TypedDict):
    """What a dot stands for."""

    url: str
    title: str
    host: str
    at: float | None
    score: float | None
    relevant: bool
    agent: str


class TerritoryQuery(TypedDict):
    agent: str


class AgentTerritory(TypedDict):
    """Where one agent has been: pages by their places in the columns, how often it was at each, and its last moves."""

    agent: str
    pages: list[int]
    times: list[int]
    path: list[int]
    visits: int
    downloads: int
    relevant: int
    whole: bool


class _AgentMoves:
    def __init__(self, number: int) -> None:
        self.number = number
        self.trail: deque[int] = deque(maxlen=TRAIL)
        self.visits = self.relevant = 0
        self.moved = 0  # when, by the number of the move


class RunMap:
    """The map of one run, which grows with it. One thread at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._lock = folder, threading.Lock()
        self._clear()

    def _clear(self) -> None:
        self.name = secrets.token_hex(4)  # another map has another name
        self.layout = MapLayout()
        self.urls: list[str] = []
        self.numbers: dict[str, int] = {}  # of addresses
        self.x, self.y, self.light, self.agent = array("h"), array("h"), array("B"), array("H")
        self.changed: list[int] = []  # pages whose light changed, in that order
        self.agents: dict[str, _AgentMoves] = {}
        self.left_out = 0
        self._moves = 0
        self._last = (_BEFORE_ALL, 0, "")  # the last landing that was read
        self._said = _BEFORE_ALL  # the last command

    # Reading the run

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        seq, n, url = self._last
        if url:
            row = connection.execute("SELECT url FROM landings WHERE seq = ? AND n = ?", (seq, n)).fetchone()
            if row is None or row[0] != url:  # the run was cut back, folded or repaired
                self._clear()
        for score, relevant, final, host, agent in connection.execute(_LANDED, self._last[:2]):
            if is_web_address(str(final)):
                self._landed(str(final), str(host), score, relevant, str(agent or ""))
        last = connection.execute("SELECT seq, n, url FROM landings ORDER BY seq DESC, n DESC LIMIT 1").fetchone()
        if last is not None:
            self._last = tuple(last)
        self._read_labels(connection)

    def _read_labels(self, connection: sqlite3.Connection) -> None:
        """A person's label changes what is known of a page that has landed long ago."""
        said = connection.execute(_SAID, (self._said,)).fetchone()
        if said is None:
            return
        for url, score, relevant in connection.execute(_VERDICTS, (self._said,)):
            if (number := self.numbers.get(url)) is not None:
                self._shine(number, score, relevant)
        (self._said,) = said

    def _landed(self, url: str, host: str, score: float | None, relevant: int | None, agent: str) -> None:
        agent = agent[:_LONGEST_NAME]
        if agent not in self.agents and len(self.agents) >= MOST_KNOWN:
            agent = OTHERS
        known = self.agents.get(agent)
        if known is None:
            known = self.agents[agent] = _AgentMoves(len(self.agents))
        number = self.numbers.get(url)
        if number is None and len(self.urls) >= MOST_PAGES:
            self.left_out += 1
            return
        if number is None:
            number = self.numbers[url] = len(self.urls)
            self.urls.append(url)
            x, y = self.layout.place(host)
            self.x.append(x)
            self.y.append(y)
            self.light.append(_light(score, relevant))
            self.agent.append(known.number)
            known.relevant += bool(relevant)
        elif relevant is not None:
            self._shine(number, score, relevant)
        self._moves += 1
        known.visits, known.moved = known.visits + 1, self._moves
        if not known.trail or known.trail[-1] != number:
            known.trail.append(number)

    def _shine(self, number: int, score: float | None, relevant: int | None) -> None:
        light = _light(score, relevant)
        if self.light[number] != light:
            self.light[number] = light
            self.changed.append(number)

    # Answering

    def answer(self, after: str) -> TerritoryMap:
        with self._lock, RunView(self.folder).moment() as connection:
            self._catch_up(connection)
            return self._since(*self._read(after))

    def _read(self, after: str) -> tuple[int, int, int, int]:
        """How many pages, changes, plots and hosts a browser has; nothing, if it has another map."""
        name, *counts = after.split("-")
        most = (len(self.urls), len(self.changed), len(self.layout.plots), len(self.layout.hosts))
        if name != self.name or len(counts) != len(most) or not all(each.isdecimal() for each in counts):
            return 0, 0, 0, 0
        had = tuple(int(each[:12]) for each in counts)
        return had if all(one <= all_ for one, all_ in zip(had, most, strict=True)) else (0, 0, 0, 0)  # type: ignore[return-value]

    def _since(self, pages: int, changes: int, plots: int, hosts: int) -> TerritoryMap:
        upto = min(len(self.urls), pages + IN_ANSWER)
        moved = sorted(self.agents.items(), key=lambda named: -named[1].moved)[:MOST_AGENTS]
        relit = dict.fromkeys(number for number in self.changed[changes:] if number < pages)
        counts = (upto, len(self.changed), len(self.layout.plots), len(self.layout.hosts))
        return {
            "next": "-".join(map(str, (self.name, *counts))),
            "whole": not pages,
            "more": upto < len(self.urls),
            "unit": UNIT,
            "first": pages,
            "pages": len(self.urls),
            "relevant": sum(light >= LIT for light in self.light),
            "left_out": self.left_out,
            "x": _packed(self.x[pages:upto]),
            "y": _packed(self.y[pages:upto]),
            "light": _packed(self.light[pages:upto]),
            "agent": _packed(self.agent[pages:upto]) if len(self.agents) > 1 else "",
            "changed": [[number, self.light[number]] for number in relit],
            "first_plot": plots,
            "plots": [list(plot) for plot in self.layout.plots[plots:]],
            "first_host": hosts,
            "hosts": [plainly(host, 100) for host in list(self.layout.hosts)[hosts:]],
            "all_agents": len(self.agents),
            "agents": [
                {
                    "name": plainly(name, 100),
                    "number": one.number,
                    "trail": list(one.trail),
                    "visits": one.visits,
                    "relevant": one.relevant,
                }
                for name, one in moved
            ],
        }

    def page(self, number: int) -> MapPage | None:
        """What lies at this place of the columns."""
        if not 0 <= number < len(self.urls):
            return None
        url = self.urls[number]
        with RunView(self.folder).moment() as connection:
            row = connection.execute(_PAGE, (url,)).fetchone()
        if row is None:
            return None
        title, at, host, score, relevant = row
        agent = list(self.agents)[self.agent[number]]
        return {
            "url": plainly(url, 2000),
            "title": plainly(str(title or ""), 300),
            "host": plainly(str(host), 300),
            "at": at if isinstance(at, float | int) else None,
            "score": score if isinstance(score, float | int) else None,
            "relevant": bool(relevant),
            "agent": plainly(agent, 100),
        }

    def territory(self, agent: str) -> AgentTerritory | None:
        """Where one agent has been."""
        with self._lock, RunView(self.folder).moment() as connection:
            self._catch_up(connection)
            rows = connection.execute(_MOVES, (agent, MOST_MOVES + 1)).fetchall()
            moves = [
                (number, bool(relevant), int(cost or 0))
                for url, relevant, cost in rows[:MOST_MOVES]
                if (number := self.numbers.get(url)) is not None
            ]
        if not moves:
            return None
        times = Counter(number for number, *_ in moves)
        return {
            "agent": plainly(agent, 100),
            "pages": list(times),
            "times": list(times.values()),
            "path": [number for number, *_ in moves[:PATH]][::-1],
            "visits": len(moves),
            "downloads": sum(cost for *_, cost in moves),
            "relevant": len({number for number, relevant, _ in moves if relevant}),
            "whole": len(rows) <= MOST_MOVES,
        }


def _map_of(desk: RunDesk, run: Path) -> RunMap:
    return desk.lasting(run, "map", lambda: RunMap(run))


def map_since(desk: RunDesk, run: Path, asked: MapQuery) -> TerritoryMap:
    return _map_of(desk, run).answer(asked.get("after", ""))


def map_page(desk: RunDesk, run: Path, asked: MapPageQuery) -> MapPage:
    found = _map_of(desk, run).page(asked["page"])
    if found is None:
        raise Missing("There is no such page on the map.")
    return found


def territory(desk: RunDesk, run: Path, asked: TerritoryQuery) -> AgentTerritory:
    found = _map_of(desk, run).territory(asked["agent"])
    if found is None:
        raise Missing(f"No agent {asked['agent'][:80]!r} has brought a page.")
    return found


def _light(score: float | None, relevant: int | None) -> int:
    percent = round(100 * min(1.0, max(0.0, score))) if isinstance(score, float | int) else 0
    return percent + LIT * bool(relevant)


def _packed(column: array[int]) -> str:
    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return base64.b64encode(column.tobytes()).decode()
