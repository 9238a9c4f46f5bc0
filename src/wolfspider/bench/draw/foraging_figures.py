"""The figures of the news foragers' papers, drawn from the rows of `foraging.Foraging`.

Each function takes the part of a row it is drawn from, or, where curves are compared, the parts of several runs by
name, of which it draws the mean and its 95% interval. So a figure can be drawn long after its crawl, from what was kept
as JSON.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.bench.draw.svg import PALETTE, SOFT, Figure
from wolfspider.bench.measure.describe import Degrees, degree_figure
from wolfspider.bench.measure.foraging import shares
from wolfspider.bench.tabulate import mean_line
from wolfspider.graphs.degrees import Exponents

Part = Mapping[str, Any]
Curve = Mapping[float, float | None]  # y by x; None where it is not known
Floats = NDArray[np.float64]
MOST_NAMES = 12  # foragers that a legend has room for
SCORES = (60, 80, 100, 125, 150, 175)  # where colours change; the paper's greys go from 60 to 200
COUNTS = (2, 3, 5, 10, 20, 50)
DONE = {"downloads": "downloaded", "sent": "sent"}  # what a figure calls a series
STEPS, COOLING = 200, 0.98  # of the layout of a graph


def degrees(part: Part, titles: Sequence[str]) -> list[Figure]:
    """The links into pages and those out of them, with the three fits to each distribution."""
    sides = zip(titles, ("links to a page", "links on a page"), ("into", "out_of"), strict=True)
    return [degree_figure(title, label, _degrees(part[side])) for title, label, side in sides]


def _degrees(part: Part) -> Degrees:
    fits: dict[str, Any] = {name: math.nan if value is None else value for name, value in part["exponents"].items()}
    return Degrees(Exponents(**fits), tuple(part["values"]), tuple(part["counts"]))


def efficiency(tallies: Mapping[str, Sequence[Part]], of: str = "downloads", title: str = "") -> Figure:
    """Rewarded documents to `downloads` or to those `sent`, window by window."""

    def curve(tally: Part) -> Curve:
        own = shares(tally["series"]["relevant"], tally["series"][of])
        return dict(zip(_days(len(own), tally["window_hours"]).tolist(), own, strict=True))

    return _means(Figure(title or f"Rewarded to {DONE[of]}", "days", f"rewarded / {DONE[of]}"), tallies, curve)


def _means(figure: Figure, runs: Mapping[str, Sequence[Part]], curve: Callable[[Part], Curve]) -> Figure:
    """A line for each name: the mean of its runs."""
    for name, parts in runs.items():
        mean_line(figure, map(curve, parts), name)
    return figure


def found_and_published(tally: Part) -> Figure:
    """Rewarded documents by the time of their reward and by that of their publication, and documents sent."""
    hours, series = tally["window_hours"], tally["series"]
    shown = {"published": series["published"], "rewarded": series["relevant"], "sent": series["sent"]}
    figure = Figure("Published and found", "days", f"documents in {hours:g} h")
    for name, own in shown.items():
        figure.line(_days(len(own), hours), own, name)
    return figure


def freshness(parts: Mapping[str, Sequence[Part]]) -> Figure:
    return _sampled(parts, "Freshness of what was found", "share of the copies that are current", 2)


def age(parts: Mapping[str, Sequence[Part]]) -> Figure:
    return _sampled(parts, "Age of what was found", "hours since the copies went stale", 3)


def _sampled(parts: Mapping[str, Sequence[Part]], title: str, label: str, field: int) -> Figure:
    return _means(
        Figure(title, "days", label), parts, lambda part: {each[0] / 24: each[field] for each in part["samples"]}
    )


def scores(population: Part) -> Figure:
    """A row for each forager, the oldest lowest, from its birth to its death; dark is a high score."""
    figure = Figure("Scores of the foragers", "days", "foragers in the order of birth")
    return figure.heat(population["heat"], SCORES, column=population["heat_hours"] / 24)


def fleet_size(populations: Mapping[str, Sequence[Part]]) -> Figure:
    return _means(Figure("Size of the fleet", "days", "foragers alive"), populations, _alive)


def _alive(population: Part) -> Curve:
    """How many live at the end of each window, and at first."""
    width = population["heat_hours"]
    ends = [width * count for count in range(max((len(line) for line in population["heat"]), default=-1) + 1)]
    changes = population["alive"]
    counts = [next((count for hours, count in reversed(changes) if hours <= end), None) for end in ends]
    return {end / 24: count for end, count in zip(ends, counts, strict=True)}


def division(part: Part, days: float | None = None) -> Figure:
    """Visited URLs of one forager only, stacked from the oldest to the youngest: all of it, or the first few days."""
    return _stacked(part, "shares", "Visited by one forager only", "share of the URLs visited", days)


def decisions(part: Part, days: float | None = None) -> Figure:
    """Decisions at shared URLs that one forager only took. Windows without shared URLs are left out."""
    return _stacked(part, "decisions", "Decided by one forager only", "share of the decisions at shared URLs", days)


def _stacked(part: Part, field: str, title: str, label: str, days: float | None) -> Figure:
    windows = [
        window
        for window in part["windows"]
        if (days is None or window["hours"] / 24 < days) and None not in window[field].values()
    ]
    order = [agent for agent in part["order"] if any(agent in window[field] for window in windows)]
    layers = [[window[field].get(agent, 0.0) for window in windows] for agent in order]
    figure = Figure(title, "days", label, y_range=(0.0, 1.0))
    return figure.stack([window["hours"] / 24 for window in windows], layers, order if len(order) <= MOST_NAMES else ())


def new_starts(part: Part) -> Figure:
    """First entries into a list of starting points: when, and how early the address was discovered."""
    counts = [[count or math.nan for count in row] for row in part["heat"]]
    figure = Figure("New starting points", "day", "addresses in the order of discovery")
    return figure.heat(counts, COUNTS, row=max(part["seen"], 1) / max(len(counts), 1))


def discovered(parts: Mapping[str, Sequence[Part]]) -> Figure:
    figure = Figure("Addresses discovered", "days", "addresses seen so far")
    return _means(figure, parts, lambda part: {hours / 24: seen for hours, seen, _ in part["curve"]})


def land(part: Part) -> Figure:
    """The territory of a forager: the pages of one path, the links among them, and the way it took. A place is as large
    as it was visited often."""
    moves, links = part["moves"], [tuple(link) for link in part["links"]]
    count = len(part["urls"])
    steps = sorted({(a, b) for a, b in pairwise(moves) if a != b})
    places = layout(count, [*links, *steps])
    figure = Figure(f"Territory of {part['agent']}, path {part['path']}", "", "", height=620, axes=False)
    _join(figure, places, [link for link in links if link not in steps], "link", "#C3CBD4", 0.7)
    _join(figure, places, steps, "step", PALETTE[0], 1.6)
    visits = np.bincount(np.array(moves, dtype=np.int64), minlength=count)
    for times in np.unique(visits[visits > 0]):
        here = places[visits == times]
        figure.points(here[:, 0], here[:, 1], colour=SOFT, size=2.5 + 1.5 * math.sqrt(times))
    return figure.points(places[:1, 0], places[:1, 1], "start", PALETTE[1], size=6.0)


def _join(
    figure: Figure, places: Floats, pairs: Sequence[tuple[int, int]], label: str, colour: str, size: float
) -> None:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    figure.segments(places[ends[:, 0]], places[ends[:, 1]], label, colour, size)


def layout(count: int, pairs: Sequence[tuple[int, int]]) -> Floats:
    """Places for the nodes of a small graph: all push each other away, and joined ones pull. They begin on a spiral, so
    that the same graph always looks the same."""
    turns, reach = np.arange(count) * 2.4, np.sqrt((np.arange(count) + 0.5) / max(count, 1))
    places = np.column_stack([np.cos(turns) * reach, np.sin(turns) * reach])
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    joined = np.zeros((count, count))
    joined[ends[:, 0], ends[:, 1]] = joined[ends[:, 1], ends[:, 0]] = 1.0
    length, heat = 1.5 / math.sqrt(max(count, 1)), 0.2
    for _ in range(STEPS):
        apart = places[:, None, :] - places[None, :, :]
        distance = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
        force = length**2 / distance**2 - joined * distance / length
        move = (apart * (force / distance)[:, :, None]).sum(axis=1) - 0.3 * places
        far = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), 1e-9)
        places = places + move / far * np.minimum(far, heat)
        heat *= COOLING
    return places


def _days(count: int, hours: float) -> Floats:
    """The middles of so many windows."""
    return (np.arange(count) + 0.5) * hours / 24
