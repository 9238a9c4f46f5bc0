"""Every field of a row by hand, and what must hold however a bench is run."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wolfspider.app.settings import Settings
from wolfspider.bench.conditions import CONDITIONS
from wolfspider.bench.draw.report import command
from wolfspider.bench.run import runner
from wolfspider.bench.run.pool import spread
from wolfspider.bench.run.runner import Bench, exit_code, quick, read_settings, run
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Outcome, Page
from wolfspider.policy.strategy import REGISTRY
from wolfspider.strategies.breadth_first import BreadthFirst

MACHINE = ("seconds", "pages_per_second", "peak_rss_mb")  # what differs from run to run


class Follower:
    def __init__(self, stop_after: int | None = None) -> None:
        self.sentences: list[str] = []
        self.steps: list[tuple[int, int]] = []
        self.means: Mapping[str, float] = {}
        self.stop_after = stop_after

    def told(self, sentence: str) -> None:
        self.sentences.append(sentence)

    def done(self, cells: int, total: int, means: Mapping[str, float]) -> None:
        self.steps.append((cells, total))
        self.means = means
        if cells == self.stop_after:
            raise KeyboardInterrupt


def steady(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in MACHINE} for row in rows]


def test_every_field_of_a_row(tiny: str) -> None:
    (row,) = run(Bench((tiny,), ("breadth-first",), pages=10, jobs=1)).rows
    assert all(row[name] > 0 for name in MACHINE)
    assert steady([row]) == [
        {
            "web": "tiny",
            "topic": "spiders",
            "strategy": "breadth-first",
            "judge": "context",
            "train": "charged",
            "condition": "serial",
            "slots": 1,
            "delay": 0.0,
            "repeat": 0,
            "pages": 10,
            "downloads": 7,  # not the file, not the other host, and the page behind /moved only once
            "training": 0,
            "relevant": 4,
            "reachable": 3,
            "found": [[2, 1], [6, 2], [7, 3]],
            "harvest_rate": 3 / 7,
            "recall": 1.0,
            "auc": 1.8,  # 0 1 1 1 1 2 3 3 3 3
            "oracle_auc": 2.3,  # 0 1 2 2 3 3 3 3 3 3
            "greedy_auc": 2.3,
            "auc_ratio": pytest.approx(18 / 23),
            "hosts": 2,
            "virtual_seconds": pytest.approx(2.4, abs=0.01),  # seven answers and a redirect, one after the other
            "error": None,
        }
    ]


def test_the_budget_cuts_and_the_last_download_has_its_pair(tiny: str) -> None:
    (row,) = run(Bench((tiny,), ("breadth-first",), pages=4, jobs=1)).rows
    assert (row["downloads"], row["found"], row["recall"]) == (4, [[2, 1], [4, 1]], pytest.approx(1 / 3))
    assert row["auc"] == pytest.approx(3 / 4)


def test_who_crawls_everything_finds_what_the_links_reach(own_cache: None) -> None:
    """The skeleton a bound is computed from is that of the pages a crawl sees."""
    bench = Bench(("synthetic:pages=1000,mischief=0",), ("breadth-first",), pages=1000, judge="oracle", jobs=1)
    (row,) = run(replace(bench, most_topics=1)).rows
    assert row["downloads"] < 1000 and row["found"][-1][1] == row["reachable"] > 0 and row["recall"] == 1.0


def test_rows_come_in_the_order_asked_for(tiny: str) -> None:
    bench = Bench((tiny, "synthetic:pages=1000"), ("random", "breadth-first"), pages=5, repeats=2, jobs=1)
    rows = run(bench).rows
    names = [(row["web"], row["topic"], row["strategy"], row["repeat"]) for row in rows]
    topics = list(dict.fromkeys(name[:2] for name in names))
    assert [topic[0] for topic in topics] == ["tiny"] + ["synthetic:pages=1000,seed=1"] * 5
    strategies = [(s, r) for s in ("random", "breadth-first") for r in (0, 1)]
    assert names == [(*topic, *strategy) for topic in topics for strategy in strategies]


def test_the_rows_are_the_same_however_many_processes(tiny: str, tmp_path: Path) -> None:
    rows = {}
    for jobs in (1, 2):
        bench = Bench((tiny,), ("random", "shark", "fish"), pages=6, repeats=3, seed=5, jobs=jobs)
        rows[jobs] = run(bench, tmp_path / f"{jobs}.json").rows
    assert steady(rows[1]) == steady(rows[2])
    repeats = {json.dumps(row["found"]) for row in rows[1] if row["strategy"] == "random"}
    assert len(repeats) > 1, "repeats that draw lots differ"
    again = run(Bench((tiny,), ("random",), pages=6, repeats=3, seed=6, jobs=1)).rows
    assert steady(again) != steady(rows[1][:3])


def test_the_file_holds_the_rows_and_what_they_came_from(tiny: str, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out.json"
    results = run(Bench((tiny,), ("breadth-first",), pages=10, jobs=1), out)
    written = json.loads(out.read_text())
    assert written["rows"] == results.rows
    assert written["about"]["webs"]["tiny"]
    upper = [[2, 1], [3, 2], [5, 3]]
    assert written["bounds"] == [{"web": "tiny", "topic": "spiders", "upper": upper, "greedy": upper}]


# Kept and resumed


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The cells that were run in this process, not read from before."""
    cells: list[tuple[str, int]] = []

    def counted(cell: Any, *rest: Any) -> Any:
        cells.append((cell.strategy, cell.repeat))
        return work(cell, *rest)

    work = runner.work
    monkeypatch.setattr(runner, "work", counted)
    return cells


