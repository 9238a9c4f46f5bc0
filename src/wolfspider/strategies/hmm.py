"""LJM (Liu, Janssen and Milios 2006, Using HMM to learn user browsing patterns for focused Web crawling) and BPM
(Batsakis, Petrakis and Milios 2009, Improving the performance of focused web crawlers).

Both learn from the pages that a user browsed before the crawl. These pages form a graph, and the state of a page is its
distance in links from the nearest page that the user liked, T0 to T4. A crawler cannot see states, only what a page is
like: the targets are one cluster, and the other pages fall into five to ten clusters by their words (learn/lsi.py). A
hidden Markov chain (learn/markov.py) says how states follow each other along links, and which clusters each state
shows.

In the crawl, a page belongs to the cluster of its nearest neighbours among the training pages. The belief about its
state is passed on from page to page, and what the chain predicts for the next page is the score of the links. LJM uses
the prediction alone, so that all links of a page are worth the same. BPM reads the anchor of a link together with the
page around it, and adds how near that is to the targets.

The visits of the training are like any others and have the agent `train`. Without a model (users found no page that
they like, or too few pages to learn from), the belief in T0 is the judge's score, and the rest is spread evenly: LJM is
then best-first, and BPM adds how near the anchor is to the topic. Pages of such a crawl stand in for training pages
until there are enough of them, with a target among them, to make a model. A person's labels make targets too; the model
is then made again before the next visit, and all waiting links are scored again from the beliefs they were found with.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from wolfspider.core.codec import StoredFields, helper
from wolfspider.core.model import Link, Outcome, Page, Verdict, Visit
from wolfspider.core.params import param
from wolfspider.core.text import counted, counts, words
from wolfspider.core.topic import Topic
from wolfspider.learn.lsi import Floats, Neighbours, Space, clustered, unit_rows
from wolfspider.learn.markov import Chain, distances, estimated
from wolfspider.policy.browsing import TRAINING, Browsing
from wolfspider.policy.frontier import Item
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Ordered, register

STATES = 5  # T0 to T4: links to the nearest target, the last for four or more
LEAST_PAGES = 10  # to learn from, targets and others among them

HAIR = 1e-6  # weight of the likeness where it only breaks ties

Belief = Sequence[float]  # chances of the states


@dataclass
class HmmParams:
    training: int = param(
        100, "Pages that simulated users see before the crawl.", low=10, high=2000, live=False, letter=300
    )
    rank: int = param(100, "Dimensions of the space in which pages are compared.", low=1, high=200, live=False)
    neighbours: int = param(5, "Pages of training that say what a page is like.", low=1, high=100)


@dataclass
class LjmParams(HmmParams):
    order: str = param(
        "p0",
        "Links by the chance that they lead to a target (p0), or by the likeliest state and then its chance (two-key).",
        choices=("p0", "two-key"),
    )
    ties: str = param(
        "page",
        "Links of one page are all alike (page), or those nearer to the mean of the targets come first (centroid).",
        choices=("page", "centroid"),
    )


@dataclass
class BpmParams(HmmParams):
    chain: float = param(0.5, "Weight of the chain against the likeness to the targets.", low=0, high=1)
    anchor: float = param(0.5, "Weight of the anchor against the page around it.", low=0, high=1)


@helper
class Guide(StoredFields):
    """The model learned from browsing: what pages are like, what that says about their states, and the targets."""

    def __init__(self, space: Space, known: Neighbours, chain: Chain, targets: Any) -> None:
        self.space, self.known, self.chain = space, known, chain
        self.targets = np.asarray(targets, np.float64)  # their mean: a weight for each word of the space

    @classmethod
    def of(cls, browsing: Browsing, rank: int, rng: random.Random) -> Guide | None:
        """The model of these pages; None if there is too little to learn from."""
        pages = list(browsing.pages.values())
        liked = [page.bag for page in pages if page.good]
        if not 0 < len(liked) < len(pages) or len(pages) < LEAST_PAGES:
            return None
        bags = [page.bag for page in pages]
        space = Space.of(bags, rank)
        points = space.fold(bags)
        others = np.array([not page.good for page in pages])
        groups = np.zeros(len(pages), np.int64)
        groups[others] = 1 + clustered(unit_rows(points[others]), rng)
        return cls(space, Neighbours(points, groups), _chain(browsing, groups.tolist()), _mean(space, liked))

    @property
    def clusters(self) -> int:
        return int(self.chain.signs.shape[1])

    def sign(self, page: Page, neighbours: int) -> int | None:
        return self.known.labels(self.space.fold([counts(page)]), neighbours)[0]

    def mixed(self, page: Page, anchors: Sequence[str], weight: float) -> tuple[Floats, Any]:
        """For each anchor mixed with the page: its point, and its cosine with the mean of the targets."""
        texts = self.space.weighed([counts(page), *(counted(words(anchor)) for anchor in anchors)])
        count, rest = len(anchors) + 1, 1 - weight
        around = np.zeros(len(self.targets))
        around[texts.word[texts.text == 0]] = texts.weight[texts.text == 0]
        known = np.bincount(texts.text, minlength=count) > 0  # with length one
        near = np.bincount(texts.text, texts.weight * self.targets[texts.word], count)
        common = np.bincount(texts.text, texts.weight * around[texts.word], count)
        squares = weight**2 * known[1:] + rest**2 * known[0] + 2 * weight * rest * common[1:]
        sizes = np.sqrt(squares * np.square(self.targets).sum())
        sums = weight * near[1:] + rest * near[0]
        points = self.space.points(texts, count)
        mixed = np.asarray(weight * points[1:] + rest * points[0], np.float32)
        return mixed, np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0)


def _chain(browsing: Browsing, groups: Sequence[int]) -> Chain:
    """The chain of the browsed pages. States are distances to a target along their links, with redirects followed."""
    led = browsing.led
    links = {url: [led.get(link, link) for link in page.links] for url, page in browsing.pages.items()}
    states = distances(links, browsing.targets, STATES - 1)
    pages = {url: (states[url], group) for url, group in zip(links, groups, strict=True)}
    return estimated(pages, links, browsing.sessions, (STATES, max(groups) + 1))


def _mean(space: Space, bags: Sequence[Mapping[str, int]]) -> Any:
    """The mean of these texts, over the words of a space."""
    texts = space.weighed(bags)
    return np.bincount(texts.word, texts.weight, len(space.words)) / len(bags)


def even(score: float) -> tuple[float, ...]:
    """A belief made of the judge's score: the score for T0, and the rest evenly for the other states."""
    return (score, *[(1 - score) / (STATES - 1)] * (STATES - 1))


