from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wolfspider.bench.experiment import Form, Row, Ruling, Setting, finding
from wolfspider.bench.papers.palotai_news_foragers import EXPERIMENT, scaled
from wolfspider.bench.papers.palotai_news_foragers.cells import COMMON_WEIGHTS, DIVIDING, FACTORS, LIST_KEPT, settings
from wolfspider.bench.papers.palotai_news_foragers.claims import (
    alive,
    discovery,
    has_wave,
    lag,
    near_midnight,
    rayleigh,
    within_scores,
)
from wolfspider.bench.papers.palotai_news_foragers.contrasts import against
from wolfspider.bench.papers.palotai_news_foragers.report import conserved, profit_of_figure_1
from wolfspider.bench.run.fleets import SPARE
from wolfspider.bench.run.reproduce import reproduce, told_lines
from wolfspider.bench.stats import trend

MONDAY = 1_110_153_600.0
WINDOWS = 14 * 8
STEPS = {"moves": 1000, "slices": 100, "paths": 10}
CLAIMS = {claim.number: claim for claim in EXPERIMENT.claims}


def degrees(gamma: float) -> dict[str, Any]:
    values = np.arange(1, 200)
    counts = np.maximum(1, np.round(1e6 * values**-gamma)).astype(int)
    estimates = {"raw": gamma, "binned": gamma, "mle": gamma, "low": gamma, "high": gamma, "kmin": 1, "tail": 1000}
    more = {"distance": 0.01, "mean": 5.0, "largest": 199, "zeros": 0}
    return {"exponents": {**estimates, **more}, "values": values.tolist(), "counts": counts.tolist()}


def series(case: int) -> dict[str, list[int]]:
    """Peaks at midnight; the second week is better; each run has a little noise of its own."""
    hours = np.arange(WINDOWS) * 3 + 1.5
    wave = 1 + 0.4 * np.cos(2 * np.pi * (hours - case / 10) / 24)
    relevant = 40 * wave * np.where(hours < 7 * 24, 1.0, 1.3 + case / 100)
    whole = {"downloads": [3000] * WINDOWS, "sent": [300] * WINDOWS, "published": [40] * WINDOWS}
    return {**whole, "relevant": np.round(relevant).astype(int).tolist()}


def grown(hours: float) -> int:
    return 2 + int(hours / 18)


def windows(case: int) -> list[dict[str, Any]]:
    made = []
    for hours in np.arange(0, 14 * 24, 1.25).tolist():
        foragers = grown(hours)
        different = 0.93 + foragers / 400 + case / 1000
        shares = {f"WLRL-{n}": 0.65 / foragers for n in range(foragers)}
        counts = {"hours": hours, "foragers": foragers, "urls": 100, "pairs": 10}
        made.append({**counts, "boundary": 0.65, "different": different, "shares": shares, "decisions": shares})
    return made


def main_row(case: int, days: int = 14) -> Row:
    alive_at = [[hours, grown(hours)] for hours in range(days * 24)]
    heat = [[100.0 + n] * (days * 8) for n in range(20)]
    lags = [
        {"day": d, "documents": 100, "mean": 3 - min(d, 4) / (2 + case / 50), "median": 2.0, "within_1h": 0.4}
        for d in range(days)
    ]
    people = {
        "births": [[0.0, "a", ""]] * 20,
        "deaths": [],
        "alive": alive_at,
        "first": 2,
        "largest": 20,
        "last": 20,
        "kinds": {},
    }
    scores = {"lowest_score": 70.0, "highest_score": 199.0, "heat": heat, "heat_hours": 3.0}
    bend = (-1) ** case * (1 + case / 10)
    curve = [[float(h), 2000 + 100 * h + bend * (h / 24) ** 2, 100 * h] for h in range(3, days * 24 + 1, 3)]
    land = {"agent": "WLRL-0", "path": 1, "urls": ["a", "b"], "moves": [0, 1, 0], "links": [[0, 1]]}
    totals = {"downloaded": 1_090_074, "sent": 94_226, "relevant": 7_423, "window_hours": 3.0, "start": MONDAY}
    rates = {"sent_efficiency": 0.0788, "download_efficiency": 0.00681, "series": series(case)}
    return {
        "kind": "main",
        "case": case,
        "days": days,
        "articles": 300,
        "tally": {**totals, **rates},
        "lags": {"published": [{**day, "within_6h": 0.9} for day in lags]},
        "population": {**people, **scores},
        "division": {"windows": windows(case), "order": [f"WLRL-{n}" for n in range(20)], "window_hours": 1.25},
        "starts": {"curve": curve, "heat": [[5] * days for _ in range(4)], "seen": 30_000},
        "territory": {"land": land, **STEPS},
        "linked": {"into": degrees(2.1), "out_of": degrees(1.9)},
    }


