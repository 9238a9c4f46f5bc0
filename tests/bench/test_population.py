"""A population over the downloads of its crawl, folded from events."""

from __future__ import annotations

import json
from typing import Any

from wolfspider.bench.measure.population import COLUMNS, Energies
from wolfspider.core.events import Began, Event, Landed, Noted
from wolfspider.core.model import Link, Outcome, Page, Visit
from wolfspider.strategies import strategy_named
from wolfspider.testing.sketch import Sketch, Trial, configured


def landed(downloads: int) -> Landed:
    url = f"http://a.test/{downloads}"
    outcome = Outcome(Visit(downloads, Link(url), "agent-0"), Page(url, url), None, 1, 0.1, 1.0)
    return Landed(1.0, outcome, "out", downloads)


def noted(kind: str, /, **data: Any) -> Noted:
    return Noted(1.0, kind, data)


def gauge(population: int, **data: Any) -> Noted:
    return noted("energy", **{**dict.fromkeys(COLUMNS, 0.0), "population": population, **data})


def feed(*events: Event) -> Energies:
    fold = Energies()
    for event in (Began(0.0, (), 100), *events):
        fold(event)
    return fold


def test_births_and_deaths_are_counted_one_by_one() -> None:
    fold = feed(
        noted("birth", agent="a", parent=""),
        noted("birth", agent="b", parent=""),
        landed(1),
        noted("birth", agent="c", parent="a"),
        noted("death", agent="a"),
        noted("death", agent="b"),
    )
    figures = fold.figures()
    assert [figures[name] for name in ("alive", "smallest", "largest")] == [1, 1, 3]
    assert [figures[name] for name in ("born", "cloned", "died")] == [3, 1, 2]
    assert figures["extinct"] is None


def test_it_says_after_how_many_downloads_nobody_was_left() -> None:
    fold = feed(noted("birth", agent="a", parent=""), landed(7), noted("death", agent="a"))
    assert fold.figures()["extinct"] == 7 and fold.figures()["smallest"] == 0
    fold(noted("birth", agent="b", parent=""))
    assert fold.figures()["extinct"] is None


def test_gauges_are_columns_over_downloads() -> None:
    fold = feed(gauge(5), landed(25), gauge(9, threshold=0.3, slope=40.0, on_pages=2.5))
    figures = fold.figures()
    assert figures["downloads"] == [0, 25] and figures["population"] == [5, 9]
    assert (figures["threshold"][1], figures["slope"][1], figures["on_pages"][1]) == (0.3, 40.0, 2.5)


def test_teleports_and_new_lives_are_told_apart() -> None:
    fold = feed(noted("teleport", agent="a", restart=True), noted("teleport", agent="a", restart=False))
    assert (fold.teleports, fold.restarts) == (2, 1)


def test_of_a_crawl_the_fold_says_what_the_strategy_says() -> None:
    kind = configured(strategy_named("energy"), {"agents": 20, "least": 5, "most": 30})
    fold = Energies()
    crawl = Trial(kind, Sketch(), pages=110).run(lambda crawl, event: fold(event))
    report = crawl.strategy.report()
    assert (fold.alive, fold.births, fold.deaths) == (report["population"], report["births"], report["deaths"])
    figures = fold.figures()
    assert figures["downloads"][0] == 0 and figures["downloads"][-1] > 75
    assert all(
        one >= 25 for one in (b - a for a, b in zip(figures["downloads"], figures["downloads"][1:], strict=False))
    )
    assert figures["teleported"] == report["teleports"]
    json.dumps(fold.row(), allow_nan=False)
