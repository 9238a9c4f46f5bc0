"""A crawl written down: everything that a replay needs, whatever happens to the process that writes it."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wolfspider.core import events
from wolfspider.core.errors import BadInput, Busy, Problem
from wolfspider.core.model import Credit, Failure, Link, Outcome, Page, Visit
from wolfspider.core.topic import Topic
from wolfspider.learn.page_states import KeptStates, open_states
from wolfspider.strategies.breadth_first import BreadthFirst
from wolfspider.web.worlds.recording.playback import LOOKS, SUMMARY, completed, read_recording
from wolfspider.web.worlds.recording.recorder import Recorder, states_for

HEAD: list[Any] = ["head", {"format": 1, "web": "small", "seeds": [], "size": 2}]


class Shapes:
    """Two numbers that can be told from the page at once."""

    size = 2

    def of(self, page: Page) -> np.ndarray[Any, np.dtype[np.float32]]:
        return np.array([len(page.links) / 8, page.size / 1024], np.float32)


def page(url: str, digest: str, *links: str, at: float, final: str = "", **more: Any) -> Page:
    shown = tuple(Link(link, rank=rank) for rank, link in enumerate(links))
    return Page(url, final or url, links=shown, digest=digest, at=at, **more)


class Told:
    """Events as a crawl would tell them."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder, self.visits = recorder, 0

    def landed(self, url: str, result: Page | Failure, at: float, seconds: float = 0.5, how: str = "out") -> int:
        self.visits += 1
        visit = Visit(self.visits, Link(url), agent="one")
        self.recorder(events.Went(at, visit, how))
        end = at + seconds
        self.recorder(events.Landed(end, Outcome(visit, result, None, 1, seconds, end, how != "out"), how, 0))
        return visit.id

    def credited(self, visit: int, reason: str, at: float) -> None:
        self.recorder(events.Credited(at, Credit(visit, "one", 1.0, reason, at)))


