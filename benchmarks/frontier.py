"""A frontier of ten million addresses, with its Shelf on disk: how fast, how large.

Pushes the links of made-up pages (fifty links each, some thousand hosts, addresses of about eighty characters, anchors
and tag paths as pages have them) with the scores of a best-first crawl, takes a snapshot, pushes one page beyond the
cap, so that the lowest tenth is thrown away, and pops a tenth through a room in which hundreds of hosts are busy at any
time. What is left is saved as a run saves it, and restored by another process, as after a crash. Speeds are per second
of processor time, making up the links not counted. The peak memory of both processes must stay below 950 MiB.

    python benchmarks/frontier.py [--urls 10000000] [--hosts 20000] [--dir DIR]
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from wolfspider.core import codec
from wolfspider.core.model import Link
from wolfspider.policy.frontier import Frontier
from wolfspider.store import snapshots
from wolfspider.store.shelf import DiskShelf

LIMIT_MIB = 950
LINKS = 50  # on a page
PATHS = tuple(f"html/body.page/div#main/ul.list-{kind}/li/a" for kind in range(LINKS // 10))
BUSY = 500  # hosts that may not be visited at a moment
WORDS = ("archive", "article", "library", "climate", "history", "season", "network", "garden", "museum", "science")


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--urls", type=int, default=10_000_000)
    options.add_argument("--hosts", type=int, default=20_000)
    options.add_argument(
        "--dir", type=Path, default=None, help="where the shelf is written, instead of the usual place"
    )
    options.add_argument("--restore", type=Path, default=None, help=argparse.SUPPRESS)  # what the other process does
    options.add_argument("--digest", default="", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.restore is not None:
        sys.exit(restored(given.restore, given.digest))
    with tempfile.TemporaryDirectory(dir=given.dir) as folder:
        sys.exit(measure(Path(folder) / "shelf", given.urls, given.hosts))


def measure(path: Path, urls: int, hosts: int) -> int:
    before = resident()
    shelf = DiskShelf(path)
    frontier = Frontier(shelf, cap=urls)
    push = filled(frontier, urls, hosts)
    shelf.flush()
    ram, disk = resident() - before, len(shelf)
    tell(f"{len(frontier):,} addresses: {ram / 2**20:,.0f} MiB in memory, {disk / 2**20:,.0f} MiB on disk")
    tell(f"a snapshot takes {timed(codec.store, frontier):.2f} s, at most {peak():,.0f} MiB so far")
    one_more = made_up(random.Random(2), urls, hosts)
    tell(
        f"beyond its cap, the lowest tenth goes in {timed(frontier.extend, *one_more):.2f} s, {peak():,.0f} MiB so far"
    )
    pops = max(1, urls // 10)
    pop = popped(frontier, pops)
    saved = snapshots.save(path.parent, snapshots.name_of(1, 0), *codec.store(frontier))
    shelf.close()
    tell(f"saved in {saved.bytes / 2**20:,.0f} MiB, {peak():,.0f} MiB so far")
    again = [sys.executable, __file__, "--restore", str(path.with_name(saved.file)), "--digest", saved.digest]
    restoring = float(subprocess.run(again, check=True, stdout=subprocess.PIPE, text=True).stdout)
    print(
        f"urls={urls} push_per_second={urls / push:.0f} pop_per_second={pops / pop:.0f} "
        f"bytes_per_url_ram={ram / urls:.1f} bytes_per_url_disk={disk / urls:.1f} rss_mib={peak():.0f} "
        f"rss_mib_restoring={restoring:.0f}"
    )
    return 0 if max(peak(), restoring) < LIMIT_MIB else 1


def restored(file: Path, digest: str) -> int:
    """Print the peak memory of a process that restores a frontier, in MiB."""
    took = timed(snapshots.state_of, file.parent, file.name, digest)
    tell(f"another process restores it in {took:.2f} s, with at most {peak():,.0f} MiB")
    print(peak())
    return 0


def filled(frontier: Frontier, urls: int, hosts: int) -> float:
    """Push until so many wait; the seconds that took."""
    rng = random.Random(1)
    seconds, page = 0.0, 0
    while len(frontier) < urls:
        links, scores, source = made_up(rng, page, hosts)
        wanted = urls - len(frontier)
        seconds += timed(frontier.extend, links[:wanted], scores[:wanted], source)
        page += 1
        if page % 20_000 == 0:
            tell(f"{len(frontier):,} pushed, {len(frontier) / seconds:,.0f} a second, {resident() / 2**20:,.0f} MiB")
    return seconds


def made_up(rng: random.Random, page: int, hosts: int) -> tuple[list[Link], list[float], str]:
    """The links of a page: most to its own host, large hosts more often than small ones."""
    home, away = host(int(hosts * rng.random() ** 2)), host(int(hosts * rng.random() ** 2))
    worth, one, two = rng.random(), rng.choice(WORDS), rng.choice(WORDS)
    places = [f"https://{home}/{one}/", f"https://{away}/{two}/{one}/"]
    links = [
        Link(
            f"{places[rank % 5 == 4]}{page:07d}-{rank:02d}-{one}-of-the-{two}.html",
            f"{one} {rank} of the {two}",
            rank * 9,
            (rank * 9, rank * 9 + 14),
            PATHS[rank // 10],
            rank,
        )
        for rank in range(LINKS)
    ]
    return links, [0.5 * worth + 0.5 * rng.random() for _ in links], f"https://{home}/{two}/{page:07d}.html"


def host(number: int) -> str:
    return f"www.{WORDS[number % len(WORDS)]}-{number}.example"


class BusyRoom:
    """One visit at a time to a host, and BUSY hosts resting. Implements what a frontier asks of a room."""

    thrifty = True

    def __init__(self) -> None:
        self.free = 1
        self.newly_ready: Sequence[str] = ()
        self.resting: deque[str] = deque()
        self.busy: set[str] = set()
        self.refused: set[str] = set()

    def allows(self, url: str) -> bool:
        return True

    def gives_way(self, link: Link, better: Sequence[str]) -> bool:
        return False

    def take(self, link: Link, fresh: bool = False) -> bool:
        name = link.host
        if name in self.busy:
            self.refused.add(name)
            return False
        self.busy.add(name)
        self.resting.append(name)
        return True

    def rest(self, most: int) -> None:
        ready = [self.resting.popleft() for _ in range(len(self.resting) - most)]
        self.busy.difference_update(ready)
        self.newly_ready = [name for name in ready if name in self.refused]
        self.refused.difference_update(ready)


def popped(frontier: Frontier, pops: int) -> float:
    """Pop so many; the seconds that took."""
    room = BusyRoom()
    started = time.process_time()
    for number in range(1, pops + 1):
        room.rest(BUSY)
        while frontier.pop(room) is None:
            room.rest(len(room.resting) - 1)  # all that wait are resting: the next one is ready
        if number % 200_000 == 0:
            tell(f"{number:,} popped, {number / (time.process_time() - started):,.0f} a second")
    return time.process_time() - started


def timed(work: Callable[..., object], *given: object) -> float:
    started = time.process_time()
    work(*given)
    return time.process_time() - started


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak() -> float:
    """MiB, of this process alone: what getrusage tells begins with the peak of the process that started it."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) / 1024


def tell(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
