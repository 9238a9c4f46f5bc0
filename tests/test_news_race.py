"""The news race: the light pages of its site are those that are printed, and its racers do what they should."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from news_race import DISCOVERED, GIVEN, OMNISCIENT, Run, raced, racers, table
from race_webs import DAY, synthetic_site


@pytest.fixture(scope="module")
def rows():
    return {
        (racer, task): raced(Run("site", 1, task, racer, 40.0, 1.5, 120))
        for racer, task in ((OMNISCIENT, GIVEN), ("newshound", DISCOVERED), ("round-robin", DISCOVERED))
    }


def test_light_pages_have_the_links_and_the_days_of_printed_ones():
    light, whole = (synthetic_site(1, 2, 120, light) for light in (True, False))
    now = light.start + DAY
    for url in (*light.lists[:25], *(item.url for item in light.items[-60:-40])):
        short, printed = light.looks.look(url, now).page, whole.looks.look(url, now).page
        assert (short is None) == (printed is None)
        if short and printed:
            assert [link.url for link in short.links] == list(dict.fromkeys(link.url for link in printed.links))
            assert (short.published is None) == (printed.published is None)


def test_nobody_finds_more_than_there_is_or_looks_more_often_than_allowed(rows):
    for row in rows.values():
        assert row["items"] > 0 and 0 <= row["value"] <= 1
        assert row["looks"] <= 40 * 36 + 1


def test_who_knows_everything_is_ahead_and_round_robin_is_not(rows):
    assert rows[OMNISCIENT, GIVEN]["value"] > rows["newshound", DISCOVERED]["value"]
    assert rows["newshound", DISCOVERED]["value"] > rows["round-robin", DISCOVERED]["value"]


def test_the_table_has_every_racer(rows):
    text = table(list(rows.values()))
    assert "| newshound | 1 |" in text and "| omniscient | 1 |" in text
    assert set(racers()) >= {"WL", "index", "newshound"}