def told_of(told: Told) -> None:
    first = told.landed("http://a/", page("http://a/", "d1", "http://a/x", "http://b/", at=10.0, title="A"), 10.0)
    told.landed("http://a/x", Failure("status", "404"), 10.1, 0.3)
    told.landed("http://a/", page("http://a/", "d1", "http://a/x", "http://b/", at=20.0, title="A"), 20.0)
    told.landed("http://a/old", page("http://a/old", "d2", at=21.0, final="http://b/", published=5.5, size=512), 21.0)
    told.landed("http://a/", page("http://a/", "d3", "http://c/", at=30.0), 30.0)
    told.landed("http://a/", page("http://a/", "d3", at=30.0), 31.0, how="held")
    told.landed("leap:spiders", page("leap:spiders", "", "http://a/", at=32.0), 32.0)
    told.credited(first, "new", 33.0)
    told.credited(first + 2, "known", 34.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Recorder(tmp_path / "rec", Shapes(), web="small", seeds=["http://a/"]) as recorder:
        recorder(events.Began(9.0, (Link("http://a/"),), 5))
        told_of(Told(recorder))
    return tmp_path / "rec"


def test_everything_a_replay_needs_is_there(folder: Path) -> None:
    read = read_recording(folder)
    assert read.urls == ["http://a/", "http://a/x", "http://b/", "http://a/old", "http://c/"]
    assert [read.urls[number] for number in read.addresses] == ["http://a/", "http://b/", "http://a/"]
    assert (read.digests, read.titles, [*read.sizes]) == (["d1", "d2", "d3"], ["A", "", ""], [0, 512, 0])
    assert ([*read.links], [*read.ends]) == ([1, 2, 4], [2, 2, 3])
    assert read.published[1] == 5.5
    assert np.isnan(read.published[0])
    assert [*read.times] == [10.0, 10.1, 20.0, 21.0, 30.0]
    assert [*read.seconds] == [0.5, 0.3, 0.5, 0.5, 0.5]
    assert [*read.results] == [0, -1, 0, 1, 2]
    assert [*read.failures] == [Failure("status", "404")]
    assert (set(read.agents), [*read.visits]) == ({"one"}, [1, 2, 3, 4, 5])
    assert read.credits == [(33.0, 1, 1.0, "new"), (34.0, 3, 1.0, "known")]
    assert (read.start, read.end) == (9.0, 30.5)


def test_a_closed_recording_says_what_it_is_and_has_its_states(folder: Path) -> None:
    said = json.loads((folder / SUMMARY).read_text())
    about = {"format": 1, "web": "small", "start": 9.0, "end": 30.5, "seeds": ["http://a/"], "state_numbers": 2}
    counts = {"downloads": 5, "failures": 1, "addresses": 5, "pages": 3, "links": 3, "rewarded": 1}
    assert said == {**about, **counts, "mean_seconds": pytest.approx(0.46)}
    states = open_states(str(folder), "calibrated")
    assert isinstance(states, KeptStates)
    assert states.of(page("http://b/", "d2", at=0.0)).tolist() == [0.0, 0.5]
    assert states.of(page("http://a/", "d1", at=0.0)).tolist() == [0.25, 0.0]


def test_a_recording_that_goes_on_knows_what_it_has(folder: Path) -> None:
    whole = read_recording(folder)
    with Recorder(folder, Shapes()) as recorder:
        assert not (folder / SUMMARY).exists(), "what was told of it is no longer true"
        told = Told(recorder)
        told.landed("http://a/", page("http://a/", "d1", "http://a/x", "http://b/", at=50.0), 50.0)
        told.landed("http://d/", page("http://d/", "d4", "http://a/", at=51.0), 51.0)
    read = read_recording(folder)
    assert read.urls == [*whole.urls, "http://d/"]
    assert [*read.results] == [0, -1, 0, 1, 2, 0, 3]
    assert json.loads((folder / SUMMARY).read_text())["downloads"] == 7


def test_after_a_kill_all_but_the_newest_is_there_and_can_be_continued(folder: Path) -> None:
    recorder = Recorder(folder, Shapes())
    told = Told(recorder)
    told.landed("http://d/", page("http://d/", "d4", at=51.0), 51.0)
    recorder.flush()
    told.landed("http://e/", page("http://e/", "d5", at=52.0), 52.0)  # never written
    recorder._lock.release()
    with (folder / LOOKS).open("ab") as file:
        file.write(gzip.compress(b'["u","http://torn/"]\n')[:-9])
    assert not (folder / SUMMARY).exists()
    assert completed(folder).urls[-1] == "http://d/"
    assert json.loads((folder / SUMMARY).read_text())["downloads"] == 6
    assert open_states(str(folder), "calibrated").size == 2
    with Recorder(folder, Shapes()) as again:
        Told(again).landed("http://f/", page("http://f/", "d6", at=60.0), 60.0)
    assert read_recording(folder).urls[-2:] == ["http://d/", "http://f/"]


def test_a_kill_before_the_first_row_leaves_a_folder_to_record_in(tmp_path: Path) -> None:
    (tmp_path / LOOKS).write_bytes(gzip.compress(json.dumps(HEAD).encode() + b"\n")[:-5])
    with Recorder(tmp_path, Shapes(), web="new") as recorder:
        told_of(Told(recorder))
    assert read_recording(tmp_path).web == "new"


def test_one_at_a_time_records_in_a_folder(tmp_path: Path) -> None:
    with Recorder(tmp_path, Shapes()), pytest.raises(Busy):
        Recorder(tmp_path, Shapes())
    Recorder(tmp_path, Shapes()).close()


def test_states_of_another_size_are_refused(folder: Path) -> None:
    with pytest.raises(BadInput, match="states of 2 numbers, not of 50"):
        Recorder(folder, open_states("default", "calibrated"))
    Recorder(folder, Shapes()).close()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Problem, match="Nothing can be recorded"):
        Recorder(tmp_path / "file" / "rec", Shapes())


