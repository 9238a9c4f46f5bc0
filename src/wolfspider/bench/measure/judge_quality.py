"""How well does each judge tell relevant pages from others? No crawl can be better than the judge it goes by.

Every page of a web is judged once, in an order drawn from the seed, as a crawl would meet them: a judge that learns
has seen only the pages before. It is given keywords and description and, if asked for, liked pages, drawn from the
relevant ones: they are met again like any other page, but left out of the figures. All other labels are for the
measuring. For each web, topic and judge there is a row with the average precision of the scores (1: every relevant page
above every other; a coin gives the share of relevant pages), and the precision, recall and harmonic mean f1 of the
pages that the judge calls relevant, as an export would show them. `microseconds`, the time that the judge took for a
page, depends on the machine and is in the rows, not in the tables.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from wolfspider.bench import Row
from wolfspider.bench.draw.report import markdown_lines
from wolfspider.bench.groups import grouped, indexed
from wolfspider.bench.measure.metrics import key
from wolfspider.bench.run.entrants import Entrant, judge_of, judges_entered
from wolfspider.bench.run.topics import in_half, tasks_of
from wolfspider.core import randomness
from wolfspider.core.model import Page
from wolfspider.core.topic import Task, Topic
from wolfspider.policy.judges import JUDGES
from wolfspider.policy.judges.judge import Judge, scored
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import World

Progress = Callable[[int, int], object]  # pages judged, pages to judge; each judge reads them all
SHOWN = ("average_precision", "precision", "recall", "f1")


def table(
    webs: Sequence[World],
    judges: Sequence[str] = tuple(JUDGES),
    seed: int = 0,
    progress: Progress | None = None,
    liked: int = 0,
    half: str | None = None,
) -> list[Row]:
    """A row for each web x judge x topic; so many pages of each topic are liked. A judge may be FILE.py[:NAME]."""
    entrants = judges_entered(judges)
    in_half({}, half)
    orders = [_order(world, seed) for world in webs]
    total = len(entrants) * sum(map(len, orders))
    done = 0
    rows: list[Row] = []
    for world, order in zip(webs, orders, strict=True):
        tasks = tasks_of(world, None, (), world.start, half=half)
        examples = {topic: _liked(world, topic, task, seed, liked) for topic, task in tasks.items()}
        for judge in entrants:
            trial = JudgeTrial(judge, tasks, examples)
            for page in _pages(world, order):
                trial.judge(page)
                done += 1
                if progress is not None and done % 100 == 0:
                    progress(done, total)
            rows.extend({"web": world.name, "seed": seed, "liked": liked, **row} for row in trial.rows())
    return rows


def _order(world: World, seed: int) -> list[str]:
    urls = sorted(world.graph(world.start).urls)
    randomness.generator(seed, "judges", world.name).shuffle(urls)
    return urls


def _pages(world: World, order: Iterable[str]) -> Iterator[Page]:
    found = (parse(world.look(url, world.start)) for url in order)
    return (page for page in found if isinstance(page, Page))


def _liked(world: World, topic: str, task: Task, seed: int, count: int) -> tuple[Page, ...]:
    urls = sorted(task.relevant)
    randomness.generator(seed, "liked", world.name, topic).shuffle(urls)
    return tuple(islice(_pages(world, urls), count))


class JudgeTrial:
    """One judge on every topic of a web at once, so that a page is read once for all of them."""

    def __init__(self, judge: Entrant, tasks: Mapping[str, Task], liked: Mapping[str, tuple[Page, ...]]) -> None:
        self._name = judge.name
        self._topics = list(tasks)
        self._judges: list[Judge] = [
            judge_of(judge.name, judge.plugin, task)(Topic(task.topic.keywords, task.topic.description, liked[topic]))
            for topic, task in tasks.items()
        ]
        self._liked = [frozenset(key(page.final_url) for page in liked[topic]) for topic in tasks]
        self._relevant = [frozenset(map(key, task.relevant)) for task in tasks.values()]
        self._scores: list[list[float]] = [[] for _ in tasks]
        self._labels: list[list[bool]] = [[] for _ in tasks]
        self._seconds, self._judged = 0.0, 0

    def judge(self, page: Page) -> None:
        began = time.process_time()
        found = [scored(judge, page).score for judge in self._judges]
        self._seconds += time.process_time() - began
        self._judged += len(found)
        address = key(page.final_url)
        for place, score in enumerate(found):
            if address not in self._liked[place]:
                self._scores[place].append(score)
                self._labels[place].append(address in self._relevant[place])

    def rows(self) -> Iterator[Row]:
        cost = 1e6 * self._seconds / max(1, self._judged)
        for topic, scores, labels in zip(self._topics, self._scores, self._labels, strict=True):
            yield {"judge": self._name, "topic": topic, **figures(scores, labels), "microseconds": round(cost)}


def figures(scores: Sequence[float], labels: Sequence[bool]) -> Row:
    score, label = np.array(scores, np.float64), np.array(labels, np.bool_)
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
    }


def average_precision(score: NDArray[np.float64], label: NDArray[np.bool_]) -> float:
    """The mean, over the relevant pages, of the precision down to each of them. Equal scores keep the order of reading,
    which is random: a judge gains nothing from calling everything good."""
    sorted_labels = label[np.argsort(-score, kind="stable")]
    precision = np.cumsum(sorted_labels) / np.arange(1, len(label) + 1)
    return float(precision[sorted_labels].mean()) if label.any() else 0.0


def means(rows: Iterable[Row]) -> dict[str, dict[str, Row]]:
    """judge -> web -> the mean of each figure over the web's topics; the web `all` is the mean of the webs."""
    found = {}
    for judge, own in grouped(rows, itemgetter("judge")).items():
        webs = {web: _mean(of_web) for web, of_web in grouped(own, itemgetter("web")).items()}
        found[judge] = {**webs, "all": _mean([*webs.values()])}
    return found


def _mean(rows: Sequence[Row]) -> Row:
    return {name: float(np.mean([row[name] for row in rows])) for name in (*SHOWN, "microseconds")}


def markdown(rows: Sequence[Row]) -> str:
    """Two tables: the judges, best first; and the average precision of each on every topic."""
    return f"{markdown_lines(_summary(means(rows)))}\n\n{markdown_lines(_by_topic(rows))}\n"


def _summary(found: Mapping[str, Mapping[str, Row]]) -> Iterator[list[str]]:
    ranked = sorted(found, key=lambda judge: -found[judge]["all"]["average_precision"])
    webs = [web for web in found[ranked[0]] if web != "all"]
    yield ["judge", *(f"AP {web}" for web in webs), "AP mean", "precision", "recall", "f1"]
    yield ["---"] * (len(webs) + 5)
    for judge in ranked:
        whole = found[judge]["all"]
        values = [*(found[judge][web]["average_precision"] for web in webs), *(whole[name] for name in SHOWN)]
        yield [f"`{judge}`", *(f"{value:.3f}" for value in values)]


def _by_topic(rows: Sequence[Row]) -> Iterator[list[str]]:
    judges = list(dict.fromkeys(row["judge"] for row in rows))
    yield ["web", "topic", "relevant", *(f"`{judge}`" for judge in judges)]
    yield ["---"] * (len(judges) + 3)
    for (web, topic), own in grouped(rows, itemgetter("web", "topic")).items():
        scores = indexed(own, itemgetter("judge"))
        precisions = [f"{scores[judge]['average_precision']:.3f}" for judge in judges]
        yield [web, topic, f"{own[0]['relevant']} of {own[0]['pages']}", *precisions]
