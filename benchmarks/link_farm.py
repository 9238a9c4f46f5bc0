"""What does a link farm cost that speaks the topic's words? Every strategy crawls a web with and without the farm.

    python benchmarks/link_farm.py WEB ... --strategy shark --strategy fish --pages 1000

A farm belongs to a topic: 10,000 pages spread over 300 hosts (--hosts), made of the topic's keywords and of words from
its relevant pages, each with 30 links to others of the farm. 20 honest pages, drawn among the relevant ones, carry a
link to it, as spam in comments does. No farm page is relevant. With --few each of its hosts names eight others at most,
which is harder to tell from an honest web. Printed are, as means over the topics, the share of the
downloads that the farm takes and by how much the number of relevant pages found falls.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from layered_web import Layer

from wolfspider.bench.measure.metrics import key
from wolfspider.bench.run.cell import Cell, Measured, measure
from wolfspider.bench.run.topics import HALVES, tasks_of
from wolfspider.core import randomness
from wolfspider.core.limits import NO_HURRY
from wolfspider.core.model import Fetch, Link, Page, host_of
from wolfspider.core.topic import Task
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.strategies import strategy_named
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import World, open_web

PAGES, HOSTS, HONEST, LINKS, WORDS = 10_000, 300, 20, 30, 250
NEAR = (0, 1, 2, 3, 5, 8, 13, 21, 34)  # the hosts that one names, by number from its own, where it names few
READ = 40  # relevant pages whose words the farm knows
DOMAIN = ".farm.example"
SECONDS = 0.3  # until an answer is there


class Farmed(Layer):
    """A web with a farm for one topic. Its graph stays without the farm, which leads nowhere."""

    def __init__(self, world: World, task: Task, hosts: int = HOSTS, few: bool = False) -> None:
        super().__init__(world)
        self._task, self._hosts, self._few = task, hosts, few
        self.visited: set[str] = set()  # pages of the farm that were asked for
        drawn = randomness.generator(0, "honest", world.name, task.topic.name)
        honest = drawn.sample(sorted(task.relevant), min(HONEST, len(task.relevant)))
        self._honest = {key(url): number for number, url in enumerate(honest)}

    def look(self, url: str, now: float) -> Fetch:
        if host_of(url).endswith(DOMAIN):
            self.visited.add(url)
            body = self._page(url).encode()
            headers = {"content-type": "text/html; charset=utf-8"}
            return Fetch(url, url, 200, headers, body, seconds=SECONDS, at=now)
        fetch = self.below.look(url, now)
        number = self._honest.get(key(fetch.final_url))
        page = parse(fetch) if number is not None else None
        if number is None or not isinstance(page, Page):
            return fetch
        spam = Link(self._url(number * PAGES // HONEST), self._slogan(number), rank=len(page.links))
        return replace(fetch, body=b"", page=replace(page, links=(*page.links, spam)))

    def _page(self, url: str) -> str:
        rng = randomness.generator(0, "farm", self._task.topic.name, url)
        keywords = self._task.topic.keywords
        words = [rng.choice(keywords) if rng.random() < 0.1 else rng.choice(self._vocabulary) for _ in range(WORDS)]
        links = [self._linked(rng, url) for _ in range(LINKS)]
        listed = "".join(f'<li><a href="{self._url(page)}">{self._slogan(page)}</a></li>' for page in links)
        title = " ".join(rng.choices(keywords, k=3))
        return f"<html><title>{title}</title><h1>{title}</h1><p>{' '.join(words)}</p><ul>{listed}</ul></html>"

    def _linked(self, rng: random.Random, url: str) -> int:
        if not self._few:
            return rng.randrange(PAGES)
        host = (int(url.rpartition("/")[2].partition(".")[0]) + rng.choice(NEAR)) % self._hosts
        return host + self._hosts * rng.randrange(PAGES // self._hosts)

    def _url(self, page: int) -> str:
        return f"http://{self._task.topic.name.lower()[:20].replace('_', '-')}-{page % self._hosts}{DOMAIN}/{page}.html"

    def _slogan(self, page: int) -> str:
        rng = randomness.generator(0, "slogan", self._task.topic.name, page)
        return " ".join((rng.choice(self._task.topic.keywords), rng.choice(self._vocabulary)))

    @cached_property
    def _vocabulary(self) -> Sequence[str]:
        """Words of relevant pages, as often as they stand there."""
        read = (parse(self.below.look(url, self.start)) for url in sorted(self._task.relevant)[:READ])
        words = [word for page in read if isinstance(page, Page) for word in page.words if word.isalpha()]
        return words or list(self._task.topic.keywords)

    def owns(self, host: str) -> bool:
        return host.endswith(DOMAIN) or self.below.owns(host)


def both(cell: Cell, task: Task, world: World, hosts: int, few: bool) -> tuple[float, int, int]:
    """The farm's share of the downloads, and relevant pages found without and with it."""
    farmed = Farmed(world, task, hosts, few)
    without, with_farm = measure(cell, task, world), measure(cell, task, farmed)
    for measured in (without, with_farm):
        if measured.error:
            raise SystemExit(f"{cell.strategy} failed on {cell.topic} of {cell.web_name}: {measured.error}")
    return len(farmed.visited) / max(1, with_farm.downloads), count(without), count(with_farm)


def count(measured: Measured) -> int:
    return measured.found[-1][1] if measured.found else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="+", help="folders of WARC with a topics.json, or synthetic:...")
    parser.add_argument("--strategy", action="append", required=True, help="repeatable")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--topics", type=int, default=None, help="at most so many of each web [all]")
    parser.add_argument("--half", choices=HALVES, default=None)
    parser.add_argument("--hosts", type=int, default=HOSTS, help="that the farm is spread over [300]")
    parser.add_argument("--few", action="store_true", help="each host of the farm names few others")
    options = parser.parse_args()
    for strategy in options.strategy:
        strategy_named(strategy)
        seen = []
        for web in options.webs:
            world = open_web(web)
            tasks = tasks_of(world, None, (), world.start, half=options.half)
            for name, task in list(tasks.items())[: options.topics]:
                what = (web, world.name, name, strategy, 0, options.pages, DEFAULT_JUDGE, world.start)
                share, without, with_farm = both(Cell(*what, hurry=NO_HURRY), task, world, options.hosts, options.few)
                print(f"{strategy} {world.name} {name}: farm={share:.1%} found={without}->{with_farm}", flush=True)
                seen.append((share, without, with_farm))
        shares, alone, beside = (sum(column) for column in zip(*seen, strict=True))
        fall = 1 - beside / alone if alone else 0.0
        print(f"{strategy}: the farm takes {shares / len(seen):.1%} of the downloads; {fall:.1%} fewer relevant pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
