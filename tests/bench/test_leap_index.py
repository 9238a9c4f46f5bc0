"""Leaps in a bench: into another web, made searchable once; what they lead to is crawled like anything else."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.bench.conftest import html, record
from tests.live.leaper import Leaper

from wolfspider.bench.draw.report import write_report
from wolfspider.bench.run import leap_index
from wolfspider.bench.run.leap_index import category_index, index_of
from wolfspider.bench.run.runner import Bench, run
from wolfspider.core.errors import BadInput, Problem
from wolfspider.policy.strategy import REGISTRY
from wolfspider.store.categories.building import web_origin
from wolfspider.web.worlds.world import open_web

BOUNDS = ("reachable", "recall", "oracle_auc", "greedy_auc", "auc_ratio")
OTHER = {
    "http://a.test/": "harbour timetable of the other web",
    "http://a.test/island": "spiders of the other web",
    "http://a.test/lost": "spiders that are gone from the web that is crawled",
    "http://c.test/": "spiders on a host that is not crawled",
}


@pytest.fixture
def other(tmp_path: Path, own_cache: None) -> str:
    """A web that knows of the island in the tiny one."""
    folder = tmp_path / "other"
    folder.mkdir()
    pages = [record(url, "200 OK\r\nContent-Type: text/html", html(text, [])) for url, text in OTHER.items()]
    (folder / "other.warc").write_bytes(b"".join(pages))
    return str(folder)


@pytest.fixture
def leaper(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(REGISTRY, Leaper.name, Leaper)
    return Leaper.name


class Follower:
    def __init__(self) -> None:
        self.sentences: list[str] = []

    def told(self, sentence: str) -> None:
        self.sentences.append(sentence)

    def done(self, cells: int, total: int, means: Any) -> None:
        pass


def test_a_leap_finds_what_no_link_leads_to(tiny: str, other: str, leaper: str) -> None:
    (without,) = run(Bench((tiny,), (leaper,), pages=20, jobs=1)).rows
    results = run(Bench((tiny,), (leaper,), pages=20, jobs=1, leaps=other))
    (row,) = results.rows
    assert row["error"] is None and without["error"] is None
    assert without["found"][-1][1] == 3 and row["found"][-1][1] == 4 == row["relevant"]
    assert row["downloads"] == without["downloads"] + 2, "the island and a dead address; the leap itself is free"
    assert [row[name] for name in BOUNDS] == [None] * 5 and row["auc"] > 0
    assert row.keys() == without.keys()
    assert results.about["leaps"] == {"other": open_web(other).digest()}
    assert results.bounds[0]["upper"] is None


def test_who_does_not_leap_finds_what_it_found_before(tiny: str, other: str) -> None:
    given: dict[str, Any] = {"webs": (tiny,), "strategies": ("breadth-first",), "pages": 10, "jobs": 1}
    (row,), (leaping,) = run(Bench(**given)).rows, run(Bench(**given, leaps=other)).rows
    assert row["found"] == leaping["found"] and row["auc"] == leaping["auc"]


def test_the_index_is_made_once_and_what_is_damaged_anew(other: str, tmp_path: Path) -> None:
    world, told = open_web(other), list[str]()
    path = index_of(world, None, told.append)
    assert path.is_relative_to(tmp_path / "cache") and "4 pages" in told[-1]
    before = path.stat().st_mtime_ns
    assert index_of(world, None, told.append) == path and path.stat().st_mtime_ns == before and len(told) == 2
    path.write_bytes(b"damage" * 1000)
    assert index_of(world, None, told.append) == path and len(told) == 4
    assert index_of(world, tmp_path / "elsewhere", told.append).name == path.name


def test_of_those_who_want_the_same_index_at_once_one_makes_it(other: str) -> None:
    world, told = open_web(other), list[str]()
    meeting = threading.Barrier(3, timeout=30)

    def want(number: int) -> Path:
        meeting.wait()
        return index_of(world, None, told.append)

    with ThreadPoolExecutor(3) as several:
        (path,) = set(several.map(want, range(3)))
    assert path.is_file() and len(told) == 2


def test_an_index_of_other_pages_of_the_same_web_is_another(other: str) -> None:
    origin = web_origin(open_web(other), 10, 0)
    with (
        category_index(origin, "all", 0) as index,
        category_index(origin, "some", 0) as second,
        category_index(origin, "all", 1) as third,
    ):
        assert len({index.path, second.path, third.path}) == 3 and index.tree().pages == 4


def test_a_cache_that_cannot_be_written_is_told(other: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Problem, match="cannot be written"):
        index_of(open_web(other), tmp_path / "file", lambda sentence: None)


def test_kept_cells_are_those_with_the_same_leaps(tiny: str, other: str, leaper: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {"webs": (tiny,), "strategies": (leaper,), "pages": 10, "jobs": 1}
    for leaping in (None, other, other, None):
        run(Bench(**given, leaps=leaping), tmp_path / "out.json")
    assert len(list((tmp_path / "out.json.cells").iterdir())) == 2


@pytest.mark.slow
def test_processes_of_their_own_leap_too(tiny: str, other: str) -> None:
    bench = Bench((tiny,), ("breadth-first", "shark"), pages=10, jobs=2, leaps=other)
    assert [row["error"] for row in run(bench).rows] == [None, None]


def test_the_report_says_where_leaps_went(tiny: str, other: str, leaper: str, tmp_path: Path) -> None:
    results = run(Bench((tiny,), (leaper, "shark"), pages=10, jobs=1, leaps=other))
    text = write_report(results.rows, tmp_path / "report", results.bounds, results.about).read_text()
    assert "--leaps other" in text and "Leaps go into the web other: content" in text


@pytest.mark.parametrize(
    ("leaping", "kind", "said"),
    [
        ("{tiny}", Problem, "--leaps must name another web"),
        ("{tiny}/nowhere", BadInput, "nowhere"),
        ("synthetic:pages=200001", Problem, "too large to be looked through"),
    ],
)
def test_a_mistake_is_a_sentence(tiny: str, leaping: str, kind: type[Problem], said: str) -> None:
    follower = Follower()
    with pytest.raises(kind, match=said):
        run(Bench((tiny,), ("shark",), pages=5, jobs=1, leaps=leaping.format(tiny=tiny)), progress=follower)


def test_of_a_large_web_so_many_pages_are_taken(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leap_index, "MOST_PAGES", 50)
    told = list[str]()
    index_of(open_web("synthetic:pages=1000,mischief=0"), None, told.append)
    assert "50 pages" in told[-1] or "49 pages" in told[-1]
