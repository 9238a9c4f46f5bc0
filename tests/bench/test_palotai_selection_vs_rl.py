"""Selection against reinforcement: rulings on rows that are made up, and the whole of it on a web that is tiny."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as settings_for_tests
from hypothesis import strategies as st

from wolfspider.bench.experiment import Both, Form, Reproduction, Row, Rows, finding
from wolfspider.bench.papers.palotai_selection_vs_rl import EXPERIMENT, link_claims, scaled
from wolfspider.bench.papers.palotai_selection_vs_rl.cells import FULL, ORDERS, QUICK, Size, settings, settings_of
from wolfspider.bench.papers.palotai_selection_vs_rl.claims import CLAIMS, change, fleet_sizes
from wolfspider.bench.papers.palotai_selection_vs_rl.fleet_pairs import EFFICIENCY, relative, same
from wolfspider.bench.papers.palotai_selection_vs_rl.link_claims import no_small_world
from wolfspider.bench.papers.palotai_selection_vs_rl.report import figures, tables, within
from wolfspider.bench.run.reproduce import reproduce
from wolfspider.bench.run.result_cache import digest_of

WEBS, REPEATS, WINDOWS = 3, 3, 145
NEWS = [40 + window % 7 for window in range(WINDOWS)]
TINY = Size(1, 5, 1, 5, 2, 90.0, 60, "news", 1, 1, around="pages=1000,topics=8")


WALKED = {
    "moves": 40_000,
    "paths": 1_600,
    "slices": 8_000,
    "births": [[0.0, f"a-{number}", ""] for number in range(20)],
}


def degrees(gamma: float, seed: int) -> dict[str, Any]:
    """Of a web that has a power law."""
    values, counts = np.unique(np.random.default_rng(seed).zipf(gamma, 4000), return_counts=True)
    fits = {"raw": 1.3, "binned": 1.7, "mle": gamma, "kmin": 1, "tail": 4000, "distance": 0.01, "low": 2.0, "high": 2.6}
    exponents = {**fits, "mean": 3.0, "largest": 400, "zeros": 0}
    return {"exponents": exponents, "values": values.tolist(), "counts": counts.tolist()}


def shape(clustering: float, distance: float, seed: int) -> dict[str, Any]:
    far = {"mean": distance, "reachable": 0.9, "effective": 9.0, "largest": 15}
    way = {"into": degrees(2.5, seed), "out_of": degrees(2.2, seed + 100)}
    near = dict.fromkeys(("paired", "all", "along"), clustering)
    return {"links": 9000, **way, "clustering": near, "directed": far, "undirected": far}


def links(web: int) -> Row:
    before, after = shape(0.02, 7.3, web), shape(0.002, 8.2, web)
    webs = {"clustered": before, "rewired": after, "shuffled": after, "gathered": before, "gathered, shuffled": after}
    counts = {"pages": 1000, "contents": 3000, "published": NEWS}
    return {"study": "graph", "type": "links", "web_seed": web, **counts, **webs}


def fleet(study: str, kind: str, web: int, repeat: int, **figure: float) -> Row:
    """It grows from 2 foragers to 16. What RL earns has a peak each day."""
    noise = 1 + 0.004 * (repeat - 2) + 0.002 * web
    earned = [
        10 + 0.01 * window + (40 + repeat if kind == "RL" and window % 8 == 5 else 0) for window in range(WINDOWS)
    ]
    tally = {
        "window_hours": 3.0,
        "downloaded": 1000 * WINDOWS,
        "sent": 9000,
        "relevant": 2000,
        "undated": 500,
        "seen": 30000,
        "fetched": 20000,
        "download_efficiency": figure.get("efficiency", 0.0045) * noise,
        "sent_efficiency": figure.get("sent", 0.3) * noise,
        "relative_found_url": figure.get("found", 0.05) * noise,
        "relative_fetched_url": 0.03,
        "series": {"downloads": [1000] * WINDOWS, "relevant": earned},
    }
    alive = [[0.0, 1], [0.0, 2], *([24.0 * (size - 1), size] for size in range(3, 17))]
    samples = [[3.0 * place, 100, 0.7, 1.5] for place in range(1, 10)]
    freshness = {"freshness": figure.get("fresh", 0.7) * noise, "age_hours": figure.get("age", 1.6) * noise}
    return {
        "study": study,
        "type": kind,
        "web_seed": web,
        "repeat": repeat,
        "tally": tally,
        "freshness": {**freshness, "samples": samples},
        "population": {"alive": alive, "heat": [[100.0] * WINDOWS], "heat_hours": 3.0, **WALKED},
        "downloads": 1000 * WINDOWS,
        "days": 18,
    }


def as_in_the_paper() -> list[Row]:
    pairs = [(web, repeat) for web in range(1, WEBS + 1) for repeat in range(1, REPEATS + 1)]
    rows = [links(web) for web in range(1, WEBS + 1)]
    for pair in pairs:
        rows += [
            fleet("clustered", "WL", *pair, efficiency=0.0046, sent=0.49, found=0.05, fresh=0.74, age=1.56),
            fleet("clustered", "RL", *pair, efficiency=0.0045, sent=0.248, found=0.058, fresh=0.70, age=1.79),
            fleet("clustered", "WLRL", *pair, efficiency=0.006),
            fleet("rewired", "WL", *pair, efficiency=0.004),
            fleet("rewired", "RL", *pair, efficiency=0.005),
            *(fleet("order", order, *pair) for order in ORDERS),
        ]
    return [
        *rows,
        *(fleet(study, kind, 1, 1) for study, kind in (("diverse", "RL"), ("common", "WL"), ("content", "RL"))),
    ]


@pytest.fixture(scope="module")
def paper() -> list[Row]:
    return as_in_the_paper()


RULED = [claim for claim in CLAIMS if claim.number != 2]  # which is about the site


@pytest.mark.parametrize("claim", RULED, ids=lambda claim: str(claim.number))
def test_each_claim_holds_in_the_world_of_the_paper_and_not_in_its_broken_variant(claim: Any, paper: list[Row]) -> None:
    found = finding(claim, paper)
    assert found.ruling.holds, found.ruling
    assert found.broken is not None
    assert found.broken.holds is False, found.broken


def exchanged(rows: Rows) -> list[Row]:
    """WL and RL have each other's rows."""
    other = {"WL": "RL", "RL": "WL"}
    return [{**row, "type": other.get(row["type"], row["type"])} for row in rows]


