"""The cells of `akbari_lafc`: crawls on a ground, and what is measured of them.

A ground is a topic of a web, with one page to start from. On it runs one crawl, or several that leave each other what
they learned. Relevant is, as in the paper, a page whose similarity over the keywords alone is 0.75 or more; every
crawler trains with that judge. What the web itself says is relevant is measured beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, NamedTuple

from wolfspider.bench.experiment import Row, Setting
from wolfspider.bench.measure.metrics import key
from wolfspider.bench.papers.akbari_lafc.scales import CHANGING, COMPARE, CORPUS, NEAR_ONE, SWEEP, THEOREM, TIES
from wolfspider.bench.papers.akbari_lafc.tally import (
    Clusters,
    DownloadTally,
    Nearness,
    Responses,
    Restricted,
    anytime,
    curve,
    largest,
    minutes,
    share,
)
from wolfspider.bench.run.cell import backlinks, check_ended, opened, tasks_in
from wolfspider.bench.run.starts import CrawlStart, start_of
from wolfspider.core import codec
from wolfspider.core import randomness as chance
from wolfspider.core.model import BACKLINKS, Fetch, Link, Question
from wolfspider.core.params import LETTER
from wolfspider.core.scope import Scope
from wolfspider.core.text import key_of
from wolfspider.core.topic import Task, Topic
from wolfspider.drivers.driver import Result
from wolfspider.drivers.simulated import simulate, simulated_crawl
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.learn.automaton import Automaton
from wolfspider.policy.reinforcer import Reinforcer, Terms
from wolfspider.strategies import strategy_named
from wolfspider.strategies.hmm import Ljm
from wolfspider.strategies.lafc import Lafc
from wolfspider.web.worlds.parsed_once import ParsedOnce
from wolfspider.web.worlds.world import Looks, World

TAUGHT_BACKWARDS = ("context-graph", "relevancy-context-graph")  # strategies that ask for back-links
TOLD = (1, 2, 5, 10, 20, 30, 40, 50, 100)  # crawls after which it is told what the automata have learned


def measured(setting: Setting) -> Row:
    ground = ground_of(setting)
    return {"topic": ground.task.topic.name, **STUDIES[setting["study"]](setting, ground)}


# Where it is run


class CrawlGround(NamedTuple):
    """A topic of a web, with the page that crawls start from."""

    world: World
    task: Task  # with as many keywords as the setting says
    kept: ParsedOnce
    start: CrawlStart

    def places(self) -> dict[str, int]:
        """Relevant pages by the web's own truth, numbered."""
        return {key(url): place for place, url in enumerate(sorted(self.task.relevant))}


@lru_cache(maxsize=1)
def keeping(web: str) -> ParsedOnce:
    """Neighbouring cells are of one web, and share what was parsed."""
    return ParsedOnce(opened(web, None))


def ground_of(setting: Setting) -> CrawlGround:
    web, place = str(setting["web"]), setting["place"]
    tasks, world, kept = tasks_in(web), opened(web, None), keeping(web)
    whole = tasks[list(tasks)[place] if isinstance(place, int) else place]
    cut = Topic(whole.topic.keywords[: int(setting["keywords"])], name=whole.topic.name)
    task = Task(cut, whole.seeds, whole.relevant)
    return CrawlGround(world, task, kept, start_of(str(setting["start"]), world, task, kept))


def run(setting: Setting, ground: CrawlGround, hear: Callable[[int, Crawl], None], **given: Any) -> Iterator[Epoch]:
    """The crawls of a setting; `given` stands above its own settings. `hear` may listen to each, by its number."""
    crawls, budget = int(setting.get("crawls", 1)), int(setting.get("crawl_budget") or setting["budget"])
    if setting["strategy"] in TAUGHT_BACKWARDS:  # reading all links of the web is the service's work
        backlinks(ground.world, ground.world.start).look(
            Question(BACKLINKS, ground.task.seeds[0]).url, ground.world.start
        )

    def crawl_of(number: int) -> Crawl:
        crawl = new_crawl(setting, ground, number, budget, given)
        hear(number, crawl)
        return crawl

    where = (ground.start.looks, ground.kept, [ground.start.url], ground.world.start)
    for epoch in epochs(crawl_of, *where, crawls, inherit=not setting.get("broken")):
        check_ended(epoch.result.reason, setting["strategy"], setting["web"])
        yield epoch


def new_crawl(setting: Setting, ground: CrawlGround, number: int, budget: int, given: Mapping[str, Any]) -> Crawl:
    """The chances of a crawl are those of its ground and number, whatever crawls there: LJM and BPM learn from the same
    browsing, and values of a parameter are paired."""
    world, topic = ground.world, Topic(ground.task.topic.keywords)
    kind = strategy_named(str(setting["strategy"]))
    rng = chance.generator(0, world.name, ground.task.topic.name, setting["start"], number)
    return simulated_crawl(
        kind.new(topic, rng, {LETTER: True, **setting.get("settings", {}), **given}),
        Restricted,
        ground.start.looks,
        Limits(budget),
        reinforcer=Reinforcer(Terms(pays="new+relevant")),
        scope=Scope(within=ground.start.within),
        sources={BACKLINKS: backlinks(world, world.start)},
        train=str(setting.get("train", "charged")),
    )


