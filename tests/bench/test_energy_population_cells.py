"""What is run, and what is measured of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wolfspider.bench.experiment import Form, Row
from wolfspider.bench.papers.energy_population.cells import (
    AGENTS,
    BUFFER,
    CORRECTED,
    CRAWLERS,
    DEADLY,
    EXPLODES,
    FIG_4,
    FREE,
    HIGH,
    LB,
    LOW,
    MATCHED,
    MIDDLE,
    PRINTED,
    TWENTIETH,
    UB,
    UNBOUND,
    Ground,
    keeping,
    measured,
    starts_of,
    task_of,
)
from wolfspider.bench.papers.energy_population.page_meter import CURVES, last_precision, precision
from wolfspider.bench.papers.energy_population.scales import corpora, settings
from wolfspider.learn.balance import STEEPEST

WEB = "synthetic:pages=2000,topics=8,seeds=relevant,seed=77"
BUDGET = 300


def setting(crawler: str, revisit: float = PRINTED, **more: Any) -> dict[str, Any]:
    where = {"study": "figures", "web": WEB, "run": 0, "place": 0, "starts": 3, "strategy": "energy"}
    return {**where, "budget": BUDGET, "crawler": crawler, "revisit": revisit, **more}


def run(crawler: str, revisit: float = PRINTED, **more: Any) -> Row:
    row = measured(setting(crawler, revisit, **more))
    json.dumps(row, allow_nan=False)
    return row


@pytest.mark.parametrize("quick", [True, False])
def test_settings_are_plain_and_all_different(quick: bool) -> None:
    found = settings(Form(quick))
    texts = [json.dumps(one, sort_keys=True) for one in found]
    assert [json.loads(text) for text in texts] == found
    assert len(set(texts)) == len(texts)
    assert {one["crawler"] for one in found} == set(CRAWLERS)


@pytest.mark.parametrize("quick", [True, False])
def test_every_crawler_has_five_runs_or_more_each_on_a_web_of_its_own(quick: bool) -> None:
    for crawler in CRAWLERS:
        for study in ("figures", "exhausted", "rates"):
            mine = [one for one in settings(Form(quick)) if (one["crawler"], one["study"]) == (crawler, study)]
            webs = {one["web"] for one in mine if one["revisit"] == PRINTED}
            assert not mine or len(webs) >= 5
    assert {one["starts"] for one in settings(Form(quick))} == {1, 2, 3}


def test_the_full_form_has_as_many_downloads_as_the_paper() -> None:
    assert {one["budget"] for one in settings(Form()) if one["study"] == "figures"} == {25_000}


def test_corpora_that_are_not_there_are_left_out(tmp_path: Path) -> None:
    assert settings(Form(True, tmp_path)) == settings(Form(True))
    assert corpora(Form(True)) == []


def test_curves_are_of_one_length_and_end_with_the_crawl() -> None:
    row = run(FIG_4)
    assert row["downloads"] == BUDGET and row["reason"] == "budget"
    assert row["at"] == [6 * step for step in range(1, 51)]
    for name in ("population", "precision", "truth", *CURVES):
        assert len(row[name]) == len(row["at"])
    assert all(0 <= share <= 1 for name in ("precision", "truth") for share in row[name])
    assert row["precision"][-1] > 0 and row["truth"][-1] > 0
    assert row["largest"] >= max(row["population"])
    assert 0 < row["border"] < 1 and 0 < row["rewarded"] < 0.5
    assert row["threshold"][-1] > 0 and row["slope"][-1] > 0
    assert row["moves"] == sorted(row["moves"]) and row["moves"][-1] > 0


def test_the_same_cell_finds_the_same() -> None:
    assert run(BUFFER) == run(BUFFER)


def test_gains_are_multiples_of_the_one_that_balances() -> None:
    low, middle, high = (run(crawler) for crawler in (LOW, MIDDLE, HIGH))
    assert low["gain"] == pytest.approx(middle["gain"] / 4) and high["gain"] == pytest.approx(4 * middle["gain"])
    assert low["drift"] < middle["drift"] < high["drift"]
    assert run(MATCHED)["gain"] * run(FIG_4)["mean_relevance"] == pytest.approx(0.5)
    assert middle["extinct"] is None and middle["largest"] < EXPLODES
    assert low["population"][-1] < middle["population"][-1] < high["population"][-1]


def test_where_everybody_dies_curves_end_with_nobody() -> None:
    row = run(LOW, CORRECTED)
    assert row["reason"] == "done" and row["extinct"] is not None
    assert row["downloads"] < BUDGET and row["at"][-1] == row["downloads"]
    assert row["population"][-1] == row["in_agents"][-1] == 0 and row["smallest"] == 0
    assert row["population"][0] > 0


def test_the_buffer_keeps_its_bounds_and_one_without_does_not() -> None:
    kept, free = run(BUFFER), run(UNBOUND)
    assert kept["smallest"] >= LB and kept["largest"] <= UB + 30
    assert free["largest"] > UB + 30


def test_all_crawlers_of_a_ground_start_alike() -> None:
    rows = [run(crawler) for crawler in (FREE, FIG_4, DEADLY)]
    assert len({row["border"] for row in rows}) == 1
    assert all(row["largest"] >= AGENTS for row in rows)


def test_agents_die_of_bad_pages_where_c_is_above_one_and_hardly_where_it_is_small() -> None:
    deadly, mild = (run(crawler, study="rates", fixed=False) for crawler in (DEADLY, TWENTIETH))
    assert deadly["low_visits"] > 50 and deadly["low_deaths"] > 0.9 * deadly["low_visits"]
    assert mild["low_deaths"] < 0.5 * mild["low_visits"]
    assert mild["high_visits"] > 0 and 8 <= mild["clones"] / mild["high_visits"] <= 12


def test_with_a_threshold_of_nought_every_page_gives() -> None:
    row = run(TWENTIETH, study="rates", fixed=True)
    assert row["rewarded"] == 1.0 and row["low_deaths"] == 0
    assert set(row["threshold"]) == {0.0} and row["slope"][-1] == STEEPEST


def test_precision_so_far_and_in_the_last_tenth_by_hand() -> None:
    found = [1, 1, 0, 1, 0, 0, 0, 0, 0, 0] * 2
    assert precision(found, [2, 4, 10, 20]) == [1.0, 0.75, 0.3, 0.3]
    assert last_precision(found) == 0.0 and last_precision([0] * 18 + [1, 0]) == 0.5
    assert last_precision([]) is None


def test_recorded_webs_are_begun_on_relevant_pages_with_links() -> None:
    """Here on a synthetic one, which begins elsewhere."""
    ground = Ground(WEB.replace("seeds=relevant", "seeds=cold"), 0, 3, BUDGET, PRINTED, relevant=True)
    starts, task = starts_of(ground), task_of(ground)
    assert len(set(starts)) == 3 and set(starts) <= set(task.relevant)
    pages = [keeping(ground.web).look(url, 0.0).page for url in starts]
    assert all(page is not None and page.links for page in pages)
    assert starts_of(ground) == starts and starts_of(ground._replace(relevant=False)) == task.seeds[:3]
