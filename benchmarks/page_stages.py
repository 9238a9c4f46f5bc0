"""Where the CPU time of a live crawl goes, by stage: the crawl of throughput.py, looked at a thousand times a second.

    python benchmarks/page_stages.py --web WEB [--pages 1200] [--rounds 1]

A signal comes after every millisecond of CPU time, and the stage is that of the innermost function that belongs to one.
A signal that comes within compiled code is seen when it returns, so its time counts for whoever called it. Figures are
CPU milliseconds a page.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType

from side_by_side import find_nginx, measured, served

HERE = Path(__file__).resolve().parent
SLOTS = 32
STAGES = (  # of a function: the first that its file begins with, and its name, where one is told
    ("importlib", "", "start: modules"),
    ("web/page/html.py", "addresses", "parse: addresses"),
    ("web/page/urls.py", "", "parse: addresses"),
    ("web/page/html.py", "language", "parse: language and dates"),
    ("web/page/dates.py", "", "parse: language and dates"),
    ("core/text.py", "near_signature", "parse: near signature"),
    ("web/page/bounded_text.py", "words_within", "parse: words"),
    ("web/page/page_reading.py", "links", "parse: links, blocks"),
    ("web/page/taming.py", "", "parse: bounding tags"),
    ("web/page/pages_at_hand.py", "", "memory budget, pages at hand"),
    ("web/page/", "", "parse: markup and the rest"),
    ("policy/judges/", "", "judge"),
    ("store/archive.py", "", "WARC"),
    ("web/warc/", "", "WARC"),
    ("store/", "", "journal, rows, parsed pages"),
    ("aiohttp/", "", "aiohttp"),
    ("yarl/", "", "aiohttp"),
    ("web/memory_budget.py", "", "memory budget, pages at hand"),
    ("web/http/", "", "client, guard, robots.txt, politeness"),
    ("engine/", "", "loop, strategy, room, scope"),
    ("policy/", "", "loop, strategy, room, scope"),
    ("strategies/", "", "loop, strategy, room, scope"),
    ("core/scope.py", "", "loop, strategy, room, scope"),
    ("drivers/", "", "driver"),
    ("asyncio/", "", "event loop"),
)


def file_of(path: str) -> str:
    """Of our own files and of packages, the part that names them."""
    for folder in ("/src/wolfspider/", "/site-packages/"):
        if folder in path:
            return path.rpartition(folder)[2]
    return path.rpartition("/python3.")[2].partition("/")[2] if "/python3." in path else path.removeprefix("<frozen ")


def stage_of(frame: FrameType | None) -> str:
    found = ""
    while frame is not None:
        file, name = file_of(frame.f_code.co_filename), frame.f_code.co_name
        if file.startswith("importlib"):
            return "start: modules"
        if not found:
            fits = (stage for start, own, stage in STAGES if file.startswith(start) and own in ("", name))
            found = next(fits, "")
        frame = frame.f_back
    return found or "other"


def sampled(out: Path, program: list[str]) -> None:
    """Run a program in this process, and write down what was seen."""
    seen: Counter[str] = Counter()
    signal.signal(signal.SIGPROF, lambda _, frame: seen.update([stage_of(frame)]))
    signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
    sys.argv = program
    try:
        runpy.run_path(program[0], run_name="__main__")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        out.write_text(json.dumps(seen))


def main() -> int:
    if sys.argv[1:2] == ["--sample"]:
        sampled(Path(sys.argv[2]), sys.argv[3:])
        return 0
    from closed_site import seeds_of, written

    from wolfspider.web.worlds.recorded import Recorded

    parser = argparse.ArgumentParser(description="The stages of a page.")
    parser.add_argument("--web", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=1200)
    parser.add_argument("--rounds", type=int, default=1)
    chosen = parser.parse_args()
    cores = tuple(sorted(os.sched_getaffinity(0)))
    seen: Counter[str] = Counter()
    cpu = 0.0
    with tempfile.TemporaryDirectory(prefix="stages-") as name:
        work = Path(name)
        web = Recorded(chosen.web, work / "cache")
        site = written(web, work / "site", chosen.pages, seeds_of(web))
        with served(site.folder, work, cores[0], find_nginx()) as server:
            for number in range(chosen.rounds):
                given = ["full", str(len(site.paths) + 1), str(SLOTS), str(work / f"run{number}")]
                once = [str(HERE / "wolfspider_once.py"), *given, ", ".join(site.topic.keywords)]
                seeds = [server.address + path for path in site.seeds]
                sample = [sys.executable, __file__, "--sample", str(work / "seen.json")]
                cpu += measured([*sample, *once, *seeds], cores[-1:]).cpu
                seen.update(json.loads((work / "seen.json").read_text()))
    each = 1000 * cpu / chosen.rounds / len(site.paths)
    print(f"| stage | CPU ms of {each:.2f} a page |\n| --- | ---: |")
    for stage, count in seen.most_common():
        print(f"| {stage} | {each * count / seen.total():.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