def ground(distinct_a_day: float, returned: float, distinct: float, equally: float = 15.0) -> dict[str, float]:
    share = {"distinct_of_moves_a_day": distinct, "returned": returned, "distinct": distinct}
    return {**STEPS, "distinct_a_day": distinct_a_day, "distinct_in_equal_moves": equally, **share}


def people(born: int, died: int) -> dict[str, Any]:
    return {"births": [[0.0, "a", ""]] * born, "deaths": [[1.0, "a"]] * died, "last": born - died, "lowest_score": 1.0}


def contrasts() -> Iterator[Row]:
    tally = {"downloaded": 1000, "sent": 100, "relevant": 10, "download_efficiency": 0.01, "sent_efficiency": 0.1}
    for case, factor in product(range(8), FACTORS):
        row = {
            "kind": "sweep",
            "case": case,
            "factor": factor,
            "tally": tally,
            "population": people(8, FACTORS.index(factor)),
        }
        yield {**row, "days": 3, "territory": ground(50.0, 0.3 + case / 100, 0.8, 12.0 + factor + case / 10)}
    for case in range(8):
        row = {"kind": "trapped", "case": case, "tally": tally, "population": people(2, 0)}
        yield {**row, "days": 3, "territory": ground(20.0, 0.7, 0.3 + case / 50)}
    for case, site, name in product(range(8), ("poor", "rich", "recorded"), (DIVIDING, LIST_KEPT, COMMON_WEIGHTS)):
        better = (1.2 + case / 100) if name == DIVIDING and site != "rich" else 1.0
        found = [round(1000 * better)] * 16
        rates = {**tally, "series": {"relevant": found, "downloads": [1000] * 16}, "window_hours": 3.0}
        days = [{"day": 0, "documents": 10, "mean": (4.0 + (-1) ** case * len(name) * (1 + case) / 1000) / better}]
        row = {
            "kind": "division",
            "case": case,
            "site": site,
            "name": name,
            "tally": rates,
            "lags": {"published": days},
        }
        rest = {"days": 3, "territory": dict(STEPS)}
        yield {**row, **rest, "population": people(8, 0), "division": {"boundary": 0.7}}


def all_rows(days: int = 14) -> list[Row]:
    return [*(main_row(case, days) for case in range(6)), *contrasts()]


RULED = sorted(set(CLAIMS) - {1})  # which is about the site


@pytest.mark.parametrize("number", RULED)
def test_each_claim_holds_in_a_world_in_which_it_is_true_and_fails_in_its_broken_one(number: int) -> None:
    found = finding(CLAIMS[number], all_rows())
    assert found.ruling.holds is True, found.ruling
    assert found.broken is not None and found.broken.holds is False and found.able_to_fail


@pytest.mark.parametrize("number", RULED)
def test_a_broken_world_is_seen_even_where_the_claim_is_false_already(number: int) -> None:
    claim = CLAIMS[number]
    assert claim.broken is not None
    broken = claim.broken.rows(all_rows())
    found = finding(claim, broken)
    assert found.ruling.holds is False and found.able_to_fail


@pytest.mark.parametrize("number", [2, 3, 4, 7])
def test_what_speaks_of_weeks_is_not_tested_in_days(number: int) -> None:
    ruling = CLAIMS[number].test(all_rows(days=4))
    assert ruling.holds is None and "days" in ruling.sentence


def test_a_site_that_publishes_little_cannot_feed_twenty() -> None:
    rows = [{**main_row(case), "articles": 20} for case in range(6)]
    assert CLAIMS[4].test(rows).holds is None


def test_few_and_many_are_not_compared_where_nobody_multiplied() -> None:
    rows = [main_row(case) for case in range(6)]
    rows = [{**row, "population": {**row["population"], "alive": [[0.0, 2]]}} for row in rows]
    assert CLAIMS[5].test(rows).holds is None and CLAIMS[6].test(rows).holds is None


def test_one_poor_score_is_enough_against_claim_4() -> None:
    rows = [main_row(case) for case in range(6)]
    rows[3]["population"]["lowest_score"] = 59.0
    ruling = CLAIMS[4].test(rows)
    assert ruling.holds is False and "59.0" in ruling.statistic


