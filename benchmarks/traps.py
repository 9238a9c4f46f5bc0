"""What traps take from a crawl, and what the rules against them cost: every crawl with the rules and without.

    python benchmarks/traps.py site --seed 100 --pages 1000
    python benchmarks/traps.py pit --seed 100 --pages 1000 --dull 1000000
    python benchmarks/traps.py webs synthetic:pages=20000,seed=100 FOLDER ... --half report --pages 1000

`site` crawls a site that has every trap (wolfspider.testing.trap_site), `pit` the same site with a tarpit besides;
with a large `--dull` folders of no interest never rest.
Waste is each download of a trap, and of a page that was downloaded before under another address. `webs` crawls the
topics of webs; on a synthetic one, pages of endless calendars and of mirrors and soft 404s are waste. An answer that is
no page is no honest page, and only waste where its address is part of a trap. Choose on `--half choose` and on seeds
below 100.

Below the table of webs stands what each topic lost and gained: honest pages of one crawl that the other one did not
reach, how many pages less that makes, and how each crawl ended where downloads were left.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from urllib.parse import urlsplit

from wolfspider.bench.measure.metrics import RelevantPages
from wolfspider.bench.run.cell import Cell, new_crawl
from wolfspider.bench.run.topics import HALVES, tasks_of
from wolfspider.core import events
from wolfspider.core.limits import NO_HURRY, Limits
from wolfspider.core.model import host_of
from wolfspider.core.randomness import generator
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Task
from wolfspider.drivers.simulated import simulate, simulated_crawl
from wolfspider.policy import pits
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.policy.trap_rules import TrapRules
from wolfspider.strategies import strategy_named
from wolfspider.testing.trap_site import TrapSite
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.synthetic.sites import Fate, Kind
from wolfspider.web.worlds.world import World, open_web


@dataclass
class Tally:
    """Counts the downloads of one crawl. `honest` names the page at an address; None for what is part of a trap."""

    honest: Callable[[str], str | None]
    pages: set[str] = field(default_factory=set)
    waste: int = 0

    def __call__(self, event: events.Event) -> None:
        if isinstance(event, events.Landed) and event.outcome.downloads:
            page = event.outcome.page
            if page is None:  # an answer that is no page is neither honest, nor a trap unless its address is
                self.waste += self.honest(event.outcome.visit.link.url) is None
            elif (name := self.honest(page.final_url)) is None or name in self.pages:
                self.waste += 1
            else:
                self.pages.add(name)


class Crawled(NamedTuple):
    """What came of one crawl."""

    waste: float  # the share of its downloads
    pages: set[str]  # honest ones
    relevant: int
    end: str  # why and when it was over, if downloads were left


class Both(NamedTuple):
    """One topic, crawled without the rules and with them."""

    topic: str
    without: Crawled
    avoiding: Crawled

    @property
    def change(self) -> float:
        """By which share the rules change the number of honest pages."""
        before = len(self.without.pages)
        return (len(self.avoiding.pages) - before) / max(1, before)

    def told(self) -> str:
        lost, gained = self.without.pages - self.avoiding.pages, self.avoiding.pages - self.without.pages
        ends = "".join(f", {name} {one.end}" for name, one in zip(("off", "on"), self[1:], strict=True) if one.end)
        return f"{self.topic}: lost {len(lost):,}, gained {len(gained):,}, {self.change:+.1%}{ends}"


def on_site(strategy: str, seed: int, pages: int, avoid: bool, pit: bool) -> Crawled:
    site = TrapSite(seed, pit)
    task = site.task()
    crawl = simulated_crawl(
        strategy_named(strategy).new(task.topic, generator(seed, strategy)),
        DEFAULT_JUDGE,
        site,
        Limits(pages, hurry=NO_HURRY),
        scope=Scope(within=lambda url: site.owns(host_of(url))),
        traps=TrapRules() if avoid else None,
    )
    tally, relevant = Tally(site.honest), {site.honest(url) for url in task.relevant}
    crawl.listen(tally)
    reason = simulate(crawl, site, start=site.start, seeds=task.seeds).reason
    return Crawled(tally.waste / max(1, crawl.spent), tally.pages, len(tally.pages & relevant), reason)


def on_web(cell: Cell, task: Task, world: World) -> Crawled:
    crawl, found = new_crawl(cell, task, world, world), RelevantPages(task.relevant)
    tally = Tally(lambda url: None if in_trap(world, url) else url)
    crawl.listen(found)
    crawl.listen(tally)
    reason = simulate(crawl, world, start=cell.start, seeds=task.seeds).reason
    end = f"{reason} at {crawl.spent:,}" if crawl.spent < cell.pages else ""
    return Crawled(tally.waste / max(1, crawl.spent), tally.pages, len(found), end)


def in_trap(world: World, url: str) -> bool:
    if not isinstance(world, Synthetic):
        return False
    host = world.addresses.host_number(host_of(url))
    if host is None:
        return False
    page = world.addresses.page_at(host, urlsplit(url).path)
    soft = page is not None and world.sites.fate(page, host) == Fate.SOFT
    return "/cal/" in url or soft or world.sites.host_kind(host) == Kind.MIRROR


def line(name: str, strategy: str, runs: Sequence[Both]) -> str:
    pairs = list(zip(*((run.without, run.avoiding) for run in runs), strict=True))
    waste = (f"{sum(one.waste for one in side) / len(side):.1%}" for side in pairs)
    honest = (f"{sum(len(one.pages) for one in side):,}" for side in pairs)
    relevant = (f"{sum(one.relevant for one in side):,}" for side in pairs)
    worst = min(runs, key=lambda run: run.change)
    told = f"{worst.topic} {worst.change:+.1%}" if len(runs) > 1 else f"{worst.change:+.1%}"
    return f"| {' | '.join((name, strategy, *waste, *honest, *relevant, told))} |"


def both_on_web(web: str, world: World, strategy: str, pages: int, topic: str, task: Task) -> Both:
    cell = Cell(web, world.name, topic, strategy, 0, pages, DEFAULT_JUDGE, world.start, hurry=NO_HURRY)
    return Both(topic, on_web(cell, task, world), on_web(replace(cell, traps=True), task, world))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("site", "pit", "webs"))
    parser.add_argument("webs", nargs="*")
    parser.add_argument("--strategy", action="append", help="repeatable [hunter, best-first, shark, fish]")
    parser.add_argument("--seed", type=int, default=100, help="of the site")
    parser.add_argument("--pages", type=int, action="append", help="repeatable [1000]")
    parser.add_argument("--topics", type=int, default=None, help="at most so many of each web")
    parser.add_argument("--half", choices=HALVES, default=None)
    parser.add_argument("--dull", type=int, default=pits.DULL, help="pages that may be of no interest [10]")
    options = parser.parse_args()
    pits.DULL = options.dull
    strategies = options.strategy or ["hunter", "best-first", "shark", "fish"]
    print("| web | strategy | waste | avoiding | honest pages | avoiding | relevant | avoiding | worst topic |")
    print("|---|---|---|---|---|---|---|---|---|")
    told = []
    for pages in options.pages or [1000]:
        for strategy in strategies if options.what != "webs" else ():
            crawls = (on_site(strategy, options.seed, pages, avoid, options.what == "pit") for avoid in (False, True))
            print(line(f"{options.what}, {pages:,}", strategy, [Both("", *crawls)]), flush=True)
        for web in options.webs if options.what == "webs" else ():
            world = open_web(web)
            tasks = list(tasks_of(world, None, (), world.start, half=options.half).items())[: options.topics]
            for strategy in strategies:
                runs = [both_on_web(web, world, strategy, pages, *named) for named in tasks]
                print(line(f"{world.name}, {pages:,} for each of {len(tasks)}", strategy, runs), flush=True)
                told += [f"{world.name}, {pages:,}, {strategy}, {run.told()}" for run in runs]
    print("", *told, sep="\n")


if __name__ == "__main__":
    main()
