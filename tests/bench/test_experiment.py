"""The frame of `reproduce` on toys that crawl nothing: cells kept and resumed, claims ruled on, files written."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.bench.draw.page import duration, html, number
from wolfspider.bench.draw.svg import Figure
from wolfspider.bench.experiment import (
    Both,
    BrokenVariant,
    Claim,
    Experiment,
    Form,
    Reproduction,
    Row,
    Rows,
    Ruling,
    Table,
    finding,
)
from wolfspider.bench.papers import experiment_named, experiments
from wolfspider.bench.rulings import all_of, greater
from wolfspider.bench.run.pool import _dealt, _groups, run_cells
from wolfspider.bench.run.reproduce import exit_code, files, keys_of, reproduce, rows_csv, summary, table_csv
from wolfspider.bench.run.result_cache import ResultCache
from wolfspider.core.errors import Problem

HOSTILE = "<script>alert('x')</script> & \"quoted\" <img src=x onerror=alert(1)>"


def squared(setting: Any) -> Row:
    return {"y": setting["x"] ** 2, "trail": [setting["x"]]}


def rises(rows: Rows) -> Ruling:
    pairs = [(rows[i]["y"], rows[i + 1]["y"]) for i in range(len(rows) - 1)]
    count = sum(a < b for a, b in pairs)
    return Ruling(count == len(pairs), f"{count} of {len(pairs)} steps rise")


RISES = Claim(
    1, "Squares rise.", "section 1", rises, BrokenVariant("The rows are turned round.", lambda rows: rows[::-1])
)
MOON = Claim(
    2, "They rise on the moon too.", "section 2", lambda rows: Ruling(None, sentence="Nobody went there."), None
)


def toy(cell: Callable[[Any], Row] = squared, claims: tuple[Claim, ...] = (RISES, MOON), **changes: Any) -> Experiment:
    plain = Experiment(
        name="toy",
        title="Squares",
        paper="Pythagoras, about -500",
        about="Do squares rise?",
        settings=lambda form: [{"x": x} for x in range(3 if form.quick else 6)],
        cell=cell,
        claims=claims,
        scaled=lambda form: ["3 numbers instead of 6."] if form.quick else [],
        tables=lambda rows: [Table("Squares", ("x", "y"), [(row["x"], Both(row["y"], 4.0)) for row in rows])],
        figures=lambda rows: [Figure("Squares", "x", "y").line([row["x"] for row in rows], [row["y"] for row in rows])],
    )
    return replace(plain, **changes)


def read_csv(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))


# Rows and files


def test_a_row_is_a_setting_and_its_result_in_the_order_of_settings(tmp_path: Path) -> None:
    done = reproduce(toy(), tmp_path, Form(), jobs=1)
    assert [(row["x"], row["y"]) for row in done.rows] == [(x, x * x) for x in range(6)]


def test_everything_is_written(tmp_path: Path) -> None:
    reproduce(toy(), tmp_path, Form(quick=True), jobs=1)
    names = {"index.html", "rows.json", "rows.csv", "claims.csv", "claims.json", "table-1.csv", "figure-1.svg", "cells"}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert [row["y"] for row in json.loads((tmp_path / "rows.json").read_text())["rows"]] == [0, 1, 4]
    assert read_csv(tmp_path / "rows.csv") == [["x", "y"], ["0", "0"], ["1", "1"], ["2", "4"]]
    assert read_csv(tmp_path / "table-1.csv")[:2] == [["x", "y (ours)", "y (paper)"], ["0", "0", "4.0"]]
    claims = read_csv(tmp_path / "claims.csv")
    assert claims[1][:5] == ["1", "Squares rise.", "section 1", "holds", "2 of 2 steps rise"]
    assert claims[1][6:] == ["The rows are turned round.", "does not hold", "0 of 2 steps rise"]
    assert claims[2][3:] == ["not testable", "", "Nobody went there.", "", "", ""]


def test_the_summary_has_every_claim_and_what_was_scaled(tmp_path: Path) -> None:
    told = summary(reproduce(toy(), tmp_path, Form(quick=True), jobs=1))
    for words in ("Squares rise.", "HOLDS", "2 of 2 steps rise", "NOT TESTABLE", "Nobody went there.", "3 numbers"):
        assert words in told


def test_text_in_a_csv_is_never_a_formula() -> None:
    text = rows_csv([{"a": "=1+1", "b": -1, "c": "@x", "d": None}])
    assert list(csv.reader(io.StringIO(text))) == [["a", "b", "c", "d"], ["'=1+1", "-1", "'@x", ""]]


def test_a_column_is_doubled_where_the_paper_prints_only_some_of_its_numbers() -> None:
    text = table_csv(Table("t", ("name", "n"), [("a", Both(1, None)), ("b", 2)]))
    assert list(csv.reader(io.StringIO(text))) == [["name", "n (ours)", "n (paper)"], ["a", "1", ""], ["b", "2", ""]]


def test_a_table_with_a_short_line_is_refused() -> None:
    with pytest.raises(ValueError, match="every line has 2 cells"):
        Table("t", ("a", "b"), [(1,)])


# Cells


def counting(calls: list[int], until: int = 99) -> Callable[[Any], Row]:
    def cell(setting: Any) -> Row:
        if len(calls) == until:
            raise KeyboardInterrupt
        calls.append(setting["x"])
        return squared(setting)

    return cell


def test_what_was_interrupted_goes_on_with_the_rest(tmp_path: Path) -> None:
    calls: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        reproduce(toy(counting(calls, until=4)), tmp_path, Form(), jobs=1)
    assert calls == [0, 1, 2, 3]
    done = reproduce(toy(counting(calls)), tmp_path, Form(), jobs=1)
    assert calls == [0, 1, 2, 3, 4, 5]
    assert done.rows == reproduce(toy(), tmp_path / "at-once", Form(), jobs=1).rows


def test_another_form_takes_what_it_shares(tmp_path: Path) -> None:
    calls: list[int] = []
    reproduce(toy(counting(calls)), tmp_path, Form(quick=True), jobs=1)
    reproduce(toy(counting(calls)), tmp_path, Form(), jobs=1)
    assert calls == [0, 1, 2, 3, 4, 5]


def test_a_torn_cell_is_computed_again(tmp_path: Path) -> None:
    calls: list[int] = []
    experiment = toy(counting(calls))
    reproduce(experiment, tmp_path, Form(), jobs=1)
    key = keys_of(experiment.cell, experiment.settings(Form()))[2]
    (tmp_path / "cells" / f"{key}.json").write_text('{"row": {"y": 4')
    reproduce(experiment, tmp_path, Form(), jobs=1)
    assert calls == [0, 1, 2, 3, 4, 5, 2]


def test_a_cell_is_kept_under_its_setting_its_strategy_and_its_web(tiny: str) -> None:
    settings = [{"web": tiny, "strategy": "shark"}, {"web": tiny, "strategy": "fish"}, {"web": tiny, "pages": 5}]
    before = keys_of(squared, settings)
    assert len(set(before)) == 3
    assert keys_of(squared, [dict(reversed(setting.items())) for setting in settings]) == before
    warc = Path(tiny) / "tiny.warc"
    warc.write_bytes(warc.read_bytes().replace(b"spiders that jump", b"spiders that sing"))
    assert not set(keys_of(squared, settings)) & set(before)


def test_a_kept_row_and_a_new_one_are_the_same(tmp_path: Path) -> None:
    experiment = toy(lambda setting: {"y": setting["x"], "pair": (1, 2)})
    first, again = (reproduce(experiment, tmp_path, Form(), jobs=1).rows for _ in range(2))
    assert first == again
    assert first[0]["pair"] == [1, 2]


def test_a_number_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        reproduce(toy(lambda setting: {"y": float("nan")}), tmp_path, Form(), jobs=1)


def test_equal_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="number the repeats"):
        reproduce(toy(settings=lambda form: [{"x": 1}, {"x": 1}]), tmp_path, Form(), jobs=1)


def test_jobs_and_the_folder_are_checked(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="--jobs"):
        reproduce(toy(), tmp_path, Form(), jobs=0)
    (tmp_path / "file").write_text("")
    with pytest.raises(Problem, match="another place"):
        reproduce(toy(), tmp_path / "file", Form(), jobs=1)


def test_cells_run_in_processes_give_the_same(tmp_path: Path) -> None:
    calls = [(number,) for number in range(5)]
    found = dict(run_cells(numbered, calls, list("abcde"), ResultCache(tmp_path), jobs=1))
    assert found == {number: {"n": number} for number in range(5)}
    assert dict(run_cells(numbered, calls, list("abcde"), ResultCache(tmp_path), jobs=2)) == found


def numbered(number: int) -> dict[str, int]:
    return {"n": number}


class AtOnce:
    """In place of a process: every call is done when it is submitted."""

    def __init__(self) -> None:
        self.done: list[int] = []

    def submit(self, call: Callable[[int], int], number: int) -> Future[int]:
        future: Future[int] = Future()
        future.set_result(call(number))
        self.done.append(number)
        return future


def dealt_to(processes: int, grounds: Sequence[int]) -> tuple[list[tuple[int, int]], list[list[int]]]:
    pools: Any = [AtOnce() for _ in range(processes)]
    arguments = [(number,) for number in range(len(grounds))]
    results = list(_dealt(lambda number: -number, arguments, _groups(len(grounds), grounds), pools))
    return results, [pool.done for pool in pools]


def test_cells_of_one_ground_are_done_by_one_process() -> None:
    assert dealt_to(2, [7, 7, 7, 8, 8, 8])[1] == [[0, 1, 2], [3, 4, 5]]
    assert sorted(map(len, dealt_to(2, [7, 7, 7, 7, 7, 7])[1])) == [3, 3]  # nobody is idle while there is work


@given(st.integers(2, 4), st.lists(st.integers(0, 2)))
def test_every_cell_is_done_once_whatever_its_ground(processes: int, grounds: list[int]) -> None:
    results, done = dealt_to(processes, grounds)
    assert sorted(results) == [(number, -number) for number in range(len(grounds))]
    assert sorted(number for numbers in done for number in numbers) == list(range(len(grounds)))


WAITING = """
import sys, time
from pathlib import Path
from wolfspider.bench.run.pool import run_cells
from wolfspider.bench.run.result_cache import ResultCache
from wolfspider.bench.rulings import all_of, greater