def test_a_slice_may_take_a_score_a_tenth_beyond_its_limit_and_no_more() -> None:
    rows = [main_row(case) for case in range(6)]
    rows[3]["population"]["highest_score"] = 212.0
    assert CLAIMS[4].test(rows).holds is True
    rows[3]["population"]["highest_score"] = 221.0
    assert answers(CLAIMS[4].test(rows)) == {"growth": "holds", "scores": "does not hold"}


def test_each_half_of_claim_4_fails_by_itself_and_both_in_the_broken_world() -> None:
    rows = [main_row(case) for case in range(6)]
    broken = CLAIMS[4].broken.rows(rows) if CLAIMS[4].broken else []
    assert answers(CLAIMS[4].test(broken)) == {"growth": "does not hold", "scores": "does not hold"}
    small = [{**row, "population": {**row["population"], "last": 2}} for row in rows]
    ruling = CLAIMS[4].test(small)
    assert ruling.holds is False and answers(ruling) == {"growth": "does not hold", "scores": "holds"}


def answers(ruling: Ruling) -> dict[str, str]:
    return {name: part.word for name, part in ruling.lines()}


def discovering(power: float, case: int) -> Row:
    row = main_row(case)
    curve = [
        [h, 5000 + 2000 * max(h / 24 - 1, 0) ** power * (1 + case / 1000), 0] for h, _, _ in row["starts"]["curve"]
    ]
    return {**row, "starts": {**row["starts"], "curve": curve}}


@pytest.mark.parametrize(("power", "linear"), [(0.6, False), (0.8, False), (0.9, True), (1.0, True), (1.3, False)])
def test_discovery_is_linear_within_a_margin_only(power: float, linear: bool) -> None:
    rows = [discovering(power, case) for case in range(5)]
    assert discovery(rows[0]) == pytest.approx(power)
    assert CLAIMS[7].test(rows).holds is linear


def test_runs_that_disagree_are_not_taken_for_a_line() -> None:
    """Nothing is seen against it, and nothing for it."""
    ruling = CLAIMS[7].test([discovering(power, 0) for power in (0.6, 0.8, 1.0, 1.2, 1.4)])
    assert ruling.undecided and [*answers(ruling).values()] == ["undecided", "holds", "holds"]


def test_starting_points_that_become_rare_do_not_keep_coming() -> None:
    rows = [main_row(case) for case in range(6)]
    for row in rows:
        row["starts"]["heat"] = [[5] * 7 + [1] * 7 for _ in range(4)]
    ruling = CLAIMS[7].test(rows)
    assert ruling.holds is False and answers(ruling)["new starting points in the second week"] == "does not hold"


def test_more_urls_a_day_alone_are_no_larger_territory() -> None:
    rows = [*contrasts()]
    for row in rows:
        if row["kind"] == "sweep":
            row["territory"] = ground(50.0 * row["factor"], 0.3, 0.8, 15.0 + row["case"] / 10)
    ruling = CLAIMS[8].test(rows)
    assert ruling.holds is False and "distinct URLs in a day, whatever the moves, 50, 200, 800" in ruling.sentence


def test_fleets_in_which_nobody_lives_for_enough_moves_are_left_out() -> None:
    rows = [*contrasts()]
    for row in rows:
        if row["kind"] == "sweep" and row["case"] < 2 and row["factor"] == FACTORS[-1]:
            row["territory"]["distinct_in_equal_moves"] = None
    assert "n = 6" in CLAIMS[8].test(rows).statistic


def test_extinction_is_not_ruled_on_where_nobody_had_the_time_to_die() -> None:
    rows = [{**row, "population": people(8, 0)} for row in contrasts()]
    ruling = CLAIMS[8].test(rows)
    assert ruling.holds is None and "Nobody dies" in ruling.sentence


def test_dividing_must_win_against_both_others_and_lose_in_nothing() -> None:
    rows = [*contrasts()]
    assert against(rows, "poor", LIST_KEPT).holds and not against(rows, "rich", LIST_KEPT).holds
    for row in rows:
        if row["kind"] == "division" and row["name"] == COMMON_WEIGHTS:
            row["lags"] = {"published": [{"day": 0, "documents": 10, "mean": 1.0}]}
    assert against(rows, "poor", LIST_KEPT).holds and against(rows, "poor", COMMON_WEIGHTS).holds is False
    assert CLAIMS[10].test(rows).holds is False


def dividing(more: Sequence[float], sooner: Sequence[float]) -> Ruling:
    """By how much a fleet that divides finds more, and how much sooner."""
    rows: list[Row] = []
    for case, (gain, hours) in enumerate(zip(more, sooner, strict=True)):
        for name, found, mean in ((DIVIDING, 100 + gain, 9.0 - hours), (LIST_KEPT, 100.0, 9.0)):
            tally = {"series": {"relevant": [0, found], "downloads": [1, 1000]}, "window_hours": 24.0}
            row = {"kind": "division", "case": case, "site": "poor", "name": name, "tally": tally}
            rows.append({**row, "lags": {"published": [{"day": 0, "documents": 1, "mean": mean}]}})
    return against(rows, "poor", LIST_KEPT)


