"""Tables and figures are made from rows of both forms, and their numbers are right."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from tests.bench.lafc_rows import made_rows

from wolfspider.bench.draw.svg import Figure
from wolfspider.bench.experiment import Both, Form, Rows, Table
from wolfspider.bench.papers.akbari_lafc import EXPERIMENT
from wolfspider.bench.papers.akbari_lafc.figures import figures
from wolfspider.bench.papers.akbari_lafc.report import tables
from wolfspider.bench.papers.akbari_lafc.scales import ruling_rate

ROWS = made_rows()


def titled(words: str, rows: Rows = ROWS) -> Table:
    (found,) = [table for table in tables(rows) if words in table.title]
    return found


def drawn(words: str) -> Figure:
    (found,) = [figure for figure in figures(ROWS) if words in figure.title]
    return found


@pytest.mark.parametrize("quick", [True, False])
def test_every_table_is_made(quick: bool) -> None:
    titles = [table.title for table in tables(made_rows(quick))]
    assert len(titles) == (16 if quick else 17)
    assert all(any(f"Table {number}:" in title for title in titles) for number in range(2, 7))
    assert ("On recorded webs" in titles) is not quick


@pytest.mark.parametrize("quick", [True, False])
def test_every_figure_is_made_and_is_xml(quick: bool) -> None:
    made = figures(made_rows(quick))
    titles = " ".join(figure.title for figure in made)
    assert len(made) == 11
    assert all(f"(Fig. {number})" in titles for number in range(2, 9))
    for figure in made:
        ElementTree.fromstring(figure.svg())


def test_without_rows_there_is_nothing_to_show() -> None:
    assert tables([]) == [] and figures([]) == []


@pytest.mark.parametrize("study", ["sweep", "compare", "theorem", "ties"])
def test_one_study_alone_is_enough_for_its_own(study: str) -> None:
    rows = [row for row in ROWS if row["study"] == study]
    assert tables(rows)
    assert bool(figures(rows)) is (study in ("compare", "theorem"))


def test_the_papers_numbers_stand_beside_the_value_they_belong_to() -> None:
    """Grounds add from 0 to 9 thousandths; each value of the threshold adds 0.02."""
    line = titled("Table 2").lines[3]
    assert line[:3] == ("0.8", Both(pytest.approx(0.2645), 0.1861), Both(pytest.approx(16.45), 955.092))
    assert [row[0] for row in titled("Table 3").lines] == ["0.05", "0.1", "0.3", "0.4", "0.5"]
    assert titled("Table 3").lines[3][1:4] == (Both(None, 0.1112), Both(None, 586.236), None)
    line = titled("Table 3").lines[-1]
    assert line[:3] == ("0.5", Both(pytest.approx(0.2045), 0.0732), Both(pytest.approx(10.45), 432.891))
    assert line[-2:] == pytest.approx((0.2045, 10.45))


def test_table_4_by_hand() -> None:
    """LAFC finds 400 to 409 of 1,000 and LJM 230 to 239."""
    lines = titled("Table 4").lines
    deviation = float(np.std(np.arange(10), ddof=1)) / 1000
    lafc = lines[-1]
    assert lafc[:3] == ("LAFC", Both(pytest.approx(0.4045), 0.1724), Both(pytest.approx(deviation), 0.0053))
    (pair,) = [line for line in lines if (line[0], line[3]) == ("LJM", "LAFC")]
    assert pair[4] == Both(pytest.approx(-0.17), -0.0732)
    assert isinstance(pair[5], Both) and pair[5].paper == "6·10⁻⁹" and "·10⁻²" in str(pair[5].ours)
    assert [line[-1] for line in lines] == [*[Both(2, 2)] * 3, *[Both(4, 4)] * 2, Both(3, 3), Both(1, 1)]


def test_recall_by_hand() -> None:
    """On topic 1 LAFC found 0-399 and 0-400, BPM 120-449 and 120-450: together 450 and 451."""
    (lafc,) = [line for line in titled("Table 5").lines if line[0] == "LAFC"]
    assert lafc[1] == Both(pytest.approx(50 * (400 / 450 + 401 / 451)), 85.0)
    assert isinstance(lafc[-1], Both) and lafc[-1].paper == pytest.approx(80.6)


def test_minutes_by_topic_are_the_mean_of_both_starts() -> None:
    (bpm,) = [line for line in titled("Table 6").lines if line[0] == "BPM"]
    assert bpm[1:3] == (Both(pytest.approx(18.09), 1419.31), Both(pytest.approx(18.45), 1693.11))


def test_free_training_has_lines_of_its_own() -> None:
    lines = titled("What the web's truth says").lines
    assert [line[:2] for line in lines[:3]] == [("LAFC", "none"), ("BPM", "charged"), ("BPM", "free")]
    assert lines[0][3:5] == pytest.approx((0.4045, 0.202))


def test_a_crawl_that_ended_early_is_counted() -> None:
    rows = [{**row, "downloads": 500, "reason": "nothing left"} if row.get("crawler") == "HW" else row for row in ROWS]
    (hw, _) = [line for line in titled("What training costs", rows).lines if line[0] == "HW"]
    assert hw == ("HW", "charged", 100.0, 500.0, pytest.approx(0.569), 10, "nothing left (10)")


def test_figure_8_is_flat_once_a_crawl_has_ended() -> None:
    """LAFC takes 10 to 10.9 minutes, BPM up to 19.62."""
    lafc, bpm = [mark for mark in drawn("(Fig. 8)").marks if mark.label][:2]
    assert (lafc.label, bpm.label) == ("LAFC", "BPM")
    assert lafc.ys[0] == 0 and lafc.ys[-1] == pytest.approx(404.5)
    assert set(lafc.ys[lafc.xs >= 11].round(6)) == {404.5}
    assert lafc.xs[-1] == pytest.approx(19.62) and bpm.ys[-1] == pytest.approx(334.5)


def test_what_keeping_automata_gives_is_told_web_by_web() -> None:
    """The first crawl has 0.4, and each one more adds a thousandth."""
    lines = titled("What keeping automata gives").lines
    assert [line[:3] for line in lines[4:6]] == [("computed", 10, "20"), ("wiki", 4, "1")]
    assert lines[9][3:] == pytest.approx((0.419, 0.419))
    labels = [mark.label for mark in drawn("What keeping automata gives").marks if mark.label]
    assert labels == [
        f"{web}, by {rule}" for web in ("computed", "wiki") for rule in ("the paper's rule", "the web's truth")
    ]


def test_keywords_are_told_as_they_are() -> None:
    assert "keywords of each topic: 3." in titled("Table 2").note
    assert "keywords of each topic: 2." in titled("On recorded webs").note
    assert "Keywords of each topic: 3." in titled("Theorem 1").note


def test_precision_is_drawn_at_each_tenth() -> None:
    first = drawn("(Fig. 2)").marks[0]
    assert first.xs.tolist() == [100.0 * tenth for tenth in range(1, 11)]
    assert first.ys[-1] == pytest.approx(0.4005)  # 400 and 401 of 1,000


def test_what_a_network_lacks_is_not_drawn() -> None:
    """After the first crawl no automaton has a best link."""
    first = drawn("best known").marks[0]
    assert first.xs.tolist() == [2, 5, 10, 20, 30, 40]
    assert drawn("prefer one link").marks[0].xs.tolist() == [1, 2, 5, 10, 20, 30, 40]


@pytest.mark.parametrize(
    ("quick", "downloads"), [(True, "1,000 downloads, instead of 10,000"), (False, "as in the paper")]
)
def test_what_is_smaller_is_said(quick: bool, downloads: str) -> None:
    told = " ".join(EXPERIMENT.scaled(Form(quick=quick)))
    assert downloads in told and "1, 1, 2, 1, 2" in told and "no corpus is at hand" in told


@pytest.mark.parametrize("quick", [True, False])
def test_what_is_run_is_what_the_claims_ask_for(quick: bool) -> None:
    """Ten grounds of each of the four crawlers and of LJM+, charged, but five of LJM+ where it has to be quick; sweeps
    of five grounds or more."""
    known = EXPERIMENT.settings(Form(quick=quick))
    compared = [s for s in known if s["study"] == "compare" and s["train"] == "charged"]
    for crawler in ("LAFC", "BPM", "HW", "LJM", "LJM+"):
        assert len({(s["place"], s["start"]) for s in compared if s["crawler"] == crawler}) == (
            5 if quick and crawler == "LJM+" else 10
        )
    for varied in ("control", "rate"):
        assert sum(s["study"] == "sweep" and s["varied"] == varied and s["crawls"] > 1 for s in known) >= 5
    theorem = [s for s in known if s["study"] == "theorem" and s["decay"] == 1.0]
    rate = ruling_rate({s["rate"] for s in theorem}, min(s["crawls"] for s in theorem))
    assert rate is not None and rate <= 0.1
    for broken in (False, True):
        mine = [s for s in theorem if s["rate"] == rate and bool(s.get("broken")) is broken]
        assert len({(s["place"], s["start"]) for s in mine}) == len(mine) >= 2


def test_the_theorem_is_told_of_crawls_that_keep_nothing_too() -> None:
    table = titled("Theorem 1")
    (last,) = [line for line in table.lines if line[0] == "stay, nothing is kept" and line[3] == 40]
    assert last[1:6] == ("0.09", 10, 40, 0.0, 0.0)
    (kept,) = [line for line in table.lines if line[:2] == ("stay", "0.09") and line[3] == 40]
    assert kept[4:6] == pytest.approx((0.6045, 0.30225))
    assert "first crawl" in table.note and "whole network" in table.note