def cell(folder, number):
    with open(f"{folder}/started-{number}", "a") as file:
        file.write("x")
    while number > 2 and not Path(folder, "go").exists():
        time.sleep(0.01)
    return {"n": number}

if __name__ == "__main__":
    folder = sys.argv[1]
    calls = [(folder, number) for number in range(6)]
    keys = [f"key{number}" for number in range(6)]
    print(sorted(run_cells(cell, calls, keys, ResultCache(Path(folder, "cells")), 2)))
"""


def test_a_killed_run_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    program = tmp_path / "waiting.py"
    program.write_text(WAITING)
    run = [sys.executable, str(program), str(tmp_path)]
    with subprocess.Popen(run) as first:
        while len(list(tmp_path.glob("cells/key*.json"))) < 3 and first.poll() is None:
            time.sleep(0.01)
        first.kill()
    (tmp_path / "go").touch()
    again = subprocess.run(run, capture_output=True, text=True, check=True)
    assert again.stdout.strip() == str([(number, {"n": number}) for number in range(6)])
    assert [(tmp_path / f"started-{number}").read_text() for number in range(3)] == ["x"] * 3
    assert list(tmp_path.glob("cells/.*")) == []


# Claims


def test_a_ruling_tells_its_reasons() -> None:
    with pytest.raises(ValueError, match="sentence"):
        Ruling(None, "p = 0.5")
    with pytest.raises(ValueError, match="statistic"):
        Ruling(True)
    assert [Ruling(holds, "n = 1", "So.").word for holds in (True, False, None)] == [
        "holds",
        "does not hold",
        "not testable",
    ]


@pytest.mark.parametrize("numbers", [(), (2,), (1, 3), (2, 1)])
def test_claims_are_numbered_from_one(numbers: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="numbered"):
        toy(claims=tuple(replace(RISES, number=each) for each in numbers))


def test_a_test_that_lets_the_broken_variant_pass_is_told(tmp_path: Path) -> None:
    blind = replace(RISES, test=lambda rows: Ruling(True, "n = 3"))
    done = reproduce(toy(claims=(blind,)), tmp_path, Form(), jobs=1)
    assert not done.sound
    assert done.findings[0].ruling.holds is None
    assert exit_code(done) == 1
    assert "shows nothing" in summary(done) and "shows nothing" in html(done)
    assert exit_code(reproduce(toy(), tmp_path, Form(), jobs=1)) == 0


def test_what_is_undecided_is_told_as_such_and_is_no_error(tmp_path: Path) -> None:
    """Its broken variant need not be refused, for it says nothing that could be wrong; but it must not hold there."""
    maybe = replace(RISES, test=lambda rows: Ruling(None, "n = 2", undecided=True))
    done = reproduce(toy(claims=(maybe,)), tmp_path, Form(quick=True), jobs=1)
    assert done.findings[0].ruling.word == "undecided" and exit_code(done) == 0
    assert "UNDECIDED" in summary(done) and "1 undecided" in Seen(html(done)).text
    wrong = replace(RISES, test=lambda rows: Ruling(True, "n = 2") if rows[0]["x"] else maybe.test(rows))
    assert exit_code(reproduce(toy(claims=(wrong,)), tmp_path, Form(quick=True), jobs=1)) == 1


def test_each_part_of_a_claim_has_a_line_and_a_drawing_of_its_interval(tmp_path: Path) -> None:
    parts = all_of(
        {"first part": greater([1.0, 2.0, 3.0, 2.0, 1.0]), "second part": greater([-1.0, 1.0, 2.0, -2.0, 0.0])}
    )
    done = reproduce(toy(claims=(replace(RISES, test=lambda rows: parts),)), tmp_path, Form(quick=True), jobs=1)
    page = html(done)
    assert page.count('class="strip"') == 4 and "Quick form, 3 cells" in Seen(page).text
    assert [line.strip()[:24] for line in summary(done).splitlines()[6:8]] == [
        "holds: first part: Wilco",
        "undecided: second part: ",
    ]
    kept = json.loads((tmp_path / "claims.json").read_text())
    assert kept["form"] == "quick" and kept["claims"][0]["deciding"].startswith("second part: Wilcoxon")


def test_what_is_told_beside_a_claim_that_is_not_ruled_on_has_its_lines(tmp_path: Path) -> None:
    found = all_of({"height": Ruling(True, "n = 5, 3 m"), "width": Ruling(False, "n = 5, 9 m")})
    told = Claim(
        1, "It is so.", "s", lambda rows: Ruling(None, sentence="Only told.", others=(("as a ruling", found),)), None
    )
    done = reproduce(replace(toy(), claims=(told,)), tmp_path, Form(quick=True), jobs=1)
    lines = ["as a ruling: holds: height: n = 5, 3 m", "as a ruling: does not hold: width: n = 5, 9 m"]
    assert all(line in summary(done) for line in lines)
    assert json.loads((tmp_path / "claims.json").read_text())["claims"][0]["lines"] == lines


def test_a_claim_that_does_not_hold_is_no_error(tmp_path: Path) -> None:
    falls = toy(lambda setting: {"y": -setting["x"]}, claims=(replace(RISES, broken=BrokenVariant("As it is.", list)),))
    done = reproduce(falls, tmp_path, Form(), jobs=1)
    assert done.findings[0].ruling.holds is False
    assert exit_code(done) == 0


def test_a_broken_variant_that_cannot_be_tested_shows_nothing() -> None:
    def test(rows: Rows) -> Ruling:
        return Ruling(True, "n = 2") if rows else Ruling(None, sentence="No rows.")

    assert not finding(
        replace(RISES, test=test, broken=BrokenVariant("No rows.", lambda rows: [])), [{}, {}]
    ).able_to_fail
    assert not finding(replace(RISES, test=test, broken=None), [{}]).able_to_fail
    assert finding(MOON, []).able_to_fail


# The page


class Seen(HTMLParser):
    """What a browser would make of it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")

    def handle_data(self, data: str) -> None:
        self.text += data


