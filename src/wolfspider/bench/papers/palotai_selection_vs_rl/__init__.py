"""Selection against reinforcement learning in fleets of news foragers. (Palotai, Farkas and Lorincz 2005)

A fleet of 8 WLRL and 8 WL foragers is recorded on a news site, as in the paper. Fleets of WL foragers, which select
starting points, and of RL foragers, which tune their values of pages, then work on the replay of the recording: as it
is, and with its links rewired. Two fleets are a pair if recording and repeat are the same. In addition there are the
controls that the paper leaves out, and, where the corpora are at hand, fleets on two recorded news sites.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from wolfspider.bench.experiment import Experiment, Form, Setting
from wolfspider.bench.papers.palotai_selection_vs_rl.cells import GRAPH, measured
from wolfspider.bench.papers.palotai_selection_vs_rl.claims import CLAIMS
from wolfspider.bench.papers.palotai_selection_vs_rl.pairs import CLUSTERED, ORDER, ORDERS, REWIRED
from wolfspider.bench.papers.palotai_selection_vs_rl.tables import (
    CORPUS,
    DOWNLOAD,
    PAPER_DOWNLOADS,
    SLICE,
    STEP,
    figures,
    tables,
)
from wolfspider.bench.run.fleets import FRONT_PAGES, SPARE, news_site
from wolfspider.web.worlds.world import open_web

WL, RL = "WL", "RL"
STRATEGY = "foragers"
PARTS = ("tally", "freshness", "population")  # of what is measured, those that something here reads
MIXED = {"fleet": "mixed", "foragers": 16, "least": 16, "most": 16}
PAPER_NEWS = 1_200  # new addresses a day


@dataclass(frozen=True, slots=True)
class Size:
    """How much of it is done."""

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


FULL = Size(3, 3, 1, 6, 18, 9.0, 343, "news", 180, 5)
QUICK = Size(1, 5, 1, 5, 6, 24.0, 128, "news-small", 28, 2, f",{SPARE}")


def size_of(form: Form) -> Size:
    return QUICK if form.quick else FULL


def settings(form: Form) -> list[Setting]:
    return settings_of(size_of(form), form.corpora)


def settings_of(size: Size, corpora: Path | None) -> list[Setting]:
    """First the links of each recording, so that several processes make the recordings side by side."""
    webs = range(1, size.webs + 1)
    found: list[Setting] = [{"study": GRAPH, "type": "links", **_base(size, web), "rewired": web} for web in webs]
    for web in webs:
        found += [*_compared(size, web), *_controlled(size, web), *_ordered(size, web)]
    return [*found, *_corpus(size, corpora)]


def _base(size: Size, web: int) -> dict[str, Any]:
    site = news_site(web, size.articles, size.lists, size.around)
    pace = {"days": size.days, "latency": size.latency}
    recording = {**pace, "repeat": 0, "fleet": MIXED}
    return {"web": site, "web_seed": web, "strategy": STRATEGY, **pace, "record": recording, "parts": list(PARTS)}


def _run(size: Size, web: int, study: str, kind: str, repeat: int, **fleet: Any) -> dict[str, Any]:
    """Repeats are numbered from 1: the recording itself has 0."""
    rewired = web if study == REWIRED else None
    whole = {"study": study, "type": kind, **_base(size, web), "repeat": repeat + 1, "rewired": rewired, "fleet": fleet}
    return {**whole, "gathered": True} if fleet["fleet"] == RL else whole


def _compared(size: Size, web: int) -> Iterator[Setting]:
    for study, kind, repeat in product((CLUSTERED, REWIRED), (WL, RL), range(size.repeats)):
        yield _run(size, web, study, kind, repeat, fleet=kind)


def _controlled(size: Size, web: int) -> Iterator[Setting]:
    for repeat in range(size.controls):
        yield _run(size, web, "diverse", RL, repeat, fleet=RL, weights="diverse")
        yield _run(size, web, "common", WL, repeat, fleet=WL, weights="common")
        for kind in (WL, RL):
            yield _run(size, web, "content", kind, repeat, fleet=kind, novelty="url+content")


def _ordered(size: Size, web: int) -> Iterator[Setting]:
    """Repeats are dealt out to the webs in turn."""
    for repeat, order in product(range(web - 1, size.orders, size.webs), ORDERS):
        yield _run(size, web, ORDER, order, repeat, **MIXED, order=order)


def _corpus(size: Size, corpora: Path | None) -> Iterator[Setting]:
    """The foragers start at both front pages when the recording does. As many downloads fit into a slice as in the
    paper."""
    folder = corpora / size.corpus if corpora else None
    if folder is None or not folder.is_dir():
        return
    world: Any = open_web(str(folder))
    pace = {"start": world.first, "days": size.corpus_days, "latency": size.corpus_latency}
    site = {
        "web": str(folder),
        "web_seed": 0,
        "strategy": STRATEGY,
        **pace,
        "seeds": list(FRONT_PAGES),
        "parts": list(PARTS),
    }
    length = SLICE * size.corpus_latency / DOWNLOAD
    for kind, repeat in product((WL, RL), range(size.corpus_repeats)):
        yield {"study": CORPUS, "type": kind, **site, "repeat": repeat + 1, "fleet": {"fleet": kind, "slice": length}}


def scaled(form: Form) -> list[str]:
    size = size_of(form)
    runs = size.webs * size.repeats
    webs = (
        f"The news site is computed. Recordings: {size.webs} of {size.days:g} days each instead of one of 18 days of a "
        f"real site; {runs} fleets of each kind instead of 3, {size.repeats} on each recording."
    )
    pace = (
        f"{size.downloads:,.0f} downloads a day, at {size.latency:g} s each, instead of about {PAPER_DOWNLOADS:,}, and "
        f"{size.articles} articles a day instead of about {PAPER_NEWS:,} new addresses: the same downloads for each."
    )
    lists = (
        f"Lists show ten articles at most and articles link to three older ones ({SPARE}), so that a step takes few "
        "downloads, if more than in the paper."
        if size.lists
        else "A step takes more downloads than in the paper, because lists are long."
    )
    fleet = (
        f"Slices of {SLICE:g} s, 100 steps a path, 16 foragers at most and all other parameters are the paper's. In "
        f"the paper a slice has about {SLICE / STEP:.0f} steps or {SLICE / DOWNLOAD:.0f} downloads. Here it has about "
        f"{SLICE / size.latency:.0f} downloads and those that complete its last step. {lists} "
        "A forager goes fewer steps in a slice and makes fewer paths; the table of steps and paths counts them."
    )
    starts = (
        "WL foragers start from the home page of the site, with nothing else in their weblog; RL foragers start all "
        "their paths from the first ten addresses that the recording fleet stepped on. Both begin at the moment when "
        "the last of the ten was there, and work until the recording ends."
    )
    judged = (
        "What was rewarded while recording is not used in a replay: new and fresh is judged anew for each fleet, by "
        "the same rule."
    )
    return [webs, pace, fleet, starts, judged, _corpus_told(form, size)]


def _corpus_told(form: Form, size: Size) -> str:
    if form.corpora is None or not (form.corpora / size.corpus).is_dir():
        return f"Nothing was run on recorded news sites: the corpus {size.corpus!r} is not at hand."
    return (
        f"On the corpus {size.corpus!r}, {size.corpus_repeats} fleets of each kind work for {size.corpus_days:g} days "
        f"with {size.corpus_latency:g} s for a download and as many downloads in a slice as in the paper; it has a few "
        "new pages a day."
    )


ABOUT = (
    "A fleet of foragers looks for what is new on a news site. WL foragers learn where to start, by selection; RL "
    "foragers learn which pages lead on to news, by temporal differences. The paper finds them about equally efficient "
    "on the web as it is, and selection the better fit to a scale-free small world; on a rewired web reinforcement "
    "wins. Here, too, fleets work on recordings of what another fleet saw. Pairs share recording and repeat. Those of "
    "the same recording are less independent than a test takes them to be."
)

EXPERIMENT = Experiment(
    name="palotai-selection-vs-rl",
    title="Selection against reinforcement learning in news foragers",
    paper="Zs. Palotai, Cs. Farkas and A. Lőrincz: Selection in scale-free small world (2005)",
    about=ABOUT,
    settings=settings,
    cell=measured,
    claims=CLAIMS,
    scaled=scaled,
    tables=tables,
    figures=figures,
)
