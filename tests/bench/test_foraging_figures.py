"""The figures are drawn from the row of a small made-up crawl, after a trip through JSON."""

from __future__ import annotations

import json
import random
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from wolfspider.bench.draw import foraging_figures as figures
from wolfspider.bench.draw.svg import Figure
from wolfspider.bench.measure.folds import DAY, HOUR
from wolfspider.bench.measure.foraging import Foraging
from wolfspider.core.events import Began, Credited, Event, Landed, Noted
from wolfspider.core.model import Credit, Link, Outcome, Page, Visit

SVG = "{http://www.w3.org/2000/svg}"
FLEET = ("ann", "bob", "cyd")
STEP = 0.1 * HOUR


def steps(number: int, rng: random.Random) -> list[Event]:
    """A forager steps on a page, downloads it and sends it."""
    at, agent = number * STEP, FLEET[number % 3]
    url = f"http://n/{rng.randrange(30)}"
    links = tuple(Link(f"http://n/{rng.randrange(30)}") for _ in range(3))
    page = Page(url, url, links=links, digest=str(number), at=at, published=at - 500.0)
    outcome = Outcome(Visit(number, Link(url), agent), page, None, 1, 1.0, at)
    reason = "new" if number % 4 == 0 else "known"
    return [
        Noted(at, "move", {"agent": agent, "url": url, "value": 0.0, "step": 1, "path": number // 60}),
        Landed(at, outcome, "out", number),
        Credited(at, Credit(number, agent, 1.0, reason, at)),
        Noted(at, "slice", {"agent": agent, "score": 100.0 + number % 90, "population": 3, "seconds": 180.0}),
        Noted(at, "weblog", {"agent": agent, "entered": [url], "left": [], "starts": [url], "size": 9}),
    ]


@pytest.fixture(scope="module")
def row() -> Any:
    fleet = Foraging(lambda url, since, until: since + 5 * HOUR)
    rng = random.Random(3)
    fleet(Began(0.0, (), 1))
    for agent in FLEET:
        fleet(Noted(0.0, "birth", {"agent": agent, "parent": "", "kind": "WL", "score": 100, "population": 1}))
    for number in range(int(2 * DAY / STEP)):
        for event in steps(number, rng):
            fleet(event)
    return json.loads(json.dumps(fleet.row(), allow_nan=False))


def kinds(figure: Figure) -> list[str]:
    """Of the marks, once the figure is known to be well-formed."""
    root = ElementTree.fromstring(figure.svg())
    assert root.tag == f"{SVG}svg" and "nan" not in figure.svg()
    return [mark.kind for mark in figure.marks]


def test_curves_have_a_line_for_each_name(row: Any) -> None:
    for draw, part in (
        (figures.efficiency, "tally"),
        (figures.freshness, "freshness"),
        (figures.age, "freshness"),
        (figures.fleet_size, "population"),
        (figures.discovered, "starts"),
    ):
        figure = draw({"WL": [row[part]], "RL": [row[part]] * 5})
        assert kinds(figure) == ["line", "line", "band"] and all(mark.xs.size > 1 for mark in figure.marks)
    assert kinds(figures.efficiency({"WL": [row["tally"]]}, of="sent")) == ["line"]
    assert kinds(figures.found_and_published(row["tally"])) == ["line"] * 3


def test_efficiency_is_drawn_as_counted(row: Any) -> None:
    mark = figures.efficiency({"WL": [row["tally"]]}).marks[0]
    assert mark.ys[:16] == pytest.approx([0.25] * 16, abs=0.03)
    assert np.diff(mark.xs) == pytest.approx(3 / 24)


def test_the_size_of_a_fleet_is_told_from_the_first_to_the_end(row: Any) -> None:
    mark = figures.fleet_size({"WL": [row["population"]]}).marks[0]
    assert (mark.xs[0], mark.ys[0]) == (0.0, 3) and (mark.xs[-1], mark.ys[-1]) == (2.0, 3)
    grown = {"alive": [[0.0, 1], [0.0, 2], [4.0, 3], [7.0, 2]], "heat": [[1.0] * 3], "heat_hours": 3.0}
    mark = figures.fleet_size({"WL": [grown, {**grown, "alive": [[0.0, 4]]}]}).marks[0]
    assert list(mark.xs) == [0, 0.125, 0.25, 0.375] and list(mark.ys) == [3, 3, 3.5, 3]


def test_division_has_a_layer_for_each_forager_and_ends_at_the_boundary(row: Any) -> None:
    whole, early = figures.division(row["division"]), figures.division(row["division"], days=1)
    assert kinds(whole) == ["area"] * 3 and [mark.label for mark in whole.marks] == list(FLEET)
    assert whole.marks[-1].highs == pytest.approx([window["boundary"] for window in row["division"]["windows"]])
    assert early.marks[0].xs.max() < 1 < whole.marks[0].xs.max()
    assert kinds(figures.decisions(row["division"])) == ["area"] * 3


def test_scores_and_new_starts_are_heat(row: Any) -> None:
    cells = figures.scores(row["population"])
    assert set(kinds(cells)) == {"cells"}
    assert sum(mark.xs.size for mark in cells.marks) == 3 * 16
    starts = figures.new_starts(row["starts"])
    assert set(kinds(starts)) == {"cells"}
    assert starts.y_range == pytest.approx((0, row["starts"]["seen"]))


def test_a_territory_is_a_graph_with_links_steps_and_places(row: Any) -> None:
    part = row["territory"]["land"]
    figure = figures.land(part)
    drawn = kinds(figure)
    assert drawn[:2] == ["segments", "segments"] and set(drawn[2:]) == {"points"}
    places = sum(mark.xs.size for mark in figure.marks[2:-1])
    assert places == len(part["urls"])
    lone = figures.land({"agent": "a", "path": 1, "urls": ["x"], "moves": [0], "links": []})
    assert "points" in kinds(lone)


def test_a_layout_keeps_joined_places_together_and_others_apart() -> None:
    pairs = [(a, b) for group in (range(5), range(5, 10)) for a in group for b in group if a < b]
    places = figures.layout(10, pairs)
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2)
    assert gaps[:5, :5].max() < gaps[:5, 5:].max() and gaps[np.triu_indices(10, 1)].min() > 1e-3
    assert (figures.layout(10, pairs) == places).all()


def test_nothing_measured_is_an_empty_figure() -> None:
    row = Foraging(lambda url, since, until: None).row()
    for figure in (
        figures.efficiency({"WL": [row["tally"]]}),
        figures.freshness({"WL": [row["freshness"]]}),
        figures.fleet_size({"WL": [row["population"]]}),
        figures.scores(row["population"]),
        figures.division(row["division"]),
        figures.new_starts(row["starts"]),
    ):
        kinds(figure)
        assert not any(len(mark.xs) for mark in figure.marks)