def test_in_the_opposite_world_they_do_not_hold_and_every_test_can_still_fail(paper: list[Row]) -> None:
    findings = [finding(claim, exchanged(paper)) for claim in CLAIMS]
    assert all(found.able_to_fail for found in findings)
    assert [found.claim.number for found in findings if found.ruling.holds is False] == [4, 5, 6, 7, 10]


@settings_for_tests(max_examples=20, deadline=None)
@given(st.lists(st.floats(0.001, 0.01), min_size=36, max_size=36))
def test_broken_variants_fail_whatever_the_figures_are(values: list[float]) -> None:
    given = iter(values)
    pairs = [(web, repeat) for web in range(1, 4) for repeat in range(1, 4)]
    kinds = [(study, kind) for study in ("clustered", "rewired") for kind in ("WL", "RL")]
    rows = [
        fleet(study, kind, *pair, efficiency=(value := next(given)), sent=value, found=value, fresh=value, age=value)
        for study, kind in kinds
        for pair in pairs
    ]
    for claim in CLAIMS:
        if claim.number in (3, 4, 5, 6, 8, 10):
            assert finding(claim, rows).able_to_fail


def test_about_the_same_wants_an_interval_within_the_margin() -> None:
    assert same(np.array([0.01, -0.02, 0.0, 0.02, -0.01])).holds
    assert same(np.array([0.2, -0.2, 0.1, -0.1, 0.0])).undecided  # no difference is seen; nor is it excluded
    assert same(np.full(9, 0.2) + np.arange(9) * 1e-4).holds is False
    assert same(np.array([0.0, 0.01])).holds is None


