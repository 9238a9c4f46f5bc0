"""Fleets as cells: what they work on is what the web is, and what is dear is made once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wolfspider.bench.run.fleets import fleet, model_of, prepared, recording_of, seeds_of, start_of, work
from wolfspider.core.errors import Problem
from wolfspider.core.events import Event, Noted
from wolfspider.core.model import Page
from wolfspider.web.page.html import parse
from wolfspider.web.page.page_cache import folder
from wolfspider.web.worlds.parsed_once import Delayed, ParsedOnce
from wolfspider.web.worlds.recorded import Recorded
from wolfspider.web.worlds.recording.replayed import RecordedCrawl
from wolfspider.web.worlds.synthetic import Synthetic

WEB = "synthetic:pages=1000,topics=8,mischief=0,news=1,seed=3,articles=60"
HOUR = 3600.0
PACE = {"days": 0.5, "latency": 60.0}
RECORD = {**PACE, "repeat": 0, "fleet": {"fleet": "mixed", "foragers": 4, "least": 4, "most": 4}}
DIRECT: dict[str, Any] = {"web": WEB, **PACE, "repeat": 1, "fleet": {"fleet": "WL"}}
REPLAYED = {**DIRECT, "record": RECORD}


@pytest.fixture(scope="module", autouse=True)
def one_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Shared by the tests of this file, and by nothing else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WOLFSPIDER_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def files(under: str) -> dict[str, int]:
    """What there is, and when it was written."""
    found = [path for path in (folder() / under).rglob("*") if path.is_file() and path.suffix != ".lock"]
    return {str(path): path.stat().st_mtime_ns for path in found}


class Counted(Synthetic):
    """A web that knows how often it was asked."""

    looks = 0

    def look(self, url: str, now: float) -> Any:
        self.looks += 1
        return super().look(url, now)


def test_a_steady_web_shows_what_the_web_shows_and_asks_it_once_for_each_change() -> None:
    world = Synthetic.parse(WEB)
    counted = Counted(world.params)
    steady = Delayed(ParsedOnce(counted), 2.0)
    assert world.news is not None
    front = world.news.site
    changes = 0
    for step in range(200):
        now = world.start + step * HOUR / 10
        fetch = steady.look(front, now)
        there = parse(world.look(front, now))
        assert isinstance(there, Page) and fetch.page is not None
        shown = fetch.page
        assert (shown.digest, shown.words, shown.links, shown.at) == (there.digest, there.words, there.links, now)
        assert (fetch.seconds, fetch.at) == (2.0, now)
        before = now - HOUR / 10
        changes += step == 0 or world.changed(front, before, now) is not None
    assert 1 < counted.looks == changes < 200


def test_a_steady_web_does_not_keep_what_is_not_there() -> None:
    world = Synthetic.parse(WEB)
    assert world.news is not None
    counted = Counted(world.params)
    steady = Delayed(ParsedOnce(counted), 2.0)
    for _ in range(2):
        fetch = steady.look(f"{world.news.site}no-such-page", world.start)
        assert (fetch.page, fetch.seconds) == (None, 2.0)
    assert counted.looks == 2


@pytest.mark.slow
def test_a_model_of_page_states_is_made_once() -> None:
    path = model_of(DIRECT)
    written = files("states")
    assert list(written) == [path]
    assert model_of({**DIRECT, "repeat": 2}) == path
    assert files("states") == written
    assert model_of({**DIRECT, "web": WEB.replace("seed=3", "seed=4")}) != path


def test_a_recording_is_made_once_and_replayed_by_all_its_cells() -> None:
    place = recording_of(REPLAYED)
    written = files("recordings")
    rows = [fleet({**REPLAYED, "repeat": repeat}) for repeat in (1, 2)]
    rewired = fleet({**REPLAYED, "rewired": 5})
    assert recording_of({**REPLAYED, "fleet": {"fleet": "RL"}}) == place
    assert files("recordings") == written
    assert len({Path(name).parent for name in written}) == 1
    rest = 720 - (start_of(REPLAYED) - start_of(DIRECT)) / PACE["latency"]
    assert {row["downloads"] for row in (*rows, rewired)} == {round(rest)}
    assert rows[0]["tally"] != rows[1]["tally"]
    assert rows[0]["tally"] != rewired["tally"]
    assert model_of(REPLAYED) == str(place)


def test_another_recording_fleet_is_another_recording() -> None:
    others = [{**RECORD, "repeat": 1}, {**RECORD, "days": 0.25}]
    places = [recording_of({**REPLAYED, "record": record}) for record in (RECORD, *others)]
    assert len(set(places)) == 3
    assert RecordedCrawl(places[2]).end <= start_of(DIRECT) + 0.25 * 86_400 + 61


def test_the_same_cell_gives_the_same_row() -> None:
    assert fleet(DIRECT) == fleet(DIRECT)
    assert fleet(REPLAYED) == fleet(REPLAYED)


def test_foragers_without_a_weblog_of_their_own_start_where_the_recording_fleet_stepped_first() -> None:
    gathered = seeds_of({**REPLAYED, "gathered": True})
    made = {"web": WEB, **RECORD}
    crawl, world, start = prepared(made)
    moves: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Noted) and event.kind == "move":
            moves.append(event.data["url"])

    crawl.listen(listen)
    work(crawl, world, start, PACE["days"], seeds_of(made))
    assert gathered == list(dict.fromkeys(moves))[:10]
    assert len(gathered) == 10
    assert gathered[0] == seeds_of(DIRECT)[0]


@pytest.mark.parametrize("rewired", [None, 5])
def test_a_replay_begins_when_all_starts_are_there(rewired: int | None) -> None:
    replay = RecordedCrawl(recording_of(REPLAYED), rewired=rewired)
    start = start_of(REPLAYED)
    assert start_of(DIRECT) < start < start_of(DIRECT) + 12 * HOUR
    assert start_of({**REPLAYED, "gathered": True, "fleet": {"fleet": "RL"}}) == start
    looks = [replay.look(url, start) for url in seeds_of({**REPLAYED, "gathered": True})]
    assert all(fetch.page is not None for fetch in looks)
    before = [replay.look(url, start_of(DIRECT)) for url in seeds_of({**REPLAYED, "gathered": True})]
    assert any(fetch.page is None for fetch in before)


def test_a_row_keeps_the_parts_that_are_asked_for() -> None:
    assert set(fleet({**DIRECT, "parts": ["tally", "freshness"]})) == {"downloads", "tally", "freshness"}


def test_a_recorded_web_is_worked_on_from_a_time_and_from_addresses(tiny: str) -> None:
    start = Recorded(Path(tiny)).first
    setting = {"web": tiny, "start": start, **PACE, "seeds": ["http://a.test/"], "fleet": {"fleet": "RL"}}
    _, world, began = prepared(setting)
    assert (began, isinstance(world, Delayed), model_of(setting)) == (start, True, "default")
    row = fleet(setting)
    assert row["tally"]["fetched"] >= 2
    with pytest.raises(Problem, match="name the addresses"):
        seeds_of({"web": tiny})