@register
class Ljm(Ordered):
    name = "ljm"
    use = (
        "For topics that are reached over pages off topic, learned from pages that you browsed (--learned-from). Not "
        "for small budgets: it trains first."
    )
    paper = "Liu, Janssen and Milios 2006, Using HMM to learn user browsing patterns for focused Web crawling"
    Params: ClassVar[type] = LjmParams
    variants: ClassVar[tuple[Mapping[str, Any], ...]] = (
        {"training": 25},
        {"training": 60, "order": "two-key", "rank": 5},
        {"training": 30, "ties": "centroid"},
    )
    browses = True

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.browsing: Browsing = vars(self).pop("_inherited", None) or Browsing(pages=self.params.training)
        self.guide: Guide | None = None
        self.stale = True  # pages were browsed since the guide was made
        self.above: dict[int, tuple[float, ...]] = {}  # visits in flight: the belief about the page they come from
        super().begin(seeds, now)

    def seeds(self, links: Sequence[Link]) -> None:
        self.browsing.starts.extend(links)
        super().seeds(links)

    # Browsing, and what is learned from it

    def propose(self, room: Room, now: float) -> list[Visit]:
        if not self.browsing.done:
            visits = self.browsing.give(room, self.rng, self._similarity.of_text, self._training)
            if visits or not self.browsing.done:
                return visits
        if self.stale:
            self._learn()
        return self._crawl(room)

    def _training(self, link: Link) -> Visit:
        return self.visit(link, TRAINING, note={"training": True})

    def _learn(self) -> None:
        self.browsing.rest()
        self.guide, self.stale = Guide.of(self.browsing, self.params.rank, self.rng), False
        self.frontier.rescore(self._again)

    def _mark(self, page: Page, good: bool) -> None:
        self.browsing.mark(page, good)
        self.stale = True
        if self.browsing.done:
            self.browsing.rest()

    def judged(self, page: Page, verdict: Verdict) -> None:
        self._mark(page, verdict.relevant)

    def retopic(self, topic: Topic) -> None:
        """Forget the targets. Pages that the run holds keep their verdicts, so browsing again would bring nothing new:
        the next pages of the crawl stand in for training. Waiting links keep their order."""
        super().retopic(topic)
        self.browsing = Browsing(self.browsing.starts)
        self.guide, self.stale = None, False

    # Crawling

    def _crawl(self, room: Room) -> list[Visit]:
        """The best links. A visit that takes no slot is to a held page, which is read before another link is chosen."""
        visits: list[Visit] = []
        free = room.free
        while item := self.frontier.pop(room):
            visits.append(self.visit(item.link, source=item.source, note=self.parts(item)))
            self.above[visits[-1].id] = item.extra or ()
            if room.free == free:
                break
            free = room.free
        return visits

    def observe(self, outcome: Outcome) -> None:
        if outcome.visit.agent == TRAINING:
            self.browsing.landed(outcome)
            return
        above = self.above.pop(outcome.visit.id)[:STATES]
        page, verdict = outcome.page, outcome.verdict
        if page is None or verdict is None:
            return
        self._spread(page, verdict, above)
        if self.guide is not None or outcome.cached:
            return
        # As long as there is no model, pages of the crawl stand in for those that training did not bring: as many of
        # them, relevant ones and others.
        browsed, good = self.browsing.pages, verdict.relevant
        kinds = {seen.good for seen in browsed.values()}
        if len(browsed) < self.params.training or good not in kinds:
            self._mark(page, good)
            self.stale = len(browsed) >= self.params.training and len(kinds | {good}) == 2

    def _spread(self, page: Page, verdict: Verdict, above: Belief) -> None:
        """Score the links of a page and keep them."""
        anchors = list(dict.fromkeys(link.anchor for link in page.links))
        beliefs = dict(zip(anchors, self._beliefs(page, anchors, verdict, above), strict=True))
        worth = {belief: self._worth(belief) for belief in dict.fromkeys(beliefs.values())}
        for link in page.links:
            belief = beliefs[link.anchor]
            self.frontier.push(link, worth[belief], page.final_url, belief)

    def _beliefs(
        self, page: Page, anchors: Sequence[str], verdict: Verdict, above: Belief
    ) -> Iterable[tuple[float, ...]]:
        """What is believed of the page, for each anchor. The chain says the same of all links; their anchors only
        decide between them (`ties`)."""
        if self.guide is None:
            return [even(verdict.score)] * len(anchors)
        belief = self._belief(self.guide.chain, above, self.guide.sign(page, self.params.neighbours))
        if self.params.ties == "page":
            return [belief] * len(anchors)
        return ((*belief, near) for near in self.guide.mixed(page, anchors, 0.5)[1].tolist())

    def _belief(self, chain: Chain, above: Belief, sign: int | None) -> tuple[float, ...]:
        return tuple((chain.follow(above, sign) if above else chain.begin(sign)).tolist())

    def _expected(self, belief: Belief) -> list[float]:
        """The chances of the states of the next page."""
        if self.guide is None:
            return list(belief)
        expected: list[float] = self.guide.chain.predict(belief).tolist()
        return expected

    def _worth(self, belief: Belief) -> float:
        expected = self._expected(belief[:STATES])
        hair = HAIR * sum(belief[STATES:])
        if self.params.order == "p0":
            return expected[0] + hair
        chance = max(expected)
        return chance - expected.index(chance) + hair

    def _again(self, item: Item) -> float:
        return self._worth(item.extra) if item.extra else item.score

    def changed(self, name: str, old: Any) -> None:
        if name in ("order", "chain"):
            self.frontier.rescore(self._again)

    # What is told and kept

    def parts(self, item: Item) -> Mapping[str, Any]:
        if not item.extra:
            return {"seed": True}
        chances = self._expected(item.extra[:STATES])
        return {"score": item.score, **{f"T{state}": chance for state, chance in enumerate(chances)}}

    def explain(self, url: str) -> dict[str, Any]:
        item = self.frontier.find(url)
        if item is None:
            return {}
        return {**self.parts(item), "source": item.source, "anchor": item.link.anchor}

    def report(self) -> dict[str, Any]:
        crawling = "crawling" if self.guide else "crawling without a model"
        return {
            "phase": crawling if self.browsing.done else "training",
            "browsed": len(self.browsing.pages),
            "targets": len(self.browsing.targets),
            "clusters": self.guide.clusters if self.guide else 0,
            "frontier": len(self.frontier),
        }

    def learned(self) -> dict[str, Any]:
        return {"topic": list(self.topic.keywords), "browsing": self.browsing}

    def inherit(self, learned: Mapping[str, Any]) -> None:
        """Start with the pages browsed for another run; if none of them was liked, or the topic differs, browse
        again."""
        browsing = learned.get("browsing")
        if browsing is not None and browsing.targets and self._is_for_topic(learned):
            browsing.rest()
            browsing.out.clear()
            browsing.starts.clear()
            self._inherited = browsing


