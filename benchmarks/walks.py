"""How far one walks through the source from a command to its first look at a web.

    python benchmarks/walks.py [SOURCE]

Four walks, each in a process of its own: `crawl` and `resume` up to the first request of the HTTP client, `bench` and
`reproduce` up to the first look at a computed web. Of each: how many modules ran a function by then (loading a module
does not count), how many of these belong to the main job, and how often the module that tells its story, hunt, came
back to a part that it had left for another one. SOURCE is the folder that holds the package, to walk through another
version of it.
"""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

WEB = "synthetic:pages=1000,seed=1"
REQUEST, LOOK = ("client.py", "get"), ("web.py", "look")
WALKS = {
    "crawl": (REQUEST, "crawl {seed} --topic {topic} --pages 8 --delay 0 --via {via} --out {run} -q"),
    "resume": (REQUEST, "resume {run} --pages 12 -q"),
    "bench": (LOOK, f"bench --web {WEB} --strategy shark --pages 20 --jobs 1 -q"),
    "reproduce": (LOOK, "reproduce best-first-against-breadth-first --quick --jobs 1 -q --out {run}.paper"),
}
# Before the main job was a package it was these modules at the top.
MAIN_JOB = r"app/.*|(hunt|outset|parts|leaping|settings|plugins|why|telling)\.py"
STORY = r"(app/)?hunt\.py"  # the module that calls the steps of the main job

CHILD = """
import os, sys, threading
import wolfspider
from wolfspider.cli import main
root = os.path.dirname(wolfspider.__file__) + os.sep
file, function, command = sys.argv[1], sys.argv[2], sys.argv[3:]
def importing(frame):
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(root):
            return True
        frame = frame.f_back
    return False
def passed(frame, event, argument):
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(root) or importing(frame):
        return
    caller = frame.f_back.f_code.co_filename if frame.f_back else ""
    sys.stderr.write(f"WALK {caller.removeprefix(root)} {code.co_filename.removeprefix(root)}\\n")
    if os.path.basename(code.co_filename) == file and code.co_name == function:
        sys.stderr.flush()
        os._exit(0)
threading.setprofile(passed)
sys.setprofile(passed)
sys.exit(main(command))
"""


def main() -> None:
    source = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1] / "src").resolve()
    environment = {**os.environ, "PYTHONPATH": str(source)}
    with tempfile.TemporaryDirectory() as folder:
        environment["WOLFSPIDER_CACHE"] = folder
        serving = [sys.executable, "-u", "-m", "wolfspider", "web", "serve", WEB]
        with subprocess.Popen(serving, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
            try:
                names = {**offered(server), "run": f"{folder}/run"}
                for walk, (end, command) in WALKS.items():
                    words = [word.format(**names) for word in command.split()]
                    if walk == "resume":  # what `crawl` began, whole
                        begin = WALKS["crawl"][1].format(**names).split()
                        subprocess.run([sys.executable, "-m", "wolfspider", *begin], env=environment, check=True)
                    print(walk, figures(walked(end, words, environment)))
            finally:
                server.kill()


def offered(server: subprocess.Popen[bytes]) -> dict[str, str]:
    """The crawl that a server tells people to try: a seed, a topic and where it listens."""
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.search(r"crawl (\S+) --topic (\S+).* --via (\S+)", line.decode()):
            return {"seed": found[1], "topic": found[2].strip("'\""), "via": found[3]}
    raise SystemExit("the server told no crawl to try")


def walked(end: tuple[str, str], command: list[str], environment: dict[str, str]) -> list[tuple[str, str]]:
    """Every call of a function of ours on the way: the file it was called from, if it is ours, and its own."""
    child = subprocess.run([sys.executable, "-c", CHILD, *end, *command], env=environment, capture_output=True)
    calls = re.findall(r"^WALK (\S*) (\S+)$", child.stderr.decode(errors="replace"), re.MULTILINE)
    if not calls or not calls[-1][1].endswith(end[0]):
        raise SystemExit(f"{' '.join(command)} did not get there:\n{child.stdout.decode()}{child.stderr[-2000:]!r}")
    return calls


def figures(calls: list[tuple[str, str]]) -> str:
    """`returns`: how often the story of the main job came back to a module that it had left for another one."""
    job = [file for _, file in calls if re.fullmatch(MAIN_JOB, file)]
    parts = [file for caller, file in calls if file in job and re.fullmatch(STORY, caller) and caller != file]
    stays = sum(1 for one, next_one in itertools.pairwise(["", *parts]) if one != next_one)
    names = dict.fromkeys(job)
    return (
        f"modules={len({file for _, file in calls})} main_job={len(names)} returns={stays - len(set(parts))} "
        f"({' '.join(names)})"
    )


if __name__ == "__main__":
    main()