def test_an_interrupted_bench_runs_only_what_is_missing(tiny: str, tmp_path: Path, ran: list[tuple[str, int]]) -> None:
    bench = Bench((tiny,), ("breadth-first", "random"), pages=6, repeats=3, jobs=1)
    whole = run(bench).rows
    ran.clear()
    out = tmp_path / "out.json"
    with pytest.raises(KeyboardInterrupt):
        run(bench, out, Follower(stop_after=4))
    assert len(ran) == 4 and not out.exists()
    follower = Follower()
    assert steady(run(bench, out, follower).rows) == steady(whole)
    assert ran[4:] == [("random", 1), ("random", 2)]
    assert follower.steps == [(cells, 6) for cells in range(1, 7)]
    assert run(bench, out).rows and len(ran) == 6, "a finished bench runs nothing"


def test_other_settings_and_damaged_cells_are_run_again(tiny: str, tmp_path: Path, ran: list[tuple[str, int]]) -> None:
    out = tmp_path / "out.json"
    bench = Bench((tiny,), ("random",), pages=6, jobs=1)
    run(bench, out)
    (cell,) = (tmp_path / "out.json.cells").iterdir()
    others = (
        {"pages": 5},
        {"seed": 1},
        {"judge": "keywords"},
        {"latency": 1.0},
        {"train": "free"},
        {"slots": 2},
        {"delay": 1.0},
        {"without": "nobody knows"},
    )
    for number, other in enumerate(others):
        run(replace(bench, **other), out)  # type: ignore[arg-type]
        assert len(ran) == number + 2, other
    ran.clear()
    cell.write_text(cell.read_text()[:20])
    run(bench, out)
    assert len(ran) == 1
    topics = Path(tiny, "topics.json")
    topics.write_text(topics.read_text().replace("eight legs", "many eyes"))
    run(bench, out)
    assert len(ran) == 2


KILLED = """
import multiprocessing, os, signal, sys
from pathlib import Path
from wolfspider.bench.run.pool import spread
from wolfspider.bench.run.runner import Bench, run

class Killer:
    def told(self, sentence): pass
    def done(self, cells, total, means):
        if cells >= 2:
            print(*[child.pid for child in multiprocessing.active_children()], flush=True)
            os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    run(Bench((sys.argv[1],), ("breadth-first", "random"), pages=6, repeats=4, jobs=2), Path(sys.argv[2]), Killer())
"""


