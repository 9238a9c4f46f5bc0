"""What becomes of a fleet when its parts are really apart: the work of 1, 2 and 4 islands, with and without what they
share.

    python benchmarks/islands.py foragers [--cases 6] [--days 1.5]
    python benchmarks/islands.py hunters [--cases 6] [--pages 800]
    python benchmarks/islands.py served [--pages 400] [--islands 3] [--cluster local]

`foragers` and `hunters` are simulated: islands are crawls of one simulated web that take turns by their virtual clocks,
so that what they share is shared in the order of time. The total of downloads is the same for every number of islands.

Foragers work on a synthetic news site. It is asked at one pace, however many islands there are, as politeness wants it:
with N islands a download takes each of them N times as long. Eight foragers at first, sixteen at most, divided among
the islands. `shared`: one reinforcer, with its seen-set, pays for all, as in the papers. `apart`: each has its own.
    sent efficiency     distinct documents that were paid for, to documents sent
    download efficiency the same, to downloads
    own                 share of the addresses stepped on in a day that one island alone stepped on
    paid twice          share of the documents paid for that more than one island was paid for

Hunters look for the topics of synthetic webs. `apart`: nothing is shared but the budget. `seen-set`: an address that
one island has asked for is asked for by no other, but for where they start. `territories`: as `wolfspider crawl
--islands` does it, with its own ledger of leases and its own rules for links that are handed over.
    found               distinct relevant pages of the web to those that one hunter found with the same downloads
    distinct            distinct addresses downloaded, to downloads
    own hosts           share of the hosts that one island alone asked

`served` is the real thing: a fleet of processes, and with --cluster of actors of Ray, against a server on loopback. It
prints the same figures and ends with code 1 if the budget was exceeded or an address was asked for twice.

Means over all cases with the 95 % bootstrap interval of the mean. A case is a web and, of hunters, a topic of it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from side_by_side import web_served

from wolfspider.app.settings import Settings
from wolfspider.bench.measure.metrics import charged, key
from wolfspider.bench.measure.territory import exclusive
from wolfspider.bench.run import fleets
from wolfspider.bench.run.cell import Cell, new_crawl
from wolfspider.bench.stats import mean_text
from wolfspider.core.events import AddSeeds, Credited, EndReason, Event, Finish, Landed, Noted, Went
from wolfspider.core.model import Link, Page, Route, host_of
from wolfspider.core.territory import owner_of
from wolfspider.core.topic import Task
from wolfspider.drivers.simulated import Simulation
from wolfspider.engine.crawl import Crawl
from wolfspider.islands.fleet import opened_fleet
from wolfspider.islands.handed_links import HandedLinks
from wolfspider.islands.lease_ledger import LeaseLedger
from wolfspider.policy.reinforcer import PAID
from wolfspider.store.fleet_folder import runs_in
from wolfspider.store.view import RunView
from wolfspider.web.worlds.parsed_once import Delayed, ParsedOnce
from wolfspider.web.worlds.world import Looks, World, open_web

COUNTS = (1, 2, 4)
DAY = fleets.DAY
FORAGERS, MOST = 8, 16  # of the whole fleet, at first and at most
SITE = (120, 20.0)  # articles a day, seconds for a download


class InTurns(Simulation):
    """A simulation that goes on step by step, so that others can go on beside it."""

    def step(self) -> EndReason | None:
        """On to the next instant; why the crawl is over, if it is."""
        reason = self._begin_visits()
        if reason is None:
            self._advance()
        return reason


@dataclass
class Isle:
    """An island of a simulated fleet, and what it did."""

    number: int
    simulation: InTurns
    ended: EndReason | None = None  # why, while it has nothing to do
    sent: int = 0
    paid: set[str] = field(default_factory=set)
    asked: Counter[str] = field(default_factory=Counter)
    steps: dict[int, set[str]] = field(default_factory=dict)  # addresses stepped on, by day
    urls: dict[int, str] = field(default_factory=dict)  # of visits

    def __post_init__(self) -> None:
        self.crawl.listen(self.hear)

    @property
    def idle(self) -> bool:
        return self.ended is not None

    @property
    def crawl(self) -> Crawl:
        return self.simulation.crawl

    def hear(self, event: Event) -> None:
        match event:
            case Landed(outcome=outcome) if charged(event):
                self.asked[outcome.visit.link.url] += 1
                if outcome.page is not None:
                    self.urls[outcome.visit.id] = outcome.page.final_url
            case Landed(outcome=outcome) if outcome.page is not None:
                self.urls[outcome.visit.id] = outcome.page.final_url
            case Credited(credit=credit):
                self.sent += 1
                if credit.reason == PAID:
                    self.paid.add(self.urls[credit.visit])
            case Noted(kind="move", data=data, at=at):
                self.steps.setdefault(int(at // DAY), set()).add(data["url"])


def together(isles: Sequence[Isle], between: Callable[[Isle], None]) -> None:
    """All of them in the order of their clocks, until none has anything to do; `between` is called before each step."""
    while True:
        for isle in isles:
            if isle.idle:
                between(isle)
        at_work = [isle for isle in isles if not isle.idle]
        if not at_work:
            return
        isle = min(at_work, key=lambda isle: (isle.simulation.now, isle.number))
        between(isle)
        isle.ended = isle.simulation.step()


# Foragers


def foraging(case: int, count: int, shared: bool, days: float) -> dict[str, float]:
    articles, latency = SITE
    lists = f",{fleets.SPARE}"
    isles: list[Isle] = []
    for number in range(count):
        setting = {
            "web": fleets.news_site(case + 1, articles, lists),
            "latency": latency * count,
            "repeat": case * 100 + number,
            "fleet": {
                "fleet": "WLRL",
                "foragers": FORAGERS // count,
                "least": 1,
                "most": MOST // count,
                **fleets.paced(latency * count),
            },
        }
        crawl, looks, start = fleets.prepared(setting)
        if shared and isles:
            crawl.reinforcer = crawl.ledger.reinforcer = isles[0].crawl.reinforcer
        crawl.begin([Link(url) for url in fleets.seeds_of(setting)], start)
        simulation = InTurns(crawl, looks, start=start, commands=[(start + days * DAY, Finish())])
        isles.append(Isle(number, simulation))
    together(isles, lambda isle: None)
    sent, downloads = sum(isle.sent for isle in isles), sum(isle.asked.total() for isle in isles)
    paid = Counter(url for isle in isles for url in isle.paid)
    all_days = sorted({day for isle in isles for day in isle.steps})
    alone = [sum(exclusive({str(i.number): i.steps.get(day, set()) for i in isles}).values()) for day in all_days]
    return {
        "downloads": downloads,
        "sent efficiency": len(paid) / sent,
        "download efficiency": len(paid) / downloads,
        "own": sum(alone) / len(alone),
        "paid twice": sum(times > 1 for times in paid.values()) / len(paid),
    }


# Hunters


class SharedSight:
    """Which island asked for an address first. The others then leave it alone, unless it is where all start."""

    def __init__(self, starts: Iterable[str]) -> None:
        self.owner: dict[str, int] = {}
        self.starts = frozenset(starts)

    def join(self, isle: Isle) -> None:
        crawl, before = isle.crawl, isle.crawl.may_propose

        def may_propose(url: str) -> bool:
            free = url in self.starts or self.owner.get(url, isle.number) == isle.number
            return free and before(url)

        crawl.may_propose = crawl.strategy.allows = may_propose  # type: ignore[method-assign]
        crawl.listen(lambda event: self._hear(isle.number, event))

    def _hear(self, number: int, event: Event) -> None:
        if isinstance(event, Went) and event.how == Route.OUT:
            self.owner.setdefault(event.visit.link.url, number)


class Post:
    """Links between territories, by the rules of the real fleet."""

    def __init__(self, isles: Sequence[Isle], folder: Path) -> None:
        self.isles = isles
        self.links = [HandedLinks(folder / f"{isle.number}.db") for isle in isles]
        for isle in isles:
            isle.crawl.listen(partial(self._hear, isle.number))

    def _hear(self, number: int, event: Event) -> None:
        if not isinstance(event, Landed) or event.outcome.page is None or event.outcome.verdict is None:
            return
        held = self.isles[number].crawl.memory.recall(event.outcome.visit.link.url)
        if held is None or not isinstance(held.result, Page):
            return
        found: dict[str, str] = {}
        for link in held.result.links:
            site = host_of(link.url)
            if owner_of(site, len(self.isles)) != number and self.links[number].may_send(site):
                found.setdefault(site, link.url)
        self.links[number].arrived(found, 0)
        for site, url in found.items():
            self.links[owner_of(site, len(self.isles))].take([(url, site, event.outcome.verdict.score)])

    def deliver(self, isle: Isle) -> None:
        links = self.links[isle.number]
        if isle.crawl.limits.pages <= isle.crawl.spent:
            return
        if urls := links.due(isle.crawl.spent, isle.idle):
            links.tell(urls)
            if allowed := tuple(url for url in urls if isle.crawl.in_scope(url)):
                isle.crawl.inbox.append(AddSeeds(allowed, found=True))
                isle.ended = None


def hunting(world: World, task: Task, count: int, how: str, pages: int, folder: Path) -> dict[str, float]:
    ledger, isles, sight = LeaseLedger(pages, [0] * count), list[Isle](), SharedSight(task.seeds)
    looks: Looks = Delayed(ParsedOnce(world, fleets.BYTES_KEPT), 1.0)
    for number in range(count):
        cell = Cell(
            *(world.name, world.name, task.topic.name, "hunter", number, 0, "context", world.start),
            train="charged",
        )
        crawl = new_crawl(cell, task, world, looks)
        if how == "territories":
            inside = crawl.scope.within
            crawl.scope.within = _own(number, count, inside)
        isle = Isle(number, InTurns(crawl, looks, start=world.start))
        isles.append(isle)
        if how == "seen-set":
            sight.join(isle)
        crawl.begin([Link(url) for url in task.seeds], world.start)
    post = Post(isles, folder) if how == "territories" else None

    def between(isle: Isle) -> None:
        """One that has nothing to do gives its lease back, unless others have handed it links."""
        waits = post is not None and post.links[isle.number].waiting() > 0
        if isle.ended not in (None, EndReason.BUDGET) and not waits:
            ledger.give_back(isle.number, isle.crawl.spent)
        elif ledger.lease(isle.number, isle.crawl.spent) and isle.ended == EndReason.BUDGET:
            isle.ended = None
        isle.crawl.limits.pages = ledger.limits[isle.number]
        if post is not None:
            post.deliver(isle)

    together(isles, between)
    return measured([isle.asked for isle in isles], task.relevant, pages)


def _own(number: int, count: int, inside: Callable[[str], bool] | None) -> Callable[[str], bool]:
    return lambda url: owner_of(host_of(url), count) == number and (inside is None or inside(url))


def measured(asked: Sequence[Counter[str]], relevant: Any, pages: int) -> dict[str, float]:
    urls, wanted = Counter(url for each in asked for url in each), set(map(key, relevant))
    hosts = {str(number): {host_of(url) for url in each} for number, each in enumerate(asked)}
    downloads = sum(each.total() for each in asked)
    assert downloads <= pages, "the budget was exceeded"
    return {
        "downloads": downloads,
        "relevant": len(wanted & set(map(key, urls))),
        "distinct": len(urls) / downloads,
        "own hosts": sum(exclusive(hosts).values()),
    }


# The real thing


def served(args: argparse.Namespace) -> int:
    web = f"synthetic:pages={args.web_pages},seed=7,mischief=0"
    world = open_web(web)
    task = next(iter(world.tasks().values()))
    code = 0
    with tempfile.TemporaryDirectory() as scratch, web_served(web, Path(scratch, "log"), 0.05) as via:
        for count in dict.fromkeys((1, args.islands)):
            settings = Settings(
                urls=task.seeds,
                topic=", ".join(task.topic.keywords),
                via=via,
                pages=args.pages,
                delay=0.05,
                adapt=0.0,
                disk_floor=0,
            )
            folder, began = Path(scratch, str(count)), time.monotonic()
            with opened_fleet(folder, settings, count, cluster=args.cluster) as head:
                reason = head.run()
            views = [RunView(run) for run in runs_in(folder)]
            asked = [Counter(_asked(view)) for view in views]
            row = measured(asked, task.relevant, args.pages)
            code |= row["downloads"] != args.pages or row["distinct"] < 1
            where = f"on Ray ({args.cluster})" if args.cluster else "here"
            told = {name: round(value, 3) for name, value in row.items()}
            print(
                f"{count} islands {where}, {reason}, {time.monotonic() - began:.0f} s: {json.dumps(told)}", flush=True
            )
    return code


def _asked(view: RunView) -> list[str]:
    return [str(url) for (url,) in view.rows("SELECT url FROM landings WHERE cost > 0")]


# The tables


def table(rows: Mapping[tuple[int, str], list[dict[str, float]]], figures: Sequence[str]) -> None:
    print(f"| islands | share | {' | '.join(figures)} |")
    print("|---|---|" + "---|" * len(figures))
    for (count, how), each in rows.items():
        cells = (mean_text([row[name] for row in each]) for name in figures)
        print(f"| {count} | {how} | {' | '.join(cells)} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("foragers", "hunters", "served"))
    parser.add_argument("--cases", type=int, default=6)
    parser.add_argument("--days", type=float, default=1.5)
    parser.add_argument("--pages", type=int, default=800)
    parser.add_argument("--web-pages", type=int, default=6_000, help="Pages of each synthetic web.")
    parser.add_argument("--islands", type=int, default=3)
    parser.add_argument("--cluster", default="", help="As for --cluster of a crawl; of `served`.")
    args = parser.parse_args()
    if args.what == "served":
        return served(args)
    rows: dict[tuple[int, str], list[dict[str, float]]] = {}
    for case in range(args.cases):
        if args.what == "foragers":
            for count in COUNTS:
                for how in ("shared", "apart") if count > 1 else ("all",):
                    row = foraging(case, count, how == "shared", args.days)
                    rows.setdefault((count, how), []).append(row)
                    print(f"case {case}, {count} islands, {how}: {row}", file=sys.stderr, flush=True)
            continue
        world = open_web(f"synthetic:pages={args.web_pages},seed={case + 1},mischief=0")
        task = next(iter(world.tasks().values()))
        alone = 1.0
        for count in COUNTS:
            for how in ("apart", "seen-set", "territories") if count > 1 else ("all",):
                with tempfile.TemporaryDirectory() as scratch:
                    row = hunting(world, task, count, how, args.pages, Path(scratch))
                alone = max(1.0, row["relevant"]) if count == 1 else alone
                row["found"] = row["relevant"] / alone
                rows.setdefault((count, how), []).append(row)
                print(f"case {case}, {count} islands, {how}: {row}", file=sys.stderr, flush=True)
    if args.what == "foragers":
        table(rows, ("sent efficiency", "download efficiency", "own", "paid twice"))
    else:
        table(rows, ("relevant", "found", "distinct", "own hosts"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