def page_saying(words: str) -> str:
    claim = Claim(1, words, words, lambda rows: Ruling(True, words or "-", words), BrokenVariant(words, list))
    table = Table(words, (words, words), [(words, Both(words, words))], words)
    figure = Figure(words, words, words).line([0, 1], [0, 1], words)
    experiment = toy(claims=(claim,), name=words, title=words, paper=words, about=words, scaled=lambda form: [words])
    return html(Reproduction(experiment, Form(), [], 1.0, [finding(claim, [])], [table], [figure]), [words])


PLAIN = Seen(page_saying("plain"))


@given(st.text())
def test_no_text_becomes_markup(words: str) -> None:
    seen = Seen(page_saying(words))
    assert seen.tags == PLAIN.tags
    assert seen.attributes.keys() == PLAIN.attributes.keys()


def test_hostile_text_is_shown_as_it_is() -> None:
    seen = Seen(page_saying(HOSTILE))
    assert seen.tags == PLAIN.tags
    assert seen.text.count(HOSTILE) > 10


def test_the_page_needs_no_other_file_and_runs_nothing(tmp_path: Path) -> None:
    reproduce(toy(), tmp_path, Form(), jobs=1)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    seen = Seen(page)
    assert not seen.tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    assert not {name for name in seen.attributes if name.startswith("on") or name == "src"}
    assert {target for target in seen.attributes["href"] if not (tmp_path / target).is_file()} == set()
    assert "url(" not in page and "@import" not in page
    assert "default-src 'none'" in page


