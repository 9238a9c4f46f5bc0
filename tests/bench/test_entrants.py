"""Strategies and judges from files of a person's own take part in a bench like those of the house."""

from __future__ import annotations

from pathlib import Path

import pytest

from wolfspider.bench.draw.report import command
from wolfspider.bench.measure import judge_quality
from wolfspider.bench.run import cell
from wolfspider.bench.run.entrants import judges_entered, strategies_entered
from wolfspider.bench.run.runner import Bench, BenchResults, run
from wolfspider.core.errors import BadInput, Problem
from wolfspider.web.worlds.world import open_web

FOX = """
from dataclasses import dataclass
from wolfspider.core.params import param
from wolfspider.strategies.breadth_first import BreadthFirst

class Fox(BreadthFirst):
    name = "fox"

    @dataclass
    class Params:
        depth: int = param(3, "How deep it digs.", low=1)
"""
STRICT = """
from wolfspider import Unlearning, verdict

class Strict(Unlearning):
    def score(self, page):
        return verdict(float("jump" in page.words), 0.5)
"""


@pytest.fixture
def fox(tmp_path: Path) -> Path:
    path = tmp_path / "my_fox.py"
    path.write_text(FOX)
    return path


@pytest.fixture
def strict(tmp_path: Path) -> Path:
    path = tmp_path / "my_judge.py"
    path.write_text(STRICT)
    return path


def measured(
    tiny: str, strategies: tuple[object, ...], out: Path | None = None, jobs: int = 1, **more: str
) -> BenchResults:
    return run(Bench((tiny,), tuple(map(str, strategies)), pages=10, jobs=jobs, **more), out)  # type: ignore[arg-type]


@pytest.mark.parametrize("jobs", [1, 2])
def test_they_are_measured_like_those_of_the_house(tiny: str, fox: Path, strict: Path, jobs: int) -> None:
    results = measured(tiny, (f"{fox}:Fox", "breadth-first", "best-first"), jobs=jobs, judge=str(strict))
    mine, house, _ = results.rows
    assert [(row["strategy"], row["judge"], row["error"]) for row in results.rows] == [
        (name, "Strict", None) for name in ("fox", "breadth-first", "best-first")
    ]
    assert (mine["found"], mine["auc_ratio"]) == (house["found"], house["auc_ratio"])
    assert f"--strategy {fox}:Fox --strategy breadth-first" in command(results.rows, results.about)
    assert f"--judge {strict} " in command(results.rows, results.about)


def kept(out: Path) -> set[str]:
    return {path.name for path in Path(f"{out}.cells").iterdir()}


def test_the_content_of_a_file_counts_for_what_is_kept(tiny: str, fox: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    measured(tiny, (fox, "breadth-first"), out)
    first = kept(out)
    elsewhere = fox.rename(tmp_path / "fox_again.py")
    measured(tiny, (elsewhere, "breadth-first"), out)
    assert kept(out) == first, "where the file is does not matter"
    elsewhere.write_text(FOX.replace("deep", "far"))
    measured(tiny, (elsewhere, "breadth-first"), out)
    assert len(first) == 2 and len(kept(out) - first) == 1, "the changed strategy is measured again, the other is not"


def test_a_changed_judge_is_asked_again(tiny: str, strict: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    measured(tiny, ("best-first",), out, judge=str(strict))
    strict.write_text(STRICT.replace("jump", "wings"))
    measured(tiny, ("best-first",), out, judge=str(strict))
    assert len(kept(out)) == 2


def test_names_in_tables_are_unique(tmp_path: Path, fox: Path) -> None:
    (tmp_path / "other").mkdir()
    twin = tmp_path / "twin_fox.py"
    same = tmp_path / "other" / "my_fox.py"
    for path in (twin, same):
        path.write_text(FOX)
    shark = tmp_path / "sharks.py"
    shark.write_text(FOX.replace('"fox"', '"shark"'))
    names = [[entrant.name for entrant in strategies_entered(map(str, given))] for given in ((fox, twin), (fox, same))]
    assert names == [["fox (my_fox.py)", "fox (twin_fox.py)"], [f"fox ({fox})", f"fox ({same})"]]
    assert [entrant.name for entrant in strategies_entered(["shark", str(shark)])] == ["shark", "shark (sharks.py)"]


@pytest.mark.parametrize("name", ["fox", "{}"])
def test_settings_are_given_by_name_or_by_file(tiny: str, fox: Path, name: str) -> None:
    named = name.format(fox)
    results = run(Bench((tiny,), (str(fox),), pages=5, jobs=1, settings={named: {"depth": "2"}}))
    assert results.about["settings"] == {"fox": {"depth": "2"}}
    with pytest.raises(Problem, match="depth must be at least 1"):
        run(Bench((tiny,), (str(fox),), pages=5, jobs=1, settings={named: {"depth": "0"}}))


def test_what_is_wrong_is_told_before_anything_is_run(tiny: str, fox: Path, tmp_path: Path) -> None:
    fox.write_text(FOX + "\nraise ValueError(1)\n")
    out = tmp_path / "out.json"
    with pytest.raises(BadInput, match=r"my_fox.py cannot be loaded: ValueError: 1 .line 13.\."):
        measured(tiny, ("breadth-first", fox), out)
    assert not Path(f"{out}.cells").exists()


def test_an_error_during_a_crawl_is_told_with_its_line(tiny: str, fox: Path) -> None:
    """One that shows in the trial before the bench would keep it from beginning."""
    fox.write_text(FOX + "    def observe(self, outcome):\n        return {'host': []}[outcome.visit.link.host[:4]]\n")
    (row,) = measured(tiny, (fox,)).rows
    assert row["error"] == f"{fox} line 13, in observe: KeyError: 'a.te'."


def test_a_judge_that_returns_no_verdict_is_told(tiny: str, strict: Path) -> None:
    strict.write_text(STRICT.replace("return", "return page.final_url.count('//host') and"))
    (row,) = measured(tiny, ("breadth-first",), judge=str(strict)).rows
    assert row["error"].startswith(f"{strict}, Strict.score: it must return a Verdict")


def test_a_file_that_changes_while_the_bench_runs_stops_it(
    tiny: str, fox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept under the old content must not come from the new one."""
    measure = cell.measure

    def slow(*arguments: object) -> cell.Measured:
        fox.write_text(FOX + "# changed\n")
        return measure(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(cell, "measure", slow)
    with pytest.raises(Problem, match="has changed while the bench ran"):
        measured(tiny, ("breadth-first", fox), tmp_path / "out.json")
    assert len(kept(tmp_path / "out.json")) == 1


def test_judges_of_files_are_compared_with_those_of_the_house(tiny: str, strict: Path) -> None:
    rows = judge_quality.table([open_web(tiny)], judge_quality.Wanted(["keywords", f"{strict}:Strict"]))
    assert [row["judge"] for row in rows] == ["keywords", "Strict"]
    assert rows[1]["precision"] == 1.0 and rows[1]["recall"] == 0.25
    with pytest.raises(Problem, match="Did you mean 'keywords'"):
        judges_entered(["keyword"])
