"""Crawls of webs to their very end, kept as traces: what `benchmarks/enough.py` measures estimates on.

    python benchmarks/enough_traces.py FOLDER WEB ... --half choose --strategy hunter --strategy shark

A crawl that goes on until no link is left tells how many relevant pages were in reach. So of each crawl every landing
is kept: which page, was it relevant by the judge and by the labels, the links it had, how many of its words were new.
Some webs have no end, or thousands of dead links: after `--most` downloads a crawl is over in any case, and the truth
is what it found by then. Crawls that are there already are not made again. The folder may hold traces of both halves.
"""

from __future__ import annotations

import argparse
import re
from array import array
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from wolfspider.bench.run.cell import Cell, new_crawl
from wolfspider.bench.run.topics import HALVES, tasks_of
from wolfspider.core import events
from wolfspider.core.limits import NO_HURRY
from wolfspider.core.model import Link, Page, Route, host_of
from wolfspider.core.text import key_of
from wolfspider.core.topic import Task
from wolfspider.drivers.simulated import simulate
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.web.worlds.world import World, open_web

MOST = 30_000  # downloads of a crawl: some synthetic webs have no end
COLUMNS = {"asked": "Q", "page": "Q", "host": "Q", "relevant": "B", "labelled": "B", "cost": "i", "terms": "i"}
SHORT = 2  # letters of a word that is no term, as crawl4ai counts terms


@dataclass
class Trace:
    """One crawl, a row for each landing that went out."""

    web: str
    topic: str
    strategy: str
    half: str
    reason: str
    asked: Any  # key of the address that was asked for
    page: Any  # key of the address where it was found; 0 without a page
    host: Any
    relevant: Any
    labelled: Any
    cost: Any
    terms: Any  # words that no page before had
    first: Any  # where the links of the page begin in the next two, and one more for the end
    links: Any  # keys of addresses
    link_hosts: Any

    @property
    def name(self) -> str:
        return f"{self.web}.{self.half}.{self.topic}.{self.strategy}"

    def save(self, path: Path) -> None:
        np.savez_compressed(path, **vars(self))

    @classmethod
    def load(cls, path: Path) -> Trace:
        with np.load(path, allow_pickle=False) as kept:
            parts = {field.name: kept[field.name] for field in fields(cls)}
        return cls(**{name: str(part) if part.ndim == 0 else part for name, part in parts.items()})


class Recording:
    """Hears the landings of a crawl."""

    def __init__(self, task: Task) -> None:
        self.labels = {_plain(url) for url in task.relevant}
        self.rows = {name: array(kind) for name, kind in COLUMNS.items()}
        self.first, self.links, self.link_hosts = array("q", [0]), array("Q"), array("Q")
        self._terms: set[str] = set()

    def __call__(self, event: events.Event) -> None:
        if not isinstance(event, events.Landed) or event.how != Route.OUT:
            return
        page, verdict, link = event.outcome.page, event.outcome.verdict, event.outcome.visit.link
        row = {
            "asked": key_of(link.url),
            "page": 0 if page is None else key_of(page.final_url),
            "host": key_of(link.host if page is None else host_of(page.final_url)),
            "relevant": bool(verdict and verdict.relevant),
            "labelled": page is not None and _plain(page.final_url) in self.labels,
            "cost": event.outcome.downloads,
            "terms": self._new_terms(page),
        }
        for name, value in row.items():
            self.rows[name].append(value)
        self._show(() if page is None else page.links)

    def _show(self, links: tuple[Link, ...]) -> None:
        shown = {key_of(link.url): link.host for link in links}
        self.links.extend(shown)
        self.link_hosts.extend(map(key_of, shown.values()))
        self.first.append(len(self.links))

    def _new_terms(self, page: Page | None) -> int:
        if page is None:
            return 0
        before = len(self._terms)
        self._terms.update(word for word in page.words if len(word) > SHORT)
        return len(self._terms) - before


def _plain(url: str) -> str:
    return url.partition("://")[2]


def record(web: str, world: World, half: str, topic: str, strategy: str, task: Task, most: int) -> Trace:
    cell = Cell(web, world.name, topic, strategy, 0, most, DEFAULT_JUDGE, world.start, hurry=NO_HURRY)
    crawl = new_crawl(cell, task, world, world)
    heard = Recording(task)
    crawl.listen(heard)
    reason = simulate(crawl, world, start=cell.start, seeds=task.seeds).reason
    tables = {name: np.array(column) for name, column in heard.rows.items()}
    for name in ("first", "links", "link_hosts"):
        tables[name] = np.array(getattr(heard, name))
    return Trace(_name(web), topic, strategy, half, str(reason), **tables)


def _name(web: str) -> str:
    return re.sub(r"[^\w=]+", "-", web.rstrip("/").rpartition("/")[2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("webs", nargs="+")
    parser.add_argument("--half", choices=HALVES, help="of the topics, and the half that the traces are for")
    parser.add_argument("--all", choices=HALVES, dest="whole", help="all topics, for this half: one web, one half")
    parser.add_argument("--strategy", action="append", help="repeatable [hunter, shark, best-first]")
    parser.add_argument("--topics", type=int, default=None, help="at most so many of each web")
    parser.add_argument("--topic", action="append", default=[], help="this one; repeatable [all]")
    parser.add_argument("--most", type=int, default=MOST, help=f"downloads of a crawl [{MOST}]")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    half = options.whole or options.half or parser.error("name --half or --all")
    for web in options.webs:
        world = open_web(web)
        tasks = tasks_of(world, None, options.topic, world.start, half=options.half)
        for topic, task in list(tasks.items())[: options.topics]:
            for strategy in options.strategy or ["hunter", "shark", "best-first"]:
                path = options.folder / f"{_name(web)}.{half}.{_name(topic)}.{strategy}.npz"
                if not path.exists():
                    trace = record(web, world, half, topic, strategy, task, options.most)
                    trace.save(path)
                    spent, found = int(trace.cost.sum()), int(trace.relevant.sum())
                    print(f"{path.stem}: {trace.reason} after {spent:,}, {found:,} relevant", flush=True)


if __name__ == "__main__":
    main()
