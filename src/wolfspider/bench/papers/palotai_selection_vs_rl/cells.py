"""The cells of `palotai_selection_vs_rl`: fleets at work, and the links of recordings in numbers.

Settings have a study and a type. Studies are `clustered` and `rewired`, fleets of both types on a recording as it is
and with its links rewired, on the former also fleets that do both (WLRL); `order`, mixed fleets in which foragers take
turns in several orders; the controls `diverse`, `common` and `content`; `corpus`, fleets on recorded news sites; and
`graph`, the links of a recording. Two fleets are a pair if recording and repeat are the same. A slice has as many
downloads as make about 51 steps, as many as the paper's.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from wolfspider.bench import Row, Setting
from wolfspider.bench.experiment import Form
from wolfspider.bench.measure.describe import shape
from wolfspider.bench.measure.folds import WINDOW, jsonable
from wolfspider.bench.run.fleets import (
    FRONT_PAGES,
    SPARE,
    fleet,
    gathered_links,
    news_site,
    paced,
    recording_of,
    start_of,
)
from wolfspider.graphs.graph import Graph
from wolfspider.graphs.smallworld import directed_clustering, draw_sources, rewire
from wolfspider.web.worlds.recording.replayed import RecordedCrawl
from wolfspider.web.worlds.world import open_web

WL, RL, BOTH = "WL", "RL", "WLRL"
GRAPH, ORDER, CORPUS = "graph", "order", "corpus"
GATHERED, GATHERED_SHUFFLED = "gathered", "gathered, shuffled"  # pages by content, and links that were looked at
WEBS = CLUSTERED, REWIRED, SHUFFLED = "clustered", "rewired", "shuffled"  # addresses, and all links
ORDERS = ("fixed", "alternating", "random")
PARTS = ("tally", "freshness", "population")  # what claims, tables and figures read of a row
MIXED = {"fleet": "mixed", "foragers": 16, "least": 16, "most": 16}
SOURCES = 40  # pages that distances are measured from
SLICE, STEP = 180.0, 3.5  # seconds, in the paper: a path of 100 steps took 350 s
PAPER_DOWNLOADS = 33_600  # a day, the mean of both types of fleets
DOWNLOAD = 86_400 / PAPER_DOWNLOADS  # seconds, in the paper


@dataclass(frozen=True, slots=True)
class Size:
    """How much is run."""

    webs: int
    repeats: int  # on each web
    controls: int  # repeats of each control on each web
    orders: int  # repeats of each order, in all
    days: float
    latency: float  # seconds for a download
    articles: int  # published a day
    corpus: str
    corpus_days: float
    corpus_repeats: int
    lists: str = ""  # of the site: long ones, or short ones
    corpus_latency: float = 240.0
    around: str = "pages=3000,topics=64"  # the rest of the web, which states of pages are learned from

    @property
    def downloads(self) -> float:
        """A day, of a fleet."""
        return 86_400 / self.latency


FULL = Size(3, 3, 1, 6, 18, 9.0, 343, "news", 180, 5, f",{SPARE}")
QUICK = Size(1, 5, 1, 5, 6, 24.0, 128, "news-small", 28, 2, f",{SPARE}")


def size_of(form: Form) -> Size:
    return form.scale(FULL, QUICK)


def settings(form: Form) -> list[Setting]:
    return settings_of(size_of(form), corpus(form))


def corpus(form: Form) -> Path | None:
    """The recorded news, if it is at hand."""
    return next(iter(form.folders([size_of(form).corpus])), None)


def settings_of(size: Size, folder: Path | None) -> list[Setting]:
    """First the links of each recording, so that several processes make the recordings side by side."""
    webs = range(1, size.webs + 1)
    graphs = [{"study": GRAPH, "type": "links", **_base(size, web), "rewired": web} for web in webs]
    fleets = [setting for web in webs for setting in _fleets(size, web)]
    return [*graphs, *fleets, *(_on_corpus(size, folder) if folder else ())]


def _base(size: Size, web: int) -> dict[str, Any]:
    site = news_site(web, size.articles, size.lists, size.around)
    pace = {"days": size.days, "latency": size.latency}
    recording = {**pace, "repeat": 0, "fleet": {**MIXED, **paced(size.latency)}}
    return {"web": site, "web_seed": web, "strategy": "foragers", **pace, "record": recording, "parts": list(PARTS)}


def _fleets(size: Size, web: int) -> Iterator[Setting]:
    """On one recording. Repeats are numbered from 1, as the recording itself has 0; those of orders are dealt out to
    the recordings in turn."""

    def run(study: str, kind: str, repeat: int, **given: Any) -> Setting:
        rewired = web if study == REWIRED else None
        about = {"study": study, "type": kind, **_base(size, web), "repeat": repeat + 1, "rewired": rewired}
        return {**about, "fleet": {**given, **paced(size.latency)}} | (
            {"gathered": True} if given["fleet"] == RL else {}
        )

    for study, kind, repeat in product((CLUSTERED, REWIRED), (WL, RL), range(size.repeats)):
        yield run(study, kind, repeat, fleet=kind)
    for repeat in range(size.repeats):
        yield run(CLUSTERED, BOTH, repeat, fleet=BOTH)
    for repeat in range(size.controls):
        yield run("diverse", RL, repeat, fleet=RL, weights="diverse")
        yield run("common", WL, repeat, fleet=WL, weights="common")
        for kind in (WL, RL):
            yield run("content", kind, repeat, fleet=kind, novelty="url+content")
    for repeat, order in product(range(web - 1, size.orders, size.webs), ORDERS):
        yield run(ORDER, order, repeat, **MIXED, order=order)


def _on_corpus(size: Size, folder: Path) -> Iterator[Setting]:
    """The foragers start at both front pages when the recording does. As many downloads fit into a slice as in the
    paper."""
    world: Any = open_web(str(folder))
    site = {"web": str(folder), "web_seed": 0, "strategy": "foragers", "start": world.first}
    pace = {"days": size.corpus_days, "latency": size.corpus_latency}
    rest = {"seeds": list(FRONT_PAGES), "parts": list(PARTS)}
    for kind, repeat in product((WL, RL), range(size.corpus_repeats)):
        about = {"study": CORPUS, "type": kind, **site, **pace, **rest}
        yield {**about, "repeat": repeat + 1, "fleet": {"fleet": kind, **paced(size.corpus_latency)}}


# Running one


def measured(setting: Setting) -> Row:
    return links(setting) if setting["study"] == GRAPH else fleet(setting)


def links(setting: Setting) -> Row:
    """The links of a recording at its end: as recorded; rewired as the foragers see it, where no link shows a page
    before its time; and with the ends of all links shuffled whatever their time, as in the paper. And those of the
    pages that were gathered, as the paper kept them, before and after their ends are shuffled."""
    place, seed = recording_of(setting), int(setting["rewired"])
    recorded, replayed = RecordedCrawl(place), RecordedCrawl(place, rewired=seed)
    clustered, rewired = (replay.graph(replay.end) for replay in (recorded, replayed))
    graphs = (clustered, rewired, rewire(clustered, np.random.default_rng(seed)))
    gathered = gathered_links(setting)
    kept = (gathered, rewire(gathered, np.random.default_rng(seed)))
    counts = {"pages": clustered.n, "contents": gathered.n, "published": news(recorded, start_of(setting))}
    names = (*WEBS, GATHERED, GATHERED_SHUFFLED)
    return {**counts, **{name: _shape(graph) for name, graph in zip(names, (*graphs, *kept), strict=True)}}


def news(replay: RecordedCrawl, start: float) -> list[int]:
    """Addresses published in each window since fleets on this recording begin, found or not."""
    pages = zip(replay.recording.addresses, replay.recording.published, strict=True)
    dates = {address: at for address, at in pages if math.isfinite(at)}
    windows = Counter(int((at - start) // WINDOW) for at in dates.values())
    return [windows[number] for number in range(math.ceil((replay.end - start) / WINDOW))]


def _shape(graph: Graph) -> Mapping[str, Any]:
    rng = np.random.default_rng(0)
    figures: dict[str, Any] = jsonable(asdict(shape(graph, draw_sources(graph.n, SOURCES, rng), rng)))
    figures["clustering"]["along"] = directed_clustering(graph)
    return figures
