"""Does a run survive every failing call? Each call of the system that changes its files fails once, and only once.

    python benchmarks/faults.py                            all points
    python benchmarks/faults.py --points 150 --seed 7      a sample

A library loaded before all others (failing_calls.c, made by gcc) counts the calls of Python and of SQLite alike that
open, write, sync, cut, rename or remove files of a run. A *point* is the Nth of them, failing in one way: EIO (the disk
is broken), ENOSPC (it is full), EMFILE (no more files may be opened), or a write of which only half fits. Points lie in
eight scenes:

    crawl    a small crawl from its beginning to its end
    full     the same with --durability full
    snaps    the same with a snapshot after each page, written in its thread while the crawl goes on
    resume   a crawl that was killed in the middle of a write, resumed
    export   the pages of a run, exported
    steer    a command left for a run that nobody runs
    repair   a run that has lost half of its database, repaired from its archive
    forget   a page taken out of a run

After each the same command is given again, and nothing fails any more. Then it must be true that

    lost       pages (commands) that were reported as kept before the fault and that the run does not have: none
               (of a run that is repaired, or forgets a page: all pages that it had, or all others)
    again      pages that were reported before the fault and that were downloaded once more: none
    unopened   runs and exports that the second command could not bring to their end: none
    unsaid     faults that ended a command with anything else than one sentence and a known exit code: none
    damaged    runs of which `wolfspider check` says that pages are lost, or, in the end, that anything is wrong;
               exports that are not what they should be; runs that have a page that they should have forgotten: none

The last line has these figures, the points that were tried and how many of them were reached: a crawl has threads, so
its calls are not the same each time. Exit code 1 if any is wrong, 0 with a sentence where there is no gcc.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import io
import json
import math
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from side_by_side import HERE, web_served

from wolfspider.cli import main as wolfspider
from wolfspider.drivers import snapshot_timing
from wolfspider.files.failpoints import VARIABLE
from wolfspider.store.damage import PAGES_LOST
from wolfspider.store.folder import Places, is_run
from wolfspider.store.repair.examination import examine
from wolfspider.store.view import RunView
from wolfspider.web.worlds.world import open_web

WEB = "synthetic:pages=1000,topics=8,seed=5,mischief=0"
PAGES, SLOTS = 8, 4
KILLED_AT = "archive-torn:5"
LONGEST = 200.0  # seconds of one command, which takes less than one unless the machine is busy
SHORT = -1
WAYS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "EMFILE": errno.EMFILE, "SHORT": SHORT}
FAILING = {  # how each kind of call may fail
    "open": ("EIO", "EMFILE", "ENOSPC"),
    "opendir": ("EMFILE",),
    "write": ("EIO", "ENOSPC", "SHORT"),
    "fsync": ("EIO", "ENOSPC"),
    "truncate": ("EIO",),
    "rename": ("EIO", "ENOSPC"),
    "unlink": ("EIO",),
    "mkdir": ("EIO", "ENOSPC"),
}
KNOWN_CODES = (0, 2, 3, 7, PAGES_LOST)  # an export passes over what cannot be read, and says so
SCENES = ("crawl", "full", "snaps", "resume", "export", "steer", "repair", "forget")
FIGURES = ("lost", "again", "unopened", "unsaid", "damaged")


class Point(NamedTuple):
    """One call of a scene, and how it fails."""

    scene: str
    number: int
    call: str  # what it was when the calls were counted
    way: str


class Session(NamedTuple):
    """What came of one command."""

    code: int
    output: str
    errors: str
    calls: list[str]

    @property
    def told(self) -> set[str]:
        """Pages that it reported; its last words may be cut."""
        events = [json.loads(line) for line in self.output.splitlines() if line.endswith("}")]
        return {event["final_url"] for event in events if event.get("event") == "landed" and "final_url" in event}

    @property
    def downloaded(self) -> set[str]:
        events = [json.loads(line) for line in self.output.splitlines() if line.endswith("}")]
        return {event["final_url"] for event in events if event.get("how") == "out" and "final_url" in event}


def session(
    folder: Path, words: Sequence[str], number: int = 0, way: int = 0, armed: bool = True, snaps: bool = False
) -> Session:
    """A command in a process of its own, in which the call of this number fails; with `snaps` it takes a snapshot after
    each page."""
    names = [folder / name for name in ("output", "errors", "calls")]
    child = os.fork()
    if child == 0:
        for place, path in enumerate(names[:2], 1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), place)
        if armed:
            ctypes.CDLL(None).fault_arm(os.fsencode(folder / "disk"), ctypes.c_long(number), way, os.fsencode(names[2]))
        if snaps:
            snapshot_timing.LANDINGS, snapshot_timing.SHARE = 1, math.inf
        code = 255
        try:
            code = wolfspider(words)
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
    code = _awaited(child)
    output, errors, calls = (path.read_text(errors="replace") if path.exists() else "" for path in names)
    return Session(code, output, errors, calls.splitlines())


def _awaited(child: int) -> int:
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -signal.SIGALRM


class Scenes:
    """The scenes of all points: what is there before, the command, and what must be true in the end."""

    def __init__(self, folder: Path, via: str) -> None:
        self.folder, self.via = folder, via
        self.task = next(iter(open_web(WEB).tasks().values()))
        self.killed, self.done = folder / "killed" / "disk", folder / "done" / "disk"

    def prepare(self) -> None:
        """The runs that scenes start from, and the export that comes out of one."""
        for disk in (self.killed, self.done):
            disk.mkdir(parents=True)
        with (self.killed.parent / "told").open("w") as told:
            words = [sys.executable, "-m", "wolfspider", *self.crawl(self.killed)]
            subprocess.run(words, env={**os.environ, VARIABLE: KILLED_AT}, stdout=told, check=False)
        with redirect_stdout(
            io.TextIOWrapper(io.BytesIO())
        ):  # in this process: all that start from it have everything loaded
            assert wolfspider(self.crawl(self.done)) == 0
            assert wolfspider(self.words("export", self.done)) == 0
        self.export = {path.name: path.read_bytes() for path in self.done.glob("pages.*")}
        for name in self.export:
            (self.done / name).unlink()
        self.pages = addresses(self.done / "run")
        self.unwanted = min(self.pages)

    def crawl(self, disk: Path, *more: str) -> list[str]:
        topic, out = ", ".join(self.task.topic.keywords), str(disk / "run")
        named = {"topic": topic, "pages": PAGES, "slots": SLOTS, "delay": 0, "adapt": 0, "disk-floor": 0, "tries": 1}
        flags = [str(word) for name, value in named.items() for word in (f"--{name}", value)]
        return ["crawl", *self.task.seeds[:2], *flags, "--via", self.via, "--out", out, "--json", "--quiet", *more]

    def words(self, scene: str, disk: Path) -> list[str]:
        if scene == "export":
            return ["export", str(disk / "run"), "--format", "warc", "--out", str(disk / "pages.warc.gz"), "--quiet"]
        if scene == "steer":
            return ["steer", str(disk / "run"), "limit", "slots=3", "--json"]
        if scene == "resume":
            return ["resume", str(disk / "run"), "--json", "--quiet"]
        if scene == "repair":
            return ["repair", str(disk / "run")]
        if scene == "forget":
            return ["forget", str(disk / "run"), self.unwanted, "--quiet"]
        return self.crawl(disk, "--durability", "full" if scene == "full" else "normal")

    def set_up(self, scene: str, folder: Path) -> Path:
        """The disk before the command is given."""
        disk = folder / "disk"
        folder.mkdir(parents=True)
        if scene in ("crawl", "full", "snaps"):
            disk.mkdir()
        else:
            shutil.copytree(self.killed if scene == "resume" else self.done, disk)
        if scene == "repair":
            database = Places.of(disk / "run").database
            os.truncate(database, database.stat().st_size // 2)
        return disk

    def calls(self, scene: str) -> list[str]:
        """The calls of a scene in which nothing fails, each by its kind."""
        folder = self.folder / f"counted-{scene}"
        disk = self.set_up(scene, folder)
        counted = session(folder, self.words(scene, disk), snaps=scene == "snaps")
        assert counted.code == 0, counted.errors
        return [line.split()[1] for line in counted.calls]

    def try_out(self, point: Point, folder: Path) -> dict[str, Any]:
        """The findings at a point: what is wrong, by the names of the figures."""
        disk = self.set_up(point.scene, folder)
        words = self.words(point.scene, disk)
        first = session(folder, words, point.number, WAYS[point.way], snaps=point.scene == "snaps")
        reached = next((line for line in first.calls if line.endswith(" !")), "")
        found: dict[str, Any] = {"reached": reached, "code": first.code}
        if reached and not _sentence(first):
            found["unsaid"] = f"exit code {first.code}: {first.errors[-600:]}"
        if is_run(disk / "run") and (alarm := [said for said in examine(disk / "run") if said.code == PAGES_LOST]):
            found["damaged"] = alarm
        second = session(folder, words, armed=False)
        if second.code != 0 or second.errors:
            found["unopened"] = (
                f"exit code {second.code}: {second.errors[-600:]}; before: {first.code} {first.errors[-300:]}"
            )
        else:
            found |= self._in_the_end(point.scene, disk, self._kept(point.scene, first), second)
        if point.scene == "steer" and _commands(disk / "run") < (first.code == 0) + (second.code == 0):
            found["lost"] = "a command that was said to be kept"
        return found

    def _kept(self, scene: str, first: Session) -> set[str]:
        """Pages that the run must have in the end."""
        if scene in ("repair", "forget"):
            return self.pages - {self.unwanted if scene == "forget" else ""}
        before = (self.killed.parent / "told").read_text() if scene == "resume" else ""
        return first.told | Session(0, before, "", []).told

    def _in_the_end(self, scene: str, disk: Path, told: set[str], second: Session) -> dict[str, Any]:
        if scene == "export":
            made = {path.name: path.read_bytes() for path in disk.iterdir() if path.is_file()}
            return {} if made == self.export else {"damaged": f"the export is not as it should be: {sorted(made)}"}
        found: dict[str, Any] = {}
        there = addresses(disk / "run")
        if lost := told - there:
            found["lost"] = sorted(lost)
        if again := told & second.downloaded:
            found["again"] = sorted(again)
        if damage := examine(disk / "run"):
            found["damaged"] = damage
        if scene == "forget" and self.unwanted in there:
            found["damaged"] = "the page is still there"
        return found


def addresses(run: Path) -> set[str]:
    return {row.final_url for row in RunView(run).pages()}


def _commands(run: Path) -> int:
    """How many were left for a run that nobody runs."""
    with closing(sqlite3.connect(f"file:{Places.of(run).inbox}?mode=ro", uri=True)) as database:
        (count,) = database.execute("SELECT COUNT(*) FROM commands").fetchone()
    return int(count)


def _sentence(said: Session) -> bool:
    lines = said.errors.splitlines()
    return said.code in KNOWN_CODES and "bug" not in said.errors and (said.code == 0 or len(lines) == 1)


def points_of(scenes: Scenes, names: Sequence[str]) -> list[Point]:
    return [
        Point(scene, number, call, way)
        for scene in names
        for number, call in enumerate(scenes.calls(scene), 1)
        for way in FAILING[call]
    ]


def share(scenes: Scenes, points: Sequence[Point], place: int) -> None:
    """A worker's part of the points; a line of its file for each."""
    with results_of(scenes, place).open("w") as results:
        for number, point in enumerate(points):
            folder = scenes.folder / f"{place}-{number}"
            print(json.dumps([point, scenes.try_out(point, folder)]), file=results, flush=True)
            shutil.rmtree(folder)


