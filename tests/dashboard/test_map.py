"""The map of a run: places that never change, and answers that hold what came since."""

from __future__ import annotations

import base64
from array import array
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.events import Label
from wolfspider.dashboard import map_view
from wolfspider.dashboard.map_layout import UNIT, MapLayout
from wolfspider.dashboard.map_view import LIT, RunMap
from wolfspider.store.inbox import append_command
from wolfspider.store.sqlite import SqliteStore, create
from wolfspider.store.view import RunView
from wolfspider.testing.rehearsal import Rehearsal


def column(kind: str, text: str) -> list[int]:
    return array(kind, base64.b64decode(text)).tolist()


def held(folder: Path) -> dict[str, bool]:
    """Final addresses of the pages of a run, and whether each is relevant."""
    return {page.final_url: page.relevant for page in RunView(folder).pages()}


class Browser:
    """Puts answers together as the browser does."""

    def __init__(self, map_: RunMap) -> None:
        self.map, self.after = map_, ""
        self.places: list[tuple[int, int]] = []
        self.light: list[int] = []
        self.plots: list[list[int]] = []
        self.hosts: list[str] = []

    def ask(self) -> dict[str, Any]:
        told = dict(self.map.answer(self.after))
        if told["whole"]:
            self.places, self.light, self.plots, self.hosts = [], [], [], []
        assert told["first"] == len(self.places)
        assert (told["first_plot"], told["first_host"]) == (len(self.plots), len(self.hosts))
        self.places += zip(column("h", told["x"]), column("h", told["y"]), strict=True)
        self.light += column("B", told["light"])
        for page, light in told["changed"]:
            self.light[page] = light
        self.plots += told["plots"]
        self.hosts += told["hosts"]
        self.after = told["next"]
        return told


@pytest.fixture
def run(tmp_path: Path) -> Any:
    store = create(tmp_path / "run", {"topic": "spiders"}, info={"software": "test"})
    yield store
    store.close()


@given(st.lists(st.integers(0, 30), max_size=400))
def test_no_page_lies_on_another_and_every_page_lies_in_a_plot_of_its_host(hosts: list[int]) -> None:
    layout = MapLayout()
    places = [layout.place(str(host)) for host in hosts]
    assert len(set(places)) == len(places)
    for host, (x, y) in zip(hosts, places, strict=True):
        inside = [
            plot
            for plot in layout.plots
            if plot.x <= x / UNIT <= plot.x + plot.side and plot.y <= y / UNIT <= plot.y + plot.side
        ]
        assert layout.hosts[str(host)] in {plot.host for plot in inside}
    for one, other in combinations(layout.plots, 2):
        apart_x = one.x + one.side <= other.x or other.x + other.side <= one.x
        assert apart_x or one.y + one.side <= other.y or other.y + other.side <= one.y


@given(st.lists(st.integers(0, 9), max_size=200), st.lists(st.integers(0, 9), max_size=50))
def test_what_comes_later_moves_nothing(first: list[int], later: list[int]) -> None:
    short, long = MapLayout(), MapLayout()
    before = [short.place(str(host)) for host in first]
    assert [long.place(str(host)) for host in [*first, *later]][: len(first)] == before


def test_a_large_host_lies_in_few_plots_and_the_ground_is_used() -> None:
    layout = MapLayout()
    for _ in range(20_000):
        layout.place("large.test")
    plots = layout.plots
    assert len(plots) < 30 and all(one.side <= other.side for one, other in pairwise(plots))
    assert sum(plot.side**2 for plot in plots) < 2 * 20_000


def test_increments_put_together_are_the_whole_map_whatever_the_steps(run: SqliteStore) -> None:
    rehearsal = Rehearsal(run)
    growing = Browser(RunMap(run.folder))
    for _ in range(8):
        rehearsal.run(7)
        growing.ask()
    rehearsal.run()
    told = growing.ask()
    whole = Browser(RunMap(run.folder))
    assert whole.ask()["whole"] and not told["whole"]
    assert (growing.places, growing.light, growing.plots, growing.hosts) == (
        *(whole.places, whole.light, whole.plots, whole.hosts),
    )
    expected = held(run.folder)
    assert len(whole.places) == told["pages"] == len(expected) > 10
    assert sum(light >= LIT for light in whole.light) == told["relevant"] == sum(expected.values())
    assert not growing.ask()["x"] and growing.ask()["next"] == growing.after


