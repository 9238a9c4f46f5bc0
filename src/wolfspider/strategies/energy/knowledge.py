"""What the agents share: addresses, the documents base, the threshold; and what is stored, and shown to people.

The paper weighs pages by tf-idf, with the idf of the topic's words taken from a search engine's hit counts before the
crawl. No such service is asked here. What is set before the start is what an earlier run counted (`--learned-from`): on
how many of its pages each term of the topic was. Without one, all terms weigh the same: an idf guessed from a few seeds
would say that what they all have, the topic, is worth nothing.
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
from wolfspider.policy.addresses import Interned
from wolfspider.policy.strategy import Strategy
from wolfspider.policy.topic_words import Similarity, Terms, topic_weights
from wolfspider.policy.turns import Turns
from wolfspider.strategies.energy.herd import NOWHERE, Herd

MOST_AGENTS = 100_000  # whatever the model; nobody is born beyond


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
        200, "Agents at the start, each with an energy of 1; raised later, so many more start.", low=1, high=20_000
    )
    most: int = param(
        250, "UB: with more agents than these, pages keep their energy (buffer).", low=1, high=MOST_AGENTS
    )
    least: int = param(
        50, "LB: with no more agents than these nobody dies (buffer); never more than UB.", low=0, high=MOST_AGENTS
    )
    remnants: float = param(
        0.1, "How often an agent goes to a page with energy left, instead of following a link (buffer).", low=0, high=1
    )
    beta: float = param(5.0, "How much a link's context counts: chances are exp(beta similarity).", low=0, high=100)
    revisit: float = param(
        1.0,
        "What a page without energy left takes, in units of C; 0, as printed, lets agents live there for ever.",
        low=0,
        high=10,
    )


LONGEST = 200  # words of a block; one that is longer is the page rather than the link's surroundings
SHORTEST = 10  # and one that is shorter says too little


class Relevance:
    """cos of the topic's terms and the page, tf = 1 + ln f; the idf of words that are not the topic's is 1."""

    def __init__(self, topic: Topic, background: Mapping[str, Any]) -> None:
        self._terms = Terms(topic_weights(topic))
        self.names = self._terms.names
        pages, on = background.get("pages", 0), background.get("on", {})
        self.idf = [math.log((1 + pages) / (1 + on.get(name, 0))) + 1 for name in self.names] if pages else None
        self._idf = self.idf or [1.0] * len(self.names)
        self._weights = [weight * idf for weight, idf in zip(self._terms.weights, self._idf, strict=True)]
        self._norm = math.sqrt(sum(weight * weight for weight in self._weights))

    def found(self, page: Page) -> list[int]:
        """How often each term is on the page."""
        return self._terms.count(counts(page))

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
    """A link's context after Pant: its anchor, and the smallest element around it with ten words or more; where there
    is none of a fair size, twenty words to each side."""
    first, last = link.block
    if SHORTEST <= last - first <= LONGEST:
        return (*words(link.anchor), *block_words(page, link))
    return window(page, link)


def nearness(page: Page, links: list[Link], similarity: Similarity, anything: bool) -> list[float]:
    """How near the context of each link is to the topic. A page without a word of the topic has none in its links'
    surroundings either, and only their anchors are looked at: an anchor may be the text of a picture."""
    if anything:
        return [similarity.of_words(surroundings(page, link)) for link in links]
    return [similarity.of_text(link.anchor) for link in links]


GAUGE = 25  # downloads between two notes of all energies
TOLD = 10  # pages that `explain` names


class Knowing(Strategy):
    """Everything about energy-regulated agents but what they do."""

    Params = EnergyParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.addresses = Interned(self.shelf)
        self.base = DocumentsBase()
        self.relevances = Relevances()
        self.limit = [0.0, 0.0]  # R and lambda as they are now
        self.background: dict[str, Any] = {}  # pages of an earlier run, and on how many of them each term was
        self.met: dict[str, int] = {}  # the same of this one
        self.herd = Herd()
        self.turns = Turns()
        self.later: list[str] = []  # who waits for the next round
        self.resting: list[str] = []  # who has nowhere to go until something new comes
        self.expected: dict[int, list[str]] = {}  # addresses that are out, and who waits for them, the visitor first
        self.roots: dict[int, None] = {}  # addresses of starting points
        self.starts: deque[int] = deque()  # starting points where nobody has been
        self.joining = 0  # agents to come
        self.downloads = self.teleports = self.moves = 0
        self.told = 0  # downloads when energies were last noted
        self._take_over()
        self.seeds(seeds)
        self._settle(now)
        self._gauge(now)

    def seeds(self, links: Sequence[Link]) -> None:
        """Starting points: whoever has the next turn goes there. Where nobody lives it all begins again."""
        for link in links:
            number = self.addresses.number(link)
            self.roots[number] = None
            self.starts.append(number)
        self.base.grow(len(self.addresses))
        if not len(self.herd):
            self.joining = self.params.agents
        self._rouse()

    def _settle(self, now: float) -> None:
        """Those who are to come are here, and stand nowhere yet."""
        for _ in range(min(self.joining, MOST_AGENTS - len(self.herd))):
            self._join(now)
        self.joining = 0

    def _join(self, now: float, at: int = NOWHERE, energy: float = 1.0, parent: str = "") -> None:
        name = self.herd.join(at, energy)
        self.later.append(name)
        self.note(now, "birth", agent=name, parent=parent, energy=energy, population=len(self.herd))

    def _rouse(self) -> None:
        self.later += self.resting
        self.resting.clear()

    # Documents

    def _document(self, page: Page, address: int, verdict: Verdict | None) -> int:
        """The number of a document, which may be known by another address."""
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
        """What a new document has. The threshold is that of all documents, the new one among them."""
        known = self.params
        seek = self.relevances.exact if known.threshold == "exact" else self.relevances.estimate
        limit = seek(known.cost, known.gain)
        self.limit = list(limit)
        if known.model == "original":
            return float(known.gain * relevance - known.cost)
        return energy(relevance, limit, known.cost, known.gain)

    # People

    def judged(self, page: Page, verdict: Verdict) -> None:
        """A thumb up puts energy on a page, for who comes by; a thumb down takes it."""
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
        """What energies and relevances depend on."""
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
        """The documents base of an earlier run. Its addresses come in their order and so have their numbers again."""
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
        """All energies, if there were so many downloads since the last time."""
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
    """Each address once, as it is shown first, and not the page itself."""
    links: dict[str, Link] = {}
    for link in page.links:
        links.setdefault(link.url, link)
    links.pop(page.final_url, None)
    return list(islice(links.values(), MOST_LINKS))