def test_without_states_a_recording_has_none(tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder:
        told_of(Told(recorder))
    assert read_recording(tmp_path).kept_states().states.shape == (3, 0)


def test_a_strategy_is_recorded_by_its_own_states_if_it_has_any() -> None:
    shapes = Shapes()

    class Seeing(BreadthFirst):
        def page_states(self) -> Shapes:
            return shapes

    assert states_for(Seeing.new(Topic(), random.Random(0))) is shapes
    assert states_for(BreadthFirst.new(Topic(), random.Random(0))).size == 50


STATE = "AAAAAAAAAAA="  # two zeros
PAGE: list[Any] = ["p", 0, "digest", "title", 7, None, 1.5, [0], STATE]
LOOK: list[Any] = ["d", 5.0, 0.5, 0, 0, 1, "agent"]
FINE: list[Any] = [HEAD, ["u", "http://a/"], PAGE, LOOK]


def put(folder: Path, rows: list[Any]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / LOOKS).write_bytes(gzip.compress(b"".join(json.dumps(row).encode() + b"\n" for row in rows)))


def test_rows_that_are_fine_are_read(tmp_path: Path) -> None:
    put(tmp_path, FINE)
    assert read_recording(tmp_path).digests == ["digest"]


def changed(row: list[Any], place: int, value: Any) -> list[Any]:
    return [*row[:place], value, *row[place + 1 :]]


@pytest.mark.parametrize(
    "rows",
    [
        [],
        FINE[1:],
        [["head", {"format": 2, "web": "", "seeds": [], "size": 2}]],
        [["head", {"format": 1, "web": "", "seeds": [], "size": 10**9}]],
        [["head", {"format": 1, "web": "", "seeds": [3], "size": 2}]],
        [["head", []]],
        [["head"]],
        [*FINE, 7],
        [*FINE, []],
        [*FINE, ["x"]],
        [*FINE, [["u"], 3]],
        [*FINE, ["u", "http://a/"]],
        [*FINE, ["u", 3]],
        [*FINE, ["u", "".join(map(str, range(5_000)))]],
        [*FINE, ["began", float("nan")]],
        [*FINE, ["began", "5"]],
        [*FINE, ["u"]],
        *([*FINE, changed(PAGE, *change)] for change in [(1, 9), (1, -1), (1, "0"), (2, 3), (3, None), (4, "1")]),
        *([*FINE, changed(PAGE, *change)] for change in [(4, 1 << 70), (5, "x"), (5, float("inf")), (7, 3)]),
        *([*FINE, changed(PAGE, *change)] for change in [(7, [1]), (7, ["0"]), (7, [-1]), (8, ""), (8, "!"), (8, 4)]),
        *([*FINE, changed(LOOK, *change)] for change in [(1, "x"), (1, float("nan")), (1, -1.0), (2, -0.5)]),
        *([*FINE, changed(LOOK, *change)] for change in [(3, 1), (3, -1), (4, 1), (4, -1), (4, "x"), (5, 0.5), (6, 3)]),
        *([*FINE, ["f", 5.0, 0.5, 0, *rest]] for rest in [("nothing", "", 1, ""), ("status", 404, 1, ""), ("status",)]),
        *([*FINE, ["c", *rest]] for rest in [(1.0, "x", 1.0, "new"), ("x", 1, 1.0, "new"), (1.0, 1, 1.0, 3), ()]),
    ],
)
def test_hostile_rows_are_refused_in_a_sentence(tmp_path: Path, rows: list[Any]) -> None:
    put(tmp_path, rows)
    with pytest.raises(BadInput, match=r"damaged or no recording: .*\. Record it anew\.") as told:
        read_recording(tmp_path)
    words = str(told.value).split("no recording: ")[1]
    assert not re.search(r"[_'()\[\]]|argument|NaN|int\b|float\b", words), "a sentence for people"
