"""How well does each judge tell relevant pages from others? No crawl can be better than the judge it goes by.

Pages are judged once each, as a crawl would meet them: a judge that learns has seen only the pages before. There are
two orders. `shuffled`: every page of a web, in an order drawn from the seed. `crawl`: for each topic, the pages that a
best-first crawl with the judge `coverage` brings from the topic's seeds, in the order in which it brings them; the same
pages for every judge. A judge is given keywords and description and, if asked for, liked pages, drawn from the relevant
ones: they are met again like any other page, but left out of the figures. What liked pages gain shows beside the same
without them, when the judges are not told (`untold`) and the same pages are left out. With `labels`, a person labels
the first pages that the judge calls relevant, each right after it was judged, so that later ones are judged better. All
other labels are for the measuring. With `main_text`, judges read titles and main texts alone; crawls are the same.

For each web, order, topic and judge there is a row with the average precision of the scores (1: every relevant page
above every other; a coin gives the share of relevant pages); the precision, recall and harmonic mean f1 of the pages
that the judge calls relevant, as an export would show them; and how far its probability can be trusted: `brier`, the
mean square of what it is wrong by, and `bins`, for each tenth of probability how many pages got it, how many of them
are relevant, and the sum of their probabilities. Where a judge gives no probability, its score is taken for one.
`microseconds`, the time that the judge took for a page whose words are counted, depends on the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.bench import Row
from wolfspider.bench.groups import grouped
from wolfspider.bench.measure.main_text_only import main_text_only
from wolfspider.bench.measure.metrics import charged, key
from wolfspider.bench.run.cell import Cell, inside, new_crawl
from wolfspider.bench.run.entrants import Entrant, judge_of, judges_entered
from wolfspider.bench.run.topics import tasks_of
from wolfspider.core import randomness
from wolfspider.core.errors import no_such
from wolfspider.core.events import Event
from wolfspider.core.model import Page, Verdict
from wolfspider.core.scope import Scope
from wolfspider.core.text import counts
from wolfspider.core.topic import Task, Topic
from wolfspider.drivers.simulated import simulate
from wolfspider.policy.judges import LISTED
from wolfspider.policy.judges.judge import Judge, scored
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import World

Progress = Callable[[int, int], object]  # pages judged, pages to judge
Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]
SHUFFLED, CRAWL = ORDERS = ("shuffled", "crawl")
CRAWLER, GUIDE = "best-first", "coverage"  # the strategy and the judge of the crawl
BINS = 10
MEANS = ("average_precision", "precision", "recall", "f1", "brier", "microseconds")


class Wanted(NamedTuple):
    """What is measured. A judge may be FILE.py[:NAME]."""

    judges: Sequence[str] = LISTED
    orders: Sequence[str] = (SHUFFLED,)
    tasks: Callable[[World], Mapping[str, Task]] = lambda world: tasks_of(world, None, (), world.start)
    liked: int = 0  # pages of each topic
    untold: bool = False  # those are left out, and no judge is shown them
    labels: int = 0  # of the pages that a judge calls relevant, the first ones
    pages: int = 1000  # of each crawl
    seed: int = 0
    main_text: bool = False  # do judges read the main text alone?


class Reading(NamedTuple):
    """Pages in the order in which they are judged, and the topics they are judged for."""

    web: str
    order: str
    tasks: Mapping[str, Task]
    liked: Mapping[str, tuple[Page, ...]]
    length: int
    pages: Callable[[], Iterable[Page]]


def table(webs: Sequence[World], wanted: Wanted, progress: Progress | None = None) -> list[Row]:
    """A row for each web x order x topic x judge."""
    entrants = judges_entered(wanted.judges)
    if unknown := set(wanted.orders).difference(ORDERS):
        raise no_such("--order", unknown.pop(), ORDERS)
    ways = [*chain.from_iterable(readings(world, wanted) for world in webs)]
    total = sum(reading.length for reading in ways)
    done = 0
    rows: list[Row] = []
    for reading in ways:
        trials = [JudgeTrial(judge, reading, wanted) for judge in entrants]
        for number, page in enumerate(reading.pages(), 1):
            counts(page)
            for trial in trials:
                trial.judge(page)
            if progress is not None and number % 100 == 0:
                progress(done + number, total)
        done += reading.length
        told = {"web": reading.web, "order": reading.order, "seed": wanted.seed}
        told |= {"liked": wanted.liked, "untold": wanted.untold, "labels": wanted.labels}
        rows.extend({**told, **row} for trial in trials for row in trial.rows())
    return rows


def readings(world: World, wanted: Wanted) -> Iterator[Reading]:
    tasks = wanted.tasks(world)
    name = f"{world.name}, main text" if wanted.main_text else world.name
    shown = main_text_only(world) if wanted.main_text else lambda page: page
    liked = {topic: tuple(map(shown, _liked(world, topic, task, wanted))) for topic, task in tasks.items()}
    if SHUFFLED in wanted.orders:
        urls = _shuffled(world.graph(world.start).urls, wanted.seed, "judges", world.name)
        yield Reading(name, SHUFFLED, tasks, liked, len(urls), partial(_shown, shown, lambda: _looked_at(world, urls)))
    if CRAWL in wanted.orders:
        for topic, task in tasks.items():
            met = _crawl(world, topic, task, wanted)
            yield Reading(name, CRAWL, {topic: task}, liked, wanted.pages, partial(_shown, shown, met))


def _shown(shown: Callable[[Page], Page], pages: Callable[[], Iterable[Page]]) -> Iterator[Page]:
    return map(shown, pages())


def _shuffled(urls: Iterable[str], seed: int, *purpose: str) -> list[str]:
    found = sorted(urls)
    randomness.generator(seed, *purpose).shuffle(found)
    return found


def _looked_at(world: World, urls: Iterable[str]) -> Iterator[Page]:
    """As a crawl of the web would have them: without links out of it."""
    scope = Scope(within=inside(world))
    found = (parse(world.look(url, world.start)) for url in urls)
    return (scope.cut(page) for page in found if isinstance(page, Page))


def _crawl(world: World, topic: str, task: Task, wanted: Wanted) -> Callable[[], list[Page]]:
    cell = Cell(world.name, world.name, topic, CRAWLER, 0, wanted.pages, GUIDE, world.start, seed=wanted.seed)

    def pages() -> list[Page]:
        found: list[Page] = []

        def heard(event: Event) -> None:
            landed = charged(event)
            if landed is not None and landed.outcome.page is not None:
                found.append(landed.outcome.page)

        crawl = new_crawl(cell, task, world, world)
        crawl.listen(heard)
        simulate(crawl, world, start=cell.start, seeds=task.seeds)
        return found

    return pages


def _liked(world: World, topic: str, task: Task, wanted: Wanted) -> tuple[Page, ...]:
    urls = _shuffled(task.relevant, wanted.seed, "liked", world.name, topic)
    return tuple(islice(_looked_at(world, urls), wanted.liked))


class JudgeTrial:
    """One judge on all topics of a reading at once, so that a page is read once for all of them."""

    def __init__(self, judge: Entrant, reading: Reading, wanted: Wanted) -> None:
        self._name = judge.name
        self._topics = list(reading.tasks)
        self._judges: list[Judge] = [
            judge_of(judge.name, judge.plugin, task)(
                Topic(task.topic.keywords, task.topic.description, () if wanted.untold else reading.liked[topic])
            )
            for topic, task in reading.tasks.items()
        ]
        self._liked = [frozenset(key(page.final_url) for page in reading.liked[topic]) for topic in reading.tasks]
        self._labels = [wanted.labels for _ in reading.tasks]  # that a person still gives
        self._relevant = [frozenset(map(key, task.relevant)) for task in reading.tasks.values()]
        self._said: list[list[tuple[float, float, bool]]] = [[] for _ in reading.tasks]
        self._seconds, self._judged = 0.0, 0

    def judge(self, page: Page) -> None:
        began = time.process_time()
        found = [scored(judge, page) for judge in self._judges]
        self._seconds += time.process_time() - began
        self._judged += len(found)
        address = key(page.final_url)
        for place, verdict in enumerate(found):
            if address in self._liked[place]:
                continue
            label = address in self._relevant[place]
            self._said[place].append((verdict.score, _probability(verdict), label))
            if verdict.relevant and self._labels[place]:
                self._labels[place] -= 1
                self._judges[place].learn(page, label)

    def rows(self) -> Iterator[Row]:
        cost = 1e6 * self._seconds / max(1, self._judged)
        for topic, said in zip(self._topics, self._said, strict=True):
            yield {"judge": self._name, "topic": topic, **figures(said), "microseconds": round(cost)}


def _probability(verdict: Verdict) -> float:
    return verdict.score if verdict.probability is None else verdict.probability


def figures(said: Sequence[tuple[float, float, bool]]) -> Row:
    """Of scores, probabilities and labels."""
    score, probability = (np.array([one[place] for one in said], np.float64) for place in (0, 1))
    label = np.array([one[2] for one in said], np.bool_)
    called = score >= 0.5
    right = int((called & label).sum())
    precision = right / max(1, int(called.sum()))
    recall = right / max(1, int(label.sum()))
    return {
        "pages": len(score),
        "relevant": int(label.sum()),
        "average_precision": round(average_precision(score, label), 4),
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(2 * precision * recall / (precision + recall), 4) if right else 0.0,
        "brier": round(float(((probability - label) ** 2).mean()), 5) if len(score) else 0.0,
        "bins": _bins(probability, label),
    }


def average_precision(score: Floats, label: Labels) -> float:
    """The mean, over the relevant pages, of the precision down to each of them. Pages of equal score are taken
    together: a judge gains nothing from the order of reading, nor from calling everything good."""
    if not label.any():
        return 0.0
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)  # of those with the same score
    found, read = np.cumsum(label[order])[last], np.flatnonzero(last) + 1
    return float((np.diff(found, prepend=0) * found / read).sum() / found[-1])


def _bins(probability: Floats, label: Labels) -> list[list[float]]:
    place = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    columns = (np.bincount(place, weight, BINS) for weight in (np.ones(len(place)), label, probability))
    return [[int(pages), int(good), round(float(sure), 4)] for pages, good, sure in zip(*columns, strict=True)]


def calibration(rows: Iterable[Row]) -> Floats:
    """For each tenth of probability: how many pages got it, how many are relevant, and the sum of the probabilities."""
    bins: Floats = np.array([row["bins"] for row in rows], np.float64).sum(axis=0)
    return bins


def calibration_error(bins: Floats) -> float:
    """The mean, over all pages, of the distance between the probability of a tenth and the share of it that is
    relevant: the expected calibration error."""
    return float(np.abs(bins[:, 1] - bins[:, 2]).sum() / max(1.0, bins[:, 0].sum()))


def means(rows: Iterable[Row]) -> dict[str, dict[str, Row]]:
    """judge -> web -> the mean of each figure over the web's topics; the web `all` is the mean of the webs. A topic of
    which no page was met says nothing about judges, and is left out."""
    found = {}
    for judge, own in grouped(rows, itemgetter("judge")).items():
        webs = {web: _mean(of_web) for web, of_web in grouped(own, itemgetter("web")).items()}
        found[judge] = {**webs, "all": {name: _average(webs.values(), name) for name in (*MEANS, "ece")}}
    return found


def _mean(rows: Sequence[Row]) -> Row:
    telling = [row for row in rows if row["relevant"]] or rows
    return {name: _average(telling, name) for name in MEANS} | {"ece": calibration_error(calibration(rows))}


def _average(rows: Iterable[Row], name: str) -> float:
    return float(np.mean([row[name] for row in rows]))
