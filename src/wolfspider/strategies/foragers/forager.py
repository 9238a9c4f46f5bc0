"""One news forager: its weblog, its frontier, and the answers it waits for.

These are the rules that concern one forager: A1 (the weblog), A2 (which page is next), A3 (temporal differences).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import StoredFields, helper
from wolfspider.core.model import Link
from wolfspider.policy.turns import Group

Vector = NDArray[np.float32]
Allows = Callable[[str], bool]  # is an address in scope?
FARTHEST = 1e9  # bound of a weight, so that nothing overflows


class WeblogEntry(NamedTuple):
    """The entry of an address in a weblog."""

    value: float
    seen: int  # when it was last visited, counted in steps; of two equally good ones the newer comes first


Weblog = dict[str, WeblogEntry]  # best first


def updated(
    weblog: Mapping[str, WeblogEntry], path: Sequence[str], profits: Sequence[float], beta: float, now: int
) -> Weblog:
    """A1: values move towards what the rest of the path earned; a new address gets that value. `now` is how many steps
    came before this path."""
    entries = dict(weblog)
    rest = np.cumsum(np.asarray(profits, dtype=float)[::-1])[::-1]
    for place, (url, earned) in enumerate(zip(path, rest.tolist(), strict=True)):
        old = entries.get(url)
        entries[url] = WeblogEntry(earned if old is None else (1 - beta) * old.value + beta * earned, now + place)
    return ordered(entries)


def ordered(weblog: Mapping[str, WeblogEntry], most: int | None = None) -> Weblog:
    """The best entries, best first, and at most so many."""
    return dict(islice(sorted(weblog.items(), key=lambda item: item[1], reverse=True), most))


def corrected(
    weights: Vector, here: Vector, there: Vector, profit: float, alpha: float, gamma: float, steady: bool
) -> Vector:
    """A3: temporal differences for a step from `here` to `there`. States that are not nearly +-1 need a smaller rate,
    so that the correction does not overshoot (`steady`)."""
    delta = profit + gamma * float(weights @ there) - float(weights @ here)
    if steady:
        alpha /= max(1.0, float(here @ here) - gamma * float(here @ there))
    moved: Vector = np.clip(weights + alpha * delta * here, -FARTHEST, FARTHEST).astype(np.float32)
    return moved


@helper
class Reachable:
    """Pages that a forager has downloaded in this path and not visited, oldest first, with their states."""

    def __init__(self, size: int) -> None:
        self.urls: list[str] = []
        self.left: dict[str, int] = {}  # where each lies
        self.states: Vector = np.empty((0, size), dtype=np.float32)

    def __len__(self) -> int:
        return len(self.left)

    def __contains__(self, url: str) -> bool:
        return url in self.left

    def add(self, url: str, state: Vector) -> None:
        """A page that is here already keeps its place and gets the newer state."""
        if url in self.left:
            self.states[self.left[url]] = state
            return
        place = len(self.urls)
        if place == len(self.states):
            grown = np.empty((max(64, 2 * place), self.states.shape[1]), dtype=np.float32)
            grown[:place] = self.states
            self.states = grown
        self.states[place] = state
        self.urls.append(url)
        self.left[url] = place

    def best(self, weights: Vector, allows: Allows) -> tuple[str, float] | None:
        """A2: the page with the highest value, the oldest of equal ones; None if none is in scope."""
        places = np.fromiter(self.left.values(), np.int64, len(self.left))
        values = np.einsum("ij,j->i", self.states[places], weights)  # not by BLAS: equal states have equal values
        for at in np.argsort(-values, kind="stable").tolist():
            url = self.urls[places[at]]
            if allows(url):
                return url, float(values[at])
        return None

    def pop(self, url: str) -> Vector:
        state: Vector = self.states[self.left.pop(url)].copy()
        return state

    def state(self) -> dict[str, Any]:
        urls = list(self.left)
        places = np.fromiter(self.left.values(), np.int64, len(urls))
        return {"urls": urls, "states": self.states[places]}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Reachable:
        made = cls(state["states"].shape[1])
        for url, vector in zip(state["urls"], state["states"], strict=True):
            made.add(url, vector)
        return made


@dataclass
class Due:
    """A step whose documents were sent and are not all answered: the weights wait for it."""

    path: int
    step: int  # place in the path
    here: Vector | None  # None for the first step of a path, which corrects nothing
    there: Vector
    left: int  # documents without an answer
    profit: float = 0.0


@helper
class Forager(StoredFields):
    """One of the fleet. While others work its state does not change, and an unfinished path continues later."""

    def __init__(self, name: str, kind: str, weights: Vector, weblog: Weblog, score: float, counter: int) -> None:
        self.name, self.kind, self.weights, self.weblog, self.score = name, kind, weights, weblog, score
        self.counter = counter  # A9: as after a whole path, so that the first act is a restart
        self.frontier = Reachable(len(weights))
        self.visited: set[str] = set()  # in this path, like the following
        self.downloaded: set[str] = set()
        self.path: list[str] = []
        self.profits: list[float] = []
        self.at: Vector | None = None  # the state of the page it stands on
        self.paths = 0
        self.walked = 0  # steps in all
        self.marked: dict[int, float] = {}  # documents it has sent, by their hash, until when they may be fresh
        self.due: dict[int, Due] = {}  # by number of the step
        self.pending: dict[int, int] = {}  # documents without an answer: visit -> number of the step
        self.unsent: list[int] = []  # documents of a step that ended without a landing, which go with the next
        self.lead = ""  # where the next path starts, if a search found something
        self.searched = -1  # paths it had walked when it last asked for a search
        self.missed: dict[str, int] = {}  # starting points that failed, and how often in a row

    @property
    def selects(self) -> bool:
        return "WL" in self.kind

    @property
    def learns(self) -> bool:
        return "RL" in self.kind

    def __len__(self) -> int:
        """How many addresses it holds besides its weblog; all others of this path were downloaded in it."""
        return len(self.downloaded - self.weblog.keys()) + len(self.marked) + len(self.pending)

    def can_go_on(self, steps: int, allows: Allows) -> bool:
        return self.counter < steps and any(map(allows, self.frontier.left))

    def starts(self, most: int, allows: Allows) -> list[str]:
        return list(islice(filter(allows, self.weblog), most))

    def waiting(self) -> Iterator[str]:
        """Addresses where it could go next."""
        yield from self.frontier.left
        yield from self.weblog
        if self.lead:
            yield self.lead

    def begin_path(self, now: float) -> None:
        self.frontier = Reachable(len(self.weights))
        self.visited, self.downloaded, self.path, self.profits, self.at = set(), set(), [], [], None
        self.counter = 1
        self.paths += 1
        self.marked = {key: until for key, until in self.marked.items() if until >= now}

    def step_on(self, url: str, state: Vector) -> Due:
        """Move to another page; what that earns is still to come."""
        due = Due(self.paths, len(self.path), self.at, state, 0)
        self.path.append(url)
        self.profits.append(0.0)
        self.at = state
        self.due[self.walked] = due
        self.walked += 1
        return due

    def state(self) -> dict[str, Any]:
        weblog = [[url, *entry] for url, entry in self.weblog.items()]
        return {
            **vars(self),
            "weblog": weblog,
            "due": [[number, *vars(due).values()] for number, due in self.due.items()],
        }

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Forager:
        weblog = {url: WeblogEntry(*entry) for url, *entry in state["weblog"]}
        due = {number: Due(*fields) for number, *fields in state["due"]}
        return super().restored({**state, "weblog": weblog, "due": due})


@helper
class Step(StoredFields):
    """The step of the active forager: it reads a page, then downloads the pages that it links to."""

    def __init__(self, agent: str, pick: Link, fresh: bool, value: float = 0.0) -> None:
        self.agent, self.pick, self.fresh, self.value = agent, pick, fresh, value
        self.reading: int | None = None  # the visit that reads the page
        self.links = Group()
        self.sends: list[int] = []  # visits whose documents are possibly relevant
        self.number = -1  # of the step, once the page is there