def test_a_killed_bench_goes_on_and_leaves_no_process_behind(
    tiny: str, tmp_path: Path, ran: list[tuple[str, int]]
) -> None:
    program, out = tmp_path / "killed.py", tmp_path / "out.json"
    program.write_text(KILLED)
    done = subprocess.run([sys.executable, program, tiny, out], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    workers = [int(pid) for pid in done.stdout.split()]
    assert len(workers) == 2
    assert comes_true(lambda: not any(map(alive, workers)))
    rows = run(Bench((tiny,), ("breadth-first", "random"), pages=6, repeats=4, jobs=1), out).rows
    assert len(rows) == 8 and len(ran) == 6


def comes_true(condition: Callable[[], bool]) -> bool:
    until = time.monotonic() + 30
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_ctrl_c_ends_the_workers(tiny: str, tmp_path: Path) -> None:
    bench = Bench((tiny,), ("breadth-first", "random"), pages=6, repeats=4, jobs=2)
    with pytest.raises(KeyboardInterrupt):
        run(bench, tmp_path / "out.json", Follower(stop_after=3))
    assert comes_true(lambda: not multiprocessing.active_children())
    assert len(list((tmp_path / "out.json.cells").iterdir())) == 3


def test_a_worker_that_dies_is_told() -> None:
    with pytest.raises(Problem, match="fewer --jobs"):
        list(spread(os._exit, [(1,), (1,)], jobs=2))
    assert comes_true(lambda: not multiprocessing.active_children())


# Who sees what


class Curious(BreadthFirst):
    """Remembers everything it is shown."""

    name = "curious"
    seen: dict[str, float | None]
    topics: list[Any]

    def observe(self, outcome: Outcome) -> None:
        self.topics.append(self.topic)
        if isinstance(outcome.result, Page):
            self.seen[outcome.result.final_url] = outcome.verdict.score if outcome.verdict else None
        super().observe(outcome)


class Broken(BreadthFirst):
    name = "broken"

    def observe(self, outcome: Outcome) -> None:
        super().observe(outcome)
        if outcome.visit.id == 2:
            raise ZeroDivisionError("a bug | in a <strategy>")


@pytest.fixture
def curious(monkeypatch: pytest.MonkeyPatch) -> type[Curious]:
    monkeypatch.setitem(REGISTRY, "curious", Curious)
    monkeypatch.setattr(Curious, "seen", {}, raising=False)
    monkeypatch.setattr(Curious, "topics", [], raising=False)
    return Curious


def test_the_oracle_pays_labels_and_nobody_else_sees_them(tiny: str, curious: type[Curious]) -> None:
    run(Bench((tiny,), ("curious",), pages=10, judge="oracle", jobs=1))
    assert curious.seen == {
        "http://a.test/": 0.0,
        "http://a.test/one": 1.0,
        "http://a.test/off": 0.0,
        "http://b.test/": 0.0,
        "http://a.test/two": 1.0,
        "http://b.test/three": 1.0,
    }
    (topic,) = set(curious.topics)
    assert (topic.keywords, topic.description, topic.name) == (("spiders",), "animals with eight legs", "")
    assert topic.liked == topic.disliked == ()


def test_a_strategy_that_fails_costs_its_own_row_only(
    tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(REGISTRY, "broken", Broken)
    follower = Follower()
    rows = run(Bench((tiny,), ("broken", "breadth-first"), pages=10, jobs=1), tmp_path / "o.json", follower).rows
    broken, well = rows
    assert broken["error"] == "ZeroDivisionError: a bug | in a <strategy>"
    assert (broken["downloads"], broken["found"]) == (3, [[2, 1], [3, 1]])
    assert [broken[name] for name in ("auc", "auc_ratio", "recall", "harvest_rate")] == [None] * 4
    assert broken["oracle_auc"] == 2.3
    assert well["error"] is None and well["auc"] == 1.8
    assert exit_code(rows) == 1 and exit_code([well]) == 0
    assert follower.means == {"breadth-first": pytest.approx(18 / 23)}


def test_robots_are_obeyed_only_where_asked(tiny: str, curious: type[Curious]) -> None:
    run(Bench((tiny,), ("curious",), pages=10, obey_robots=True, jobs=1))
    assert "http://a.test/off" not in curious.seen and "http://a.test/two" in curious.seen
    run(Bench((tiny,), ("curious",), pages=10, jobs=1))
    assert "http://a.test/off" in curious.seen


def test_a_host_rests_as_long_as_the_delay_says(tiny: str) -> None:
    """Six of seven visits are to a.test, one of them redirected; b.test is visited while a.test rests."""
    bench = Bench((tiny,), ("breadth-first",), pages=10, jobs=1)
    (serial,), (resting,) = run(bench).rows, run(replace(bench, slots=2, delay=4.0)).rows
    assert (serial["slots"], serial["delay"]) == (1, 0.0) and serial["virtual_seconds"] == pytest.approx(2.4, abs=0.1)
    assert (resting["slots"], resting["delay"]) == (2, 4.0)
    assert resting["virtual_seconds"] == pytest.approx(7 * 0.3 + 5 * 4.0, abs=0.1)


@pytest.mark.parametrize(("delay", "rests"), [(None, 1.0), (0.0, 0.0), (4.0, 4.0)])
def test_robots_that_are_obeyed_rest_a_second_unless_a_delay_is_named(
    tiny: str, delay: float | None, rests: float
) -> None:
    bench = Bench((tiny,), ("breadth-first",), pages=10, obey_robots=True, delay=delay, jobs=1)
    (row,) = run(bench).rows
    assert row["delay"] == rests


def test_a_longer_crawl_delay_of_a_host_counts(tiny: str) -> None:
    warc = Path(tiny, "tiny.warc")
    asked = b"User-agent: *\nCrawl-delay: 9 "  # as long as the rules that it replaces
    warc.write_bytes(warc.read_bytes().replace(b"User-agent: *\nDisallow: /off\n", asked))
    bench = Bench((tiny,), ("breadth-first",), pages=10, delay=2.0, jobs=1)
    (ours,), (theirs,) = run(bench).rows, run(replace(bench, obey_robots=True)).rows
    assert ours["virtual_seconds"] < 5 * 9 < theirs["virtual_seconds"]


def test_conditions_are_run_one_after_the_other_on_the_same_work(tiny: str, tmp_path: Path) -> None:
    bench = Bench((tiny,), ("breadth-first", "fish"), pages=10, jobs=1)
    results = run(replace(bench, conditions=("serial", "live-like", "serial")))
    told = [(row["condition"], row["slots"], row["delay"], row["strategy"]) for row in results.rows]
    assert told == [
        (*condition, strategy)
        for condition in (("serial", 1, 0.0), ("live-like", 16, 1.0))
        for strategy in ("breadth-first", "fish")
    ]
    assert results.about["conditions"] == ["serial", "live-like"]
    assert steady(results.rows[:2]) == steady(run(bench).rows)
    assert steady(results.rows[2:]) == steady(run(replace(bench, slots=16, delay=1.0)).rows)


def test_live_like_is_what_a_live_crawl_does_by_default() -> None:
    settings = Settings()
    assert CONDITIONS["live-like"] == (settings.slots, settings.delay)


def test_a_bench_says_which_half_of_the_topics_it_ran(own_cache: None, tmp_path: Path) -> None:
    bench = Bench(("synthetic:pages=1000",), ("breadth-first",), pages=5, jobs=1)
    whole, choose, report = (run(replace(bench, half=half)) for half in (None, "choose", "report"))
    assert [row["topic"] for row in choose.rows] == [row["topic"] for row in whole.rows][::2]
    assert [row["topic"] for row in report.rows] == [row["topic"] for row in whole.rows][1::2]
    assert [results.about["half"] for results in (whole, choose, report)] == [None, "choose", "report"]


def test_the_clock_may_start_before_the_web_is_there(tiny: str) -> None:
    with pytest.raises(BadInput, match="none of its seeds is in the web tiny at 1970-01-01 00:00 UTC"):
        run(Bench((tiny,), ("breadth-first",), pages=10, start=1.0, jobs=1))


def test_robots_of_a_computed_web_are_read_too(own_cache: None) -> None:
    bench = Bench(("synthetic:pages=1000",), ("breadth-first",), pages=20, obey_robots=True, jobs=1, most_topics=1)
    (row,) = run(bench).rows
    assert row["error"] is None and row["downloads"] == 20


# What people get wrong


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"pages": 0}, "--pages must be at least 1, not 0"),
        ({"repeats": 0}, "--repeats must be at least 1"),
        ({"slots": -1}, "--slots must be at least 1"),
        ({"jobs": 0}, "--jobs must be at least 1"),
        ({"latency": float("nan")}, "--latency is a number of seconds"),
        ({"delay": -1.0}, "delay must be at least 0, not -1.0"),
        ({"delay": float("inf")}, "delay must be at most 86,400"),
        ({"conditions": ("live",)}, "--condition is serial or live-like, not 'live'"),
        ({"conditions": ("serial",), "slots": 2}, "leave out --slots and --delay"),
        ({"conditions": ("serial",), "delay": 0.0}, "leave out --slots and --delay"),
        ({"half": "third"}, "--half is choose or report, not 'third'"),
        ({"half": "report"}, "None of these topics of tiny is in the half 'report': spiders"),
        ({"train": "gratis"}, "--train is charged or free"),
        ({"webs": ()}, "--web WEB, or --quick"),
        ({"strategies": ()}, "--strategy NAME. There are: .*shark"),
        ({"strategies": ("shrak",)}, "Did you mean 'shark'"),
        ({"judge": "keyword"}, "Did you mean 'keywords'"),
        ({"settings": {"fish": {"width": "3"}}}, "--set names 'fish', which is not in this bench"),
        ({"settings": {"shark": {"dpeth": "3"}}}, "There is no parameter 'dpeth'"),
        ({"topics": ("spider",)}, "There is no topic 'spider' in tiny. Did you mean 'spiders'"),
    ],
)
def test_a_mistake_is_a_sentence(tiny: str, changes: dict[str, Any], sentence: str) -> None:
    given = {"webs": (tiny,), "strategies": ("shark",), "pages": 5, "jobs": 1} | changes
    with pytest.raises(Problem, match=sentence):
        run(Bench(**given))


