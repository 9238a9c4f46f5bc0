"""What do labels bring a crawl, and does it matter which pages are labelled?

    python benchmarks/teaching.py WEB... [--half choose] [--pages 500] [--labels 10 30 100] [--wrong 0 0.1 0.2]

A simulated teacher labels pages of a crawl as the topics of the web do, some of them wrongly, drawn at random. Which
pages it is asked about, and when, is decided as for a real one (policy/questions.py), or at random among the pages that
came so far, at the same moments. Labels are commands, as they are on the live web. Without labels the same crawl is the
baseline, and a crawl whose judge knows the label of every page shows what labels could bring at best.

Printed is the mean auc_ratio for each number of labels, its difference from the baseline with a 95 % bootstrap interval
over topics, and the share of labels that said yes. --figure draws it. Finished crawls are kept in build/: the same
command, interrupted, goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
from arena_cells import ratio

from wolfspider.bench import Row
from wolfspider.bench.draw.report import text_table
from wolfspider.bench.draw.svg import Figure
from wolfspider.bench.measure.metrics import RelevantPages, charged, key
from wolfspider.bench.run.cell import Cell, new_crawl, opened
from wolfspider.bench.run.pool import run_cells
from wolfspider.bench.run.result_cache import ResultCache, digest_of
from wolfspider.bench.run.runner import cell_key
from wolfspider.bench.run.source import source_of
from wolfspider.bench.run.topics import HALVES, Assignment, WebBounds, bounds_cache, tasks_of
from wolfspider.bench.stats import interval
from wolfspider.core import randomness
from wolfspider.core.events import Event, Label
from wolfspider.drivers.simulated import simulate
from wolfspider.engine.crawl import Crawl
from wolfspider.policy import questions
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.policy.questions import Doubtful, Questions, due
from wolfspider.strategies import DEFAULT_STRATEGY

KEPT = Path("build/teaching.cells")
ORACLE = "oracle"  # the judge that knows every label
RULE, RANDOM = CHOICES = ("rule", "random")


class Lesson(NamedTuple):
    """One crawl, and how it is taught."""

    web: str
    topic: str
    strategy: str
    judge: str
    pages: int
    labels: int
    choice: str
    wrong: float
    repeat: int


class Taught(NamedTuple):
    auc_ratio: float
    found: int
    given: int  # labels
    good: int  # of them, those that said yes


class Teacher:
    """Labels pages as the topic does, but for those it is wrong about."""

    def __init__(self, lesson: Lesson, crawl: Crawl, relevant: frozenset[str]) -> None:
        self.lesson, self.crawl, self.relevant = lesson, crawl, relevant
        self.questions = Questions()
        self.given = self.good = 0
        self.draw = randomness.generator(lesson.repeat, "teacher", lesson.topic)

    def hear(self, event: Event) -> None:
        self.questions.hear(event)
        landed = charged(event)
        while landed and self.given < self.lesson.labels and self._due() <= landed.downloads and self._teach():
            pass

    def _due(self) -> int:
        return due(self.given, self.lesson.labels, self.lesson.pages)

    def _teach(self) -> bool:
        asked = self.questions.take(self._by_chance if self.lesson.choice == RANDOM else None)
        if asked is None:
            return False
        good = (key(asked.url) in self.relevant) != (self.draw.random() < self.lesson.wrong)
        self.given, self.good = self.given + 1, self.good + good
        self.crawl.inbox.append(Label(asked.url, good))
        return True

    def _by_chance(self, candidate: Doubtful) -> float:
        return self.draw.random()


def taught(lesson: Lesson) -> Row:
    """The fields of `Taught`."""
    on, cell = planned(lesson)
    world = opened(lesson.web, None)
    crawl = new_crawl(cell, on.task, world, world)
    found = RelevantPages(on.task.relevant)
    teacher = Teacher(lesson, crawl, found.relevant)
    crawl.listen(found)
    crawl.listen(teacher.hear)
    simulate(crawl, world, start=on.start, seeds=on.task.seeds)
    figure = ratio(found.curve, on.bounds, lesson.pages) or 0.0
    return Taught(figure, len(found), teacher.given, teacher.good)._asdict()


def planned(lesson: Lesson) -> tuple[Assignment, Cell]:
    world = opened(lesson.web, None)
    task = world.tasks()[lesson.topic]
    about = (lesson.web, world.name, lesson.topic, lesson.strategy, 0, lesson.pages, lesson.judge, world.start)
    bounds = _bounds(lesson.web, lesson.pages).of(task)
    return Assignment(lesson.web, world.name, world.digest(), world.start, task, bounds), Cell(*about)


@lru_cache(maxsize=2)
def _bounds(web: str, pages: int) -> WebBounds:
    world = opened(web, None)
    return WebBounds(world, world.start, pages, bounds_cache())


def lessons(asked: argparse.Namespace) -> Iterator[Lesson]:
    for web in asked.webs:
        world = opened(web, None)
        for topic in list(tasks_of(world, None, (), world.start, half=asked.half))[: asked.topics]:
            same = (web, topic, asked.strategy, asked.judge, asked.pages)
            yield Lesson(*same, 0, RULE, 0.0, 0)
            yield Lesson(web, topic, asked.strategy, ORACLE, asked.pages, 0, RULE, 0.0, 0)
            for labels in asked.labels:
                for choice in asked.choices:
                    for wrong in asked.wrong:
                        by_chance = choice == RANDOM or wrong > 0
                        for repeat in range(asked.repeats if by_chance else 1):
                            yield Lesson(*same, labels, choice, wrong, repeat)


def crawled(wanted: Sequence[Lesson], jobs: int) -> dict[Lesson, Taught]:
    source = source_of(questions.__name__)
    keys = [digest_of([cell_key(*planned(lesson)), source, *lesson[5:]]) for lesson in wanted]
    done = {}
    with closing(run_cells(taught, [(one,) for one in wanted], keys, ResultCache(KEPT), jobs)) as results:
        for count, (number, row) in enumerate(results, 1):
            print(f"\r{count} of {len(wanted)} crawls", end="", file=sys.stderr, flush=True)
            done[wanted[number]] = Taught(**row)
    print(file=sys.stderr)
    return done


class Line(NamedTuple):
    labels: int
    mean: float
    difference: float
    low: float
    high: float
    yes: float  # share of labels


def lines(done: dict[Lesson, Taught]) -> dict[tuple[str, float], list[Line]]:
    """By choice and share of wrong labels."""
    plain = {lesson[:2]: result.auc_ratio for lesson, result in done.items() if _is_plain(lesson)}
    groups: dict[tuple[str, float, int], dict[tuple[str, str], list[Taught]]] = defaultdict(lambda: defaultdict(list))
    for lesson, result in done.items():
        if lesson.labels:
            groups[lesson.choice, lesson.wrong, lesson.labels][lesson[:2]].append(result)
    told: dict[tuple[str, float], list[Line]] = defaultdict(list)
    for (choice, wrong, labels), topics in sorted(groups.items()):
        means = {topic: fmean(one.auc_ratio for one in results) for topic, results in topics.items()}
        differences = [means[topic] - plain[topic] for topic in means]
        low, high = interval(np.array(differences))
        every = [one for results in topics.values() for one in results]
        yes = sum(one.good for one in every) / max(1, sum(one.given for one in every))
        told[choice, wrong].append(Line(labels, fmean(means.values()), fmean(differences), low, high, yes))
    return told


def _is_plain(lesson: Lesson) -> bool:
    """Is it a crawl without labels, and without a judge that knows them?"""
    return not lesson.labels and lesson.judge != ORACLE


def table(told: dict[tuple[str, float], list[Line]]) -> str:
    body = []
    for (choice, wrong), own in told.items():
        for line in own:
            spread = f"{line.low:+.3f} to {line.high:+.3f}"
            figures = (f"{line.mean:.3f}", f"{line.difference:+.3f}", spread, f"{line.yes:.0%}")
            body.append([choice, f"{wrong:.0%}", str(line.labels), *figures])
    return text_table(["pages chosen by", "wrong", "labels", "auc_ratio", "gain", "95 %", "yes"], body)


def figure(told: dict[tuple[str, float], list[Line]], pages: int) -> Figure:
    drawn = Figure(f"What labels bring, {pages} downloads", "labels", "gain in auc_ratio")
    for (choice, wrong), own in told.items():
        xs = [0, *(line.labels for line in own)]
        drawn.line(
            xs, [0.0, *(line.difference for line in own)], f"{choice}, {wrong:.0%} wrong", dashed=choice == RANDOM
        )
    return drawn


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="+", metavar="WEB", help="folders of WARC with a topics.json, or synthetic:...")
    parser.add_argument("--half", choices=HALVES, help="of the topics of each web")
    parser.add_argument("--topics", type=int, default=99, help="of each web, the first ones")
    parser.add_argument("--strategy", default=DEFAULT_STRATEGY)
    parser.add_argument("--judge", default=DEFAULT_JUDGE)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--labels", type=int, nargs="+", default=[10, 30, 100])
    parser.add_argument("--wrong", type=float, nargs="+", default=[0.0, 0.1, 0.2])
    parser.add_argument("--choices", nargs="+", choices=CHOICES, default=list(CHOICES))
    parser.add_argument("--repeats", type=int, default=2, help="of what is drawn at random")
    parser.add_argument("--figure", type=Path, help="write the figure there, as SVG")
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    done = crawled(list(lessons(asked)), asked.jobs)
    for web in asked.webs:
        own = [one.auc_ratio for lesson, one in done.items() if lesson.web == web and _is_plain(lesson)]
        print(f"{Path(web).name}, without labels: {fmean(own):.3f} on {len(own)} topics")
    plain = [result.auc_ratio for lesson, result in done.items() if _is_plain(lesson)]
    known = [result.auc_ratio for lesson, result in done.items() if lesson.judge == ORACLE]
    print(f"all, without labels: {fmean(plain):.3f}; with a judge that knows every label: {fmean(known):.3f}")
    told = lines(done)
    print("\n" + table(told))
    if asked.figure:
        asked.figure.write_text(figure(told, asked.pages).svg(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