class Done(NamedTuple):
    """What is left of a crawl: its times, and how it ended."""

    network: float
    processor: float
    end: float
    reason: str
    training: int


def tallied(
    setting: Setting,
    ground: CrawlGround,
    together: bool = False,
    heard: Callable[[int, Crawl], None] | None = None,
    given: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[list[DownloadTally], list[Done]]:
    """The crawls of a setting, each with a tally of its own, or all together with one."""
    places, tallies = ground.places(), []

    def hear(number: int, crawl: Crawl) -> None:
        if heard is not None:
            heard(number, crawl)
        if not (number and together):
            tallies.append(DownloadTally(places))
        crawl.listen(tallies[-1])

    done = [
        Done(epoch.network, epoch.processor, epoch.result.at, epoch.result.reason, epoch.crawl.flights.training)
        for epoch in run(setting, ground, hear, **given)
    ]
    return tallies, done


# Crawls that start from what the one before learned


class Epoch(NamedTuple):
    """A crawl that is over, and its seconds: of the network, in virtual time, and of the processor, without those that
    the web's answers took."""

    number: int
    crawl: Crawl
    result: Result
    network: float
    processor: float


def epochs(
    crawl_of: Callable[[int], Crawl],
    looks: Looks,
    kept: ParsedOnce,
    seeds: Sequence[str],
    start: float,
    crawls: int,
    inherit: bool = True,
) -> Iterator[Epoch]:
    """`crawl_of(number)` makes a crawl that has not begun, with listeners as wanted; it is called when the crawl before
    has ended. What is learned passes through `codec`, as it does between runs, so that no two crawls share anything.
    `looks` is what the crawls see of `kept`, which knows how long it took. Without `inherit` each crawl begins with
    nothing learned: what becomes of it then shows what inheriting is good for."""
    learned = None
    for number in range(crawls):
        began = time.process_time() - kept.seconds
        crawl = crawl_of(number)
        if learned is not None:
            crawl.strategy.inherit(codec.unpack(*learned))
        result = simulate(crawl, looks, start=start, seeds=seeds)
        learned = codec.pack(crawl.strategy.learned()) if inherit and number + 1 < crawls else None
        yield Epoch(number, crawl, result, result.at - start, time.process_time() - kept.seconds - began)
        start = result.at


# Comparing crawlers


def measure_crawler(setting: Setting, ground: CrawlGround) -> Row:
    """Crawls that share the budget are the row together; otherwise the last one is, and precisions of all are told."""
    shared = bool(setting.get("crawl_budget"))
    clusters: list[Clusters] = []

    def heard(number: int, crawl: Crawl) -> None:
        if isinstance(crawl.strategy, Ljm):
            clusters.append(Clusters(crawl.strategy))
            crawl.listen(clusters[-1])

    tallies, done = tallied(setting, ground, together=shared, heard=heard)
    row = _crawled(setting, tallies[-1], done if shared else done[-1:])
    row |= {"within": clusters[-1].within()} if clusters else {}
    if len(tallies) == 1:
        return row
    by_rule = [share(len(tally.found), tally.downloads) for tally in tallies]
    by_truth = [share(len(tally.truth), tally.downloads) for tally in tallies]
    return {**row, "epochs": {"precision": by_rule, "truth": by_truth}}


def _crawled(setting: Setting, tally: DownloadTally, done: Sequence[Done]) -> Row:
    network, processor = sum(one.network for one in done), sum(one.processor for one in done)
    budget = int(setting["budget"])
    return {
        "curve": curve(tally.found, budget),
        "truth_curve": curve(tally.truth, budget),
        "found": sorted(tally.found),
        "truth_found": sorted(tally.truth),
        "downloads": tally.downloads,
        "training": sum(one.training for one in done),
        **minutes(network, processor),
        "anytime": anytime(tally, done[-1].end - network, processor),
        "between": share(tally.between, tally.downloads),
        "reason": done[-1].reason,
    }


# Sweeping a parameter


def measure_sweep(setting: Setting, ground: CrawlGround) -> Row:
    lines = [_value(setting, ground, value)[0] for value in setting["values"]]
    return {name: [line[name] for line in lines] for name in lines[0]}


def _value(setting: Setting, ground: CrawlGround, value: float) -> tuple[Row, set[int]]:
    """What came of one value, and all addresses that were asked for."""
    tallies, done = tallied(setting, ground, given={str(setting["varied"]): value})
    downloads = sum(tally.downloads for tally in tallies)
    row = {
        "precision": share(sum(len(tally.found) for tally in tallies), downloads),
        "truth": share(sum(len(tally.truth) for tally in tallies), downloads),
        "distinct": share(len(set().union(*(tally.found for tally in tallies))), downloads),
        **minutes(sum(one.network for one in done), sum(one.processor for one in done)),
        "last": share(len(tallies[-1].found), tallies[-1].downloads),
        "downloads": downloads,
    }
    return row, set().union(*(tally.visited for tally in tallies))


def measure_ties(setting: Setting, ground: CrawlGround) -> Row:
    found = [_value(setting, ground, value) for value in setting["values"]]
    same = all(visited == found[0][1] for _, visited in found)
    return {"precision": [row["precision"] for row, _ in found], "same": same}


# What the automata learn


def measure_learning(setting: Setting, ground: CrawlGround) -> Row:
    nearness, responses = Nearness(), Responses()
    cohort: list[str] = []
    lines: list[Row] = []

    def hear(number: int, crawl: Crawl) -> None:
        assert isinstance(crawl.strategy, Lafc)
        responses.strategy = crawl.strategy
        crawl.listen(nearness)
        crawl.listen(responses)

    for epoch in run(setting, ground, hear, rate=setting["rate"]):
        strategy = epoch.crawl.strategy
        assert isinstance(strategy, Lafc)
        cohort = cohort if epoch.number else _rewarded(strategy)
        if epoch.number + 1 in TOLD:
            lines.append({"crawl": epoch.number + 1, **_preferences(strategy, cohort, nearness.of)})
    row = {name: [line[name] for line in lines] for name in lines[0]}
    return {**row, **responses.row(set(cohort))}


def _rewarded(strategy: Lafc) -> list[str]:
    """The pages whose automata were rewarded and have a choice. Each crawl has numbers of its own for them."""
    network = strategy.network
    able = [page for page in network.thresholds if page in network and len(network[page]) > 1]
    return [strategy.addresses.record(page).link.url for page in able]


def _preferences(strategy: Lafc, cohort: Sequence[str], near: Mapping[str, float]) -> Row:
    """Of a cohort, those that were rewarded in the first crawl: how many are as good as sure, how many prefer the best
    link that they can know of, and how likely their most likely link is on the mean. Those that a crawl knows nothing
    of are none of these. And of the whole network, where many are new: how many are sure by their plain chance."""
    mine, all_of_them = _automata(strategy, cohort), _automata(strategy, _rewarded(strategy))
    chances = [*map(largest, mine)]
    return {
        "share": share(sum(chance > NEAR_ONE for chance in chances), len(cohort)),
        "share_raw": share(sum(max(one.chances) > NEAR_ONE for one in all_of_them), len(all_of_them)),
        "best": share(sum(_prefers_best(strategy, one, near) for one in mine), len(cohort)),
        "mean_largest": sum(chances) / max(1, len(cohort)),
        "cohort": len(cohort),
    }


def _automata(strategy: Lafc, pages: Sequence[str]) -> list[Automaton]:
    numbers = [strategy.addresses.find(url) for url in pages]
    return [strategy.network[number] for number in numbers if number is not None and number in strategy.network]


def _prefers_best(strategy: Lafc, automaton: Automaton, near: Mapping[str, float]) -> bool:
    known = [near.get(strategy.addresses.record(action).link.url, -1.0) for action in automaton.actions]
    likeliest = max(range(len(automaton)), key=automaton.chances.__getitem__)
    return known[likeliest] == max(known) >= 0


# A web that changes


class ComingAndGoing:
    """A web of which some links are not there, others in each crawl: from crawl to crawl links go, and come back."""

    def __init__(self, looks: Looks, hidden: float) -> None:
        self._looks, self._hidden = looks, hidden
        self.crawl = 0

    def look(self, url: str, now: float) -> Fetch:
        fetch = self._looks.look(url, now)
        if fetch.page is None:
            return fetch
        page = fetch.page
        return replace(fetch, page=replace(page, links=tuple(filter(partial(self._there, page.url), page.links))))

    def _there(self, source: str, link: Link) -> bool:
        return key_of(f"{self.crawl} {source} {link.url}") % 1_000 >= 1_000 * self._hidden


def measure_changing(setting: Setting, ground: CrawlGround) -> Row:
    """Precision crawl by crawl."""
    web = ComingAndGoing(ground.start.looks, float(setting["hidden"]))
    changing = ground._replace(start=ground.start._replace(looks=web))

    def heard(number: int, crawl: Crawl) -> None:
        web.crawl = number

    tallies, _ = tallied(setting, changing, heard=heard)
    return {
        "precision": [share(len(tally.found), tally.downloads) for tally in tallies],
        "truth": [share(len(tally.truth), tally.downloads) for tally in tallies],
        "downloads": [tally.downloads for tally in tallies],
    }


STUDIES: Mapping[str, Callable[[Setting, CrawlGround], Row]] = {
    SWEEP: measure_sweep,
    COMPARE: measure_crawler,
    CORPUS: measure_crawler,
    THEOREM: measure_learning,
    TIES: measure_ties,
    CHANGING: measure_changing,
}
