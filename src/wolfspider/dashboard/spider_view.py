"""The view of 1997: a spider's search, generation by generation, as its paper showed it to people.

All of it is read from the run: the notes in which a spider tells its generations (docs/events.md), its visits and the
gauge. How a spider chooses is nobody's business here; a strategy that notes generations is shown, whatever its name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypedDict

from wolfspider.app.settings import Settings
from wolfspider.core.events import Gauge
from wolfspider.core.plain_text import plainly
from wolfspider.dashboard.desk import Missing, RunDesk
from wolfspider.files.lock import is_owned
from wolfspider.store.folder import Places
from wolfspider.store.page_count import HIDDEN
from wolfspider.store.view import RunView
from wolfspider.terminal.spider_results import KIND, NOTES, Generation, Outputs, ShownOutput, read

LONGEST = 1000  # characters of an address
MOST_LINKS = 100  # of a result, that are shown
_NEWEST_VISIT = "SELECT v.url, v.note FROM visits v WHERE v.how = 'out' ORDER BY v.seq DESC, v.id DESC LIMIT 1"
_HIDDEN = f"SELECT {HIDDEN} FROM pages p WHERE p.final_url = ? ORDER BY p.seq DESC LIMIT 1"  # noqa: S608


class SpiderQuery(TypedDict, total=False):
    generation: int


class SpiderResult(TypedDict):
    """A page that the spider brings back. The bars are shares: its terms, its links, how fast it came."""

    url: str
    title: str
    links: int
    score: float
    terms: float
    links_score: float
    fetch_score: float
    origin: str
    words: list[str]
    generation: int


class SpiderStep(TypedDict):
    """A generation in one line."""

    number: int
    at: float
    fitness: float
    results: int


class SpiderFetching(TypedDict):
    """The page that has been asked for the longest, when that was, and the seconds it may take."""

    url: str
    since: float
    allowed: float | None


class SpiderState(TypedDict):
    """`generation`: the one that is shown, 0 before the first; `at`: when it was complete, or when the search began.
    `step`: what the spider does for the next one."""

    is_spider: bool
    strategy: str
    running: bool
    final: bool
    generation: int
    newest: int
    at: float
    seconds: float
    fetched: int
    leaps: int
    fitness: float
    temperature: float | None
    results: list[SpiderResult]
    generations: list[SpiderStep]
    step: str
    fetching: SpiderFetching | None


class SpiderLinksQuery(TypedDict):
    url: str


class SpiderLink(TypedDict):
    url: str
    text: str


class SpiderLinks(TypedDict):
    """The links of a result; `all` counts also those that are not told."""

    url: str
    all: int
    links: list[SpiderLink]


def spider(desk: RunDesk, run: Path, asked: SpiderQuery) -> SpiderState:
    told = desk.remembered(run, "generations", lambda: _generations(run))
    wanted = asked.get("generation")
    shown = next((each for each in told if each.number == wanted), None) if wanted else (told[-1] if told else None)
    if wanted and shown is None:
        raise Missing(f"The run has no generation {wanted}.")
    view = RunView(run)
    gauge, running, step = view.gauge(), is_owned(Places.of(run).lock), _step(view)
    return {
        "is_spider": bool(told) or bool(step),
        "strategy": plainly(Settings.of_run(view.about).strategy, 100),
        "running": running,
        "final": bool(told) and told[-1].final,
        "generation": shown.number if shown else 0,
        "newest": told[-1].number if told else 0,
        "at": shown.at if shown else _began(view),
        "seconds": shown.seconds if shown else 0.0,
        "fetched": shown.fetched if shown else 0,
        "leaps": shown.leaps if shown else 0,
        "fitness": shown.fitness if shown else 0.0,
        "temperature": shown.temperature if shown else None,
        "results": [_result(each) for each in shown.results] if shown else [],
        "generations": [
            {"number": one.number, "at": one.at, "fitness": one.fitness, "results": len(one.results)} for one in told
        ],
        "step": step,
        "fetching": _fetching(gauge) if running else None,
    }


def _generations(run: Path) -> list[Generation]:
    """Each once, in order. A note has the first results alone: of the last one, all that there are in the end."""
    view = RunView(run)
    found = {one.number: one for one in _noted(view)}
    if found and not is_owned(Places.of(run).lock):
        outputs = Outputs()
        outputs.conclude(view)
        if outputs.newest is not None and outputs.newest.number in found:
            found[outputs.newest.number] = outputs.newest
    return [found[number] for number in sorted(found)]


def _noted(view: RunView) -> Iterator[Generation]:
    for at, _, note in islice(view.events("Noted"), NOTES):
        data = note.get("data")
        if note.get("kind") == KIND and isinstance(data, dict) and (one := read(at, data)) is not None:
            yield one


def _result(output: ShownOutput) -> SpiderResult:
    terms, links, fetched = output.bars
    return {
        "url": output.url,
        "title": output.title,
        "links": output.links,
        "score": output.score,
        "terms": terms,
        "links_score": links,
        "fetch_score": fetched,
        "origin": output.origin,
        "words": list(output.words),
        "generation": output.generation,
    }


def _began(view: RunView) -> float:
    return next((float(at) for (at,) in view.rows("SELECT at FROM log WHERE seq = 1") if at is not None), 0.0)


def _step(view: RunView) -> str:
    """What the newest visit is for, in the spider's words: parents, children, ranking or leaps."""
    for _, text in view.rows(_NEWEST_VISIT):
        note = _mapping(text)
        if isinstance(note.get("generation"), int) and isinstance(note.get("step"), str):
            return plainly(note["step"], 40)
    return ""


def _mapping(text: Any) -> dict[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _fetching(gauge: Gauge | None) -> SpiderFetching | None:
    if gauge is None or not gauge.longest or gauge.longest_since is None:
        return None
    return {
        "url": plainly(gauge.longest, LONGEST),
        "since": gauge.longest_since,
        "allowed": gauge.longest_deadline,
    }


def spider_links(run: Path, asked: SpiderLinksQuery) -> SpiderLinks:
    """The links of a page, read again from the archive. Of a page that asks not to be indexed nothing is told."""
    view, url = RunView(run), asked["url"]
    row = view.page(url)
    is_hidden = row is not None and any(hidden for (hidden,) in view.rows(_HIDDEN, row.final_url))
    page = view.parsed(row) if row is not None and not is_hidden else None
    if page is None:
        raise Missing("The page is not kept.")
    links: list[SpiderLink] = [
        {"url": plainly(link.url, LONGEST), "text": plainly(link.anchor, 200)} for link in page.links[:MOST_LINKS]
    ]
    return {"url": plainly(page.final_url, LONGEST), "all": len(page.links), "links": links}
