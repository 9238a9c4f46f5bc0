"""What the agents share: addresses, the documents base, the threshold; and what is stored, and shown to people.

The paper weighs pages by tf-idf, with the idf of the topic's words taken from a search engine's hit counts before the
crawl. Here the idf comes from an earlier run (`--learned-from`), which counted on how many of its pages each term of
the topic was. Without an earlier run all terms weigh the same: an idf estimated from a few seeds would make the topic,
which they all have in common, worth nothing.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from wolfspider.core.errors import Problem
from wolfspider.core.model import Link, Page, Verdict
from wolfspider.core.params import param
from wolfspider.core.text import block_words, counts, window, words
from wolfspider.core.topic import Topic
from wolfspider.learn.balance import Relevances, energy
from wolfspider.learn.documents import EVEN, LEVELS, MOST_LINKS, DocumentsBase
from wolfspider.learn.examples import damped
from wolfspider.policy.link_shelf import Interned
from wolfspider.policy.strategy import Strategy
from wolfspider.policy.topic_words import Similarity, WeightedTerms, topic_weights
from wolfspider.policy.turns import Turns
from wolfspider.strategies.energy.herd import NOWHERE, Herd

MOST_AGENTS = 100_000  # in any model; no agent is born beyond that
MOST_TAUGHT = 2_000  # agents that learn; others follow the links' contexts alone


@dataclass
class EnergyParams:
    model: str = param(
        "buffer",
        "What a page gives: rho r - C (original), a sigmoid around a threshold that moves (sigmoid), or that with "
        "energy left on pages and bounds on the population (buffer).",
        choices=("original", "sigmoid", "buffer"),
        live=False,
    )
    threshold: str = param(
        "estimate",
        "How the threshold R is found: at a rank of the relevances seen, as in the paper, or by exact balance.",
        choices=("estimate", "exact"),
    )
    relevance: str = param(
        "tfidf",
        "Relevance of a page: its tf-idf similarity to the topic, as in the paper, or the judge's score.",
        choices=("tfidf", "judge"),
        live=False,
    )
    cost: float = param(0.5, "C: what a page far below the threshold takes.", low=0.001, high=1000)
    gain: float = param(
        10.0,
        "G: what a page far above the threshold gives; in the original model rho, for a relevance of 1.",
        low=0.001,
        high=1000,
    )
    agents: int = param(
        20,
        "Agents at the start, each with an energy of 1; raised later, so many more start.",
        low=1,
        high=20_000,
        letter=200,
    )
    most: int = param(
        50, "UB: with more agents than these, pages keep their energy (buffer).", low=1, high=MOST_AGENTS, letter=250
    )
    least: int = param(
        10,
        "LB: with no more agents than these nobody dies (buffer); never more than UB.",
        low=0,
        high=MOST_AGENTS,
        letter=50,
    )
    remnants: float = param(
        0.1, "How often an agent goes to a page with energy left, instead of following a link (buffer).", low=0, high=1
    )
    beta: float = param(5.0, "How much a link's context counts: chances are exp(beta similarity).", low=0, high=100)
    learning: float = param(
        0.0,
        "How far the energy that a page gives moves an agent's weight of each word of the anchor that led there; 0: "
        "agents learn nothing.",
        low=0,
        high=10,
    )
    revisit: float = param(
        1.0,
        "What a page without energy left takes, in units of C; 0, as printed, lets agents live there for ever.",
        low=0,
        high=10,
    )


LONGEST = 200  # words of a block; a longer one is the page rather than the surroundings of the link
SHORTEST = 10  # words of a block; a shorter one says too little


class Relevance:
    """The cosine of the topic's terms and the page, tf = 1 + ln f; the idf of all other words is 1."""

    def __init__(self, topic: Topic, background: Mapping[str, Any]) -> None:
        self._terms = WeightedTerms(topic_weights(topic))
        self.names = self._terms.names
        pages, on = background.get("pages", 0), background.get("on", {})
        self.idf = [math.log((1 + pages) / (1 + on.get(name, 0))) + 1 for name in self.names] if pages else None
        self._idf = self.idf or [1.0] * len(self.names)
        self._weights = [weight * idf for weight, idf in zip(self._terms.weights, self._idf, strict=True)]
        self._norm = math.sqrt(sum(weight * weight for weight in self._weights))

    def found(self, page: Page) -> list[int]:
        """How often each term is on the page."""
        return self._terms.count_on(page)

    def of(self, page: Page, found: list[int]) -> float:
        common = extra = 0.0
        for weight, idf, count in zip(self._weights, self._idf, found, strict=True):
            if count:
                frequency = 1 + math.log(count)
                common += weight * idf * frequency
                extra += (idf * idf - 1) * frequency * frequency
        if not common:
            return 0.0
        size = sum(weight * weight for weight in damped(counts(page)).values()) + extra
        return min(1.0, common / (self._norm * math.sqrt(max(size, 1e-12))))


