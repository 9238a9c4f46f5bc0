"""LAFC (Akbari Torkestani 2012, An adaptive focused Web crawling algorithm based on learning automata).

Every page that was worth expanding has a learning automaton, whose actions are the links of the page. A walker on a
page lets its automaton choose a link, and downloads it. If the new page is at least as near to the topic as the best
one that this automaton has found so far, the choice is rewarded and that nearness is the automaton's new threshold. A
page nearer than the control threshold is put on a stack and the walker continues from there; from any other page it
goes back to the top of the stack. Where no expanded page has a link left, the paper's walker is at its end; by default
it expands the nearest of the other pages instead, for on real webs few pages are near enough.

Within one crawl every page is visited once, and the remaining chances of a rewarded automaton are uniform again: the
first crawl of a topic learns nothing that it could use itself. It leaves its automata to the next crawl (`learned`),
which starts with all links enabled and the chances as they were.
"""

from __future__ import annotations

import random
from bisect import insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from wolfspider.core.codec import StoredFields, helper
from wolfspider.core.model import Link, Outcome, Page, Verdict, Visit
from wolfspider.core.params import param
from wolfspider.core.topic import Topic
from wolfspider.learn.automaton import Network, Scheme
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.strategy import Walking, register
from wolfspider.policy.topic_words import KeywordSimilarity

SAMPLE = 2_000  # similarities from which the border of `full` is computed
FIRST = 20  # pages that are expanded in any case before there is such a border


@dataclass
class LafcParams:
    rate: float = param(0.09, "Learning rate a: how far a reward moves the chances.", low=0, high=1)
    penalty: float = param(0.0, "Penalty rate b: 0 is L_R-I, as in the paper; b = a is L_R-P.", low=0, high=1)
    signal: str = param(
        "P",
        "What a reward is: all or nothing (P), in five levels (Q), or the similarity itself (S).",
        choices=("P", "Q", "S"),
    )
    control: float = param(0.5, "Similarity from which on a page is expanded.", low=0, high=1, letter=0.8)
    similarity: str = param(
        "judge",
        "The judge's score (judge), over the topic's keywords alone (restricted, the paper's), or over all words with "
        "the border at the 90th percentile of what was seen (full).",
        choices=("restricted", "full", "judge"),
        live=False,
        letter="restricted",
    )
    fallback: str = param(
        "nearest",
        "Where no expanded page has a link left: expand the nearest of the others (nearest), or end (none, the "
        "paper's).",
        choices=("nearest", "none"),
        letter="none",
    )
    stack: str = param(
        "peek",
        "Going back, a page stays on the stack until its links are used up (peek), or leaves it at once (literal).",
        choices=("peek", "literal"),
    )
    walkers: int = param(1, "Walkers over the same automata; the paper has one.", low=1, high=1000, live=False)
    decay: float = param(0.99, "What a kept threshold is multiplied by at the start of another crawl.", low=0, high=1)


LEVELS = {"P": 2, "Q": 5, "S": 0}


@helper
class Walker(StoredFields):
    """A walker: the page where it is, the stack of pages it came by, and the link it is trying."""

    def __init__(self) -> None:
        self.at: int | None = None
        self.stack: list[int] = []
        self.tries: tuple[int | None, int] | None = None  # the page whose automaton chose, and the link


