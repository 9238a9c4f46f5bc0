"""A web in numbers: how its links are spread, how near its pages are, and how much its links say about topics.

Everything is measured twice, on the web and on the same web with its link ends shuffled, so that effects of the degrees
alone can be told from effects of the pattern of links. `sampled` says what was sampled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wolfspider.bench.draw.svg import Figure
from wolfspider.bench.measure.bounds import FAR, landed, nodes, off_topic_distance, reachable
from wolfspider.bench.measure.folds import jsonable
from wolfspider.core.model import host_of
from wolfspider.core.topic import Task
from wolfspider.graphs.degrees import Exponents, distribution, exponents, log_bins
from wolfspider.graphs.graph import Graph, Ints
from wolfspider.graphs.locality import Locality, locality, tunnelling
from wolfspider.graphs.smallworld import (
    SAMPLED_NEIGHBOURS,
    Clustering,
    Distances,
    clustering,
    distances,
    draw_sources,
    rewire,
    small_world_index,
)
from wolfspider.web.worlds.world import World

TASK_LEGEND = (
    "A page is relevant: by chance, if a relevant page links to it, if a page that links to a relevant one does;"
    " share of the relevant pages with d off-topic pages on the way."
)
TASK_SOURCES = 10  # relevant pages from which "relevant at distance d" is measured
PAPER = {"clustering": (0.02, 0.003), "mean distance": (7.2893, 8.2163)}  # of Palotai et al.'s news web, and rewired


@dataclass(frozen=True, slots=True)
class Degrees:
    exponents: Exponents
    values: tuple[int, ...]  # degrees that occur
    counts: tuple[int, ...]  # and how often


@dataclass(frozen=True, slots=True)
class Shape:
    """A graph without its texts."""

    links: int
    into: Degrees
    out_of: Degrees
    clustering: Clustering
    directed: Distances
    undirected: Distances


@dataclass(frozen=True, slots=True)
class TaskStory:
    relevant: int  # pages that carry the label
    reachable: int  # of them, from the task's seeds
    seeds: int  # that are in the web
    locality: Locality  # asked from relevant pages: is what they link to relevant?
    tunnels: dict[str, float]  # share of the relevant pages in the web by off-topic pages on the way


@dataclass(frozen=True, slots=True)
class Description:
    web: str
    at: float
    seed: int
    nodes: int
    links: int
    links_per_page: float
    hosts: int
    original: Shape
    rewired: Shape
    small_world: float
    topics: Locality | None  # of the true topics, where the web knows them
    tasks: dict[str, TaskStory]
    sampled: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data; what could not be measured is null."""
        plain: dict[str, Any] = jsonable(asdict(self))
        return plain


def describe(world: World, now: float | None = None, seed: int = 0, sources: int = 40) -> Description:
    """Measure a web as it is at `now` (its start if not given). The same seed draws the same samples."""
    at = world.whole if now is None else now
    rng = np.random.default_rng(seed)
    graph = world.graph(at)
    drawn = draw_sources(graph.n, sources, rng)
    original, shuffled = shape(graph, drawn, rng), shape(rewire(graph, rng), drawn, rng)
    return Description(
        web=world.name,
        at=at,
        seed=seed,
        nodes=graph.n,
        links=graph.m,
        links_per_page=graph.m / max(graph.n, 1),
        hosts=len({host_of(url) for url in graph.urls}),
        original=original,
        rewired=shuffled,
        small_world=small_world_index(
            original.clustering.paired, original.directed.mean, shuffled.clustering.paired, shuffled.directed.mean
        ),
        topics=_topics(world, graph, drawn),
        tasks=_tasks(world, at, graph, rng),
        sampled=_sampled(original, graph.m - shuffled.links),
    )


def shape(graph: Graph, sources: Ints, rng: np.random.Generator) -> Shape:
    return Shape(
        links=graph.m,
        into=_degrees(graph.in_degrees(), rng),
        out_of=_degrees(graph.out_degrees(), rng),
        clustering=clustering(graph, rng),
        directed=distances(graph, sources),
        undirected=distances(graph.undirected(), sources),
    )


def _degrees(degrees: Ints, rng: np.random.Generator) -> Degrees:
    values, counts = distribution(degrees)
    return Degrees(exponents(degrees, rng), tuple(values.tolist()), tuple(counts.tolist()))


