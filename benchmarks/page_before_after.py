"""What a page costs by two versions of wolfspider, each crawling the same pages of the same server, by turns.

    python benchmarks/page_before_after.py BEFORE AFTER --web WEB [--pages 1200] [--rounds 4]

BEFORE and AFTER are checkouts with their compiled parts. The crawl is that of throughput.py with everything; figures
are CPU milliseconds a page, the start included. What else the machine does falls on both alike, so the ratio counts.
"""

from __future__ import annotations

import argparse
import compileall
import os
import statistics
import sys
import tempfile
from pathlib import Path

from closed_site import seeds_of, written
from side_by_side import find_nginx, measured, served

from wolfspider.web.worlds.recorded import Recorded

SLOTS = 32


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("versions", type=Path, nargs=2, metavar="CHECKOUT")
    parser.add_argument("--web", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=1200)
    parser.add_argument("--rounds", type=int, default=4)
    chosen = parser.parse_args()
    before, after = (version.resolve() for version in chosen.versions)
    for version in (before, after):
        compileall.compile_dir(version / "src", quiet=1)
    cores = tuple(sorted(os.sched_getaffinity(0)))
    spent: dict[Path, list[float]] = {before: [], after: []}
    with tempfile.TemporaryDirectory(prefix="before-after-") as name:
        work = Path(name)
        web = Recorded(chosen.web, work / "cache")
        site = written(web, work / "site", chosen.pages, seeds_of(web))
        with served(site.folder, work, cores[0], find_nginx()) as server:
            for number in range(chosen.rounds):
                for version in (before, after) if number % 2 else (after, before):
                    given = ["full", str(len(site.paths) + 1), str(SLOTS), str(work / f"{number}{version.name}")]
                    once = [sys.executable, str(version / "benchmarks" / "wolfspider_once.py"), *given]
                    seeds = [server.address + path for path in site.seeds]
                    program = [*once, ", ".join(site.topic.keywords), *seeds]
                    cpu = measured(program, cores[-1:], {"PYTHONPATH": str(version / "src")}).cpu
                    spent[version].append(1000 * cpu / len(site.paths))
    ratio = statistics.median(new / old for old, new in zip(spent[before], spent[after], strict=True))
    for label, version in (("before", before), ("after", after)):
        print(
            f"{label}: {statistics.median(spent[version]):.2f} ({min(spent[version]):.2f} to {max(spent[version]):.2f})"
        )
    print(f"ratio={ratio:.3f}")


if __name__ == "__main__":
    main()
