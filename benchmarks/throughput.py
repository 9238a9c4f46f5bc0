"""How fast wolfspider crawls, beside other crawlers, on the same pages of the same server.

    python benchmarks/throughput.py [--pages 1200] [--rounds 3] [--web WEB] [--only NAME ...] [--json OUT]
    python benchmarks/throughput.py --only wolfspider --beside CHECKOUT ...

Pages of a recorded web (closed_site.py) are served by nginx on loopback. Every crawler fetches all of them from the
same seeds, each in a process of its own on one core; the server has the other one. A round runs each of them once, in
an order that turns from round to round, so that what else the machine does falls on all alike. Politeness, robots.txt
and delays are off for all, for wolfspider also what watches for traps and what lets links give way, and 32 requests may
be out at once (wget has one).

Measured are pages a second, CPU time a page (user and system, of the process and its children, all there was from its
start to its end) and the largest memory resident in all its processes together. What a start costs, measured by
crawling a single page, stands apart. The server's log tells what was fetched: a crawler that did not get every page
exactly once is not compared, and says so.

The others are installed into an environment of their own (--rivals-venv) when it is not there. wrk is no crawler: it
asks for the same addresses and reads nothing, which is the most that client and server can do. With --beside other
checkouts of wolfspider crawl, too, each with its own code by this interpreter: an earlier version, or one in which
nothing was compiled. For each there is the median, over the rounds, of what a page costs by this code against by it.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from closed_site import ALONE, Site, seeds_of, written
from side_by_side import Failed, Server, find_nginx, measured, served

from wolfspider.core import errors
from wolfspider.web.worlds.recorded import Recorded
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.synthetic.saving import write

HERE = Path(__file__).resolve().parent
SOURCE = Path(errors.__file__).parents[1]  # of wolfspider
CONCURRENCY = 32
WRK_SECONDS = 5
WRK_SCRIPT = """
local paths, next = {}, 0
for line in io.lines(os.getenv("PATHS")) do paths[#paths + 1] = line end
request = function() next = next % #paths + 1; return wrk.format("GET", paths[next]) end
"""


@dataclass(frozen=True)
class Run:
    """One crawl, measured."""

    crawler: str
    round: int
    pages: int  # distinct pages that the server gave out
    requests: int  # answers of any kind
    seconds: float
    cpu: float  # seconds, user and system
    memory: int  # bytes
    error: str = ""

    @property
    def rate(self) -> float:
        return self.pages / self.seconds if self.seconds else 0.0

    @property
    def cpu_ms(self) -> float:
        return 1000 * self.cpu / max(1, self.pages)


class Ground(NamedTuple):
    """What a crawler needs to know to run."""

    site: Site
    server: Server
    rivals: Path  # the interpreter that has them
    work: Path
    client_cores: tuple[int, ...]
    all_cores: tuple[int, ...]

    def urls(self, paths: tuple[str, ...]) -> list[str]:
        return [self.server.address + path for path in paths]


class Crawler(NamedTuple):
    name: str
    what: str
    command: Callable[[Ground, tuple[str, ...], Path], list[str]]  # for these seeds, with a folder to write to
    needs: str = ""  # a program that must be installed
    source: Path | None = None  # of another wolfspider


def wolfspider(variant: str, programs: Path = HERE) -> Callable[[Ground, tuple[str, ...], Path], list[str]]:
    """With a budget of a page more than there are, so that it has to find out by itself that it is done."""

    def command(ground: Ground, seeds: tuple[str, ...], out: Path) -> list[str]:
        budget, topic = len(ground.site.paths) + 1, ", ".join(ground.site.topic.keywords)
        program = [sys.executable, str(programs / "wolfspider_once.py"), variant, str(budget), str(CONCURRENCY)]
        return [*program, str(out), topic, *ground.urls(seeds)]

    return command


def checkout(folder: Path) -> Crawler:
    compileall.compile_dir(folder / "src", quiet=1)
    what = f"the same as in {folder.name}"
    return Crawler(folder.name, what, wolfspider("full", folder / "benchmarks"), source=folder / "src")


def rival(program: str, stores: bool = False) -> Callable[[Ground, tuple[str, ...], Path], list[str]]:
    def command(ground: Ground, seeds: tuple[str, ...], out: Path) -> list[str]:
        kept = [str(out), ", ".join(ground.site.topic.keywords)] if stores else []
        return [str(ground.rivals), str(HERE / "rivals" / program), str(CONCURRENCY), *kept, *ground.urls(seeds)]

    return command


def wget(ground: Ground, seeds: tuple[str, ...], out: Path) -> list[str]:
    """It would also fetch what styles import."""
    options = ["-r", "-l", "inf", "-e", "robots=off", "--follow-tags=a,area", "-nv", "-o", "/dev/null"]
    return ["wget", *options, "--accept-regex", r"(/|\.html?)$", "-P", str(out), *ground.urls(seeds)]


CRAWLERS = (
    Crawler("wolfspider", "fetch, parse, score, dedup, WARC + SQLite, best-first", wolfspider("full")),
    Crawler("wolfspider_hunter", "the same with the hunter", wolfspider("hunter")),
    Crawler("wolfspider_bare", "fetch, parse, dedup; nothing scored or stored", wolfspider("bare")),
    Crawler("scrapy", "CrawlSpider: links, text", rival("scrapy_links.py")),
    Crawler("scrapy_tuned", "own spider, selectolax: links, text", rival("scrapy_tuned.py")),
    Crawler("crawlee", "HttpCrawler, selectolax: links, text", rival("crawlee_http.py")),
    Crawler(
        "scrapy_stored", "the tuned one, and score, WARC + SQLite, best-first", rival("scrapy_stored.py", stores=True)
    ),
    Crawler("crawlee_stored", "the same, and score, WARC + SQLite", rival("crawlee_stored.py", stores=True)),
    Crawler("wget", "links; files written; one request at a time", wget, needs="wget"),
)
RIVALS = ("scrapy", "crawlee")
LAST_LINE = ("wolfspider", "scrapy", "scrapy_tuned")


# --- Rounds


def asked(log: Path, site: Site) -> tuple[int, int]:
    """How many pages of the site were given out, and how many answers there were; the log starts anew."""
    time.sleep(0.3)  # nginx writes what it has after a tenth of a second
    counts = Counter(tuple(line.split(" ", 1)) for line in log.read_text().splitlines())
    os.truncate(log, 0)
    del counts["404", "/robots.txt"]  # there is none, but wolfspider always asks
    paths = {path.removesuffix("index.html") for path in site.paths}
    given = {path.removesuffix("index.html") for status, path in counts if status == "200"}
    return len(given & paths), counts.total()


def crawl_once(crawler: Crawler, ground: Ground, number: int, seeds: tuple[str, ...]) -> Run:
    out = Path(tempfile.mkdtemp(prefix=crawler.name, dir=ground.work))
    try:
        command = crawler.command(ground, seeds, out)
        result = measured(command, ground.client_cores, {"PYTHONPATH": str(crawler.source)} if crawler.source else None)
        pages, requests = asked(ground.server.log, ground.site)
        return Run(crawler.name, number, pages, requests, result.seconds, result.cpu, result.memory)
    except Failed as error:
        asked(ground.server.log, ground.site)
        return Run(crawler.name, number, 0, 0, 0.0, 0.0, 0, str(error))
    finally:
        shutil.rmtree(out, ignore_errors=True)


def checked(run: Run, site: Site) -> Run:
    """With the sentence that says why it cannot be compared, where it cannot."""
    wanted = len(site.paths)
    if run.error or (run.pages == wanted and run.requests == wanted):
        return run
    return Run(**asdict(run) | {"error": f"{run.pages} of {wanted} pages by {run.requests} requests"})


def wrk_once(ground: Ground, number: int) -> Run:
    script, paths = ground.work / "urls.lua", ground.work / "paths.txt"
    script.write_text(WRK_SCRIPT)
    paths.write_text("\n".join(ground.site.paths))
    command = ["wrk", "-t1", f"-c{CONCURRENCY}", f"-d{WRK_SECONDS}s", "-s", str(script), ground.server.address]
    try:
        result = measured(command, ground.client_cores, {"PATHS": str(paths)})
    except Failed as error:
        return Run("wrk", number, 0, 0, 0.0, 0.0, 0, str(error))
    _, requests = asked(ground.server.log, ground.site)
    return Run("wrk", number, requests, requests, result.seconds, result.cpu, result.memory)


def rounds(crawlers: list[Crawler], ground: Ground, count: int, wrk: bool) -> Iterator[Run]:
    for number in range(1, count + 1):
        shift = (number - 1) % max(1, len(crawlers))
        for crawler in crawlers[shift:] + crawlers[:shift]:
            yield checked(crawl_once(crawler, ground, number, ground.site.seeds), ground.site)
        if wrk:
            yield wrk_once(ground, number)


def starts(crawlers: list[Crawler], ground: Ground, count: int) -> dict[str, float]:
    """CPU seconds that each takes to crawl a single page that links nowhere: its start and its end. Medians."""
    runs = [crawl_once(crawler, ground, 0, (ALONE,)) for _ in range(count) for crawler in crawlers]
    names = {run.crawler for run in runs} - {run.crawler for run in runs if run.error}
    return {name: statistics.median(run.cpu for run in runs if run.crawler == name) for name in names}


# --- The table


def spread(values: list[float], digits: int) -> str:
    middle = f"{statistics.median(values):,.{digits}f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def table(names: list[str], runs: list[Run], start: dict[str, float], pages: int) -> str:
    lines = [
        "| crawler | pages/s | CPU ms/page | of these start | peak MB |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name in names:
        own = [run for run in runs if run.crawler == name]
        wrong = next((run.error for run in own if run.error), "")
        if wrong:
            lines.append(f"| {name} | not compared: {' '.join(wrong.split())[:200]} | | | |")
            continue
        begun = f"{1000 * start[name] / pages:.2f}" if name in start else ""
        rate, cpu = spread([run.rate for run in own], 0), spread([run.cpu_ms for run in own], 2)
        memory = spread([run.memory / 1e6 for run in own], 0)
        lines.append(f"| {name} | {rate} | {cpu} | {begun} | {memory} |")
    return "\n".join(lines)


def against(runs: list[Run], other: str) -> str:
    """What a page costs by this code against by another checkout: the rounds are compared one by one."""
    by_round = {(run.crawler, run.round): run.cpu_ms for run in runs if not run.error}
    numbers = sorted({number for name, number in by_round if name == other})
    ratios = [
        by_round["wolfspider", number] / by_round[other, number]
        for number in numbers
        if ("wolfspider", number) in by_round
    ]
    return f"wolfspider/{other}={spread(ratios, 3)}" if ratios else f"wolfspider/{other}=none"


def last_line(runs: list[Run]) -> str:
    parts = []
    for name in LAST_LINE:
        own = [run.cpu_ms for run in runs if run.crawler == name]
        fine = own and not any(run.error for run in runs if run.crawler == name)
        parts.append(f"{name}={statistics.median(own):.2f}" if fine else f"{name}=none")
    return "cpu_ms_per_page " + " ".join(parts)


# --- The command


def web_folder(given: str | None, work: Path, pages: int) -> tuple[Path, str]:
    """The web to take pages from, and how to call it."""
    corpora = os.environ.get("WOLFSPIDER_CORPORA", "")
    if given or corpora:
        folder = Path(given) if given else Path(corpora) / "docs"
        return folder, folder.name
    folder = work / "web"
    write(Synthetic.parse(f"synthetic:pages={max(1000, 4 * pages)},seed=1"), folder, 5 * pages)
    return folder, "a synthetic web (no --web, and WOLFSPIDER_CORPORA is not set)"


def rivals_python(folder: Path) -> Path:
    """The interpreter of the environment with the other crawlers, made on first use."""
    python, wanted = folder / "bin" / "python", HERE / "requirements-rivals.txt"
    made = folder / "made"
    if not made.exists() or made.read_text() != wanted.read_text():
        say(f"Installing the other crawlers into {folder}")
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(wanted)]
        subprocess.run(pip, check=True)
        made.write_text(wanted.read_text())
    return python


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def told(run: Run) -> None:
    what = run.error or f"{run.rate:,.0f} pages/s, {run.cpu_ms:.2f} CPU ms/page, {run.memory / 1e6:,.0f} MB"
    say(f"round {run.round}  {run.crawler:20}{' '.join(what.split())[:200]}")


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Crawlers side by side on one server.")
    parser.add_argument("--pages", type=int, default=1200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--web", help="folder or file of WARC (default: docs in WOLFSPIDER_CORPORA)")
    names = [*(crawler.name for crawler in CRAWLERS), "wrk"]
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--beside", nargs="+", type=Path, default=[], help="other checkouts of wolfspider")
    parser.add_argument("--rivals-venv", type=Path, default=Path("build/rivals"))
    parser.add_argument("--json", type=Path)
    return parser.parse_args(arguments)


def present(wanted: list[str]) -> tuple[list[Crawler], bool]:
    """The crawlers that can be run here, and whether wrk can."""
    missing = {crawler.name for crawler in CRAWLERS if crawler.needs and not shutil.which(crawler.needs)}
    missing |= set() if shutil.which("wrk") else {"wrk"}
    for name in sorted(missing & set(wanted)):
        say(f"{name} is not installed here and left out")
    return [crawler for crawler in CRAWLERS if crawler.name in set(wanted) - missing], "wrk" in set(wanted) - missing


def main() -> int:
    chosen = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers are ended on the way out
    rivals = chosen.rivals_venv.absolute()
    if any(name.startswith(RIVALS) for name in chosen.only):
        rivals = rivals_python(rivals)
    compileall.compile_dir(SOURCE, quiet=1)  # as installing did for the others
    cores = tuple(sorted(os.sched_getaffinity(0)))
    os.sched_setaffinity(0, cores[:1])
    with tempfile.TemporaryDirectory(prefix="throughput-") as name:
        work = Path(name)
        folder, web_name = web_folder(chosen.web, work, chosen.pages)
        say(f"Choosing {chosen.pages:,} pages of {web_name}")
        web = Recorded(folder, work / "cache")
        site = written(web, work / "site", chosen.pages, seeds_of(web))
        with served(site.folder, work, cores[0], find_nginx()) as server:
            ground = Ground(site, server, rivals, work, cores[-1:], cores)
            return report(chosen, ground, web_name)


def report(chosen: argparse.Namespace, ground: Ground, web_name: str) -> int:
    site, pages = ground.site, len(ground.site.paths)
    shared = "; all on one core, for there is no other" if len(ground.all_cores) == 1 else ""
    about = (
        f"{pages:,} pages of {web_name}, {site.size / pages / 1e3:.1f} KB and {site.links / pages:.0f} different links "
        f"each on average, served by {ground.server.name}, {CONCURRENCY} requests at once{shared}"
    )
    say(about)
    crawlers, wrk = present(chosen.only)
    crawlers += [checkout(folder.resolve()) for folder in chosen.beside]
    start = starts(crawlers, ground, chosen.rounds)
    runs = []
    for run in rounds(crawlers, ground, chosen.rounds, wrk):
        told(run)
        runs.append(run)
    names = [crawler.name for crawler in crawlers] + ["wrk"] * wrk
    print(f"{about}.\n\n{table(names, runs, start, pages)}\n")
    for crawler in crawlers:
        print(f"{crawler.name}: {crawler.what}")
    if chosen.json:
        rows = [asdict(run) | {"rate": run.rate, "cpu_ms": run.cpu_ms} for run in runs]
        chosen.json.write_text(json.dumps({"about": about, "pages": pages, "start": start, "rows": rows}, indent=1))
    for folder in chosen.beside:
        print(against(runs, folder.resolve().name))
    print(last_line(runs))
    return 1 if any(run.error for run in runs) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except errors.Problem as problem:
        sys.exit(str(problem))
