"""Strategies and judges of a person's own in commands: what they print, what is wrong with them, what has changed."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import command, crawl_command, environment
from tests.live.hunting import run as called

from faults import faults
from wolfspider.store.view import RunView

Run = Callable[..., tuple[int, str, str]]
PRINTS = """
import sys
from wolfspider import Ordered, Unlearning, Verdict

print("loaded")

class Loud(Ordered):
    name = "loud"
    paper = "none"

    def observe(self, outcome):
        print("observed")
        sys.stdout.write("written\\n")
        if outcome.page:
            self.frontier.extend(outcome.page.links, [0] * len(outcome.page.links), outcome.page.final_url)

class Shouting(Unlearning):
    def score(self, page):
        print("scored")
        return Verdict(0.9, True)
"""


@pytest.fixture
def loud(tmp_path: Path) -> Path:
    path = tmp_path / "loud.py"
    path.write_text(PRINTS)
    return path


def test_what_a_strategy_prints_is_no_event(loud: Path, tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    server = aside(faults())
    given = {"pages": 4, "strategy": f"{loud}:Loud", "judge": f"{loud}:Shouting"}
    done = called(crawl_command(server.port, tmp_path / "run", "http://a.test/links/9", **given))
    assert done.returncode == 0 and all(isinstance(json.loads(line), dict) for line in done.stdout.splitlines())
    assert {"loaded", "observed", "written", "scored"} <= {*done.stderr.splitlines()}
    done = called(command("explain", tmp_path / "run", "http://a.test/links/9", "--json"))
    assert done.returncode == 0 and json.loads(done.stdout) and "loaded" in done.stderr


@pytest.mark.sampled(3)
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_strategy_prints_is_no_row(loud: Path, jobs: int) -> None:
    given = ("--web", "synthetic:pages=1000", "--pages", 5, "--repeats", 2, "--jobs", jobs, "--json", "-", "--quiet")
    done = called(command("bench", "--strategy", f"{loud}:Loud", "--judge", f"{loud}:Shouting", *given))
    assert done.returncode == 0 and json.loads(done.stdout)["rows"] and "observed" in done.stderr


def test_what_a_strategy_prints_is_no_demand(loud: Path) -> None:
    done = called(command("conform", f"{loud}:Shouting", "--json", "--quiet"))
    assert done.returncode == 0 and json.loads(done.stdout)["conforms"] and "scored" in done.stderr


@pytest.mark.parametrize(
    ("part", "wrong", "said"),
    [
        ("strategy", "lnik = nothing", "line 13, in observe: NameError: name 'nothing' is not defined."),
        ("strategy", "return self.visits", "line 13, in observe: AttributeError: 'Loud' object has no attribute"),
        ("judge", "return 0.9", "score(page) returned float."),
        ("judge", "return page.wrods", "line 20, in score: AttributeError: 'Page' object has no attribute 'wrods'."),
    ],
)
def test_a_bench_with_what_cannot_work_does_not_begin(
    run: Run, loud: Path, tmp_path: Path, part: str, wrong: str, said: str
) -> None:
    lines = PRINTS.splitlines()
    lines[{"strategy": 12, "judge": 19}[part]] = f"        {wrong}"
    loud.write_text("\n".join(lines))
    out, name = tmp_path / "rows.json", f"{loud}:{'Loud' if part == 'strategy' else 'Shouting'}"
    given = {"strategy": "breadth-first", part: name}
    words = [word for name, value in given.items() for word in (f"--{name}", value)]
    code, _, errors = run("bench --web synthetic:pages=100 --pages 5 --jobs 1 --json", out, *words)
    told = " ".join(errors.split())
    assert code == 2 and said in told and f"wolfspider conform {name}" in told and not out.exists()


def test_a_file_that_changed_since_the_run_was_begun_is_told(
    run: Run, loud: Path, tmp_path: Path, aside: Callable[[Any], Any]
) -> None:
    server, folder = aside(faults()), tmp_path / "run"
    words = crawl_command(server.port, folder, "http://a.test/links/9", pages=4, strategy=f"{loud}:Loud")[3:]
    assert run("", *words)[0] == 0
    assert "has changed" not in run("resume", folder, "--pages", 5)[2]
    loud.write_text(PRINTS.replace("[0] *", "[1] *"))
    code, _, errors = run("resume", folder, "--pages", 6)
    assert code == 0 and "loud.py:Loud has changed since this run was begun" in " ".join(errors.split())


ENDLESS = """
from wolfspider import Ordered

class Endless(Ordered):
    name = "endless"
    paper = "none"

    def observe(self, outcome):
        if outcome.visit.id >= AFTER:
            print("here", flush=True)
            while True:
                try:
                    pass
                except Exception:
                    pass
        if outcome.page:
            self.frontier.extend(outcome.page.links, [0] * len(outcome.page.links), outcome.page.final_url)
"""


def interrupted(words: list[str], *pauses: float) -> tuple[int, str]:
    """The exit code and what was told, when Ctrl-C comes again and again, after these seconds, once the strategy has
    said `here`."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment()) as process:
        assert process.stderr is not None
        try:
            while (line := process.stderr.readline()) != b"here\n":
                assert line
            for pause in pauses:
                process.send_signal(signal.SIGINT)
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(pause), process.stderr.read().decode()
            raise AssertionError("it does not end")
        finally:
            process.kill()


def test_ctrl_c_ends_a_crawl_whose_strategy_never_comes_to_an_end_and_names_its_method(
    tmp_path: Path, aside: Callable[[Any], Any]
) -> None:
    server, path, folder = aside(faults()), tmp_path / "endless.py", tmp_path / "run"
    path.write_text(ENDLESS.replace("AFTER", "3"))
    words = crawl_command(server.port, folder, "http://a.test/links/9", pages=6, slots=1, strategy=path)
    code, told = interrupted(words, 0.5, *[20.0] * 3)
    assert code == 130 and f"wolfspider: Interrupted at {path} line 1" in told
    assert ", in observe. If it never comes to an end there, mend that, and give the same command again." in told
    assert "killed or interrupted" in called(command("status", folder)).stdout
    path.write_text(ENDLESS.replace("AFTER", "1000"))
    assert called(words).returncode == 0 and RunView(folder).summary().downloads == 6


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("jobs", "after"), [(1, 0), (1, 25), (2, 25)], ids=["first trial", "one job", "two jobs"])
def test_ctrl_c_ends_a_bench_whose_strategy_never_comes_to_an_end_and_names_its_method(
    tmp_path: Path, jobs: int, after: int
) -> None:
    path = tmp_path / "endless.py"
    path.write_text(ENDLESS.replace("AFTER", str(after)))
    given = ("--web", "synthetic:pages=1000", "--pages", 50, "--repeats", 2, "--jobs", jobs, "--quiet")
    code, told = interrupted(command("bench", "--strategy", path, *given), *[20.0] * 3)
    assert code == 130 and f"wolfspider: Interrupted at {path} line 1" in told and ", in observe." in told
