"""Does a long crawl stay small and whole? Many pages of many hosts, of which one in twenty misbehaves, and two kills.

    python benchmarks/soak.py --pages 100000 --hosts 2000 --draw FOLDER
    python benchmarks/soak.py --calm --strategy best-first    nobody misbehaves or kills; does a page stay as cheap?

The web is computed and served on loopback: hosts h0.test, h1.test ... whose pages show links to those behind them. One
page in twenty is a misbehaviour of tests/faults.py, each in its turn and without the endless rest of its traps, and one
host in twenty has a robots.txt that misbehaves. The crawl is killed twice, by how far it has come, and goes on by the
same command. Ten times in all it is told, and drawn if a folder is named, what the crawl takes: memory, file handles,
threads, and its files on the disk; and in the end what a page took of the processor in each tenth of the crawl, over
all of its sessions, their starts left out.

    lost                   pages that were reported and that the run does not have in the end: none
    refetched              requests for a page that had been requested before: at most slots x kills
    rss_slope_kb_per_page  how fast memory grows once a session has run for a while: at most SLOPE, for crawls long
                           enough to tell (SLOPE_FROM pages)
    fds_max                file handles: at most 2 x slots + OTHER_HANDLES

The last line has these figures; exit code 1 if any is beyond its bound, the crawl took more than MOST_MEMORY, it did
not come to its end, or, if it was calm and long enough (COST_FROM pages), a page of the last tenth took more than
MOST_COST times as long as one of the first.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from side_by_side import announced

from wolfspider.bench.draw.svg import Figure
from wolfspider.store.view import RunView

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.faults import EXAMPLES, MOST_HEAD, ROBOTS, ROBOTS_ASIDE, WORDS, Asked, Call, Faulty, unknown

SLOTS, KILLS, ROWS = 64, 2, 10
MISBEHAVING = 20  # one in so many
LINKS = 8  # that a page shows to pages behind it
SPARE = 1.5  # pages that there are for each that is wanted: hosts that rest for a day keep theirs
DEPTH = 100  # pages in a row that may have nothing to do with the topic: more than a host has
SLOPE, SLOPE_FROM = 6.0, 60_000  # kilobytes a page; in shorter sessions it is mostly caches that fill
MOST_MEMORY = 700  # megabytes
MOST_COST, COST_FROM = 1.2, 60_000
SETTLED = 0.3  # of a session, before which memory is not yet what it comes to
OTHER_HANDLES = 60
SILENT = 900.0  # seconds without a page after which the crawl is taken for stuck
TRAPS = ("calendar", "growing", "session", "soft-404")  # one step each, or they would take all downloads
ODD_ROBOTS = [*ROBOTS, *ROBOTS_ASIDE, "redirect", "delay", "404", "500", "503"]


# The web


def host_of(number: int, calm: bool = False) -> str:
    if number and number % MISBEHAVING == 0 and not calm:
        odd = number // MISBEHAVING
        return f"robots-{ODD_ROBOTS[odd % len(ODD_ROBOTS)]}-{odd}.test"
    return f"h{number}.test"


def address(host: int, page: int, calm: bool = False) -> str:
    """Of a page: its number, or a misbehaviour."""
    if not calm and page and random.Random(f"{host}/{page}").randrange(MISBEHAVING) == 0:
        path = EXAMPLES[(host * 7 + page) % len(EXAMPLES)]
        return f"http://{host_of(host)}{path}{'&' if '?' in path else '?'}page={page}"
    return f"http://{host_of(host, calm)}/{page}"


def is_plain(url: str) -> bool:
    """Is this a page that does not misbehave?"""
    return url.rpartition("/")[2].isdecimal() and url.count("/") == 3


class Soaking(Faulty):
    """Pages with text and links, and all of tests/faults.py beside them. Its log is a file: a line for each request."""

    def __init__(self, hosts: int, pages: int, log: IO[str], calm: bool) -> None:
        super().__init__()
        self.hosts, self.pages, self.asked, self.calm = hosts, pages, log, calm
        self.times: Counter[str] = Counter()  # of what misbehaves
        self.numbers = {host_of(number, calm): number for number in range(hosts)}

    def call(self, asked: Asked, writer: asyncio.StreamWriter) -> Call:
        url = f"http://{asked.host}{asked.path}"
        print(url, file=self.asked, flush=True)
        if not is_plain(url):
            self.times[url] += 1
        return Call(asked, max(1, self.times[url]), writer)

    async def behave(self, call: Call) -> None:
        if is_plain(f"http://{call.host}{call.asked.path}"):
            await self._page(call, int(call.asked.path[1:]))
        elif call.name in TRAPS and "page=" not in call.asked.path:  # leads on
            await unknown(call)
        else:
            await super().behave(call)

    async def _page(self, call: Call, page: int) -> None:
        host = self.numbers.get(call.host, 0)
        words = random.Random(f"{host}-{page}").choices(WORDS.split(), k=200)
        links = [address(host, other, self.calm) for other in range(page + 1, min(page + 1 + LINKS, self.pages))]
        if page == 0:
            links += [address(other, 0, self.calm) for other in range(3 * host + 1, min(3 * host + 4, self.hosts))]
        await call.page(f"Page {page} of {call.host}", *links, text=" ".join(words))


async def serve(hosts: int, pages: int, log: Path, calm: bool) -> None:
    with log.open("a") as lines:
        soaking = Soaking(hosts, pages, lines, calm)
        server = await asyncio.start_server(soaking.serve, "127.0.0.1", 0, limit=MOST_HEAD, backlog=1000)
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        async with server:
            await server.serve_forever()


# The crawl


class Sample(NamedTuple):
    """What the crawl took when it had told of so many downloads."""

    pages: int
    session: int
    cpu: float  # seconds of the processor since the session began
    memory: float  # megabytes, as are the files
    handles: int
    threads: int
    database: float
    archive: float
    shelf: float
    snapshots: float


@dataclass
class Soak:
    """One crawl, over all its sessions."""

    folder: Path
    pages: int
    kills: int
    command: list[str]
    told: set[str] = field(default_factory=set)
    downloads: int = 0
    samples: list[Sample] = field(default_factory=list)
    code: int = -1
    rows: int = 0  # told so far

    @property
    def run(self) -> Path:
        return self.folder / "run"

    def go(self) -> None:
        """To its end, killed on the way."""
        for session in range(self.kills + 1):
            until = self.pages * (session + 1) // (self.kills + 1) if session < self.kills else None
            self._session(session, until)
        print(f"exit code {self.code} after {self.downloads:,} downloads")

    def _session(self, number: int, until: int | None) -> None:
        path = self.folder / f"told-{number}.jsonl"
        with path.open("wb") as out, (self.folder / "errors.txt").open("ab") as errors:
            process = subprocess.Popen(self.command, stdout=out, stderr=errors)
        try:
            with path.open("rb") as lines:
                self._follow(process, lines, number, until)
        finally:
            process.kill()
            self.code = process.wait()

    def _follow(self, process: subprocess.Popen[bytes], lines: IO[bytes], number: int, until: int | None) -> None:
        rest, heard, step = b"", time.monotonic(), max(1, self.pages // 200)
        while process.poll() is None:
            time.sleep(0.05)
            *whole, rest = (rest + lines.read()).split(b"\n")
            if whole:
                heard = time.monotonic()
            for line in whole:
                self._hear(json.loads(line))
            if (
                not self.samples
                or self.samples[-1].session != number
                or self.downloads >= self.samples[-1].pages + step
            ):
                with suppress(OSError):
                    self._sample(process.pid, number)
            if until is not None and self.downloads >= until:
                process.send_signal(signal.SIGKILL)
                process.wait()
            if time.monotonic() - heard > SILENT:
                print(f"nothing was heard of the crawl for {SILENT:.0f} s")
                process.kill()
                process.wait()
        for line in (rest + lines.read()).split(b"\n"):
            if line.endswith(b"}"):
                self._hear(json.loads(line))

    def _hear(self, event: dict[str, object]) -> None:
        if event["event"] == "landed":
            self.downloads = max(self.downloads, int(str(event["downloads"])))
            if is_plain(url := str(event.get("final_url", ""))):
                self.told.add(url)

    def _sample(self, pid: int, session: int) -> None:
        said = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        handles = len(os.listdir(f"/proc/{pid}/fd"))
        sizes = [megabytes(self.run / name) for name in ("run.db*", "warc/*.gz", "shelf", "snapshots/*")]
        memory = int(said["VmRSS"].split()[0]) / 1024
        used = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]  # in its code, and for it
        cpu = sum(map(int, used)) / os.sysconf("SC_CLK_TCK")
        self.samples.append(Sample(self.downloads, session, cpu, memory, handles, int(said["Threads"]), *sizes))
        if self.downloads >= self.pages * self.rows / ROWS:
            self.rows += 1
            print(" ".join(f"{name}={value:,.0f}" for name, value in self.samples[-1]._asdict().items()), flush=True)


def megabytes(pattern: Path) -> float:
    sizes = 0
    for path in pattern.parent.glob(pattern.name):
        with suppress(OSError):
            sizes += path.stat().st_size
    return sizes / 1e6


def slope(samples: list[Sample]) -> float:
    """Kilobytes of memory for each further page, over all sessions that have settled; each starts where it starts."""
    xs, ys = [], []
    for number in {sample.session for sample in samples}:
        own = [sample for sample in samples if sample.session == number]
        first, last = own[0].pages, own[-1].pages
        settled = [sample for sample in own if sample.pages >= first + SETTLED * (last - first)]
        if len(settled) > 2:
            pages, memory = np.array([(sample.pages, sample.memory) for sample in settled]).T
            xs.append(pages - pages.mean())
            ys.append((memory - memory.mean()) * 1024)
    if not xs:
        return 0.0
    x, y = np.concatenate(xs), np.concatenate(ys)
    return float(x @ y / max(1.0, x @ x))


def costs(samples: list[Sample], pages: int) -> list[float]:
    """Milliseconds of the processor for a page of each tenth of a crawl. What is between two samples counts where both
    are of one session."""
    own = [(a, b) for a, b in itertools.pairwise(samples) if a.session == b.session and 0 < a.pages < b.pages]
    parts: list[list[tuple[float, int]]] = [[] for _ in range(ROWS)]
    for a, b in own:
        parts[min(ROWS - 1, a.pages * ROWS // pages)].append((b.cpu - a.cpu, b.pages - a.pages))
    return [1000 * sum(cpu for cpu, _ in part) / max(1, sum(more for _, more in part)) for part in parts]


def requested_again(log: Path) -> int:
    with log.open() as lines:
        times = Counter(url for line in lines if is_plain(url := line.rstrip("\n")))
    return times.total() - len(times)


def draw(samples: list[Sample], folder: Path) -> None:
    """Two figures: what the process takes, and what its files take."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = [sample.pages for sample in samples]
    memory = Figure("A long crawl, killed twice: memory", "downloads", "megabytes")
    memory.line(pages, [sample.memory for sample in samples], "memory")
    handles = Figure("A long crawl, killed twice: handles and threads", "downloads", "number")
    handles.line(pages, [sample.handles for sample in samples], "file handles")
    handles.line(pages, [sample.threads for sample in samples], "threads")
    files = Figure("A long crawl, killed twice: files", "downloads", "megabytes")
    for name in ("database", "archive", "shelf", "snapshots"):
        files.line(pages, [getattr(sample, name) for sample in samples], name)
    for name, figure in (("memory", memory), ("handles", handles), ("files", files)):
        (folder / f"soak-{name}.svg").write_text(figure.svg(), encoding="utf-8")


