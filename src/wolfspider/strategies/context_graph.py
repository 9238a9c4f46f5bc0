"""Context graphs (Diligenti et al. 2000), and the relevancy context graph (Hsu and Wu 2006): crawlers that learn what
pages near wanted pages look like.

Both crawlers are trained before they crawl; all visits of the training have the agent `train`. First, users browse
(policy/browsing.py) until there are enough targets: pages that the judge calls relevant, or that a person labelled.
Then the graph is built: layer 1 holds pages that link to a target, layer 2 those that link to layer 1, and so on. A
service for back-links names them, and they are downloaded. Without such a service, the links of the browsed pages are
read backwards. Browsed pages that are in no layer stand for all other pages; as long as these are too few, browsing
continues. Then a model is fitted, and the crawl begins at the seeds.

If browsing found no target, the crawl begins all the same, by the judge's score alone, and the graph is built as soon
as the crawl has found enough relevant pages, or a person has labelled one. A later label changes the targets, and the
model is fitted again; the graph is not built again, and waiting links keep their place.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from wolfspider.core.model import BACKLINKS, Failure, Link, Outcome, Page, Question, Verdict, Visit
from wolfspider.core.params import param
from wolfspider.core.text import counts
from wolfspider.core.topic import Topic
from wolfspider.learn.layers import Bag, Bayes, Relevancy
from wolfspider.policy.browsing import TRAINING, Browsing, bag_of
from wolfspider.policy.frontier import Item
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Ordered, register
from wolfspider.policy.turns import Group, Turns

BROWSING = ("browsing", "widening")  # phases of the training: for targets, and for pages like any
SHARES = 5  # answers that make a layer, if there are so many: no page makes one alone
SMALL = {"browse": 12, "targets": 2, "general": 3, "layers": 2, "per_layer": 3}  # for the contract
BELOW_ONE = 0.999  # so that no posterior lifts a link into the next queue


@dataclass
class TrainingParams:
    browse: int = param(100, "Pages browsed at the most.", low=0, high=10_000, live=False)
    targets: int = param(10, "Targets that are enough to build the graph around.", low=1, high=1_000, live=False)
    general: int = param(30, "Other pages browsed, targets and layers not counted.", low=0, high=10_000, live=False)
    layers: int = param(4, "Layers of the context graph around the targets.", low=1, high=10, live=False)
    per_layer: int = param(50, "Pages of a layer at the most.", low=1, high=1_000, live=False)


class Graphed(Ordered):
    """The training that both crawlers share, and the crawl by the model. A subclass scores the links."""

    browses = True
    params: TrainingParams
    phase = ""  # nothing has begun

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        learned = vars(self).pop("_inherited", {})
        self.trained = bool(learned.get("trained"))
        self.layers: list[dict[str, dict[str, int]]] = []
        if self.trained:  # an unfinished graph is built from the start
            self.layers.extend(map(dict, learned["layers"]))
        self.service = True  # is there a service for back-links? Yes, until it turns out that there is none
        self.group = Group()  # questions about a layer, or the pages of the next
        self.named: dict[str, None] = {}  # pages of the next layer
        self.spare: dict[str, None] = {}  # all pages that were named, in case these are too few
        self.browsing, self.phase = Browsing(seeds, self.params.browse), "browsing"
        browsed = learned.get("browsing")
        if browsed is not None and browsed.targets:
            self.browsing = browsed
            self.browsing.starts = list(seeds)
            self.browsing.out.clear()
            self.browsing.turns = Turns()  # no user browses on
            self._browsed()
        super().begin(seeds, now)

    # The training

    def propose(self, room: Room, now: float) -> list[Visit]:
        self.frontier.hear(room)
        while self.phase != "crawling":
            if self.phase in BROWSING:
                visits = self.browsing.give(room, self.rng, self._similarity.of_text, self._training)
                over = self.browsing.done
            else:
                visits, over = self.group.give(room, self._training), not len(self.group)
            if visits or not over:
                return visits
            self._advance(now)
        return super().propose(room, now)

    def _training(self, link: Link) -> Visit:
        return self.visit(link, TRAINING, note={"training": self.phase, "layer": len(self.layers)})

    def _browsed(self) -> None:
        self.browsing.rest()
        self.phase = "crawling"
        if self.browsing.targets and not self.trained:
            self._ask(self.browsing.targets)

    def _ask(self, pages: Sequence[str]) -> None:
        """Ask the service which pages link to these."""
        self.phase = "asking"
        self.named, self.spare = {}, {}
        self.group = Group(Link(Question(BACKLINKS, url).url) for url in pages)

    def _advance(self, now: float) -> None:
        """Begin the next phase: all answers are here, or all pages of a layer, or browsing is over."""
        if self.phase == "browsing":
            self._browsed()
        elif self.phase == "asking" and self.service:
            self._read([*(self.named | self.spare)][: self.params.per_layer])
        elif self.phase == "reading" and self.layers[-1] and len(self.layers) < self.params.layers:
            self._ask(list(self.layers[-1]))
        else:
            self._complete(now)

    def _read(self, pages: Sequence[str]) -> None:
        self.phase = "reading"
        self.named, self.spare = {}, {}
        self.layers.append({})
        self.group = Group(map(Link, pages))

    def _complete(self, now: float) -> None:
        """The layers are complete, so it is known which pages are in none: browse for more of these, or end the
        training."""
        if not self.service:
            self.layers = self._backwards()
        browsing = self.browsing
        if len(browsing.turns) and browsing.asked < self.params.browse and not self._enough():
            # Browse on without looking for the topic: of the links that were seen only addresses are kept. Users who
            # waited for a host choose again, because they have not heard that it is ready.
            self.phase, browsing.wanted, browsing.turns = "widening", self.params.browse, Turns()
            browsing.shown = {url: [*map(Link, page.links)] for url, page in browsing.pages.items()}
            browsing.turns.queue.extend(browsing.places)
            return
        self.phase, self.trained = "crawling", True
        browsing.rest()
        self.layers = [layer for layer in self.layers if layer]
        self._refit()
        self.note(now, "trained", targets=len(browsing.targets), **self._sizes())

    def _enough(self) -> bool:
        """Has browsing found enough pages for this phase?"""
        if self.phase == "browsing":
            return len(self.browsing.targets) >= self.params.targets
        return len(self._general()) >= self.params.general

    def _backwards(self) -> list[dict[str, dict[str, int]]]:
        """The layers, made of the browsed pages and the links they show."""
        pages, led = self.browsing.pages, self.browsing.led
        shown = {url: {led.get(link, link) for link in page.links} for url, page in pages.items()}
        layers: list[dict[str, dict[str, int]]] = []
        last, placed = set(self.browsing.targets), set(self.browsing.targets)
        while last and len(layers) < self.params.layers:
            layer = [url for url in pages if url not in placed and shown[url] & last][: self.params.per_layer]
            layers.append({url: pages[url].bag for url in layer})
            last = set(layer)
            placed |= last
        return layers

    # What comes back

    def observe(self, outcome: Outcome) -> None:
        if self.browsing.landed(outcome):
            if outcome.verdict is not None and outcome.verdict.relevant and outcome.page is not None:
                self._lift(outcome.page.final_url)
            if self._enough():
                self.browsing.stop()
        elif outcome.visit.agent == TRAINING:
            self._trained_by(outcome)
        else:
            self._crawled(outcome)

    def _trained_by(self, outcome: Outcome) -> None:
        if outcome.visit.id not in self.group.out:  # it belongs to a training that was abandoned
            return
        self.group.landed(outcome.visit.id)
        if outcome.visit.link.host == BACKLINKS:
            self._answered(outcome.result)
        elif (page := outcome.page) is not None and not self._placed(page.final_url):
            self.layers[-1][page.final_url] = bag_of(page)

    def _answered(self, answer: Page | Failure) -> None:
        if isinstance(answer, Failure):
            if answer.kind == "excluded":
                self.service = False
                self.group.clear()
            return
        new = [link.url for link in answer.links if not self._placed(link.url) and link.url not in self.named]
        chosen = self.rng.sample(new, min(len(new), -(-self.params.per_layer // SHARES)))
        self.named.update(dict.fromkeys(chosen))
        self.spare.update(dict.fromkeys(new))
        if len(self.named) >= self.params.per_layer:
            self.group.clear()

    def _placed(self, url: str) -> bool:
        """Is this page a target, or in a layer?"""
        page = self.browsing.pages.get(url)
        return (page is not None and page.good) or any(url in layer for layer in self.layers)

    def _crawled(self, outcome: Outcome) -> None:
        page, verdict = outcome.page, outcome.verdict
        if page is None or verdict is None:
            return
        if self.phase == "crawling" and not self.trained and verdict.relevant:
            self._mark(page, True)
            if len(self.browsing.targets) >= self.params.targets:
                self._ask(self.browsing.targets)
        self._push(page, verdict)

    @abstractmethod
    def _push(self, page: Page, verdict: Verdict) -> None:
        """Score the links of a page, by the model if there is one, and put them into the frontier."""

    def _mark(self, page: Page, good: bool) -> None:
        self.browsing.mark(page, good)
        if good:
            self._lift(page.final_url)
        if self.phase not in BROWSING:
            self.browsing.rest()

    def _lift(self, url: str) -> None:
        """Remove a target from the layers."""
        for layer in self.layers:
            layer.pop(url, None)

    # The model

    @cached_property
    def _model(self) -> Any:
        """The model of the present graph; None as long as there is no graph. It is not part of the state: it is fitted
        again after every change and after a restart."""
        targets = {url: self.browsing.pages[url].bag for url in self.browsing.targets}
        bags: list[list[Bag]] = [[*layer.values()] for layer in (targets, *self.layers)]
        return self._fitted(bags, self._general()) if self.trained and targets else None

    def _general(self) -> list[Bag]:
        return [page.bag for url, page in self.browsing.pages.items() if not self._placed(url)]

    @abstractmethod
    def _fitted(self, layers: list[list[Bag]], general: list[Bag]) -> Any:
        """The model for these bags of words."""

    def _refit(self) -> None:
        vars(self).pop("_model", None)

    def changed(self, name: str, old: Any) -> None:
        self._refit()

    def judged(self, page: Page, verdict: Verdict) -> None:
        self._mark(page, verdict.relevant)
        if verdict.relevant and self.phase == "crawling" and not self.trained:
            self._ask(self.browsing.targets)
        self._refit()

    def retopic(self, topic: Topic) -> None:
        """Other targets need another graph: the training begins again. Pages that the run holds cost no download."""
        super().retopic(topic)
        self.browsing, self.phase = Browsing(self.browsing.starts, self.params.browse), "browsing"
        self.group, self.layers, self.trained = Group(), [], False
        self._refit()

    # What is kept

    def learned(self) -> dict[str, Any]:
        keywords = list(self.topic.keywords)
        return {"topic": keywords, "browsing": self.browsing, "layers": self.layers, "trained": self.trained}

    def inherit(self, learned: Mapping[str, Any]) -> None:
        """Only from a run with the same topic; the targets of another one would mislead."""
        if self._is_for_topic(learned):
            self._inherited = learned

    def keeps(self) -> int:
        """A page of a layer that was also browsed counts once."""
        layered = sum(url not in self.browsing.pages for layer in self.layers for url in layer)
        waiting = len(self.group) + len(self.named.keys() | self.spare.keys())
        return len(self.frontier) + len(self.browsing) + waiting + layered

    def report(self) -> dict[str, Any]:
        if not self.phase:
            return super().report()
        told = {"phase": self.phase, "trained": self.trained, "browsed": len(self.browsing.pages)}
        return told | {"targets": len(self.browsing.targets)} | self._sizes() | super().report()

    def _sizes(self) -> dict[str, Any]:
        backlinks = "asked for" if self.service else "read from the browsed pages"
        return {"layers": [*map(len, self.layers)], "general": len(self._general()), "back-links": backlinks}

    def parts(self, item: Item) -> Mapping[str, Any]:
        return {"seed": True} if item.extra is None else {"score": item.score, **item.extra}


@dataclass
class ContextGraphParams(TrainingParams):
    threshold: float = param(0.3, "A page whose likeliest layer is less likely than this is in none.", low=0, high=1)
    terms: int = param(40, "Terms of a page that are read, the best ones by tf-idf.", low=1, high=1_000)


@register
class ContextGraph(Graphed):
    """A queue for each layer, and one for pages that are in none: the links of a page go to the queue of its layer, and
    the next link is the likeliest one of the nearest queue that is not empty."""

    name = "context-graph"
    use = (
        "For topics that are reached over pages off topic, where a back-link service or an earlier run teaches it. "
        "Not for small budgets: it trains first."
    )
    paper = "Diligenti, Coetzee, Lawrence, Giles and Gori 2000, Focused crawling using context graphs"
    Params = ContextGraphParams
    variants = ({}, SMALL, {"browse": 0, "targets": 3})
    params: ContextGraphParams

    def _fitted(self, layers: list[list[Bag]], general: list[Bag]) -> Bayes:
        return Bayes(layers, general, self.params.terms)

    def _push(self, page: Page, verdict: Verdict) -> None:
        last = self.params.layers + 1
        told: dict[str, Any]
        if self._model is None:
            layer, chance, told = last, verdict.score, {"untrained": verdict.score}
        else:
            layer, chance = self._model.guess(counts(page), self.params.threshold)
            rejected = layer > len(self.layers)
            told = {"layer": "other" if rejected else layer, "posterior": chance}
            layer = last if rejected else layer
        score = BELOW_ONE * chance - layer
        self.frontier.extend(page.links, [score] * len(page.links), page.final_url, told)


@dataclass
class RelevancyParams(TrainingParams):
    alpha: float = param(0.7, "What is left of a page's relevance one link before it.", low=0, high=1)
    anchor: float = param(0.3, "Weight of the anchor beside the page that shows the link.", low=0, high=10)
    features: int = param(500, "Words that are read, those that tell wanted pages best.", low=1, high=100_000)


@register
class RelevancyContextGraph(Graphed):
    """A link is worth the relevancy expected from the words of its page, plus that expected from its anchor."""

    name = "relevancy-context-graph"
    use = (
        "Like context-graph, with links weighed by the words of their page and their anchor. Not for small budgets: "
        "it trains first."
    )
    paper = "Hsu and Wu 2006, Topic-specific crawling on the Web with the measurements of the relevancy context graph"
    Params = RelevancyParams
    variants = ({}, SMALL, {"browse": 0, "targets": 3})
    params: RelevancyParams

    def _fitted(self, layers: list[list[Bag]], general: list[Bag]) -> Relevancy:
        return Relevancy(layers, general, self.params.alpha, self.params.features)

    def _push(self, page: Page, verdict: Verdict) -> None:
        if self._model is None:  # below every link that a model has scored
            scores, told = [verdict.score - 1] * len(page.links), {"untrained": verdict.score}
        else:
            whole = self._model.expected(counts(page))
            weight, expected = self.params.anchor, self._model.expected_of_text
            scores, told = [whole + weight * expected(link.anchor) for link in page.links], {"expected": whole}
        self.frontier.extend(page.links, scores, page.final_url, told)