def results_of(scenes: Scenes, place: int) -> Path:
    return scenes.folder / f"results-{place}.jsonl"


def tried(scenes: Scenes, points: Sequence[Point], jobs: int) -> list[tuple[Point, dict[str, Any]]]:
    """All points, by so many workers."""
    for place in range(jobs):
        if os.fork() == 0:
            try:
                share(scenes, points[place::jobs], place)
            except BaseException as error:
                print(f"worker {place}: {error!r}", file=sys.stderr, flush=True)
                os._exit(1)
            os._exit(0)
    for _ in range(jobs):
        os.wait()
    lines = [line for place in range(jobs) for line in results_of(scenes, place).read_text().splitlines()]
    return [(Point(*point), found) for point, found in map(json.loads, lines)]


def inside(given: argparse.Namespace) -> int:
    """With the library loaded."""
    scenes = Scenes(given.inside, given.via)
    scenes.prepare()
    points = points_of(scenes, given.scene or SCENES)
    print(f"seed {given.seed}; {len(points):,} points", flush=True)
    if given.points:
        points = sorted(random.Random(given.seed).sample(points, min(given.points, len(points))))
    results = tried(scenes, points, given.jobs)
    figures, reached, codes = Counter[str](), Counter[str](), Counter[int]()
    for point, found in results:
        codes[found.pop("code")] += 1
        if call := found.pop("reached"):
            reached[f"{call.split()[1]} {point.way}"] += 1
        for name, what in found.items():
            figures[name] += 1
            print(f"{point.scene} {call or point.number} {point.way}: {name}: {what}")
    print(", ".join(f"{count} x {name}" for name, count in reached.most_common()))
    print("exit codes: " + ", ".join(f"{count} x {code}" for code, count in codes.most_common()))
    told = " ".join(f"{name}={figures[name]}" for name in FIGURES)
    print(f"points={len(results)} reached={reached.total()} {told}")
    return 0 if len(results) == len(points) and not figures else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--points", type=int, default=0, help="how many to draw; all, unless you say")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="commands at a time")
    parser.add_argument("--scene", action="append", choices=SCENES)
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--via", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        return inside(given)
    if not (compiler := shutil.which("gcc")):
        print("There is no gcc, so no call can be made to fail.\npoints=0 reached=0")
        return 0
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        folder = Path(name).resolve()
        library = folder / "failing_calls.so"
        subprocess.run(
            [compiler, "-O1", "-shared", "-fPIC", "-o", library, HERE / "failing_calls.c", "-ldl"], check=True
        )
        environment = {key: value for key, value in os.environ.items() if not key.startswith("WOLFSPIDER_")}
        environment |= {"OPENBLAS_NUM_THREADS": "1"}  # no threads before a fork
        with web_served(WEB, folder / "served.jsonl", 0.0) as via:
            words = [sys.executable, *sys.argv, "--inside", str(folder), "--via", via]
            return subprocess.run(words, env={**environment, "LD_PRELOAD": str(library)}, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