def test_a_bench_may_leave_lines_out(tiny: str) -> None:
    """The one line of the page /one, which alone links to /two."""
    whole = Bench((tiny,), ("breadth-first",), pages=10, jobs=1)
    bench = replace(whole, without="spiders that hunt")
    results = run(bench)
    (bare,), (row,) = results.rows, run(whole).rows
    assert (bare["downloads"], row["downloads"]) == (6, 7) and bare["found"] == [[6, 1]]
    assert bare["oracle_auc"] == row["oracle_auc"], "the bounds are those of the whole web"
    assert command(results.rows, results.about).endswith("--without 'spiders that hunt'")
    assert "--web tiny --strategy" in command(results.rows, results.about)
    with pytest.raises(Problem, match="no regular expression"):
        run(replace(whole, without="("))


def test_settings_reach_their_strategy(tiny: str) -> None:
    settings = read_settings(["shark.depth=1", "fish.width = 2"])
    assert settings == {"shark": {"depth": "1"}, "fish": {"width": "2"}}
    assert read_settings(["letter=true"]) == {"": {"letter": "true"}}, "for all strategies"
    for wrong in ("shark.depth", "depth", ".depth=1", "shark.=1"):
        with pytest.raises(Problem, match=r"STRATEGY\.NAME=VALUE"):
            read_settings([wrong])


