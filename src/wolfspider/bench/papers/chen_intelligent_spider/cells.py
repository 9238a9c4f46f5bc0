"""The cells of `chen_intelligent_spider`: in each case, all spiders search for the same liked pages, one after another.

How like the liked pages a page is depends on N and df, and these on what a spider has fetched: what a spider computes
itself cannot be compared with what another computes. So the outputs of all are scored once more, with N and df over all
pages that the spiders of the case fetched together. That is the common yardstick.

Beside them the genetic spider runs without mutation, so that a claim can be seen to fail; and best-first with the
default judge, which knows nothing but the liked pages, with as many downloads as the genetic spider took. Its outputs
are the ten pages that the judge scores highest. Where a form has time for it, annealing and the hybrid also begin
cooler, and at a share of the fitness of the start pages.

Nothing that one search has read is kept for the next, because their times are compared; and they begin in turn.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from wolfspider.bench.experiment import Row, Setting
from wolfspider.bench.measure.metrics import key
from wolfspider.bench.papers.chen_intelligent_spider.cases import (
    EVERY,
    FEW,
    OWN_SITE,
    SEED,
    SHARES,
    Case,
    case_of,
    category_of,
    index_of,
    is_listed,
)
from wolfspider.bench.run.cell import check_ended, inside, opened
from wolfspider.bench.run.crawls import JUDGE
from wolfspider.core import events, randomness
from wolfspider.core.model import LEAP, Fetch, Page, host_of
from wolfspider.core.params import LETTER
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Topic
from wolfspider.drivers.driver import Result
from wolfspider.drivers.simulated import Recollection, simulate, simulated_crawl
from wolfspider.engine.contracts import Source
from wolfspider.engine.crawl import Limits
from wolfspider.learn.likeness import Collection, Likeness, kept_words
from wolfspider.policy.judges.judge import Judge, Unasked
from wolfspider.policy.strategy import Strategy
from wolfspider.strategies.best_first import BestFirst
from wolfspider.strategies.spider.generations import SpiderSearch
from wolfspider.strategies.spider.searches import SpiderAnnealing, SpiderBestFirst, SpiderGenetic, SpiderHybrid
from wolfspider.web.page.html import parse
from wolfspider.web.seeds.leaps import Leaps
from wolfspider.web.worlds.world import Looks, World

OUTPUTS = 10
BYTES_AT_HAND = 128 << 20  # of a search's pages that are kept, for they are read once more in the end
BEST_FIRST, GENETIC, ANNEALING, HYBRID = "spider-best-first", "spider-genetic", "spider-annealing", "spider-hybrid"
UNLEAPING, JUDGED = "spider-genetic without leaps", "best-first, default judge"
COOL = 0.002  # a temperature at which a set that is a little less fit is seldom accepted
COOL_ANNEALING, COOL_HYBRID = f"spider-annealing from {COOL}", f"spider-hybrid from {COOL}"
HOT, COLD = 0.05, 0.001  # shares of a fitness: where temperatures begin and end
HOT_ANNEALING, HOT_HYBRID = "spider-annealing by the start pages", "spider-hybrid by the start pages"
SCALED = {"scale": "start", "hot": HOT, "cold": COLD}  # shares of the fitness of the first set
SPIDERS: Mapping[str, type[SpiderSearch]] = {
    BEST_FIRST: SpiderBestFirst,
    GENETIC: SpiderGenetic,
    ANNEALING: SpiderAnnealing,
    HYBRID: SpiderHybrid,
}
FEW_SPIDERS = (BEST_FIRST, GENETIC)  # the paper speaks of these alone
STUDIED = {FEW: FEW_SPIDERS, OWN_SITE: FEW_SPIDERS, SHARES: (GENETIC,)}


class Output(NamedTuple):
    url: str
    origin: str
    own: float | None  # its score by the spider itself


class SearchGround(NamedTuple):
    """What all searches of a case share."""

    world: World
    looks: Looks  # the world as the spiders see it
    case: Case
    scope: Scope
    sources: Mapping[str, Source]
    budget: int
    every: int  # one page in so many is in the index


class Search(NamedTuple):
    """A search that is over."""

    outputs: list[Output]
    memory: Recollection
    row: Row


def measured(setting: Setting) -> Row:
    case = case_of(setting)
    if case is None:
        return {"topic": None, "category": None, "likes": [], "links": [], "spiders": {}}
    ground, category = ground_of(setting, case)
    names = [*STUDIED.get(setting["study"], SPIDERS)]
    turn = int(setting["case"]) % len(names)
    timed = rounds(ground, [*names[turn:], *names[:turn]], int(setting["rounds"]))
    searches = {name: timed[name] for name in names}
    others = {JUDGED: judged(ground, int(searches[GENETIC].row["downloads"]))}
    if setting["study"] not in STUDIED:
        others[UNLEAPING] = searched(ground, GENETIC, {"mutation": 0.0})
    yardstick = Yardstick(ground.case.liked, fetched(searches.values(), ground))
    if setting["cool"]:
        start = sum(yardstick.scores(ground.case.liked)) / len(ground.case.liked)  # their fitness
        hot = {"hot": HOT * start, "cold": COLD * start, "scale": "score"}
        others[COOL_ANNEALING] = searched(ground, ANNEALING, {"hot": COOL, "scale": "score"})
        others[COOL_HYBRID] = searched(ground, HYBRID, {"hot": COOL, "scale": "score"})
        others[HOT_ANNEALING] = searched(ground, ANNEALING, hot)
        others[HOT_HYBRID] = searched(ground, HYBRID, hot)
    rows = {name: row_of(each, yardstick, ground) for name, each in {**searches, **others}.items()}
    liked = {page.url: len({link.url for link in page.links}) for page in case.liked}
    about = {"topic": case.topic, "category": category, "likes": [*liked], "links": [*liked.values()]}
    return {**about, "spiders": rows}


def ground_of(setting: Setting, case: Case) -> tuple[SearchGround, str]:
    """With the category that leaps go to."""
    web, every = str(setting["web"]), int(setting.get("every", EVERY))
    world, index = opened(web, None), index_of(web, every)
    category = category_of(index, case.task.topic.keywords)
    looks: Looks = world
    if setting["study"] == OWN_SITE:
        looks, case = OwnSite(world), case._replace(liked=tuple(map(at_home, case.liked)))
    scope = Scope(within=inside(world))
    leaps = Leaps(partial(index.search, category=category), scope.allows)
    return SearchGround(world, looks, case, scope, {LEAP: leaps}, int(setting["budget"]), every), category.path


class OwnSite:
    """A web in which pages link to their own host alone."""

    def __init__(self, world: World) -> None:
        self._world = world

    def look(self, url: str, now: float) -> Fetch:
        fetch = self._world.look(url, now)
        page = parse(fetch)
        return replace(fetch, body=b"", page=at_home(page)) if isinstance(page, Page) else fetch


def at_home(page: Page) -> Page:
    """The page with the links to its own host."""
    home = host_of(page.final_url)
    return replace(page, links=tuple(link for link in page.links if host_of(link.url) == home))


# Searching


def rounds(ground: SearchGround, names: Sequence[str], count: int) -> dict[str, Search]:
    """Each spider in turn, `count` times. Only the seconds differ between the rounds, and their means are told."""
    searches = [[searched(ground, name, {}) for name in names] for _ in range(count)]
    return {name: _mean_time(own) for name, own in zip(names, zip(*searches, strict=True), strict=True)}


def _mean_time(searches: Sequence[Search]) -> Search:
    means = {name: sum(each.row[name] for each in searches) / len(searches) for name in ("user", "system")}
    return searches[0]._replace(row={**searches[0].row, **means})


def searched(ground: SearchGround, name: str, given: Mapping[str, Any]) -> Search:
    """A search by a spider. It has the keywords for its leaps, and the liked pages for everything else."""
    kind, case = SPIDERS[name], ground.case
    before = resource.getrusage(resource.RUSAGE_SELF)
    topic = Topic(case.task.topic.keywords, "", case.liked)
    heat = SCALED if issubclass(kind, SpiderAnnealing) else {}
    spider, curve = kind.new(topic, _chances(ground), {LETTER: True, "outputs": OUTPUTS, **heat, **given}), Curve()
    result, memory = crawled(ground, spider, Unasked, ground.budget, curve, dict(ground.sources))
    after = resource.getrusage(resource.RUSAGE_SELF)
    outputs = [Output(each["url"], each["origin"], each["score"]) for each in spider.results()]
    times = {"user": after.ru_utime - before.ru_utime, "system": after.ru_stime - before.ru_stime}
    reached = {"own": spider.fitness, "generations": spider.generation, "curve": curve.fitness}
    return Search(outputs, memory, {**reached, **_ended(result, ground), **times})


def judged(ground: SearchGround, downloads: int) -> Search:
    """A search by best-first with the default judge. It also downloads the liked pages, which a spider is given: these
    downloads are free."""
    topic = Topic(liked=ground.case.liked)
    strategy = BestFirst.new(topic, _chances(ground), {LETTER: True})
    result, memory = crawled(ground, strategy, JUDGE, downloads + len(ground.case.liked))
    given = {address for page in ground.case.liked for address in (page.url, page.final_url)}
    scores = {url: found.score for url in memory.pages if url not in given and (found := memory.looks[url][1])}
    best = sorted(scores, key=lambda url: -scores[url])[:OUTPUTS]
    outputs = [Output(url, "", scores[url]) for url in best]
    return Search(outputs, memory, _ended(result, ground))


def crawled(
    ground: SearchGround,
    strategy: Strategy,
    judge: str | Callable[[Topic], Judge],
    pages: int,
    listener: Callable[[events.Event], None] = lambda event: None,
    sources: Mapping[str, Source] | None = None,
) -> tuple[Result, Recollection]:
    """How the crawl ended, and what it remembers."""
    world, options = ground.world, {"scope": ground.scope, "sources": sources}
    crawl = simulated_crawl(strategy, judge, ground.looks, Limits(pages), bytes_at_hand=BYTES_AT_HAND, **options)
    crawl.listen(listener)
    result = simulate(crawl, ground.looks, start=world.start, seeds=[page.url for page in ground.case.liked])
    check_ended(result.reason, strategy.name, world.name)
    assert isinstance(crawl.memory, Recollection)
    return result, crawl.memory


def _chances(ground: SearchGround) -> Any:
    """The same for all searches of a case."""
    return randomness.generator(SEED, ground.world.name, *(page.url for page in ground.case.liked))


def _ended(result: Result, ground: SearchGround) -> Row:
    return {"downloads": result.downloads, "reason": result.reason, "seconds": result.at - ground.world.start}


class Curve:
    """Hears of the fitness after each generation."""

    def __init__(self) -> None:
        self.fitness: list[float] = []

    def __call__(self, event: events.Event) -> None:
        if isinstance(event, events.Noted) and event.kind == "generation":
            self.fitness.append(float(event.data["fitness"]))


# Measuring


class Yardstick:
    """How like the liked pages a page is, with N and df over the same pages for everybody."""

    def __init__(self, liked: Sequence[Page], pages: Iterable[Page]) -> None:
        self.collection, self.likeness = Collection(), Likeness()
        for page in liked:
            terms = self.collection.read(page)
            self.collection.count(terms)
            self.likeness.like(kept_words(page.words), terms)
        for page in pages:
            self.collection.count(self.collection.read(page))

    def scores(self, pages: Sequence[Page]) -> list[float]:
        terms = [self.collection.read(page) for page in pages]
        return [score.total for score in self.likeness.scores(terms, self.collection)]


def fetched(searches: Iterable[Search], ground: SearchGround) -> list[Page]:
    """What these searches saw besides the liked pages, each page once."""
    liked = {page.final_url for page in ground.case.liked}
    owner = {url: search for search in searches for url in search.memory.pages if url not in liked}
    return [seen(search, url, ground.scope) for url, search in owner.items()]


def seen(search: Search, url: str, scope: Scope) -> Page:
    """A page as the search saw it, without links out of scope."""
    held = search.memory.recall(url)
    assert held is not None and isinstance(held.result, Page), url
    return replace(held.result, links=tuple(link for link in held.result.links if scope.allows(link.url)))


def row_of(search: Search, yardstick: Yardstick, ground: SearchGround) -> Row:
    relevant = {key(url) for url in ground.case.task.relevant}
    scores = yardstick.scores([seen(search, output.url, ground.scope) for output in search.outputs])
    outputs = [
        {
            **output._asdict(),
            "score": score,
            "listed": is_listed(output.url, ground.every),
            "topic": key(output.url) in relevant,
        }
        for output, score in zip(search.outputs, scores, strict=True)
    ]
    fitness = sum(scores) / len(scores) if scores else 0.0
    return {"fitness": fitness, "outputs": outputs, **search.row}
