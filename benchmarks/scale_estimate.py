"""What a crawl of any size would take, reckoned from measured unit costs: hosts in flight, cores, memory of the
frontier, messages, disk, and how many islands.

    python benchmarks/scale_estimate.py [--days 30] [--run RUN] [--strategy hunter]

Nothing is measured here but the run that --run names: its bytes on the disk and its links for each page. All other
costs stand below with the command that measured them, on two cores of a machine with other work; put yours in their
place. Beyond what was measured (a hundred thousand pages, ten million links) this is an estimate: costs are taken to
stay what they are for a page, which held as far as it was looked.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import NamedTuple

from wolfspider.store.folder import Places
from wolfspider.store.view import RunView

COLUMNS = (
    *("pages", "pages/s", "hosts in flight", "cores", "links waiting", "their memory, GB", "disk, TB", "islands"),
    *("of one mind", "messages/s to hands", "messages/s to keepers"),
)
SIZES = (10**5, 10**6, 10**7, 10**8, 10**9)
DAY = 86_400.0


class UnitCost(NamedTuple):
    value: float
    unit: str
    source: str


COSTS = {
    "page, hunter": UnitCost(2.73, "CPU ms", "throughput.py --web docs --rounds 5"),
    "page, best-first": UnitCost(1.85, "CPU ms", "the same"),
    "page at the head of two hands, best-first": UnitCost(1.28, "CPU ms", "hands.py --web docs --hands 0 2"),
    "page of all processes with two hands, best-first": UnitCost(2.41, "CPU ms", "the same"),
    "waiting link in memory, hunter": UnitCost(455, "bytes", "hunter_cost.py (431 MiB for 992,031 links)"),
    "waiting link in memory, best-first": UnitCost(56, "bytes", "frontier.py --urls 10000000"),
    "waiting link on disk": UnitCost(104, "bytes", "the same"),
    "page in memory, besides": UnitCost(0.5, "KB", "soak.py --calm --strategy best-first"),
    "new link to a page": UnitCost(8.0, "links", "--run; this one is a guess of ours for the whole web"),
    "page in the archive": UnitCost(9.0, "KB", "--run"),
    "page in run.db, with its visits and links": UnitCost(9.0, "KB", "--run"),
    "time of a host for a page": UnitCost(1.3, "s", "the delay, 1 s, and 0.3 s for an answer"),
    "turn of an island": UnitCost(2.0, "messages a second each way", "cluster/islands.py: EVERY"),
    "page between head and hands": UnitCost(6.0, "messages", "hand_wire.py: STEP ASK MAY DONE FREE NEWS"),
}
MOST_LINKS = 10**6  # that wait in one frontier, unless somebody says otherwise; the worst are thrown away
BUSY = 0.5  # share of a core that an island may take
MEMORY = 8.0  # GB that an island may take for its frontier


def cost(name: str) -> float:
    return COSTS[name].value


def of_run(folder: Path) -> None:
    """What a run took on the disk, for each of its pages."""
    places, view = Places.of(folder), RunView(folder)
    pages = max(1, view.summary().pages)
    archive = sum(path.stat().st_size for path in places.archive.glob("*.warc.gz"))
    database = places.database.stat().st_size
    gauge = view.gauge()
    said = f"--run {folder.name}: {pages:,} pages"
    COSTS["page in the archive"] = UnitCost(archive / pages / 1e3, "KB", said)
    COSTS["page in run.db, with its visits and links"] = UnitCost(database / pages / 1e3, "KB", said)
    if gauge is not None and gauge.frontier:
        COSTS["new link to a page"] = UnitCost((gauge.frontier + gauge.downloads) / pages, "links", said)


class Estimate(NamedTuple):
    pages: int
    rate: float  # pages a second
    hosts: float  # in flight or resting
    cores: float
    links: float  # that wait, in all islands
    memory: float  # GB for them
    disk: float  # TB
    islands: int
    hands: float  # messages a second, if one mind had them all
    keepers: float  # messages a second of a fleet


def estimate(pages: int, days: float, strategy: str) -> Estimate:
    rate = pages / (days * DAY)
    per_link = cost(f"waiting link in memory, {strategy}")
    by_speed = math.ceil(rate * cost(f"page, {strategy}") / 1e3 / BUSY)
    wanted = pages * max(0.0, cost("new link to a page") - 1.0)
    by_memory = math.ceil(min(wanted, MOST_LINKS * max(1, by_speed)) * per_link / (MEMORY * 1e9))
    islands = max(1, by_speed, by_memory)
    links = min(wanted, islands * MOST_LINKS)
    stored = (cost("page in the archive") + cost("page in run.db, with its visits and links")) * 1e3 * pages
    return Estimate(
        pages,
        rate,
        rate * cost("time of a host for a page"),
        rate * cost(f"page, {strategy}") / 1e3,
        links,
        links * per_link / 1e9,
        (stored + links * cost("waiting link on disk")) / 1e12,
        islands,
        rate * cost("page between head and hands"),
        2 * islands * cost("turn of an island"),
    )


def one_mind(strategy: str) -> float:
    """Pages a second at which the head of one mind is full: one core, of which a page takes so much."""
    extra = cost("page, hunter") - cost("page, best-first") if strategy == "hunter" else 0.0
    return 1e3 / (cost("page at the head of two hands, best-first") + extra)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=float, default=30.0, help="How long the crawl may take.")
    parser.add_argument("--run", type=Path, help="A run whose bytes and links are taken.")
    parser.add_argument("--strategy", choices=("hunter", "best-first"), default="hunter")
    args = parser.parse_args()
    if args.run is not None:
        of_run(args.run)
    print("| a | takes | measured by |\n|---|---:|---|")
    for name, unit in COSTS.items():
        print(f"| {name} | {unit.value:.3g} {unit.unit} | `{unit.source}` |")
    full = one_mind(args.strategy)
    a_day = f"{full * DAY / 1e6:.0f} million a day"
    print(f"\nOne mind with many hands is full at about {full:.0f} pages a second with {args.strategy} ({a_day}).")
    print(f"\nWithin {args.days:g} days, with {args.strategy}:\n")
    print(f"| {' | '.join(COLUMNS)} |\n|{'---:|' * len(COLUMNS)}")
    for size in SIZES:
        row = estimate(size, args.days, args.strategy)
        told = [f"{row.pages:,}", f"{row.rate:,.2f}", f"{row.hosts:,.1f}", f"{row.cores:,.2f}", f"{row.links:,.0f}"]
        told += [f"{row.memory:,.2f}", f"{row.disk:,.3f}", f"{row.islands:,}", f"{row.rate / full:.0%}"]
        print(f"| {' | '.join([*told, f'{row.hands:,.1f}', f'{row.keepers:,.0f}'])} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