WINS, LOSES, SEEN_NEITHER = [1.0, 2.0, 3.0, 4.0, 5.0], [-1.0, -2.0, -3.0, -4.0, -5.0], [-2.0, 3.0, -1.0, 4.0, -3.5]


@pytest.mark.parametrize(
    ("more", "sooner", "word", "drawn"),
    [
        (WINS, SEEN_NEITHER, "holds", 3.0),
        (SEEN_NEITHER, WINS, "holds", 3.0),
        (WINS, LOSES, "does not hold", -3.0),
        (SEEN_NEITHER, LOSES, "does not hold", -3.0),
        (SEEN_NEITHER, SEEN_NEITHER, "undecided", 0.1),
        ([0.0] * 5, [0.0] * 5, "does not hold", 0.0),
        ([0.0] * 5, SEEN_NEITHER, "undecided", 0.0),
    ],
)
def test_a_tie_is_sure_only_where_no_interval_has_a_gain(
    more: list[float], sooner: list[float], word: str, drawn: float
) -> None:
    ruling = dividing(more, sooner)
    assert ruling.word == word and ruling.measured
    assert ruling.measured.mean == pytest.approx(drawn) and ruling.measured.wanted == (0.0, math.inf)


def test_dividing_on_few_cases_is_undecided() -> None:
    assert dividing(WINS[:4], WINS[:4]).undecided


def test_a_wave_is_none_where_it_is_surely_flat_and_undecided_where_runs_disagree() -> None:
    steady = has_wave([(hour, 0.3) for hour in (23.0, 0.0, 1.0, 23.5, 0.5)])
    assert steady.holds and steady.measured and steady.measured.low > 0.05
    assert has_wave([(hour, 0.3) for hour in (0.0, 9.0, 14.0, 20.0, 3.0)]).undecided
    assert has_wave([(hour, 0.02) for hour in (0.0, 9.0, 14.0, 20.0, 3.0)]).holds is False


@pytest.mark.parametrize(
    ("hours", "word"),
    [
        ([23.0, 0.0, 1.0, 23.5, 0.5], "holds"),
        ([11.0, 12.0, 13.0, 11.5, 12.5], "does not hold"),
        ([1.0, 6.0, 2.0, 7.0, 4.0], "undecided"),
        ([6.0, 6.5, 7.0, 5.5, 6.2], "does not hold"),
    ],
)
def test_the_hour_of_the_peak_may_be_undecided(hours: list[float], word: str) -> None:
    ruling = near_midnight(hours)
    assert ruling.word == word and ruling.measured and 0 <= ruling.measured.low <= ruling.measured.high <= 12


@pytest.mark.parametrize("runs", [5, 6])
def test_noise_has_no_wave(runs: int) -> None:
    broken = CLAIMS[3].broken
    assert broken
    found = answers(CLAIMS[3].test(broken.rows([main_row(case) for case in range(runs)])))
    assert [word for name, word in found.items() if "wave" in name] == ["does not hold"] * 2


def test_hours_that_agree_are_no_chance_and_scattered_ones_are() -> None:
    assert rayleigh([23, 0, 1, 23.5, 0.5, 0])[1] < 0.001
    length, p = rayleigh([0, 4, 8, 12, 16, 20])
    assert length == pytest.approx(0, abs=1e-9) and p > 0.9


def test_a_trend_is_a_rise_and_no_fall() -> None:
    assert trend([[1, 2, 3, 4]] * 5) < 0.01 < 0.9 < trend([[4, 3, 2, 1]] * 5)


def test_the_lag_of_some_days_weighs_documents() -> None:
    days = [{"day": 0, "documents": 1, "mean": 4.0}, {"day": 1, "documents": 3, "mean": 2.0}]
    row = {"lags": {"published": days}}
    assert lag(row, (0, 1)) == 2.5 and lag(row, (1,)) == 2.0 and math.isnan(lag(row, (7,)))


def test_foragers_alive_are_counted_by_births_and_deaths() -> None:
    row = {"population": {"alive": [[0.0, 1], [0.0, 2], [5.0, 3], [9.0, 2]]}}
    assert [alive(row, hours) for hours in (0, 4.9, 5, 20)] == [2, 2, 3, 2]