def crawl_command(via: str, run: Path, pages: int, strategy: str) -> list[str]:
    named = {"topic": "wolf spider hunts", "pages": pages, "slots": SLOTS, "per-address": SLOTS, "delay": 0, "adapt": 0}
    named |= {"tries": 1, "backoff": 0.5, "deadline": 3, "largest": 2_000_000, "max-wait": 60, "disk-floor": 0}
    named |= {"snapshots": 20, "via": via, "out": str(run)}
    named |= {"strategy": strategy, "traps": "ignore"}  # pages here are alike
    if strategy == "shark":  # few pages here are about the topic, and lines without any would die out
        named |= {"set": f"depth={DEPTH}"}
    flags = [str(word) for name, value in named.items() for word in (f"--{name}", value)]
    return [sys.executable, "-m", "wolfspider", "crawl", address(0, 0), *flags, "--json", "--quiet"]


def verdict(soak: Soak, log: Path) -> tuple[str, list[str]]:
    """The figures, and a sentence for each that is beyond its bound."""
    lost = len(soak.told - {row.final_url for row in RunView(soak.run).pages()})
    refetched, growth = requested_again(log), slope(soak.samples)
    handles = max(sample.handles for sample in soak.samples)
    wrong = []
    if soak.code != 0 or soak.downloads < soak.pages:
        wrong.append(f"The crawl ended with {soak.code} after {soak.downloads:,} of {soak.pages:,} downloads.")
    if lost:
        wrong.append(f"{lost} pages were reported and are not there.")
    if refetched > SLOTS * soak.kills:
        wrong.append(f"{refetched} pages were requested again; {SLOTS * soak.kills} may be.")
    if soak.pages >= SLOPE_FROM and growth > SLOPE:
        wrong.append(f"Memory grows by {growth:.1f} KB a page; it may by {SLOPE}.")
    if (peak := max(sample.memory for sample in soak.samples)) > MOST_MEMORY:
        wrong.append(f"The crawl took {peak:.0f} MB; it may take {MOST_MEMORY}.")
    first, *_, last = costs(soak.samples, soak.pages)
    if soak.pages >= COST_FROM and not soak.kills and last > MOST_COST * first:
        wrong.append(f"In the end a page takes {last / first:.2f} times as long as at first; it may take {MOST_COST}.")
    if handles > 2 * SLOTS + OTHER_HANDLES:
        wrong.append(f"{handles} file handles were open; {2 * SLOTS + OTHER_HANDLES} may be.")
    figures = f"lost={lost} refetched={refetched} rss_slope_kb_per_page={growth:.2f} fds_max={handles}"
    return figures, wrong


