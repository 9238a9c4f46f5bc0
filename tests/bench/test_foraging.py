from __future__ import annotations

import json
import math
from typing import Any

import pytest

from wolfspider.bench.measure.folds import DAY, HOUR, Atlas, Documents, jsonable
from wolfspider.bench.measure.foraging import Foraging, ForagingTally, Freshness, Lags, Population, shares
from wolfspider.core.events import Began, Credited, Ended, Event, Landed, Noted
from wolfspider.core.model import Credit, Failure, Link, Outcome, Page, Visit

T0 = 1_000_000.0  # crawls do not begin at zero
BEGAN = Began(T0, (), 100)


def landed(
    visit: int,
    url: str,
    hours: float = 0.0,
    agent: str = "a",
    *,
    links: tuple[str, ...] = (),
    digest: str = "",
    published: float | None = None,
    how: str = "out",
    failure: Failure | None = None,
) -> Landed:
    """`hours` and `published` (hours too) are since the crawl began."""
    at = T0 + hours * HOUR
    date = None if published is None else T0 + published * HOUR
    page = Page(url, url, links=tuple(map(Link, links)), digest=digest, published=date, at=at)
    outcome = Outcome(Visit(visit, Link(url), agent), failure or page, None, int(how == "out"), 0.1, at, how != "out")
    return Landed(at, outcome, how, visit)


def credited(visit: int, hours: float = 0.0, agent: str = "a", reason: str = "new") -> Credited:
    at = T0 + hours * HOUR
    return Credited(at, Credit(visit, agent, 99.0 if reason == "new" else -1.0, reason, at))


def noted(kind: str, hours: float = 0.0, /, **data: Any) -> Noted:
    return Noted(T0 + hours * HOUR, kind, data)


def ended(hours: float) -> Ended:
    return Ended(T0 + hours * HOUR, "budget", 0)


def feed(fold: Any, *events: Event) -> Any:
    for event in (BEGAN, *events):
        fold(event)
    return fold


def test_efficiencies_are_ratios_of_what_was_rewarded_downloaded_sent_and_found() -> None:
    tally = feed(
        ForagingTally(),
        landed(1, "http://n/1", 0.5, links=("http://n/2", "http://n/9")),
        landed(2, "http://n/2", 1.0, published=0.5),
        landed(3, "http://n/2", 1.0, "b", published=0.5),
        landed(4, "http://n/gone", 1.0, failure=Failure("status", "404")),
        landed(5, "http://n/2", 1.0, how="held"),
        credited(2, 1.0),
        credited(3, 1.0, "b", "known"),
        landed(6, "http://n/3", 4.0, "b", published=-1.0),
        credited(6, 4.0, "b"),
    )
    assert (tally.all.downloads, tally.all.sent, tally.all.relevant) == (5, 3, 2)
    assert (tally.atlas.found, tally.atlas.seen) == (3, 4)
    row = tally.row()
    assert (row["download_efficiency"], row["sent_efficiency"]) == (2 / 5, 2 / 3)
    assert (row["relative_found_url"], row["relative_fetched_url"]) == (4 / 5, 3 / 5)
    assert tally.series() == {"downloads": [4, 1], "sent": [2, 1], "relevant": [1, 1], "published": [1, 0]}
    assert tally.row()["agents"] == {"a": [3, 1, 1, 99.0], "b": [2, 2, 1, 98.0]}
    assert shares([1, 1], [4, 0])[0] == 0.25
    assert tally.row()["undated"] == 0
    feed(tally, landed(7, "http://n/list", 4.0), credited(7, 4.0))
    assert (tally.row()["undated"], tally.all.relevant) == (1, 3)


def test_before_anything_happened_ratios_are_none() -> None:
    row = ForagingTally().row()
    assert row["download_efficiency"] is row["sent_efficiency"] is row["relative_found_url"] is None
    assert row["series"]["downloads"] == []


def changes(*times: tuple[str, float]) -> Any:
    """A web in which pages change at these hours."""
    asked: list[str] = []

    def changed(url: str, since: float, until: float) -> float | None:
        asked.append(url)
        found = [T0 + hours * HOUR for name, hours in times if name == url and since < T0 + hours * HOUR <= until]
        return min(found, default=None)

    changed.asked = asked  # type: ignore[attr-defined]
    return changed


def test_a_copy_is_fresh_until_its_page_changes_and_again_after_the_next_download() -> None:
    changed = changes(("http://n/1", 2.0), ("http://n/1", 8.0), ("http://n/2", 100.0))
    fresh = feed(
        Freshness(changed),
        landed(1, "http://n/1", 0.5),
        credited(1, 0.5),
        landed(2, "http://n/2", 4.0),
        credited(2, 4.0),
        landed(3, "http://n/2", 4.5, "b"),  # still current: nobody has to ask
        landed(4, "http://n/1", 7.0, "b"),  # by anybody
        ended(12.0),
    )
    assert fresh.samples == [
        (3.0, 1, 0.0, 1.0),
        (6.0, 2, 0.5, 2.0),
        (9.0, 2, 0.5, 0.5),
        (12.0, 2, 0.5, 2.0),
    ]
    assert (fresh.row()["freshness"], fresh.row()["age_hours"]) == (1.5 / 4, 5.5 / 4)
    assert changed.asked == ["http://n/1", "http://n/2", "http://n/1"]


