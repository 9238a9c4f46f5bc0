"""`wolfspider conform`: a strategy or a judge in a file, tried as a stranger would try it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wolfspider.policy.strategy import Strategy
from wolfspider.testing.demands import Violation
from wolfspider.testing.judge_conformance import JUDGE_CHECKS
from wolfspider.testing.strategy_conformance import STRATEGY_CHECKS

ROOT = Path(__file__).parents[2]
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL)
Run = Callable[..., tuple[int, str, str]]

HEAD = """
from wolfspider import Ordered

class Mine(Ordered):
    name = "mine"
    paper = "none"
"""
CRAWLS = (
    HEAD
    + """
    def observe(self, outcome):
        if outcome.page:
            self.frontier.extend(outcome.page.links, [0] * len(outcome.page.links), outcome.page.final_url)
"""
)
TRUSTS = (
    HEAD
    + """
    def observe(self, outcome):
        for link in outcome.page.links:
            self.frontier.push(link, 1.0)
"""
)
HOARDS = (
    HEAD
    + """
    def begin(self, seeds, now):
        self.depths = {}
        super().begin(seeds, now)

    def observe(self, outcome):
        for link in outcome.page.links if outcome.page else ():
            self.depths[link.url] = 1
            self.frontier.push(link, 1.0)
"""
)
JUDGE = """
from wolfspider import Unlearning, Verdict

class Certain(Unlearning):
    def score(self, page):
        return Verdict(%s, True)
