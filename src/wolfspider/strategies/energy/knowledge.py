"""What the agents know together: addresses, the documents base, the threshold; what is kept, and told to people."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

from wolfspider.core.errors import Problem
from wolfspider.core.model import Link, Page, Verdict
from wolfspider.core.topic import Topic
from wolfspider.learn.balance import Relevances, energy
from wolfspider.learn.documents import EVEN, LEVELS, MOST_LINKS, DocumentsBase
from wolfspider.policy.addresses import Interned
from wolfspider.policy.strategy import Strategy
from wolfspider.policy.turns import Turns
from wolfspider.strategies.energy.herd import NOWHERE, Herd
from wolfspider.strategies.energy.params import MOST_AGENTS, EnergyParams
from wolfspider.strategies.energy.relevance import Relevance, nearness

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
        relevance = self._relevance_of(page, found, verdict)
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

    def _relevance_of(self, page: Page, found: list[int], verdict: Verdict | None) -> float:
        if self.params.relevance == "judge":
            return verdict.score if verdict is not None else 0.0
        return self._relevance.of(page, found)

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
        return {
            "about": self._about(),
            "urls": urls,
            "base": self.base,
            "relevances": self.relevances,
            "background": {"pages": len(self.relevances), "on": self._on()},
        }

    def _on(self) -> dict[str, int]:
        """On how many documents each term is, those of earlier runs included."""
        before = self.background.get("on", {})
        return {name: before.get(name, 0) + self.met.get(name, 0) for name in {**before, **self.met}}

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