@register
class Lafc(Walking):
    name = "lafc"
    use = (
        "For manuals and other sites whose relevant pages link to each other, and for crawling one topic again and "
        "again (--learned-from). Not for webs where relevant pages lie alone."
    )
    paper = "Akbari Torkestani 2012, An adaptive focused Web crawling algorithm based on learning automata"
    Params = LafcParams
    variants = (
        {},
        {"similarity": "judge", "control": 0.5, "walkers": 3, "signal": "S", "penalty": 0.05},
        {"similarity": "full", "stack": "literal", "signal": "Q"},
        {"letter": True},
    )

    def __init__(self, topic: Topic, params: Any, rng: random.Random, shelf: Shelf) -> None:
        super().__init__(topic, params, rng, shelf)
        self.aside: dict[int, bool] = {}  # addresses that were chosen and are out of scope; True for starting points
        self.shut: list[int] = []  # pages on which only such links are left
        self.spare: list[tuple[float, int]] = []  # pages that were not near enough: a heap, the nearest first

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        super().begin(seeds, now)
        self.network = Network()
        self.visited: set[int] = set()  # addresses that are disabled in this crawl
        self.rich: list[tuple[float, int]] = []  # expanded pages, a heap by threshold; outdated entries are passed over
        self.near: list[float] = []  # similarities so far, in order
        self.walkers = {f"walker-{number}": Walker() for number in range(self.params.walkers)}
        self.resting.extend(self.walkers)
        self._take_over()
        self.seeds(seeds)

    # Choosing

    def _choose(self, name: str) -> Link | None:
        walker = self.walkers[name]
        walker.tries = self._tried(walker)
        if walker.tries is None:
            return None
        self.visited.add(walker.tries[1])
        return self.addresses.record(walker.tries[1]).link

    def _visit(self, link: Link, name: str) -> Visit:
        page, action = self.walkers[name].tries or (None, 0)
        if page is None:
            return self.visit(link, name, note={"seed": True})
        note = {"chance": self.network[page].chance(action), "threshold": self.network.threshold(page)}
        return self.visit(link, name, source=self.addresses.record(page).link.url, note=note)

    def _set_aside(self, name: str) -> None:
        """A link that is out of scope is not used up."""
        tries = self.walkers[name].tries
        assert tries is not None
        origin, action = tries
        self.visited.discard(action)
        self.aside[action] = origin is None

    def _tried(self, walker: Walker) -> tuple[int | None, int] | None:
        """The page whose automaton chooses, and its choice; a starting point has no page."""
        while True:
            while walker.at is not None:
                action = self.network[walker.at].choose(self.rng, self._enabled)
                if action is not None:
                    return walker.at, action
                self._back(walker)
            while self.starts:
                start = self.starts.popleft()
                if start not in self.visited:
                    return None, start
            walker.at = self._richest()
            if walker.at is None and self.spare and self.params.fallback == "nearest":
                self._expand(walker, heappop(self.spare)[1])
            if walker.at is None:
                return None

    def _enabled(self, action: int) -> bool:
        return action not in self.visited and action not in self.aside

    def _back(self, walker: Walker) -> None:
        """To the top of the stack."""
        if self.params.stack == "literal":
            walker.at = walker.stack.pop() if walker.stack else None
            return
        while walker.stack and not self._unfinished(walker.stack[-1]):
            walker.stack.pop()
        walker.at = walker.stack[-1] if walker.stack else None

    def _unfinished(self, page: int) -> bool:
        return any(map(self._enabled, self.network[page].actions))

    def _richest(self) -> int | None:
        """The page to continue from with an empty stack: of those with a link left, the one with the highest
        threshold."""
        while self.rich:
            mark, page = self.rich[0]
            if -mark == self.network.threshold(page):
                if self._unfinished(page):
                    return page
                if not self.aside.keys().isdisjoint(self.network[page].actions):
                    self.shut.append(page)
            heappop(self.rich)
        return None

    # Learning

    def observe(self, outcome: Outcome) -> None:
        walker = self.walkers[outcome.visit.agent]
        assert walker.tries is not None
        (origin, action), walker.tries = walker.tries, None
        self.turns.add(outcome.visit.agent)
        page = outcome.page
        number = self.addresses.number(Link(page.final_url)) if page is not None else action
        if page is None or (number != action and number in self.visited):  # nothing new: the link is used up
            self._back(walker)
            return
        self.visited.add(number)
        near = self._near(page, outcome.verdict)
        self._respond(origin, action, near)
        control = self.params.control
        if self.params.similarity == "full":
            control = self.near[len(self.near) * 9 // 10] if len(self.near) >= FIRST else 0.0
        if origin is None or near >= control:
            self._show(number, page)
            self._expand(walker, number)
        else:
            if self.params.fallback == "nearest":
                self._show(number, page)
                heappush(self.spare, (-near, number))
            self._back(walker)
        insort(self.near, near)
        if len(self.near) > SAMPLE:
            del self.near[::2]

    def _show(self, number: int, page: Page) -> None:
        """The page has an automaton now, and walkers that had nowhere to go may go there."""
        self.network.shown(number, (self.addresses.number(link, page.final_url) for link in page.links))
        self._rouse()

    def _expand(self, walker: Walker, number: int) -> None:
        """The walker continues from this page."""
        heappush(self.rich, (-self.network.threshold(number), number))
        walker.stack.append(number)
        walker.at = number

    def _respond(self, origin: int | None, action: int, near: float) -> None:
        """Reward the choice if the page is at least as near as the best so far, which raises the threshold; nearness 0
        is never rewarded."""
        if origin is None:
            return
        network, known = self.network, self.params
        good = near > 0 and near >= network.threshold(origin)
        if good and near != network.threshold(origin):
            network.thresholds[origin] = near
            heappush(self.rich, (-near, origin))
        signal = near if known.signal != "P" else float(good)
        scheme = Scheme(known.rate, known.penalty, LEVELS[known.signal])
        network[origin].respond(action, signal if good else 0.0, scheme, self._enabled)

    def _near(self, page: Page, verdict: Verdict | None) -> float:
        if self.params.similarity == "judge":
            return verdict.score if verdict is not None else 0.0
        if self.params.similarity == "full":
            return self._similarity.of_words(page.words)
        return KeywordSimilarity(self.topic).of_page(page)

    # What is kept

    def learned(self) -> dict[str, Any]:
        numbers = {*self.network.automata, *(n for one in self.network.automata.values() for n in one.actions)}
        urls = {number: self.addresses.record(number).link.url for number in sorted(numbers)}
        return {"topic": list(self.topic.keywords), "urls": urls, "network": self.network}

    def inherit(self, learned: Mapping[str, Any]) -> None:
        """Only from a crawl with the same topic; the rewards of another one would mislead."""
        if self._is_for_topic(learned):
            self._inherited = learned

    def _take_over(self) -> None:
        """Automata of an earlier crawl, under the numbers of this one."""
        learned = vars(self).pop("_inherited", None)
        if not learned:
            return
        number = {old: self.addresses.number(Link(url)) for old, url in learned["urls"].items()}
        for page, automaton in learned["network"].automata.items():
            self.network.automata[number[page]] = automaton.renamed(number)
        for page, mark in learned["network"].thresholds.items():
            self.network.thresholds[number[page]] = mark * self.params.decay

    def bring_back(self) -> None:
        """Links can be chosen again, and walkers that had nowhere to go try again."""
        if not self.aside:
            return
        self.starts.extendleft(reversed([action for action, start in self.aside.items() if start]))
        for page in self.shut:
            heappush(self.rich, (-self.network.threshold(page), page))
        self.aside, self.shut = {}, []
        self._rouse()

    def excluded(self) -> int:
        return len(self.aside)

    def retopic(self, topic: Topic) -> None:
        super().retopic(topic)
        self.network.forget()
        self.rich = [(0.0, page) for _, page in self.rich]
        self.spare = sorted((0.0, page) for _, page in self.spare)
        self.near.clear()

    def keeps(self) -> int:
        """Actions are numbers of addresses, so the larger of the two counts."""
        actions = sum(map(len, self.network.automata.values()))
        return max(actions, len(self.addresses))

    def report(self) -> dict[str, Any]:
        best = sorted(self.network.thresholds.values(), reverse=True)[:3]
        deepest = max((len(walker.stack) for walker in self.walkers.values()), default=0)
        return {"automata": len(self.network), "stack": deepest, "best thresholds": best}

    def explain(self, url: str) -> dict[str, Any]:
        number = self.addresses.find(url)
        if number is None:
            return {}
        told = {}
        for page, automaton in self.network.automata.items():
            if number in automaton.actions:
                about = {"chance": automaton.chance(number), "threshold": self.network.threshold(page)}
                told[self.addresses.record(page).link.url] = about
        return {"automata": told, "visited": number in self.visited} if told else {}
