"""The fleet of news foragers: their parameters, births, turns and deletions.

These are the rules A5, A7, A8 and A9: what the reinforcing agent does to foragers.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from wolfspider.core.errors import Problem
from wolfspider.core.model import Link
from wolfspider.core.params import param
from wolfspider.core.topic import Topic
from wolfspider.learn.page_states import States, open_states
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.reinforcer import Terms
from wolfspider.policy.strategy import Strategy
from wolfspider.strategies.foragers.forager import Forager, Vector, Weblog, WeblogEntry, ordered

KINDS = ("WLRL", "WL", "RL")


@dataclass
class ForagerParams:
    fleet: str = param(
        "WLRL",
        "What a forager learns: starting points (WL), values of pages (RL) or both; mixed is half WLRL, half WL.",
        choices=(*KINDS, "mixed"),
        live=False,
    )
    order: str = param(
        "fixed",
        "Which forager comes next: in the order of kind and birth, the kinds in turn, or drawn anew each round.",
        choices=("fixed", "alternating", "random"),
    )
    foragers: int = param(2, "Foragers at the start.", low=1, high=1000, live=False)
    least: int = param(2, "Nobody is deleted while there are no more than these.", low=1, high=1000)
    most: int = param(16, "Nobody multiplies while there are so many; 0 is no limit.", low=0, high=1000)
    slice: float = param(180.0, "Seconds that a forager works before the next one; it finishes its step.", low=0)
    steps: int = param(100, "Steps of a path.", low=1, high=100_000)
    weblog: int = param(100, "Addresses in a weblog.", low=1, high=10_000)
    starts: int = param(10, "So many of the best in the weblog are starting points.", low=1, high=10_000)
    beta: float = param(0.3, "How far a weblog value moves towards what a path earned.", low=0, high=1)
    alpha: float = param(0.1, "Learning rate of the weights.", low=0, high=1)
    gamma: float = param(0.9, "What a profit of the next step counts now.", low=0, high=1)
    weights: str = param(
        "paper",
        "First weights: own for each, copied by children that learn them (paper); one vector for all (common); own for "
        "each, children too (diverse).",
        choices=("paper", "common", "diverse"),
        live=False,
    )
    mutation: float = param(0.0, "Standard deviation of what is added to copied weights of a child.", low=0)
    reads: str = param(
        "new",
        "Which links of a page are downloaded: those not yet downloaded in this path, or all.",
        choices=("new", "all"),
    )
    again: str = param(
        "fresh",
        "Pages that the run has are downloaded again: only where fresh ones are paid for (fresh), or always (the "
        "papers').",
        choices=("fresh", "always"),
        letter="always",
    )
    score: float = param(100.0, "Score of a forager at birth, and of both after a division.", low=0)
    score_sent: float = param(0.05, "Taken from the score for every document sent.", low=0)
    score_paid: float = param(1.0, "Added to the score for every document that is paid for.", low=0)
    multiply_at: float = param(200.0, "Score at which a forager divides.")
    delete_below: float = param(0.0, "Score below which a forager is deleted.")
    reward: float = param(100.0, "Paid for a document that is new and fresh.", low=0)
    cost: float = param(1.0, "Taken for a document sent.", low=0)
    charge: str = param(
        "sent", "The cost is taken for every document sent, or only for those refused.", choices=("sent", "refused")
    )
    window: float = param(24 * 3600.0, "Seconds after its publication for which a document is fresh.", low=0)
    novelty: str = param("url", "What makes two documents the same.", choices=("url", "url+content"), live=False)
    pays: str = param(
        "run",
        "What a document must be to be paid for; run: what the run wants, so relevant too where there is a topic.",
        choices=("run", "new", "new+fresh", "new+relevant", "new+fresh+relevant"),
        live=False,
    )
    search_every: int = param(
        0, "Paths after which a forager asks the search service for starting points; 0: never.", low=0
    )
    model: str = param("default", "Where states of pages come from: default, a model's file, a recording.", live=False)
    mapping: str = param(
        "calibrated",
        "How class probabilities become states: around a border of each class, or around 0.5 as in the papers.",
        choices=("calibrated", "faithful"),
        live=False,
    )


class Fleet(Strategy):
    """Everything about foragers except their steps."""

    Params = ForagerParams
    awaits = True

    def __init__(self, topic: Topic, params: Any, rng: random.Random, shelf: Shelf) -> None:
        super().__init__(topic, params, rng, shelf)
        self.fleet: dict[str, Forager] = {}
        self.born = 0
        self.round: deque[str] = deque()  # foragers that are still to work in this round
        self.active = ""
        self.since = -math.inf  # when the slice of the active forager began
        self.stalled = False  # has it no turn at the host of its starting point?
        self._terms = Terms()
        self._inherited: list[dict[str, Any]] = []

    def page_states(self) -> States:
        return self._states

    @cached_property
    def _states(self) -> States:  # by this name it is no part of the stored state
        return open_states(self.params.model, self.params.mapping)

    def terms(self, given: Terms) -> Terms:
        params = self.params
        pays = given.pays if params.pays == "run" else params.pays
        self._terms = replace(
            given,
            pays=pays,
            reward=params.reward,
            cost=params.cost,
            charge=params.charge,
            window=params.window,
            key=params.novelty,
        )
        return self._terms

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        """A8: the first foragers, from the seeds or from what an earlier run learned."""
        weblog = ordered({link.url: WeblogEntry(0.0, -place) for place, link in enumerate(seeds)}, self.params.weblog)
        common = self._random_weights()
        count = max(self.params.foragers, min(len(self._inherited), self.params.most or len(self._inherited)))
        for place in range(count):
            kind = self.params.fleet
            if kind == "mixed":
                kind = "WLRL" if place < (count + 1) // 2 else "WL"
            weights = common if self.params.weights == "common" else self._random_weights()
            if self._inherited:
                heritage = self._inherited[place % len(self._inherited)]
                weights = np.array(heritage["weights"], dtype=np.float32)
                known = {url: WeblogEntry(value, -at) for at, (url, value) in enumerate(heritage["weblog"])}
                self._join(kind, weights, ordered({**weblog, **known}, self.params.weblog), now)
            else:
                self._join(kind, weights, weblog, now)
        self.since = now
        self.active = self._next()

    def _random_weights(self) -> Vector:
        return np.array([self.rng.uniform(-1, 1) for _ in range(self._states.size)], dtype=np.float32)

    def _join(self, kind: str, weights: Vector, weblog: Weblog, now: float, parent: str = "") -> Forager:
        """A9."""
        name = f"{kind}-{self.born}"
        self.born += 1
        forager = Forager(name, kind, weights, weblog, self.params.score, self.params.steps)
        self.fleet[name] = forager
        population = len(self.fleet)
        self.note(now, "birth", agent=name, parent=parent, kind=kind, score=self.params.score, population=population)
        self._tell_weblog(forager, {}, now)
        return forager

    def _tell_weblog(self, forager: Forager, before: Weblog, now: float) -> None:
        after = forager.weblog
        old = set(islice(before, self.params.starts))
        self.note(
            now,
            "weblog",
            agent=forager.name,
            entered=[url for url in after if url not in before],
            left=[url for url in before if url not in after],
            starts=[url for url in islice(after, self.params.starts) if url not in old],
            size=len(after),
        )

    def _next(self) -> str:
        """A8: the forager that works now. In a round each works once."""
        while self.round and self.round[0] not in self.fleet:
            self.round.popleft()
        if not self.round:
            self.round.extend(self._order())
        return self.round.popleft()

    def _order(self) -> list[str]:
        names = sorted(self.fleet, key=lambda name: KINDS.index(self.fleet[name].kind))  # within a kind by birth
        if self.params.order == "random":
            self.rng.shuffle(names)
        elif self.params.order == "alternating":
            rank: dict[str, int] = {}
            places = {}
            for name in names:
                kind = self.fleet[name].kind
                places[name] = rank[kind] = rank.get(kind, -1) + 1
            names.sort(key=lambda name: places[name])
        return names

    def _change_guard(self, now: float) -> None:
        """A7: a slice is over. The forager that worked multiplies or is deleted, and the next one starts."""
        forager = self.fleet[self.active]
        seconds, self.since, self.stalled = now - self.since, now, False
        about = {"agent": forager.name, "score": forager.score, "seconds": seconds}
        population, params = len(self.fleet), self.params
        self.note(now, "slice", **about, population=population)
        if forager.score >= params.multiply_at and (population < params.most or not params.most):
            self._multiply(forager, now)
        elif forager.score < params.delete_below and population > params.least:
            del self.fleet[forager.name]
            self.note(now, "death", agent=forager.name, score=forager.score, population=population - 1)
        self.active = self._next()

    def _multiply(self, parent: Forager, now: float) -> None:
        """A5: the weblog is divided at random. A constant one is common to all, and a single entry is not divided: a
        child without entries could do nothing."""
        weblog = parent.weblog
        if parent.selects and len(weblog) > 1:
            taken = set(self.rng.sample(list(weblog), len(weblog) // 2))
            parent.weblog = {url: entry for url, entry in weblog.items() if url not in taken}
            self._tell_weblog(parent, weblog, now)
            weblog = {url: entry for url, entry in weblog.items() if url in taken}
        parent.score = self.params.score
        child = self._join(parent.kind, self._child_weights(parent), weblog, now, parent.name)
        child.walked = parent.walked  # the entries of its weblog are dated by these
        self.round.append(child.name)  # it works last in this round

    def _child_weights(self, parent: Forager) -> Vector:
        choice = self.params.weights
        if choice == "diverse" or (choice == "paper" and not parent.learns):
            return self._random_weights()
        copied = parent.weights.copy()
        if self.params.mutation:
            copied += np.array([self.rng.gauss(0, self.params.mutation) for _ in copied], dtype=np.float32)
        return copied

    def learned(self) -> dict[str, Any]:
        fleet = [
            {"weights": forager.weights, "weblog": [[url, entry.value] for url, entry in forager.weblog.items()]}
            for forager in self.fleet.values()
        ]
        return {"fleet": fleet, "model": self.params.model, "mapping": self.params.mapping}

    def inherit(self, learned: Mapping[str, Any]) -> None:
        self._inherited = list(learned.get("fleet", ()))
        for name in ("model", "mapping"):
            theirs = learned.get(name, getattr(self.params, name))
            if theirs != getattr(self.params, name):
                raise Problem(
                    f"The weights of the other run are for states of {name} {theirs}: give --set {name}={theirs}."
                )
        for heritage in self._inherited:
            if len(heritage["weights"]) != self._states.size:
                raise Problem(
                    f"The weights of the other run have {len(heritage['weights'])} classes, those of this model "
                    f"{self._states.size}: give --set model=... as there."
                )

    def report(self) -> dict[str, Any]:
        scores = {name: round(forager.score, 2) for name, forager in self.fleet.items()}
        at_work = self.fleet.get(self.active)
        best = list(at_work.weblog.items())[:3] if at_work is not None else []
        return {
            "population": len(self.fleet),
            "scores": scores,
            "at work": self.active,
            "its starting points": [[url, round(entry.value, 1)] for url, entry in best],
        }

    def explain(self, url: str) -> dict[str, Any]:
        told: dict[str, Any] = {}
        for name, forager in self.fleet.items():
            about: dict[str, float] = {}
            if url in forager.weblog:
                about["weblog"] = forager.weblog[url].value
            if url in forager.frontier:
                about["value"] = float(forager.frontier.states[forager.frontier.left[url]] @ forager.weights)
            if about:
                told[name] = about
        return {"agents": told} if told else {}