def test_the_page_has_both_numbers_side_by_side() -> None:
    table = Table("t", ("name", "figure"), [("a", Both(0.12345, 0.5)), ("b", Both(1234567, None)), ("c", 7)])
    page = html(Reproduction(toy(), Form(), [], 0, [], [table]))
    assert '<td class="n">0.123</td><td class="n printed">0.500</td>' in page
    assert '<td class="n">1,234,567</td><td class="n printed">–</td>' in page
    assert '<td class="n">7</td><td class="n printed">–</td>' in page


def test_the_page_says_how_it_was_run(tmp_path: Path) -> None:
    page = Seen(html(reproduce(toy(), tmp_path, Form(quick=True), jobs=1))).text
    for words in ("wolfspider reproduce toy --quick", "The quick form: 3 cells", "3 numbers instead of 6."):
        assert words in page
    assert "--corpora" not in page
    recorded = Reproduction(toy(), Form(), [{"web": "pages-of-2018"}], 0, [])
    assert "wolfspider reproduce toy --corpora DIR --out DIR" in html(recorded)


def test_equal_reproductions_give_equal_files(tmp_path: Path) -> None:
    first, again = (files(replace(reproduce(toy(), tmp_path, Form(), jobs=1), seconds=0)) for _ in range(2))
    assert first == again