def test_a_quick_bench_needs_nothing_but_its_wish() -> None:
    bench = quick(Bench((), (), pages=0))
    assert bench.webs == (runner.QUICK_WEB,) and "shark" in bench.strategies
    assert len(bench.strategies) * bench.pages * runner.QUICK_TOPICS <= runner.QUICK_DOWNLOADS
    named = quick(Bench(("web",), ("fish",), pages=50, repeats=9))
    assert (named.webs, named.strategies, named.pages, named.repeats) == (("web",), ("fish",), 50, 1)


def test_a_web_too_large_to_bound_has_no_bounds(own_cache: None) -> None:
    (row,) = run(Bench(("synthetic:pages=200001",), ("breadth-first",), pages=2, jobs=1, most_topics=1)).rows
    assert [row[name] for name in ("reachable", "recall", "oracle_auc", "greedy_auc", "auc_ratio")] == [None] * 5
    assert row["error"] is None and row["auc"] is not None and row["relevant"] > 0


def test_the_results_must_be_writable_before_anything_is_run(tiny: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    follower = Follower()
    with pytest.raises(BadInput, match="Cannot write"):
        run(Bench((tiny,), ("random",), pages=5, jobs=1), tmp_path / "file" / "out.json", follower)
    with pytest.raises(Problem, match="is a folder; name a file"):
        run(Bench((tiny,), ("random",), pages=5, jobs=1), tmp_path, follower)
    assert follower.steps == []
