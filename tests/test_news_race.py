"""The news race: the light pages of its site are those that are printed, and its racers do what they should."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture
def race(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("news_race")


@pytest.fixture
def rows(race):
    return {
        (racer, task): race.raced(race.Run("site", 1, task, racer, 40.0, 1.5, 120))
        for racer, task in (
            ("omniscient", race.GIVEN),
            ("newshound", race.DISCOVERED),
            ("round-robin", race.DISCOVERED),
        )
    }


def test_light_pages_have_the_links_and_the_days_of_printed_ones(race):
    light, whole = (race.synthetic_site(1, 2, 120, light) for light in (True, False))
    now = light.start + 86_400
    for url in (*light.lists[:25], *(item.url for item in light.items[-60:-40])):
        short, printed = light.looks.look(url, now).page, whole.looks.look(url, now).page
        assert (short is None) == (printed is None)
        if short and printed:
            assert [link.url for link in short.links] == list(dict.fromkeys(link.url for link in printed.links))
            assert (short.published is None) == (printed.published is None)


def test_racers_keep_to_their_looks_and_come_in_as_they_should(race, rows):
    for row in rows.values():
        assert row["items"] > 0 and 0 <= row["value"] <= 1 and row["looks"] <= 40 * 36 + 1
    values = [row["value"] for row in rows.values()]
    assert values == sorted(values, reverse=True)  # who knows everything, the newshound, and who looks at all in turn
    text = race.table(list(rows.values()))
    assert "| newshound | 1 |" in text and "| omniscient | 1 |" in text
    assert set(race.racers()) >= {"WL", "index", "newshound"}


def test_recorded_sites_are_raced_where_they_lie(race, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(race, "_made", lambda web, *others: web)
    recorded, site = (
        race.Run("news", 0, race.GIVEN, "index", 1.0, 7.0, 0),
        race.Run("site", 1, race.GIVEN, "index", 25.0, 1, 9),
    )
    assert race._site(recorded, True, tmp_path / "news") == str(tmp_path / "news")
    assert race._site(site, True, tmp_path / "news") == "site"


def test_foragers_need_no_web_of_the_name_that_a_recorded_one_has(race):
    for racer in race.FLEETS:
        strategy = race._strategy(race.Run("news", 0, race.GIVEN, racer, 1.0, 7.0, 0), None)
        assert strategy.params.fleet == racer and strategy.params.model == "default"


def test_weeks_are_the_cases_of_a_recorded_site(race):
    def row(racer: str, *weeks: tuple[int, float]) -> dict[str, Any]:
        items, value = (sum(part) for part in zip(*weeks, strict=True))
        run = race.Run("news", 0, race.GIVEN, racer, 1.0, 14.0, 0)._asdict()
        lags = {"in time": 1.0, "mean lag": 1.0, "median lag": 1.0}
        about = {"items": items, "downloads": items, "value": value / items, "weeks": dict(enumerate(weeks))}
        return {"run": run} | lags | about

    text = race.table([row("newshound", (8, 8.0), (2, 1.0)), row("index", (8, 4.0), (2, 0.5))])
    assert "| racer | weeks |" in text
    assert "| newshound | 2 | 1.000 | 1.00 | 1.00 | 0.900 (0.500 to 1.000) |" in text
    assert "+0.375 (2 of 2, p 0.500)" in text
    reported = race.table([row("newshound", (8, 8.0), (2, 1.0))], "report")
    assert "| newshound | 1 | 1.000 | 1.00 | 1.00 | 0.500 |" in reported


def test_every_item_counts_in_its_week(race, rows):
    for row in rows.values():
        counts, values = zip(*row["weeks"].values(), strict=True)
        assert sum(counts) == row["items"] and sum(values) / row["items"] == pytest.approx(row["value"])
