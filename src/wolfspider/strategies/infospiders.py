"""InfoSpiders (Menczer and Belew 2000, Adaptive retrieval agents: internalizing local context and scaling up to the
Web).

Each agent has a few keywords and a small neural net, which estimates from the positions of these words around a link
how good it is to follow that link. The agent follows a link, gains energy by how near the page is to the topic, and
trains its net with the result. An agent with much energy has a child, with a slightly different net and one keyword
replaced by a word of the page where it is born; an agent without energy dies. Selection is local: agents are not
compared with each other.
"""

from __future__ import annotations

import random
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from wolfspider.core.codec import StoredFields, helper
from wolfspider.core.model import Link, Outcome, Page, Visit
from wolfspider.core.params import param
from wolfspider.core.text import window
from wolfspider.core.topic import Topic
from wolfspider.learn.documents import DEAD, EVEN, DocumentsBase
from wolfspider.learn.perceptron import Floats, Perceptron
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.strategy import Walking, register
from wolfspider.policy.topic_words import SHORTEST, topic_weights

KEYWORDS = 20  # of an agent, at most
LINKS = 200  # of a page that an agent looks at
BEST = 3  # links around which a child looks for a new keyword
PATIENCE = 20  # known pages in a row, after which an agent moves to a link that no agent has followed


@dataclass
class InfoSpidersParams:
    agents: int = param(20, "Agents at the start.", low=1, high=100, live=False)
    most: int = param(100, "Nobody has a child while there are so many.", low=1, high=1000)
    least: int = param(8, "Nobody dies while there are no more than these.", low=0, high=1000)
    theta: float = param(2.0, "Energy at which an agent has a child; half of it is what agents start with.", low=0.01)
    cost: float = param(0.05, "Energy that a page takes that has to be downloaded.", low=0, high=10)
    known: float = param(0.01, "Energy that a page takes that was brought before.", low=0, high=10)
    beta: float = param(5.0, "How much the score of a link counts: chances are exp(beta score).", low=0, high=100)
    trust: float = param(0.5, "The net's share in the score of a link; the rest is its page's.", low=0, high=1)
    rate: float = param(0.1, "Learning rate of the nets.", low=0, high=1)
    foresight: float = param(
        0.5, "How much the best link of a page counts in what its own link is worth.", low=0, high=1
    )
    hidden: int = param(5, "Hidden units of a net.", low=1, high=50, live=False)
    noise: float = param(0.1, "Standard deviation of what a child's weights differ by.", low=0, high=10)
    reach: int = param(25, "Words from a link within which a keyword counts.", low=1, high=1000)


@helper
class Spider(StoredFields):
    """An agent, and the page where it is: the addresses of its links, and what the agent sees around each."""

    def __init__(self, keywords: list[str], net: Perceptron, energy: float) -> None:
        self.keywords, self.net, self.energy = keywords, net, energy
        self.links = array("I")
        self.sight: Floats = np.zeros((0, len(keywords)))
        self.near = 0.0  # of the page
        self.page = ""
        self.tries = -1  # the address it is after
        self.place = -1  # the index of that link on its page; -1 if the page does not show it
        self.idle = 0  # known pages in a row

    def stand(self, page: Page, links: Sequence[Link], numbers: Sequence[int], near: float, reach: int) -> None:
        self.links, self.near, self.page = array("I", numbers), near, page.final_url
        self.sight = seen(page.words, links, self.keywords, reach)


def keywords_of(topic: Topic) -> list[str]:
    """The first keywords of an agent: the words of the topic, liked pages included."""
    return list(islice(dict.fromkeys(word for term in topic_weights(topic) for word in term), KEYWORDS))


def seen(words: Sequence[str], links: Sequence[Link], keywords: Sequence[str], reach: int) -> Floats:
    """A row for each link: for each keyword the sum of 1 / distance over its occurrences within reach."""
    column = {keyword: place for place, keyword in enumerate(keywords)}
    found = [(at, column[word]) for at, word in enumerate(words) if word in column]
    sight = np.zeros((len(links), len(keywords)))
    if not found or not links:
        return sight
    at, of = np.array(found).T
    distance = np.abs(np.array([link.at for link in links])[:, None] - at)
    weight = np.where(distance <= reach, 1 / np.maximum(distance, 1), 0.0)
    for place in range(len(keywords)):
        sight[:, place] = weight[:, of == place].sum(axis=1)
    return sight


