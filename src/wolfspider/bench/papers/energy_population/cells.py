"""The cells of `energy_population`: each is a crawl of agents that live on relevance. By `study`:

    figures    the crawlers of Figs. 2 to 6; once as printed, where a second visit is free, and once where it costs C
    exhausted  the crawler with the buffer, on a web so small that it finds all there is of the topic
    rates      how an agent fares on a single page, with the parameters that the paper explains C and G by
    corpus     some of the crawlers, on a recorded web

A run has a web, a topic and starting points of its own, and all crawlers of a run draw the same chances.

The paper tunes the gain rate of the original model by hand. Here whole crawls on the same ground tune it. The first
rate is C over the mean relevance of a short crawl of the sigmoid. The rate rises by a quarter if everybody died and
falls by a quarter if the population grew tenfold; once both have happened, the next rate lies between the two. This
ends when neither happens, or after eight crawls. So that rate is chosen by its result. The two others are a quarter of
it and four times as much. Precision has to be compared at similar populations, and that of the sigmoid grows: this is
done with another rate, C over the mean relevance of all pages that the sigmoid brings.

Two crawlers are broken on purpose, so that claims can be seen to fail: a buffer without bounds, and a threshold R that
stays where no page can be below it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from wolfspider.bench.experiment import Row, Setting
from wolfspider.bench.measure.population import Energies
from wolfspider.bench.papers.energy_population.page_meter import PageMeter, figures
from wolfspider.bench.run.cell import check_ended, inside, opened
from wolfspider.core import randomness
from wolfspider.core.events import Event, Finish, Noted
from wolfspider.core.params import LETTER
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Task, Topic
from wolfspider.drivers.simulated import simulate, simulated_crawl
from wolfspider.engine.crawl import Limits
from wolfspider.learn.balance import STEEPEST, Threshold, energy
from wolfspider.policy.judges.judge import Unasked
from wolfspider.policy.reinforcer import Reinforcer, Terms
from wolfspider.strategies.energy.knowledge import MOST_AGENTS
from wolfspider.strategies.energy.walk import Energy
from wolfspider.web.worlds.parsed_once import ParsedOnce

FIGURES, EXHAUSTED, RATES, CORPUS = "figures", "exhausted", "rates", "corpus"
PRINTED, CORRECTED = 0.0, 1.0  # what a second visit costs, in units of C
UB, LB, AGENTS, COST = 250, 50, 200, 0.5
BYTES_KEPT = 1 << 30  # about 50,000 pages of two crawls with different ways
MOST_GAIN = 250.0  # of a tuned rate; four times as much is the most there may be
EXPLODES, PILOTS, STEP = 10 * AGENTS, 8, 1.25
LOW, MIDDLE, HIGH = "original, gain x 1/4", "original, gain x 1", "original, gain x 4"
MATCHED = "original, gain of the sigmoid"
WIDE, FIG_4, NARROW = "sigmoid, C=0.2, G=10", "sigmoid, C=0.5, G=8", "sigmoid, C=1, G=4"
FREE, BUFFER, EXACT, UNBOUND = "sigmoid, G=30", "buffer, G=30", "sigmoid, exact R, G=8", "buffer without bounds, G=30"
ORIGINALS, SIGMOIDS = (LOW, MIDDLE, HIGH), (WIDE, FIG_4, NARROW)
LEARNING = "buffer, G=30, agents learn"
DEADLY, TWENTIETH = "sigmoid, C=1.1, G=10", "sigmoid, C=0.5, G=10"

SIGMOID, BOUNDED = {"model": "sigmoid", "cost": COST}, {"model": "buffer", "cost": COST, "gain": 30.0}
CRAWLERS: Mapping[str, Mapping[str, Any]] = {
    LOW: {"model": "original", "cost": COST, "factor": 0.25},
    MIDDLE: {"model": "original", "cost": COST, "factor": 1.0},
    HIGH: {"model": "original", "cost": COST, "factor": 4.0},
    MATCHED: {"model": "original", "cost": COST},
    WIDE: {"model": "sigmoid", "cost": 0.2, "gain": 10.0},
    FIG_4: {**SIGMOID, "gain": 8.0},
    NARROW: {"model": "sigmoid", "cost": 1.0, "gain": 4.0},
    FREE: {**SIGMOID, "gain": 30.0},
    BUFFER: {**BOUNDED, "most": UB, "least": LB},
    EXACT: {**SIGMOID, "gain": 8.0, "threshold": "exact"},
    UNBOUND: {**BOUNDED, "most": MOST_AGENTS, "least": 0},
    LEARNING: {**BOUNDED, "most": UB, "least": LB, "learning": 0.1},
    DEADLY: {"model": "sigmoid", "cost": 1.1, "gain": 10.0},
    TWENTIETH: {**SIGMOID, "gain": 10.0},
}
PLAIN = (*ORIGINALS, MATCHED, *SIGMOIDS, FREE, BUFFER)
ON_CORPORA = (MATCHED, FIG_4, FREE, BUFFER)


class Ground(NamedTuple):
    """Where and how agents crawl: everything about a cell but its crawler. Neighbouring cells share it."""

    web: str
    place: int | str
    starts: int
    budget: int
    revisit: float
    relevant: bool = False  # does it start on relevant pages that are drawn, and not where the task does?


def measured(setting: Setting) -> Row:
    ground = Ground(*(setting[name] for name in Ground._fields if name in setting))
    crawler = dict(CRAWLERS[setting["crawler"]])
    if crawler["model"] == "original":
        factor = crawler.pop("factor", None)
        crawler["gain"] = balance(ground) if factor is None else factor * tuned(ground)
    reason, energies, pages = crawled(ground, crawler, fixed=bool(setting.get("fixed")))
    task = task_of(ground)
    row = {"topic": task.topic.name, "relevant": len(task.relevant), "gain": crawler["gain"], "reason": reason}
    return {**row, **figures(energies, pages, ground.budget)}


@lru_cache(maxsize=2)
def balance(ground: Ground) -> float:
    """C over the mean relevance of the pages that the sigmoid of Fig. 4 brings."""
    _, _, pages = crawled(ground, CRAWLERS[FIG_4])
    return min(MOST_GAIN, COST / max(pages.mean_relevance, 1e-6))


@lru_cache(maxsize=2)
def tuned(ground: Ground) -> float:
    """A gain rate with which the original model neither dies out nor explodes; the last one tried, if none is found."""
    low, high = 0.0, math.inf
    rate = balance(ground._replace(budget=ground.budget // 10))
    for _ in range(PILOTS):
        _, energies, _ = crawled(ground, {"model": "original", "cost": COST, "gain": rate}, most=EXPLODES)
        if energies.largest >= EXPLODES:
            high = rate
        elif energies.extinct is not None:
            low = rate
        else:
            break
        rate = between(low, high)
    return rate


def between(low: float, high: float) -> float:
    """The geometric middle of two rates, or a step beyond the only one there is."""
    if not low:
        return high / STEP
    return min(MOST_GAIN, low * STEP) if high == math.inf else math.sqrt(low * high)


def crawled(
    ground: Ground, crawler: Mapping[str, Any], fixed: bool = False, most: float = math.inf
) -> tuple[str, Energies, PageMeter]:
    """One crawl, why it ended, and its meters. It ends early with `most` agents, as its fate is known by then. Its
    chances are those of its ground, whatever crawler it is."""
    world, task = opened(ground.web, None), task_of(ground)
    given = {LETTER: True, **crawler, "revisit": ground.revisit, "agents": AGENTS}
    rng = randomness.generator(0, world.name, task.topic.name)
    strategy = (FixedThreshold if fixed else Energy).new(Topic(task.topic.keywords), rng, given)
    crawl = simulated_crawl(
        strategy,
        Unasked,
        world,
        Limits(ground.budget),
        reinforcer=Reinforcer(Terms(pays="new+relevant")),
        scope=Scope(within=inside(world)),
    )

    def finish(event: Event) -> None:
        if isinstance(event, Noted) and energies.alive >= most:
            crawl.inbox.append(Finish())

    crawl.listen(pages := PageMeter(strategy, task.relevant))
    crawl.listen(energies := Energies())
    crawl.listen(finish)
    reason = simulate(crawl, keeping(ground.web), start=world.start, seeds=starts_of(ground)).reason
    check_ended(reason, "energy", world.name)
    return reason, energies, pages


@lru_cache(maxsize=1)
def keeping(web: str) -> ParsedOnce:
    """Neighbouring cells are of one web, and share its parsed pages."""
    return ParsedOnce(opened(web, None), BYTES_KEPT)


@lru_cache(maxsize=2)
def tasks(web: str) -> Mapping[str, Task]:
    return dict(opened(web, None).tasks())


def task_of(ground: Ground) -> Task:
    topics = tasks(ground.web)
    return topics[[*topics][ground.place % len(topics)] if isinstance(ground.place, int) else ground.place]


def starts_of(ground: Ground) -> Sequence[str]:
    """On a recorded web, relevant pages with links, drawn by web and topic: as the paper has highly relevant starts."""
    task = task_of(ground)
    if not ground.relevant:
        return task.seeds[: ground.starts]
    world, found = opened(ground.web, None), list[str]()
    candidates = sorted(filter(inside(world), task.relevant))
    randomness.generator(0, "relevant starts", world.name, task.topic.name).shuffle(candidates)
    for url in candidates:
        page = keeping(ground.web).look(url, world.start).page if len(found) < ground.starts else None
        if page is not None and page.links:
            found.append(url)
    return found


class FixedThreshold(Energy):
    """Broken: R is 0 and stays there, so that no page is below it."""

    def _energy(self, relevance: float) -> float:
        self.limit = [0.0, STEEPEST]
        return energy(relevance, Threshold(*self.limit), self.params.cost, self.params.gain)