def surroundings(page: Page, link: Link) -> tuple[str, ...]:
    """A link's context after Pant: its anchor, and the smallest element around it with ten words or more; if that is
    too large, twenty words on each side."""
    first, last = link.block
    if SHORTEST <= last - first <= LONGEST:
        return (*words(link.anchor), *block_words(page, link))
    return window(page, link)


def nearness(page: Page, links: list[Link], similarity: Similarity, anything: bool) -> list[float]:
    """How near the context of each link is to the topic. On a page without any word of the topic only the anchors are
    compared, which may be the texts of pictures; the surroundings of its links have no word of the topic either."""
    if anything:
        return [similarity.of_words(surroundings(page, link)) for link in links]
    return [similarity.of_text(link.anchor) for link in links]


GAUGE = 25  # downloads between two notes of all energies
TOLD = 10  # pages named by `explain`


class Knowing(Strategy):
    """Everything about energy-regulated agents except their actions."""

    Params = EnergyParams
    awaits = True

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.addresses = Interned(self.shelf)
        self.base = DocumentsBase()
        self.relevances = Relevances()
        self.limit = [0.0, 0.0]  # R and lambda as they are now
        self.background: dict[str, Any] = {}  # pages of an earlier run, and on how many of them each term was
        self.met: dict[str, int] = {}  # on how many pages of this run each term was
        self.herd = Herd()
        self.lessons: dict[str, dict[str, float]] = {}  # of agents that learn: the weights of words
        self.turns = Turns()
        self.later: list[str] = []  # agents that wait for the next round
        self.resting: list[str] = []  # agents that have nowhere to go until something new comes
        self.expected: dict[int, list[str]] = {}  # addresses in flight: the agents that wait for them, visitor first
        self.roots: dict[int, None] = {}  # addresses of starting points
        self.starts: deque[int] = deque()  # starting points where no agent has been
        self.joining = 0  # agents to come
        self.downloads = self.teleports = self.moves = 0
        self.told = 0  # downloads when energies were last noted
        self._take_over()
        self.seeds(seeds)
        self._settle(now)
        self._gauge(now)

    def restore(self, state: Mapping[str, Any]) -> None:
        super().restore(state)
        self.lessons = state.get("lessons", {})  # in earlier versions no agent learned

    def seeds(self, links: Sequence[Link]) -> None:
        """Starting points: the agent with the next turn goes there. If no agent is alive, a new population starts."""
        for link in links:
            number = self.addresses.number(link)
            self.roots[number] = None
            self.starts.append(number)
        self.base.grow(len(self.addresses))
        if not len(self.herd):
            self.joining = self.params.agents
        self._rouse()

    def _settle(self, now: float) -> None:
        """Let the agents join that are to come; they are on no page yet."""
        for _ in range(min(self.joining, MOST_AGENTS - len(self.herd))):
            self._join(now)
        self.joining = 0

    def _join(self, now: float, at: int = NOWHERE, energy: float = 1.0, parent: str = "") -> None:
        name = self.herd.join(at, energy)
        if parent in self.lessons and len(self.lessons) < MOST_TAUGHT:
            self.lessons[name] = dict(self.lessons[parent])
        self.later.append(name)
        self.note(now, "birth", agent=name, parent=parent, energy=energy, population=len(self.herd))

    def _rouse(self) -> None:
        self.later += self.resting
        self.resting.clear()

    # Documents

    def _document(self, page: Page, address: int, verdict: Verdict | None) -> int:
        """The number of the document at this address, which may be known by another address already."""
        final = self.addresses.number(Link(page.final_url))
        self.base.grow(len(self.addresses))
        known = self.base.known(final)
        document = known if known >= 0 else self._learn(page, final, verdict)
        self.base.status[address] = document
        if address in self.roots:
            self.base.open[document] = 1.0
        return document

    def _learn(self, page: Page, address: int, verdict: Verdict | None) -> int:
        found = self._relevance.found(page)
        for name, count in zip(self._relevance.names, found, strict=True):
            self.met[name] = self.met.get(name, 0) + (count > 0)
        if self.params.relevance == "judge":
            relevance = verdict.score if verdict is not None else 0.0
        else:
            relevance = self._relevance.of(page, found)
        links = _distinct(page)
        numbers = [self.addresses.number(link, page.final_url) for link in links]
        self.base.grow(len(self.addresses))
        document = self.base.put(address, relevance, numbers, nearness(page, links, self._similarity, any(found)))
        self.relevances.add(relevance)
        worth = self._energy(relevance)
        self.base.charge(document, worth)
        self.base.open[document] = max(EVEN, min(1.0, worth / self.params.gain))
        self._rouse()
        return document

    @cached_property
    def _relevance(self) -> Relevance:
        return Relevance(self.topic, self.background)

    def _energy(self, relevance: float) -> float:
        """The energy of a new document. The threshold is that of all documents, including the new one."""
        params = self.params
        seek = self.relevances.exact if params.threshold == "exact" else self.relevances.estimate
        limit = seek(params.cost, params.gain)
        self.limit = list(limit)
        if params.model == "original":
            return float(params.gain * relevance - params.cost)
        return energy(relevance, limit, params.cost, params.gain)

    # People

    def judged(self, page: Page, verdict: Verdict) -> None:
        """A label up puts energy on a page for the next agent; a label down removes it."""
        number = self.addresses.find(page.final_url)
        document = -1 if number is None else self.base.known(number)
        if document >= 0:
            self.base.charge(document, float(self.params.gain) if verdict.relevant else 0.0)

    def bring_back(self) -> None:
        back = self.base.bring_back()
        self.starts.extendleft(reversed([address for address in back if address in self.roots]))
        if back:
            self._rouse()

    def excluded(self) -> int:
        return len(self.base.aside)

    def retopic(self, topic: Topic) -> None:
        super().retopic(topic)
        vars(self).pop("_relevance", None)
        self.base.unlearn()
        self.relevances, self.met, self.background = Relevances(), {}, {}

    # What is kept

    def learned(self) -> dict[str, Any]:
        urls = [self._url(number) for number in range(len(self.addresses))]
        before = self.background.get("on", {})  # on how many documents of earlier runs each term was
        on = {name: before.get(name, 0) + self.met.get(name, 0) for name in {**before, **self.met}}
        return {
            "about": self._about(),
            "urls": urls,
            "base": self.base,
            "relevances": self.relevances,
            "background": {"pages": len(self.relevances), "on": on},
        }

    def _about(self) -> dict[str, Any]:
        """The settings that energies and relevances depend on."""
        return {"terms": list(Relevance(self.topic, {}).names), "relevance": self.params.relevance}

    def inherit(self, learned: Mapping[str, Any]) -> None:
        theirs = learned.get("about", self._about())
        if theirs != self._about():
            raise Problem(
                f"The documents of the other run were weighed by {theirs['relevance']} for "
                f"{', '.join(theirs['terms'])}: give --set relevance={theirs['relevance']} and the same topic, or "
                "leave out --learned-from."
            )
        self._inherited = learned

    def _take_over(self) -> None:
        """Take over the documents base of an earlier run. Its addresses are added in order, so they keep their
        numbers."""
        learned = vars(self).pop("_inherited", None)
        if not learned:
            return
        for url in learned["urls"]:
            self.addresses.number(Link(url))
        self.base, self.relevances = learned["base"], learned["relevances"]
        self.base.revive()
        self.background = dict(learned["background"])

    def keeps(self) -> int:
        """Documents and their links. There are never more than `MOST_AGENTS` agents, however long the crawl."""
        return len(self.base) + len(self.base.links)

    # What is told

    def _gauge(self, now: float, every: int = 0) -> None:
        """Note all energies if there were so many downloads since the last note."""
        if self.downloads < self.told + every:
            return
        self.told = self.downloads
        self.note(now, "energy", downloads=self.downloads, **self._figures())

    def _figures(self) -> dict[str, Any]:
        threshold, slope = self.limit
        return {
            "population": len(self.herd),
            "in_agents": self.herd.energy,
            "on_pages": self.base.remnants.total,
            "threshold": threshold,
            "slope": slope,
            "births": self.herd.born,
            "deaths": self.herd.died,
            "teleports": self.teleports,
            "moves": self.moves,
        }

    def report(self) -> dict[str, Any]:
        return {"documents": len(self.base), **self._figures()}

    def explain(self, url: str) -> dict[str, Any]:
        number = self.addresses.find(url)
        if number is None:
            return {}
        shown = {}
        for place in islice((place for place, link in enumerate(self.base.links) if link == number), TOLD):
            shown[self._url(self.base.addresses[self.base.showing(place)])] = self.base.near[place] / LEVELS
        document = self.base.known(number)
        if document < 0:
            return {"similarity": shown}
        about = {"relevance": self.base.relevances[document], "energy": self.base.energies[document]}
        return {**about, "similarity": shown}

    def _url(self, address: int) -> str:
        return self.addresses.record(address).link.url


def _distinct(page: Page) -> list[Link]:
    """The links of a page: each address once, as it is shown first, without the page itself."""
    links: dict[str, Link] = {}
    for link in page.links:
        links.setdefault(link.url, link)
    links.pop(page.final_url, None)
    return list(islice(links.values(), MOST_LINKS))
