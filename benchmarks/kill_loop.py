"""Is a page ever lost? A crawl is killed again and again, and resumed by the same command until it is done.

    python benchmarks/kill_loop.py --kills 100
    python benchmarks/kill_loop.py --kills 300 --web wiki --web docs --web news --corpora DIR
    python benchmarks/kill_loop.py --kills 60 --hands 2

The crawl learns (opic, and the classifier as judge) on a web served on loopback: a computed one, unless webs are named.
A web is a folder of WARC, or of that name in the folder of corpora, with its topics.json; the kills are spread over all
of them. About half of the kills come at the named fail-points of the store and the driver, one after another. The
others come from outside after some landings, or at some fail-point of any name, perhaps in the middle of a resume. A
kill waits for progress, never for a time. A crawl that does not come by its fail-point within some landings is told to
end, and comes by it then. With hands that are processes, one of them is killed in every life of the crawl besides, and
the crawl goes on without asking anybody. In the end the server's own log, what the crawl told on the way, the store
and the archive must agree:

    lost       pages that were told of, or that the server delivered, and that the export does not have (unless the
               store names a failure, or the page asks not to be indexed): none
    refetched  requests that no landing accounts for: at most slots x tries x kills, those of hands included
    spent      the budget, exactly, unless the web has no more pages
    learned    what strategy and judge know equals what comes out when the whole log is played again from the beginning
    archive    another WARC reader finds every page in it, and no damage
    failpoints those that killed the crawl, of those that a kill can reach: each that was tried

The last line has the figures of all webs together. Exit code 1 if any is wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from killed_run import SLOTS, TRIES, Figures, Trial, judge
from side_by_side import web_served

from wolfspider.bench.run.topics import tasks_of
from wolfspider.core.errors import Problem
from wolfspider.core.topic import Task
from wolfspider.files.failpoints import ANY, NAMES, VARIABLE
from wolfspider.store.archive_reader import check
from wolfspider.web.worlds.world import open_web

LATENCY = 0.05
PAGES_PER_KILL = 16
MOST_LANDINGS = 24  # of a life that is ended from outside
FEW_LANDINGS = 12  # after which a crawl that has not come by its fail-point is told to end
MOST_PASSED = 40  # fail-points of any name before a death
PATIENCE = 120.0  # seconds after which a crawl without progress is a failure of its own
POLL = 0.005
INTERRUPTED = 130  # the exit code
# The command line, with files of the archive so small that a new one begins again and again.
PROGRAM = """
import sys
from wolfspider.cli import main
from wolfspider.store import archive
archive.LARGEST_FILE = 40_000
sys.exit(main())
"""

FIRST = ("create-before-rename", "create-done")  # reached before there is a run
OFTEN = ("archive-before-write", "archive-torn", "archive-written", "turn-", "run-sent", "run-landed", "run-told")
JUST_BEFORE = {"recover-before-aside": ("archive-rotated",)}  # deaths that it takes to come there
OPTIONS = dict.fromkeys(("archive-before-sync", "archive-synced"), ("--durability", "full"))  # else once a second
UNREACHABLE = (
    dict.fromkeys(
        ("rows-before-cut", "rows-cut"),
        "a kill takes no bytes from a file; only a power cut does (tests/store/test_power_loss.py)",
    )
    | dict.fromkeys(
        (name for name in NAMES if name.startswith("repair-")),
        "a crawl repairs nothing; a repair is killed in tests/store/test_repair.py",
    )
    | dict.fromkeys(
        (name for name in NAMES if name.startswith("hand-")),
        "a hand dies there and not the crawl (tests/live/test_hands.py)",
    )
)
REACHABLE = tuple(name for name in NAMES if name not in UNREACHABLE)

Death = int | str  # after so many landings, or at a fail-point


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill a crawl again and again; nothing may be lost.")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--hands", type=int, default=0, help="hands that are processes; they are killed, too")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder that is left behind")
    parser.add_argument("--web", action="append", default=[], help="a web to crawl; may be given several times")
    parser.add_argument("--topic", help="which of the web's topics to crawl for; the first, unless you say")
    parser.add_argument("--corpora", type=Path, help="the folder of recorded webs (or WOLFSPIDER_CORPORA)")
    given = parser.parse_args()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="kill-loop-"))
    corpora = given.corpora or Path(os.environ.get("WOLFSPIDER_CORPORA") or ".")
    try:
        return all_of([found(web, corpora) for web in given.web], given, folder)
    except Problem as problem:
        raise SystemExit(str(problem)) from problem
    finally:
        if given.keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def all_of(webs: list[str], given: argparse.Namespace, folder: Path) -> int:
    """Every web gets its share of the kills."""
    rng, trials, results = random.Random(given.seed), [], []
    print(f"seed {given.seed}")
    for place in range(max(1, len(webs))):
        kills = given.kills * (place + 1) // max(1, len(webs)) - given.kills * place // max(1, len(webs))
        pages = max(100, kills * PAGES_PER_KILL)
        web = webs[place] if webs else f"synthetic:pages={20 * pages},seed=5"
        part = folder / str(place) if len(webs) > 1 else folder
        part.mkdir(parents=True, exist_ok=True)
        trials.append(Trial(kills, part, web, task_of(web, given.topic), pages, given.hands))
        results.append(attempt(trials[-1], rng))
    reached, missed = failpoints(trials)
    figures = Figures(*(sum(column) for column in zip(*(figures for figures, _ in results), strict=True)))
    print(f"{figures} failpoints={len(reached)}/{len(REACHABLE)}")
    return 0 if not missed and all(good for _, good in results) else 1


def failpoints(trials: list[Trial]) -> tuple[set[str], set[str]]:
    """Those that killed, and those that were to and never did; says why the others did not."""
    reached = {name for trial in trials for name in trial.reached}
    missed = {name for trial in trials for name in trial.tried} - reached
    for name, why in UNREACHABLE.items():
        print(f"fail-point {name}: not tried, since {why}")
    for name in missed:
        print(f"fail-point {name}: NOT REACHED")
    if untried := [name for name in REACHABLE if name not in reached | missed]:
        print(f"not tried, for want of kills: {', '.join(untried)}")
    return reached, missed


def found(web: str, corpora: Path) -> str:
    """A web by its name: a folder among the corpora, which `docs` here is not, or what `wolfspider web serve` takes."""
    if (corpora / web).is_dir() and corpora != Path():
        return str(corpora / web)
    if web.startswith("synthetic") or Path(web).exists():
        return web
    raise Problem(f"There is no web {web!r}, and none of that name in {corpora}. Name the folder of webs by --corpora.")


def task_of(web: str, topic: str | None) -> Task:
    tasks = tasks_of(world := open_web(web), None, [topic] if topic else [], world.start)
    return next(iter(tasks.values()))


def attempt(trial: Trial, rng: random.Random) -> tuple[Figures, bool]:
    print(f"{trial.web}: {trial.task.topic.name}, a budget of {trial.pages} downloads", flush=True)
    with web_served(trial.web, trial.log, LATENCY) as via:
        command = crawl_command(trial, via)
        for number, death in enumerate(islice(deaths(rng), trial.kills), 1):
            kill_once(trial, command, death, rng)
            print(f"\rkill {number} of {trial.kills}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        finish(trial, command)
    return judge(trial)


def deaths(rng: random.Random) -> Iterator[Death]:
    """First those that only a new run can die, then every other fail-point in turn, with something random between."""
    yield from FIRST
    while True:
        for name in REACHABLE:
            if name not in FIRST:
                yield from JUST_BEFORE.get(name, ())
                yield f"{name}:{rng.randint(1, 3)}" if name.startswith(OFTEN) else name
                yield rng.randint(1, MOST_LANDINGS) if rng.random() < 0.7 else f"{ANY}:{rng.randint(1, MOST_PASSED)}"


def crawl_command(trial: Trial, via: str) -> list[str]:
    task = trial.task
    return [
        *(sys.executable, "-c", PROGRAM, "crawl", *task.seeds[:3], "--topic", ", ".join(task.topic.keywords)),
        *("--strategy", "opic", "--judge", "classifier", "--pages", str(trial.pages), "--slots", str(SLOTS)),
        *("--tries", str(TRIES), "--delay", "0", "--adapt", "0", "--via", via, "--snapshots", "1"),
        *("--hands", str(trial.hands), "--out", str(trial.run), "--json", "--quiet"),
    ]


def start(trial: Trial, command: list[str], failpoint: str = "") -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WOLFSPIDER_")}
    if failpoint:
        environment[VARIABLE] = failpoint
    with trial.told.open("ab") as out, (trial.folder / "errors").open("ab") as errors:
        return subprocess.Popen(command, stdout=out, stderr=errors, env=environment)


def kill_once(trial: Trial, command: list[str], death: Death, rng: random.Random) -> None:
    name = death.partition(":")[0] if isinstance(death, str) else ""
    before = trial.told.stat().st_size if trial.told.exists() else 0
    crawl = start(trial, [*command, *OPTIONS.get(name, ())], death if isinstance(death, str) else "")
    most = FEW_LANDINGS if isinstance(death, str) else death
    if trial.hands:
        early = rng.randint(1, max(1, most // 2))
        wait(crawl, lambda: landings(trial, before) >= early)
        trial.hands_killed += kill_a_hand(crawl, rng)
    wait(crawl, lambda: landings(trial, before) >= most)
    crawl.send_signal(signal.SIGINT if name else signal.SIGKILL)
    wait(crawl, lambda: False)
    if crawl.returncode not in (0, INTERRUPTED, -signal.SIGKILL):
        raise SystemExit(f"the crawl ended with code {crawl.returncode}: {errors_of(trial)}")
    killed = crawl.returncode == -signal.SIGKILL
    trial.killed += killed
    if name and name != ANY:
        trial.tried[name] += 1
        trial.reached.update([name] * killed)
    if not killed:
        print(f"\nthe crawl came to its end before it came to {death!r}", file=sys.stderr)
    trial.torn += bool((trial.run / "warc").is_dir() and check(trial.run / "warc").damage)


def kill_a_hand(crawl: subprocess.Popen[bytes], rng: random.Random) -> bool:
    """Kill one of the crawl's processes, if it still has any."""
    try:
        hands = Path(f"/proc/{crawl.pid}/task/{crawl.pid}/children").read_text().split()
        os.kill(int(rng.choice(hands)), signal.SIGKILL)
    except (OSError, IndexError):
        return False
    return True


def landings(trial: Trial, since: int) -> int:
    """How many were told of since the file was so long."""
    with trial.told.open("rb") as file:
        file.seek(since)
        return file.read().count(b'"event": "landed"')


def wait(crawl: subprocess.Popen[bytes], enough: Callable[[], bool]) -> None:
    """Until the crawl has done enough, or is no more."""
    began = time.monotonic()
    while crawl.poll() is None and not enough():
        if time.monotonic() - began > PATIENCE:
            crawl.kill()
            raise SystemExit(f"the crawl made no progress for {PATIENCE:.0f} s")
        time.sleep(POLL)


def finish(trial: Trial, command: list[str]) -> None:
    crawl = start(trial, command)
    if crawl.wait(600) != 0:
        raise SystemExit(f"the crawl could not be finished: {errors_of(trial)}")


def errors_of(trial: Trial) -> str:
    return (trial.folder / "errors").read_text()[-2000:]


if __name__ == "__main__":
    sys.exit(main())
