"""The cells of `palotai_selection_vs_rl`: a fleet at work, or the links of a recording in numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from wolfspider.bench.measure.describe import shape
from wolfspider.bench.measure.folds import WINDOW, jsonable
from wolfspider.bench.run.fleets import Row, Setting, fleet, recording_of, start_of
from wolfspider.graphs.graph import Graph
from wolfspider.graphs.smallworld import draw_sources, rewire
from wolfspider.web.worlds.recording.replayed import Replay

GRAPH = "graph"  # the study of cells that measure links; all others let a fleet work
SOURCES = 40  # pages that distances are measured from
WEBS = ("clustered", "rewired", "shuffled")


def measured(setting: Setting) -> Row:
    return links(setting) if setting["study"] == GRAPH else fleet(setting)


def links(setting: Setting) -> Row:
    """Of a recording as it is at its end: as it was recorded; as the foragers see it rewired, where no link shows a
    page before its time; and with the ends of all links shuffled whatever their time, as the paper has it."""
    place, seed = recording_of(setting), int(setting["rewired"])
    clustered, rewired = _graph(place, None), _graph(place, seed)
    graphs = (clustered, rewired, rewire(clustered, np.random.default_rng(seed)))
    counts = {"pages": clustered.n, "published": news(Replay(place), start_of(setting))}
    return {**counts, **{name: _shape(graph) for name, graph in zip(WEBS, graphs, strict=True)}}


def news(replay: Replay, start: float) -> list[int]:
    """Addresses published in each window since a fleet on this recording begins, whoever finds them."""
    kept = replay.recording
    dates = {address: at for address, at in zip(kept.addresses, kept.published, strict=True) if math.isfinite(at)}
    windows = Counter(int((at - start) // WINDOW) for at in dates.values())
    return [windows[number] for number in range(math.ceil((replay.end - start) / WINDOW))]


def _graph(place: Path, rewired: int | None) -> Graph:
    replay = Replay(place, rewired=rewired)
    return replay.graph(replay.end)


def _shape(graph: Graph) -> Mapping[str, Any]:
    rng = np.random.default_rng(0)
    found: Mapping[str, Any] = jsonable(asdict(shape(graph, draw_sources(graph.n, SOURCES, rng), rng)))
    return found


def known(value: float | None) -> float:
    """What a row has as None is not a number."""
    return math.nan if value is None else value