def test_a_label_relights_a_page(run: SqliteStore) -> None:
    rehearsal, browser = Rehearsal(run), Browser(RunMap(run.folder))
    rehearsal.run(40)
    before = browser.ask()
    url = next(url for url, relevant in held(run.folder).items() if not relevant)
    append_command(run.folder, Label(url, True), "me")
    rehearsal.run(1)
    told = browser.ask()
    number = browser.map.numbers[url]
    assert [number, LIT + 100] in told["changed"] and browser.light[number] == LIT + 100
    assert told["relevant"] >= before["relevant"] + 1


def test_agents_are_told_with_where_they_came_from(run: SqliteStore) -> None:
    Rehearsal(run).run(60)
    map_ = RunMap(run.folder)
    told = map_.answer("")
    (walker,) = told["agents"]
    assert (walker["name"], walker["number"]) == ("walker", 0) and 1 < len(walker["trail"]) <= map_view.TRAIL
    assert all(0 <= page < told["pages"] for page in walker["trail"]) and walker["visits"] >= len(walker["trail"])
    own = map_.territory("walker")
    assert own is not None and own["whole"] and sorted(own["pages"]) == list(range(told["pages"]))
    assert sum(own["times"]) == own["visits"] == walker["visits"] and own["path"][-1] == walker["trail"][-1]
    assert map_.territory("nobody") is None


def test_a_dot_tells_what_it_stands_for(run: SqliteStore) -> None:
    Rehearsal(run).run(30)
    map_ = RunMap(run.folder)
    pages = map_.answer("")["pages"]
    found = [map_.page(number) for number in range(pages)]
    expected = held(run.folder)
    assert {one["url"]: one["relevant"] for one in found if one} == expected
    assert map_.page(-1) is None and map_.page(pages) is None


@pytest.mark.parametrize("after", ["", "x", "-1", "a-1-2-3-4", "1-1-1-1-1-1", "\u0661-\u0661", "9" * 5000, "a-b-c-d-e"])
def test_who_names_something_else_gets_all_of_it(run: SqliteStore, after: str) -> None:
    Rehearsal(run).run(10)
    told = RunMap(run.folder).answer(after)
    assert told["whole"] and told["first"] == 0 and column("h", told["x"])


def test_counts_beyond_what_is_there_get_all_of_it(run: SqliteStore) -> None:
    Rehearsal(run).run(10)
    map_ = RunMap(run.folder)
    assert map_.answer(f"{map_.name}-999999-0-0-0")["whole"]


def test_a_run_that_was_cut_back_is_drawn_anew(run: SqliteStore) -> None:
    rehearsal, browser = Rehearsal(run), Browser(RunMap(run.folder))
    rehearsal.run(20)
    browser.ask()
    name = browser.map.name
    with browser.map._lock:
        browser.map._last = (browser.map._last[0], browser.map._last[1], "http://another.test/")
    assert browser.ask()["whole"] and browser.map.name != name


def test_a_full_map_says_what_it_leaves_out(run: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    Rehearsal(run).run(60)
    whole = RunMap(run.folder).answer("")
    monkeypatch.setattr(map_view, "MOST_PAGES", 5)
    monkeypatch.setattr(map_view, "IN_ANSWER", 3)
    browser = Browser(RunMap(run.folder))
    assert browser.ask()["more"] and len(browser.places) == 3
    told = browser.ask()
    assert not told["more"] and told["pages"] == len(browser.places) == 5 and told["left_out"] > 0
    assert browser.places == list(zip(column("h", whole["x"]), column("h", whole["y"]), strict=True))[:5]