@register
class InfoSpiders(Walking):
    name = "infospiders"
    use = (
        "For webs where the words around a link say where it leads, and change from site to site. Not for small "
        "budgets: its nets learn slowly."
    )
    paper = "Menczer and Belew 2000, Adaptive retrieval agents: internalizing local context and scaling up to the Web"
    Params = InfoSpidersParams
    variants = ({}, {"agents": 3, "least": 0, "most": 10, "theta": 0.5, "reach": 5, "hidden": 2})

    def __init__(self, topic: Topic, params: Any, rng: random.Random, shelf: Shelf) -> None:
        super().__init__(topic, params, rng, shelf)
        self.barred: list[int] = []  # addresses out of scope that were chosen without a page that shows them

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        super().begin(seeds, now)
        self.base = DocumentsBase()
        self.spiders: dict[str, Spider] = {}
        self.born = 0
        self.seeds(seeds)
        for _ in range(self.params.agents):
            keywords = keywords_of(self.topic)
            net = Perceptron.drawn(len(keywords), self.params.hidden, self.rng)
            self._join(Spider(keywords, net, self.params.theta / 2), now)

    def seeds(self, links: Sequence[Link]) -> None:
        super().seeds(links)
        self.base.grow(len(self.addresses))

    def _join(self, spider: Spider, now: float, parent: str = "") -> None:
        name = f"spider-{self.born}"
        self.born += 1
        self.spiders[name] = spider
        self.turns.add(name)
        about = {"energy": spider.energy, "population": len(self.spiders), "keywords": list(spider.keywords)}
        self.note(now, "birth", agent=name, parent=parent, **about)

    # Choosing

    def _choose(self, name: str) -> Link | None:
        spider = self.spiders[name]
        while self.starts:
            spider.tries, spider.place = self.starts.popleft(), -1
            link = self.addresses.record(spider.tries).link
            if self.allows(link.url):
                return link
            self.barred.append(spider.tries)
        chances = self._chances(spider)
        if spider.idle >= PATIENCE or not chances.sum() > 0:
            return self._moved(spider)
        sums = np.cumsum(chances)
        last = int(np.searchsorted(sums, sums[-1]))
        spider.place = min(last, int(np.searchsorted(sums, self.rng.random() * sums[-1], side="right")))
        spider.tries = spider.links[spider.place]
        return self.addresses.record(spider.tries).link

    def _visit(self, link: Link, name: str) -> Visit:
        spider = self.spiders[name]
        return self.visit(link, name, source=spider.page, note={"energy": spider.energy})

    def _set_aside(self, name: str) -> None:
        spider = self.spiders[name]
        self.base.set_aside(spider.tries)
        if spider.place < 0:  # perhaps no page shows it
            self.barred.append(spider.tries)

    def _chances(self, spider: Spider) -> Floats:
        trust, status = self.params.trust, self.base.status
        scores = trust * spider.net.of(spider.sight) + (1 - trust) * spider.near
        alive = np.array([status[link] != DEAD for link in spider.links], bool)
        return np.where(alive, np.exp(self.params.beta * (scores - 1)), 0.0)

    def _moved(self, spider: Spider) -> Link | None:
        """Move the agent to a link that no agent has followed, of a page near the topic."""
        found = self.base.untried(self.rng, self.params.beta, lambda link: False)
        if found is None:
            return None
        document, spider.tries = found
        spider.place, spider.idle = -1, 0
        spider.page = self.addresses.record(self.base.addresses[document]).link.url
        return self.addresses.record(spider.tries).link

    # Living

    def observe(self, outcome: Outcome) -> None:
        name, page = outcome.visit.agent, outcome.page
        spider = self.spiders[name]
        if page is None:
            self.base.status[spider.tries] = DEAD
            spider.energy -= self.params.cost
        else:
            self._stand(spider, page)
        self._live(name, spider, page, outcome.at)

    def _stand(self, spider: Spider, page: Page) -> None:
        """Put the agent on a page, and train its net with what the link to it was worth."""
        links = list(islice({link.url: link for link in page.links if link.url != page.final_url}.values(), LINKS))
        numbers = [self.addresses.number(link, page.final_url) for link in links]
        near = self._similarity.of_words(page.words)
        new = self._learn(page, spider.tries, near, numbers)
        spider.idle = 0 if new else spider.idle + 1
        spider.energy += near - self.params.cost if new else -self.params.known
        came_by = spider.sight[spider.place].copy() if spider.place >= 0 else None
        spider.stand(page, links, numbers, near, self.params.reach)
        if came_by is not None:
            best = float(spider.net.of(spider.sight).max(initial=0.0))
            spider.net.teach(came_by, min(1.0, near + self.params.foresight * best), self.params.rate)

    def _learn(self, page: Page, address: int, near: float, numbers: Sequence[int]) -> bool:
        """Enter the page into the documents base; True if it was not there."""
        final = self.addresses.number(Link(page.final_url))
        self.base.grow(len(self.addresses))
        new = self.base.known(final) < 0
        if new:
            document = self.base.put(final, near, numbers, [near] * len(numbers))
            self.base.open[document] = max(EVEN, near)
            self._rouse()
        self.base.status[address] = self.base.known(final)
        return new

    def _live(self, name: str, spider: Spider, page: Page | None, now: float) -> None:
        if spider.energy <= 0:
            if len(self.spiders) > self.params.least:
                del self.spiders[name]
                self.note(now, "death", agent=name, energy=spider.energy, population=len(self.spiders))
                return
            spider.energy, spider.idle = self.params.theta / 2, PATIENCE
        elif spider.energy > self.params.theta and page is not None and len(self.spiders) < self.params.most:
            spider.energy /= 2
            self._join(self._child(spider, page), now, name)
        self.turns.add(name)

    def _child(self, parent: Spider, page: Page) -> Spider:
        """A child on the same page, with a slightly different net; a word of the page replaces the least used
        keyword."""
        net = parent.net.mutated(self.params.noise, self.rng)
        keywords = list(parent.keywords)
        word = self._word(parent, page)
        if word and keywords:
            keywords[int(np.argmin(net.uses()))] = word
        child = Spider(keywords, net, parent.energy)
        shown = {self.addresses.find(link.url): link for link in page.links}
        child.stand(page, [shown[link] for link in parent.links], parent.links, parent.near, self.params.reach)
        return child

    def _word(self, spider: Spider, page: Page) -> str:
        """The commonest word near the links with the highest scores that is not among the agent's keywords."""
        if not spider.links:
            return ""
        best = {spider.links[int(place)] for place in np.argsort(-self._chances(spider), kind="stable")[:BEST]}
        near = [link for link in page.links if self.addresses.find(link.url) in best]
        words = Counter(word for link in near[:BEST] for word in window(page, link) if len(word) >= SHORTEST)
        return next((word for word, _ in words.most_common() if word not in spider.keywords), "")

    # People

    def bring_back(self) -> None:
        if not self.excluded():
            return
        self.base.bring_back()
        self.starts.extendleft(reversed(self.barred))
        self.barred = []
        self._rouse()

    def excluded(self) -> int:
        return len({*self.base.aside, *self.barred})

    def retopic(self, topic: Topic) -> None:
        """Keywords and nets were learned for the old topic; agents start again from the words of the new one."""
        super().retopic(topic)
        for spider in self.spiders.values():
            spider.keywords = keywords_of(topic)
            spider.net = Perceptron.drawn(len(spider.keywords), self.params.hidden, self.rng)
            spider.sight = np.zeros((len(spider.links), len(spider.keywords)))

    def keeps(self) -> int:
        """Documents and their links; the memory of agents is bounded by their number."""
        return len(self.base) + len(self.base.links)

    def report(self) -> dict[str, Any]:
        energies = [spider.energy for spider in self.spiders.values()]
        words = Counter(word for spider in self.spiders.values() for word in spider.keywords)
        return {
            "population": len(energies),
            "energy": sum(energies),
            "documents": len(self.base),
            "keywords": [word for word, _ in words.most_common(10)],
        }

    def explain(self, url: str) -> dict[str, Any]:
        number = self.addresses.find(url)
        told = {}
        for name, spider in self.spiders.items():
            if number is not None and number in spider.links:
                place = spider.links.index(number)
                told[name] = {"net": float(spider.net.of(spider.sight[place][None, :])[0]), "page": spider.near}
        return {"agents": told} if told else {}