def test_numbers_for_people() -> None:
    assert [number(value) for value in (None, "x", 12345, 0.5, -12.34, 123456.7)] == [
        "–",
        "x",
        "12,345",
        "0.500",
        "-12.3",
        "123,457",
    ]
    assert [duration(seconds) for seconds in (4, 150, 7200)] == ["4 s", "2 min", "2.0 h"]


# What there is


def test_an_unknown_paper_is_told_with_the_closest() -> None:
    with pytest.raises(Problem, match="Did you mean 'best-first-against-breadth-first'"):
        experiment_named("best-first-against-breath-first")


@pytest.mark.parametrize("name", list(experiments()))
def test_every_experiment_is_named_like_its_file(name: str) -> None:
    assert sys.modules[f"wolfspider.bench.papers.{name.replace('-', '_')}"].EXPERIMENT is experiment_named(name)


@pytest.mark.parametrize("name", list(experiments()))
def test_every_claim_has_a_source_and_a_broken_variant(name: str) -> None:
    for claim in experiment_named(name).claims:
        assert claim.says.endswith(".") and claim.source
        if claim.broken is None:
            assert claim.test([]).holds is None, f"Claim {claim.number} can be tested and has no broken variant."


@pytest.mark.parametrize("name", list(experiments()))
def test_every_experiment_has_a_quick_form_that_is_smaller(name: str, corpora_or_none: Path | None) -> None:
    experiment = experiment_named(name)
    quick, full = (experiment.settings(Form(each, corpora_or_none)) for each in (True, False))
    assert json.loads(json.dumps(quick)) == list(quick)
    assert 0 < len(quick) <= len(full)
    assert experiment.scaled(Form(True, corpora_or_none)), "It says what was scaled down."


@pytest.fixture
def corpora_or_none() -> Path | None:
    import os

    folder = os.environ.get("WOLFSPIDER_CORPORA")
    return Path(folder) if folder else None


def test_a_form_has_a_scale_and_the_recorded_webs_at_hand(tmp_path: Path) -> None:
    assert [Form(quick).scale("full", "quick") for quick in (False, True)] == ["full", "quick"]
    (tmp_path / "wiki").mkdir()
    assert Form(corpora=tmp_path).folders(["docs", "wiki"]) == [tmp_path / "wiki"]
    assert Form().folders(["wiki"]) == []
