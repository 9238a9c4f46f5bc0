"""The cells of `akbari_lafc`: what is run, and what is measured of it.

A ground is a topic of a web, with one page to start from. On it runs one crawl, or several that leave each other what
they learned. Relevant is, as in the paper, a page whose similarity over the keywords alone is 0.75 or more; every
crawler trains with that judge. What the web itself says is relevant is measured beside it.

    sweep      LAFC with one of its parameters at several values, each value on the same ground
    compare    one crawler
    corpus     one crawler, on a recorded web
    theorem    what the automata have learned after so many crawls
    ties       a topic of one keyword, where no control threshold can matter
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.bench.experiment import Form, Row, Setting
from wolfspider.bench.measure.metrics import key
from wolfspider.bench.papers.akbari_lafc.tally import (
    SURE,
    Nearness,
    Restricted,
    Tally,
    anytime,
    curve,
    largest,
    minutes,
    ruling_rate,
    share,
)
from wolfspider.bench.run.cell import backlinks, opened
from wolfspider.bench.run.epochs import Epoch, epochs
from wolfspider.bench.run.starts import DIRECTORY, STARTS, CrawlStart, start_of
from wolfspider.core import randomness as chance
from wolfspider.core.errors import Problem
from wolfspider.core.events import EndReason
from wolfspider.core.model import BACKLINKS, Question
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Task, Topic, load_tasks
from wolfspider.drivers.simulated import simulated_crawl
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.learn.automaton import Automaton
from wolfspider.policy.reinforcer import Reinforcer, Terms
from wolfspider.strategies import strategy_named
from wolfspider.strategies.lafc import Lafc
from wolfspider.web.worlds.parsed_once import ParsedOnce
from wolfspider.web.worlds.recorded import Recorded
from wolfspider.web.worlds.world import World

TAUGHT_BACKWARDS = ("context-graph", "relevancy-context-graph")  # who asks for back-links
AGAIN = 20  # crawls of LAFC-R
TOPIC_KEYWORDS = (1, 1, 2, 1, 2)  # of Linux, Robotics, Java Programming, Asthma, Olympic Games
SWEPT_KEYWORDS = 3  # where LAFC varies: with one no threshold can matter, with five few pages are near enough
CORPUS_KEYWORDS = 2  # on recorded webs, where hardly a page says all six alike and LAFC would not leave its start
CONTROLS = [0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]  # of table 2
RATES = [0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.2, 0.3, 0.4, 0.5]  # of table 3
SWEPT = {"control": {"rate": 0.1}, "rate": {"control": 0.8}}  # what the other parameter is meanwhile
THEOREM_RATES = (0.01, 0.03, 0.09, 0.3)
TOLD = (1, 2, 5, 10, 20, 30, 40, 50, 100)  # crawls after which it is told what the automata have learned
CRAWLERS: Mapping[str, Mapping[str, Any]] = {
    "LAFC": {"strategy": "lafc"},
    "LAFC-20": {"strategy": "lafc", "crawls": AGAIN},
    "LAFC-R": {"strategy": "lafc", "crawls": AGAIN},
    "LJM": {"strategy": "ljm"},
    "LJM+": {"strategy": "ljm", "settings": {"ties": "centroid"}},
    "BPM": {"strategy": "bpm"},
    "HW": {"strategy": "relevancy-context-graph"},
    "CG": {"strategy": "context-graph"},
    "best-first": {"strategy": "best-first"},
    "breadth-first": {"strategy": "breadth-first"},
}
TRAINING = CHARGED, FREE = "charged", "free"
TRAINED = ("LJM", "LJM+", "BPM", "HW", "CG")
CORPUS_CRAWLERS = ("LAFC", "LAFC-R", "LJM", "BPM", "HW", "CG", "best-first", "breadth-first")


class Scale(NamedTuple):
    """How much is run."""

    web: str  # large enough that a crawl hardly ever runs out of links before its budget is spent
    budget: int  # downloads; the paper's is 10,000
    controls: list[float]  # swept
    rates: list[float]
    first_rates: list[float]  # swept by single crawls, in which no rate can matter
    sweep_starts: tuple[str, ...]
    again_starts: tuple[str, ...]  # of LAFC-R in the comparison: twenty times the downloads of any other crawler
    theorem_topics: int
    theorem_crawls: int
    theorem_budget: int  # of each crawl
    corpora: tuple[str, ...]
    corpus_again: tuple[str, ...]  # corpora that LAFC-R is run on


FULL = Scale(
    "synthetic:pages=200000,topics=32,seed=1",
    *(10_000, CONTROLS, RATES, [0.05, 0.1, 0.5], (DIRECTORY,), STARTS),
    *(4, 100, 500, ("wiki", "docs", "news"), ("wiki",)),
)
QUICK = Scale(
    "synthetic:pages=40000,topics=16,seed=1",
    *(1_000, [0.45, 0.6, 0.75, 0.8, 0.95], [0.05, 0.09, 0.2, 0.5], [0.05, 0.1, 0.5], (DIRECTORY,), STARTS),
    *(2, 40, 200, ("wiki-small",), ("wiki-small",)),
)


def scale(form: Form) -> Scale:
    return QUICK if form.quick else FULL


def settings(form: Form) -> list[Setting]:
    """Topic by topic, so that neighbours look at the same pages."""
    of = scale(form)
    found: list[Setting] = []
    for place, keywords in enumerate(TOPIC_KEYWORDS):
        found += [*_comparison(of, place, keywords), *_sweeps(of, place), *_theorem(of, place)]
        found += _ties(of, place) if keywords == 1 else []
    return [*found, *_corpus(form, of)]


def _about(study: str, of: Scale, place: int, start: str, keywords: int, **more: Any) -> Setting:
    about = {"study": study, "web": of.web, "place": place, "start": start, "keywords": keywords}
    return {**about, "budget": of.budget, **more}


def _comparison(of: Scale, place: int, keywords: int) -> Iterator[Setting]:
    for start, (crawler, known) in product(STARTS, CRAWLERS.items()):
        if crawler == "LAFC-R" and start not in of.again_starts:
            continue
        for train in TRAINING if crawler in TRAINED else (CHARGED,):
            yield _about(
                "compare", of, place, start, keywords, crawler=crawler, train=train, **known, **_parts(of, crawler)
            )


def _parts(of: Scale, crawler: str) -> Mapping[str, int]:
    return {"crawl_budget": of.budget // AGAIN} if crawler == "LAFC-20" else {}


def _sweeps(of: Scale, place: int) -> Iterator[Setting]:
    for start, varied, crawls in product(of.sweep_starts, SWEPT, (1, AGAIN)):
        values = of.controls if varied == "control" else of.rates if crawls > 1 else of.first_rates
        known = {"strategy": "lafc", "settings": SWEPT[varied], "varied": varied, "values": values}
        parts = {"crawls": crawls, "crawl_budget": of.budget // crawls}
        yield _about("sweep", of, place, start, SWEPT_KEYWORDS, **known, **parts)


def _theorem(of: Scale, place: int) -> Iterator[Setting]:
    """And once with crawls that leave each other nothing, to show that claim 7 can fail."""
    if place >= of.theorem_topics:
        return
    kinds: list[Setting] = [{"rate": rate, "decay": decay} for rate, decay in product(THEOREM_RATES, (0.99, 1.0))]
    kinds.append({"rate": ruling_rate(THEOREM_RATES, of.theorem_crawls), "decay": 1.0, "broken": True})
    for kind in kinds:
        known = {"strategy": "lafc", "settings": {"decay": kind["decay"]}, **kind}
        size = {"crawls": of.theorem_crawls, "crawl_budget": of.theorem_budget}
        yield _about("theorem", of, place, DIRECTORY, SWEPT_KEYWORDS, **known, **size)


def _ties(of: Scale, place: int) -> Iterator[Setting]:
    known = {"strategy": "lafc", "settings": SWEPT["control"], "varied": "control", "values": [0.45, 0.8, 0.95]}
    yield _about("ties", of, place, DIRECTORY, 1, crawls=1, **known)


def _corpus(form: Form, of: Scale) -> Iterator[Setting]:
    for folder in corpora(form):
        budget = len(Recorded(folder)) // 4
        for name, task in load_tasks(folder / "topics.json").items():
            about = {"study": "corpus", "web": str(folder), "web_name": folder.name, "place": name, "start": DIRECTORY}
            size = {"keywords": min(CORPUS_KEYWORDS, len(task.topic.keywords)), "budget": budget}
            for crawler, train in product(CORPUS_CRAWLERS, TRAINING):
                if _on_corpus(of, folder, crawler, train):
                    yield {**about, **size, "crawler": crawler, "train": train, **CRAWLERS[crawler]}


def _on_corpus(of: Scale, folder: Path, crawler: str, train: str) -> bool:
    if crawler == "LAFC-R" and folder.name not in of.corpus_again:
        return False
    return train == CHARGED or crawler in TRAINED


def corpora(form: Form) -> list[Path]:
    """The recorded webs that are at hand."""
    folders = [form.corpora / name for name in scale(form).corpora] if form.corpora else []
    return [folder for folder in folders if folder.is_dir()]


def measured(setting: Setting) -> Row:
    ground = ground_of(setting)
    return {"topic": ground.task.topic.name, **STUDIES[setting["study"]](setting, ground)}


# Where it is run


class Ground(NamedTuple):
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


@lru_cache(maxsize=2)
def tasks(web: str) -> dict[str, Task]:
    return dict(opened(web, None).tasks())


def ground_of(setting: Setting) -> Ground:
    web, place = str(setting["web"]), setting["place"]
    known = tasks(web)
    task = known[list(known)[place] if isinstance(place, int) else place]
    cut = Topic(task.topic.keywords[: int(setting["keywords"])], name=task.topic.name)
    task = Task(cut, task.seeds, task.relevant)
    world, kept = opened(web, None), keeping(web)
    return Ground(world, task, kept, start_of(str(setting["start"]), world, task, kept))


def run(setting: Setting, ground: Ground, hear: Callable[[int, Crawl], None], **given: Any) -> Iterator[Epoch]:
    """The crawls of a setting; `given` stands above its own settings. `hear` may listen to each, by its number."""
    crawls = int(setting.get("crawls", 1))
    budget = int(setting.get("crawl_budget") or setting["budget"])
    if setting["strategy"] in TAUGHT_BACKWARDS:  # reading all links of the web is the service's work
        backlinks(ground.world, ground.world.start).look(
            Question(BACKLINKS, ground.task.seeds[0]).url, ground.world.start
        )

    def crawl_of(number: int) -> Crawl:
        crawl = new_crawl(setting, ground, number, budget, given)
        hear(number, crawl)
        return crawl

    keeps = not setting.get("broken")
    where = (ground.start.looks, ground.kept, [ground.start.url], ground.world.start)
    for epoch in epochs(crawl_of, *where, crawls, inherit=keeps):
        if epoch.result.reason == EndReason.STUCK:
            raise Problem(f"{setting['strategy']} waits for something that cannot come, on {setting['web']}.")
        yield epoch


def new_crawl(setting: Setting, ground: Ground, number: int, budget: int, given: Mapping[str, Any]) -> Crawl:
    """The chances of a crawl are those of its ground and number, whatever crawls there: LJM and BPM learn from the same
    browsing, and values of a parameter are paired."""
    world, topic = ground.world, Topic(ground.task.topic.keywords)
    kind = strategy_named(str(setting["strategy"]))
    rng = chance.generator(0, world.name, ground.task.topic.name, setting["start"], number)
    return simulated_crawl(
        kind.new(topic, rng, {**setting.get("settings", {}), **given}),
        Restricted,
        ground.start.looks,
        Limits(budget),
        reinforcer=Reinforcer(Terms(pays="new+relevant")),
        scope=Scope(within=ground.start.within),
        sources={BACKLINKS: backlinks(world, world.start)},
        train=str(setting.get("train", "charged")),
    )


# Comparing crawlers


def compared(setting: Setting, ground: Ground) -> Row:
    """`shared`: the crawls share the budget, and all of them are the row; otherwise the row is the last one."""
    shared = bool(setting.get("crawl_budget"))
    tallies = [Tally(ground.places())]

    def hear(number: int, crawl: Crawl) -> None:
        if number and not shared:
            tallies.append(Tally(ground.places()))
        crawl.listen(tallies[-1])

    done = list(map(_light, run(setting, ground, hear)))
    mine = done if shared else done[-1:]
    row = _crawled(setting, tallies[-1], mine)
    if len(tallies) == 1:
        return row
    by_rule = [share(len(tally.found), tally.downloads) for tally in tallies]
    by_truth = [share(len(tally.truth), tally.downloads) for tally in tallies]
    return {**row, "epochs": {"precision": by_rule, "truth": by_truth}}


class Done(NamedTuple):
    """What is left of a crawl: its times, and how it ended."""

    network: float
    processor: float
    end: float
    reason: str
    training: int


def _light(epoch: Epoch) -> Done:
    return Done(epoch.network, epoch.processor, epoch.result.at, epoch.result.reason, epoch.crawl.training)


def _crawled(setting: Setting, tally: Tally, done: Sequence[Done]) -> Row:
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


def swept(setting: Setting, ground: Ground) -> Row:
    lines = [_value(setting, ground, value)[0] for value in setting["values"]]
    return {name: [line[name] for line in lines] for name in lines[0]}


def _value(setting: Setting, ground: Ground, value: float) -> tuple[Row, set[int]]:
    """What came of one value, and all addresses that were asked for."""
    tallies: list[Tally] = []
    places = ground.places()

    def hear(number: int, crawl: Crawl) -> None:
        tallies.append(Tally(places))
        crawl.listen(tallies[-1])

    done = list(map(_light, run(setting, ground, hear, **{str(setting["varied"]): value})))
    downloads = sum(tally.downloads for tally in tallies)
    relevant = sum(len(tally.found) for tally in tallies)
    row = {
        "precision": share(relevant, downloads),
        "truth": share(sum(len(tally.truth) for tally in tallies), downloads),
        "distinct": share(len(set().union(*(tally.found for tally in tallies))), downloads),
        **minutes(sum(one.network for one in done), sum(one.processor for one in done)),
        "last": share(len(tallies[-1].found), tallies[-1].downloads),
        "downloads": downloads,
    }
    return row, set().union(*(tally.visited for tally in tallies))


def tied(setting: Setting, ground: Ground) -> Row:
    found = [_value(setting, ground, value) for value in setting["values"]]
    same = all(visited == found[0][1] for _, visited in found)
    return {"precision": [row["precision"] for row, _ in found], "same": same}


# What the automata learn


def learned(setting: Setting, ground: Ground) -> Row:
    nearness = Nearness()
    cohort: list[str] = []
    lines: list[Row] = []
    for epoch in run(setting, ground, lambda number, crawl: crawl.listen(nearness), rate=setting["rate"]):
        strategy = epoch.crawl.strategy
        assert isinstance(strategy, Lafc)
        cohort = cohort if epoch.number else _rewarded(strategy)
        if epoch.number + 1 in TOLD:
            lines.append({"crawl": epoch.number + 1, **_preferences(strategy, cohort, nearness.of)})
    return {name: [line[name] for line in lines] for name in lines[0]}


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
        "share": share(sum(chance > SURE for chance in chances), len(cohort)),
        "share_raw": share(sum(max(one.chances) > SURE for one in all_of_them), len(all_of_them)),
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


STUDIES: Mapping[str, Callable[[Setting, Ground], Row]] = {
    "sweep": swept,
    "compare": compared,
    "corpus": compared,
    "theorem": learned,
    "ties": tied,
}