def test_scores_at_the_end_of_windows_are_counted_whoever_has_them() -> None:
    rows = [{"population": {"heat": [[None, 100.0], [50.0, 60.0], [200.0, None]]}}]
    assert within_scores(rows) == 0.75


def test_the_profit_of_the_papers_first_figure_is_ours() -> None:
    assert profit_of_figure_1() == 98


def test_scores_are_conserved_as_in_the_paper() -> None:
    row = main_row(0)
    row["population"]["last"] = 22
    assert conserved(row)[0] == pytest.approx(132.35, abs=0.01)


def test_tables_and_figures_can_be_made_of_rows_alone() -> None:
    rows = all_rows()
    assert [len(table.lines) for table in EXPERIMENT.tables(rows)] == [16, 6, 12, 6, 14, 6, 4, 2, 9]
    assert all(figure.svg().startswith("<svg") for figure in EXPERIMENT.figures(rows))
    assert len(EXPERIMENT.figures(rows)) == 16


def test_curves_of_several_runs_have_their_interval() -> None:
    made = {figure.title: [mark.kind for mark in figure.marks] for figure in EXPERIMENT.figures(all_rows())}
    curves = ("Rewarded to", "Size of the fleet", "Addresses discovered", "From publication to finding")
    drawn = [kinds for title, kinds in made.items() if title.startswith(curves)]
    assert drawn == [["line", "band"]] * 5
    assert [kinds for title, kinds in made.items() if title.endswith("and cost")] == [["points", "line", "band"]] * 2


def test_what_is_not_the_papers_is_said() -> None:
    told = " ".join(scaled(Form()))
    assert "calibrated" in told and "is divided by" in told and "PrTFIDF" in told
    assert "All parameters" not in EXPERIMENT.about


@pytest.mark.parametrize("quick", [True, False])
def test_no_setting_is_there_twice_and_what_is_paired_is_the_same_site(quick: bool, tmp_path: Path) -> None:
    (tmp_path / "news").mkdir()
    (tmp_path / "news-small").mkdir()
    made = settings(Form(quick, tmp_path))
    assert len({repr(setting) for setting in made}) == len(made) > len(settings(Form(quick)))
    for kind in ("sweep", "trapped"):
        sites = {(s["case"], s["web"], s["repeat"]) for s in made if s["kind"] == kind}
        assert len(sites) == (5 if quick else 6)
    assert {s["days"] for s in made if s["kind"] == "main"} == {14}
    assert all(s["web"].endswith(f",{SPARE}") for s in made if s["web"].startswith("synthetic:"))
    assert all(s["fleet"]["slice"] == pytest.approx(s["latency"] * 180 / 1.1) for s in made)
    assert any("recorded news" in sentence for sentence in scaled(Form(quick)))
    assert scaled(Form(quick))[-1].startswith("No recorded news")
    assert "60 s a download (1,440 a day)" in scaled(Form(quick, tmp_path))[-1]
    assert any(f"{12 if quick else 72} for each article" in sentence for sentence in scaled(Form(quick)))


def smaller(setting: Setting) -> Setting:
    web = setting["web"].replace("pages=3000,topics=64", "pages=1000,topics=8")
    return {**setting, "web": web, "days": 1.2 if setting["kind"] == "main" else 0.1, "latency": 120.0}


@pytest.mark.slow
def test_a_very_small_form_runs_to_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOLFSPIDER_CACHE", str(tmp_path / "cache"))
    chosen = [smaller(setting) for setting in settings(Form(quick=True)) if setting["case"] == 0]
    made = reproduce(replace(EXPERIMENT, settings=lambda form: chosen), tmp_path, Form(quick=True), jobs=1)
    assert len(made.rows) == len(chosen) and (tmp_path / "index.html").is_file()
    assert all(found.able_to_fail for found in made.findings)
    incoming = told_lines(made.findings[0].ruling)[0]
    assert "undecided: incoming: mean -" in incoming  # degrees are there after a day


def test_the_slopes_of_the_site_are_told_and_not_ruled_on() -> None:
    ruling = CLAIMS[1].test(all_rows())
    assert ruling.word == "not testable" and "calibration" in ruling.sentence and "hold" not in ruling.sentence
    found = dict(ruling.others)["as a ruling"]
    assert len(found.parts) == 2 and all("mean slope" in part.statistic for _, part in found.lines())


def test_the_pace_stands_beside_every_ruling() -> None:
    rows = all_rows()
    for claim in EXPERIMENT.claims:
        sentence = claim.test(rows).sentence
        assert "downloads a step (3.15)" in sentence and "steps a slice (51)" in sentence