def _topics(world: World, graph: Graph, sources: Ints) -> Locality | None:
    labels = world.labels()
    return None if labels is None else locality(graph, np.asarray(labels, dtype=np.int64), sources)


def _tasks(world: World, at: float, graph: Graph, rng: np.random.Generator) -> dict[str, TaskStory]:
    index = graph.index()
    return {name: _task(graph, index, landed(task, world, at, index), rng) for name, task in world.tasks().items()}


def _task(graph: Graph, index: dict[str, int], task: Task, rng: np.random.Generator) -> TaskStory:
    seeds, wanted = nodes(index, task.seeds), nodes(index, task.relevant)
    relevant = np.zeros(graph.n, dtype=bool)
    relevant[wanted] = True
    distance = off_topic_distance(graph, seeds, relevant)
    asked = wanted[draw_sources(wanted.size, TASK_SOURCES, rng)]
    return TaskStory(
        relevant=len(task.relevant),
        reachable=int(reachable(distance, relevant).sum()),
        seeds=int(seeds.size),
        locality=locality(graph, relevant.astype(np.int64), asked, only=1),
        tunnels=tunnelling(distance, relevant, FAR),
    )


def _sampled(shape: Shape, dropped: int) -> tuple[str, ...]:
    neighbours = f"at most {SAMPLED_NEIGHBOURS} neighbours of each"
    return (
        f"distances from {shape.directed.sources} random pages",
        *([] if shape.clustering.exact else [f"clustering at {shape.clustering.nodes:,} random pages, {neighbours}"]),
        f"relevance by distance from at most {TASK_SOURCES} relevant pages of each topic",
        *([f"rewiring dropped {dropped:,} links that would have doubled others"] if dropped else []),
    )


def text(found: Description) -> str:
    """Tables for a terminal."""
    size = f"{found.nodes:,} pages, {found.hosts:,} {'host' if found.hosts == 1 else 'hosts'}"
    head = f"{found.web}: {size}, {found.links:,} links ({found.links_per_page:.1f} a page)"
    parts = [
        [head],
        _table(_shape_rows(found)),
        *([["topics: " + _locality_text(found.topics)]] if found.topics else []),
        *([[*_table(_task_rows(found.tasks)), TASK_LEGEND]] if found.tasks else []),
        ["sampled: " + "; ".join(found.sampled) + "."],
    ]
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _shape_rows(found: Description) -> list[list[str]]:
    one, two = found.original, found.rewired
    (c, rewired_c), (path, rewired_path) = PAPER["clustering"], PAPER["mean distance"]
    index = small_world_index(c, path, rewired_c, rewired_path)
    rows = [["", "web", "rewired", "Palotai et al.: web", "rewired"]]
    for name, a, b in (("in-degree", one.into, two.into), ("out-degree", one.out_of, two.out_of)):
        rows += [
            _row(f"{name}: raw fit", a.exponents.raw, b.exponents.raw),
            _row(f"{name}: binned fit", a.exponents.binned, b.exponents.binned),
            [f"{name}: likelihood", _mle(a.exponents), _mle(b.exponents), "", ""],
        ]
    rows += [
        _row("clustering", one.clustering.paired, two.clustering.paired, PAPER["clustering"]),
        _row("clustering, 0 for lone pages", one.clustering.all, two.clustering.all),
        _row("mean distance", one.directed.mean, two.directed.mean, PAPER["mean distance"]),
        _row("  share of pairs joined", one.directed.reachable, two.directed.reachable),
        _row("  90 % effective diameter", one.directed.effective, two.directed.effective),
        _row("  largest seen", one.directed.largest, two.directed.largest),
        _row("mean distance, undirected", one.undirected.mean, two.undirected.mean),
        _row("  share of pairs joined", one.undirected.reachable, two.undirected.reachable),
        _row("  90 % effective diameter", one.undirected.effective, two.undirected.effective),
        _row("  largest seen", one.undirected.largest, two.undirected.largest),
        [
            "small-world index",
            _number(found.small_world),
            "",
            _number(index),
            "",
        ],
    ]
    return rows


def _mle(found: Exponents) -> str:
    return f"{_number(found.mle)} [{_number(found.low)}, {_number(found.high)}] from k={found.kmin}"