def test_freshness_says_nothing_before_something_was_rewarded() -> None:
    fresh = feed(Freshness(changes()), landed(1, "http://n/1"), credited(1, reason="old"), ended(7.0))
    assert fresh.row() == {
        "freshness": None,
        "age_hours": None,
        "documents": 0,
        "samples": [[3.0, 0, None, None], [6.0, 0, None, None]],
    }


def test_a_late_reward_looks_at_the_newest_copy() -> None:
    fresh = feed(
        Freshness(changes(("http://n/1", 1.0))),
        landed(1, "http://n/1", 0.0),
        landed(2, "http://n/1", 2.0, "b"),
        credited(1, 2.5),
        ended(3.0),
    )
    assert fresh.samples == [(3.0, 1, 1.0, 0.0)]


def test_lags_are_from_publication_to_reward_by_day_and_the_undated_are_counted() -> None:
    lags = feed(
        Lags(),
        landed(1, "http://n/1", 1.0, published=0.5),
        credited(1, 1.0),
        landed(2, "http://n/2", 2.0, published=-10.0),
        credited(2, 2.0),
        landed(3, "http://n/3", 2.0),
        credited(3, 2.0),
        landed(4, "http://n/4", 30.0, published=26.0),
        credited(4, 30.0),
        credited(4, 31.0, reason="known"),
    ).row()
    assert (lags["documents"], lags["undated"], lags["median"], lags["mean"]) == (3, 1, 4.0, 5.5)
    assert [(day["day"], day["mean"], day["within_1h"], day["within_6h"]) for day in lags["days"]] == [
        (0, 6.25, 0.5, 0.5),
        (1, 4.0, 0.0, 1.0),
    ]
    assert lags["within_24h"] == 1.0
    assert [(day["day"], day["mean"]) for day in lags["published"]] == [(0, 0.5), (1, 4.0)]  # one is a backlog
    assert Lags().row()["median"] is None


def test_population_counts_births_and_deaths_and_draws_scores_from_birth_to_death() -> None:
    people = feed(
        Population(),
        noted("birth", agent="a", parent="", kind="WL", score=100, population=1),
        noted("birth", agent="b", parent="", kind="WL", score=100, population=2),
        noted("slice", 1.0, agent="a", score=120.0, population=2, seconds=180),
        noted("slice", 2.0, agent="a", score=200.0, population=2, seconds=180),
        noted("birth", 4.0, agent="c", parent="a", kind="WL", score=100, population=3),
        noted("slice", 4.0, agent="b", score=-1.0, population=3, seconds=180),
        noted("death", 5.0, agent="b", score=-1.0, population=2),
        noted("slice", 7.0, agent="c", score=60.0, population=2, seconds=180),
        noted("restart", 8.0, agent="c", url="http://n/1", path=1),
        noted("move", 8.0, agent="c", url="http://n/1", path=1),
        noted("move", 8.0, agent="c", url="http://n/2", path=1),
    ).row()
    assert (people["moves"], people["paths"], people["slices"]) == (2, 1, 4)
    assert people["heat"] == [[200.0, 200.0, 200.0], [None, -1.0, None], [None, None, 60.0]]
    assert [count for _, count in people["alive"]] == [1, 2, 3, 2]
    assert (people["first"], people["largest"], people["last"]) == (2, 3, 2)
    assert (people["lowest_score"], people["highest_score"]) == (-1.0, 200.0)


def test_documents_forget_the_oldest() -> None:
    documents = feed(Documents(most=1), landed(1, "http://n/1"), landed(2, "http://n/2"))
    assert documents.of(credited(1)) is None and documents.of(credited(2)).url == "http://n/2"


def test_an_atlas_told_twice_knows_the_same_and_draws_the_newest_links() -> None:
    atlas = Atlas()
    for event in (
        landed(1, "http://n/1", links=("http://n/2", "http://n/3"), digest="x"),
        landed(2, "http://n/1", links=("http://n/4",), digest="y"),
    ):
        feed(atlas, event, event)
    assert [*atlas.numbers] == ["http://n/1", "http://n/2", "http://n/3", "http://n/4"]
    assert {number: [*links] for number, links in atlas.links.items()} == {0: [3]}


def test_all_folds_at_once_give_what_json_can_hold() -> None:
    events = [
        noted("birth", agent="a", parent="", kind="WL", score=100, population=1),
        noted("move", 0.1, agent="a", url="http://n/1", value=0.0, step=1, path=1),
        landed(1, "http://n/1", 0.2, published=0.1, links=("http://n/2",)),
        credited(1, 0.2),
        noted("weblog", 3.5, agent="a", entered=["http://n/1"], left=[], starts=["http://n/1"], size=1),
        ended(30.0),
    ]
    row = feed(Foraging(changes()), *events).row()
    assert json.loads(json.dumps(row, allow_nan=False)) == row
    assert set(row) == {"tally", "freshness", "lags", "population", "division", "starts", "territory", "linked"}
    assert row["tally"]["relevant"] == row["starts"]["new_starts"] == 1 and row["freshness"]["freshness"] == 1.0
    assert "freshness" not in feed(Foraging(), *events).row()
    assert json.loads(json.dumps(Foraging(changes()).row(), allow_nan=False))


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_not_finite_becomes_none(value: float) -> None:
    assert jsonable({"a": [value, (1, DAY)]}) == {"a": [None, [1, DAY]]}