def test_relative_differences_are_shares_of_the_mean_of_both() -> None:
    rows = [fleet("order", "fixed", 0, 2, efficiency=0.03), fleet("order", "random", 0, 2, efficiency=0.01)]
    assert relative(rows, "order", ("fixed", "random"), EFFICIENCY) == pytest.approx([1.0])
    assert relative(rows[:1], "order", ("fixed", "random"), EFFICIENCY).size == 0


def test_the_size_of_a_fleet_is_its_mean_over_each_window() -> None:
    row = fleet("clustered", "WL", 1, 1)
    row["population"] = {"alive": [[0.0, 2], [4.5, 4]]}
    assert fleet_sizes(row)[:4] == [2, 3, 4, 4]


def test_a_fleet_that_does_not_grow_has_no_change() -> None:
    row = fleet("clustered", "WL", 1, 1)
    assert change(row, NEWS) > 0
    assert np.isnan(change({**row, "population": {"alive": [[0.0, 2]]}}, NEWS))
    assert np.isnan(change(row, []))


def efficient(values: Sequence[float]) -> Row:
    """A growing fleet with this efficiency in each window."""
    row = fleet("clustered", "WL", 1, 1)
    series = {"downloads": [1000] * WINDOWS, "relevant": [1000 * value for value in values]}
    return {**row, "tally": {**row["tally"], "series": series}}