def _row(name: str, a: float, b: float, paper: tuple[float, float] | None = None) -> list[str]:
    return [name, _number(a), _number(b), *((_number(value) for value in paper) if paper else ("", ""))]


def _task_rows(tasks: Mapping[str, TaskStory]) -> list[list[str]]:
    *levels, never = next(iter(tasks.values())).tunnels
    head = ["topic", "relevant", "reached", "chance", "linked", "same page", *(f"d = {name}" for name in levels), never]
    rows = [head]
    for name, story in tasks.items():
        near = story.locality
        shares = (near.chance, near.linked, near.together, *story.tunnels.values())
        rows.append([name, str(story.relevant), str(story.reachable), *map(_number, shares)])
    return rows


def _locality_text(found: Locality) -> str:
    far = ", ".join(f"{_number(share)} at {distance}" for distance, share in enumerate(found.by_distance, 1))
    return (
        f"the same with probability {_number(found.linked)} along a link, {_number(found.together)} for two links of"
        f" a page, by distance {far or '-'}; by chance {_number(found.chance)}"
    )


def _table(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rule = ["-" * width for width in widths]
    return [
        "  ".join([name.ljust(widths[0]), *map(str.rjust, numbers, widths[1:])]).rstrip()
        for name, *numbers in (rows[0], rule, *rows[1:])
    ]


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "-"
    if value == int(value):
        return f"{int(value)}"
    return f"{value:.4f}" if abs(value) < 0.1 else f"{value:.3f}"


def plots(found: Description, folder: Path) -> list[Path]:
    """Log-log plots of both degrees, of the web and rewired, as SVG files; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for suffix, what, part in (("", "", found.original), ("-rewired", ", rewired", found.rewired)):
        for name, label, degrees in (
            ("in", "links to a page", part.into),
            ("out", "links on a page", part.out_of),
        ):
            path = folder / f"degrees-{name}{suffix}.svg"
            figure = degree_figure(f"{name.capitalize()}-degree of {found.web}{what}", label, degrees)
            path.write_text(figure.svg(), encoding="utf-8")
            written.append(path)
    return written


def degree_figure(title: str, label: str, degrees: Degrees) -> Figure:
    """Share of pages by degree: as counted, in logarithmic bins, and the three fits."""
    figure = Figure(title, f"{label}, k", "share of pages, P(k)", x_log=True, y_log=True)
    values, counts = np.array(degrees.values, dtype=np.int64), np.array(degrees.counts, dtype=np.int64)
    if not values.size:
        return figure
    total = int(counts.sum())
    middles, densities = log_bins(values, counts)
    fits = degrees.exponents
    figure.points(values, counts / total, "as counted", colour="#9AA5B1")
    figure.points(middles, densities / total, "logarithmic bins", colour="#0072B2", size=4.2)
    _fit(figure, values, counts / total, fits.raw, "raw fit", "#E69F00", dashed=True)
    _fit(figure, middles, densities / total, fits.binned, "binned fit", "#009E73", dashed=True)
    _tail(figure, values, counts / total, fits)
    return figure


def _fit(figure: Figure, xs: Any, ys: Any, gamma: float, name: str, colour: str, dashed: bool = False) -> None:
    """The least-squares line goes through the mean of the logarithms."""
    if math.isfinite(gamma):
        level = np.log(ys).mean() + gamma * np.log(xs).mean()
        ends = np.array([xs.min(), xs.max()], dtype=np.float64)
        figure.line(ends, np.exp(level - gamma * np.log(ends)), f"{name}, γ = {gamma:.2f}", dashed, colour)


def _tail(figure: Figure, values: Ints, shares: Any, fits: Exponents) -> None:
    """The likelihood fit holds from kmin on, where it stands for the tail's whole share."""
    if math.isfinite(fits.mle):
        above = float(shares[values >= fits.kmin].sum())
        ends = np.array([fits.kmin, max(fits.largest, fits.kmin + 1)], dtype=np.float64)
        height = above * (fits.mle - 1) / (fits.kmin - 0.5) * (ends / (fits.kmin - 0.5)) ** -fits.mle
        figure.line(ends, height, f"likelihood, γ = {fits.mle:.2f} (k ≥ {fits.kmin})", colour="#D55E00")
