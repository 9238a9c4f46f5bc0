"""What traps take from a crawl, and what the rules against them cost: every crawl with the rules and without.

    python benchmarks/traps.py site --seed 100 --pages 1000
    python benchmarks/traps.py webs synthetic:pages=20000,seed=100 FOLDER ... --half report --pages 1000

`site` crawls a site that has every trap (wolfspider.testing.trap_site). Waste is each download of a trap, and of a page
that was downloaded before under another address. `webs` crawls the topics of webs; on a synthetic one, pages of endless
calendars and of mirrors are waste. An answer that is no page is no honest page, and only waste where its address is
part of a trap. Choose on `--half choose` and on seeds below 100.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

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
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.policy.trap_rules import TrapRules
from wolfspider.strategies import strategy_named
from wolfspider.testing.trap_site import TrapSite
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.synthetic.sites import Kind
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


def on_site(strategy: str, seed: int, pages: int, avoid: bool) -> tuple[float, int, int]:
    """The share that is wasted, honest pages and relevant pages."""
    site = TrapSite(seed)
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
    simulate(crawl, site, start=site.start, seeds=task.seeds)
    return tally.waste / max(1, crawl.spent), len(tally.pages), len(tally.pages & relevant)


def on_web(cell: Cell, task: Task, world: World) -> tuple[float, int, int]:
    """The share that is wasted, honest pages and relevant pages."""
    crawl, found = new_crawl(cell, task, world, world), RelevantPages(task.relevant)
    tally = Tally(lambda url: None if in_trap(world, url) else url)
    crawl.listen(found)
    crawl.listen(tally)
    simulate(crawl, world, start=cell.start, seeds=task.seeds)
    return tally.waste / max(1, crawl.spent), len(tally.pages), found.curve[-1][1] if found.curve else 0


def in_trap(world: World, url: str) -> bool:
    if not isinstance(world, Synthetic):
        return False
    host = world.addresses.host_number(host_of(url))
    return "/cal/" in url or (host is not None and world.sites.host_kind(host) == Kind.MIRROR)


def line(name: str, strategy: str, without: Sequence[float], avoiding: Sequence[float]) -> str:
    return (
        f"| {name} | {strategy} | {without[0]:.1%} | {avoiding[0]:.1%} | {without[1]:,.0f} | {avoiding[1]:,.0f} "
        f"| {without[2]:,.0f} | {avoiding[2]:,.0f} |"
    )


def both_on_web(web: str, world: World, strategy: str, pages: int, tasks: list[tuple[str, Task]]) -> list[list[float]]:
    """Without the rules and with them: the mean share that is wasted, all honest pages and all relevant ones."""
    sums = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    for name, task in tasks:
        cell = Cell(web, world.name, name, strategy, 0, pages, DEFAULT_JUDGE, world.start, hurry=NO_HURRY)
        for total, avoid in zip(sums, (False, True), strict=True):
            share, honest, relevant = on_web(replace(cell, traps=avoid), task, world)
            total[:] = [total[0] + share / len(tasks), total[1] + honest, total[2] + relevant]
    return sums


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("site", "webs"))
    parser.add_argument("webs", nargs="*")
    parser.add_argument("--strategy", action="append", help="repeatable [hunter, best-first, shark, fish]")
    parser.add_argument("--seed", type=int, default=100, help="of the site")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--topics", type=int, default=None, help="at most so many of each web")
    parser.add_argument("--half", choices=HALVES, default=None)
    options = parser.parse_args()
    strategies = options.strategy or ["hunter", "best-first", "shark", "fish"]
    print("| web | strategy | waste | with the rules | honest pages | with the rules | relevant | with the rules |")
    print("|---|---|---|---|---|---|---|---|")
    for strategy in strategies if options.what == "site" else ():
        both = [on_site(strategy, options.seed, options.pages, avoid) for avoid in (False, True)]
        print(line(f"site, {options.pages:,}", strategy, *both), flush=True)
    for web in options.webs if options.what == "webs" else ():
        world = open_web(web)
        tasks = list(tasks_of(world, None, (), world.start, half=options.half).items())[: options.topics]
        for strategy in strategies:
            sums = both_on_web(web, world, strategy, options.pages, tasks)
            print(line(f"{world.name}, {len(tasks)} topics", strategy, *sums), flush=True)


if __name__ == "__main__":
    main()