def test_the_change_with_the_size_is_not_taken_for_that_with_the_news() -> None:
    week = [50 - 30 * (window // 8 % 7 in (5, 6)) - window / 8 for window in range(WINDOWS)]
    assert change(efficient([0.001 * count for count in week]), week) == pytest.approx(0, abs=1e-9)
    sizes = [*fleet_sizes(efficient(week)), 16.0]
    falling = [0.05 - 0.001 * size + 0.0001 * count for size, count in zip(sizes, week, strict=True)]
    first, last = (0.05 - 0.001 * size + 0.0001 * np.mean(week[8:-1]) for size in (sizes[8], sizes[-2]))
    assert change(efficient(falling), week) == pytest.approx((last - first) / ((last + first) / 2))


def test_a_fall_that_is_merely_not_significant_is_a_fall_that_may_be(paper: list[Row]) -> None:
    rng = np.random.default_rng(0)
    noisy = [
        {**row, "tally": efficient(0.02 - 0.0001 * np.arange(WINDOWS) * rng.uniform(-0.2, 1.0))["tally"]}
        if row["study"] == "clustered"
        else row
        for row in paper
    ]
    (claim,) = (claim for claim in CLAIMS if claim.number == 9)
    assert finding(claim, noisy).ruling.holds is False


def test_rewiring_is_ruled_on_as_in_the_paper_and_the_one_that_keeps_time_is_told(paper: list[Row]) -> None:
    clustered = [{**row, "rewired": shape(0.01, 7.3, 1)} if row["study"] == "graph" else row for row in paper]
    ruling = no_small_world(clustered)
    assert ruling.holds
    assert "rewired in time: 2.00, 2.00, 2.00" in ruling.statistic
    unshuffled = [{**row, "gathered, shuffled": row["gathered"]} if row["study"] == "graph" else row for row in paper]
    assert no_small_world(unshuffled).holds is False


def test_a_slice_of_the_paper_has_51_steps_or_70_downloads(paper: list[Row]) -> None:
    (pace,) = (table for table in tables(paper) if table.title == "Steps and paths")
    beside = {line[0]: line[1] for line in pace.lines}
    assert beside["steps in a slice"] == Both(5.0, pytest.approx(51.4, abs=0.1))
    assert beside["downloads in a slice"] == Both(pytest.approx(18.1, abs=0.1), pytest.approx(70))
    assert beside["paths of a forager"] == Both(80.0, pytest.approx(277.7, abs=0.1))
    assert "about 51 steps or 70 downloads" in " ".join(scaled(Form()))


def test_the_deviation_is_that_between_runs_on_the_same_web() -> None:
    rows: Sequence[Row] = [{"web_seed": web, "value": value} for web, value in ((1, 1), (1, 3), (2, 11), (2, 13))]

    def figure(row: Row) -> float:
        return float(row["value"])

    assert within(rows, figure) == pytest.approx(2**0.5)
    assert within(rows[:1], figure) is None


def test_tables_stand_beside_the_papers_numbers(paper: list[Row]) -> None:
    first, *_ = made = tables(paper)
    assert [len(table.lines) for table in made] == [12, 12, 7, 11, 18, 6, 3]
    assert first.doubled == [False, True, True, True, True, False, False]
    assert [drawing.title for drawing in figures(paper)][2] == "Download efficiency"
    assert len(figures(paper)) == 7


def test_fleets_that_do_both_stand_beside_the_others(paper: list[Row]) -> None:
    first, *_ = made = tables(paper)
    (efficiency,) = (line for line in first.lines if line[0] == "download efficiency, %")
    assert first.columns[-2] == "WLRL" and efficiency[-2] == pytest.approx(0.6, rel=0.01)
    (pace,) = (table for table in made if table.title == "Steps and paths")
    assert pace.columns == ("figure", "RL", "WL", "WLRL")


def test_curves_are_means_of_all_fleets_of_a_type_with_their_interval(paper: list[Row]) -> None:
    *_, efficient, fresh, age, size, rewired = figures(paper)
    for drawing in (efficient, fresh, age, size):
        assert [mark.kind for mark in drawing.marks] == ["line", "band"] * 3
        assert [mark.label for mark in drawing.marks if mark.label] == [
            f"{kind}, 9 fleets" for kind in ("RL", "WL", "WLRL")
        ]
    assert [mark.kind for mark in rewired.marks] == ["line", "band"] * 2


def test_scale_free_is_ruled_on_what_was_gathered(paper: list[Row]) -> None:
    """Other links decide nothing, and are told."""
    steep = [
        {**row, "clustered": CLAIMS[0].broken.rows([row])[0]["gathered"]} if row["study"] == "graph" else row
        for row in paper
    ]
    ruling = CLAIMS[0].test(steep)
    assert ruling.holds and dict(ruling.others)["among addresses with all their links"].holds is False


def test_a_long_tail_that_neither_law_fits_better_is_undecided(
    paper: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {}
    for z in (1.0, -1.0, 2.0, -2.0):
        monkeypatch.setattr(link_claims, "_vuong", lambda values, counts, gamma, z=z: z)
        answers[z] = CLAIMS[0].test(paper).word
    assert answers == {1.0: "undecided", -1.0: "undecided", 2.0: "holds", -2.0: "does not hold"}


@pytest.mark.parametrize("form", [Form(quick=True), Form()], ids=["quick", "full"])
def test_settings_differ_and_are_paired(form: Form) -> None:
    found = settings(form)
    assert len({digest_of(dict(setting)) for setting in found}) == len(found)
    pairs: dict[tuple[str, str], set[tuple[int, int]]] = {}
    for setting in found:
        pairs.setdefault((setting["study"], setting["type"]), set()).add(
            (setting["web_seed"], setting.get("repeat", 0))
        )
    enough = 5 if form.quick else 9
    for study in ("clustered", "rewired"):
        assert pairs[study, "WL"] == pairs[study, "RL"]
        assert len(pairs[study, "WL"]) >= enough
    assert len({frozenset(pairs["order", order]) for order in ORDERS}) == 1
    assert len(pairs["order", "fixed"]) == (5 if form.quick else 6)
    assert pairs["diverse", "RL"] == pairs["common", "WL"] == pairs["content", "WL"] == pairs["content", "RL"]
    assert pairs["diverse", "RL"] <= pairs["clustered", "RL"]
    assert form.quick or len(pairs["diverse", "RL"]) >= 3


def test_the_corpus_is_run_where_it_is(tiny: str) -> None:
    found = [setting for setting in settings_of(QUICK, Path(tiny)) if setting["study"] == "corpus"]
    assert Counter(setting["type"] for setting in found) == {"WL": 2, "RL": 2}
    assert found[0]["start"] == 1_577_836_800.0  # when the recording begins
    assert not [setting for setting in settings_of(QUICK, None) if setting["study"] == "corpus"]
    assert "not at hand" in scaled(Form())[-1]


def test_the_full_form_keeps_the_days_and_the_downloads_for_each_piece_of_news() -> None:
    assert FULL.days == 18
    for size in (FULL, QUICK):
        assert size.downloads / size.articles == pytest.approx(33_600 / 1_200, rel=0.02)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WOLFSPIDER_CACHE", str(tmp_path_factory.mktemp("cache")))
        tiny = replace(EXPERIMENT, settings=lambda form: settings_of(TINY, None))
        return reproduce(tiny, tmp_path_factory.mktemp("out"), Form(quick=True), jobs=1)


@pytest.mark.slow
def test_all_of_it_runs(done: Reproduction) -> None:
    assert len(done.rows) == 1 + 20 + 5 + 4 + 15
    downloads = {row["downloads"] for row in done.rows if row["study"] != "graph"}
    assert len(downloads) == 1 and 600 < min(downloads) < 1920  # from when the starts were there to the end
    assert all(row["tally"]["relevant"] > 0 for row in done.rows if row["study"] != "graph")
    assert done.sound
    assert len(done.tables) == 7
    assert all("<svg" in drawing.svg() for drawing in done.figures)


def test_what_is_about_the_site_is_told_and_not_ruled_on(paper: list[Row]) -> None:
    ruling = CLAIMS[1].test(paper)
    assert ruling.word == "not testable" and "calibration" in ruling.sentence and "hold" not in ruling.sentence
    found = dict(ruling.others)["as a ruling"]
    assert len(found.parts) == 3 and all("quotients" in part.statistic for _, part in found.lines())


def test_what_is_not_the_papers_is_said() -> None:
    told = " ".join(scaled(Form()))
    assert "calibrated" in told and "is divided by" in told and "PrTFIDF" in told and "all other parameters" not in told


def test_doing_both_must_be_better_than_either(paper: list[Row]) -> None:
    rows = [
        {**row, "tally": {**row["tally"], "download_efficiency": 0.0046}} if row["type"] == "WLRL" else row
        for row in paper
    ]
    assert CLAIMS[11].test(rows).holds is not True
    assert CLAIMS[11].test([row for row in paper if row["type"] != "WLRL"]).word == "not testable"


def test_the_pace_stands_beside_every_ruling(paper: list[Row]) -> None:
    for claim in EXPERIMENT.claims:
        assert "downloads a step (1.4)" in claim.test(paper).sentence


def test_the_pace_is_that_of_the_fleets_of_the_claim(paper: list[Row]) -> None:
    slower = [{**row, "downloads": 2 * row["downloads"]} if row.get("study") == "rewired" else row for row in paper]
    by_number = {claim.number: claim.test(slower).sentence for claim in EXPERIMENT.claims}
    assert "WL: 3.62 downloads a step" in by_number[3] and "WLRL: 3.62" in by_number[12]
    assert "on the rewired web" in by_number[10] and "RL: 7.25 downloads a step" in by_number[10]
    assert "by order" in by_number[11] and "alternating: 3.62 downloads" in by_number[11]