def soaked(given: argparse.Namespace, folder: Path) -> Iterator[str]:
    """All of it; gives what is to be told in the end, the figures last."""
    log, per_host = folder / "served.log", max(2, int(SPARE * given.pages / given.hosts))
    program = [sys.executable, __file__, "--serve", str(log), "--hosts", str(given.hosts), "--pages", str(per_host)]
    with announced([*program, "--calm"] if given.calm else program) as via:
        command = crawl_command(via, folder / "run", given.pages, given.strategy)
        soak = Soak(folder, given.pages, 0 if given.calm else KILLS, command)
        soak.go()
    if given.draw:
        draw(soak.samples, given.draw)
    figures, wrong = verdict(soak, log)
    peak = max(sample.memory for sample in soak.samples)
    each = costs(soak.samples, given.pages)
    in_tenths = " ".join(f"{cost:.2f}" for cost in each)
    yield f"CPU ms a page, by tenths: {in_tenths}; the last against the first {each[-1] / max(each[0], 1e-9):.2f}"
    yield f"told of {len(soak.told):,} pages that do not misbehave; at most {peak:.0f} MB of memory"
    if wrong:
        yield from (*(folder / "errors.txt").read_text(errors="replace").splitlines()[-5:], *wrong)
    yield figures


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--hosts", type=int, default=2_000)
    parser.add_argument("--strategy", default="shark")
    parser.add_argument("--calm", action="store_true", help="nobody misbehaves, and nothing is killed")
    parser.add_argument("--draw", type=Path, help="a folder for the figures")
    parser.add_argument("--keep", type=Path, help="a folder that is left behind")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve(given.hosts, given.pages, given.serve, given.calm))
    folder = given.keep or Path(tempfile.mkdtemp(prefix="soak-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        told = list(soaked(given, folder))
        print(*told, sep="\n")
        return 0 if len(told) == 3 else 1
    finally:
        if given.keep is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    raise SystemExit(main())