@register
class Bpm(Ljm):
    name = "bpm"
    use = "Like ljm, and reads anchors as well, which is mostly better. Not for small budgets: it trains first."
    paper = "Batsakis, Petrakis and Milios 2009, Improving the performance of focused web crawlers"
    Params = BpmParams
    variants = ({"training": 25}, {"training": 60, "chain": 0.8, "anchor": 1.0, "rank": 5})

    def _beliefs(
        self, page: Page, anchors: Sequence[str], verdict: Verdict, above: Belief
    ) -> Iterable[tuple[float, ...]]:
        """For each anchor, what is believed of the page seen through it, and how near both are to the targets."""
        guide = self.guide
        if guide is None:
            return ((*even(verdict.score), self._similarity.of_text(anchor)) for anchor in anchors)
        points, near = guide.mixed(page, anchors, self.params.anchor)
        signs = guide.known.labels(points, self.params.neighbours)
        beliefs = {sign: self._belief(guide.chain, above, sign) for sign in dict.fromkeys(signs)}
        return ((*beliefs[sign], likeness) for sign, likeness in zip(signs, near.tolist(), strict=True))

    def _worth(self, belief: Belief) -> float:
        weight: float = self.params.chain
        return weight * self._expected(belief[:STATES])[0] + (1 - weight) * belief[STATES]

    def parts(self, item: Item) -> Mapping[str, Any]:
        return {**super().parts(item), "likeness": item.extra[STATES]} if item.extra else super().parts(item)