"""


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    def written(source: str) -> Path:
        path = tmp_path / "mine.py"
        path.write_text(source, encoding="utf-8")
        return path

    return written


@pytest.mark.sampled(3)
def test_the_first_example_of_contributing_conforms_and_crawls(run: Run, file: Callable[[str], Path]) -> None:
    path = file(EXAMPLES[0])
    code, out, _ = run("conform", path)
    assert (code, out.splitlines()[0], out.splitlines()[-1]) == (0, "AnchorsFirst:", "All demands hold.")
    assert out.count("  holds   ") == len(STRATEGY_CHECKS)
    code, out, errors = run(f"bench --web synthetic:pages=1000 --pages 40 --jobs 1 --json - --quiet --strategy {path}")
    assert code == 0, errors
    assert {row["downloads"] for row in json.loads(out)["rows"]} == {40}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("source", EXAMPLES[1:])
def test_the_other_examples_of_contributing_conform(run: Run, file: Callable[[str], Path], source: str) -> None:
    code, out, _ = run("conform", file(source))
    assert code == 0 and out.endswith("All demands hold.\n")


def test_what_a_stranger_gets_wrong_is_told_with_its_line_and_what_to_do(run: Run, file: Callable[[str], Path]) -> None:
    path = file(TRUSTS)
    code, out, _ = run("conform", path)
    assert code == 1
    error = f"{path} line 9, in observe: AttributeError: 'NoneType' object has no attribute 'links'."
    assert f"  broken  survives_every_failure: {error}\n  broken  same_seed_same_log: the same\n" in out
    *_, first, demand, seen, remedy = out.splitlines()
    assert first.endswith("The first is survives_every_failure:")
    assert demand.startswith("  Demand:      A web where every page fails") and seen == f"  Seen:        {error}"
    assert remedy.startswith("  What to do:  Mend the line that is named. In `observe`, `outcome.page` is None")


@pytest.mark.parametrize(
    "mistake", ["self.fronteir.push(link, 1.0)", "self.frontier.push(lnik, 1.0)", "self.frontier.push()"]
)
def test_a_plain_mistake_is_not_put_down_to_the_demand(run: Run, file: Callable[[str], Path], mistake: str) -> None:
    source = CRAWLS + f"            for link in outcome.page.links:\n                {mistake}\n"
    code, out, _ = run("conform", file(source))
    *_, seen, remedy = out.splitlines()
    assert code == 1 and "line 12, in observe: " in seen
    assert remedy == "  What to do:  Mend the line that is named."


def test_a_strategy_that_takes_no_room_is_told_to(run: Run, file: Callable[[str], Path]) -> None:
    proposes = "    def propose(self, room, now):\n        return [self.visit(link) for link in self.some]\n"
    begins = "    def begin(self, seeds, now):\n        self.some = seeds\n        super().begin(seeds, now)\n"
    code, out, _ = run("conform", file(f"{CRAWLS}\n{begins}\n{proposes}"))
    *_, seen, remedy = out.splitlines()
    assert code == 1 and "was proposed without taking room for it" in seen
    assert remedy.startswith("  What to do:  In `propose`, ask `room.take(link)` for each visit")


@pytest.mark.sampled(3)
def test_who_keeps_too_much_is_told_of_extra(run: Run, file: Callable[[str], Path]) -> None:
    code, out, _ = run("conform", file(HOARDS))
    assert code == 1 and out.count("  broken  ") == 1
    assert re.search(
        r"broken  memory_is_bounded: it keeps \d+ entries after \d+ pages with \d+ links; \d+ are all", out
    )
    assert "extra=..." in out.splitlines()[-1]


@pytest.mark.parametrize(
    ("kept", "begun", "seen"),
    [
        ("self.kept['links'] += outcome.page.links", "{'links': []}", r"it keeps \d+ entries"),
        ("self.kept[0].update(link.url for link in outcome.page.links)", "[set()]", r"it keeps \d+ entries"),
        ("self.kept[outcome.page.url] = outcome.page.words", "{}", r"it keeps \d+ entries"),
        ("self.kept[0][outcome.page.url] = outcome.page", "[{}]", r"it keeps \d+ pages as a whole after \d+; 20"),
        ("self.kept[outcome.page.url] = [[outcome.page]]", "{}", r"it keeps \d+ pages as a whole after \d+; 20"),
    ],
)
def test_what_is_kept_counts_however_it_is_nested(kept: str, begun: str, seen: str) -> None:
    with pytest.raises(Violation, match=seen):
        STRATEGY_CHECKS["memory_is_bounded"](keeping(kept, begun))


def test_what_belongs_to_an_entry_counts_once() -> None:
    notes = "self.kept[outcome.page.url] = [1, (2, 3), {'four': [5, 6]}]"
    STRATEGY_CHECKS["memory_is_bounded"](keeping(notes, "{}"))


def keeping(kept: str, begun: str) -> type[Strategy]:
    """A strategy that does this with every page, and has `self.kept` for it."""
    begins = f"    def begin(self, seeds, now):\n        self.kept = {begun}\n        super().begin(seeds, now)\n"
    defined: dict[str, Any] = {"__name__": "mine"}
    exec(f"{CRAWLS}            {kept}\n\n{begins}", defined)
    mine: type[Strategy] = defined["Mine"]
    return mine


@pytest.mark.sampled(3)
def test_scores_that_are_whole_numbers_are_no_reason_to_fail(run: Run, file: Callable[[str], Path]) -> None:
    assert run("conform", file(CRAWLS))[0] == 0


def test_as_json(run: Run, file: Callable[[str], Path]) -> None:
    code, out, _ = run("conform --json", f"{file(JUDGE % '1.5')}:Certain")
    told = json.loads(out)
    assert (code, told["conforms"], len(told["demands"])) == (1, False, len(JUDGE_CHECKS))
    broken = [demand for demand in told["demands"] if not demand["holds"]]
    assert [(demand["subject"], demand["demand"]) for demand in broken] == [("Certain", "verdicts_are_scores")]
    assert all(broken[0][field] for field in ("sentence", "seen", "remedy"))


def test_a_judge_is_tried_as_one(run: Run, file: Callable[[str], Path]) -> None:
    code, out, _ = run("conform", file(JUDGE % "0.9"))
    assert code == 0 and out.count("  holds   ") == len(JUDGE_CHECKS)
    code, out, _ = run("conform", file(JUDGE % "1.5"))
    assert code == 1 and "broken  verdicts_are_scores: it says Verdict(score=1.5" in out


@pytest.mark.sampled(3)
def test_everything_of_a_file_is_tried(run: Run) -> None:
    code, out, _ = run("conform", ROOT / "examples" / "own_judge_and_strategy.py")
    assert code == 0 and out.count("  holds   ") == len(JUDGE_CHECKS) + len(STRATEGY_CHECKS)


@pytest.mark.sampled(3)
def test_names_of_the_house_are_tried_with_all_their_variants(run: Run) -> None:
    code, out, _ = run("conform tfidf")
    assert code == 0 and out.startswith("tfidf:\n")
    code, out, _ = run("conform fish")
    assert code == 0 and out.startswith("fish:\n")
    code, _, errors = run("conform sharc")
    assert code == 2 and "There is no strategy 'sharc'" in errors


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("class Mine(\n", "SyntaxError"),
        ("\nimport nothing_of_that_name\n", "nothing_of_that_name' (line 2)"),
        ("x = 1\n", "and has none"),
        (
            "from wolfspider import Strategy\nclass Mine(Strategy):\n    name = 'm'\n",
            "Mine lacks the methods begin, obs",
        ),
        (HEAD, "Mine lacks the method observe."),
    ],
)
def test_a_file_without_anything_to_try_is_told(
    run: Run, file: Callable[[str], Path], source: str, sentence: str
) -> None:
    code, out, errors = run("conform", file(source))
    assert code in (2, 3) and not out and sentence in errors


def test_a_file_that_is_no_program_is_told_from_a_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.md").touch()
    for path in (tmp_path, tmp_path / "mine.md"):
        code, out, errors = run("conform", path)
        assert code == 2 and not out and "a file that ends in .py" in " ".join(errors.split())


def test_a_strategy_without_parameters_of_its_own_has_the_letter(run: Run) -> None:
    code, _, errors = run("bench --web synthetic:pages=100 --strategy breadth-first --set breadth-first.depth=3")
    assert code == 2 and "There are: letter." in errors


def test_ctrl_c_ends_it(file: Callable[[str], Path]) -> None:
    """A strategy that never returns says so first, and then is interrupted. What it prints is no data."""
    path = file(HEAD + "    def observe(self, outcome):\n        print('here', flush=True)\n        while True: pass\n")
    call = [sys.executable, "-m", "wolfspider", "conform", str(path)]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stderr.readline() == b"here\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert b"Traceback" not in process.stderr.read() and process.stdout.read() == b""


def test_a_strategy_that_never_comes_to_an_end_is_told_with_its_line(run: Run, file: Callable[[str], Path]) -> None:
    endless = "    def observe(self, outcome):\n        while True: time.sleep(0.01)\n\n"
    path = file(f"import time{HEAD}{endless}{JUDGE % '0.9'}")
    code, out, _ = run("conform --patience 6 --json", path)
    told = json.loads(out)
    stuck, *later = [demand for demand in told["demands"] if not demand["holds"]]
    assert code == 1 and stuck["demand"] == "survives_every_failure"
    assert stuck["seen"] == f"it did not come to an end within 6 s: {path} line 8, in observe"
    assert all(demand["seen"] == "not tried, because survives_every_failure was not completed" for demand in later)
    assert stuck["tried"] and not any(demand["tried"] for demand in later)
    assert {demand["subject"] for demand in later} == {"Mine"} and told["demands"][-1]["subject"] == "Certain"


def test_demands_that_were_not_tried_are_not_called_broken(run: Run, file: Callable[[str], Path]) -> None:
    path = file(f"import os{CRAWLS}            os._exit(3)\n")
    code, out, _ = run("conform", path)
    *told, first, _, seen, _ = out.splitlines()
    broken, *later = [line for line in told[1:] if not line.startswith("  holds   ")]
    assert code == 1 and later and all(line.startswith("  not tried  ") for line in later)
    ended = f"it ended its process, by os._exit or the like, with code 3: {path} line 11, in observe"
    assert broken.endswith(f": {ended}") and seen == f"  Seen:        {ended}"
    assert first.startswith(f"Broken: 1 of {len(STRATEGY_CHECKS)} demands. {len(later)} were not tried. The first is ")


def test_a_strategy_that_leaves_breaks_a_demand_at_its_line_and_the_others_are_tried(
    run: Run, file: Callable[[str], Path]
) -> None:
    path = file(f"{CRAWLS}            raise SystemExit\n")
    told = json.loads(run("conform --json", path)[1])["demands"]
    broken = [demand for demand in told if not demand["holds"]]
    assert broken and all(demand["tried"] for demand in broken)
    assert {demand["seen"] for demand in broken} == {f"{path} line 11, in observe: SystemExit."}


def test_a_strategy_that_crashes_its_process_is_told_with_its_line(run: Run, file: Callable[[str], Path]) -> None:
    path = file(f"import os, signal{CRAWLS}            os.kill(os.getpid(), signal.SIGSEGV)\n")
    broken = [demand for demand in json.loads(run("conform --json", path)[1])["demands"] if not demand["holds"]]
    assert broken[0]["seen"].startswith("its process was ended by SIGSEGV")
    assert broken[0]["seen"].endswith(f"{path} line 11, in observe")


def test_a_file_that_never_comes_to_an_end_is_told(run: Run, file: Callable[[str], Path]) -> None:
    path = file("import time\nwhile True: time.sleep(0.01)\n")
    code, _, errors = run("conform --patience 6", path)
    assert code == 2 and f"cannot be loaded: it did not come to an end within 6 s: {path} line 2" in " ".join(
        errors.split()
    )


def test_an_unfinished_strategy_with_a_method_score_is_no_judge(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "unfinished.py"
    file.write_text(
        "from wolfspider import Ordered\nclass Mine(Ordered):\n    def score(self, page):\n        return 1.0\n"
    )
    code, _, err = run("conform", file)
    assert code != 0 and "Mine lacks the method observe" in err
