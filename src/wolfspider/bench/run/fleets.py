"""Fleets of foragers as cells of an experiment: a setting goes in, a row comes out.

    {"web": "synthetic:...,news=1", "days": 14, "latency": 3.5, "repeat": 0, "fleet": {"fleet": "WL", ...}}

A fleet works on the news site of a synthetic web (from its home page, or from as many front pages as `fronts` says),
on a recorded web from `start` on, or (`record`) on the replay of a recording that another fleet made. A replay shows
nothing before it was recorded. So work on a replay begins when the recording fleet had stepped on its first ten
addresses, and ends when the recording does; foragers without a weblog of their own start from these ten (`gathered`).
Recordings and models of page states are made once, by the first cell that needs them, and lie in the cache under a
digest of everything they are made from.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from wolfspider.bench import Row, Setting
from wolfspider.bench.measure.foraging import Foraging
from wolfspider.bench.measure.gathered import GatheredLinks
from wolfspider.bench.run.result_cache import digest_of, locked, write_whole
from wolfspider.bench.run.source import source_of
from wolfspider.core import randomness
from wolfspider.core.errors import Problem
from wolfspider.core.events import Event, Finish, Noted
from wolfspider.core.model import Page, host_of
from wolfspider.core.params import LETTER
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import simulate, simulated_crawl
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.graphs.graph import Graph
from wolfspider.learn.page_states import train_states
from wolfspider.policy.judges.judge import Unasked
from wolfspider.strategies import strategy_named
from wolfspider.web.page.html import parse
from wolfspider.web.page.page_cache import folder
from wolfspider.web.worlds.parsed_once import Delayed, ParsedOnce
from wolfspider.web.worlds.recording.recorder import recorded
from wolfspider.web.worlds.recording.replayed import RecordedCrawl
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.world import Looks, World, open_web

DAY = 86_400.0
BYTES_KEPT = 300 << 20  # of parsed pages
BACKGROUND_PAGES = 2_000  # of the web beside the news site, for the model of page states
BOUNDLESS = 10**12  # downloads; time is what ends a fleet
SPARE = "listed=5,older=3"  # a news site on which a step takes about as many downloads as in the papers
LISTS = f"Lists show five articles at most and articles link to three older ones ({SPARE})"
SLICE_DOWNLOADS = 180 / 1.1  # of the papers: slices of 180 s, with 1.1 s for a download, or 51 steps of 3.15 downloads
FRONT_PAGES = ("http://old.felixonline.co.uk/", "http://www.discoverdev.io/")  # of the news corpora
FIRST_STEPS = 10  # addresses of a recording that foragers without a weblog of their own start from
STARTS = "starts.json"  # the file of these addresses in the folder of a recording
GATHERED = "gathered.npz"  # likewise, of the links of what was gathered


class FirstSteps:
    """A listener that keeps the first addresses that a fleet steps on, and the time at which it had been on them."""

    def __init__(self, since: float) -> None:
        self.urls: list[str] = []
        self.since = since

    def __call__(self, event: Event) -> None:
        if not isinstance(event, Noted) or event.kind != "move" or len(self.urls) == FIRST_STEPS:
            return
        if event.data["url"] not in self.urls:
            self.urls.append(event.data["url"])
            self.since = event.at


def fleet(setting: Setting) -> Row:
    """Let a fleet work, and measure it by every fold of `Foraging`. `parts` names the folds that the row keeps, or
    single figures of them: "tally", "division.boundary"."""
    measured = Foraging(changed_of(setting), steps=int(setting.get("window_steps", 0)))
    crawl, world, start = prepared(setting)
    crawl.listen(measured)
    days = float(setting["days"]) - (start - _beginning(setting)) / DAY
    downloads = work(crawl, world, start, days, seeds_of(setting))
    row = measured.row()
    return {"downloads": downloads, **picked(row, setting.get("parts") or list(row))}


def picked(row: Row, parts: Sequence[str]) -> Row:
    chosen: Row = {}
    for part in parts:
        name, _, figure = part.partition(".")
        if name in row:
            chosen[name] = {**chosen.get(name, {}), figure: row[name][figure]} if figure else row[name]
    return chosen


def work(crawl: Crawl, world: Looks, start: float, days: float, seeds: Sequence[str]) -> int:
    return simulate(crawl, world, start=start, seeds=seeds, commands=[(start + days * DAY, Finish())]).downloads


def prepared(setting: Setting) -> tuple[Crawl, Looks, float]:
    """A crawl that has not begun, its web, and the time at which it begins."""
    world = looks_of(setting)
    kind = strategy_named("foragers")
    given = {LETTER: True, "pays": "new+fresh", "model": model_of(setting), **setting.get("fleet", {})}
    rng = randomness.generator(int(setting.get("repeat", 0)), "fleet", str(setting["web"]))
    strategy = kind.new(Topic(("news",)), rng, given)
    hosts = frozenset(host_of(url) for url in seeds_of(setting))
    scope = Scope(within=lambda url: host_of(url) in hosts)
    crawl = simulated_crawl(strategy, Unasked, world, Limits(BOUNDLESS), bytes_at_hand=BYTES_KEPT, scope=scope)
    return crawl, world, start_of(setting)


def paced(latency: float) -> dict[str, float]:
    """Slices in which as many downloads fit as in the papers, whatever a download takes here."""
    return {"slice": SLICE_DOWNLOADS * latency}


# The webs


def news_site(seed: int, articles: int, lists: str = "", around: str = "pages=3000,topics=64") -> str:
    """A synthetic news site with so many articles a day, in a web whose other pages teach the states of pages."""
    return f"synthetic:{around},mischief=0,news=1,seed={seed},articles={articles}{lists}"


@lru_cache(maxsize=1)
def _opened(web: str) -> World:
    return open_web(web)


def start_of(setting: Setting) -> float:
    """When the fleet begins: on a replay, when all addresses it may start from were there."""
    return float(_first_steps(setting)["since"]) if "record" in setting else _beginning(setting)


def _beginning(setting: Setting) -> float:
    """When the time of the web begins."""
    return float(setting.get("start") or _opened(str(setting["web"])).start)


def looks_of(setting: Setting) -> Looks:
    if "record" in setting:
        return _replay(*_replay_key(setting))
    return Delayed(ParsedOnce(_opened(str(setting["web"])), BYTES_KEPT), float(setting["latency"]))


def changed_of(setting: Setting) -> Callable[[str, float, float], float | None]:
    """When pages change: on a replay as it was recorded, so that all fleets are measured by the same changes."""
    world = _replay(*_replay_key(setting)) if "record" in setting else _opened(str(setting["web"]))
    return world.changed


def seeds_of(setting: Setting) -> list[str]:
    if "seeds" in setting:
        return list(setting["seeds"])
    if setting.get("gathered"):
        return list(_first_steps(setting)["urls"])
    world = _opened(str(setting["web"]))
    if isinstance(world, Synthetic) and world.news is not None:
        fronts = islice(world.news.list_paths(world.start), int(setting.get("fronts", 1)))
        return [world.news.site + path[1:] for path in fronts]
    raise Problem(f"{setting['web']} has no news site: name the addresses to start from in `seeds`.")


# What is made once


def model_of(setting: Setting) -> str:
    """The model of page states: of the recording, of the rest of a synthetic web, or the default one."""
    if "record" in setting:
        return str(recording_of(setting))
    world = _opened(str(setting["web"]))
    if not isinstance(world, Synthetic):
        return "default"
    path = folder() / "states" / f"{digest_of([world.digest(), source_of(__name__, 'foragers')])}.npz"
    with locked(path):
        if not path.exists():
            write_whole(path, train_states(_background(world)).to_bytes())
    return str(path)


def _background(world: Synthetic) -> Iterator[Page]:
    """Pages of the web beside the news site."""
    every = max(1, world.params.pages // BACKGROUND_PAGES)
    for number in range(0, world.params.pages, every):
        page = parse(world.look(world.addresses.url(number), world.start))
        if isinstance(page, Page):
            yield page


def recording_of(setting: Setting) -> Path:
    """The folder of the recording: fleet, pace and repeat of the recording fleet are those in `record`."""
    web = {key: value for key, value in setting.items() if key in ("web", "start", "seeds")}
    recorder = {**web, **setting["record"]}
    place = folder() / "recordings" / digest_of([recorder, source_of(__name__, "foragers")])
    with locked(place):
        if not place.exists():
            partial = place.with_name(f"{place.name}.{os.getpid()}")
            crawl, world, start = prepared(recorder)
            crawl.listen(steps := FirstSteps(start))
            crawl.listen(gathered := GatheredLinks())
            with recorded(crawl, partial, web=str(recorder["web"]), seeds=seeds_of(recorder)):
                work(crawl, world, start, float(recorder["days"]), seeds_of(recorder))
            (partial / STARTS).write_text(json.dumps({"urls": steps.urls, "since": steps.since}))
            gathered.graph().save(partial / GATHERED)
            partial.rename(place)
    return place


def gathered_links(setting: Setting) -> Graph:
    """What the recording fleet gathered, as the papers kept it."""
    return Graph.load(recording_of(setting) / GATHERED)


def _first_steps(setting: Setting) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((recording_of(setting) / STARTS).read_bytes())
    return found


def _replay_key(setting: Setting) -> tuple[Path, float, int | None]:
    return recording_of(setting), float(setting["latency"]), setting.get("rewired")


@lru_cache(maxsize=2)
def _replay(place: Path, latency: float, rewired: int | None) -> RecordedCrawl:
    return RecordedCrawl(place, latency=latency, rewired=rewired)
