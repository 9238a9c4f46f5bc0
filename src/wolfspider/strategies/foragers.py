"""News foragers (Palotai, Mandusitz and Lorincz, Computer study of the evolution of "news foragers" on the Internet;
and Palotai et al. on selection against reinforcement learning in a scale-free small world).

A fleet that finds fresh news without its members talking to each other. A forager walks in paths of 100 steps. At each
step it reads one page, downloads what the page links to, and sends what is fresh to the reinforcing agent, which pays
the first who sends a document. Two things it learns: a *weblog* of good starting points, under selection (WL), and a
linear value of page states, by temporal differences (RL). Who earns multiplies, and who only costs is deleted.

Foragers work one after the other, each for a slice of time, as on the one computer of the papers. The rules A1 to A11
are named where they stand; judging what is new and fresh is the Reinforcer's part of A6.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from wolfspider.errors import Problem
from wolfspider.learn.states import States, open_states
from wolfspider.model import Credit, Failure, Link, Outcome, Page, Visit
from wolfspider.params import param
from wolfspider.reinforcer import PAID, Terms
from wolfspider.room import Room
from wolfspider.scope import Rule
from wolfspider.strategies.forager import Entry, Forager, Step, Vector, Weblog, corrected, ordered, updated
from wolfspider.strategy import Strategy, register
from wolfspider.turns import Group

KINDS = ("WLRL", "WL", "RL")
STATES_KEPT = 20_000  # contents whose state need not be computed again
SEARCH = "search:"  # the Source that a weblog may be fed by


@dataclass
class Params:
    fleet: str = param(
        "WLRL",
        "What a forager learns: starting points (WL), values of pages (RL) or both; mixed is half WLRL, half WL.",
        choices=(*KINDS, "mixed"),
        live=False,
    )
    order: str = param(
        "fixed",
        "Who comes next: in the order of kind and birth, the kinds in turn, or drawn anew each round.",
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


@register
class Foragers(Strategy):
    name = "foragers"
    paper = "Palotai et al. 2004 and 2005, news foragers: selection of starting points, values by temporal differences"
    Params = Params
    variants = (
        {},
        {"fleet": "WL", "steps": 5, "slice": 20.0, "multiply_at": 101.0, "novelty": "url+content", "reads": "all"},
        {"fleet": "RL", "steps": 7, "slice": 10.0, "multiply_at": 101.0, "weights": "diverse", "mutation": 0.1},
        {"fleet": "mixed", "order": "random", "foragers": 4, "steps": 3, "slice": 5.0, "delete_below": 99.9},
        {"fleet": "mixed", "order": "alternating", "foragers": 4, "least": 4, "most": 4, "mapping": "faithful"},
    )

    def __init__(self, topic: Any, params: Any, rng: random.Random, shelf: Any) -> None:
        super().__init__(topic, params, rng, shelf)
        self.fleet: dict[str, Forager] = {}
        self.born = 0
        self.round: deque[str] = deque()  # who is still to work in this round
        self.active = ""
        self.since = -math.inf  # when its slice began
        self.step: Step | None = None
        self.unsent: list[int] = []
        self.wished: deque[str] = deque()  # starting points that a person or a search asks for
        self._terms = Terms()
        self._known: dict[str, Vector] = {}
        self._inherited: list[dict[str, Any]] = []

    @property
    def states(self) -> States:
        return self._states

    @cached_property
    def _states(self) -> States:
        return open_states(self.params.model, self.params.mapping)

    def terms(self, given: Terms) -> Terms:
        known = self.params
        pays = given.pays if known.pays == "run" else known.pays
        self._terms = replace(
            given,
            pays=pays,
            reward=known.reward,
            cost=known.cost,
            charge=known.charge,
            window=known.window,
            key=known.novelty,
        )
        return self._terms

    # The fleet

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        """A8: the first foragers, from the seeds or from what an earlier run learned."""
        weblog = {link.url: Entry(0.0, -place) for place, link in enumerate(seeds)}
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
                known = {url: Entry(value, -at) for at, (url, value) in enumerate(heritage["weblog"])}
                self._join(kind, weights, ordered({**weblog, **known}), now)
            else:
                self._join(kind, weights, weblog, now)
        self.since = now
        self.active = self._next()

    def _random_weights(self) -> Vector:
        return np.array([self.rng.uniform(-1, 1) for _ in range(self.states.size)], dtype=np.float32)

    def _join(self, kind: str, weights: Vector, weblog: Weblog, now: float, parent: str = "") -> None:
        name = f"{kind}-{self.born}"
        self.born += 1
        self.fleet[name] = Forager(name, kind, weights, weblog, self.params.score, self.params.steps)
        population = len(self.fleet)
        self.note(now, "birth", agent=name, parent=parent, kind=kind, score=self.params.score, population=population)

    def _next(self) -> str:
        """A8: who works now. A round holds everybody once."""
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
        """A slice is over: multiply or delete who worked, and go on with the next."""
        forager = self.fleet[self.active]
        self._manage(forager, now)
        seconds, self.since = now - self.since, now
        about = {"agent": forager.name, "score": forager.score, "seconds": seconds}
        self.note(now, "slice", **about, population=len(self.fleet))
        self.active = self._next()

    def _manage(self, forager: Forager, now: float) -> None:
        """A7."""
        population, known = len(self.fleet), self.params
        if forager.score >= known.multiply_at and (population < known.most or not known.most):
            self._multiply(forager, now)
        elif forager.score < known.delete_below and population > known.least:
            del self.fleet[forager.name]
            self.note(now, "death", agent=forager.name, score=forager.score, population=population - 1)

    def _multiply(self, parent: Forager, now: float) -> None:
        """A5: the weblog is divided by chance; a constant one is common to all."""
        weblog = parent.weblog
        if parent.selects:
            taken = set(self.rng.sample(list(weblog), len(weblog) // 2))
            parent.weblog = {url: entry for url, entry in weblog.items() if url not in taken}
            weblog = {url: entry for url, entry in weblog.items() if url in taken}
        parent.score = self.params.score
        self._join(parent.kind, self._child_weights(parent), weblog, now, parent.name)

    def _child_weights(self, parent: Forager) -> Vector:
        choice = self.params.weights
        if choice == "diverse" or (choice == "paper" and not parent.learns):
            return self._random_weights()
        copied = parent.weights.copy()
        if self.params.mutation:
            copied += np.array([self.rng.gauss(0, self.params.mutation) for _ in copied], dtype=np.float32)
        return copied

    # The turn

    def propose(self, room: Room, now: float) -> list[Visit]:
        visits: list[Visit] = []
        while room.free > 0:
            if self.step is None and not self._choose(now):
                break
            visits += self._give(room)
            if self.step is not None:  # something of it is out, or waits for its host
                break
        return visits

    def _choose(self, now: float) -> bool:
        """Begin a step, by whoever's turn it is; False if there is nothing to begin with now."""
        if now - self.since >= self.params.slice:
            self._change_guard(now)
        forager = self.fleet[self.active]
        self.step = self._select(forager, now)
        return self.step is not None

    def _select(self, forager: Forager, now: float) -> Step | None:
        """A10: the best page of the frontier, or a new path; None if there is no starting point."""
        if forager.can_go_on(self.params.steps) and not self.wished:
            url, value = forager.frontier.best(forager.weights)
            forager.counter += 1
            return Step(forager.name, Link(url), False, value)
        self._end_path(forager, now)
        if self._searches(forager):
            return Step(forager.name, Link(f"{SEARCH}{self._words()}"), True)
        start = self._start(forager)
        if start is None:
            return None
        forager.begin_path(now)
        self.note(now, "restart", agent=forager.name, url=start, path=forager.paths)
        return Step(forager.name, Link(start), True)

    def _start(self, forager: Forager) -> str | None:
        if self.wished:
            return self.wished.popleft()
        starts = forager.starts(self.params.starts)
        return self.rng.choice(starts) if starts else None

    def _end_path(self, forager: Forager, now: float) -> None:
        if not forager.path:
            return
        if forager.selects:
            before = forager.weblog
            begun = forager.walked - len(forager.path)
            whole = updated(before, forager.path, forager.profits, self.params.beta, begun)
            forager.weblog = dict(islice(whole.items(), self.params.weblog))
            self._tell_weblog(forager, before, now)
        forager.path, forager.profits = [], []

    def _tell_weblog(self, forager: Forager, before: Weblog, now: float) -> None:
        after = forager.weblog
        old = set(islice(before, self.params.starts))
        self.note(
            now,
            "weblog",
            agent=forager.name,
            entered=[url for url in after if url not in before],
            left=[url for url in before if url not in after],
            starts=[url for url in forager.starts(self.params.starts) if url not in old],
            size=len(after),
        )

    def _searches(self, forager: Forager) -> bool:
        every = self.params.search_every
        return bool(every) and forager.selects and not self.wished and forager.paths % every == 0

    def _words(self) -> str:
        return " ".join(self.topic.keywords) or self.topic.description

    def _give(self, room: Room) -> list[Visit]:
        step = self.step
        assert step is not None
        if step.number >= 0:
            if not len(step.links):  # a person excluded what was left
                self._carry_over(step)
                return []
            return step.links.give(room, lambda link: self._download(step, link), fresh=True)
        if step.reading is not None or not room.take(step.pick, step.fresh):
            return []
        visit = self.visit(step.pick, step.agent, step.fresh, {"value": step.value} if not step.fresh else {"start": 1})
        step.reading = visit.id
        return [visit]

    def _carry_over(self, step: Step) -> None:
        """The step ends without a landing: what it would send goes with the next."""
        self.unsent += step.sends
        self._settle(self.fleet[step.agent], step.number)
        self.step = None

    def _download(self, step: Step, link: Link) -> Visit:
        return self.visit(link, step.agent, fresh=True, source=step.pick.url, note={"step": step.number})

    # What comes back

    def observe(self, outcome: Outcome) -> Sequence[int] | None:
        step, visit = self.step, outcome.visit
        forager = self.fleet.get(visit.agent)
        if step is None or forager is None or step.agent != visit.agent:
            return None
        if visit.id == step.reading:
            self._read(forager, step, outcome)
        elif visit.id in step.links.out:
            self._look_at(forager, step, outcome)
            step.links.landed(visit.id)
        else:
            return None
        return self._complete(forager, step, outcome.at)

    def _read(self, forager: Forager, step: Step, outcome: Outcome) -> None:
        """A11: the page it steps on is here."""
        page, step.reading = outcome.page, None
        if step.pick.url.startswith(SEARCH):
            self._feed(forager, page)
            self.step = None
            return
        if page is None:
            self._missed(forager, step, outcome.result)
            self.step = None
            return
        forager.downloaded.update((step.pick.url, page.final_url))
        if step.fresh:
            self._consider(forager, step, outcome, page)
        state = self._leave_frontier(forager, step, page)
        forager.visited.update((step.pick.url, page.final_url))
        step.number = forager.walked
        forager.step_on(page.final_url, state)
        about = {"url": page.final_url, "value": float(forager.weights @ state)}
        self.note(outcome.at, "move", agent=forager.name, **about, step=forager.counter, path=forager.paths)
        step.links = Group(self._wanted(forager, page))

    def _leave_frontier(self, forager: Forager, step: Step, page: Page) -> Vector:
        """The state as it was when the page was downloaded, which is what it was chosen by."""
        if step.pick.url in forager.frontier:
            return forager.frontier.pop(step.pick.url)
        return self._state_of(page)

    def _state_of(self, page: Page) -> Vector:
        """The fleet shares what it knows of a content."""
        known = self._known.get(page.digest)
        if known is None:
            if len(self._known) >= STATES_KEPT:
                self._known.clear()
            known = self._known[page.digest] = self.states.of(page)
        return known

    def _missed(self, forager: Forager, step: Step, result: Page | Failure) -> None:
        """No page: the step counts and nothing is earned. A starting point that is not there is struck out."""
        if step.pick.url in forager.frontier:
            forager.frontier.pop(step.pick.url)
        if isinstance(result, Failure) and step.fresh and (result.lasting or not result.asked):
            forager.weblog = {url: entry for url, entry in forager.weblog.items() if url != step.pick.url}

    def _wanted(self, forager: Forager, page: Page) -> Iterable[Link]:
        links = {link.url: link for link in page.links}
        known = forager.downloaded if self.params.reads == "new" else {page.final_url}
        return [link for url, link in links.items() if url not in known]

    def _look_at(self, forager: Forager, step: Step, outcome: Outcome) -> None:
        """A page that was linked to: into the frontier, and perhaps to the reinforcing agent."""
        page = outcome.page
        forager.downloaded.add(outcome.visit.link.url)
        if page is None:
            return
        forager.downloaded.add(page.final_url)
        self._consider(forager, step, outcome, page)
        if page.final_url not in forager.visited and page.final_url not in forager.frontier:
            forager.frontier.add(page.final_url, self._state_of(page))

    def _consider(self, forager: Forager, step: Step, outcome: Outcome, page: Page) -> None:
        """A4: it is sent if it is fresh and this forager has not sent it before."""
        key = page.final_url if self._terms.key == "url" else f"{page.final_url}\n{page.digest}"
        dated = "fresh" in self._terms.pays and page.published is not None
        until = (page.published or 0.0) + self._terms.window if dated else math.inf
        if key in forager.marked or until < outcome.at:
            return
        forager.marked[key] = until
        step.sends.append(outcome.visit.id)

    def _complete(self, forager: Forager, step: Step, now: float) -> Sequence[int] | None:
        """Is everything of the step here? Then it sends, and the next step may be chosen."""
        if self.step is None or len(step.links):
            return None
        self.step = None
        sends, self.unsent = self.unsent + step.sends, []
        forager.due[step.number].left = len(sends)
        forager.pending.update(dict.fromkeys(sends, step.number))
        if not sends:
            self._settle(forager, step.number)
        return sends

    def reward(self, credit: Credit) -> None:
        """A6, the part of the score; late credits find their step, those for who is dead are lost."""
        forager = self.fleet.get(credit.agent)
        number = forager.pending.pop(credit.visit, None) if forager else None
        if forager is None or number is None:
            return
        forager.score -= self.params.score_sent
        if credit.reason == PAID:
            forager.score += self.params.score_paid
        due = forager.due[number]
        due.profit += credit.value
        due.left -= 1
        if due.path == forager.paths and forager.path:
            forager.profits[due.step] += credit.value
        if not due.left:
            self._settle(forager, number)

    def _settle(self, forager: Forager, number: int) -> None:
        """The last answer for a step is in."""
        due = forager.due.pop(number)
        if forager.learns and due.here is not None:
            known = self.params
            steady = known.mapping != "faithful"
            forager.weights = corrected(
                forager.weights, due.here, due.there, due.profit, known.alpha, known.gamma, steady
            )

    def _feed(self, forager: Forager, page: Page | None) -> None:
        """What a search found: the next path starts at the first, the others stand in the weblog as seeds do."""
        found = [link.url for link in page.links] if page else []
        new = [url for url in found if url not in forager.weblog][: self.params.starts]
        forager.weblog = ordered({**forager.weblog, **{url: Entry(0.0, -place) for place, url in enumerate(new)}})
        self.wished.extend(new[:1])
        forager.paths += not new  # nothing found: it does not ask again at once

    # People, and what is kept

    def seeds(self, links: Sequence[Link]) -> None:
        """A person's wish is the next path of whoever is at work."""
        self.wished.extend(link.url for link in links)

    def forget(self, rule: Rule) -> None:
        for forager in self.fleet.values():
            forager.forget(rule)
        self.wished = deque(url for url in self.wished if not rule.matches(url))
        step = self.step
        if step is None:
            return
        step.links.forget(rule)
        if step.reading is None and step.number < 0 and rule.matches(step.pick.url):
            self.step = None

    def wake(self, now: float) -> float | None:
        if self.step is not None:
            return math.inf
        steps = self.params.steps
        if not self.wished and not any(one.weblog or one.can_go_on(steps) for one in self.fleet.values()):
            return None
        over: float = self.since + self.params.slice
        return max(over, math.nextafter(now, math.inf))

    def learned(self) -> dict[str, Any]:
        fleet = [
            {"weights": forager.weights, "weblog": [[url, entry.value] for url, entry in forager.weblog.items()]}
            for forager in self.fleet.values()
        ]
        return {"fleet": fleet, "model": self.params.model, "mapping": self.params.mapping}

    def inherit(self, learned: Mapping[str, Any]) -> None:
        self._inherited = list(learned.get("fleet", ()))
        for heritage in self._inherited:
            if len(heritage["weights"]) != self.states.size:
                raise Problem(
                    f"The weights of the other run have {len(heritage['weights'])} classes, those of this model "
                    f"{self.states.size}: give --set model=... as there."
                )

    def keeps(self) -> int:
        weblogs = {id(forager.weblog): len(forager.weblog) for forager in self.fleet.values()}  # some are shared
        doing = len(self.step.links) if self.step else 0
        return sum(weblogs.values()) + doing + len(self.wished) + sum(map(len, self.fleet.values()))

    def report(self) -> dict[str, Any]:
        scores = {name: round(forager.score, 2) for name, forager in self.fleet.items()}
        at_work = self.fleet.get(self.active)
        best = list(at_work.weblog.items())[:3] if at_work else []
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
        return {"foragers": told} if told else {}
